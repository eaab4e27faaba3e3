"""What rules may act on, and in which order."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies

from reactree_core.observation import Observation
from reactree_core.observation import Vocabulary
from reactree_planner.agents.belief_state import BeliefState
from reactree_planner.agents.offering import matched_skill
from reactree_planner.agents.situation import NodeSituation
from reactree_planner.instructions.clauses import read_clauses
from reactree_planner.instructions.words import gerunds_of
from support.skill_kinds import declared

HOME = declared(
    Vocabulary(
        ('go to <object>', 'pick up <object>', 'open <object>', 'turn on <object>'),
        ('apple', 'plate'),
        ('fridge', 'stove'),
        ('kitchen 1', 'bathroom 1', 'bedroom 1'),
    )
)
SKILLS = tuple(
    f'{verb} {thing}'
    for verb, things in {
        'go to': ('bathroom 1', 'bedroom 1', 'kitchen 1', 'stove 1', 'fridge 1'),
        'pick up': ('apple 1', 'plate 1'),
        'open': ('fridge 1',),
        'turn on': ('stove 1',),
    }.items()
    for thing in things
)

ACTS = (
    'Turn on the stove.',
    'please turn on stove 1',
    'Can you turn on the stove?',
    'Could you please turn on the stove?',
    'You should turn on the stove.',
    'I want you to turn on the stove.',
    'Hey robot, turn on the stove!',
    'Now turn on the stove, please.',
    'I would like you to turn on the stove',
    'Make sure to turn on the stove.',
    'Find and turn on the stove',
    'You need to turn on the stove.',
    'Would you turn on the stove?',
    'Just turn on the stove.',
    'Simply turn on the stove',
)
SILENT = (
    'Do not turn on the stove.',
    "Don't turn on the stove",
    'Never turn on the stove!',
    'Turn on the stove only if it is cold.',
    'If it is cold, turn on the stove.',
    'Turn on the stove unless it is hot.',
    'Turn on the stove. But only if it is cold.',
    'Turn on the stove when the guests come.',
    'Once the guests are here, turn on the stove.',
    'Wait until I turn on the stove.',
    'In case it is cold, turn on the stove.',
    'Otherwise turn on the stove.',
    'I turned on the stove.',
    'I already turned on the stove.',
    'I have turned on the stove.',
    'Somebody had to turn on the stove yesterday.',
    'The stove was turned on.',
    'Anna will turn on the stove.',
    'The cook turns on the stove.',
    'My guests turn on the stove.',
    'I will turn on the stove.',
    'We turn on the stove ourselves.',
    'They turn on the stove.',
    'She wants to turn on the stove.',
    'I want to turn on the stove.',
    'Ask Anna to turn on the stove.',
    'Tell the cook to turn on the stove.',
    'Let Anna turn on the stove.',
    'Anna and Tom turn on the stove.',
    'Did you turn on the stove?',
    'Anna said "turn on the stove".',
    'The sign reads “turn on the stove”.',
    'The note says to turn on the stove.',
    'Go there without turning on the stove.',
    'Open the fridge, but do not turn on the stove.',
    'You must not turn on the stove.',
    'You may turn on the stove if you like.',
    'Whether you turn on the stove does not matter.',
    'Anna might turn on the stove.',
    'Avoid it: never turn on the stove.',
    'It is forbidden to turn on the stove.',
    'You are not allowed to turn on the stove.',
    'Nobody may turn on the stove.',
    'No need to turn on the stove.',
)


def situation_of(goal, now=Observation('')):  # noqa: B008
    belief = BeliefState(HOME)
    belief.update(now)
    return NodeSituation(goal, (), belief)


@pytest.mark.parametrize('goal', ACTS)
def test_what_a_goal_plainly_asks_is_done_without_the_model(goal):
    assert matched_skill(situation_of(goal), ('turn on stove 1',)) == 'turn on stove 1'


@pytest.mark.parametrize('goal', SILENT)
def test_what_a_goal_does_not_plainly_ask_is_left_to_the_model(goal):
    assert matched_skill(situation_of(goal), ('turn on stove 1',)) is None


@pytest.mark.parametrize(
    ('goal', 'order'),
    [
        ('go to kitchen 1, then bathroom 1, then bedroom 1', 'kitchen bathroom bedroom'),
        ('Go to the kitchen, then go to the bathroom.', 'kitchen bathroom'),
        ('First go to the bedroom, then to the bathroom.', 'bedroom bathroom'),
        ('Go to the bathroom after the kitchen.', 'kitchen bathroom'),
        ('Go to the bathroom after going to the kitchen.', 'kitchen bathroom'),
        ('After going to the kitchen, go to the bathroom.', 'kitchen bathroom'),
        ('Before going to the kitchen, go to the bathroom.', 'bathroom kitchen'),
        ('Go to the kitchen before going to the bathroom.', 'kitchen bathroom'),
        ('Go to the kitchen. Before that, go to the bathroom.', 'bathroom kitchen'),
        ('Go to the kitchen. After that, go to the bathroom.', 'kitchen bathroom'),
        ('Go to the kitchen, but first go to the bathroom.', 'bathroom kitchen'),
        ('Go to the kitchen. Afterwards go to the bathroom.', 'kitchen bathroom'),
        ('Go to the kitchen and finally go to the bathroom.', 'kitchen bathroom'),
        ('1. go to bathroom 1\n2. go to kitchen 1', 'bathroom kitchen'),
        ('1) Go to the bedroom. 2) Go to the kitchen.', 'bedroom kitchen'),
        ('Step 1: go to the bedroom. Step 2: go to the kitchen.', 'bedroom kitchen'),
        ('Please: 1. go to bathroom 1 2. go to kitchen 1', 'bathroom kitchen'),
        ('go to kitchen 1; next go to bathroom 1', 'kitchen bathroom'),
        ('Go to the kitchen, then the bathroom and then back to the kitchen.', 'kitchen bathroom'),
        ('Turn on the stove, then open the fridge', 'stove fridge'),
        ('Open the fridge after you turn on the stove', 'stove fridge'),
    ],
)  # fmt: skip
def test_steps_are_taken_in_the_order_that_the_goal_tells(goal, order):
    situation = situation_of(goal)
    assert situation.reading.ordered
    assert [one.mention.name for one in situation.reading.asked][
        : len(order.split())
    ] == order.split()


@pytest.mark.parametrize(
    'goal',
    [
        'Go to the kitchen and the bathroom.',
        'Turn on the stove and open the fridge.',
        'Open the first fridge.',
        'Go to the fridge next to the stove.',
        'Bring the last apple to the fridge.',
        'Go to kitchen 1. Open fridge 1.',
    ],
)
def test_words_that_tell_no_order_leave_it_open(goal):
    assert not situation_of(goal).reading.ordered


def test_a_tour_visits_rooms_in_its_order_whatever_the_menu_says():
    situation = situation_of('go to kitchen 1, then bathroom 1, then bedroom 1')
    taken = []
    for _ in range(3):
        skill = matched_skill(situation, SKILLS)
        taken.append(skill)
        before = situation.observation
        room = skill.removeprefix('go to ')
        situation.belief.update(Observation('', place=room, room=room, skill=skill))
        situation.record(skill, before)
    assert taken == ['go to kitchen 1', 'go to bathroom 1', 'go to bedroom 1']
    assert matched_skill(situation, SKILLS) is None


def test_a_later_step_is_not_taken_while_the_next_cannot_be_done():
    situation = situation_of('turn on the stove, then open the fridge')
    assert matched_skill(situation, ('open fridge 1', 'go to stove 1')) is None


def test_a_room_that_comes_twice_is_visited_twice():
    situation = situation_of('go to kitchen 1, then bathroom 1, then kitchen 1')
    for room in ('kitchen 1', 'bathroom 1'):
        skill = f'go to {room}'
        assert matched_skill(situation, SKILLS) == skill
        before = situation.observation
        situation.belief.update(Observation('', place=room, room=room, skill=skill))
        situation.record(skill, before)
    assert matched_skill(situation, SKILLS) == 'go to kitchen 1'


@pytest.mark.parametrize(
    ('verb', 'gerund'),
    [
        ('turn on', 'turning on'),
        ('put down', 'putting down'),
        ('take', 'taking'),
        ('scan', 'scanning'),
        ('open', 'opening'),
        ('tie', 'tying'),
        ('free', 'freeing'),
        ('go to', 'going to'),
        ('load', 'loading'),
    ],
)
def test_a_verb_has_its_ing_form(verb, gerund):
    assert gerund in gerunds_of(verb)


@given(strategies.text(max_size=200), strategies.sampled_from([(), ('turn on', 'go to')]))
def test_every_word_of_any_text_has_a_sense_and_a_place(text, verbs):
    reading = read_clauses(text, verbs)
    count = len(reading.words)
    assert len(reading.senses) == len(reading.certain) == len(reading.plain) == count
    assert sorted(reading.ranks) == list(range(count))
    assert all(0 <= one.start <= one.end <= count for one in reading.regions)
