"""What a stop needs of a robot's file: written into its record, and read from there again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from reactree_core.errors import ConfigurationError, SkillError
from reactree_core.robot_record import Command, RobotRecord, skills_of_actions
from reactree_core.written_files import Lines
from robot_bridge.calls import Call, CallMaker
from robot_bridge.faults import Faults
from robot_bridge.filling import Fill, Filler, Filling, Surroundings
from robot_bridge.interface_types import Catalogue
from robot_bridge.reading import Reader
from robot_bridge.robot import Robot
from robot_bridge.robot_file import RobotFile
from robot_bridge.signals import Signal, SignalsMaker

#: Name of an interface, and its kind ('action', 'service' or 'topic') -> its name on the graph.
Resolve = Callable[[str, str], str]


def record_of(
    robot: Robot, node: str, resolve: Resolve, surroundings: Surroundings
) -> RobotRecord:
    """The record of a robot, without a process.

    :param node: full name of its skill server. :param resolve: applies remaps and namespaces.
    :param surroundings: for values that commands need.
    """
    calls = [
        (skill.type.template, call)
        for skill in robot.skills
        for call in skill.calls
        if not call.step.is_wait
    ]

    def names(kind: str) -> tuple[str, ...]:
        noun = 'topic' if kind == 'publish' else kind
        found = (call.step.name for _, call in calls if call.step.kind == kind)
        return tuple(resolve(name, noun) for name in dict.fromkeys(found))

    ends: dict[str, Command] = {}
    for _, call in calls:
        if call.step.kind == 'publish' and call.at_end is not None:
            end = _command(call, call.at_end, resolve, surroundings)
            if end is not None:
                ends.setdefault(end.name, end)
    read = robot.interfaces()
    press = robot.signals.press
    return RobotRecord(
        node,
        robot.file.robot,
        actions=skills_of_actions(
            [
                (resolve(call.step.name, 'action'), template)
                for template, call in calls
                if call.step.kind == 'action'
            ]
        ),
        services=names('service'),
        topics=names('publish'),
        heard=tuple(
            resolve(one.name, 'topic')
            for one in dict.fromkeys((*read, *robot.cameras()))
            if one.kind == 'await'
        ),
        asked=tuple(resolve(one.name, 'service') for one in read if one.kind == 'service'),
        press=_command(press, press.send, resolve, surroundings) if press is not None else None,
        pressed=_section(robot.signals.pressed, resolve),
        ends=tuple(ends.values()),
    )


def _command(
    call: Call, fill: Fill, resolve: Resolve, surroundings: Surroundings
) -> Command | None:
    """A call as plain values; None where they are known only while a skill is done."""
    step = call.step
    try:
        values = dict(fill(Filling({}, surroundings)))
    except (SkillError, LookupError):
        return None
    noun = 'topic' if step.kind == 'publish' else step.kind
    return Command(step.kind, resolve(step.name, noun), step.type, values, step.latched)


def _section(signal: Signal | None, resolve: Resolve) -> dict[str, Any]:
    """A signal as a robot's file has it, with the name on the graph."""
    if signal is None:
        return {}
    written = signal.entry.model_dump(mode='json', by_alias=True, exclude_defaults=True)
    for kind in ('topic', 'service'):
        if written.get(kind):
            written[kind] = resolve(written[kind], kind)
    return written


def pressed_signal(section: Mapping[str, Any], catalogue: Catalogue) -> Signal:
    """The signal of a record.

    :param section: `RobotRecord.pressed`.
    :raises ConfigurationError: it cannot be read, as where a type is not installed any more.
    """
    try:
        file = RobotFile.model_validate(
            {
                'robot': 'recorded',
                'skills': [{'skill': 'wait', 'do': {'wait': 1}}],
                'emergency_stop': {'pressed': dict(section)},
            }
        )
    except ValueError as error:
        raise ConfigurationError(f'its record cannot be read: {error}') from error
    faults = Faults(Lines(None, None))
    filler = Filler(file, catalogue, faults)
    reader = Reader(catalogue, filler, faults)
    calls = CallMaker(catalogue, filler, reader, faults)
    signal = SignalsMaker(file, reader, calls, faults).signals().pressed
    if signal is None or faults.sentences():
        raise ConfigurationError('; '.join(faults.sentences()) or 'its record has no signal')
    return signal
