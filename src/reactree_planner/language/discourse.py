"""What clauses refer to and ask for, in their order: conditions in milestones.

A milestone is all that holds at one time: what is new, and what stands of the one before. A
condition of an earlier milestone stands to the end, unless a later clause supersedes it: the same
thing at another place, a state that excludes it, or a state of what the thing was taken out of.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

from reactree_core.measures import Comparison
from reactree_core.skill_types import Relation, SkillType
from reactree_planner.facts.conditions import ALL, Condition
from reactree_planner.language import lexicon
from reactree_planner.language.domain import Domain
from reactree_planner.language.lexicon import Act
from reactree_planner.language.meanings import (
    Again,
    Attain,
    Clause,
    Customary,
    Do,
    Lamplight,
    Noun,
    Order,
    Perform,
    Place,
    Pronoun,
    Reference,
    Series,
    Shall,
    Thing,
    Unknown,
    UNTOLD,
)
from reactree_planner.language.names import NameKind


@dataclass(frozen=True, slots=True)
class Item:
    """Things that were spoken of. :param number: tells items of one name apart.

    :param into: whether something was put in it, not on it.
    """

    noun: Noun
    number: int
    count: int = 1
    into: bool = False

    @property
    def is_place(self) -> bool:
        """Whether it stays where it is."""
        return self.noun.kind in (NameKind.PLACE, NameKind.REGION)


@dataclass
class _Wish:
    """A condition of one clause. :param milestone: index of the milestone.

    :param ends: milestone from which on it no longer has to hold; None: it holds at the end.
    :param on_the_way: whether a later clause about the thing makes it needless.
    :param fades: whether it ends as the next step begins: what is charged is used up.
    """

    condition: Condition
    item: Item
    milestone: int
    clause: int
    container: Item | None = None
    ends: int | None = None
    on_the_way: bool = False
    fades: bool = False

    def is_of(self, item: Item | None) -> bool:
        """Whether something shall hold of this item."""
        return item is not None and self.item.number == item.number

    def is_in(self, item: Item) -> bool:
        """Whether its item shall be in, or on, this one."""
        return self.container is not None and self.container.number == item.number

    @property
    def is_state(self) -> bool:
        """Whether a state shall hold."""
        return self.condition.relation is Relation.IS


@dataclass
class Told:
    """What came of the clauses. :param unread: tokens that nothing accounts for.

    :param accounts: for each clause, the texts of its conditions.
    :param sources: things, and where they are to be taken from.
    """

    milestones: tuple[tuple[Condition, ...], ...] = ()
    unread: set[int] = field(default_factory=set)
    accounts: list[str] = field(default_factory=list)
    sources: tuple[tuple[str, str], ...] = ()


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


class Discourse:
    """Takes clauses in, one after another."""

    def __init__(self, domain: Domain) -> None:
        self._domain = domain
        self._wishes: list[_Wish] = []
        self._milestone = 0
        self._clause = -1
        #: The last clause that had a verb, which others may share.
        self._last: Do | Shall | None = None
        #: Whether the last clause has to come about before another one begins.
        self._waits = False
        #: Items that were split: "two totes; one ..., the other ...", and how many were used.
        self._split: dict[int, int] = {}
        #: What "there are ..." named.
        self._named_together: tuple[Item, ...] = ()
        self._unread: set[int] = set()
        self._spans: list[tuple[int, int]] = []
        self._count = 0
        #: Everything that was named, the last one last.
        self._items: list[Item] = []
        #: The things of the last clause that had any; those taken, and put nowhere since.
        self._group: tuple[Item, ...] = ()
        self._held: list[Item] = []
        #: The last of them that can be carried.
        self._things: tuple[Item, ...] = ()
        self._place: Item | None = None
        self._opened: Item | None = None
        #: Clauses that only name something, with what they name: "find a tote".
        self._loose: dict[int, set[int]] = {}
        #: Clauses that tell how things shall be, and those that say it again: "bring them".
        self._wanted: set[int] = set()
        self._again: set[int] = set()
        #: Where the things of the last clause were taken from.
        self._taken_from: Place | None = None
        self._sources: list[tuple[str, str]] = []

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
        before = len(self._wishes)
        if isinstance(clause, Again):
            self._share(clause)
        elif isinstance(clause, Customary):
            self.mention(clause.things)
            for condition in clause.conditions:
                self._require(condition)
        elif isinstance(clause, Lamplight):
            self._look_by(clause)
        elif isinstance(clause, Shall):
            self._wanted.add(self._clause)
            self._shall(clause)
        elif isinstance(clause, Attain):
            self._attain(clause)
        elif isinstance(clause, Perform):
            self._perform(clause)
        else:
            self._do(clause)
        if isinstance(clause, Do | Shall):
            self._last = clause
        if any(not one.is_place for one in self._group):
            self._things = self._group
        if len(self._wishes) == before and self._clause not in {*self._loose, *self._again}:
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
        for clause in self._loose:
            self._leave(*self._spans[clause])
        wishes = [one for one in self._wishes if not one.on_the_way]
        steps = sorted({one.milestone for one in wishes})
        milestones = []
        for step in steps:
            stands = (w for w in wishes if w.milestone <= step and (w.ends or step + 1) > step)
            milestones.append(_added(list(stands)))
        accounts = []
        for clause in range(self._clause + 1):
            own = [one for one in self._wishes if one.clause == clause]
            accounts.append('; '.join(dict.fromkeys(one.condition.text for one in own)) or 'named')
        return Told(
            tuple(one for one in milestones if one),
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
        alike = (one for one in self._items if (one.noun.name, one.count) == (name, count))
        item = next(alike, None)
        if item is None:
            kind = self._domain.names.kind(name) or NameKind.OTHER
            self._count += 1
            item = Item(Noun(name, kind, 0, 0, count=count), self._count, count)
            self._items.append(item)
        return item

    def _leave(self, start: int, end: int) -> None:
        self._unread.update(range(start, end))

    def begin_step(self) -> None:
        """What follows comes after what was told so far."""
        if any(one.milestone == self._milestone for one in self._wishes):
            self._milestone += 1
            for one in self._wishes:
                if one.fades and one.ends is None:
                    one.ends = self._milestone

    def _attain(self, clause: Attain) -> None:
        """What things shall come to be once."""
        items = self._resolved(clause.things, clause)
        for item in items or ():
            state = clause.state
            if isinstance(state, Comparison):
                own = item.noun.name in self._domain.names.own_numbers
                name = self._measured_of(item.noun.name) if clause.name is None else clause.name
                if name is None or own == bool(name):
                    self._leave(clause.start, clause.end)
                    continue
                state = replace(state, name=name).text
            self._wish(Relation.IS, item, state)
            wish = self._wishes[-1]
            wish.fades = True
            if clause.being:
                wish.condition = replace(
                    wish.condition, count=ALL, being=clause.being, where=clause.where
                )
        self._group = items or self._group

    def _measured_of(self, name: str) -> str | None:
        """What is measured of a thing, where only one number can be meant."""
        names = self._domain.names
        if name in names.own_numbers:
            return ''
        others = [one for one in names.numbers if one not in names.own_numbers]
        return others[0] if len(others) == 1 else None

    def _perform(self, clause: Perform) -> None:
        """A skill that is to be done, so many times more than it was before."""
        values = []
        for value in clause.values:
            if isinstance(value, Noun):
                items = self._resolved((value,), clause) or ()
                one = items[0].noun if len(items) == 1 else None
                stays = one is not None and one.kind is not NameKind.THING
                if one is None or not (one.instance is not None or one.label or stays):
                    self._leave(clause.start, clause.end)
                    return
                self._group = items
                values.append(one.text)
            else:
                values.append(value)
        text = SkillType(clause.template).filled(values)
        before = [one for one in self._wishes if one.condition.subject == text]
        count = clause.times + max((one.condition.count for one in before), default=0)
        for wish in before:
            # So often in all.
            wish.ends = self._milestone
        noun = Noun(text, NameKind.OTHER, clause.start, clause.end)
        self._count += 1
        self._wishes.append(
            _Wish(
                Condition(Relation.DONE, text, '', count),
                Item(noun, self._count),
                self._milestone,
                self._clause,
            )
        )

    def _do(self, clause: Do) -> None:
        act = clause.verb.act
        if act is Act.MOVE:
            self._move(clause)
            return
        items = self._resolved(clause.things, clause) if clause.things else self._omitted(clause)
        if items is None:
            return
        if clause.source is not None:
            self._source(clause.source, [item for item in items if item.noun.place is None])
        self._taken_from = clause.source
        if act is Act.CHANGE:
            for one in clause.things:
                if isinstance(one, Noun) and (one.states or one.inside):
                    # "wrap the scanned crate": which one it is.
                    self._leave(one.start, one.end)
            for item in items:
                self._state(item, clause.verb.state)
            self._unread_tool(clause)
        elif clause.to is not None:
            self._put(items, clause.to, clause)
        elif act in (Act.TAKE, Act.BRING) and self._is_wanted_elsewhere(clause, items):
            self._again.add(self._clause)
        elif act in (Act.TAKE, Act.BRING, Act.MAKE) or clause.people:
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

    def _move(self, clause: Do) -> None:
        place = self._place_of(clause.to)
        if place is not None:
            self._wish(Relation.AT, place)
            self._place = place

    def _unread_tool(self, clause: Do) -> None:
        """What something is made of or changed with, unless the skill says that itself."""
        if clause.using is None:
            return
        thing = clause.using.thing
        makers = self._domain.makers.get(clause.verb.state, ())
        slots = tuple(slot.name for skill in makers for slot in skill.slots[1:])
        if not isinstance(thing, Noun) or thing.unread or not thing.name.endswith(slots):
            self._leave(thing.start, thing.end)

    def _look_by(self, clause: Lamplight) -> None:
        items = self._resolved(clause.things, None)
        lamps = self._resolved((clause.lamp,), None)
        if not items or not lamps:
            return
        lamp = lamps[0]
        state = self._domain.states.get(('on',), '')
        switches = state in self._domain.switchings
        if switches and self._domain.may_be(lamp.noun.kind, lamp.noun.name, state):
            self._state(lamp, state)
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
                self._source(clause.to, items)
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

    # Conditions ------------------------------------------------------------------------------

    def _put(self, items: Sequence[Item], to: Place, clause: Do | None) -> None:
        if to.beside:
            span = (clause.start, clause.end) if clause is not None else self._spans[-1]
            self._leave(*span)
            return
        place = self._place_of(to, tuple(items))
        stays = any(item.is_place for item in items)
        nowhere = place is None or place.noun.kind is NameKind.OTHER
        if place is None or nowhere or stays or any(i.number == place.number for i in items):
            self._leave(*self._spans[-1])
            return
        for item in items:
            self._wish(Relation.IN, item, place.noun.text, place)
        self._place = replace(place, into=to.into)
        placed = {item.number for item in items}
        self._held = [item for item in self._held if item.number not in placed]

    def _hold(self, item: Item) -> None:
        if item.is_place:
            self._leave(*self._spans[-1])
            return
        self._wish(Relation.HOLDING, item)
        self._held = [one for one in self._held if one.number != item.number] + [item]

    def _state(self, item: Item, state: str) -> None:
        noun = item.noun
        if state in self._domain.makers and not self._domain.may_be(noun.kind, noun.name, state):
            self._leave(*self._spans[-1])
            return
        same = (one for one in self._states_of(item) if one.condition.value == state)
        if any(same):
            # "open the locker, put the box in, and open it": surely the box.
            self._leave(*self._spans[-1])
        self._wish(Relation.IS, item, state)
        if state in self._domain.openings:
            self._opened = item

    def _states_of(self, item: Item | None) -> list[_Wish]:
        """States that shall hold of an item, so far."""
        return [one for one in self._wishes if one.is_state and one.is_of(item) and not one.ends]

    def _wish(
        self, relation: Relation, item: Item, value: str = '', container: Item | None = None
    ) -> None:
        """A condition more; those that it supersedes end."""
        condition = Condition(relation, item.noun.text, value, abs(item.count))
        if relation is Relation.AT:
            condition = Condition(relation, '', item.noun.text)
        ended = [one for one in self._wishes if self._supersedes(condition, item, one)]
        held = [one for one in ended if one.condition.relation is Relation.HOLDING]
        for one in held:
            # It is taken only to be put somewhere, or to be changed.
            one.on_the_way = True
        passed = [one for one in ended if one not in held]
        # What had to hold of the place that a thing leaves, while it was there.
        passed += [state for one in passed for state in self._states_of(one.container)]
        now = [one for one in self._wishes if one.milestone == self._milestone]
        follows = relation is Relation.IS and any(
            (one.is_in(item) and value in self._domain.switchings)
            or (
                (one.is_of(item) and one.is_state and one.condition.value != value)
                and one.clause != self._clause
            )
            for one in now
        )
        if follows or any(one in now for one in passed):
            self.begin_step()
        for one in passed:
            one.ends = self._milestone
        self._wishes.append(_Wish(condition, item, self._milestone, self._clause, container))

    def _supersedes(self, condition: Condition, item: Item, wish: _Wish) -> bool:
        if wish.ends is not None or wish.on_the_way:
            return False
        old = wish.condition
        if old.relation is Relation.AT:
            return True
        if not wish.is_of(item):
            return False
        moves = (Relation.IN, Relation.HOLDING)
        if old.relation is Relation.HOLDING:
            return condition.relation in (*moves, Relation.IS) and wish.clause != self._clause
        if old.relation is Relation.IN:
            return condition.relation in moves and old != condition
        return condition.relation is Relation.IS and self._domain.excludes(
            condition.value, old.value
        )

    # References ------------------------------------------------------------------------------

    def _resolved(self, things: Iterable[Thing], clause: Clause | None) -> tuple[Item, ...] | None:
        """What things stand for; None where none of them is known."""
        found: list[Item] = []
        for thing in things:
            items = self._referred(thing, clause)
            if items is None:
                self._leave(thing.start, thing.end)
            else:
                found += items
        return _added_up(found) or None

    def _referred(self, thing: Thing, clause: Clause | None) -> Sequence[Item] | None:
        if isinstance(thing, Unknown) or (isinstance(thing, Noun) and thing.unsure):
            return None
        if isinstance(thing, Noun) and thing.definite and thing.text in lexicon.PARTS:
            if self._opened or (self._place and self._place.noun.name != thing.name):
                # "put a crate in the chest and shut the door": of the chest, or of the room?
                return None
        if isinstance(thing, Pronoun):
            items = self._antecedents(thing, clause)
            for item in items or ():
                self._use(item.number)
            return items
        return [self._named(thing)]

    def _use(self, number: int) -> None:
        for clause, numbers in list(self._loose.items()):
            if number in numbers:
                del self._loose[clause]

    def _named(self, noun: Noun) -> Item:
        """The thing that a noun names: one that was named before, or a new one."""
        self._unread.update(noun.unread)
        if noun.unsure:
            self._unread.update(range(noun.start, noun.end))
        known = [one for one in self._items if one.noun.text == noun.text]
        # The same words ("wrap and seal a crate"), or what was taken: "lift a crate, put a crate".
        same = [one for one in known if one.noun.start == noun.start]
        same += [one for one in self._held if one in known and noun.count == 1 == one.count]
        is_old = known and (
            noun.definite or noun.instance is not None or noun.label or known[-1].is_place
        )
        if (is_old or same) and not noun.other:
            item = same[-1] if same else known[-1]
            self._use(item.number)
        else:
            if noun.other and known:
                self._use(known[-1].number)
            elif noun.other:
                # "another" than which?
                self._unread.add(noun.start)
            self._count += 1
            item = Item(noun, self._count, noun.count)
        self._items = [one for one in self._items if one.number != item.number] + [item]
        describes = noun.count == ALL or bool(
            set(noun.states) & (self._domain.openings | self._domain.switchings)
        )
        if noun.states and describes:
            # "all scanned drums", "the open chest": which ones, not how they shall be.
            self._leave(noun.start, noun.end)
        for state in () if describes else noun.states:
            self._state(item, state)
        if noun.inside and noun.kind is not NameKind.THING:
            # "switch on the pump with the tray on it"
            self._leave(noun.start, noun.end)
        for one in noun.inside if noun.kind is NameKind.THING else ():
            if isinstance(one, Noun):
                self._wish(Relation.IN, self._named(one), item.noun.text, item)
        if noun.place is not None:
            self._source(noun.place, (item,))
        return item

    def _source(self, place: Place, items: Iterable[Item]) -> None:
        """Where things are now; only told on, so that it may be a place that nobody knows."""
        thing = place.thing
        picks_out = any(item.count == ALL for item in items)
        if isinstance(thing, Unknown) and place.source and not picks_out:
            self._sources += [(item.noun.text, thing.text) for item in items]
            return
        if isinstance(thing, Noun) and thing.kind is not NameKind.THING and not (
            place.beside or picks_out
        ):  # fmt: skip
            where = self._named(thing)
            self._sources += [(item.noun.text, where.noun.text) for item in items]
        else:
            self._leave(thing.start, thing.end)

    def _omitted(self, clause: Do) -> tuple[Item, ...] | None:
        """ "wash a tray and put in the locker": the things of the clause before."""
        items = tuple(self._held) or self._group
        if self._is_in_movable(items):
            return None
        for item in items:
            self._use(item.number)
        return items or None

    def _is_in_movable(self, items: Sequence[Item]) -> bool:
        """Whether things were just put into one that can be carried itself: "it" is either."""
        place = self._place
        return (
            place is not None
            and place.noun.kind is NameKind.THING
            and place not in items
            and any(one.is_in(place) and any(map(one.is_of, items)) for one in self._wishes)
        )

    def _place_of(self, place: Place | None, things: tuple[Item, ...] = ()) -> Item | None:
        if place is None:
            return None
        thing = place.thing
        if isinstance(thing, Noun):
            if thing.count != 1:
                # "on each shelf", "on two pallets"
                self._leave(thing.start, thing.end)
            return self._named(thing)
        if isinstance(thing, Unknown):
            self._leave(thing.start, thing.end)
            return None
        candidates = [self._opened, self._place]
        if thing.reference is Reference.ONE:
            others = [one for one in self._group if one not in things and not one.is_place]
            if others and any(candidates):
                # "the tote to the sink, and the tray to it": either may be meant.
                self._leave(thing.start, thing.end)
                return None
            candidates = [*others, *candidates] if len(others) == 1 else candidates
        return next((one for one in candidates if one is not None and one not in things), None)

    def _antecedents(self, pronoun: Pronoun, clause: Clause | None) -> Sequence[Item] | None:
        if pronoun.reference is Reference.ONE:
            return self._it(clause)
        if pronoun.reference is Reference.SEVERAL:
            return self._them(pronoun)
        return self._of_sort(pronoun)

    def _them(self, pronoun: Pronoun) -> Sequence[Item] | None:
        items = tuple(self._held) if len(self._held) > len(self._group) else self._group
        if len(items) == 1 and items[0].count == 1 and pronoun.count == UNTOLD:
            return items if items[0].noun.name.endswith('s') else None
        if pronoun.count != UNTOLD:
            number = sum(max(1, one.count) for one in items)
            if number != pronoun.count or any(one.count == ALL for one in items):
                return None
        return items or None

    def _it(self, clause: Clause | None) -> Sequence[Item] | None:
        states = clause.states if isinstance(clause, Shall) else ()
        if isinstance(clause, Do) and clause.verb.state:
            states = (clause.verb.state,)
        if states:
            return self._changed(states[0])
        group = self._things if all(one.is_place for one in self._group) else self._group
        return None if self._is_in_movable(group) else group or None

    def _changed(self, state: str) -> Sequence[Item] | None:
        """What "it" is that is brought into a state; None where two things could be.

        What things were put into is closed and switched on, rather than what was put there.
        """
        domain = self._domain
        if state in domain.openings and self._opened is not None:
            return [self._opened]
        things = [one for one in self._group if domain.may_be(one.noun.kind, one.noun.name, state)]
        place, source = self._place, self._taken_from.thing if self._taken_from else None
        if isinstance(source, Noun) and domain.may_be(source.kind, source.name, state):
            # "take the drum out of the chest and close it"
            return None
        fits = place is not None and domain.may_be(place.noun.kind, place.noun.name, state)
        if place is None or not fits or place in things:
            is_one = len(things) == 1 or state not in domain.openings | domain.switchings
            return None if self._is_in_movable(things) or not is_one else tuple(things) or None
        opens = domain.states.get(('open',)) == state
        # Of several things that were put there, none is "it".
        is_place = place.into or len(self._group) > 1 or any(one.count != 1 for one in self._group)
        if is_place and not opens and state in domain.openings | domain.switchings:
            return [place]
        return None if self._group else [place]

    def _of_sort(self, pronoun: Pronoun) -> Sequence[Item] | None:
        sorts = {one.noun.name for one in self._group}
        if len(sorts) != 1:
            return None
        first = self._group[0]
        count = max(1, pronoun.count)
        rest = pronoun.reference is Reference.REST_OF_SORT
        if rest and pronoun.count == ALL and first.count == 1:
            return None
        same = (one for one in self._items if one.noun.name == first.noun.name and one.count > 1)
        whole = next(same, None)
        if rest and whole is None:
            if any(one.noun.name not in sorts for one in self._named_together):
                return None
            if first.count != ALL and first.noun.definite:
                return None
            count = ALL if first.count == ALL else count
        self._use(first.number)
        if whole is not None:
            self._use(whole.number)
            self._split[whole.number] = self._split.get(whole.number, 0) + count
            if rest:
                used = sum(max(1, one.count) for one in self._group if one.number != whole.number)
                count = max(1, whole.count - used)
        # What was taken together is put to several places.
        for wish in self._wishes:
            if wish.is_of(whole) and wish.condition.relation is Relation.HOLDING:
                wish.on_the_way = True
        self._count += 1
        noun = replace(first.noun, count=count, states=(), inside=(), place=None)
        item = Item(noun, self._count, count)
        self._items.append(item)
        return [item]


def _added_up(items: Sequence[Item]) -> tuple[Item, ...]:
    """Items of one list; of two of one name, both together: "an drum and another drum"."""
    found: list[Item] = []
    for item in items:
        same = next((k for k, one in enumerate(found) if one.noun.text == item.noun.text), None)
        if same is None or found[same].number == item.number:
            found.append(item)
        else:
            both = found[same].count + item.count if item.count and found[same].count else ALL
            found[same] = replace(found[same], count=both)
    return tuple(found)


def _added(wishes: Sequence[_Wish]) -> tuple[Condition, ...]:
    """Conditions of wishes; of equal ones on "another" thing, the numbers together."""
    found: dict[tuple[str, ...], list[_Wish]] = {}
    for one in wishes:
        condition = one.condition
        where = condition.where or _where(one, wishes)
        key = (
            condition.relation.value, condition.subject, condition.value, where, condition.being,
        )  # fmt: skip
        found.setdefault(key, []).append(one)
    told = []
    for same in found.values():
        number = same[0].condition.count
        for one in same[1:]:
            if one.item.noun.other and number and one.condition.count:
                number += one.condition.count
        where = same[0].condition.where or _where(same[0], wishes)
        told.append(replace(same[0].condition, count=number, where=where))
    return tuple(told)


def _where(wish: _Wish, wishes: Sequence[_Wish]) -> str:
    """The place that tells the things of a state from others of their name that are put elsewhere:
    "a crate on the rack and a sealed crate on the dock"; '' where nothing has to.
    """
    if not wish.is_state:
        return ''
    own, others = '', set()
    for one in wishes:
        condition = one.condition
        if condition.relation is Relation.IN and condition.subject == wish.condition.subject:
            if one.is_of(wish.item):
                own = condition.value
            else:
                others.add(condition.value)
    return own if others - {own} else ''
