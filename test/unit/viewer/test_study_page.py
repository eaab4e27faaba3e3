"""What the page of a study is told, while the study grows, is damaged, moved or very large."""

from __future__ import annotations

import json
import os
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reactree_core.errors import ConfigurationError
from reactree_tools.bench.following import FollowedStudy
from reactree_tools.bench.rows import append_row, flat, read_rows, ROWS, RUNS, STUDY
from reactree_tools.bench.running import study_folder
from reactree_tools.viewer.sources import JournalFolder, LISTED_RUNS
from reactree_tools.viewer.study_page import COLUMNS, StudyPage, TASKS_OF_A_PAGE
from support.made_up_studies import begin_study, end_episode, row_of_cell


@pytest.fixture
def watch(serve, tmp_path):
    """Serves the study of the folder; a client."""

    def begin():
        page = StudyPage(tmp_path)
        _, client = serve(JournalFolder(tmp_path / RUNS, page.newest_runs), study=page)
        return client

    return begin


def told(client, **asked):
    answer = client.get('api/study', params=asked)
    assert answer.status_code == 200, answer.text
    return answer.json()


def cell_states(answer):
    return [[cell and cell['state'] for cell in task['cells']] for task in answer['tasks']]


def test_what_is_told_grows_with_the_rows_and_is_silent_without(watch, tmp_path):
    cells = list(begin_study(tmp_path).cells())
    client = watch()
    first = told(client)
    assert (first['done'], first['total'], first['left']) == (0, 6, None)
    assert cell_states(first) == [['waiting'] * 2] * 3
    assert first['columns'] == ['none', 'both'] and first['axes'] == ['memory']
    assert told(client, known=first['mark']) is None
    one = end_episode(tmp_path, cells[0], success=True, met=3, seconds=10.0)
    end_episode(tmp_path, cells[1], success=False, met=1, seconds=30.0, ended='success')
    second = told(client, known=first['mark'])
    assert (second['done'], second['left']) == (2, 2 * 10.0 + 2 * 30.0)
    assert cell_states(second)[0] == ['met', 'part']
    assert second['tasks'][0]['cells'][0]['run'] == one.run
    assert 'said to be done, and is not' in second['tasks'][0]['cells'][1]['words']
    assert [(line['name'], line['solved'], line['asked']) for line in second['groups']] == [
        ('none', 1, 3),
        ('both', 0, 3),
    ]
    end_episode(tmp_path, cells[2], success=False, met=0)
    assert cell_states(told(client))[1] == ['not', 'waiting']


def test_a_look_reads_only_what_was_added(tmp_path, monkeypatch):
    cells = list(begin_study(tmp_path, tasks=['household:20@7']).cells())
    for cell in cells[:30]:
        append_row(tmp_path / ROWS, row_of_cell(cell))
    study = FollowedStudy(tmp_path)
    parsed = []
    monkeypatch.setattr(
        'reactree_tools.bench.following.row_of',
        lambda line: parsed.append(line) or row_of_cell(cells[30]),
    )
    study.look()
    assert not parsed
    append_row(tmp_path / ROWS, row_of_cell(cells[30]))
    study.look()
    study.look()
    assert len(parsed) == 1
    assert study.done == 31


LINES = st.lists(
    st.one_of(st.integers(0, 5), st.sampled_from(['{"torn": ', '', 'null', '\u2028'])), max_size=9
)


@given(lines=LINES, ends=st.lists(st.integers(1, 900), max_size=12))
@settings(deadline=None, max_examples=60)
def test_however_rows_are_written_what_is_known_in_the_end_is_the_same(lines, ends):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        cells = list(begin_study(folder).cells())
        texts = [
            json.dumps(flat(row_of_cell(cells[line], reason='Straße ✓')), ensure_ascii=False)
            if isinstance(line, int)
            else line
            for line in lines
        ]
        whole = '\n'.join(texts).encode()
        study = FollowedStudy(folder)
        for end in (*ends, len(whole)):
            with (folder / ROWS).open('ab') as file:
                file.write(whole[:end])
            whole = whole[end:]
            study.look()
        assert list(study.episodes) == [row.cell for row in read_rows(folder / ROWS)]


def test_a_torn_line_is_told_of_when_it_stays_torn(tmp_path):
    cells = list(begin_study(tmp_path).cells())
    rows = tmp_path / ROWS
    append_row(rows, row_of_cell(cells[0]))
    study = FollowedStudy(tmp_path)
    with rows.open('ab') as file:
        file.write(b'{"torn": ')
    study.look()
    assert (study.done, study.damaged) == (1, 0)
    append_row(rows, row_of_cell(cells[2]))
    study.look()
    assert (study.done, study.damaged) == (2, 1)
    assert '1 line of episodes.jsonl cannot be read' in study.troubles[0]


