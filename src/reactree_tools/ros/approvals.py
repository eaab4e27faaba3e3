"""Skills that wait for a person: heard from the planner, shown in the terminal, answered."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import ExitStack

from rich.text import Text

from reactree_core.errors import SkillError
from reactree_core.ros import qos
from reactree_core.ros.conversions import run_id_from_message
from reactree_ros.msg import ApprovalRequest
from reactree_ros.srv import ResolveApproval
from reactree_tools.output import Output
from reactree_tools.plain_text import printable
from reactree_tools.ros.session import nobody_there
from reactree_tools.ros.session import Session
from reactree_tools.views.keys import Keys
from reactree_tools.views.transcript import clock

#: Seconds for the planner to take an answer.
ANSWER_SECONDS = 5.0
#: Seconds for a planner to be discovered.
FIND_SECONDS = 8.0
#: Longest reason of a refusal, in characters.
_LONGEST_REASON = 500
_SERVICE = 'planner/resolve_approval'


class Approvals:
    """What waits at a planner, and the way to answer it.

    :param run_id: only requests of this run; '' for any.
    """

    def __init__(self, session: Session, run_id: str = '') -> None:
        self._session = session
        self._run_id = run_id
        self._newest: ApprovalRequest | None = None
        self._client = session.node.create_client(ResolveApproval, _SERVICE)
        session.node.create_subscription(
            ApprovalRequest, 'planner/approvals', self._on_request, qos.latched()
        )

    def _on_request(self, message: ApprovalRequest) -> None:
        if not self._run_id or run_id_from_message(message.run_id) == self._run_id:
            self._newest = message

    def find(self) -> None:
        """Wait until the planner is there. :raises SkillError: there is none."""
        if not self._client.wait_for_service(FIND_SECONDS):
            raise SkillError(nobody_there('planner', self._session))

    @property
    def heard(self) -> bool:
        """Whether the planner has told of any request."""
        return self._newest is not None

    @property
    def waiting(self) -> ApprovalRequest | None:
        """What waits for an answer now."""
        newest = self._newest
        if newest is None or newest.state != ApprovalRequest.STATE_WAITING:
            return None
        return newest if self.seconds_left(newest) > 0 else None

    @property
    def waiting_skill(self) -> str:
        """Its skill; '' while nothing waits."""
        waiting = self.waiting
        return waiting.skill if waiting is not None else ''

    def seconds_left(self, request: ApprovalRequest) -> float:
        """Until a request counts as refused."""
        now = self._session.node.get_clock().now().nanoseconds * 1e-9
        return request.deadline.sec + request.deadline.nanosec * 1e-9 - now

    def answer(self, request: ApprovalRequest, approve: bool, reason: str = '') -> str:
        """Approve or refuse a request: the planner's sentence.

        :raises SkillError: it does not answer, or takes no answer to this request any more.
        """
        answer = self._session.call(
            ResolveApproval,
            _SERVICE,
            ResolveApproval.Request(
                run_id=request.run_id,
                sequence=request.sequence,
                skill=request.skill,
                approve=approve,
                reason=reason[:_LONGEST_REASON],
            ),
            'planner',
            ANSWER_SECONDS,
            ANSWER_SECONDS,
        )
        if not answer.accepted:
            raise SkillError(printable(answer.message))
        return printable(answer.message)


def request_lines(request: ApprovalRequest, left: float, output: Output) -> list[Text]:
    """What waits, where and why, and how long it may."""
    glyphs = output.glyphs
    head = Text(f'{glyphs.warning} waits for approval: ', style='bold yellow')
    head.append(printable(request.skill), style='bold')
    where = ' in '.join(part for part in (request.place, request.room) if part)
    if request.place == request.room:
        where = request.place
    lines = [head]
    for name, text in (
        ('where', where),
        ('why', request.reason),
        ('goal', request.goal),
        ('task', request.task if request.task != request.goal else ''),
        ('left', f'{clock(left)}, then it counts as refused'),
    ):
        if text:
            lines.append(Text(f'  {name:<6}', style='dim').append(printable(text), style='none'))
    return lines


class ApprovalDesk:
    """Shows what waits and takes y or n, while a run is followed; `tick` never blocks.

    Keys are read only while something waits, so the terminal is otherwise as it was.
    """

    def __init__(
        self,
        approvals: Approvals,
        output: Output,
        ask: bool,
        hold: Callable[[bool], None] = lambda held: None,
    ) -> None:
        """:param ask: whether keys may be read; else the command that answers is named.
        :param hold: has what moves on the terminal keep still, and move again.
        """
        self._hold = hold
        self._approvals = approvals
        self._output = output
        self._ask = ask and sys.stdin.isatty()
        self._shown: ApprovalRequest | None = None
        self._typing: str | None = None
        self._open = ExitStack()
        self._keys: Keys | None = None

    @property
    def busy(self) -> bool:
        """Whether a question is on the screen: nothing else should be written there."""
        return self._keys is not None

    def close(self) -> None:
        """Give the terminal back."""
        self._open.close()
        self._keys = None
        self._hold(False)

    def tick(self) -> None:
        """Look for a request, and for keys that answer it."""
        waiting = self._approvals.waiting
        if self._shown is not None and (waiting is None or waiting is not self._shown):
            self._drop()
        if waiting is None:
            return
        if self._shown is None:
            self._show(waiting)
        if self._keys is not None:
            for key in self._keys.wait(0.0):
                if self._shown is not None:
                    self._take(waiting, key)

    def _drop(self) -> None:
        if self._keys is not None:
            self._output.console.print('\n  answered elsewhere, or not in time')
        self._shown, self._typing = None, None
        self.close()

    def _show(self, waiting: ApprovalRequest) -> None:
        self._shown = waiting
        self._hold(self._ask)
        console = self._output.console if self._ask else self._output.error_console
        for line in request_lines(waiting, self._approvals.seconds_left(waiting), self._output):
            console.print(line, soft_wrap=True)
        if not self._ask:
            console.print('  answer with `reactree approve --yes`, or --no "reason"')
            return
        self._keys = self._open.enter_context(Keys())
        self._write('  do it? y or n: ')

    def _write(self, text: str) -> None:
        self._output.console.print(Text(text), end='', soft_wrap=True)
        self._output.console.file.flush()

    def _take(self, waiting: ApprovalRequest, key: str) -> None:
        if self._typing is None:
            if key in ('y', 'Y'):
                self._write('y\n')
                self._send(waiting, True)
            elif key in ('n', 'N'):
                self._typing = ''
                self._write('n\n  why not? (Enter ends; may be empty) ')
            return
        if key in ('\n', '\r'):
            self._write('\n')
            self._send(waiting, False, self._typing)
        elif key in ('\x7f', '\b'):
            if self._typing:
                self._typing = self._typing[:-1]
                self._output.console.file.write('\b \b')
                self._output.console.file.flush()
        elif len(key) == 1 or key == 'space':
            letter = ' ' if key == 'space' else key
            if letter.isprintable() and len(self._typing) < _LONGEST_REASON:
                self._typing += letter
                self._write(letter)

    def _send(self, waiting: ApprovalRequest, approve: bool, reason: str = '') -> None:
        self.close()
        try:
            self._output.console.print(f'  {self._approvals.answer(waiting, approve, reason)}')
        except SkillError as error:
            self._output.warn(str(error))
        # Shown once: what becomes of it is told by the planner.
        self._typing = None
