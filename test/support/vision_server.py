"""A server that plays a vision-language model: it answers as it is told, after so long."""

from __future__ import annotations

import base64
import itertools
import json
import threading
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class VisionServer:
    """Listens on this machine while it is entered.

    :param answers: of choices, in order, again and again. :param takes: seconds for each.
    """

    def __init__(self, answers: Sequence[str], takes: float = 0.0) -> None:
        self.pictures: list[bytes] = []
        self.questions: list[str] = []
        self.asked = 0
        self.begun, self.ended = threading.Event(), threading.Event()
        self._over = threading.Event()
        left = itertools.cycle(answers)
        played = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = 'HTTP/1.1'
            wbufsize = 65536

            def do_GET(self) -> None:
                known = self.path == '/v1/models'
                self.answer({'data': [{'id': 'seer'}]} if known else {}, 200 if known else 404)

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers['Content-Length'])))
                played._hear(body)
                played._over.wait(takes)
                played.ended.set()
                content = json.dumps({'choice': next(left)})
                message = {'role': 'assistant', 'content': content}
                self.answer({'choices': [{'message': message}], 'usage': {}})

            def answer(self, content: object, status: int = 200) -> None:
                data = json.dumps(content).encode()
                try:
                    self.send_response(status)
                    self.send_header('Content-Type', 'application/json')
                    self.send_header('Content-Length', str(len(data)))
                    self.end_headers()
                    self.wfile.write(data)
                except (BrokenPipeError, ConnectionResetError):
                    pass  # nobody waits for it any more

            def log_message(self, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(('127.0.0.1', 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever)

    def _hear(self, body: dict) -> None:
        self.asked += 1
        for turn in body['messages']:
            parts = turn['content'] if isinstance(turn['content'], list) else []
            for part in parts:
                if part['type'] == 'image_url':
                    _, _, data = part['image_url']['url'].partition(',')
                    self.pictures.append(base64.b64decode(data))
        self.questions.append(json.dumps(body['messages'][-1]['content']))
        self.begun.set()

    @property
    def address(self) -> str:
        """As the parameter `model` takes it."""
        return f'http://127.0.0.1:{self._server.server_port}/v1'

    def __enter__(self) -> VisionServer:
        self._thread.start()
        return self

    def __exit__(self, *reason: object) -> None:
        self._over.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
