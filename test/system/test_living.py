"""A planner that is killed while its run waits, or is held, goes on when it is started."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from reactree_tools.processes.nodes import find_executable
from system.conftest import Program, wait_until
from system.test_respawn import PATIENCE, Robot

_FINISH, _CORRECT, _WAIT, _FIRE = 3, 9, 10, 11
pytestmark = pytest.mark.timeout(400)


class Waiting(Robot):
    """A robot whose planner has no model, and may wait."""

    def planner(self, **parameters: object) -> Program:
        program = self.start(
            'planner',
            {
                'model': 'none',
                'memory': 'false',
                'standing_look': 0.5,
                'standing_times': 2,
                'journal_directory': str(self.folder / 'runs'),
                **parameters,
            },
        )
        program.wait_for('planner ready', PATIENCE)
        return program

    def reactree(self, *words: str) -> Program:
        command = [str(find_executable('reactree')), words[0], '--namespace', self.namespace]
        output = self.folder / f'{words[0]}-{len(self.programs)}.txt'
        program = Program([*command, *words[1:]], self.environment, output)
        self.programs.append(program)
        return program

    def kinds(self) -> list[int]:
        if not list((self.folder / 'runs').glob('*.jsonl')):
            return []
        return [int(str(one['kind'])) for one in self.records() if one['event'] == 'decision']

    def await_kind(self, kind: int, times: int = 1) -> None:
        wait_until(lambda: self.kinds().count(kind) >= times, PATIENCE, f'{times} of kind {kind}')


@pytest.fixture
def robot(tmp_path: Path, environment: dict[str, str]):
    made = Waiting(tmp_path, environment)
    yield made
    made.end()


def kill(planner: Program) -> None:
    os.kill(planner.pid, signal.SIGKILL)
    assert planner.end() == -signal.SIGKILL


def ticks(pid: int) -> int:
    """CPU time of a process, in hundredths of a second."""
    fields = Path(f'/proc/{pid}/stat').read_text().rpartition(')')[2].split()
    return int(fields[11]) + int(fields[12])


def test_killed_while_it_waits_it_waits_on(robot: Waiting) -> None:
    planner = robot.planner()
    robot.reactree('plan', '--plain', 'Every four seconds check the fridge.')
    robot.await_kind(_WAIT, 2)
    done = len(robot.executed())
    kill(planner)
    again = robot.planner(resume_within=600.0)
    text = again.wait_for('run ended', PATIENCE)
    assert 'run ended: success' in text, text
    kinds = robot.kinds()
    assert kinds.count(_FIRE) == 2 and kinds.count(_WAIT) == 2
    assert 'happened 2 times, done 2 times' in str(robot.records()[-1]['text'])
    # It stood at the fridge already: nothing was done twice.
    assert len(robot.executed()) == done


def test_killed_while_it_is_held_it_does_nothing_until_go_on(robot: Waiting) -> None:
    planner = robot.planner()
    robot.reactree('plan', '--plain', 'Bring the apple to the kitchen table.')
    wait_until(lambda: bool(robot.kinds().count(1)), PATIENCE, 'the first skill')
    said = robot.reactree('say', 'wait')
    assert said.end() == 0, said.text
    robot.await_kind(_WAIT)
    done = robot.executed()
    kill(planner)
    again = robot.planner(resume_within=600.0)
    again.wait_for('continues the interrupted run', PATIENCE)
    correction = robot.reactree('say', 'to the sofa instead')
    assert correction.end() == 0 and 'before the next skill' in correction.text
    robot.await_kind(_CORRECT, 2)
    assert robot.executed() == done
    assert robot.reactree('say', 'go', 'on').end() == 0
    text = again.wait_for('run ended', PATIENCE)
    assert 'run ended: success' in text, text
    skills = robot.executed()
    assert skills[-1][1] == 'put down apple 1' and skills[-2][1] == 'go to sofa 1'
    assert len({number for number, _ in skills}) == len(skills)


def test_a_wait_costs_next_to_nothing(robot: Waiting) -> None:
    planner = robot.planner(standing_look=5.0)
    robot.reactree('plan', '--plain', 'When the fridge is open, close it.')
    robot.await_kind(_WAIT)
    wait_until(_quiet(planner), PATIENCE, 'the planner rests')
    began = ticks(planner.pid)
    # Ten seconds by the planner itself: nothing here could be waited for.
    wait_until(_passed(10.0), PATIENCE, 'ten seconds')
    spent = ticks(planner.pid) - began
    assert spent < 150, f'{spent / 100:.2f} s of CPU in 10 s of waiting'
    assert not robot.executed()


def _passed(seconds: float) -> Callable[[], bool]:
    import time

    until = time.monotonic() + seconds
    return lambda: time.monotonic() >= until


def _quiet(planner: Program) -> Callable[[], bool]:
    last = [ticks(planner.pid)]

    def rests() -> bool:
        now, before = ticks(planner.pid), last[0]
        last[0] = now
        return now - before <= 1

    return rests
