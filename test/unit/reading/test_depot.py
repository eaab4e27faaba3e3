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
from reactree_planner.reading.goal import Goal
from reactree_planner.reading.names import Names
from reactree_planner.reading.reader import read_alone
from reactree_planner.reading.tokens import plain_words as words_of
from support.readings import text_of

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


def reading(goal: Goal) -> str:
    """What is read, and where things lie."""
    lie = ', '.join(f'{thing} in {place}' for thing, place in goal.sources)
    return text_of(goal) + (f' | lie: {lie}' if lie else '')


def unaccounted(goal: Goal) -> set[str]:
    """Words that nothing accounts for, though they are not told as unread."""
    unread = words_of(' '.join(goal.unread))
    bare = [word for one in goal.words if not one.account for word in words_of(one.text)]
    return set(bare).difference(unread)


@pytest.mark.parametrize('kind', KINDS)
def test_each_sentence_is_read_as_it_is_meant(kind: str, names: Names) -> None:
    faults = []
    for text, wanted in KINDS[kind]:
        goal = read_alone(text, names)
        if (got := reading(goal)) != wanted:
            faults.append(f'{text!r}\n  is {got}\n  not {wanted}')
        if bare := unaccounted(goal):
            faults.append(f'{text!r}: {bare} stand for nothing')
    assert not faults, '\n'.join(faults)


@pytest.mark.parametrize(
    ('text', 'accounts'),
    [
        (
            'Scan the crate before opening the chest. Please seal the drum.',
            {'crate': 'crate is scanned; chest is open', 'drum': 'drum is sealed'},
        ),
        (
            'My aunt is coming to the rack. Scan the crate, then seal the drum!',
            {'aunt': '', 'rack': '', 'crate': 'crate is scanned', 'then': 'order',
             'drum': 'drum is sealed'},
        ),
        (
            'Hello Ada, put a drum on the rack, any one will do, and do not open the chest.',
            {'Ada': 'courtesy', 'drum': 'drum in rack', 'any': 'any of them',
             'open': 'must not: open chest'},
        ),
        (
            'It is late. There are two crates. Put one on the rack and the other on the dock.',
            {'late': 'asks for nothing', 'two': 'named', 'other': 'crate in dock',
             'and': 'between'},
        ),
        ('Every 10 minutes scan the crate.',
         {'minutes': 'when it is wanted', 'crate': 'crate is scanned'}),
    ],
)  # fmt: skip
def test_each_word_is_told_what_it_stands_for(text, accounts, names: Names) -> None:
    goal = read_alone(text, names)
    told = {one.text: one.account for one in goal.words}
    assert {word: told[word] for word in accounts} == accounts
