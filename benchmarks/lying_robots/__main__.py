"""`python -m benchmarks.lying_robots`: ends of runs with robots that lie, by the truth.

Prints a row for each of twelve kinds of lie, one for robots that do not lie, and one in which two
things go wrong at once, which no single check of a source can tell:

    python -m benchmarks.lying_robots --runs 1000 --first 0
    python -m benchmarks.lying_robots --runs 120 --model random:1
    python -m benchmarks.lying_robots --mutations

Seeds that were looked at: 0 to 199 and 700 to 799 of each kind. Named beforehand and run once:
5000 to 5089, before sources of which the file says nothing could be echoes; 20000 to 20029 since.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Iterable, Sequence

from benchmarks.lying_robots.lies import FrozenThenMoved, KINDS, Lie
from benchmarks.lying_robots.mutations import Mutation, MUTATIONS
from benchmarks.lying_robots.runs import Outcome, plays
from reactree_core.belief import Status

#: Reasons why a true end is only assumed -> the sensor that would change that.
REMEDIES = {
    'may repeat the command': '"measured: true" in the file, where a sensor stands behind it',
    'may all repeat the command': 'a sensor that measures, beside those that may repeat',
    'followed no act': 'a second sensor of the same thing',
    'not followed': 'a second sensor of the same thing',
    'its scale': 'a second sensor, or an act that "raises" the number by a known amount',
    'says which': 'a second source that names the thing, e.g. a gripper that reads it',
    'last seen': 'a sensor that sees the thing from elsewhere, or a longer "age"',
    'no sensor reports it': 'any sensor of it',
}
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
        false += _print_row(kind, outcomes, asked.show)
    for kind in (Lie, FrozenThenMoved):
        outcomes = list(plays(kind, asked.first, each, asked.model))
        _print_row(kind, outcomes, asked.show)
        if kind is Lie:
            honest = outcomes
    print(f'{time.monotonic() - began:.0f} s. False and called verified: {false}')
    print('\n'.join(remedies(honest)))
    return int(false > 0)


def _print_row(kind: type[Lie], outcomes: Sequence[Outcome], show: bool) -> int:
    counts = tally(outcomes)
    print(f'{kind.name:34s}' + ''.join(f'{counts[one]:22d}' for one in _COLUMNS))
    for one in outcomes:
        if one.false or show:
            print(f'    seed {one.seed}: {one}')
    return counts['FALSE VERIFIED']


def tally(outcomes: Iterable[Outcome]) -> Counter[str]:
    """How runs ended, by the names of the columns."""
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
    """Of true ends that are only assumed: the reasons, and which sensor would change it."""
    assumed = [one for one in honest if one.status is Status.ASSUMED and one.is_true]
    reasons = Counter(
        next((key for key in REMEDIES if key in reason), reason)
        for one in assumed
        for reason in dict.fromkeys(one.reasons)
    )
    lines = [f'Without a lie {len(assumed)} of {len(honest)} ends are true and only assumed:']
    for reason, count in reasons.most_common():
        lines.append(f'  {count:4d} x "... {reason} ...": {REMEDIES.get(reason, "-")}')
    return lines


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
