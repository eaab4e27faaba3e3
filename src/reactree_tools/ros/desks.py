"""What waits at a planner for a person: heard of, shown in the terminal, answered by keys."""

from __future__ import annotations

import getpass
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from typing import Any, Generic, TypeVar

from rich.text import Text

from reactree_core.errors import SkillError
from reactree_core.ros import qos
from reactree_core.ros.conversions import run_id_from_message
from reactree_core.ros.deadlines import waits_until
from reactree_core.ros.discovery import is_served
from reactree_tools.output import Output
from reactree_tools.plain_text import printable
from reactree_tools.processes.interrupts import Interrupts
from reactree_tools.ros.session import Session
from reactree_tools.views.keys import Keys

#: Seconds for the planner to take an answer.
ANSWER_SECONDS = 5.0
#: Seconds for a planner to be discovered.
FIND_SECONDS = 8.0
#: Seconds for what is open to be heard of once it is there.
_HEAR_SECONDS = 2.0

Message = TypeVar('Message')


def who() -> str:
    """Who answers at this terminal, for the record; nobody checks it."""
    try:
        return f'terminal of {getpass.getuser()}'
    except (KeyError, OSError):
        return 'terminal'


class Requests(Generic[Message]):
    """The newest request on a latched topic of a planner, and the way to answer it.

    :param kind: of the messages; has fields `run_id`, `state`, `header` and `deadline`.
    :param topic: their topic. :param waits: the state of a request that waits.
    :param service_type: of the service that answers. :param service: its name.
    :param run_id: only requests of this run; '' for any.
    """

    def __init__(
        self,
        session: Session,
        kind: type[Message],
        topic: str,
        waits: int,
        service_type: Any,
        service: str,
        run_id: str = '',
    ) -> None:
        self._session = session
        self._waits = waits
        self._service_type, self._service = service_type, service
        self._run_id = run_id
        #: What the planner told last; None before anything.
        self.newest: Any = None
        self._waits_until = 0.0
        self._client = session.node.create_client(service_type, service)
        session.node.create_subscription(kind, topic, self._on_request, qos.latched())

    def _on_request(self, message: Any, info: Mapping[str, int]) -> None:
        if not self._run_id or run_id_from_message(message.run_id) == self._run_id:
            self._waits_until = waits_until(message, info)
            self.newest = message

    def find(self) -> None:
        """Wait until the planner is there. :raises SkillError: there is none."""
        self._session.find(self._is_there, 'planner', FIND_SECONDS)

    def _is_there(self) -> bool:
        return is_served(self._session.node, self._client)

    @property
    def heard(self) -> bool:
        """Whether the planner has reported any request."""
        return self.newest is not None

    def hear(self, interrupts: Interrupts) -> bool:
        """Give what is open the time to be heard of; False where Ctrl-C came first."""
        deadline = time.monotonic() + _HEAR_SECONDS
        while not self.heard and time.monotonic() < deadline:
            if interrupts.wait(0.05):
                return False
        return True

    @property
    def waiting(self) -> Message | None:
        """What waits for an answer now: a planner that is there says when it does no longer."""
        newest = self.newest
        waits = newest is not None and newest.state == self._waits
        return newest if waits and self._is_there() else None

    @property
    def seconds_left(self) -> float:
        """Until the newest request is no longer waited for."""
        return max(0.0, self._waits_until - time.monotonic())

    def send(self, request: Any) -> str:
        """Answer: the planner's sentence.

        :raises SkillError: it does not answer, or does not take this.
        """
        answer = self._session.call(
            self._service_type, self._service, request, 'planner', ANSWER_SECONDS, ANSWER_SECONDS
        )
        if not answer.accepted:
            raise SkillError(printable(answer.message))
        return printable(answer.message)


class Desk(ABC, Generic[Message]):
    """Shows what waits and takes keys that answer it, while a run is followed.

    `tick` never blocks. Keys are read only while something waits, so the terminal is otherwise as
    it was.
    """

    def __init__(
        self,
        requests: Requests[Message],
        output: Output,
        ask: bool,
        hold: Callable[[bool], None] = lambda held: None,
    ) -> None:
        """:param ask: whether keys may be read; else the command that answers is named.
        :param hold: has what moves on the terminal keep still, and move again.
        """
        self._hold = hold
        self._requests = requests
        self._output = output
        self._ask = ask and sys.stdin.isatty()
        self._shown: Message | None = None
        self._open = ExitStack()
        self._keys: Keys | None = None

    @property
    def busy(self) -> bool:
        """Whether a question is on the screen: nothing else should be written there."""
        return self._keys is not None

    @property
    def waits(self) -> bool:
        """Whether a request is there that is answered by keys."""
        return self._ask and self._requests.waiting is not None

    def close(self) -> None:
        """Give the terminal back."""
        self._open.close()
        self._keys = None
        self._hold(False)

    def tick(self) -> None:
        """Look for a request, and for keys that answer it."""
        waiting = self._requests.waiting
        if self._shown is not None and waiting is not self._shown:
            if self._keys is not None:
                self._output.console.print(f'\n  {self.ended()}', soft_wrap=True)
            self._shown = None
            self.close()
        if waiting is None:
            return
        if self._shown is None:
            self._shown = waiting
            self._show(waiting)
        for key in self._keys.wait(0.0) if self._keys is not None else ():
            if self._keys is not None:
                self.take(waiting, key)
        if self._keys is not None:
            self.refresh(waiting)

    def serve(self, interrupts: Interrupts) -> bool:
        """Have what waits now answered; False where Ctrl-C came first."""
        try:
            self.tick()
            while self.busy:
                if interrupts.wait(0.05):
                    return False
                self.tick()
        finally:
            self.close()
        return True

    def _show(self, waiting: Message) -> None:
        self._hold(self._ask)
        console = self._output.console if self._ask else self._output.error_console
        for line in self.lines(waiting):
            console.print(line, soft_wrap=True)
        if not self._ask:
            console.print(f'  {self.elsewhere}')
            return
        self._keys = self._open.enter_context(Keys())
        self.begin(waiting)

    def write(self, text: str) -> None:
        """Show what was typed, or what is asked, without an end of line."""
        self._output.console.file.write(text)
        self._output.console.file.flush()

    #: How to answer from elsewhere.
    elsewhere = ''

    def ended(self) -> str:
        """What became of what was asked, where it was not answered here."""
        return 'answered elsewhere, or not in time'

    @abstractmethod
    def lines(self, request: Message) -> Sequence[Text]:
        """What waits, and how long."""

    @abstractmethod
    def begin(self, request: Message) -> None:
        """Ask for the first key."""

    @abstractmethod
    def take(self, request: Message, key: str) -> None:
        """A key was pressed."""

    def refresh(self, request: Message) -> None:
        """Time went by."""
