"""Simulated time: a clock that jumps, and eight hours of work."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

from rosgraph_msgs.msg import Clock

from benchmarks.faults.client import require
from benchmarks.faults.row import Row
from benchmarks.faults.stage import Setup, SKILL, Stage
from benchmarks.faults.traffic_rows import LONGEST_SKILL
from reactree_core.ros.conversions import time_to_message
from reactree_ros.action import PlanTask

Result = PlanTask.Result
HOUR = 3600.0
_PERIOD = 0.01
_BEGIN = 1000 * HOUR
#: Seconds of a run whose clock jumps.
JUMPED = 6 * LONGEST_SKILL + 4.0
SOAK = 8 * HOUR
#: Simulated seconds of a skill, and of a second, in the soak.
SOAK_SKILL, SOAK_SPEED = 60.0, 60.0
#: Tasks after which a process has all that it keeps, and growth in MB that is too much.
SETTLED, TOO_MUCH = 10, 40.0
SIMULATED = {'use_sim_time': True}


class SimulatedClock:
    """Publishes /clock. :param speed: simulated seconds of a second."""

    def __init__(self, stage: Stage, speed: float) -> None:
        self.now = _BEGIN
        #: Whether time stands still.
        self.stands = False
        self._speed = speed
        self._publisher = stage.client.node.create_publisher(Clock, '/clock', 10)
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._tick)
        self._thread.start()

    def _tick(self) -> None:
        last = time.monotonic()
        while not self._ending.wait(_PERIOD):
            now = time.monotonic()
            if not self.stands:
                self.now += self._speed * (now - last)
            last = now
            self._publisher.publish(Clock(clock=time_to_message(self.now)))

    def close(self) -> None:
        """Have time end."""
        self._ending.set()
        self._thread.join()


@contextmanager
def clock(stage: Stage, speed: float = 1.0) -> Iterator[SimulatedClock]:
    """A clock for as long as this lasts."""
    made = SimulatedClock(stage, speed)
    try:
        yield made
    finally:
        made.close()


def clock_jumps(stage: Stage, chance: Random) -> float:
    """The clock jumps or stands during a skill."""
    with clock(stage) as clocked:
        run = stage.send()
        stage.wait_for_skill(run, chance.randint(1, 2))
        stage.pause(chance.random() * SKILL)
        jump = chance.choice((HOUR, -HOUR, 1000 * HOUR, -1000 * HOUR + 1.0, 0.0))
        clocked.now += jump
        clocked.stands = not jump
        jumped = time.monotonic()
        result = stage.result(run, JUMPED)
        clocked.stands = False
        # Where a skill ran out of time the model is asked, and the script knows no way.
        known = (Result.NONE, Result.SKILL_ERROR, Result.TASK_FAILED, Result.LLM_INVALID_OUTPUT)
        require(
            result.error_code in known,
            f'the run ended with {result.error_code}: {result.error_msg}',
        )
        stage.serve()
    return run.ended - jumped


def soak(stage: Stage, chance: Random) -> float:
    """Task after task for eight simulated hours."""
    longest, tasks = 0.0, 0
    began: dict[str, tuple[float, int, int]] = {}
    with clock(stage, SOAK_SPEED) as clocked:
        while clocked.now < _BEGIN + SOAK:
            run = stage.serve()
            longest = max(longest, run.ended - run.sent)
            tasks += 1
            stage.check()
            if tasks == SETTLED:
                began = _sizes(stage)
    require(tasks > 2 * SETTLED, f'only {tasks} tasks were done')
    for name, (megabytes, files, threads) in _sizes(stage).items():
        before = began[name]
        grown = megabytes - before[0]
        require(grown < TOO_MUCH, f'the {name} has grown by {grown:.0f} MB in {tasks} tasks')
        require(files <= before[1] + 2, f'the {name} has opened {files - before[1]} more files')
        require(threads <= before[2] + 2, f'the {name} has {threads - before[2]} more threads')
    return longest


def _sizes(stage: Stage) -> dict[str, tuple[float, int, int]]:
    """Node -> resident megabytes, open files, threads."""
    sizes = {}
    for name in stage.setup.nodes:
        process = Path(f'/proc/{stage.running(name).pid}')
        lines = (process / 'status').read_text().splitlines()
        told = dict(line.split(':', 1) for line in lines)
        files = len(list((process / 'fd').iterdir()))
        sizes[name] = (int(told['VmRSS'].split()[0]) / 1024, files, int(told['Threads']))
    return sizes


ROWS = (
    Row(
        'clock-jumps',
        'The simulated clock jumps by an hour or 1000 hours, forward or back, or stops, while a '
        'skill is executed.',
        f"The run ends within {JUMPED:g} s, since the planner's limits use a steady clock.",
        'jump to result',
        50,
        'skills_wait_for_ever',
        'planner',
        'the planner leaves the time limit of skills to the bridge and its clock',
        clock_jumps,
        Setup(
            parameters={
                'bridge': SIMULATED,
                'memory': SIMULATED,
                'planner': {**SIMULATED, 'skill_timeout': LONGEST_SKILL},
            }
        ),
        serves=False,
    ),
    Row(
        'soak',
        f'Task after task for 8 hours of simulated time, {SOAK_SPEED:g} times as fast.',
        f'All succeed; from task {SETTLED} on no node grows by {TOO_MUCH:g} MB, nor by files or '
        'threads.',
        'goal to result of the longest task',
        1,
        'events_remembered',
        'planner',
        'the planner leaks memory with every event',
        soak,
        Setup(
            parameters={
                'bridge': {**SIMULATED, 'skill_duration': SOAK_SKILL},
                'memory': SIMULATED,
                'planner': SIMULATED,
            },
        ),
        serves=False,
        longest=1800.0,
    ),
)
