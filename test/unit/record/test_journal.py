"""The journal: what was written is read back, whatever the crash."""

from __future__ import annotations

import json
import math
import os
import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reactree_core.belief import Fact, Source, SourceKind
from reactree_core.errors import JournalError
from reactree_core.observation import ObjectFact, Observation, Outcome
from reactree_core.record.events import ControlFlow, Decision, DecisionKind, NodeStatus
from reactree_core.record.goal_record import GoalRecord
from reactree_core.record.journal import Journal, journal_directory, read_journal, read_records
from reactree_core.record.journal_lines import (
    Answer,
    decode_event,
    decode_record,
    encode_event,
    encode_record,
)
from reactree_core.record.run_settings import Kept, Limits, ParallelPolicy, RunSettings
from reactree_core.record.snapshot import reduce_events
from reactree_core.skill_types import Effect, Relation
from reactree_core.usage import LlmUsage
from reactree_tools.viewer.frames import RunHistory
from support.disk_space import room_for
from support.made_up_runs import MadeUpRun
from support.repaired_run import repaired_run

texts = st.text(max_size=40)
numbers = st.integers(0, 2**31)
seconds = st.floats(0, 1e6, allow_nan=False)
usages = st.builds(LlmUsage, texts, numbers, numbers, numbers, numbers, numbers, seconds)
decisions = st.builds(
    Decision,
    numbers,
    numbers,
    st.sampled_from(DecisionKind),
    texts,
    texts,
    st.sampled_from(ControlFlow),
    st.lists(texts, max_size=4).map(tuple),
    st.sampled_from(NodeStatus),
    seconds,
    usages,
    ties=st.lists(texts, max_size=3).map(tuple),
)
limits = st.builds(Limits, numbers, numbers, numbers, numbers, seconds)
starts = st.builds(
    Decision,
    numbers,
    st.just(0),
    st.just(DecisionKind.START),
    texts,
    settings=st.builds(
        RunSettings,
        texts,
        st.sampled_from(ParallelPolicy),
        st.sampled_from(Kept),
        st.booleans(),
        texts,
        st.booleans(),
        texts,
        texts,
        numbers,
        limits,
        st.booleans(),
        seconds,
    ),
)
names = st.lists(texts, max_size=3).map(tuple)
facts = st.builds(ObjectFact, texts, numbers, texts, texts, texts, seconds)
observations = st.builds(
    Observation,
    texts,
    st.sampled_from(Outcome),
    texts,
    texts,
    texts,
    names,
    names,
    names,
    st.lists(facts, max_size=3).map(tuple),
    numbers,
    numbers,
    seconds,
)


@given(st.one_of(decisions, starts, observations))
def test_an_event_survives_its_line(event):
    line = encode_event(event)
    assert '\n' not in line
    assert decode_event(line) == event


def of_format(line, version):
    """A line as an earlier version wrote it."""
    return re.sub(r'"format":\d+}', f'"format":{version}}}', line)


@given(st.one_of(decisions, starts, observations))
def test_a_line_from_before_words_were_grounded_and_failures_repaired_is_read(event):
    event = replace(event, ties=()) if isinstance(event, Decision) else event
    line = encode_event(event)
    assert 'ties' not in json.loads(line)
    assert of_format(line, 2) != line and decode_event(of_format(line, 2)) == event


def test_a_grounded_and_repaired_run_is_read_back_and_an_earlier_one_replays_as_it_did(tmp_path):
    for name, events, version in (
        ('repaired', repaired_run(), 6),
        ('earlier', list(MadeUpRun(20)), 2),
    ):
        path = tmp_path / f'{name}.jsonl'
        lines = [of_format(encode_event(event), version) for event in events]
        path.write_text(''.join(f'{line}\n' for line in lines), encoding='utf-8')
        assert list(read_journal(path)) == events
        assert reduce_events(read_journal(path)) == reduce_events(events)


