"""What asking at a known rate of error comes to on AmbiK: coverage, needless questions, sizes.

AmbiK (Ivanova et al., 2025) has kitchens, and tasks in an ambiguous and a clear wording. Tasks
with an even id calibrate, those with an odd id are looked at. Pairs that follow from a task:

* unclear: of the ambiguous wording the longest run of words of the one name that is meant, if
  that is not the whole name and has its last word ("bowl" of "ceramic bowl");
* clear: the same of the clear wording, if it is the whole name;
* none: words of the clear wording that the grammar knows for no name, and that no name has:
  a clear task asks for no question about them.

Tasks whose meant thing is no name of the kitchen ("wash it first"), several names, or that no word
of the ambiguous wording has, give no unclear pair.

    python -m benchmarks.asking ambik_calib_100.csv
    python -m benchmarks.asking ambik_calib_100.csv --model qwen2.5-coder-1.5b
"""

from __future__ import annotations

import argparse
import csv
import random
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from reactree_core.embedding.registry import shared_embedder
from reactree_core.observation import Vocabulary
from reactree_planner.language.chances import ByCloseness, ByModel, Chances
from reactree_planner.language.conformal import Calibration
from reactree_planner.language.known_rate import (
    calibrated,
    coverage_of,
    group_of,
    GROUPS,
    KnownRate,
    NEAR,
    Pair,
    shipped_pairs,
)
from reactree_planner.language.model_reader import OwnSessions
from reactree_planner.language.name_choice import MayMean, NameChoice
from reactree_planner.reading.names import Names
from reactree_planner.reading.reader import AloneReader
from reactree_planner.language.spelling import forms_of
from reactree_planner.reading.tokens import plain_words as words_of
from reactree_planner.llm.registry import load_model, ModelOptions

_PLACES = ('kitchen table', 'fridge', 'oven', 'cabinet', 'sink', 'microwave', 'counter')
_TEMPLATES = ('go to <place>', 'pick up <thing>', 'put <thing> in <place>')


@dataclass(frozen=True)
class Kitchen:
    """One task of AmbiK. :param meant: the name that is meant; '' where it is none, or many."""

    number: int
    names: tuple[str, ...]
    ambiguous: str
    clear: str
    meant: str


class ByLot:
    """Chances drawn by lot."""

    def __init__(self, seed: int) -> None:
        self.by = f'random:{seed}'
        self._random = random.Random(seed)

    def of(self, sentence: str, words: str, options: Sequence[str]) -> tuple[float, ...]:
        """See `Chances`."""
        drawn = [self._random.expovariate(1.0) for _ in range(len(options) + 1)]
        return tuple(one / sum(drawn) for one in drawn)


def read_kitchens(file: Path) -> list[Kitchen]:
    """The tasks of a file."""
    with file.open(encoding='utf-8', newline='') as opened:
        return [_kitchen(row) for row in csv.DictReader(opened)]


def _kitchen(row: dict[str, str]) -> Kitchen:
    names = tuple(dict.fromkeys(_listed(row['environment_short'])))
    intents = _listed(row['user_intent'])
    meant = intents[0] if len(intents) == 1 and intents[0] in names else ''
    return Kitchen(int(row['id']), names, row['ambiguous_task'], row['unambiguous_direct'], meant)


def _listed(text: str) -> list[str]:
    return [part.strip() for part in text.replace('\n', ',').split(',') if part.strip()]


def unclear_pair(kitchen: Kitchen) -> Pair | None:
    """See the head."""
    words, whole = _said(kitchen.ambiguous, kitchen.meant)
    return _pair(kitchen, kitchen.ambiguous, words) if words and not whole else None


def clear_pair(kitchen: Kitchen) -> Pair | None:
    """See the head."""
    words, whole = _said(kitchen.clear, kitchen.meant)
    return _pair(kitchen, kitchen.clear, words) if words and whole else None


def none_pairs(kitchen: Kitchen) -> list[Pair]:
    """See the head."""
    seen: dict[str, tuple[str, ...]] = {}

    def see(words: str, names: Sequence[str]) -> tuple[str, ...]:
        seen[words] = tuple(names)
        return ('',)

    _read(kitchen, kitchen.clear, NameChoice(None, may_mean=see))
    near = ((words, names) for words, names in seen.items() if group_of(words, names) == NEAR)
    return [Pair(kitchen.clear, words, names, len(names)) for words, names in near]


def _said(text: str, name: str) -> tuple[str, bool]:
    """The longest run of words of a name, and whether it is all of it."""
    own = words_of(name)
    best: list[str] = []
    run: list[str] = []
    for word in (*words_of(text), ''):
        if set(forms_of(word)) & set(own):
            run.append(word)
            continue
        if len(run) > len(best) and own[-1] in forms_of(run[-1]):
            best = run
        run = []
    forms = {form for word in best for form in forms_of(word)}
    return ' '.join(best), bool(own) and forms.issuperset(own)


