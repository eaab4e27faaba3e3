"""How the grammar reads the sentences of the tests, as text to be read and compared.

    PYTHONPATH=src:test:. python -m support.readings        # writes the file anew

The file says what is read, right or wrong: `sentences.yaml`, `instructions.txt` and
`time_rules.txt` say what a careful person accepts. It shows what else a change of the grammar
changes; read that diff as whoever said the sentence would.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import yaml

from benchmarks.grounding.phrasings import own_sets, read_own_set, read_vocabulary
from reactree_planner.language.goal import Goal
from reactree_planner.language.names import Names
from reactree_planner.language.reading import read_with_grammar
from support.skill_kinds import HOME

TESTS = Path(__file__).parents[1] / 'unit'
FILE = TESTS / 'language' / 'readings.txt'
REGENERATE = 'PYTHONPATH=src:test:. python -m support.readings'


def sentences() -> Iterator[tuple[str, str, Names]]:
    """Name of a vocabulary, sentence, and the vocabulary."""
    path = TESTS / 'language' / 'sentences.yaml'
    told = yaml.safe_load(path.read_text(encoding='utf-8'))
    names = {
        name: Names(read_vocabulary(vocabulary, path))
        for name, vocabulary in told['vocabularies'].items()
    }
    sets = {name: read_own_set(name) for name in own_sets()}
    names |= {name: Names(one[0].vocabulary) for name, one in sets.items()}
    for name, one in sets.items():
        # Every other one: there are hundreds.
        yield from ((name, phrasing.text, names[name]) for phrasing in one[::2])
    for sentence in told['sentences']:
        yield sentence['domain'], sentence['text'], names[sentence['domain']]
    home = Names(HOME)
    for file in ('instructions.txt', 'time_rules.txt'):
        for line in (TESTS / 'planner' / file).read_text(encoding='utf-8').splitlines():
            text, arrow, _ = line.removeprefix('H: ').partition(' => ')
            if arrow and text[1:2] != ':':
                yield 'home', text, home


def told_of(goal: Goal) -> str:
    """What a sentence is read as, on one line."""
    never = (one.wording for one in goal.never)
    parts = {
        'asks': goal.means,
        'never': '; '.join(never),
        'rules': '; '.join(one.wording for one in goal.rules),
        'unread': ' / '.join(goal.unread),
        'model': ' / '.join(goal.left_to_model),
        'acts': 'yes' if goal.acts and not goal.whole else '',
        'taken': ', '.join(f'{one.words} = {one.name}' for one in goal.ties),
    }
    return ' | '.join(f'{name}: {text}' for name, text in parts.items() if text) or 'nothing'


def readings() -> str:
    """The whole file."""
    return ''.join(
        f'{where}: {" ".join(text.split())}\n    {told_of(read_with_grammar(text, names))}\n'
        for where, text, names in sentences()
    )


if __name__ == '__main__':
    FILE.write_text(readings(), encoding='utf-8')
