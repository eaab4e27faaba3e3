"""A step of a skill: what it sends, and what its end means."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from reactree_core.bounds import number_text
from reactree_core.measures import TIMES
from reactree_core.observation import Outcome
from reactree_core.skill_types import Effect, read_effect, SlotType
from robot_bridge.faults import Faults, Location
from robot_bridge.filling import Fill, Filler, Filling, Scope
from robot_bridge.interface_types import (
    Catalogue,
    FieldPath,
    near,
    PARTS,
    Shape,
    TYPE_NAME,
    UnknownTypeError,
)
from robot_bridge.quantities import seconds
from robot_bridge.reading import Reader, Sentence, Test
from robot_bridge.robot_file import FeedbackEntry, ResultRule, Step
from robot_bridge.state_file import Source

_SLOT = re.compile(r'<([^<>]*)>')
#: Kind of a step -> kind of its interface.
INTERFACES = {'action': 'action', 'service': 'srv', 'publish': 'msg', 'await': 'msg'}
#: Without rules, what the end of an action's goal means, and what is said of it.
_ENDINGS = {
    'aborted': (Outcome.EXECUTION_FAILED, 'gave up'),
    'canceled': (Outcome.EXECUTION_FAILED, 'was canceled by somebody else'),
    'rejected': (Outcome.PRECONDITION_FAILED, 'refused the goal; nothing has moved'),
}
#: Names of constants that say nothing of what went wrong.
_SAYS_NOTHING = ('NONE', 'UNKNOWN', 'SUCCESS', 'FAILURE')


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule of results that can be applied. :param say: None where it has no sentence."""

    written: ResultRule
    fits: Test
    say: Sentence | None

    def usual_status(self, status: str) -> str:
        """The status that a rule without one is about, where a goal ended with this one.

        Success is not taken from a goal that failed, nor fields from one that has no result.
        """
        if self.written.outcome == 'succeeded' or status == 'rejected':
            return 'succeeded'
        return status


@dataclass(frozen=True, slots=True)
class Feedback:
    """What is told of feedback.

    :param say: None where nothing is. :param completion: field of how far it is.
    """

    written: FeedbackEntry
    say: Sentence | None = None
    completion: FieldPath | None = None

    def part_done(self, message: Any, first: float | None) -> tuple[float, float | None]:
        """How much is done, 0..1, negative when unknown; and the value that it began with."""
        completion = self.written.completion
        if completion is None or self.completion is None:
            return -1.0, first
        value = float(self.completion.read(message))
        if first is None:
            first = value if completion.begin is None else float(completion.begin)
        if first == completion.end:
            return -1.0, first
        return min(1.0, max(0.0, (value - first) / (completion.end - first))), first


@dataclass(frozen=True, slots=True)
class ErrorCode:
    """Where a result says whether all went well.

    :param path: to a whole number. :param success: that for success.
    :param constants: of the message that holds it, by name.
    """

    path: FieldPath
    success: int
    constants: Mapping[str, Any]

    def fault(self, message: Any) -> str:
        """What went wrong, in a word or two; '' where nothing did."""
        code = self.path.read(message)
        if code == self.success:
            return ''
        names = [
            name
            for name, value in self.constants.items()
            if value == code and type(value) is int and name not in _SAYS_NOTHING
        ]
        return names[0].lower().replace('_', ' ') if len(names) == 1 else f'error {code}'


def error_code(answer: Shape, catalogue: Catalogue) -> ErrorCode | None:
    """The error code of a result: a number, or a message such as MoveIt's; None for none."""
    kind = answer.fields.get('error_code')
    if kind is not None and kind.range is not None:
        return ErrorCode(FieldPath('error_code', ('error_code',)), 0, answer.constants)
    if kind is None or not kind.is_message:
        return None
    inner = catalogue.message(kind.name)
    if 'val' not in inner.fields or inner.fields['val'].range is None:
        return None
    path = FieldPath('error_code.val', ('error_code', 'val'))
    return ErrorCode(path, inner.constants.get('SUCCESS', 0), inner.constants)


