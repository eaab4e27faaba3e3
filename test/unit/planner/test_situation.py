"""What a goal asks: things to be taken, and things that only tell where."""

from __future__ import annotations

from dataclasses import replace

import pytest

from reactree_core.observation import ObjectFact
from reactree_core.observation import Observation
from reactree_core.observation import Vocabulary
from reactree_core.skill_types import SkillKind
from reactree_core.skill_types import SkillType
from reactree_planner.agents.belief_state import BeliefState
from reactree_planner.agents.offering import matched_skill
from reactree_planner.agents.offering import may_be_done
from reactree_planner.agents.offering import may_fail
from reactree_planner.agents.offering import offered_skills
from reactree_planner.agents.situation import NodeSituation
from reactree_planner.instructions.conditions import conditions_of
from reactree_planner.runs.settings import Guards
from support.skill_kinds import declared

VOCABULARY = declared(
    Vocabulary(
        ('go to <object>', 'pick up <object>', 'put down <object>', 'turn on <object>'),
        ('apple', 'plate', 'towel rack', 'water glass', 'radio'),
        ('kitchen table',),
        ('kitchen 1',),
    )
)


def situation_of(goal, chain=()):
    belief = BeliefState(VOCABULARY)
    belief.update(Observation('You are in the kitchen (1).', room='kitchen 1'))
    return NodeSituation(goal, chain, belief)


@pytest.mark.parametrize(
    ('goal', 'places'),
    [
        ('pick up water glass in towel rack 1', ['towel rack']),
        ('Put the apple on the plate.', ['plate']),
        ('take an apple from the other plate to the kitchen table', ['plate']),
        ('put apple and plate on kitchen table', []),
        ('turn on the radio and bring an apple', []),
        ('look at the towel rack', []),
        ('put the plate on a plate', []),
        ('bring the apple', []),
    ],
)
def test_what_only_tells_where_is_told_apart(goal, places):
    assert [mention.name for mention in situation_of(goal).reading.location_mentions] == places


@pytest.mark.parametrize('chain', [(), ('put water glass on kitchen table',)])
def test_what_only_tells_where_is_gone_to_and_not_picked_up(chain):
    situation = situation_of('pick up water glass in towel rack 1', chain)
    skills = (
        'go to towel rack 1',
        'pick up towel rack 1',
        'pick up water glass 2',
        'pick up plate 1',
    )
    guards = Guards(once_only=False)
    assert offered_skills(situation, skills, guards) == [
        'go to towel rack 1',
        'pick up water glass 2',
    ]
    assert offered_skills(situation, skills, Guards.none()) == list(skills)


def test_a_numbered_thing_to_look_in_is_the_only_place_to_look_at():
    situation = situation_of('find water glass in towel rack 1')
    assert situation.reading.numbered_places == ('towel rack 1',)
    skills = ('go to towel rack 1', 'go to kitchen table 1', 'go to water glass 2')
    guards = Guards(go_straight=False)
    assert offered_skills(situation, skills, guards) == [skills[0], skills[2]]
    assert not may_fail(situation, guards)
    there = Observation('You see soap.', place='towel rack 1', looked_at=('towel rack 1',))
    situation.belief.update(there)
    assert may_fail(situation, guards)
    assert situation_of('find water glass in towel rack').reading.numbered_places == ()
    assert situation_of('bring apple 1').reading.numbered_places == ()


def test_a_part_that_names_nothing_inherits_what_only_tells_where():
    situation = situation_of('pick it up', ('bring the apple on the plate',))
    offered = offered_skills(situation, ('pick up apple 1', 'pick up plate 1'), Guards())
    assert offered == ['pick up apple 1']


