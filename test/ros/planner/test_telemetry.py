"""Real nodes send their spans to a collector on this machine: one trace for planner and bridge."""

from __future__ import annotations

import pytest
from rclpy.context import Context

from reactree_core.errors import ConfigurationError
from reactree_core.record.events import Decision, DecisionKind, NodeKind
from reactree_core.record.journal import read_journal
from reactree_core.record.snapshot import reduce_events
from reactree_planner.ros.node import PlannerNode
from support.collector import Collector

ON = (('telemetry', 'otlp'),)
SERVER = 2


@pytest.fixture
def collector(monkeypatch):
    """A collector that answers, and the environment that tells of it."""
    collector = Collector()
    monkeypatch.setenv('OTEL_EXPORTER_OTLP_ENDPOINT', collector.address)
    monkeypatch.setenv('OTEL_BSP_SCHEDULE_DELAY', '50')
    yield collector
    collector.close()


def test_a_run_is_one_trace_in_which_the_bridge_goes_on(make_stack, collector, tmp_path):
    stack = make_stack(planner=ON, bridge=ON)
    result = stack.plan().result
    assert result.success
    run_id = bytes(result.tree.run_id.uuid).hex()
    events = list(read_journal(tmp_path / 'runs' / f'{run_id}.jsonl'))
    tree = reduce_events(events)
    acts = [
        event.sequence
        for event in events
        if isinstance(event, Decision)
        and event.kind is DecisionKind.ACT
        and event.skill not in ('done', 'failure')
    ]
    collector.wait(lambda: any(not span.parent for span in collector.spans))
    collector.wait(lambda: _done(collector) == len(acts))
    assert {span.trace_id for span in collector.spans} == {run_id}
    spans = {span.span_id: span for span in collector.spans}
    agents = [span for span in spans.values() if span.name == 'invoke_agent reactree']
    assert len(agents) == sum(node.kind is NodeKind.AGENT for node in tree.nodes)
    skills = {
        int(span.attributes['gen_ai.tool.call.id']): span
        for span in spans.values()
        if span.name.startswith('execute_tool ')
    }
    assert sorted(skills) == acts
    for span in spans.values():
        if span.name == 'execute_skill':
            skill = spans[span.parent]
            assert skill is skills[span.attributes['reactree.sequence']]
            assert (span.kind, span.service) == (SERVER, 'reactree_bridge')
            assert skill.service == 'reactree_planner'
            assert skill.begin <= span.begin <= span.end <= skill.end
            assert span.attributes['reactree.outcome'] == skill.attributes['reactree.outcome']
        else:
            assert span.service == 'reactree_planner'


def _done(collector):
    """Skills that the bridge has done."""
    return sum(span.name == 'execute_skill' for span in collector.spans)


def test_a_bridge_that_is_traced_alone_begins_traces_of_its_own(make_stack, collector):
    stack = make_stack(bridge=ON)
    steps = stack.plan().result.steps
    collector.wait(lambda: _done(collector) == steps)
    assert {(span.name, span.parent) for span in collector.spans} == {('execute_skill', '')}


def test_a_planner_without_the_packages_does_not_start(monkeypatch):
    monkeypatch.setitem(__import__('sys').modules, 'opentelemetry.sdk.trace', None)
    context = Context()
    context.init()
    try:
        with pytest.raises(ConfigurationError, match=r'requirements/telemetry\.txt'):
            PlannerNode(context=context, cli_args=['--ros-args', '-p', 'telemetry:=otlp'])
    finally:
        context.try_shutdown()
