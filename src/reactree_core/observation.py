"""What a skill server says: outcomes, facts, observations and its vocabulary."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from enum import IntEnum
from math import inf

from reactree_core.belief import Belief, Fact, SIGHT
from reactree_core.chain_link import ChainLink, NO_LINK
from reactree_core.skill_types import Effect, Relation, SkillType

#: Longest text of a message, in bytes, where nothing else is said; the rest is cut, visibly.
TEXT_LIMIT = 8192
#: Longest text of an observation: a page, or a list of recipes.
OBSERVATION_LIMIT = 65_536


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
    :param instance: 1-based number within the class; 0 where its name has none.
    :param room: room with its number, e.g. 'kitchen 1'; '' when unknown.
    :param receptacle: what it is in or on, e.g. 'fridge 1'; 'agent 1' while held; '' unknown.
    :param state: visible states joined by ', ', e.g. 'open, on'; numbers among them as
        `measures.Measure` writes them, 'moisture 23 %'; '' when none.
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
        return f'{self.object_class} {self.instance}' if self.instance else self.object_class


#: Seconds before a run of which a sight still counts as what the run begins with.
_JUST_BEFORE = 1.0

#: Text of the observation that tells of a reset.
WORLD_RESET = 'The world was put back to where the task began.'


#: Begins the text of what a robot of a team answers that was stopped: it does no more in its run.
ROBOT_STOPPED = 'The emergency stop ended the part of this robot.'

#: Begins the text of an observation after the world was put back to an earlier moment.
WORLD_RESTORED = 'The world was put back to where it was before these steps.'

#: Begins what the planner adds to the text of a look: where things were seen before.
KNOWN_BEFORE = 'From before:'


@dataclass(frozen=True, slots=True)
class Observation:
    """What came back from a skill or a look; the fields are those of Observation.msg.

    :param sensed: relations that sensors report now, 'at' and 'holding': an empty place or held
        then means nowhere, nothing.
    :param assumed: what of the rest no sensor reports, as effects are written: 'holding crate 1'.
    :param distance: metres that the base moved during the skill, where that is measured; else 0.
    :param over: the episode has ended: no skill can be done until the world is reset.
    :param who: robot of a team that did or saw it; '' where one works alone.
    :param evidence: sources of the place, the held things and the facts, their times in the clock
        of `stamp`; () from a server that names none: then it is what this observation shows.
    :param link: where it stands in the record; says nothing of what it is.
    """

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
    distance: float = 0.0
    over: bool = False
    sensed: tuple[str, ...] = ()
    assumed: tuple[str, ...] = ()
    who: str = ''
    evidence: tuple[Fact, ...] = ()
    link: ChainLink = field(default=NO_LINK, compare=False, repr=False)

    @property
    def succeeded(self) -> bool:
        """Whether the skill did what it says."""
        return self.outcome is Outcome.SUCCEEDED

    @property
    def own_text(self) -> str:
        """What the world told: the text of a look without what the planner has added."""
        if self.skill or KNOWN_BEFORE not in self.text:
            return self.text
        return self.text.partition(KNOWN_BEFORE)[0].rstrip()

    @property
    def follows_reset(self) -> bool:
        """Whether the world was put back here, and all that was known of it forgotten."""
        return self.text == WORLD_RESET and not self.skill


def restamped(observation: Observation, stamp: float) -> Observation:
    """Move an observation, with its evidence, to the clock of a run.

    What a server that names no sources saw before the run is evidence of that time.

    :param stamp: s since the run began; a fact from before it is below 0.
    """
    later = stamp - observation.stamp
    evidence = tuple(replace(fact, time=fact.time + later) for fact in observation.evidence)
    if not evidence:
        evidence = tuple(_seen_before(observation.facts, later))
    return replace(observation, stamp=stamp, evidence=evidence)


def evidence_of(observation: Observation) -> Belief:
    """Facts that an observation names the sources of, as evidence at its time."""
    belief = Belief(began=-inf)
    for fact in observation.evidence:
        belief.tell(fact)
    return belief


def _seen_before(facts: Iterable[ObjectFact], later: float) -> Iterator[Fact]:
    for fact in facts:
        time = fact.seen_at + later
        if not fact.seen_at or time >= -_JUST_BEFORE:
            continue
        if fact.receptacle:
            yield Fact(Effect(Relation.IN, fact.name, fact.receptacle), SIGHT, time)
        for word in fact.state.split(', ') if fact.state else ():
            yield Fact(Effect(Relation.IS, fact.name, word), SIGHT, time)


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What a skill server can do and the names it knows (ListSkills); only templates are needed.

    :param templates: e.g. 'pick up <object>'.
    :param object_classes: movable classes, e.g. 'apple'.
    :param place_classes: what stays where it is, e.g. 'fridge'.
    :param rooms: rooms or other regions, with numbers, e.g. 'kitchen 1'.
    :param skill_types: more about some of the templates, or all.
    :param other_classes: whatever else skills name: people, recipes, pages.
    :param other_words: a class name and what people call it: ('wine glass', 'glass of wine').
    :param domain: whose prompts and examples are used; '' for the neutral ones.
    :param about: what the robot is, what it can hold, how far it sees; a few sentences.
    :param states: words for how things are, as facts show them, beside those of effects: 'ripe'.
    :param numbers: what is measured of things, and things that are numbers: 'moisture', 'battery'.
    """

    templates: tuple[str, ...] = ()
    object_classes: tuple[str, ...] = ()
    place_classes: tuple[str, ...] = ()
    rooms: tuple[str, ...] = ()
    skill_types: tuple[SkillType, ...] = ()
    other_classes: tuple[str, ...] = ()
    other_words: tuple[tuple[str, ...], ...] = ()
    domain: str = ''
    about: str = ''
    states: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """All that is named: templates, classes, regions, states, and other words for them."""
        return (
            *(skill.template for skill in self.skills),
            *self.object_classes,
            *self.place_classes,
            *self.rooms,
            *self.other_classes,
            *(word for words in self.other_words for word in words),
            *self.states,
            *self.numbers,
        )

    @property
    def skills(self) -> tuple[SkillType, ...]:
        """A skill type for every template, what is told of it or not."""
        types = {skill.template: skill for skill in self.skill_types}
        templates = dict.fromkeys((*self.templates, *types))
        return tuple(types.get(template) or SkillType(template) for template in templates)


