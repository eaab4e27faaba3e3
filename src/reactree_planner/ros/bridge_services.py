"""The services of a bridge: what it can do and sees, and its world, kept or put back."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.client import Client
from rclpy.node import Node
from rclpy.task import Future

from reactree_core.cancellation import CancelToken
from reactree_core.errors import BridgeLostError, SkillError
from reactree_core.observation import Observation, Progress, Vocabulary
from reactree_core.ros import conversions
from reactree_core.ros.discovery import is_served
from reactree_core.skill_types import SkillType
from reactree_planner.reading.halting import known_words
from reactree_planner.ros.waiting import wait_for, wait_until
from reactree_planner.ros.watched_bridge import WatchedBridge
from reactree_ros.srv import GetWorldState, ListSkills, ResetWorld, SnapshotWorld

#: Seconds after which a look that was not answered is asked for again.
_ASK_AGAIN = 1.0


@dataclass(frozen=True, slots=True)
class SkillDeadlines:
    """Seconds to wait.

    :param find: for a server at the start of a run. :param skill: for a skill to end.
    :param service: for a service's answer, or for a goal to be accepted.
    :param reset: for a world to be put back.
    """

    find: float = 10.0
    skill: float = 120.0
    service: float = 5.0
    reset: float = 60.0


class BridgeServices(WatchedBridge):
    """Asks one bridge.

    Subscribes `bridge_status`; calls `bridge/list_skills`, `bridge/get_world_state`,
    `bridge/reset_world`, `bridge/snapshot_world`.

    :param deadlines: asked at every wait, so that a change holds from the next one on.
    :param robot: namespace below that of the node in which the bridge is; '' for the same.
    """

    def __init__(
        self, node: Node, deadlines: Callable[[], SkillDeadlines], robot: str = ''
    ) -> None:
        self._base = f'{robot}/' if robot else ''
        self._robot = robot
        self._node = node
        self._deadlines = deadlines
        self._group = ReentrantCallbackGroup()

        def client(kind: type, name: str) -> Client:
            return node.create_client(
                kind, f'{self._base}bridge/{name}', callback_group=self._group
            )

        self._list = client(ListSkills, 'list_skills')
        self._state = client(GetWorldState, 'get_world_state')
        self._reset = client(ResetWorld, 'reset_world')
        self._snapshot = client(SnapshotWorld, 'snapshot_world')
        self._types: tuple[SkillType, ...] = ()
        #: Words of what the robot can do and knows; none before it was asked.
        self.known_words: frozenset[str] = frozenset()
        super().__init__(node, self._base, self._group)

    @property
    def _where(self) -> str:
        return f'{self._node.get_namespace().rstrip("/")}/{self._robot}'

    def _lose(self, what: str) -> BridgeLostError:
        return BridgeLostError(
            f'The skill server disappeared during {what}; whether it took effect is unknown. '
            'Start the bridge again and look before you go on.'
        )

    def _ask(self, client: Client, request: Any, patience: float, cancel: CancelToken) -> Any:
        """The answer to what changes nothing; None when it does not come, or the server is lost.

        The middleware drops an answer whose reader the bridge has not met yet, so it is asked for
        again.
        """
        first: Future = Future()
        answer = None
        deadline = time.monotonic() + patience
        while answer is None and not self.lost and time.monotonic() < deadline:
            asked = client.call_async(request)
            asked.add_done_callback(lambda one: first.done() or first.set_result(one.result()))
            ask_again = min(_ASK_AGAIN, deadline - time.monotonic())
            answer = wait_for(first, ask_again, cancel, lambda: self.lost)
        return answer

    def _ask_for_skills(self, cancel: CancelToken) -> Any:
        patience = self._deadlines().service
        answer = self._ask(self._list, ListSkills.Request(), patience, cancel)
        if answer is None:
            if self.lost:
                raise self._lose('a look')
            raise SkillError(
                'The skill server did not answer list_skills within '
                f"{patience:g} s: check the bridge's log."
            )
        return answer

    def list_skills(self, cancel: CancelToken) -> tuple[Vocabulary, Observation]:
        """Names and templates, and what the robot sees now."""
        vocabulary, _, observation = conversions.skills_from_response(self._ask_for_skills(cancel))
        self._types = vocabulary.skills
        self.known_words = known_words(vocabulary.names)
        return vocabulary, observation

    def candidate_skills(self, cancel: CancelToken) -> tuple[str, ...]:
        """The wider published set."""
        return conversions.skills_from_response(self._ask_for_skills(cancel))[1]

    def look(self, cancel: CancelToken) -> Observation:
        """What the robot sees now."""
        return conversions.skills_from_response(self._ask_for_skills(cancel))[2]

    def world_state(self, cancel: CancelToken) -> Any | None:
        """Answer of `get_world_state`, or None when the bridge does not say."""
        if self.lost or not is_served(self._node, self._state):
            return None
        patience = self._deadlines().service
        return self._ask(self._state, GetWorldState.Request(), patience, cancel)

    def progress(self, cancel: CancelToken) -> Progress | None:
        """Goal conditions met, or None when the bridge cannot judge."""
        answer = self.world_state(cancel)
        return conversions.progress_from_response(answer) if answer is not None else None

    def snapshot(self, cancel: CancelToken) -> str:
        """Keep the world as it is; '' where the bridge keeps none, which robots never do."""
        if self.lost or not is_served(self._node, self._snapshot):
            return ''
        answer = self._ask_snapshot('', cancel)
        return answer.snapshot if answer is not None and answer.success else ''

    def restore(self, snapshot: str, cancel: CancelToken) -> Observation:
        """Put the world back.

        :raises SkillError: it is not kept any more, or there is no answer in time.
        """
        answer = self._ask_snapshot(snapshot, cancel)
        if answer is None:
            if self.lost:
                raise self._lose('a restore')
            raise SkillError('The skill server did not restore its world in time.')
        if not answer.success:
            raise SkillError(conversions.bounded(answer.message))
        return conversions.observation_from_message(answer.observation)

    def _ask_snapshot(self, restore: str, cancel: CancelToken) -> Any | None:
        asked = self._snapshot.call_async(SnapshotWorld.Request(restore=restore))
        return wait_for(asked, self._deadlines().reset, cancel, lambda: self.lost)

    def reset(self, cancel: CancelToken) -> None:
        """Put the world back to where its task began."""
        deadlines = self._deadlines()
        if not wait_until(lambda: is_served(self._node, self._reset), deadlines.service, cancel):
            raise SkillError('The skill server has no service reset_world.')
        answer = wait_for(
            self._reset.call_async(ResetWorld.Request(again=True)),
            deadlines.reset,
            cancel,
            lambda: self.lost,
        )
        if answer is None:
            if self.lost:
                raise self._lose('a reset')
            raise SkillError(
                f'The skill server did not reset its world within {deadlines.reset:g} s: '
                'raise reset_timeout if it needs longer.'
            )
        if not answer.success:
            raise SkillError(
                f'The skill server cannot be reset: {conversions.bounded(answer.message)}'
            )
