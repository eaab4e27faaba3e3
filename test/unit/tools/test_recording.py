"""Bags without ROS: written, torn, finished, found, and what goes into which."""

from __future__ import annotations

import os
import shutil
import struct
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reactree_core.errors import RecordingError
from reactree_tools.recording.bag_writing import (
    finish,
    finish_all,
    PART,
    UNFINISHED,
    UnfinishedBag,
)
from reactree_tools.recording.bags import find_bag, read_messages
from reactree_tools.recording.mcap_reading import RawMessage, read_unfinished, Topic
from reactree_tools.recording.run_bags import Mark, RunBags
from reactree_tools.viewer.sources import newest_run
from support.disk_space import room_for

WORDS = Topic('/words', 'std_msgs/msg/String', 'string data\n', depth=7, latched=True)
RUN = 'a' * 32
OTHER = 'b' * 32


def word(text: str, time: int = 1) -> RawMessage:
    """A std_msgs/String as it is on the wire."""
    data = text.encode() + b'\0'
    return RawMessage(WORDS, time, b'\0\1\0\0' + struct.pack('<I', len(data)) + data)


def word_data(text: str) -> bytes:
    return word(text).data


def words(bag: Path) -> list[str]:
    return [message.content.data for message in read_messages(bag)]


def record(folder: Path, texts: list[str]) -> Path:
    bag = UnfinishedBag(folder / f'run{UNFINISHED}' / PART)
    for time, text in enumerate(texts, 1):
        bag.write(word(text, time))
    bag.sync()
    bag.close()
    return bag.path


def test_what_was_recorded_becomes_a_bag_with_the_same_messages(tmp_path: Path) -> None:
    part = record(tmp_path, ['one', 'two'])
    assert [message.topic for message in read_unfinished(part)] == [WORDS, WORDS]
    bag = finish(part.parent)
    assert bag == tmp_path / 'run' and words(bag) == ['one', 'two']
    metadata = (bag / 'metadata.yaml').read_text()
    assert 'transient_local' in metadata and 'message_count: 2' in metadata
    assert not part.exists()


def test_only_the_user_can_read_a_bag_while_it_is_written_and_when_it_is_whole(
    tmp_path: Path,
) -> None:
    mask = os.umask(0)
    try:
        part = record(tmp_path / 'bags', ['one'])
        modes = [path.stat().st_mode & 0o777 for path in (part, part.parent, tmp_path / 'bags')]
        bag = finish(part.parent)
    finally:
        os.umask(mask)
    assert modes == [0o600, 0o700, 0o700]
    assert bag is not None and bag.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in bag.iterdir()} == {0o600}


