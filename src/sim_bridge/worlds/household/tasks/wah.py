"""WAH-NL tasks for the household: the published ones, in their own homes or in a given one.

`wah:<path>#<task id>` names a task (see `wah_files` for files and names). A task with a home of
its own starts there, whatever scene was loaded; one without starts in the loaded scene, to which
what the goal needs is added (see `provisions`) from the seed of the reset, and its notes say so.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reactree_core.errors import ConfigurationError
from sim_bridge.worlds.household.tasks.home import Home
from sim_bridge.worlds.household.tasks.scene_completion import add_missing_objects, start_in
from sim_bridge.worlds.household.tasks.task import Task
from sim_bridge.worlds.household.tasks.wah_files import find_task, PREFIX

#: ReAcTree's limit for WAH-NL, over the whole tree.
DECISIONS = 200


def load_wah_task(text: str, graph: Mapping[str, Any], seed: int) -> Task:
    """The task that a text names, with the home it starts in.

    :param graph: the loaded scene, for tasks that have no home of their own; not changed.
    :param seed: chooses the task where the text does not, and places what is added.
    :raises ConfigurationError: there is no such task, or it cannot be set in the home.
    """
    published, wording = find_task(text, seed)
    notes: tuple[str, ...] = ()
    own = published.graph
    start = own if own is not None else graph
    try:
        if own is None:
            completed = add_missing_objects(graph, published.goal, published.sources, seed)
            start, notes = completed.graph, completed.notes
        if published.room:
            start = start_in(start, published.room)
        Home(start).conditions(published.goal)
    except ConfigurationError as error:
        raise ConfigurationError(f'task {published.task_id} cannot be set: {error}') from error
    return Task(
        published.task_id,
        published.family or 'wah',
        published.instructions[wording],
        published.instructions,
        notes,
        DECISIONS,
        goal=dict(published.goal),
        home='' if own is None else f'{PREFIX}{published.source}',
        graph=start if start is not graph else None,
    )


def wah_scene(text: str, seed: int) -> Mapping[str, Any] | None:
    """The home of a published task as it was published; None when it has none of its own.

    :raises ConfigurationError: there is no such task.
    """
    return find_task(text, seed)[0].graph
