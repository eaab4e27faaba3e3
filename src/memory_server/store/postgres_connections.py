"""Two connections to a PostgreSQL server, opened when needed, with a deadline for everything."""

from __future__ import annotations

import importlib
import os
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar
from urllib.parse import unquote

from reactree_core.errors import ConfigurationError, MemoryStoreError

Result = TypeVar('Result')

#: First letters of SQLSTATE codes and what to do about them.
_ADVICE = {
    '28': 'check the user, and the password in PGPASSWORD or ~/.pgpass',
    '3D': 'make the database or correct its name in the parameter store_path',
    '25006': 'the server takes no writes: give the address of the primary',
    '42501': 'ask whoever runs the database for the rights on its tables, or for the extension',
    '53100': 'the disk of the server is full: free some space there',
    '53': 'the server is out of resources: look at it',
    '55P03': 'another process has been writing for too long',
    '57014': 'the server took too long: look at it',
    '22021': 'the server keeps no such text',
    '22P05': 'the server keeps no such text',
}
# What is acknowledged is on a disk, whatever the server does by default.
_ON_DISK = (
    "SELECT set_config('synchronous_commit', 'on', false) "
    "WHERE current_setting('synchronous_commit') = 'off'"
)
#: Time of a call, in times that of a statement: the server's own limits come first.
_WHOLE_CALL = 1.5
_OTHER_ADVICE = 'see the error'
_UNREACHABLE = 'check the address, that the server runs, and the network'


class PostgresConnections:
    """Gives a connection that writes and one that reads, one user at a time each.

    A connection that broke is opened anew by the next call, so that a restart of the server costs
    no more than the calls that ran into it.

    :param address: 'postgresql://user@host/database', without a password.
    :param patience: seconds, over 0, for connecting, for waiting for another writer and for one
        statement; half as much again for all statements of a call.
    :raises ConfigurationError: the address holds a password, or psycopg is not installed.
    """

    def __init__(self, address: str, patience: float) -> None:
        self.location = check_address(address)
        try:
            self._psycopg: Any = importlib.import_module('psycopg')
        except ImportError as error:
            raise ConfigurationError(
                'a store on PostgreSQL needs psycopg: pip install -r requirements/postgresql.txt'
            ) from error
        self._patience = patience
        self._reader = _Slot()
        self._writer = _Slot()

    def read(self, doing: str, work: Callable[[Any], Result]) -> Result:
        """Do something that changes nothing; tried once more when the connection had broken.

        :param doing: for errors: 'cannot <doing> the store ...'.
        :raises MemoryStoreError: it failed, or took too long.
        """
        with self._held(self._reader, doing), self._translated(doing):
            try:
                return self._run(self._reader, work)
            except self._psycopg.OperationalError:
                if not self._broken_before(self._reader):
                    raise
                return self._run(self._reader, work)

    def write(self, doing: str, work: Callable[[Any], Result]) -> Result:
        """A transaction: on the server's disk when this returns, undone when `work` raises.

        :param doing: as of `read`.
        :raises MemoryStoreError: it failed, or took too long; when the connection breaks at the
            very end nobody knows whether it was done, and doing it again is safe.
        """

        def transaction(connection: Any) -> Result:
            with connection.transaction():
                result = work(connection)
                ending.set()
            return result

        ending = threading.Event()
        with self._held(self._writer, doing), self._translated(doing):
            try:
                return self._run(self._writer, transaction)
            except self._psycopg.OperationalError:
                # Nothing was done as long as nothing was to be committed.
                if ending.is_set() or not self._broken_before(self._writer):
                    raise
                return self._run(self._writer, transaction)

    def go_on(self) -> None:
        """For a `work` that writes in many parts: each of them has the time of a whole call.

        Called by `work` between two parts, so that what grows with the store can be finished.
        """
        if self._writer.deadline is not None:
            self._writer.deadline.restart()

    def close(self) -> None:
        """Let go of the server."""
        for slot in (self._reader, self._writer):
            with slot.lock:
                slot.close()

    @contextmanager
    def _held(self, slot: _Slot, doing: str) -> Iterator[None]:
        seconds = self._patience * _WHOLE_CALL
        if not slot.lock.acquire(timeout=seconds):
            raise MemoryStoreError(
                f'cannot {doing} the store {self.location}: other calls have kept it busy for '
                f'{seconds:g} s; try again later, or look at the server'
            )
        try:
            yield
        finally:
            slot.lock.release()

    def _run(self, slot: _Slot, work: Callable[[Any], Result]) -> Result:
        connection = slot.connection
        slot.reused = connection is not None and not connection.closed
        if not slot.reused:
            slot.connection = connection = self._connect()
        with _Deadline(connection, self._patience * _WHOLE_CALL) as deadline:
            slot.deadline = deadline
            try:
                if not slot.reused:
                    connection.execute(_ON_DISK)
                return work(connection)
            except self._psycopg.OperationalError as error:
                if deadline.passed:
                    slot.reused = False  # not again
                    raise MemoryStoreError(
                        f'the server of the store {self.location} gave no answer within '
                        f'{deadline.seconds:g} s: {_UNREACHABLE}'
                    ) from error
                raise
            finally:
                slot.deadline = None

    def _broken_before(self, slot: _Slot) -> bool:
        return slot.reused and slot.connection is not None and bool(slot.connection.closed)

    def _connect(self) -> Any:
        milliseconds = round(self._patience * 1000)
        parts = self._psycopg.conninfo.conninfo_to_dict(self.location)
        asked = parts.get('options') or os.environ.get('PGOPTIONS', '')
        return self._psycopg.connect(
            self.location,
            autocommit=True,
            connect_timeout=max(2, round(self._patience)),
            application_name='reactree_memory',
            tcp_user_timeout=milliseconds,
            keepalives_idle=10,
            options=f'{asked} -c statement_timeout={milliseconds} -c lock_timeout={milliseconds} '
            '-c client_encoding=UTF8',
        )

    @contextmanager
    def _translated(self, doing: str) -> Iterator[None]:
        try:
            yield
        except self._psycopg.Error as error:
            code = error.sqlstate or ''
            advice = next(
                (text for start, text in _ADVICE.items() if code.startswith(start)),
                _OTHER_ADVICE if code else _UNREACHABLE,
            )
            said = ' '.join(str(error).split()) or type(error).__name__
            raise MemoryStoreError(
                f'cannot {doing} the store {self.location}: {said}; {advice}'
            ) from error


