"""Faults of a model server, and whether each ends by its deadline in the right sentence.

Every run has a server of its own in this process and a fresh `OpenAiServerModel`. The server is
well at first; then it has one fault, at the first contact or later at a choice or a text. A run is
good when the model raises the expected class of error by its deadline, with the expected sentence
and the server's address in it. When all runs are over, no thread and no socket may be left.

Run: python -m benchmarks.http_faults [--runs N] [--at-once N]
"""

from __future__ import annotations

import argparse
import json
import re
import socket
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from reactree_core.cancellation import CancelToken
from reactree_core.errors import ModelError, PromptTooLongError, ReactreeError
from reactree_planner.llm.openai_server.connection import RequestRefused
from reactree_planner.llm.openai_server.model import OpenAiServerModel

CONNECT_TIMEOUT, READ_TIMEOUT, TOTAL_TIMEOUT = 0.5, 0.5, 1.5
#: Seconds that a busy machine may add to a deadline.
GRACE = 0.5
#: Seconds until threads and sockets that are being closed count as left.
SETTLING = 5.0
LARGEST_ANSWER = 1024**2
HUGE = 10 * 1024**2
OPTIONS = ('go to fridge 1', 'go to sink 1')
FIRST_CONTACT, CHOICE, TEXT = 'first contact', 'choice', 'text'
MOMENTS = (FIRST_CONTACT, CHOICE, TEXT)
WELL = {
    '/v1/models': {'data': [{'id': 'tiny', 'owned_by': 'llamacpp'}]},
    '/props': {'default_generation_settings': {'n_ctx': 2048}, 'build_info': 'b1'},
}


@dataclass(frozen=True)
class Fault:
    """One thing that goes wrong.

    :param error: class that is raised, exactly.
    :param says: pattern of its sentence.
    """

    name: str
    error: type[ReactreeError]
    says: str


FAULTS = (
    Fault('refuse', ModelError, r'cannot be reached: .*start the server.*2 tries'),
    Fault('hang', ModelError, r'silent for 0\.5 s: .*raise request_timeout'),
    Fault('slow drip', ModelError, r'no answer within 1\.5 s, .*: raise request_timeout'),
    Fault(
        '429 with Retry-After',
        RequestRefused,
        r'HTTP 429.*(\(2 tries\)|in (1|60) s, past the time limit of 1\.5 s)',
    ),
    Fault('503', RequestRefused, r'HTTP 503, it says: Loading model.*\(2 tries\)'),
    Fault('truncated JSON', ModelError, r'no valid JSON: .*the base URL is usually'),
    Fault('HTML with 200', ModelError, r'a web page: .*the base URL is usually'),
    Fault('10 MB answer', ModelError, r'more than 1048576 bytes: .*check the address'),
    Fault('lies about its context', PromptTooLongError, r'HTTP 400.*no room for this prompt'),
)


@dataclass(frozen=True)
class Outcome:
    """How a run ended, and after how many seconds."""

    error: BaseException | None
    seconds: float
    address: str

    def right(self, fault: Fault) -> bool:
        """Whether it is the error that belongs to the fault."""
        sentence = str(self.error)
        return (
            type(self.error) is fault.error
            and re.search(fault.says, sentence) is not None
            and self.address in sentence
            and sentence.isprintable()
        )


class FaultyServer(ThreadingHTTPServer):
    """A server that is well until it is told to have its fault.

    :param retry_after: seconds that a 429 asks for. :param port: 0 for any.
    """

    allow_reuse_port = True
    daemon_threads = False

    def __init__(self, fault: str, retry_after: int, port: int = 0) -> None:
        self.fault = fault
        self.retry_after = retry_after
        self.faulty = threading.Event()
        self.ending = threading.Event()
        # Bound but not listening: keeps the port refusing when the server no longer listens.
        self._place = socket.socket()
        self._place.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        self._place.bind(('127.0.0.1', port))
        super().__init__(self._place.getsockname(), Handler)
        self.url = f'http://127.0.0.1:{self.server_port}'
        self._thread = threading.Thread(target=self.serve_forever, args=(0.02,))
        self._thread.start()

    def begin_fault(self) -> None:
        """From now on nothing is well."""
        self.faulty.set()
        if self.fault == 'refuse':
            self._end()

    def stop(self) -> None:
        """End every thread and close every socket."""
        self._end()
        self._place.close()

    def _end(self) -> None:
        self.ending.set()
        self.shutdown()
        self._thread.join()
        self.server_close()


