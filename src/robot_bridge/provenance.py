"""Where the values of a robot's state come from: a measurement, or the echo of a command.

A lid's node may publish `open` as soon as it was commanded to open. Then the state confirms every
command, and nothing that rests on it is verified. A file says which it is with `measured`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from math import isinf
from typing import Any

from reactree_core.belief import Fact, MOMENT, SourceKind
from robot_bridge.belief import Belief
from robot_bridge.robot import Robot
from robot_bridge.sources import Sense

#: Packages and types whose messages come from sensors by their definition.
_SENSOR_TYPES = (
    'sensor_msgs/', 'vision_msgs/', 'nav_msgs/msg/Odometry', 'tf2_msgs/', 'reactree_ros/',
    'geometry_msgs/msg/PoseWithCovarianceStamped',
)  # fmt: skip


class Provenance(Enum):
    """How a source knows what it reports; values are for JSON."""

    MEASURED = 'measured'
    ECHO = 'may only echo a command'
    UNKNOWN = 'not known'


@dataclass(frozen=True, slots=True)
class SourceProvenance:
    """Of one source. :param source: its topic or service. :param why: a clause.

    :param asks: whether the file is to answer it, by the field `measured`.
    """

    source: str
    provenance: Provenance
    why: str
    asks: bool = False


def provenances(
    robot: Robot,
    publishers: Mapping[str, Collection[str]] | None = None,
    servers: Mapping[str, Collection[str]] | None = None,
) -> Iterator[SourceProvenance]:
    """Of every source of a robot's state, each once.

    :param publishers: by the topic, names of nodes that publish it now; None: not looked at.
    :param servers: by the service, action or topic that a skill commands, the nodes behind it.
    """
    seen: set[str] = set()
    for sense in robot.senses.all():
        if sense.what not in seen:
            seen.add(sense.what)
            yield _provenance(robot, sense, publishers or {}, servers or {})


def _provenance(
    robot: Robot,
    sense: Sense[Any],
    publishers: Mapping[str, Collection[str]],
    servers: Mapping[str, Collection[str]],
) -> SourceProvenance:
    what, entry = sense.what, sense.entry
    if entry.measured is not None:
        found = Provenance.MEASURED if entry.measured else Provenance.ECHO
        return SourceProvenance(what, found, 'the file says so')
    writers = [
        skill.type.template
        for skill in robot.skills
        for call in skill.calls
        if entry.topic and call.step.kind == 'publish' and call.step.name == entry.topic
    ]
    if writers:
        why = f'"{writers[0]}" publishes on it itself'
        return SourceProvenance(what, Provenance.ECHO, why, asks=True)
    if (not entry.topic and not entry.service) or entry.type.startswith(_SENSOR_TYPES):
        kind = entry.type or 'tf'
        return SourceProvenance(what, Provenance.MEASURED, f'{kind} comes from a sensor')
    behind = set(publishers.get(entry.topic, ()))
    for command, nodes in servers.items():
        both = behind & set(nodes)
        if both:
            why = f'the node {min(both)} publishes it and serves {command}'
            return SourceProvenance(what, Provenance.ECHO, why, asks=True)
    why = 'nothing in the file says'
    return SourceProvenance(what, Provenance.UNKNOWN, why, asks=True)


def told_evidence(belief: Belief) -> Iterator[Fact]:
    """Evidence of a belief as it is sent: by its sort of source, and with what ended its age.

    A source that may repeat commands is a report, and no sensor. What a source without an age
    reported before, and does not report now, was good at its moment.
    """
    sensors = {
        one.source for one in provenances(belief.robot) if one.provenance is Provenance.MEASURED
    }
    for fact in belief.evidence():
        if fact.source.kind is SourceKind.SENSOR:
            if fact.source.name not in sensors:
                fact = replace(fact, source=replace(fact.source, kind=SourceKind.REPORT))
            if isinf(fact.age) and not belief.reports_now(fact):
                fact = replace(fact, age=MOMENT)
        yield fact