class _Slot:
    """A connection, who may use it, and whether it was there before the present call."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.connection: Any = None
        self.reused = False
        self.deadline: _Deadline | None = None

    def close(self) -> None:
        if self.connection is not None:
            self.connection.close()
            self.connection = None


class _Deadline:
    """Cuts the connection when the block takes longer: a frozen server never answers.

    :param seconds: for the block, or since the last `restart`.
    """

    def __init__(self, connection: Any, seconds: float) -> None:
        self.seconds = seconds
        self.passed = False
        self._handle = os.dup(connection.fileno())
        self._done = threading.Event()
        self._end = 0.0
        self._watch = threading.Thread(target=self._cut_when_late, daemon=True)

    def __enter__(self) -> _Deadline:
        self.restart()
        self._watch.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._watch.join()
        os.close(self._handle)

    def restart(self) -> None:
        """The time begins anew."""
        self._end = time.monotonic() + self.seconds

    def _cut_when_late(self) -> None:
        while (left := self._end - time.monotonic()) > 0.0:
            if self._done.wait(left):
                return
        self.passed = True
        with socket.socket(fileno=os.dup(self._handle)) as line:
            try:
                line.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass  # it is down already


SCHEMES = ('postgresql://', 'postgres://')
_SECRETS = frozenset({'password', 'sslpassword'})


def is_address(store_path: str) -> bool:
    """Whether a store path is the address of a database and no file."""
    return store_path.lower().startswith(SCHEMES)


def check_address(address: str) -> str:
    """The address as it is, when it holds no secret: parameters and addresses end up in logs.

    :raises ConfigurationError: it holds a password, which the message does not repeat.
    """
    # As libpq reads it, which is not how URLs are read elsewhere, and stricter: a password may
    # hold any character, whether it was escaped or not.
    said = address.partition('://')[2]
    try:
        unquote(said, errors='strict')
    except UnicodeDecodeError:
        raise ConfigurationError(
            'the address of the store has a %-escape that is no UTF-8 text: write letters as they '
            'are, and a % as %25'
        ) from None
    names = {unquote(part.partition('=')[0]).strip().lower() for part in re.split('[?&]', said)}
    if ':' in said.rpartition('@')[0] or names & _SECRETS:
        raise ConfigurationError(
            'the address of the store holds a password, and addresses end up in logs: take it out '
            'and put the password into the environment variable PGPASSWORD, the file ~/.pgpass, '
            'or a service file (postgresql:///?service=NAME); write any other @ as %40'
        )
    return address
