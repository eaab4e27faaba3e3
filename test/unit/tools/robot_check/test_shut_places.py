"""A shut place that shows what is in it is no container: nothing there waits for a door."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from benchmarks.robot_files.properties import loaded
from reactree_core.observation import Outcome
from reactree_core.skill_types import read_effect
from reactree_tools.robot_check.trials import run_in
from robot_bridge.declared_world import DeclaredWorld

STALL = 'stall 3'
STABLE: dict[str, Any] = {
    'robot': 'groom',
    'hands': 1,
    'places': {'tack room': {}, STALL: {}},
    'things': {'Luna': {'place': STALL}},
    'state': {
        'place': {'topic': '/where', 'type': 'std_msgs/msg/String', 'field': 'data'},
        'facts': [
            {
                'topic': '/yard',
                'type': 'made_up_msgs/msg/Things',
                'field': 'things',
                'name': '{name}',
                'place': '{place}',
                'state': '{state}',
                'whole': 'everywhere',
                'measured': True,
            },
            {
                'topic': '/door',
                'type': 'std_msgs/msg/Bool',
                'name': STALL,
                'state': '{data}',
                'words': {'true': 'open', 'false': 'closed'},
                'measured': True,
            },
        ],
    },
    'skills': [
        {'skill': 'go to <place>', 'kind': 'move'},
        {'skill': f'open the door of {STALL}', 'kind': 'open', 'needs': [f'at {STALL}'],
         'effects': [f'{STALL} is open']},
        {'skill': f'close the door of {STALL}', 'kind': 'close', 'needs': [f'at {STALL}'],
         'effects': [f'{STALL} is closed']},
        {'skill': 'groom <thing>', 'needs': ['<thing> in here'],
         'effects': ['<thing> is groomed']},
    ],
}  # fmt: skip


def stable(**state: Any) -> DeclaredWorld:
    """A stable with Luna in a shut stall. :param state: of the source of all things."""
    file = copy.deepcopy(STABLE)
    file['state']['facts'][0].update(state)
    for number, skill in enumerate(file['skills']):
        skill['do'] = {'service': 'std_srvs/srv/Trigger', 'name': f'/s{number}'}
    world = DeclaredWorld(loaded(file))
    world.make(read_effect(f'{STALL} is closed'))
    return world


def test_what_is_seen_in_a_shut_place_is_handled_without_opening_it():
    trial = run_in(stable(), 'groom Luna')
    assert trial.succeeded
    assert trial.done == (f'go to {STALL}', 'groom Luna')


def test_what_is_not_seen_while_the_place_is_shut_has_the_place_opened_first():
    world = stable(whole=False)
    world._seen_by = _not_through_doors(world)
    trial = run_in(world, 'groom Luna')
    assert trial.succeeded
    assert trial.done == (f'go to {STALL}', f'open the door of {STALL}', 'groom Luna')


def _not_through_doors(world):
    seen_by = world._seen_by

    def seen(sense):
        shut = 'closed' in world.truth.states[STALL]
        for one in seen_by(sense):
            if not (shut and one.name == 'Luna'):
                yield one

    return seen


@pytest.mark.parametrize('outcome', [Outcome.PRECONDITION_FAILED, Outcome.EXECUTION_FAILED])
def test_a_door_that_is_in_the_way_after_all_is_opened_once_the_skill_has_failed(outcome):
    world = stable()
    step = world.step

    def refused_through_the_door(skill):
        if skill == 'groom Luna' and 'closed' in world.truth.states[STALL]:
            return world._observed('The door is in the way.', outcome, skill)
        return step(skill)

    world.step = refused_through_the_door
    trial = run_in(world, 'groom Luna')
    assert trial.succeeded
    assert trial.done == (f'go to {STALL}', f'open the door of {STALL}', 'groom Luna')
