"""A robot's bridge goes on with the trace that a goal names."""

from __future__ import annotations

from action_msgs.msg import GoalStatus

from support.collector import Collector

TRACE, SPAN = '5f1d3c3a9b7e4f20a1b2c3d4e5f60718', 'a1b2c3d4e5f60718'


def test_a_skill_is_a_span_below_the_one_of_its_goal(client, loader, monkeypatch):
    collector = Collector()
    monkeypatch.setenv('OTEL_EXPORTER_OTLP_ENDPOINT', collector.address)
    monkeypatch.setenv('OTEL_BSP_SCHEDULE_DELAY', '50')
    bridge = client(telemetry='otlp')
    status, _ = bridge.execute('go to shelf 1', 1, traceparent=f'00-{TRACE}-{SPAN}-01')
    assert status == GoalStatus.STATUS_SUCCEEDED
    loader.drive_ends = 'aborted'
    # What is no trace context begins a trace, and harms nothing.
    for sequence, text in enumerate(('', 'nonsense', '00-' + 'é\0' * 100_000, '00-0-0-01'), 2):
        status, _ = bridge.execute('go to dock', sequence, traceparent=text)
        assert status == GoalStatus.STATUS_ABORTED
    collector.wait(lambda: len(collector.spans) == 5)
    below, *alone = collector.spans
    assert (below.trace_id, below.parent, below.failed) == (TRACE, SPAN, False)
    assert len({span.trace_id for span in alone}) == 4
    assert {(span.parent, span.attributes['error.type']) for span in alone} == {
        ('', 'execution_failed')
    }
    collector.close()
