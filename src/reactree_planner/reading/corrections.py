"""What a person says while a task runs, read with the task and its names as context.

    no, the other one         the unmet conditions are about another thing of that sort
    leave the crate           they are about it no more
    and a drum too            one more like those that there are
    no, on the shelf          somewhere else
    wait / go on              nothing more is done until then

Whole sentences are read by the reader of the task. What is not read whole changes nothing, but for
what it forbids; where it may have been meant to stop the robot, the robot waits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from reactree_core.observation import Vocabulary
from reactree_core.permission.rules import Rule
from reactree_core.skill_types import class_and_number, Relation
from reactree_planner.facts.conditions import Condition, Milestones
from reactree_planner.reading.contradictions import contradictions
from reactree_planner.reading.goal import excludes, Goal
from reactree_planner.reading.grammar.chart import Chart
from reactree_planner.reading.grammar.noun_phrases import destination, noun_list, Things
from reactree_planner.reading.halting import halt_in, only_halts
from reactree_planner.reading.interjections import Rest
from reactree_planner.reading.names import Names
from reactree_planner.reading.sentence import Sentence
from reactree_planner.reading.small_words import small_phrases
from reactree_planner.reading.speech_acts import speech_act, SpeechAct
from reactree_planner.reading.vocabulary import NameKind

_GOING_ON, _LEAVING, _LEFT, _OTHER, _INSTEAD_OF = (
    small_phrases('corrections', name)
    for name in ('going_on', 'leaving', 'left', 'other', 'instead_of')
)


class Kind(Enum):
    """HOLD: nothing more is done until GO_ON. CHANGE: another goal, or rules more.

    UNREAD: it was not read whole.
    """

    HOLD = 'hold'
    GO_ON = 'go on'
    CHANGE = 'change'
    UNREAD = 'unread'


@dataclass(frozen=True, slots=True)
class Correction:
    """What follows from something said.

    :param goal: from here on; None: as before. :param rules: of permission that hold from here on.
    :param follows: for people. :param holds: whether the robot waits until somebody says "go on".
    """

    kind: Kind
    goal: Goal | None = None
    rules: tuple[Rule, ...] = ()
    follows: tuple[str, ...] = ()
    holds: bool = False


@dataclass(frozen=True, slots=True)
class Context:
    """What is spoken of.

    :param goal: of the task now. :param met: milestones that were met; they stay as they are.
    :param last: things that the last skills were about, e.g. 'crate 1', the newest first.
    :param known: things of a class that are known. :param read: the reader of the task.
    """

    goal: Goal
    met: int
    names: Names
    vocabulary: Vocabulary
    last: Sequence[str]
    known: Callable[[str], Sequence[str]]
    read: Callable[[str], Goal]


def read_correction(text: str, context: Context) -> Correction:
    """What follows from something that a person said.

    :raises ModelError: the model reads, and failed. :raises CanceledError: stopped.
    """
    rest = Rest(text)
    if rest.whole in _GOING_ON or tuple(rest.words) in _GOING_ON:
        return Correction(Kind.GO_ON, follows=('it goes on',))
    if only_halts(text) or (not rest.words and (rest.halts or rest.denies)):
        return Correction(Kind.HOLD, follows=('nothing more is done until "go on"',), holds=True)
    said = _Elliptical(rest, context)
    changed = said.milestones() if context.goal.milestones else None
    if changed is not None:
        # A prohibition beside it is kept: "leave the crate where it is". "Not the crate" is none.
        rules = () if said.contrasts else context.read(text).permission_rules
        return _changed(context, changed, rules, rest.halts)
    return _sentence(text, rest, context)


def _changed(
    context: Context, milestones: Milestones, rules: tuple[Rule, ...], holds: bool
) -> Correction:
    left = dict.fromkeys(filter(None, milestones[context.met :]))
    milestones = (*milestones[: context.met], *left)
    goal = replace(context.goal, milestones=milestones)
    follows = [goal.means or 'nothing of the task is left'] if goal != context.goal else []
    follows += [f'must not: {rule.wording}' for rule in rules]
    return Correction(Kind.CHANGE, goal, rules, tuple(follows), holds)


def _sentence(text: str, rest: Rest, context: Context) -> Correction:
    """A whole sentence, by itself or behind the task's."""
    goal = context.goal
    told = context.read(text)
    if not told.whole:
        again = context.read(' '.join(rest.words))
        told = again if again.whole else told
    rules = told.permission_rules
    if told.whole and told.trigger is None:
        left: Milestones | None = _without_barred(goal.milestones, told, context)
        if left is not None and (rest.instead or rest.denies):
            left = _in_their_place(left, told, context)
        if left is not None:
            for one in told.milestones:
                left = _with(left, one, context, rest.later)
            return _changed(context, left, rules, rest.halts)
    if not told.whole:
        joined = context.read(f'{goal.text.rstrip(" .!?")}. Then {" ".join(rest.words)}.')
        same = joined.milestones[: len(goal.milestones)] == goal.milestones
        new = joined.milestones[len(goal.milestones) :]
        if joined.whole and same and new and joined.trigger == goal.trigger:
            only = joined.milestones[-1:] if rest.instead else joined.milestones[context.met :]
            return _changed(context, (*goal.milestones[: context.met], *only), rules, rest.halts)
    may_halt = rest.may_halt or halt_in(text, frozenset()) is not None
    takes_back = may_halt or speech_act(text) is SpeechAct.CANCEL
    holds = rest.halts or rest.denies or takes_back or bool(told.left_to_model)
    unread = '; '.join(f'"{one}"' for one in told.unread) or f'"{text}"'
    follows = [f'not read, so nothing changes: {unread}']
    follows += [f'must not: {rule.wording}' for rule in rules]
    follows += ['nothing more is done until "go on"'] if holds else []
    return Correction(Kind.UNREAD, None, rules, tuple(follows), holds)


