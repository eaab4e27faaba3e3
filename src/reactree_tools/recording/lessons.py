"""A recorded run as experiences for the memory: those that its planner itself would keep."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterable
from functools import partial
from typing import Protocol

from reactree_core.errors import RecordingError
from reactree_core.experience import Experience
from reactree_planner.planners.run import UNDO_SETTING
from reactree_planner.planners.transcript import NodeTranscript
from reactree_planner.tree.events import Decision
from reactree_planner.tree.events import DecisionKind
from reactree_planner.tree.events import Event
from reactree_planner.tree.snapshot import AgentTree
from reactree_tools.recording.agent_lessons import AgentLessons
from reactree_tools.recording.plan_lessons import PlanLessons


class Lessons(Protocol):
    """Finds the trajectories of one sort of planners."""

    def take(self, event: Event) -> None:
        """The next event of the run; the tree has it already."""

    def transcripts(self) -> dict[int, NodeTranscript]:
        """What was found, by node."""


def _plan(tree: AgentTree, start: Decision, begins_anew: bool = False) -> Lessons:
    return PlanLessons(tree, start.settings.get(UNDO_SETTING, '1') == '1', begins_anew)


def _agents(
    tree: AgentTree, start: Decision, expands: bool = False, whole_task: bool = False
) -> Lessons:
    return AgentLessons(tree, expands, whole_task)


#: How the experiences of each planner are found, given the growing tree and the START.
_SORTS: dict[str, Callable[[AgentTree, Decision], Lessons]] = {
    'reactree': partial(_agents, expands=True),
    'react': _agents,
    'plan_and_execute': _agents,
    'adapt': _agents,
    'try_again': partial(_agents, whole_task=True),
    'reflexion': partial(_agents, whole_task=True),
    'zero_shot': _plan,
    'iterative': _plan,
    'local_replan': _plan,
    'global_replan': partial(_plan, begins_anew=True),
    'tree_planner': _plan,
}


def lessons_of(run_id: str, events: Iterable[Event]) -> tuple[Experience, ...]:
    """The experiences of a run, in the order they began.

    :param events: of the run, in order.
    :raises RecordingError: the beginning of the run is not there, or its planner is one of another
        package, which alone knows what it keeps.
    """
    tree = AgentTree()
    model, task_type, domain = '', '', ''
    lessons: Lessons | None = None
    for event in events:
        tree.apply(event)
        if isinstance(event, Decision):
            model = model or event.usage.model
            if event.kind is DecisionKind.START and lessons is None:
                lessons = _lessons(tree, event)
                task_type = event.settings.get('world_task', '').partition(':')[0]
                domain = event.settings.get('domain', '')
        if lessons is None:
            break
        lessons.take(event)
    if lessons is None:
        raise RecordingError(
            'The record does not have the beginning of its run, which tells the planner: record '
            'from before the run starts.'
        )
    return tuple(
        transcript.experience(run_id, node_id, tree.planner, model, task_type, 0, domain)
        for node_id, transcript in lessons.transcripts().items()
        if transcript.is_lesson
    )


def _lessons(tree: AgentTree, start: Decision) -> Lessons:
    planner = start.settings.get('planner', '')
    if planner not in _SORTS:
        raise RecordingError(
            f'What the planner "{planner[:80]}" keeps of a run is known to itself only: let it '
            f'keep its experiences while it runs (keep_experiences). Those of {", ".join(_SORTS)} '
            'can be exported.'
        )
    return _SORTS[planner](tree, start)
