"""The planner's words and a robot's own, both ways."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reactree_core.cancellation import CancelToken
from reactree_core.errors import ConfigurationError
from reactree_core.observation import ObjectFact
from reactree_core.observation import Observation
from reactree_core.observation import Vocabulary
from reactree_core.skill_vocabulary import SkillVocabulary
from reactree_planner.translated_skills import TranslatedSkillServer

WORDS = SkillVocabulary(
    {'pick up <object>': 'grasp(<object>)', 'go to <place>': 'drive_to(<place>)'},
    {'kitchen table': 'table_big', 'apple 1': 'fruit_0017', 'kitchen 1': 'r2'},
)


@pytest.mark.parametrize(
    ('ours', 'theirs'),
    [
        ('pick up apple 1', 'grasp(fruit_0017)'),
        ('pick up apple 2', 'grasp(apple 2)'),
        ('go to kitchen table 3', 'drive_to(table_big 3)'),
        ('go to kitchen 1', 'drive_to(r2)'),
        ('open fridge 1', 'open fridge 1'),
    ],
)
def test_skills_go_over_and_come_back(ours, theirs):
    assert WORDS.to_robot(ours) == theirs
    assert WORDS.from_robot(theirs) == ours


def test_what_the_robot_saw_is_told_in_the_planners_words():
    seen = WORDS.observation(
        Observation(
            'At table_big 3: fruit_0017. Not table_bigger.',
            skill='drive_to(table_big 3)',
            place='table_big 3',
            room='r2',
            looked_at=('table_big 3',),
            held=('fruit_0017',),
            admissible_skills=('grasp(fruit_0017)', 'wave'),
            facts=(
                ObjectFact('fruit_0017', 0, 'r2', 'table_big 3'),
                ObjectFact('table_big', 3, 'r2'),
            ),
        )
    )
    assert seen.text == 'At kitchen table 3: apple 1. Not table_bigger.'
    assert seen.skill == 'go to kitchen table 3'
    assert (seen.place, seen.room) == ('kitchen table 3', 'kitchen 1')
    assert seen.held == ('apple 1',) and seen.looked_at == ('kitchen table 3',)
    assert seen.admissible_skills == ('pick up apple 1', 'wave')
    assert [fact.name for fact in seen.facts] == ['apple 1', 'kitchen table 3']
    assert seen.facts[0].receptacle == 'kitchen table 3'


def test_templates_and_classes_are_translated():
    robot = Vocabulary(
        ('grasp(<object>)', 'drive_to(<place>)', 'open <object>'),
        ('fruit_0017', 'cup'),
        ('table_big',),
        ('r2',),
    )
    assert WORDS.vocabulary(robot) == Vocabulary(
        ('pick up <object>', 'go to <place>', 'open <object>'),
        ('apple', 'cup'),
        ('kitchen table',),
        ('kitchen 1',),
    )


def test_a_planner_never_hears_the_robots_words():
    class Robot:
        def execute(self, sequence, node_id, skill, cancel):
            assert skill == 'grasp(fruit_0017)'
            return Observation('You hold fruit_0017.', skill=skill, held=('fruit_0017',))

        def candidate_skills(self, cancel):
            return ('grasp(fruit_0017)',)

    server = TranslatedSkillServer(Robot(), WORDS)
    seen = server.execute(1, 1, 'pick up apple 1', CancelToken())
    assert (seen.text, seen.skill, seen.held) == (
        'You hold apple 1.',
        'pick up apple 1',
        ('apple 1',),
    )
    assert server.candidate_skills(CancelToken()) == ('pick up apple 1',)


@given(st.text(max_size=40), st.integers(1, 99))
def test_every_name_comes_back(name, number):
    words = SkillVocabulary({'pick up <object>': 'grasp(<object>)'}, {'apple': 'fruit'})
    skill = f'pick up apple {number}'
    assert words.from_robot(words.to_robot(skill)) == skill
    words.to_robot(name)
    words.from_robot(name)


@pytest.mark.parametrize(
    ('content', 'says'),
    [
        ('[1, 2]', 'skills'),
        ('skills: {pick up: grasp}', 'placeholder'),
        ('skills: {pick up <object>: <object>}', 'begin with words'),
        ('skills: {pick up <a>: x <a>, take <a>: x <a>}', 'two entries'),
        ('names: {apple: fruit, pear: fruit}', 'two entries'),
        ('names: {apple: 7}', 'quote'),
        ('words: {}', 'nothing else'),
        ('{', 'no YAML'),
    ],
)
def test_a_file_that_cannot_be_used_says_why(tmp_path, content, says):
    path = tmp_path / 'words.yaml'
    path.write_text(content, encoding='utf-8')
    with pytest.raises(ConfigurationError, match=says):
        SkillVocabulary.load(path)
    with pytest.raises(ConfigurationError, match='cannot be read'):
        SkillVocabulary.load(tmp_path / 'missing.yaml')
