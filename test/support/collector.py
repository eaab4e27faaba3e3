"""A collector of OpenTelemetry on this machine: takes OTLP over HTTP, and can misbehave."""

import threading
from contextlib import suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)

PATIENCE = 30.0


@dataclass(frozen=True)
class Span:
    """A span as it came: ids in hexadecimal digits, times in nanoseconds since 1970."""

    name: str
    trace_id: str
    span_id: str
    parent: str
    kind: int
    begin: int
    end: int
    failed: bool
    attributes: dict
    events: tuple
    service: str


class Collector:
    """Keeps what it is sent.

    :ivar spans: in the order in which they came. :ivar bodies: of all requests, as bytes.
    :ivar status: of its answers. :ivar silent: until it is set, requests have no answer.
    """

    def __init__(self, status=200, silent=False):
        self.spans = []
        self.bodies = []
        self.status = status
        self.speaks = threading.Event()
        if not silent:
            self.speaks.set()
        self._came = threading.Condition()
        collector = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers['Content-Length']))
                collector.take(self.path, self.headers['Content-Type'], body)
                collector.speaks.wait(PATIENCE)
                answer = ExportTraceServiceResponse().SerializeToString()
                # Whoever gave up is no concern of the collector.
                with suppress(OSError):
                    self.send_response(collector.status)
                    self.send_header('Content-Type', 'application/x-protobuf')
                    self.send_header('Content-Length', str(len(answer)))
                    self.end_headers()
                    self.wfile.write(answer)

            def log_message(self, *_):
                pass

        self._http = ThreadingHTTPServer(('127.0.0.1', 0), Handler)
        self._http.daemon_threads = True
        self.address = f'http://127.0.0.1:{self._http.server_port}'
        threading.Thread(target=self._http.serve_forever, daemon=True).start()

    def take(self, path, kind, body):
        assert (path, kind) == ('/v1/traces', 'application/x-protobuf')
        request = ExportTraceServiceRequest.FromString(body)
        with self._came:
            self.bodies.append(body)
            for one in request.resource_spans:
                service = _attributes(one.resource.attributes)['service.name']
                for scope in one.scope_spans:
                    self.spans += [_span(span, service) for span in scope.spans]
            self._came.notify_all()

    def wait(self, condition):
        """Wait for what comes to satisfy a condition."""
        with self._came:
            assert self._came.wait_for(condition, PATIENCE)

    def close(self):
        self.speaks.set()
        self._http.shutdown()
        self._http.server_close()


def _span(span, service):
    return Span(
        span.name,
        span.trace_id.hex(),
        span.span_id.hex(),
        span.parent_span_id.hex(),
        span.kind,
        span.start_time_unix_nano,
        span.end_time_unix_nano,
        span.status.code == span.status.STATUS_CODE_ERROR,
        _attributes(span.attributes),
        tuple((one.name, _attributes(one.attributes)) for one in span.events),
        service,
    )


def _attributes(told):
    return {one.key: getattr(one.value, one.value.WhichOneof('value')) for one in told}
