"""A simulated robot of two places, a gripper and a door, in a process of its own.

It is described to the bridge by `FILE`. What is wrong with it is its parameter `fault`: it reports
success and did something else, as its sensors tell.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import rclpy
from geometry_msgs.msg import PoseStamped
from rclpy.action import ActionServer
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from std_msgs.msg import Bool, String
from std_srvs.srv import Trigger

from reactree_ros.action import ExecuteSkill

#: Seconds between two messages of a sensor.
PERIOD = 0.05
PLACES = {'bed': 0.0, 'dock': 5.0}
FILE = """\
robot: rover
about: You are a rover with a gripper, in a greenhouse.
hands: 1
places:
  bed: {frame: map, x: 0, y: 0}
  dock: {frame: map, x: 5, y: 0}
things:
  tomato 1: {place: bed}
  pepper 1: {place: bed}
  door 1: {place: dock}
classes:
  - {name: tomato}
  - {name: pepper}
  - {name: door}
state:
  pose: {topic: pose, type: geometry_msgs/msg/PoseStamped, field: pose, age: 2 s}
  held: {topic: gripper, type: std_msgs/msg/String, field: data, age: 2 s}
  facts:
    - topic: door
      type: std_msgs/msg/Bool
      name: door 1
      place: dock
      state: '{data}'
      words: {'true': open, 'false': closed}
      age: 2 s
skills:
  - skill: drive to <place>
    kind: move
    do: {action: reactree_ros/action/ExecuteSkill, name: rover/do, send: {skill: drive to <place>}}
  - skill: grab <thing>
    slots: [thing]
    kind: take
    needs: [hands free, <thing> in here]
    do: {action: reactree_ros/action/ExecuteSkill, name: rover/do, send: {skill: grab <thing>}}
  - skill: drop <thing> at <place>
    slots: [thing, place]
    kind: put
    needs: [holding <thing>, at <place>]
    do: {action: reactree_ros/action/ExecuteSkill, name: rover/do, send: {skill: drop <thing>}}
  - skill: open <thing>
    slots: [thing]
    kind: open
    do: {action: reactree_ros/action/ExecuteSkill, name: rover/do, send: {skill: open <thing>}}
"""


class Rover(Node):  # type: ignore[misc]
    """Node `rover`: action `~/do` (ExecuteSkill; always a success), service `~/reset` (Trigger).

    Publishes `pose`, `gripper` (what it holds, '' for nothing) and `door` (true for open).
    Parameter `fault`: 'missed grasp', 'wrong thing', 'stuck door', 'lost on the way' or ''.
    """

    def __init__(self) -> None:
        super().__init__('rover')
        self._fault = self.declare_parameter('fault', '').value
        self._pose = self.create_publisher(PoseStamped, 'pose', 10)
        self._gripper = self.create_publisher(String, 'gripper', 10)
        self._door = self.create_publisher(Bool, 'door', 10)
        self._reset()
        self._server = ActionServer(self, ExecuteSkill, '~/do', self._do)
        self.create_service(Trigger, '~/reset', self._answer_reset)
        self.create_timer(PERIOD, self._tell)

    def _reset(self) -> None:
        self._place, self._held, self._is_open = 'bed', '', False
        self._things = {'tomato 1': 'bed', 'pepper 1': 'bed'}

    def _answer_reset(self, _: Any, response: Trigger.Response) -> Trigger.Response:
        self._reset()
        response.success = True
        return response

    def _tell(self) -> None:
        pose = PoseStamped()
        pose.header.frame_id = 'map'
        pose.pose.position.x = PLACES[self._place]
        self._pose.publish(pose)
        self._gripper.publish(String(data=self._held))
        self._door.publish(Bool(data=self._is_open))

    def _let_go(self, place: str) -> None:
        if self._held:
            self._things[self._held] = place
        self._held = ''

    def _do(self, handle: Any) -> ExecuteSkill.Result:
        verb, _, name = handle.request.skill.partition(' ')
        if verb == 'drive':
            self._place = name.removeprefix('to ')
            if self._fault == 'lost on the way':
                self._let_go('on the way')
        elif verb == 'grab' and self._fault != 'missed grasp':
            name = 'pepper 1' if self._fault == 'wrong thing' else name
            self._held = name if self._things[name] == self._place else ''
        elif verb == 'drop':
            self._let_go(self._place)
        elif verb == 'open':
            self._is_open = self._fault != 'stuck door'
        handle.succeed()
        return ExecuteSkill.Result()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the node."""
    rclpy.init(args=arguments)
    node = Rover()
    sys.stdout.write('rover ready\n')
    sys.stdout.flush()
    try:
        rclpy.spin(node)
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    return 0


if __name__ == '__main__':
    sys.exit(main())
