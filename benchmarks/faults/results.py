"""What runs came to: a line of JSON each, and the page made of them."""

from __future__ import annotations

import json
import os
import platform
import statistics
import subprocess
import time
from collections.abc import Sequence
from dataclasses import asdict
from dataclasses import dataclass
from pathlib import Path

from benchmarks.faults.row import Row
from benchmarks.faults.table import ROWS

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / 'docs' / 'reliability.md'
#: What the table is to come to.
WANTED_RUNS = 1500
_HEAD = """\
# Reliability

What happens when things break, tried: {runs} runs in which something was done to the nodes, {held} of them held.
{missing}

Nodes are processes over the real middleware (UDP), with a scripted model and a store in a file. After every run of
every row it is checked that

* the goal has ended with exactly one result,
* the journal holds every event that the client has seen,
* no bridge has done a skill of a run twice, by its own log,
* the store can be opened, is whole, and holds what was acknowledged,
* the next goal is served, and its task is done.

A run of a row has held when all this and the promise of the row hold. *Longest* is the longest time until the fault
was noticed, of all runs that held. Limits in seconds are those of a machine that has nothing else to do; on a busy one
they are stretched by its load.

| | what is done | what must hold | runs | held | longest | of |
|---|---|---|---:|---:|---:|---|
"""
_MUTATIONS = """
## That it can fail

With one fault of our own in the node, put there from outside when it starts (`benchmarks/faults/patches.py`), the row
must not hold.

| | fails when | and says |
|---|---|---|
"""
_FOOT = """
## How it was made

    make faults               # all rows; an interrupted run goes on
    make faults ROWS="cancels bad-network" RUNS=20
    make faults MUTATIONS=1   # that each row can fail

{machine}. Runs of {dates}, commits {commits}; median load {load:.1f} on {cores} cores.

## What was not tried

* Several machines: all nodes were on one, and the network between them was its loopback interface.
* Jumps of the system's clock (simulated time jumps), and power cuts (processes are killed, the disk is not).
* Other middleware than {middleware}.
* A full disk is one that gives a process no more room (RLIMIT_FSIZE); a read-only one is a folder without the right to
  write.
"""


@dataclass(frozen=True)
class Told:
    """What a run came to.

    :param seconds: to notice, or until it did not hold. :param problem: '' where it held.
    :param load: of the machine, when it had ended. :param when: day.
    """

    row: str
    run: int
    seconds: float
    problem: str
    mutated: bool
    load: float
    when: str
    commit: str


class Results:
    """A file of results, which grows. :param path: of it; need not be there."""

    def __init__(self, path: Path) -> None:
        self._path = path
        lines = path.read_text(encoding='utf-8').splitlines() if path.exists() else []
        self.told = [Told(**json.loads(line)) for line in lines if line.endswith('}')]
        self._commit = _output('git', 'rev-parse', '--short', 'HEAD')

    def add(self, row: Row, run: int, seconds: float, problem: str, mutated: bool) -> Told:
        """Keep one."""
        told = Told(
            row.name,
            run,
            seconds,
            problem,
            mutated,
            round(os.getloadavg()[0], 2),
            time.strftime('%Y-%m-%d'),
            self._commit,
        )
        self.told.append(told)
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open('a', encoding='utf-8') as file:
            file.write(json.dumps(asdict(told)) + '\n')
        return told

    def of(self, row: Row, mutated: bool = False) -> list[Told]:
        """Those of a row."""
        return [told for told in self.told if (told.row, told.mutated) == (row.name, mutated)]

    def next_run(self, row: Row, mutated: bool = False) -> int:
        """Number of a row's next run."""
        return max((told.run + 1 for told in self.of(row, mutated)), default=0)


def line_of(row: Row, results: Results) -> str:
    """A row in the terminal."""
    told = results.of(row)
    held = [one for one in told if not one.problem]
    longest = max((one.seconds for one in held), default=0.0)
    return f'{row.name:<28}{len(told):>6}{len(held):>6}{longest:>9.2f} s'


def page(results: Results) -> str:
    """The page of the documentation."""
    told = [one for one in results.told if not one.mutated and one.row in ROWS]
    held = [one for one in told if not one.problem]
    wanted = sum(row.runs for row in ROWS.values())
    missing = ''
    if len(told) < wanted:
        missing = f'The whole table is {wanted} runs; those that are missing have not been made.'
    parts = [_HEAD.format(runs=len(told), held=len(held), missing=missing)]
    parts += [_row(row, results.of(row)) for row in ROWS.values()]
    parts += _failures(told)
    parts.append(_MUTATIONS)
    for row in ROWS.values():
        mutated = results.of(row, mutated=True)
        said = mutated[-1].problem or '**nothing: it held**' if mutated else 'not tried yet'
        parts.append(f'| {row.name} | {row.fails_when} | {_cell(said)} |\n')
    days = sorted({one.when for one in told}) or ['never']
    commits = list(dict.fromkeys(one.commit for one in told))
    parts.append(
        _FOOT.format(
            machine=_machine(),
            dates=days[0] if len(days) == 1 else f'{days[0]} to {days[-1]}',
            commits=', '.join(commits),
            load=statistics.median(one.load for one in told) if told else 0.0,
            cores=os.cpu_count(),
            middleware=os.environ.get('RMW_IMPLEMENTATION', 'rmw_fastrtps_cpp'),
        )
    )
    return ''.join(parts)


def _row(row: Row, told: Sequence[Told]) -> str:
    held = [one.seconds for one in told if not one.problem]
    longest = f'{max(held):.2f} s' if held and row.noticed else ''
    cells = (row.name, row.done, row.promise, len(told), len(held), longest, row.noticed)
    return f'| {" | ".join(map(str, cells))} |\n'


def _failures(told: Sequence[Told]) -> list[str]:
    failed = [one for one in told if one.problem]
    if not failed:
        return []
    lines = ['\nWhat did not hold:\n\n']
    return lines + [f'* {one.row}, run {one.run}: {_cell(one.problem)}\n' for one in failed]


def _cell(text: str) -> str:
    """A text that is not ours, in a table."""
    said = ' '.join(text.split())
    said = said if len(said) <= 160 else f'{said[:157]}...'
    return ''.join(f'\\{sign}' if sign in '|<>[]*_`\\' else sign for sign in said)


def _machine() -> str:
    pages, size = os.sysconf('SC_PHYS_PAGES'), os.sysconf('SC_PAGE_SIZE')
    return (
        f'{platform.system()} on {platform.machine()}, {os.cpu_count()} cores, '
        f'{pages * size / 1024**3:.0f} GB, Python {platform.python_version()}, '
        f'ROS 2 {os.environ.get("ROS_DISTRO", "")}'
    )


def _output(*command: str) -> str:
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)
    return done.stdout.strip() or 'unknown'
