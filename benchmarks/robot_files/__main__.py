"""`python -m benchmarks.robot_files`: the properties of every skill, on many generated files.

Prints how many files and skills were tried, how often each property held, and what did not hold
by kind of skill and number of slots, with the seed of one file each:

    python -m benchmarks.robot_files --files 2000
    python -m benchmarks.robot_files --first 4711 --files 1 --show
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor

import yaml

from benchmarks.robot_files.generator import Generator
from benchmarks.robot_files.properties import check_file, FileResult, Finding, other_readers


def main() -> int:
    """Run it. :returns: 1 where a property does not hold."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=_Formatter)
    parser.add_argument('--files', type=int, default=2000, help='how many (default 2000)')
    parser.add_argument('--first', type=int, default=0, help='seed of the first (default 0)')
    parser.add_argument('--jobs', type=int, default=2, help='processes (default 2)')
    parser.add_argument(
        '--others',
        type=int,
        default=5,
        metavar='N',
        help='other planners read the PDDL of every Nth file (default 5; unified-planning takes '
        'longer than all the rest)',
    )
    parser.add_argument('--show', action='store_true', help='print the files')
    args = parser.parse_args()
    seeds = range(args.first, args.first + args.files)
    if args.show:
        for seed in seeds:
            print(f'# seed {seed}')
            print(yaml.safe_dump(Generator(seed).file(), allow_unicode=True, sort_keys=False))
    began = time.monotonic()
    with ProcessPoolExecutor(args.jobs) as pool:
        others = [seed % args.others == 0 for seed in seeds]
        results = list(pool.map(_checked, seeds, others, chunksize=10))
    print(report(results, seeds, time.monotonic() - began))
    return 1 if any(one.findings for one in results) else 0


class _Formatter(argparse.RawDescriptionHelpFormatter):
    pass


def _checked(seed: int, by_others: bool) -> FileResult:
    return check_file(seed, tuple(other_readers()) if by_others else ())


def report(results: list[FileResult], seeds: range, seconds: float) -> str:
    """All figures, as text."""
    skills = sum(one.skills for one in results)
    findings = [finding for one in results for finding in one.findings]
    tried: Counter[str] = Counter()
    for one in results:
        tried.update(dict(one.checked))
    lines = [
        f'{len(results)} files (seeds {seeds.start} to {seeds.stop - 1}), {skills} skills, '
        f'{seconds:.0f} s'
    ]
    broken = Counter(finding.check for finding in findings)
    for check, number in tried.items():
        lines.append(f'  {check}: {number - broken[check]} of {number} hold')
    by_kind: dict[tuple[str, str, int], list[Finding]] = {}
    for found in findings:
        by_kind.setdefault((found.check, found.kind, found.slots), []).append(found)
    for (check, kind, slots), some in sorted(by_kind.items(), key=lambda item: -len(item[1])):
        first = some[0]
        lines.append(
            f'{len(some)}: {check}, kind {kind or "-"}, {slots} slots; seed {first.seed}, '
            f'"{first.tried or first.skill}": {first.note[:160]}'
        )
    return '\n'.join(lines)


if __name__ == '__main__':
    raise SystemExit(main())
