"""Skills that wait for a person: heard from the planner, shown in the terminal, answered."""

from __future__ import annotations

from rich.text import Text

from reactree_core.errors import SkillError
from reactree_ros.msg import ApprovalRequest
from reactree_ros.srv import ResolveApproval
from reactree_tools.output import Output
from reactree_tools.plain_text import printable
from reactree_tools.ros.desks import Desk, Requests, who
from reactree_tools.ros.session import Session
from reactree_tools.views.keys import TypedLine
from reactree_tools.views.transcript import clock

#: Longest reason of a refusal, in characters.
_LONGEST_REASON = 500


class Approvals(Requests[ApprovalRequest]):
    """Skills that wait at a planner, and the way to approve or refuse them.

    :param run_id: only requests of this run; '' for any.
    """

    def __init__(self, session: Session, run_id: str = '') -> None:
        super().__init__(
            session,
            ApprovalRequest,
            'planner/approvals',
            ApprovalRequest.STATE_WAITING,
            ResolveApproval,
            'planner/resolve_approval',
            run_id,
        )

    @property
    def waiting_skill(self) -> str:
        """The skill that waits; '' while nothing does."""
        waiting = self.waiting
        return waiting.skill if waiting is not None else ''

    def answer(
        self, request: ApprovalRequest, approve: bool, reason: str = '', approver: str = ''
    ) -> str:
        """Approve or refuse a request: the planner's sentence.

        :param approver: who answers; '' for the user of this terminal.

        :raises SkillError: it does not answer, or takes no answer to this request any more.
        """
        return self.send(
            ResolveApproval.Request(
                run_id=request.run_id,
                sequence=request.sequence,
                skill=request.skill,
                approve=approve,
                reason=reason[:_LONGEST_REASON],
                approver=approver or who(),
            )
        )


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


class ApprovalDesk(Desk[ApprovalRequest]):
    """Takes y, or n and a reason, for the skill that waits."""

    elsewhere = 'answer with `reactree approve --yes`, or --no "reason"'
    _requests: Approvals
    _reason: TypedLine | None = None

    def lines(self, request: ApprovalRequest) -> list[Text]:
        """What waits."""
        return request_lines(request, self._requests.seconds_left, self._output)

    def begin(self, request: ApprovalRequest) -> None:
        """Ask for y or n."""
        self._reason = None
        self.write('  do it? y or n: ')

    def take(self, request: ApprovalRequest, key: str) -> None:
        """A key: y, n, or one of the reason."""
        if self._reason is not None:
            if self._reason.take(key):
                self._send(request, False, self._reason.text)
        elif key in ('y', 'Y'):
            self.write('y\n')
            self._send(request, True)
        elif key in ('n', 'N'):
            self._reason = TypedLine(self.write, _LONGEST_REASON)
            self.write('n\n  why not? (Enter ends; may be empty) ')

    def _send(self, waiting: ApprovalRequest, approve: bool, reason: str = '') -> None:
        # Shown once: what becomes of it is given by the planner.
        self.close()
        try:
            self._output.console.print(f'  {self._requests.answer(waiting, approve, reason)}')
        except SkillError as error:
            self._output.warn(str(error))
