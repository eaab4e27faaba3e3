"""Skills that report success where the robot's own senses tell otherwise."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from std_srvs.srv import Trigger

from benchmarks.faults import rover
from benchmarks.faults.client import PATIENCE, require
from benchmarks.faults.row import Row
from benchmarks.faults.stage import Setup, Stage
from reactree_core.record.outcome import without_reason
from reactree_ros.msg import Observation

#: Seconds for a run that is told three times that it did not work.
TRIED = 30.0


def _play(task: str, untrue: str) -> Callable[[Stage, Random], float]:
    """A task at whose end a condition does not hold. :param untrue: that condition."""

    def play(stage: Stage, chance: Random) -> float:
        _reset(stage)
        stage.pause(chance.random() * 4 * rover.PERIOD)
        run = stage.send(task, max_decisions=12)
        result = stage.result(run, TRIED)
        require(run.skills, f'no skill was done: {result.error_msg}')
        require(not result.success, 'the run ended as a success')
        claimed = [*result.verified, *map(without_reason, result.assumed)]
        require(untrue not in claimed, f'the run says that it holds: {untrue}')
        told = [one for one in run.events if isinstance(one, Observation) and one.skill]
        contradicted = [
            one
            for one in told
            if one.outcome == Observation.OUTCOME_EXECUTION_FAILED and 'it was not' in one.text
        ]
        lost = [one for one in told if 'You no longer hold' in one.text]
        require(contradicted or lost, f'nothing was said of it: {[one.text for one in told]}')
        # One hand holds one thing, whatever is believed.
        require(all(len(one.held) <= 1 for one in told), 'more was held than there are hands')
        return run.ended - run.sent

    return play


def _reset(stage: Stage) -> None:
    """Put the rover back to where it began."""
    client = stage.client.node.create_client(Trigger, 'rover/reset')
    try:
        require(client.wait_for_service(PATIENCE), 'the rover is not there')
        done = client.call_async(Trigger.Request())
        stage.client.wait(done.done, PATIENCE, 'the rover to be put back')
    finally:
        stage.client.node.destroy_client(client)


def _row(name: str, fault: str, done: str, task: str, untrue: str) -> Row:
    return Row(
        name,
        done,
        f'The run is no success and does not say that it holds: {untrue}. The observation says '
        'what the sensor tells.',
        'goal to result of the whole run',
        20,
        'effects_overwrite_senses',
        'bridge',
        'the bridge takes the effects of a skill whatever its senses tell',
        _play(task, untrue),
        Setup(
            nodes=('rover', 'bridge', 'planner'),
            programs={'bridge': 'robot bridge'},
            parameters={
                'rover': {'fault': fault},
                'planner': {'memory': False, 'permission': 'allow'},
            },
        ),
        serves=False,
    )


ROWS = (
    _row(
        'grasp-missed',
        'missed grasp',
        'A robot reports a grasp as done; its gripper is empty, as its sensor says.',
        'grab tomato 1',
        'holding tomato 1',
    ),
    _row(
        'wrong-thing-held',
        'wrong thing',
        'A robot reports a grasp as done; it holds another thing, as its sensor says.',
        'grab tomato 1',
        'holding tomato 1',
    ),
    _row(
        'door-stuck',
        'stuck door',
        'A robot reports a door as opened; its topic says that it is closed.',
        'open door 1',
        'door 1 is open',
    ),
    _row(
        'lost-on-the-way',
        'lost on the way',
        'A robot loses what it holds while it drives, as its gripper says, and goes on reporting '
        'success.',
        'grab tomato 1, then drive to the dock, then drop tomato 1 at the dock',
        'tomato 1 in dock',
    ),
)
