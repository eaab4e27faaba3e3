"""Facts with a source and a time, and the test whether one holds.

    belief = Belief()
    there = Effect(Relation.IN, 'crate 1', 'table 1')
    belief.tell(Fact(there, Source(SourceKind.SENSOR, '/camera'), time=12.0, age=2.0))
    holds(belief, there, now=13.0)      # verified, by /camera
    holds(belief, there, now=43.0)      # assumed: last seen 31 s ago

Facts of several sources stand side by side. The newest act of the robot outdates what was sensed
of the same thing before it; what is sensed within its age then decides; sources of one time that
disagree leave it unknown; what an earlier run knew decides nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from math import inf, isfinite

from reactree_core.measures import read_comparison, read_measure
from reactree_core.skill_types import Effect, Relation

_NOTHING_EXCLUDED: tuple[str, ...] = ()
#: What a fact is about: relation, thing, and the word or number of a state.
_Variable = tuple[Relation, str, str]


class SourceKind(Enum):
    """Sort of a source."""

    #: A named sensor of the robot.
    SENSOR = 'sensor'
    #: What an observation shows, without a named sensor.
    SIGHT = 'sight'
    #: Effect of a skill, or what a robot's file declares.
    EFFECT = 'effect'
    PERSON = 'person'
    #: Another robot of the team.
    ROBOT = 'robot'
    #: An earlier run.
    RUN = 'run'

    @property
    def senses(self) -> bool:
        """Whether it reports the world itself."""
        return self in (SourceKind.SENSOR, SourceKind.SIGHT, SourceKind.ROBOT)

    @property
    def acts(self) -> bool:
        """Whether it changes the world, or says that it has changed."""
        return self in (SourceKind.EFFECT, SourceKind.PERSON)


@dataclass(frozen=True, slots=True)
class Source:
    """Origin of a fact.

    :param name: topic, skill text, person, robot or run, by `kind`; '' where there is none.
    """

    kind: SourceKind
    name: str = ''


SIGHT = Source(SourceKind.SIGHT)


@dataclass(frozen=True, slots=True)
class Fact:
    """A proposition with its source and time.

    :param what: the proposition; with `holds=False` the source denies it. Of a number the state is
        a measure, `moisture 23 %`.
    :param time: s, of the clock of the belief. :param age: s for which it is good, more than 0;
        infinite where only another fact ends it.
    """

    what: Effect
    source: Source
    time: float
    age: float = inf

    def is_fresh(self, now: float) -> bool:
        """Whether it is within its age."""
        return now <= self.time + self.age


class Status(Enum):
    """Value of a condition at the end of a run."""

    VERIFIED = 'verified'
    ASSUMED = 'assumed'
    NOT_KNOWN = 'not known'
    NOT_MET = 'not met'


@dataclass(frozen=True, slots=True)
class Verdict:
    """Answer of `holds`.

    :param holds: None where it is not known.
    :param evidence: facts that decided it, the newest first; of sources that disagree, both.
    """

    holds: bool | None
    status: Status
    evidence: tuple[Fact, ...] = ()


UNKNOWN = Verdict(None, Status.NOT_KNOWN)


class Belief:
    """Newest fact of each source about each thing.

    :param excludes: words of states that a word excludes: "open" excludes "closed".
    :param began: when this run began, s of the same clock; earlier facts are of earlier runs.
    """

    def __init__(
        self,
        excludes: Callable[[str], Iterable[str]] = lambda word: _NOTHING_EXCLUDED,
        began: float = 0.0,
    ) -> None:
        self._excludes = excludes
        self.began = began
        self._facts: dict[_Variable, dict[Source, Fact]] = {}

    def tell(self, fact: Fact) -> None:
        """Keep a fact in place of an older one of the same source about the same thing.

        "Not here" of what its source knows to be elsewhere changes nothing.
        """
        same = self._facts.setdefault(_variable(fact.what), {})
        known = same.get(fact.source)
        if known is not None:
            elsewhere = known.what.holds and not _is_same(known.what, fact.what)
            if known.time > fact.time or (elsewhere and not fact.what.holds):
                return
        same[fact.source] = fact

    def forget(self, what: Effect) -> None:
        """Drop all facts for and against a proposition; of a place or a hand, those of both."""
        self._facts.pop(_variable(what), None)

    def about(self, what: Effect) -> tuple[Fact, ...]:
        """Facts for and against a proposition, the newest first.

        What was sensed before the newest act on the same thing is left out.
        """
        same = list(self._facts.get(_variable(what), {}).values())
        if what.relation is Relation.IS:
            for word in self._excludes(what.value):
                same += self._facts.get((Relation.IS, what.subject, word), {}).values()
        acted = max((fact.time for fact in same if fact.source.kind.acts), default=-inf)
        return tuple(
            fact
            for fact in sorted(same, key=lambda fact: -fact.time)
            # That a thing is not in one place says nothing of another.
            if (fact.what.holds or _is_same(fact.what, what))
            and not (fact.source.kind.senses and fact.time < acted)
        )

    def __iter__(self) -> Iterator[Fact]:
        for same in self._facts.values():
            yield from same.values()


def holds(belief: Belief, what: Effect, now: float) -> Verdict:
    """Test one fact. :param what: `holds=False` asks whether it does not hold. :param now: s."""
    about = belief.about(what)
    run = [fact for fact in about if not _is_earlier(fact, belief.began, now)]
    if not run:
        return Verdict(None, Status.NOT_KNOWN, about)
    sensed = _newest_of_each([fact for fact in run if fact.source.kind.senses])
    fresh = _latest([fact for fact in sensed if fact.is_fresh(now)])
    if fresh:
        answers = {_says(fact, what) for fact in fresh}
        if len(answers) > 1 or None in answers:
            return Verdict(None, Status.NOT_KNOWN, tuple(fresh))
        (so,) = answers
        return Verdict(so, Status.VERIFIED if so else Status.NOT_MET, tuple(fresh))
    newest = sensed or run
    so = _says(newest[0], what)
    if so is None:
        return Verdict(None, Status.NOT_KNOWN, (newest[0],))
    return Verdict(so, Status.ASSUMED if so else Status.NOT_MET, (newest[0],))


def status_of(verdicts: Iterable[Verdict]) -> Status:
    """Status of what holds if all of these hold: the worst of theirs."""
    found = {verdict.status for verdict in verdicts}
    order = (Status.NOT_MET, Status.NOT_KNOWN, Status.ASSUMED, Status.VERIFIED)
    return next((one for one in order if one in found), Status.NOT_KNOWN)


def why(verdict: Verdict, now: float) -> str:
    """Reason why something is not verified, as the end of a sentence; '' where it is."""
    facts = verdict.evidence
    if verdict.status is Status.VERIFIED or not facts:
        return ''
    if verdict.holds is None and len(facts) > 1 and all(one.is_fresh(now) for one in facts):
        return '; '.join(f'{_named(one)} says {one.what.text}' for one in facts)
    fact = facts[0]
    kind, name = fact.source.kind, fact.source.name
    if kind.senses:
        if fact.is_fresh(now) and fact.time >= 0.0:
            return ''
        return f'last seen {ago(now - fact.time)}{f" by {name}" if name else ""}'
    if kind is SourceKind.RUN or (verdict.holds is None and kind is SourceKind.EFFECT):
        run = f'run {name}' if name and kind is SourceKind.RUN else 'an earlier run'
        return f'in {run}, {ago(now - fact.time)}' if isfinite(fact.time) else f'in {run}'
    if kind is SourceKind.PERSON:
        return f'said by {name or "a person"}'
    return f'effect of `{name}`, no sensor reports it' if name else 'no sensor reports it'


def _is_same(one: Effect, other: Effect) -> bool:
    """Whether two facts say the same or the opposite; of a number, any two."""
    return one.relation is other.relation and (
        one.value == other.value
        or (one.relation is Relation.IS and _variable(one) == _variable(other))
    )


def _variable(what: Effect) -> _Variable:
    if what.relation is Relation.HOLDING:
        # A thing is in a hand or in a place.
        return Relation.IN, what.value, ''
    if what.relation is not Relation.IS:
        return what.relation, what.subject, ''
    number = read_comparison(what.value) or read_measure(what.value)
    return what.relation, what.subject, what.value if number is None else f'#{number.name}'


def _is_earlier(fact: Fact, began: float, now: float) -> bool:
    """Whether a fact is of an earlier run, and not within an age that reaches into this one."""
    if fact.source.kind is SourceKind.RUN:
        return True
    return fact.time < began and not (isfinite(fact.age) and fact.is_fresh(now))


def _newest_of_each(sensed: list[Fact]) -> list[Fact]:
    """The newest facts of each source: a later report replaces what it reported before."""
    newest: dict[Source, float] = {}
    for fact in sensed:
        newest[fact.source] = max(fact.time, newest.get(fact.source, -inf))
    return [fact for fact in sensed if fact.time == newest[fact.source]]


def _latest(fresh: list[Fact]) -> list[Fact]:
    """Those that decide: all within a finite age, and of the others the newest.

    A robot's own sight beats hearsay of the same time.
    """
    if not fresh:
        return []
    newest = max(fact.time for fact in fresh)
    found = [fact for fact in fresh if isfinite(fact.age) or fact.time == newest]
    own = [fact for fact in found if fact.source.kind is not SourceKind.ROBOT]
    return own or found


def _says(fact: Fact, what: Effect) -> bool | None:
    """Answer of one fact to a question about the same thing; None where it gives none."""
    told = fact.what
    if told.relation is not what.relation:
        # What is held is in no place, and what is in a place is not held.
        return not what.holds
    if told.relation is Relation.IS:
        comparison = read_comparison(what.value)
        if comparison is not None:
            measure = read_measure(told.value)
            so = comparison.holds(measure) if measure is not None else told.value == what.value
            return None if so is None else (so is told.holds) is what.holds
    if told.value != what.value and told.relation is not Relation.HOLDING:
        return (not what.holds) if told.holds else None
    return told.holds is what.holds


def _named(fact: Fact) -> str:
    return fact.source.name or {SourceKind.SIGHT: 'what is seen'}.get(
        fact.source.kind, fact.source.kind.value
    )


def ago(seconds: float) -> str:
    """A time since something, for people: "31 s ago"."""
    if seconds >= 7200:
        return f'{seconds / 3600:.0f} h ago'
    if seconds >= 120:
        return f'{seconds / 60:.0f} min ago'
    return f'{max(0.0, seconds):.0f} s ago'
