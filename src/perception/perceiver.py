"""Pictures and detections in, what is known of things out; without ROS and without threads."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import cv2

from perception.cameras import Lens
from perception.detections import sightings_of
from perception.errors import PictureError
from perception.markers import MarkerFinder, Sighting
from perception.pictures import colours_of, Depths, depths_of, grey_of, Pixels
from perception.tracking import Track, Tracker
from perception.views import View
from reactree_core.errors import SkillError
from robot_bridge.perception_file import CameraEntry, PerceptionEntry
from robot_bridge.poses import FrameTree, Pose

MARKER, DETECTOR = 'marker', 'detector'


@dataclass(frozen=True, slots=True)
class Findings:
    """What is known now. :param looked_at: places in view for long enough, all around."""

    things: tuple[Track, ...]
    looked_at: tuple[str, ...]
    gone: tuple[str, ...]
    tells: tuple[str, ...]


class Perceiver:
    """Reads pictures and detections as a robot's file says.

    :param places: poses of the file's places that are known now.
    """

    def __init__(
        self, entry: PerceptionEntry, places: Callable[[], Mapping[str, Pose]] = dict
    ) -> None:
        self.entry = entry
        self.frames = FrameTree()
        self._places = places
        self._finder = MarkerFinder(entry.markers)
        self._tracker = Tracker(entry.same_within, entry.gone_after)
        self._views: dict[str, View] = {}
        #: Source that must look, and place -> since when it is in view, and until when.
        self._watched: dict[str, dict[str, tuple[float, float]]] = {
            **({MARKER: {}} if entry.markers else {}),
            **{self._by(index): {} for index in range(len(entry.detections))},
        }

    def _by(self, index: int) -> str:
        return f'{DETECTOR} {self.entry.detections[index].topic}'

    def look(self, camera: str, picture: Any, info: Any, depth: Any, at: float) -> Pixels:
        """Read one picture.

        :param picture: fields of sensor_msgs/Image. :param info: its CameraInfo.
        :param depth: of the same view, or None. :param at: when it was taken, s.
        :returns: its pixels.
        :raises PictureError: nothing can be read from it; what was known stays as it was.
        """
        pixels = colours_of(picture)
        grey = grey_of(pixels)
        if info is None:
            raise PictureError(f'nothing has come on {self.entry.cameras[camera].info} yet')
        lens = Lens.from_info(info)
        lens.check(pixels.shape[1], pixels.shape[0])
        depths: Depths | None = None
        if depth is not None:
            depths = depths_of(depth)
            lens.check(depths.shape[1], depths.shape[0])
        frame = str(picture.header.frame_id).lstrip('/')
        view = self._view(camera, lens, frame, depths)
        if self.entry.markers:
            try:
                found = self._finder.find(grey, lens, frame)
            except cv2.error as error:
                raise PictureError(
                    f'OpenCV cannot read it: {" ".join(str(error).split())}'
                ) from error
            placed = [_moved(one, view.camera) for one in found]
            self._tracker.see(placed, at, f'{MARKER} {camera}', view.shows, camera)
            self._watch(MARKER, view, at)
        return pixels

    def _view(self, camera: str, lens: Lens, frame: str, depths: Depths | None) -> View:
        entry = self.entry.cameras[camera]
        before = self._views.get(camera)
        pose = self._camera_pose(entry, frame)
        view = View(lens, pose, depths)
        if before is not None and not view.is_near(before.camera):
            view = View(lens, pose, depths, still=False)
        self._views[camera] = view
        return view

    def _camera_pose(self, entry: CameraEntry, frame: str) -> Pose:
        try:
            if entry.mount is None:
                return self.frames.pose_in(Pose(frame), self.entry.frame)
            mount = entry.mount
            pose = Pose(mount.frame, mount.x, mount.y, mount.z, *mount.quaternion)
            return self.frames.pose_in(pose, self.entry.frame)
        except SkillError as error:
            raise PictureError(f'where the camera is, is not known: {error}') from error

    def detect(self, index: int, message: Any, at: float) -> None:
        """Take what a detector reports.

        :param index: of its entry in the file. :param at: when its picture was taken, s.
        :raises PictureError: nothing can be distinguished from it.
        """
        entry = self.entry.detections[index]
        view = self._views.get(entry.camera)
        placed = []
        lens, depths = (view.lens, view.depths) if view is not None else (None, None)
        for one in sightings_of(message, entry, lens, depths):
            # Boxes are in the picture of a camera, whatever frame their message names.
            if one.outline and view is not None:
                placed.append(_moved(one, view.camera))
                continue
            try:
                pose = self.frames.pose_in(one.pose, self.entry.frame)
            except SkillError as error:
                raise PictureError(f'where detections are, is not known: {error}') from error
            placed.append(_at(one, pose))
        in_view = view.shows if view is not None else _nowhere
        self._tracker.see(placed, at, self._by(index), in_view, entry.camera)
        if view is not None:
            self._watch(self._by(index), view, at)

    def _watch(self, source: str, view: View, at: float) -> None:
        """Note which places are in view, and since when."""
        watched = self._watched[source]
        for name, place in self._places().items():
            since, until = watched.get(name, (math.inf, -math.inf))
            if view.shows(place, self.entry.near):
                follows = at - until <= self.entry.age
                watched[name] = (min(since, at) if follows else at), at
            elif at - until > self.entry.gone_after:
                # Not at once: a second camera may have it in view.
                watched.pop(name, None)

    def told(self, now: float) -> Findings:
        """What is known. :param now: s, by the clock of the pictures."""
        oldest = now - self.entry.age

        def looked(name: str) -> bool:
            times = [watched.get(name) for watched in self._watched.values()]
            return bool(times) and all(
                time is not None
                and time[1] >= oldest
                and time[1] - time[0] >= self.entry.gone_after
                for time in times
            )

        return Findings(
            tuple(self._tracker.present(oldest)),
            tuple(name for name in self._places() if looked(name)),
            tuple(self._tracker.gone()),
            self.entry.sensed_names,
        )


def _moved(one: Sighting, camera: Pose) -> Sighting:
    return _at(one, one.pose.after(camera))


def _at(one: Sighting, pose: Pose) -> Sighting:
    return Sighting(one.name, pose, one.outline, one.score, one.unique)


def _nowhere(pose: Pose) -> bool:
    return False
