"""What a robot's file says of the robot's state: the sources of it, and what is read of each."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator

from reactree_core.bounds import Bounds, read_bounds
from reactree_core.measures import read_comparison
from reactree_core.written_files import Written
from robot_bridge.quantities import Metres, Seconds, SecondsOrNone

Name = Annotated[str, Field(min_length=1, max_length=200)]
Scalar = bool | int | float | str
#: Field path -> value, list of values, or a comparison such as '> 0.5'.
Conditions = dict[str, Scalar | list[Scalar]]


def listed(value: object) -> object:
    """One entry as a list of one."""
    return [value] if isinstance(value, dict) else value


class Source(Written):
    """Where something is read: a topic's newest message, or a service's answer.

    :param topic: and its `type`; `latched` for one whose publisher keeps its last message.
    :param service: and its `type`; called with `send` before a skill and for a look.
    :param field: the way to the value, e.g. 'pose.pose'; empty for the whole message.
    :param select: list of names and the one that is meant, e.g. {name: gripper_joint} of a joint
        state: fields that are lists then mean its element, and messages without it are not heard.
    :param age: older is as good as unknown; 0 for any age.
    :param within: longest wait for the service.
    :param measured: whether a sensor is behind it, and not only the last command; None: not said.
    """

    topic: str = ''
    service: str = ''
    type: str = ''
    measured: bool | None = None
    send: dict[str, Any] = Field(default_factory=dict)
    field: str = ''
    select: Annotated[dict[str, Scalar], Field(max_length=1)] = Field(default_factory=dict)
    age: SecondsOrNone = 0.0
    latched: bool = False
    within: Seconds = 0.5

    @model_validator(mode='after')
    def _one_source(self) -> Source:
        ways = [bool(self.topic), bool(self.service), bool(getattr(self, 'tf', ''))]
        if sum(ways) != 1:
            raise ValueError(f'name one source: {self._ways()}')
        if (self.topic or self.service) and not self.type:
            raise ValueError(f'"{self.topic or self.service}" needs its type')
        if self.send and not self.service:
            raise ValueError('"send" belongs to a service')
        return self

    def _ways(self) -> str:
        return 'a topic or a service' + (', or tf' if 'tf' in type(self).model_fields else '')


class ThingSource(Source):
    """Index of the names of things.

    :param identifies: whether it tells things apart by what they carry, e.g. a tag, an address or
        a channel of their own, and not by their look; then it is `measured`, too.
    """

    identifies: bool | None = None

    @model_validator(mode='before')
    @classmethod
    def _sensor_that_identifies(cls, given: object) -> object:
        if isinstance(given, dict) and given.get('identifies') is True:
            if given.get('measured') is False:
                raise ValueError(
                    '"identifies: true" is for a sensor, and "measured: false" says that it is '
                    'none: leave one of them out'
                )
            return given | {'measured': True}
        return given


class PoseEntry(Source):
    """Where the robot is, as a pose; its place is the nearest named one.

    :param tf: the robot's frame, e.g. 'base_link', in place of a topic.
    :param frame: that the pose is in, where the message does not report; with `tf`, to look in.
    :param near: farthest from a place to be there.
    """

    tf: str = ''
    frame: str = ''
    near: Metres = 0.5

    @model_validator(mode='after')
    def _in_a_frame(self) -> PoseEntry:
        if self.tf and not self.frame:
            raise ValueError('"tf" needs the frame to look in, e.g. "frame: map"')
        return self


class PlaceSource(Source):
    """Where the robot is, as a name. :param words: the robot's word -> name of a place."""

    words: dict[str, str] = Field(default_factory=dict)


class HeldEntry(ThingSource):
    """What the robot holds: names in a field, or whether it holds what it took last.

    :param hand: that it is about; all of them where none is named.
    :param when: conditions under which something is held.
    :param words: the robot's word -> name of a thing; '' for nothing.
    """

    hand: str = ''
    when: Conditions = Field(default_factory=dict)
    words: dict[str, str] = Field(default_factory=dict)


