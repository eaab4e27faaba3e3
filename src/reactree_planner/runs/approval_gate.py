"""The gate before every skill: pause, single step, approval by a person."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import IntEnum

from reactree_core.cancellation import CancelToken
from reactree_core.errors import CanceledError
from reactree_core.permission.rules import BY_MCP

#: How often a waiting gate looks whether its run was canceled, in seconds.
_POLL = 0.05


class ApprovalState(IntEnum):
    """Equal to the STATE_* constants of ApprovalRequest.msg."""

    WAITING = 0
    APPROVED = 1
    REFUSED = 2
    EXPIRED = 3
    WITHDRAWN = 4


@dataclass(frozen=True, slots=True)
class SkillRequest:
    """A skill before it is sent; the fields are those of ApprovalRequest.msg.

    :param goal: of the agent node. :param place: where the robot is. :param room: likewise.
    :param reason: why the skill was chosen. :param task: the run's sentence.
    :param by_mcp: whether it may be approved by MCP.
    """

    run_id: str
    sequence: int
    skill: str
    node_id: int = 0
    goal: str = ''
    place: str = ''
    room: str = ''
    reason: str = ''
    task: str = ''
    by_mcp: bool = field(default=True, kw_only=True)


#: About a request, what has become of it, and the seconds until it expires.
Tell = Callable[[SkillRequest, ApprovalState, float], None]


class Gate:
    """Thread-safe: the run waits in `pass_skill`, services call the rest.

    :param require_approval: asked once for every skill; one that waits goes on waiting.
    :param approval_timeout: seconds until an unanswered request counts as refused.
    :param tell: called when a request begins to wait, and what became of it.
    """

    def __init__(
        self,
        require_approval: Callable[[], bool],
        approval_timeout: Callable[[], float],
        tell: Tell = lambda request, state, seconds: None,
    ) -> None:
        self._require_approval = require_approval
        self._approval_timeout = approval_timeout
        self._tell = tell
        self._condition = threading.Condition()
        self._paused = False
        self._steps = 0
        self._waiting: SkillRequest | None = None
        self._answer: tuple[bool, str, str] | None = None
        #: Who approved the skill that passed last, '' where they gave no name; None: nobody did.
        self.approver: str | None = None

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

    def resolve(
        self,
        run_id: str,
        sequence: int,
        skill: str,
        approve: bool,
        reason: str,
        approver: str = '',
    ) -> tuple[bool, str]:
        """Answer the request that waits: whether the answer counts, and a sentence.

        It counts once, and only for the run, number and skill that wait.

        :param approver: who answers, as they say; '' where they do not.
        """
        with self._condition:
            waiting = self._waiting
            if waiting is None:
                return False, 'No skill waits for approval.'
            if (run_id, sequence, skill) != (waiting.run_id, waiting.sequence, waiting.skill):
                return False, (
                    f'What waits is "{waiting.skill}", number {waiting.sequence} of run '
                    f'{waiting.run_id[:8]}: answer that, with all three.'
                )
            if approve and approver == BY_MCP and not waiting.by_mcp:
                return False, (
                    f'The rules do not take it by MCP that "{skill}" is approved: a person does '
                    'that with `reactree approve`, or in the viewer.'
                )
            if self._answer is not None:
                return False, f'"{skill}" is answered already.'
            self._answer = (approve, reason, approver)
            self._condition.notify_all()
            return True, f'"{skill}" is {"approved" if approve else "refused"}.'

    def pass_skill(
        self, request: SkillRequest, cancel: CancelToken, asks: bool = False
    ) -> str | None:
        """Wait until the skill may run: None, or a sentence why it may not.

        :param asks: whether a rule wants a person to decide, whatever the parameter says.
        :raises CanceledError: the run was stopped while waiting.
        """
        self.approver = None
        stepped = self._wait_while_paused(cancel)
        if not (asks or self._require_approval()):
            return None
        refusal = self._wait_for_approval(request, cancel)
        if refusal is None and not stepped:
            # Paused while it waited: approved, but held back.
            self._wait_while_paused(cancel)
        return refusal

    def _wait_while_paused(self, cancel: CancelToken) -> bool:
        """Wait until skills run; True when one was let through alone."""
        with self._condition:
            while self._paused and not self._steps:
                self._condition.wait(_POLL)
                cancel.check()
            if self._paused:
                self._steps -= 1
            return self._paused

    def _wait_for_approval(self, request: SkillRequest, cancel: CancelToken) -> str | None:
        seconds = self._approval_timeout()
        deadline = time.monotonic() + seconds
        with self._condition:
            self._waiting, self._answer = request, None
        state, reason, approver = ApprovalState.EXPIRED, '', ''
        try:
            self._tell(request, ApprovalState.WAITING, seconds)
            with self._condition:
                answer = self._answer_so_far()
                while answer is None and time.monotonic() < deadline:
                    self._condition.wait(_POLL)
                    cancel.check()
                    answer = self._answer_so_far()
                if answer is not None:
                    approve, reason, approver = answer
                    state = ApprovalState.APPROVED if approve else ApprovalState.REFUSED
        except CanceledError:
            state = ApprovalState.WITHDRAWN
            raise
        finally:
            with self._condition:
                self._waiting = None
            self._tell(request, state, 0.0)
        if state is ApprovalState.APPROVED:
            self.approver = approver
            return None
        if state is ApprovalState.EXPIRED:
            return f'Nobody approved "{request.skill}" in time; it was not done.'
        return f'"{request.skill}" was refused: {reason or "no reason given"}.'

    def _answer_so_far(self) -> tuple[bool, str, str] | None:
        return self._answer
