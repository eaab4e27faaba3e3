"""The bench: two arms that reach so far, grippers that may miss, parts, and what is in the way."""

from __future__ import annotations

import math

#: Where parts lie; x to the right and y away from the arms' bases, m.
SPOTS = {'left tray': (-0.7, 0.4), 'fixture': (0.0, 0.4), 'right tray': (0.7, 0.4)}
#: Length of each of the two links of an arm, and the highest that a hand goes, m.
LINK, HIGHEST = 0.4, 0.5
#: rad/s, of every joint.
SPEED = 2.0
#: Gap of a gripper, m: open, around a part, and closed on nothing.
OPEN, AROUND, SHUT = 0.08, 0.03, 0.0
#: How near a hand must be to a part to hold it, and to the other hand to touch it, m.
GRASP, TOUCH = 0.06, 0.04
#: Points of a way that are looked at.
_POINTS = 20

#: Shoulder and elbow in rad, height of the hand in m.
Joints = tuple[float, float, float]
Point = tuple[float, float, float]


class Arm:
    """One arm. :param side: 'left' or 'right'."""

    def __init__(self, side: str) -> None:
        self.side = side
        # Elbows point outwards; the right arm is the mirror image of the left one.
        self.out = -1.0 if side == 'left' else 1.0
        self.base = 0.4 * self.out
        self.joints: Joints = (math.pi / 2 - self.out * 1.2, self.out * 2.4, 0.3)
        self.gap = OPEN

    @property
    def hand(self) -> Point:
        """Where its hand is, m."""
        return self.hand_at(self.joints)

    def hand_at(self, joints: Joints) -> Point:
        """Where its hand would be."""
        shoulder, elbow, height = joints
        return (
            self.base + LINK * (math.cos(shoulder) + math.cos(shoulder + elbow)),
            LINK * (math.sin(shoulder) + math.sin(shoulder + elbow)),
            height,
        )

    def joints_for(self, point: Point) -> Joints | None:
        """Joints with the hand at a point; None where it does not reach."""
        x, y, height = point[0] - self.base, point[1], point[2]
        bend = (x * x + y * y) / (2 * LINK * LINK) - 1
        if abs(bend) > 1 or not 0 <= height <= HIGHEST:
            return None
        elbow = self.out * math.acos(bend)
        shoulder = math.atan2(y, x) - math.atan2(math.sin(elbow), 1 + math.cos(elbow))
        return shoulder, elbow, height

    def way(self, goal: Joints) -> list[Joints]:
        """Joints from where they are to a goal, in steps of equal size."""
        return [
            tuple(a + (b - a) * step / _POINTS for a, b in zip(self.joints, goal, strict=True))
            for step in range(1, _POINTS + 1)
        ]


class Bench:
    """Everything that moves."""

    def __init__(self) -> None:
        self.arms = {side: Arm(side) for side in ('left', 'right')}
        #: Times as fast.
        self.hurry = 1.0
        #: Circles over which no hand can be: x, y, radius.
        self.covers: list[tuple[float, float, float]] = []
        #: How many times a gripper will miss.
        self.misses = 0
        left, right = SPOTS['left tray'], SPOTS['right tray']
        self.parts: dict[str, Point] = {
            'gear 1': (left[0] - 0.08, left[1], 0.0),
            'shaft 1': (left[0] + 0.08, left[1], 0.0),
            'gear 2': (right[0], right[1], 0.0),
        }
        #: Part -> sides of the hands that hold it.
        self.holders: dict[str, set[str]] = {name: set() for name in self.parts}

    def seen(self) -> dict[str, Point]:
        """Parts that lie on the bench."""
        return {name: at for name, at in self.parts.items() if not self.holders[name]}

    def held_by(self, side: str) -> str:
        """The part in a hand; '' for none."""
        return next((name for name, sides in self.holders.items() if side in sides), '')

    def objection(self, side: str, goal: Joints) -> str:
        """Why an arm cannot go there: 'goal' or 'way' is not free; '' when it can."""
        arm = self.arms[side]
        hand = arm.hand_at(goal)
        other = next(arm for arm in self.arms.values() if arm.side != side)
        if self._is_covered(hand) or math.dist(hand, other.hand) < TOUCH:
            return 'goal'
        return 'way' if any(self._is_covered(arm.hand_at(one)) for one in arm.way(goal)) else ''

    def _is_covered(self, hand: Point) -> bool:
        return any(math.dist(hand[:2], cover[:2]) < cover[2] for cover in self.covers)

    def move(self, side: str, joints: Joints) -> None:
        """Put an arm there, with what it holds."""
        self.arms[side].joints = joints
        part = self.held_by(side)
        if part:
            self.parts[part] = self.arms[side].hand

    def close(self, side: str) -> bool:
        """Close a gripper. :return: whether a part is between its fingers."""
        arm = self.arms[side]
        if self.misses > 0:
            self.misses -= 1
        elif not self.held_by(side):
            nearest = min(self.parts, key=lambda name: math.dist(self.parts[name], arm.hand))
            if math.dist(self.parts[nearest], arm.hand) < GRASP:
                self.holders[nearest].add(side)
        held = bool(self.held_by(side))
        arm.gap = AROUND if held else SHUT
        return held

    def open(self, side: str) -> None:
        """Open a gripper; a part that no other hand holds falls to where it is."""
        self.arms[side].gap = OPEN
        part = self.held_by(side)
        if part:
            self.holders[part].discard(side)
            x, y, _ = self.parts[part]
            if not self.holders[part]:
                self.parts[part] = (x, y, 0.0)
