"""Searches: what a node that is to find something may still do, and when it is in vain."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest

from reactree_core.observation import ObjectFact
from reactree_core.observation import Observation
from reactree_core.observation import Vocabulary
from reactree_core.skill_types import SkillKind
from reactree_core.skill_types import SkillType
from reactree_planner.agents.belief_state import BeliefState
from reactree_planner.agents.offering import offered_skills
from reactree_planner.agents.offering import should_act
from reactree_planner.agents.offering import should_give_up
from reactree_planner.agents.offering_rules import open_before_leaving
from reactree_planner.agents.offering_rules import RULES
from reactree_planner.agents.offering_rules import without_explored
from reactree_planner.agents.search import destinations
from reactree_planner.agents.search import recalled_rooms
from reactree_planner.agents.search import search_exhausted
from reactree_planner.agents.search import search_rooms
from reactree_planner.agents.situation import NodeSituation
from reactree_planner.instructions.names import NameKind
from reactree_planner.runs.settings import Guards
from reactree_planner.runs.settings import PlannerSettings
from support.skill_kinds import declared

VOCABULARY = declared(
    Vocabulary(
        (
            'go to <object>',
            'open <object>',
            'close <object>',
            'pick up <object>',
            'put down <object>',
        ),
        ('apple', 'glass', 'rack'),
        ('table', 'cabinet', 'toilet', 'closet'),
        ('bath 1', 'hall 1', 'kitchen 1'),
    )
)
BATH = Observation(
    'You are in the bath (1).',
    room='bath 1',
    facts=(
        ObjectFact('cabinet', 1, 'bath 1', state='closed'),
        ObjectFact('toilet', 1, 'bath 1', state='closed'),
        ObjectFact('table', 1, 'bath 1'),
    ),
    admissible_skills=('go to cabinet 1', 'go to toilet 1', 'go to rack 1'),
)
MOVES = ('go to bath 1', 'go to hall 1', 'go to kitchen 1')


@pytest.fixture
def node():
    """Makes a node in the bath, which lists what it sees: a rack, and no glass."""

    def make(goal, *seen, is_executor=False, chain=()):
        belief = BeliefState(VOCABULARY)
        for observation in (*seen, BATH):
            belief.update(belief.with_sightings(observation))
        return NodeSituation(goal, chain, belief, is_executor)

    return make


def offered_but(rule_off, situation, skills):
    """What all rules but one leave."""
    parsed = situation.skills.parse_all(skills)
    for _, rule in RULES:
        if rule is not rule_off:
            parsed = rule(situation, parsed)
    return [skill.text for skill in parsed]


def look_into(node, place):
    before = node.observation
    opened = tuple(
        replace(fact, state='open') if fact.name == place else fact for fact in before.facts
    )
    now = replace(before, facts=opened, place=place, looked_at=(place,), skill=f'open {place}')
    node.belief.update(now)


def seen_in(room, name='glass'):
    return Observation(
        'There.', room=room, facts=(ObjectFact(name, 4, room, receptacle='table 2'),)
    )


@pytest.mark.parametrize(
    ('goal', 'rooms'),
    [
        ('find and pick up glass in cabinet 1', ['bath 1']),
        ('find and pick up glass in cabinet 1 or toilet 1', ['bath 1']),
        ('find and pick up glass in rack 1', ['bath 1']),
        ('find and pick up glass in cabinet 7', ['bath 1', 'hall 1', 'kitchen 1']),
        ('find and pick up glass in the kitchen', ['kitchen 1']),
        ('find and pick up glass', ['bath 1', 'hall 1', 'kitchen 1']),
        # To bring something there, it may have to be fetched elsewhere.
        ('put down glass on table 1', ['bath 1', 'hall 1', 'kitchen 1']),
        ('put the glass into cabinet 1', ['bath 1', 'hall 1', 'kitchen 1']),
    ],
)
def test_a_search_through_numbered_places_stays_in_their_rooms(node, goal, rooms):
    situation = node(goal)
    assert list(search_rooms(situation)) == rooms
    offered = offered_but(without_explored, situation, MOVES)
    assert offered == [f'go to {room}' for room in rooms]


def test_a_search_through_a_numbered_place_opens_only_that(node):
    skills = ('open cabinet 1', 'open toilet 1')
    searching = node('find and pick up glass in toilet 1')
    assert offered_but(open_before_leaving, searching, skills) == ['open toilet 1']
    searching = node('find and pick up glass')
    assert offered_but(open_before_leaving, searching, skills) == list(skills)


@pytest.mark.parametrize(
    ('goal', 'in_vain'),
    [
        # Nothing can hide on a table in a room that has been seen.
        ('find and pick up glass in table 1', True),
        ('find and pick up glass in rack 1', True),
        ('find and pick up glass in cabinet 1', False),
        ('find and pick up glass in table 9', False),
        ('find and pick up glass in the bath', False),
        ('find and pick up glass in the kitchen', False),
        ('find and pick up glass', False),
        ('go to table 1', False),
        ('put down glass on table 1', False),
    ],
)
def test_a_search_is_in_vain_where_nothing_is_left_to_look_at(node, goal, in_vain):
    situation = node(goal)
    assert search_exhausted(situation) is in_vain
    assert should_give_up(situation, Guards()) is in_vain
    assert not should_give_up(situation, Guards(whole_search=False))
    assert not search_exhausted(node(goal, is_executor=True))


def test_it_is_in_vain_once_all_was_opened(node):
    place, room = node('pick up glass in cabinet 1'), node('pick up glass in the bath')
    for situation in (place, room):
        look_into(situation, 'cabinet 1')
    assert search_exhausted(place)
    assert not search_exhausted(room)
    look_into(room, 'toilet 1')
    assert search_exhausted(room)


@pytest.mark.parametrize(('room', 'in_vain'), [('bath 1', False), ('kitchen 1', True)])
def test_what_was_seen_near_by_is_for_the_model_to_judge(node, room, in_vain):
    assert search_exhausted(node('find and pick up glass in table 1', seen_in(room))) is in_vain


@pytest.mark.parametrize('seen', [True, False])
def test_without_rooms_whatever_was_seen_may_be_meant(seen):
    """A table top in front of an arm: its skill server tells of no rooms."""
    belief = BeliefState(replace(VOCABULARY, rooms=()))
    facts = [ObjectFact('cabinet', 1), *([ObjectFact('glass', 4)] if seen else [])]
    belief.update(Observation('There.', looked_at=('cabinet 1',), facts=tuple(facts)))
    situation = NodeSituation('pick up glass in cabinet 1', (), belief)
    assert search_exhausted(situation) is not seen
    situation.record('recall location of glass', situation.observation)
    assert recalled_rooms(situation) == ()
    skills = ('go to cabinet 1', 'open cabinet 1')
    assert 'open cabinet 1' in offered_but(without_explored, situation, skills)


def test_what_the_run_has_put_in_its_place_is_not_found_again(node):
    situation = node('find and pick up another glass in table 1', seen_in('bath 1'))
    situation.belief.placed['glass 4'] = 'table 1'
    assert search_exhausted(situation)


def test_who_recalls_where_it_was_goes_there_before_anything_else(node):
    situation = node('find and pick up glass', seen_in('kitchen 1'))
    skills = (*MOVES, 'go to cabinet 1', 'open cabinet 1', 'close toilet 1')
    assert recalled_rooms(situation) == ()
    assert not should_act(situation, list(skills), Guards())
    situation.record('recall location of glass', situation.observation)
    assert recalled_rooms(situation) == ('kitchen 1',)
    assert offered_skills(situation, skills, Guards()) == ['go to kitchen 1']
    assert should_act(situation, ['go to kitchen 1'], Guards())
    without = Guards(go_straight=False)
    assert len(offered_skills(situation, skills, without)) > 1
    assert not should_act(situation, ['go to kitchen 1'], without)


def test_who_was_there_and_did_not_see_it_looks_elsewhere(node):
    situation = node('find and pick up glass', seen_in('kitchen 1'))
    situation.record('recall location of glass', situation.observation)
    before = situation.observation
    there = Observation('Nothing.', room='kitchen 1', skill='go to kitchen 1')
    situation.belief.update(there)
    situation.record('go to kitchen 1', before)
    situation.belief.update(BATH)
    assert recalled_rooms(situation) == ()


@pytest.mark.parametrize(
    ('goal', 'seen'),
    [
        # It is here, and to be looked for here.
        ('find and pick up glass', 'bath 1'),
        # Another goal was not to leave the bath.
        ('find and pick up glass in bath', 'kitchen 1'),
        ('put glass on table 1', 'kitchen 1'),
    ],
)
def test_a_recollection_leads_nowhere_else(node, goal, seen):
    situation = node(goal, seen_in(seen))
    situation.record('recall location of glass', situation.observation)
    assert recalled_rooms(situation) == ()


def test_who_has_found_it_searches_no_more(node):
    situation = node('find and pick up glass in table 1')
    situation.belief.update(replace(BATH, held=('glass 4',)))
    assert not search_exhausted(situation)


HOLDING = replace(BATH, held=('glass 4',), place=BATH.room)
WAYS = (*MOVES, 'go to cabinet 1', 'open cabinet 1', 'put down glass 4')


@pytest.mark.parametrize(
    ('goal', 'places'),
    [
        ('put down glass on closet', ['closet']),
        ('put glass 4 into the closet', ['closet']),
        ('bring the glass to the kitchen', []),
        # The apple is still to be fetched.
        ('put glass and apple into closet', []),
        ('put down apple in closet', []),
        ('open closet', []),
    ],
)
def test_a_delivery_is_of_all_that_the_goal_names(node, goal, places):
    situation = node(goal)
    assert destinations(situation) == ()
    situation.belief.update(HOLDING)
    assert [mention.name for mention in destinations(situation)] == places
    situation.is_executor = True
    assert destinations(situation) == ()


def closet_in(room):
    return Observation('There.', room=room, facts=(ObjectFact('closet', 2, room),))


@pytest.mark.parametrize(
    ('seen', 'ways'),
    [
        # The bath was seen: the closet is not there.
        ((), ['go to hall 1', 'go to kitchen 1']),
        ((closet_in('hall 1'),), ['go to hall 1']),
        ((Observation('Empty.', room='hall 1'),), ['go to kitchen 1']),
    ],
)
def test_who_carries_something_goes_from_room_to_room_and_opens_nothing(node, seen, ways):
    situation = node('put down glass in closet', *seen)
    situation.belief.update(HOLDING)
    assert offered_but(open_before_leaving, situation, WAYS) == ways
    wide = Guards(whole_search=False, go_straight=False)
    assert 'go to cabinet 1' in offered_skills(situation, WAYS, wide)
    # That would be working memory.
    assert 'go to cabinet 1' in offered_skills(situation, WAYS, Guards(), remembers=False)


def test_where_no_room_is_left_to_see_everything_is_open_again(node):
    seen = [Observation('Empty.', room=room) for room in ('hall 1', 'kitchen 1')]
    situation = node('put down glass in closet', *seen)
    situation.belief.update(HOLDING)
    assert 'go to cabinet 1' in offered_but(open_before_leaving, situation, WAYS)


# Whole runs ----------------------------------------------------------------------------------

ROOMS = ('bath 1', 'bedroom 1', 'hall 1', 'kitchen 1')
TASK = 'find and pick up apple'
WALK = ('go to kitchen 1', 'go to fridge 1', 'open fridge 1', 'pick up apple 1', 'done')


@pytest.fixture
def large_home(small_home):
    small_home.vocabulary = replace(small_home.vocabulary, rooms=ROOMS)
    return small_home


@pytest.fixture
def searching(goal_of):
    """Policies that split the task into a search, and in its parts walk to the fridge."""
    return partial(search_policy, goal_of)


def search_policy(goal_of, places, usual=()):
    """A policy, and what it was asked beside the task. :param usual: where things usually are."""
    asked = []

    def policy(text, options):
        if options is None:
            listed = ', '.join(f'{TASK} in {place}' for place in places)
            return f' {listed}' if text.endswith('- subgoals:') else 'I look.'
        names = [option.strip() for option in options]
        if text.endswith('usually kept in the'):
            asked.append(text.splitlines()[-1])
            return next(names.index(f'{room}.') for room in usual if f'{room}.' in names)
        if 'Expand:' in names and goal_of(text) == TASK:
            return names.index('Expand:')
        wanted = ('Act:', 'fallback', *WALK, 'failure')
        return next((names.index(name) for name in wanted if name in names), 0)

    return policy, asked


def goals_of(run):
    return [node.goal for node in run.tree.snapshot().nodes if TASK in node.goal][1:]


@pytest.mark.parametrize('cover_goal', [True, False])
def test_a_way_that_is_listed_twice_is_tried_once(plan, large_home, searching, cover_goal):
    policy, _ = searching(('bedroom 1', 'bath 1', 'bedroom 1'), ROOMS)
    settings = PlannerSettings(
        direct_steps=False, guards=Guards(first_thought=False, cover_goal=cover_goal)
    )
    _, run, _, _, _ = plan(TASK, policy, settings, home=large_home)
    goals = goals_of(run)
    assert len(goals) == len(set(goals)) >= 2


def test_the_ways_of_a_search_are_tried_as_the_model_expects(plan, large_home, searching):
    policy, asked = searching(('bedroom 1', 'bath 1'), ('kitchen 1', 'hall 1', 'bath 1'))
    first = PlannerSettings(direct_steps=False, guards=Guards(first_thought=False))
    success, run, _, _, _ = plan(TASK, policy, first, home=large_home)
    assert success
    assert asked == ['An apple is usually kept in the'] * 3
    # The bedroom has been seen, with nothing that could hide it: it comes as the model listed it.
    order = [goal.removeprefix(f'{TASK} in ') for goal in goals_of(run)]
    assert order == ['kitchen 1', 'hall 1', 'bath 1', 'bedroom 1']
    # What the question cost is counted.
    assert run.usage.requests >= len(asked)


def test_without_that_rule_they_are_tried_as_listed(plan, large_home, searching):
    policy, asked = searching(('bedroom 1', 'bath 1'))
    settings = PlannerSettings(
        direct_steps=False, guards=Guards(first_thought=False, search_order=False)
    )
    _, run, _, _, _ = plan(TASK, policy, settings, home=large_home)
    order = [goal.removeprefix(f'{TASK} in ') for goal in goals_of(run)]
    assert order == ['bedroom 1', 'bath 1', 'hall 1', 'kitchen 1']
    assert asked == []


def test_a_search_in_vain_ends_without_the_model_and_teaches_nothing(plan, small_home, searching):
    policy, _ = searching(('table 1', 'kitchen 1'), ('bedroom 1', 'kitchen 1'))
    settings = PlannerSettings(direct_steps=False, guards=Guards(first_thought=False))
    success, run, home, events, _ = plan(TASK, policy, settings, home=small_home)
    assert success
    assert 'go to table 1' not in home.executed
    (given_up,) = [event for event in events if getattr(event, 'skill', '') == 'failure']
    assert given_up.text == 'nothing is left to look at'
    assert given_up.usage.requests == 0
    kept = run.experiences('r', 'find')
    assert [one.goal for one in kept] == [TASK, f'{TASK} in kitchen 1']


def test_a_place_whose_number_is_made_up_is_not_searched(plan, large_home, searching):
    policy, _ = searching(('fridge 7', 'kitchen 1', 'hall 1'), ROOMS)
    settings = PlannerSettings(direct_steps=False, guards=Guards(first_thought=False))
    _, run, _, _, _ = plan(TASK, policy, settings, home=large_home)
    assert f'{TASK} in kitchen 1' in goals_of(run)
    assert f'{TASK} in fridge 7' not in goals_of(run)


_DEPOT_SKILLS = (
    SkillType('go to <place>', ('place',), SkillKind.MOVE),
    SkillType('go through <gate>', ('place',), SkillKind.MOVE),
    SkillType('open <place>', ('place',), SkillKind.OPEN, 'close <place>'),
    SkillType('close <place>', ('place',), SkillKind.CLOSE, 'open <place>'),
    SkillType('lift <crate>', ('thing',), SkillKind.TAKE),
)
DEPOT = Vocabulary(
    tuple(one.template for one in _DEPOT_SKILLS),
    ('crate',),
    ('gate', 'spot', 'desk', 'drawer'),
    ('aisle 1',),
    skill_types=_DEPOT_SKILLS,
)
#: At a spot with a gate: the desk is elsewhere in the aisle.
AT_THE_GATE = Observation(
    'There.',
    room='aisle 1',
    place='spot 1',
    looked_at=('spot 1',),
    facts=(ObjectFact('gate', 1, 'aisle 1', 'spot 1'), ObjectFact('desk', 1, 'aisle 1')),
    admissible_skills=('go through gate 1', 'go to desk 1', 'go to spot 2'),
)
AT_THE_DESK = Observation(
    'There.',
    room='aisle 1',
    place='desk 1',
    looked_at=('desk 1',),
    skill='go to desk 1',
    facts=(ObjectFact('drawer', 1, 'aisle 1', 'desk 1', 'closed'),),
    admissible_skills=('open drawer 1', 'go to spot 1', 'go to spot 2'),
)


def test_where_more_can_be_looked_into_is_come_back_to():
    belief = BeliefState(DEPOT)
    for seen in (AT_THE_GATE, AT_THE_DESK):
        belief.update(seen)
    assert (
        belief.exploration.way_to('gate 1') == 'spot 1'
        and belief.exploration.way_to('drawer 1') == 'desk 1'
    )
    assert belief.exploration.way_to('desk 1') == belief.exploration.way_to('spot 2') == ''
    assert belief.exploration.ways_to_unseen() == {'spot 1', 'desk 1'}
    offered = offered_but(
        None, NodeSituation('find crate', (), belief), ('go to spot 1', 'go to spot 2')
    )
    assert offered == ['go to spot 1', 'go to spot 2']
    opened = ObjectFact('drawer', 1, 'aisle 1', 'desk 1', 'open')
    belief.update(
        replace(AT_THE_DESK, facts=(opened,), looked_at=('drawer 1',), skill='open drawer 1')
    )
    assert belief.exploration.ways_to_unseen() == {'spot 1'}


def test_a_region_that_is_told_later_is_searched_too():
    belief = BeliefState(DEPOT)
    belief.update(AT_THE_GATE)
    yard = Observation(
        'There.',
        room='yard 1',
        place='spot 7',
        looked_at=('gate 1', 'spot 7'),
        skill='go through gate 1',
        facts=(ObjectFact('desk', 2, 'yard 1'),),
        admissible_skills=('go to desk 2',),
    )
    belief.update(yard)
    assert belief.vocabulary.rooms == ('aisle 1', 'yard 1')
    assert belief.names.kind('yard') is NameKind.REGION
    assert belief.exploration.unseen(belief.vocabulary.rooms) == ('desk 1', 'spot 2', 'desk 2')
    assert belief.exploration.ways_to_unseen() == set()
