"""A robot by its file that drives on, is stopped, or is not there yet."""

from __future__ import annotations

import time
from collections.abc import Mapping
from random import Random
from typing import Any

from std_msgs.msg import Int32MultiArray
from std_srvs.srv import SetBool, Trigger

from benchmarks.faults.client import PATIENCE, require
from benchmarks.faults.row import Row
from benchmarks.faults.stage import Setup, slack, Stage
from reactree_ros.action import PlanTask
from reactree_ros.msg import BridgeStatus

Result = PlanTask.Result
#: Seconds until a drive that a bridge has left behind is ended by the next one.
ORPHAN = 3.0
#: Seconds for which a robot goes on after it was told to end.
DEAF = 6.0
#: Seconds in which an emergency stop is answered.
ANSWER = 4.0
#: Seconds in which a stop of the robot itself stops its bridge and ends the run.
OWN_STOP = 2.0
#: Seconds of a skill, by the planner's limit, that goes on.
LONGEST_SKILL = 2.0
#: Seconds in which a run has ended that waits for the end of such a skill.
GIVEN_UP = 10.0
#: Seconds in which a task with a word that names nothing is ended.
UNKNOWN = 5.0
TASK = 'go to yard 1'
#: Tasks with a word that names nothing that the robot knows.
STRANGE_TASKS = ('go to the hatchery', 'go to the seed tray', 'drive to the vent and stop there')


class Drives:
    """What a hauler tells of its drives.

    :param stage: whose hauler. :param base: namespace below that of the stage, with a slash.
    """

    def __init__(self, stage: Stage, base: str = '') -> None:
        self._stage = stage
        self._told = [-1, -1, -1, -1]
        topic = f'{base}hauler/drives'
        stage.client.node.create_subscription(Int32MultiArray, topic, self._hear, 10)

    def _hear(self, message: Any) -> None:
        with self._stage.client.arrived:
            self._told = list(message.data)
            self._stage.client.arrived.notify_all()

    @property
    def at_work(self) -> int:
        """Drives that go on now."""
        return self._told[0]

    @property
    def most(self) -> int:
        """Drives that went on at the same time, at most."""
        return self._told[1]

    @property
    def goals(self) -> int:
        """Goals that have come."""
        return self._told[2]

    @property
    def late(self) -> int:
        """Goals that have come after the robot's own stop was pressed."""
        return self._told[3]

    def wait(self, number: int, patience: float = PATIENCE) -> None:
        """Wait until so many go on."""
        self._stage.client.wait(
            lambda: self.at_work == number, patience, f'{number} drives at work'
        )


def _begin(stage: Stage) -> Drives:
    """Put the robot back to where it began; what it tells from then on."""
    drives = Drives(stage)
    drives.wait(0)
    require(stage.call(Trigger, 'hauler/reset').success, 'the robot was not put back')
    stage.client.wait(lambda: not drives.goals, PATIENCE, 'the robot to be put back')
    stage.wait_until_ready()
    return drives


def _release(stage: Stage) -> None:
    """A person releases the stop of the robot, and then that of its bridge."""
    stage.call(SetBool, 'hauler/stop', data=False)
    deadline = time.monotonic() + PATIENCE
    while not stage.call(SetBool, 'bridge/emergency_stop', data=False).success:
        require(time.monotonic() < deadline, 'the stop of the bridge cannot be released')


def bridge_killed_on_the_way(stage: Stage, chance: Random) -> float:
    """SIGKILL of the bridge while its robot drives; then the bridge is started again."""
    drives = _begin(stage)
    lost = stage.send(TASK)
    drives.wait(1)
    stage.pause(chance.random())
    stage.kill('bridge')
    stage.client.status = None
    stage.start('bridge')
    began = time.monotonic()
    drives.wait(0, ORPHAN * slack())
    ended = time.monotonic()
    stage.wait_until_ready()
    run = stage.send('go to shed 1')
    drives.wait(1)
    run.handle.cancel_goal_async()
    drives.wait(0)
    for ended_run in (lost, run):
        require(not stage.result(ended_run, PATIENCE).success, 'a run that was ended is a success')
    require(drives.most == 1, f'{drives.most} drives were at work at the same time')
    return ended - began


def stop_unheeded(stage: Stage, chance: Random) -> float:
    """The emergency stop of a robot that goes on; it says what is so."""
    drives = _begin(stage)
    run = stage.send(TASK)
    drives.wait(1)
    stage.pause(chance.random())
    began = time.monotonic()
    answer = stage.call(SetBool, 'bridge/emergency_stop', ANSWER * slack(), data=True)
    seconds = time.monotonic() - began
    require(drives.at_work, 'the robot has stopped too early for this test')
    told = not answer.success and 'still moves' in answer.message
    require(told, f'the stop said of a robot that moves: {answer.message}')
    drives.wait(0)
    answer = stage.call(SetBool, 'bridge/emergency_stop', data=True)
    require(answer.success, f'the stop said of a robot that stands: {answer.message}')
    require(not stage.result(run, PATIENCE).success, 'a run that was stopped is a success')
    _release(stage)
    return seconds


def skill_goes_on(stage: Stage, chance: Random) -> float:
    """A skill that overruns its limit and does not end, at a place that is the wanted one."""
    drives = _begin(stage)
    run = stage.send(TASK)
    result = stage.result(run, GIVEN_UP)
    require(drives.at_work, 'the robot has stopped too early for this test')
    require(not result.success, 'the run is a success, and the robot still drives')
    require(
        result.error_code == Result.SKILL_ERROR and 'may still move' in result.error_msg,
        f'the run ended with {result.error_code}: {result.error_msg}',
    )
    drives.wait(0)
    return run.ended - run.sent


