"""The stand-in as a process, spoken to by hand: no client is needed."""

from __future__ import annotations

import json
import os
import signal
import struct
import subprocess
import sys
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from queue import Queue

import pytest

from sim_bridge.worlds.thor.stand_in.launcher import executable

OPTIONS = ('--made-up', '--failures', 'none', '--frames', 'plain')
UNITY = ('-screen-fullscreen', '0', '-screen-quality', '4', '-screen-width', '64',
         '-screen-height', '48')  # fmt: skip
#: Seconds.
DEADLINE = 20.0


@contextmanager
def started(folder, environment, options=()):
    """The program, as the client starts it."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith('AI2THOR_')}
    process = subprocess.Popen(
        [str(executable(folder, (*OPTIONS, *options))), *UNITY],
        env={**clean, **environment},
        stderr=subprocess.PIPE,
    )
    killer = threading.Timer(DEADLINE, process.kill)
    killer.start()
    try:
        yield process
    finally:
        killer.cancel()
        process.kill()
        process.communicate()


class PipeClient:
    """The client's side of FIFO."""

    def __init__(self, folder):
        self._out, self._into = folder / 'server.pipe', folder / 'client.pipe'
        for path in (self._out, self._into):
            os.mkfifo(path)
        self.environment = {
            'AI2THOR_SERVER_TYPE': 'FIFO',
            'AI2THOR_FIFO_SERVER_PIPE_PATH': str(self._out),
            'AI2THOR_FIFO_CLIENT_PIPE_PATH': str(self._into),
        }

    def open(self):
        self.reader = self._out.open('rb')

    def event(self):
        """Records by type until the end of a message; {} when the program has ended."""
        found = {}
        while header := self.reader.read(5):
            kind, length = struct.unpack('>BI', header)
            if kind == 255:
                assert length == 0
                return found
            found[kind] = self.reader.read(length)
        return {}

    def send(self, data):
        if not hasattr(self, 'writer'):
            self.writer = self._into.open('wb', buffering=0)
        self.writer.write(data)

    def act(self, action):
        body = json.dumps(action).encode()
        self.send(struct.pack('>BI', 2, len(body)) + body + struct.pack('>BI', 255, 0))


@pytest.fixture
def pipes(tmp_path):
    return PipeClient(tmp_path)


def read(event):
    import msgpack

    return msgpack.loads(event[1], raw=False, strict_map_key=False)


def test_the_program_speaks_first_and_answers_each_action_over_pipes(pipes, tmp_path):
    with started(tmp_path, pipes.environment) as process:
        pipes.open()
        first = read(pipes.event())
        assert first['sequenceId'] == 0 and first['agents'][0]['lastAction'] == ''
        pipes.act({'action': 'Reset', 'sceneName': 'FloorPlan1_physics', 'sequenceId': 0})
        assert read(pipes.event())['agents'][0]['objects']
        # A record in many pieces is one record.
        body = b'{"action": "RotateRight", "sequenceId": 7}'
        for byte in struct.pack('>BI', 2, len(body)) + body + struct.pack('>BI', 255, 0):
            pipes.send(bytes([byte]))
        event = pipes.event()
        told = read(event)
        assert told['sequenceId'] == 7 and told['agents'][0]['lastActionSuccess']
        assert len(event[4]) == 64 * 48 * 3
        pipes.act({})
        assert process.wait(DEADLINE) == 0


@pytest.mark.parametrize(
    ('data', 'status', 'words'),
    [
        (b'', 0, b''),
        (b'\x02\x00\x00\x00\x09{"act', 1, b'in the middle of a record'),
        (b'\x02\x00\x00\x00\x03{"a\xff\x00\x00\x00\x00', 1, b'no JSON'),
        (b'\x02\x00\x00\x00\x02[]\xff\x00\x00\x00\x00', 1, b'no table'),
        (b'\xff\x00\x00\x00\x00', 1, b'no action'),
        (b'\x02\xff\xff\xff\xff', 1, b'too large'),
    ],
)
def test_what_is_no_action_ends_the_program_with_a_sentence(pipes, tmp_path, data, status, words):
    with started(tmp_path, pipes.environment) as process:
        pipes.open()
        assert pipes.event()
        pipes.send(data)
        pipes.writer.close()
        assert process.wait(DEADLINE) == status
        said = process.stderr.read()
        assert words in said and b'Traceback' not in said


def test_it_dies_or_hangs_when_it_is_told_to(pipes, tmp_path):
    with started(tmp_path, pipes.environment, ('--die-after', '2')) as process:
        pipes.open()
        assert pipes.event()
        pipes.act({'action': 'Pass', 'sequenceId': 1})
        assert pipes.event()
        pipes.act({'action': 'Pass', 'sequenceId': 2})
        assert pipes.event() == {}
        assert process.wait(DEADLINE) == 70


def test_it_hangs_when_it_is_told_to_until_it_is_ended(pipes, tmp_path):
    with started(tmp_path, pipes.environment, ('--hang-after', '1')) as process:
        pipes.open()
        assert pipes.event()
        pipes.act({'action': 'Pass', 'sequenceId': 1})
        answered = threading.Event()
        reader = threading.Thread(target=lambda: pipes.event() and answered.set(), daemon=True)
        reader.start()
        assert not answered.wait(0.5) and process.poll() is None
        process.send_signal(signal.SIGTERM)
        assert process.wait(DEADLINE) == -signal.SIGTERM
        reader.join(DEADLINE)


