"""The nodes with ROS's security enforced, by the policy that is shipped.

Runs where `sros2` is there and the middleware has security: in a ROS 2 distribution; the wheels
of the middleware have none (docs/sros2.md).
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from support.needs import needed_module, needs, skip_for

artifacts = needed_module('sros2.api._artifact_generation', 'sros2')

pytestmark = needs('sros2')

POLICY = Path(__file__).parents[2] / 'config' / 'sros2' / 'one_robot.policy.xml'
#: What middlewares say that were built without security: Fast DDS and Cyclone DDS.
WITHOUT = ("doesn't have the security libraries", 'does not have security')
#: Looks for the skill server as the node whose name and enclave it is given.
CLIENT = """\
import sys
import rclpy
from rclpy.action import ActionClient
from rclpy.node import Node
from reactree_ros.action import ExecuteSkill

rclpy.init(args=sys.argv)
node = Node(sys.argv[1])
print('made')
client = ActionClient(node, ExecuteSkill, 'bridge/execute_skill')
print('found' if client.wait_for_server(10.0) else 'alone')
"""


@pytest.fixture
def secured(environment, tmp_path, monkeypatch):
    """The environment of processes that are held to the policy."""
    keystore = tmp_path / 'keystore'
    monkeypatch.setenv('ROS_DOMAIN_ID', environment['ROS_DOMAIN_ID'])
    artifacts.generate_artifacts(keystore, [], [POLICY])
    settings = {
        'ROS_SECURITY_ENABLE': 'true',
        'ROS_SECURITY_STRATEGY': 'Enforce',
        'ROS_SECURITY_KEYSTORE': str(keystore),
    }
    # `start` gives its programs the same.
    environment |= settings
    said = look_for_skills('recorder', environment)
    for words in WITHOUT:
        if words in said:
            skip_for('sros2', f'the middleware here was built without security: {words}')
    return environment


def look_for_skills(name, environment, *arguments):
    """What a node says that looks for the skill server."""
    command = [sys.executable, '-c', CLIENT, name, '--ros-args', '--enclave', f'/{name}']
    done = subprocess.run(
        [*command, *arguments], env=environment, capture_output=True, text=True, timeout=120
    )
    return done.stdout + done.stderr


@pytest.mark.timeout(600)
def test_a_plan_runs_and_only_the_planner_can_send_a_skill(secured, start, nodes):
    up = start('up', '--plain', *nodes())
    up.wait_for('Ready.')
    plan = start('plan', '--plain', 'open the fridge')
    assert plan.end() == 0, plan.text
    assert 'Done' in plan.text
    assert 'found' in look_for_skills('planner', secured)
    # One that may join, and hear, but not send.
    said = look_for_skills('recorder', secured)
    assert 'made' in said and 'found' not in said, said
    # One without keys.
    said = look_for_skills('planner', {**secured, 'ROS_SECURITY_ENABLE': 'false'})
    assert 'alone' in said, said
    up.interrupt()
    assert up.end() == 0, up.text