def _pair(kitchen: Kitchen, text: str, words: str) -> Pair:
    return Pair(text, words, kitchen.names, kitchen.names.index(kitchen.meant))


def _read(kitchen: Kitchen, text: str, choice: NameChoice) -> None:
    names = Names(
        Vocabulary(templates=_TEMPLATES, object_classes=kitchen.names, place_classes=_PLACES)
    )
    AloneReader(choice).read(text, names)


def pairs_of(kitchens: Iterable[Kitchen]) -> dict[str, list[Pair]]:
    """Pairs by what they are."""
    found: dict[str, list[Pair]] = {'unclear': [], 'clear': [], 'none': []}
    for one in kitchens:
        for kind, make in (('unclear', unclear_pair), ('clear', clear_pair)):
            pair = make(one)
            found[kind] += [pair] if pair is not None else []
        found['none'] += none_pairs(one)
    return found


def print_pairs(
    chances: Chances, calibration: Calibration, told: dict[str, list[Pair]], rate: float
) -> None:
    """A row of the table of pairs."""
    cells = []
    for pairs in told.values():
        (one,) = coverage_of(pairs, chances, calibration, (rate,))
        cells.append(f'{one.count} | {one.covered:.2f} | {one.asked:.2f} | {one.size:.1f}')
    every = [pair for pairs in told.values() for pair in pairs]
    (one,) = coverage_of(every, chances, calibration, (rate,))
    print(f'| {chances.by} | {one.covered:.2f} | {" | ".join(cells)} |', flush=True)


def print_sentences(
    name: str, kitchens: Sequence[Kitchen], may_mean_in: Callable[[str], MayMean | None]
) -> None:
    """A row of the table of whole sentences, read by the grammar."""
    asked = {'ambiguous': 0, 'clear': 0}
    meant = right = shown = questions = 0
    for kitchen in kitchens:
        for kind in asked:
            options: list[Sequence[str]] = []

            def clarify(
                words: str, names: Sequence[str], into: list[Sequence[str]] = options
            ) -> str:
                into.append(names)
                return ''

            text = getattr(kitchen, kind)
            _read(kitchen, text, NameChoice(shared_embedder, clarify, may_mean_in(text)))
            asked[kind] += bool(options)
            questions += len(options)
            shown += sum(map(len, options))
            if kind == 'ambiguous' and kitchen.meant:
                meant += 1
                right += any(kitchen.meant in names for names in options)
    print(
        f'| {name} | {asked["ambiguous"]} of {len(kitchens)} | {right} of {meant} | '
        f'{asked["clear"]} of {len(kitchens)} | {shown / max(1, questions):.1f} |',
        flush=True,
    )


def main() -> int:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('file', type=Path, help="AmbiK's CSV")
    parser.add_argument('--model', default='')
    parser.add_argument('--wrong-at-most', type=float, default=0.1)
    arguments = parser.parse_args()
    rate = arguments.wrong_at_most
    kitchens = read_kitchens(arguments.file)
    halves = [[one for one in kitchens if one.number % 2 == odd] for odd in (0, 1)]
    learned, tested = map(pairs_of, halves)
    every = [pair for pairs in learned.values() for pair in pairs]
    print(
        f'{len(halves[0])} tasks calibrate, {len(halves[1])} are looked at; wrong at most {rate}'
    )
    heads = ' | '.join(f'{kind} | right stays | asked | size' for kind in learned)
    print(f'| by | all: right stays | {heads} |\n{"|---" * 14}|')
    closeness = ByCloseness(shared_embedder)
    by_closeness = calibrated(every, closeness)
    for chances in (ByLot(1), closeness):
        print_pairs(chances, calibrated(every, chances), tested, rate)
    if arguments.model:
        with closing(load_model(arguments.model, ModelOptions())) as model:
            by_model = ByModel(model.name, OwnSessions(model), closeness)
            print_pairs(by_model, calibrated(every, by_model), tested, rate)
    shipped = calibrated(shipped_pairs(), closeness)
    print_pairs(closeness, shipped, tested, rate)
    print('(the last row: calibrated on the shipped pairs)')
    for group in GROUPS:
        counts = len(by_closeness.scores[group]), len(shipped.scores[group])
        print(f'{group}: {counts[0]} pairs calibrate, {counts[1]} of those that are shipped')
    print(
        '\n| whole sentences | asked, ambiguous | with the right one | asked, clear | options |\n'
        + '|---' * 5
        + '|'
    )
    print_sentences('fixed thresholds', halves[1], lambda text: None)
    for name, one in (('AmbiK', by_closeness), ('shipped pairs', shipped)):

        def may_mean_in(text: str, told: Calibration = one) -> MayMean:
            return KnownRate(closeness, told, rate, text).may_mean

        print_sentences(f'calibrated on {name}', halves[1], may_mean_in)
    return 0


if __name__ == '__main__':
    sys.exit(main())
