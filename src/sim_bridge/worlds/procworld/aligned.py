"""The aligned visual world (ProcWorld, appendix C.2): the rules of text, a body in AI2-THOR.

    go to X      a way over the map, walked in the program; what is in the way stops the robot
    take, put    done in the program first; what it refuses (no room on the table) is not done

Locations are no part of the house here: they are the frontiers of a map that grows with what the
robot sees (`oracle_map`), and its own place. Things are given once they were seen near enough.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import replace
from math import dist
from typing import Any

from reactree_core.errors import SkillError, WorldGoneError
from sim_bridge.worlds.procworld.engine import Engine, FLOOR
from sim_bridge.worlds.procworld.ground import metres_of, squared, Step, steps_of
from sim_bridge.worlds.procworld.house import Door, House, Location, Point
from sim_bridge.worlds.procworld.layout import Layout
from sim_bridge.worlds.procworld.mirror import with_basins
from sim_bridge.worlds.procworld.oracle_map import OracleMap, points_of, straight_runs
from sim_bridge.worlds.procworld.procthor_writing import passages_of
from sim_bridge.worlds.procworld.program_pictures import eyes_of, heading_to
from sim_bridge.worlds.procworld.state import arrive, State
from sim_bridge.worlds.procworld.texts import Seen, where
from sim_bridge.worlds.thor.client import ControllerClient
from sim_bridge.worlds.thor.dialects import Action
from sim_bridge.worlds.thor.metadata import Metadata, succeeded
from sim_bridge.worlds.thor.stand_in.scene import Room as Floor

_QUARTERS, _PITCH = 4, 30.0
#: The middle one of nine pixels: the others tell no more of cells of 0.25 m.
_THIRD = (slice(1, None, 3), slice(1, None, 3))
#: Of those, how many of a thing tell what it is.
_LEAST_PIXELS = 3
#: Metres from a door to where one stands before it.
_BEFORE_DOOR, _AT_DOOR = 0.5, 1.0
#: Steps to either side of a door that its way is clear.
_THROUGH = 2
#: Steps from which a thing is faced, squared.
_FACING = 64
#: Metres of a cell.
_CELL = 0.25


class Body:
    """The robot in the program, and the map of what it has seen.

    :param client: has loaded the house and renders depth and segmentation.
    :param ids: of things in the program, by their names. :param reach: metres.
    """

    def __init__(
        self, client: ControllerClient, ids: Mapping[str, str], shown: Metadata, reach: float
    ) -> None:
        self._client = client
        self._ids = with_basins(ids, shown)
        self._names = {object_id: name for name, object_id in self._ids.items()}
        self._reach = reach
        self.map = OracleMap(reach)
        self.cell: Step = (0, 0)
        #: Degrees from greater z towards greater x.
        self._heading = 0.0
        #: Things that the last look saw within reach.
        self.near: frozenset[str] = frozenset()
        #: How often it ran into something.
        self.collisions = 0

    def place(self, points: Collection[Mapping[str, float]], at: Point) -> None:
        """Stand at the point nearest to a position.

        :raises SkillError: the program lets it stand at none of the nearest.
        """
        for one in sorted(points, key=lambda one: dist((one['x'], one['z']), at))[:8]:
            point = (float(one['x']), float(one['y']), float(one['z']))
            for action in self._client.dialect.teleports(point, 0.0, _PITCH):
                if self._does(action):
                    self.cell = steps_of((point[0], point[2]))
                    return
        raise SkillError('the program lets its robot stand nowhere near the start of the task')

    def look(self) -> None:
        """See all around, and put it into the map."""
        near: set[str] = set()
        for _ in range(_QUARTERS):
            metadata = self._turn(90.0)
            eyes = eyes_of(metadata)
            depth = self._client.depth()
            if depth is None:
                raise SkillError('the program sends no depth: start it with a display')
            points = points_of(depth[_THIRD], eyes)
            self.map.take(points, eyes.at)
            away = ((points[..., 0] - eyes.at[0]) ** 2 + (points[..., 2] - eyes.at[1]) ** 2) ** 0.5
            within = away <= self._reach
            for object_id, mask in self._client.masks().items():
                name = self._names.get(object_id)
                if name is not None and int((mask[_THIRD] & within).sum()) >= _LEAST_PIXELS:
                    near.add(name)
        self.map.stand(self.cell)
        self.near = frozenset(near)

    def face(self, at: Point) -> None:
        """Turn towards a point."""
        turn = (heading_to(metres_of(self.cell), at) - self._heading) % 360.0
        if turn:
            self._turn(turn)

    def _turn(self, degrees: float) -> Metadata:
        metadata = self._client.do({'action': 'RotateRight', 'degrees': degrees})
        self._heading = float(metadata['agent']['rotation']['y'])
        return metadata

    def walk(self, goal: Step) -> bool:
        """Go somewhere over the map; False where something was in the way and it stopped."""
        way = self.map.way(self.cell, goal)
        for heading, part in straight_runs(way):
            self.face(_ahead(self.cell, heading))
            if not self._step(len(part)):
                # One by one, as far as that goes.
                for cell in part:
                    if not self._step(1):
                        self.map.bump(cell)
                        self.collisions += 1
                        return False
                    self.cell = cell
            self.cell = part[-1]
        return bool(way)

    def _step(self, cells: int) -> bool:
        return self._does({'action': 'MoveAhead', 'moveMagnitude': cells * _CELL})

    def handle(self, verb: str, thing: str, other: str = '') -> bool:
        """Do in the program what is done to a thing; whether it lets that be.

        What only the rules know (clean, hot, sliced, parts of furniture) is left to them.
        """
        object_id, holder = self._ids.get(thing, ''), self._ids.get(other, '')
        match verb:
            case 'take' if object_id:
                action = {'action': 'PickupObject', 'objectId': object_id, 'forceAction': True}
            case 'put' if object_id and holder:
                action = self._client.dialect.put(object_id, holder)
            case 'open' if object_id:
                action = self._client.dialect.open(object_id)
            case 'close' if object_id:
                action = {'action': 'CloseObject', 'objectId': object_id, 'forceAction': True}
            case _:
                return True
        return self._does(action)

    def _does(self, action: Action) -> bool:
        try:
            return succeeded(self._client.do(action))
        except WorldGoneError:
            raise
        except SkillError:
            return False


def _ahead(cell: Step, heading: float) -> Point:
    x, z = metres_of(cell)
    angle = math.radians(heading)
    return x + math.sin(angle), z + math.cos(angle)


class SeenLayout(Layout):
    """What was seen of a house, with the locations that there are now.

    :param near: things seen from a position, whatever the distance of their middles.
    :param beside: door and room -> location from which it is gone through.
    """

    def __init__(
        self,
        house: House,
        reach: float,
        seen: Collection[str],
        near: tuple[Point, Collection[str]],
        beside: Mapping[tuple[str, str], Location],
    ) -> None:
        self._seen, self._from, self._beside = seen, near, beside
        super().__init__(house, reach)

    def _location_at(self, door: Door, room: str) -> Location | None:
        return self._beside.get((door.name, room))

    def near(self, at: Point, room: str) -> tuple[str, ...]:
        """Locations, then things, that were seen and are adjacent to a position."""
        seen, (point, from_there) = self._seen, self._from
        reachable = {*self.house.location, *seen}
        found = [one for one in super().near(at, room) if one in reachable]
        if at == point:
            found += [one for one in self.outermost if one in from_there and one not in found]
        return tuple(found)


class AlignedEngine(Engine):
    """The rules, with a body that has to be able to do what is done.

    :param planned: of the house as it begins. :param body: stands where the task begins.
    """

    def __init__(self, planned: Engine, body: Body) -> None:
        super().__init__(planned.layout, planned.rules, planned.state.place)
        self.body = body
        self._house = planned.layout.house
        self._floors = {one.name: Floor(one.name, '', one.polygon) for one in self._house.rooms}
        #: Things that were ever seen within reach.
        self.seen: set[str] = set()
        self._passages = passages_of(self._house)
        self._numbers: dict[Step, int] = {}
        self.state.known = frozenset()
        self.state.rooms = ()
        self._see('')

    def rehearsal(self) -> Engine:
        """None: the program cannot be copied. :raises SkillError: always."""
        raise SkillError('the aligned world cannot go back: its program has one robot')

    def put_back(self, state: State) -> None:
        """See `rehearsal`."""
        self.rehearsal()

    def do(self, skill: str) -> Seen:
        """Do what can be done, with the body first."""
        self.failed = False
        action = self.offers().get(skill)
        if action is None or action[0] in ('look', 'inventory', 'examine'):
            return super().do(skill)
        verb, *names = action
        if verb in ('go', 'through'):
            return self._go(names[-1])
        if verb in ('take', 'put') and names[-1] == FLOOR:
            names = names[:1]
        if not self.body.handle(verb, *names):
            self.failed = True
            return Seen(_refused(verb, *names))
        return super().do(skill)

    def _go(self, name: str) -> Seen:
        at, room = self.layout.spot(name)
        reached = self.body.map.reachable(self.body.cell)
        goal = self._goal(reached, steps_of(at), room)
        there = goal is not None and self.body.walk(goal)
        is_thing = name in self.layout.outermost
        self._offers = None
        if is_thing and there:
            self.body.face(at)
        self._see(name if is_thing and there else '')
        place_text = where(self.state, self.rules.has_map)
        self.failed = not there
        if there:
            return place_text
        return Seen(f'Something is in the way to {name}. {place_text.text}', place_text.things)

    def _goal(self, reached: Collection[Step], to: Step, room: str) -> Step | None:
        """Where to stand: at the point itself, else near it, and clear of all else if possible."""
        if to in reached:
            return to
        rooms, known = self._house.open_to[room], self.body.map
        inside = [cell for cell in reached if self._room_of(cell) in rooms]
        clear = [cell for cell in inside if known.is_clear(cell)]
        near = known.nearest(clear, to, lambda cell: squared(cell, to) <= _FACING)
        return near if near is not None else known.nearest(inside, to, lambda cell: True)

    def _room_of(self, cell: Step) -> str:
        x, z = metres_of(cell)
        return next((name for name, floor in self._floors.items() if floor.has(x, z)), '')

    def _see(self, faced: str) -> None:
        """Look around, and be at a location there, or before a thing."""
        self.body.look()
        for at, pair in self._passages:
            self._open(steps_of(at), pair)
        here = self._location(self.body.cell)
        # A program may show what is behind a wall.
        rooms = self._house.open_to[here.room]
        near = {one for one in self.body.near if self._house.thing[one].room in rooms}
        self.seen |= near
        layout = self._layout(here, faced, near)
        state, self.layout = self.state, layout
        state.layout = layout
        state.known &= {*layout.outermost, *layout.house.location}
        arrive(state, faced or here.name)
        state.known |= frozenset(near & {*layout.outermost}) - state.carried_off
        self._offers = None

    def _location(self, cell: Step) -> Location:
        number = self._numbers.setdefault(cell, len(self._numbers) + 1)
        # On a wall between rooms it is in whichever is nearest.
        room = self._room_of(cell) or min(
            (one.name for one in self._house.rooms),
            key=lambda name: min(
                dist(metres_of(cell), corner)
                for one in self._house.rooms
                if one.name == name
                for corner in one.polygon
            ),
        )
        return Location(f'loc {number}', metres_of(cell), room)

    def _layout(self, here: Location, faced: str, near: Collection[str]) -> SeenLayout:
        seen_map = self.body.map
        reached = seen_map.reachable(self.body.cell)
        beside: dict[tuple[str, str], Location] = {}
        for door in self._house.doors:
            for room in door.rooms:
                within = self._at_door(door, room)
                cell = seen_map.nearest(reached, steps_of(door.at), within)
                if cell is not None:
                    beside[door.name, room] = self._location(cell)
        places = [here, *beside.values(), *map(self._location, seen_map.frontiers(reached))]
        by_name = {one.name: one for one in places}
        ordered = sorted(by_name.values(), key=lambda one: int(one.name.split()[1]))
        house = replace(self._house, locations=tuple(ordered), start=here.name)
        point = self._house.thing[faced].at if faced else here.at
        return SeenLayout(house, self.layout.reach, self.seen, (point or here.at, near), beside)

    def _open(self, at: Step, rooms: tuple[str, str]) -> None:
        """Know a way between rooms that is near: what is drawn in its frame says nothing."""
        here, (x, z) = self.body.cell, at
        is_near = squared(here, at) <= (self.layout.reach / _CELL) ** 2
        if not is_near or self._room_of(here) not in rooms:
            return
        for dx, dz in ((1, 0), (0, 1)):
            way = [(x + n * dx, z + n * dz) for n in range(-_THROUGH, _THROUGH + 1)]
            if {self._room_of(way[0]), self._room_of(way[-1])} == {*rooms}:
                self.body.map.open(way)

    def _at_door(self, door: Door, room: str) -> Any:
        return lambda cell: (
            _BEFORE_DOOR <= dist(metres_of(cell), door.at) <= _AT_DOOR
            and self._room_of(cell) == room
        )


def _refused(verb: str, thing: str, other: str = '') -> str:
    if verb == 'put':
        return f'There is no room for the {thing} in/on the {other}.'
    return f'You cannot {verb} the {thing}.'
