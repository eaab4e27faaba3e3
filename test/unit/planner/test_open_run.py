"""Which run a planner was in when it ended, and whether to go on with it."""

from __future__ import annotations

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reactree_core.errors import ResumeError
from reactree_planner.resume.open_run import MOST_TRIES, OpenRun

RUN = 'a' * 32


@pytest.fixture
def journal(tmp_path):
    path = tmp_path / f'{RUN}.jsonl'
    path.write_text('{}\n', encoding='utf-8')
    return path


def test_a_run_that_has_ended_is_not_gone_on_with(tmp_path, journal):
    run = OpenRun(tmp_path, '0/planner')
    assert run.interrupted(60.0) == ''
    run.begin(RUN)
    assert run.interrupted(60.0) == RUN
    run.end()
    assert run.interrupted(60.0) == ''


def test_planners_that_share_a_folder_do_not_take_each_others_runs(tmp_path, journal):
    OpenRun(tmp_path, '0/robot_1/planner').begin(RUN)
    assert OpenRun(tmp_path, '0/robot_2/planner').interrupted(60.0) == ''
    assert OpenRun(tmp_path, '7/robot_1/planner').interrupted(60.0) == ''
    assert OpenRun(tmp_path, '0/robot_1/planner').interrupted(60.0) == RUN


def test_a_run_of_long_ago_stays_as_it_is_and_the_way_to_go_on_is_told(tmp_path, journal):
    run = OpenRun(tmp_path, '0/planner')
    run.begin(RUN)
    then = journal.stat().st_mtime - 100.0
    os.utime(journal, (then, then))
    assert run.interrupted(200.0) == RUN
    with pytest.raises(ResumeError, match=f'reactree plan --resume {RUN}'):
        run.interrupted(60.0)


def test_a_run_that_ends_its_planner_again_and_again_is_left(tmp_path, journal):
    run = OpenRun(tmp_path, '0/planner')
    for _ in range(MOST_TRIES):
        run.begin(RUN)
        assert run.interrupted(60.0) == RUN
    run.begin(RUN)
    with pytest.raises(ResumeError, match='It may end the planner'):
        run.interrupted(60.0)
    run.begin('b' * 32)
    (tmp_path / f'{"b" * 32}.jsonl').touch()
    assert run.interrupted(60.0) == 'b' * 32


def test_a_run_without_a_journal_has_not_begun(tmp_path):
    run = OpenRun(tmp_path, '0/planner')
    run.begin(RUN)
    assert run.interrupted(60.0) == ''


@given(st.binary(max_size=200))
def test_whatever_stands_in_the_file_names_no_other_file(tmp_path_factory, content):
    folder = tmp_path_factory.mktemp('runs')
    (folder / '0.planner.open').write_bytes(content)
    assert OpenRun(folder, '0/planner').interrupted(60.0) == ''


@pytest.mark.parametrize(
    'told', ['{"run_id": "../x", "tries": 1}', '{"run_id": 7, "tries": 1}', '[]', '{"run_id": 1}']
)
def test_an_id_that_is_none_is_no_run(tmp_path, told):
    (tmp_path / '0.planner.open').write_text(told, encoding='ascii')
    assert OpenRun(tmp_path, '0/planner').interrupted(60.0) == ''
