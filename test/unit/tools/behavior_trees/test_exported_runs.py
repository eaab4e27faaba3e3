"""Runs of three worlds as trees: done again where they were made, nowhere wrongly."""

from __future__ import annotations

from dataclasses import asdict
from itertools import islice

import pytest

from benchmarks.behavior_trees import (
    changed_scenes,
    other_scenes,
    SAME,
    same_scene,
    solved_runs,
    SORTS,
    Table,
    write,
    WRONG,
)
from reactree_core.errors import JournalError, RecordingError
from reactree_core.observation import Vocabulary
from reactree_core.record.events import Decision, DecisionKind
from reactree_core.record.journal_lines import Answer, encode_record
from reactree_core.record.run_settings import RunSettings
from reactree_core.skill_types import SkillType
from reactree_tools.recording.vocabularies import vocabulary_of_run


@pytest.mark.parametrize(('world', 'planner'), SORTS)
def test_a_solved_run_is_done_again_and_nowhere_wrongly(world, planner, tmp_path):
    run = next(solved_runs(world, planner, first_seed=40))
    files = write(run, tmp_path)
    table = Table()
    table.tick(run, SAME, same_scene(run), files)
    for other in islice(other_scenes(run), 1):
        table.tick(run, 'another seed', other, files)
    for name, changed in islice(changed_scenes(run), 4):
        table.tick(run, name, changed, files)
    assert table.told == []
    ends = {(scene, end) for _, scene, _, end in table.counts}
    assert (SAME, 'success') in ends
    assert WRONG not in {end for _, end in ends}


def test_the_skills_of_a_run_are_those_of_its_journal(tmp_path):
    told = Vocabulary(('grip <crate>',), skill_types=(SkillType('grip <crate>', ('thing',)),))
    answer = Answer('list_skills', {'vocabulary': asdict(told)})
    start = Decision(1, 0, DecisionKind.START)
    journal = tmp_path / 'run.jsonl'
    journal.write_text(f'{encode_record(answer)}\n{encode_record(start)}\n', encoding='utf-8')
    assert vocabulary_of_run(start, '', journal) == told


def test_without_a_journal_they_are_those_of_a_world_of_its_kind(tmp_path):
    settings = RunSettings(scene='generated:3')
    start = Decision(1, 0, DecisionKind.START, settings=settings)
    journal = tmp_path / 'run.jsonl'
    asked = vocabulary_of_run(start, 'household', journal)
    assert asked.domain == 'household'
    journal.write_text(f'{encode_record(start)}\n', encoding='utf-8')
    assert vocabulary_of_run(start, 'household', journal) == asked


def test_without_either_it_is_told_what_to_give(tmp_path):
    start = Decision(1, 0, DecisionKind.START)
    with pytest.raises(RecordingError, match=r"no world 'forklift'.* add --bridge"):
        vocabulary_of_run(start, 'forklift', tmp_path / 'run.jsonl')


def test_a_journal_whose_skills_cannot_be_read_is_told(tmp_path):
    journal = tmp_path / 'run.jsonl'
    answer = Answer('list_skills', {'vocabulary': {'templates': 3}})
    journal.write_text(f'{encode_record(answer)}\n', encoding='utf-8')
    with pytest.raises(JournalError, match='The skills in the journal'):
        vocabulary_of_run(Decision(1, 0, DecisionKind.START), '', journal)
