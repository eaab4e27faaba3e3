"""The memory node as a port. A memory that is gone answers empty and is reported once."""

from __future__ import annotations

import time
from collections.abc import Callable
from collections.abc import Sequence
from typing import Any

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.client import Client
from rclpy.node import Node

from reactree_core.cancellation import CancelToken
from reactree_core.experience import Experience
from reactree_core.observation import Observation
from reactree_core.ros import conversions
from reactree_planner.ros.waiting import wait_for
from reactree_ros.srv import ClearWorkingMemory
from reactree_ros.srv import RecallObject
from reactree_ros.srv import RetrieveExperiences
from reactree_ros.srv import StoreExperiences
from reactree_ros.srv import UpdateWorkingMemory

#: Seconds during which a memory that did not answer is not asked again.
_REST = 10.0


class RosMemory:
    """Client of the memory node (port `Memory`).

    Calls `memory/retrieve_experiences`, `memory/store_experiences`,
    `memory/update_working_memory`, `memory/recall_object`, `memory/clear_working_memory`.

    :param timeout: seconds to wait for an answer. :param notice: told what went wrong.
    :param shared_name: working memory shared with other robots; '' for the run's own.
    :param robot: who this is there.
    """

    def __init__(
        self,
        node: Node,
        timeout: float,
        notice: Callable[[str], None],
        enabled: bool = True,
        shared_name: str = '',
        robot: str = '',
    ) -> None:
        self._shared = {'shared_name': shared_name, 'robot': robot if shared_name else ''}
        self._timeout = timeout
        self._notice = notice
        self._enabled = enabled
        self._silent_until = 0.0
        self._updates: list[Any] = []
        self.run_id = ''
        group = ReentrantCallbackGroup()

        def client(kind: Any, name: str) -> Client:
            return node.create_client(kind, f'memory/{name}', callback_group=group)

        self._retrieve = client(RetrieveExperiences, 'retrieve_experiences')
        self._store = client(StoreExperiences, 'store_experiences')
        self._update = client(UpdateWorkingMemory, 'update_working_memory')
        self._recall = client(RecallObject, 'recall_object')
        self._clear = client(ClearWorkingMemory, 'clear_working_memory')

    def wait_until_there(self, timeout: float, cancel: CancelToken) -> bool:
        """Whether a memory node answers within `timeout` seconds."""
        if not self._enabled:
            return False
        deadline = time.monotonic() + timeout
        while not self._retrieve.service_is_ready():
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
                answer = wait_for(client.call_async(request), self._timeout, cancel)
                if answer is not None:
                    return answer
            self._silent_until = time.monotonic() + _REST
        self._notice('The memory node does not answer; planning goes on without it.')
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
    ) -> tuple[Experience, ...]:
        """Experiences nearest to a goal; empty when the memory is gone."""
        request = RetrieveExperiences.Request(
            goal=conversions.bounded(goal),
            observation=conversions.bounded(observation),
            token_budget=token_budget or 1_000_000,
            limit=limit,
            seed=seed,
            planner=planner,
        )
        answer = self._ask(self._retrieve, request, cancel)
        if answer is None:
            return ()
        if answer.error_code != RetrieveExperiences.Response.ERROR_NONE:
            self._notice(f'The memory gave no examples: {answer.error_msg}')
            return ()
        return tuple(conversions.experience_from_message(found) for found in answer.experiences)

    def store(self, experiences: Sequence[Experience], cancel: CancelToken) -> None:
        """Keep experiences."""
        request = StoreExperiences.Request(
            experiences=[conversions.experience_to_message(kept) for kept in experiences]
        )
        answer = self._ask(self._store, request, cancel)
        if answer is not None and answer.error_code != StoreExperiences.Response.ERROR_NONE:
            self._notice(f'The memory kept nothing of this run: {answer.error_msg}')

    def update_working(self, observation: Observation) -> None:
        """Send what was seen; the answer is awaited no sooner than the next recall."""
        if (
            not self._enabled
            or time.monotonic() < self._silent_until
            or not self._update.service_is_ready()
        ):
            return
        self._updates = [update for update in self._updates if not update.done()][-64:]
        self._updates.append(
            self._update.call_async(
                UpdateWorkingMemory.Request(
                    run_id=conversions.run_id_to_message(self.run_id),
                    **self._shared,
                    observation=conversions.observation_to_message(observation, self.run_id),
                )
            )
        )

    def recall(self, object_class: str, cancel: CancelToken) -> str:
        """Sentence about where things of a class were seen; '' when the memory is gone."""
        self._await_updates(cancel)
        answer = self._ask(
            self._recall,
            RecallObject.Request(
                run_id=conversions.run_id_to_message(self.run_id),
                **self._shared,
                object_class=conversions.bounded(object_class),
            ),
            cancel,
        )
        return str(answer.text) if answer is not None else ''

    def forget(self, cancel: CancelToken) -> None:
        """Have what the run has seen forgotten."""
        self._await_updates(cancel)
        self._ask(
            self._clear,
            ClearWorkingMemory.Request(
                run_id=conversions.run_id_to_message(self.run_id),
                shared_name=self._shared['shared_name'],
            ),
            cancel,
        )

    def _await_updates(self, cancel: CancelToken) -> None:
        for update in self._updates:
            wait_for(update, self._timeout, cancel)
        self._updates.clear()
