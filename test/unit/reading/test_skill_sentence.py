"""A sentence that is a declared skill is that skill, whatever its words."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reactree_core.observation import Vocabulary
from reactree_core.skill_types import SkillKind, SkillType
from reactree_planner.reading.names import Names
from reactree_planner.reading.offers import offers_for
from reactree_planner.reading.reader import read_alone
from reactree_planner.reading.skill_sentence import matcher_of
from support.made_up_skills import Grounded, vocabularies

ROVER = Vocabulary(
    skill_types=(
        SkillType('pick up <thing>', ('thing',), SkillKind.TAKE),
        SkillType('put <thing> on <place>', ('thing', 'place'), SkillKind.PUT),
        SkillType('go to <place>', ('place',), SkillKind.MOVE),
        SkillType('visit <place>', ('place',), SkillKind.MOVE),
        SkillType('take a photo'),
        SkillType('sit down'),
        SkillType('undock'),
        SkillType('laser fire'),
        SkillType('say <text>', ('text',), SkillKind.MOVE),
        SkillType('inspect <place>', ('place',)),
        SkillType('dock at <place>', ('place',), SkillKind.MOVE, effects=('robot is docked',)),
        SkillType('probe <place>', ('place',), SkillKind.LOOK),
        SkillType('open <place>', ('place',), SkillKind.OPEN),
        SkillType('close <place>', ('place',), SkillKind.CLOSE),
        SkillType(
            'water <plant> with <ml> ml',
            ('name', 'number: 0..300 step 10 ml'),
            effects=('raises moisture of <plant> by <ml>/10', 'lowers volume by <ml>'),
        ),
        SkillType('dispense <number> ml', ('number: 1..50 ml',)),
        SkillType('charge the battery', effects=('raises battery by 50',)),
        SkillType('open the lid', effects=('lid is open',)),
        SkillType('close the lid', effects=('lid is closed',)),
    ),
    object_classes=('cup',),
    place_classes=('dock', 'hall', 'plant T01', 'plant P06', 'shelf'),
    other_classes=('battery', 'lid', 'robot', 'volume'),
    numbers=('moisture', 'battery', 'volume'),
)


ROVER = replace(ROVER, templates=tuple(one.template for one in ROVER.skill_types))


def read(text: str, vocabulary: Vocabulary = ROVER):
    return read_alone(text, Names(vocabulary))


@pytest.mark.parametrize(
    ('text', 'means'),
    [
        ('take a photo', 'done take a photo'),
        ('Take the photo!', 'done take a photo'),
        ('sit down', 'done sit down'),
        ('undock', 'done undock'),
        ('laser fire', 'done laser fire'),
        ('go to dock 1', 'at dock 1'),
        ('visit dock 1', 'done visit dock 1'),
        ('visit the dock', 'done visit dock'),
        ('inspect the shelf', 'done inspect shelf'),
        ('dock at dock 2', 'done dock at dock 2'),
        ('say hello', 'done say hello'),
        ('Please say Good morning, Ada!', 'done say Good morning, Ada'),
        ('say "do not touch"', 'done say do not touch'),
        ('dispense 5 ml', 'done dispense 5 ml'),
        ('dispense five millilitres', 'done dispense 5 ml'),
        ('water plant T01 with 100 ml', 'done water plant T01 with 100 ml'),
        ('Water the t01 with 0.1 l, please.', 'done water plant T01 with 100 ml'),
        ('charge the battery', 'done charge the battery'),
        ('probe plant P06', 'done probe plant P06'),
        ('open the lid', 'lid is open'),
        ('open the lid twice', 'done 2 times open the lid'),
        ('inspect the hall twice', 'done 2 times inspect hall'),
        ('take a photo twice', 'done 2 times take a photo'),
        ('could you sit down?', 'done sit down'),
        ('Robot, please undock.', 'done undock'),
        (
            'undock, then take a photo, then go to dock 1',
            'done undock; then done take a photo; then at dock 1',
        ),
        ('take a photo. Sit down.', 'done take a photo; then done sit down'),
        ('say hello and then go to the hall', 'done say hello; then at hall'),
        ('take a photo and take a photo', 'done take a photo; then done 2 times take a photo'),
        ('take a photo and put a cup on the shelf', 'done take a photo; then cup in shelf'),
    ],
)
def test_a_skill_is_read_as_itself(text, means):
    goal = read(text)
    assert goal.whole and goal.acts and goal.means == means


@pytest.mark.parametrize(
    'text',
    [
        'take a photo?',
        'never take a photo',
        "don't take a photo",
        'say hello but never loudly',
        'say hello when you arrive',
        'dispense 51 ml',
        'water plant T01 with 105 ml',
        'water plant T02 with 100 ml',
        'open the lid and open the lid',
        'go to dock 1 twice',
        'ask the hall',
    ],
)
def test_what_is_no_skill_is_not_performed(text):
    goal = read(text)
    assert not goal.whole or goal.never
    assert not any('done' in one.text for step in goal.milestones for one in step)


@pytest.mark.parametrize(
    ('text', 'never'),
    [
        ('never take a photo', 'take a photo'),
        # "Visit" is a way to go there.
        ("Don't visit dock 1.", 'go to dock 1'),
        ('go to dock 1 without sitting down', 'sit down'),
        ('never undock', 'undock'),
    ],
)
def test_a_skill_is_forbidden_by_its_own_words(text, never):
    assert [one.wording for one in read(text).never] == [never]


@pytest.mark.parametrize(
    ('text', 'offer'),
    [
        ('take a picture', 'take a photo'),
        ('sit', 'sit down'),
        ('visit dok 1', 'visit dock 1'),
        ('water plant T01', 'water plant T01 with 150 ml'),
        ('water plant T01 with 105 ml', 'water plant T01 with 110 ml'),
        ('dispense 500 ml', 'dispense 50 ml'),
        ('say hello when you arrive', 'say "hello when you arrive"'),
    ],
)
def test_the_nearest_sentences_are_offered(text, offer):
    assert offers_for(text, Names(ROVER))[0] == offer


@pytest.mark.parametrize('text', ['dance', 'never take photos', '', 'Tanze!'])
def test_nothing_is_offered_for_what_is_near_nothing_or_forbids(text):
    assert offers_for(text, Names(ROVER)) == ()


DRILL = (
    SkillType('drill <n> mm at <place>', ('number: 0..50 mm', 'place')),
    SkillType(
        'spin <n> rpm for <s> s with <text>', ('number: 0..90 rpm', 'number: 0..60 s', 'text')
    ),
    SkillType('brew <cup>', ('thing',), SkillKind.MAKE),
    SkillType('flick <cup>', ('thing',), effects=('<cup> is on',)),
    SkillType('kindle the mug', effects=('mug is on',)),
    SkillType('douse the mug', effects=('mug is off',)),
    SkillType('hop to <place>', ('place',), effects=('at <place>',)),
    SkillType('go to <place>', ('place',), SkillKind.MOVE),
)
WORKSHOP = Vocabulary(
    tuple(one.template for one in DRILL),
    ('mug',),
    ('dock', 'shelf'),
    skill_types=DRILL,
)  # fmt: skip


@pytest.mark.parametrize(
    ('text', 'means'),
    [
        ('drill 5 mm at dock 1', 'done drill 5 mm at dock 1'),
        ('drill 2 cm at the dock 1', 'done drill 20 mm at dock 1'),
        ('drill 5 at dock 1', 'done drill 5 mm at dock 1'),
        ('spin 5 rpm for 1 min with care', 'done spin 5 rpm for 60 s with care'),
        ('spin 5 for 7 s with care', 'done spin 5 rpm for 7 s with care'),
    ],
)
def test_a_unit_belongs_to_its_number_and_not_to_the_words_behind_it(text, means):
    goal = read(text, WORKSHOP)
    assert goal.whole and [one.text for part in goal.milestones for one in part] == [means]


def test_a_number_that_is_out_of_its_bounds_in_its_unit_is_not_read():
    assert not read('drill 6 cm at dock 1', WORKSHOP).milestones


def test_a_skill_that_makes_what_nobody_declares_is_itself_asked_for():
    assert told(read('brew mug 2', WORKSHOP)) == [['done brew mug 2']]


def test_a_skill_about_a_certain_part_is_none_that_does_the_same_to_any_thing():
    assert told(read('kindle the mug', WORKSHOP)) == [['done kindle the mug']]
    assert told(read('flick the mug', WORKSHOP)) == [['done flick mug']]
    assert told(read('flick mug 2', WORKSHOP)) == [['mug 2 is on']]
    assert told(read('douse the mug', WORKSHOP)) == [['mug is off']]


def test_what_a_skill_takes_back_need_not_hold_to_the_end():
    assert told(read('douse the mug, then kindle the mug', WORKSHOP)) == [
        ['mug is off'], ['done kindle the mug'],
    ]  # fmt: skip
    assert told(read('go to dock 1, then hop to shelf 1', WORKSHOP)) == [
        ['at dock 1'], ['done hop to shelf 1'],
    ]  # fmt: skip
    assert told(read('douse the mug, then brew mug 2', WORKSHOP)) == [
        ['mug is off'], ['mug is off', 'done brew mug 2'],
    ]  # fmt: skip


def told(goal) -> list[list[str]]:
    assert goal.whole
    return [[one.text for one in part] for part in goal.milestones]


# Of any vocabulary ------------------------------------------------------------------------------


def skills_of(text: str, names: Names) -> list[str]:
    """Texts of the skills of which a sentence is made; [] of another sentence."""
    read = matcher_of(names).read(text)
    return [] if read is None else [said.text for one in read.matches for said in one.skills]


def with_articles(skill: Grounded) -> str:
    values = [f'the {one}' if one in skill.names else one for one in skill.values]
    return skill.type.filled(values)


@settings(max_examples=200, deadline=None)
@given(vocabularies())
def test_every_skill_of_any_vocabulary_is_read_as_itself(made):
    names = Names(made.vocabulary)
    for skill in made.skills:
        texts = [skill.text, f'Please {skill.text}.', f'could you {skill.text}?']
        if 'text' not in skill.type.slot_types:
            texts += [skill.text.upper(), with_articles(skill)]
        for text in texts:
            assert skills_of(text, names) == [skill.text], text
        goal = read_alone(skill.text, names)
        assert goal.whole and goal.acts, skill.text


@settings(max_examples=100, deadline=None)
@given(vocabularies(), st.data())
def test_two_skills_come_in_their_order(made, data):
    names = Names(made.vocabulary)
    first, second = (data.draw(st.sampled_from(made.skills)) for _ in range(2))
    for joint in (', then ', ' and then ', '. Then '):
        assert skills_of(first.text + joint + second.text, names) == [first.text, second.text]


@settings(max_examples=60, deadline=None)
@given(
    vocabularies(),
    st.sampled_from(['never {}', "don't {}", '{} - no, never', 'without {}', '{} but not now']),
)
def test_no_sentence_that_forbids_is_read_as_doing_it(made, frame):
    names = Names(made.vocabulary)
    for skill in made.skills:
        assert skills_of(frame.format(skill.text), names) == []
    goal = read_alone(frame.format(made.skills[0].text), names)
    assert not (goal.whole and goal.milestones)


@settings(max_examples=30, deadline=None)
@given(vocabularies(), st.data())
def test_whatever_is_offered_is_read_whole(made, data):
    skill = data.draw(st.sampled_from(made.skills))
    words = skill.text.split()
    words.pop(data.draw(st.integers(0, len(words) - 1)))
    names = Names(made.vocabulary)
    for offer in offers_for(' '.join(words), names):
        assert read_alone(offer, names).whole


STABLE = Vocabulary(
    skill_types=(
        SkillType(
            'groom <horse> with <tool>',
            ('name', 'name: brush, curry comb'),
            needs=('holding <tool>',),
            effects=('<horse> is groomed',),
        ),
        SkillType('dry <horse> with <towel>', ('name', 'towel'), effects=('<horse> is dry',)),
    ),
    templates=('groom <horse> with <tool>', 'dry <horse> with <towel>'),
    object_classes=('Luna', 'brush', 'curry comb', 'towel'),
)


@pytest.mark.parametrize(
    ('text', 'means'),
    [
        ('Groom Luna with the curry comb.', 'done groom Luna with curry comb'),
        ('Groom Luna with the brush.', 'done groom Luna with brush'),
        # It takes nothing else: with any.
        ('Dry Luna with the towel.', 'Luna is dry'),
    ],
)
def test_a_thing_beside_the_effects_is_the_one_that_is_named(text: str, means: str) -> None:
    goal = read(text, STABLE)
    assert [c.text for step in goal.milestones for c in step] == [means]
