"""Recorded runs: folders of journals, single runs, and what a user may call them."""

from __future__ import annotations

import os
from dataclasses import replace

import pytest

from reactree_core.errors import JournalError
from reactree_core.record.events import NodeStatus
from reactree_core.record.journal import Journal
from reactree_core.record.journal_lines import Answer
from reactree_tools.viewer import sources
from reactree_tools.viewer.runs import KEPT_RUNS, Runs
from reactree_tools.viewer.sources import GivenRun, JournalFolder, open_runs
from reactree_tools.views.statuses import result_words
from support.made_up_runs import MadeUpRun

FIRST, SECOND = '1' * 32, '12' + '3' * 30


@pytest.fixture
def folder(tmp_path):
    """Two journals, the second newer and without an end."""
    for age, (run_id, count) in enumerate(((SECOND, 30), (FIRST, 1000))):
        journal = Journal(tmp_path, run_id)
        for event in list(MadeUpRun(20, seed=age))[:count]:
            journal.append(event)
        journal.close()
        os.utime(journal.path, (1000.0 - age, 1000.0 - age))
    (tmp_path / 'notes.jsonl').write_text('no journal\n')
    return tmp_path


def test_a_folder_lists_its_runs_newest_first_with_how_they_ended(folder):
    newer, older = JournalFolder(folder).entries()
    assert (newer.run_id, newer.status) == (SECOND, NodeStatus.RUNNING)
    assert (older.run_id, older.changed) == (FIRST, pytest.approx(999.0))
    assert older.status in (NodeStatus.SUCCESS, NodeStatus.FAILURE)
    assert older.task == 'tidy up the whole house and set the table for two'
    assert older.duration > 0


def test_a_folder_notices_that_a_journal_has_grown(folder):
    journals = JournalFolder(folder)
    before = journals.entries()[0]
    journal = Journal(folder, SECOND)
    for event in list(MadeUpRun(20))[30:]:
        journal.append(event)
    journal.close()
    assert journals.entries()[0].status is not before.status


def test_the_last_event_is_found_before_answers_of_any_length(folder):
    before = JournalFolder(folder).entries()[0]
    journal = Journal(folder, SECOND)
    journal.append(Answer('retrieve', {'texts': ['a\r\n' * 100_000]}))
    journal.close()
    after = JournalFolder(folder).entries()[0]
    assert after.duration == before.duration > 0


def test_a_folder_that_is_not_there_has_no_runs(tmp_path):
    assert JournalFolder(tmp_path / 'nowhere').entries() == ()
    with pytest.raises(JournalError):
        tuple(JournalFolder(tmp_path).events(FIRST))


@pytest.mark.parametrize('name', ['../' + FIRST, '/etc/passwd', '', 'a.b'])
def test_a_run_cannot_be_a_path(folder, name):
    with pytest.raises(JournalError):
        tuple(JournalFolder(folder / 'inner').events(name))


@pytest.mark.parametrize(
    ('name', 'found'), [('last', SECOND), ('123', SECOND), ('11', FIRST), (FIRST, FIRST)]
)
def test_a_run_is_found_by_its_first_digits(folder, name, found):
    (run,) = open_runs(name, folder)
    assert run.entries()[0].run_id == found
    assert len(tuple(run.events(found))) > 10


def test_a_run_is_found_by_its_file(folder, tmp_path):
    (run,) = open_runs(str(folder / f'{FIRST}.jsonl'), tmp_path / 'nowhere')
    assert run.run_id == FIRST


@pytest.mark.parametrize(
    ('name', 'sentence'), [('1', '2 runs begin with 1'), ('9', 'There is no run 9')]
)
def test_a_run_that_is_not_clear_is_told(folder, name, sentence):
    with pytest.raises(JournalError, match=sentence):
        open_runs(name, folder)


def test_of_recorded_runs_only_some_stay_in_memory():
    sources = [GivenRun(f'{number:032x}', MadeUpRun(2)) for number in range(KEPT_RUNS + 3)]
    runs = Runs(sources)
    histories = [runs.history(entry.run_id) for entry in runs.entries()]
    assert all(history.finished for history in histories)
    assert runs.history(runs.entries()[-1].run_id) is histories[-1]
    assert runs.history(runs.entries()[0].run_id) is not histories[0]


