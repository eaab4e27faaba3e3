"""Goals that ask one thing of one thing, and all those that do not."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reactree_core.observation import Vocabulary
from reactree_core.skill_types import SkillKind
from reactree_core.skill_types import SkillType
from reactree_planner.agents.skills import SkillBook
from reactree_planner.instructions.asked import asks_of_names_only
from reactree_planner.instructions.names import Names
from reactree_planner.instructions.single_goal import read_single_goal

SKILLS = (
    SkillType('drive to <aisle>', ('region',), SkillKind.MOVE),
    SkillType('drive to <place>', ('place',), SkillKind.MOVE),
    SkillType('grip <crate>', ('thing',), SkillKind.TAKE, 'release <crate> onto <place>'),
    SkillType('release <crate> onto <place>', ('thing', 'place'), SkillKind.PUT),
    SkillType('open <bin>', ('place',), SkillKind.OPEN, 'close <bin>'),
    SkillType('close <bin>', ('place',), SkillKind.CLOSE, 'open <bin>'),
    SkillType('power up <pump>', ('name',), SkillKind.SWITCH_ON),
    SkillType('scan <crate>', ('thing',), SkillKind.CHANGE, '', ('<crate> is scanned',)),
    SkillType('say <text>'),
)
WAREHOUSE = Vocabulary(
    tuple(one.template for one in SKILLS),
    skill_types=SKILLS,
    object_classes=('crate', 'steel pallet'),
    place_classes=('shelf', 'bin', 'pump'),
    rooms=('aisle 1', 'aisle 2'),
    other_words=(('steel pallet', 'skid'),),
)


@pytest.fixture(scope='module')
def read():
    """Reads goals of the warehouse."""
    names = Names(WAREHOUSE)
    skills = SkillBook(WAREHOUSE, names)
    return lambda goal: read_single_goal(goal, names, skills)


@pytest.mark.parametrize(
    ('goal', 'kind', 'thing', 'destination', 'sources'),
    [
        ('put crate on shelf', SkillKind.PUT, 'crate', 'shelf', ()),
        ('put one crate onto the shelf 2.', SkillKind.PUT, 'crate', 'shelf 2', ()),
        ('Please bring the skid to bin 4', SkillKind.PUT, 'steel pallet', 'bin 4', ()),
        ('take crate 7 from bin 1 to shelf 2', SkillKind.PUT, 'crate 7', 'shelf 2', ('bin 1',)),
        ('find a crate and put it on the shelf', SkillKind.PUT, 'crate', 'shelf', ()),
        ('grip the crate, then release it onto shelf 1', SkillKind.PUT, 'crate', 'shelf 1', ()),
        ('put the crate down on top of the shelf', SkillKind.PUT, 'crate', 'shelf', ()),
        ('put the crate on the steel pallet', SkillKind.PUT, 'crate', 'steel pallet', ()),
        ('grip crate', SkillKind.TAKE, 'crate', '', ()),
        ('go and pick up a crate', SkillKind.TAKE, 'crate', '', ()),
        ('find and grip a crate in aisle 2', SkillKind.TAKE, 'crate', '', ()),
        ('take the crate out of bin 3', SkillKind.TAKE, 'crate', '', ('bin 3',)),
        ('look for a crate in the bin', SkillKind.MOVE, 'crate', '', ('bin',)),
        ('drive to aisle 1', SkillKind.MOVE, 'aisle 1', '', ()),
        ('open bin 2', SkillKind.OPEN, 'bin 2', '', ()),
        ('shut the bin', SkillKind.CLOSE, 'bin', '', ()),
        ('power up the pump', SkillKind.SWITCH_ON, 'pump', '', ()),
        ('switch the pump on', SkillKind.SWITCH_ON, 'pump', '', ()),
        ('start pump 1', SkillKind.SWITCH_ON, 'pump 1', '', ()),
        ('scan crate 3', SkillKind.CHANGE, 'crate 3', '', ()),
    ],
)
def test_what_one_goal_asks_is_read(read, goal, kind, thing, destination, sources):
    found = read(goal)
    assert found is not None
    assert (found.kind, found.thing.text) == (kind, thing)
    assert (found.destination.text if found.destination else '') == destination
    assert tuple(source.text for source in found.sources) == sources
    assert {one.kind for one in found.types} == {kind}


@pytest.mark.parametrize(
    'goal',
    [
        '',
        'load the truck',
        'crate',
        'crate on shelf',
        'put two crates on the shelf',
        'put crates on shelf',
        'put crate and steel pallet on shelf',
        'put every crate on the shelf',
        'put the red crate on the shelf',
        'put the crate on the shelf and close bin 1',
        'put the crate on the shelf and scan it',
        'put the crate under the shelf',
        'put the crate on the shelf in aisle 1',
        'bring the crate',
        'bring the crate to aisle 2',
        'run the pump',
        'leave the crate on the shelf',
        'grip aisle 1',
        'do not grip the crate',
        'grip the crate if it is light',
        'grip the crate without opening the bin',
        'Ann gripped the crate',
        'Tell Ann to grip the crate',
        'say crate',
        # Of these the robot has no skill.
        'switch off the pump',
        'weigh the crate',
    ],
)
def test_whatever_leaves_something_open_is_none(read, goal):
    assert read(goal) is None


@pytest.mark.parametrize(
    ('goal', 'further'),
    [
        ('put another crate on shelf', True),
        ('put a third crate on shelf', True),
        ('put the crate on the other shelf', False),
        ('put a crate on shelf', False),
    ],
)
def test_one_more_is_told_from_one(read, goal, further):
    assert read(goal).further is further


WORDS = [
    'put',
    'take',
    'find',
    'grip',
    'open',
    'shut',
    'turn',
    'power',
    'up',
    'on',
    'off',
    'in',
    'onto',
    'to',
    'from',
    'the',
    'a',
    'another',
    'it',
    'and',
    'then',
    'crate',
    'shelf',
    'bin',
    'pump',
    'skid',
    'crates',
    '1',
    '2',
    'two',
    'red',
    'please',
    'aisle',
    ',',
    '.',
    'not',
    'if',
]


@given(st.lists(st.sampled_from(WORDS), max_size=12).map(' '.join))
def test_any_words_are_read_and_what_is_found_stands_in_them(goal):
    names = Names(WAREHOUSE)
    found = read_single_goal(goal, names, SkillBook(WAREHOUSE, names))
    if found is None:
        return
    told = names.find(goal)
    assert found.thing in told
    assert all(place in told for place in (*found.sources, found.destination) if place)
    assert (found.destination is not None) == (found.kind is SkillKind.PUT)
    assert not {'two', 'red', 'not', 'if'} & set(goal.split())
    assert not re.search(r'\bcrates\b(?! \d)', goal)


@pytest.mark.parametrize(
    ('goal', 'only'),
    [
        ('put a crate on the shelf', True),
        ('take two crates and put them on the shelf, please', True),
        ('put a crate on the shelf, then go to bin 1', True),
        ('put a crate on the shelf and wave', False),
        ('put a crate on the shelf, and tell', False),
        ('dance, then put a crate on the shelf', False),
    ],
)
def test_a_part_without_a_name_asks_for_more(goal, only):
    names = Names(WAREHOUSE)
    assert asks_of_names_only(goal, names.find_all(goal)) is only


@pytest.mark.parametrize(
    ('goal', 'tool'),
    [
        ('paint the crate with the sprayer', 'sprayer'),
        ('paint crate 2 using sprayer 3', 'sprayer 3'),
        ('paint the crate', ''),
        ('paint the crate in the sprayer', 'sprayer'),
    ],
)
def test_a_change_may_name_its_tool(goal, tool):
    painting = SkillType('paint <crate> with <sprayer>', ('thing', 'thing'), SkillKind.CHANGE)
    vocabulary = replace(
        WAREHOUSE,
        templates=(*WAREHOUSE.templates, painting.template),
        skill_types=(*SKILLS, painting),
        object_classes=('crate', 'sprayer', 'paintsprayer'),
    )
    names = Names(vocabulary)
    found = read_single_goal(goal, names, SkillBook(vocabulary, names))
    assert found is not None and found.kind is SkillKind.CHANGE
    assert (found.tool.text if found.tool else '') == tool and found.sources == ()
    assert [one.name for one in names.sorts_of('sprayer')] == ['sprayer', 'paintsprayer']
    assert names.sorts_of('no class') == ()
