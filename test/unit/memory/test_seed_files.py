"""Files of example experiences."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_server.episodic.episodic_memory import EpisodicMemory
from memory_server.seed.loader import (
    parse_experiences,
    read_folder,
    shipped_experiences,
    write_experiences,
)
from memory_server.store.sqlite_store import SqliteStore
from memory_server.trajectory import Act, Trajectory, write_trajectory
from reactree_core.embedding.encoders import HashingEmbedder
from reactree_core.errors import ConfigurationError
from reactree_core.experience import Experience, Termination

EXAMPLES = Path(__file__).parent / 'examples'
LABELS = st.text('ab: #=-ä', max_size=8).map(str.strip)


@st.composite
def experiences(draw):
    goal = draw(st.lists(st.text('abc', min_size=1), min_size=1, max_size=2).map('\n'.join))
    done = draw(st.booleans())
    blocks = (Act('look', 'You see nothing\n\nat all'), Act('done' if done else 'failure'))
    return Experience(
        experience_id='',
        goal=goal,
        trajectory=write_trajectory(Trajectory(goal, 'You are in the house.', blocks)),
        termination=Termination.SUCCESS if done else Termination.FAILURE,
        run_id=draw(LABELS.filter(bool)),
        task_type=draw(LABELS),
        planner=draw(LABELS),
        model=draw(LABELS),
        tokens=draw(st.integers(0, 10**6)),
    )


def test_the_examples_are_read_in_order():
    found = read_folder(EXAMPLES)
    assert [item.termination for item in found] == [
        Termination.EXPAND,
        Termination.SUCCESS,
        Termination.FAILURE,
    ]
    assert [item.task_type for item in found] == ['put_fridge', 'put_fridge', 'prepare_snack']
    assert found[1].goal == 'find and pick up the juice'
    assert found[1].trajectory.startswith('Your task is to: find and pick up the juice\nYou are')
    assert found[1].trajectory.endswith('Act: done')
    assert found[1].tokens == 180
    assert found[2].goal == 'find the chips in kitchen 1.\nBring nothing else.'
    assert {item.run_id for item in found} == {'seed'}
    assert len({item.experience_id for item in found}) == 3


@settings(max_examples=200)
@given(st.lists(experiences(), max_size=3))
def test_what_is_written_reads_back(items):
    found = parse_experiences(write_experiences(items))
    assert [replace(item, experience_id='') for item in found] == items


def test_the_id_follows_the_content():
    (one, *_), (same, *_) = read_folder(EXAMPLES), read_folder(EXAMPLES)
    assert one.experience_id == same.experience_id
    text = write_experiences([one])
    (moved,) = parse_experiences(f'a comment\n\n{text}')
    (other,) = parse_experiences(text.replace('juice', 'milk'))
    assert moved.experience_id == one.experience_id != other.experience_id


def test_importing_again_stores_nothing_new():
    memory = EpisodicMemory(SqliteStore(None), HashingEmbedder())
    assert memory.store(read_folder(EXAMPLES)).stored == 3
    assert memory.store(read_folder(EXAMPLES)).known == 3


def test_a_published_file_without_header_is_one_experience():
    (found,) = parse_experiences(
        'Your primary goal is to: p\nTo achieve this, ...\nYour task is to: g\n'
        'You are in the house.\nAct: done\n'
    )
    assert (found.goal, found.termination) == ('g', Termination.SUCCESS)
    assert found.trajectory == 'Your task is to: g\nYou are in the house.\nAct: done'
    assert found.context == 'Your primary goal is to: p\nTo achieve this, ...'
    assert parse_experiences(write_experiences([found], whole=True)) == (found,)
    assert parse_experiences('\n') == ()


@pytest.mark.parametrize(
    ('text', 'says'),
    [
        ('=== experience\n', 'f:2: termination is'),
        ('=== experience\ntermination: maybe\n\n', "f:2: termination is 'maybe', none of"),
        ('=== experience\ncolour: red\n', 'f:2: expected one of termination, task_type'),
        ('x\n=== experience\ntermination: success\ntermination: expand\n', 'f:4: a second'),
        ('=== experience\ntokens: few\n', "f:2: tokens is 'few', no whole number"),
        ('=== experience\ntermination: success\n\nYour goal: x\n', "no line begins with 'Your"),
        (
            '=== experience\ntermination: success\n\n\nYour task is to: x\nAct:  \n',
            'f:6: the act names no skill',
        ),
        (
            '=== experience\ntermination: success\n\nYour task is to: x\nAct: failure\n',
            'f:2: termination is success, but the trajectory ends with failure',
        ),
    ],
)
def test_what_is_wrong_is_named_with_file_and_line(text, says):
    with pytest.raises(ConfigurationError) as caught:
        parse_experiences(text, 'f')
    assert says in str(caught.value)


def test_an_experience_that_contradicts_itself_is_not_written():
    (item, *_) = read_folder(EXAMPLES)
    for broken in (
        replace(item, goal='another'),
        replace(item, task_type='two\nlines'),
        replace(item, termination=Termination.SUCCESS),
        replace(item, trajectory='no form'),
    ):
        with pytest.raises(ConfigurationError):
            write_experiences([broken])


def test_a_missing_folder_and_a_file_that_is_no_text_are_named(tmp_path):
    with pytest.raises(ConfigurationError, match='there is no folder'):
        read_folder(tmp_path / 'missing')
    (tmp_path / 'x.txt').write_bytes(b'\xff\xfe\x00')
    with pytest.raises(ConfigurationError, match=r'x\.txt'):
        read_folder(tmp_path)


def test_the_shipped_experiences_can_be_read():
    for item in shipped_experiences():
        assert item.run_id == 'seed'
        assert item.goal in item.trajectory
