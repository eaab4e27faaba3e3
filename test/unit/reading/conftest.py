"""Names of a small ship's yard, which no other test has; and the sentences that are not read."""

from __future__ import annotations

from pathlib import Path

import pytest

from reactree_core.observation import Vocabulary
from reactree_core.skill_types import SkillKind, SkillType
from reactree_planner.reading.names import Names

YARD = Vocabulary(
    object_classes=('rope', 'net', 'oar'),
    place_classes=('chest', 'jetty', 'raft'),
    rooms=('boathouse 1',),
    skill_types=(
        SkillType('go to <place>', kind=SkillKind.MOVE),
        SkillType('take <thing>', ('thing',), SkillKind.TAKE),
        SkillType('put <thing> in <place>', ('thing', 'place'), SkillKind.PUT),
        SkillType('open <place>', ('place',), SkillKind.OPEN, 'close <place>'),
        SkillType('close <place>', ('place',), SkillKind.CLOSE, 'open <place>'),
        SkillType('coil <thing>', ('thing',), SkillKind.CHANGE, effects=('<thing> is coiled',)),
    ),
    other_words=(('chest', 'trunk', 'Truhe'), ('net', 'Netz')),
)


@pytest.fixture
def vocabulary():
    return YARD


@pytest.fixture
def names():
    return Names(YARD)


#: Sentences of earlier readers that are not read, or read otherwise; docs/decisions/reading.md.
LOST = Path(__file__).with_name('lost.txt')


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Expect the sentences of `lost.txt` to fail: who reads one takes it out of the file."""
    lines = LOST.read_text(encoding='utf-8').splitlines()
    lost = {line for line in lines if line and not line.startswith('#')}
    for item in items:
        where = item.nodeid.rpartition('test/unit/')[2]
        if where in lost:
            item.add_marker(pytest.mark.xfail(strict=False, reason='read otherwise now'))
