"""Spans for OpenTelemetry, sent by OTLP: optional, and never in the way of a run.

    run thread --> queue (bounded) --> sender thread --> collector

Whoever ends a span only puts it into the queue; a full queue drops spans. Where they go, how many
are kept and which are sampled are the standard OTEL_* environment variables.
"""

from __future__ import annotations

import logging
import os
import random
import re
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from reactree_core.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from opentelemetry.sdk.trace import ReadableSpan
    from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult
    from opentelemetry.trace import Span

#: Values of the parameter `telemetry`.
OFF, OTLP = 'off', 'otlp'
MODES = (OFF, OTLP)
#: Seconds that spans which wait have to be sent when a node ends.
LAST_SPANS = 2.0
#: Longest text in an attribute, in bytes.
LONGEST_TEXT = 1000

#: Whether spans may hold texts: a convention of OpenTelemetry's own instrumentations.
_CONTENT = 'OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT'
_WITH_CONTENT = ('true', 'span_only', 'span_and_event')
_PROTOCOLS = ('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL')
_PROTOCOL = 'http/protobuf'
_ENDPOINTS = ('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT')


def open_telemetry(
    mode: str, service: str, node: str, notice: Callable[[str], object]
) -> Telemetry | None:
    """Where a node's spans go; None where they go nowhere.

    :param mode: one of MODES. :param service: name in views, unless OTEL_SERVICE_NAME is set.
    :param node: full name of the node, e.g. '/robot_1/planner'.
    :param notice: called, once, when the collector takes no spans; from any thread.
    :raises ConfigurationError: a package is missing, or OTEL_* ask for what is not there.
    """
    return None if mode == OFF else Telemetry(service, node, notice)


class Telemetry:
    """Begins and ends spans. One thread at a time begins them; see `open_telemetry`."""

    def __init__(self, service: str, node: str, notice: Callable[[str], object]) -> None:
        protocol = next(filter(None, map(os.environ.get, _PROTOCOLS)), _PROTOCOL)
        if protocol != _PROTOCOL:
            raise ConfigurationError(
                f'{_PROTOCOLS[1]} is "{protocol}", but telemetry is sent by {_PROTOCOL} only: '
                'unset it, and give the port of the collector for HTTP (usually 4318).'
            )
        try:
            from opentelemetry import trace
            from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
            from opentelemetry.sdk.resources import Resource
            from opentelemetry.sdk.trace import TracerProvider
            from opentelemetry.sdk.trace.export import BatchSpanProcessor
            from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
        except ModuleNotFoundError as error:
            if not (error.name or '').startswith(('opentelemetry', 'google', 'requests')):
                raise
            raise ConfigurationError(
                f'telemetry {OTLP} needs packages of OpenTelemetry: install them with '
                '.venv/bin/pip install -r requirements/telemetry.txt'
            ) from error
        self._trace = trace
        self._propagator = TraceContextTextMapPropagator()
        #: Whether spans may hold texts: tasks, goals, skills, answers, observations.
        self.with_content = os.environ.get(_CONTENT, '').strip().lower() in _WITH_CONTENT
        named = 'OTEL_SERVICE_NAME' in os.environ or 'service.name=' in os.environ.get(
            'OTEL_RESOURCE_ATTRIBUTES', ''
        )
        own = {'ros.node': node} if named else {'ros.node': node, 'service.name': service}
        self._ids = _Ids()
        self._exporter = _Watched(OTLPSpanExporter(), _collector(), notice)
        try:
            processor = BatchSpanProcessor(self._exporter)
        except ValueError as error:
            raise ConfigurationError(f'OTEL_BSP_* cannot be used: {error}') from error
        self._provider = TracerProvider(
            resource=Resource.create(own),
            id_generator=self._ids,
            # Not without a deadline: see `close`.
            shutdown_on_exit=False,
        )
        self._provider.add_span_processor(processor)
        self._tracer = self._provider.get_tracer('reactree_ros')

    def begin(
        self,
        name: str,
        attributes: Mapping[str, str | int | float | bool],
        parent: Span | str = '',
        at: int | None = None,
        ids: tuple[int, int] = (0, 0),
        kind: str = 'internal',
    ) -> Span:
        """Begin a span.

        :param name: of few different ones, with nothing of a task in it.
        :param parent: a span, or a `traceparent` of another process; what is none begins a trace.
        :param at: nanoseconds since 1970; None is now.
        :param ids: of the trace, where the span begins one, and of the span; 0 is drawn.
        :param kind: internal, client or server.
        """
        if isinstance(parent, str):
            context = self._propagator.extract({'traceparent': parent})
        else:
            context = self._trace.set_span_in_context(parent)
        self._ids.next = ids
        try:
            span: Span = self._tracer.start_span(
                name,
                context,
                kind=self._trace.SpanKind[kind.upper()],
                attributes=attributes,
                start_time=at,
                record_exception=False,
            )
        finally:
            self._ids.next = (0, 0)
        return span

    def end(self, span: Span, at: int | None = None, error: str = '') -> None:
        """End a span, which is sent later.

        :param at: nanoseconds since 1970; None is now.
        :param error: kind of error that it ended in, of few different ones; '' for none.
        """
        if error:
            span.set_attribute('error.type', error)
            span.set_status(self._trace.StatusCode.ERROR)
        span.end(at)

    def traceparent(self, span: Span) -> str:
        """What another process needs to begin a span below this one (W3C Trace Context)."""
        carrier: dict[str, str] = {}
        self._propagator.inject(carrier, self._trace.set_span_in_context(span))
        return carrier.get('traceparent', '')

    def close(self, patience: float = LAST_SPANS) -> None:
        """Send what waits. :param patience: seconds; what is not sent by then is lost."""
        # The SDK waits for 30 s and for its request: a node that ends does not.
        sending = threading.Thread(target=self._provider.shutdown, daemon=True)
        sending.start()
        # Nor for a collector that took nothing before.
        sending.join(0.0 if self._exporter.fails else patience)
        if sending.is_alive():
            self._exporter.shutdown()