def test_what_a_recorder_left_goes_only_when_the_bag_is_on_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A power failure right after the end of a run costs nothing."""
    part = record(tmp_path, ['one'])
    steps: list[tuple[str, str]] = []
    sync, rename, remove = os.fsync, Path.rename, shutil.rmtree

    def noted_sync(descriptor: int) -> None:
        steps.append(('sync', Path(f'/proc/self/fd/{descriptor}').readlink().name))
        sync(descriptor)

    def noted_rename(path: Path, target: Path) -> Path:
        steps.append(('rename', target.name))
        return rename(path, target)

    def noted_removal(path: Path, ignore_errors: bool = False) -> None:
        steps.append(('remove', path.name))
        remove(path, ignore_errors)

    monkeypatch.setattr(os, 'fsync', noted_sync)
    monkeypatch.setattr(Path, 'rename', noted_rename)
    monkeypatch.setattr(shutil, 'rmtree', noted_removal)
    assert finish(part.parent) == tmp_path / 'run'
    renamed = steps.index(('rename', 'run'))
    files = {('sync', 'metadata.yaml'), ('sync', 'run.mcap'), ('sync', 'run')}
    assert files <= set(steps[:renamed])
    parent = steps.index(('sync', tmp_path.name))
    assert renamed < parent < steps.index(('remove', part.parent.name))


TEXTS = [f'word {number}' for number in range(20)]


@settings(max_examples=40, deadline=None)
@given(cut=st.floats(0, 1), rubbish=st.binary(max_size=60))
def test_a_torn_bag_is_read_up_to_where_it_is_torn(
    tmp_path_factory: pytest.TempPathFactory, cut: float, rubbish: bytes
) -> None:
    folder = tmp_path_factory.mktemp('torn')
    part = record(folder, TEXTS)
    whole = part.read_bytes()
    kept = whole[: int(cut * len(whole))]
    part.write_bytes(kept + (b'\0' * len(rubbish)))  # a crash may leave zeros behind
    found = [message.data for message in read_unfinished(part)]
    assert found == list(map(word_data, TEXTS))[: len(found)]
    assert len(found) >= sum(data in kept for data in map(word_data, TEXTS)) - 1
    bag = finish(part.parent)
    assert (bag is not None) == bool(found)


def test_a_bag_under_way_is_left_alone(tmp_path: Path) -> None:
    bag = UnfinishedBag(tmp_path / f'run{UNFINISHED}' / PART)
    bag.write(word('hello'))
    with pytest.raises(RecordingError, match='being recorded'):
        find_bag('run', tmp_path)
    assert finish_all(tmp_path) == []
    bag.close()
    assert finish_all(tmp_path) == [tmp_path / 'run']


def test_every_run_has_a_bag_with_what_held_when_it_began(tmp_path: Path) -> None:
    told: list[Path] = []
    bags = RunBags(tmp_path, told.append)
    bags.surroundings(word('the world'), kept=True)
    bags.surroundings(word('long ago'), kept=False)
    bags.take(word('start a'), Mark(RUN, (1, False), 1), 0.0)
    bags.surroundings(word('meanwhile'), kept=False)
    bags.take(word('end a'), Mark(RUN, (2, False), 2, ends=True), 1.0)
    bags.tick(1.1)
    bags.take(word('tree of a'), Mark(RUN, None, 2), 1.2)
    bags.tick(2.0)
    assert told == [tmp_path / RUN]
    assert words(told[0]) == ['the world', 'start a', 'meanwhile', 'end a', 'tree of a']
    bags.take(word('start b'), Mark(OTHER, (1, False), 1), 3.0)
    bags.close()
    assert words(tmp_path / OTHER) == ['the world', 'start b']


def test_a_resumed_run_is_recorded_once(tmp_path: Path) -> None:
    bags = RunBags(tmp_path)
    events = [('1', (1, False)), ('2', (2, False)), ('seen', (2, True))]
    for text, key in events:
        bags.take(word(text), Mark(RUN, key, key[0]), 0.0)
    for text, key in events:
        bags.take(word(text), Mark(RUN, key, key[0]), 0.0)
        bags.take(word('old tree'), Mark(RUN, None, key[0] - 1), 0.0)
    # Of two topics the later event may be heard of first.
    bags.take(word('seen then'), Mark(RUN, (3, True), 3), 0.0)
    bags.take(word('resumed'), Mark(RUN, (2, 2, 77, 0), 2), 0.0)
    bags.take(word('3'), Mark(RUN, (3, False), 3), 0.0)
    bags.close()
    assert words(tmp_path / RUN) == ['1', '2', 'seen', 'seen then', 'resumed', '3']


def test_a_run_that_ended_is_not_recorded_again_by_the_next_recorder(tmp_path: Path) -> None:
    for _ in range(2):
        bags = RunBags(tmp_path)
        bags.take(word('end'), Mark(RUN, (1, False), 1, ends=True), 0.0)
        bags.close()
    assert [path.name for path in tmp_path.iterdir()] == [RUN]


LONG = 'x' * 100_000


def test_a_full_disk_costs_only_what_does_not_fit(tmp_path: Path) -> None:
    """The first message of a topic, too, with which its definition comes."""
    bags = RunBags(tmp_path)
    with room_for(10_000):
        for number, text in enumerate((LONG, 'one', LONG, 'two'), 1):
            try:
                bags.take(word(text), Mark(RUN, (number, False), number), 0.0)
            except RecordingError:
                assert text is LONG
            else:
                assert text is not LONG
    bags.take(word(LONG), Mark(RUN, (5, False), 5, ends=True), 0.0)
    bags.close()
    assert words(tmp_path / RUN) == ['one', 'two', LONG]


def test_when_there_is_room_again_the_next_run_is_recorded_whole(tmp_path: Path) -> None:
    bags = RunBags(tmp_path)
    bags.take(word('start a'), Mark(RUN, (1, False), 1), 0.0)
    with room_for(0):
        for number in (2, 3):
            with pytest.raises(RecordingError):
                bags.take(word('lost'), Mark(RUN, (number, False), number, ends=True), 0.0)
        with pytest.raises(RecordingError):
            bags.tick(60.0)
        for number in (1, 2):
            with pytest.raises(RecordingError):
                bags.take(word('lost'), Mark('c' * 32, (number, False), number), 61.0)
    bags.take(word('start b'), Mark(OTHER, (1, False), 1), 62.0)
    bags.close()
    assert words(tmp_path / OTHER) == ['start b']
    assert words(find_bag(RUN, tmp_path)) == ['start a']
    assert {bag.name for bag in tmp_path.iterdir()} == {RUN, OTHER}


def test_a_run_of_which_something_is_lost_is_recorded_anew_by_the_next_recorder(
    tmp_path: Path,
) -> None:
    bags = RunBags(tmp_path)
    bags.take(word('start'), Mark(RUN, (1, False), 1), 0.0)
    with room_for(0), pytest.raises(RecordingError):
        bags.take(word('step'), Mark(RUN, (2, False), 2), 0.0)
    bags.take(word('end'), Mark(RUN, (3, False), 3, ends=True), 0.0)
    bags.close()
    again = RunBags(tmp_path)
    for number, text in enumerate(('start', 'step', 'end'), 1):
        again.take(word(text), Mark(RUN, (number, False), number), 0.0)
    again.close()
    assert words(tmp_path / RUN) == ['start', 'end']
    assert words(tmp_path / f'{RUN}_2') == ['start', 'step', 'end']


def test_a_run_whose_first_event_is_lost_is_recorded_anew_by_the_next_recorder(
    tmp_path: Path,
) -> None:
    bags = RunBags(tmp_path)
    events = [Mark(RUN, (number, False), number, ends=number == 2) for number in (1, 2)]
    (tmp_path / f'{RUN}.recording').touch()
    with pytest.raises(RecordingError):
        bags.take(word('start'), events[0], 0.0)
    (tmp_path / f'{RUN}.recording').unlink()
    bags.take(word('end'), events[1], 0.0)
    bags.close()
    again = RunBags(tmp_path)
    for text, event in zip(('start', 'end'), events, strict=True):
        again.take(word(text), event, 0.0)
    again.close()
    assert words(tmp_path / RUN) == ['end']
    assert words(tmp_path / f'{RUN}_2') == ['start', 'end']


def test_a_bag_that_cannot_be_finished_does_not_cost_the_begin_of_the_next(tmp_path: Path) -> None:
    bags = RunBags(tmp_path)
    bags.take(word(LONG), Mark(RUN, (1, False), 1), 0.0)
    with room_for(10_000), pytest.raises(RecordingError, match='cannot be finished'):
        bags.take(word('start b'), Mark(OTHER, (1, False), 1), 1.0)
    bags.take(word('more of b'), Mark(OTHER, (2, False), 2), 2.0)
    bags.close()
    assert words(tmp_path / OTHER) == ['start b', 'more of b']
    assert words(find_bag(RUN, tmp_path)) == [LONG]


def test_a_bag_is_found_by_folder_by_the_begin_of_its_name_and_as_the_last(tmp_path: Path) -> None:
    bags = RunBags(tmp_path)
    for run_id in (RUN, OTHER):
        bags.take(word(run_id), Mark(run_id, (1, False), 1), 0.0)
    bags.close()
    assert find_bag(str(tmp_path / RUN), Path('nowhere')) == tmp_path / RUN
    assert (
        find_bag('bb', tmp_path) == tmp_path / OTHER == newest_run(tmp_path / 'none', tmp_path).bag
    )
    for name, words_of_error in (('c', 'no bag'), ('', '2 bags')):
        with pytest.raises(RecordingError, match=words_of_error):
            find_bag(name or 'x', tmp_path) if name else _several(tmp_path)


def test_a_run_that_was_recorded_twice_is_found_by_its_whole_id(tmp_path: Path) -> None:
    for name in (RUN, f'{RUN}_2'):
        (tmp_path / name).mkdir()
        (tmp_path / name / 'metadata.yaml').touch()
    assert find_bag(RUN, tmp_path).name == RUN
    assert find_bag(f'{RUN}_', tmp_path).name == f'{RUN}_2'
    with pytest.raises(RecordingError, match='2 bags begin with'):
        find_bag(RUN[:8], tmp_path)


def _several(folder: Path) -> None:
    (folder / RUN).rename(folder / f'b{RUN[1:]}')
    find_bag('b', folder)


def test_what_is_no_bag_is_told(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match=r'no \.mcap or \.db3 file'):
        list(read_messages(find_bag(str(tmp_path), tmp_path)))
    (tmp_path / 'bag.bag').write_text('#ROSBAG V2.0')
    with pytest.raises(RecordingError, match=r'give an \.mcap or \.db3 file of ROS 2'):
        find_bag(str(tmp_path / 'bag.bag'), tmp_path)
    (tmp_path / 'metadata.yaml').write_text('nonsense')
    with pytest.raises(RecordingError):
        list(read_messages(tmp_path))
