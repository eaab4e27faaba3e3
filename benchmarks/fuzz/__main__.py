"""Give readers of a stranger's bytes what no program wrote: mutations of small good files.

    .venv/bin/pip install -r requirements/fuzzing.txt -c requirements/constraints.txt
    scripts/with_ros python -m benchmarks.fuzz [--seconds 5] [--seed 0] [TARGET ...]

A reader may answer, or raise an error with a sentence; everything else is a finding, as is an
input that takes too long, or that ends the process. The good files are `corpus/`; what was found
and mended is kept there too. What reached new code is kept in the folder of --out, and a later
run goes on from it: the table counts all runs. The exit status is 1 where there is a finding.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.fuzz.targets import TARGETS
from reactree_tools.plain_text import visible

_OUT = Path('build/fuzz')
#: Seconds that a reader may take to begin, and to end when its time is over, on a busy machine.
_SPARE = 600.0


@dataclass
class Fuzzed:
    """What all runs of a target came to.

    :param kept: inputs that reached new code. :param findings: what the reader did wrong.
    """

    tried: int = 0
    seconds: float = 0.0
    slowest: float = 0.0
    kept: int = 0
    findings: list[str] = field(default_factory=list)

    def add(self, told: dict[str, Any]) -> None:
        """Take in what one run came to."""
        self.tried += told['tried']
        self.seconds += told['seconds']
        self.slowest = max(self.slowest, told['slowest'])
        self.findings += [one for one in told['findings'] if one not in self.findings]


def fuzz(name: str, seconds: float, seed: int, folder: Path) -> Fuzzed:
    """Fuzz a target in a process of its own, and tell what all runs in this folder came to.

    :param name: of the target. :param seconds: how long. :param folder: is made where missing.
    """
    folder.mkdir(parents=True, exist_ok=True)
    log, told = folder / 'log.txt', folder / 'told.json'
    told.unlink(missing_ok=True)
    command = [sys.executable, '-m', 'benchmarks.fuzz.engine', name, str(seconds), str(seed)]
    with log.open('wb') as output:
        try:
            ended = subprocess.run(
                [*command, str(folder)],
                stdout=output,
                stderr=subprocess.STDOUT,
                timeout=seconds + _SPARE,
                check=False,
            ).returncode
        except subprocess.TimeoutExpired:
            ended = -1
    runs = folder / 'runs.jsonl'
    if told.exists():
        with runs.open('a', encoding='utf-8') as file:
            file.write(told.read_text(encoding='utf-8') + '\n')
    fuzzed = Fuzzed(kept=sum(1 for _ in (folder / 'kept').iterdir()))
    for line in runs.read_text(encoding='utf-8').splitlines() if runs.exists() else ():
        fuzzed.add(json.loads(line))
    if ended:
        fuzzed.findings.append(f'its process ended with {ended}; see {log}')
    return fuzzed


def main() -> int:
    """Fuzz, and print counts and what was found."""
    parser = argparse.ArgumentParser(description=__doc__.partition('\n')[0])
    parser.add_argument('targets', nargs='*', metavar='TARGET', help=f'of {", ".join(TARGETS)}')
    parser.add_argument('--seconds', type=float, default=5.0, help='for each target (default 5)')
    parser.add_argument('--seed', type=int, default=0, help='of the mutations (default 0)')
    parser.add_argument('--out', type=Path, default=_OUT, help=f'folder (default {_OUT})')
    args = parser.parse_args()
    unknown = [name for name in args.targets if name not in TARGETS]
    if unknown:
        parser.error(f'there is no target {unknown[0]}; there are {", ".join(TARGETS)}')
    if importlib.util.find_spec('atheris') is None:
        parser.error(
            'Atheris is not installed: .venv/bin/pip install -r requirements/fuzzing.txt '
            '-c requirements/constraints.txt'
        )
    print('| target | inputs | seconds | inputs/s | kept inputs | slowest | findings |')
    print('|---|---|---|---|---|---|---|')
    bad = 0
    for name in args.targets or TARGETS:
        found = fuzz(name, args.seconds, args.seed, args.out / name)
        rate = found.tried / max(found.seconds, 1e-9)
        print(
            f'| {name} | {found.tried:,} | {found.seconds:,.0f} | {rate:.0f} | {found.kept:,} | '
            f'{found.slowest:.2f} s | {len(found.findings)} |',
            flush=True,
        )
        for finding in found.findings:
            print(visible(f'{name}: {finding}', 300), file=sys.stderr)
        bad += len(found.findings)
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
