"""A task in words."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Sequence

from rich.text import Text

from reactree_core.observation import Progress
from reactree_core.observation import WorldTask
from reactree_tools.glyphs import Glyphs
from reactree_tools.plain_text import count
from reactree_tools.plain_text import visible
from reactree_tools.views.world_view import named_lines


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
        rows.append(('expert', Text(f'{count(len(skills), "skill")}, the fewest known')))
        if with_skills:
            digits = len(str(len(skills)))
            rows += [
                ('', Text(f'{number:{digits}}  {visible(skill)}'))
                for number, skill in enumerate(skills, start=1)
            ]
    return named_lines(rows, glyphs, width)
