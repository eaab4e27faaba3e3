"""Runs of the planner in a small home (a double), with a model whose answers a test gives."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import pytest

from reactree_core.cancellation import CancelToken
from reactree_core.observation import ObjectFact, Observation, Outcome, Vocabulary
from reactree_core.permission.rules import Rules
from reactree_core.permission.spending import FREE_OF_CHARGE
from reactree_core.record.events import NodeKind
from reactree_core.record.run_settings import Limits
from reactree_planner.llm.policy import PolicyModel
from reactree_planner.planners.registry import make_planner
from reactree_planner.runs.run import PlanRun, run_corrected
from reactree_planner.runs.run_ports import Ports
from reactree_planner.runs.settings import PlannerSettings
from support.memories import FixedMemory
from support.skill_kinds import declared


class SmallHome:
    """The apple is in the closed fridge of kitchen 1; the table is in bedroom 1."""

    vocabulary = declared(
        Vocabulary(
            (
                'go to <room>',
                'go to <object>',
                'pick up <object>',
                'put down <object>',
                'open <object>',
                'close <object>',
            ),
            ('apple', 'pear'),
            ('fridge', 'table'),
            ('bedroom 1', 'kitchen 1'),
        )
    )
    rooms: ClassVar[dict[str, str]] = {
        'fridge 1': 'kitchen 1',
        'table 1': 'bedroom 1',
        'pear 1': 'bedroom 1',
    }

    def __init__(self):
        self.executed = []
        self.resets = 0
        self._begin()

    def _begin(self):
        self.place = self.room = 'bedroom 1'
        self.held = ()
        self.open = False
        self.apple = 'fridge 1'

    def reset(self, cancel):
        self.resets += 1
        self._begin()

    def list_skills(self, cancel):
        return self.vocabulary, self.look(cancel)

    def candidate_skills(self, cancel):
        return (*self._skills(), 'pick up apple 1', 'open fridge 1')

    def look(self, cancel):
        return self._observation(f'You are in the middle of a {self.room[:-2]} (1).')

    def progress(self, cancel):
        return None

    def expert_plan(self, cancel):
        return (
            'go to kitchen 1',
            'go to fridge 1',
            'open fridge 1',
            'pick up apple 1',
            'go to bedroom 1',
            'go to table 1',
            'put down apple 1',
        )

    def execute(self, sequence, node_id, skill, cancel):
        if skill not in self._skills():
            # Offered in the published setting although it cannot succeed.
            return replace(
                self._observation('It is too far.'), outcome=Outcome.PRECONDITION_FAILED
            )
        self.executed.append(skill)
        verb, _, target = skill.rpartition(' ')[0].rpartition(' ')
        target = skill.removeprefix(verb).strip()
        if verb == 'go to':
            self.place = target
            self.room = self.rooms.get(target, target)
        elif verb == 'open':
            self.open = True
        elif verb == 'close':
            self.open = False
        elif verb == 'pick up':
            self.held = ('apple 1',)
            self.apple = 'agent 1'
        else:
            self.held = ()
            self.apple = self.place
        return self._observation(f'You {skill}.')

    def _sees_apple(self):
        return self.apple == 'table 1' or (self.apple == 'fridge 1' and self.open)

    def _skills(self):
        skills = ['go to bedroom 1', 'go to kitchen 1']
        here = [place for place, room in self.rooms.items() if room == self.room]
        skills += [f'go to {place}' for place in here]
        if self.place == 'fridge 1':
            skills.append('close fridge 1' if self.open else 'open fridge 1')
        if self._sees_apple() and self.apple == self.place:
            skills.append('pick up apple 1')
        if self.held and (self.place == 'table 1' or (self.place == 'fridge 1' and self.open)):
            skills.append('put down apple 1')
        return tuple(skills)

    def _observation(self, text):
        facts = []
        if self.room == 'kitchen 1':
            state = 'open' if self.open else 'closed'
            facts.append(ObjectFact('fridge', 1, 'kitchen 1', state=state))
        else:
            facts.append(ObjectFact('table', 1, 'bedroom 1'))
        if self._sees_apple() and self.rooms[self.apple] == self.room:
            facts.append(ObjectFact('apple', 1, self.room, self.apple))
        shown = self.place == 'table 1' or (self.place == 'fridge 1' and self.open)
        return Observation(
            text,
            place=self.place,
            room=self.room,
            looked_at=(self.place,) if shown else (),
            held=self.held,
            admissible_skills=self._skills(),
            facts=tuple(facts),
        )


def _goal_of(text):
    """The goal a session's text ends with."""
    return text.rsplit('Your task is to: ', 1)[1].splitlines()[0]


