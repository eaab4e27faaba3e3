"""Pictures of a ProcTHOR house by AI2-THOR, for the robot of ProcWorld.

The program lives in a thread of its own: whoever wants a picture waits for it for a moment, and
does without where it takes longer or is gone.
"""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from inspect import signature
from typing import Any

import numpy as np

from reactree_core.errors import ConfigurationError, ReactreeError, SkillError
from sim_bridge.pictures import opencv, Picture, picture_of
from sim_bridge.worlds.procworld.eyes import (
    draw_box,
    Eyes,
    INK,
    Mark,
    markers,
    place,
    QUARTERS,
    rooms_in_sight,
    walls_of,
    write_names,
)
from sim_bridge.worlds.procworld.house import House, Point
from sim_bridge.worlds.procworld.mirror import Mirror
from sim_bridge.worlds.procworld.panorama import check_size, columns_of
from sim_bridge.worlds.procworld.procthor_house import program_ids
from sim_bridge.worlds.procworld.state import State
from sim_bridge.worlds.thor.client import ControllerClient, ThorClient
from sim_bridge.worlds.thor.dialects import NEW
from sim_bridge.worlds.thor.loading import restored
from sim_bridge.worlds.thor.metadata import Metadata, place_of, succeeded, things_of
from sim_bridge.worlds.thor.stand_in.scene import Room as Floor
from sim_bridge.worlds.thor.starting import client_options, command_of

DRAWN, THOR = 'drawn', 'thor'
_LOG = logging.getLogger(__name__)
#: Seconds that somebody who wants a picture waits for it.
PATIENCE = 1.0
#: Degrees that the camera looks down: floors are seen from nearer than a reach of 1.5 m, and at
#: most, when a thing is faced.
_PITCH, _STEEPEST = 20.0, 60.0
#: Points at which it is tried to stand.
_TRIES = 5
#: Grey above and below frames that are lower than the picture.
_BEYOND = 127


@dataclass(frozen=True, slots=True)
class Shot:
    """One view. :param pixels: as high as wide, blue, green, red. :param eyes: what took it."""

    pixels: Any
    eyes: Eyes


@dataclass(frozen=True, slots=True)
class Look:
    """All four views from one place.

    :param shots: to the right of each other. :param boxes: thing -> where it is and how large, as
        the program has it.
    """

    shots: tuple[Shot, ...]
    boxes: Mapping[str, Mark]


def with_marks(
    look: Look, house: House, room: str, near: Collection[str], width: int, height: int
) -> Picture:
    """A look as a panorama, with what can be gone to marked as in drawn ones.

    :param near: names of locations, outermost things and doors.
    :param width: pixels, of all four views together. :param height: pixels.
    :raises ConfigurationError: no such size, or OpenCV is missing.
    """
    check_size(width, height)
    library = opencv()
    walls = walls_of(house, rooms_in_sight(house, room))
    marks = [*markers(house, near)]
    marks += [replace(box, label=name) for name, box in look.boxes.items() if name in near]
    pixels = np.full((height, width, 3), _BEYOND, np.uint8)
    for number, shot in enumerate(look.shots):
        view = pixels[:, columns_of(number, width)]
        side = view.shape[1]
        frame = library.resize(shot.pixels, (side, side), interpolation=library.INTER_AREA)
        # In the middle, so that the horizon is where it would be in a square.
        above = (height - side) // 2
        view[max(above, 0) : max(above, 0) + side] = frame[max(-above, 0) :][:height]
        placed = place(shot.eyes, marks, walls, side, height)
        for one in placed:
            # Views overlap at the bottom, as the camera looks down.
            if one.mark.marker and shot.eyes.faces(one.mark.at):
                draw_box(library, view, one)
        write_names(library, view, shot.eyes, placed)
        view[:, -1] = _BEYOND
    return picture_of(pixels)


def standing_points(house: House, state: State, points: Sequence[Point]) -> list[Point]:
    """Where one may stand for a look: the place itself first, then the nearest others.

    :param points: where the program's robot can stand.
    """
    rooms = house.open_to[state.room]
    floors = [Floor(one.name, '', one.polygon) for one in house.rooms if one.name in rooms]
    # Not beyond a wall; where the program knows no point in this room, anywhere.
    inside = [one for one in points if any(floor.has(*one) for floor in floors)] or [*points]
    nearest = sorted(inside, key=lambda one: (math.dist(one, state.at), one))[:_TRIES]
    return nearest if state.faced else [state.at, *nearest]


