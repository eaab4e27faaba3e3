"""Problems in PDDL: a planner that others wrote solves them, and its plan works in the world."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import deque
from itertools import pairwise

import pytest
from hypothesis import given, HealthCheck, settings
from hypothesis import strategies as st

from reactree_core.errors import ConfigurationError
from reactree_planner.facts import pddl
from reactree_planner.facts.conditions import conditions_of
from reactree_planner.facts.pddl import pddl_of
from reactree_planner.facts.reasoner import Reasoner
from unit.facts.made_up import CLOSE, GO, MadeUp, OPEN, PUT, TAKE
from unit.facts.test_plan_quality import made, OTHERWISE, shortest

PLACES = {'dock 1': '', 'truck 1': '', 'Shed 2': '', '3rd bay 1': ''}


def problem_of(world, *texts):
    """The reasoner, and what it would write."""
    reasoner = Reasoner(world.vocabulary(), (conditions_of(texts),))
    reasoner.see(world.look())
    reasoner.advance()
    bound = reasoner.bound()
    assert not bound.missing and not bound.hopeless
    return reasoner, pddl_of(bound.problem, bound.goal)


def searched(files, _folder):
    """Skills of a shortest plan, by nothing but what the files say: actions without parameters."""
    _, *domain = read(files.domain)
    _, *problem = read(files.problem)
    told = {one[0]: one[1:] for one in problem}
    names = {name for one in domain if one[0] == ':constants' for name in one[1:]}
    predicates = {one[0] for part in domain if part[0] == ':predicates' for one in part[1:]}
    skills = dict(zip(*[iter(_told(files.domain))] * 2, strict=True))
    actions = {}
    for one in domain:
        if one[0] == ':action':
            fields = dict(zip(one[2::2], one[3::2], strict=True))
            assert fields[':parameters'] == () and one[1] not in actions
            needs, effects = fields[':precondition'][1:], fields[':effect'][1:]
            gone = frozenset(atom[1] for atom in effects if atom[0] == 'not')
            actions[one[1]] = (
                frozenset(needs),
                frozenset(effects) - {('not', x) for x in gone},
                gone,
            )
            for atom in (*needs, *gone, *actions[one[1]][1]):
                assert atom[0] in predicates and names.issuperset(atom[1:]), atom
    begin, (goal,) = frozenset(told[':init']), told[':goal']
    ways, left = {begin: []}, deque([begin])
    while left:
        state = left.popleft()
        if goal in state:
            return [skills[name] for name in ways[state] if not name.startswith('end-')]
        for name, (needs, add, gone) in actions.items():
            if needs <= state and (then := state - gone | add) not in ways:
                ways[then] = [*ways[state], name]
                left.append(then)
    raise AssertionError('no plan')


def read(text):
    """Brackets as tuples, without comments."""
    stack = [[]]
    for token in re.findall('[()]|[^()\\s]+', re.sub(';.*', '', text)):
        if token == '(':
            stack.append([])
        elif token == ')':
            done = tuple(stack.pop())
            stack[-1].append(done)
        else:
            stack[-1].append(token)
    ((one,),) = stack
    return one


def solved(files, folder):
    """Skills of the plan that pyperplan finds; it is a program of its own."""
    (folder / 'domain.pddl').write_text(files.domain, encoding='utf-8')
    (folder / 'problem.pddl').write_text(files.problem, encoding='utf-8')
    command = [sys.executable, '-m', 'pyperplan', '-s', 'gbf', '-H', 'hff']
    done = subprocess.run(
        [*command, str(folder / 'domain.pddl'), str(folder / 'problem.pddl')],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    skills = dict(zip(*[iter(_told(files.domain))] * 2, strict=True))
    plan = (folder / 'problem.pddl.soln').read_text(encoding='utf-8').split()
    return [skills[name.strip('()')] for name in plan if not name.startswith('(end-')]


def _told(domain):
    """Of each action its name and its skill, by turns."""
    lines = [line.strip() for line in domain.splitlines()]
    for comment, line in pairwise(lines):
        if line.startswith('(:action '):
            yield line.removeprefix('(:action ')
            yield comment.removeprefix('; ')


def yard(**changes):
    told = {
        'types': (GO, TAKE, PUT, OPEN, CLOSE),
        'places': PLACES,
        'things': {'crate 1': 'dock 1', 'crate 2': '3rd bay 1', 'drum 1': 'dock 1'},
        'at': 'truck 1',
        'states': {'truck 1': {'closed'}},
        # As is thought of a robot that has not told.
        'hands': 2,
    }
    return MadeUp(**{**told, **changes})


@pytest.mark.parametrize('planner', [searched, solved])
def test_a_planner_that_others_wrote_solves_it(planner, tmp_path):
    world = yard()
    reasoner, files = problem_of(world, '2 crate in truck', 'drum in Shed 2')
    for text in planner(files, tmp_path):
        reasoner.see(world.step(text))
        assert reasoner.belief.observation.succeeded, text
    assert reasoner.advance() == ()


@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    where=st.tuples(*[st.sampled_from(sorted(PLACES))] * 3),
    to=st.sampled_from(['truck', 'dock', 'Shed 2']),
    shut=st.sets(st.sampled_from(['truck 1', 'dock 1', 'Shed 2'])),
    held=st.booleans(),
)
def test_where_the_reasoner_knows_a_way_so_does_it(tmp_path, where, to, shut, held):
    things = dict(zip(('crate 1', 'crate 2', 'drum 1'), where, strict=True))
    states = {name: {'closed'} for name in shut}
    world = yard(things=things, states=states, held=['drum 1'] if held else [])
    reasoner = Reasoner(world.vocabulary(), (conditions_of((f'2 crate in {to}',)),))
    reasoner.see(world.look())
    if not reasoner.advance():
        return
    bound = reasoner.bound()
    if not bound.goal or bound.hopeless:
        return
    for text in searched(pddl_of(bound.problem, bound.goal), tmp_path):
        reasoner.see(world.step(text))
        assert reasoner.belief.observation.succeeded, text
    assert reasoner.advance() == ()


def test_what_is_too_large_is_refused(monkeypatch):
    monkeypatch.setattr(pddl, '_MOST_ACTIONS', 3)
    with pytest.raises(ConfigurationError, match='at most 3'):
        problem_of(yard(), '2 crate in truck')


def test_the_plan_of_the_files_is_as_short_as_the_shortest_way(tmp_path):
    _, files = problem_of(yard(), '2 crate in truck')
    # There, taken, there, taken, there, opened, left, left.
    assert len(searched(files, tmp_path)) == 8
    _, files = problem_of(yard(hands=1, held=['drum 1']), 'drum in dock')
    assert [text.split()[0] for text in searched(files, tmp_path)] == ['drive', 'leave']


def test_names_that_are_written_alike_are_told_apart(tmp_path):
    places = {'dock 1': '', 'dock-1': '', 'truck 1': ''}
    world = MadeUp((GO, TAKE, PUT), places, {'crate 1': 'dock-1'}, at='truck 1', hands=2)
    reasoner, files = problem_of(world, 'crate in dock 1')
    for text in searched(files, tmp_path):
        reasoner.see(world.step(text))
    assert world.things['crate 1'] == 'dock 1'


@pytest.mark.parametrize('kind', ['seen', 'two names', 'here', 'regions'])
def test_the_plan_of_the_files_takes_as_few_skills_as_a_search_through_all_states(kind, tmp_path):
    for seed in range(6):
        world, asked = made(seed)
        world.types = tuple(OTHERWISE.get(kind, {}).get(one, one) for one in world.types)
        if kind == 'regions':
            name, _, place = asked[0].partition(' in ')
            asked[0] = f'{name} in {world.places[place]}'
        reasoner = Reasoner(world.vocabulary(), (conditions_of(tuple(asked)),))
        # How much it can hold is told by what is on offer, or not at all.
        reasoner.see(world.look())
        reasoner.belief.capacity = world.hands
        bound = reasoner.bound()
        plan = searched(pddl_of(bound.problem, [*bound.goal, *bound.later]), tmp_path)
        fewest = shortest(world, asked)
        for text in plan:
            reasoner.see(world.step(text))
            assert reasoner.belief.observation.succeeded, text
        assert fewest <= len(plan) <= fewest + (kind == 'here'), (seed, asked, plan)
        assert reasoner.advance() == ()


def test_it_is_said_where_not_all_ways_are_written_out(monkeypatch):
    whole = problem_of(yard(), '2 crate in truck')[1].domain
    monkeypatch.setattr(pddl, '_MOST_WAYS', 1)
    cut = problem_of(yard(), '2 crate in truck')[1].domain
    assert 'Only the first' in cut and 'Only the first' not in whole
    assert cut.count(':action') < whole.count(':action')
