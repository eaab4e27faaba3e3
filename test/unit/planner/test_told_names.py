"""What a subgoal may name by number, and when a search may fail: by what the server has told."""

from __future__ import annotations

import pytest

from reactree_core.observation import ObjectFact
from reactree_core.observation import Observation
from reactree_core.observation import Outcome
from reactree_core.observation import Vocabulary
from reactree_core.skill_types import SkillKind
from reactree_core.skill_types import SkillType
from reactree_planner.agents.belief_state import BeliefState
from reactree_planner.agents.offering import choices
from reactree_planner.agents.offering import may_fail
from reactree_planner.agents.situation import NodeSituation
from reactree_planner.runs.settings import Guards

YARD = Vocabulary(
    ('drive to <dock>', 'open <gate>', 'load <crate> onto <truck>', 'wait'),
    ('crate',),
    ('dock', 'truck', 'gate'),
    skill_types=(
        SkillType('drive to <dock>', kind=SkillKind.MOVE),
        SkillType('open <gate>', kind=SkillKind.OPEN),
        SkillType('load <crate> onto <truck>', kind=SkillKind.PUT),
    ),
)
DRIVES = ('drive to dock 2', 'drive to dock 3')


@pytest.fixture
def belief():
    """A robot at dock 1 that sees a crate there; of the other docks only skills tell."""
    known = BeliefState(YARD)
    show(known, facts=(ObjectFact('crate', 4, receptacle='dock 1'),), skills=DRIVES)
    return known


def show(belief, skills=DRIVES, place='dock 1', looked_at=(), **fields):
    looked_at = looked_at or (place,)
    seen = Observation(
        'You see it.', place=place, looked_at=looked_at, admissible_skills=skills, **fields
    )
    belief.update(belief.with_sightings(seen))


@pytest.mark.parametrize(
    ('name', 'told'),
    [
        ('crate 4', True),
        ('dock 3', True),
        ('dock 1', True),
        ('truck 2', False),
        ('dock 9', False),
        ('crate 7', False),
    ],
)
def test_what_facts_places_or_skills_name_has_been_told(belief, name, told):
    assert belief.is_known_instance(name) is told


def test_what_was_offered_earlier_has_been_told(belief):
    show(belief, skills=('load crate 4 onto truck 2',))
    assert belief.is_known_instance('truck 2')
    show(belief, skills=('wait',))
    assert belief.is_known_instance('truck 2') and belief.is_known_instance('dock 3')


def done_by(situation, skill, outcome=Outcome.SUCCEEDED, **seen):
    before = situation.observation
    show(situation.belief, outcome=outcome, skill=skill, **seen)
    situation.record(skill, before)


def opened(belief, goal):
    """A node that has been everywhere and opened a gate, which is an effect."""
    situation = NodeSituation(goal, (), belief)
    for dock in ('dock 2', 'dock 3'):
        done_by(situation, f'drive to {dock}', place=dock, skills=('open gate 1',))
    done_by(situation, 'open gate 1', looked_at=('gate 1',), skills=('wait', 'drive to dock 1'))
    assert situation.history.effects and not situation.left_to_look_at()
    return situation


def test_a_search_that_found_nothing_may_fail_although_all_its_skills_succeeded(belief):
    found, lost = (opened(belief, f'get {name} ready') for name in ('crate 4', 'crate 9'))
    assert not may_fail(found, Guards(), done=True, nothing_left=False)
    assert may_fail(lost, Guards(), done=True, nothing_left=False)
    assert 'failure' in choices(lost, ('wait', 'drive to dock 1'), Guards())


def test_a_recall_is_no_failure(belief):
    situation = opened(belief, 'get crate 4 ready')
    situation.record('recall location of crate', situation.observation)
    assert not may_fail(situation, Guards(), done=True, nothing_left=False)
    done_by(situation, 'open gate 1', Outcome.PRECONDITION_FAILED, place='dock 3')
    assert may_fail(situation, Guards(), done=True, nothing_left=False)
