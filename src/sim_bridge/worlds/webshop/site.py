"""The shop as web pages for a person: the same world, skills and score as for a planner.

Every click is a skill of `WebShopWorld`, sent by a form. Pages hold no scripts, and only this
machine is answered.
"""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from http.cookies import CookieError, SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import resources
from socket import socket
from typing import Any
from urllib.parse import parse_qs

from reactree_core.errors import ConfigurationError
from sim_bridge.worlds.webshop.site_html import document, shop_page
from sim_bridge.worlds.webshop.world import WebShopWorld

#: People who shop at once; whoever has been away for the longest begins anew.
MOST_SESSIONS = 200
#: Requests that are answered at once.
_MOST_REQUESTS = 64
#: Bytes of a form, and its fields.
_LARGEST_FORM, _MOST_FIELDS = 4096, 8
#: Seconds that a connection may bring nothing.
_PATIENCE = 10.0
_HEADERS = {
    'Content-Security-Policy': (
        "default-src 'none'; style-src 'self'; img-src data:; form-action 'self'; "
        "base-uri 'none'; frame-ancestors 'none'"
    ),
    'X-Content-Type-Options': 'nosniff',
    # With no-referrer, browsers would not say whose form it is.
    'Referrer-Policy': 'same-origin',
    'Cache-Control': 'no-store',
}
_HTML = 'text/html; charset=utf-8'


@dataclass
class _Session:
    """One person's shopping. :param note: what is said of the last click, where it failed."""

    world: WebShopWorld
    turn: int = 0
    note: str = ''


class ShopSite:
    """What is shown and done, for each session; may be called from any thread.

    :param make: makes a world. :param scene: :param task: :param seed: as of its `reset`.
    :raises ConfigurationError: they cannot be loaded.
    """

    def __init__(
        self, make: Callable[[], WebShopWorld], scene: str = '', task: str = '', seed: int = 0
    ) -> None:
        self._make = make
        self._beginning = scene, task, seed
        self._sessions: OrderedDict[str, _Session] = OrderedDict()
        self._lock = threading.Lock()
        self._opened()

    def _opened(self) -> _Session:
        world = self._make()
        world.reset(*self._beginning)
        return _Session(world)

    def page(self, key: str) -> tuple[str, str]:
        """What a session sees: its key, a new one for a session that is not known, and HTML."""
        with self._lock:
            key, session = self._session(key)
            return key, shop_page(session.world, session.turn, session.note)

    def act(self, key: str, turn: str, skill: str) -> str:
        """Do a skill, unless the page that it comes from is an old one; answers the key."""
        with self._lock:
            key, session = self._session(key)
            if turn == str(session.turn):
                seen = session.world.step(skill)
                session.turn += 1
                session.note = '' if seen.succeeded else seen.text
            return key

    def go_on(self, key: str) -> str:
        """Begin the task after the present one; answers the key."""
        with self._lock:
            key, session = self._session(key)
            task = session.world.task()
            assert task is not None, 'loaded when the session began'
            part, _, number = task.task_id.partition(':')
            session.world.reset('', f'{part}:{int(number) + 1}', 0)
            session.turn += 1
            session.note = ''
            return key

    def _session(self, key: str) -> tuple[str, _Session]:
        if key not in self._sessions:
            key = secrets.token_urlsafe(16)
            self._sessions[key] = self._opened()
            if len(self._sessions) > MOST_SESSIONS:
                self._sessions.popitem(last=False)
        self._sessions.move_to_end(key)
        return key, self._sessions[key]


