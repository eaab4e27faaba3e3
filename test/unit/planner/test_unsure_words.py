"""Words of a task that may mean a name, and are not sure to: with nobody to ask they mean none."""

from __future__ import annotations

import numpy as np
import pytest

from reactree_core.observation import Vocabulary
from reactree_core.skill_types import SkillKind, SkillType
from reactree_planner.language.name_choice import NameChoice
from reactree_planner.language.names import Names
from reactree_planner.language.reading import read_with_grammar

ROVER = Vocabulary(
    object_classes=('crate', 'drum'),
    place_classes=('vent', 'store door', 'bay'),
    rooms=('seed room', 'dock'),
    skill_types=(
        SkillType('drive to <place>', kind=SkillKind.MOVE),
        SkillType('pick <thing>', kind=SkillKind.TAKE),
        SkillType('put <thing> on <place>', kind=SkillKind.PUT),
        SkillType('open <place>', kind=SkillKind.OPEN),
        SkillType('close <place>', kind=SkillKind.CLOSE),
        SkillType('spray <thing>', kind=SkillKind.CHANGE, effects=('<thing> is sprayed',)),
    ),
)


class Alike:
    """An encoder to which every text may mean every other one."""

    name = 'alike'
    dimension = 2

    def embed(self, texts):
        rows = [(1.0, 0.01 * i) for i in range(len(texts))]
        return np.array(rows, np.float32) / np.linalg.norm(rows, axis=1, keepdims=True)


@pytest.mark.parametrize(
    'text',
    [
        # Not seen yet is not another.
        'pick the seed tray',
        'pick the metal tray and put it on the bay',
        'put the couch on the bay',
        # A verb is no thing.
        'Stop spraying the crate',
        'Abort spraying the crate',
        'Skip spraying',
        'Halt at the vent',
        'Halt, please',
    ],
)
@pytest.mark.parametrize('choice', [None, NameChoice(Alike)])
def test_with_nobody_to_ask_what_is_not_sure_moves_nothing(text, choice):
    goal = read_with_grammar(text, Names(ROVER), choice)
    assert not goal.acts and goal.unread
    assert not [tie for tie in goal.ties if tie.name]


def test_a_person_tells_what_is_meant():
    asked = []

    def clarify(words, names):
        asked.append(words)
        return 'crate'

    goal = read_with_grammar('put the box on the bay', Names(ROVER), NameChoice(Alike, clarify))
    assert asked == ['box'] and goal.acts
    assert [one.text for one in goal.conditions] == ['crate in bay']