EVENTS = [
    Decision(1, 0, DecisionKind.START, 'task'),
    # Separators of lines to Python, but not to JSON.
    Observation('a\u2028room\u2029of\x85mine\x0b', sequence=2, node_id=1),
    Decision(3, 1, DecisionKind.ACT, skill='done'),
]


def write(folder):
    journal = Journal(folder, 'run')
    for event in EVENTS:
        journal.append(event)
    journal.close()
    return journal.path


def test_a_journal_is_read_back_in_order(tmp_path):
    assert list(read_journal(write(tmp_path / 'new'))) == EVENTS


@given(st.data())
def test_a_crash_while_writing_loses_at_most_the_torn_line(tmp_path_factory, data):
    path = write(tmp_path_factory.mktemp('crash'))
    whole = path.read_bytes()
    cut = data.draw(st.integers(0, len(whole)))
    path.write_bytes(whole[:cut])
    events = list(read_journal(path))
    assert events == EVENTS[: len(events)]
    assert len(events) >= whole[:cut].count(b'\n')


def test_damage_before_the_end_is_an_error_that_names_the_line(tmp_path):
    path = write(tmp_path)
    lines = path.read_text(encoding='utf-8').split('\n')
    path.write_text('\n'.join([lines[0], 'rubbish', lines[2]]) + '\n')
    with pytest.raises(JournalError, match='line 2'):
        list(read_journal(path))


def test_a_newer_format_is_refused():
    with pytest.raises(JournalError, match='format 99'):
        decode_event(of_format(encode_event(EVENTS[0]), 99))


def test_a_start_from_before_settings_were_a_message_is_read():
    lines = ['planner=adapt', 'parallel_policy=all', 'max_steps=7', 'max_time=2.5', 'scene=yard']
    start = {'sequence': 1, 'node_id': 0, 'kind': 4, 'text': 'task', 'subgoals': lines}
    event = decode_event(json.dumps({**start, 'event': 'decision', 'format': 1}))
    assert event.settings == RunSettings(
        'adapt',
        ParallelPolicy.ALL,
        Kept.ATTEMPTS,
        scene='yard',
        limits=Limits(0, 7, 0, 0, 2.5),
    )
    assert not event.subgoals
    with pytest.raises(JournalError, match='limits below 0'):
        decode_event(
            json.dumps({**start, 'subgoals': ['max_steps=-1'], 'event': 'decision', 'format': 1})
        )


def test_a_folder_that_cannot_be_written_says_what_to_do(tmp_path):
    blocked = tmp_path / 'file'
    blocked.write_text('')
    with pytest.raises(JournalError, match='journal_directory'):
        Journal(blocked, 'run')


def test_a_full_disk_is_reported_on_the_event_it_lost(tmp_path):
    (tmp_path / 'run.jsonl').symlink_to('/dev/full')
    journal = Journal(tmp_path, 'run')
    with pytest.raises(JournalError, match='Free disk space'):
        journal.append(EVENTS[0])


#: Whatever JSON can say, and Python's reader lets through besides.
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from([10**400, -1, 2**63])
    | st.floats()
    | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)
DEEP = '[' * 100_000 + ']' * 100_000


@st.composite
def damaged_events(draw):
    """Lines of events in which some fields hold anything."""
    record = json.loads(encode_event(draw(st.one_of(decisions, starts, observations))))
    for name in draw(st.lists(st.sampled_from([*record, 'new']), max_size=3)):
        record[name] = draw(values)
    return json.dumps(record)


lines = st.one_of(damaged_events(), values.map(json.dumps), st.text(max_size=30), st.just(DEEP))


@given(lines)
def test_a_line_of_anything_is_a_record_or_a_journal_error(line):
    try:
        record = decode_record(line)
    except JournalError:
        return
    if not isinstance(record, Answer):
        assert decode_event(encode_event(record)) == record
        assert reduce_events([EVENTS[0], record]).task == 'task'
        history = RunHistory('run')
        history.add(record)
        json.loads(history.after(0)[0])


