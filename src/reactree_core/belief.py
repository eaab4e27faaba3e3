"""Facts with a source and a time, and the test whether one holds.

    belief = Belief()
    there = Effect(Relation.IN, 'crate 1', 'table 1')
    belief.tell(Fact(there, Source(SourceKind.SENSOR, '/camera'), time=12.0, age=2.0))
    holds(belief, there, now=13.0)      # verified, by /camera
    holds(belief, there, now=43.0)      # assumed: last seen 31 s ago

Facts of several sources stand side by side. The newest act of the robot outdates what was sensed
of the same thing before it; what is sensed within its age then decides; sources of one time that
disagree leave it unknown; what an earlier run knew decides nothing.

A condition is verified where no single fault, of a source or of an act, would leave all that is
sensed as it is while the condition is false. So two sources are needed, or one that has followed
an act of this run: it denied the effect before and reported it afterwards (`Belief.expect`).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from enum import Enum
from math import inf, isfinite
from typing import Protocol

from reactree_core.measures import read_comparison, read_measure
from reactree_core.skill_types import class_and_number, Effect, Relation

_NOTHING_EXCLUDED: tuple[str, ...] = ()
#: Share of a change of a number by which what is measured of it may be off.
_TOLERANCE = Decimal('0.25')
#: Age of what a sensor reported and reports no more, s.
MOMENT = 1e-3
#: Variable of a fact: relation, thing, and of a state its word, or '#' and its number's name.
Variable = tuple[Relation, str, str]


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
    #: A topic or service behind which nobody says that a sensor stands: it may repeat commands.
    REPORT = 'report'
    #: A named sensor that tells things apart by what they carry: a tag, an address, a channel.
    TAG = 'tag'

    @property
    def measures(self) -> bool:
        """Test whether a sensor stands behind it."""
        return self in _MEASURING

    @property
    def senses(self) -> bool:
        """Test whether it reports the world itself, or may."""
        return self in _SENSING

    @property
    def acts(self) -> bool:
        """Whether it changes the world, or says that it has changed."""
        return self in (SourceKind.EFFECT, SourceKind.PERSON)


_MEASURING = (SourceKind.SENSOR, SourceKind.TAG)
_NAMED = (*_MEASURING, SourceKind.REPORT)
_SENSING = (*_NAMED, SourceKind.SIGHT, SourceKind.ROBOT)


@dataclass(frozen=True, slots=True)
class Source:
    """Origin of a fact.

    :param name: topic, skill text, person, robot or run, by `kind`; '' where there is none.
    :param robot: of a team, whose source it is; '' for the only one, and for oneself.
    """

    kind: SourceKind
    name: str = ''
    robot: str = ''


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
    :param doubt: the fault that would leave what is sensed as it is with the condition false, as
        the end of a sentence; '' where there is none, or nothing is sensed.
    """

    holds: bool | None
    status: Status
    evidence: tuple[Fact, ...] = ()
    doubt: str = ''

    @property
    def is_disputed(self) -> bool:
        """True where sources of the same time contradict each other."""
        sensed = {fact.source for fact in self.evidence if fact.source.kind.senses}
        return self.holds is None and len(sensed) > 1


UNKNOWN = Verdict(None, Status.NOT_KNOWN)


@dataclass(frozen=True, slots=True)
class ExpectedChange:
    """Change of a number that an act declares.

    :param name: what is measured of the subject; '' of what is nothing but its number.
    :param amount: by which it changes, or to which it is set, in the unit of its source.
    """

    subject: str
    name: str
    amount: Decimal
    sets: bool = False


