"""A run as a trace at a collector on this machine, held against its journal."""

from __future__ import annotations

import sys
import threading
import time
from collections import Counter

import pytest

from reactree_core import telemetry
from reactree_core.cancellation import CancelToken
from reactree_core.errors import ConfigurationError, ModelOutputError
from reactree_core.observation import Outcome
from reactree_core.record.events import Decision, DecisionKind, NodeKind, NodeStatus
from reactree_core.record.journal_lines import Answer
from reactree_core.record.run_settings import Limits
from reactree_core.record.snapshot import reduce_events
from reactree_core.record.trace import RunTrace
from reactree_core.telemetry import open_telemetry
from reactree_planner.llm.policy import PolicyModel
from reactree_planner.planners.registry import make_planner
from reactree_planner.resume.logged_model import LoggedModel
from reactree_planner.resume.logged_ports import LoggedSkills
from reactree_planner.resume.run_log import is_resumption, RunLog
from reactree_planner.runs.run import PlanRun
from reactree_planner.runs.run_ports import Ports
from reactree_planner.runs.settings import Decides, PlannerSettings
from support.collector import Collector
from support.memories import FixedMemory
from support.repaired_run import repaired_run
from support.warehouse import Warehouse

RUN = '5f1d3c3a9b7e4f20a1b2c3d4e5f60718'
TASK = 'Load crate 1 onto truck 1.'
KEY = 'sk-secret-of-the-model-server'
CLIENT, INTERNAL = 3, 1
HOUR = 3600 * 10**9


class Killed(BaseException):
    """The planner's process is gone."""


#: What a goal needs, in order.
WISHES = {
    'get crate 1': ('enter aisle 1', 'lift crate 1', 'done'),
    'put crate 1 on truck 1': ('enter dock 1', 'load crate 1 onto truck 1', 'done'),
}


def policy(text, options):
    """Expands the task, thinks once a node, and tries again what has failed."""
    steps = text.rpartition('Your task is to: ')[2]
    goal = steps.split('\n')[0]
    if options is None:
        return f' {", ".join(WISHES)}' if '- subgoals:' in steps else ' One thing at a time.'
    names = [option.strip() for option in options]
    if 'sequence' in names:
        return names.index('sequence')
    if 'Act:' in names:
        if 'Expand:' in names and goal == TASK:
            return names.index('Expand:')
        return names.index('Act:' if 'Think:' in steps or 'Think:' not in names else 'Think:')
    last = steps.split('Act:')[-2].strip()
    if 'stalls' in last:
        return names.index(last.split('\n')[0])
    return names.index(next(one for one in WISHES[goal] if f'Act: {one}\n' not in steps))


@pytest.fixture
def collector(monkeypatch):
    """A collector that answers, and the environment that tells of it."""
    collector = Collector()
    monkeypatch.setenv('OTEL_EXPORTER_OTLP_ENDPOINT', collector.address)
    monkeypatch.setenv('MODEL_KEY', KEY)
    yield collector
    collector.close()


def no_notice(text):
    raise AssertionError(text)


def go(sent, past=(), stop_after=None, answer=policy, began=0):
    """Plan with a log and a trace; the process is killed after this many new records.

    :param began: when the last record of the past was written.
    :return: all records.
    """
    written = []
    trace = RunTrace(sent, RUN, 'small-1b', 'openai', True)

    def write(record):
        written.append(record)
        trace.take(record, run.events.elapsed())
        if len(written) == stop_after:
            raise Killed

    log = RunLog(write, past)
    if past:
        trace.replay(past, log.used_seconds, began)
    home = Warehouse(Counter({'lift crate 1': 1}))
    for record in past:
        # What it did for the planner before.
        if isinstance(record, Decision) and record.kind is DecisionKind.ACT:
            if any(
                getattr(one, 'skill', '') and one.sequence == record.sequence
                for one in past
                if not isinstance(one, Decision | Answer)
            ):
                home.execute(record.sequence, 1, record.skill, CancelToken())
    run = PlanRun(
        TASK,
        Ports(LoggedModel(PolicyModel(answer), log), LoggedSkills(home, log), FixedMemory()),
        PlannerSettings(decides=Decides.MODEL, example_count=0),
        Limits(),
        CancelToken(),
        lambda event: None,
        log=log,
    )
    try:
        success = make_planner('reactree').run(run)
        run.finish(NodeStatus.SUCCESS if success else NodeStatus.FAILURE, '')
    except Killed:
        pass
    return [*past, *written]


