"""A bridge's world in words: what is loaded, and which goal conditions hold."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Sequence

from rich.text import Text

from reactree_core.observation import Progress
from reactree_tools.glyphs import Glyphs
from reactree_tools.home import Home
from reactree_tools.loaded_world import LoadedWorld
from reactree_tools.loaded_world import WorldState
from reactree_tools.plain_text import visible
from reactree_tools.views.home_view import room_lines
from reactree_tools.views.rails import Rails

_NAME_COLUMNS = 12


def named_lines(rows: Sequence[tuple[str, Text]], glyphs: Glyphs, width: int) -> Iterator[Text]:
    """A name and a value on each line; long values hang."""
    rails = Rails(glyphs, width)
    for name, value in rows:
        sign = Text(name.ljust(_NAME_COLUMNS), style='dim')
        yield from rails.lines(0, sign, value, hanging=_NAME_COLUMNS + 1)


def reset_lines(loaded: LoadedWorld, glyphs: Glyphs, width: int) -> Iterator[Text]:
    """What a reset has loaded."""
    rows = [
        ('scene', Text(visible(loaded.scene))),
        ('task', Text(visible(loaded.task_id or 'none: free text, nobody judges it'))),
    ]
    if loaded.instruction:
        rows.append(('instruction', Text(visible(loaded.instruction), style='bold')))
    rows.append(('robot sees', Text(visible(loaded.observation))))
    return named_lines(rows, glyphs, width)


def state_lines(state: WorldState, glyphs: Glyphs, width: int) -> Iterator[Text]:
    """What is loaded, how much of the goal holds, and how many skills have run."""
    rows = [
        ('scene', Text(visible(state.scene))),
        ('task', Text(visible(state.task_id or 'none: free text, nobody judges it'))),
    ]
    if state.instruction:
        rows.append(('instruction', Text(visible(state.instruction), style='bold')))
    rows.append(('skills run', Text(f'{state.skills_executed:,}')))
    if state.has_goal:
        sign = glyphs.success if state.success else glyphs.failure
        goal = f'{sign} {Progress(state.conditions_met, state.conditions_total, (), state.score)}'
        rows.append(('goal', Text(goal, style='green' if state.success else 'red')))
        rows += [('', Text(visible(condition))) for condition in state.conditions]
    return named_lines(rows, glyphs, width)


def demo_lines(
    state: WorldState,
    home: Home | None,
    heading: Text | None,
    sentence: str,
    glyphs: Glyphs,
    width: int,
) -> Iterator[Text]:
    """A home and a task in a few lines, before a run.

    :param sentence: what the user asks; '' for the loaded task.
    """
    rows = []
    if heading is not None:
        rows.append(('home', heading))
    elif state.scene:
        rows.append(('scene', Text(visible(state.scene))))
    if home is not None:
        rows.append(('rooms', room_lines(home)))
    rows.append(('task', Text(visible(sentence or state.instruction), style='bold')))
    rows += [
        ('goal' if number == 0 else '', Text(visible(condition)))
        for number, condition in enumerate(state.conditions)
    ]
    return named_lines(rows, glyphs, width)
