"""How well instructions are grounded: precision and recall on phrasings with known goals.

scripts/with_ros python -m benchmarks.grounding [--set garden] [--half held_out] [--failures]
... --wah FOLDER --graphs FOLDER        WAH-NL's training instructions too
... --alfred FOLDER --layouts FOLDER    ALFRED's annotations too
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Sequence
from pathlib import Path

from benchmarks.grounding.alfred import read_alfred
from benchmarks.grounding.conditions import Score
from benchmarks.grounding.conditions import score
from benchmarks.grounding.phrasings import Half
from benchmarks.grounding.phrasings import own_sets
from benchmarks.grounding.phrasings import PHENOMENA
from benchmarks.grounding.phrasings import Phrasing
from benchmarks.grounding.phrasings import read_own_set
from benchmarks.grounding.wah_nl import read_wah_nl
from reactree_core.errors import ConfigurationError
from reactree_core.observation import Vocabulary

Ground = Callable[[str, Vocabulary], tuple[str, ...]]
#: A phrasing, what it was grounded to, and how well.
Result = tuple[Phrasing, tuple[str, ...], Score]
_HEAD = (
    '| set | phrasings | conditions | precision | recall | exact | exact but counts | '
    'unknown words told | words wrongly unknown | ms |\n' + '|---' * 10 + '|'
)


def grounded(phrasings: Iterable[Phrasing], ground: Ground) -> list[Result]:
    """Each phrasing as it is grounded."""
    results = []
    for phrasing in phrasings:
        began = time.perf_counter()
        told = ground(phrasing.text, phrasing.vocabulary)
        seconds = time.perf_counter() - began
        results.append((phrasing, told, score(told, phrasing.wanted, seconds)))
    return results


def table_row(name: str, results: Sequence[Result]) -> str:
    """One line of the table."""
    total = sum((one for _, _, one in results), Score())
    count = max(1, total.phrasings)
    return (
        f'| {name} | {total.phrasings} | {total.wanted} | {_share(total.precision)} | '
        f'{_share(total.recall)} | {total.exact / count:.2f} | '
        f'{total.exact_but_counts / count:.2f} | {total.unknown_right} of {total.unknown} | '
        f'{total.unknown_wrong} | {1000 * total.seconds / count:.1f} |'
    )


def _share(value: float | None) -> str:
    return '-' if value is None else f'{value:.2f}'


def failure_text(result: Result) -> str:
    """What a phrasing was grounded to, and what was wanted."""
    phrasing, told, _ = result
    about = f' ({", ".join(phrasing.about)})' if phrasing.about else ''
    return (
        f'{phrasing.text}{about}\n    got:    {"; ".join(told) or "-"}\n'
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
    parser.add_argument('--failures', action='store_true', help='what is wrong, and the right one')
    parser.add_argument('--phenomena', action='store_true', help='a row for each phenomenon too')
    parser.add_argument('--with-encoder', action='store_true', help='with the sentence encoder')
    arguments = parser.parse_args()
    for one, other in (('wah', 'graphs'), ('alfred', 'layouts')):
        if (getattr(arguments, one) is None) != (getattr(arguments, other) is None):
            parser.error(f'--{one} and --{other} belong together: name both folders')
    return arguments


def _sets(arguments: argparse.Namespace) -> dict[str, tuple[Phrasing, ...]]:
    """The phrasings that are asked for; all own ones where nothing else is named."""
    own = arguments.set
    if own is None:
        own = () if arguments.wah or arguments.alfred else own_sets()
    sets = {name: read_own_set(name) for name in own}
    if arguments.wah:
        sets['WAH-NL'] = read_wah_nl(arguments.wah, arguments.graphs)
    if arguments.alfred:
        sets['ALFRED'] = read_alfred(arguments.alfred, arguments.layouts)
    if not arguments.half:
        return sets
    return {
        name: tuple(one for one in phrasings if one.half.value == arguments.half)
        for name, phrasings in sets.items()
    }


def main() -> None:
    """Print the table."""
    from memory_server.embedding.registry import shared_embedder
    from reactree_planner.instructions.grounding import ground_text

    arguments = _arguments()
    encoder = shared_embedder() if arguments.with_encoder else None
    try:
        sets = _sets(arguments)
    except ConfigurationError as error:
        sys.exit(str(error))
    print(_HEAD)
    every: list[Result] = []
    for name, phrasings in sets.items():
        results = grounded(phrasings, lambda text, names: ground_text(text, names, encoder))
        print(table_row(name, results), flush=True)
        every += results
    if len(sets) > 1:
        print(table_row('all', every))
    if arguments.phenomena:
        for phenomenon in PHENOMENA:
            rows = [result for result in every if phenomenon in result[0].about]
            if rows:
                print(table_row(phenomenon, rows))
    if arguments.failures:
        for result in every:
            if not result[2].flawless:
                print(f'\n{failure_text(result)}')


if __name__ == '__main__':
    main()