def test_spans_are_what_the_journal_says(collector):
    sent = open_telemetry('otlp', 'reactree_planner', '/planner', no_notice)
    before = time.time_ns()
    records = go(sent)
    after = time.time_ns()
    sent.close()
    spans = {span.span_id: span for span in collector.spans}
    assert len(spans) == len(collector.spans)
    assert {(span.trace_id, span.service) for span in spans.values()} == {
        (RUN, 'reactree_planner')
    }
    named = Counter(span.attributes.get('gen_ai.operation.name', '') for span in spans.values())
    events = [record for record in records if not isinstance(record, Answer)]
    answers = [record for record in records if isinstance(record, Answer)]
    asked = [answer for answer in answers if 'usage' in answer.content]
    acts = [
        event
        for event in events
        if isinstance(event, Decision)
        and event.kind is DecisionKind.ACT
        and event.skill not in ('done', 'failure')
    ]
    tree = reduce_events(events)
    agents = [node for node in tree.nodes if node.kind is NodeKind.AGENT]
    assert named == {
        'invoke_workflow': 1,
        'invoke_agent': len(agents),
        'text_completion': len(asked),
        'execute_tool': len(acts),
        '': len(tree.nodes) - len(agents),
    }
    assert len(agents) == 3 and len(acts) == 5 and len(asked) > 10
    (run,) = [span for span in spans.values() if not span.parent]
    assert run.name == 'invoke_workflow reactree' and not run.failed
    assert run.attributes['reactree.decisions'] == tree.decisions
    assert run.attributes['reactree.steps'] == tree.steps == len(acts)
    assert before <= run.begin <= run.end <= after
    _check_nodes(tree, spans, run)
    _check_skills(events, acts, spans, run)
    _check_requests(asked, spans, run)


def _check_nodes(tree, spans, run):
    of_node = {
        span.attributes['reactree.node.id']: span
        for span in spans.values()
        if 'reactree.node.kind' in span.attributes
    }
    for node in tree.nodes:
        span = of_node[node.node_id]
        parent = of_node[node.parent_id] if node.parent_id else run
        assert span.parent == parent.span_id
        assert span.name == (
            'invoke_agent reactree' if node.kind is NodeKind.AGENT else node.kind.name.lower()
        )
        assert span.attributes['reactree.status'] == node.status.name.lower()
        assert span.failed == (node.status is not NodeStatus.SUCCESS)
        assert _seconds(span.begin - run.begin) == pytest.approx(node.started, abs=1e-6)
        assert _seconds(span.end - run.begin) == pytest.approx(node.ended, abs=1e-6)
        assert parent.begin <= span.begin <= span.end <= parent.end


def _check_skills(events, acts, spans, run):
    of_skill = {
        int(span.attributes['gen_ai.tool.call.id']): span
        for span in spans.values()
        if 'gen_ai.tool.name' in span.attributes
    }
    assert of_skill.keys() == {act.sequence for act in acts}
    for act in acts:
        span = of_skill[act.sequence]
        (seen,) = [
            event
            for event in events
            if event.sequence == act.sequence and not isinstance(event, Decision)
        ]
        assert spans[span.parent].attributes['reactree.node.id'] == act.node_id
        assert span.failed == (seen.outcome is not Outcome.SUCCEEDED)
        assert span.attributes['reactree.outcome'] == seen.outcome.name.lower()
        assert span.attributes.get('error.type', 'succeeded') == seen.outcome.name.lower()
        assert _seconds(span.begin - run.begin) == pytest.approx(act.stamp, abs=1e-6)
        assert _seconds(span.end - run.begin) == pytest.approx(seen.stamp, abs=1e-6)
    assert [of_skill[act.sequence].name for act in acts] == [
        'execute_tool enter <region>',
        'execute_tool lift <crate>',
        'execute_tool lift <crate>',
        'execute_tool enter <region>',
        'execute_tool load <crate> onto <truck>',
    ]
    assert [of_skill[act.sequence].failed for act in acts] == [False, True, False, False, False]


def _check_requests(asked, spans, run):
    requests = [span for span in spans.values() if 'reactree.request' in span.attributes]
    assert Counter(one.attributes['reactree.request'] for one in requests) == Counter(
        answer.kind for answer in asked
    )
    for span in requests:
        assert span.name == 'text_completion small-1b' and span.kind == CLIENT
        assert span.attributes['gen_ai.provider.name'] == 'openai'
        assert span.attributes['gen_ai.request.model'] == 'small-1b'
        parent = spans[span.parent]
        assert parent.name == 'invoke_agent reactree' and parent.kind == INTERNAL
        assert parent.begin <= span.begin <= span.end <= parent.end
    counted = sum(one.attributes.get('gen_ai.usage.input_tokens', 0) for one in requests)
    assert counted == sum(one.content['usage'].get('prompt_tokens', 0) for one in asked)


