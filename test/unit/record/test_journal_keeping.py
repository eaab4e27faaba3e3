"""Old journals are removed; never one of a run that goes on, or that can be resumed."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from reactree_core.errors import ConfigurationError
from reactree_core.record.events import Decision, DecisionKind, NodeStatus
from reactree_core.record.journal import Journal
from reactree_core.record.journal_keeping import Keep, read_keep, remove_old_journals

START = Decision(1, 0, DecisionKind.START, text='grab the drum')
END = Decision(2, 0, DecisionKind.FINISH, status=NodeStatus.SUCCESS)


def written(folder: Path, run: int, *events: Decision) -> Journal:
    """The journal of a run, a day older than that with the next number."""
    journal = Journal(folder, f'{run:032x}')
    for event in events:
        journal.append(event)
    journal.close()
    then = time.time() - (10 - run) * 86400
    os.utime(journal.path, (then, then))
    return journal


def left(folder: Path) -> list[int]:
    return sorted(int(path.stem, 16) for path in folder.glob('*.jsonl'))


@pytest.mark.parametrize(
    ('keep', 'kept'),
    [
        ('', [1, 2, 3, 4, 5]),
        ('3 runs', [3, 4, 5]),
        ('6.5 days', [4, 5]),
        ('2 KB', [3, 4, 5]),
        ('1 TB, 4 runs, 90 days', [2, 3, 4, 5]),
        ('0 runs', []),
    ],
)
def test_the_oldest_are_removed(tmp_path: Path, keep: str, kept: list[int]) -> None:
    long = Decision(1, 0, DecisionKind.START, text='x' * 100)
    for run in range(1, 6):
        journal = written(tmp_path, run, long, END)
    if 'KB' in keep:
        keep = f'{3.5 * journal.path.stat().st_size / 1000} KB'
    (tmp_path / '0.planner.open').write_text('{}')
    assert remove_old_journals(tmp_path, read_keep(keep)) == 5 - len(kept)
    assert left(tmp_path) == kept
    assert (tmp_path / '0.planner.open').exists()


def test_what_can_be_resumed_or_goes_on_or_is_no_journal_stays(tmp_path: Path) -> None:
    written(tmp_path, 1, START)
    written(tmp_path, 2, START, END)
    written(tmp_path, 3, START, Decision(2, 1, DecisionKind.FINISH, status=NodeStatus.SUCCESS))
    written(tmp_path, 4, START, END)
    (tmp_path / f'{5:032x}.jsonl').write_text('{"other": 1}\n')
    # As a run that was ended and is repaired writes its journal again.
    goes_on = Journal(tmp_path, f'{4:032x}')
    assert remove_old_journals(tmp_path, Keep(runs=0)) == 1
    assert left(tmp_path) == [1, 3, 4, 5]
    goes_on.close()


def test_a_folder_that_is_not_there_has_nothing_to_remove(tmp_path: Path) -> None:
    assert remove_old_journals(tmp_path / 'none', Keep(runs=0)) == 0


def test_what_is_kept_is_written_with_its_unit() -> None:
    assert read_keep('1 run, 2 day') == Keep(runs=1, age=2 * 86400)
    assert [read_keep(f'3 {unit}').size for unit in ('KB', 'MB', 'GB', 'TB')] == [
        3e3, 3e6, 3e9, 3e12
    ]  # fmt: skip
    assert read_keep('1.5 GB, ') == Keep(size=1.5e9)


def test_what_is_exactly_as_much_as_may_be_kept_stays(tmp_path: Path) -> None:
    journals = [written(tmp_path, run, START, END) for run in (1, 2)]
    size = sum(journal.path.stat().st_size for journal in journals)
    assert remove_old_journals(tmp_path, Keep(runs=2, size=size)) == 0
    assert remove_old_journals(tmp_path, Keep(size=size - 1)) == 1


def test_one_that_cannot_be_removed_makes_others_go_and_the_end_of_a_part_is_no_end(
    tmp_path: Path,
) -> None:
    written(tmp_path, 1, START)
    for run in (2, 3, 4):
        written(tmp_path, run, START, END)
    waits = Decision(2, 0, DecisionKind.EXPAND)
    written(tmp_path, 5, START, waits)
    assert remove_old_journals(tmp_path, Keep(runs=3)) == 2
    assert left(tmp_path) == [1, 4, 5]
    assert remove_old_journals(tmp_path, Keep(runs=0)) == 1
    assert left(tmp_path) == [1, 5]


@pytest.mark.parametrize('text', ['5', 'many runs', '-1 runs', '2 GB 3 runs', '1e9 runs', 'x'])
def test_what_is_no_limit_is_refused_with_what_is(text: str) -> None:
    with pytest.raises(ConfigurationError, match='write runs, KB, MB, GB, TB or days'):
        read_keep(text)
