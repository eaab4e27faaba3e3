"""What a goal names is covered by its subgoals, each thing as often as wanted."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reactree_core.observation import Vocabulary
from reactree_planner.instructions.coverage import about_the_goal
from reactree_planner.instructions.coverage import completed_counts
from reactree_planner.instructions.coverage import missing_things
from reactree_planner.instructions.coverage import named_counts
from reactree_planner.instructions.coverage import with_names_of_goal
from reactree_planner.instructions.names import NameKind
from reactree_planner.instructions.names import Names
from reactree_planner.tree.events import ControlFlow
from support.skill_kinds import declared

HOME = Names(
    declared(
        Vocabulary(
            (),
            ('apple', 'pancake', 'cutlery fork', 'wine glass', 'water glass'),
            ('fridge', 'kitchen table'),
            ('kitchen 1',),
        )
    )
)


def test_things_left_out_and_added_are_counted_with_their_numbers():
    names = Names(Vocabulary((), ('plate', 'fork'), ('table',), ()))
    goal = 'put two plates and 1 fork on the table'
    flow = ControlFlow.PARALLEL
    whole = ('put plate on table', 'put another plate on table', 'put fork on table')
    assert missing_things(flow, whole, goal, names) == 0
    assert missing_things(flow, ('put two plates on table', 'put fork on table'), goal, names) == 0
    assert missing_things(flow, whole[:1], goal, names) == 2
    assert missing_things(flow, (*whole, 'put apple on table'), goal, names) == 0
    names.add('apple', NameKind.THING)
    assert missing_things(flow, (*whole, 'put apple on table'), goal, names) == 1


@pytest.mark.parametrize(
    ('goal', 'apples'),
    [
        ('put two slices of apple in the fridge', 2),
        ('put 3 of apple in the fridge', 3),
        ('put a slice of apple in the fridge', 1),
        ('two people want apple', 1),
        ('of apple', 1),
    ],
)
def test_a_number_may_stand_before_a_measure(goal, apples):
    assert named_counts(goal, HOME)['apple'] == apples


def test_one_too_many_is_a_fault_of_a_parallel_but_not_of_a_chain():
    goal = 'put apple in fridge'
    two = ('put apple in fridge', 'put another apple in fridge')
    assert missing_things(ControlFlow.PARALLEL, two, goal, HOME) == 1
    steps = ('find and pick up apple', 'put down apple in fridge')
    assert missing_things(ControlFlow.SEQUENCE, steps, goal, HOME) == 0


def test_a_place_left_out_is_missed():
    goal = 'breakfast at the kitchen table means one pancake'
    assert missing_things(ControlFlow.PARALLEL, ('put pancake in kitchen',), goal, HOME) == 1
    assert missing_things(ControlFlow.PARALLEL, ('put pancake on kitchen table',), goal, HOME) == 0


@pytest.mark.parametrize(
    ('subgoal', 'more'),
    [
        ('put pancake in fridge', 'put another pancake in fridge'),
        ('Put a pancake in the fridge', 'Put another pancake in the fridge'),
        ('pancake', 'another pancake'),
    ],
)
def test_a_subgoal_about_one_of_several_is_repeated(subgoal, more):
    goal = 'put two pancakes and an apple in the fridge'
    listed = (subgoal, 'put apple in fridge')
    completed = completed_counts(ControlFlow.PARALLEL, listed, goal, HOME)
    assert completed == (subgoal, more, 'put apple in fridge')
    assert completed_counts(ControlFlow.FALLBACK, listed, goal, HOME) == listed


def test_steps_that_name_a_thing_often_enough_are_left_alone():
    goal = 'put two pancakes in the fridge'
    steps = ('find and pick up pancake', 'put down pancake in fridge')
    assert completed_counts(ControlFlow.SEQUENCE, steps, goal, HOME) == steps


def test_one_name_that_slipped_in_is_put_right():
    goal = 'put 2 pancakes in the fridge'
    flow = ControlFlow.PARALLEL
    slips = ('put pancake on kitchen table', 'put another pancake on kitchen table 1')
    assert with_names_of_goal(flow, slips, goal, HOME) == (
        'put pancake on fridge',
        'put another pancake on fridge',
    )
    steps = ('find and pick up apple', 'put down apple in fridge')
    assert with_names_of_goal(ControlFlow.SEQUENCE, steps, goal, HOME) == (
        'find and pick up pancake',
        'put down pancake in fridge',
    )


def test_what_is_about_other_things_is_left_out():
    goal = 'put another pancake in fridge'
    flow = ControlFlow.SEQUENCE
    listed = ('put apple in fridge', 'find pancake', 'put pancake in fridge', 'open fridge')
    assert about_the_goal(flow, listed, goal, HOME) == listed[1:]
    assert about_the_goal(ControlFlow.FALLBACK, listed, goal, HOME) == listed
    others = ('put apple in fridge', 'put wine glass in fridge')
    assert about_the_goal(flow, others, goal, HOME) == others


def test_names_that_may_be_meant_are_left_alone():
    flow = ControlFlow.SEQUENCE
    goal = 'put the apple in the fridge'
    way = ('find apple on kitchen table', 'put down apple in fridge')
    assert with_names_of_goal(flow, way, goal, HOME) == way
    two = ('find pancake', 'find wine glass')
    assert with_names_of_goal(flow, two, goal, HOME) == two
    search = ('find pancake in kitchen 1',)
    assert with_names_of_goal(ControlFlow.FALLBACK, search, goal, HOME) == search


@given(
    st.integers(1, 9),
    st.sampled_from(('apple', 'pancake', 'cutlery fork')),
    st.sampled_from((ControlFlow.PARALLEL, ControlFlow.SEQUENCE)),
)
def test_nothing_is_missing_once_counts_are_completed(number, name, flow):
    goal = f'put {number} {name} in the fridge'
    completed = completed_counts(flow, (f'put {name} in fridge',), goal, HOME)
    assert named_counts(' and '.join(completed), HOME) == named_counts(goal, HOME)
    assert missing_things(flow, completed, goal, HOME) == 0


def test_a_number_that_names_a_thing_is_no_count():
    assert named_counts('put apples 3, 4 and 5 in the fridge', HOME)['apple'] == 3
    assert named_counts('put both apples in the fridge', HOME)['apple'] == 2
