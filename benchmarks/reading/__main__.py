"""Measures of the reading of tasks; only development halves are looked at.

python -m benchmarks.reading strong DATA          recorded readings through the check
python -m benchmarks.reading corruptions DATA     right goals made wrong, and what is caught
python -m benchmarks.reading grammar [DATA]       whole readings of the grammar by set, and times
python -m benchmarks.reading ablation [DATA]      the sentences that need each rule of the grammar
... --show wrong | unread | asked | refused | missed   the sentences themselves
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

from benchmarks.reading.ablation import needed
from benchmarks.reading.corruptions import corrupted, counts_of
from benchmarks.reading.grammar import development_sets, Read, read_all, Servers
from benchmarks.reading.recorded import final, read_recorded
from benchmarks.reading.strong import ends_of
from reactree_planner.reading.check import check, End
from reactree_planner.reading.form import render

#: Sentences of each set that an ablation reads.
_SAMPLE = 150


def _strong(data: Path, show: str) -> None:
    rows = list(read_recorded(data))
    columns = ('whole', 'to confirm', 'refused', 'exact', 'whole, other')
    print('| set | readings | ' + ' | '.join(columns) + ' |\n|---' + '|---' * 6 + '|')
    for name, counts in ends_of(rows).items():
        total = sum(counts[end.value] for end in End)
        print(f'| {name} | {total} | ' + ' | '.join(str(counts[one]) for one in columns) + ' |')
    for row in rows if show else ():
        report = check(row.form, row.sentence, row.words)
        texts = report.texts(End.TO_CONFIRM if show == 'asked' else End.REFUSED)
        if show == 'wrong':
            wrong = row.published is not None and not row.is_exact
            texts = ()
            if wrong and report.end is End.WHOLE:
                texts = (f'{final(row.form)} and not {row.published}',)
        for text in texts:
            exact = 'exact' if row.is_exact else 'other' if row.published else ''
            print(f'{row.id} {exact} | {" ".join(row.sentence.split())}\n    {text}')


def _corruptions(data: Path, show: str) -> None:
    rows = list(read_recorded(data))
    columns = ('caught', 'asked', 'shown', 'passes')
    print('| corruption | made | ' + ' | '.join(columns) + ' |\n|---' + '|---' * 5 + '|')
    every: Counter[str] = Counter()
    for kind, counts in counts_of(rows).items():
        every += counts
        told = ' | '.join(str(counts[one]) for one in columns)
        print(f'| {kind} | {counts.total()} | {told} |')
    shares = ' | '.join(f'{every[one]} ({every[one] / every.total():.1%})' for one in columns)
    print(f'| all | {every.total()} | {shares} |')
    for kind, row, form, end in corrupted(rows) if show else ():
        if end == {'missed': 'passes', 'asked': 'asked', 'wrong': 'shown'}.get(show):
            sentence = ' '.join(row.sentence.split())
            print(f'{kind} | {row.id} | {sentence}\n    {render(form)}'.replace('\n', '\n    '))


def _grammar(data: Path | None, show: str) -> None:
    print('| set | phrasings | whole | right | wrong | p50 ms | p99 ms |\n' + '|---' * 7 + '|')
    servers = Servers()
    shown: list[Read] = []
    for name, phrasings in development_sets(data).items():
        done = list(read_all(phrasings, servers))
        whole = [one for one in done if one.goal.whole]
        wrong = [one for one in whole if not one.is_right]
        times = sorted(1000 * one.seconds for one in done)
        print(
            f'| {name} | {len(done)} | {len(whole) / len(done):.2f} | {len(whole) - len(wrong)} | '
            f'{len(wrong)} | {times[len(times) // 2]:.1f} | {times[int(len(times) * 0.99)]:.0f} |',
            flush=True,
        )
        shown += wrong if show == 'wrong' else [o for o in done if not o.goal.whole]
    for one in shown if show else ():
        print(f'{one.phrasing.text}\n    got:    {one.goal.means}')
        print(f'    wanted: {one.phrasing.wanted.text}')
        for text in (*one.report.texts(End.REFUSED), *one.report.texts(End.TO_CONFIRM)):
            print(f'    - {text}')


def _ablation(data: Path | None) -> None:
    sets = development_sets(data)
    servers = Servers()
    sample = [
        (one.text, servers.words(one.vocabulary))
        for each in sets.values()
        for one in each[:: max(1, len(each) // _SAMPLE)]
    ]
    if data is not None:
        recorded = (one for one in read_recorded(data) if one.form.language == 'en')
        sample += [(one.sentence, one.words) for one in recorded if one.set != 'eb_alfred']
    print(f'{len(sample)} sentences\n| rule | needed by | such as |\n|---|---|---|')
    for name, count, first in needed(sample):
        print(f'| {name} | {count} | {first} |', flush=True)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument('measure', choices=('strong', 'corruptions', 'grammar', 'ablation'))
    parser.add_argument('data', nargs='?', type=Path, help='folder with the data sets')
    shows = ('wrong', 'unread', 'asked', 'refused', 'missed')
    parser.add_argument('--show', choices=shows, default='')
    given = parser.parse_args()
    try:
        if given.measure in ('strong', 'corruptions'):
            if given.data is None:
                parser.error(f'{given.measure} needs the folder with strong_readings')
            measure = _strong if given.measure == 'strong' else _corruptions
            measure(given.data, given.show)
        elif given.measure == 'grammar':
            _grammar(given.data, given.show)
        else:
            _ablation(given.data)
    except OSError as error:
        sys.exit(f'{error.filename} cannot be read: name the folder with the data sets')


if __name__ == '__main__':
    main()