def heading_to(at: Point, to: Point) -> float:
    """Degrees from greater z towards greater x, 0 to 360; 0 where both are the same."""
    return math.degrees(math.atan2(to[0] - at[0], to[1] - at[1])) % 360.0


@dataclass(frozen=True)
class _Loaded:
    """A house that the program has. :param points: where its robot can stand, in metres."""

    house: House
    ids: Mapping[str, str]
    mirror: Mirror
    points: Mapping[Point, float]


class ProgramPictures:
    """Asks the program for pictures.

    :param stand_in: options of the stand-in.
    :param options: those of the world `thor` for its client, by name.
    :raises ConfigurationError: an option cannot be used.
    """

    def __init__(self, stand_in: str = '', **options: Any) -> None:
        # Houses need the client 5.x.
        self._options = client_options(**{'version': NEW, **options})
        if self._options.size[0] != self._options.size[1]:
            raise ConfigurationError('pictures=thor takes square frames, e.g. size=300')
        self._command = command_of(self._options.executable, stand_in)
        self._client: ThorClient | None = None
        self._loaded: _Loaded | None = None
        self._worker: threading.Thread | None = None
        #: What was looked at last, and how it looked; None where it could not be seen.
        self._newest: tuple[State, Look | None] | None = None
        #: Whether somebody has waited in vain for what the program does now.
        self._late = False
        self._closed = False
        #: Why there are no pictures; '' where there are.
        self.complaint = ''

    @property
    def pid(self) -> int:
        """Number of the program's process; 0 where none runs."""
        return self._client.pid if self._client is not None else 0

    def load(self, content: Mapping[str, Any], house: House, start: State) -> None:
        """Show a house as it begins; waits for the program, which is started where none runs.

        What goes wrong is said in `complaint`.

        :param content: the ProcTHOR record of the house. :param start: how it begins.
        """
        limit = self._options.start
        self.forget()
        if not self._ends(limit):
            self._complain('it is still busy with another house')
            return
        # Again: what it was busy with may have left something.
        self.forget()
        self._begin(partial(self._load, content, house, start.copy()))
        if not self._ends(limit):
            self._complain(f'it has not loaded the house within {limit:g} s')

    def forget(self) -> None:
        """Show no house any more."""
        self._loaded, self._newest, self.complaint = None, None, ''

    def look(self, state: State) -> Look | None:
        """What is seen now; None where that takes longer than one waits, or cannot be had."""
        deadline = time.monotonic() + PATIENCE
        while True:
            newest, loaded = self._newest, self._loaded
            if newest is not None and newest[0] == state:
                return newest[1]
            if self._ends(0.0):
                if loaded is None:
                    return None
                self._begin(partial(self._look, loaded, state.copy()))
            left = deadline - time.monotonic()
            if self._late or left <= 0.0 or not self._ends(left):
                self._late = True
                return None

    def close(self) -> None:
        """End the program."""
        self._closed = True
        self.forget()
        if self._client is not None:
            self._client.close()
        self._ends(PATIENCE)

    def _begin(self, work: Callable[[], None]) -> None:
        """Have the program do something, while nothing else is done."""

        def run() -> None:
            try:
                work()
            except ReactreeError as error:
                self._loaded = None
                self._complain(str(error))
            except Exception as error:  # noqa: BLE001 - what a program reports may be anything
                self._loaded = None
                self._complain(f'what its program reports cannot be read ({error!r:.200})')

        self._late = False
        self._worker = threading.Thread(target=run, name='thor pictures', daemon=True)
        self._worker.start()

    def _ends(self, limit: float) -> bool:
        """Whether what the program does is done within some seconds."""
        if self._worker is not None:
            self._worker.join(limit)
            return not self._worker.is_alive()
        return True

    def _complain(self, reason: str) -> None:
        self.complaint = f'pictures are drawn here, as AI2-THOR gives none: {reason}'
        if not self._closed:
            _LOG.warning(self.complaint)

    # In the worker's thread

    def _load(self, content: Mapping[str, Any], house: House, start: State) -> None:
        ids = program_ids(content)
        if self._client is not None and self._client.gone:
            self._client.close()
            self._client = None
        if self._client is None:
            own = not self._options.executable
            self._client = ControllerClient(self._options, self._command, content, not own)
        shown, points = restored(self._client, content, None)
        heights = {(float(one['x']), float(one['z'])): float(one['y']) for one in points}
        self._loaded = _Loaded(house, ids, Mirror(self._client, ids, start, shown), heights)
        if self._closed:
            self._client.close()

    def _look(self, loaded: _Loaded, state: State) -> None:
        assert self._client is not None, 'it has loaded the house'
        for point in standing_points(loaded.house, state, [*loaded.points]):
            look = _look_from(self._client, loaded, point, state)
            if look is not None:
                break
        else:
            _LOG.warning('AI2-THOR has no place to stand near %s: drawn here', state.place)
            look = None
        self._newest = state, look


