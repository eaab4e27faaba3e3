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
SHUT = SkillType('close <place>', ('place',), SkillKind.CLOSE)
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


def test_the_way_into_another_region_is_shared_by_all_that_is_to_be_looked_at_there():
    def stand(room, *places):
        """A look at some lockers of a region; only they can be gone to from there."""
        facts = tuple(ObjectFact('locker', n, room, '', 'closed') for n in places)
        moves = [f'drive to {one}' for one in REGIONS if one != room]
        moves += [f'go to locker {n}' for n in places]
        return Observation('', facts=facts, admissible_skills=tuple(moves), room=room)

    known = seen(
        server(DRIVE, GO, OPEN),
        stand('yard 1', 2, 3, 4, 5),
        stand('press hall 1', 6),
        stand('bay 1', 1),
    )
    order = [one.name for one in known.frontiers(['crate'])]
    assert order[0] == 'locker 1' and order[-1] == 'locker 6', 'one alone is not worth the way'
    assert order[1:-1] == ['locker 2', 'locker 3', 'locker 4', 'locker 5']


def test_what_is_opened_in_any_case_is_looked_into_before_one_goes_away():
    known = seen(server(DRIVE, GO, OPEN), in_bay(LOCKER))
    assert best(known, 'crate') != 'locker 1'
    known.home = 'bay 1'
    known.needed = frozenset({'locker 1'})
    (locker,) = (one for one in known.frontiers(['crate']) if one.name == 'locker 1')
    known.needed = frozenset()
    (other,) = (one for one in known.frontiers(['crate']) if one.name == 'locker 1')
    assert locker.worth > other.worth


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


# Chance and cost of one place beside another -----------------------------------------------------

HALL = ('hall 1', 'cellar 1')


def house(*facts, offers=(), **told):
    """A look in the hall, with places that can be gone to."""
    places = [fact for fact in facts if fact.object_class != 'crate']
    moves = tuple(f'go to {fact.name}' for fact in places)
    told = {'room': 'hall 1', **told}
    return Observation('', facts=facts, admissible_skills=(*moves, *offers), **told)


def place(kind, number, state='', room='hall 1', within=''):
    return ObjectFact(kind, number, room, within, state)


def looked(known, *wanted):
    return {one.name: one for one in known.frontiers(wanted)}


def in_house(*observations, regions=HALL):
    return seen(server(GO, OPEN, SHUT, TAKE, regions=regions), *observations)


def test_what_is_shut_costs_one_skill_more():
    known = in_house(house(place('locker', 1, 'closed'), place('locker', 2, 'open')))
    found = looked(known, 'crate')
    assert found['locker 1'].cost == found['locker 2'].cost + 1
    assert ('is', 'locker 1', 'closed', False) in found['locker 1'].facts
    assert found['locker 2'].facts == (('near', 'locker 2'),)
    assert found['locker 2'].text == 'go to locker 2'


def test_where_the_robot_is_nothing_is_to_be_gone():
    known = in_house(house(place('locker', 1), place('locker', 2), place='locker 1'))
    found = looked(known, 'crate')
    assert found['locker 1'].cost < found['locker 2'].cost and found['locker 1'].text == ''


def test_what_is_not_on_offer_costs_a_skill_more_and_is_begun_by_none():
    first = house(place('locker', 1), place('locker', 2))
    then = Observation('', admissible_skills=('go to locker 1',), room='hall 1')
    found = looked(in_house(first, then), 'crate')
    assert found['locker 2'].cost == found['locker 1'].cost + 1
    assert (found['locker 1'].text, found['locker 2'].text) == ('go to locker 1', '')


def test_what_was_looked_at_or_given_up_is_left_out_until_one_begins_anew():
    known = in_house(house(place('locker', 1), place('locker', 2), looked_at=('locker 1',)))
    assert set(looked(known, 'crate')) == {'locker 2'}
    assert known.is_left()
    known.given_up.add('locker 2')
    assert not looked(known, 'crate') and known.is_left(), 'it is left, although it failed'
    known.begin_anew()
    assert set(looked(known, 'crate')) == {'locker 2'}


