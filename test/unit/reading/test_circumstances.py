"""What is told of people and of the day, and what follows from it; lists told again; slips."""

from __future__ import annotations

import pytest

from reactree_core.observation import Vocabulary
from reactree_core.skill_types import SkillKind, SkillType
from reactree_planner.reading.names import Names
from reactree_planner.reading.reader import read_alone

LAUNDRY = Vocabulary(
    object_classes=('blouse', 'scarf', 'button', 'peg'),
    place_classes=('tumbler', 'ironing board', 'folding board', 'bobbin', 'hamper', 'hall hook'),
    rooms=('hall 1',),
    skill_types=(
        SkillType('go to <place>', kind=SkillKind.MOVE),
        SkillType('take <thing>', ('thing',), SkillKind.TAKE),
        SkillType('put <thing> in <place>', ('thing', 'place'), SkillKind.PUT),
        SkillType('open <place>', ('place',), SkillKind.OPEN, 'close <place>'),
        SkillType('close <place>', ('place',), SkillKind.CLOSE, 'open <place>'),
        SkillType('switch on <place>', ('place',), SkillKind.SWITCH_ON, 'switch off <place>'),
        SkillType('switch off <place>', ('place',), SkillKind.SWITCH_OFF, 'switch on <place>'),
    ),
)
NAMES = Names(LAUNDRY)


def read(text):
    goal = read_alone(text, NAMES)
    return goal, [sorted(one.text for one in step) for step in goal.milestones]


BLOUSE = [['blouse in hamper']]


@pytest.mark.parametrize(
    ('text', 'asked'),
    [
        # Nothing is asked.
        ('My aunt is coming. Put a blouse in the hamper.', BLOUSE),
        ('Put a blouse in the hamper before the guests arrive.', BLOUSE),
        ('I am done with the shopping: a blouse belongs in the hamper.', BLOUSE),
        ("It's getting dark, could you put a blouse in the hamper?", BLOUSE),
        # It follows what shall be where.
        ('On the hall hook I need a scarf.', [['scarf in hall hook']]),
        # Names, lists and order.
        ('Put a scarf on the hook in the hall.', [['scarf in hall hook']]),
        ('A blouse and a scarf, both in the hamper.', [['blouse in hamper', 'scarf in hamper']]),
        (
            'A blouse, a scarf and a peg all go in the hamper.',
            [['blouse in hamper', 'peg in hamper', 'scarf in hamper']],
        ),
        ('Open the hamper and put a blouse in there.', [['blouse in hamper', 'hamper is open']]),
        (
            'Put a blouse in the hamper. Close the hamper afterwards.',
            [['blouse in hamper'], ['blouse in hamper', 'hamper is closed']],
        ),
        ('Take a blouse from the cupboard and put it in the hamper.', BLOUSE),
        ('Start the tumbler up.', [['tumbler is on']]),
        ('put a bluose in teh hampper', BLOUSE),
    ],
)
def test_it_is_read_whole(text, asked):
    goal, got = read(text)
    assert goal.whole, goal.unread
    assert got == asked


@pytest.mark.parametrize(
    'text',
    [
        # A wish for what nobody knows, or what takes something back.
        'I need a kayak. Put a blouse in the hamper.',
        'I am thirsty and need a drink. Put a blouse in the hamper.',
        'Put a blouse in the hamper. I am kidding.',
        'Put a blouse in the hamper. I will take it away.',
        'Put a blouse in the hamper. It is the blue one.',
        'Put a blouse in the hamper before noon twice.',
        'Put a blouse in the hamper before the guests arrive, but not today.',
        'The oars, the kayak paddles today, put a blouse in the hamper.',
        # Past, denied, of another place, or of a machine that does no such thing.
        'We sewed at the folding board with two scarves.',
        'We sew at the folding board and will not use a scarf.',
        'The scarf will keep outside the hamper.',
        'Two scarves are damp. The tumbler cannot dry them.',
        'Count the scarves in the tumbler.',
        # People hold it, or do something else with it.
        'I will wait at the hamper with a blouse.',
        'We will sit at the hamper and look for a blouse.',
        # It may be what was told of last.
        'Take a blouse. I have a kayak. Put it in the hamper.',
        # Not all of the list, or not so many.
        'A blouse, a scarf and a peg, both in the hamper.',
        'A blouse and a scarf, all three in the hamper.',
        # After what?
        'Close the hamper afterwards.',
        # A place that is not known is none to put things in; all from it are some only.
        'Put a blouse in the cupboard.',
        'Take all blouses from the cupboard and put them in the hamper.',
        # A word of English is no slip of a name: a bobby is no bobbin.
        'Put a button in the bobby.',
    ],
)
def test_it_is_not_read_whole(text):
    goal, _ = read(text)
    assert not goal.whole, goal.means


def test_where_a_thing_is_said_to_be_is_told_on():
    goal, _ = read('Take a blouse from the cupboard and put it in the hamper.')
    assert goal.sources == (('blouse', 'cupboard'),)


def test_facts_choose_nothing_where_it_may_be_what_nobody_knows():
    goal, _ = read('Take a blouse. I have a kayak. Put it in the hamper.')
    assert not goal.acts
    goal, _ = read('Take a blouse. I have a kayak. Put the scarf in the hamper.')
    assert goal.acts
