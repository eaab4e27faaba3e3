"""What a skill does to all that is in a place: ovens that bake, taps that rinse."""

from __future__ import annotations

import pytest

from reactree_core.skill_checks import faults_of
from reactree_core.skill_types import read_effect, read_treatment, SkillKind, SkillType, Treatment
from reactree_planner.facts.conditions import conditions_of
from reactree_planner.facts.reasoner import Reasoner
from unit.facts.made_up import GO, MadeUp, play, PUT, skill, TAKE

START = skill(
    'start <machine>',
    SkillKind.SWITCH_ON,
    (
        'everything in <machine> is fired if <machine> is kiln',
        'everything in basin is rinsed if <machine> is tap, hose',
    ),
    ('at <machine>', 'not <machine> is on'),
    ('place',),
)
STOP = skill('stop <machine>', SkillKind.SWITCH_OFF, (), ('at <machine>',), ('place',))
CUT = skill(
    'cut <object>',
    SkillKind.CHANGE,
    ('<object> is cut', 'not <object> is fired', 'not <object> is rinsed'),
    ('at <object>', 'holding saw or holding knife'),
    ('thing',),
)
PLACES = {'bench 1': '', 'kiln 1': '', 'basin 1': '', 'tap 1': '', 'lamp 1': ''}


def workshop(**changes):
    told = {
        'types': (GO, TAKE, PUT, START, STOP, CUT),
        'places': PLACES,
        'things': {'bowl 1': 'bench 1', 'bowl 2': 'bench 1'},
        'at': 'bench 1',
    }
    return MadeUp(**{**told, **changes})


def reasoner(world, *texts):
    return Reasoner(world.vocabulary(), [conditions_of(texts)])


@pytest.mark.parametrize(
    ('text', 'told'),
    [
        ('everything in <oven> is hot', Treatment('<oven>', 'hot')),
        ('everything in sink 1 is clean', Treatment('sink 1', 'clean')),
        (
            'everything in <x> is clean if <x> is tap,  hose',
            Treatment('<x>', 'clean', '<x>', ('tap', 'hose')),
        ),
        ('<oven> is hot', None),
        ('everything in <oven> is not hot', None),
        ('everything in <oven> is > 40 %', None),
    ],
)
def test_such_effects_are_read(text, told):
    assert read_treatment(text) == told
    if told is not None:
        assert read_effect(text) is None
        assert not faults_of(SkillType(f'start {told.slot or "<oven> near <x>"}', effects=(text,)))


def test_the_usual_effects_of_the_kind_stay():
    assert [one.text for one in START.facts] == ['<machine> is on']


def test_a_slot_that_is_none_is_a_fault():
    (fault,) = faults_of(SkillType('start <x>', effects=('everything in <y> is hot',)))
    assert '<y>' in fault


def test_a_thing_is_brought_where_it_becomes_so():
    world = workshop()
    assert play(world, reasoner(world, 'bowl is fired', 'bowl in bench')).is_done
    assert len(world.done) <= 8
    assert world.done[2:5] == ['drive to kiln 1', 'leave bowl 1 at kiln 1', 'start kiln 1'] or (
        world.done[1:4] == ['drive to kiln 1', 'leave bowl 1 at kiln 1', 'start kiln 1']
    )
    assert 'fired' in world.states['bowl 1'] and world.things['bowl 1'] == 'bench 1'
    assert not any(text.startswith(('start lamp', 'start tap')) for text in world.done)


def test_the_tool_may_stand_beside_the_place():
    world = workshop()
    assert play(world, reasoner(world, 'bowl is rinsed')).is_done
    assert world.done[-1] == 'start tap 1' and world.things['bowl 1'] == 'basin 1'


def test_what_ends_and_may_begin_anew_comes_in_the_right_order():
    """What is cut after it was fired is not fired any more."""
    world = workshop(things={'bowl 1': 'bench 1', 'knife 1': 'basin 1'})
    assert play(world, reasoner(world, 'bowl is fired', 'bowl is cut')).is_done
    assert world.states['bowl 1'] >= {'fired', 'cut'}
    assert world.done.index('cut bowl 1') < world.done.index('start kiln 1')


@pytest.mark.parametrize('tool', ['saw 2', 'knife 1'])
def test_any_tool_of_a_need_will_do(tool):
    world = workshop(things={'bowl 1': 'bench 1', tool: 'bench 1'})
    assert play(world, reasoner(world, 'bowl is cut')).is_done
    assert world.done == [f'grab {tool}', 'cut bowl 1']


def test_without_a_machine_it_says_so():
    world = workshop(places={'bench 1': '', 'basin 1': ''}, seen=True)
    step = play(world, reasoner(world, 'bowl is fired'))
    assert step.unreachable is not None and 'start' not in ' '.join(world.done)


def test_where_two_places_are_meant_nobody_knows_which_it_was():
    world = workshop(
        places={**PLACES, 'basin 2': ''},
        things={'bowl 1': 'basin 1', 'bowl 2': 'basin 2'},
        at='tap 1',
        seen=False,
    )
    mind = reasoner(world, 'bowl is rinsed')
    mind.see(world.look())
    mind.see(world.step('start tap 1'))
    assert [mind.belief.is_so(f'bowl {n}', 'rinsed') for n in (1, 2)] == [None, None]


def test_a_tool_that_is_not_alone_changes_what_is_beside_it_alone():
    """Where one place is meant, all in it is so, and nothing else."""
    world = workshop(things={'bowl 1': 'basin 1', 'bowl 2': 'bench 1'}, at='tap 1', seen=False)
    mind = reasoner(world, 'bowl is rinsed')
    mind.see(world.look())
    mind.belief._place('bowl 1', 'basin 1')
    mind.belief._place('bowl 2', 'bench 1')
    mind.see(world.step('start tap 1'))
    assert [mind.belief.is_so(f'bowl {n}', 'rinsed') for n in (1, 2)] == [True, None]


def test_skills_that_treat_are_found_by_the_state_alone():
    skills = reasoner(workshop(), 'bowl is fired').belief.skills
    states = {told.state for one in skills.types for told in one.treatments}
    for state in states:
        found = skills.treating(state)
        assert found and {told.state for _, told in found} == {state}
    assert skills.treating('painted') == []
