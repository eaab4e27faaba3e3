"""What a task asks for, as one value: read from its sentence, shown to people, held at the end.

    put a tray in the washer, turn it on, and then set the tray on the loading table

    milestones   [tray in washer, washer is on]  then  [tray in loading table]
    never        nothing
    unread       nothing: the reading is whole

Only a whole reading lets facts choose skills without asking, refuses `done`, or is called
verified.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

from reactree_core.permission.acts import Act
from reactree_core.permission.rules import Rule
from reactree_planner.facts.conditions import Condition
from reactree_planner.language.meant_skills import MeantSkills

#: Conditions that hold together at one time.
Milestone = tuple[Condition, ...]


class TieKind(Enum):
    """How words came to stand for a name."""

    SHORT = 'the only one of that sort'
    MEANING = 'nearest in meaning'
    PERSON = 'chosen by a person'
    #: It is no reading: nothing of it is verified.
    MODEL = 'what the model takes it for'
    UNKNOWN = 'unknown here'
    #: Names are near, and nobody told whether one of them is meant.
    UNSURE = 'unknown here (no known name is surely meant)'


@dataclass(frozen=True, slots=True)
class Tie:
    """Words of an instruction and the name that they stand for.

    :param words: as written. :param name: '' where nothing is known by these words.
    :param start: index of the first word. :param end: index behind the last.
    """

    words: str
    name: str
    kind: TieKind
    start: int
    end: int

    @property
    def text(self) -> str:
        """For people and events, e.g. `"boxes" is crate (nearest in meaning)`."""
        if not self.name:
            return f'"{self.words}" is {self.kind.value}'
        return f'"{self.words}" is {self.name} ({self.kind.value})'


class ReadBy(Enum):
    """Who read a goal."""

    GRAMMAR = 'grammar'
    MODEL = 'model'
    #: Grammar and model, which agree.
    BOTH = 'both'
    PERSON = 'person'
    #: The grammar in part; of the rest, what the model takes it for.
    INTERPRETED = 'interpreted'


@dataclass(frozen=True, slots=True)
class Word:
    """A word of the sentence, and what accounts for it.

    :param text: as written. :param account: the conditions or rules it is part of, or why it needs
        none; '' for a word that was not read.
    """

    text: str
    account: str = ''


class When(Enum):
    """When something is wanted.

    IF: now, where its conditions hold; decided as soon as that is known. ONCE: as soon as they
    hold. WHENEVER: each time that they come to hold. EVERY: again and again, after some seconds.
    AFTER: once, some seconds from now.
    """

    IF = 'if'
    ONCE = 'once'
    WHENEVER = 'whenever'
    EVERY = 'every'
    AFTER = 'in'


@dataclass(frozen=True, slots=True)
class Trigger:
    """When the milestones of a goal are wanted.

    :param conditions: that hold then. :param seconds: of EVERY and AFTER.
    :param times: how often at most; 0 for any number. :param lasts: seconds in all; 0: for ever.
    """

    when: When
    conditions: Milestone = ()
    seconds: float = 0.0
    times: int = 0
    lasts: float = 0.0

    @property
    def waits(self) -> bool:
        """Whether a run waits for it; else it is decided at once."""
        return self.when is not When.IF

    @property
    def repeats(self) -> bool:
        """Whether it may come more than once."""
        return self.when in (When.WHENEVER, When.EVERY)

    @property
    def text(self) -> str:
        """For people and events, e.g. 'whenever cup in counter', 'every 10 min'."""
        told = [self.when.value]
        told += [' and '.join(one.text for one in self.conditions)] if self.conditions else []
        told += [span_text(self.seconds)] if self.seconds else []
        told += [f'for {span_text(self.lasts)}'] if self.lasts else []
        told += [f'at most {self.times} times'] if self.times else []
        return ' '.join(told)


def span_text(seconds: float) -> str:
    """A time for people: '10 min', '90 s', '2 h'."""
    for unit, size in (('h', 3600), ('min', 60)):
        if seconds >= size and seconds % size == 0:
            return f'{seconds / size:g} {unit}'
    return f'{seconds:g} s'


@dataclass(frozen=True, slots=True)
class Goal:
    """What a task asks for.

    :param text: the sentence, word for word.
    :param milestones: sets of conditions, met one after another; each is all that holds then, and
        the last one holds at the end.
    :param sources: things, and where the sentence says that they are now.
    :param never: skills that are forbidden. :param rules: rules in time, of order and number.
    :param words: every word of the sentence with what accounts for it.
    :param unread: phrases that nothing accounts for.
    :param left_to_model: what reads as forbidden and cannot be kept, in the sentence's words.
    :param ties: words that were taken for a name, and words that are unknown.
    :param language: ISO 639-1 code of the sentence's language; '' where it cannot be told.
    :param acts: whether facts may choose skills for the milestones: nothing that was not read
        could change them.
    :param trigger: when the milestones are wanted; None: now.
    """

    text: str
    milestones: tuple[Milestone, ...] = ()
    sources: tuple[tuple[str, str], ...] = ()
    never: tuple[MeantSkills | Act, ...] = ()
    rules: tuple[Rule, ...] = ()
    words: tuple[Word, ...] = ()
    unread: tuple[str, ...] = ()
    left_to_model: tuple[str, ...] = ()
    ties: tuple[Tie, ...] = ()
    language: str = 'en'
    by: ReadBy = ReadBy.GRAMMAR
    acts: bool = False
    trigger: Trigger | None = None

    @property
    def whole(self) -> bool:
        """Whether every word was read."""
        return not self.is_empty and not self.unread and not self.left_to_model

    @property
    def is_empty(self) -> bool:
        """Whether nothing that is wanted or forbidden was read."""
        return not (self.milestones or self.never or self.rules)

    @property
    def conditions(self) -> Milestone:
        """What shall hold at the end."""
        return self.milestones[-1] if self.milestones else ()

    @property
    def permission_rules(self) -> tuple[Rule, ...]:
        """What it forbids, as rules of permission."""
        never = (Rule('the task', one, at_most=0, of_task=True) for one in self.never)
        return (*never, *self.rules)

    @property
    def means(self) -> str:
        """The milestones for people, e.g. `tray in sink; then pump is on`; '' for none."""
        told = '; then '.join('; '.join(one.text for one in new) for new in self.steps)
        return f'{self.trigger.text}: {told}' if self.trigger is not None and told else told

    @property
    def steps(self) -> tuple[Milestone, ...]:
        """Of each milestone what is new in it; of one that only takes back, all of it."""
        before: Milestone = ()
        found = []
        for milestone in self.milestones:
            found.append(tuple(one for one in milestone if one not in before) or milestone)
            before = milestone
        return tuple(found)


def confirmed(goal: Goal) -> Goal:
    """A goal of which a person has said that it is meant: no word of it is unread any more."""
    words = tuple(Word(one.text, one.account or 'a person') for one in goal.words)
    return replace(goal, words=words, unread=(), by=ReadBy.PERSON, acts=True)
