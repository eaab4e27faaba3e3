"""The services of a running bridge: reset the world, ask for its state."""

from __future__ import annotations

from reactree_core.errors import ConfigurationError
from reactree_ros.srv import GetWorldState
from reactree_ros.srv import ResetWorld
from reactree_tools.loaded_world import LoadedWorld
from reactree_tools.loaded_world import WorldState
from reactree_tools.ros.session import Session

#: Seconds for a bridge to be discovered; a cold start takes up to 3.5 s.
FIND_SECONDS = 8.0
#: Seconds for an answer; a large scene file takes a while to load.
ANSWER_SECONDS = 60.0


def reset_world(session: Session, scene: str, task: str, seed: int) -> LoadedWorld:
    """Load a scene and a task.

    :param scene: as in ResetWorld.srv; '' keeps what is loaded.
    :param task: as in ResetWorld.srv; '' for a world without goal conditions.
    :raises SkillError: no bridge answers. :raises ConfigurationError: the bridge says no.
    """
    request = ResetWorld.Request(scene=scene, task=task, seed=seed)
    answer = session.call(
        ResetWorld, 'bridge/reset_world', request, 'bridge', ANSWER_SECONDS, FIND_SECONDS
    )
    if not answer.success:
        raise ConfigurationError(answer.message or 'The bridge did not reset its world.')
    return LoadedWorld(
        answer.scene,
        answer.task_id,
        answer.instruction,
        answer.message,
        answer.observation.text,
    )


def world_state(session: Session, include_graph: bool = False) -> WorldState:
    """Ask a running bridge for the state of its world.

    :raises SkillError: no bridge answers.
    """
    request = GetWorldState.Request(include_graph=include_graph)
    answer = session.call(
        GetWorldState, 'bridge/get_world_state', request, 'bridge', ANSWER_SECONDS, FIND_SECONDS
    )
    return WorldState(
        answer.has_goal or answer.has_score,
        answer.conditions_met,
        answer.conditions_total,
        answer.success,
        answer.scene,
        answer.task_id,
        answer.instruction,
        tuple(answer.conditions),
        answer.graph,
        answer.skills_executed,
        answer.score if answer.has_score else None,
    )
