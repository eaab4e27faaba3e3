"""Action servers and clients that lose no answer, whoever comes up or is spun late."""

from __future__ import annotations

import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Generator
from contextlib import suppress
from typing import Any

import rclpy.action
from rclpy.action import CancelResponse, GoalResponse
from rclpy.action.server import RCLError, ServerGoalHandle
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.task import Future

from reactree_core.ros.discovery import ACTION_SERVICES, hearers, is_action_served, requesters


class ActionClient(rclpy.action.ActionClient):
    """rclpy's action client without races: of its lock, the answer to a goal, and states of goals.

    That of rclpy 7 to 9 registers with its node first and makes its lock last: a spinning thread
    that comes between the two dies of the missing lock, and with it every answer to the node.
    That of rclpy 9.1 writes down a goal twice, the second time without its lock: an answer that
    comes between the two goes to a future that nobody has. And states of goals that two threads
    take in at the same time make one of them forget what is forgotten already: the error that it
    raises ends the executor.

    And its server is ready where it has been discovered whole, whatever is left of one before it.

    :param arguments: as rclpy.action.ActionClient takes them.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        self._sending = threading.Lock()
        self._states = threading.Lock()
        # Replaced by the base class; until then no goal can exist that the lock would guard.
        self._lock = threading.Lock()
        super().__init__(*arguments, **options)

    def send_goal_async(self, *arguments: Any, **options: Any) -> Any:
        """Send a goal; as rclpy.action.ActionClient takes it."""
        with self._sending:
            return super().send_goal_async(*arguments, **options)

    def server_is_ready(self) -> bool:
        """Test whether a server takes goals."""
        return super().server_is_ready() or is_action_served(self._node, self._action_name)

    def take_data(self) -> Any:
        """Take answers, but not to what is just being sent."""
        with self._sending:
            return super().take_data()

    async def execute(self, taken_data: Any) -> None:
        """Take in what has come; states of goals one message at a time."""
        states = {name: taken_data.pop(name) for name in ('status',) if name in taken_data}
        await super().execute(taken_data)
        with self._states:  # nothing is waited for meanwhile
            await super().execute(states)


def cancel_if_taken(sent: Future) -> None:
    """Cancel a goal that is accepted after all: nobody waits for it any more.

    :param sent: done; what `send_goal_async` has answered.
    """
    handle = sent.result()
    if handle is not None and handle.accepted:
        handle.cancel_goal_async()


#: Longest wait for a client to be discovered whole, in seconds.
DISCOVERY = 3.0
_PERIOD = 0.02
#: Seconds for which a server keeps a result, where it does not say otherwise.
RESULT_TIMEOUT = 10
#: A result is kept by the clock of the node. Where that is simulated, it may be so many times as
#: fast as others, and a result must outlive the moment until its client asks for it.
FAST_CLOCK = 20
#: Cancels of unknown goals that a server remembers.
_KEPT_CANCELS = 100


class ActionServer(rclpy.action.ActionServer):
    """rclpy's action server, but no answer and no cancel of a goal is lost.

    A client's writers and readers are discovered one by one. Where the reader of an answer is not
    known 0.1 s after its request came, Fast DDS drops the answer, rclpy only warns, and the goal
    is executed for a client that waits for ever. So a goal is considered when its client can hear.

    A server that was held up may be given the cancel of a goal before the goal, since the two come
    in different ways. rclpy then knows no such goal, and executes it later. Here it is rejected.

    rclpy asks whether a goal may be canceled before it says so in the goal's state, and a goal
    that begins in between, in another thread, sees neither. So a cancel is told of afterwards:
    who takes note of a goal and then looks at its state misses none.

    rclpy forgets a result when its time is over, in two steps; a client that asks in between, in
    another thread, ends the executor. Here the one waits for the other.

    :param node: that is spun. :param consider: accepts or rejects a goal.
    :param canceled: called with a goal that is to be canceled, once its state says so.
    :param may_cancel: whether a goal can be; they all can where it is left out.
    :param accepted: takes a goal that is accepted, and has it executed by `begin`.
    :param result_timeout: seconds for which a result is kept; FAST_CLOCK times as many where time
        is simulated.
    :param options: of rclpy.action.ActionServer, with a reentrant callback group.
    """

    def __init__(
        self,
        node: Node,
        kind: Any,
        name: str,
        execute: Callable[..., Any],
        consider: Callable[[Any], GoalResponse],
        canceled: Callable[[ServerGoalHandle], None],
        may_cancel: Callable[[ServerGoalHandle], bool] = lambda handle: True,
        accepted: Callable[[ServerGoalHandle], None] | None = None,
        result_timeout: int = RESULT_TIMEOUT,
        **options: Any,
    ) -> None:
        self._discovering = node
        self._base = f'{node.resolve_service_name(name)}/_action'
        self._timers = ReentrantCallbackGroup()
        self._canceled = canceled
        self._may_cancel = may_cancel
        #: Goals whose cancel came before them.
        self._canceled_before: deque[bytes] = deque(maxlen=_KEPT_CANCELS)
        self._results = threading.Lock()
        self._heard: Counter[bytes] = Counter()
        if node.get_clock().ros_time_is_active:
            result_timeout *= FAST_CLOCK
        super().__init__(
            node,
            kind,
            name,
            execute,
            goal_callback=consider,
            cancel_callback=self._consider_cancel,
            handle_accepted_callback=accepted or begin,
            result_timeout=result_timeout,
            **options,
        )

    async def _execute_goal_request(self, request_header_and_message: Any) -> None:
        deadline = time.monotonic() + DISCOVERY
        while not self._is_heard() and time.monotonic() < deadline:
            await self._pause()
        header, request = request_header_and_message
        if bytes(request.goal_id.uuid) not in self._canceled_before:
            await super()._execute_goal_request(request_header_and_message)
            return
        with suppress(RCLError):  # of a client that has gone
            rejection = self._action_type.Impl.SendGoalService.Response()
            self._handle.send_goal_response(header, rejection)

    async def _execute_cancel_request(self, request_header_and_message: Any) -> None:
        goal_id = bytes(request_header_and_message[1].goal_info.goal_id.uuid)
        if goal_id not in self._goal_handles:
            self._canceled_before.append(goal_id)
        await super()._execute_cancel_request(request_header_and_message)

    def _consider_cancel(self, handle: ServerGoalHandle) -> CancelResponse:
        executor = self._discovering.executor
        if executor is None or not self._may_cancel(handle):
            return CancelResponse.REJECT
        executor.create_task(self._tell_of_cancel, handle)
        return CancelResponse.ACCEPT

    async def _tell_of_cancel(self, handle: ServerGoalHandle) -> None:
        while handle.is_active and not handle.is_cancel_requested:
            await _NextRound()
        if handle.is_active:
            self._canceled(handle)

    async def _execute_expire_goals(self, expired_goals: Any) -> None:
        with self._results:  # nothing is waited for meanwhile
            await super()._execute_expire_goals(expired_goals)

    async def _execute_get_result_request(self, request_header_and_message: Any) -> None:
        with self._results:
            await super()._execute_get_result_request(request_header_and_message)

    def _is_heard(self) -> bool:
        """Whether each participant that asks here has readers for all the answers."""
        node = self._discovering
        asking = requesters(node, f'{self._base}/send_goal')
        for service in ACTION_SERVICES if asking - self._heard else ():
            if asking - hearers(node, f'{self._base}/{service}'):
                return False
        self._heard = asking
        return True

    async def _pause(self) -> None:
        over: Future = Future(executor=self._discovering.executor)
        timer = self._discovering.create_timer(
            _PERIOD,
            lambda: over.done() or over.set_result(None),
            self._timers,
            clock=Clock(clock_type=ClockType.STEADY_TIME),
        )
        await over
        self._discovering.destroy_timer(timer)


def begin(handle: ServerGoalHandle) -> None:
    """Have a goal executed that was accepted.

    Where a cancel comes between rclpy's look at the goal's state and its step, the step cannot be
    done and needs not.
    """
    try:
        handle.execute()
    except RCLError:
        handle.execute()


class _NextRound:
    """Awaited, lets the executor serve others once."""

    def __await__(self) -> Generator[None, None, None]:
        yield
