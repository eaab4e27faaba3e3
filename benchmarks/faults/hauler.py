"""A simulated robot that drives and has an emergency stop, in a process of its own.

It is described to the bridge by `FILE`. What the rows ask of it are its parameters.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Sequence
from typing import Any

import rclpy
from rclpy.action import ActionServer, CancelResponse
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.executors import ExternalShutdownException, MultiThreadedExecutor
from rclpy.node import Node
from std_msgs.msg import Bool, Int32MultiArray, String
from std_srvs.srv import SetBool, Trigger

from reactree_core.ros import qos
from reactree_ros.action import ExecuteSkill

#: Seconds between two looks of a drive, and two messages.
PERIOD = 0.02
FILE = """\
robot: hauler
about: You are a hauler with wheels.
places: {quay 1: {}, yard 1: {}, shed 1: {}}
state:
  settle: 0.1
  place: {topic: place, type: std_msgs/msg/String, field: data, age: 2 s}
emergency_stop:
  pressed: {topic: stopped, type: std_msgs/msg/Bool, field: data, latched: true}
  press: {service: std_srvs/srv/SetBool, name: hauler/stop, send: {data: true}}
skills:
  - skill: go to <place>
    kind: move
    do: {action: reactree_ros/action/ExecuteSkill, name: hauler/drive, send: {skill: <place>}}
"""


class Hauler(Node):
    """Node `hauler`: action `~/drive` (ExecuteSkill), services `~/stop` (SetBool: its own stop)
    and `~/reset` (Trigger: it is where it began, and counts anew).

    Publishes `place`, `stopped` (whether its stop is pressed) and `~/drives`: how many are at work
    now, how many were at the same time at most, how many goals have come, and how many of them
    after its stop was pressed first, whether it was released since.
    Parameters: `takes`, s of a drive; it is where it wants to be after a tenth of that, and goes
    on. `deaf`, s for which it goes on after a cancel; then its own stop does nothing either.
    """

    def __init__(self) -> None:
        super().__init__('hauler')
        self._takes = self.declare_parameter('takes', 20.0)
        self._deaf = self.declare_parameter('deaf', 0.0)
        group = ReentrantCallbackGroup()
        self._lock = threading.Lock()
        self._pause = threading.Event()
        self._place = 'quay 1'
        self._at_work, self._most, self._goals, self._late = 0, 0, 0, 0
        self._is_stopped = self._was_stopped = False
        self._places = self.create_publisher(String, 'place', 10)
        self._stopped = self.create_publisher(Bool, 'stopped', qos.latched())
        self._drives = self.create_publisher(Int32MultiArray, '~/drives', 10)
        self._stopped.publish(Bool())
        self._server = ActionServer(
            self,
            ExecuteSkill,
            '~/drive',
            self._drive,
            callback_group=group,
            cancel_callback=lambda handle: CancelResponse.ACCEPT,
        )
        self.create_service(SetBool, '~/stop', self._stop, callback_group=group)
        self.create_service(Trigger, '~/reset', self._reset, callback_group=group)
        self.create_timer(PERIOD, self._tell, group)

    def _tell(self) -> None:
        self._places.publish(String(data=self._place))
        told = [self._at_work, self._most, self._goals, self._late]
        self._drives.publish(Int32MultiArray(data=told))

    def _stop(self, request: SetBool.Request, response: SetBool.Response) -> SetBool.Response:
        self._is_stopped = request.data
        self._was_stopped |= request.data
        self._stopped.publish(Bool(data=request.data))
        response.success = True
        return response

    def _reset(self, request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        self._place, self._most, self._goals, self._late = 'quay 1', self._at_work, 0, 0
        self._was_stopped = self._is_stopped
        response.success = True
        return response

    def _drive(self, handle: Any) -> ExecuteSkill.Result:
        with self._lock:
            self._goals += 1
            self._late += self._was_stopped
            self._at_work += 1
            self._most = max(self._most, self._at_work)
        takes, deaf = self._takes.value, self._deaf.value
        gone = heard = 0.0
        while gone < takes and not (self._is_stopped and deaf == 0.0):
            self._pause.wait(PERIOD)
            gone += PERIOD
            if gone >= takes / 10:
                self._place = handle.request.skill
            heard += PERIOD if handle.is_cancel_requested else 0.0
            if handle.is_cancel_requested and heard >= deaf:
                break
        with self._lock:
            self._at_work -= 1
        if handle.is_cancel_requested:
            handle.canceled()
        elif self._is_stopped:
            handle.abort()
        else:
            handle.succeed()
        return ExecuteSkill.Result()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the node."""
    rclpy.init(args=arguments)
    node = Hauler()
    executor = MultiThreadedExecutor(8)
    executor.add_node(node)
    sys.stdout.write('hauler ready\n')
    sys.stdout.flush()
    try:
        executor.spin()
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    return 0


if __name__ == '__main__':
    sys.exit(main())
