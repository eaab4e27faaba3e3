"""Signals of a robot that decide whether it may move: its emergency stop, its mode, its nodes."""

from __future__ import annotations

from dataclasses import dataclass

from robot_bridge.calls import Call, CallMaker
from robot_bridge.faults import Faults, Location
from robot_bridge.filling import Fill, Scope
from robot_bridge.interface_types import Shape
from robot_bridge.reading import Reader, Test
from robot_bridge.robot_file import RobotFile
from robot_bridge.state_file import SignalEntry

_NO_SKILL = Scope({}, 'a signal of the robot')


@dataclass(frozen=True, slots=True, eq=False)
class Signal:
    """One that can be read.

    :param send: request of a service.
    :param holds: whether a message says that it is true; LookupError where it does not say.
    """

    entry: SignalEntry
    send: Fill
    holds: Test

    @property
    def what(self) -> str:
        """Where it comes from, for sentences."""
        return self.entry.topic or self.entry.service

    @property
    def wanted(self) -> str:
        """What its message says where it is true."""
        if self.entry.when:
            return ', '.join(f'{name}: {value}' for name, value in self.entry.when.items())
        return f'{self.entry.field}: true'


@dataclass(frozen=True, slots=True)
class Signals:
    """Those of a robot.

    :param pressed: true while its own emergency stop is. :param press: presses that.
    :param ready: all must be true before it moves.
    """

    pressed: Signal | None = None
    press: Call | None = None
    ready: tuple[Signal, ...] = ()

    def all(self) -> tuple[Signal, ...]:
        """Every signal that is read."""
        return (*((self.pressed,) if self.pressed else ()), *self.ready)


@dataclass
class SignalsMaker:
    """Makes the signals of a robot's file, and notes what is wrong with them."""

    _file: RobotFile
    _reader: Reader
    _calls: CallMaker
    _faults: Faults

    def signals(self) -> Signals:
        """All that the file names."""
        stop = self._file.emergency_stop
        pressed = press = None
        if stop is not None and stop.pressed is not None:
            pressed = self._signal(stop.pressed, ('emergency_stop', 'pressed'))
        if stop is not None and stop.press is not None:
            press = self._calls.call(stop.press, 1, _NO_SKILL, ('emergency_stop', 'press'))
        ready = [
            self._signal(entry, ('ready', index)) for index, entry in enumerate(self._file.ready)
        ]
        return Signals(pressed, press, tuple(one for one in ready if one is not None))

    def _signal(self, entry: SignalEntry, location: Location) -> Signal | None:
        told = self._calls.source(entry, _NO_SKILL, location)
        if told is None:
            return None
        shape, send = told
        if entry.when:
            if entry.field:
                self._faults.add(
                    (*location, 'field'), 'it has "when": write the fields there, and no "field"'
                )
            return self._of_conditions(entry, send, shape, location)
        try:
            path, found = self._reader.path(entry.field, shape)
        except ValueError as error:
            self._faults.add((*location, 'field'), str(error))
            return None
        if not found.is_truth:
            where = f'"{entry.field}"' if entry.field else 'the message'
            self._faults.add(
                (*location, 'field'),
                f'{where} is {found}: name a field that is true or false, or write "when"',
            )
            return None

        return Signal(entry, send, lambda message: bool(path.read(message)))

    def _of_conditions(
        self, entry: SignalEntry, send: Fill, shape: Shape, location: Location
    ) -> Signal:
        test = self._reader.strict_conditions(entry.when, shape, (*location, 'when'))
        return Signal(entry, send, test)
