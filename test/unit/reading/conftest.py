"""Names of a small ship's yard, which no other test has."""

from __future__ import annotations

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