@dataclass(frozen=True, slots=True)
class _Test:
    """Report of a source by which it follows an act.

    :param since: s; what was sensed until then says nothing of the act.
    :param effects: of which one is enough. :param against: words that exclude those of effects.
    :param number: None where no number is expected. :param most_off: of it.
    """

    since: float
    effects: tuple[Effect, ...] = ()
    against: frozenset[str] = frozenset()
    number: Decimal | None = None
    most_off: Decimal = Decimal(0)

    def passed(self, said: Effect) -> bool | None:
        """Test whether a report is as expected; None where it says nothing of that."""
        if self.number is not None:
            measure = read_measure(said.value)
            return None if measure is None else abs(measure.number - self.number) <= self.most_off
        if said.relation is Relation.IS:
            if any(one.value == said.value for one in self.effects):
                return said.holds
            return False if said.holds and said.value in self.against else None
        answers = {_answer(said, effect) for effect in self.effects} - {None}
        return (True in answers) if answers else None


class Witnesses:
    """Sources that have followed the acts of this run, and the things that they name."""

    def __init__(self, excludes: Callable[[str], Iterable[str]]) -> None:
        self._excludes = excludes
        #: Newest reports of each source, also of what was forgotten since, with their time.
        self._said: dict[Variable, dict[Source, tuple[float, tuple[Effect, ...]]]] = defaultdict(
            dict
        )
        #: Tests that are open; of sources that have not been heard of this, under None.
        self._open: dict[Variable, dict[Source | None, _Test]] = defaultdict(dict)
        #: Source and measure, '' for what is no number -> whether it followed the newest act.
        self._followed: dict[tuple[Source, str], bool] = {}
        #: Sensors that have followed an act on a thing, by its name.
        self._follow: dict[str, set[Source]] = defaultdict(set)
        self._names: dict[Source, set[str]] = defaultdict(set)

    def hear(self, fact: Fact) -> None:
        """Take a report, and see whether it follows an act."""
        about, what, source = _about(fact.what), fact.what, fact.source
        tests = self._open[about]
        asked = source if source in tests else None
        test = tests.get(asked)
        if test is not None and fact.time > test.since:
            passed = test.passed(what)
            if passed or (passed is False and asked is not None):
                self._followed[source, about[2]] = passed
                del tests[asked]
                # What repeats commands repeats the names in them.
                if passed and source.kind.measures and what.relation is not Relation.IS:
                    self._follow[about[1]].add(source)
        time, said = self._said[about].get(source, (-inf, ()))
        if fact.time >= time:
            self._said[about][source] = fact.time, (*(said if fact.time == time else ()), what)
        if what.holds:
            self._names[source].add(about[1])

    def expect(
        self, effects: tuple[Effect, ...], since: float, denied: tuple[Effect, ...]
    ) -> None:
        """Open tests. :param denied: see `Belief.expect`."""
        for about in dict.fromkeys(map(_about, effects)):
            same = tuple(one for one in effects if _about(one) == about)
            if about[0] is Relation.IS:
                self._expect_words(about, tuple(one for one in same if one.holds), since)
                continue
            # The newest act decides what there is to follow.
            tests = self._open[about] = {}
            if unseen := tuple(one for one in same if one in denied):
                tests[None] = _Test(since, unseen)
            for source, (_, said) in self._said[about].items():
                # Who reported the effect before the act shows nothing by reporting it after.
                if False in (_answer(one, effect) for one in said for effect in same):
                    tests[source] = _Test(since, same)

    def _expect_words(self, about: Variable, effects: tuple[Effect, ...], since: float) -> None:
        against = frozenset(word for one in effects for word in self._excludes(one.value))
        self._open[about] = {}
        for source, names in self._names.items():
            if about[1] in names and effects:
                _, said = self._said[about].get(source, (0.0, ()))
                words = {one.value for one in said if one.holds}
                if any(one.value not in words for one in effects):
                    self._open[about][source] = _Test(since, effects, against)

    def expect_change(self, change: ExpectedChange, since: float) -> None:
        """Open tests of the sources of a number."""
        about = Relation.IS, change.subject, f'#{change.name}'
        self._open[about] = {}
        for source, (_, said) in self._said[about].items():
            measure = read_measure(said[-1].value)
            if measure is None:
                continue
            number = change.amount if change.sets else measure.number + change.amount
            off = abs(number - measure.number) * _TOLERANCE
            if off:
                self._open[about][source] = _Test(since, number=number, most_off=off)

    def followed(self, source: Source, measure: str) -> bool | None:
        """Test whether it followed the newest act that it could follow; None for no such act."""
        return self._followed.get((source, measure))

    def alone_names(self, source: Source, name: str) -> bool:
        """Test whether it alone tells a thing from others of its class."""
        kind, number = class_and_number(name)
        if source.kind is SourceKind.TAG or not number or self._follow[name] - {source}:
            return False
        others = {other for names in self._names.values() for other in names} - {name}
        return bool(self._names[source] - {name, ''}) or any(
            class_and_number(other)[0] == kind for other in others
        )


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
        self._facts: dict[Variable, dict[Source, Fact]] = {}
        self.witnesses = Witnesses(excludes)

    def expect(
        self,
        effects: Iterable[Effect],
        since: float,
        changes: Iterable[ExpectedChange] = (),
        denied: Iterable[Effect] = (),
    ) -> None:
        """Expect what an act of this run declares from each source that has denied it.

        To be called before what was sensed after the act is told.

        :param effects: with names in place of slots, and none of "here".
        :param since: s, when the act began at the latest.
        :param denied: effects of which the absence was sensed before the act: all of the place, or
            of the hands, was reported, and this was not among it.
        """
        self.witnesses.expect(tuple(effects), since, tuple(denied))
        for change in changes:
            self.witnesses.expect_change(change, since)

    def tell(self, fact: Fact) -> None:
        """Keep a fact in place of an older one of the same source about the same thing.

        "Not here" of what its source knows to be elsewhere changes nothing.
        """
        if fact.source.kind in _NAMED:
            self.witnesses.hear(fact)
        same = self._facts.setdefault(variable_of(fact.what), {})
        known = same.get(fact.source)
        if known is not None:
            elsewhere = known.what.holds and not _is_same(known.what, fact.what)
            if known.time > fact.time or (elsewhere and not fact.what.holds):
                return
        same[fact.source] = fact

    def expire(self, reports: Iterable[Fact]) -> None:
        """Take what sensors reported for past: it was good at its moment, whatever its age.

        To be called with what a server told last, before what it tells now: what it tells no
        more, its sources have taken back, or none of them reports.
        """
        for fact in reports:
            same = self._facts.get(variable_of(fact.what), {})
            if same.get(fact.source) == fact and fact.source.kind in _NAMED:
                same[fact.source] = replace(fact, age=min(fact.age, MOMENT))

    def forget(self, what: Effect, robot: str | None = None) -> None:
        """Drop all facts for and against a proposition; of a place or a hand, those of both.

        :param robot: whose sources alone are meant; None for all.
        """
        same = self._facts.pop(variable_of(what), {})
        kept = {one: fact for one, fact in same.items() if robot not in (None, one.robot)}
        if kept:
            self._facts[variable_of(what)] = kept

    def about(self, what: Effect) -> tuple[Fact, ...]:
        """Facts for and against a proposition, the newest first.

        What was sensed before the newest act on the same thing is left out.
        """
        same = list(self._facts.get(variable_of(what), {}).values())
        if what.relation is Relation.IS:
            for word in self._excludes(what.value):
                same += self._facts.get((Relation.IS, what.subject, word), {}).values()
        return bearing_on(what, same)

    def __iter__(self) -> Iterator[Fact]:
        for same in self._facts.values():
            yield from same.values()