@pytest.mark.parametrize(
    'values',
    [
        {'seconds': 'long'},
        {'seconds': float('nan')},
        {'planner': 5},
        {'task': ['a']},
        {'met': None},
        {'total': -1, 'met': 'x'},
        {'run': None},
        {'decisions': '3'},
        {'instruction': 7},
        {'seconds': 10**400},
    ],
)
def test_a_row_of_something_else_is_left_out_and_the_rest_is_told(watch, tmp_path, values):
    cells = list(begin_study(tmp_path).cells())
    strange = {**flat(row_of_cell(cells[0])), **values}
    with (tmp_path / ROWS).open('a') as file:
        for line in (json.dumps(strange), '[]', 'null', '[' * 100_000, '{}'):
            file.write(f'{line}\n')
    append_row(tmp_path / ROWS, row_of_cell(cells[1]))
    answer = told(watch())
    assert answer['done'] == 1
    assert answer['troubles'][0].startswith('5 lines of episodes.jsonl')


def test_the_end_of_a_line_within_a_text_does_not_end_the_row(tmp_path):
    cells = list(begin_study(tmp_path).cells())
    row = row_of_cell(cells[0], reason='one\u2028two\x85three')
    append_row(tmp_path / ROWS, row)
    assert read_rows(tmp_path / ROWS) == [row]
    assert FollowedStudy(tmp_path).damaged == 0


def test_rows_that_are_told_twice_or_no_longer_asked_for_do_not_count_as_done(watch, tmp_path):
    cells = list(begin_study(tmp_path).cells())
    append_row(tmp_path / ROWS, row_of_cell(cells[0], success=True))
    append_row(tmp_path / ROWS, row_of_cell(cells[0], success=False))
    other = replace(cells[0], planner='react')
    append_row(tmp_path / ROWS, row_of_cell(other))
    answer = told(watch())
    assert (answer['done'], answer['total'], answer['beside']) == (1, 6, 1)
    assert answer['columns'] == ['reactree · none', 'reactree · both', 'react · none']
    assert cell_states(answer)[0][0] == 'met'
    assert cell_states(answer)[1] == ['waiting', 'waiting', None]


def test_rows_that_are_gone_or_a_study_that_was_changed_are_read_anew(watch, tmp_path):
    cells = list(begin_study(tmp_path).cells())
    for cell in cells[:4]:
        append_row(tmp_path / ROWS, row_of_cell(cell))
    client = watch()
    assert told(client)['done'] == 4
    (tmp_path / ROWS).unlink()
    assert told(client)['done'] == 0
    append_row(tmp_path / ROWS, row_of_cell(cells[5]))
    assert told(client)['done'] == 1
    begin_study(tmp_path, tasks=['household:5@7'])
    assert (told(client)['done'], told(client)['total']) == (1, 10)
    (tmp_path / STUDY).write_text('planners: [')
    answer = told(client)
    assert answer['total'] == 10
    assert 'What was read before is shown: ' in answer['troubles'][0]


def test_a_study_from_elsewhere_shows_its_rows_without_a_total(watch, tmp_path):
    cells = list(begin_study(tmp_path).cells())
    append_row(tmp_path / ROWS, row_of_cell(cells[0]))
    (tmp_path / STUDY).write_text('tasks: [{tasks: "wah:/nowhere.json", scenes: "generated:1"}]')
    answer = told(watch())
    assert (answer['done'], answer['total'], answer['left']) == (1, None, None)
    assert 'nowhere.json' in answer['troubles'][0]
    assert len(answer['tasks']) == 1


def test_whether_a_process_runs_the_study_is_known_and_does_not_disturb_it(watch, tmp_path):
    study = begin_study(tmp_path)
    client = watch()
    before = told(client)
    assert not before['running']
    with study_folder(tmp_path, study):
        during = told(client, known=before['mark'])
        assert during['running']
    with study_folder(tmp_path, study):
        pass
    assert not told(client, known=during['mark'])['running']