def test_nothing_is_left_where_all_was_looked_at():
    known = in_house(house(place('locker', 1), looked_at=('locker 1',)), regions=())
    assert not known.is_left() and not known.frontiers(['crate'])


def test_a_class_of_places_that_held_things_of_the_goal_is_likelier_than_one_that_held_none():
    table = 'press hall table'
    crates = tuple(ObjectFact('drum', n, 'hall 1', 'locker 1') for n in range(1, 5))
    told = house(place('locker', 1), place('locker', 2), place(table, 1), place(table, 2),
                 looked_at=('locker 1', f'{table} 1'))  # fmt: skip
    known = in_house(told.__class__('', facts=(*told.facts, *crates), room='hall 1',
                                    admissible_skills=told.admissible_skills,
                                    looked_at=told.looked_at), regions=HALL[:1])  # fmt: skip
    assert looked(known, 'crate')['locker 2'].chance == 1 / 2, 'drums say nothing of crates'
    known.related = frozenset({'crate', 'drum'})
    found = looked(known, 'crate')
    # So many of the goal were seen in one such place, and one is thought to be in another.
    assert found['locker 2'].chance == (4 + 1) / 2
    assert found[f'{table} 2'].chance == 1 / 2
    assert best(known, 'crate') == 'locker 2'
    # A place is no thing, and stands in another as its part.
    assert looked(known, table)['locker 2'].chance < 1 / 2


def test_what_is_usual_is_a_weight():
    known = in_house(house(place('locker', 1), place('press hall table', 1)))
    before = looked(known, 'crate')
    known.keeps = lambda thing, where: 3.0 if (thing, where) == ('crate', 'locker') else 0.5
    after = looked(known, 'crate')
    assert after['locker 1'].chance == 3 * before['locker 1'].chance
    assert after['press hall table 1'].chance == before['press hall table 1'].chance / 2
    both = looked(known, 'crate', 'drum')
    assert both['locker 1'].chance == before['locker 1'].chance * (3.0 + 0.5) / 2


def test_far_away_costs_more():
    types = (SkillType('go to <place> at [<x>, <z>]', ('place', 'number', 'number'),
                       SkillKind.MOVE, effects=('at <place>',)), TAKE, PUT)  # fmt: skip
    offers = ('go to locker 1 at [0.0, 0.0]', 'go to locker 2 at [0.0, 8.0]',
              'go to locker 3 at [6.0, 8.0]')  # fmt: skip
    facts = tuple(ObjectFact('locker', n, 'hall 1', '') for n in (1, 2, 3))
    told = Observation('', facts=facts, admissible_skills=offers, room='hall 1', place='locker 1')
    found = looked(seen(server(*types, regions=HALL[:1]), told), 'crate')
    assert found['locker 2'].cost == 2.0
    assert found['locker 3'].cost == 1 + 10 / 8


def test_what_may_not_be_done_leads_nowhere():
    belief = Belief(server(DRIVE, GO, OPEN))
    exploration = Exploration(
        belief, lambda skill: skill not in ('drive to yard 1', 'go to locker 1')
    )
    belief.update(in_bay(LOCKER))
    exploration.update(belief.observation)
    assert set(looked(exploration, 'crate')) == {'press hall 1'}


def test_regions_are_left_until_the_robot_was_there():
    come = Observation('', admissible_skills=('drive to bay 1', 'drive to press hall 1'),
                       room='yard 1', skill='drive to yard 1')  # fmt: skip
    known = seen(server(DRIVE, GO, OPEN), in_bay(LOCKER), come)
    found = looked(known, 'crate')
    assert 'yard 1' not in found and 'bay 1' not in found
    hall = found['press hall 1']
    assert (hall.facts, hall.text) == ((('room', 'press hall 1'),), 'drive to press hall 1')
    assert hall.worth == hall.chance / hall.cost


