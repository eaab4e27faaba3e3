"""Poses, and frames that hang together by the newest transforms that were heard.

Only the newest are kept: where a place is now is all that a skill asks.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

from reactree_core.errors import SkillError


@dataclass(frozen=True, slots=True)
class Pose:
    """A position in m and an orientation as a unit quaternion, in a frame."""

    frame: str
    x: float = 0.0
    y: float = 0.0
    z: float = 0.0
    qx: float = 0.0
    qy: float = 0.0
    qz: float = 0.0
    qw: float = 1.0

    @classmethod
    def flat(cls, frame: str, x: float, y: float, yaw: float, z: float = 0.0) -> Pose:
        """A pose that is turned about z only. :param yaw: rad."""
        return cls(frame, x, y, z, qz=math.sin(yaw / 2), qw=math.cos(yaw / 2))

    @property
    def yaw(self) -> float:
        """Angle about z, rad, -pi..pi."""
        return math.atan2(
            2 * (self.qw * self.qz + self.qx * self.qy),
            1 - 2 * (self.qy * self.qy + self.qz * self.qz),
        )

    @property
    def is_finite(self) -> bool:
        """Whether all of it are numbers that can be reckoned with."""
        return all(map(math.isfinite, (self.x, self.y, self.z, self.yaw)))

    def distance(self, other: Pose) -> float:
        """Between the positions, m; both in the same frame."""
        return math.dist((self.x, self.y, self.z), (other.x, other.y, other.z))

    def after(self, other: Pose) -> Pose:
        """A pose given in the frame that `other` describes, in the frame of `other`."""
        x, y, z = other._turned(self.x, self.y, self.z)
        ax, ay, az, aw = other.qx, other.qy, other.qz, other.qw
        bx, by, bz, bw = self.qx, self.qy, self.qz, self.qw
        return Pose(
            other.frame,
            other.x + x,
            other.y + y,
            other.z + z,
            aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw,
            aw * bw - ax * bx - ay * by - az * bz,
        )

    def inverse(self, frame: str) -> Pose:
        """The way back. :param frame: whose pose in its own frame this is."""
        back = Pose(frame, 0, 0, 0, -self.qx, -self.qy, -self.qz, self.qw)
        x, y, z = back._turned(self.x, self.y, self.z)
        return replace(back, x=-x, y=-y, z=-z)

    def _turned(self, x: float, y: float, z: float) -> tuple[float, float, float]:
        """A vector turned by the orientation."""
        qx, qy, qz, qw = self.qx, self.qy, self.qz, self.qw
        tx, ty, tz = 2 * (qy * z - qz * y), 2 * (qz * x - qx * z), 2 * (qx * y - qy * x)
        return (
            x + qw * tx + qy * tz - qz * ty,
            y + qw * ty + qz * tx - qx * tz,
            z + qw * tz + qx * ty - qy * tx,
        )


@dataclass(frozen=True, slots=True)
class _Link:
    pose: Pose
    heard_at: float


class FrameTree:
    """Newest transform of every frame to its parent."""

    def __init__(self) -> None:
        self._links: dict[str, _Link] = {}

    def hear(self, child: str, pose: Pose, heard_at: float) -> None:
        """Take a transform. :param pose: of the child in its parent's frame.

        :param heard_at: s; infinite for one that never changes.
        """
        self._links[child.lstrip('/')] = _Link(
            replace(pose, frame=pose.frame.lstrip('/')), heard_at
        )

    def pose_in(self, pose: Pose, target: str, oldest: float = -math.inf) -> Pose:
        """A pose in another frame.

        :param oldest: s; transforms that were heard before are too old.
        :raises SkillError: the frames do not hang together, or by a transform that is too old.
        """
        up, down = self._way(pose.frame, target)
        for frame in (*up, *down):
            if self._links[frame].heard_at < oldest:
                raise SkillError(f'the transform of "{frame}" is too old')
        for frame in up:
            pose = pose.after(self._links[frame].pose)
        for frame in reversed(down):
            pose = pose.after(self._links[frame].pose.inverse(frame))
        return pose

    def heard_at(self, frame: str, target: str) -> float:
        """When the oldest transform between two frames was heard, s; infinite for lasting ones.

        :raises SkillError: the frames do not hang together.
        """
        links = itertools.chain(*self._way(frame, target))
        return min((self._links[frame].heard_at for frame in links), default=math.inf)

    def _way(self, frame: str, target: str) -> tuple[list[str], list[str]]:
        """Frames up to the one that two have in common, from either.

        :raises SkillError: they have none.
        """
        up = list(self._chain(frame))
        down = list(self._chain(target))
        common = next((one for one in up if one in down), None)
        if common is None:
            lost = frame if len(up) == 1 else target
            raise SkillError(
                f'no transform from "{frame}" to "{target}" is known'
                f' (nothing on /tf names "{lost}")'
            )
        return up[: up.index(common)], down[: down.index(common)]

    def _chain(self, frame: str) -> Iterator[str]:
        """The frame, its parent, and so on; ends where a frame comes again."""
        seen: set[str] = set()
        while frame not in seen:
            seen.add(frame)
            yield frame
            if frame not in self._links:
                return
            frame = self._links[frame].pose.frame
