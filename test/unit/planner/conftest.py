"""Runs of the planner in a small home (a double), with a model whose answers a test gives."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import pytest

from reactree_core.cancellation import CancelToken
from reactree_core.observation import ObjectFact
from reactree_core.observation import Observation
from reactree_core.observation import Outcome
from reactree_core.observation import Vocabulary
from reactree_planner.llm.scripted import PolicyModel
from reactree_planner.planners.reactree import ReAcTreePlanner
from reactree_planner.planners.run import PlanRun
from reactree_planner.planners.run import Ports
from reactree_planner.planners.settings import PlannerSettings
from reactree_planner.tree.limits import Limits


class SmallHome:
    """The apple is in the closed fridge of kitchen 1; the table is in bedroom 1."""

    vocabulary = Vocabulary(
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
    rooms: ClassVar[dict[str, str]] = {
        'fridge 1': 'kitchen 1',
        'table 1': 'bedroom 1',
        'pear 1': 'bedroom 1',
    }

    def __init__(self):
        self.place = self.room = 'bedroom 1'
        self.held = ()
        self.open = False
        self.apple = 'fridge 1'
        self.executed = []

    def list_skills(self, cancel):
        return self.vocabulary, self.look(cancel)

    def candidate_skills(self, cancel):
        return (*self._skills(), 'pick up apple 1', 'open fridge 1')

    def look(self, cancel):
        return self._observation(f'You are in the middle of a {self.room[:-2]} (1).')

    def progress(self, cancel):
        return None

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


class NoMemory:
    """Remembers nothing; counts what it is told."""

    def __init__(self):
        self.updates = []

    def retrieve(self, goal, token_budget, limit, seed, cancel, observation=''):
        return ()

    def store(self, experiences, cancel):
        pass

    def update_working(self, observation):
        self.updates.append(observation)

    def recall(self, object_class, cancel):
        return ''


@pytest.fixture
def small_home():
    """A home to change before planning in it."""
    return SmallHome()


@pytest.fixture
def plan():
    """Plan a task with a policy; returns (success, run, home, events, asked options)."""

    def plan(
        task,
        policy,
        settings=None,
        limits=None,
        gate=lambda decision: None,
        cancel=None,
        home=None,
        context_tokens=8192,
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
            Ports(PolicyModel(answer, context_tokens=context_tokens), home, NoMemory()),
            settings or PlannerSettings(),
            limits or Limits(),
            cancel or CancelToken(),
            events.append,
            gate,
        )
        success = ReAcTreePlanner().run(run)
        return success, run, home, events, offered

    return plan
