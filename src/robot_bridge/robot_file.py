"""What a robot's file holds, field by field; docs/robot_file.md explains it by examples."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator

from reactree_core.foreign_text import cleaned
from reactree_core.skill_types import MOST_TRIES
from reactree_core.written_files import Written
from robot_bridge.perception_file import PerceptionEntry
from robot_bridge.poses import Pose
from robot_bridge.quantities import Metres, Radians, Seconds, SecondsOrNone
from robot_bridge.slots import plain_template, Slots
from robot_bridge.state_file import Conditions, listed, Name, Scalar, SignalEntry, StateEntry

Kind = Literal[
    'other', 'move', 'take', 'put', 'open', 'close', 'switch on', 'switch off', 'change', 'look',
    'make', 'ask', 'end',
]  # fmt: skip
#: What a rule of results may say; the others are found out by the bridge itself.
Said = Literal[
    'succeeded', 'precondition_failed', 'execution_failed', 'invalid_skill', 'safety_rejected',
    'timed_out',
]  # fmt: skip
#: How an action's goal ended, in ROS's words.
Retries = Annotated[int, Field(ge=0, le=MOST_TRIES - 1)]
Status = Literal['succeeded', 'aborted', 'canceled', 'rejected']


#: Most hands of a robot.
_MOST_HANDS = 20


def _hands(value: object) -> object:
    """A number of hands as so many without names."""
    if isinstance(value, list):
        return value
    if type(value) is int and 0 <= value <= _MOST_HANDS:
        return [''] * value
    raise ValueError(f'hands are a number from 0 to {_MOST_HANDS}, or a list of their names')


class ParameterEntry(Written):
    """A parameter of another node. :param node: with its namespace. :param name: of it."""

    node: Name
    name: Name


class PlaceEntry(Written):
    """A place: its pose in a frame, told here, by TF, or by a parameter.

    :param frame: that the pose is in, e.g. 'map'. :param x: m. :param yaw: about z.
    :param orientation: x, y, z, w in place of `yaw`.
    :param tf: frame whose pose in `frame` is that of the place, looked up for every use.
    :param parameter: of another node: numbers x, y, yaw, or x, y, z and a quaternion.
    :param region: the part of the world that it is in, e.g. 'hall 1'.
    :param seats: how many robots of a team can be there at once; None for any number.
    :param values: what goals may want of it: `<place.dock_id>`.
    """

    frame: str = ''
    x: Metres | None = None
    y: Metres | None = None
    z: Metres = 0.0
    yaw: Radians = 0.0
    orientation: Annotated[list[float], Field(min_length=4, max_length=4)] | None = None
    tf: str = ''
    parameter: ParameterEntry | None = None
    region: str = ''
    seats: Annotated[int, Field(ge=1, le=100)] | None = None
    values: dict[str, Scalar] = Field(default_factory=dict)

    @property
    def has_pose(self) -> bool:
        """Whether it says where it is."""
        return self.x is not None or bool(self.tf) or self.parameter is not None

    @property
    def pose(self) -> Pose | None:
        """Its pose; None where the file does not give it."""
        if self.x is None or self.y is None:
            return None
        if self.orientation is not None:
            return Pose(self.frame, self.x, self.y, self.z, *self.orientation)
        return Pose.flat(self.frame, self.x, self.y, self.yaw, self.z)

    @model_validator(mode='after')
    def _one_pose(self) -> PlaceEntry:
        if (self.x is None) != (self.y is None):
            raise ValueError('a place has both x and y, or neither')
        if sum((self.x is not None, bool(self.tf), self.parameter is not None)) > 1:
            raise ValueError('a place has one pose: x and y, or tf, or parameter')
        if self.has_pose and not self.frame:
            raise ValueError('a pose needs the frame that it is in, e.g. "frame: map"')
        if not self.has_pose and self.frame:
            raise ValueError('a place with a frame needs x and y, tf or parameter')
        if self.orientation and self.yaw:
            raise ValueError('a pose has a yaw or an orientation, not both')
        if self.orientation and not 0.99 < sum(part * part for part in self.orientation) < 1.01:
            raise ValueError('an orientation is a quaternion x, y, z, w of length 1')
        return self


class ThingEntry(Written):
    """A thing that is known before it is seen. :param place: where it is at first, if known."""

    place: str = ''
    values: dict[str, Scalar] = Field(default_factory=dict)


class ClassEntry(Written):
    """A class of names.

    :param members: places, things or classes that belong to it; left out: what is called so.
    :param other_words: what people call one of them.
    """

    name: Name
    members: Annotated[list[Name], Field(max_length=200)] = Field(default_factory=list)
    kind: Literal['thing', 'place', 'region', 'other'] = 'thing'
    other_words: list[Name] = Field(default_factory=list)


class ResultRule(Written):
    """What it means when a step ended in a certain way; the first rule that fits counts.

    :param status: how the action's goal ended. :param when: fields of the result.
    :param outcome: of the skill; after 'succeeded' the next step follows.
    :param say: a sentence; `<slot>` and `{field}` of the result stand for their values.
    """

    status: Status | None = None
    when: Conditions = Field(default_factory=dict)
    outcome: Said
    say: str = ''


class CompletionEntry(Written):
    """How far a skill is, by a field of the feedback.

    :param field: a number. :param begin: at the beginning; left out: the first that came.
    :param end: when all is done.
    """

    field: Name
    begin: float | int | None = None
    end: float | int = 0.0


class FeedbackEntry(Written):
    """What is told of an action's feedback. :param silence: longest time without one."""

    say: str = ''
    completion: CompletionEntry | None = None
    silence: SecondsOrNone = 0.0


