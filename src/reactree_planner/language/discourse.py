"""What clauses refer to and ask for, in their order: conditions in milestones.

A milestone is all that holds at one time: what is new, and what stands of the one before. A
condition of an earlier milestone stands to the end, unless a later clause supersedes it: the same
thing at another place, a state that excludes it, or a state of what the thing was taken out of.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

from reactree_core.skill_types import class_and_number, Relation
from reactree_planner.facts.conditions import ALL, Condition
from reactree_planner.language import lexicon
from reactree_planner.language.attainments import Attainments
from reactree_planner.language.domain import Domain
from reactree_planner.language.goal import Trigger
from reactree_planner.language.meanings import (
    Again,
    Attain,
    Clause,
    Clear,
    Customary,
    Do,
    Lamplight,
    Noun,
    Order,
    Perform,
    Place,
    Pronoun,
    Series,
    Shall,
    Swap,
    Thing,
)
from reactree_planner.language.names import NameKind
from reactree_planner.language.verbs import Act
from reactree_planner.language.wishes import added, Item, Wish


@dataclass
class Told:
    """What came of the clauses. :param unread: tokens that nothing accounts for.

    :param accounts: for each clause its first token, and the texts of its conditions.
    :param sources: things, and where they are to be taken from.
    :param trigger: when all of it is wanted; None: now.
    """

    milestones: tuple[tuple[Condition, ...], ...] = ()
    unread: set[int] = field(default_factory=set)
    accounts: list[tuple[int, str]] = field(default_factory=list)
    sources: tuple[tuple[str, str], ...] = ()
    trigger: Trigger | None = None


def _named_instead(first: tuple[Clause, ...], then: tuple[Clause, ...]) -> tuple[Clause, ...]:
    """ "close the gate after opening it": "it" stands for what is named before it."""
    main = then[0]
    if not first or not isinstance(main, Do) or not main.things or main.start > first[0].start:
        return first
    return tuple(
        replace(one, things=main.things)
        if isinstance(one, Do) and any(isinstance(thing, Pronoun) for thing in one.things)
        else one
        for one in first
    )


class Discourse(Attainments):
    """Takes clauses in, one after another."""

    def __init__(self, domain: Domain) -> None:
        super().__init__(domain)
        #: The last clause that had a verb, which others may share.
        self._last: Do | Shall | None = None
        #: Whether the last clause has to come about before another one begins.
        self._waits = False
        #: Clauses that tell how things shall be, and those that say it again: "bring them".
        self._wanted: set[int] = set()
        self._again: set[int] = set()

    # Clauses ---------------------------------------------------------------------------------

    def take(self, clause: Clause, later: bool) -> None:
        """One clause. :param later: whether the text says that it comes after those before."""
        if isinstance(clause, Order):
            if not clause.first and not self.has_begun:
                # "Shut it afterwards": after what?
                self._leave(clause.start, clause.end)
            for one in _named_instead(clause.first, clause.then):
                self.take(one, later)
                later = False
            for number, one in enumerate(clause.then):
                self.take(one, number == 0)
            return
        if isinstance(clause, Series):
            for number, one in enumerate(clause.clauses):
                self.take(one, later or number > 0)
            return
        self._clause += 1
        self._spans.append((clause.start, clause.end))
        if later or self._waits or isinstance(clause, Perform):
            self.begin_step()
        self._waits = isinstance(clause, Attain | Perform)
        if isinstance(clause, Do) and clause.source is not None:
            clause = _of_place(clause)
        before = len(self._wishes)
        if isinstance(clause, Again):
            self._share(clause)
        elif isinstance(clause, Customary):
            self.mention(clause.things)
            for condition in clause.conditions:
                self._require(condition)
            if not clause.things:
                self.mention(map(self._noun, clause.names))
        elif isinstance(clause, Lamplight):
            self._look_by(clause)
        elif isinstance(clause, Shall):
            self._wanted.add(self._clause)
            self._shall(clause)
        elif isinstance(clause, Attain):
            self._attain(clause)
        elif isinstance(clause, Perform):
            self._perform(clause)
            self.mention(map(self._noun, clause.names))
        elif isinstance(clause, Swap):
            self._swap(clause)
        elif isinstance(clause, Clear):
            self._clear(clause)
        else:
            self._do(clause)
        if isinstance(clause, Do | Shall):
            self._last = clause
        if any(not one.is_place for one in self._group):
            self._things = self._group
        silent = {*self._loose, *self._again, *self._cleared.values()}
        is_beside = isinstance(clause, Customary) and clause.beside
        if len(self._wishes) == before and self._clause not in silent and not is_beside:
            self._leave(clause.start, clause.end)

    @property
    def has_begun(self) -> bool:
        """Whether a clause was taken."""
        return self._clause >= 0

    def mention(self, things: Iterable[Thing]) -> None:
        """Things that were named and of which nothing is asked: what follows may mean them."""
        nouns = [one for one in things if isinstance(one, Noun)]
        if nouns:
            self._group = tuple(self._named(noun) for noun in nouns)

    def forbid(self, things: Iterable[Noun]) -> None:
        """Things that a prohibition named: "else" means others."""
        self._forbidden += [one.text for one in things if one.kind is NameKind.THING]

    def told(self) -> Told:
        """What came of all of them."""
        for wish in self._wishes:
            # A state of a class cannot tell one of it from another.
            for one in self._items if wish.is_state else ():
                if one.noun.other and one.noun.name == wish.item.noun.name:
                    self._unread.add(one.noun.start)
        for item in self._items:
            if item.number in self._split and self._split[item.number] < item.count:
                # "Lift two drums; put one in the chest": what of the other?
                self._leave(item.noun.start, item.noun.end)
        for clause in (*self._loose, *self._cleared.values()):
            self._leave(*self._spans[clause])
        for wish in self._wishes:
            self._check_set(wish)
        wishes = [one for one in self._wishes if not one.on_the_way]
        steps = sorted({one.milestone for one in wishes})
        milestones = []
        for step in steps:
            stands = (w for w in wishes if w.milestone <= step and (w.ends or step + 1) > step)
            milestones.append(added(list(stands)))
        accounts = []
        for clause in range(self._clause + 1):
            own = [one for one in self._wishes if one.clause == clause]
            text = '; '.join(dict.fromkeys(one.condition.text for one in own)) or 'named'
            accounts.append((self._spans[clause][0], text))
        return Told(
            tuple(milestones),
            self._unread,
            accounts,
            tuple(dict.fromkeys(self._sources)),
        )

    def hold(self, condition: Condition) -> None:
        """A condition that is told as one, without words."""
        self._clause += 1
        self._spans.append((0, 0))
        self._require(condition)

    def _require(self, condition: Condition) -> None:
        is_at = condition.relation is Relation.AT
        name = condition.value if is_at else condition.subject
        item = self._item_named(name, condition.count)
        known = (one for one in self._wishes if one.condition == condition and one.ends is None)
        if not any(known):
            place = condition.relation is Relation.IN
            container = self._item_named(condition.value) if place else None
            self._wish(condition.relation, item, '' if is_at else condition.value, container)

    def _item_named(self, name: str, count: int = 1) -> Item:
        alike = (one for one in self._items if (one.noun.text, one.count) == (name, count))
        item = next(alike, None)
        if item is None:
            self._count += 1
            item = Item(replace(self._noun(name), count=count), self._count, count)
            self._items.append(item)
        return item

    def _noun(self, name: str) -> Noun:
        """A name that is told without words."""
        names = self._domain.names
        sort, number = class_and_number(name)
        if number and names.kind(name) is None and names.kind(sort) is not None:
            return Noun(sort, names.kind(sort) or NameKind.OTHER, 0, 0, instance=number)
        return Noun(name, names.kind(name) or NameKind.OTHER, 0, 0)

    def _do(self, clause: Do) -> None:
        act = clause.verb.act
        if act is Act.MOVE:
            self._move(clause)
            return
        items = self._resolved(clause.things, clause) if clause.things else self._omitted(clause)
        if items is None:
            return
        if clause.source is not None:
            bare = [item for item in items if item.noun.place is None]
            self._source(clause.source, bare)
            if len(bare) < len(items) and clause.source.thing not in _places(clause.things):
                # "take the drum on the dock from the rack"
                self._leave(clause.source.thing.start, clause.source.thing.end)
        self._taken_from = clause.source
        if act is Act.CHANGE:
            for one in clause.things:
                if isinstance(one, Noun) and (one.inside or (one.states and one.definite)):
                    # "wrap the scanned crate": which one it is; "a scanned crate" is then both.
                    self._leave(one.start, one.end)
            for item in items:
                self._state(item, clause.verb.state)
            self._unread_tool(clause)
        elif clause.to is not None:
            self._put(items, clause.to, clause)
        elif act in (Act.TAKE, Act.BRING) and self._is_wanted_elsewhere(clause, items):
            self._again.add(self._clause)
        elif act in (Act.TAKE, Act.BRING, Act.MAKE):
            for item in items:
                self._hold(item)
            self._unread_tool(clause)
        elif act in (Act.FIND, Act.EXAMINE):
            self._loose[self._clause] = {item.number for item in items}
        else:
            self._leave(clause.start, clause.end)
        self._group = items

    def _is_wanted_elsewhere(self, clause: Do, items: Sequence[Item]) -> bool:
        """ "The table needs a cup and a fork, bring them": there, not into the hand."""
        wanted = {
            one.item.number
            for one in self._wishes
            if one.condition.relation is Relation.IN
            if one.clause in self._wanted and one.milestone == self._milestone
        }
        is_bare = not clause.people and clause.source is None
        return is_bare and wanted.issuperset(item.number for item in items)

    def _unread_tool(self, clause: Do) -> None:
        """What something is made of or changed with, unless the skill says that itself."""
        if clause.using is None:
            return
        thing = clause.using.thing
        state = clause.verb.state
        makers = self._domain.makers.get(state, ())
        slots = tuple(slot.name for skill in makers for slot in skill.slots[1:])
        ways = sum(max(1, len([t for t in m.treatments if t.state == state])) for m in makers)
        tools = [kinds for m in makers for kinds in m.tools_for(state)] if ways == 1 else []
        said = (
            isinstance(thing, Noun)
            and not thing.unread
            and (
                thing.name.endswith(slots)
                # "a knife", where a butter knife will do; "the oven", where nothing else heats.
                or any(all(kind.endswith(thing.name) for kind in kinds) for kinds in tools)
            )
        )
        if not said:
            self._leave(thing.start, thing.end)

    def _check_set(self, wish: Wish) -> None:
        """Of a set, what is told of one thing that may belong to it is not clear."""
        item = wish.item
        if item.noun.is_everything and wish.condition.relation is Relation.HOLDING:
            if not wish.on_the_way:
                # "take everything": what then?
                self._leave(*self._spans[wish.clause])
        for other in self._wishes if item.being or item.but or item.noun.is_everything else ():
            if not wish.is_of(other.item) and item.may_include(other.item):
                if not (item.being and other.item.being and item.being != other.item.being):
                    self._leave(*self._spans[wish.clause])

    def _look_by(self, clause: Lamplight) -> None:
        items = self._resolved(clause.things, None)
        lamps = self._resolved((clause.lamp,), None)
        if not items or not lamps:
            return
        (lamp,) = lamps
        self._state(lamp, self._domain.states[lexicon.ON,])
        for item in items:
            self._hold(item)
        self._wish(Relation.AT, lamp)
        self._group = items

    def _share(self, clause: Again) -> None:
        """ "Open the chest, then the gate", "put it in the sink, then on the rack"."""
        last, to = self._last, clause.to
        if isinstance(last, Do) and last.verb.act is Act.MOVE and not (clause.things and to):
            for thing in clause.things[:1]:
                to = Place(thing)
            self._move(replace(last, to=to))
        elif last is not None and last.to is not None:
            if clause.things:
                self._shall(Shall(clause.things, (), to or last.to))
            elif to is not None:
                self._put(self._group, to, None)
        elif isinstance(last, Do) and to is None:
            self._do(replace(last, things=clause.things))

    def _shall(self, clause: Shall) -> None:
        items = self._resolved(clause.things, clause)
        if items is None:
            return
        if clause.asserted:
            # Where things are now: what follows may speak of them.
            self._loose[self._clause] = {item.number for item in items}
            self._group = items
            self._named_together = items
            if clause.to is not None:
                self._source(clause.to, [item for item in items if item.noun.place is None])
            if clause.states:
                self._leave(clause.start, clause.end)
            return
        if any(self._domain.excludes(a, b) for a, b in combinations(clause.states, 2)):
            self._leave(clause.start, clause.end)
            return
        for state in clause.states:
            for item in items:
                self._state(item, state)
        if clause.to is not None:
            self._put(items, clause.to, None)
        if clause.holding:
            for item in items:
                self._hold(item)
        self._group = items


def _of_place(clause: Do) -> Do:
    """ "take all drums from the rack": those that are on it."""
    things = tuple(
        replace(one, place=clause.source)
        if isinstance(one, Noun) and one.count == ALL and one.place is None
        else one
        for one in clause.things
    )
    return clause if things == clause.things else replace(clause, things=things)


def _places(things: Iterable[Thing]) -> list[Thing]:
    """Where things are that tell it."""
    return [one.place.thing for one in things if isinstance(one, Noun) and one.place]
