"""Instructions with several places, and states of things that are put at one of them."""

from __future__ import annotations

import pytest

from reactree_core.observation import Vocabulary
from reactree_core.skill_types import SkillKind
from reactree_core.skill_types import SkillType
from reactree_planner.instructions.grounding import ground
from reactree_planner.instructions.names import Names

YARD = Vocabulary(
    object_classes=('crate', 'drum'),
    place_classes=('truck', 'pallet', 'dock', 'scale'),
    rooms=('aisle 1', 'aisle 2'),
    skill_types=(
        SkillType('drive to <place>', kind=SkillKind.MOVE),
        SkillType('grab <thing>', kind=SkillKind.TAKE),
        SkillType('load <thing> onto <place>', kind=SkillKind.PUT),
        SkillType('close <place>', kind=SkillKind.CLOSE),
        SkillType('scan <thing>', kind=SkillKind.CHANGE, effects=('<thing> is scanned',)),
        SkillType('heat <thing>', kind=SkillKind.CHANGE, effects=('<thing> is hot',)),
        SkillType(
            'cool <thing>',
            kind=SkillKind.CHANGE,
            effects=('<thing> is cold', 'not <thing> is hot'),
        ),
    ),
)


def read(text):
    """Conditions, and what of the text is told to be unread."""
    grounding = ground(text, Names(YARD))
    assert not grounding.unknown
    return [one.text for one in grounding.conditions], list(grounding.left_out)


@pytest.mark.parametrize(
    ('text', 'wanted'),
    [
        ('Put a scanned crate on the truck', ['crate in truck', 'crate is scanned']),
        ('Put two scanned crates on the truck and a scanned crate on the pallet',
         ['2 crate in truck', '2 crate in truck is scanned',
          'crate in pallet', 'crate in pallet is scanned']),
        ('Put a crate on the truck and put a scanned crate on pallet 1',
         ['crate in truck', 'crate in pallet 1', 'crate in pallet 1 is scanned']),
        ('Put a hot drum on the dock and a scanned drum on the scale',
         ['drum in dock', 'drum in dock is hot', 'drum in scale', 'drum in scale is scanned']),
        ('Put a scanned crate and a crate on the truck',
         ['2 crate in truck', 'crate in truck is scanned']),
        ('Put a scanned crate on the truck and another scanned crate on the truck',
         ['2 crate in truck', '2 crate is scanned']),
        ('Put a scanned crate on the truck and a drum on the pallet',
         ['crate in truck', 'crate is scanned', 'drum in pallet']),
        ('Scan a crate and put it on the truck, then put another crate on the pallet',
         ['crate in truck is scanned', 'crate in truck', 'crate in pallet']),
        ('Put a crate on the truck. Scan another crate and put it on the pallet.',
         ['crate in truck', 'crate in pallet is scanned', 'crate in pallet']),
        ('Put a crate on the truck, scan it, and put another crate on the pallet',
         ['crate in truck', 'crate in truck is scanned', 'crate in pallet']),
        ('Put the scanned crate on the truck, then put it on the pallet',
         ['crate is scanned', 'crate in pallet']),
        ('Scan two crates. Put one on the truck and the other on the pallet.',
         ['crate in truck is scanned', 'crate in pallet is scanned',
          'crate in truck', 'crate in pallet']),
        ('Scan two crates and put one on the truck',
         ['crate in truck is scanned', '2 crate is scanned', 'crate in truck']),
        ('Scan two crates and put them on the truck', ['2 crate is scanned', '2 crate in truck']),
        ('Put two crates on the truck and scan one of them',
         ['2 crate in truck', 'crate in truck is scanned']),
        ('Heat the drum, then cool it', ['drum is cold']),
        ('Heat a drum and cool a drum', ['drum is hot', 'drum is cold']),
    ],
)  # fmt: skip
def test_a_state_belongs_to_the_things_that_are_put(text, wanted):
    assert read(text) == (wanted, [])


@pytest.mark.parametrize(
    ('text', 'wanted'),
    [
        ('Drive to the truck and then to the pallet', ['at pallet']),
        ('Drive to the truck, then drive to the pallet', ['at pallet']),
        ('Drive to the truck in aisle 2', ['at truck']),
        ('Put two crates each on the truck and the pallet',
         ['2 crate in truck', '2 crate in pallet']),
        ('Put a crate on the truck and the pallet', ['crate in truck', 'crate in pallet']),
        ('Put a crate on the truck, the dock and the pallet',
         ['crate in truck', 'crate in dock', 'crate in pallet']),
        ('Put a crate on the truck and on the pallet', ['crate in truck', 'crate in pallet']),
        ('Put a crate on the truck or the pallet', ['crate in truck']),
        ('Put the crate on the truck and then on the pallet', ['crate in pallet']),
        ('Put the crate on the scale, then put the crate on the truck', ['crate in truck']),
        ('Put the crate on the scale, put the crate on the truck', ['crate in truck']),
        ('Put the old crate on the truck and the new crate on the pallet',
         ['crate in truck', 'crate in pallet']),
        ('Put the old crate on the truck. Then put the new crate on the pallet.',
         ['crate in truck', 'crate in pallet']),
        ('Put the crate on the truck and the pallet should be closed',
         ['crate in truck', 'pallet is closed']),
        ('Put the crate on the scale, then close the truck and put it in there',
         ['truck is closed', 'crate in truck']),
        ('Put all drums on the dock on the truck', ['all drum in truck']),
        ('Put all drums on the truck in aisle 1', ['all drum in truck']),
    ],
)  # fmt: skip
def test_second_places(text, wanted):
    assert read(text) == (wanted, [])


@pytest.mark.parametrize(
    ('text', 'wanted', 'unread'),
    [
        ('Put one crate on each pallet', [], ['crate']),
        ('Put a crate on every one of the pallets, and close the dock',
         ['dock is closed'], ['crate']),
        ('On each pallet put a crate', [], ['crate']),
        ('Put a crate on both pallets', [], ['crate']),
        ('Put a crate on two pallets', [], ['crate']),
        ('Put the crates on different pallets', [], ['crate']),
        ('Put two crates on the truck and the pallet', [], ['crate']),
        ('Put two crates on each of the truck and the pallet', [], ['crate']),
        ('Put crate 1 on the truck, crate 2 on the pallet and everything else on the dock',
         ['crate 1 in truck', 'crate 2 in pallet'], ['everything else']),
        ('Scan everything else', [], ['everything else']),
        ('Put two crates on the truck and the rest on the dock', ['2 crate in truck'], ['rest']),
        ('Put two crates on the truck and all other crates on the dock',
         ['2 crate in truck'], ['crate']),
    ],
)  # fmt: skip
def test_what_is_not_told_for_certain_is_unread(text, wanted, unread):
    assert read(text) == (wanted, unread)
