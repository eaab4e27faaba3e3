"""Things over time: what is seen twice is one thing, and gone is what was looked for.

A thing with a name of its own (a marker's id) is itself wherever it is. Of a class, the nearest
known one is meant, within a distance; one that is farther away is another, unless exactly one of
the class has just been missed where it was: then it was moved.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from perception.markers import Sighting
from reactree_core.skill_types import class_and_number
from robot_bridge.poses import Pose

#: Things that are kept in mind; those that were not seen for longest go first.
_MOST = 300


@dataclass(frozen=True, slots=True)
class Track:
    """One thing.

    :param pose: in the frame that is given. :param seen_at: s. :param by: source of the sighting.
    :param missed_since: s, from when on its place is in view without it; None where it is not.
    """

    name: str
    pose: Pose
    seen_at: float
    by: str
    camera: str = ''
    outline: tuple[float, ...] = ()
    score: float = 1.0
    missed_since: float | None = None
    gone: bool = False


class Tracker:
    """Keeps the things of all cameras and detectors.

    :param within: farthest between two sightings of one thing of a class, m.
    :param gone_after: s, in which the place of a thing must be in view without it.
    """

    def __init__(self, within: float, gone_after: float) -> None:
        self._within = within
        self._gone_after = gone_after
        self._tracks: dict[str, Track] = {}

    def __iter__(self) -> Iterator[Track]:
        return iter(self._tracks.values())

    def see(
        self,
        sightings: Sequence[Sighting],
        at: float,
        by: str,
        in_view: Callable[[Pose], bool],
        camera: str = '',
    ) -> None:
        """Take what one source has seen in one picture.

        :param sightings: poses in the frame that is given. :param at: when it was taken, s.
        :param in_view: whether the source would see a thing at a pose.
        """
        found = {}
        for name, one in self._named(sightings, by, in_view):
            old = self._tracks.get(name)
            if old is None or at >= old.seen_at:
                found[name] = Track(name, one.pose, at, by, camera, one.outline, one.score)
        self._tracks |= found
        for name, track in list(self._tracks.items()):
            if name in found or track.by != by or track.gone or at <= track.seen_at:
                continue
            if not in_view(track.pose):
                # Nobody knows; what was missed before counts from the beginning again.
                self._tracks[name] = replace(track, missed_since=None)
                continue
            since = at if track.missed_since is None else track.missed_since
            gone = at - since >= self._gone_after
            self._tracks[name] = replace(track, missed_since=since, gone=gone)
        if len(self._tracks) > _MOST:
            oldest = sorted(self._tracks.values(), key=lambda one: one.seen_at)
            for track in oldest[: len(self._tracks) - _MOST]:
                del self._tracks[track.name]

    def _named(
        self, sightings: Sequence[Sighting], by: str, in_view: Callable[[Pose], bool]
    ) -> Iterator[tuple[str, Sighting]]:
        """Sightings, each with the name of the thing that it is of."""
        for one in sightings:
            if one.unique:
                yield one.name, one
        classes = dict.fromkeys(one.name for one in sightings if not one.unique)
        for kind in classes:
            yield from self._of_class(
                kind,
                [one for one in sightings if one.name == kind and not one.unique],
                by,
                in_view,
            )

    def _of_class(
        self, kind: str, seen: list[Sighting], by: str, in_view: Callable[[Pose], bool]
    ) -> Iterator[tuple[str, Sighting]]:
        known = {
            track.name: track
            for track in self._tracks.values()
            if class_and_number(track.name)[0] == kind and track.by == by
        }
        pairs = sorted(
            (
                (one.pose.distance(track.pose), index, name)
                for index, one in enumerate(seen)
                for name, track in known.items()
                if not track.gone
            ),
        )
        left = dict(enumerate(seen))
        taken: set[str] = set()
        for away, index, name in pairs:
            if away > self._within:
                break
            if index in left and name not in taken:
                yield name, left.pop(index)
                taken.add(name)
        missed = [
            name
            for name, track in known.items()
            if name not in taken and (track.gone or in_view(track.pose))
        ]
        if len(left) == 1 and len(missed) == 1:
            # It was moved: by the robot, or by somebody else.
            yield missed[0], left.popitem()[1]
        numbers = (n for n in itertools.count(1) if f'{kind} {n}' not in self._tracks)
        for one, number in zip(left.values(), numbers, strict=False):
            yield f'{kind} {number}', one

    def present(self, oldest: float) -> list[Track]:
        """Things that are there as far as is known, seen since then. :param oldest: s."""
        return [one for one in self if not one.gone and one.seen_at >= oldest]

    def gone(self) -> list[str]:
        """Names of things whose places were looked at without them."""
        return [one.name for one in self if one.gone]
