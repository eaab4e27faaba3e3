"""Grammar, model, both, and a model that answers at random: how exactly they read the same tasks.

python -m benchmarks.grounding.readers --set garden hospital --count 20 --model qwen2.5-coder-1.5b
... --wah FOLDER --graphs FOLDER --half development --threads 1 --failures

Without --model only the grammar and the random model read.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.grounding.alfred import read_alfred
from benchmarks.grounding.conditions import score
from benchmarks.grounding.phrasings import Half, own_sets, Phrasing, read_own_set
from benchmarks.grounding.wah_nl import read_wah_nl
from reactree_core.observation import Vocabulary
from reactree_planner.language.goal import Goal
from reactree_planner.language.model_reader import ModelReader, OwnSessions
from reactree_planner.language.names import Names
from reactree_planner.language.reader import agree, GrammarTaskReader, TaskReader
from reactree_planner.llm.policy import PolicyModel

_HEAD = '| set | reader | phrasings | exact | whole | whole and exact | s |\n' + '|---' * 7 + '|'


@dataclass
class _Row:
    """What one reader made of a set. :param wrong: phrasings read whole and not exactly."""

    phrasings: int = 0
    exact: int = 0
    whole: int = 0
    right: int = 0
    seconds: float = 0.0
    wrong: list[str] = field(default_factory=list)

    def add(self, phrasing: Phrasing, goal: Goal, seconds: float) -> None:
        """Count one more."""
        is_exact = bool(score(told_by(goal), phrasing.wanted).exact)
        self.phrasings += 1
        self.exact += is_exact
        self.whole += goal.whole
        self.right += goal.whole and is_exact
        self.seconds += seconds
        if goal.whole and not is_exact:
            self.wrong.append(
                f'{phrasing.text}\n    got:    {goal.means or "-"}\n'
                f'    wanted: {phrasing.wanted.text or "-"}'
            )

    def text(self, name: str, reader: str) -> str:
        """One line of the table."""
        count = max(1, self.phrasings)
        return (
            f'| {name} | {reader} | {self.phrasings} | {self.exact / count:.2f} | {self.whole} | '
            f'{self.right} | {self.seconds / count:.2f} |'
        )


def told_by(goal: Goal) -> tuple[str, ...]:
    """What a goal says holds at the end."""
    return tuple(one.text for one in goal.conditions)


def random_reader(seed: int) -> TaskReader:
    """A model reader whose model takes whatever is offered, at random."""
    rng = random.Random(seed)
    return ModelReader(
        OwnSessions(PolicyModel(lambda text, options: rng.randrange(len(options or '1'))))
    )


def measure(
    phrasings: Sequence[Phrasing], readers: Mapping[str, TaskReader]
) -> tuple[dict[str, _Row], _Row]:
    """A row for each reader, and one for what the first two agree on."""
    rows = {name: _Row() for name in readers}
    both = _Row()
    known: dict[int, Names] = {}
    for phrasing in phrasings:
        names = known.setdefault(id(phrasing.vocabulary), Names(phrasing.vocabulary))
        goals: list[Goal] = []
        for name, reader in readers.items():
            began = time.perf_counter()
            goals.append(reader.read(phrasing.text, names))
            rows[name].add(phrasing, goals[-1], time.perf_counter() - began)
        if len(goals) > 1 and agree(goals[0], goals[1]):
            both.add(phrasing, goals[0], 0.0)
    return rows, both


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument('--set', nargs='*', default=[], choices=own_sets(), metavar='NAME')
    parser.add_argument('--wah', type=Path, metavar='FOLDER', help="WAH-NL's training tasks")
    parser.add_argument('--graphs', type=Path, metavar='FOLDER', help='apartments for --wah')
    parser.add_argument('--alfred', type=Path, metavar='FOLDER', help="ALFRED's annotations")
    parser.add_argument('--layouts', type=Path, metavar='FOLDER', help='floor plans for --alfred')
    parser.add_argument('--half', choices=[half.value for half in Half], default='development')
    parser.add_argument('--count', type=int, default=20, help='phrasings of each set (20)')
    parser.add_argument('--seed', type=int, default=0, help='of the draw and the random model (0)')
    parser.add_argument('--model', default='', help='catalogue name, file or address; none: ""')
    parser.add_argument('--threads', type=int, default=0, help='of a local model; 0: all cores')
    parser.add_argument('--failures', action='store_true', help='what was whole and is wrong')
    return parser.parse_args()


def _drawn(arguments: argparse.Namespace) -> dict[str, list[Phrasing]]:
    sets = {name: list(read_own_set(name)) for name in arguments.set}
    if arguments.wah and arguments.graphs:
        sets['WAH-NL'] = list(read_wah_nl(arguments.wah, arguments.graphs))
    if arguments.alfred and arguments.layouts:
        sets['ALFRED'] = list(read_alfred(arguments.alfred, arguments.layouts))
    if not sets:
        sys.exit('Name what to read: --set, --wah with --graphs, or --alfred with --layouts.')
    drawn = {}
    for name, phrasings in sets.items():
        kept = [one for one in phrasings if one.half.value == arguments.half]
        random.Random(arguments.seed).shuffle(kept)
        # The names of a server are evaluated once.
        drawn[name] = sorted(kept[: arguments.count], key=lambda one: _key(one.vocabulary))
    return drawn


def _key(vocabulary: Vocabulary) -> tuple[str, ...]:
    return vocabulary.place_classes + vocabulary.object_classes


def main() -> None:
    """Print the table."""
    arguments = _arguments()
    readers: dict[str, TaskReader] = {'grammar': GrammarTaskReader()}
    if arguments.model:
        from reactree_planner.llm.registry import load_model, ModelOptions

        model = load_model(arguments.model, ModelOptions(threads=arguments.threads))
        readers['model'] = ModelReader(OwnSessions(model))
    readers['random'] = random_reader(arguments.seed)
    print(_HEAD, flush=True)
    wrong: list[str] = []
    for name, phrasings in _drawn(arguments).items():
        rows, both = measure(phrasings, readers)
        for reader, row in rows.items():
            print(row.text(name, reader), flush=True)
            wrong += [f'{reader}: {text}' for text in row.wrong]
        second = list(readers)[1]
        print(both.text(name, f'grammar = {second}'), flush=True)
    if arguments.failures:
        print('\n' + '\n'.join(wrong))


if __name__ == '__main__':
    main()