def _seconds(nanoseconds):
    return nanoseconds / 1e9


def test_texts_of_the_run_are_sent_only_where_that_is_wanted(collector, monkeypatch):
    monkeypatch.setenv('OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT', 'true')
    for wanted in (True, False):
        if not wanted:
            monkeypatch.delenv('OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT')
        sent = open_telemetry('otlp', 'reactree_planner', '/planner', no_notice)
        collector.bodies.clear()
        go(sent)
        sent.close()
        body = b''.join(collector.bodies)
        for text in (TASK, 'get crate 1', 'lift crate 1', 'stalls', 'One thing at a time.'):
            assert (text.encode() in body) == wanted, text
        assert b'lift <crate>' in body and KEY.encode() not in body


def test_long_texts_are_cut(collector, monkeypatch):
    monkeypatch.setenv('OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT', 'true')
    sent = open_telemetry('otlp', 'reactree_planner', '/planner', no_notice)

    def long(text, options):
        said = policy(text, options)
        return said if options is not None or 'crate' in said else said + 'ä' * 100_000

    go(sent, answer=long)
    sent.close()
    longest = max(
        len(value)
        for span in collector.spans
        for value in span.attributes.values()
        if isinstance(value, str)
    )
    assert 400 < longest <= telemetry.LONGEST_TEXT


def test_a_run_that_is_resumed_goes_on_with_its_trace_wherever_it_was_killed(collector):
    sent = open_telemetry('otlp', 'reactree_planner', '/planner', no_notice)
    whole = go(sent)
    sent.close()
    expected = _outline(collector.spans)
    for cut in range(1, len(whole)):
        collector.spans.clear()
        first = open_telemetry('otlp', 'reactree_planner', '/planner', no_notice)
        kept = go(first, stop_after=cut)
        first.close()
        before = len(collector.spans)
        # The machine was off for an hour.
        killed = time.time_ns() - HOUR
        second = open_telemetry('otlp', 'reactree_planner', '/planner', no_notice)
        records = go(second, past=kept, began=killed)
        second.close()
        assert any(map(is_resumption, records))
        assert _outline(collector.spans) == expected, f'killed after record {cut}'
        resumed = collector.spans[before:]
        run = next(span for span in resumed if not span.parent)
        assert ('resumed', {}) in run.events
        used = max(getattr(record, 'stamp', 0.0) for record in kept)
        assert _seconds(killed - run.begin) == pytest.approx(used, abs=1e-6)
        for span in resumed:
            # What was under way began before the break, all else after it.
            assert not run.begin + HOUR / 4 < span.begin < run.begin + HOUR / 2
            assert run.begin + HOUR < span.end <= run.end


def _outline(spans):
    """Each span once: ids, parents, names and how it ended."""
    return sorted((one.span_id, one.parent, one.name, one.failed, one.trace_id) for one in spans)


def test_a_node_that_is_repaired_has_a_span_for_each_of_its_lives(collector):
    sent = open_telemetry('otlp', 'reactree_planner', '/planner', no_notice)
    trace = RunTrace(sent, RUN, 'small-1b', 'llama.cpp', False)
    for event in repaired_run():
        trace.take(event, event.stamp)
    sent.close()
    lives = sorted(
        (span for span in collector.spans if span.attributes.get('reactree.node.id') == 1
         and span.name.startswith('invoke_agent')),
        key=lambda span: span.begin,
    )  # fmt: skip
    assert [life.attributes['reactree.status'] for life in lives] == ['failure', 'success']
    assert lives[0].end <= lives[1].begin
    children = [span for span in collector.spans if span.parent == lives[1].span_id]
    assert [child.name for child in children] == ['sequence']
    run = next(span for span in collector.spans if not span.parent)
    overruled = {'reactree.node.id': 1, 'reactree.status': 'failure'}
    assert run.events[-1] == ('repair', overruled) and run.failed


def test_an_answer_that_was_an_error_is_one_in_the_trace(collector):
    def broken(text, options):
        raise ModelOutputError('It said nothing.')

    sent = open_telemetry('otlp', 'reactree_planner', '/planner', no_notice)
    with pytest.raises(ModelOutputError):
        go(sent, answer=broken)
    sent.close()
    (asked,) = [span for span in collector.spans if 'reactree.request' in span.attributes]
    assert asked.failed and asked.attributes['error.type'] == 'ModelOutputError'