class Handler(BaseHTTPRequestHandler):
    """Answers one request of one connection."""

    server: FaultyServer
    disable_nagle_algorithm = True
    timeout = 5.0

    def do_GET(self) -> None:
        """Answer."""
        self.rfile.read(int(self.headers.get('Content-Length') or 0))
        try:
            if self.server.faulty.is_set():
                self._misbehave()
            else:
                known = self.path in WELL
                self._send(200 if known else 404, json.dumps(WELL.get(self.path, {})).encode())
        except OSError:
            # The client has gone, as it should.
            return

    do_POST = do_GET

    def log_message(self, *args: object) -> None:
        """Say nothing."""

    def _send(self, status: int, body: bytes, more: Mapping[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in ({'Content-Length': str(len(body))} | dict(more or {})).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def _misbehave(self) -> None:
        fault = self.server.fault
        if fault == 'hang':
            self.server.ending.wait()
        elif fault == 'slow drip':
            self._send(200, b'', {'Content-Length': '1000000'})
            while not self.server.ending.wait(0.05):
                self.wfile.write(b' ')
        elif fault == '429 with Retry-After':
            self._send(429, b'{}', {'Retry-After': str(self.server.retry_after)})
        elif fault == '503':
            self._send(503, b'{"error": {"message": "Loading model"}}')
        elif fault == 'lies about its context':
            self._send(400, b'{"error": {"type": "exceed_context_size_error", "message": "no"}}')
        elif fault == 'truncated JSON':
            self._send(200, b'{"choices": [{"text": "go to')
        elif fault == 'HTML with 200':
            self._send(200, b'<!DOCTYPE html><html>Welcome</html>', {'Content-Type': 'text/html'})
        else:
            self._send(200, b'"' + b'x' * (HUGE - 2) + b'"')


def run(fault: Fault, number: int) -> Outcome:
    """One run; its number says at which moment the fault comes."""
    moment = MOMENTS[number % len(MOMENTS)]
    server = FaultyServer(fault.name, retry_after=(1, 60)[number % 2])
    model = OpenAiServerModel(
        server.url,
        connect_timeout=CONNECT_TIMEOUT,
        read_timeout=READ_TIMEOUT,
        total_timeout=TOTAL_TIMEOUT,
        max_retries=1,
        first_pause=0.05,
        max_answer_bytes=LARGEST_ANSWER,
    )
    try:
        session = None if moment == FIRST_CONTACT else model.session(CancelToken(), 'Act: ')
        server.begin_fault()
        began = time.perf_counter()
        error: BaseException | None = None
        try:
            if session is None:
                model.session(CancelToken())
            elif moment == CHOICE:
                session.select(OPTIONS)
            else:
                session.generate()
        except Exception as caught:  # noqa: BLE001 - any other error is what is looked for
            error = caught
        return Outcome(error, time.perf_counter() - began, server.url)
    finally:
        model.close()
        server.stop()


def open_sockets() -> int:
    """Sockets of this process."""
    count = 0
    for descriptor in Path('/proc/self/fd').iterdir():
        try:
            count += str(descriptor.readlink()).startswith('socket:')
        except FileNotFoundError:
            continue
    return count


def left_over(threads: set[threading.Thread], sockets: int) -> tuple[list[str], int]:
    """Names of new threads and number of new sockets, when what is closing has closed."""
    deadline = time.monotonic() + SETTLING
    while True:
        names = [thread.name for thread in set(threading.enumerate()) - threads]
        more = open_sockets() - sockets
        if not (names or more) or time.monotonic() > deadline:
            return names, more
        time.sleep(0.02)


def report(fault: Fault, outcomes: Sequence[Outcome]) -> bool:
    """Print one line of the table, and what was wrong; whether all was right."""
    in_time = sum(outcome.seconds <= TOTAL_TIMEOUT + GRACE for outcome in outcomes)
    wrong = [outcome.error for outcome in outcomes if not outcome.right(fault)]
    longest = max(outcome.seconds for outcome in outcomes)
    right = len(outcomes) - len(wrong)
    print(f'{fault.name:<22}{len(outcomes):>5}{in_time:>19}{right:>13}{longest:>17.2f}')
    for error in wrong[:3]:
        print(f'    wrong: {type(error).__name__}: {error}')
    return in_time == right == len(outcomes)


def main() -> int:
    """Run every fault, print the table, and tell in the exit status whether all was right."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--runs', type=int, default=25, help='runs of each fault (25)')
    parser.add_argument('--at-once', type=int, default=8, help='runs at the same time (8)')
    arguments = parser.parse_args()
    threads, sockets = set(threading.enumerate()), open_sockets()
    print(f'deadline {TOTAL_TIMEOUT:g} s, and {GRACE:g} s for a busy machine')
    print('fault                  runs  ended by deadline  right error  longest seconds')
    good = True
    with ThreadPoolExecutor(arguments.at_once) as pool:
        for fault in FAULTS:
            runs = [pool.submit(run, fault, number) for number in range(arguments.runs)]
            good &= report(fault, [future.result() for future in runs])
    names, more = left_over(threads, sockets)
    print(f'threads left: {len(names)} {" ".join(names)}'.rstrip() + f', sockets left: {more}')
    return 0 if good and not names and not more else 1


if __name__ == '__main__':
    sys.exit(main())
