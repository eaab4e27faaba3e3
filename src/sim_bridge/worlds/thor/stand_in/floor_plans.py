"""A floor plan as a scene: what files say of it, and what has to be guessed from that."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from statistics import median

from sim_bridge.worlds.household.scenes.seeded_random import SeededRandom
from sim_bridge.worlds.thor.stand_in.classes import object_class, SURFACES
from sim_bridge.worlds.thor.stand_in.evidence import Evidence, is_movable, Pose
from sim_bridge.worlds.thor.stand_in.handling import free_spot
from sim_bridge.worlds.thor.stand_in.scene import (
    AGENT_HEIGHT,
    Box,
    box_at,
    GRID,
    id_of,
    name_of,
    parent_for,
    Place,
    Scene,
    Start,
    Thing,
    thing_at,
)
from sim_bridge.worlds.thor.stand_in.stocking import stock

#: Metres that a surface grows at most to be under what lay on it.
_GROWS = 1.5
_SHRINK = 0.8
#: What stands on a surface where no file says where: class -> surfaces it is looked for on.
_ON = {
    'Toaster': ('CounterTop', 'DiningTable'),
    'CoffeeMachine': ('CounterTop', 'DiningTable'),
    'Microwave': ('CounterTop', 'DiningTable'),
    'StoveBurner': ('CounterTop',),
    'StoveKnob': ('CounterTop',),
    'DeskLamp': ('Desk', 'SideTable', 'Dresser', 'Shelf', 'DiningTable', 'CoffeeTable'),
    'Lamp': ('SideTable', 'Dresser', 'Desk'),
    'HousePlant': ('CounterTop', 'Dresser', 'CoffeeTable', 'Desk', 'SideTable', 'Shelf'),
    'Television': ('TVStand', 'Dresser', 'Desk'),
}
_COUNTS = {'StoveBurner': 4, 'StoveKnob': 4, 'Chair': 2}
#: Height of what hangs on walls.
_HANGS = {
    'Blinds': 1.6, 'Curtains': 1.3, 'HandTowelHolder': 1.3, 'LightSwitch': 1.3, 'Mirror': 1.6,
    'Painting': 1.6, 'Poster': 1.6, 'ShowerHead': 1.9, 'ShowerCurtain': 1.1, 'Television': 1.3,
    'ToiletPaperHanger': 0.7, 'TowelHolder': 1.2, 'Window': 1.5, 'Cabinet': 0.5, 'Drawer': 0.6,
    'Shelf': 0.9, 'Microwave': 1.3, 'CounterTop': 0.92, 'Sink': 0.85,
}  # fmt: skip


def floor_plan(name: str, evidence: Evidence, seed: int) -> Scene:
    """The scene of a floor plan.

    :param evidence: what files say of it. :param seed: decides what no file says.
    """
    random = SeededRandom(seed, f'thor stand-in {name}')
    fixed = [
        thing_at(class_name, place, name_of(class_name, f'{name} {key}'), key)
        for key, (class_name, place) in sorted(evidence.fixed.items())
    ]
    for thing in fixed:
        thing.box = _standing(thing, evidence.reachable)
    poses = [pose for episode in evidence.episodes for pose in episode]
    _fit(fixed, evidence, poses)
    guessed = _add_missing(name, fixed, evidence, random)
    movable = _first_poses(poses)
    things = [*fixed, *(_movable(pose) for pose in movable)]
    receptacles = [one for one in fixed if one.is_a('receptacle')]
    for thing in things[len(fixed) :]:
        parent = parent_for(thing, receptacles)
        thing.parent = parent.object_id if parent else ''
    scene = Scene(name, things, evidence.reachable, _start(evidence), guessed > 0)
    known = {thing.class_name for thing in things}
    stock(scene, [one for one in evidence.classes if is_movable(one) and one not in known], random)
    return scene


def _start(evidence: Evidence) -> Start:
    if evidence.start is not None:
        x, z, rotation, horizon = evidence.start
        return Start((x, AGENT_HEIGHT, z), rotation % 360.0, horizon)
    middle = [median(values) for values in zip(*evidence.reachable, strict=True)]
    x, z = min(evidence.reachable, key=lambda point: math.dist(point, middle))
    return Start((x, AGENT_HEIGHT, z), 0.0, 30.0)


def _standing(thing: Thing, points: Iterable[tuple[float, float]]) -> Box:
    """The box of a thing: turned, and made smaller, until nobody stands in it."""
    best: tuple[int, Box] | None = None
    near = [point for point in points if math.dist(point, thing.position[::2]) < 2.0]
    for turned in (False, True):
        box = box_at(thing.class_name, thing.position, turned)
        inside = sum(box.aside((x, 0.0, z)) < 0.05 for x, z in near)
        if best is None or inside < best[0]:
            best = inside, box
    assert best is not None
    inside, box = best
    if box.low[1] > 1.9:
        return box
    for _ in range(6):
        if not inside:
            break
        box = _smaller(box, thing.position)
        inside = sum(box.aside((x, 0.0, z)) < 0.05 for x, z in near)
    return box


def _smaller(box: Box, around: Place) -> Box:
    x, _, z = around
    low = (x + (box.low[0] - x) * _SHRINK, box.low[1], z + (box.low[2] - z) * _SHRINK)
    high = (x + (box.high[0] - x) * _SHRINK, box.high[1], z + (box.high[2] - z) * _SHRINK)
    return Box(low, high)


def _fit(fixed: list[Thing], evidence: Evidence, poses: Iterable[Pose]) -> None:
    """Make boxes of receptacles such that what lay in them is in or on them."""
    lay: dict[str, list[tuple[str, Place]]] = {
        thing.object_id: [*evidence.contents.get(thing.object_id, ())] for thing in fixed
    }
    for thing in fixed:
        _cover(thing, lay[thing.object_id])
    receptacles = [one for one in fixed if one.is_a('receptacle')]
    more: dict[str, list[tuple[str, Place]]] = {}
    for pose in poses:
        parent = parent_for(_movable(pose), receptacles)
        if parent is not None:
            more.setdefault(parent.object_id, []).append((pose.class_name, pose.position))
    for thing in receptacles:
        _cover(thing, more.get(thing.object_id, []), raised=bool(lay[thing.object_id]))


def _cover(thing: Thing, lay: list[tuple[str, Place]], raised: bool = False) -> None:
    if not lay:
        return
    if thing.class_name in SURFACES and not raised:
        # Things rest on the surface: its height is where their lower sides are.
        rests = median(place[1] - object_class(name).size[1] / 2 for name, place in lay)
        low = min(thing.box.low[1], rests - 0.04)
        thing.box = Box(
            (thing.box.low[0], low, thing.box.low[2]),
            (thing.box.high[0], rests, thing.box.high[2]),
        )
    for _, place in lay:
        if thing.box.aside(place) <= _GROWS:
            thing.box = thing.box.with_point(place)
        if thing.class_name not in SURFACES and thing.box.apart(place) <= _GROWS:
            near, far = thing.box.low, thing.box.high
            thing.box = Box(
                (near[0], min(near[1], place[1] - 0.02), near[2]),
                (far[0], max(far[1], place[1] + 0.02), far[2]),
            )


def _movable(pose: Pose) -> Thing:
    thing = thing_at(pose.class_name, pose.position, pose.name)
    thing.rotation = pose.rotation
    return thing


def _first_poses(poses: Iterable[Pose]) -> list[Pose]:
    """One pose for each name, and for each place."""
    names: dict[str, Pose] = {}
    for pose in poses:
        names.setdefault(pose.name, pose)
    places = {id_of(pose.class_name, pose.position): pose for pose in names.values()}
    return [*places.values()]


def _add_missing(name: str, fixed: list[Thing], evidence: Evidence, random: SeededRandom) -> int:
    """Fixed things that the floor plan has, and no file the place of; how many are guessed."""
    have = Counter(thing.class_name for thing in fixed)
    guessed = 0

    def add(class_name: str, place: Place) -> None:
        nonlocal guessed
        x, y, z = (round(value, 2) for value in place)
        key = id_of(class_name, (x, y, z))
        if all(thing.object_id != key for thing in fixed):
            thing = thing_at(class_name, (x, y, z), name_of(class_name, f'{name} {key}'))
            fixed.append(thing)
            guessed += 1

    basins = [one for one in fixed if one.class_name in ('SinkBasin', 'BathtubBasin')]
    if not have['Faucet']:
        for basin in basins:
            x, y, z = basin.position
            a, b = _away(basin.position, evidence.reachable, 0.2)
            add('Faucet', (x + a, y + 0.15, z + b))
    for class_name in evidence.classes:
        if have[class_name] or is_movable(class_name) or class_name == 'Faucet':
            continue
        for _ in range(_COUNTS.get(class_name, 1)):
            place = _on_surface(class_name, fixed) or _at_wall(class_name, evidence, random)
            add(class_name, place)
    return guessed


def _away(place: Place, points: Iterable[tuple[float, float]], by: float) -> tuple[float, float]:
    """A step away from where the agent can stand."""
    x, _, z = place
    near = min(points, key=lambda point: math.dist(point, (x, z)), default=(x, z - 1.0))
    length = math.dist(near, (x, z)) or 1.0
    return (x - near[0]) / length * by, (z - near[1]) / length * by


def _on_surface(class_name: str, fixed: list[Thing]) -> Place | None:
    from random import Random

    from sim_bridge.worlds.thor.stand_in.state import Failures, Settings, State

    thing = thing_at(class_name, (0.0, 1.0, 0.0))
    for wanted in _ON.get(class_name, ()):
        for surface in fixed:
            if surface.class_name == wanted:
                scene = Scene('', [*fixed], [], Start((0.0, AGENT_HEIGHT, 0.0)))
                state = State.begin(scene, Settings(), Failures({}, Random(0)))
                spot = free_spot(state, thing, surface)
                taken = [one.position for one in fixed if one is not surface]
                if spot and all(math.dist(spot, at) > 0.12 for at in taken):
                    return spot
    return None


def _at_wall(class_name: str, evidence: Evidence, random: SeededRandom) -> Place:
    """A place beside where the agent can stand, at the height where such things are."""
    points = set(evidence.reachable)
    edges = [
        (x, z, a, b)
        for x, z in evidence.reachable
        for a, b in ((GRID, 0.0), (-GRID, 0.0), (0.0, GRID), (0.0, -GRID))
        if (x + a, z + b) not in points
    ]
    x, z, a, b = random.choose(edges)
    width = object_class(class_name).size[2] / 2 + 0.2
    step = width / GRID
    return x + a * step, _HANGS.get(class_name, 0.0), z + b * step
