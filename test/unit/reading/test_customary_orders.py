"""Orders that are customary where a robot works, as its domain declares them."""

from __future__ import annotations

import pytest

from reactree_core.domain import CustomaryOrder, load_domain
from reactree_core.errors import ConfigurationError
from reactree_core.observation import Vocabulary
from reactree_core.skill_types import SkillKind, SkillType
from reactree_planner.reading.names import Names
from reactree_planner.reading.reader import read_alone

WARD = Vocabulary(
    object_classes=('chart', 'sheet', 'tray'),
    place_classes=('bed', 'trolley'),
    skill_types=(
        SkillType('go to <place>', kind=SkillKind.MOVE),
        SkillType('take <thing>', kind=SkillKind.TAKE),
        SkillType('put <thing> on <place>', kind=SkillKind.PUT),
        SkillType('make <bed>', kind=SkillKind.CHANGE, effects=('<bed> is made',)),
    ),
)


@pytest.fixture
def names():
    known = Names(WARD)
    known.orders = [
        CustomaryOrder(say='Discharge <bed>', means=['<bed> is made', 'chart in trolley']),
        CustomaryOrder(
            say='put <thing> <container> on <place>',
            means=['<thing> in <container>', '<container> in <place>'],
        ),
    ]
    return known


@pytest.mark.parametrize(
    ('said', 'wanted'),
    [
        ('Discharge bed 2, please.', ['bed 2 is made', 'chart in trolley']),
        ('Put chart tray on bed 1', ['chart in tray', 'tray in bed 1']),
        ('Take a sheet, then discharge the bed.', ['holding sheet', 'bed is made']),
    ],
)
def test_what_is_said_asks_for_what_the_domain_says(names, said, wanted):
    goal = read_alone(said, names)
    assert goal.whole
    assert set(wanted) <= {one.text for one in goal.conditions}


@pytest.mark.parametrize(
    'said',
    [
        'Do not discharge bed 2.',
        'Never discharge bed 2.',
        'Discharge all beds but bed 2.',
        'Discharge the clean bed.',
        'Somebody may discharge bed 2.',
        'Put chart tray.',
    ],
)
def test_another_sentence_does_not_ask_for_it(names, said):
    assert 'bed 2 is made' not in {one.text for one in read_alone(said, names).conditions}
    assert not read_alone(said, names).whole or 'not' in said or 'ever' in said


def test_without_the_domain_it_is_not_read():
    assert not read_alone('Discharge bed 2, please.', Names(WARD)).whole


@pytest.mark.parametrize(
    ('order', 'fault'),
    [
        ('{say: discharge <bed>, means: [<room> is made]}', '<room> is not in it'),
        ('{say: discharge <bed>, means: []}', 'it means something'),
        ('{say: <bed>, means: [<bed> is made]}', 'no word of its own'),
        ('{say: swap <bed> <bed>, means: [<bed> is made]}', 'each gap stands once'),
    ],
)
def test_a_wrong_order_is_named(tmp_path, order, fault):
    (tmp_path / 'domain.yaml').write_text(f'orders:\n  - {order}\n', encoding='utf-8')
    with pytest.raises(ConfigurationError, match=fault):
        load_domain(f'{tmp_path}/')