def stopped_by_itself(stage: Stage, chance: Random) -> float:
    """The robot's own emergency stop, in the middle of a drive, and its release."""
    drives = _begin(stage)
    run = stage.send(TASK)
    drives.wait(1)
    stage.pause(chance.random())
    pressed = time.monotonic()
    stage.call(SetBool, 'hauler/stop', data=True)
    stopped = BridgeStatus.STATE_STOPPED
    stage.wait_for_state(stopped, 'a bridge that is stopped', OWN_STOP * slack())
    result = stage.result(run, OWN_STOP)
    require(not result.success, 'the run is a success')
    require('emergency stop' in result.error_msg, f'the run says: {result.error_msg}')
    goals = drives.goals
    refused = stage.call(SetBool, 'bridge/emergency_stop', data=False)
    require(not refused.success, 'it was released while the robot is stopped')
    stage.call(SetBool, 'hauler/stop', data=False)
    again = stage.send(TASK)
    result = stage.result(again, PATIENCE)
    require(not result.success, 'a run moved the robot before a person released it')
    require(drives.goals == goals, f'{drives.goals - goals} goals were sent to a stopped robot')
    _release(stage)
    return run.ended - pressed


def word_not_known(stage: Stage, chance: Random) -> float:
    """A task with a word that names nothing, and nobody who could be asked."""
    drives = _begin(stage)
    run = stage.send(chance.choice(STRANGE_TASKS))
    result = stage.result(run, PATIENCE)
    require(not result.success, 'the run is a success')
    require(not drives.goals, f'the robot moved: {result.error_msg}')
    require('not understood' in result.error_msg, f'the run says: {result.error_msg}')
    took = run.ended - run.sent
    require(took < UNKNOWN * slack(), f'it took {took:.1f} s')
    return took


def robot_comes_late(stage: Stage, chance: Random) -> float:
    """The bridge is started before its robot."""
    stage.end('bridge')
    stage.end('hauler')
    stage.client.status = None
    stage.start('bridge')
    starting = BridgeStatus.STATE_STARTING
    stage.wait_for_state(starting, 'a bridge that starts')
    stage.pause(1.0 + chance.random())
    status = stage.client.status
    require(status.state == starting, 'the bridge is ready without its robot')
    require('hauler/drive' in status.message, f'it does not say what is missing: {status.message}')
    began = time.monotonic()
    stage.start('hauler')
    stage.wait_until_ready()
    seconds = time.monotonic() - began
    run = stage.send(TASK)
    result = stage.result(run, PATIENCE)
    require(result.success, f'the run failed: {result.error_msg}')
    return seconds


def _setup(planner: Mapping[str, object] | None = None, **robot: float) -> Setup:
    return Setup(
        nodes=('hauler', 'bridge', 'planner'),
        programs={'bridge': 'robot bridge'},
        parameters={
            'hauler': robot,
            'bridge': {'robot': '{folder}/hauler.yaml', 'stop_timeout': 1.0},
            'planner': {'memory': False, 'permission': 'allow', **(planner or {})},
        },
    )


ROWS = (
    Row(
        'bridge-killed-on-the-way',
        'The bridge of a robot is killed while the robot drives, and restarted.',
        f'The new bridge ends the drive within {ORPHAN:g} s; never are two drives at work.',
        'restart to the end of the drive',
        20,
        'orphans_left',
        'bridge',
        'the bridge takes no notice of goals that it has not sent itself',
        bridge_killed_on_the_way,
        _setup(),
        serves=False,
    ),
    Row(
        'stop-unheeded',
        f'The emergency stop is pressed, and the robot goes on for {DEAF:g} s.',
        f'Within {ANSWER:g} s the stop says that the robot still moves; when it stands, that it '
        'has ended.',
        'stop to answer',
        20,
        'stops_believed',
        'bridge',
        'the bridge says that the robot has stopped without a look',
        stop_unheeded,
        _setup(deaf=DEAF),
        serves=False,
    ),
    Row(
        'skill-goes-on',
        'A skill overruns its limit, is canceled and goes on; the robot is where it was to go.',
        f'The run ends within {GIVEN_UP:g} s, without success, and says that the robot may still '
        'move.',
        'goal to result',
        20,
        'ends_assumed',
        'planner',
        'the planner takes a skill for ended that was told to end',
        skill_goes_on,
        _setup({'skill_timeout': LONGEST_SKILL, 'service_timeout': 3.0}, takes=12.0, deaf=20.0),
        serves=False,
    ),
    Row(
        'stopped-by-itself',
        'The emergency stop of the robot itself is pressed while it drives, and released.',
        f'Within {OWN_STOP:g} s its bridge is stopped and the run ends with the reason; nothing '
        'is sent to the robot until a person has released the stop of the bridge too.',
        'press to result',
        20,
        'signals_unheard',
        'bridge',
        'the bridge does not hear the emergency stop of its robot',
        stopped_by_itself,
        _setup(),
        serves=False,
    ),
    Row(
        'word-not-known',
        'A task of a robot names a place that nobody knows, and there is nobody to ask.',
        f'Within {UNKNOWN:g} s the run ends and says what was not understood; nothing is sent to '
        'the robot.',
        'goal to result',
        20,
        'words_guessed',
        'planner',
        'the planner takes an unknown word for the first name that there is',
        word_not_known,
        _setup(),
        serves=False,
    ),
    Row(
        'robot-comes-late',
        'The bridge is started 1 to 2 s before its robot.',
        'It is not ready, and names what is missing, until the robot is there; then it works.',
        'start of the robot to a bridge that is ready',
        20,
        'servers_unmissed',
        'bridge',
        'the bridge does not look whether its servers are there',
        robot_comes_late,
        _setup(takes=1.0),
        serves=False,
    ),
)
