"""Skills typed by a client with what does not fit their slots, on a simulated robot."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from benchmarks.faults import gardener
from benchmarks.faults.client import NotHeld, PATIENCE, require
from benchmarks.faults.nursery import read_log
from benchmarks.faults.row import PlayAlone, Row
from reactree_core.cancellation import CancelToken
from reactree_core.observation import Observation, Outcome
from reactree_tools.ros.bridge_skills import find_skills
from reactree_tools.ros.session import Session

_BRIDGE = Path(__file__).resolve().parents[2] / 'src' / 'robot_bridge' / 'ros' / 'node.py'
#: What no plant may get in an hour, by the rules of the bridge; and by one skill.
MOST = 300
NAMES = ('plant 1', 'plant 2', 'tomato 1')
#: Beside those that are drawn.
BAD_NUMBERS = ('-50', '0', '5', '310', '1000000', '10.5', '-10', '299.999999999')
_POURED = re.compile(r'^poured (\S+) ml on (.+)$', re.MULTILINE)


@dataclass
class Garden:
    """The robot and its bridge, as processes. :param mutation: of the bridge; '' for none."""

    folder: Path
    mutation: str
    namespace: str = field(default_factory=lambda: f'/g{uuid.uuid4().hex[:8]}')
    processes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    @property
    def poured(self) -> list[tuple[str, str]]:
        """Amounts and names that have reached the robot, as it says itself."""
        return _POURED.findall(read_log(self.folder / 'gardener.log'))

    def start(self) -> None:
        """Start the robot, and its bridge."""
        robot, rules = self.folder / 'robot.yaml', self.folder / 'rules.yaml'
        robot.write_text(gardener.FILE, encoding='utf-8')
        rules.write_text(gardener.RULES, encoding='utf-8')
        self._begin('gardener', ['-m', 'benchmarks.faults.gardener'])
        self.start_bridge()

    def start_bridge(self) -> None:
        """Start the bridge of the robot."""
        changed = ['-m', 'benchmarks.faults.mutated', self.mutation] if self.mutation else []
        files = [f'robot:={self.folder}/robot.yaml', f'permission:={self.folder}/rules.yaml']
        self._begin('bridge', [*changed, str(_BRIDGE)], *files)

    def _begin(self, name: str, program: list[str], *parameters: str) -> None:
        command = [sys.executable, *program, '--ros-args', '-r', f'__ns:={self.namespace}']
        for parameter in parameters:
            command += ['-p', parameter]
        log = self.folder / f'{name}.log'
        before = read_log(log).count(f'{name} ready')
        with log.open('ab') as output:
            self.processes[name] = subprocess.Popen(
                command,
                stdout=output,
                stderr=output,
                env={**os.environ, 'XDG_STATE_HOME': str(self.folder)},
            )
        deadline = time.monotonic() + PATIENCE
        while read_log(log).count(f'{name} ready') == before:
            late = time.monotonic() > deadline
            if late or self.processes[name].poll() is not None:
                raise NotHeld(f'no {name}: {read_log(log)[-300:]}')
            time.sleep(0.02)

    def kill_bridge(self) -> None:
        """End the bridge by SIGKILL."""
        self.processes['bridge'].kill()
        self.processes['bridge'].wait(PATIENCE)

    def close(self) -> None:
        """End both."""
        for process in self.processes.values():
            process.kill()
            process.wait(PATIENCE)


@contextmanager
def asking(garden: Garden) -> Iterator[Callable[[str], Observation]]:
    """A client that has skills done, each in a run of its own, with a person's approval."""
    with Session(garden.namespace) as session:
        skills = find_skills(session, CancelToken(), True)

        def ask(skill: str) -> Observation:
            skills.begin(uuid.uuid4().hex)
            return skills.execute(1, 1, skill, CancelToken())

        yield ask


