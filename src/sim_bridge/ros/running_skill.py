"""A skill that runs: its waits, and what may end them early."""

from __future__ import annotations

import time
from collections.abc import Callable
from collections.abc import Generator
from concurrent.futures import Future
from typing import Any

from rclpy.action.server import ServerGoalHandle
from rclpy.callback_groups import CallbackGroup
from rclpy.clock import Clock
from rclpy.clock import ClockType
from rclpy.node import Node
from rclpy.task import Future as RosFuture
from rclpy.timer import Timer

from reactree_core.observation import Outcome
from sim_bridge.ros.served_world import QUICK
from sim_bridge.world_thread import settled


class RunningSkill:
    """Waits of one skill, as coroutines of the executor; a cancel or its time limit ends them.

    Time is that of the node's clock when it is simulated, else steady.

    :param handle: its goal.
    :param group: for timers; reentrant.
    :param limit: seconds from now until it counts as TIMED_OUT; 0 for no limit.
    """

    def __init__(
        self, node: Node, handle: ServerGoalHandle, group: CallbackGroup, limit: float
    ) -> None:
        self.handle = handle
        #: CANCELED or TIMED_OUT once it is to end early.
        self.stopped: Outcome | None = None
        self.cancel_requested = False
        #: What of the bridge ends it, where no client does.
        self.ended_by = 'end'
        self._node = node
        self._group = group
        self._simulated = node.get_clock().ros_time_is_active
        self._began = self._now()
        self._limit = limit
        self._timers: list[Timer] = []
        self._wake = RosFuture()

    def stop(self, outcome: Outcome) -> None:
        """End its waits early; the first reason stays. May be called from any thread."""
        if self.stopped is None:
            self.stopped = outcome
        self._notify()

    def cancel(self) -> None:
        """End its waits because its client asked for it."""
        self.cancel_requested = True
        self.stop(Outcome.CANCELED)

    def close(self) -> None:
        """Give its timers back."""
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

    async def finish(self, answer: Future[Any]) -> Outcome | None:
        """Wait until the world has answered.

        :return: why it is to end before that, or None.
        """
        if not settled(answer, QUICK):
            answer.add_done_callback(lambda _: self._notify())
            self._watch_limit()
        while not answer.done() and self.stopped is None:
            await self._woken()
        return None if answer.done() else self.stopped

    async def canceling(self) -> None:
        """Wait until the goal is in the state that a cancel request has put it into.

        The request's callback stops the skill just before; in another thread of a multi-threaded
        executor that can be noticed too early.
        """
        while not self.handle.is_cancel_requested:
            await _NextRound()

    def _now(self) -> float:
        if self._simulated:
            return float(self._node.get_clock().now().nanoseconds * 1e-9)
        return time.monotonic()

    def _elapsed(self) -> float:
        return self._now() - self._began

    def _watch_limit(self) -> None:
        if self._limit > 0.0:
            rest = max(0.001, self._limit - self._elapsed())
            self._every(rest, lambda: self.stop(Outcome.TIMED_OUT))
            self._limit = 0.0

    def _every(self, seconds: float, callback: Callable[[], None]) -> None:
        clock = (
            self._node.get_clock() if self._simulated else Clock(clock_type=ClockType.STEADY_TIME)
        )
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


class _NextRound:
    """Awaited, lets the executor serve others once."""

    def __await__(self) -> Generator[None, None, None]:
        yield
