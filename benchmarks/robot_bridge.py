"""ExecuteSkill through the robot bridge, which a file drives, beside a server written by hand.

Both pass a skill on to the same action of a robot, which succeeds at once: what is measured is
what the bridge adds. The one written by hand is what somebody would write who knows rclpy: it
waits for the robot's action in a coroutine and answers with a text. It keeps no journal of what
was done, checks nothing and tells nothing that can be done; the bridge does.

Every server is a process of its own. One client asks both in turn, goal by goal, so that whatever
else the machine does meets both alike. The first goals are not counted.

Run: scripts/with_ros python -m benchmarks.robot_bridge [--goals N]
"""

from __future__ import annotations

import argparse
import os
import signal
import statistics
import subprocess
import sys
import tempfile
from itertools import cycle
from pathlib import Path
from typing import Any

from benchmarks.execute_skill_round_trip import Client, PATIENCE, WARM_UP
from reactree_tools.processes.domains import free_domain

ROBOT, HAND, BRIDGE = 'robot', 'by_hand', 'bridge'
#: Most that the bridge may take, as a multiple of the server written by hand.
WANTED = 1.3
FILE = """\
robot: benchmark
places:
  dock: {frame: map, x: 0, y: 0}
  shelf 1: {frame: map, x: 3, y: 0}
skills:
  - skill: go to <place>
    kind: move
    do:
      action: reactree_ros/action/ExecuteSkill
      name: /robot/drive
      send: {skill: <place>}
      within: 10 s
"""


def serve(kind: str) -> None:
    """Be the robot, or the server written by hand."""
    import rclpy
    from rclpy.action import ActionClient, ActionServer
    from rclpy.callback_groups import ReentrantCallbackGroup
    from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor

    from reactree_ros.action import ExecuteSkill

    rclpy.init()
    node = rclpy.create_node(kind)
    group = ReentrantCallbackGroup()

    def drive(handle: Any) -> Any:
        handle.succeed()
        return ExecuteSkill.Result()

    if kind == ROBOT:
        ActionServer(node, ExecuteSkill, '~/drive', drive, callback_group=group)
    else:
        robot = ActionClient(node, ExecuteSkill, '/robot/drive', callback_group=group)

        async def execute(handle: Any) -> Any:
            goal = ExecuteSkill.Goal(skill=handle.request.skill.removeprefix('go to '))
            sent = await robot.send_goal_async(goal)
            await sent.get_result_async()
            handle.succeed()
            result = ExecuteSkill.Result()
            result.observation.text = f'You are at {goal.skill}.'
            result.observation.skill = handle.request.skill
            return result

        ActionServer(node, ExecuteSkill, '~/execute_skill', execute, callback_group=group)
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    try:
        executor.spin()
    except (KeyboardInterrupt, ExternalShutdownException):
        pass


def start(kind: str, folder: Path) -> subprocess.Popen[bytes]:
    """Start a server as a process."""
    command = [sys.executable, '-m', 'benchmarks.robot_bridge', '--serve', kind]
    if kind == BRIDGE:
        file = folder / 'robot.yaml'
        file.write_text(FILE, encoding='utf-8')
        command = [sys.executable, '-m', 'robot_bridge.ros.node', '--ros-args', '-p']
        command.append(f'robot:={file}')
    return subprocess.Popen(command, stderr=subprocess.DEVNULL)


def measure(goals: int) -> dict[str, list[float]]:
    """Seconds of every counted goal, by server."""
    import rclpy

    rclpy.init()
    clients = {kind: Client(kind) for kind in (HAND, BRIDGE)}
    places = cycle(('shelf 1', 'dock'))
    for _ in range(WARM_UP + goals):
        skill = f'go to {next(places)}'
        for client in clients.values():
            client.execute(skill)
    text = clients[BRIDGE].execute(f'go to {next(places)}').observation.text
    print(f'the bridge answered, for example: {text}')
    rclpy.shutdown()
    return {kind: client.seconds[WARM_UP:][:goals] for kind, client in clients.items()}


def report(seconds: dict[str, list[float]]) -> None:
    """Print the medians and their ratio."""
    medians = {kind: statistics.median(values) for kind, values in seconds.items()}
    for kind, name in ((HAND, 'server written by hand'), (BRIDGE, 'robot bridge, by a file')):
        low, _, high = statistics.quantiles(seconds[kind], n=4)
        print(
            f'{name:<26} median {medians[kind] * 1e3:6.2f} ms'
            f'  (middle half {low * 1e3:.2f} to {high * 1e3:.2f})'
        )
    print(f'bridge / by hand {medians[BRIDGE] / medians[HAND]:.2f}  (wanted: {WANTED} at most)')


def main() -> None:
    """Start the servers, measure, report, and end them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--goals', type=int, default=200, help='goals per server (200)')
    parser.add_argument('--serve', choices=(ROBOT, HAND), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.serve:
        serve(arguments.serve)
        return
    os.environ.setdefault('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
    os.environ.setdefault('ROS_DOMAIN_ID', str(free_domain()))
    with tempfile.TemporaryDirectory(prefix='robot-bridge-') as folder:
        os.environ.setdefault('ROS_LOG_DIR', folder)
        servers = [start(kind, Path(folder)) for kind in (ROBOT, HAND, BRIDGE)]
        try:
            report(measure(arguments.goals))
        finally:
            for server in servers:
                server.send_signal(signal.SIGINT)
            for server in servers:
                server.wait(PATIENCE)


if __name__ == '__main__':
    main()