def _refused(garden: Garden, ask: Callable[[str], Observation], skill: str, said: str) -> float:
    """Seconds until a skill is refused, of which nothing reaches the robot."""
    before, began = garden.poured, time.monotonic()
    answer = ask(skill)
    seconds = time.monotonic() - began
    require(garden.poured == before, f'"{skill}" reached the robot')
    invalid = answer.outcome is Outcome.INVALID_SKILL
    require(invalid, f'"{skill}" ended with {answer.outcome.name}: {answer.text}')
    require(said in answer.text, f'"{skill}" was refused without a reason: {answer.text}')
    return seconds


def number_out_of_bounds(garden: Garden, chance: Random) -> float:
    """A number below or above the bounds, or off the steps."""
    drawn = str(chance.choice([chance.randint(-(10**6), 9), chance.randint(301, 10**9)]))
    number = chance.choice([*BAD_NUMBERS, drawn])
    with asking(garden) as ask:
        said = '<ml> takes 10 to 300 ml in steps of 10'
        return _refused(garden, ask, f'water {chance.choice(NAMES)} with {number} ml', said)


def another_class(garden: Garden, chance: Random) -> float:
    """A thing that is there, and none of the slot's class."""
    with asking(garden) as ask:
        skill = f'water vent with {chance.randrange(10, 301, 10)} ml'
        return _refused(garden, ask, skill, '<plant> takes a plant, and "vent" is none.')


def more_than_an_hour_allows(garden: Garden, chance: Random) -> float:
    """Plants are watered until rules forbid it; the bridge is killed on the way."""
    name = chance.choice(NAMES)
    killed = chance.randint(1, 3)
    refused = 0
    began = time.monotonic()
    for number in range(1, 6):
        with asking(garden) as ask:
            answer = ask(f'water {name} with {chance.randrange(80, 151, 10)} ml')
        refused += answer.outcome is Outcome.SAFETY_REJECTED
        poured: Counter[str] = Counter()
        for amount, plant in garden.poured:
            poured[plant] += int(amount)
        most = max(poured.values(), default=0)
        require(most <= MOST, f'a plant got {most} ml within an hour')
        if number == killed:
            garden.kill_bridge()
            garden.start_bridge()
    require(refused, 'nothing was refused')
    return time.monotonic() - began


def _alone(play: Callable[[Garden, Random], float]) -> PlayAlone:
    def played(folder: Path, first: int, count: int, mutation: str) -> list[tuple[float, str]]:
        told = []
        for number in range(first, first + count):
            inside = folder / f'{play.__name__}-{number}{mutation}'
            inside.mkdir()
            garden = Garden(inside, mutation)
            began = time.monotonic()
            try:
                garden.start()
                told.append((play(garden, Random(f'{play.__name__} {number}')), ''))
            except NotHeld as fault:
                told.append((time.monotonic() - began, str(fault)))
            finally:
                garden.close()
        return told

    return played


ROWS = (
    Row(
        'number-out-of-bounds',
        'A client sends a skill with a number outside the bounds of its slot, or off its steps.',
        'INVALID_SKILL with the bounds in a sentence; nothing reaches the robot.',
        'goal to refusal',
        60,
        'bounds_unheeded',
        'the robot bridge',
        'every number is within the bounds',
        play_alone=_alone(number_out_of_bounds),
        longest=600.0,
    ),
    Row(
        'another-class',
        'A client sends a skill with a thing that is not of the class of its slot.',
        'INVALID_SKILL with a sentence; nothing reaches the robot.',
        'goal to refusal',
        30,
        'classes_unheeded',
        'the robot bridge',
        'every name is of every class',
        play_alone=_alone(another_class),
        longest=600.0,
    ),
    Row(
        'more-than-an-hour-allows',
        'A client waters a plant again and again, each time in a new run; the bridge is killed '
        '(SIGKILL) and started again in between.',
        'No plant gets more than the rules allow within an hour.',
        '',
        30,
        'sums_forgotten',
        'the robot bridge',
        'what an hour has added up is forgotten',
        play_alone=_alone(more_than_an_hour_allows),
        longest=900.0,
    ),
)
