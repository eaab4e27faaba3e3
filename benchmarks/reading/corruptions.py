"""Right goals made wrong in sixteen ways, and what the check says to each.

*Caught*: a violation that the right goal has not. *Asked*: a person is asked about just this.
*Shown*: a person is asked, about something else of the goal. *Passes*: nobody is asked.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from benchmarks.reading.recorded import Recorded
from reactree_planner.reading.check import check, End
from reactree_planner.reading.form import (
    FormCondition,
    FormMilestone,
    GoalForm,
    Interpretation,
    Prohibition,
)
from reactree_planner.reading.sentence import ORDERING, Sentence
from reactree_planner.reading.vocabulary import english, NameKind, ServerWords

Corruption = Callable[[Recorded, random.Random], Iterator[GoalForm]]
#: Corrupted goals of one kind for one reading.
MOST = 4
_STATE = {'open': 'open', 'close': 'closed', 'switch on': 'on', 'switch off': 'off'}


def _mapped(form: GoalForm, change: Callable[[FormCondition], FormCondition | None]) -> GoalForm:
    """The form with each condition changed; without those that become None."""
    milestones = (
        tuple(new for new in map(change, one.conditions) if new) for one in form.milestones
    )
    return replace(form, milestones=tuple(FormMilestone(one) for one in milestones if one))


def _with(form: GoalForm, old: FormCondition, new: FormCondition | None) -> GoalForm:
    return _mapped(form, lambda one: new if one is old else one)


def _drop_condition(row: Recorded, rng: random.Random) -> Iterator[GoalForm]:
    yield from (_with(row.form, one, None) for one in row.form.wanted)


def _drop_prohibition(row: Recorded, rng: random.Random) -> Iterator[GoalForm]:
    form = row.form
    for one in form.never:
        yield replace(form, never=tuple(other for other in form.never if other is not one))
    for limit in form.limits:
        yield replace(form, limits=tuple(other for other in form.limits if other is not limit))


def _swap_names(row: Recorded, rng: random.Random) -> Iterator[GoalForm]:
    form, words = row.form, row.words
    told = [name for one in form.wanted for name in (one.thing, one.value, one.source)]
    told += [name for ban in form.never for name in (ban.thing, ban.place)]
    names = list(dict.fromkeys(one for one in told if one and words.kind(one)))
    pairs = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]]
    for a, b in rng.sample(pairs, min(MOST, len(pairs))):
        swap: dict[str | None, str] = {a: b, b: a}

        def changed(one: FormCondition, to: dict[str | None, str] = swap) -> FormCondition:
            return replace(
                one,
                thing=to.get(one.thing, one.thing),
                value=to.get(one.value, one.value),
                source=to.get(one.source, one.source),
            )

        never = tuple(
            replace(
                ban, thing=swap.get(ban.thing, ban.thing), place=swap.get(ban.place, ban.place)
            )
            for ban in form.never
        )
        yield replace(_mapped(form, changed), never=never)


def _others(name: str | None, words: ServerWords) -> list[str]:
    """Further names of the same kind; () where it is none."""
    kind = words.kind(name) if name else None
    if kind not in (NameKind.THING, NameKind.PLACE):
        return []
    return [other for other in words.names if words.kind(other) is kind and other != name]


def _other_name(row: Recorded, rng: random.Random) -> Iterator[GoalForm]:
    for one in row.form.wanted:
        things, places = _others(one.thing, row.words), _others(one.value, row.words)
        if things:
            yield _with(row.form, one, replace(one, thing=rng.choice(things)))
        if places:
            yield _with(row.form, one, replace(one, value=rng.choice(places)))


def _other_name_taken(row: Recorded, rng: random.Random) -> Iterator[GoalForm]:
    for one in row.form.wanted:
        things = _others(one.thing, row.words)
        if things and row.words.kind(one.thing or '') is NameKind.THING:
            name = rng.choice(things)
            form = _with(row.form, one, replace(one, thing=name))
            taken = (*form.taken_for, Interpretation(one.words, name))
            yield replace(form, taken_for=taken)


def _opposite_state(row: Recorded, rng: random.Random) -> Iterator[GoalForm]:
    states = tuple(dict.fromkeys((*row.words.reachable, *row.words.vocabulary.states)))
    for one in row.form.wanted:
        if one.relation == 'is':
            opposite = english()['opposite'].get(one.value or '', ())
            others = opposite or [state for state in states if state != one.value]
            if others:
                yield _with(row.form, one, replace(one, value=rng.choice(others)))


def _wrong_count(row: Recorded, rng: random.Random) -> Iterator[GoalForm]:
    form = row.form
    for one in form.wanted:
        if one.relation in ('in', 'holding'):
            more = 1 if one.count == 'all' else one.count + 1
            yield _with(form, one, replace(one, count=more))
            if isinstance(one.count, int) and one.count > 1:
                yield _with(form, one, replace(one, count=1))
    for limit in form.limits:
        wrong = replace(limit, at_most=limit.at_most + 1)
        yield replace(form, limits=tuple(wrong if o is limit else o for o in form.limits))
    if form.when and form.when.seconds:
        yield replace(form, when=replace(form.when, seconds=form.when.seconds + 7))


def _merge_milestones(row: Recorded, rng: random.Random) -> Iterator[GoalForm]:
    """Milestones as one, but for "wash it and put it away": what holds together anyway."""
    wanted = row.form.wanted
    ordered = Sentence(row.sentence, row.words).marked(*ORDERING)
    lasting = all(one.relation in ('is', 'in') for one in wanted)
    runs = {one.thing for one in wanted if one.value == 'on'} & {one.value for one in wanted}
    places = [one.thing for one in wanted if one.relation == 'in']
    moved = len(places) > len(set(places))
    if len(row.form.milestones) > 1 and (ordered or runs or moved or not lasting):
        yield replace(row.form, milestones=(FormMilestone(row.form.wanted),))


def _reverse_order(row: Recorded, rng: random.Random) -> Iterator[GoalForm]:
    if len(row.form.milestones) > 1:
        yield replace(row.form, milestones=row.form.milestones[::-1])


def _as_wish(ban: Prohibition, words: ServerWords) -> FormCondition | None:
    if ban.doing in _STATE:
        return FormCondition('is', ban.thing, _STATE[ban.doing], words=ban.words)
    if ban.doing == 'go':
        return FormCondition('at', None, ban.place or ban.thing, words=ban.words)
    if ban.doing == 'put' and ban.place:
        return FormCondition('in', ban.thing, ban.place, words=ban.words)
    is_thing = words.kind(ban.thing or '') is NameKind.THING
    return FormCondition('holding', ban.thing, words=ban.words) if is_thing else None


def _wished(form: GoalForm, wish: FormCondition) -> GoalForm:
    first, *rest = form.milestones or (FormMilestone(()),)
    return replace(form, milestones=(FormMilestone((*first.conditions, wish)), *rest))


def _prohibition_to_wish(row: Recorded, rng: random.Random) -> Iterator[GoalForm]:
    for ban in row.form.never:
        wish = _as_wish(ban, row.words)
        if wish:
            never = tuple(other for other in row.form.never if other is not ban)
            yield _wished(replace(row.form, never=never), wish)


def _wish_for_negated(row: Recorded, rng: random.Random) -> Iterator[GoalForm]:
    wishes = (_as_wish(ban, row.words) for ban in row.form.never)
    yield from (_wished(row.form, wish) for wish in wishes if wish)


def _unknown_name(row: Recorded, rng: random.Random) -> Iterator[GoalForm]:
    form = row.form
    for one in form.wanted:
        if one.relation in ('in', 'holding', 'is'):
            yield _with(form, one, replace(one, thing='zebra'))
        if one.relation in ('in', 'at'):
            yield _with(form, one, replace(one, value='attic'))
    for ban in form.never:
        wrong = replace(ban, thing='zebra')
        yield replace(form, never=tuple(wrong if o is ban else o for o in form.never))


def _quote_not_in_sentence(row: Recorded, rng: random.Random) -> Iterator[GoalForm]:
    for one in row.form.wanted:
        yield _with(row.form, one, replace(one, words=f'{one.words[1:]}x'))


def _quote_of_another(row: Recorded, rng: random.Random) -> Iterator[GoalForm]:
    form = row.form
    every = [one.words for one in form.wanted]
    every += [one.words for one in form.never]
    every += [one.words for one in form.cannot_say]
    for one in form.wanted:
        others = [quote for quote in every if quote != one.words and one.words not in quote]
        if others:
            yield _with(form, one, replace(one, words=rng.choice(others)))


def _wide_quotes_swapped(row: Recorded, rng: random.Random) -> Iterator[GoalForm]:
    """Places of two conditions exchanged, each quoting the whole sentence."""
    wanted = row.form.wanted
    for i, a in enumerate(wanted):
        for b in wanted[i + 1 :]:
            placed = a.relation == b.relation == 'in'
            if placed and a.thing != b.thing and a.value != b.value:
                swap: dict[str | None, str | None] = {a.value: b.value, b.value: a.value}

                def wide(
                    one: FormCondition, to: dict[str | None, str | None] = swap
                ) -> FormCondition:
                    value = to.get(one.value, one.value)
                    return replace(one, value=value, words=row.sentence)

                yield _mapped(row.form, wide)


def _drop_when(row: Recorded, rng: random.Random) -> Iterator[GoalForm]:
    form = row.form
    if form.when:
        yield replace(form, when=None)
        if form.wanted:
            hidden = replace(form.wanted[0], words=form.when.words)
            yield replace(_with(form, form.wanted[0], hidden), when=None)


#: The corruptions by name.
KINDS: dict[str, Corruption] = {
    one.__name__.replace('_', ' ').strip(): one
    for one in (
        _drop_condition,
        _drop_prohibition,
        _swap_names,
        _other_name,
        _other_name_taken,
        _opposite_state,
        _wrong_count,
        _merge_milestones,
        _reverse_order,
        _prohibition_to_wish,
        _unknown_name,
        _quote_not_in_sentence,
        _quote_of_another,
        _wide_quotes_swapped,
        _drop_when,
        _wish_for_negated,
    )
}


def _meaning(form: GoalForm) -> object:
    """What is asked and forbidden, without the order within a milestone."""
    bare = replace_words(form)
    steps = [frozenset(one.conditions) for one in bare.milestones]
    return steps, frozenset(bare.never), frozenset(bare.limits), bare.when


def replace_words(form: GoalForm) -> GoalForm:
    """The form without the quotes of what it asks and forbids."""
    bare = _mapped(form, lambda one: replace(one, words=''))
    never = tuple(replace(one, words='') for one in form.never)
    return replace(bare, never=never)


def corrupted(rows: Iterable[Recorded]) -> Iterator[tuple[str, Recorded, GoalForm, str]]:
    """Each corruption: its kind, the right reading, the wrong one, and what the check says."""
    for row in rows:
        right = check(row.form, row.sentence, row.words)
        for kind, corrupt in KINDS.items():
            made = list(corrupt(row, random.Random(row.id)))[:MOST]
            for form in made:
                if 'quote' not in kind and _meaning(form) == _meaning(row.form):
                    continue
                report = check(form, row.sentence, row.words)
                refused = set(report.texts(End.REFUSED)) - set(right.texts(End.REFUSED))
                asked = {*report.texts(End.TO_CONFIRM), *report.unreachable}
                asked -= {*right.texts(End.TO_CONFIRM), *right.unreachable}
                end = 'caught' if refused else 'asked' if asked else 'shown'
                passes = report.end is End.WHOLE and not asked
                yield kind, row, form, 'passes' if passes else end


def counts_of(rows: Iterable[Recorded]) -> dict[str, Counter[str]]:
    """Kind of corruption -> what became of how many."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for kind, _, _, end in corrupted(rows):
        found[kind][end] += 1
    return found
