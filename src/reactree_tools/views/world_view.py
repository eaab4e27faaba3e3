"""A bridge's world and a task in words: what is loaded, and which goal conditions hold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.text import Text

from reactree_core.observation import Progress, WorldTask
from reactree_tools.glyphs import Glyphs
from reactree_tools.plain_text import count, visible
from reactree_tools.views.agent_tree import Rails
from reactree_tools.views.home_view import Home, room_lines

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
        ('task', Text(visible(loaded.task_id or 'none: free text, without goal conditions'))),
    ]
    if loaded.instruction:
        rows.append(('instruction', Text(visible(loaded.instruction), style='bold')))
    rows.append(('robot sees', Text(visible(loaded.observation))))
    return named_lines(rows, glyphs, width)


def state_lines(state: WorldState, glyphs: Glyphs, width: int) -> Iterator[Text]:
    """What is loaded, how much of the goal holds, and how many skills have run."""
    rows = [
        ('scene', Text(visible(state.scene))),
        ('task', Text(visible(state.task_id or 'none: free text, without goal conditions'))),
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


@dataclass(frozen=True, slots=True)
class LoadedWorld:
    """What a reset has loaded; the fields are those of ResetWorld.srv."""

    scene: str
    task_id: str
    instruction: str
    message: str
    observation: str


@dataclass(frozen=True, slots=True)
class WorldState:
    """The state of a world; the fields are those of GetWorldState.srv.

    :param score: 0..1; None where the world gives none.
    """

    has_goal: bool
    conditions_met: int
    conditions_total: int
    success: bool
    scene: str
    task_id: str
    instruction: str
    conditions: tuple[str, ...] = ()
    graph: str = ''
    skills_executed: int = 0
    score: float | None = None


def task_lines(
    task: WorldTask,
    scene: str,
    progress: Progress | None,
    skills: Sequence[str] | None,
    trouble: str,
    with_skills: bool,
    glyphs: Glyphs,
    width: int,
) -> Iterator[Text]:
    """Instruction, other wordings, goal conditions, and the expert's skills.

    :param progress: at the start, before anything was done.
    :param skills: of the expert; None when there is none, or it found no way, for the
        reason `trouble`.
    """
    rows = [
        ('task', Text(f'{visible(task.task_id)}, family {visible(task.task_type)}')),
        ('scene', Text(visible(scene))),
        ('instruction', Text(visible(task.instruction), style='bold')),
    ]
    others = [wording for wording in task.instructions if wording != task.instruction]
    for number, wording in enumerate(others):
        rows.append(('or' if number == 0 else '', Text(visible(wording))))
    if progress is not None:
        for number, condition in enumerate(progress.conditions):
            rows.append(('goal' if number == 0 else '', Text(visible(condition))))
        rows.append(('at start', Text(str(progress))))
    for number, note in enumerate(task.notes):
        rows.append(('changed' if number == 0 else '', Text(visible(note))))
    if task.decisions:
        rows.append(('limit', Text(f'{count(task.decisions, "decision")}, as published')))
    if trouble:
        rows.append(('expert', Text(f'{glyphs.failure} {visible(trouble)}', style='red')))
    elif skills is not None:
        rows.append(('expert', Text(f'{count(len(skills), "skill")}, shortest known plan')))
        if with_skills:
            digits = len(str(len(skills)))
            rows += [
                ('', Text(f'{number:{digits}}  {visible(skill)}'))
                for number, skill in enumerate(skills, start=1)
            ]
    return named_lines(rows, glyphs, width)