@pytest.mark.parametrize(
    'line',
    [
        pytest.param(DEEP, id='deeply nested'),
        '{"event":"observation","format":1,"text":7}',
        '{"event":"observation","format":1,"text":"a","node_id":-1}',
        '{"event":"observation","format":1,"text":"a","stamp":NaN}',
        '{"event":"observation","format":1,"text":"a","stamp":1' + '0' * 400 + '}',
        '{"event":"observation","format":1,"text":"a","held":"apple"}',
        '{"event":"observation","format":1,"text":"\\ud800"}',
        '{"event":"observation","format":NaN,"text":"a"}',
        '{"event":[],"format":1,"text":"a"}',
        '{"event":"answer","format":1,"answer":7}',
    ],
)
def test_a_line_of_the_wrong_types_is_a_journal_error(line):
    with pytest.raises(JournalError, match='A journal line is no event'):
        decode_record(line)


@given(
    lines.filter(
        lambda line: '\n' not in line and '"format": ' not in re.sub(r'"format": \d+,', '', line)
    ),
    st.booleans(),
)
def test_any_damaged_last_line_is_left_out_and_cut_off_before_the_run_goes_on(
    tmp_path_factory, line, ended
):
    path = write(tmp_path_factory.mktemp('damaged'))
    with path.open('a', encoding='utf-8', errors='replace') as file:
        file.write(line + '\n' * ended)
    known = list(read_records(path))
    assert known[: len(EVENTS)] == EVENTS
    journal = Journal(path.parent, 'run')
    journal.append(EVENTS[0])
    journal.close()
    assert list(read_records(path)) == [*known, EVENTS[0]]


def test_a_last_line_of_a_newer_format_is_refused_and_stays(tmp_path):
    path = write(tmp_path)
    newer = of_format(encode_event(EVENTS[0]), 99) + '\n'
    with path.open('a', encoding='utf-8') as file:
        file.write(newer)
    Journal(tmp_path, 'run').close()
    with pytest.raises(JournalError, match='format 99'):
        list(read_journal(path))


def test_a_full_disk_tears_no_line_and_the_journal_closes_quietly(tmp_path):
    path = write(tmp_path)
    journal = Journal(tmp_path, 'run')
    with room_for(path.stat().st_size + 20):
        for _ in range(2):
            with pytest.raises(JournalError, match='Free disk space'):
                journal.append(EVENTS[1])
        journal.close()
    assert list(read_journal(path)) == EVENTS
    assert path.read_bytes().endswith(b'\n')


def test_only_the_user_can_read_a_journal_and_the_folders_made_for_it(tmp_path):
    mask = os.umask(0)
    try:
        path = write(tmp_path / 'state' / 'runs')
    finally:
        os.umask(mask)
    modes = [place.stat().st_mode & 0o777 for place in (path, *list(path.parents)[:2])]
    assert modes == [0o600, 0o700, 0o700]


@pytest.mark.parametrize(
    ('field', 'good', 'wrong'),
    [
        ('node_id', ['0', str(2**63 - 1)], [str(2**63), '-1', 'true', '1.0', '"1"', 'null']),
        ('stamp', ['0', '9e17', '-9e17'], ['1e18', '-1e18', 'true', '"1"', 'null', 'Infinity']),
        ('over', ['true', 'false'], ['1', '0', '"true"', 'null']),
        ('held', ['[]', '["a"]'], ['[1]', '"a"', '{}', 'null']),
        ('place', ['""', '"a"'], ['1', '["a"]', 'null']),
        ('facts', ['[]'], ['[1]', '{}', '[{"name":1}]']),
        ('outcome', ['0', '7'], ['8', '-1', 'true', '"SUCCEEDED"']),
    ],
)
def test_a_field_takes_what_its_message_carries_and_nothing_else(field, good, wrong):
    def line(value):
        return f'{{"event":"observation","format":6,"text":"a","{field}":{value}}}'

    for value in good:
        told = getattr(decode_event(line(value)), field)
        assert told == (tuple(json.loads(value)) if value[0] == '[' else json.loads(value))
    for value in wrong:
        with pytest.raises(JournalError, match='A journal line is no event'):
            decode_event(line(value))


