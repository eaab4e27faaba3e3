"""How well instructions are grounded: precision and recall on phrasings with known goals.

scripts/with_ros python -m benchmarks.grounding [--set garden] [--half held_out]
... --failures [whole]                  what is wrong in the development halves; of whole readings
... --wah FOLDER --graphs FOLDER        WAH-NL's training instructions too
... --alfred FOLDER --layouts FOLDER    ALFRED's annotations too
... --eb-alfred FOLDER --layouts FOLDER EB-ALFRED's six kinds of instructions: see `eb_alfred`
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from benchmarks.grounding.alfred import read_alfred
from benchmarks.grounding.conditions import Score, score
from benchmarks.grounding.eb_alfred import EbResult, read_eb_alfred, results_of, table_of
from benchmarks.grounding.measured_reader import grammar_reader, Read, Reading
from benchmarks.grounding.not_told import counted, mark_of, read_not_told
from benchmarks.grounding.phrasings import Half, own_sets, PHENOMENA, Phrasing, read_own_set
from benchmarks.grounding.wah_nl import read_wah_nl
from reactree_core.errors import ConfigurationError

#: A phrasing, what it was read as, and how well.
Result = tuple[Phrasing, Reading, Score]
_HEAD = (
    '| set | phrasings | conditions | precision | recall | exact | exact but counts | '
    'unknown words told | words wrongly unknown | whole | whole and right | whole and wrong | '
    'ms |\n' + '|---' * 13 + '|'
)


def grounded(phrasings: Iterable[Phrasing], read: Read) -> list[Result]:
    """Each phrasing as it is read."""
    results = []
    for phrasing in phrasings:
        began = time.perf_counter()
        told = read(phrasing.text, phrasing.vocabulary)
        seconds = time.perf_counter() - began
        rated = score(told.conditions, phrasing.wanted, seconds, whole=told.whole)
        results.append((phrasing, told, rated))
    return results


def table_row(name: str, results: Sequence[Result]) -> str:
    """One line of the table."""
    total = sum((one for _, _, one in results), Score())
    count = max(1, total.phrasings)
    return (
        f'| {name} | {total.phrasings} | {total.wanted} | {_share(total.precision)} | '
        f'{_share(total.recall)} | {total.exact / count:.2f} | '
        f'{total.exact_but_counts / count:.2f} | {total.unknown_right} of {total.unknown} | '
        f'{total.unknown_wrong} | {total.whole / count:.2f} | {total.whole_right} | '
        f'{total.whole_wrong} | {1000 * total.seconds / count:.1f} |'
    )


def _share(value: float | None) -> str:
    return '-' if value is None else f'{value:.2f}'


def failure_text(result: Result) -> str:
    """What a phrasing was grounded to, and what was wanted."""
    phrasing, told, _ = result
    about = f' ({", ".join(phrasing.about)})' if phrasing.about else ''
    got = told.steps or '; '.join(told.conditions) or '-'
    whole = 'whole, ' if told.whole else ''
    return (
        f'{phrasing.text}{about} [{whole}{mark_of(phrasing)}]\n    got:    {got}\n'
        f'    wanted: {phrasing.wanted.text or "-"}'
    )


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    names = own_sets()
    parser.add_argument('--set', nargs='+', choices=names, metavar='NAME', help=', '.join(names))
    parser.add_argument('--half', choices=[half.value for half in Half])
    parser.add_argument('--wah', type=Path, metavar='FOLDER', help="WAH-NL's training tasks")
    parser.add_argument('--graphs', type=Path, metavar='FOLDER', help='apartments for --wah')
    parser.add_argument('--alfred', type=Path, metavar='FOLDER', help="ALFRED's annotations")
    parser.add_argument('--layouts', type=Path, metavar='FOLDER', help='floor plans for --alfred')
    parser.add_argument('--eb-alfred', type=Path, metavar='FOLDER', help="EB-ALFRED's tasks")
    parser.add_argument(
        '--failures',
        nargs='?',
        const='all',
        choices=('all', 'whole'),
        help='what is wrong in the development halves, and the right one; whole: only what was '
        'read whole, and wrong',
    )
    parser.add_argument(
        '--held-out-once',
        action='store_true',
        help='--failures of the held-out half too: once they are read, it is one no longer',
    )
    parser.add_argument('--phenomena', action='store_true', help='a row for each phenomenon too')
    arguments = parser.parse_args()
    plans = arguments.alfred or arguments.eb_alfred
    for one, other in (('wah', 'graphs'), ('alfred', 'layouts')):
        given = plans if one == 'alfred' else arguments.wah
        if (given is None) != (getattr(arguments, other) is None):
            parser.error(f'--{one} and --{other} belong together: name both folders')
    held_out = arguments.half == Half.HELD_OUT.value and not arguments.held_out_once
    if arguments.failures and held_out:
        parser.error(
            'the held-out half is for measuring only: --failures shows --half development'
        )
    return arguments


def _sets(arguments: argparse.Namespace) -> dict[str, tuple[Phrasing, ...]]:
    """The phrasings that are asked for; all own ones where nothing else is named."""
    own = arguments.set
    if own is None:
        named = arguments.wah or arguments.alfred or arguments.eb_alfred
        own = () if named else own_sets()
    sets = {name: read_own_set(name) for name in own}
    if arguments.wah:
        sets['WAH-NL'] = read_wah_nl(arguments.wah, arguments.graphs)
    if arguments.alfred:
        sets['ALFRED'] = read_alfred(arguments.alfred, arguments.layouts)
    not_told = read_not_told()
    sets = {name: counted(phrasings, not_told.get(name, {})) for name, phrasings in sets.items()}
    if not arguments.half:
        return sets
    return {
        name: tuple(one for one in phrasings if one.half.value == arguments.half)
        for name, phrasings in sets.items()
    }


def _failures(every: Iterable[Result], arguments: argparse.Namespace) -> list[str]:
    """What is wrong, of the halves that may be looked at."""
    halves = set(Half) if arguments.held_out_once else {Half.DEVELOPMENT}
    found = []
    for result in every:
        phrasing, _, rated = result
        is_wrong = rated.whole_wrong if arguments.failures == 'whole' else not rated.flawless
        if is_wrong and phrasing.half in halves:
            found.append(failure_text(result))
    return found


def main() -> None:
    """Print the table."""
    arguments = _arguments()
    read = grammar_reader()
    tasks: list[EbResult] = []
    try:
        sets = _sets(arguments)
        if arguments.eb_alfred:
            tasks = results_of(read_eb_alfred(arguments.eb_alfred, arguments.layouts), read)
    except ConfigurationError as error:
        sys.exit(str(error))
    print(_HEAD if sets else '', end='\n' if sets else '')
    every: list[Result] = []
    for name, phrasings in sets.items():
        results = grounded(phrasings, read)
        print(table_row(name, results), flush=True)
        every += results
    if len(sets) > 1:
        print(table_row('all', every))
    if arguments.phenomena:
        for phenomenon in PHENOMENA:
            rows = [result for result in every if phenomenon in result[0].about]
            if rows:
                print(table_row(phenomenon, rows))
    if tasks:
        print(table_of(tasks))
    if arguments.failures:
        for text in _failures(every, arguments):
            print(f'\n{text}')


if __name__ == '__main__':
    main()
