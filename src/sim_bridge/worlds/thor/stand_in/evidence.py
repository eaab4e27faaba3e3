"""What files say of a floor plan: ALFRED's layouts and trajectories, ALFWorld's games.

Each says a part: layouts where the agent can stand and where doors are, trajectories where movable
things lay, games every fixed thing with its place and what lay in it.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from reactree_core.errors import ConfigurationError
from sim_bridge.worlds.thor.stand_in.classes import classes
from sim_bridge.worlds.thor.stand_in.scene import GRID, id_of, Place

_LARGEST = 16 * 1024**2
#: Files of one kind that are read for one floor plan at most.
_MOST_FILES = 200
_BASINS = ('SinkBasin', 'BathtubBasin')
#: Metres within which two things of one class are the same: ids are rounded.
_SAME = 0.02
_ID = re.compile(r'(\w+)\|([+-]?\d+\.\d+)\|([+-]?\d+\.\d+)\|([+-]?\d+\.\d+)(?:\|(\w+))?$')
_FACT = re.compile(
    r'\((inReceptacle|receptacleAtLocation|objectAtLocation|opened) (\S+?)(?: (\S+?))?\)'
)
_WRITTEN = {'_bar_': '|', '_plus_': '+', '_minus_': '-', '_dot_': '.'}


@dataclass(frozen=True, slots=True)
class Pose:
    """Where a movable thing lay. :param name: e.g. 'Mug_a12c171b'."""

    name: str
    class_name: str
    position: Place
    rotation: Place


@dataclass(slots=True)
class Evidence:
    """All that is known of a floor plan.

    :param fixed: id -> class and place. :param contents: id of a receptacle -> places of what lay
        in it, with the class of each. :param episodes: poses of each trajectory.
    :param start: x, z, rotation and horizon of the first trajectory.
    """

    reachable: list[tuple[float, float]] = field(default_factory=list)
    classes: list[str] = field(default_factory=list)
    fixed: dict[str, tuple[str, Place]] = field(default_factory=dict)
    contents: dict[str, list[tuple[str, Place]]] = field(default_factory=dict)
    episodes: list[list[Pose]] = field(default_factory=list)
    start: tuple[float, float, float, float] | None = None

    def add(self, object_id: str) -> None:
        """A fixed thing by its id; other ids are left out."""
        read = read_id(object_id)
        if read is None or object_id in self.fixed or is_movable(read[0]):
            return
        self.fixed[object_id] = read
        first, _, basin = object_id.rpartition('|')
        if basin in _BASINS:
            self.add(first)

    def add_taken(self, object_id: str, answer: Any) -> None:
        """Where a plan takes a thing from: furniture that no file else may have, and its content.

        :param answer: its class and bounds, [class, [x, x, z, z, y, y]] in cells of the grid.
        """
        thing = read_id(object_id)
        if not answer or answer[0] in _BASINS or is_movable(answer[0]):
            # A basin is part of a sink, by whose place it is named.
            return
        x, z, y = (float(value) * GRID for value in answer[1][::2])
        place = (x, y, z)
        known = (key for key, one in self.fixed.items() if one[0] == answer[0])
        near = [key for key in known if math.dist(self.fixed[key][1], place) <= _SAME]
        receptacle = near[0] if near else id_of(answer[0], place)
        self.add(receptacle)
        if thing is not None:
            self.contents.setdefault(receptacle, []).append(thing)


@dataclass(frozen=True, slots=True)
class Sources:
    """Folders that are looked through, however deep.

    :param layouts: with `FloorPlan1-layout.npy` and so on. :param trajectories: with
        `traj_data.json` or files like it. :param games: with `game.tw-pddl`.
    """

    layouts: Sequence[Path] = ()
    trajectories: Sequence[Path] = ()
    games: Sequence[Path] = ()

    def knows(self, floor_plan: str) -> bool:
        """Whether there is a layout of a floor plan."""
        return self._layout(floor_plan) is not None

    def _layout(self, floor_plan: str) -> Path | None:
        for folder in self.layouts:
            if (folder / f'{floor_plan}-layout.npy').is_file():
                return folder
        return None

    def read(self, floor_plan: str) -> Evidence:
        """All that the files say of a floor plan.

        :raises ConfigurationError: there is no layout of it, or a file cannot be read.
        """
        folder = self._layout(floor_plan)
        if folder is None:
            raise ConfigurationError(f'there is no file {floor_plan}-layout.npy')
        found = Evidence(reachable=_points(folder / f'{floor_plan}-layout.npy'))
        listed = _json(folder / f'{floor_plan}-objects.json', default=[])
        found.classes = sorted({one for one in listed if isinstance(one, str)})
        doors = _json(folder / f'{floor_plan}-openable.json', default={})
        number = floor_plan.removeprefix('FloorPlan')
        for path in _files(self.games, 'game.tw-pddl', number):
            _read_game(path, found)
        for object_id in doors if isinstance(doors, Mapping) else ():
            found.add(str(object_id))
        for path in _files(self.trajectories, '*.json', number):
            _read_trajectory(path, floor_plan, found)
        return found


def installed_layouts() -> Path | None:
    """The layouts that come with the package `alfworld`; None where it is not installed."""
    spec = find_spec('alfworld')
    for place in (spec.submodule_search_locations or ()) if spec else ():
        folder = Path(place) / 'gen' / 'layouts'
        if folder.is_dir():
            return folder
    return None


def read_id(object_id: str) -> tuple[str, Place] | None:
    """Class and place of a thing by its id; None where it is no such id, or that of a piece."""
    found = _ID.match(object_id)
    if found is None or 'Sliced' in (found[5] or ''):
        return None
    return found[5] or found[1], (float(found[2]), float(found[3]), float(found[4]))


def is_movable(class_name: str) -> bool:
    """Whether things of a class can be picked up."""
    known = classes().get(class_name)
    return known is not None and 'pickupable' in known.flags


def _points(path: Path) -> list[tuple[float, float]]:
    try:
        points = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise ConfigurationError(f'{path} cannot be read: {error}') from error
    if points.ndim != 2 or points.shape[1] != 2 or not np.isfinite(points).all():
        raise ConfigurationError(f'{path} is no list of x and z')
    on_grid = np.round(points.astype(float) / GRID) * GRID
    return sorted({(float(x), float(z)) for x, z in on_grid})


def _json(path: Path, default: Any = None) -> Any:
    try:
        if not path.is_file():
            return default
        if path.stat().st_size > _LARGEST:
            raise ConfigurationError(f'{path} is larger than {_LARGEST} bytes')
        return json.loads(path.read_text(encoding='utf-8'))
    except (OSError, ValueError, RecursionError) as error:
        raise ConfigurationError(f'{path} cannot be read: {error}') from error


def _files(folders: Iterable[Path], pattern: str, number: str) -> Iterator[Path]:
    """Files of a floor plan: ALFRED names folders and files by its number."""
    wanted = re.compile(rf'-{re.escape(number)}(?:__|/)')
    count = 0
    for folder in folders:
        if not folder.is_dir():
            raise ConfigurationError(f'there is no folder {folder}')
        for path in sorted(folder.rglob(pattern)):
            if wanted.search(path.relative_to(folder.parent).as_posix()) and count < _MOST_FILES:
                count += 1
                yield path


def _read_trajectory(path: Path, floor_plan: str, found: Evidence) -> None:
    content = _json(path)
    scene = content.get('scene') if isinstance(content, Mapping) else None
    if not isinstance(scene, Mapping) or scene.get('floor_plan') != floor_plan:
        return
    try:
        poses = [_pose(row) for row in scene.get('object_poses', ())]
        start = scene.get('init_action')
        if found.start is None and start:
            values = (start[key] for key in ('x', 'z', 'rotation', 'horizon'))
            x, z, rotation, horizon = (float(value) for value in values)
            found.start = x, z, rotation, horizon
        taken: set[str] = set()
        for step in content.get('plan', {}).get('high_pddl', ()):
            planned = step.get('planner_action', {})
            for key in ('objectId', 'receptacleObjectId'):
                if isinstance(planned.get(key), str):
                    found.add(planned[key])
            if planned.get('action') == 'PickupObject' and planned['objectId'] not in taken:
                taken.add(planned['objectId'])
                found.add_taken(planned['objectId'], planned.get('coordinateReceptacleObjectId'))
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise ConfigurationError(f'{path} is no trajectory of ALFRED: {error!r:.120}') from error
    if poses:
        found.episodes.append(poses)


def _pose(row: Mapping[str, Any]) -> Pose:
    name = row['objectName']
    position, rotation = row['position'], row['rotation']
    return Pose(
        name,
        name.partition('_')[0],
        (float(position['x']), float(position['y']), float(position['z'])),
        (float(rotation['x']), float(rotation['y']), float(rotation['z'])),
    )


def _read_game(path: Path, found: Evidence) -> None:
    content = _json(path)
    problem = content.get('pddl_problem') if isinstance(content, Mapping) else None
    if not isinstance(problem, str):
        raise ConfigurationError(f'{path} is no game of ALFWorld')
    for kind, first, second in _FACT.findall(problem):
        if kind == 'inReceptacle':
            thing, receptacle = read_id(_plain(first)), _plain(second)
            if thing and is_movable(thing[0]):
                found.contents.setdefault(receptacle, []).append(thing)
        elif kind != 'opened':
            found.add(_plain(first))


def _plain(written: str) -> str:
    for code, letter in _WRITTEN.items():
        written = written.replace(code, letter)
    return written