def _without_barred(milestones: Milestones, told: Goal, context: Context) -> Milestones:
    """Milestones without what is forbidden now to be brought about: later words count."""
    if not told.never:
        return milestones
    goal = replace(context.goal, never=told.never)
    barred = {one.condition for one in contradictions(goal, context.vocabulary)}
    return _edited(milestones, context.met, lambda one: None if one in barred else one)


def _in_their_place(milestones: Milestones, told: Goal, context: Context) -> Milestones | None:
    """Milestones without what something else is wanted instead of; None where that is not told."""
    new = told.conditions
    left = [one for each in milestones[context.met :] for one in each]
    if not new or any(_excludes(one, old, context) for one in new for old in left):
        return milestones
    alike = [one for one in left if one.relation is new[0].relation]
    old = alike if len(alike) == 1 else left
    if len(old) != 1:
        return None
    return _edited(milestones, context.met, lambda one: None if one == old[0] else one)


def _edited(
    milestones: Milestones, met: int, edit: Callable[[Condition], Condition | None]
) -> Milestones:
    """Milestones whose conditions that are still to be met are edited; None takes one away."""
    return tuple(
        each
        if number < met
        else tuple(dict.fromkeys(one for one in map(edit, each) if one is not None))
        for number, each in enumerate(milestones)
    )


def _with(
    milestones: Milestones, new: tuple[Condition, ...], context: Context, later: bool = False
) -> Milestones:
    """Milestones with conditions more, which take the place of those that exclude them.

    :param later: whether they come after all others.
    """

    def kept(old: Condition) -> Condition | None:
        return None if any(_excludes(one, old, context) for one in new) else old

    met = context.met
    left = tuple(filter(None, _edited(milestones, met, kept)))
    in_turn = later or any(one.relation in (Relation.AT, Relation.DONE) for one in new)
    if len(left) <= met or in_turn:
        stands = left[-1] if left else ()
        stands = tuple(one for one in map(kept, stands) if one is not None)
        stands = tuple(one for one in stands if one.relation is not Relation.AT)
        return (*left, tuple(dict.fromkeys((*stands, *new))))
    return (*left[:-1], tuple(dict.fromkeys((*left[-1], *new))))


