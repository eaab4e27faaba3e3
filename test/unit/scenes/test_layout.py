"""Boxes, places and dice."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sim_bridge.worlds.household.scenes import layout
from sim_bridge.worlds.household.scenes.floor_plan import Room
from sim_bridge.worlds.household.scenes.geometry import Box
from sim_bridge.worlds.household.scenes.seeded_random import SeededRandom

seeds = st.integers(0, 2**63)
lengths = st.floats(0.05, 3.0)
sizes = st.tuples(lengths, lengths, lengths)


@given(seeds, st.lists(st.tuples(st.integers(), st.floats(0.1, 5.0)), min_size=1))
def test_weighted_dice_give_an_option(seed: int, options: list[tuple[int, float]]) -> None:
    assert SeededRandom(seed, 'test').weighted(options) in [option for option, _ in options]


@given(seeds, st.lists(st.integers()))
def test_shuffling_keeps_what_is_there(seed: int, options: list[int]) -> None:
    assert sorted(SeededRandom(seed, 'test').shuffled(options)) == sorted(options)


@given(seeds, st.integers(-50, 50), st.integers(0, 100))
def test_whole_numbers_stay_within_their_ends(seed: int, low: int, span: int) -> None:
    assert low <= SeededRandom(seed, 'test').integer(low, low + span) <= low + span


def test_dice_are_the_same_on_every_machine() -> None:
    dice = SeededRandom(7, 'test')
    assert [dice.integer(0, 99) for _ in range(5)] == [21, 84, 27, 45, 1]


def test_purposes_are_independent() -> None:
    assert SeededRandom(7, 'one').between(0, 1) != SeededRandom(7, 'other').between(0, 1)


@given(sizes, sizes, st.tuples(*[st.floats(-4, 4)] * 3))
def test_overlap_is_symmetrical(
    one: layout.Size, other: layout.Size, shift: tuple[float, float, float]
) -> None:
    first, second = Box(0, 0, 0, *one), Box(*shift, *other)
    assert first.overlaps(second) == second.overlaps(first)
    assert first.overlaps(first)


@given(seeds, sizes, sizes)
def test_what_is_laid_in_a_container_is_within_it(
    seed: int, holder: layout.Size, size: layout.Size
) -> None:
    host = Box(1.0, 2.0, 3.0, *holder)
    box = layout.within(SeededRandom(seed, 'test'), host, size, [])
    assert box is None or host.contains(box)


@given(seeds, sizes, sizes)
def test_what_is_laid_on_a_top_stands_on_it(
    seed: int, holder: layout.Size, size: layout.Size
) -> None:
    host = Box(1.0, 2.0, 3.0, *holder)
    box = layout.on_top(SeededRandom(seed, 'test'), host, size, [], seat=False)
    assert box is None or abs(box.bottom - host.top) < 1e-9


@given(seeds, sizes)
def test_furniture_along_a_wall_is_in_the_room_and_clear_of_others(
    seed: int, size: layout.Size
) -> None:
    room = Room('kitchen', Box(0.0, 1.25, 0.0, 5.0, 2.5, 4.0))
    other = Box(0.0, 0.5, 0.0, 1.0, 1.0, 1.0)
    box = layout.along_wall(SeededRandom(seed, 'test'), room, size, [other])
    if box is not None:
        assert not box.overlaps(other)
        assert room.box.west <= box.west and box.east <= room.box.east
        assert room.box.south <= box.south and box.north <= room.box.north


def test_a_full_surface_takes_nothing_more() -> None:
    host = Box(0.0, 0.5, 0.0, 0.3, 1.0, 0.3)
    taken = [Box(0.0, 1.1, 0.0, 0.3, 0.2, 0.3)]
    assert layout.on_top(SeededRandom(1, 'test'), host, (0.2, 0.1, 0.2), taken, seat=False) is None


def test_a_seat_is_lower_than_its_back() -> None:
    sofa = Box(0.0, 0.4, 0.0, 2.0, 0.8, 0.9)
    box = layout.on_top(SeededRandom(1, 'test'), sofa, (0.2, 0.1, 0.2), [], seat=True)
    assert box is not None and abs(box.bottom - 0.4) < 1e-9