def test_a_live_run_comes_before_its_own_record(folder):
    runs = Runs([JournalFolder(folder)])
    assert runs.newest == SECOND
    history = runs.begin(FIRST)
    history.add(next(iter(MadeUpRun(1))))
    assert runs.newest == FIRST
    assert runs.is_live(FIRST)
    assert [entry.run_id for entry in runs.entries()] == [FIRST, SECOND]
    assert runs.history(FIRST) is history


def test_a_record_that_has_grown_is_read_again_until_its_run_has_ended(folder):
    """Two robots may write into one folder, and only one of them is this viewer's."""
    runs = Runs([JournalFolder(folder)])
    before = runs.history(SECOND)
    assert runs.history(SECOND) is before
    begun = before.end
    journal = Journal(folder, SECOND)
    rest = list(MadeUpRun(20))[30:]
    journal.append(rest[0])
    grown = runs.history(SECOND)
    assert (grown.end, grown.finished) == (begun + 1, False)
    assert runs.known(SECOND) is grown, 'whoever looks at it is given what is new'
    for event in rest[1:]:
        journal.append(event)
    journal.close()
    away = journal.path.rename(folder / 'away')
    assert runs.history(SECOND) is grown
    away.rename(journal.path)
    whole = runs.history(SECOND)
    assert whole.finished
    os.utime(journal.path, (5000.0, 5000.0))
    assert runs.history(SECOND) is whole


ENDS = {
    'succeeded': (NodeStatus.SUCCESS, ''),
    'failed': (NodeStatus.FAILURE, ''),
    'canceled': (NodeStatus.CANCELED, 'canceled by request'),
    'stopped by the step limit': (
        NodeStatus.CANCELED,
        'The run executed 3 skills, all it may: raise max_steps to let it go on longer.',
    ),
    'stopped by an error': (NodeStatus.CANCELED, 'The bridge is gone: start it again.'),
    'no end recorded': None,
}


def test_a_run_is_listed_with_its_planner_and_what_ended_it(tmp_path):
    for number, end in enumerate(ENDS.values()):
        journal = Journal(tmp_path, str(number) * 32)
        *events, last = MadeUpRun(5)
        for event in events:
            journal.append(event)
        if end is not None:
            journal.append(replace(last, status=end[0], text=end[1]))
        journal.close()
    entries = sorted(JournalFolder(tmp_path).entries(), key=lambda entry: entry.run_id)
    assert [result_words(entry.status, entry.reason) for entry in entries] == list(ENDS)
    assert {entry.planner for entry in entries} == {'reactree'}


#: Journals that cannot be read, and what is said about them.
DEEP, CLOSED, NEWER = '4' * 32, '5' * 32, '6' * 32
DAMAGE = {
    DEEP: '[' * 100_000,
    CLOSED: '\n',
    NEWER: '{"event":"decision","format":99}\n',
}


@pytest.fixture
def damaged(folder):
    """The same folder, with newer journals that cannot be read, and a link to nowhere."""
    for run_id, content in DAMAGE.items():
        (folder / f'{run_id}.jsonl').write_text(content)
    (folder / f'{"7" * 32}.jsonl').symlink_to(folder / 'nowhere')
    (folder / f'{"8" * 32}.jsonl').touch()
    return folder


def test_journals_that_cannot_be_read_are_listed_with_the_reason_beside_the_others(damaged):
    entries = {entry.run_id: entry for entry in JournalFolder(damaged).entries()}
    assert entries.keys() == {*DAMAGE, FIRST, SECOND}
    assert {run_id for run_id, entry in entries.items() if entry.trouble} == {*DAMAGE}
    assert 'format 99' in entries[NEWER].trouble
    assert entries[FIRST].task


def test_the_last_run_is_the_last_that_can_be_read_and_the_others_are_told(damaged):
    said = []
    (run,) = open_runs('last', damaged, warn=said.append)
    assert run.run_id == SECOND
    assert len(said) == len(DAMAGE)
    assert any(NEWER in sentence and 'format 99' in sentence for sentence in said)
    assert Runs([JournalFolder(damaged)]).newest == SECOND


def test_a_journal_that_cannot_be_opened_is_listed_with_the_systems_reason(folder, monkeypatch):
    def closed(path, size):
        raise PermissionError(13, 'Permission denied')

    # Tests may run as root, who can open everything.
    monkeypatch.setattr(sources, '_ends', closed)
    assert {entry.trouble for entry in JournalFolder(folder).entries()} == {'Permission denied'}