def _excludes(new: Condition, old: Condition, context: Context) -> bool:
    """Whether only one of two conditions on the same thing can hold."""
    if new.subject != old.subject:
        return False
    if new.relation is old.relation is Relation.IS:
        return excludes(new.value, old.value, context.names.words)
    told = [(one.relation, one.value) for one in (new, old)]
    return told[0] != told[1] and {new.relation, old.relation} <= {Relation.IN, Relation.HOLDING}


class _Elliptical:
    """Says less than a sentence: names and places alone, or with "leave", "the other", "too"."""

    def __init__(self, rest: Rest, context: Context) -> None:
        self._rest = rest
        self._context = context
        self._words = tuple(rest.words)
        self._chart = Chart(Sentence(' '.join(rest.words), context.names.words, 'en'))
        self._end = len(self._chart)

    def milestones(self) -> Milestones | None:
        """The milestones from here on; None where it is not read whole."""
        if self._chart.words != self._words:
            return None
        ways = (self._other, self._replaced, self._left_out, self._elsewhere, self._added)
        return next((found for way in ways if (found := way()) is not None), None)

    @property
    def contrasts(self) -> bool:
        """Whether its negation only says which thing is asked for, or which no more."""
        return self._words[:1] != ('leave',) or 'out' in self._words

    # Words -----------------------------------------------------------------------------------

    def _things(self, begin: int, end: int) -> tuple[Things, ...] | None:
        """Things of which nothing but a name and a number is said."""
        for close, things, _ in noun_list(self._chart, begin):
            if close == end and all(map(_is_plain, things)):
                return things
        return None

    def _one(self, begin: int, end: int) -> Things | None:
        things = self._things(begin, end)
        return things[0] if things is not None and len(things) == 1 else None

    def _open(self) -> Iterator[Condition]:
        """Conditions that are still to be met."""
        for each in self._context.goal.milestones[self._context.met :]:
            yield from each

    def _edit(self, edit: Callable[[Condition], Condition | None]) -> Milestones | None:
        """The milestones, edited; None where nothing of them changes."""
        goal, met = self._context.goal, self._context.met
        found = _edited(goal.milestones, met, edit)
        return found if found != goal.milestones else None

    def _kind(self, name: str) -> NameKind | None:
        return self._context.names.kind(self._context.names.class_of(name))

    # Forms -----------------------------------------------------------------------------------

    def _other(self) -> Milestones | None:
        """ "the other one", "the other crate": what was not at work on, or one of those."""
        end = next(_OTHER.at(self._words, 0), 0) if self._words else 0
        things = self._one(end, self._end) if end < len(self._words) else None
        if not end or (end < len(self._words) and (things is None or _number(things.name))):
            return None
        sort = things.name if things is not None else None
        last = (one for one in self._context.last if sort in (None, class_and_number(one)[0]))
        return next(filter(None, map(self._but, last)), None)

    def _but(self, last: str) -> Milestones | None:
        """About another thing of that sort: the only other one that is known, or any."""
        name = class_and_number(last)[0]
        others = [one for one in self._context.known(name) if one != last]
        only = others[0] if len(others) == 1 else ''

        def edit(one: Condition) -> Condition:
            if one.subject in (name, last) and one.count == 1:
                if only:
                    return replace(one, subject=only)
                return replace(one, subject=name, but=(*one.but, last))
            return replace(one, value=only) if only and one.value in (name, last) else one

        return self._edit(edit)

    def _replaced(self) -> Milestones | None:
        """ "not the crate but the drum", "the drum instead of the crate", "no, the drum"."""
        chart, rest = self._chart, self._rest
        if chart.word(0) == 'not' or rest.denies or rest.instead:
            begin = int(chart.word(0) == 'not')
            for middle in range(begin + 1, self._end - 1):
                if begin and chart.word(middle) in ('but', ','):
                    start = middle + 1 + (chart.word(middle + 1) == 'but')
                    found = self._in_place(self._one(begin, middle), self._one(start, self._end))
                    if found is not None:
                        return found
        for middle in range(1, self._end - 1):
            for behind in _INSTEAD_OF.at(self._words, middle):
                end = middle - (chart.word(middle - 1) == ',')
                found = self._in_place(self._one(behind, self._end), self._one(0, end))
                if found is not None:
                    return found
        new = self._one(0, self._end) if rest.denies or rest.instead else None
        return self._in_place(self._replaceable(new), new) if new is not None else None

    def _replaceable(self, new: Things) -> Things | None:
        """The thing or place that another takes the place of: the only one, or the last one."""
        kind = self._kind(new.name)
        is_thing = kind is NameKind.THING
        found = {
            one.subject if is_thing or one.relation is Relation.IS else one.value
            for one in self._open()
        }
        found = {one for one in found if one and self._kind(one) is kind}
        if len(found) > 1 and is_thing and self._context.last:
            last = self._context.last[0]
            found = {one for one in found if one in (class_and_number(last)[0], last)}
        return replace(new, name=found.pop()) if len(found) == 1 else None

    def _in_place(self, old: Things | None, new: Things | None) -> Milestones | None:
        if old is None or new is None:
            return None
        both_things = self._kind(old.name) is self._kind(new.name) is NameKind.THING

        def edit(one: Condition) -> Condition:
            if both_things and one.subject == old.name:
                is_count = isinstance(new.count, int) and new.count > 1
                return replace(
                    one, subject=new.name, count=int(new.count) if is_count else one.count
                )
            if not both_things and one.value == old.name and one.relation is not Relation.IS:
                return replace(one, value=new.name)
            if not both_things and one.subject == old.name and one.relation is Relation.IS:
                return replace(one, subject=new.name)
            return one

        return self._edit(edit)

    def _left_out(self) -> Milestones | None:
        """ "leave the crate", "not the drum"."""
        found = (
            self._things(begin, end)
            for begin in (_LEAVING.at(self._words, 0) if self._words else ())
            for end in range(self._end, begin, -1)
            if end == self._end or self._end in _LEFT.at(self._words, end)
        )
        names = {one.name for one in next(filter(None, found), ())}
        return self._edit(lambda one: None if (one.subject or one.value) in names else one)

    def _elsewhere(self) -> Milestones | None:
        """ "no, on the shelf", "in the shed instead"."""
        if not (self._rest.denies or self._rest.instead):
            return None
        for end, (relation, place), _ in destination(self._chart, 0):
            if end < self._end or relation != 'in' or place.beside or not _is_plain(place):
                continue
            # "no, to the drum": next to it, or the drum itself?
            if self._kind(place.name) is not NameKind.THING:
                return self._in_place(self._replaceable(place), place)
        return None

    def _added(self) -> Milestones | None:
        """ "and a drum too": like what is asked already, where that is one thing."""
        things = self._things(0, self._end) if self._rest.adds else None
        if not things:
            return None
        milestones = self._context.goal.milestones
        for one in things:
            like = self._like(one)
            if like is None:
                return None
            milestones = _with(milestones, (like,), self._context)
        return milestones

    def _like(self, new: Things) -> Condition | None:
        patterns = set()
        for one in self._context.goal.conditions:
            about = one.subject if one.relation is not Relation.AT else one.value
            if one.relation is not Relation.DONE and self._kind(about) is self._kind(new.name):
                patterns.add((one.relation, '' if one.relation is Relation.AT else one.value))
        if len(patterns) != 1:
            return None
        relation, value = patterns.pop()
        if relation is Relation.AT:
            return Condition(relation, '', new.name)
        count = new.count if isinstance(new.count, int) else 1
        return Condition(relation, new.name, value, count)


def _number(name: str) -> int:
    """The number of an instance; 0 for a class."""
    return class_and_number(name)[1]


def _is_plain(one: Things) -> bool:
    """Whether nothing but a name, and how many, is said of things."""
    more = (one.states, one.source, one.inside, one.but, one.adjectives, one.others, one.pronoun)
    return bool(one.name) and one.count != 'all' and not any(more)