class Evidence(Protocol):
    """Facts that a test is made on: a `Belief`, or one with closed-world reports of its own."""

    @property
    def began(self) -> float:
        """Start of this run, s."""

    @property
    def witnesses(self) -> Witnesses | None:
        """Sources that have followed acts; None where what is sensed is not doubted."""

    def about(self, what: Effect) -> tuple[Fact, ...]:
        """Facts for and against a proposition, the newest first (`bearing_on`)."""


def bearing_on(what: Effect, facts: Iterable[Fact]) -> tuple[Fact, ...]:
    """Select the facts for and against a proposition, the newest first.

    What was sensed before the newest act on the same thing is left out.

    :param facts: about the same thing.
    """
    same = sorted(facts, key=lambda fact: -fact.time)
    acted = max((fact.time for fact in same if fact.source.kind.acts), default=-inf)
    return tuple(
        fact
        for fact in same
        # That a thing is not in one place says nothing of another.
        if (fact.what.holds or _is_same(fact.what, what))
        and not (fact.source.kind.senses and fact.time < acted)
    )


def holds(belief: Evidence, what: Effect, now: float, which: bool = True) -> Verdict:
    """Test one fact.

    :param what: `holds=False` asks whether it does not hold. :param now: s.
    :param which: whether it matters which thing of its class it is.
    """
    about = belief.about(what)
    return judge(about, what, now, belief.began, belief.witnesses, which)


