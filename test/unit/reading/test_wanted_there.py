"""How people say that things shall be somewhere without a verb of putting, in a print shop."""

from __future__ import annotations

import pytest

from reactree_core.observation import Vocabulary
from reactree_core.skill_types import SkillKind, SkillType
from reactree_planner.reading.names import Names
from reactree_planner.reading.reader import read_alone

SKILLS = (
    SkillType('drive to <place>', slot_types=('place',), kind=SkillKind.MOVE),
    SkillType('lift <thing>', slot_types=('thing',), kind=SkillKind.TAKE),
    SkillType('lay <thing> on <place>', slot_types=('thing', 'place'), kind=SkillKind.PUT),
    SkillType('switch on <place>', slot_types=('place',), kind=SkillKind.SWITCH_ON),
    SkillType('switch off <place>', slot_types=('place',), kind=SkillKind.SWITCH_OFF),
)
SHOP = Vocabulary(
    object_classes=('folder', 'sheet', 'binder'),
    place_classes=('press', 'bench', 'shelf'),
    skill_types=SKILLS,
)


def read(text):
    goal = read_alone(text, Names(SHOP))
    return goal, [sorted(one.text for one in milestone) for milestone in goal.milestones]


@pytest.mark.parametrize(
    ('text', 'wanted'),
    [
        (
            'The bench needs a folder and two sheets, please bring them.',
            [['2 sheet in bench', 'folder in bench']],
        ),
        ('The bench needs a folder. Fetch it.', [['folder in bench']]),
        ('The bench needs a folder. Bring it to me.', [['folder in bench'], ['holding folder']]),
        ('Lay the bench: two folders and a sheet.', [['2 folder in bench', 'sheet in bench']]),
        ('Serve a binder on the shelf.', [['binder in shelf']]),
        (
            'Run the press with two sheets in it.',
            [['2 sheet in press'], ['2 sheet in press', 'press is on']],
        ),
        (
            'The press should be running with a sheet inside.',
            [['sheet in press'], ['press is on', 'sheet in press']],
        ),
    ],
)  # fmt: skip
def test_it_is_read_whole(text, wanted):
    goal, asked = read(text)
    assert goal.whole, goal.unread
    assert asked == wanted


@pytest.mark.parametrize(
    'text',
    [
        # Which one is meant, not what shall be there.
        'Switch on the press with the sheet in it.',
        # Nothing says that the list shall be there.
        'Count the papers on the bench: two folders.',
        'Lay the bench: two folders are missing from the count.',
        'Prepare nothing on the bench: a folder.',
    ],
)
def test_it_is_not_read_whole(text):
    goal, _ = read(text)
    assert not goal.whole


def test_what_is_said_of_the_day_asks_for_nothing():
    goal, asked = read('It is late today. Lay the bench: two folders.')
    assert goal.whole and asked == [['2 folder in bench']]
    assert {one.account for one in goal.words if one.text in ('It', 'late')} == {
        'it asks for nothing'
    }
    ends, comes = 'Work ends soon, and the shelf needs a binder.', 'A guest is coming.'
    for told in (ends, f'{comes} Serve a binder on the shelf.'):
        goal, asked = read(told)
        assert goal.acts and asked == [['binder in shelf']]
    # Here it says something of what was read.
    goal, _ = read('Put a folder on the bench. It is late today.')
    assert not goal.acts


@pytest.mark.parametrize(
    'text',
    [
        'Lay the folder on the bench, next to the binder.',
        'Lay the folder on the bench and next to it the binder.',
    ],
)
def test_next_to_is_a_place_and_no_order(text):
    goal, milestones = read(text)
    assert not goal.whole and len(milestones) < 2


def test_next_alone_is_an_order():
    goal, milestones = read('Lay the folder on the bench, next the binder on the shelf.')
    assert goal.whole and milestones == [
        ['folder in bench'],
        ['binder in shelf', 'folder in bench'],
    ]


CLOSETS = Vocabulary(
    object_classes=('folder',),
    place_classes=('closet', 'drawer', 'bench'),
    skill_types=(
        *SKILLS[:3],
        SkillType('open <furniture>', kind=SkillKind.OPEN, inverse='close <furniture>'),
        SkillType('close <furniture>', kind=SkillKind.CLOSE, inverse='open <furniture>'),
    ),
)


@pytest.mark.parametrize(
    ('text', 'last'),
    [
        # Of which of the two, or of a room?
        ('Open the closet, lay a folder in the drawer and close the door.', ''),
        ('Lay a folder in the closet and close the door.', ''),
        ('Lift a folder and close the door.', ''),
    ],
)
def test_the_door_is_that_of_what_was_opened(text, last):
    goal = read_alone(text, Names(CLOSETS))
    told = [one.text for one in goal.milestones[-1]] if goal.milestones else []
    assert goal.whole == bool(last) and (last in told) == bool(last)
