"""A simulated robot that waters whatever it is told to, however much: a process of its own.

It writes a line for each order that reaches it; `FILE` describes it to the robot bridge.
"""

from __future__ import annotations

import sys
from typing import Any

import rclpy
from rclpy.action import ActionServer
from rclpy.executors import ExternalShutdownException

from reactree_ros.action import ExecuteSkill

FILE = """\
robot: gardener
about: You water plants.
things: {plant 1: {}, plant 2: {}, tomato 1: {}, vent: {}}
classes:
  - {name: plant, other_words: [tomato]}
skills:
  - skill: 'water <plant: plant> with <ml> ml'
    slots: {ml: {number: 10..300, unit: ml, step: 10}}
    kind: change
    do:
      action: reactree_ros/action/ExecuteSkill
      name: garden
      send: {skill: <ml> ml on <plant>}
      within: 10 s
"""
#: What a permission file says: it holds over runs and restarts.
RULES = """\
otherwise: allow
rules:
  - name: not too wet
    skills: water <plant> with <ml> ml
    total: {of: <ml>, for_each: <plant>, at_most: 300}
    per: hour
"""


def main() -> None:
    """Water until it is ended."""
    rclpy.init()
    node = rclpy.create_node('gardener')

    def water(handle: Any) -> ExecuteSkill.Result:
        tell(f'poured {handle.request.skill}')
        handle.succeed()
        return ExecuteSkill.Result()

    server = ActionServer(node, ExecuteSkill, 'garden', water)
    tell('gardener ready')
    try:
        rclpy.spin(node)
    except (KeyboardInterrupt, ExternalShutdownException):
        server.destroy()


def tell(line: str) -> None:
    """Write a line at once."""
    sys.stdout.write(f'{line}\n')
    sys.stdout.flush()


if __name__ == '__main__':
    main()