def test_who_does_all_alone_is_done_when_it_has_brought_all_itself():
    situation = situation_of('put an apple and a plate on the kitchen table')
    situation.is_executor = True
    table = 'kitchen table 1'
    # Close to where the robot stands: servers tell it like this, on the table or not.
    near = ObjectFact('plate', 3, 'kitchen 1', receptacle=table)
    situation.belief.update(
        Observation('There.', room='kitchen 1', place=table, facts=(near,), held=('apple 1',))
    )
    situation.belief.update(
        Observation('Done.', room='kitchen 1', place=table, skill='put down apple 1')
    )
    assert situation.belief.placed == {'apple 1': table}
    assert not situation.is_delivered()
    assert not may_be_done(situation, Guards())
    situation.belief.placed['plate 3'] = table
    assert situation.is_delivered()


@pytest.mark.parametrize(('place', 'hides'), [('', False), ('kitchen table 1', True)])
def test_things_seen_at_a_place_do_not_show_what_other_places_hold(place, hides):
    """A server that sees only what is near: what it lists there is of that place alone."""
    belief = BeliefState(VOCABULARY)
    apple = ObjectFact('apple', 1, 'kitchen 1', 'kitchen table 1')
    seen = Observation(
        'You see an apple.', room='kitchen 1', place=place, facts=(apple,),
        looked_at=(place,) if place else (), admissible_skills=('go to apple 1',),
    )  # fmt: skip
    belief.update(seen)
    assert belief.exploration.may_hide('kitchen table 2') is hides


@pytest.mark.parametrize(
    ('room', 'on', 'hides'),
    [('', '', True), ('', 'kitchen table 1', False), ('kitchen 1', '', False)],
)
def test_a_thing_on_the_floor_of_a_house_does_not_show_what_its_places_hold(room, on, hides):
    belief = BeliefState(VOCABULARY)
    apple = ObjectFact('apple', 1, 'kitchen 1', on)
    moves = ('go to apple 1', 'go to kitchen table 2')
    belief.update(Observation('You see.', room=room, facts=(apple,), admissible_skills=moves))
    assert belief.exploration.may_hide('kitchen table 2') is hides


@pytest.mark.parametrize(
    ('wanted', 'where', 'stays'),
    [
        ((), 'kitchen table 1', True),
        (('apple is clean',), 'kitchen table 1', True),
        (('plate in oven',), 'kitchen table 1', True),
        (('apple in kitchen table',), 'kitchen table 1', True),
        (('apple in kitchen table 2',), 'kitchen table 1', False),
        (('apple in oven', 'apple in kitchen'), 'kitchen table 1', True),
        (('apple in oven', '2 apple in towel rack'), 'kitchen table 1', False),
        (('apple 1 in oven',), 'kitchen table 1', False),
        (('apple 2 in oven',), 'kitchen table 1', True),
        # What it lies in is carried there itself.
        (('apple in oven',), 'plate 1', True),
        (('apple in oven',), '', True),
    ],
)
def test_what_was_put_down_on_the_way_is_taken_again(wanted, where, stays):
    goal = 'put apple in oven'
    belief = BeliefState(VOCABULARY)
    belief.wanted = conditions_of(wanted)
    table = ObjectFact('kitchen table', 1, 'kitchen 1')
    at = {'room': 'kitchen 1', 'place': where, 'facts': (table,)}
    belief.update(Observation('You hold it.', held=('apple 1',), **at))
    assert not belief.is_in_its_place('apple 1')
    belief.update(Observation('You put it down.', skill='put down apple 1', **at))
    assert belief.is_in_its_place('apple 1') is stays
    offered = offered_skills(
        NodeSituation(goal, (), belief), ('pick up apple 1', 'turn on radio 1'), Guards()
    )
    assert ('pick up apple 1' in offered) is not stays


def rounds_of(goal, *skills, times):
    situation = situation_of(goal)
    for _ in range(times):
        for skill in skills:
            # Something changes each time: no repetition of what has led nowhere.
            situation.history.done_since_change.clear()
            situation.record(skill, situation.observation)
    situation.history.done_since_change.clear()
    once_only = replace(Guards.none(), once_only=True)
    return offered_skills(situation, (*skills, 'pick up plate 1'), once_only, True)