class Step(Written):
    """One call of one of the robot's interfaces: action, service, publish, await or procedure;
    or a wait: for a time, or until a fact is sensed.

    :param action: type, as `service` and `publish`; `name` is the action's, service's, topic's.
    :param awaited: type of a topic; waits until a message meets `when`. Written `await`.
    :param procedure: name of steps below `procedures`.
    :param wait: a time, or a slot with a number of seconds (or of its unit: min, h).
    :param until: a fact that the senses report, e.g. '<gate> is open', 'battery > 95 %'.
    :param send: fields of goal, request or message; the name of a place for one that is a pose.
    :param within: longest time for it. :param find: longest wait for its server.
    :param hold: publishes again and again for so long, `rate` times a second, then `finally`.
    """

    action: str = ''
    service: str = ''
    publish: str = ''
    awaited: str = Field(default='', alias='await')
    procedure: str = ''
    wait: float | int | str = ''
    until: str = ''
    name: str = ''
    send: dict[str, Any] | str = Field(default_factory=dict)
    within: Seconds | None = None
    find: Seconds = 3.0
    results: list[ResultRule] = Field(default_factory=list)
    feedback: FeedbackEntry | None = None
    hold: SecondsOrNone = 0.0
    rate: Annotated[float | int, Field(gt=0, le=1000)] = 10
    at_end: dict[str, Any] | str | None = Field(default=None, alias='finally')
    when: Conditions = Field(default_factory=dict)
    latched: bool = False

    @property
    def kind(self) -> str:
        """Its kind, as written."""
        return next(kind for kind, given in self._kinds().items() if given)

    @property
    def type(self) -> str:
        """Of its interface."""
        return str(self._kinds()[self.kind])

    @property
    def is_wait(self) -> bool:
        """Whether it calls nothing: it waits for a time, or for a fact."""
        return self.kind in _WAITS

    def _kinds(self) -> dict[str, object]:
        return {
            'action': self.action,
            'service': self.service,
            'publish': self.publish,
            'await': self.awaited,
            'procedure': self.procedure,
            'wait': self.wait,
            'until': self.until,
        }

    @model_validator(mode='after')
    def _one_kind(self) -> Step:
        kinds = [kind for kind, given in self._kinds().items() if given]
        if len(kinds) != 1:
            said = f'this one has {" and ".join(kinds)}' if kinds else 'this one has none'
            raise ValueError(
                'a step is one of action, service, publish, await, procedure, wait and until; '
                f'{said}'
            )
        kind = kinds[0]
        if kind not in ('procedure', *_WAITS) and not self.name:
            what = 'topic' if kind in ('publish', 'await') else kind
            raise ValueError(f'the {kind} {self.type} needs the name of its {what}: "name: /..."')
        for field, kinds_of_it in _BELONGS.items():
            if field in self.model_fields_set and kind not in kinds_of_it:
                written = type(self).model_fields[field].alias or field
                raise ValueError(
                    f'"{written}" belongs to {" or ".join(kinds_of_it)}, not to {kind}'
                )
        if kind == 'await' and not self.when:
            raise ValueError('"await" needs "when": what a message of the topic is to say')
        if kind == 'until' and self.within is None:
            raise ValueError('"until" needs "within": the longest time to wait for it')
        return self


