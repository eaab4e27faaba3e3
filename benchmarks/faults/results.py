"""What runs came to: a line of JSON each, and the page made of them."""

from __future__ import annotations

import json
import os
import platform
import statistics
import subprocess
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.faults.row import Row
from benchmarks.faults.table import ROWS

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / 'docs' / 'reliability.md'
#: What the table is to come to.
WANTED_RUNS = 1500
TEMPLATE = Path(__file__).with_name('page_template.md')


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
    """A file of results, which only grows: several processes may write it.

    :param path: of it; need not be there.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self.told: list[Told] = []
        lines = path.read_text(encoding='utf-8').splitlines() if path.exists() else []
        for line in lines:
            if line.endswith('}'):
                self._take(json.loads(line))
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
        self._write(asdict(told))
        return told

    def forget(self, row: Row, mutated: bool) -> None:
        """Take no notice of what a row came to so far."""
        self._write({'forgotten': row.name, 'mutated': mutated})

    def _write(self, line: dict[str, Any]) -> None:
        self._take(line)
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open('a', encoding='utf-8') as file:
            file.write(json.dumps(line) + '\n')

    def _take(self, line: dict[str, Any]) -> None:
        forgotten = line.get('forgotten')
        if forgotten is None:
            self.told.append(Told(**line))
        else:
            gone = forgotten, line['mutated']
            self.told = [one for one in self.told if (one.row, one.mutated) != gone]

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
        missing = f'The complete table has {wanted} runs; the others have not been made yet.'
    days = sorted({one.when for one in told}) or ['never']
    return TEMPLATE.read_text(encoding='utf-8').format(
        runs=len(told),
        held=len(held),
        missing=missing,
        rows=_rows(results),
        failures=_failures(told),
        mutations=_mutations(results),
        machine=_machine(),
        dates=days[0] if len(days) == 1 else f'{days[0]} to {days[-1]}',
        commits=', '.join(dict.fromkeys(one.commit for one in told)),
        load=statistics.median(one.load for one in told) if told else 0.0,
        cores=os.cpu_count(),
        middleware=os.environ.get('RMW_IMPLEMENTATION', 'rmw_fastrtps_cpp'),
    )


def _rows(results: Results) -> str:
    lines, promise, interval = [], '', ''
    for row in ROWS.values():
        told = results.of(row)
        held = [one.seconds for one in told if not one.problem]
        longest = f'{max(held):.2f} s' if held and row.noticed else ''
        if longest and row.noticed != interval:
            interval = row.noticed
            longest += f', {interval}'
        promised = 'As above.' if row.promise == promise else row.promise
        promise = row.promise
        runs = f'{len(held)} of {len(told)}' if len(held) < len(told) else f'{len(told)}'
        cells = (row.name, row.done, promised, runs, longest)
        lines.append(f'| {" | ".join(cells)} |\n')
    return ''.join(lines)


def _mutations(results: Results) -> str:
    told = {name: results.of(row, mutated=True) for name, row in ROWS.items()}
    failed = sum(bool(each) and bool(each[-1].problem) for each in told.values())
    others = [name for name, each in told.items() if not each or not each[-1].problem]
    named = f' (not, or not tried: {", ".join(others)})' if others else ''
    return f'{failed} of {len(told)} rows failed with it{named}'


def _failures(told: Sequence[Told]) -> str:
    failed = [one for one in told if one.problem]
    if not failed:
        return ''
    lines = (f'* {one.row}, run {one.run}: {_cell(one.problem)}\n' for one in failed)
    return '\nWhat did not hold:\n\n' + ''.join(lines)


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
