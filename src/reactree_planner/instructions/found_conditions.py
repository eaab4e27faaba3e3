"""The conditions that are read from a text, merged."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import replace

from reactree_core.skill_types import class_and_number
from reactree_core.skill_types import Relation
from reactree_planner.instructions.condition_words import THEN
from reactree_planner.instructions.condition_words import Words
from reactree_planner.instructions.conditions import ALL
from reactree_planner.instructions.conditions import Condition
from reactree_planner.instructions.named_text import Item
from reactree_planner.instructions.named_text import NamedText
from reactree_planner.instructions.names import Mention
from reactree_planner.instructions.told_places import is_done_after
from reactree_planner.instructions.told_places import is_several

_MOST = 999


@dataclass(frozen=True, slots=True)
class Found:
    """A condition as it was read.

    :param item: its things; None where they are not named. :param place: index of the word behind
        the name of its place.
    """

    condition: Condition
    item: Item | None = None
    place: int = 0

    @property
    def is_new(self) -> bool:
        """Whether it is about others than those before: "another crate"."""
        return self.item is not None and self.item.is_new


class FoundConditions:
    """Collects conditions as they are read.

    :param text: from which they are read. :param domain: whose states exclude each other.
    """

    def __init__(self, text: NamedText, domain: Words) -> None:
        self._text = text
        self._domain = domain
        self.all: list[Found] = []
        #: What only a verb of taking says; dropped where more is said of the thing.
        self.held: list[Condition] = []
        self.moved_to = ''
        #: Classes that something else happens to, and places that only hold them.
        self.handled: set[str] = set()
        self.used_up: set[str] = set()
        #: Classes of things that the text names.
        self.named: set[str] = set()
        self.place_of: dict[str, Mention] = {}
        #: What was told in words from which no condition is certain, as the text tells it.
        self.unread: list[str] = []

    def note(self, condition: Condition, item: Item | None = None, place: int = 0) -> None:
        """Take one in. :param item: its things. :param place: index behind that of its place."""
        self.all.append(Found(condition, item, place))

    def note_state(self, group: Sequence[Item], state: str) -> None:
        """Things shall be in a state."""
        for item in group:
            for told in (*item.states, state):
                self.note(Condition(Relation.IS, item.subject, told, item.count), item)

    def place(self, group: Sequence[Item], place: Mention, is_listed: bool) -> None:
        """Things shall be at a place.

        :param is_listed: without a verb, where a number behind a name is how many there shall be.
        """
        for item in group:
            if item.is_place or item.subject == place.text:
                continue
            if is_listed and item.mention.instance and not item.told:
                # "crates 2, barrels 3 -> truck"
                mention = replace(item.mention, instance=None)
                item = replace(item, mention=mention, count=item.mention.instance)
            self.handled.update((item.mention.name, place.name))
            self.place_of[item.mention.name] = place
            if is_several(self._text, place) or self._are_left(item, place):
                # "one crate on each truck" says not on how many, nor "all others" which.
                self.unread.append(item.subject)
                continue
            there = place.text
            self.note(Condition(Relation.IN, item.subject, there, item.count), item, place.end)
            for state in item.states:
                self.note(Condition(Relation.IS, item.subject, state, item.count, there), item)

    def _are_left(self, item: Item, place: Mention) -> bool:
        """Whether all things are meant but those that shall be elsewhere."""
        return item.count == ALL and any(
            one.condition.relation is Relation.IN
            and one.condition.subject == item.subject
            and one.condition.value != place.text
            and one.condition.count != ALL
            for one in self.all
        )

    def left_out(self) -> tuple[str, ...]:
        """Things that the text names and of which nothing, or not all, was read."""
        told = {class_and_number(one.condition.subject)[0] for one in self.all}
        told |= {class_and_number(one.subject)[0] for one in self.held}
        told |= {class_and_number(one.condition.value)[0] for one in self.all}
        left = sorted(self.named - told - self.used_up - self.handled)
        return tuple(dict.fromkeys((*self.unread, *left)))

    def move_since(self, first: int, place: str) -> None:
        """Things that shall be somewhere by what was noted since then shall be at this place."""
        self.all[first:] = [_moved(one, place) for one in self.all[first:]]

    def place_beside(self, first: int, place: Mention, other: Mention, is_each: bool) -> None:
        """Things that shall be at a place by what was noted since then shall be at one more, as
        many as there: at that one alone where "then" is told, at the first for "or".

        :param is_each: whether "each" is told of the things.
        """
        between = self._text.words[place.end : other.start]
        items = [one.item for one in self.all[first:] if one.condition.relation is Relation.IN]
        things = [item for item in items if item is not None]
        if not THEN.isdisjoint(between):
            self.move_since(first, other.text)
        elif is_each or all(item.is_new and item.count == 1 for item in things):
            if 'or' not in between:
                self.place(list(dict.fromkeys(things)), other, False)
        elif 'or' not in between:
            # "two crates in bay 1 and bay 2": two in each, or one?
            self.unread.extend(item.subject for item in things)
            del self.all[first:]

    def merged(self, ends_moving: bool) -> tuple[Condition, ...]:
        """All of them, each once, in the order of the text.

        :param ends_moving: whether the text ends with where the robot shall go.
        """
        found = [
            one
            for place, one in enumerate(self.all)
            if not self._is_on_the_way(one, self.all[place + 1 :])
        ]
        merged = _once(_tied(_once(_with_places(found))))
        more = {one.subject for one in merged.values()} | self.handled | self.used_up
        for condition in self.held:
            if condition.subject not in more:
                merged.setdefault(_key(condition), condition)
        used = {
            key
            for key, one in merged.items()
            if one.relation is Relation.HOLDING and one.subject in self.used_up
        }
        lasting = tuple(self._lasting([one for key, one in merged.items() if key not in used]))
        if self.moved_to and self.moved_to not in {one.value for one in lasting}:
            if not lasting or ends_moving:
                return (*lasting, Condition(Relation.AT, '', self.moved_to))
        return lasting

    def _is_on_the_way(self, found: Found, later: Sequence[Found]) -> bool:
        """Whether the same thing is put somewhere else later, or its state undone: "in the oven,
        then on the table".
        """
        one = found.condition
        if one.relation not in (Relation.IN, Relation.IS) or one.count != 1:
            return False
        return any(
            other.condition
            == replace(one, value=other.condition.value, where=other.condition.where)
            and self._ends(one, other.condition)
            and not other.is_new
            and (one.is_numbered or self._comes_after(found, other))
            for other in later
        )

    def _ends(self, one: Condition, other: Condition) -> bool:
        """Whether a thing that is as another condition wants it is no more as this one does."""
        if one.relation is Relation.IN:
            return other.value != one.value
        return one.value in self._domain.undoes.get(other.value, ())

    def _comes_after(self, one: Found, other: Found) -> bool:
        """Whether something is done with a thing, and then something else with the same."""
        if one.item is None or other.item is None:
            return True
        return is_done_after(self._text, one.place, one.item.mention, other.item.mention)

    def _lasting(self, found: list[Condition]) -> Iterator[Condition]:
        """Without what only leads to another: what is opened to get at a thing; of two states of
        one thing the later stands.
        """
        pairs = (self._domain.opening, self._domain.switching)
        opened = self._domain.states.get('open', '')
        for place, one in enumerate(found):
            if one.relation is Relation.IS:
                if one.value == opened and class_and_number(one.subject)[0] in self.handled:
                    continue
                if any(
                    one.value in pair and other.subject == one.subject and other.value in pair
                    for pair in pairs
                    for other in found[place + 1 :]
                ):
                    continue
            yield one


_Key = tuple[Relation, str, str, str]


def _key(one: Condition) -> _Key:
    return one.relation, one.subject, one.value, one.where


def _moved(found: Found, place: str) -> Found:
    """What is found, of things that shall be at another place."""
    one = found.condition
    if one.relation is Relation.IN:
        return replace(found, condition=replace(one, value=place))
    return replace(found, condition=replace(one, where=one.where and place))


def _once(found: Iterable[tuple[Condition, bool]]) -> dict[_Key, Condition]:
    """Each once, in order; numbers of things that are others than those before add up."""
    merged: dict[_Key, Condition] = {}
    for condition, is_new in found:
        before = merged.get(_key(condition))
        if before is None:
            merged[_key(condition)] = condition
            continue
        count = max(before.count, condition.count)
        if ALL in (before.count, condition.count):
            count = ALL
        elif is_new and not condition.is_numbered and (
            condition.relation is Relation.IN or condition.where
        ):  # fmt: skip
            count = min(before.count + condition.count, _MOST)
        merged[_key(condition)] = replace(before, count=count)
    return merged


def _with_places(found: Sequence[Found]) -> Iterator[tuple[Condition, bool]]:
    """Conditions with whether they are about others; states that are told apart from a place with
    where the text puts their things.
    """
    told: set[tuple[Condition, Item]] = set()
    for at, one in enumerate(found):
        condition, is_new = one.condition, one.is_new
        placed: tuple[Condition, ...] = ()
        if condition.relation is Relation.IS and not condition.where:
            placed = _places_of(found, at)
        for there in placed:
            count = min(condition.count, there.count)
            yield replace(condition, where=there.value, count=count), False
        if placed and sum(there.count for there in placed) >= condition.count:
            continue
        if one.item is not None and condition.relation is Relation.IS:
            # The same things may be told to be so twice.
            is_new &= (condition, one.item) not in told
            told.add((condition, one.item))
        yield condition, is_new


def _places_of(found: Sequence[Found], at: int) -> tuple[Condition, ...]:
    """Where the things of a state shall be: what pronouns for them tell; else where such things
    were put before, or are put behind, and not others like them.
    """
    one = found[at]
    put = [other for other in found if other.condition.relation is Relation.IN]
    same = [other.condition for other in put if _is_same(one, other)]
    if same:
        return tuple({other.value: other for other in same}.values())
    before = [] if one.is_new else reversed(found[:at])
    wanted = replace(one.condition, relation=Relation.IN)
    for other in (*before, *(other for other in found[at:] if not other.is_new)):
        if replace(other.condition, value=wanted.value) == wanted:
            return (other.condition,)
    return ()


def _is_same(one: Found, other: Found) -> bool:
    """Whether two are about the same words for some things, but for "all"."""
    if (
        one.item is None
        or other.item is None
        or ALL in (one.condition.count, other.condition.count)
    ):
        return False
    return one.item.mention == other.item.mention


def _tied(merged: dict[_Key, Condition]) -> Iterator[tuple[Condition, bool]]:
    """States with the place of their things only where the task wants others of them elsewhere, or
    more of them there.
    """
    places: dict[str, list[Condition]] = {}
    for one in merged.values():
        if one.relation is Relation.IN:
            places.setdefault(one.subject, []).append(one)
    for one in merged.values():
        wanted = places.get(one.subject, [])
        there = any(other.value == one.where for other in wanted)
        alone = len(wanted) == 1 and wanted[0].count == one.count and not _differs(one, merged)
        if one.where and (alone or not there or one.count == ALL):
            one = replace(one, where='')
        yield one, False


def _differs(one: Condition, merged: dict[_Key, Condition]) -> bool:
    """Whether as many other things like those of a state shall be in it too."""
    state = one.relation, one.subject, one.value
    return any(
        (other.relation, other.subject, other.value) == state and other.count != one.count
        for other in merged.values()
    )
