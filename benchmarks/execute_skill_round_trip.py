"""Round trip of ExecuteSkill through the bridge, next to a bare action server of rclpy.

The bare servers accept every goal of the same type and succeed with an empty result: one as
rclpy makes it by default, which cannot be canceled while it runs, and one that can (several
threads, reentrant callback group). The bridge executes a real skill in the household, going to and
fro between rooms, and answers with text, facts and all admissible skills.

Every server is a process of its own. One client asks them in turn, goal by goal, so that whatever
else the machine does meets all of them alike. The first goals are not counted.

Run: scripts/with_ros python -m benchmarks.execute_skill_round_trip [--goals N]
"""

from __future__ import annotations

import argparse
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import cycle
from typing import Any

from reactree_tools.processes.domains import free_domain

BARE, CANCELLABLE, BRIDGE = 'bare', 'cancellable', 'bridge'
WARM_UP = 20
PATIENCE = 30.0


def serve(kind: str) -> None:
    """Be one of the bare servers."""
    import rclpy
    from rclpy.action import ActionServer
    from rclpy.callback_groups import ReentrantCallbackGroup
    from rclpy.executors import (
        ExternalShutdownException,
        MultiThreadedExecutor,
        SingleThreadedExecutor,
    )

    from reactree_ros.action import ExecuteSkill

    def execute(handle: Any) -> Any:
        handle.succeed()
        return ExecuteSkill.Result()

    rclpy.init()
    node = rclpy.create_node(kind)
    if kind == BARE:
        executor = SingleThreadedExecutor()
        ActionServer(node, ExecuteSkill, '~/execute_skill', execute)
    else:
        executor = MultiThreadedExecutor(4)
        group = ReentrantCallbackGroup()
        ActionServer(node, ExecuteSkill, '~/execute_skill', execute, callback_group=group)
    executor.add_node(node)
    try:
        executor.spin()
    except (KeyboardInterrupt, ExternalShutdownException):
        pass


class Client:
    """Asks one server, with a node and an executor of its own."""

    def __init__(self, server: str) -> None:
        import rclpy
        from rclpy.action import ActionClient
        from rclpy.executors import SingleThreadedExecutor

        from reactree_ros.action import ExecuteSkill
        from reactree_ros.srv import ListSkills

        self._goal = ExecuteSkill.Goal
        self._node = rclpy.create_node(f'{server}_client')
        self._executor = SingleThreadedExecutor()
        self._executor.add_node(self._node)
        self._action = ActionClient(self._node, ExecuteSkill, f'{server}/execute_skill')
        if not self._action.wait_for_server(PATIENCE):
            raise SystemExit(f'the {server} server did not start within {PATIENCE:g} s')
        self._list = self._node.create_client(ListSkills, f'{server}/list_skills')
        self.seconds: list[float] = []

    def rooms(self) -> tuple[str, ...]:
        """Rooms that the bridge's robot can go to."""
        self._list.wait_for_service(PATIENCE)
        return tuple(self._wait(self._list.call_async(self._list.srv_type.Request())).rooms)

    def execute(self, skill: str) -> Any:
        """Send a goal, wait for its result, and take the time."""
        began = time.perf_counter()
        handle = self._wait(self._action.send_goal_async(self._goal(skill=skill)))
        if not handle.accepted:
            raise SystemExit(f'"{skill}" was rejected')
        result = self._wait(handle.get_result_async()).result
        self.seconds.append(time.perf_counter() - began)
        return result

    def _wait(self, future: Any) -> Any:
        self._executor.spin_until_future_complete(future, PATIENCE)
        if not future.done():
            raise SystemExit(f'no answer within {PATIENCE:g} s')
        return future.result()


def start(kind: str, scene: str) -> subprocess.Popen[bytes]:
    """Start a server as a process."""
    command = [sys.executable, '-m', 'benchmarks.execute_skill_round_trip', '--serve', kind]
    if kind == BRIDGE:
        command = [sys.executable, '-m', 'sim_bridge.ros.node', '--ros-args', '-p']
        command.append(f'scene:={scene}')
    return subprocess.Popen(command, stderr=subprocess.DEVNULL)


def measure(goals: int, skills: Callable[[Client], Iterator[str]]) -> dict[str, list[float]]:
    """Seconds of every counted goal, by server."""
    import rclpy

    rclpy.init()
    clients = {kind: Client(kind) for kind in (BARE, CANCELLABLE, BRIDGE)}
    walk = skills(clients[BRIDGE])
    for _ in range(WARM_UP + goals):
        skill = next(walk)
        for client in clients.values():
            client.execute(skill)
    text = clients[BRIDGE].execute(next(walk)).observation.text
    print(f'the bridge answered, for example: {text[:100]}...')
    rclpy.shutdown()
    return {kind: client.seconds[WARM_UP:][:goals] for kind, client in clients.items()}


def to_and_fro(client: Client) -> Iterator[str]:
    """Skills that always succeed: going round the rooms."""
    return cycle(f'go to {room}' for room in client.rooms())


def report(seconds: dict[str, list[float]]) -> None:
    """Print the medians and ratios."""
    medians = {kind: statistics.median(values) for kind, values in seconds.items()}
    names = {
        BARE: 'bare rclpy action server, empty callback',
        CANCELLABLE: 'the same, cancellable (4 threads)',
        BRIDGE: 'bridge, a skill in the household',
    }
    for kind, name in names.items():
        low, _, high = statistics.quantiles(seconds[kind], n=4)
        print(
            f'{name:<42} median {medians[kind] * 1e3:6.2f} ms'
            f'  (middle half {low * 1e3:.2f} to {high * 1e3:.2f})'
        )
    print(f'bridge / bare        {medians[BRIDGE] / medians[BARE]:.2f}')
    print(f'bridge / cancellable {medians[BRIDGE] / medians[CANCELLABLE]:.2f}')


def main() -> None:
    """Start the servers, measure, report, and end them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--goals', type=int, default=200, help='goals per server (200)')
    parser.add_argument('--scene', default='generated:0', help='scene of the bridge')
    parser.add_argument('--serve', choices=(BARE, CANCELLABLE), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.serve:
        serve(arguments.serve)
        return
    os.environ.setdefault('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
    os.environ.setdefault('ROS_DOMAIN_ID', str(free_domain()))
    with tempfile.TemporaryDirectory(prefix='round-trip-') as folder:
        os.environ.setdefault('ROS_LOG_DIR', folder)
        servers = [start(kind, arguments.scene) for kind in (BARE, CANCELLABLE, BRIDGE)]
        try:
            report(measure(arguments.goals, to_and_fro))
        finally:
            for server in servers:
                server.send_signal(signal.SIGINT)
            for server in servers:
                server.wait(PATIENCE)


if __name__ == '__main__':
    main()
