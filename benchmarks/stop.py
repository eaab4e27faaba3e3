"""How long a stop takes from the command to the cancel at a robot's action server.

    scripts/with_ros python -m benchmarks.stop [--robots 1,20] [--rounds 20] [--alive]
                                               [--actions 50] [--places 100]
                                               [--loss 0.05 --delay 0.2]

Each round sends a goal to every robot, runs `reactree stop`, and takes the times at which the
cancels reach the robots' action servers, measured there. Two clocks: from the start of the
command, and from the moment at which its logs are written (after its imports). Beside it, in the
same run, a bare rclpy client that cancels the goal of one robot.

Without --alive there are no bridges: the stop finds records of bridges that were killed. With
--loss or --delay the robots are on another host than bridges and commands, behind a link that
loses that share of packets and delays each by so many seconds, each way (benchmarks/bad_link.py).
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import rclpy
from rclpy.action import ActionServer, CancelResponse
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.executors import MultiThreadedExecutor
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile

from benchmarks.bad_link import BadLink, why_no_link
from reactree_core.robot_record import RobotRecord, write_record
from reactree_core.ros.actions import ActionClient
from reactree_core.stop_log import stop_log
from reactree_ros.action import ExecuteSkill
from reactree_ros.msg import BridgeStatus
from reactree_tools.processes.domains import free_domain
from reactree_tools.processes.nodes import find_executable

FILE = """\
robot: {name}
places: {{{places}}}
skills:
"""
SKILL = """\
  - skill: drive {number} to <place>
    do:
      {{action: reactree_ros/action/ExecuteSkill, name: drive_{number}, send: {{skill: <place>}}}}
