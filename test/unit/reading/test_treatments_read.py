"""Words for what becomes of things where something is done to all that is there."""

from __future__ import annotations

import pytest

from reactree_core.observation import ObjectFact, Observation, Vocabulary
from reactree_core.permission.matching import Moment
from reactree_core.skill_types import SkillKind, SkillType
from reactree_planner.reading.names import Names
from reactree_planner.reading.reader import read_alone

_SKILLS = (
    SkillType('go to <place>', kind=SkillKind.MOVE),
    SkillType('take <thing>', ('thing',), SkillKind.TAKE),
    SkillType('put <thing> in <place>', ('thing', 'place'), SkillKind.PUT),
    SkillType(
        'start <place>',
        ('place',),
        SkillKind.SWITCH_ON,
        'stop <place>',
        effects=(
            'everything in <place> is fired if <place> is kiln',
            'everything in basin is rinsed if <place> is tap',
        ),
    ),
    SkillType('stop <place>', ('place',), SkillKind.SWITCH_OFF, 'start <place>'),
    SkillType(
        'cut <thing>',
        ('thing',),
        SkillKind.CHANGE,
        effects=('<thing> is cut', 'not <thing> is fired'),
        needs=('holding saw or holding bow saw',),
        other_words=('slice', 'chunk'),
    ),
)


@pytest.fixture(scope='module')
def names():
    return Names(
        Vocabulary(
            tuple(one.template for one in _SKILLS),
            ('bowl', 'saw', 'bow saw', 'brick'),
            ('kiln', 'basin', 'tap', 'shelf', 'lamp'),
            (),
            _SKILLS,
            other_words=(
                ('fired', 'fire', 'bake', 'bake up'),
                ('rinsed', 'rinse', 'wash', 'wet'),
            ),
            states=('fired', 'rinsed'),
        )
    )


def read(names, text):
    return read_alone(text, names)


@pytest.mark.parametrize(
    ('text', 'means'),
    [
        ('Fire the bowl.', {'bowl is fired'}),
        ('Put a baked bowl on the shelf.', {'bowl is fired', 'bowl in shelf'}),
        ('Wash the bowl and bring it to the shelf.', {'bowl is rinsed', 'bowl in shelf'}),
        ('Bake the bowl in the kiln.', {'bowl is fired'}),
        ('Rinse the bowl in the basin.', {'bowl is rinsed'}),
        ('Rinse the bowl under the tap.', {'bowl is rinsed'}),
        ('Fire a cut brick.', {'brick is cut', 'brick is fired'}),
        ('Fire a chunk of brick.', {'brick is cut', 'brick is fired'}),
        ('Start the lamp.', {'lamp is on'}),
    ],
)
def test_it_is_read_whole(names, text, means):
    goal = read(names, text)
    assert goal.whole, goal.unread
    assert {one.text for each in goal.milestones for one in each} == means


@pytest.mark.parametrize(
    'text',
    [
        # Nothing is fired there.
        'Fire the bowl in the basin.',
        # Any saw would be taken.
        'Cut the brick with the bow saw.',
    ],
)
def test_it_is_not(names, text):
    assert not read(names, text).whole


def test_what_is_forbidden_of_it_is_never_lost(names):
    goal = read(names, 'Put the bowl on the shelf. Never fire the brick.')
    assert goal.left_to_model or goal.never


def meant(names, text):
    goal = read(names, text)
    assert goal.whole, goal.unread
    return goal.never


def moment(skill, *facts):
    known = {f'{kind} {n}': ObjectFact(kind, n, '', where, '') for kind, n, where in facts}
    return Moment(skill, Observation(''), known, _SKILLS)


@pytest.mark.parametrize(
    'text',
    [
        'Put the bowl on the shelf. Never fire the brick.',
        'Put the brick in the kiln but do not fire it.',
        'The brick must not be baked.',
        'Fire no brick.',
    ],
)
@pytest.mark.parametrize(
    ('skill', 'facts', 'is_meant'),
    [
        ('start kiln 1', [('brick', 1, 'kiln 1')], True),
        ('start kiln 1', [('brick', 1, 'bowl 1'), ('bowl', 1, 'kiln 1')], True),
        ('start kiln 1', [('brick', 1, 'shelf 1'), ('brick', 2, 'kiln 1')], True),
        ('start kiln 1', [('bowl', 1, 'kiln 1'), ('brick', 1, 'shelf 1')], False),
        # It may be in there: nobody has seen where it is.
        ('start kiln 1', [('bowl', 1, 'kiln 1')], None),
        ('start kiln 1', [('brick', 1, '')], None),
        ('start lamp 1', [('brick', 1, 'lamp 1')], False),
        ('start tap 1', [('brick', 1, 'basin 1')], False),
        ('stop kiln 1', [('brick', 1, 'kiln 1')], False),
    ],
)
def test_it_is_forbidden_to_begin_while_the_thing_is_there(names, text, skill, facts, is_meant):
    (never,) = meant(names, text)
    assert never.matches(moment(skill, *facts)) is is_meant


def test_what_makes_the_state_by_itself_is_forbidden_too(names):
    (never,) = meant(names, 'Do not fire anything.')
    assert never.matches(moment('start kiln 1')) is True
    assert never.matches(moment('start lamp 1')) is False


def test_a_rule_in_time_about_it_is_kept_or_left_to_the_model(names):
    goal = read(names, 'Fire the brick at most twice.')
    assert goal.left_to_model or goal.rules


_CAPITALS = SkillType(
    'Start <Name>',
    ('name',),
    SkillKind.SWITCH_ON,
    effects=(
        'everything in <Name> is hot if <Name> is MicroWave',
        'everything in SinkBasin is clean if <Name> is Faucet',
    ),
)


@pytest.mark.parametrize(
    ('text', 'skill', 'where', 'is_meant'),
    [
        ('Never heat the egg.', 'Start MicroWave (1)', 'MicroWave 1', True),
        ('Never heat the egg.', 'start microwave 1', 'MicroWave (1)', True),
        ('Never heat the egg.', 'Start MicroWave (1)', 'Bowl (1)', True),
        ('Never heat the egg.', 'Start MicroWave (1)', 'SinkBasin 1', False),
        ('Do not wash the egg.', 'Start Faucet (1)', 'SinkBasin (1)', True),
        ('Do not wash the egg.', 'Start Faucet (1)', 'MicroWave 1', False),
        # No template fits: who knows what it does.
        ('Never heat the egg.', 'Start', 'MicroWave 1', None),
    ],
)
def test_names_in_capitals_and_with_brackets_do_not_escape(text, skill, where, is_meant):
    known = Vocabulary(
        (_CAPITALS.template,),
        ('Egg', 'Bowl'),
        ('MicroWave', 'SinkBasin'),
        (),
        (_CAPITALS,),
        other_classes=('Faucet',),
        states=('hot', 'clean'),
        other_words=(('hot', 'heat'), ('clean', 'wash')),
    )
    (never,) = meant(Names(known), text)
    facts = {
        'Egg 1': ObjectFact('Egg', 1, '', where, ''),
        'Bowl 1': ObjectFact('Bowl', 1, '', 'MicroWave (1)', ''),
    }
    assert never.matches(Moment(skill, Observation(''), facts, (_CAPITALS,))) is is_meant