@pytest.mark.parametrize(
    ('goal', 'times', 'again'),
    [('turn on the radio', 3, True), ('turn on the radio', 4, False), ('bring 6 apples', 5, True)],
)
def test_a_round_done_over_and_over_is_not_begun_anew(goal, times, again):
    skills = ('turn on radio 1', 'go to kitchen table 1')
    assert ('turn on radio 1' in rounds_of(goal, *skills, times=times)) is again


#: A server whose skills of putting name where.
_PUTS = Vocabulary(
    ('go to <object>', 'take <object> from <place>', 'put <object> in/on <place>'),
    object_classes=('apple', 'plate'),
    place_classes=('kitchen table', 'counter'),
    skill_types=(
        SkillType('go to <object>', kind=SkillKind.MOVE),
        SkillType('take <object> from <place>', ('thing', 'name'), SkillKind.TAKE),
        SkillType('put <object> in/on <place>', ('thing', 'name'), SkillKind.PUT),
    ),
)


@pytest.mark.parametrize('goal', ['put apple in/on plate', 'put the apple on a plate'])
def test_a_thing_is_put_into_one_that_is_carried_itself_and_nowhere_else(goal):
    belief = BeliefState(_PUTS)
    belief.update(Observation('You hold an apple.', place='kitchen table 1', held=('apple 1',)))
    situation = NodeSituation(goal, ('put the plate with the apple on the counter',), belief)
    at_plate, at_counter = 'put apple 1 in/on plate 2', 'put apple 1 in/on counter 1'
    skills = ('go to plate 2', at_plate, 'put apple 1 in/on kitchen table 1')
    assert at_plate in offered_skills(situation, skills, Guards())
    assert 'put apple 1 in/on kitchen table 1' not in offered_skills(situation, skills, Guards())
    (asked,) = situation.reading.asked
    assert asked.asks_for(situation.skills.parse(at_plate))
    assert not asked.asks_for(situation.skills.parse(at_counter))


def test_who_does_a_whole_task_may_go_back_to_where_a_wanted_thing_was_left():
    places = ('kitchen table 1', 'counter 1', 'counter 2')
    skills = tuple(f'go to {place}' for place in places)
    vocabulary = replace(VOCABULARY, place_classes=('kitchen table', 'counter'))
    belief = BeliefState(vocabulary)

    def seen(place, *facts):
        observation = Observation(
            f'You are at {place}.', place=place, facts=facts, admissible_skills=skills
        )
        belief.update(replace(observation, skill=f'go to {place}' if place else ''))
        return observation

    seen('')
    goal = 'put the apple and the plate on the kitchen table'
    situation = NodeSituation(goal, (), belief, is_executor=True)
    before = seen('counter 1', ObjectFact('apple', 1, '', 'counter 1'))
    situation.record('go to counter 1', before)
    before = seen('counter 2', ObjectFact('radio', 1, '', 'counter 2'))
    situation.record('go to counter 2', before)
    offered = offered_skills(situation, skills, Guards())
    assert 'go to counter 1' in offered
    assert 'go to counter 2' not in offered


@pytest.mark.parametrize(
    ('wanted', 'matched'),
    [
        (('apple in plate', 'plate in kitchen table'), None),
        (('apple in kitchen table', 'plate in kitchen table'), 'put down apple 1'),
    ],
)
def test_what_the_conditions_want_elsewhere_is_not_taken_for_what_the_goal_asks(wanted, matched):
    belief = BeliefState(VOCABULARY)
    belief.wanted = conditions_of(wanted)
    put = 'put down apple 1'
    belief.update(
        Observation(
            'You are at the table.',
            place='kitchen table 1',
            held=('apple 1',),
            admissible_skills=(put,),
            facts=(ObjectFact('kitchen table', 1, 'kitchen 1'),),
        )
    )
    situation = NodeSituation(
        'put down the apple on the kitchen table', (), belief, is_executor=True
    )
    assert matched_skill(situation, [put]) == matched
