"""Plays runs of one row, in a process of their own; writes a line of JSON for each.

python -m benchmarks.faults.play ROW FIRST COUNT FOLDER [--mutated]
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
import time
import traceback
from pathlib import Path
from random import Random

from benchmarks.faults.client import NotHeld
from benchmarks.faults.row import Row
from benchmarks.faults.stage import Stage
from benchmarks.faults.table import ROWS


def main() -> None:
    """Play."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('row', choices=ROWS)
    parser.add_argument('first', type=int, help='number of the first run')
    parser.add_argument('count', type=int, help='how many')
    parser.add_argument('folder', type=Path, help='for what the nodes write')
    parser.add_argument('--mutated', action='store_true', help='with the fault of our own')
    arguments = parser.parse_args()
    row = ROWS[arguments.row]
    if row.play_alone is not None:
        mutation = row.mutation if arguments.mutated else ''
        told = row.play_alone(arguments.folder, arguments.first, arguments.count, mutation)
        for number, (seconds, problem) in enumerate(told, arguments.first):
            tell(number, seconds, problem)
        return
    player = Player(row, arguments.folder, arguments.mutated)
    try:
        for number in range(arguments.first, arguments.first + arguments.count):
            tell(number, *player.play(number))
    finally:
        player.close()


def tell(number: int, seconds: float, problem: str) -> None:
    """What came of a run."""
    line = {'run': number, 'seconds': round(seconds, 3), 'problem': problem}
    sys.stdout.write(json.dumps(line) + '\n')
    sys.stdout.flush()


class Player:
    """Plays runs on a stage, which serves until a run did not hold."""

    def __init__(self, row: Row, folder: Path, mutated: bool) -> None:
        self._row = row
        self._folder = folder
        self._mutations = {row.mutated: row.mutation} if mutated else {}
        self._stage: Stage | None = None

    def play(self, number: int) -> tuple[float, str]:
        """Seconds to notice, and what did not hold; '' where all did."""
        row = self._row
        began = time.monotonic()
        assert row.play is not None
        try:
            if self._stage is None:
                folder = Path(tempfile.mkdtemp(prefix=f'{row.name}-', dir=self._folder))
                self._stage = Stage(folder, row.setup, self._mutations)
            seconds = row.play(self._stage, Random(f'{row.name} {number}'))
            if row.serves:
                self._stage.serve()
            self._stage.check()
        except NotHeld as fault:
            self.close(keep=True)
            return time.monotonic() - began, str(fault)
        except Exception as error:  # noqa: BLE001 - whatever breaks here, the others are played
            self.close(keep=True)
            where = traceback.extract_tb(error.__traceback__)[-1]
            said = f'{type(error).__name__}: {error} ({Path(where.filename).name}:{where.lineno})'
            return time.monotonic() - began, said
        return seconds, ''

    def close(self, keep: bool = False) -> None:
        """End the stage. :param keep: leave what the nodes wrote."""
        stage, self._stage = self._stage, None
        if stage is not None:
            stage.close()
            if not keep:
                shutil.rmtree(stage.folder, ignore_errors=True)


if __name__ == '__main__':
    main()