def _look_from(client: ThorClient, loaded: _Loaded, point: Point, state: State) -> Look | None:
    """All views from a point, with what has changed; None where one cannot stand there.

    :raises SkillError: there are no pictures at all.
    """
    heading = heading_to(point, state.at) if state.faced else 0.0
    metadata = _turned(client, loaded, point, heading, _PITCH)
    if metadata is None:
        return None
    loaded.mirror.follow(state)
    pitch, shots = _PITCH, []
    if state.faced in (boxes := boxes_of(metadata, loaded.ids)):
        pitch = _pitch_to(eyes_of(metadata), boxes[state.faced])
    for number in range(QUARTERS):
        metadata = _turned(client, loaded, point, heading + 90.0 * number, pitch)
        if metadata is None:
            return None
        frame = client.frame()
        if frame is None:
            raise SkillError('the program sends no frames: start it with a display')
        shots.append(Shot(frame[..., 2::-1].copy(), eyes_of(metadata)))
        pitch = _PITCH
    outermost = {one.name for one in loaded.house.things if one.at is not None}
    seen = {name: box for name, box in boxes_of(metadata, loaded.ids).items() if name in outermost}
    return Look(tuple(shots), seen)


def _turned(
    client: ThorClient, loaded: _Loaded, point: Point, heading: float, pitch: float
) -> Metadata | None:
    """Stand at a point and look somewhere; None where that cannot be."""
    height = loaded.points.get(point, next(iter(loaded.points.values())))
    for action in client.dialect.teleports((point[0], height, point[1]), heading % 360.0, pitch):
        metadata = client.do(action)
        if succeeded(metadata):
            return metadata
    return None


def _pitch_to(eyes: Eyes, box: Mark) -> float:
    """Degrees downwards to the top of something, as far as the camera turns."""
    down = eyes.height - box.bottom - box.size[1]
    exact = math.degrees(math.atan2(down, math.dist(eyes.at, box.at)))
    return min(max(exact, _PITCH), _STEEPEST)


def eyes_of(metadata: Metadata) -> Eyes:
    """The camera of an event."""
    agent = metadata['agent']
    x, y, z = place_of({'position': metadata.get('cameraPosition') or agent['position']})
    return Eyes(
        (x, z),
        y,
        float(agent['rotation']['y']),
        float(agent.get('cameraHorizon') or 0.0),
        float(metadata.get('fov') or 90.0),
    )


def boxes_of(metadata: Metadata, ids: Mapping[str, str]) -> dict[str, Mark]:
    """Where things are and how large, by their names; without those of which it is not given."""
    by_id = {one['objectId']: one.get('axisAlignedBoundingBox') for one in things_of(metadata)}
    found = {}
    for name, object_id in ids.items():
        box = by_id.get(object_id)
        if not box:
            continue
        (x, y, z), (wide, high, deep) = (
            tuple(float(box[part][axis]) for axis in 'xyz') for part in ('center', 'size')
        )
        found[name] = Mark((x, z), y - high / 2, (max(wide, deep), high), INK, '')
    return found


def pictures_by(way: str, options: Mapping[str, Any]) -> ProgramPictures | None:
    """What asks AI2-THOR for pictures; None where they are drawn.

    :param way: 'drawn' or 'thor'. :param options: of `ProgramPictures`.
    :raises ConfigurationError: there is no such way, or an option cannot be used.
    """
    if way not in (DRAWN, THOR):
        raise ConfigurationError(f'pictures must be {DRAWN} or {THOR}, not {way!r}')
    known = {*signature(client_options).parameters, 'stand_in'} - {'version'}
    unknown = sorted(options.keys() - known)
    if unknown:
        raise ConfigurationError(f'procworld has no option {", ".join(unknown):.200}')
    if way == THOR:
        return ProgramPictures(**options)
    if options:
        raise ConfigurationError(f'{", ".join(sorted(options))}: only with pictures={THOR}')
    return None
