"""Whatever a skill server leaves out, a node can end well: `done` after the work, or `failure`."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st

from reactree_core.observation import ObjectFact
from reactree_core.observation import Observation
from reactree_core.observation import Outcome
from reactree_core.observation import Vocabulary
from reactree_core.skill_types import SkillKind
from reactree_core.skill_types import SkillType
from reactree_planner.agents.belief_state import BeliefState
from reactree_planner.agents.offering import choices
from reactree_planner.agents.offering import DONE
from reactree_planner.agents.offering import FAILURE
from reactree_planner.agents.situation import NodeSituation
from reactree_planner.runs.settings import Guards

TYPES = (
    SkillType('drive to <dock>', kind=SkillKind.MOVE),
    SkillType('scan <crate>', kind=SkillKind.LOOK),
    SkillType('pick <crate>', kind=SkillKind.TAKE, inverse='drop <crate>'),
    SkillType('drop <crate>', kind=SkillKind.PUT, inverse='pick <crate>'),
    SkillType('load <crate> onto <truck>', kind=SkillKind.PUT, effects=('<crate> in <truck>',)),
    SkillType('move <crate> off <dock>', kind=SkillKind.TAKE),
    SkillType('wrap <crate>', kind=SkillKind.CHANGE, effects=('<crate> is wrapped',)),
    SkillType('open <gate>', kind=SkillKind.OPEN, inverse='close <gate>'),
    SkillType('close <gate>', kind=SkillKind.CLOSE, inverse='open <gate>'),
)
#: What a server may leave out.
TOLD = ('place', 'room', 'held', 'facts', 'looked_at')
DECLARED = ('kinds', 'things', 'places', 'regions')
SUBSETS = st.sets(st.sampled_from((*TOLD, *DECLARED)))


class Yard:
    """Two docks in a hall, a crate, a truck and a gate at each; tells what it is told to."""

    def __init__(self, told):
        self.told = told
        self.place, self.held, self.state = 'dock 1', '', {}
        self.where = {'crate 1': 'dock 1', 'crate 2': 'dock 2'}
        self.vocabulary = Vocabulary(
            tuple(one.template for one in TYPES),
            ('crate',) if 'things' in told else (),
            ('dock', 'truck', 'gate') if 'places' in told else (),
            ('hall 1',) if 'regions' in told else (),
            TYPES if 'kinds' in told else (),
        )

    def _here(self):
        return [thing for thing, place in self.where.items() if place == self.place]

    def skills(self):
        number = self.place[-1]
        found = [f'drive to dock {n}' for n in (1, 2) if f'dock {n}' != self.place]
        found += [f'scan {thing}' for thing in self._here()]
        if self.held:
            found += [f'drop {self.held}', f'load {self.held} onto truck {number}']
        else:
            for thing in self._here():
                found += [f'pick {thing}', f'move {thing} off {self.place}']
        found += [f'wrap {thing}' for thing in self._here() if thing not in self.state]
        gate = f'gate {number}'
        return (*found, f'close {gate}' if self.state.get(gate) == 'open' else f'open {gate}')

    def look(self, text='You look around.', skill='', outcome=Outcome.SUCCEEDED):
        told = self.told
        facts = [
            ObjectFact(*_parts(name), 'hall 1', place, self.state.get(name, ''))
            for name, place in self.where.items()
            if place == self.place or name == self.held
        ]
        gate = f'gate {self.place[-1]}'
        facts.append(
            ObjectFact(*_parts(gate), 'hall 1', self.place, self.state.get(gate, 'closed'))
        )
        return Observation(
            text,
            outcome,
            skill,
            self.place if 'place' in told else '',
            'hall 1' if 'room' in told else '',
            (self.place,) if 'looked_at' in told else (),
            (self.held,) if self.held and 'held' in told else (),
            self.skills(),
            tuple(facts) if 'facts' in told else (),
        )

    def execute(self, skill):
        if skill not in self.skills():
            return self.look('That is not possible now.', skill, Outcome.PRECONDITION_FAILED)
        verb, _, rest = skill.partition(' ')
        if verb == 'drive':
            self.place = rest.removeprefix('to ')
        elif verb in ('pick', 'move'):
            self.held = rest.partition(' off ')[0]
            self.where[self.held] = 'agent 1'
        elif verb == 'drop':
            self.where[rest], self.held = self.place, ''
        elif verb == 'load':
            crate, _, truck = rest.partition(' onto ')
            self.where[crate], self.held = truck, ''
        elif verb in ('wrap', 'open', 'close'):
            self.state[rest] = {'wrap': 'wrapped', 'open': 'open', 'close': 'closed'}[verb]
        return self.look(f'You {skill}.', skill)


def _parts(name):
    return name.rpartition(' ')[0], int(name.rpartition(' ')[2])


def begun(goal, told, alone):
    yard = Yard(told)
    belief = BeliefState(yard.vocabulary)
    belief.update(belief.with_sightings(yard.look()))
    return yard, NodeSituation(goal, (), belief, alone)


def offered(node):
    return choices(node, node.observation.admissible_skills, Guards())


def do(yard, node, skill):
    before = node.observation
    seen = node.belief.with_sightings(yard.execute(skill))
    node.belief.update(seen)
    node.record(skill, before)


@pytest.mark.parametrize('alone', [False, True])
@pytest.mark.parametrize(
    ('goal', 'skills'),
    [
        ('load crate 1 onto truck 1', ('pick crate 1', 'load crate 1 onto truck 1')),
        (
            'bring crate 1 to truck 2',
            ('pick crate 1', 'drive to dock 2', 'load crate 1 onto truck 2'),
        ),
        ('scan crate 2', ('drive to dock 2', 'scan crate 2')),
        ('pick crate 1', ('pick crate 1',)),
        ('pick crate 1 and drop crate 1', ('pick crate 1', 'drop crate 1')),
        ('the crate 1 must be wrapped', ('wrap crate 1',)),
        ('open gate 1', ('open gate 1',)),
        ('first scan crate 1, then drive to dock 2', ('scan crate 1', 'drive to dock 2')),
        ('inspect crate 2', ('drive to dock 2', 'scan crate 2')),
        ('pick crate 1 from dock 1', ('pick crate 1',)),
        ('find and pick crate 1 at the dock', ('pick crate 1',)),
        ('pick crate 1 out of the dock', ('pick crate 1',)),
        ('move crate 2 off dock 2', ('drive to dock 2', 'move crate 2 off dock 2')),
        ('get ready', ('open gate 1',)),
    ],
)
@given(told=SUBSETS)
@settings(max_examples=60, deadline=None)
def test_done_is_offered_once_the_work_is_done(goal, skills, told, alone):
    yard, node = begun(goal, told, alone)
    for skill in skills:
        do(yard, node, skill)
    assert node.observation.succeeded
    assert DONE in offered(node)


@given(
    told=SUBSETS,
    goal=st.sampled_from(
        ['scan crate 3', 'load crate 1 onto truck 2', 'find the crane', 'open gate 2', 'tidy up']
    ),
    picks=st.lists(st.integers(0, 50), min_size=80, max_size=80),
    alone=st.booleans(),
)
@settings(max_examples=150, deadline=None)
def test_whoever_goes_on_comes_to_an_end_that_it_may_choose(told, goal, picks, alone):
    yard, node = begun(goal, told, alone)
    for pick in picks:
        options = offered(node)
        assert options
        if DONE in options or FAILURE in options:
            return
        worldly = [option for option in options if not option.startswith('recall')]
        chosen = (worldly or options)[pick % len(worldly or options)]
        if chosen.startswith('recall'):
            node.done.append(chosen)
        else:
            do(yard, node, chosen)
    raise AssertionError(f'{goal!r}, told {sorted(told)}: no end in {len(picks)} decisions')
