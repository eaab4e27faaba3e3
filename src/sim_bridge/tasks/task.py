"""A task: a sentence for the planner, and goal conditions for the judge."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Task:
    """One task.

    :param task_id: names it in reports, e.g. 'setup_table:7'.
    :param task_type: its family, e.g. 'setup_table'.
    :param instruction: the sentence that is used.
    :param goal: Watch-And-Help's form: 'on_X_Y', 'inside_X_Y' or 'turnOn_X' to a count, with the
        class names of the scene graph (see the world's `scoring`).
    :param instructions: wordings of the same, the used one included.
    """

    task_id: str
    task_type: str
    instruction: str
    goal: dict[str, int]
    instructions: tuple[str, ...] = ()
