"""The expert of ALFRED's gold plans, with a robot made by hand."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from reactree_core.errors import SkillError
from reactree_core.observation import Observation, Outcome
from sim_bridge.worlds.thor.expert import Expert
from sim_bridge.worlds.thor.goals import Goal, SIMPLE
from sim_bridge.worlds.thor.names import Names
from sim_bridge.worlds.thor.tasks import PlanStep


def expert_at_a_safe(opens_at):
    """An expert with a vase in the hand, and the safe, which opens the so-manieth time."""
    safe = {'objectId': 'Safe|0', 'name': 'Safe_1', 'objectType': 'Safe', 'openable': True}
    vase = {'objectId': 'Vase|0', 'name': 'Vase_1', 'objectType': 'Vase', 'pickupable': True}
    things = {one['objectId']: one for one in (safe, vase)}
    names = Names()
    names.see([safe, vase])
    robot = SimpleNamespace(
        held='Vase|0',
        receptacle='Safe|0',
        metadata={'objects': [safe, vase]},
        thing=things.get,
    )
    tried = []

    def step(skill):
        if not skill.startswith('open '):
            return Observation('', Outcome.SUCCEEDED, skill)
        tried.append(skill)
        safe['isOpen'] = len(tried) == opens_at
        done = Outcome.SUCCEEDED if safe['isOpen'] else Outcome.EXECUTION_FAILED
        return Observation('', done, skill)

    return Expert(step, robot, names, Goal(SIMPLE, 'Vase', 'Safe'))


PLAN = [PlanStep('PutObject', ('vase', 'safe'), 'Vase|0', 'Safe|0')]


def test_a_safe_that_nearly_always_stays_shut_is_opened_in_the_end():
    expert = expert_at_a_safe(opens_at=60)
    expert.follow(PLAN)
    assert expert.done.count('open Safe (1)') == 60
    assert expert.done[-2:] == ['put down Vase (1)', 'close Safe (1)']


def test_what_never_opens_is_given_up():
    expert = expert_at_a_safe(opens_at=0)
    with pytest.raises(SkillError, match=r'cannot open Safe \(1\)'):
        expert.follow(PLAN)
    assert expert.done.count('open Safe (1)') == 100
