"""Nodes that are killed, stopped, or there twice."""

from __future__ import annotations

import signal
import time
from random import Random

from benchmarks.faults.client import PATIENCE, require
from benchmarks.faults.nursery import read_log
from benchmarks.faults.row import Row
from benchmarks.faults.stage import await_end, MEMORY_TIMEOUT, SKILL, slack, Stage
from reactree_ros.action import PlanTask

Result = PlanTask.Result
#: Seconds in which a bridge that is gone must be noticed: its lease, and what follows from it.
LOSS = 2.0
#: Seconds for a run that waits for a silent memory as often as it may.
WITHOUT_MEMORY = 3 * SKILL + 2 * MEMORY_TIMEOUT + 2.0
#: Seconds in which the second node of a name must have ended.
SECOND = 8.0


def bridge_killed(stage: Stage, chance: Random) -> float:
    """SIGKILL while it does a skill."""
    seconds = _lose_bridge(stage, chance, signal.SIGKILL)
    stage.start('bridge')
    return seconds


def bridge_stopped(stage: Stage, chance: Random) -> float:
    """SIGSTOP while it does a skill; it goes on when its loss was noticed."""
    try:
        return _lose_bridge(stage, chance, signal.SIGSTOP)
    finally:
        stage.signal('bridge', signal.SIGCONT)


def _lose_bridge(stage: Stage, chance: Random, number: int) -> float:
    run = stage.send()
    stage.wait_for_skill(run, chance.randint(1, 2))
    stage.pause(chance.random() * SKILL)
    lost = stage.signal('bridge', number)
    # Whoever asks next must not take it for a living one.
    stage.client.status = None
    result = stage.result(run, LOSS)
    require(
        result.error_code == Result.BRIDGE_LOST,
        f'the run ended with {result.error_code}: {result.error_msg}',
    )
    require(
        'unknown' in result.error_msg, f'this does not say what is unknown: {result.error_msg}'
    )
    return run.ended - lost


def memory_killed_at_start(stage: Stage, chance: Random) -> float:
    """SIGKILL just before or after the goal is sent."""
    early = chance.random() < 0.5
    if early:
        stage.kill('memory')
    run = stage.send()
    if not early:
        stage.kill('memory')
    result = stage.result(run, WITHOUT_MEMORY)
    require(result.success, f'the run failed: {result.error_msg}')
    require(stage.is_missed(run), 'the run does not say that the memory was gone')
    stage.start('memory')
    return run.ended - run.sent


def memory_killed_in_run(stage: Stage, chance: Random) -> float:
    """SIGKILL while a skill is done."""
    run = stage.send()
    stage.wait_for_skill(run, chance.randint(1, 2))
    stage.pause(chance.random() * SKILL)
    killed = stage.kill('memory')
    result = stage.result(run, WITHOUT_MEMORY)
    require(result.success, f'the run failed: {result.error_msg}')
    require(stage.is_missed(run), 'the run does not say that the memory was gone')
    stage.start('memory')
    return run.ended - killed


def memory_killed_at_storing(stage: Stage, chance: Random) -> float:
    """SIGKILL when the tree is finished, which is when the planner stores."""
    run = stage.send()
    stage.wait_for_end_of_tree(run)
    stage.pause(chance.random() * 0.004)
    killed = stage.kill('memory')
    result = stage.result(run, MEMORY_TIMEOUT + 2.0)
    require(result.success, f'the run failed: {result.error_msg}')
    stage.start('memory')
    return max(0.0, run.ended - killed)


def second_bridge(stage: Stage, chance: Random) -> float:
    """Another bridge of the name comes up during a run."""
    return _second(stage, chance, 'bridge')


def second_planner(stage: Stage, chance: Random) -> float:
    """Another planner of the name comes up during a run."""
    return _second(stage, chance, 'planner')


def _second(stage: Stage, chance: Random, name: str) -> float:
    run = stage.send()
    stage.wait_for_skill(run, chance.randint(1, 2))
    second = stage.begin(name)
    began = time.monotonic()
    await_end(second, SECOND * slack())
    seconds = time.monotonic() - began
    said = (read_log(second.log).splitlines() or [''])[-1]
    told = f'{stage.namespace}/{name} runs already (process {stage.running(name).pid}'
    require(told in said, f'the second one said: {said[:300]}')
    result = stage.result(run, PATIENCE)
    require(result.success, f'the run failed: {result.error_msg}')
    return seconds


ROWS = (
    Row(
        'bridge-killed',
        'The bridge is killed while it executes a skill, and restarted.',
        f'The run ends with BRIDGE_LOST within {LOSS:g} s and says that the effect of the skill '
        'is unknown.',
        'kill to result',
        60,
        'liveliness_unheard',
        'planner',
        'the planner ignores the liveliness of the bridge',
        bridge_killed,
    ),
    Row(
        'bridge-stopped',
        'The bridge is stopped (SIGSTOP) while it executes a skill, and continued later.',
        f'The run ends with BRIDGE_LOST within {LOSS:g} s; once the bridge is back, it is used '
        'again.',
        'stop to result',
        60,
        'lost_for_good',
        'planner',
        'the planner does not notice that the bridge is back',
        bridge_stopped,
    ),
    Row(
        'memory-killed-at-start',
        'The memory is killed just before or after a goal is sent, and restarted.',
        'The task is done without it, and the result has a notice about it.',
        'goal to result of the whole run',
        40,
        'memory_needed',
        'planner',
        'the planner ends a run when the memory does not answer',
        memory_killed_at_start,
    ),
    Row(
        'memory-killed-in-run',
        'The memory is killed while a skill is executed, and restarted.',
        'The task is done without it, and the result has a notice about it.',
        'kill to result',
        40,
        'memory_unmissed',
        'planner',
        'the planner does not report the lost memory',
        memory_killed_in_run,
    ),
    Row(
        'memory-killed-at-storing',
        'The memory is killed within 4 ms of the moment at which the planner stores, and '
        'restarted.',
        'The run ends as without the fault; if it has no notice, its experiences are in the '
        'store.',
        'kill to result',
        40,
        'stored_untruly',
        'memory',
        'the memory says that it stored what it did not',
        memory_killed_at_storing,
    ),
    Row(
        'two-bridges',
        'A second bridge of the same name is started during a run.',
        f'It ends within {SECOND:g} s and says who has the name; the run is not disturbed.',
        'start to end of the second',
        30,
        'names_free',
        'bridge',
        'a bridge does not look whether its name is taken',
        second_bridge,
    ),
    Row(
        'two-planners',
        'A second planner of the same name is started during a run.',
        f'It ends within {SECOND:g} s and says who has the name; the run is not disturbed.',
        'start to end of the second',
        30,
        'names_free',
        'planner',
        'a planner does not look whether its name is taken',
        second_planner,
    ),
)