class _Server(ThreadingHTTPServer):
    """Answers a bounded number of requests at once."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, site: ShopSite, port: int) -> None:
        super().__init__(('127.0.0.1', port), _Handler)
        self.site = site
        self.hosts = {f'{name}:{self.server_port}' for name in ('127.0.0.1', 'localhost')}
        self.cookie = f'webshop-{self.server_port}'
        self._room = threading.BoundedSemaphore(_MOST_REQUESTS)

    def process_request(self, request: Any, client_address: Any) -> None:
        if not self._room.acquire(blocking=False):
            self.shutdown_request(request)
            return
        super().process_request(request, client_address)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._room.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Nothing: people close pages while they are sent."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    connection: socket
    timeout = _PATIENCE
    server_version = 'WebShop'
    sys_version = ''

    def do_GET(self) -> None:
        if not self._is_allowed():
            return
        if self.path == '/style.css':
            style = (resources.files(__package__) / 'site.css').read_bytes()
            self._answer(HTTPStatus.OK, style, 'text/css; charset=utf-8')
        elif self.path == '/':
            key, html = self.server.site.page(self._key())
            self._answer(HTTPStatus.OK, html.encode(), key=key)
        else:
            self._refuse(HTTPStatus.NOT_FOUND, 'There is no such page.')

    def do_POST(self) -> None:
        if not self._is_allowed():
            return
        if self.path not in ('/act', '/next'):
            self._refuse(HTTPStatus.NOT_FOUND, 'There is no such page.')
            return
        fields = self._fields()
        if fields is None:
            self._refuse(HTTPStatus.BAD_REQUEST, 'This form cannot be read.')
            return
        if self.path == '/next':
            key = self.server.site.go_on(self._key())
        else:
            skill = fields.get('skill') or f'search[{fields.get("words", "")}]'
            key = self.server.site.act(self._key(), fields.get('turn', ''), skill)
        # So that loading the page again does nothing again.
        self._answer(HTTPStatus.SEE_OTHER, b'', key=key, to='/')

    def _is_allowed(self) -> bool:
        """Only pages of this server are answered: others may have its name, or send its forms."""
        host = self.headers.get('Host', '')
        origin = self.headers.get('Origin', f'http://{host}')
        if host in self.server.hosts and origin == f'http://{host}':
            return True
        self._refuse(HTTPStatus.FORBIDDEN, 'This shop answers its own pages only.')
        return False

    def _fields(self) -> dict[str, str] | None:
        length = self.headers.get('Content-Length', '')
        if not (length.isascii() and length.isdigit()) or int(length) > _LARGEST_FORM:
            return None
        try:
            text = self.rfile.read(int(length)).decode('ascii')
            read = parse_qs(text, max_num_fields=_MOST_FIELDS, errors='strict')
        except ValueError:
            return None
        return {name: values[0] for name, values in read.items()}

    def _key(self) -> str:
        try:
            cookie = SimpleCookie(self.headers.get('Cookie', ''))
        except CookieError:
            return ''
        return cookie[self.server.cookie].value if self.server.cookie in cookie else ''

    def _refuse(self, status: HTTPStatus, sentence: str) -> None:
        self.close_connection = True
        html = document(f'<main><p>{sentence} <a href="/">Go to the shop</a></p></main>')
        self._answer(status, html.encode())

    def _answer(
        self, status: HTTPStatus, content: bytes, kind: str = _HTML, key: str = '', to: str = ''
    ) -> None:
        self.send_response(status)
        for name, value in _HEADERS.items():
            self.send_header(name, value)
        self.send_header('Content-Type', kind)
        self.send_header('Content-Length', str(len(content)))
        if key:
            cookie = f'{self.server.cookie}={key}; HttpOnly; SameSite=Strict; Path=/'
            self.send_header('Set-Cookie', cookie)
        if to:
            self.send_header('Location', to)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *arguments: Any) -> None:  # noqa: A002
        """Nothing: the terminal is the person's."""


class ShopServer:
    """A context manager: serves a site from entering to leaving, on 127.0.0.1 only.

    :param port: 0 for any free one.
    :raises ConfigurationError: the port cannot be served.

    Public: `port`, `url`.
    """

    def __init__(self, site: ShopSite, port: int = 0) -> None:
        try:
            self._server = _Server(site, port)
        except (OSError, OverflowError) as error:
            raise ConfigurationError(
                f'Port {port} cannot be served ({error}): choose another with --port, or 0 for '
                'any free one.'
            ) from error
        self.port = self._server.server_port
        self.url = f'http://127.0.0.1:{self.port}/'
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={'poll_interval': 0.1}, daemon=True
        )

    def __enter__(self) -> ShopServer:
        self._thread.start()
        return self

    def __exit__(self, *reason: object) -> None:
        self._server.shutdown()
        self._server.server_close()
