"""`python -m benchmarks.lying_robots`: ends of runs with robots that lie, by the truth.

Prints a row for each of twelve kinds of lie; one in which two things go wrong at once, which no
single check of a source can tell; and those of robots that do not lie, by how they are sensed:

    python -m benchmarks.lying_robots --runs 1000 --first 0
    python -m benchmarks.lying_robots --runs 120 --model random:1
    python -m benchmarks.lying_robots --mutations

Seeds that were looked at: 0 to 199 and 700 to 799 of each kind. Named beforehand and run once:
5000 to 5089, before sources of which the file says nothing could be echoes; 20000 to 20029 since;
33000 to 33019 with sources that identify. Looked at since: 1000 to 1019, 31000 to 31019, 32000 to
32019.
"""

from __future__ import annotations

import argparse
import re
import time
from collections import Counter
from collections.abc import Iterable, Sequence

from benchmarks.lying_robots.lies import FrozenThenMoved, KINDS, Lie
from benchmarks.lying_robots.mutations import Mutation, MUTATIONS
from benchmarks.lying_robots.robots import Sensing
from benchmarks.lying_robots.runs import Outcome, plays
from reactree_core.belief import remedy, Status

_SOURCE = re.compile(r'/\w+( and /\w+)*')
_COLUMNS = (
    'runs', 'verified, true', 'FALSE VERIFIED', 'assumed, true', 'assumed, false',
    'not met or not known',
)  # fmt: skip


def main(words: Sequence[str] | None = None) -> int:
    """Run it. :returns: 1 where something false was verified, or a mutation was not noticed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument('--runs', type=int, default=1000, help='over all kinds (default 1000)')
    parser.add_argument('--first', type=int, default=0, help='seed of the first (default 0)')
    parser.add_argument('--model', default='none', help='none, or random:1 and the like')
    parser.add_argument('--mutations', action='store_true', help='of the check, each on its kinds')
    parser.add_argument('--show', action='store_true', help='every run')
    asked = parser.parse_args(words)
    each = max(1, round(asked.runs / len(KINDS)))
    print(f'seeds from {asked.first}, {each} of each kind, model {asked.model}')
    if asked.mutations:
        return _mutated(asked.first, each, asked.model)
    began = time.monotonic()
    print(f'{"kind of lie":34s}' + ''.join(f'{one:>22s}' for one in _COLUMNS))
    false = 0
    for kind in KINDS:
        outcomes = list(plays(kind, asked.first, each, asked.model))
        false += _print_row(kind.name, outcomes, asked.show)
    two_at_once = plays(FrozenThenMoved, asked.first, each, asked.model)
    _print_row(FrozenThenMoved.name, list(two_at_once), asked.show)
    honest: list[Outcome] = []
    for sensing in Sensing:
        outcomes = list(plays(Lie, asked.first, each, asked.model, sensing))
        false += _print_row(f'none, {sensing.value}', outcomes, asked.show)
        honest += outcomes
    print(f'{time.monotonic() - began:.0f} s. False and called verified: {false}')
    print('\n'.join(remedies(honest)))
    return int(false > 0)


def _print_row(name: str, outcomes: Sequence[Outcome], show: bool) -> int:
    counts = tally(outcomes)
    print(f'{name:34s}' + ''.join(f'{counts[one]:22d}' for one in _COLUMNS))
    for one in outcomes:
        if one.false or show:
            print(f'    seed {one.seed}: {one}')
    return counts['FALSE VERIFIED']


def tally(outcomes: Iterable[Outcome]) -> Counter[str]:
    """Numbers of ends, by the names of the columns."""
    counts: Counter[str] = Counter()
    for one in outcomes:
        counts['runs'] += 1
        if one.false:
            counts['FALSE VERIFIED'] += 1
        elif one.status is Status.VERIFIED:
            counts['verified, true'] += 1
        elif one.status is Status.ASSUMED:
            counts['assumed, true' if one.is_true else 'assumed, false'] += 1
        else:
            counts['not met or not known'] += 1
    return counts


def remedies(honest: Sequence[Outcome]) -> list[str]:
    """Changes of files that would verify true ends that are only assumed, the commonest first."""
    assumed = [one for one in honest if one.status is Status.ASSUMED and one.is_true]
    changes = Counter(
        _SOURCE.sub('its source', remedy(reason)) or f'- ({reason})'
        for one in assumed
        for reason in dict.fromkeys(one.reasons)
    )
    lines = [f'Without a lie {len(assumed)} of {len(honest)} ends are true and only assumed:']
    return [*lines, *(f'  {count:4d} x {change}' for change, count in changes.most_common())]


def is_noticed(mutation: Mutation, first: int, most: int, model: str = 'none') -> str:
    """The first false end that a mutation calls verified; '' for none.

    :param most: runs of each of its kinds.
    """
    with mutation.applied():
        for kind in mutation.lies:
            for one in plays(kind, first, most, model):
                if one.false:
                    return f'{one.lie}, seed {one.seed}: {", ".join(one.false)}'
    return ''


def _mutated(first: int, most: int, model: str) -> int:
    missed = 0
    for mutation in MUTATIONS:
        found = is_noticed(mutation, first, most, model)
        missed += not found
        print(f'{mutation.name:44s}{"noticed: " + found if found else "NOT NOTICED"}')
    return int(missed > 0)


if __name__ == '__main__':
    raise SystemExit(main())
