"""Pictures of a house from where one stands."""

from __future__ import annotations

import numpy as np
import pytest

from reactree_core.errors import ConfigurationError
from reactree_core.observation import Outcome
from sim_bridge.pictures import Cameras
from sim_bridge.worlds.procworld.generator import generated_house
from sim_bridge.worlds.procworld.house import House, Location, Room, Thing
from sim_bridge.worlds.procworld.panorama import before, panorama
from sim_bridge.worlds.registry import make_world

#: 6 x 6 m, the robot in the middle: a fridge towards greater x, a location towards smaller z.
HALL = House(
    0,
    (Room('hall 1', ((0.0, 0.0), (6.0, 0.0), (6.0, 6.0), (0.0, 6.0))),),
    (),
    (Thing('fridge 1', 'fridge', 'hall 1', at=(5.0, 3.0), fixed=True),),
    (Location('loc 1', (3.0, 3.0), 'hall 1'), Location('loc 2', (3.0, 1.0), 'hall 1')),
    'loc 1',
)


def seen(house, at=(3.0, 3.0), room='hall 1', near=(), size=(800, 200), gone=(), **shown):
    picture = panorama(house, at, room, near, *size, gone, **shown)
    return np.frombuffer(picture.data, np.uint8).reshape(picture.height, picture.width, 3)


def changed(one, other):
    """Which of the four views differ."""
    return [bool(part.any()) for part in np.split(one != other, 4, axis=1)]


def test_things_are_in_the_view_towards_them():
    with_it, without = seen(HALL), seen(HALL, gone=('fridge 1',))
    assert changed(with_it, without) == [False, True, False, False]


def test_what_can_be_gone_to_has_a_label_or_a_marker():
    assert changed(seen(HALL), seen(HALL, near=('fridge 1',))) == [False, True, False, False]
    assert changed(seen(HALL), seen(HALL, near=('loc 2',))) == [False, False, True, False]


def test_what_is_open_and_what_lies_in_it_is_seen():
    closed = seen(HALL)
    opened = seen(HALL, opened=('fridge 1',))
    filled = seen(HALL, opened=('fridge 1',), inside={'fridge 1': ['apple', 'mug']})
    assert changed(closed, opened) == [False, True, False, False]
    assert changed(opened, filled) == [False, True, False, False]
    assert changed(closed, seen(HALL, inside={'fridge 1': ['apple']})) == [
        False,
        True,
        False,
        False,
    ]


def test_a_faced_thing_is_seen_from_before_it():
    assert before(HALL, (5.0, 3.0), 'hall 1') == pytest.approx((3.8, 3.0))
    # Where all locations are near: not from the farthest of them, which is to be seen, too.
    x, z = before(HALL, (3.5, 2.5), 'hall 1')
    assert (x, z) not in ((3.0, 3.0), (3.0, 1.0)) and z < 2.5
    world = make_world('procworld', step_limit=0)
    world.reset('generated:6', '', 0)
    closed, opened = 0, 0
    for skill in ('go to fridge 1', 'open fridge 1'):
        assert world.step(skill).outcome is Outcome.SUCCEEDED
        closed, opened = opened, world.picture(-1, 800, 200)
    assert closed != opened


def test_nearer_is_larger():
    def extent(at):
        difference = seen(HALL, at) != seen(HALL, at, gone=('fridge 1',))
        return difference.any(axis=2).sum()

    assert extent((3.5, 3.0)) > 2 * extent((1.0, 3.0))


def test_walls_hide_what_is_behind_them():
    walled = House(
        0,
        (
            Room('hall 1', ((0.0, 0.0), (4.0, 0.0), (4.0, 6.0), (0.0, 6.0))),
            Room('hall 2', ((4.0, 0.0), (6.0, 0.0), (6.0, 6.0), (4.0, 6.0))),
        ),
        (),
        (Thing('fridge 1', 'fridge', 'hall 2', at=(5.0, 3.0), fixed=True),),
        HALL.locations,
        'loc 1',
    )
    assert not any(changed(seen(walled), seen(walled, gone=('fridge 1',))))
    joined = House(**{**vars_of(walled), 'openings': (('hall 1', 'hall 2'),)})
    assert changed(seen(joined), seen(joined, gone=('fridge 1',)))[1]
    # Without a wall between them, the two look like one hall.
    assert (seen(joined) == seen(HALL)).all()


def vars_of(house):
    return {name: getattr(house, name) for name in House.__dataclass_fields__}


def test_every_place_of_a_house_has_a_picture():
    house = generated_house(6)
    near = {*house.location, *(thing.name for thing in house.things if thing.at)}
    for spot in (*house.locations, *(thing for thing in house.things if thing.at)):
        assert seen(house, spot.at, spot.room, near, (320, 80)).shape == (80, 320, 3)


@pytest.mark.parametrize('size', [(159, 100), (800, 59), (5000, 100)])
def test_sizes_are_bounded(size):
    with pytest.raises(ConfigurationError, match='a panorama has 160 to'):
        seen(HALL, size=size)


def test_in_visual_mode_texts_tell_only_what_can_be_done():
    world = make_world('procworld', visual=True)
    told = world.reset('generated:6', '', 0)
    assert told.text.startswith('Succeeded. You can: ') and not told.facts
    skill = next(one for one in told.admissible_skills if one.startswith('go to loc'))
    before = world.picture(-3, 800, 200)
    told = world.step(skill)
    assert told.outcome is Outcome.SUCCEEDED and not told.facts and not told.looked_at
    assert world.picture(-1, 800, 200).data != before.data
    assert world.step('go to the moon').text.startswith('Nothing happens. You can: ')
    assert isinstance(world, Cameras)


def test_a_picture_needs_a_place_to_stand():
    with pytest.raises(ConfigurationError, match='visual needs a reach in metres'):
        make_world('procworld', reach='inf', visual=True)
    world = make_world('procworld', reach='inf')
    world.reset('generated:6', '', 0)
    with pytest.raises(ConfigurationError, match='pictures need a reach'):
        world.picture(0, 800, 200)
    with pytest.raises(ConfigurationError, match='there is one camera'):
        make_world('procworld').picture(3, 800, 200)
