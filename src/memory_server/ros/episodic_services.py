"""Experiences over ROS: retrieve and store."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any, TypeVar

from rclpy.callback_groups import CallbackGroup, MutuallyExclusiveCallbackGroup
from rclpy.node import Node

from memory_server.episodic.episodic_memory import EpisodicMemory, Intake
from memory_server.episodic.retrieval import choose_reranker, Variant
from memory_server.ros.statistics import Statistics
from memory_server.store.experience_store import TEXTS
from reactree_core.errors import ConfigurationError, MemoryStoreError
from reactree_core.experience import Experience, ExperienceQuery, Termination
from reactree_core.ros.conversions import experience_from_message, experience_to_message
from reactree_ros.msg import Experience as ExperienceMessage
from reactree_ros.srv import RetrieveExperiences, StoreExperiences

#: Most tokens of all experiences in an answer, where a request gives no budget.
_TOKEN_BUDGET = 1000

Answer = TypeVar('Answer', RetrieveExperiences.Response, StoreExperiences.Response)

#: Threads of an executor that the two services may take together.
EPISODIC_THREADS = 3


class EpisodicServices:
    """Answers `~/retrieve_experiences` and `~/store_experiences`.

    Calls that wait for a slow server never take all threads: EPISODIC_THREADS at most.

    :param enter: gives the memory; raises MemoryStoreError where it cannot be used now.
    """

    def __init__(
        self, node: Node, enter: Callable[[], EpisodicMemory], statistics: Statistics
    ) -> None:
        self._node = node
        self._enter = enter
        self._statistics = statistics
        self._intake = Intake()
        self._troubles: dict[type, str] = {}
        node.create_service(
            RetrieveExperiences,
            '~/retrieve_experiences',
            self._retrieve,
            callback_group=AtMost(EPISODIC_THREADS - 1),
        )
        # One at a time: a call with many experiences then takes one thread, never all of them.
        node.create_service(
            StoreExperiences,
            '~/store_experiences',
            self._store,
            callback_group=MutuallyExclusiveCallbackGroup(),
        )

    @property
    def troubles(self) -> tuple[str, ...]:
        """Why the newest retrieval failed, and the newest storing; without those that did not."""
        return tuple(self._troubles.copy().values())

    def _retrieve(
        self, request: RetrieveExperiences.Request, response: RetrieveExperiences.Response
    ) -> RetrieveExperiences.Response:
        begin = time.perf_counter()

        def work(memory: EpisodicMemory) -> None:
            query = ExperienceQuery(
                request.goal,
                request.limit,
                request.token_budget or _TOKEN_BUDGET,
                request.seed,
                request.observation,
                request.task_type,
                request.planner,
                request.domain,
                request.unit,
            )
            found = memory.retrieve(query, self._variant())
            response.experiences = [experience_to_message(experience) for experience in found]
            self._statistics.retrieved(len(found), time.perf_counter() - begin)

        return self._answer(response, work)

    def _store(
        self, request: StoreExperiences.Request, response: StoreExperiences.Response
    ) -> StoreExperiences.Response:
        def work(memory: EpisodicMemory) -> None:
            experiences = [_read(message) for message in request.experiences]
            result = memory.store(experiences, self._admit)
            response.stored, response.known = result.stored, result.known
            self._statistics.stored(result.stored)

        return self._answer(response, work)

    def _admit(self, new: int, kept: int) -> None:
        most, rate = self._node.get_parameters(['store_limit_count', 'store_rate'])
        self._intake.admit(new, kept, most.value, rate.value)

    def _variant(self) -> Variant:
        def value(name: str) -> Any:
            return self._node.get_parameter(name).value

        return Variant(
            value('retrieval_unit'),
            (Termination.SUCCESS, Termination.EXPAND) if value('success_only') else (),
            value('duplicate_similarity'),
            choose_reranker(value('reranker')),
        )

    def _answer(self, response: Answer, work: Callable[[EpisodicMemory], None]) -> Answer:
        try:
            self._work(type(response), self._enter(), work)
        except ConfigurationError as error:
            response.error_code = type(response).ERROR_INVALID_REQUEST
            response.error_msg = str(error)
        except MemoryStoreError as error:
            response.error_code = type(response).ERROR_STORE
            response.error_msg = str(error)
            self._node.get_logger().error(str(error), throttle_duration_sec=10.0)
        if response.error_code:
            self._statistics.failed()
        return response

    def _work(
        self, kind: type, memory: EpisodicMemory, work: Callable[[EpisodicMemory], None]
    ) -> None:
        try:
            work(memory)
        except MemoryStoreError as error:
            self._troubles[kind] = str(error)
            raise
        self._troubles.pop(kind, None)


def _read(message: ExperienceMessage) -> Experience:
    """An experience as it came, or nothing: a shortened example would mislead for ever.

    :raises ConfigurationError: it cannot be stored as it is.
    """
    try:
        experience = experience_from_message(message)
    except MemoryStoreError as error:
        raise ConfigurationError(str(error)) from error
    for name in TEXTS:
        if getattr(experience, name) != getattr(message, name):
            raise ConfigurationError(
                f'the {name} of an experience is too long or no plain text: shorten it'
            )
    return experience


class AtMost(CallbackGroup):
    """Lets so many callbacks run at once; further requests wait in the middleware, not in threads.

    :param most: 1 or more.
    """

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most = most
        self._running = 0
        self._lock = threading.Lock()

    def can_execute(self, entity: Any) -> bool:
        """Whether one more may run."""
        with self._lock:
            return self._running < self._most

    def beginning_execution(self, entity: Any) -> bool:
        """Take a place, where there is one."""
        with self._lock:
            if self._running >= self._most:
                return False
            self._running += 1
            return True

    def ending_execution(self, entity: Any) -> None:
        """Give the place back."""
        with self._lock:
            self._running -= 1
