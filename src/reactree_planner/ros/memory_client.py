"""The memory node as a port. A memory that is gone answers empty and is reported once."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.client import Client
from rclpy.node import Node

from reactree_core.cancellation import CancelToken
from reactree_core.experience import Experience, ExperienceQuery, LONGEST_TRAJECTORY
from reactree_core.ros import conversions
from reactree_core.ros.discovery import is_served
from reactree_planner.ros.waiting import wait_for
from reactree_ros.srv import RecallObject, RetrieveExperiences, StoreExperiences

#: Seconds during which a memory that did not answer is not asked again.
_REST = 10.0
#: Seconds after which a memory that has not heard the newest observation is asked again.
_ASK_AGAIN = 0.02
_GONE = 'The memory node does not answer; planning goes on without it.'
_UNKEPT = 'The memory node does not answer: it may have kept nothing of this run.'
_DEAF = (
    'The memory node does not hear what this robot sees; planning goes on without it: name this '
    'planner in its parameter planners.'
)


class RosMemory:
    """Client of the memory node (port `Memory`).

    Calls `memory/retrieve_experiences`, `memory/store_experiences` and, where robots share a
    working memory, `memory/recall_object`. What a robot sees the memory hears on `~/observations`.

    :param timeout: seconds to wait for an answer, asked each time.
    :param notice: called with what went wrong.
    """

    def __init__(
        self, node: Node, timeout: Callable[[], float], notice: Callable[[str], None]
    ) -> None:
        self._node = node
        self._name = node.get_namespace().strip('/') or node.get_name()
        self._timeout = timeout
        self._notice = notice
        self._silent_until = 0.0
        self.begin('')
        group = ReentrantCallbackGroup()

        def client(kind: Any, name: str) -> Client:
            return node.create_client(kind, f'memory/{name}', callback_group=group)

        self._retrieve = client(RetrieveExperiences, 'retrieve_experiences')
        self._store = client(StoreExperiences, 'store_experiences')
        self._recall = client(RecallObject, 'recall_object')
        self._clients = (self._retrieve, self._store, self._recall)

    def begin(
        self, run_id: str, enabled: bool = True, shared_name: str = '', robot: str = ''
    ) -> None:
        """Work for a run from now on.

        :param enabled: whether the memory is used at all.
        :param shared_name: working memory shared with other robots; '' for the run's own.
        :param robot: who this is there; '' for the node's namespace.
        """
        self.run_id = run_id
        self._enabled = enabled
        #: Working memory that this run shares with other robots, and who this is there.
        self.shared_memory = shared_name if enabled else ''
        self.robot = (robot or self._name) if self.shared_memory else ''
        #: Whether the memory may yet hear this run: it is waited for only until it proves not to.
        self._heard = True

    def wait_until_there(self, timeout: float, cancel: CancelToken) -> bool:
        """Whether a memory node is there, with all its services, within `timeout` seconds."""
        if not self._enabled:
            return False
        deadline = time.monotonic() + timeout
        # The services of a node that has just come are discovered one by one.
        while not all(is_served(self._node, client) for client in self._clients):
            if time.monotonic() >= deadline:
                return False
            cancel.wait(0.02)
            cancel.check()
        return True

    def _ask(
        self, client: Client, request: Any, cancel: CancelToken, gone: str = _GONE
    ) -> Any | None:
        if not self._enabled:
            return None
        if time.monotonic() >= self._silent_until:
            if is_served(self._node, client):
                answer = self._answer(client, request, cancel)
                if answer is not None:
                    return answer
            self._silent_until = time.monotonic() + _REST
        self._notice(gone)
        return None

    def _answer(self, client: Client, request: Any, cancel: CancelToken) -> Any | None:
        """Sends a request, and once more after half of the time.

        A memory that has just started may not have discovered this client yet: its answer is lost.
        All requests may come twice.
        """
        half = self._timeout() / 2
        first = client.call_async(request)
        answer = wait_for(first, half, cancel)
        if answer is None:
            answer = wait_for(client.call_async(request), half, cancel, lost=first.done)
        return first.result() if answer is None and first.done() else answer

    def retrieve(self, query: ExperienceQuery, cancel: CancelToken) -> tuple[Experience, ...]:
        """Experiences nearest to a goal; empty when the memory is gone."""
        request = RetrieveExperiences.Request(
            goal=conversions.bounded(query.goal),
            observation=conversions.bounded(query.observation),
            token_budget=query.token_budget or 1_000_000,
            limit=query.limit,
            seed=query.seed,
            planner=query.planner,
            domain=query.domain,
            unit=query.unit,
        )
        answer = self._ask(self._retrieve, request, cancel)
        if answer is None:
            return ()
        if answer.error_code != RetrieveExperiences.Response.ERROR_NONE:
            self._notice(f'The memory gave no examples: {conversions.bounded(answer.error_msg)}')
            return ()
        return tuple(conversions.experience_from_message(found) for found in answer.experiences)

    def store(self, experiences: Sequence[Experience], cancel: CancelToken) -> None:
        """Keep experiences, but for those that are longer than a memory takes."""
        fitting = [kept for kept in experiences if len(kept.trajectory) <= LONGEST_TRAJECTORY]
        if left_out := len(experiences) - len(fitting):
            self._notice(
                f'{left_out} of {len(experiences)} experiences of this run have more than '
                f'{LONGEST_TRAJECTORY} characters: the memory keeps the others.'
            )
        if not fitting:
            return
        request = StoreExperiences.Request(
            experiences=[conversions.experience_to_message(kept) for kept in fitting]
        )
        # Tried even if the memory was silent before: what it does not keep now is lost.
        self._silent_until = 0.0
        answer = self._ask(self._store, request, cancel, _UNKEPT)
        if answer is not None and answer.error_code != StoreExperiences.Response.ERROR_NONE:
            self._notice(
                f'The memory kept nothing of this run: {conversions.bounded(answer.error_msg)}'
            )
        elif answer is not None and any(kept.unconfirmed for kept in fitting):
            self._notice(
                'Nothing verified that the task was done: what was learned is kept apart. If it '
                f'was done, say so with `reactree memory confirm {self.run_id}`.'
            )

    def recall(self, object_class: str, sequence: int, cancel: CancelToken) -> str:
        """Sentence about where robots that share a memory saw things of a class.

        '' where the run shares none, the memory is gone, or it does not hear what the run has
        seen: it would deny what the robot knows.
        """
        if not self.shared_memory:
            return ''
        request = RecallObject.Request(
            run_id=conversions.run_id_to_message(self.run_id),
            shared_name=self.shared_memory,
            robot=self.robot,
            object_class=conversions.bounded(object_class),
            sequence=sequence,
        )
        deadline = time.monotonic() + (self._timeout() if self._heard else 0.0)
        while True:
            answer = self._ask(self._recall, request, cancel)
            if answer is None:
                return ''
            if answer.newest >= sequence:
                self._heard = True
                return conversions.bounded(answer.text)
            if time.monotonic() >= deadline:
                self._heard = False
                self._notice(_DEAF)
                return ''
            cancel.wait(_ASK_AGAIN)
            cancel.check()