class NumberEntry(Written):
    """A number of a thing.

    :param field: where it is, below the source's. :param unit: e.g. '%'.
    :param scale: that it is multiplied by; left out: 100 for a part of 1, as the definition of
        its message states, that is shown in percent, else 1.
    :param range: least and greatest number that there can be, in the unit, '0..40'; left out: as
        the unit (0..100 of %) or the definition of its message says. Others are not known.
    :param digits: behind the point, as it is written.
    :param words: states that follow from it -> condition, e.g. {dry: '< 30 %'}.
    :param margin: by how much it must be clear of a limit for such a word to end; in the unit.
        None: a twentieth of the limit.
    :param lasts: how long it is known, once known; None: as long as the source's `age` says.
    """

    field: str = ''
    unit: Annotated[str, Field(max_length=20)] = ''
    scale: Annotated[float | int, Field(gt=0)] | None = None
    range: Annotated[str, Field(max_length=40)] = ''
    digits: Annotated[int, Field(ge=0, le=6)] = 1
    words: dict[Name, str] = Field(default_factory=dict)
    margin: Annotated[float | int, Field(ge=0)] | None = None
    lasts: SecondsOrNone | None = None

    @model_validator(mode='after')
    def _can_be_read(self) -> NumberEntry:
        if self.range and self.bounds is None:
            raise ValueError(f'"{self.range}" is no range of numbers: write "range: 0..40"')
        for word, written in self.words.items():
            comparison = read_comparison(written)
            if comparison is None or comparison.name:
                raise ValueError(
                    f'"{word}": "{written}" is no condition on a number: write "< 20 %", ">= 3" '
                    'or "between 10 and 20 %"'
                )
            if comparison.unit and comparison.unit != self.unit:
                raise ValueError(
                    f'"{word}": "{written}" is in {comparison.unit}, and "unit" is another'
                )
        return self

    @property
    def bounds(self) -> Bounds | None:
        """The range that the file gives."""
        bounds = read_bounds(self.range)
        return None if bounds is None or bounds.fault else bounds


class OwnNumber(Source, NumberEntry):
    """A number of the robot itself, such as its battery's.

    :param other_words: what people call it.
    """

    other_words: list[Name] = Field(default_factory=list)


class FactEntry(ThingSource):
    """What is seen.

    :param field: a list, for a fact of each element, or nothing for one of the message.
    :param name: of the thing, e.g. 'crate {id}'; fields in braces.
    :param when: conditions on fields of an element.
    :param place: where it is: a name, fields in braces, 'here', or 'held' or the name of a hand.
    :param position: field with a pose or point; it is at the nearest place within `near`.
    :param frame: of the position, where the message does not report.
    :param state: e.g. '{state}'. :param words: the robot's word in braces -> ours.
    :param numbers: what is measured of it, by name, e.g. {moisture: {field: wetness, unit: '%'}}.
    :param whole: it says all that is at the place where the robot is, or at every place where
        it never moves: what is not given is not there. 'everywhere': at every place in any case.
    """

    name: Name
    when: Conditions = Field(default_factory=dict)
    place: str = ''
    position: str = ''
    frame: str = ''
    near: Metres = 1.0
    whole: bool | Literal['everywhere'] = False
    state: str = ''
    words: dict[str, str] = Field(default_factory=dict)
    numbers: dict[Name, NumberEntry] = Field(default_factory=dict)


class SignalEntry(Source):
    """Something that the robot reports and that must be so, or must not.

    :param field: a truth, where `when` is left out.
    :param when: conditions on the message or answer; all hold where the signal is true.
    :param say: what is wrong where it is not as it must be, for people.
    """

    when: Conditions = Field(default_factory=dict)
    say: str = ''


class StateEntry(Written):
    """What the robot reports of itself and the world.

    :param numbers: of the robot itself, by what they are called: {battery: {topic: ...}}.
    :param settle: longest wait after a skill for newer messages about the robot, and for what
        they tell to be what the skill says that it does.
    """

    pose: PoseEntry | None = None
    place: PlaceSource | None = None
    held: Annotated[list[HeldEntry], BeforeValidator(listed)] = Field(default_factory=list)
    facts: list[FactEntry] = Field(default_factory=list)
    numbers: dict[Name, OwnNumber] = Field(default_factory=dict)
    settle: SecondsOrNone = 0.5
