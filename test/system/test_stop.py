"""`reactree stop` reaches robots whatever has become of our nodes; seen in the robots."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from reactree_tools.processes.nodes import find_executable
from support import logging_robot
from system.conftest import Program, Start, wait_until

pytestmark = pytest.mark.timeout(400.0)
#: Seconds in which nothing may reach a robot that was stopped.
QUIET = 2.0
#: Sends a goal to an action, and waits.
SENDER = """
import sys, rclpy
from rclpy.action import ActionClient
from reactree_ros.action import ExecuteSkill

rclpy.init()
node = rclpy.create_node('somebody')
client = ActionClient(node, ExecuteSkill, sys.argv[1])
client.wait_for_server()
client.send_goal_async(ExecuteSkill.Goal(skill='yard 1'))
rclpy.spin(node)
"""


class Robot:
    """A robot in a namespace, and what has reached it."""

    def __init__(
        self, folder: Path, start: Start, name: str, fault: str = '', file: str = ''
    ) -> None:
        self.name = name
        self.log = folder / f'{name}.log'
        self.file = folder / f'{name}.yaml'
        self.file.write_text((file or logging_robot.FILE).format(name=name))
        words = [str(Path(logging_robot.__file__)), str(self.log), *([fault] if fault else [])]
        self.program = start(*words, '--ros-args', '-r', f'__ns:=/{name}')
        self.program.wait_for('robot ready')

    @property
    def commands(self) -> list[str]:
        """What has reached it."""
        text = self.log.read_text() if self.log.exists() else ''
        return [line.split(' ', 1)[1] for line in text.splitlines()]

    def wait_for(self, what: str) -> None:
        wait_until(lambda: any(one.startswith(what) for one in self.commands), 60.0, what)

    def is_quiet(self) -> None:
        """Nothing but the stop itself comes any more, and nothing goes on."""
        begun = [one for one in self.commands if one.startswith('DRIVE')]
        ended = [one for one in self.commands if one.startswith('END')]
        assert len(begun) == len(ended), self.commands
        threading.Event().wait(QUIET)
        assert [one for one in self.commands if one.startswith('DRIVE')] == begun


@pytest.fixture
def make_robot(tmp_path: Path, start: Start) -> Iterator[Callable[..., Robot]]:
    """Starts a robot."""
    made: list[Robot] = []

    def make(name: str, fault: str = '', file: str = '') -> Robot:
        made.append(Robot(tmp_path, start, name, fault, file))
        return made[-1]

    yield make
    for robot in made:
        if robot.program.running:
            os.kill(robot.program.pid, signal.SIGKILL)


@pytest.fixture
def bring_up(start: Start) -> Callable[..., Program]:
    """Starts the nodes of robots."""

    def begin(*robots: Robot, more: tuple[str, ...] = ()) -> Program:
        if len(robots) == 1:
            name = robots[0].name
            words = ['--namespace', f'/{name}', '--robot', str(robots[0].file)]
            words += ['--remap', f'/*:=/{name}/*']
        else:
            words = ['--robots', ','.join(f'{one.name}={one.file}' for one in robots)]
            words += ['--remap', '/*:=/{robot}/*']
        rest = ('--model', 'none', '--no-memory', '--permission', 'allow', '--plain')
        up = start('up', *words, *rest, *more)
        up.wait_for('Ready')
        return up

    return begin


def bridge_of(up: Program) -> int:
    """Process id of its robot bridge."""
    for child in Path(f'/proc/{up.pid}/task/{up.pid}/children').read_text().split():
        if 'robot_bridge' in Path(f'/proc/{child}/cmdline').read_text():
            return int(child)
    raise AssertionError('no bridge')


@pytest.mark.parametrize(
    'fate', [None, signal.SIGKILL, signal.SIGSTOP], ids=['alive', 'killed', 'suspended']
)
def test_a_robot_stops_whatever_has_become_of_its_bridge(fate, make_robot, bring_up, start):
    robot = make_robot('porter')
    up = bring_up(robot)
    start('plan', '--namespace', '/porter', '--plain', 'go to yard 1')
    robot.wait_for('DRIVE')
    bridge = bridge_of(up)
    if fate is not None:
        os.kill(bridge, fate)
    stop = start('stop', '--why', 'a child is there')
    assert stop.end() == 0, stop.text
    assert 'porter (/porter) has stopped' in stop.text
    assert 'CANCEL' in robot.commands and 'HALT' in robot.commands
    if fate is signal.SIGSTOP:
        assert 'its bridge is suspended' in stop.text
        os.kill(bridge, signal.SIGCONT)
    robot.is_quiet()
    assert [one for one in robot.commands if one.startswith('DRIVE')] == ['DRIVE yard 1']


def test_a_bridge_that_comes_back_keeps_the_stop_of_its_robot(make_robot, bring_up, start):
    robot = make_robot('porter')
    up = bring_up(robot, more=('--respawn',))
    start('plan', '--namespace', '/porter', '--plain', 'go to yard 1')
    robot.wait_for('DRIVE')
    os.kill(bridge_of(up), signal.SIGKILL)
    stop = start('stop')
    assert stop.end() == 0, stop.text
    up.wait_for('ready again')
    plan = start('plan', '--namespace', '/porter', '--plain', 'go to shed 1')
    assert plan.end() != 0 and 'emergency stop was pressed (with' in plan.text
    robot.is_quiet()
    assert start('stop', '--release').end() == 0
    robot.is_quiet()
    start('plan', '--namespace', '/porter', '--plain', 'go to shed 1')
    robot.wait_for('DRIVE shed 1')


def test_a_team_stops_with_one_command_though_a_bridge_is_dead(make_robot, bring_up, start):
    robots = [make_robot('porter_1'), make_robot('porter_2')]
    up = bring_up(*robots)
    start('plan', '--plain', 'go to yard 1')
    wait_until(lambda: any('DRIVE yard 1' in one.commands for one in robots), 60.0, 'a drive')
    os.kill(bridge_of(up), signal.SIGKILL)
    stop = start('stop')
    assert stop.end() == 0, stop.text
    for robot in robots:
        assert f'{robot.name} (/{robot.name}) has stopped' in stop.text
        assert 'HALT' in robot.commands
        robot.is_quiet()


def test_a_stopped_robot_is_started_and_released_in_any_order(make_robot, bring_up, start):
    robot = make_robot('porter')
    up = bring_up(robot)
    stop = start('stop', '--why', 'lunch')
    assert stop.end() == 0, stop.text
    up.interrupt()
    up.end()
    up = bring_up(robot)
    assert '"lunch"' in up.text and 'reactree stop --release' in up.text
    plan = start('plan', '--namespace', '/porter', '--plain', 'go to yard 1')
    assert plan.end() != 0 and 'emergency stop was pressed (with' in plan.text
    up.interrupt()
    up.end()
    release = start('stop', '--release')
    assert release.end() == 0 and 'porter (/porter) is released' in release.text, release.text
    bring_up(robot)
    start('plan', '--namespace', '/porter', '--plain', 'go to yard 1')
    robot.wait_for('DRIVE yard 1')


@pytest.mark.parametrize('pause', [0.0, 0.25])
def test_a_stop_beside_the_end_of_its_nodes_is_kept_for_the_next_ones(
    pause, make_robot, bring_up, start
):
    robot = make_robot('porter')
    up = bring_up(robot)
    start('plan', '--namespace', '/porter', '--plain', 'go to yard 1')
    robot.wait_for('DRIVE')
    stop = start('stop')
    threading.Event().wait(pause)
    up.interrupt()
    assert stop.end() == 0 and 'porter (/porter) has stopped' in stop.text, stop.text
    up.end()
    robot.is_quiet()
    # Nothing runs any more, and the robot itself is there: it is stopped all the same.
    stop = start('stop')
    assert stop.end() == 0, stop.text
    assert 'its bridge has ended with nothing at work' in stop.text, stop.text
    up = bring_up(robot)
    assert 'reactree stop --release' in up.text
    plan = start('plan', '--namespace', '/porter', '--plain', 'go to shed 1')
    assert plan.end() != 0
    robot.is_quiet()
    up.interrupt()
    up.end()
    robot.program.interrupt()
    robot.program.end()
    stop = start('stop')
    assert stop.end() == 2 and 'porter (/porter) is not there' in stop.text, stop.text
    assert 'It stays stopped' in stop.text and 'remove' not in stop.text


@pytest.mark.parametrize('is_alive', [True, False], ids=['alive', 'dead'])
def test_what_a_robot_does_by_a_service_is_not_known_to_have_ended(
    is_alive, make_robot, bring_up, start
):
    robot = make_robot('hoist', file=logging_robot.LIFT)
    up = bring_up(robot)
    start('plan', '--namespace', '/hoist', '--plain', 'raise the platform')
    robot.wait_for('LIFT')
    if not is_alive:
        os.kill(bridge_of(up), signal.SIGKILL)
    stop = start('stop')
    assert stop.end() == 1, stop.text
    assert 'hoist (/hoist) IS NOT KNOWN TO HAVE STOPPED' in stop.text, stop.text
    if is_alive:
        assert '/lift was called and has not answered' in stop.text, stop.text
        assert stop.text.count('has no stop of its own') == 1
    else:
        assert '/hoist/lift may still be at work' in stop.text and 'has died' in stop.text
    assert 'is gone' not in stop.text and 'remove' not in stop.text
    assert 'END LIFT' not in robot.commands
    # Said by whoever releases it, and nothing is called beside it.
    release = start('stop', '--release')
    assert release.end() == 0 and 'hoist (/hoist) is released' in release.text
    assert '/lift' in release.text, release.text
    if is_alive and 'END LIFT' not in robot.commands:
        plan = start('plan', '--namespace', '/hoist', '--plain', 'raise the platform')
        wait_until(lambda: 'has not answered' in plan.text or not plan.running, 60.0, 'a refusal')
        assert robot.commands.count('LIFT') == 1 or 'END LIFT' in robot.commands
    again = start('stop', '--release')
    assert again.end() == 0 and 'hoist (/hoist) was not pressed' in again.text, again.text


def test_a_release_tells_what_is_at_work_and_what_was_never_pressed(
    make_robot, bring_up, start, tmp_path
):
    robot = make_robot('porter')
    up = bring_up(robot)
    release = start('stop', '--release')
    assert release.end() == 0 and 'porter (/porter) was not pressed' in release.text, release.text
    up.interrupt()
    up.end()
    # Nobody holds what others send, as the bridge is gone; the release says that it goes on.
    stop = start('stop')
    assert stop.end() == 0, stop.text
    sender = tmp_path / 'sender.py'
    sender.write_text(SENDER)
    somebody = start(str(sender), '/porter/drive')
    robot.wait_for('DRIVE')
    release = start('stop', '--release')
    assert (
        release.end() == 0
        and 'The action /porter/drive of' in release.text
        and 'is at work' in release.text
    ), release.text
    somebody.kill()


def test_a_stop_works_where_nobody_reads_what_it_says(make_robot, bring_up, environment, start):
    robot = make_robot('porter')
    bring_up(robot)
    start('plan', '--namespace', '/porter', '--plain', 'go to yard 1')
    robot.wait_for('DRIVE')
    program = str(find_executable('reactree'))
    for ending in ('>&-', '> /dev/full'):
        done = subprocess.run(
            ['sh', '-c', f'"{program}" stop {ending}'],
            env=environment,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60.0,
            check=False,
        )
        assert done.returncode == 0 and 'Traceback' not in done.stderr, done.stderr
    robot.is_quiet()


def test_a_skill_server_without_an_emergency_stop_is_held_by_its_planner(start):
    server = start(str(Path(__file__).parents[1] / 'support' / 'bare_server.py'))
    server.wait_for('the robot is ready')
    up = start('up', '--no-bridge', '--model', 'none', '--no-memory', '--plain')
    up.wait_for('Ready')
    stop = start('stop')
    assert stop.end() == 0 and 'It has no emergency stop' in stop.text, stop.text
    plan = start('plan', '--plain', 'bring the cup to the shelf')
    assert plan.end() != 0 and 'reactree stop --release' in plan.text.replace('\n', ' ')
    assert 'go to' not in server.text
    release = start('stop', '--release')
    assert release.end() == 0 and 'The robot is released' in release.text, release.text
    plan = start('plan', '--plain', 'bring the cup to the shelf')
    assert plan.end() == 0 and 'go to' in server.text


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM])
def test_a_stop_that_is_interrupted_says_what_it_has_done(number, make_robot, bring_up, start):
    robot = make_robot('porter', 'ignores')
    bring_up(robot)
    start('plan', '--namespace', '/porter', '--plain', 'go to yard 1')
    robot.wait_for('DRIVE')
    stop = start('stop')
    robot.wait_for('CANCEL')
    os.kill(stop.pid, number)
    assert stop.end() == 130, stop.text
    assert 'Interrupted: the stop is pressed' in stop.text and 'Traceback' not in stop.text
    plan = start('plan', '--namespace', '/porter', '--plain', 'go to shed 1')
    assert plan.end() != 0


@pytest.mark.parametrize('fault', ['refuses', 'ignores'])
def test_a_skill_that_cannot_be_stopped_is_told_by_name(fault, make_robot, bring_up, start):
    robot = make_robot('porter', fault)
    up = bring_up(robot)
    start('plan', '--namespace', '/porter', '--plain', 'go to yard 1')
    robot.wait_for('DRIVE')
    stop = start('stop')
    assert stop.end() == 1, stop.text
    said = {'refuses': 'refuses the cancel', 'ignores': 'has not ended'}[fault]
    assert 'porter (/porter) IS NOT KNOWN TO HAVE STOPPED' in stop.text
    assert said in stop.text and '"go to <place>"' in stop.text, stop.text
    assert 'pressed /porter/halt' in stop.text
    os.kill(bridge_of(up), signal.SIGKILL)
    stop = start('stop')
    assert stop.end() == 1 and said in stop.text and '"go to <place>"' in stop.text, stop.text


def test_what_is_not_there_is_said_and_the_rest_is_stopped(make_robot, bring_up, start):
    nothing = start('stop', '--namespace', '/nowhere')
    assert nothing.end() == 2 and 'There is no robot in namespace /nowhere' in nothing.text
    gone, robot = make_robot('gone'), make_robot('porter')
    up = bring_up(gone)
    bring_up(robot)
    os.kill(bridge_of(up), signal.SIGKILL)
    os.kill(gone.program.pid, signal.SIGKILL)
    stop = start('stop')
    assert stop.end() == 2, stop.text
    assert 'gone (/gone) is gone' in stop.text and 'remove ' in stop.text
    assert 'porter (/porter) has stopped' in stop.text and 'HALT' in robot.commands
    unknown = start('stop', '--robot', 'porder')
    assert unknown.end() == 2 and 'There is no robot "porder"' in unknown.text


def test_a_simulated_team_stops_with_one_command(start, tmp_path):
    (tmp_path / 'slow.yaml').write_text('/**:\n  ros__parameters:\n    skill_duration: 1.5\n')
    words = ('--robots', 'robot_1,robot_2', '--scene', 'generated:3', '--task', 'generated:3')
    more = ('--model', 'none', '--no-memory', '--params', str(tmp_path / 'slow.yaml'))
    up = start('up', '--namespace', '/tm', '--plain', *words, *more)
    up.wait_for('Ready')
    plan = start('plan', '--namespace', '/tm', '--plain')
    wait_until(lambda: 'robot_1' in plan.text, 60.0, 'a skill')
    stop = start('stop', '--namespace', '/tm')
    assert stop.end() == 0, stop.text
    for name in ('robot_1', 'robot_2'):
        assert f'/tm/{name} has stopped' in stop.text
    assert plan.end() != 0