"""
BARE = """\
import os, sys, rclpy
from action_msgs.srv import CancelGoal
rclpy.init()
node = rclpy.create_node('bare')
client = node.create_client(CancelGoal, sys.argv[1] + '/_action/cancel_goal')
client.wait_for_service(10.0)
rclpy.spin_until_future_complete(node, client.call_async(CancelGoal.Request()), timeout_sec=5.0)
os._exit(0)
"""
#: Seconds for one command.
_LIMIT = 30.0


class Robot:
    """Actions in a namespace that take goals until they are canceled."""

    def __init__(self, name: str, actions: int, heard: threading.Condition) -> None:
        self.node = Node('robot', namespace=name)
        self.name = name
        #: When the newest cancel came, s since 1970; 0 where none has since the goal.
        self.canceled_at = 0.0
        self._heard = heard
        group = ReentrantCallbackGroup()
        options = {'callback_group': group, 'cancel_callback': self._cancel}
        self._servers = [
            ActionServer(self.node, ExecuteSkill, f'drive_{number}', self._drive, **options)
            for number in range(actions)
        ]
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self.node.create_subscription(BridgeStatus, 'bridge_status', self._hear, latched)
        self.is_served = threading.Event()
        self.client = ActionClient(self.node, ExecuteSkill, 'drive_0', callback_group=group)

    def _hear(self, status: BridgeStatus) -> None:
        if status.state == BridgeStatus.STATE_READY:
            self.is_served.set()
        else:
            self.is_served.clear()

    def _cancel(self, handle: object) -> CancelResponse:
        with self._heard:
            self.canceled_at = self.canceled_at or time.time()
            self._heard.notify_all()
        return CancelResponse.ACCEPT

    async def _drive(self, handle: ExecuteSkill) -> ExecuteSkill.Result:
        over = rclpy.task.Future(executor=self.node.executor)

        def look() -> None:
            if handle.is_cancel_requested and not over.done():
                over.set_result(None)

        timer = self.node.create_timer(0.02, look)
        await over
        self.node.destroy_timer(timer)
        handle.canceled()
        return ExecuteSkill.Result()

    def begin(self) -> None:
        """Have a goal at work."""
        accepted = threading.Event()
        self.canceled_at = 0.0
        sent = self.client.send_goal_async(ExecuteSkill.Goal(skill='yard'))
        sent.add_done_callback(lambda _: accepted.set())
        if not accepted.wait(10.0):
            raise RuntimeError('the robot takes no goal')


class Stage:
    """Robots, their records or bridges, and commands."""

    def __init__(self, robots: int, actions: int, there: Sequence[str]) -> None:
        self._there = list(there)
        self._heard = threading.Condition()
        self._bridges: list[subprocess.Popen[bytes]] = []
        self.robots = [Robot(f'robot_{n}', actions, self._heard) for n in range(robots)]
        self._executor = MultiThreadedExecutor(4)
        for robot in self.robots:
            self._executor.add_node(robot.node)
        threading.Thread(target=self._executor.spin, daemon=True).start()

    def begin(self, folder: Path, actions: int, places: int, alive: bool) -> None:
        """Have bridges take skills, or leave their records."""
        for robot in self.robots:
            if not robot.client.wait_for_server(10.0):
                raise RuntimeError('a robot is not there')
        for robot in self.robots:
            if alive:
                self._bridge(robot, folder, actions, places)
            else:
                names = {f'/{robot.name}/drive_{n}': ('drive',) for n in range(actions)}
                write_record(RobotRecord(f'/{robot.name}/bridge', robot.name, actions=names))

    def _bridge(self, robot: Robot, folder: Path, actions: int, places: int) -> None:
        file, log = folder / f'{robot.name}.yaml', folder / f'{robot.name}.log'
        skills = ''.join(SKILL.format(number=number) for number in range(actions))
        named = ', '.join(f'yard {number}: {{}}' for number in range(1, places + 1))
        head = FILE.format(name=robot.name, places=named)
        file.write_text(head + skills, encoding='utf-8')
        words = [
            *self._there,
            str(find_executable('robot_bridge')),
            '--ros-args',
            '-p',
            f'robot:={file}',
        ]
        words += ['-r', f'__ns:=/{robot.name}', '-p', 'permission:=allow']
        with log.open('wb') as output:
            self._bridges.append(subprocess.Popen(words, stdout=output, stderr=output))
        # It has met all that the robot has.
        if not robot.is_served.wait(300.0):
            raise RuntimeError(f'no bridge: {log.read_text()}')

    def stop(self) -> tuple[list[float], list[float]]:
        """Times of a stop, s: from the command, and from its log; one a robot."""
        for robot in self.robots:
            robot.begin()
        began = time.time()
        words = [*self._there, str(find_executable('reactree')), 'stop']
        done = subprocess.run(words, capture_output=True, text=True, timeout=_LIMIT, check=False)
        if any(not robot.canceled_at for robot in self.robots):
            raise RuntimeError(f'a robot was not canceled: {done.stdout}{done.stderr}')
        logs = [stop_log(f'/{robot.name}/bridge').last() for robot in self.robots]
        whole = [robot.canceled_at - began for robot in self.robots]
        later = [
            robot.canceled_at - event.at
            for robot, event in zip(self.robots, logs, strict=True)
            if event is not None
        ]
        release = [*self._there, str(find_executable('reactree')), 'stop', '--release']
        subprocess.run(release, capture_output=True, timeout=_LIMIT, check=False)
        for robot in self.robots if self._bridges else ():
            if not robot.is_served.wait(_LIMIT):
                raise RuntimeError(f'{robot.name} is not released')
        return whole, later

    def bare(self) -> float:
        """Time of a bare client, s."""
        robot = self.robots[0]
        robot.begin()
        began = time.time()
        words = [*self._there, sys.executable, '-c', BARE, f'/{robot.name}/drive_0']
        subprocess.run(words, timeout=_LIMIT, check=True)
        return robot.canceled_at - began

    def close(self) -> None:
        """End the bridges and the robots."""
        for bridge in self._bridges:
            bridge.terminate()
        for bridge in self._bridges:
            with suppress(subprocess.TimeoutExpired):
                bridge.wait(20.0)
            bridge.kill()
        self._executor.shutdown(timeout_sec=1.0)
        for robot in self.robots:
            robot.node.destroy_node()


def row(name: str, times: list[float]) -> str:
    """A distribution as a line. :param times: s."""
    ranked = sorted(times)
    parts = [
        f'{label} {ranked[min(len(ranked) - 1, int(part * len(ranked)))]:6.3f}'
        for label, part in (('p50', 0.5), ('p90', 0.9), ('p99', 0.99))
    ]
    mean = statistics.fmean(times)
    figures = '  '.join([f'mean {mean:6.3f}', *parts, f'max {ranked[-1]:6.3f}'])
    return f'{name:<52} n {len(times):4d}  {figures}'


def main() -> int:
    """Run the rounds and print the distributions."""
    parser = argparse.ArgumentParser(description=__doc__.partition('\n')[0])
    parser.add_argument('--robots', default='1')
    parser.add_argument('--rounds', type=int, default=10)
    parser.add_argument('--actions', type=int, default=5)
    parser.add_argument('--places', type=int, default=1, help='to which each of its skills goes')
    parser.add_argument('--alive', action='store_true', help='with a bridge for each robot')
    parser.add_argument('--loss', type=float, default=0.0, help='share of packets, 0 to 1')
    parser.add_argument('--delay', type=float, default=0.0, help='of a packet each way, s')
    # Words before a command that run it on the host of bridges and commands.
    parser.add_argument('--there', default='', help=argparse.SUPPRESS)
    args = parser.parse_args()
    if (args.loss or args.delay) and not args.there:
        return _behind_a_link(args.loss, args.delay)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ['XDG_STATE_HOME'] = str(folder / 'state')
        os.environ['ROS_DOMAIN_ID'] = str(free_domain())
        os.environ['ROS_LOG_DIR'] = str(folder / 'log')
        # Two hosts that nothing else can reach.
        os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'SUBNET' if args.there else 'LOCALHOST'
        rclpy.init()
        print(json.dumps({'load': os.getloadavg(), 'cores': os.cpu_count()}))
        for count in map(int, args.robots.split(',')):
            there = args.there.split()
            stage = Stage(count, args.actions, there)
            whole: list[float] = []
            later: list[float] = []
            bare: list[float] = []
            try:
                stage.begin(folder, args.actions, args.places, args.alive)
                for _ in range(args.rounds):
                    one, other = stage.stop()
                    whole += one
                    later += other
                    bare.append(stage.bare())
            finally:
                stage.close()
            bridge = 'alive' if args.alive else 'dead'
            what = f'{count} robots, {args.actions * args.places} skills, bridge {bridge}'
            print(row(f'{what}, from the command', whole))
            print(row(f'{what}, from the log', later))
            print(row('bare rclpy client, from its start', bare), flush=True)
    os._exit(0)


def _behind_a_link(loss: float, delay: float) -> int:
    """Run this program on the host of the robots; answers its exit status."""
    if reason := why_no_link():
        print(f'no bad network: {reason}', file=sys.stderr)
        return 2
    with BadLink(loss, delay, seed=1).open() as link:
        words = [sys.executable, '-m', 'benchmarks.stop', *sys.argv[1:]]
        words += ['--there', ' '.join(link.on(0))]
        status = subprocess.run([*link.on(1), *words], check=False).returncode
        lost = link.lost / max(1, link.lost + link.carried)
        print(f'the link: {link.carried} packets carried, {lost:.1%} lost, {delay:g} s each way')
    return status


if __name__ == '__main__':
    sys.exit(main())
