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
from reactree_planner.language.names import Names
from reactree_planner.language.reading import read_with_grammar
from support.readings import told_of

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


def reading(text: str, names: Names) -> str:
    """What is read, and where things lie."""
    goal = read_with_grammar(text, names)
    lie = ', '.join(f'{thing} in {place}' for thing, place in goal.sources)
    return told_of(goal) + (f' | lie: {lie}' if lie else '')


@pytest.mark.parametrize('kind', KINDS)
def test_each_sentence_is_read_as_it_is_meant(kind: str, names: Names) -> None:
    changed = [
        f'{text!r}\n  is {got}\n  not {wanted}'
        for text, wanted in KINDS[kind]
        if (got := reading(text, names)) != wanted
    ]
    assert not changed, '\n'.join(changed)
