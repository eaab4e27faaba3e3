"""Where to look: chance over cost, from nothing but what was told."""

from __future__ import annotations

from reactree_core.observation import ObjectFact, Observation, Outcome, Vocabulary
from reactree_core.skill_types import Relation, SkillKind, SkillType
from reactree_planner.facts.belief import Belief
from reactree_planner.facts.conditions import Condition
from reactree_planner.facts.explore import Exploration
from reactree_planner.facts.reasoner import Reasoner

DRIVE = SkillType('drive to <region>', ('region',), SkillKind.MOVE)
GO = SkillType('go to <place>', ('name',), SkillKind.MOVE)
OPEN = SkillType('open <place>', ('place',), SkillKind.OPEN)
SPOT = SkillType(
    'go to <spot> at [<x>, <z>]',
    ('place', 'number', 'number'),
    SkillKind.MOVE,
    effects=('at <spot>',),
)
TAKE = SkillType('take <object> from <place>', ('thing', 'name'), SkillKind.TAKE)
PUT = SkillType('put <object> on <place>', ('thing', 'name'), SkillKind.PUT)
REGIONS = ('bay 1', 'yard 1', 'press hall 1')


def server(*types, regions=REGIONS):
    return Vocabulary(
        templates=tuple(one.template for one in types),
        object_classes=('crate', 'drum'),
        place_classes=('locker', 'press hall table', 'spot'),
        rooms=regions,
        skill_types=types,
    )


def seen(vocabulary, *observations):
    """What a run knows after some observations."""
    belief = Belief(vocabulary)
    exploration = Exploration(belief, lambda skill: True)
    for one in observations:
        belief.update(one)
        exploration.update(one)
    return exploration


def in_bay(*facts, skill='', **told):
    moves = (*(f'drive to {one}' for one in REGIONS[1:]), 'go to locker 1')
    return Observation('', facts=facts, admissible_skills=moves, room='bay 1', skill=skill, **told)


LOCKER = ObjectFact('locker', 1, 'bay 1', '', 'closed')


def best(exploration, *wanted):
    return exploration.frontiers(wanted)[0].name


def test_what_is_called_after_a_region_is_looked_for_there():
    known = seen(server(DRIVE, GO, OPEN), in_bay(LOCKER))
    assert best(known, 'press hall table') == 'press hall 1'
    assert best(known, 'crate') == 'yard 1', 'the first of those that are as good'


def test_a_region_is_worth_less_where_one_has_to_come_back():
    known = seen(server(DRIVE, GO, OPEN), in_bay(LOCKER))
    (before,) = (one.worth for one in known.frontiers(['crate']) if one.name == 'yard 1')
    known.home = 'bay 1'
    (after,) = (one.worth for one in known.frontiers(['crate']) if one.name == 'yard 1')
    assert after == before / 2


def test_what_is_opened_in_any_case_is_looked_into_before_one_goes_away():
    known = seen(server(DRIVE, GO, OPEN), in_bay(LOCKER))
    assert best(known, 'crate') != 'locker 1'
    known.home = 'bay 1'
    known.needed = frozenset({'locker 1'})
    (locker,) = (one for one in known.frontiers(['crate']) if one.name == 'locker 1')
    known.needed = frozenset()
    (other,) = (one for one in known.frontiers(['crate']) if one.name == 'locker 1')
    assert locker.worth > other.worth


def test_a_region_that_showed_many_things_hides_more():
    others = tuple(ObjectFact('drum', number, 'yard 1', '') for number in range(1, 7))
    closed = ObjectFact('locker', 2, 'yard 1', '', 'closed')
    offers = ('drive to bay 1', 'drive to press hall 1', 'go to locker 2')
    come = Observation(
        '', facts=(*others, closed), admissible_skills=offers, room='yard 1',
        skill='drive to yard 1', outcome=Outcome.SUCCEEDED,
    )  # fmt: skip
    known = seen(server(DRIVE, GO, OPEN), in_bay(LOCKER), come)
    chance = {one.name: one.chance for one in known.frontiers(['crate'])}
    assert chance['locker 2'] > 2 * chance['locker 1']


def test_a_spot_whose_surroundings_were_seen_is_worth_less():
    texts = ('go to spot 2 at [1.0, 0.0]', 'go to spot 3 at [2.0, 0.0]')
    here = Observation(
        '', admissible_skills=('go to spot 1 at [0.0, 0.0]', *texts), place='spot 1', room='bay 1'
    )
    known = seen(server(SPOT, DRIVE, regions=('bay 1',)), here)
    chance = {one.name: one.chance for one in known.frontiers(['crate'])}
    assert chance['spot 3'] > chance['spot 2'] > 0


def test_what_stands_by_itself_is_gone_to_as_it_is_not_known_how_it_is_taken():
    # Found: such a thing was looked for everywhere else.
    vocabulary = server(SPOT, GO, TAKE, PUT, regions=())
    crate, place = ObjectFact('crate', 1, '', ''), ObjectFact('press hall table', 1, '', '')
    goal = ((Condition(Relation.IN, 'crate', 'press hall table'),),)
    reasoner = Reasoner(vocabulary, goal)
    offers = ('go to crate 1', 'go to locker 1', 'go to press hall table 1')
    reasoner.see(Observation('', facts=(crate, place), admissible_skills=offers))
    assert reasoner.next().skill == 'go to crate 1'
    reasoner.see(
        Observation(
            '', facts=(crate, place), place='crate 1', skill='go to crate 1',
            admissible_skills=(*offers[1:], 'take crate 1 from ground'),
            looked_at=('crate 1',), outcome=Outcome.SUCCEEDED,
        )
    )  # fmt: skip
    assert reasoner.next().skill == 'take crate 1 from ground'
