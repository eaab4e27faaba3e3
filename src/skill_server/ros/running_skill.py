"""A skill that runs: its waits, and what may end them early."""

from __future__ import annotations

import math
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from typing import Any

from rclpy.action.server import ServerGoalHandle
from rclpy.callback_groups import CallbackGroup
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.task import Future as RosFuture
from rclpy.timer import Timer

from reactree_core.observation import Outcome
from reactree_ros.action import ExecuteSkill
from skill_server.quick_answers import settled

#: Time between two looks whether a wait is over, s.
_POLL_PERIOD = 0.1


class RunningSkill:
    """Waits of one skill, as coroutines of the executor; a cancel or its time limit ends them.

    Time is that of the node's clock when it is simulated, else steady. A simulated clock may stand
    still: how long an end is waited for does not go by it. Where it jumps back, waits go on from
    what had passed.

    :param handle: its goal.
    :param group: for timers; reentrant.
    :param limit: seconds from now until it counts as TIMED_OUT; 0 for no limit.
    :param look: looks whether the emergency stop was pressed, and then has this skill stop.
    """

    def __init__(
        self,
        node: Node,
        handle: ServerGoalHandle,
        group: CallbackGroup,
        limit: float,
        look: Callable[[], None] = lambda: None,
    ) -> None:
        self.handle = handle
        self._look = look
        #: CANCELED or TIMED_OUT once it is to end early.
        self.stopped: Outcome | None = None
        self.cancel_requested = False
        #: Whether its result is made.
        self.over = False
        #: What ends it, where no client does.
        self.ended_by = 'the end of the bridge'
        self._node = node
        self._group = group
        self._simulated = node.get_clock().ros_time_is_active
        #: What a simulated clock told last, and how far it has jumped back since the begin, s.
        self._told = -math.inf
        self._jumped_back = 0.0
        self._began = self._now()
        self._limit = limit
        self._timers: list[Timer] = []
        self._wake = RosFuture()
        self._polls = False

    @property
    def ending(self) -> str:
        """Why it ends early, as the end of a sentence about it."""
        if self.stopped is Outcome.TIMED_OUT:
            return 'ran out of time'
        return 'was canceled' if self.cancel_requested else f'was stopped by {self.ended_by}'

    def tell(self, status: str, completion: float) -> None:
        """Publish feedback. :param completion: 0..1; negative when unknown."""
        if self.handle.is_active:
            feedback = ExecuteSkill.Feedback(status=status, completion=completion)
            self.handle.publish_feedback(feedback)

    def stop(self, outcome: Outcome) -> None:
        """End its waits early; the first reason stays. May be called from any thread."""
        if self.stopped is None:
            self.stopped = outcome
        self._notify()

    def may_move(self) -> bool:
        """Look, before something is sent that moves, whether the skill is to end instead.

        A process that was suspended may have missed that the emergency stop was pressed.
        """
        self._look()
        return self.stopped is None

    def cancel(self) -> None:
        """End its waits because its client asked for it."""
        self.cancel_requested = True
        self.stop(Outcome.CANCELED)

    def close(self) -> None:
        """Give its timers back: nothing waits any more."""
        self.over = True
        while self._timers:
            self._node.destroy_timer(self._timers.pop())

    async def pause(
        self, seconds: float, period: float, tell: Callable[[float], None]
    ) -> Outcome | None:
        """Wait until this time has passed since its begin.

        :param seconds: 0 for no wait.
        :param tell: called now and every `period` seconds with the part that has passed, 0..1.
        :return: why it is to end early, or None.
        """
        if seconds > 0.0:
            self._watch_limit()
            self._every(seconds, self._notify)
            self._every(period, lambda: tell(min(1.0, self._elapsed() / seconds)))
            tell(0.0)
        while self._elapsed() < seconds and self.stopped is None:
            await self._woken()
        return self.stopped

    async def rest(
        self, seconds: float, period: float, look: Callable[[float], Awaitable[bool]]
    ) -> bool:
        """Wait for a time from now, or until something is seen; it costs nothing meanwhile.

        :param seconds: longest wait.
        :param look: asked now, every `period` seconds and after every `wake`, with the part of
            the time that has passed, 0..1; ends the wait when it says so.
        :return: whether it did.
        """
        self._watch_limit()
        begin = self._now()
        before = len(self._timers)
        self._every(seconds, self._notify)
        self._every(min(period, seconds), self._notify)
        own = self._timers[before:]
        try:
            while self.stopped is None:
                passed = self._now() - begin
                if await look(min(1.0, passed / seconds)):
                    return True
                if passed >= seconds:
                    return False
                await self._woken()
        finally:
            for timer in own:
                if timer in self._timers:
                    self._timers.remove(timer)
                    self._node.destroy_timer(timer)
        return False

    def wake(self) -> None:
        """Have a `rest` look now. May be called from any thread."""
        self._notify()

    async def finish(self, answer: Future[Any]) -> Outcome | None:
        """Wait until the world has answered.

        :return: why it is to end before that, or None.
        """
        if not settled(answer):
            await self.wait_for(answer)
        return None if answer.done() else self.stopped

    async def wait_for(
        self,
        answer: Future[Any] | RosFuture,
        seconds: float = 0.0,
        after_all: bool = False,
        hopeless: Callable[[], bool] | None = None,
    ) -> bool:
        """Wait until something is answered, the skill is to end early, or time is over.

        :param seconds: longest wait, about; 0 for no limit of its own.
        :param after_all: wait although the skill is to end early; by a steady clock.
        :param hopeless: asked every now and then; ends the wait when it says so.
        :return: whether it is answered.
        """
        if answer.done():
            return True
        answer.add_done_callback(lambda _: self._notify())
        self._watch_limit()
        now = time.monotonic if after_all else self._now
        end = now() + seconds if seconds > 0.0 else math.inf
        if seconds > 0.0 or hopeless is not None:
            self._poll()
        while not answer.done() and now() < end and (after_all or self.stopped is None):
            if hopeless is not None and hopeless():
                break
            await self._woken()
        return bool(answer.done())

    def _now(self) -> float:
        if not self._simulated:
            return time.monotonic()
        seconds = float(self._node.get_clock().now().nanoseconds * 1e-9)
        # A jump back is no time to be waited for once more.
        self._jumped_back += max(0.0, self._told - seconds) if math.isfinite(self._told) else 0.0
        self._told = seconds
        return seconds + self._jumped_back

    def _elapsed(self) -> float:
        return self._now() - self._began

    def _watch_limit(self) -> None:
        if self._limit > 0.0:
            rest = max(0.001, self._limit - self._elapsed())
            self._every(rest, lambda: self.stop(Outcome.TIMED_OUT))
            self._limit = 0.0

    def _poll(self) -> None:
        """Look often from now on whether a wait is over."""
        if not self._polls:
            self._polls = True
            self._every(_POLL_PERIOD, self._notify, Clock(clock_type=ClockType.STEADY_TIME))

    def _every(
        self, seconds: float, callback: Callable[[], None], clock: Clock | None = None
    ) -> None:
        if clock is None and not self._simulated:
            clock = Clock(clock_type=ClockType.STEADY_TIME)
        timer = self._node.create_timer(seconds, callback, self._group, clock=clock)
        self._timers.append(timer)

    def _notify(self) -> None:
        self._wake.set_result(None)
        if self._node.executor is not None:
            self._node.executor.wake()

    async def _woken(self) -> None:
        await self._wake
        # What set it did its work before, so the caller's next check sees it.
        self._wake = RosFuture()