@dataclass(frozen=True, slots=True)
class Outline:
    """What a world without rooms looks like, for people: a thing and its parts.

    :param name: e.g. 'ladder'. :param state: e.g. '2 of 4'.
    :param met: whether that is what is wanted. :param parts: what it is made of, or shows.
    """

    name: str
    state: str = ''
    met: bool = False
    parts: tuple[Outline, ...] = ()


@dataclass(frozen=True, slots=True)
class Progress:
    """How much of a task's goal holds now.

    A task without conditions is judged by its score: 1 is success.

    :param met: goal conditions met, 0..total.
    :param total: goal conditions of the task.
    :param conditions: one line per condition, for people.
    :param score: what the world itself gives, 0..1, where that is no share of conditions.
    """

    met: int
    total: int
    conditions: tuple[str, ...] = field(default=())
    score: float | None = None

    @property
    def success(self) -> bool:
        """GSR of one run."""
        if self.score is not None and not self.total:
            return self.score >= 1.0
        return self.met == self.total

    @property
    def ratio(self) -> float:
        """SSR of one run, 0..1."""
        if self.total:
            return self.met / self.total
        return 1.0 if self.score is None else self.score

    def __str__(self) -> str:
        """E.g. '2 of 3 conditions met', 'a score of 0.50'."""
        score = '' if self.score is None else f'a score of {self.score:.2f}'
        if score and not self.total:
            return score
        plural = '' if self.total == 1 else 's'
        met = f'{self.met} of {self.total} condition{plural} met'
        return f'{met}, {score}' if score else met


@dataclass(frozen=True, slots=True)
class WorldTask:
    """A task that a simulated world sets: a sentence for the planner.

    :param task_id: names it in reports, e.g. 'setup_table:7'.
    :param task_type: its family, e.g. 'setup_table'.
    :param instruction: the sentence that is used.
    :param instructions: wordings of the same, the used one included.
    :param notes: sentences about how the world was changed for the task.
    :param decisions: most decisions that its publication allows a planner; 0 where none did.
    :param scene: in which its file sets it; '' where the file names none.
    """

    task_id: str
    task_type: str
    instruction: str
    instructions: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    decisions: int = 0
    scene: str = ''