def judge(
    about: Sequence[Fact],
    what: Effect,
    now: float,
    began: float = -inf,
    witnesses: Witnesses | None = None,
    which: bool = True,
) -> Verdict:
    """Decide a proposition by evidence.

    :param about: facts for and against it, the newest first. :param now: s.
    :param began: when this run began, s; earlier facts are of earlier runs.
    :param witnesses: by which what is sensed is doubted. :param which: see `holds`.
    """
    run = [fact for fact in about if not _is_earlier(fact, began, now)]
    if not run:
        return Verdict(None, Status.NOT_KNOWN, tuple(about))
    sensed = _newest_of_each([fact for fact in run if fact.source.kind.senses])
    fresh = _latest([fact for fact in sensed if fact.is_fresh(now)])
    if fresh:
        answers = {_says(fact, what) for fact in fresh}
        if len(answers) > 1 or None in answers:
            return Verdict(None, Status.NOT_KNOWN, tuple(fresh))
        (so,) = answers
        if not so:
            return Verdict(so, Status.NOT_MET, tuple(fresh))
        doubt = '' if witnesses is None else _doubt(witnesses, fresh, which)
        status = Status.ASSUMED if doubt else Status.VERIFIED
        return Verdict(so, status, tuple(fresh), doubt)
    newest = sensed or run
    so = _says(newest[0], what)
    if so is None:
        return Verdict(None, Status.NOT_KNOWN, (newest[0],))
    return Verdict(so, Status.ASSUMED if so else Status.NOT_MET, (newest[0],))


def as_heard(fact: Fact, robot: str) -> Fact | None:
    """A fact of another robot, as hearsay; None for one about that robot alone.

    What it senses stays sensed, by it; an effect of its skill, or what a person has said, is no
    more than that. What it holds is with it.
    """
    what, source = fact.what, fact.source
    if what.relation is Relation.AT:
        return None
    if what.relation is Relation.HOLDING:
        what = Effect(Relation.IN, what.value, robot, what.holds)
    sensed = source.kind.measures or source.kind is SourceKind.SIGHT
    kind = SourceKind.ROBOT if sensed else source.kind
    return replace(fact, what=what, source=Source(kind, source.name, robot))


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
    if verdict.doubt:
        return verdict.doubt
    if verdict.holds is None and len(facts) > 1 and all(one.is_fresh(now) for one in facts):
        return '; '.join(f'{_named(one)} says {one.what.text}' for one in facts)
    fact = facts[0]
    kind, name = fact.source.kind, fact.source.name
    if kind.senses:
        if fact.is_fresh(now) and fact.time >= 0.0:
            return ''
        by = f' by {_named(fact)}' if name or fact.source.robot else ''
        return f'last seen {ago(now - fact.time)}{by}'
    if kind is SourceKind.RUN or (verdict.holds is None and kind is SourceKind.EFFECT):
        run = f'run {name}' if name and kind is SourceKind.RUN else 'an earlier run'
        return f'in {run}, {ago(now - fact.time)}' if isfinite(fact.time) else f'in {run}'
    if kind is SourceKind.PERSON:
        return f'said by {name or "a person"}'
    return f'effect of `{name}`, no sensor reports it' if name else 'no sensor reports it'


