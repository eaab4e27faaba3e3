"""An executor of several threads that neither turns for nothing nor forgets who waits."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any
from weakref import WeakSet

from rclpy.context import Context
from rclpy.executors import MultiThreadedExecutor
from rclpy.guard_condition import GuardCondition
from rclpy.subscription import Subscription
from rclpy.task import Task


class PooledExecutor(MultiThreadedExecutor):
    """rclpy's executor of several threads without two faults of rclpy 7 to 9.

    *It turns for nothing.* A subscription is left out of the wait until a thread has taken its
    message, but its events (liveliness, other qualities: every subscription has some) are not,
    and Fast DDS ends a wait for them at once while a message lies there. The thread that waits
    then goes round and round, some milliseconds for each message, and keeps Python's lock from
    the thread that is to take it.

    *It forgets who waits.* A coroutine is left out of a round while another thread looks whether
    it can go on. If what it awaits is done in this moment, it goes on when something else wakes
    the executor.

    :param threads: 2 or more.
    """

    _guard: GuardCondition | None

    def __init__(self, threads: int, *, context: Context | None = None) -> None:
        super().__init__(threads, context=context)
        self._late_events: WeakSet[Any] = WeakSet()
        if self._guard is not None:
            self._guard.destroy()
        self._guard = self._wakes = _Wakes(None, None, self._context)
        self._executor = _Pool(threads, self._wakes)

    def can_execute(self, entity: Any) -> bool:
        """Whether it is waited for; of a node, subscriptions are asked about before events."""
        free = super().can_execute(entity)
        if isinstance(entity, Subscription):
            change = self._late_events.difference_update if free else self._late_events.update
            change(entity.event_handlers)
        return free and entity not in self._late_events


class _Wakes(GuardCondition):
    """What wakes the executor, and whether it was."""

    newest: object = None

    def trigger(self) -> None:
        """Wake it for something new."""
        self.newest = object()
        super().trigger()

    def repeat(self) -> None:
        """Wake it for what somebody may have missed."""
        super().trigger()


class _Pool(ThreadPoolExecutor):
    def __init__(self, threads: int, wakes: _Wakes) -> None:
        super().__init__(threads)
        self._wakes = wakes

    def submit(self, task: Task[Any]) -> Future[None]:  # type: ignore[override]
        """Let a thread take a task on."""
        return super().submit(self._go_on, task)

    def _go_on(self, task: Task[Any]) -> None:
        before = self._wakes.newest
        task()
        if not task.done() and self._wakes.newest is not before:
            self._wakes.repeat()
