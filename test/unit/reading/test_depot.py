"""Sentences of one or two clauses and how each must be read, one for each thing people may say.

`depot.txt` has them by kind, with their readings under them. Its readings were looked at one by
one: what is read whole is what a careful person means, and what is not whole might be meant
otherwise. A reading that changes is right or wrong by that measure, so that none is written anew
without being looked at.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from reactree_core.observation import Vocabulary
from reactree_core.skill_types import SkillKind, SkillType
from reactree_planner.reading.names import Names
from reactree_planner.reading.reader import read_alone

FILE = Path(__file__).with_name('depot.txt')
OPENS, RUNS = 'place: chest, locker, gate, shed', 'place: pump, lamp, washer, kiln'
STATES = {'scan': 'scanned', 'seal': 'sealed', 'wrap': 'wrapped', 'slice': 'sliced'}
SKILLS = (
    SkillType('go to <area>', ('region',), SkillKind.MOVE),
    SkillType('go to <place>', ('place',), SkillKind.MOVE),
    SkillType('pick up <item>', ('thing',), SkillKind.TAKE),
    SkillType('put <item> in <place>', ('thing', 'place'), SkillKind.PUT, 'pick up <item>'),
    SkillType('open <place>', (OPENS,), SkillKind.OPEN, 'close <place>'),
    SkillType('close <place>', (OPENS,), SkillKind.CLOSE, 'open <place>'),
    SkillType('switch on <place>', (RUNS,), SkillKind.SWITCH_ON, 'switch off <place>'),
    SkillType('switch off <place>', (RUNS,), SkillKind.SWITCH_OFF, 'switch on <place>'),
    SkillType('make <item>', ('thing: mat',), SkillKind.MAKE),
    *(
        SkillType(f'{verb} <item>', ('thing',), SkillKind.CHANGE, effects=(f'<item> is {state}',))
        for verb, state in STATES.items()
    ),
    SkillType('hose down <item>', ('thing',), SkillKind.CHANGE, effects=('<item> is rinsed',)),
    SkillType('fold the arm', effects=('arm is folded',)),
)
DEPOT = Vocabulary(
    tuple(one.template for one in SKILLS),
    ('crate', 'drum', 'tray', 'tote', 'vial', 'box', 'bread', 'oil', 'mat', 'reed', 'tongs',
     'oil can'),
    ('rack', 'dock', 'chest', 'locker', 'shed', 'gate', 'pump', 'lamp', 'washer', 'kiln', 'sink',
     'loading table', 'home'),
    ('hall 1', 'yard 1'),
    SKILLS,
)  # fmt: skip


def kinds() -> dict[str, list[tuple[str, str]]]:
    """Sentences and their readings, by what they are about."""
    found: dict[str, list[tuple[str, str]]] = {}
    for line in FILE.read_text(encoding='utf-8').splitlines():
        if line.startswith('# '):
            told = found.setdefault(line[2:], [])
        elif line.startswith('    '):
            told[-1] = told[-1][0], line.strip()
        elif line:
            told.append((line.replace('\\n', '\n'), ''))
    return found


KINDS = kinds()


@pytest.fixture(scope='module')
def names() -> Names:
    return Names(DEPOT)


def asks_of(told: str) -> str:
    """The conditions of a line of `depot.txt`; '' for none."""
    parts = dict(part.partition(': ')[::2] for part in told.split(' | '))
    return parts.get('asks', '')


def is_whole(told: str) -> bool:
    """Whether a line of `depot.txt` leaves nothing unread."""
    return told != 'nothing' and 'unread: ' not in told and 'model: ' not in told


SENTENCES = [(text, told) for kind in KINDS.values() for text, told in kind]
#: Share of the sentences that are read whole in `depot.txt` and here.
WHOLE = 0.5


@pytest.mark.parametrize(('text', 'told'), SENTENCES)
def test_a_sentence_is_read_as_it_is_meant_or_not_whole(
    text: str, told: str, names: Names
) -> None:
    goal = read_alone(text, names)
    assert not goal.whole or goal.means == asks_of(told)


def test_most_sentences_are_read_whole(names: Names) -> None:
    whole = [text for text, told in SENTENCES if is_whole(told)]
    lost = [text for text in whole if not read_alone(text, names).whole]
    assert len(lost) <= (1 - WHOLE) * len(whole), f'{len(lost)} of {len(whole)}'
