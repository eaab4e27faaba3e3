"""The memory node as a port. A memory that is gone answers empty and is reported once."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from collections.abc import Sequence
from typing import Any

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.client import Client
from rclpy.node import Node
from rclpy.task import Future

from reactree_core.cancellation import CancelToken
from reactree_core.experience import Experience
from reactree_core.experience import LONGEST_TRAJECTORY
from reactree_core.observation import Observation
from reactree_core.ros import conversions
from reactree_planner.ros.waiting import wait_for
from reactree_ros.srv import ClearWorkingMemory
from reactree_ros.srv import RecallObject
from reactree_ros.srv import RetrieveExperiences
from reactree_ros.srv import StoreExperiences
from reactree_ros.srv import UpdateWorkingMemory

#: Observations that are kept for a memory that does not take them; the oldest give way.
_UNSENT_KEPT = 256
#: Updates that may be unanswered at once.
_UNDER_WAY = 64
#: Seconds during which a memory that did not answer is not asked again.
_REST = 10.0
_GONE = 'The memory node does not answer; planning goes on without it.'


class RosMemory:
    """Client of the memory node (port `Memory`).

    Calls `memory/retrieve_experiences`, `memory/store_experiences`,
    `memory/update_working_memory`, `memory/recall_object`, `memory/clear_working_memory`.

    :param timeout: seconds to wait for an answer, asked each time.
    :param notice: told what went wrong.
    """

    def __init__(
        self, node: Node, timeout: Callable[[], float], notice: Callable[[str], None]
    ) -> None:
        self._name = node.get_namespace().strip('/') or node.get_name()
        self._timeout = timeout
        self._notice = notice
        self._silent_until = 0.0
        self._unsent: deque[Observation] = deque(maxlen=_UNSENT_KEPT)
        #: Updates that were sent and not awaited yet, with what they tell.
        self._updates: list[tuple[Future, Observation]] = []
        self.begin('')
        group = ReentrantCallbackGroup()

        def client(kind: Any, name: str) -> Client:
            return node.create_client(kind, f'memory/{name}', callback_group=group)

        self._retrieve = client(RetrieveExperiences, 'retrieve_experiences')
        self._store = client(StoreExperiences, 'store_experiences')
        self._update = client(UpdateWorkingMemory, 'update_working_memory')
        self._recall = client(RecallObject, 'recall_object')
        self._clear = client(ClearWorkingMemory, 'clear_working_memory')
        self._clients = (self._retrieve, self._store, self._update, self._recall, self._clear)

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
        self._shared = {
            'shared_name': shared_name,
            'robot': (robot or self._name) if shared_name else '',
        }
        self._unsent.clear()
        self._updates.clear()

    def wait_until_there(self, timeout: float, cancel: CancelToken) -> bool:
        """Whether a memory node is there, with all its services, within `timeout` seconds."""
        if not self._enabled:
            return False
        deadline = time.monotonic() + timeout
        # The services of a node that has just come are discovered one by one.
        while not all(client.service_is_ready() for client in self._clients):
            if time.monotonic() >= deadline:
                return False
            cancel.wait(0.02)
            cancel.check()
        return True

    def _ask(self, client: Client, request: Any, cancel: CancelToken) -> Any | None:
        if not self._enabled:
            return None
        if time.monotonic() >= self._silent_until:
            if client.service_is_ready():
                answer = wait_for(client.call_async(request), self._timeout(), cancel)
                if answer is not None:
                    return answer
            self._silent_until = time.monotonic() + _REST
        self._notice(_GONE)
        return None

    def retrieve(
        self,
        goal: str,
        token_budget: int,
        limit: int,
        seed: int,
        cancel: CancelToken,
        observation: str = '',
        planner: str = '',
        domain: str = '',
    ) -> tuple[Experience, ...]:
        """Experiences nearest to a goal; empty when the memory is gone."""
        request = RetrieveExperiences.Request(
            goal=conversions.bounded(goal),
            observation=conversions.bounded(observation),
            token_budget=token_budget or 1_000_000,
            limit=limit,
            seed=seed,
            planner=planner,
            domain=domain,
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
        answer = self._ask(self._store, request, cancel)
        if answer is not None and answer.error_code != StoreExperiences.Response.ERROR_NONE:
            self._notice(
                f'The memory kept nothing of this run: {conversions.bounded(answer.error_msg)}'
            )

    def update_working(self, observation: Observation) -> None:
        """Send what was seen; the answer is awaited no sooner than the next recall."""
        if self._enabled:
            self._unsent.append(observation)
            self._send()

    def _send(self) -> None:
        """Tell a memory that is there everything it has missed, oldest first."""
        if time.monotonic() < self._silent_until or not self._update.service_is_ready():
            return
        self._updates = [update for update in self._updates if not update[0].done()]
        while self._unsent and len(self._updates) < _UNDER_WAY:
            seen = self._unsent.popleft()
            request = UpdateWorkingMemory.Request(
                run_id=conversions.run_id_to_message(self.run_id),
                **self._shared,
                observation=conversions.observation_to_message(seen, self.run_id),
            )
            self._updates.append((self._update.call_async(request), seen))

    def recall(self, object_class: str, cancel: CancelToken) -> str:
        """Sentence about where things of a class were seen; '' when the memory is gone.

        '' also while it has not been told all: it would deny what the robot has seen.
        """
        self._send()
        self._await_updates(cancel)
        if self._unsent:
            self._notice(_GONE)
            return ''
        answer = self._ask(
            self._recall,
            RecallObject.Request(
                run_id=conversions.run_id_to_message(self.run_id),
                **self._shared,
                object_class=conversions.bounded(object_class),
            ),
            cancel,
        )
        return conversions.bounded(answer.text) if answer is not None else ''

    def forget(self, cancel: CancelToken) -> None:
        """Have what the run has seen forgotten."""
        self._await_updates(cancel)
        self._unsent.clear()
        self._ask(
            self._clear,
            ClearWorkingMemory.Request(
                run_id=conversions.run_id_to_message(self.run_id),
                shared_name=self._shared['shared_name'],
            ),
            cancel,
        )

    def _await_updates(self, cancel: CancelToken) -> None:
        """Wait for what is under way, all together as long as for one answer."""
        deadline = time.monotonic() + self._timeout()
        lost = [
            seen
            for update, seen in self._updates
            if wait_for(update, max(0.0, deadline - time.monotonic()), cancel) is None
        ]
        self._updates.clear()
        if lost:
            self._unsent = deque([*lost, *self._unsent], maxlen=_UNSENT_KEPT)
            self._silent_until = time.monotonic() + _REST