class _Ids:
    """Ids of the next span where they are given, else random ones (port `IdGenerator`)."""

    next = (0, 0)

    def generate_trace_id(self) -> int:
        """128 bits, not 0."""
        return self.next[0] or random.getrandbits(128) or 1

    def generate_span_id(self) -> int:
        """64 bits, not 0."""
        return self.next[1] or random.getrandbits(64) or 1

    def is_trace_id_random(self) -> bool:
        """Run ids are UUIDs, of which some bits are not random."""
        return False


class _Watched:
    """An exporter (shape of `SpanExporter`) that says once that spans do not arrive.

    In place of the exporter's own lines in the log, one for each of its tries.
    """

    def __init__(
        self, inner: SpanExporter, collector: str, notice: Callable[[str], object]
    ) -> None:
        self._inner = inner
        self._collector = collector
        self._notice = notice
        #: Whether the last spans did not arrive.
        self.fails = False
        self._answer = _Answer()
        log = logging.getLogger('opentelemetry')
        log.propagate = False
        log.addHandler(self._answer)

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Send spans; called by the sender thread alone."""
        self._answer.code = ''
        result = self._inner.export(spans)
        failed = result.name != 'SUCCESS'
        if failed and not self.fails:
            code = self._answer.code
            does = f'answers with status {code}' if code else 'does not answer'
            self._notice(
                f'The collector of telemetry at {self._collector} {does}; the run goes on without '
                'it. Start the collector, or set OTEL_EXPORTER_OTLP_ENDPOINT to its address.'
            )
        self.fails = failed
        return result

    def shutdown(self) -> None:
        """Give up what is being sent; nobody is told of that any more."""
        self._notice = lambda text: None
        self._inner.shutdown()


class _Answer(logging.Handler):
    """Takes the exporter's lines, and keeps the status that they tell of."""

    code = ''

    def emit(self, record: logging.LogRecord) -> None:
        """Keep the status, if the line is about one."""
        found = re.search(r'\bcode: (\d{3})\b', record.getMessage())
        if found:
            self.code = found[1]


def _collector() -> str:
    """Where spans go, for people: without path, user and password.

    :raises ConfigurationError: it is no address.
    """
    given = next(filter(None, map(os.environ.get, _ENDPOINTS)), 'http://localhost:4318')
    with suppress(ValueError):
        url = urlsplit(given)
        if url.scheme in ('http', 'https') and url.hostname:
            return url.netloc.rpartition('@')[2]
    raise ConfigurationError(f'{_ENDPOINTS[1]} is no address: give it like http://collector:4318')
