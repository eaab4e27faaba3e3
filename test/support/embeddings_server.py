"""A server of embeddings on this machine that can be told to misbehave."""

import contextlib
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from reactree_core.embedding.encoders import HashingEmbedder

PATIENCE = 30.0


class EmbeddingsServer:
    """Speaks the embeddings protocol.

    :ivar answers: what it does with the next requests. :ivar otherwise: and with those after.
    :ivar requests: bodies received. :ivar keys: Authorization headers received.
    """

    def __init__(self, port=0):
        self.requests = []
        self.keys = []
        self.answers = []
        self.otherwise = good
        self.asked = threading.Event()
        self.silence = threading.Event()
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers['Content-Length'])))
                server.requests.append(body)
                server.keys.append(self.headers.get('Authorization'))
                server.asked.set()
                answer = server.answers.pop(0) if server.answers else server.otherwise
                # A client that gave up is no concern of the server.
                with contextlib.suppress(OSError):
                    answer(server, self, body)

            def log_message(self, *_):
                pass

        self._http = ThreadingHTTPServer(('127.0.0.1', port), Handler)
        self._http.daemon_threads = True
        self.address = f'http://127.0.0.1:{self._http.server_port}/v1'
        threading.Thread(target=self._http.serve_forever, daemon=True).start()

    def close(self):
        self.silence.set()
        self._http.shutdown()
        self._http.server_close()


def send(handler, status, content, **headers):
    handler.send_response(status)
    for name, value in headers.items():
        handler.send_header(name.replace('_', '-'), value)
    handler.send_header('Content-Length', str(len(content)))
    handler.end_headers()
    handler.wfile.write(content)


def vectors(body):
    rows = HashingEmbedder(16).embed(body['input']) * 3.0
    return [
        {'object': 'embedding', 'index': index, 'embedding': row.tolist()}
        for index, row in enumerate(rows)
    ]


def good(_, handler, body):
    assert handler.path == '/v1/embeddings'
    send(handler, 200, json.dumps({'object': 'list', 'data': vectors(body)[::-1]}).encode())


def silent(server, *_):
    server.silence.wait(PATIENCE)


def dripping(server, handler, _):
    handler.send_response(200)
    handler.send_header('Content-Length', '100000')
    handler.end_headers()
    while not server.silence.wait(0.05):
        handler.wfile.write(b' ')


def dripping_headers(server, handler, _):
    handler.send_response(200)
    while not server.silence.wait(0.05):
        handler.send_header('X-More', 'x')
        handler.flush_headers()
