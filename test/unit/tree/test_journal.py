"""The journal: what was written is read back, whatever the crash."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reactree_core.errors import JournalError
from reactree_core.observation import ObjectFact
from reactree_core.observation import Observation
from reactree_core.observation import Outcome
from reactree_core.usage import LlmUsage
from reactree_planner.tree.events import ControlFlow
from reactree_planner.tree.events import Decision
from reactree_planner.tree.events import DecisionKind
from reactree_planner.tree.events import NodeStatus
from reactree_planner.tree.journal import decode_event
from reactree_planner.tree.journal import encode_event
from reactree_planner.tree.journal import Journal
from reactree_planner.tree.journal import read_journal

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


@given(st.one_of(decisions, observations))
def test_an_event_survives_its_line(event):
    line = encode_event(event)
    assert '\n' not in line
    assert decode_event(line) == event


EVENTS = [
    Decision(1, 0, DecisionKind.START, 'task'),
    # Separators of lines to Python, but not to JSON.
    Observation('a\u2028room\u2029of\x85mine\x0b', sequence=2, node_id=1),
    Decision(3, 1, DecisionKind.ACT, skill='done'),
]


def write(folder):
    journal = Journal(folder, 'run', sync=True)
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
        decode_event(encode_event(EVENTS[0]).replace('"format":1', '"format":99'))


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