_SECOND = "add a second source of the same beside {source} to the robot's file"
#: Words of a reason of `why` -> change that would end it; {source} is the one it names.
_REMEDIES = {
    'may repeat the command': "write `measured: true` beside {source} in the robot's file, if a "
    'sensor stands behind it',
    'may all repeat the command': "write `measured: true` in the robot's file beside each of "
    '{source} behind which a sensor stands',
    'followed no act': _SECOND,
    'not followed': _SECOND,
    'its scale': 'write by how much the skill changes it (`effects: [raises ... by ...]`), or '
    f'{_SECOND}',
    'says which': "write `identifies: true` beside {source} in the robot's file, if it tells them "
    'apart by a tag, an address or a channel of their own',
    'last seen': "add a source that sees it from where the robot ends to the robot's file, or "
    'raise the `age` of {source} there',
    'no sensor reports it': "add a source of it to `state` in the robot's file",
}


def remedy(reason: str) -> str:
    """The change that would have a condition verified next time, as a command to a person.

    :param reason: why it is not verified, of `why`. :returns: '' where no change would.
    """
    found = re.search(r'only (.+) say|by (/?\S+)', reason)
    source = next(filter(None, found.groups()), '') if found else ''
    for words, change in _REMEDIES.items():
        if words in reason:
            return change.format(source=source or 'its source')
    return ''


def _doubt(witnesses: Witnesses, agree: list[Fact], which: bool) -> str:
    """The single fault that would explain what these facts say if it were false; '' for none.

    :param agree: all of them say the same.
    """
    kinds = {fact.source.kind for fact in agree}
    if SourceKind.SIGHT in kinds or any(_is_sight_of_robot(fact.source) for fact in agree):
        # Who names no sensors answers for what it shows.
        return ''
    names = {_named(fact) for fact in agree}
    only = ' and '.join(sorted(names))
    if not any(kind.measures or kind is SourceKind.ROBOT for kind in kinds):
        repeat = 'may' if len(names) < 2 else 'may all'
        return f'only {only} says so, which {repeat} repeat the command'
    if len(names) > 1:
        return ''
    source, (_, name, measure) = agree[0].source, _about(agree[0].what)
    followed = witnesses.followed(source, measure)
    if followed is None and measure:
        return f'only {only} says so, and no act has shown its scale'
    if followed is None:
        return f'only {only} says so, and it has followed no act in this run'
    if not followed:
        return f'only {only} says so, and it has not followed the newest act'
    if which and witnesses.alone_names(source, name):
        return f'only {only} says which {class_and_number(name)[0]} it is'
    return ''


def _is_sight_of_robot(source: Source) -> bool:
    """Test for what another robot shows, without a named sensor."""
    return source.kind is SourceKind.ROBOT and source.robot in ('', source.name)


def _answer(said: Effect, asked: Effect) -> bool | None:
    """Answer of a report to a question about the same thing; None where it gives none."""
    if not said.holds and not _is_same(said, asked):
        # That a thing is not in one place says nothing of another.
        return None
    return _says(Fact(said, SIGHT, 0.0), asked)


def _about(what: Effect) -> Variable:
    """Subject of a report: like `variable_of`, with all words of a thing as one."""
    relation, subject, value = variable_of(what)
    return relation, subject, value if value.startswith('#') else ''


def _is_same(one: Effect, other: Effect) -> bool:
    """Whether two facts say the same or the opposite; of a number, any two."""
    return one.relation is other.relation and (
        one.value == other.value
        or (one.relation is Relation.IS and variable_of(one) == variable_of(other))
    )


def variable_of(what: Effect) -> Variable:
    """Variable of a fact, whatever its value."""
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
    kind, name, robot = fact.source.kind, fact.source.name, fact.source.robot
    if robot:
        return f"{robot}'s {name}" if name not in ('', robot) else robot
    return name or {SourceKind.SIGHT: 'what is seen'}.get(kind, kind.value)


def ago(seconds: float) -> str:
    """A time since something, for people: "31 s ago"."""
    if seconds >= 7200:
        return f'{seconds / 3600:.0f} h ago'
    if seconds >= 120:
        return f'{seconds / 60:.0f} min ago'
    return f'{max(0.0, seconds):.0f} s ago'