def test_episodes_that_end_side_by_side_shorten_the_time_that_is_left(tmp_path):
    study = begin_study(tmp_path, tasks=['household:10@7'])
    cells = list(study.cells())
    for number, cell in enumerate(cells[:12]):
        row = end_episode(tmp_path, cell, seconds=40.0)
        # Four workers: one of them ends every 10 s.
        os.utime(tmp_path / RUNS / f'{row.run}.jsonl', (1000.0 + 10 * number,) * 2)
    with study_folder(tmp_path, study):
        followed = FollowedStudy(tmp_path)
        assert followed.at_once == pytest.approx(4.0)
        assert followed.left == pytest.approx(8 * 40.0 / 4)
    followed.look()
    assert followed.left == pytest.approx(8 * 40.0)


def test_tasks_are_found_by_their_words_and_by_what_came_of_them(watch, tmp_path):
    cells = list(begin_study(tmp_path, tasks=['household:12@1']).cells())
    for cell in cells[:-2]:
        good = cell.task.endswith(':1') or (cell.task.endswith(':2') and cell.memory == 'both')
        row = row_of_cell(cell, success=good, instruction=f'Bring {cell.task}')
        append_row(tmp_path / ROWS, row)
    client = watch()

    def names(**asked):
        return [task['name'].partition(':')[2] for task in told(client, **asked)['tasks']]

    assert names(shown='differ') == ['2']
    assert names(shown='waiting') == ['12']
    assert names(shown='failed') == [str(number) for number in range(2, 12)]
    assert names(find='BRING 2') == ['2']
    assert names(find='no such words') == []
    refused = client.get('api/study', params={'shown': 'some'}).json()['message']
    assert refused.startswith('there is no choice "some"')
    assert client.get('api/study', params={'page': '-1'}).status_code == 400


def test_a_study_of_ten_thousand_episodes_stays_quick(watch, tmp_path):
    cells = list(
        begin_study(
            tmp_path, tasks=['household:1250@1'], planners=['reactree', 'react'], seeds=2
        ).cells()
    )
    assert len(cells) == 10_000
    with (tmp_path / ROWS).open('w', encoding='utf-8') as file:
        file.writelines(f'{json.dumps(flat(row_of_cell(cell)))}\n' for cell in cells[:-1])
    client = watch()
    began = time.process_time()
    answer = told(client, page='9')
    assert (answer['done'], answer['pages'], answer['first']) == (9999, 50, 451)
    assert len(answer['tasks']) == TASKS_OF_A_PAGE
    append_row(tmp_path / ROWS, row_of_cell(cells[-1]))
    last = told(client, page='999999999', find='household', known=answer['mark'])
    assert (last['done'], last['page']) == (10_000, 49)
    # Far from what reading it all again would take.
    assert time.process_time() - began < 1.0
    assert len(client.get('api/study').content) < 200_000


def test_many_groups_have_lines_and_the_first_have_columns(watch, tmp_path):
    presets = [f'default,repairs={number}' for number in range(COLUMNS + 5)]
    begin_study(tmp_path, tasks=['household:1@7'], presets=presets, memories=['none'])
    answer = told(watch())
    assert len(answer['groups']) == answer['all_columns'] == COLUMNS + 5
    assert len(answer['columns']) == len(answer['tasks'][0]['cells']) == COLUMNS


def test_each_episode_can_be_opened_and_the_newest_are_listed(watch, tmp_path, monkeypatch):
    monkeypatch.setattr('reactree_tools.viewer.sources.LISTED_RUNS', 3)
    assert LISTED_RUNS > 3
    rows = [end_episode(tmp_path, cell) for cell in begin_study(tmp_path).cells()]
    client = watch()
    listed = [run['run'] for run in client.get('api/runs').json()]
    assert listed == [row.run for row in rows[:-4:-1]]
    with client.stream('GET', 'api/stream', params={'run': rows[0].run}) as response:
        kinds = (line for line in response.iter_lines() if line.startswith('event: '))
        assert next(kind for kind in kinds if kind != 'event: status') == 'event: run'


def test_what_is_no_study_is_said_in_a_sentence(serve, tmp_path):
    with pytest.raises(ConfigurationError, match='there is no folder'):
        StudyPage(tmp_path / 'nowhere')
    with pytest.raises(ConfigurationError, match='holds no study'):
        StudyPage(tmp_path)
    (tmp_path / STUDY).write_text('planers: [react]')
    with pytest.raises(ConfigurationError, match='there is no "planers"'):
        StudyPage(tmp_path)
    _, client = serve()
    answer = client.get('api/study')
    assert answer.status_code == 404
    assert 'reactree viewer --study FOLDER' in answer.json()['message']
    assert client.get('study').status_code == 200