def test_a_line_tells_the_oldest_format_that_has_all_of_it():
    plain = [
        Observation('a'),
        Decision(1, 1, DecisionKind.THINK),
        Decision(1, 0, DecisionKind.GROUND),
    ]
    assert {json.loads(encode_event(one))['format'] for one in plain} == {6}
    new = [
        Decision(1, 0, kind)
        for kind in (DecisionKind.CORRECT, DecisionKind.WAIT, DecisionKind.FIRE)
    ]
    triggered = Decision(1, 0, DecisionKind.GROUND, goal=GoalRecord(trigger='every hour'))
    assert {json.loads(encode_event(one))['format'] for one in (*new, triggered)} == {7}
    assert json.loads(encode_event(Observation('a'), 5))['format'] == 5
    for event in (*new, triggered):
        assert decode_event(encode_event(event)) == event


def test_what_says_nothing_is_not_written():
    bare = json.loads(encode_event(Decision(1, 1, DecisionKind.THINK)))
    assert not {'ties', 'allowed_by', 'approver', 'undone_by', 'who', 'goal', 'settings'} & {*bare}
    bare = json.loads(encode_event(Observation('a')))
    assert not {'distance', 'over', 'sensed', 'assumed', 'evidence', 'who'} & {*bare}
    told = Observation('a', distance=1.5, over=True, who='r1')
    assert decode_event(encode_event(told)) == told
    told = Decision(1, 1, DecisionKind.ACT, allowed_by='default', approver='me', who='r1')
    assert decode_event(encode_event(told)) == told


@pytest.mark.parametrize('age', [2.5, math.inf])
def test_the_evidence_of_an_observation_is_kept(age):
    source = Source(SourceKind.SENSOR, '/gripper')
    held = Fact(Effect(Relation.HOLDING, '', 'cup <1>', False), source, -1.5, age)
    told = Observation('a', evidence=(held,))
    assert decode_event(encode_event(told)) == told
    with pytest.raises(JournalError):
        decode_event(encode_event(told).replace('"sensor"', '"nose"'))


def test_answers_lead_to_events_and_are_none(tmp_path):
    journal = Journal(tmp_path, 'run')
    assert journal.append(Answer('select', {'index': 1})).format == 0
    assert journal.append(EVENTS[0]).format == 6
    journal.close()
    journal.close()
    assert list(read_journal(journal.path)) == [EVENTS[0]]
    with pytest.raises(JournalError, match='no event but an answer'):
        decode_event(encode_record(Answer('select', {'index': 1})))
    with pytest.raises(JournalError, match='is closed'):
        journal.append(EVENTS[0])
    with pytest.raises(JournalError, match='cannot be read'):
        list(read_journal(tmp_path / 'none.jsonl'))


def test_a_journal_has_one_writer(tmp_path):
    first = Journal(tmp_path, 'run')
    with pytest.raises(JournalError, match='Another planner is at work'):
        Journal(tmp_path, 'run')
    first.close()
    Journal(tmp_path, 'run').close()


def test_journals_are_where_that_was_told_or_in_the_user_s_state(monkeypatch, tmp_path):
    monkeypatch.setenv('HOME', str(tmp_path))
    monkeypatch.delenv('XDG_STATE_HOME', raising=False)
    assert journal_directory('~/runs') == tmp_path / 'runs'
    assert journal_directory() == tmp_path / '.local' / 'state' / 'reactree' / 'runs'
