"""Problems of PDDL read back: order of sections, declared names, and whether skills are a plan."""

from __future__ import annotations

from dataclasses import replace

import pytest
from unified_planning.io import PDDLReader

from reactree_planner.facts.pddl_reading import read_pddl
from unit.facts.test_pddl import problem_of, searched, yard


@pytest.fixture
def files():
    return problem_of(yard(), 'crate 1 in truck 1')[1]


def test_sections_stand_in_the_order_of_the_language(files):
    at = [files.domain.index(one) for one in (':requirements', ':constants', ':predicates')]
    assert at == sorted(at) and at[-1] < files.domain.index(':action')
    constants = files.domain[at[1] - 1 : files.domain.index(')', at[1]) + 1]
    swapped = files.domain.replace(constants, '').replace('(:action', f'{constants} (:action', 1)
    with pytest.raises(ValueError, match='order'):
        read_pddl(replace(files, domain=swapped))


@pytest.mark.parametrize(
    ('gone', 'instead'),
    [('(at ?where) ', ''), (' crate-1', ' crate-9'), ('(at ?where)', '(at ?where ?when)')],
)
def test_a_name_that_is_not_declared_is_told(files, gone, instead):
    with pytest.raises(ValueError, match='not declared'):
        read_pddl(replace(files, domain=files.domain.replace(gone, instead, 1)))


def test_skills_are_a_plan_or_are_not(files):
    plan = searched(files, None)
    read = read_pddl(files)
    assert len(plan) > 2 and read.is_reached_by(plan)
    assert read.is_reached_by([*plan, 'anything'])
    for left_out in range(len(plan)):
        assert not read.is_reached_by([*plan[:left_out], *plan[left_out + 1 :]])
    assert not read.is_reached_by(plan[::-1])


@pytest.mark.parametrize('place', ['truck 1', 'held', 'Is not', 'done'])
def test_names_of_actions_objects_and_predicates_are_all_different(place):
    places = {'dock 1': '', place: '', '3rd bay 1': ''}
    files = problem_of(yard(places=places, at=place, states={}), f'crate 1 in {place}')[1]
    read = read_pddl(files)
    constants = files.domain.split('(:constants ')[1].split(')')[0].split()
    actions = [one.name for one in read.actions]
    predicates = ['at', 'room', 'held', 'in', 'is', 'is-not', 'held-count', 'executed', 'done']
    names = [*constants, *actions, *predicates]
    assert len(set(names)) == len(names)


def test_unified_planning_reads_it(files):
    read = PDDLReader().parse_problem_string(files.domain, files.problem)
    assert len(read.actions) == len(read_pddl(files).actions)
