"""Conditions: what shall hold, in the world's names, and in which order.

A goal is a tuple of milestones that are met one after the other; a milestone is a tuple of
conditions. What an earlier milestone asks goes on to be asked, unless a later one supersedes it:
the same thing at another place, in the hand, or in a state that excludes the first; and with a
thing that is taken out of something, the states of that.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace

from reactree_core.measures import fact_text, read_fact
from reactree_core.skill_types import Relation

#: Conditions that are met together, and such sets in their order.
Milestone = tuple['Condition', ...]
Milestones = tuple[Milestone, ...]
#: The count of a condition on every thing of a class.
ALL = 0
#: The class of all things that can be carried.
EVERYTHING = 'everything'
#: What things are, or where they were, that a condition on all of a class is about, and which of
#: them it is not about.
_BEING, _BUT = ' being ', ' but for '
_IN = 'in '
_PLACE_OF = re.compile(r'(?:(?P<sort>\S.*) )?where (?P<thing>\S.*) (?P<tense>was|is)')
_WHERE = 'where '
_COUNT = re.compile(r'(?:(\d{1,3}|all) )?(\S.*)')
#: Relations that move their things.
_MOVES = (Relation.IN, Relation.HOLDING)
_DONE = re.compile(r'done (?:(\d{1,3}) times )?(\S.*)')
_TEXT = re.compile(
    r'(?P<robot>holding|at) (?P<what>\S.*)'
    r'|(?P<subject>\S.*?) (?:(?:in (?P<where>\S.*?) )?is (?P<state>\S.*)|in (?P<place>\S.*)'
    r'|(?P<spot>where \S.* (?:was|is)))'
)


@dataclass(frozen=True, slots=True)
class Condition:
    """One thing that shall hold at the end, e.g. `2 crate in truck`.

    :param relation: IN also stands for "on". :param subject: class of the things, with a number
        where one thing is meant, or `EVERYTHING`; '' for AT, whose subject is the robot; of DONE a
        skill.
    :param value: the place of IN and AT, the word of IS, or a condition on a number there
        (`measures.Comparison`); '' for HOLDING. `where vial was` is the place of another thing,
        before the run moved anything; `where vial is` any place where such a thing is now, and
        `rack where vial is` one of that sort.
    :param count: how many things, 1..999; `ALL` for every one of them; of DONE, how often.
    :param where: of IS, the place of its things, where the task wants others like them elsewhere.
    :param being: of `ALL`, in which state things were that it is about, "every dry plant", or
        where: `in tray`, `where vial was`. That also tells of fewer which they are.
    :param but: things of which it is not, of `ALL`.
    """

    relation: Relation
    subject: str
    value: str = ''
    count: int = 1
    where: str = ''
    being: str = ''
    but: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """As it stands in events, e.g. `2 crate in truck`."""
        number = '' if self.count == 1 else 'all ' if self.count == ALL else f'{self.count} '
        number = '' if self.subject == EVERYTHING else number
        being = f'{_BEING}{self.being}' if self.being else ''
        being += f'{_BUT}{", ".join(self.but)}' if self.but else ''
        if self.relation is Relation.AT:
            return f'at {self.value}'
        if self.relation is Relation.HOLDING:
            return f'holding {number}{self.subject}{being}'
        if self.relation is Relation.DONE:
            return f'done {"" if self.count == 1 else f"{self.count} times "}{self.subject}'
        where = f' in {self.where}' if self.where else ''
        if self.relation is Relation.IS:
            return fact_text(f'{number}{self.subject}{where}', self.value) + being
        relation = '' if self.value.startswith(_WHERE) else f'{self.relation.value} '
        return f'{number}{self.subject}{where} {relation}{self.value}{being}'

    @property
    def names(self) -> tuple[str, ...]:
        """Names in it: its things and its place."""
        if self.relation is Relation.DONE:
            return ()
        place = self.where if self.relation is Relation.IS else self.value
        places = (place_of(one) or one for one in (place, self.being_in))
        return tuple(name for name in (self.subject, *places) if name)

    @property
    def being_in(self) -> str:
        """Where the things were that it is about; '' where that does not tell them."""
        return place_in(self.being)

    @property
    def place_of(self) -> str:
        """The thing whose place is meant; '' where a place has its own name."""
        return place_of(self.value) if self.relation is Relation.IN else ''

    @property
    def is_of_sight(self) -> bool:
        """Whether what it is about depends on what is seen as the run begins."""
        return bool(self.subject == EVERYTHING or self.but or self.being_in or self.place_of)


def read_condition(text: str) -> Condition | None:
    """The condition of a text as `Condition.text` writes it; None for another text."""
    text = ' '.join(text.split())
    done = _DONE.fullmatch(text)
    if done is not None:
        return Condition(Relation.DONE, done[2], '', int(done[1] or 1))
    text, _, but = text.partition(_BUT)
    text, _, being = text.partition(_BEING)
    found = _read(text, being)
    if found is not None and but:
        found = replace(found, but=tuple(but.split(', ')))
    return found


def place_of(value: str) -> str:
    """The thing of a place that is told by what is there: `where vial was`; '' for others."""
    match = _PLACE_OF.fullmatch(value)
    return match['thing'] if match else ''


def is_place_now(value: str) -> bool:
    """Whether it is a place where a thing is now, and not where it was."""
    match = _PLACE_OF.fullmatch(value)
    return match is not None and match['tense'] == 'is'


def sort_of_place(value: str) -> str:
    """The sort of a place that is told by what is there: `rack where vial is`; '' for any."""
    match = _PLACE_OF.fullmatch(value)
    return (match['sort'] or '') if match else ''


def where_was(name: str) -> str:
    """The place of a thing, before the run moved anything."""
    return f'{_WHERE}{name} was'


def where_is(name: str, sort: str = '') -> str:
    """Any place where such a thing is. :param sort: of the place; '' for any."""
    return f'{sort} {_WHERE}{name} is'.strip()


def place_in(being: str) -> str:
    """The place where things were, of `in tray` and `where vial was`; '' of a state."""
    if place_of(being):
        return being
    return being.removeprefix(_IN) if being.startswith(_IN) else ''


def being_in(place: str) -> str:
    """Restriction to things that were in, or on, a place; '' for no place."""
    return place if not place or place_of(place) else f'{_IN}{place}'


def from_places(milestones: Milestones, sources: Iterable[tuple[str, str]]) -> Milestones:
    """Restrict conditions on things to those that began where they are to be taken from.

    Things that an earlier condition brings to that place, and classes of which a milestone asks
    for several sets ("a drum ... another drum"), are not restricted.

    :param sources: classes of things, or names, each with its known place.
    """
    every = [one for milestone in milestones for one in milestone]
    places: dict[str, set[str]] = defaultdict(set)
    for thing, place in sources:
        if not any((one.subject, one.value) == (thing, place) for one in every):
            places[thing].add(place)
    for milestone in milestones:
        sets = Counter(one.subject for one in milestone if one.relation in _MOVES)
        for thing in [name for name in places if sets[name] > 1 or len(places[name]) > 1]:
            del places[thing]

    def restricted(one: Condition) -> Condition:
        if one.relation is Relation.DONE or one.count == ALL or one.being:
            return one
        return replace(one, being=being_in(min(places.get(one.subject, ()), default='')))

    return tuple(tuple(map(restricted, each)) for each in milestones)


def _read(text: str, being: str) -> Condition | None:
    number = read_fact(text)
    if number is not None:
        subject, told = number
        count, subject = _counted(subject)
        subject, _, where = subject.partition(' in ')
        return Condition(Relation.IS, subject, told.text, count, where, being)
    match = _TEXT.fullmatch(text)
    if match is None:
        return None
    if match['robot'] == 'at':
        return Condition(Relation.AT, '', match['what'])
    count, subject = _counted(match['what'] or match['subject'])
    if match['robot']:
        return Condition(Relation.HOLDING, subject, '', count, being=being)
    if match['state']:
        return Condition(Relation.IS, subject, match['state'], count, match['where'] or '', being)
    return Condition(Relation.IN, subject, match['place'] or match['spot'], count, being=being)


def _counted(text: str) -> tuple[int, str]:
    match = _COUNT.fullmatch(text)
    assert match is not None, 'any text that is not empty'
    told = match[1]
    if match[2] == EVERYTHING:
        return ALL, EVERYTHING
    return (ALL if told == 'all' else int(told) if told else 1), match[2]


def conditions_of(texts: tuple[str, ...]) -> tuple[Condition, ...]:
    """Conditions of texts, as an event holds them; texts of another form are left out."""
    return tuple(found for text in texts if (found := read_condition(text)) is not None)
