"""ReAcTree's ALFRED skills: which actions they send, in which order, and what they tell."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reactree_core.observation import Outcome
from sim_bridge.worlds.thor.classes import class_of, FIXED_RECEPTACLES
from sim_bridge.worlds.thor.client import ThorAgent
from sim_bridge.worlds.thor.dialects import Action, Point
from sim_bridge.worlds.thor.goals import Treated
from sim_bridge.worlds.thor.memory import DROPPED, HAND, SeenThings
from sim_bridge.worlds.thor.metadata import (
    basin_of,
    held_id,
    in_sight,
    inside,
    is_piece,
    Metadata,
    parents,
    place_of,
    succeeded,
    Thing,
    thing_by_id,
    things_of,
)
from sim_bridge.worlds.thor.names import Names
from sim_bridge.worlds.thor.texts import Texts

#: Points that are tried when going to a thing.
TRIES = 20
#: Of these, so many first ones have to face what opens at its front.
_FACING_TRIES = 10
#: Class -> angles between robot and thing, in degrees, from which its front is reached.
_FRONTS = {'Fridge': (90.0,), 'Microwave': (0.0, 180.0)}
_FRONT_WITHIN = 20.0
_CAMERA_HEIGHT = 1.65
#: Share of the exact pitch: a better view.
_PITCH = 0.9
_ALREADY_NEAR = 0.5
_HAND_REACHES = 2.5
#: Class -> steps back before it is opened, and ahead afterwards.
_STEPS = {'Cabinet': (4, 4), 'Drawer': (2, 2), 'Microwave': (2, 3)}
_DONE = Outcome.SUCCEEDED
_NOT_NOW = Outcome.PRECONDITION_FAILED
_FAILED = Outcome.EXECUTION_FAILED
_INVALID = Outcome.INVALID_SKILL


@dataclass(frozen=True, slots=True)
class Reply:
    """What came of a skill.

    :param text: without what is held. :param seen: ids of what the text says to be visible.
    :param learned: whether what is visible has been told.
    """

    text: str
    outcome: Outcome = _DONE
    seen: tuple[str, ...] = ()
    learned: bool = False


class Robot:
    """The robot of one episode, by its skills.

    :param client: with the scene restored. :param names: of its things; kept up to date.
    :param points: where the robot can stand, in metres.
    """

    def __init__(
        self,
        client: ThorAgent,
        names: Names,
        texts: Texts,
        start: Metadata,
        points: Sequence[Any],
    ) -> None:
        #: What the actions are sent to.
        self.client = client
        self._names = names
        self._texts = texts
        #: Where it can stand: n x 3 metres.
        self.points: NDArray[np.float64] = np.array(
            [[point['x'], point['y'], point['z']] for point in points], dtype=np.float64
        ).reshape(-1, 3)
        #: The last event.
        self.metadata = start
        self._start_ids = {one['objectId'] for one in things_of(start)}
        #: What was treated since the task began.
        self.treated = Treated()
        #: Where `put down` puts things: what was gone to last, if nothing was done since.
        self.receptacle = ''
        #: What was gone to last, or opened or closed.
        self.visited = ''
        #: Ids of what the last text told to be visible.
        self.seen: tuple[str, ...] = ()
        self.memory = SeenThings()
        names.see(things_of(start))

    @property
    def held(self) -> str:
        """Id of what is held; '' for nothing."""
        return held_id(self.metadata)

    @property
    def visible(self) -> tuple[str, ...]:
        """Ids of what is visible, in the program's order."""
        return _visible(self.metadata)

    def thing(self, object_id: str) -> Thing | None:
        """A thing as it is now."""
        return thing_by_id(self.metadata, object_id)

    def do(self, action: Action) -> Metadata:
        """One action of the program; what it treats is noted.

        :raises WorldGoneError: the program is gone.
        """
        self.metadata = self.client.do(action)
        self.treated.note(
            str(action.get('action')), str(action.get('objectId', '')), self.metadata
        )
        self._names.see(things_of(self.metadata))
        return self.metadata

    # Skills ------------------------------------------------------------------------------

    def go_to(self, name: str) -> Reply:
        """Try points around a thing until the program lets the robot stand at one."""
        key = self._names.id_of(name)
        thing = self.thing(key) if key else None
        self.receptacle = key
        if thing is None:
            return Reply(self._texts.unknown(name), _INVALID)
        self.visited = key
        name = self._names.of(key)
        before = self.metadata
        already = bool(
            thing.get('visible')
            and thing.get('distance', math.inf) < _ALREADY_NEAR
            and not thing.get('receptacle')
        )
        seen: list[str] = []
        reached = already
        for point in self._tries(thing):
            event = self._stand_at(point, thing)
            seen.extend(_visible(event))
            if succeeded(event):
                reached = True
                break
        if already:
            seen.extend(_visible(before))
        self._note_seen(seen)
        if reached:
            text = self._texts.arrived(name, seen, bool(thing.get('receptacle')), already)
        else:
            # What the failed tries showed is kept in memory, and not given.
            seen = []
            text = self._texts.not_reached(name)
        is_open = bool(thing.get('isOpen')) if thing.get('openable') else None
        is_on = bool(thing.get('toggleable') and thing.get('isToggled'))
        text += self._texts.states(name, is_open, is_on)
        return Reply(text, _DONE if reached else _FAILED, tuple(seen), reached)

    def pick_up(self, name: str) -> Reply:
        """Take a thing that is visible and near."""
        self.receptacle = ''
        thing = self._named(name)
        if thing is None:
            return Reply(f'{self._texts.unknown(name)} to pick up.', _INVALID)
        name = self._names.of(thing['objectId'])
        event = self.do(_on('PickupObject', thing))
        if succeeded(event):
            seen = _visible(event)
            self.memory.took(name)
            return Reply(self._texts.done(f'pick up {name}', seen), _DONE, seen, True)
        far = thing.get('distance', math.inf) > _HAND_REACHES or not thing.get('visible')
        if far:
            text = self._texts.not_close(name)
        elif not thing.get('pickupable'):
            text = self._texts.not_for_that(name, 'pick up')
        elif self.held:
            text = self._texts.hand_full(self._names.of(self.held))
        else:
            return Reply(self._texts.silent(name, 'picked up'), _FAILED)
        return Reply(text, _NOT_NOW)

    def put_down(self, name: str) -> Reply:
        """Put what is held where the robot has gone to; drop it where that cannot be."""
        receptacle = self.thing(self.receptacle) if self.receptacle else None
        if receptacle is not None:
            # What is put in a sink lies in its basin, as in EB-ALFRED.
            basin = f'{receptacle["objectId"]}|{receptacle["objectType"]}Basin'
            receptacle = self.thing(basin) or receptacle
        held = self.held
        if held and self._names.id_of(name) != held:
            known = bool(self._names.id_of(name))
            text = self._texts.hand_full(self._names.of(held))
            return Reply(text, _NOT_NOW if known else _INVALID)
        if receptacle is None:
            return self._drop()
        if not held:
            if not succeeded(self.metadata):
                return self._drop()
            return Reply(self._texts.nothing_held(None), _NOT_NOW)
        name, place = self._names.of(held), self._names.of(receptacle['objectId'])
        event = self.do(self.client.dialect.put(held, receptacle['objectId']))
        if not succeeded(event):
            return self._drop()
        seen = _visible(event)
        self.memory.put(name, place)
        return Reply(self._texts.done(f'put {name} on {place}', seen), _DONE, seen, True)

    def _drop(self) -> Reply:
        name = self._names.of(self.held)
        event = self.do({'action': 'DropHandObject', 'forceAction': True})
        seen = _visible(event)
        if succeeded(event):
            self.memory.dropped(name)
            return Reply(self._texts.dropped(seen), _FAILED, seen, True)
        if self.held:
            return Reply(self._texts.not_dropped(seen), _FAILED, seen, True)
        return Reply(self._texts.nothing_held(seen), _NOT_NOW, seen, True)

    def open(self, name: str) -> Reply:
        """Open a thing; from some distance where its door would hit the robot."""
        thing = self._named(name)
        if thing is None:
            return Reply(f'{self._texts.unknown(name)} to open', _INVALID)
        name = self._names.of(thing['objectId'])
        back, ahead = _STEPS.get(thing['objectType'], (0, 0))
        for _ in range(back):
            self.do({'action': 'MoveBack'})
        opened = succeeded(self.do(self.client.dialect.open(thing['objectId'])))
        for _ in range(ahead):
            self.do({'action': 'MoveAhead'})
        seen = self.visible
        self.visited = thing['objectId']
        self._note_seen(seen)
        if opened:
            return Reply(self._texts.done(f'open {name}', seen), _DONE, seen, True)
        if thing.get('isOpen'):
            text = self._texts.already(name, 'is already open')
        elif not thing.get('openable'):
            text = self._texts.not_for_that(name, 'opened')
        elif not thing.get('visible'):
            text = self._texts.not_close(name)
        else:
            return Reply(self._texts.failed(name, 'is open failed'), _FAILED)
        return Reply(text, _NOT_NOW)

    def close(self, name: str) -> Reply:
        """Close a thing."""
        self.receptacle = ''
        thing = self._named(name)
        if thing is None:
            return Reply(f'{self._texts.unknown(name)} to close.', _INVALID)
        name = self._names.of(thing['objectId'])
        event = self.do(_on('CloseObject', thing))
        self.visited = thing['objectId']
        if succeeded(event):
            seen = _visible(event)
            return Reply(self._texts.done(f'close {name}', seen), _DONE, seen, True)
        if not thing.get('isOpen'):
            text = self._texts.already(name, 'is already closed')
        elif not thing.get('openable'):
            text = self._texts.not_for_that(name, 'closed')
        elif not thing.get('visible'):
            text = self._texts.not_close(name)
        else:
            reason = ' '.join(str(event.get('errorMessage') or '').split())[:300]
            text = self._texts.failed(name, 'cannot be closed here', reason)
            return Reply(text, _FAILED)
        return Reply(text, _NOT_NOW)

    def turn_on(self, name: str) -> Reply:
        """Switch a thing on; under a faucet, what is dirty in its basin gets clean."""
        reply = self._toggle(name, True)
        thing = self._named(name)
        if reply.outcome is _DONE and thing is not None and 'Faucet' in thing['objectId']:
            self._wash(thing)
        return reply

    def turn_off(self, name: str) -> Reply:
        """Switch a thing off."""
        return self._toggle(name, False)

    def _toggle(self, name: str, on: bool) -> Reply:
        self.receptacle = ''
        how = 'turn on' if on else 'turn off'
        thing = self._named(name)
        if thing is None:
            return Reply(f'{self._texts.unknown(name)} to {how}.', _INVALID)
        name = self._names.of(thing['objectId'])
        event = self.do(_on('ToggleObjectOn' if on else 'ToggleObjectOff', thing))
        if succeeded(event):
            seen = _visible(event)
            return Reply(self._texts.done(f'{how} {name}', seen), _DONE, seen, True)
        if bool(thing.get('isToggled')) is on:
            text = self._texts.already(name, f'already {how}')
        elif not thing.get('toggleable'):
            text = self._texts.not_for_that(name, how)
        elif not thing.get('visible'):
            text = self._texts.not_close(name)
        else:
            done = 'turned on' if on else 'turned off'
            return Reply(self._texts.silent(name, done), _FAILED)
        return Reply(text, _NOT_NOW)

    def _wash(self, faucet: Thing) -> None:
        """As ALFRED does it: everything in the basin, not only what the stream hits."""
        event = self.do({'action': 'Pass'})
        basin = basin_of(event, faucet)
        for key in [*inside(basin)] if basin else ():
            thing = self.thing(key)
            if thing is not None and thing.get('dirtyable') and thing.get('isDirty'):
                self.do({'action': 'CleanObject', 'objectId': key})

    def slice(self, name: str) -> Reply:
        """Slice a thing; the program wants a knife in the hand."""
        self.receptacle = ''
        thing = self._named(name)
        if thing is None:
            return Reply(f'{self._texts.unknown(name)} to slice.', _INVALID)
        name = self._names.of(thing['objectId'])
        event = self.do(_on('SliceObject', thing))
        if succeeded(event):
            seen = _visible(event)
            pieces = [one['objectId'] for one in things_of(event) if is_piece(one)]
            self.memory.sliced(name)
            self._note_seen(seen)
            return Reply(self._texts.sliced(name, seen, pieces), _DONE, seen, True)
        if thing.get('isSliced'):
            text = self._texts.already(name, 'already sliced')
        elif not thing.get('sliceable'):
            text = self._texts.not_for_that(name, 'sliced')
        elif not thing.get('visible'):
            text = self._texts.not_close(name)
        else:
            return Reply(self._texts.failed(name, 'slice failed'), _FAILED)
        return Reply(text, _NOT_NOW)

    def recall(self, class_name: str) -> Reply:
        """Where things of a class were seen, from the published memory."""
        seen = self.memory.places_of(class_name)
        return Reply(self._texts.recalled(class_name, seen, HAND, DROPPED))

    # ---------------------------------------------------------------------------------------

    def _stand_at(self, point: Point, thing: Thing) -> Metadata:
        """Try one point."""
        event = self.metadata
        for action in self.client.dialect.teleports(*_facing(point, thing)):
            event = self.do(action)
            if succeeded(event):
                break
        return event

    def _named(self, name: str) -> Thing | None:
        key = self._names.id_of(name)
        return self.thing(key) if key else None

    def _tries(self, thing: Thing) -> Iterator[Point]:
        """Points in the order in which they are tried."""
        away = ((self.points - np.array(place_of(thing))) ** 2).sum(axis=1)
        nearest = np.argsort(away, kind='stable')[:TRIES]
        points = [(float(x), float(y), float(z)) for x, y, z in self.points[nearest]]
        fronts = _FRONTS.get(class_of(thing['name']))
        if fronts is None:
            yield from points
            return
        turned = float(thing['rotation']['y'])
        for point in points[:_FACING_TRIES]:
            apart = _angle_between(_facing(point, thing)[1], turned)
            if any(abs(apart - front) < _FRONT_WITHIN for front in fronts):
                yield point
        yield from points[:_FACING_TRIES]

    def _note_seen(self, seen: Iterable[str]) -> None:
        """Into the published memory: where what is visible lies."""
        place = self.thing(self.visited)
        if place is None:
            return
        where = self.visited
        if class_of(place['name']) not in FIXED_RECEPTACLES:
            # What is no place of its own lies where it lay when the task began.
            parent = next(iter(parents(place)), '')
            where = parent if parent in self._start_ids else where
        held = self.held
        names = [self._names.of(key) for key in self._names.ordered(seen) if key != held]
        self.memory.saw(dict.fromkeys(names), self._names.of(where))


def _on(action: str, thing: Thing) -> Action:
    return {'action': action, 'objectId': thing['objectId'], 'forceAction': False}


def _visible(metadata: Metadata) -> tuple[str, ...]:
    return tuple(one['objectId'] for one in in_sight(metadata))


def _facing(point: Point, thing: Mapping[str, Any]) -> tuple[Point, float, float]:
    """A point with the rotation and the horizon that a thing is looked at from there."""
    x, y, z = place_of(thing)
    to_x, to_z = x - point[0], z - point[2]
    rotation = math.degrees(math.atan2(to_x, to_z)) % 360.0
    pitch = math.degrees(math.atan2(y - _CAMERA_HEIGHT, math.hypot(to_x, to_z)))
    return point, rotation, -_PITCH * pitch


def _angle_between(one: float, other: float) -> float:
    """Degrees between two directions, 0 to 180."""
    apart = abs(one - other) % 360.0
    return min(apart, 360.0 - apart)
