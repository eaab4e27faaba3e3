"""The gate before every skill: pause, single step, approval by a person."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from reactree_core.cancellation import CancelToken
from reactree_planner.tree.events import Decision

#: How often a waiting gate looks whether its run was canceled, in seconds.
_POLL = 0.05


class Gate:
    """Thread-safe: the run waits in `pass_skill`, services call the rest.

    :param require_approval: asked once for every skill; one that waits goes on waiting.
    :param approval_timeout: seconds until an unanswered request counts as refused.
    :param ask: told of a decision that waits for approval.
    """

    def __init__(
        self,
        require_approval: Callable[[], bool],
        approval_timeout: Callable[[], float],
        ask: Callable[[Decision], None] = lambda decision: None,
    ) -> None:
        self._require_approval = require_approval
        self._approval_timeout = approval_timeout
        self._ask = ask
        self._condition = threading.Condition()
        self._paused = False
        self._steps = 0
        self._waiting: int | None = None
        self._answer: tuple[bool, str] | None = None

    @property
    def paused(self) -> bool:
        """Whether skills wait."""
        return self._paused

    def pause(self, paused: bool) -> None:
        """Hold skills back, or let them go on."""
        with self._condition:
            self._paused = paused
            self._steps = 0
            self._condition.notify_all()

    def step(self) -> bool:
        """Let one skill through while paused; False when not paused."""
        with self._condition:
            if not self._paused:
                return False
            self._steps += 1
            self._condition.notify_all()
            return True

    def resolve(self, sequence: int, approve: bool, reason: str) -> bool:
        """Answer a request for approval; False when no such request waits."""
        with self._condition:
            if self._waiting != sequence:
                return False
            self._answer = (approve, reason)
            self._condition.notify_all()
            return True

    def pass_skill(self, decision: Decision, cancel: CancelToken) -> str | None:
        """Wait until the skill may run: None, or a sentence why it may not.

        :raises CanceledError: the run was stopped while waiting.
        """
        with self._condition:
            while self._paused and not self._steps:
                self._condition.wait(_POLL)
                cancel.check()
            if self._paused:
                self._steps -= 1
        if not self._require_approval():
            return None
        return self._wait_for_approval(decision, cancel)

    def _wait_for_approval(self, decision: Decision, cancel: CancelToken) -> str | None:
        with self._condition:
            self._waiting, self._answer = decision.sequence, None
        self._ask(decision)
        deadline = time.monotonic() + self._approval_timeout()
        with self._condition:
            try:
                answer = self._answer_so_far()
                while answer is None:
                    if time.monotonic() >= deadline:
                        return f'Nobody approved "{decision.skill}" in time; it was not done.'
                    self._condition.wait(_POLL)
                    cancel.check()
                    answer = self._answer_so_far()
            finally:
                self._waiting = None
        approve, reason = answer
        if approve:
            return None
        return f'"{decision.skill}" was refused: {reason or "no reason given"}.'

    def _answer_so_far(self) -> tuple[bool, str] | None:
        return self._answer