@dataclass(frozen=True, slots=True)
class Call:
    """A step that can be done.

    :param number: of it in its skill, from 1. :param send: fields of what is sent.
    :param at_end: of what is published last. :param code: what comes back of an error.
    :param test: what an awaited message is to say.
    :param pause: s that a wait takes. :param fact: that the senses are to tell, with its slots;
        1 for a number.
    :param takes: of a wait, in the words of `SkillType.effects`.
    """

    number: int
    step: Step
    send: Fill
    at_end: Fill | None = None
    rules: tuple[Rule, ...] = ()
    feedback: Feedback | None = None
    code: ErrorCode | None = None
    test: Test | None = None
    pause: Callable[[Filling], float] | None = None
    fact: Effect | None = None
    takes: str = ''

    @property
    def what(self) -> str:
        """For sentences, e.g. 'the action /navigate_to_pose'."""
        if self.step.is_wait:
            return f'waiting for {self.step.until or self.step.wait}'
        kind = {'publish': 'topic', 'await': 'topic'}.get(self.step.kind, self.step.kind)
        return f'the {kind} {self.step.name}'

    def judge(self, status: str, message: Any, filling: Filling) -> tuple[Outcome, str]:
        """What the end of a goal, or the answer of a service, means.

        :param status: of ROS: 'succeeded' (of an answer too), 'aborted', 'canceled', 'rejected'.
        :param message: result or response; None after a goal that was rejected.
        :returns: the outcome, and a sentence, '' where nothing needs saying.
        """
        for rule in self.rules:
            if (rule.written.status or rule.usual_status(status)) != status:
                continue
            if rule.fits(message):
                outcome = Outcome[rule.written.outcome.upper()]
                said = rule.say(filling, message) if rule.say else ''
                if not said and outcome is not Outcome.SUCCEEDED:
                    said = self._usual_sentence(status, message)
                return outcome, said
        if status in _ENDINGS:
            return _ENDINGS[status][0], self._usual_sentence(status, message)
        refused: object = getattr(message, 'success', None)
        if refused is False or (self.code and self.code.fault(message)):
            return Outcome.EXECUTION_FAILED, self._usual_sentence(status, message)
        return Outcome.SUCCEEDED, ''

    def _usual_sentence(self, status: str, message: Any) -> str:
        ended = _ENDINGS[status][1] if status in _ENDINGS else 'did not do it'
        why = self._reason(message)
        return f'{self.what[:1].upper()}{self.what[1:]} {ended}{f": {why}" if why else ""}.'

    def _reason(self, message: Any) -> str:
        """What fields of the usual names say of a failure."""
        for holder in (message, getattr(message, 'error_code', None)):
            for field in ('error_msg', 'error_string', 'message', 'status_message', 'reason'):
                reason = getattr(holder, field, '')
                if isinstance(reason, str) and reason.strip():
                    return reason.strip().rstrip('.')[:300]
        return self.code.fault(message) if self.code and message is not None else ''


def _nothing(filling: Filling) -> dict[str, Any]:
    """What a wait sends."""
    return {}