def test_where_the_parts_of_a_goal_were_found_the_rest_is_likelier():
    facts = (
        ObjectFact('locker', 1, 'hall 1', ''), ObjectFact('locker', 2, 'cellar 1', ''),
        ObjectFact('drum', 1, 'cellar 1', 'locker 2'),
    )  # fmt: skip
    moves = ('go to locker 1', 'go to locker 2')
    known = in_house(Observation('', facts=facts, admissible_skills=moves, room='hall 1'))
    before = looked(known, 'crate')
    known.related = frozenset({'drum'})
    known.update(known._belief.observation)
    after = looked(known, 'crate')
    ratio = {name: after[name].chance / before[name].chance for name in ('locker 1', 'locker 2')}
    # One of it there and half of one anywhere: three quarters against one, of two regions.
    assert ratio == {'locker 1': 0.5, 'locker 2': 1.5}


def test_things_beside_which_the_robot_stood_count_for_that_class_of_places():
    drums = tuple(ObjectFact('drum', n, 'hall 1', 'locker 1') for n in (1, 2))
    told = house(place('locker', 1), place('locker', 2), *drums, looked_at=('locker 1',),
                 place='locker 1')  # fmt: skip
    known = in_house(told, regions=HALL[:1])
    known.related = frozenset({'drum'})
    assert looked(known, 'crate')['locker 2'].chance == (2 + 1) / 2


def test_a_place_that_opens_with_something_else_is_looked_into_once_that_is_on_offer():
    unlock = SkillType('unlock <place> with <object>', ('place', 'thing'), SkillKind.OPEN)
    first = house(place('locker', 1, 'closed'), place('locker', 2), place='locker 2')
    told = server(GO, unlock, SHUT, TAKE, regions=HALL)
    assert set(looked(seen(told, first), 'crate')) - {'cellar 1'} == {'locker 2'}
    offered = house(place('locker', 1, 'closed'), place('locker', 2), place='locker 2',
                    offers=('unlock locker 1 with crate 5',))  # fmt: skip
    assert 'locker 1' in looked(seen(told, offered), 'drum')
    other = house(place('locker', 1, 'closed'), place('locker', 2, 'closed'), place='locker 2',
                  offers=('unlock locker 2 with crate 5', 'close locker 1'))  # fmt: skip
    assert 'locker 1' not in looked(seen(told, other), 'drum')


def test_what_others_are_on_their_way_to_is_left_to_them():
    known = in_house(house(place('locker', 1), place('locker', 2)))
    known.taken = frozenset({'locker 1'})
    assert 'locker 1' not in looked(known, 'crate') and 'locker 2' in looked(known, 'crate')


def test_a_door_is_gone_through_once_and_is_worth_several_places():
    through = SkillType('pass <door>', ('place',), SkillKind.MOVE)
    told = server(GO, through, OPEN, SHUT, TAKE, PUT, regions=())
    doors = (
        *house(place('locker', 1), room='').facts,
        ObjectFact('gate', 1),
        ObjectFact('gate', 2),
    )
    offers = ('go to locker 1', 'pass gate 1', 'pass gate 2')
    first = Observation('', facts=doors, admissible_skills=offers, place='locker 1')
    known = seen(told, first)
    found = looked(known, 'crate')
    assert found['gate 1'].facts == (('at', 'gate 1'),) and found['gate 1'].text == 'pass gate 1'
    assert found['gate 1'].chance > 0 and known.is_left()
    passed = Observation('', facts=doors, admissible_skills=offers, place='gate 1',
                         skill='pass gate 1')  # fmt: skip
    after = looked(seen(told, first, passed), 'crate')
    assert 'gate 1' not in after and 'gate 2' in after