#: Kinds of steps that call nothing.
_WAITS = ('wait', 'until')
_BELONGS = {
    'name': ('action', 'service', 'publish', 'await'),
    'send': ('action', 'service', 'publish'),
    'within': ('action', 'service', 'await', 'until'),
    'find': ('action', 'service', 'publish'),
    'results': ('action', 'service'),
    'feedback': ('action',),
    'hold': ('publish',),
    'rate': ('publish',),
    'at_end': ('publish',),
    'when': ('await',),
    'latched': ('publish', 'await'),
}
Steps = Annotated[list[Step], BeforeValidator(listed), Field(min_length=1, max_length=50)]


class SkillEntry(Written):
    """One skill: what it is, as `SkillType` declares it, and how it is done.

    :param skill: template, e.g. 'go to <place>'; `<crate: box>` takes what is of the class "box",
        `<vessel: kettle, tank>` one of these names.
    :param slots: types of its slots, in their order or by their names; of a number, its bounds.
    :param other_words: what people say for its verb, and for the state that it brings about.
    :param hand: in which it holds what it takes.
    :param needs: facts without which it is not begun, e.g. 'holding <thing>', 'hands free'.
    :param retries: further tries after one that failed; None: as the file states for all.
    :param do: its steps. :param done: what is said when it succeeded.
    """

    skill: Name
    slots: Slots = Field(default_factory=dict)
    kind: Kind = 'other'
    inverse: str = ''
    hand: str = ''
    effects: list[str] = Field(default_factory=list)
    description: str = ''
    other_words: list[Name] = Field(default_factory=list)
    needs: list[str] = Field(default_factory=list)
    retries: Retries | None = None
    do: Steps
    done: str = ''

    @property
    def template(self) -> str:
        """`skill` without the classes in it."""
        return plain_template(self.skill)

    @model_validator(mode='after')
    def _no_chat_mark(self) -> SkillEntry:
        if '<' in self.skill and cleaned(self.template).count('<') < self.template.count('<'):
            raise ValueError(f'"{self.skill}" has a slot that chats use as a mark: rename it')
        return self


class EmergencyStopEntry(Written):
    """The robot's own emergency stop.

    :param pressed: says whether it is; what is not given counts as pressed.
    :param press: a service that presses it, or a topic to publish on.
    """

    pressed: SignalEntry | None = None
    press: Step | None = None

    @model_validator(mode='after')
    def _of_a_kind(self) -> EmergencyStopEntry:
        if self.pressed is None and self.press is None:
            raise ValueError('name what reports that it is pressed, what presses it, or both')
        if self.press is not None and self.press.kind not in ('service', 'publish'):
            raise ValueError('an emergency stop is pressed by a service, or by publishing')
        if self.press is not None and self.press.hold:
            raise ValueError('an emergency stop is published once: leave "hold" out')
        return self


class RobotFile(Written):
    """A robot's file.

    :param robot: its name, for people. :param about: what it is, in one to three sentences.
    :param domain: whose prompts and examples are used; '' for the neutral ones.
    :param hands: their names, or how many there are; each holds one thing. None: not given.
    :param ready: what must be true before and while skills run, e.g. that a drive is enabled.
    :param perception: cameras, and what is to be seen in their pictures.
    :param retries: of skills that do not state their own; None: as the planner's policy says.
    """

    robot: Name
    about: str = ''
    domain: str = ''
    hands: Annotated[list[str], BeforeValidator(_hands), Field(max_length=_MOST_HANDS)] = Field(
        default_factory=list
    )
    places: dict[str, PlaceEntry] = Field(default_factory=dict)
    things: dict[str, ThingEntry] = Field(default_factory=dict)
    classes: list[ClassEntry] = Field(default_factory=list)
    state: StateEntry = StateEntry()
    perception: PerceptionEntry | None = None
    emergency_stop: EmergencyStopEntry | None = None
    ready: Annotated[list[SignalEntry], BeforeValidator(listed), Field(max_length=20)] = Field(
        default_factory=list
    )
    procedures: dict[str, Steps] = Field(default_factory=dict)
    retries: Retries | None = None
    skills: Annotated[list[SkillEntry], Field(min_length=1, max_length=200)]


def needs_frames(file: RobotFile) -> bool:
    """Whether perception looks frames up in TF: its cameras', those of detections and places."""
    perception = file.perception
    if perception is None:
        return False
    mounts = [camera.mount for camera in perception.cameras.values()]
    mounted = all(mount is not None and mount.frame == perception.frame for mount in mounts)
    in_space = any(not entry.camera for entry in perception.detections)
    elsewhere = any(
        place.tf or (place.x is not None and place.frame != perception.frame)
        for place in file.places.values()
    )
    return not mounted or in_space or elsewhere
