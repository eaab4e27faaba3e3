"""A task: a sentence for the planner, and goal conditions for the judge."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field
from typing import Any


@dataclass(frozen=True, slots=True)
class Task:
    """One task.

    :param task_id: names it in reports, e.g. 'setup_table:7'.
    :param task_type: its family, e.g. 'setup_table'.
    :param instruction: the sentence that is used.
    :param goal: Watch-And-Help's form: 'on_X_Y', 'inside_X_Y' or 'turnOn_X' to a count, with the
        class names of the scene graph (see the world's `scoring`).
    :param instructions: wordings of the same, the used one included.
    :param notes: sentences about how the home was changed for the task.
    :param decisions: most decisions that its publication allows a planner; 0 where none did.
    :param graph: the home it starts in, in VirtualHome's format; None: the scene as it is.
    :param home: name of the scene that it brings along, e.g. 'wah:tasks.json#7'; '' when it
        starts in the loaded one.
    """

    task_id: str
    task_type: str
    instruction: str
    goal: dict[str, int]
    instructions: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    decisions: int = 0
    home: str = ''
    graph: Mapping[str, Any] | None = field(default=None, compare=False, repr=False)
