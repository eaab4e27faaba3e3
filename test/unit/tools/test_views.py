"""What the views say, in a pipe and in a terminal."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from dataclasses import replace

import pytest
from rich.console import RenderableType

from reactree_core.cancellation import CancelToken
from reactree_core.errors import CanceledError, LimitReached
from reactree_core.record.events import Decision, DecisionKind, Event, NodeStatus
from reactree_core.record.run_settings import Limits
from reactree_core.record.snapshot import AgentTree, reduce_events
from reactree_core.usage import LlmUsage
from reactree_tools.glyphs import ASCII, UNICODE
from reactree_tools.output import Output
from reactree_tools.viewer.sources import GivenRun
from reactree_tools.viewer.terminal.replay_view import show_record
from reactree_tools.views.agent_tree import agent_tree
from reactree_tools.views.home_view import grouped
from reactree_tools.views.run_display import TerminalDisplay
from reactree_tools.views.status_line import is_end_of_run, StatusLine
from reactree_tools.views.statuses import means_line, NOT_READ, result_words
from reactree_tools.views.summary import RunSummary, summary_lines, verdict
from reactree_tools.views.transcript import Transcript
from support.made_up_runs import MadeUpRun
from support.repaired_run import MEANT, repaired_run, TASK, TIES


class _Stream(io.StringIO):
    """A stream that may be a terminal of some encoding."""

    def __init__(self, terminal: bool, encoding: str = 'utf-8') -> None:
        super().__init__()
        self._terminal = terminal
        self._encoding = encoding

    def isatty(self) -> bool:
        return self._terminal

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self._encoding


def _print(stream: _Stream, things: Iterable[RenderableType], plain: bool = False) -> str:
    output = Output(plain, out=stream, err=_Stream(False))
    for thing in things:
        output.print_lines(thing)
    return stream.getvalue()


@pytest.fixture
def solved(sample_run: list[Event]) -> RunSummary:
    """A run that met its goal."""
    usage = LlmUsage('qwen', 9000, 8000, 1000, 300, 30, 12.5)
    tree = reduce_events(sample_run)
    return RunSummary(
        'ab' * 16,
        'NONE',
        0,
        '',
        True,
        True,
        True,
        2,
        2,
        17,
        5,
        43.2,
        usage,
        tree,
        ('memory is gone; planning goes on without it',),
        ('on juice coffee table: 1 of 1',),
    )


def test_a_pipe_gets_no_escape_codes_and_no_trailing_spaces(
    sample_run: list[Event], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv('COLUMNS', raising=False)
    tree = agent_tree(reduce_events(sample_run), UNICODE)
    assert tree is not None
    text = _print(_Stream(False), [tree])
    assert '\x1b' not in text
    assert all(line == line.rstrip() for line in text.splitlines())
    assert '├── ✓ 3  bring a pudding to the coffee table  succeeded' in text
    assert '└── ○ 7  look for a juice in the cabinets  not tried' in text


def test_plain_output_is_ascii_even_in_a_terminal(sample_run: list[Event]) -> None:
    stream = _Stream(True)
    output = Output(True, out=stream, err=_Stream(False))
    assert output.glyphs is ASCII
    assert not output.live
    tree = agent_tree(reduce_events(sample_run), output.glyphs)
    assert tree is not None
    text = _print(stream, [tree], plain=True)
    assert text.isascii()
    assert '\x1b' not in text


def test_a_terminal_without_utf8_gets_ascii_signs() -> None:
    output = Output(out=_Stream(True, 'latin-1'), err=_Stream(False))
    assert output.glyphs is ASCII


@pytest.mark.parametrize(
    ('changes', 'words'),
    [
        ({}, 'Solved: every goal condition is met.'),
        ({'success': False}, 'Every goal condition is met, but the tree ended in failure.'),
        ({'goal_met': False}, 'Not solved: the planner said done, but the goal is not met.'),
        (
            {'goal_known': False},
            'Done, as the planner says (not known: no condition was read).',
        ),
        (
            {'goal_known': False, 'verified': ('gate 1 is shut',)},
            'Done: all goal conditions are verified.',
        ),
        (
            {'goal_known': False, 'verified': ('gate 1 is shut',), 'assumed': ('light is on',)},
            'Done, as the planner says (assumed: some conditions are not shown beyond doubt).',
        ),
        (
            {'goal_known': False, 'verified': ('gate 1 is shut',), 'unknown': ('light is off',)},
            'Done, as the planner says (not known: some conditions are not known).',
        ),
        (
            {'goal_known': False, 'missing': ('gate 1 is shut',)},
            'Not solved: the planner said done (not met: conditions are missing).',
        ),
        ({'goal_met': False, 'success': False}, 'Failed.'),
        ({'error': 'CANCELED', 'success': False}, 'Canceled.'),
        (
            {'error': 'STEP_LIMIT', 'success': False, 'goal_met': False},
            'Stopped by the step limit.',
        ),
    ],
)
def test_the_verdict_tells_apart_planner_and_world(
    solved: RunSummary, changes: dict[str, object], words: str
) -> None:
    line = verdict(replace(solved, **changes), UNICODE)  # type: ignore[arg-type]
    assert line.plain[2:] == words


def test_the_summary_has_all_figures(solved: RunSummary) -> None:
    text = '\n'.join(line.plain for line in summary_lines(solved, UNICODE, 80))
    for words in (
        'goal    2 of 2 conditions met\n        on juice coffee table: 1 of 1',
        'work    17 decisions · 5 steps · 5 agents',
        'time    43 s · 12 s in the model · 2.5 s a decision',
        'tokens  1,000 evaluated · 8,000 cached · 300 written',
        'model   qwen',
        'notice  ! memory is gone; planning goes on without it',
    ):
        assert words in text


def test_a_run_that_asked_no_model_says_so(solved: RunSummary) -> None:
    alone = replace(solved, usage=LlmUsage())
    assert 'model   not asked' in [line.plain for line in summary_lines(alone, UNICODE, 80)]
    asked = [line.plain for line in summary_lines(solved, UNICODE, 80)]
    assert not [line for line in asked if 'not asked' in line]


def test_the_summary_lists_what_the_run_itself_knows(solved: RunSummary) -> None:
    known = replace(
        solved,
        verified=('crate 1 in aisle 2', 'gate 1 is shut'),
        missing=('x\x1b',),
        unknown=('y',),
    )
    lines = [line.plain for line in summary_lines(known, UNICODE, 80)]
    assert 'holds   crate 1 in aisle 2; gate 1 is shut' in lines
    assert 'unknown y' in lines and not any('\x1b' in line for line in lines)
    names = {
        line.split(' ')[0] for line in (row.plain for row in summary_lines(solved, UNICODE, 80))
    }
    assert not names & {'holds', 'missing', 'unknown'}
    assert known.record()['verified'] == ('crate 1 in aisle 2', 'gate 1 is shut')


def test_a_failed_run_gives_its_reason(solved: RunSummary) -> None:
    failed = replace(solved, success=False, goal_met=False, error='STEP_LIMIT', message='Too far.')
    lines = [line.plain for line in summary_lines(failed, ASCII, 80)]
    assert lines[0] == 'reason  Too far. (STEP_LIMIT)'


def test_json_of_a_result_has_plain_values(solved: RunSummary) -> None:
    record = solved.record()
    assert record['event'] == 'result'
    assert record['usage']['evaluated_tokens'] == 1000
    assert record['tree']['nodes'][0]['goal'].startswith('Bring a pudding')


def test_the_status_line_says_what_is_done_now(sample_run: list[Event]) -> None:
    line = StatusLine(UNICODE)
    transcript = Transcript(UNICODE, 80)
    said = []
    for event in sample_run:
        list(transcript.lines(event))
        line.follow(event)
        said.append(line.text(transcript.tree, 3.0).plain)
    assert said[0].startswith('reading the prompt · 0:03 · 0 decisions · 0 steps')
    assert said[3].startswith('thinking · 0:03 · 2 decisions')
    assert said[6].startswith('go to fridge 1 · ')
    assert is_end_of_run(sample_run[-1])
    assert said[-1].startswith('ending · 0:03 · 10 decisions · 5 steps · 8')


@pytest.mark.parametrize('terminal', [True, False])
def test_what_a_run_waits_for_is_in_the_moving_line_or_in_lines_of_its_own(
    terminal: bool,
) -> None:
    stream = _Stream(terminal)
    display = TerminalDisplay(Output(not terminal, out=stream, err=_Stream(False)), 'go')
    with display:
        for line in ('big: part 1 of 2\x1b', 'big: part 2 of 2', ''):
            display.prepare(line)
            display.tick(3.0, False)
    text = stream.getvalue()
    if not terminal:
        lines = [line for line in text.splitlines() if line.startswith('big')]
        assert len(lines) == 2 and lines[1] == 'big: part 2 of 2' and '\x1b' not in text
    line = StatusLine(UNICODE)
    line.preparing = 'big: part 2 of 2'
    assert line.text(AgentTree(), 3.0).plain.startswith('big: part 2 of 2 · 0:03')
    line.preparing = ''
    assert 'big' not in line.text(AgentTree(), 3.0).plain


def test_things_of_one_word_are_grouped() -> None:
    assert grouped(['apple 1', 'plate 2', 'plate 3', 'odd']) == 'apple 1, plate (2, 3), odd'


def _limits() -> Iterator[tuple[str, LimitReached]]:
    limits = Limits(decisions=3, steps=3, depth=3, tokens=3, seconds=3.0)
    for name, check in (
        ('decision', limits.check_decision),
        ('step', limits.check_step),
        ('depth', limits.check_depth),
        ('token', limits.check_tokens),
        ('time', limits.check_time),
    ):
        with pytest.raises(LimitReached) as reached:
            check(4)
        yield name, reached.value


def test_every_limit_is_told_apart_from_a_person_and_an_error() -> None:
    for name, error in _limits():
        words = result_words(NodeStatus.CANCELED, str(error))
        assert words == f'stopped by the {name} limit'
    canceled = CancelToken()
    canceled.cancel()
    with pytest.raises(CanceledError) as by_person:
        canceled.check()
    assert result_words(NodeStatus.CANCELED, str(by_person.value)) == 'canceled'
    with pytest.raises(CanceledError) as late:
        CancelToken(0.0).check()
    assert result_words(NodeStatus.CANCELED, str(late.value)) == 'stopped by the time limit'
    assert result_words(NodeStatus.CANCELED, 'The bridge is gone.') == 'stopped by an error'
    assert result_words(NodeStatus.FAILURE, 'all it may: raise max_steps') == 'failed'
    assert result_words(NodeStatus.RUNNING, '') == 'no end recorded'


def test_what_a_task_forbids_stands_below_it(sample_run: list[Event]) -> None:
    forbid = Decision(
        sample_run[0].sequence,
        0,
        DecisionKind.FORBID,
        subgoals=('turn on stove', 'open fridge'),
        text='only if it is dark',
    )
    events = [sample_run[0], forbid, *sample_run[1:]]
    tree = agent_tree(reduce_events(events), ASCII)
    assert tree is not None
    lines = _print(_Stream(False), [tree]).splitlines()
    assert 'Bring a pudding' in lines[0]
    assert lines[2].strip(' |') == 'must not: turn on stove, open fridge'
    for order in (events, [*sample_run[:2], forbid, *sample_run[2:]]):
        transcript = Transcript(ASCII, 100)
        told = [line.plain for event in order for line in transcript.lines(event)]
        assert 'Bring a pudding' in told[0]
        place = next(number for number, line in enumerate(told) if 'must not' in line)
        assert order is not events or place == 1
        assert told[place].endswith('| x must not: turn on stove, open fridge')
        assert told[place + 1].endswith('left to the model: only if it is dark')


def test_a_recorded_run_tells_what_ended_it_and_what_was_forbidden() -> None:
    *events, last = MadeUpRun(1)
    error = dict(_limits())['step']
    forbid = Decision(1, 0, DecisionKind.FORBID, subgoals=('turn on stove',))
    end = replace(last, status=NodeStatus.CANCELED, text=str(error))
    stream = _Stream(False)
    output = Output(False, out=stream, err=_Stream(False))
    show_record(GivenRun('ab' * 16, [events[0], forbid, *events[1:], end]), output)
    assert 'must not: turn on stove' in stream.getvalue()
    assert 'stopped by the step limit' in stream.getvalue()


def test_what_a_task_means_stands_below_it_and_each_word_that_was_taken_for_another() -> None:
    events = repaired_run()
    tree = agent_tree(reduce_events(events), ASCII)
    assert tree is not None
    lines = _print(_Stream(False), [tree]).splitlines()
    assert TASK in lines[0] and MEANT not in ''.join(lines)
    told = ' '.join(line.strip(' |') for line in lines[1:6])
    assert f'means: 2 crate in truck; pump is on {"; ".join(TIES)} must not: open gate' in told
    late = [*events[:2], events[3], events[2], *events[4:]]
    for order in (events, late):
        transcript = Transcript(ASCII, 100)
        said = [line.plain for event in order for line in transcript.lines(event)]
        place = next(number for number, line in enumerate(said) if 'means: ' in line)
        assert said[place].endswith('| = means: 2 crate in truck; pump is on')
        assert [line.split('|   ')[-1] for line in said[place + 1 : place + 4]] == list(TIES)
        assert (TASK in said[0] and order is not events) or place == 1


def test_where_no_condition_was_found_the_task_in_the_worlds_names_is_what_it_means() -> None:
    events = repaired_run()
    events[2] = replace(events[2], subgoals=())
    assert means_line(reduce_events(events)) == f'means: {MEANT}'
    events[2] = replace(events[2], text='')
    assert means_line(reduce_events(events)) == f'means: {NOT_READ}'
    assert means_line(reduce_events(events[:4])) == ''


def test_a_task_that_was_not_read_is_said_once_before_the_first_decision() -> None:
    events = repaired_run()
    del events[2]
    transcript = Transcript(ASCII, 100)
    said = [line.plain for event in events for line in transcript.lines(event)]
    places = [number for number, line in enumerate(said) if f'= means: {NOT_READ}' in line]
    assert len(places) == 1 and 0 < places[0] < 4


def test_the_control_flow_of_a_single_subgoal_is_not_told() -> None:
    run = repaired_run()
    place = [getattr(event, 'kind', None) for event in run].index(DecisionKind.EXPAND)
    one = replace(run[place], subgoals=('tidy up',))
    transcript = Transcript(ASCII, 100)
    said = [line.plain for event in (*run[:place], one) for line in transcript.lines(event)]
    assert any(line.endswith('Y 1 subgoal') for line in said)


def test_a_repair_shows_its_newest_subgoals_and_what_they_replaced() -> None:
    tree = agent_tree(reduce_events(repaired_run()), ASCII)
    assert tree is not None
    lines = [line.lstrip('├─└ +-') for line in _print(_Stream(False), [tree]).splitlines()]
    assert '3  load crate 1 from shelf 1  failed, replaced  (3 decisions, 2 steps)' in lines
    assert 'o 5  switch on the pump  not tried, replaced' in lines
    assert '9  switch on the pump  succeeded  (2 decisions, 1 step)' in lines


def test_one_of_anything_is_one() -> None:
    line = StatusLine(ASCII)
    start = Decision(1, 0, DecisionKind.START, text='go', usage=LlmUsage('m', 1, 0, 1, 0, 1, 0.1))
    line.follow(start)
    assert ' 1 token' in line.text(AgentTree(), 0.0).plain
    assert '1 tokens' not in line.text(AgentTree(), 0.0).plain
