"""Where the values of a robot's state come from: a measurement, or the echo of a command.

A lid's node may publish `open` as soon as it was commanded to open. Then the state confirms every
command, and nothing that rests on it is verified. A file says which it is with `measured`, and
with `identifies` that a source tells things apart by what they carry, not by their look.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from math import isinf
from typing import Any

from reactree_core.belief import Fact, MOMENT, SourceKind
from robot_bridge.belief import Belief
from robot_bridge.perception_file import TOPIC
from robot_bridge.robot import Robot
from robot_bridge.sources import Sense
from robot_bridge.state_file import FactEntry, ThingSource

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
    :param identifies: whether it tells things apart surely: by what they carry, or since its file
        names each.
    :param confuses: noun of what it may take for another, where the file is to say so; else ''.
    """

    source: str
    provenance: Provenance
    why: str
    asks: bool = False
    identifies: bool = False
    confuses: str = ''


def provenances(
    robot: Robot,
    publishers: Mapping[str, Collection[str]] | None = None,
    servers: Mapping[str, Collection[str]] | None = None,
) -> Iterator[SourceProvenance]:
    """Of every source of a robot's state, each once.

    :param publishers: by the topic, names of nodes that publish it now; None: not looked at.
    :param servers: by the service, action or topic that a skill commands, the nodes behind it.
    """
    senses: dict[str, list[Sense[Any]]] = defaultdict(list)
    for sense in robot.senses.all():
        senses[sense.what].append(sense)
    for same in senses.values():
        found = _provenance(robot, same[0], publishers or {}, servers or {})
        entries = [sense.entry for sense in same if isinstance(sense.entry, ThingSource)]
        unsure = [entry for entry in entries if not _identifies(entry)]
        asked = [entry for entry in unsure if entry.identifies is None]
        # What perception sees is told apart as its section of the file says.
        nouns = (_noun(one) for one in asked if isinstance(one, FactEntry) and one.topic != TOPIC)
        is_echo = entries and entries[0].measured is False
        confuses = '' if is_echo else next(nouns, '')
        yield replace(found, identifies=bool(entries) and not unsure, confuses=confuses)


def _identifies(entry: ThingSource) -> bool:
    """Test whether a source tells things apart surely."""
    fixed = isinstance(entry, FactEntry) and '{' not in entry.name
    return bool(entry.identifies) or fixed


def _noun(entry: FactEntry) -> str:
    """Noun of what a source names, as far as its template says."""
    return entry.name.partition('{')[0].strip() or 'thing'


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

    A source that may repeat commands is a report, and no sensor, and a sensor that identifies
    things is a tag's. What a source without an age
    reported before, and does not report now, was good at its moment.
    """
    kinds = {one.source: _kind(one) for one in provenances(belief.robot)}
    for fact in belief.evidence():
        if fact.source.kind is SourceKind.SENSOR:
            kind = kinds.get(fact.source.name, SourceKind.REPORT)
            fact = replace(fact, source=replace(fact.source, kind=kind))
            if isinf(fact.age) and not belief.reports_now(fact):
                fact = replace(fact, age=MOMENT)
        yield fact


def _kind(one: SourceProvenance) -> SourceKind:
    if one.provenance is not Provenance.MEASURED:
        return SourceKind.REPORT
    return SourceKind.TAG if one.identifies else SourceKind.SENSOR
