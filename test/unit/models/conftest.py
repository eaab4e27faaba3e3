"""A small server that speaks like the Hugging Face hub, well or badly."""

from __future__ import annotations

import hashlib
import re
import ssl
import subprocess
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

CONTENT = b'GGUF' + bytes(range(256)) * 5


@dataclass
class Manner:
    """How a server answers every request; a test changes what it needs.

    :param content: of the one file it has.
    :param status: instead of sending it.
    :param headers: sent with every answer, over those that belong there.
    :param leave_out: headers that are not sent.
    :param redirect: address that the file is at instead, of this or another server.
    :param ranges: whether it sends a part when asked for one.
    :param cuts: bytes after which it breaks off, answer by answer; later ones are whole.
    :param more: bytes that are sent beyond the file's end.
    :param hang: whether it is silent after the headers.
    """

    content: bytes = CONTENT
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    leave_out: tuple[str, ...] = ()
    redirect: str = ''
    ranges: bool = True
    cuts: list[int] = field(default_factory=list)
    more: bytes = b''
    hang: bool = False


class HubServer:
    """Listens on this machine and has one file under every path.

    :param certificate: file with a certificate and its key, to speak TLS.
    """

    def __init__(self, certificate: Path | None = None) -> None:
        self.manner = Manner()
        self.paths: list[str] = []
        self.requests: list[dict[str, str]] = []
        self.sent = 0
        self._ending = threading.Event()
        hub = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = 'HTTP/1.1'
            wbufsize = 65536

            def do_GET(self) -> None:
                hub.paths.append(self.path)
                hub.requests.append({name.lower(): value for name, value in self.headers.items()})
                try:
                    hub.serve(self)
                except OSError:
                    pass
                self.close_connection = True

            def log_message(self, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(('127.0.0.1', 0), Handler)
        self._scheme = 'http'
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
            self._scheme = 'https'
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={'poll_interval': 0.02}, daemon=True
        )
        self._thread.start()

    @property
    def url(self) -> str:
        return f'{self._scheme}://127.0.0.1:{self._server.server_port}'

    @property
    def starts(self) -> list[int]:
        """First byte that each request asked for."""
        found = [re.fullmatch(r'bytes=(\d+)-', one.get('range', '')) for one in self.requests]
        return [int(match[1]) if match else 0 for match in found]

    def serve(self, handler: BaseHTTPRequestHandler) -> None:
        manner = self.manner
        status, body = manner.status, b'nothing'
        headers: dict[str, str] = {}
        asked = self.starts[-1] if manner.ranges else 0
        if manner.redirect:
            status = 302
            headers = linked_headers(manner.content) | {'Location': manner.redirect}
        elif status == 200 and asked >= len(manner.content) and asked:
            status = 416
        elif status == 200:
            body = manner.content[asked:]
            headers['ETag'] = linked_headers(manner.content)['X-Linked-Etag']
            if asked:
                status = 206
                last, size = len(manner.content) - 1, len(manner.content)
                headers['Content-Range'] = f'bytes {asked}-{last}/{size}'
        body += manner.more
        headers = {'Content-Length': str(len(body))} | headers | manner.headers
        handler.send_response(status)
        for name, value in headers.items():
            if name not in manner.leave_out:
                handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.flush()
        if manner.hang:
            self._ending.wait(10.0)
            return
        cut = manner.cuts.pop(0) if manner.cuts and status in (200, 206) else len(body)
        handler.wfile.write(body[:cut])
        handler.wfile.flush()
        self.sent += min(cut, len(body)) if status in (200, 206) else 0

    def stop(self) -> None:
        self._ending.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def linked_headers(content: bytes) -> dict[str, str]:
    """What the hub tells of a large file while it redirects to its bytes."""
    digest = hashlib.sha256(content).hexdigest()
    return {'X-Linked-Etag': f'"{digest}"', 'X-Linked-Size': str(len(content))}


@pytest.fixture
def hub_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[HubServer]:
    """Plays huggingface.co."""
    monkeypatch.setenv('NO_PROXY', '127.0.0.1')
    monkeypatch.delenv('HF_TOKEN', raising=False)
    server = HubServer()
    yield server
    server.stop()


@pytest.fixture
def bytes_server() -> Iterator[HubServer]:
    """Plays the server that the hub redirects to for the bytes of large files."""
    server = HubServer()
    # Its tags are no digests of the file, though they look like some.
    server.manner.headers = {'ETag': f'"{"0" * 64}"'}
    yield server
    server.stop()


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """A certificate that nobody signed, with its key, for 127.0.0.1."""
    path = tmp_path / 'certificate.pem'
    command = ['openssl', 'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256']
    command += ['-nodes', '-days', '1', '-subj', '/CN=127.0.0.1', '-keyout', str(path)]
    command += ['-addext', 'subjectAltName=IP:127.0.0.1']
    done = subprocess.run(command, capture_output=True, check=True, timeout=30.0)
    with path.open('ab') as stream:
        stream.write(done.stdout)
    return path


@pytest.fixture
def secure_server(hub_server: HubServer, certificate: Path) -> Iterator[HubServer]:
    """Plays huggingface.co over TLS."""
    server = HubServer(certificate)
    yield server
    server.stop()


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of fetched models."""
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path / 'cache'))
    return tmp_path / 'cache' / 'reactree' / 'models'
