"""The planner's words and a robot's own, both ways."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reactree_core.cancellation import CancelToken
from reactree_core.errors import ConfigurationError
from reactree_core.observation import ObjectFact, Observation, Vocabulary
from reactree_core.skill_checks import faults_of
from reactree_core.skill_types import SkillKind, SkillType
from reactree_core.skill_vocabulary import SkillVocabulary, TranslatedSkillServer

WORDS = SkillVocabulary(
    {'pick up <object>': 'grasp(<object>)', 'go to <place>': 'drive_to(<place>)'},
    {'kitchen table': 'table_big', 'apple 1': 'fruit_0017', 'kitchen 1': 'r2'},
)
WAREHOUSE = SkillVocabulary(
    {
        'load <crate> onto <truck>': 'place(<truck>, <crate>)',
        'unload <crate> from <truck>': 'fetch(<crate>, <truck>)',
        'weigh <crate> for <count>': 'scale <thing> for <number> s',
        'wait': 'idle()',
        'search <query>': 'find(<text>)',
    },
    {'crate': 'box', 'truck': 'lorry'},
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
    ('ours', 'theirs'),
    [
        ('load crate A-7 onto truck 1', 'place(lorry 1, box A-7)'),
        ('load crate (2) onto dock 3', 'place(dock 3, box (2))'),
        ('weigh crate 2 for 3.5', 'scale box 2 for 3.5 s'),
        ('wait', 'idle()'),
        ('search <query>', 'find(<text>)'),
        ('search blue crates', 'find(blue crates)'),
    ],
)
def test_skills_of_any_number_of_slots_go_over_and_come_back(ours, theirs):
    assert WAREHOUSE.to_robot(ours) == theirs
    assert WAREHOUSE.from_robot(theirs) == ours


def test_all_that_a_robot_declares_is_told_in_the_planners_words():
    robot = Vocabulary(
        ('place(<to>, <what>)',),
        ('box',),
        ('lorry', 'dock'),
        (),
        (
            SkillType(
                'place(<to>, <what>)',
                ('place', 'thing'),
                SkillKind.PUT,
                'fetch(<what>, <to>)',
                ('<what> in <to>', 'box A-7 is moved', 'at lorry 1'),
                'puts a box on a lorry',
            ),
            SkillType('fetch(<what>, <from>)', (), SkillKind.TAKE, 'place(<from>, <what>)'),
            SkillType(
                'scale <box> for <seconds> s',
                ('thing: box, lorry', 'number: 0..9 step 1 s'),
                needs=('hands free', 'holding <box>', '<box> in lorry 1'),
            ),
            SkillType('hoot', description='loud'),
        ),
        ('driver',),
        (('box', 'parcel'), ('lorry 1', 'van')),
        'warehouse',
        'Carries one box.',
    )
    told = WAREHOUSE.vocabulary(robot)
    assert told == Vocabulary(
        ('load <crate> onto <truck>',),
        ('crate',),
        ('truck', 'dock'),
        (),
        (
            SkillType(
                'load <crate> onto <truck>',
                ('thing', 'place'),
                SkillKind.PUT,
                'unload <crate> from <truck>',
                ('<crate> in <truck>', 'crate A-7 is moved', 'at truck 1'),
                'puts a crate on a truck',
            ),
            SkillType(
                'unload <crate> from <truck>', (), SkillKind.TAKE, 'load <crate> onto <truck>'
            ),
            SkillType(
                'weigh <crate> for <count>',
                ('thing: crate, truck', 'number: 0..9 step 1 s'),
                needs=('hands free', 'holding <crate>', '<crate> in truck 1'),
            ),
            SkillType('hoot', description='loud'),
        ),
        ('driver',),
        (('crate', 'parcel'), ('truck', 'van')),
        'warehouse',
        'Carries one crate.',
    )
    assert not any(map(faults_of, told.skill_types))


def test_what_usually_holds_follows_the_slots_to_their_new_places():
    words = SkillVocabulary({'place <spot> <thing>': 'put <thing> <spot>'}, {})
    robot = Vocabulary(skill_types=(SkillType('put <thing> <spot>', kind=SkillKind.PUT),))
    (told,) = words.vocabulary(robot).skills
    assert told.effects == ('<thing> in <spot>', 'not holding <thing>')


_WORDS = st.text('abcdefgh-', min_size=1, max_size=4)


@given(st.data())
def test_every_skill_of_any_template_comes_back(data):
    count = data.draw(st.integers(0, 4))
    slots = [f'<s{place}>' for place in range(count)]
    theirs_slots = data.draw(st.permutations(slots))
    if data.draw(st.booleans()):
        # Other names: they belong together by their places.
        theirs_slots = [slot.upper() for slot in slots]
    joints = st.lists(_WORDS.map(lambda word: f' {word} '), min_size=count, max_size=count)
    ours, theirs = (
        verb + ''.join(joint + slot for joint, slot in zip(data.draw(joints), order, strict=True))
        for verb, order in (('we', slots), ('it', theirs_slots))
    )
    names = {'apple': 'fruit', 'apple 1': 'fruit_0017', 'kitchen table': 'table_big', 'cup': 'C'}
    words = SkillVocabulary({ours: theirs}, names)
    robot_names = st.sampled_from(['fruit 2', 'fruit_0017', 'table_big A-7', 'C (3)', 'box 4'])
    values = data.draw(
        st.lists(
            robot_names | _WORDS | _WORDS.map('{0} {0}'.format), min_size=count, max_size=count
        )
    )
    skill = SkillType(theirs).filled(values)
    assert words.to_robot(words.from_robot(skill)) == skill
    if set(values) <= {'fruit 2', 'fruit_0017', 'table_big A-7', 'C (3)', 'box 4'}:
        assert words.from_robot(skill).startswith('we')


@pytest.mark.parametrize(
    ('content', 'says'),
    [
        ('[1, 2]', 'skills'),
        ('skills: {pick up <a>: grasp}', 'same slots'),
        ('skills: {a <v> <w> <x> <y> <z>: b <v> <w> <x> <y> <z>}', 'at most 4'),
        ('skills: {take <a>: x <a>, take <b>: y <b>}', 'left side of two entries'),
        ('skills: {pick up <object>: <object>}', 'begin with words'),
        ('skills: {pick up <a>: x <a>, take <a>: x <a>}', 'two entries'),
        ('names: {apple: fruit, pear: fruit}', 'two entries'),
        ('names: {apple: 7}', 'names.apple.*quotation marks'),
        ('words: {}', 'no "words"; there are skills, names'),
        ('{', 'not YAML'),
    ],
)
def test_a_file_that_cannot_be_used_says_why(tmp_path, content, says):
    path = tmp_path / 'words.yaml'
    path.write_text(content, encoding='utf-8')
    with pytest.raises(ConfigurationError, match=says):
        SkillVocabulary.load(path)
    with pytest.raises(ConfigurationError, match='cannot be read'):
        SkillVocabulary.load(tmp_path / 'missing.yaml')
