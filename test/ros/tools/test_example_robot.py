"""The example robot does one skill at a time, however close together goals come."""

from __future__ import annotations

import importlib
from pathlib import Path

import rclpy
from rclpy.action import GoalResponse

from reactree_ros.action import ExecuteSkill


def test_a_goal_that_comes_before_the_first_has_begun_is_rejected(monkeypatch):
    examples = Path(__file__).parents[3] / 'examples' / 'robot_skill_server'
    monkeypatch.syspath_prepend(str(examples))
    server = importlib.import_module('robot_skill_server.skill_server')
    rclpy.init(args=[])
    try:
        node = server.SkillServer()
        # As the action server asks, from whichever thread of the executor is free.
        goal = ExecuteSkill.Goal(skill='go to table 1')
        answers = [node.accept(goal) for _ in range(3)]
        assert answers == [GoalResponse.ACCEPT, GoalResponse.REJECT, GoalResponse.REJECT]
        node.destroy_node()
    finally:
        rclpy.try_shutdown()