def test_it_ends_with_a_client_that_was_killed(pipes, tmp_path):
    program = executable(tmp_path, OPTIONS)
    text = (
        'import subprocess, sys\n'
        f'p = subprocess.Popen([{str(program)!r}])\n'
        'print(p.pid, flush=True)\n'
        'sys.stdin.read()\n'
    )
    with subprocess.Popen(
        [sys.executable, '-c', text],
        env={**os.environ, **pipes.environment},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as client:
        number = int(client.stdout.readline())
        pipes.open()
        assert pipes.event()
        client.kill()
        client.wait(DEADLINE)
    # Its end of the pipe closes only when it has ended.
    ended = threading.Event()
    threading.Thread(target=lambda: (pipes.event(), ended.set()), daemon=True).start()
    try:
        assert ended.wait(DEADLINE)
    finally:
        if not ended.is_set():
            os.kill(number, signal.SIGKILL)


@contextmanager
def http_client():
    """The client's side of HTTP: what is posted, and what is answered."""
    posted, answers = Queue(), Queue()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = 'HTTP/1.1'

        def do_POST(self):
            body = self.rfile.read(int(self.headers['Content-Length']))
            posted.put((self.path, self.headers['Content-Type'], body))
            status, answer = answers.get(timeout=DEADLINE)
            self.send_response(status)
            self.send_header('Content-Length', str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_):
            pass

    server = HTTPServer(('127.0.0.1', 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server.server_port, posted, answers
    finally:
        server.shutdown()
        server.server_close()
        thread.join(DEADLINE)


def parts(kind, body):
    """Fields of a form, by their names; all have the two headers that the client reads."""
    boundary = kind.partition('boundary=')[2].encode()
    # 2.1.0 looks for an end of line before the first boundary.
    assert body.startswith(b'\r\n--' + boundary)
    found = {}
    for part in body.split(b'\r\n--' + boundary)[1:-1]:
        head, _, content = part.partition(b'\r\n\r\n')
        assert b'Content-disposition: form-data' in head and b'Content-Type: ' in head
        found[head.partition(b'name="')[2].partition(b'"')[0].decode()] = content
    return found


@pytest.mark.parametrize('server_type', ['WSGI', None])
def test_events_are_posted_and_replies_are_actions(tmp_path, server_type):
    with http_client() as (port, posted, answers):
        environment = {
            'AI2THOR_HOST': '127.0.0.1',
            'AI2THOR_PORT': str(port),
            'AI2THOR_CLIENT_TOKEN': 'secret',
            **({'AI2THOR_SERVER_TYPE': server_type} if server_type else {}),
        }
        with started(tmp_path, environment) as process:
            path, kind, body = posted.get(timeout=DEADLINE)
            fields = parts(kind, body)
            assert path == '/train' and fields['token'] == b'secret'
            assert json.loads(fields['metadata'])['sequenceId'] == 0
            answers.put((200, b'{"action": "Initialize", "renderDepthImage": true,'
                              b' "sequenceId": 3}'))  # fmt: skip
            fields = parts(*posted.get(timeout=DEADLINE)[1:])
            told = json.loads(fields['metadata'])
            assert told['sequenceId'] == 3 and told['agents'][0]['lastAction'] == 'Initialize'
            # 2.1.0 reads depth from three bytes a pixel, 5.0.0 from four.
            assert len(fields['image_depth']) == 64 * 48 * (4 if server_type else 3)
            answers.put((200, b'{"sequenceId": 4}'))
            assert process.wait(DEADLINE) == 0


def test_a_client_that_refuses_the_token_is_told(tmp_path):
    with http_client() as (port, posted, answers):
        environment = {'AI2THOR_HOST': '127.0.0.1', 'AI2THOR_PORT': str(port)}
        with started(tmp_path, environment) as process:
            posted.get(timeout=DEADLINE)
            answers.put((403, b''))
            assert process.wait(DEADLINE) == 1
            assert b'status 403' in process.stderr.read()


@pytest.mark.parametrize(
    ('environment', 'words'),
    [
        ({}, b'reactree thor-stand-in PATH'),
        ({'AI2THOR_SERVER_TYPE': 'FIFO'}, b'AI2THOR_FIFO_SERVER_PIPE_PATH is not set'),
        ({'AI2THOR_PORT': '70000'}, b'is no port'),
        ({'AI2THOR_SERVER_TYPE': 'CARRIER_PIGEON', 'AI2THOR_PORT': '1'}, b'no client'),
    ],
)
def test_an_environment_that_no_client_made_is_told(tmp_path, environment, words):
    with started(tmp_path, environment) as process:
        assert process.wait(DEADLINE) == 1
        said = process.stderr.read()
        assert words in said and b'Traceback' not in said


def test_a_size_that_no_frame_has_is_told(tmp_path):
    file = executable(tmp_path, OPTIONS)
    ended = subprocess.run(
        [str(file), '-screen-width', '9000'], capture_output=True, timeout=DEADLINE, check=False
    )
    assert ended.returncode == 1 and b'pixels a side' in ended.stderr