def _planning_policy(plans, act):
    """A policy that writes the plan of a goal, and otherwise acts.

    :param plans: goal -> (steps, execution order).
    :param act: (text, options' names) -> the name it wants.
    """

    def policy(text, options):
        goal = _goal_of(text)
        last = text.rsplit('\n', 1)[-1]
        if options is None:
            if last.startswith('Step '):
                return f' {plans[goal][0][int(last[5:-1]) - 1]}'
            if last == 'Execution Order:':
                return f' {plans[goal][1]}'
            return ' I think.'
        names = [option.strip() for option in options]
        if 'Execution Order:' in names:
            return int(int(names[0][5:-1]) > len(plans[goal][0]))
        return names.index(act(text, names))

    return policy


def _program(steps):
    """Steps as lines of a program: `go_to('table 1')`."""
    lines = []
    for step in steps:
        words = step.split()
        verb = 2 if words[0] in ('go', 'pick', 'put') else 1
        lines.append(f'    {"_".join(words[:verb])}({" ".join(words[verb:])!r})')
    return '\n'.join(lines)


def _outline(snapshot):
    """A tree as lines: two spaces a level, the goal or the control flow, and how it ended."""
    lines = []

    def add(parent, depth):
        for node in snapshot.nodes:
            if node.parent_id == parent:
                name = node.goal if node.kind is NodeKind.AGENT else node.kind.name
                lines.append(f'{"  " * depth}{name}: {node.status.name.lower()}')
                add(node.node_id, depth + 1)

    add(0, 0)
    return lines


@pytest.fixture
def small_home():
    """A home to change before planning in it."""
    return SmallHome()


NO_RULES = Rules()


@pytest.fixture
def plan():
    """Plan a task with a policy; returns (success, run, home, events, asked options).

    A planner is named, or given. Lists `runs` and `planners` hold every run, failed ones too.
    """
    runs = []
    planners = []

    def plan(
        task,
        policy,
        settings=None,
        limits=None,
        gate=lambda decision: None,
        cancel=None,
        home=None,
        context_tokens=8192,
        planner='reactree',
        embedder=None,
        memory=None,
        permission=NO_RULES,
        price=FREE_OF_CHARGE,
    ):
        home = home or SmallHome()
        events = []
        offered = []

        def answer(text, options):
            if options is not None:
                offered.append([option.strip() for option in options])
            return policy(text, options)

        run = PlanRun(
            task,
            Ports(
                PolicyModel(answer, context_tokens=context_tokens),
                home,
                memory or FixedMemory(),
                embedder,
            ),
            settings or PlannerSettings(interprets=False),
            limits or Limits(),
            cancel or CancelToken(),
            events.append,
            gate,
            permission=permission,
            price=price,
        )
        runs.append(run)
        planners.append(make_planner(planner) if isinstance(planner, str) else planner)
        success = run_corrected(planners[-1], run)
        return success, run, home, events, offered

    plan.runs = runs
    plan.planners = planners
    return plan


@pytest.fixture(scope='session')
def make_home():
    """Makes small homes."""
    return SmallHome


@pytest.fixture(scope='session')
def make_memory():
    """Makes memories that remember nothing."""
    return FixedMemory


@pytest.fixture(scope='session')
def planning_policy():
    """Makes policies that write the plan of a goal, and otherwise act."""
    return _planning_policy


@pytest.fixture(scope='session')
def program():
    """Writes steps as lines of a program."""
    return _program


@pytest.fixture(scope='session')
def outline():
    """Writes trees as lines."""
    return _outline


@pytest.fixture(scope='session')
def goal_of():
    """Finds the goal a session's text ends with."""
    return _goal_of
