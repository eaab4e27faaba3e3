"""Numbers for detections that have only the name of a class: "cup" and "cup" are cup 1 and cup 2.

A detection is the known thing of its class that it is nearest to, or that is believed at the same
place; else it is a new one. What is believed elsewhere, or is in a hand, is none of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from reactree_core.skill_types import class_and_number
from robot_bridge.poses import Pose
from robot_bridge.sources import Seen

#: A known thing: its place, '' where that is not known, and where it was seen.
Known = tuple[str, Pose | None]
#: Cost of a pair without poses, in m: the same place, and a thing of which no place is known.
_SAME_PLACE, _NO_PLACE = 100.0, 200.0


@dataclass
class Instances:
    """Numbering of detections, stable over messages.

    :param classes: names that are classes, never things. :param declared: names that are things.
    """

    classes: set[str]
    declared: frozenset[str]
    #: Name with our number -> the name under which it is reported.
    reported: dict[str, str] = field(default_factory=dict)
    #: What could not be kept apart -> the sentence for people.
    notices: dict[str, str] = field(default_factory=dict)

    def numbered(
        self,
        seen: Sequence[Seen],
        things: Mapping[str, Known],
        held: Sequence[str],
        place_of: Callable[[Seen], str],
    ) -> tuple[Seen, ...]:
        """The same reports, with a number for each detection of a class.

        :param things: what is known already. :param held: things in the hands.
        :param place_of: the named place of a report, '' where it has none.
        """
        self.notices.clear()
        groups: dict[tuple[str, str], list[int]] = {}
        for index, one in enumerate(seen):
            if not one.is_hint:
                groups.setdefault((one.by, one.name), []).append(index)
        found = list(seen)
        for (by, name), members in groups.items():
            if len(members) > 1 and class_and_number(name)[1] == 0 and name not in self.declared:
                self.classes.add(name)
            if name not in self.classes:
                self._note_twice(by, name, [place_of(seen[index]) for index in members])
                continue
            reports = [seen[index] for index in members]
            numbers = self._numbers(name, reports, things, held, place_of)
            for index, number in zip(members, numbers, strict=True):
                found[index] = replace(seen[index], name=f'{name} {number}')
                self.reported[f'{name} {number}'] = name
            if len(members) > 1 and any(one.pose is None for one in reports):
                self.notices[f'{by} {name}'] = (
                    f'{by} reports {len(members)} things called "{name}" without positions: they '
                    'are told apart by their order alone. Give a position, or ids of a tracker.'
                )
        return tuple(found)

    def _note_twice(self, by: str, name: str, places: list[str]) -> None:
        if len(places) > 1 and len(set(places)) > 1:
            self.notices[f'{by} {name}'] = (
                f'{by} reports "{name}" {len(places)} times at once: where it is, is not known.'
            )

    def _numbers(
        self,
        name: str,
        reports: list[Seen],
        things: Mapping[str, Known],
        held: Sequence[str],
        place_of: Callable[[Seen], str],
    ) -> list[int]:
        known = {
            number: things[thing]
            for thing in things
            for kind, number in (class_and_number(thing),)
            if kind == name and number and thing not in held
        }
        located = [(one, place_of(one)) for one in reports]
        pairs = sorted(
            (cost, number, index)
            for index, (one, where) in enumerate(located)
            for number, (place, pose) in known.items()
            for cost in _costs(one, where, place, pose)
        )
        taken: dict[int, int] = {}
        free = set(known)
        for _, number, index in pairs:
            if index not in taken and number in free:
                taken[index] = number
                free.remove(number)
        used = {class_and_number(thing)[1] for thing in (*things, *held)
                if class_and_number(thing)[0] == name}  # fmt: skip
        for index in range(len(reports)):
            if index not in taken:
                taken[index] = next(n for n in range(1, len(used) + 2) if n not in used)
                used.add(taken[index])
        return [taken[index] for index in range(len(reports))]


def _costs(one: Seen, where: str, place: str, pose: Pose | None) -> Iterator[float]:
    """Cost of taking a detection for a known thing, m; none where it cannot be that."""
    if one.pose is not None and pose is not None and one.pose.frame == pose.frame:
        away = math.dist((one.pose.x, one.pose.y, one.pose.z), (pose.x, pose.y, pose.z))
        if away <= max(one.near, 0.5) or (where and where == place):
            yield min(away, _SAME_PLACE)
    elif where and where == place:
        yield _SAME_PLACE
    elif not place:
        yield _NO_PLACE
