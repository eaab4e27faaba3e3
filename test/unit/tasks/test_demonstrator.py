"""How the demonstrator decides, node by node."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from reactree_core.observation import ObjectFact
from reactree_core.observation import Observation
from reactree_core.observation import Vocabulary
from reactree_core.working_memory import WorkingMemory
from sim_bridge.tasks.common_sense import by_likelihood
from sim_bridge.tasks.common_sense import places_to_search
from sim_bridge.tasks.decisions import Act
from sim_bridge.tasks.decisions import Decision
from sim_bridge.tasks.decisions import Expand
from sim_bridge.tasks.decisions import Think
from sim_bridge.tasks.demonstrator import decide
from sim_bridge.tasks.demonstrator import Situation
from sim_bridge.tasks.subgoals import Bring
from sim_bridge.tasks.subgoals import Find
from sim_bridge.tasks.subgoals import Goal
from sim_bridge.tasks.subgoals import PutDown
from sim_bridge.tasks.subgoals import read_instruction
from sim_bridge.tasks.subgoals import TurnOn
from sim_bridge.tasks.subgoals import Whole
from sim_bridge.worlds.household.scoring import Condition

ROOMS = ('bathroom 1', 'kitchen 1', 'living room 1')


def fact(name: str, room: str, receptacle: str = '', state: str = '') -> ObjectFact:
    object_class, _, number = name.rpartition(' ')
    return ObjectFact(object_class, int(number), room, receptacle, state)


def situation(
    room: str,
    facts: tuple[ObjectFact, ...] = (),
    admissible: tuple[str, ...] = (),
    held: tuple[str, ...] = (),
    known: tuple[ObjectFact, ...] = (),
    looked_at: tuple[str, ...] = (),
) -> Situation:
    memory = WorkingMemory()
    for place in sorted({one.room for one in known}):
        here = tuple(one for one in known if one.room == place)
        memory.update(Observation('', room=place, facts=here))
    observation = Observation(
        '', room=room, facts=facts, admissible_skills=admissible, held=held, looked_at=looked_at
    )
    memory.update(observation)
    return Situation(observation, memory, Vocabulary(rooms=ROOMS))


def run(
    goal: Goal, now: Situation, answer: Callable[[str], Observation] | None = None
) -> list[Decision]:
    """Decisions of a node; acts are answered by a function, or change nothing."""
    decisions = []
    for decision in decide(goal, now):
        decisions.append(decision)
        if isinstance(decision, Act) and answer and decision.skill not in ('done', 'failure'):
            if not decision.skill.startswith('recall'):
                now.observation = answer(decision.skill)
                now.memory.update(now.observation)
    return decisions


def skills(decisions: list[Decision]) -> list[str]:
    return [decision.skill for decision in decisions if isinstance(decision, Act)]


def test_an_instruction_becomes_a_subgoal_per_thing_in_its_own_order() -> None:
    conditions = (
        Condition('on', 'apple', 'kitchentable', 1),
        Condition('on', 'plate', 'kitchentable', 3),
    )
    whole = read_instruction('Put three plates and an apple on the kitchen table.', conditions)
    thought, expansion = run(whole, situation('kitchen 1'))
    assert thought == Think('I need to put three plates and an apple on kitchen table.')
    assert isinstance(expansion, Expand)
    assert expansion.control_flow == 'parallel'
    assert [goal.text for goal in expansion.subgoals] == [
        'put plate on kitchen table',
        'put another plate on kitchen table',
        'put a third plate on kitchen table',
        'put apple on kitchen table',
    ]


def test_what_is_turned_on_comes_last_in_a_sequence() -> None:
    conditions = (
        Condition('turnon', '', 'dishwasher', 1),
        Condition('inside', 'mug', 'dishwasher', 1),
    )
    expansion = run(read_instruction('Wash a mug.', conditions), situation('kitchen 1'))[-1]
    assert isinstance(expansion, Expand)
    assert expansion.lines == (
        'Expand:\n- control flow: sequence\n'
        '- subgoals: put mug in dishwasher, turn on dishwasher\nOK.'
    )


def test_bringing_is_finding_and_putting_down() -> None:
    expansion = run(Bring('water glass', 'fridge', 'in', 2), situation('kitchen 1'))[-1]
    assert isinstance(expansion, Expand)
    assert [goal.text for goal in expansion.subgoals] == [
        'find and pick up another water glass',
        'put down water glass in fridge',
    ]


def test_an_unknown_thing_is_looked_for_in_every_room_the_current_one_first() -> None:
    decisions = run(Find('apple'), situation('bathroom 1'))
    assert skills(decisions) == ['recall location of apple']
    expansion = decisions[-1]
    assert isinstance(expansion, Expand)
    assert expansion.control_flow == 'fallback'
    assert [goal.text for goal in expansion.subgoals] == [
        f'find and pick up apple in {room}'
        for room in ('bathroom 1', 'kitchen 1', 'living room 1')
    ]


def test_a_known_thing_is_fetched_where_it_was_seen() -> None:
    known = (fact('apple 2', 'kitchen 1', 'fridge 1'), fact('fridge 1', 'kitchen 1', '', 'closed'))
    answers = {
        'go to kitchen 1': Observation(
            '', room='kitchen 1', admissible_skills=('go to fridge 1',)
        ),
        'go to fridge 1': Observation('', room='kitchen 1', admissible_skills=('open fridge 1',)),
        'open fridge 1': Observation(
            '', room='kitchen 1', facts=(known[0],), admissible_skills=('pick up apple 2',)
        ),
        'pick up apple 2': Observation('', room='kitchen 1', held=('apple 2',)),
    }
    decisions = run(Find('apple'), situation('bathroom 1', known=known), answers.__getitem__)
    assert skills(decisions) == ['recall location of apple', *answers, 'done']


def test_a_search_opens_what_is_closed_and_ends_in_failure() -> None:
    look = (
        fact('fridge 1', 'kitchen 1', '', 'closed'),
        fact('kitchen table 1', 'kitchen 1'),
        fact('chair 1', 'kitchen 1'),
        fact('desk 1', 'kitchen 1', '', 'closed'),
    )
    offered = (
        'go to fridge 1',
        'go to kitchen table 1',
        'go to desk 1',
        'open fridge 1',
        'open desk 1',
    )

    def answer(skill: str) -> Observation:
        place = skill.removeprefix('go to ').removeprefix('open ')
        seen = () if skill == 'go to fridge 1' else (place,)
        opened = skill.startswith('open')
        fridge = fact('fridge 1', 'kitchen 1', '', 'open' if opened else 'closed')
        return Observation(
            '',
            room='kitchen 1',
            place=place,
            looked_at=seen,
            facts=(fridge,),
            admissible_skills=() if opened else offered,
        )

    decisions = run(Find('apple', room='kitchen 1'), situation('kitchen 1', look, offered), answer)
    assert skills(decisions) == [
        'go to desk 1',
        'go to kitchen table 1',
        'go to fridge 1',
        'open fridge 1',
        'failure',
    ]
    assert decisions[0] == Think('To find an apple I look at: desk 1, kitchen table 1, fridge 1.')


def test_places_that_were_looked_at_are_left_out() -> None:
    look = (fact('kitchen table 1', 'kitchen 1'), fact('sofa 1', 'kitchen 1'))
    now = situation(
        'kitchen 1',
        look,
        ('go to sofa 1', 'go to kitchen table 1'),
        looked_at=('kitchen table 1',),
    )
    assert skills(run(Find('apple', room='kitchen 1'), now)) == ['go to sofa 1', 'failure']


def test_a_long_list_of_places_is_thought_of_in_two_parts() -> None:
    look = tuple(fact(f'kitchen cabinet {number}', 'kitchen 1') for number in range(1, 12))
    decisions = run(Find('apple', room='kitchen 1'), situation('kitchen 1', look))
    thoughts = [decision.text for decision in decisions if isinstance(decision, Think)]
    assert len(thoughts) == 3 and thoughts[1].startswith('Next I look at: kitchen cabinet')
    assert all(len(thought.split()) < 25 for thought in thoughts)


def test_what_was_brought_is_not_taken_away_again() -> None:
    there = fact('plate 1', 'kitchen 1', 'kitchen table 1')
    other = fact('plate 3', 'kitchen 1', 'kitchen table 1')
    now = situation('kitchen 1', (there, other), ('pick up plate 1', 'pick up plate 3'))
    now.brought['plate 1'] = 'kitchen table 1'

    def answer(skill: str) -> Observation:
        return Observation('', room='kitchen 1', held=(skill.removeprefix('pick up '),))

    decisions = run(Find('plate', 2), now, answer)
    assert skills(decisions) == ['recall location of plate', 'pick up plate 3', 'done']


def test_all_things_go_to_the_same_one_of_several_places() -> None:
    tables = (fact('coffee table 1', 'kitchen 1'), fact('coffee table 2', 'kitchen 1'))
    now = situation(
        'kitchen 1', tables, ('go to coffee table 1', 'go to coffee table 2'), held=('apple 1',)
    )
    now.brought['mug 1'] = 'coffee table 2'
    assert skills(run(PutDown('apple', 'coffee table', 'on'), now))[0] == 'go to coffee table 2'


def test_a_place_in_another_room_is_recalled() -> None:
    table = fact('coffee table 1', 'living room 1')
    now = situation('kitchen 1', held=('apple 1',), known=(table,))

    def answer(skill: str) -> Observation:
        room = 'living room 1'
        held = () if skill.startswith('put') else ('apple 1',)
        offered = ('put down apple 1',) if 'table' in skill else ('go to coffee table 1',)
        return Observation('', room=room, facts=(table,), held=held, admissible_skills=offered)

    decisions = run(PutDown('apple', 'coffee table', 'on'), now, answer)
    assert skills(decisions) == [
        'recall location of coffee table',
        'go to living room 1',
        'go to coffee table 1',
        'put down apple 1',
        'done',
    ]
    assert now.brought == {'apple 1': 'coffee table 1'}


def test_an_unknown_place_is_looked_for_where_it_usually_stands() -> None:
    decisions = run(TurnOn('dishwasher'), situation('bathroom 1'))
    assert skills(decisions) == [
        'recall location of dishwasher',
        'go to kitchen 1',
        'go to living room 1',
        'failure',
    ]


def test_nothing_is_put_down_with_empty_hands() -> None:
    assert skills(run(PutDown('apple', 'fridge', 'in'), situation('kitchen 1'))) == ['failure']


def test_a_slipping_hand_tries_again() -> None:
    seen = (fact('apple 1', 'kitchen 1', 'sofa 1'),)
    now = situation('kitchen 1', seen, ('pick up apple 1',))
    decisions = run(Find('apple'), now, lambda skill: now.observation)
    assert skills(decisions).count('pick up apple 1') == 3


@pytest.mark.parametrize('count', range(1, 8))
def test_the_thought_about_a_task_stays_short(count: int) -> None:
    names = ('water glass', 'cutlery fork', 'pound cake', 'coffee pot', 'wine glass', 'mug', 'pie')
    parts = tuple(Bring(name, 'kitchen table', 'on') for name in names[:count])
    thought = run(Whole('x', parts), situation('kitchen 1'))[0]
    assert isinstance(thought, Think) and len(thought.text.split()) < 25


def test_common_sense_orders_rooms_and_places() -> None:
    assert by_likelihood(['bedroom 1', 'living room 1', 'kitchen 1']) == [
        'kitchen 1',
        'living room 1',
        'bedroom 1',
    ]
    assert by_likelihood(['kitchen 1', 'bathroom 1'], 'toilet') == ['bathroom 1', 'kitchen 1']
    facts = [
        fact('closet 1', 'bedroom 1'),
        fact('nightstand 1', 'bedroom 1', '', 'closed'),
        fact('desk 1', 'bedroom 1', '', 'closed'),
        fact('tv 1', 'bedroom 1'),
        fact('sofa 1', 'kitchen 1'),
        fact('book 1', 'bedroom 1', '', 'closed'),
    ]
    assert places_to_search(facts, 'bedroom 1') == ['desk 1', 'nightstand 1', 'closet 1']
