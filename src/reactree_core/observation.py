"""What a skill server says: outcomes, facts, observations and its vocabulary."""

from __future__ import annotations

from dataclasses import dataclass
from dataclasses import field
from enum import IntEnum

#: Longest observation text that is accepted from a world; the rest is cut, visibly.
TEXT_LIMIT = 8192


class Outcome(IntEnum):
    """How a skill ended; equal to the OUTCOME_* constants of Observation.msg."""

    SUCCEEDED = 0
    PRECONDITION_FAILED = 1
    EXECUTION_FAILED = 2
    INVALID_SKILL = 3
    CANCELED = 4
    TIMED_OUT = 5
    SAFETY_REJECTED = 6
    BRIDGE_LOST = 7


@dataclass(frozen=True, slots=True)
class ObjectFact:
    """One thing the robot knows about one object.

    :param object_class: natural-language class name, e.g. 'kitchen table'.
    :param instance: 1-based number within the class.
    :param room: room with its number, e.g. 'kitchen 1'; '' when unknown.
    :param receptacle: what it is in or on, e.g. 'fridge 1'; 'agent 1' while held; '' unknown.
    :param state: visible states joined by ', ', e.g. 'open, on'; '' when none.
    :param seen_at: seconds, in the clock of whoever saw it.
    :param seen_by: robot that saw it; '' for the only robot.
    """

    object_class: str
    instance: int
    room: str = ''
    receptacle: str = ''
    state: str = ''
    seen_at: float = 0.0
    seen_by: str = ''

    @property
    def name(self) -> str:
        """Class and number as they stand in skill texts, e.g. 'apple 1'."""
        return f'{self.object_class} {self.instance}'


@dataclass(frozen=True, slots=True)
class Observation:
    """What came back from a skill or a look; the fields are those of Observation.msg."""

    text: str
    outcome: Outcome = Outcome.SUCCEEDED
    skill: str = ''
    place: str = ''
    room: str = ''
    looked_at: tuple[str, ...] = ()
    held: tuple[str, ...] = ()
    admissible_skills: tuple[str, ...] = ()
    facts: tuple[ObjectFact, ...] = ()
    sequence: int = 0
    node_id: int = 0
    stamp: float = 0.0

    @property
    def succeeded(self) -> bool:
        """Whether the skill did what it says."""
        return self.outcome is Outcome.SUCCEEDED


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What a skill server can do and the names it knows (ListSkills).

    :param templates: e.g. 'pick up <object>'.
    :param object_classes: movable classes, e.g. 'apple'.
    :param place_classes: furniture and appliances, e.g. 'fridge'.
    :param rooms: rooms with numbers, e.g. 'kitchen 1'.
    """

    templates: tuple[str, ...] = ()
    object_classes: tuple[str, ...] = ()
    place_classes: tuple[str, ...] = ()
    rooms: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Progress:
    """How much of a task's goal holds now (spec of WAH-NL scoring: best target instance).

    :param met: goal conditions met, 0..total.
    :param total: goal conditions of the task.
    :param conditions: one line per condition, for people.
    """

    met: int
    total: int
    conditions: tuple[str, ...] = field(default=())

    @property
    def success(self) -> bool:
        """GSR of one run."""
        return self.met == self.total

    @property
    def ratio(self) -> float:
        """SSR of one run, 0..1."""
        return self.met / self.total if self.total else 1.0
