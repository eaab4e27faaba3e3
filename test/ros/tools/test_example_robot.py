"""The example robot does one skill at a time, however close together goals come."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest
import rclpy
from rclpy.action import GoalResponse
from std_srvs.srv import SetBool

from reactree_ros.action import ExecuteSkill
from reactree_ros.msg import BridgeStatus


@pytest.fixture
def node(monkeypatch):
    """The skill server of the example."""
    examples = Path(__file__).parents[3] / 'examples' / 'robot_skill_server'
    monkeypatch.syspath_prepend(str(examples))
    server = importlib.import_module('robot_skill_server.skill_server')
    rclpy.init(args=[])
    try:
        made = server.SkillServer()
        yield made
        made.destroy_node()
    finally:
        rclpy.try_shutdown()


def test_a_goal_that_comes_before_the_first_has_begun_is_rejected(node):
    # As the action server asks, from whichever thread of the executor is free.
    goal = ExecuteSkill.Goal(skill='go to table 1')
    answers = [node.accept(goal) for _ in range(3)]
    assert answers == [GoalResponse.ACCEPT, GoalResponse.REJECT, GoalResponse.REJECT]


def test_its_emergency_stop_takes_no_skill_and_says_what_has_not_ended(node):
    def ask(press):
        return node.emergency_stop(SetBool.Request(data=press), SetBool.Response())

    told = []
    node.status.publish = told.append
    goal = ExecuteSkill.Goal(skill='go to table 1')
    assert node.accept(goal) is GoalResponse.ACCEPT
    answer = ask(True)
    assert not answer.success and 'has not ended' in answer.message
    assert told[-1].state == BridgeStatus.STATE_STOPPED and told[-1].stopped_at.sec > 0
    node.busy.release()
    assert ask(True).success and node.accept(goal) is GoalResponse.REJECT
    assert ask(False).success and told[-1].state == BridgeStatus.STATE_READY
    assert node.accept(goal) is GoalResponse.ACCEPT