class CallMaker:
    """Makes calls of steps, and notes what is wrong with them."""

    def __init__(
        self, catalogue: Catalogue, filler: Filler, reader: Reader, faults: Faults
    ) -> None:
        self._catalogue = catalogue
        self._filler = filler
        self._reader = reader
        self._faults = faults
        #: Interface -> the type under which it was first named.
        self._types: dict[tuple[str, str], str] = {}

    def shape(self, type_name: str, kind: str, part: str, location: Location) -> Shape | None:
        """A part of an interface; None, and a mistake, where there is none.

        :param kind: 'msg', 'srv' or 'action'.
        """
        match = TYPE_NAME.fullmatch(type_name)
        if match is None or match[2] != kind:
            word = {'msg': 'message', 'srv': 'service', 'action': 'action'}[kind]
            self._faults.add(
                location,
                f'"{type_name}" is no type of a{"n" if kind == "action" else ""} {word}: '
                f'write it as package/{kind}/Name',
            )
            return None
        try:
            return self._catalogue.part(type_name, part)
        except UnknownTypeError as error:
            self._faults.add(location, str(error))
            return None

    def check_name(self, name: str, kind: str, type_name: str, location: Location) -> None:
        """Note a name that ROS has none of, or that is used with another type too."""
        if not _is_ros_name(name):
            self._faults.add(
                location, f'"{name}" is no name in ROS: letters, digits, _ and / as in "/arm/move"'
            )
        first = self._types.setdefault((kind, name), type_name)
        if first != type_name:
            self._faults.add(
                location, f'"{name}" is {first} elsewhere in this file, and {type_name} here'
            )

    def source(self, entry: Source, scope: Scope, location: Location) -> tuple[Shape, Fill] | None:
        """What a topic or service tells, and what is sent to be told; None after a mistake."""
        kind, what = ('msg', 'topic') if entry.topic else ('srv', 'service')
        self.check_name(entry.topic or entry.service, kind, entry.type, (*location, what))
        part = 'message' if kind == 'msg' else 'response'
        shape = self.shape(entry.type, kind, part, (*location, 'type'))
        if shape is None:
            return None
        send: Fill = lambda filling: {}  # noqa: E731 - of a topic
        if kind == 'srv':
            asked = self._catalogue.part(entry.type, 'request')
            send = self._filler.fields(entry.send, asked, scope, (*location, 'send'))
        return shape, send

    def call(self, step: Step, number: int, scope: Scope, location: Location) -> Call | None:
        """A step that can be done; None where its type is not there."""
        if step.is_wait:
            return self._wait(step, number, scope, location)
        interface = INTERFACES[step.kind]
        self.check_name(step.name, interface, step.type, (*location, 'name'))
        parts = PARTS[interface]
        shape = self.shape(step.type, interface, parts[0], (*location, step.kind))
        if shape is None:
            return None
        send = self._filler.whole(step.send, shape, scope, (*location, 'send'))
        at_end = None
        if step.at_end is not None:
            at_end = self._filler.whole(step.at_end, shape, scope, (*location, 'finally'))
        answer = self._catalogue.part(step.type, parts[1]) if len(parts) > 1 else None
        test = None
        if step.when:
            test = self._reader.conditions(step.when, shape, (*location, 'when'))
        rules = self._rules(step, answer, scope, location) if answer else ()
        feedback = self._feedback(step, scope, location) if step.feedback else None
        code = error_code(answer, self._catalogue) if answer else None
        return Call(number, step, send, at_end, rules, feedback, code, test)

    def _wait(self, step: Step, number: int, scope: Scope, location: Location) -> Call | None:
        if step.until:
            sample = step.until
            for one in scope.slots.values():
                if one.type is SlotType.NUMBER:
                    sample = sample.replace(one.text, '1')
            fact = read_effect(sample)
            within = f'takes {number_text(round(Decimal(step.within or 0.0), 3))} s'
            if fact is not None:
                return Call(number, step, _nothing, fact=fact, takes=within)
            self._faults.add(
                (*location, 'until'),
                f'"{step.until}" cannot be read; write "<x> is word", "battery > 95 %", '
                '"<x> in <y>", "at <x>" or "holding <x>"',
            )
            return None
        try:
            pause, takes = self._pause(step.wait, scope)
        except ValueError as error:
            self._faults.add((*location, 'wait'), str(error))
            return None
        return Call(number, step, _nothing, pause=pause, takes=takes)

    def _pause(
        self, written: float | int | str, scope: Scope
    ) -> tuple[Callable[[Filling], float], str]:
        """How long a wait takes, s, and that in the words of `SkillType.effects`.

        :raises ValueError: it is no time.
        """
        match = _SLOT.fullmatch(written) if isinstance(written, str) else None
        if match is None:
            time = seconds(written)
            if not 0.0 < time <= 1e6:
                raise ValueError(f'a wait takes more than 0 s, and 1e6 at most, not {written}')
            return lambda filling: time, f'takes {number_text(round(Decimal(time), 3))} s'
        slot = scope.slots.get(match[1])
        if slot is None:
            known = near(match[1], list(scope.slots))
            raise ValueError(f'"{scope.skill}" has no slot <{match[1]}>; {known}')
        if slot.type is not SlotType.NUMBER:
            raise ValueError(f'{slot.text} stands for a {slot.type.value}, and no number')
        unit = (slot.bounds.unit if slot.bounds is not None else '') or 's'
        if unit not in TIMES or (slot.bounds is not None and slot.bounds.least < 0):
            raise ValueError(
                f'{slot.text} is no time: give it bounds from 0 in {", ".join(TIMES)}'
            )
        factor, read = TIMES[unit], self._filler.reference(match[1], scope)
        return lambda filling: float(read(filling)) * factor, f'takes {slot.text} {unit}'

    def _rules(
        self, step: Step, answer: Shape, scope: Scope, location: Location
    ) -> tuple[Rule, ...]:
        rules = []
        general = False
        for index, rule in enumerate(step.results):
            here = (*location, 'results', index)
            if general:
                self._faults.add(here, 'this rule never counts: the one before fits every result')
            general = general or (rule.status is None and not rule.when)
            if rule.status and step.kind == 'service':
                self._faults.add((*here, 'status'), '"status" is of an action; a service has none')
            without = rule.status == 'rejected'
            if without and rule.when:
                self._faults.add(
                    (*here, 'when'), 'a goal that was rejected has no result to look into'
                )
            fits = self._reader.conditions(rule.when, answer, (*here, 'when'))
            say = None
            if rule.say:
                with self._faults.noting((*here, 'say')):
                    say = self._reader.sentence(rule.say, scope, None if without else answer)
            rules.append(Rule(rule, fits, say))
        return tuple(rules)

    def _feedback(self, step: Step, scope: Scope, location: Location) -> Feedback | None:
        written = step.feedback
        assert written is not None
        shape = self._catalogue.part(step.type, 'feedback')
        say, path = None, None
        if written.say:
            with self._faults.noting((*location, 'feedback', 'say')):
                say = self._reader.sentence(written.say, scope, shape)
        if written.completion is not None:
            here = (*location, 'feedback', 'completion', 'field')
            with self._faults.noting(here):
                path, kind = self._reader.path(written.completion.field, shape)
                if not kind.is_number:
                    raise ValueError(f'"{path.text}" is {kind}; a completion has to be a number')
        return Feedback(written, say, path)


def _is_ros_name(name: str) -> bool:
    parts = name.removeprefix('~').removeprefix('/').split('/')
    return all(part.isascii() and part.isidentifier() for part in parts)


def shown(values: Any) -> Any:
    """Values of fields as YAML shows them well: short numbers."""
    if isinstance(values, dict):
        return {name: shown(value) for name, value in values.items()}
    if isinstance(values, list):
        return [shown(value) for value in values]
    return round(values, 6) if isinstance(values, float) else values
