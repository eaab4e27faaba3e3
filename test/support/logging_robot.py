"""A robot in a process of its own that writes down what reaches it: logging_robot.py LOG [FAULT].

Action `drive` (ExecuteSkill), 40 s a goal; service `lift` (std_srvs/Trigger), 40 s a call; service
`halt` (std_srvs/Trigger), its own stop, which ends both.
FAULT: `refuses` takes no cancel, `ignores` takes it and goes on; neither heeds `halt`.
"""

from __future__ import annotations

import sys
import threading
import time
from pathlib import Path

import rclpy
from rclpy.action import ActionServer, CancelResponse
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.executors import ExternalShutdownException, MultiThreadedExecutor
from rclpy.node import Node
from std_srvs.srv import Trigger

from reactree_ros.action import ExecuteSkill

FILE = """\
robot: {name}
about: You drive.
places: {{quay 1: {{}}, yard 1: {{}}, shed 1: {{}}}}
emergency_stop:
  press: {{service: std_srvs/srv/Trigger, name: /halt}}
skills:
  - skill: go to <place>
    kind: move
    do: {{action: reactree_ros/action/ExecuteSkill, name: /drive, send: {{skill: <place>}}}}
"""
#: A robot that moves by a service alone, and has no stop of its own.
LIFT = """\
robot: {name}
about: You lift.
places: {{quay 1: {{}}}}
things: {{platform: {{}}}}
skills:
  - skill: raise the platform
    effects: [platform is raised]
    do: {{service: std_srvs/srv/Trigger, name: /lift, within: 60 s}}
"""
TAKES = 40.0


class LoggingRobot(Node):
    """Writes lines '<seconds> <what>'."""

    def __init__(self, log: Path, fault: str) -> None:
        super().__init__('robot')
        self._file = log.open('a', buffering=1)
        self._fault = fault
        self._halted = threading.Event()
        group = ReentrantCallbackGroup()
        options = {'callback_group': group, 'cancel_callback': self._cancel}
        self._server = ActionServer(self, ExecuteSkill, 'drive', self._drive, **options)
        self.create_service(Trigger, 'halt', self._halt, callback_group=group)
        self.create_service(Trigger, 'lift', self._lift, callback_group=group)

    def _say(self, what: str) -> None:
        self._file.write(f'{time.time():.3f} {what}\n')

    def _cancel(self, handle: object) -> CancelResponse:
        self._say('CANCEL')
        return CancelResponse.REJECT if self._fault == 'refuses' else CancelResponse.ACCEPT

    def _halt(self, request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        self._say('HALT')
        response.success = True
        if not self._fault:
            self._halted.set()
        return response

    def _lift(self, request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        self._halted.clear()
        self._say('LIFT')
        response.success = not self._halted.wait(TAKES)
        self._say('END LIFT')
        return response

    def _drive(self, handle: object) -> ExecuteSkill.Result:
        self._halted.clear()
        self._say(f'DRIVE {handle.request.skill}')
        end = time.monotonic() + TAKES
        while time.monotonic() < end and not self._halted.wait(0.02):
            if handle.is_cancel_requested and self._fault != 'ignores':
                break
        if handle.is_cancel_requested:
            handle.canceled()
        elif self._halted.is_set():
            handle.abort()
        else:
            handle.succeed()
        self._say(f'END {handle.request.skill}')
        return ExecuteSkill.Result()


def main() -> None:
    """Run the robot."""
    rclpy.init()
    executor = MultiThreadedExecutor(4)
    fault = ''.join(word for word in sys.argv[2:3] if word in ('refuses', 'ignores'))
    node = LoggingRobot(Path(sys.argv[1]), fault)
    executor.add_node(node)
    sys.stdout.write('robot ready\n')
    sys.stdout.flush()
    try:
        executor.spin()
    except (KeyboardInterrupt, ExternalShutdownException):
        pass


if __name__ == '__main__':
    main()