def test_trace_context_names_the_span_of_the_skill_under_way(collector):
    sent = open_telemetry('otlp', 'reactree_planner', '/planner', no_notice)
    trace = RunTrace(sent, RUN, 'small-1b', 'llama.cpp', False)
    told = {}
    for event in repaired_run():
        trace.take(event, event.stamp)
        if isinstance(event, Decision) and event.kind is DecisionKind.ACT:
            told[event.sequence] = trace.traceparent(event.sequence)
            assert trace.traceparent(event.sequence + 1) == ''
    sent.close()
    spans = {
        int(span.attributes['gen_ai.tool.call.id']): f'00-{RUN}-{span.span_id}-01'
        for span in collector.spans
        if 'gen_ai.tool.call.id' in span.attributes
    }
    assert {number: text for number, text in told.items() if text} == spans and len(spans) == 5


@pytest.mark.parametrize('trouble', ['refuses', 'silent', 'gone'])
def test_a_collector_that_does_not_take_spans_is_told_of_once_and_costs_nothing(
    trouble, monkeypatch
):
    collector = Collector(status=400 if trouble == 'refuses' else 200, silent=trouble == 'silent')
    monkeypatch.setenv('OTEL_EXPORTER_OTLP_ENDPOINT', collector.address)
    monkeypatch.setenv('OTEL_EXPORTER_OTLP_TIMEOUT', '1')
    monkeypatch.setenv('OTEL_BSP_SCHEDULE_DELAY', '10')
    monkeypatch.setenv('OTEL_BSP_MAX_QUEUE_SIZE', '64')
    monkeypatch.setenv('OTEL_BSP_MAX_EXPORT_BATCH_SIZE', '16')
    if trouble == 'gone':
        collector.close()
    notices = []
    told = threading.Event()

    def notice(text):
        notices.append(text)
        told.set()

    sent = open_telemetry('otlp', 'reactree_planner', '/planner', notice)
    slowest = 0.0
    for _ in range(20):
        trace = RunTrace(sent, RUN, 'small-1b', 'llama.cpp', False)
        for event in repaired_run():
            began = time.monotonic()
            trace.take(event, event.stamp)
            slowest = max(slowest, time.monotonic() - began)
    assert slowest < 0.5
    assert told.wait(30.0)
    began = time.monotonic()
    sent.close()
    assert time.monotonic() - began < telemetry.LAST_SPANS + 1.0
    (sentence,) = notices
    collector.close()
    assert collector.address.removeprefix('http://') in sentence
    assert ('answers with status 400' if trouble == 'refuses' else 'does not answer') in sentence
    assert 'OTEL_EXPORTER_OTLP_ENDPOINT' in sentence


def test_the_password_of_a_collector_is_told_nobody(monkeypatch):
    monkeypatch.setenv('OTEL_EXPORTER_OTLP_ENDPOINT', f'http://me:{KEY}@127.0.0.1:1/x?key={KEY}')
    assert telemetry._collector() == '127.0.0.1:1'


@pytest.mark.parametrize('package', ['opentelemetry.sdk.trace', 'opentelemetry'])
def test_a_missing_package_is_a_sentence_that_says_what_to_install(package, monkeypatch):
    for name in [name for name in sys.modules if name.startswith('opentelemetry')]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ConfigurationError, match=r'pip install -r requirements/telemetry\.txt'):
        open_telemetry('otlp', 'reactree_planner', '/planner', no_notice)
    assert open_telemetry('off', 'reactree_planner', '/planner', no_notice) is None


@pytest.mark.parametrize(
    ('name', 'value', 'sentence'),
    [
        ('OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc', 'port of the collector for HTTP'),
        ('OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318', 'give it like http://collector:4318'),
        ('OTEL_EXPORTER_OTLP_ENDPOINT', 'http://[::1:4318', 'give it like http://collector:4318'),
        ('OTEL_BSP_MAX_QUEUE_SIZE', '-1', 'max_queue_size must be'),
    ],
)
def test_a_setting_that_cannot_be_used_is_told_at_the_start(name, value, sentence, monkeypatch):
    monkeypatch.setenv(name, value)
    with pytest.raises(ConfigurationError, match=sentence):
        open_telemetry('otlp', 'reactree_planner', '/planner', no_notice)
