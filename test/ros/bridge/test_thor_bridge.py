"""The bridge with AI2-THOR's client and a program that ends or hangs in the middle of a skill."""

from __future__ import annotations

import time

import pytest
from action_msgs.msg import GoalStatus

from reactree_ros.msg import BridgeStatus, Observation


@pytest.mark.parametrize('transport', ['fifo', 'http'])
@pytest.mark.parametrize(
    ('option', 'words'), [('--die-after', 'has ended'), ('--hang-after', 'did not answer')]
)
def test_a_program_that_is_gone_is_an_observation_a_fault_and_comes_back(
    serve_named, client, statuses, transport, option, words
):
    program = f'--made-up --frames plain {option} 12'
    serve_named(world=f'thor,transport={transport},stand_in={program}', scene='FloorPlan10')
    client.find()
    number, status = 0, GoalStatus.STATUS_SUCCEEDED
    while status == GoalStatus.STATUS_SUCCEEDED and number < 20:
        number += 1
        begun = time.monotonic()
        status, observation = client.execute('go to Fridge (1)', number)
    assert time.monotonic() - begun < 2.0
    assert 1 < number < 20 and observation.outcome == Observation.OUTCOME_EXECUTION_FAILED
    assert words in observation.text and 'reset the world' in observation.text
    statuses.until(lambda states: states[-1] == BridgeStatus.STATE_FAULT)
    assert words in statuses.messages[-1].message
    answer = client.call('reset_world', again=True)
    assert answer.success, answer.message
    assert client.execute('go to Fridge (1)', 40)[0] == GoalStatus.STATUS_SUCCEEDED
