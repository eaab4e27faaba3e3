"""The published text form: what is written reads back, what is wrong is named with its line."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_server.trajectory import (
    Act,
    CONTROL_FLOWS,
    Expansion,
    parse_trajectory,
    Thought,
    Trajectory,
    write_trajectory,
)
from reactree_core.errors import ConfigurationError
from reactree_core.experience import Termination

EXPANDED = """\
Your primary goal is to: tidy up
To achieve this, you should perform your sibling tasks in sequence. At this level, your \
sibling tasks are: a, and b.
Your task is to: put the juice in the fridge
You are in the house. You are in the middle of a kitchen (1).
Think: First the juice, then the fridge.
OK.
Expand:
- control flow: sequence
- subgoals: find the juice, put down the juice
OK."""

WORDS = st.text('abc 1.,:-äß苹\u2028', min_size=1, max_size=12)
TEXTS = st.lists(st.text('abc :-Y', max_size=8), max_size=3).map('\n'.join).map(str.strip)
BLOCKS = st.one_of(
    st.builds(Thought, WORDS, st.sampled_from(['OK.', ''])),
    st.builds(Act, WORDS.filter(str.strip), TEXTS),
    st.builds(
        Expansion,
        st.sampled_from(CONTROL_FLOWS),
        st.lists(st.text('abc', min_size=1), min_size=1, max_size=4).map(tuple),
        st.sampled_from(['OK.', '']),
    ),
)
TRAJECTORIES = st.builds(
    Trajectory,
    st.lists(st.text('abc', min_size=1), min_size=1, max_size=3).map('\n'.join),
    TEXTS,
    st.lists(BLOCKS, max_size=5).map(tuple),
    TEXTS,
)


@settings(max_examples=300)
@given(TRAJECTORIES)
def test_what_is_written_reads_back(trajectory):
    text = write_trajectory(trajectory)
    assert parse_trajectory(text, trajectory.goal.count('\n') + 1) == trajectory


@settings(max_examples=300)
@given(
    st.lists(
        st.sampled_from(
            [
                'Your task is to: x',
                'Think: y',
                'OK.',
                'Act: done',
                'Act: ',
                'Expand:',
                '',
                '- control flow: parallel',
                '- control flow: all',
                '- subgoals: a, b',
                'You see z',
            ]
        ),
        max_size=12,
    ).map('\n'.join)
)
def test_any_text_is_read_and_kept_or_refused_with_its_line(text):
    try:
        trajectory = parse_trajectory(text, 1, 'file.txt')
    except ConfigurationError as error:
        assert str(error).startswith('file.txt:')
    else:
        once = write_trajectory(trajectory)
        assert parse_trajectory(once, 1) == trajectory
        assert [line for line in once.split('\n') if line] == [
            line for line in text.split('\n') if line
        ]


def test_blocks_are_taken_apart():
    trajectory = parse_trajectory(EXPANDED)
    assert trajectory.goal == 'put the juice in the fridge'
    assert trajectory.opening.startswith('You are in the house.')
    assert trajectory.context.startswith('Your primary goal is to: tidy up\n')
    assert trajectory.blocks == (
        Thought('First the juice, then the fridge.'),
        Expansion('sequence', ('find the juice', 'put down the juice')),
    )
    assert trajectory.termination is Termination.EXPAND
    assert write_trajectory(trajectory) == EXPANDED


@pytest.mark.parametrize(
    ('ending', 'termination'),
    [
        ('Act: done', Termination.SUCCESS),
        ('Act: failure', Termination.FAILURE),
        ('Act: go to kitchen 1\nMax steps', Termination.FAILURE),
        ('', Termination.FAILURE),
    ],
)
def test_the_last_block_tells_how_a_node_ended(ending, termination):
    assert parse_trajectory(f'Your task is to: x\nYou see y\n{ending}').termination is termination


def test_a_goal_of_several_lines_ends_at_the_published_first_observation():
    text = 'Your task is to: one\ntwo\nYou are in the house.\nYou are in a room.\nAct: done'
    trajectory = parse_trajectory(text, openings=('You are in ',))
    assert trajectory.goal == 'one\ntwo'
    assert trajectory.opening == 'You are in the house.\nYou are in a room.'
    assert parse_trajectory(text, goal_lines=1).goal == 'one'


def test_line_endings_of_other_systems_are_read():
    assert parse_trajectory(EXPANDED.replace('\n', '\r\n')) == parse_trajectory(EXPANDED)


@pytest.mark.parametrize(
    ('text', 'says'),
    [
        ('', "t:1: no line begins with 'Your task is to: '"),
        ('Your task is to:  ', 't:1: the goal is empty'),
        ('Your task is to: x\nAct:  ', 't:2: the act names no skill'),
        ('Your task is to: x\nExpand:\n- control flow: any', "t:3: control flow 'any' is none"),
        ('Your task is to: x\nExpand:\nOK.', "t:3: expected '- control flow: ', found 'OK.'"),
        ('Your task is to: x\nExpand:', 't:2: expected'),
        (
            'Your task is to: x\nExpand:\n- control flow: parallel\n- subgoals: a, ',
            't:4: a subgoal is empty',
        ),
    ],
)
def test_what_is_wrong_is_named_with_its_line(text, says):
    with pytest.raises(ConfigurationError) as caught:
        parse_trajectory(text, source='t')
    assert says in str(caught.value)


@pytest.mark.parametrize(
    'trajectory',
    [
        Trajectory(''),
        Trajectory('x', blocks=(Thought('a\nb'),)),
        Trajectory('x', blocks=(Act('look', 'Act: done'),)),
        Trajectory('x', blocks=(Expansion('parallel', ('a, b',)),)),
        Trajectory('x', blocks=(Expansion('parallel', ()),)),
        Trajectory('x', opening='You see\n'),
        Trajectory('x', context='Your task is to: y'),
    ],
)
def test_what_would_read_back_differently_is_not_written(trajectory):
    with pytest.raises(ConfigurationError):
        write_trajectory(trajectory)
