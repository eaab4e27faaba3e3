"""The skills of one server: their texts taken apart by its templates, and what names stand for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from itertools import product

from reactree_core.exclusive_states import exclusive_states
from reactree_core.observation import Vocabulary
from reactree_core.skill_types import (
    class_and_number,
    Effect,
    ONLY_HAND_FREE,
    plain_name,
    read_effect,
    Relation,
    SkillKind,
    SkillType,
    SlotType,
    sorts_of,
    Treatment,
)

#: The need of a free hand, as robot files write it ("left hand free" for a hand with a name).
HANDS_FREE = 'hands free'
_ANY_HAND = (HANDS_FREE, ONLY_HAND_FREE)
#: Texts whose parts are remembered.
_KEPT_TEXTS = 65_536


class Sort(Enum):
    """What a name stands for."""

    THING = 'thing'
    PLACE = 'place'
    REGION = 'region'
    OTHER = 'name'


@dataclass(frozen=True, slots=True)
class Skill:
    """A grounded skill taken apart, e.g. `load crate 1 onto truck 2`.

    :param values: of its slots, in order. :param names: those that are names, written plainly.
    """

    text: str
    type: SkillType
    values: tuple[str, ...] = ()
    names: tuple[str, ...] = ()

    @property
    def kind(self) -> SkillKind:
        """What it does."""
        return self.type.kind

    @property
    def target(self) -> str:
        """The first name in it; '' for none."""
        return self.names[0] if self.names else ''

    @property
    def destination(self) -> str:
        """The second name in it; '' for none."""
        return self.names[1] if len(self.names) > 1 else ''

    @property
    def inverse(self) -> str:
        """Text of the skill that takes it back; '' where nothing does."""
        text = self.type.inverse
        for slot, value in zip(self.type.slots, self.values, strict=True):
            text = text.replace(slot.text, value)
        return text

    @property
    def verb(self) -> str:
        """Its words before the first name."""
        return self.type.verb

    @property
    def misfits(self) -> bool:
        """Whether something in it does not fit its slot, gaps apart."""
        pairs = zip(self.type.slots, self.values, strict=True)
        return any(value != slot.text and bool(slot.objection(value)) for slot, value in pairs)

    @property
    def has_gap(self) -> bool:
        """Whether somebody is still to write a number or a text in it."""
        return any(value == slot.text for value, slot in zip(self.values, self.type.slots))  # noqa: B905

    def leaves_open(self, other: Skill) -> bool:
        """Whether another skill is this one with its gaps filled."""
        slots = zip(self.type.slots, self.values, other.values)  # noqa: B905
        return self.type == other.type and all(
            value in (slot.text, filled) for slot, value, filled in slots
        )

    def effects(self) -> tuple[Effect, ...]:
        """What holds afterwards, with its names in the slots."""
        named = self.by_slot()
        return tuple(
            Effect(
                one.relation,
                named.get(one.subject, one.subject),
                named.get(one.value, one.value),
                one.holds,
            )
            for one in self.type.facts
        )

    def treatments(self) -> tuple[Treatment, ...]:
        """What becomes of all that is in a place, with its names in the slots."""
        named = self.by_slot()
        return tuple(
            told for one in self.type.treatments if (told := one.bound(named)) is not None
        )

    def by_slot(self) -> dict[str, str]:
        """Its values by the texts of their slots, names written plainly."""
        slots = zip(self.type.slots, self.values, strict=True)
        return {slot.text: plain_name(value) for slot, value in slots}


def counted_as(skill: Skill) -> Iterator[str]:
    """Texts of which a skill that was done is one: `scan cup 1` is `scan cup`, too."""
    slots = zip(skill.type.slots, skill.values, strict=True)
    choices = [sorts_of(value) if slot.type.is_name else (value,) for slot, value in slots]
    yield from dict.fromkeys((skill.text, *map(skill.type.filled, product(*choices))))


def names_in(skill_type: SkillType, values: tuple[str, ...]) -> tuple[str, ...]:
    """Those of the values of a skill that are names, written plainly."""
    slots = zip(skill_type.slots, values, strict=True)
    return tuple(plain_name(value) for slot, value in slots if slot.type.is_name)


def needed_facts(one: SkillType) -> tuple[Effect, ...]:
    """Facts that a skill's declared needs name, each of their alternatives."""
    parts = (part for need in one.needs for part in need.split(' or '))
    return tuple(fact for part in parts if (fact := read_effect(part)) is not None)


def hand_of(one: SkillType) -> str:
    """Name of the hand in which a skill leaves what it takes: the one that it needs to be free.

    '' for a robot without named grippers, and for a skill that takes nothing.
    """
    takes = any(fact.relation is Relation.HOLDING and fact.holds for fact in one.facts)
    named = (need.removesuffix(' free') for need in one.needs if need.endswith(' free'))
    found = [hand for hand in named if f'{hand} free' not in _ANY_HAND]
    return found[0] if takes and len(found) == 1 else ''


def hand_with(skill: Skill, name: str) -> str:
    """Name of the hand that a skill needs to hold a thing; '' where it needs none by name."""
    slots = skill.by_slot()
    for need in skill.type.needs:
        fact = read_effect(need)
        if fact is not None and fact.relation is Relation.HOLDING and fact.holds:
            held, _, hand = fact.value.partition(' in ')
            if hand and slots.get(held, held) == name:
                return hand
    return ''


class Skills:
    """The skills of one server, taken apart by its templates, and what its names stand for."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.types = vocabulary.skills
        #: Fixed beginnings of templates, longest first.
        self.verbs = tuple(
            sorted({one.verb for one in self.types} - {''}, key=lambda verb: (-len(verb), verb))
        )
        self._parsed: dict[str, Skill | None] = {}
        #: Number and type by the text before the first slot, and the lengths of such texts: of
        #: thousands of templates a skill is compared with those that it begins like.
        self._by_begin: dict[str, list[tuple[int, SkillType]]] = {}
        for number, one in enumerate(self.types):
            self._by_begin.setdefault(one.begin, []).append((number, one))
        self._lengths = sorted(set(map(len, self._by_begin)))
        self.rooms = tuple(map(plain_name, vocabulary.rooms))
        self._sorts: dict[str, Sort] = {}
        self._classes: dict[str, str] = {}
        self._known: dict[str, Sort | None] = {}
        self._learned: set[str] = set()
        #: Names -> how the server writes them, where that is not plainly: `crate (1)`.
        self._written: dict[str, str] = {}
        for sort, names in (
            (Sort.REGION, [class_and_number(room)[0] for room in self.rooms]),
            (Sort.PLACE, vocabulary.place_classes),
            (Sort.THING, vocabulary.object_classes),
            (Sort.OTHER, vocabulary.other_classes),
        ):
            for name in names:
                self._sorts.setdefault(name.casefold(), sort)
        held = Relation.HOLDING
        #: Whether some skill leaves the robot holding something.
        self.can_hold = any(f.relation is held and f.holds for t in self.types for f in t.facts)
        #: Names of slots in which things are carried.
        self._carried = {
            one.slots[0].name
            for one in self.of_kind(SkillKind.TAKE, SkillKind.PUT)
            if one.slots and one.slots[0].type is SlotType.NAME
        }
        #: Words of states of which a thing has one at a time, by each of them.
        self._rivals = dict(exclusive_states(self.types))

    def of_kind(self, *kinds: SkillKind) -> tuple[SkillType, ...]:
        """Skill types that do this."""
        return tuple(one for one in self.types if one.kind in kinds)

    def of_verb(self, verb: str) -> tuple[SkillType, ...]:
        """Skill types that begin with these words."""
        return tuple(one for one in self.types if one.verb == verb)

    def makers_of(self, relation: Relation, state: str = '') -> tuple[SkillType, ...]:
        """Skill types after which such a fact holds. :param state: of a fact IS."""
        return tuple(
            one
            for one in self.types
            if any(
                fact.relation is relation
                and fact.holds
                and (relation is not Relation.IS or fact.value == state)
                for fact in one.facts
            )
        )

    def states_after(self, *kinds: SkillKind) -> frozenset[str]:
        """States in which skills of these kinds leave a thing, e.g. 'open'."""
        return frozenset(
            fact.value
            for one in self.of_kind(*kinds)
            for fact in one.facts
            if fact.relation is Relation.IS and fact.holds
        )

    def parse(self, text: str) -> Skill | None:
        """A skill taken apart; None when it is of no template."""
        if text not in self._parsed:
            if len(self._parsed) > _KEPT_TEXTS:
                self._parsed.clear()
            self._parsed[text] = self._best(text)
        return self._parsed[text]

    def parse_all(self, texts: Iterable[str]) -> list[Skill]:
        """Those of some texts that are of a template."""
        return [skill for text in texts if (skill := self.parse(text)) is not None]

    def fitting(self, texts: tuple[str, ...]) -> tuple[str, ...]:
        """Those of a server's texts that hold in each slot what it declares to fit there."""
        if not any(slot.is_narrow for one in self.types for slot in one.slots):
            return texts
        parsed = ((text, self.parse(text)) for text in texts)
        return tuple(text for text, skill in parsed if skill is None or not skill.misfits)

    def _best(self, text: str) -> Skill | None:
        best: tuple[int, int, int] | None = None
        found: Skill | None = None
        begins = (text[:length] for length in self._lengths if length <= len(text))
        like = [one for begin in begins for one in self._by_begin.get(begin, ())]
        for _, one in sorted(like, key=lambda numbered: numbered[0]):
            for values in one.splits(text):
                # Of two that fit alike, the one that leaves less of the text to its slots.
                rank = self._fit(one, values), len(one.verb), -sum(map(len, values))
                if best is None or rank > best:
                    best, found = rank, self.filled(one, values, text)
        return found

    def _fit(self, skill_type: SkillType, values: tuple[str, ...]) -> int:
        fit = 0
        for slot, value in zip(skill_type.slots, values, strict=True):
            if value == slot.text:
                fit += 2
            elif slot.type.is_name:
                sort = self.sort(value)
                fits = sort is not None and sort.value == slot.type.value
                fit += 2 if fits else 1 if sort is not None and slot.type is SlotType.NAME else -1
        return fit

    def fixed_names(self) -> Iterator[str]:
        """Names that templates tell and that no slot stands for: "airlock" of "open airlock"."""
        for one in self.types:
            slots = {slot.text for slot in one.slots}
            for fact in one.facts:
                if fact.relation is Relation.IS and self.sort(fact.subject) is not None:
                    if fact.subject not in slots:
                        yield fact.subject

    def know_states_of(self, other: Skills) -> None:
        """Know of more skills which states exclude each other: of those of the whole team."""
        for word, others in other._rivals.items():
            self._rivals[word] = self._rivals.get(word, frozenset()) | others

    def changers(self, state: str, so: bool) -> list[tuple[SkillType, Effect]]:
        """Skill types that bring a state about or end it, and the effect by which they do.

        :param so: whether it holds afterwards.
        """
        return [
            (one, fact)
            for one in self.types
            for fact in one.facts
            if fact.relation is Relation.IS
            and (
                (fact.value, fact.holds) == (state, so)
                or (not so and fact.holds and self.excludes(fact.value, state))
            )
        ]

    def treating(self, state: str) -> list[tuple[SkillType, Treatment]]:
        """Skill types that bring all that is in a place into a state, and how."""
        return [
            (one, told) for one in self.types for told in one.treatments if told.state == state
        ]

    def excluded_by(self, state: str) -> frozenset[str]:
        """States that a thing leaves as it comes into one."""
        return self._rivals.get(state, frozenset())

    def excludes(self, state: str, other: str) -> bool:
        """Whether a thing cannot be in both states."""
        return other in self.excluded_by(state)

    def sort(self, name: str) -> Sort | None:
        """What a name, with its number or without, stands for; None where nobody has told."""
        # Asked of every name in every skill on offer.
        if name not in self._known:
            self._known[name] = self._sorts.get(self.class_of(name).casefold())
        return self._known[name]

    def class_of(self, name: str) -> str:
        """The class of a name: without its number, or the known class that it begins with."""
        found = self._classes.get(name)
        if found is None:
            # `reel A-1` is a reel where there are reels, also where it is declared itself.
            found = known = sorts_of(name)[-1]
            if known.casefold() not in self._sorts:
                found = known = class_and_number(name)[0]
            while known.casefold() not in self._sorts and ' ' in known:
                known = known.rpartition(' ')[0]
            if known.casefold() in self._sorts:
                found = known
            self._classes[name] = found
        return found

    def is_named(self, name: str, subject: str) -> bool:
        """Whether a thing is what a class, or a class with a number, means."""
        wanted = subject.casefold()
        return name.casefold() == wanted or self.class_of(name).casefold() == wanted

    def is_of_sort(self, name: str, sort: str) -> bool:
        """Whether a name says that it is of a sort: a tool rack is a rack; '': of any."""
        kind = f' {self.class_of(name)}'.casefold()
        return not sort or kind.endswith(f' {sort}'.casefold()) or self.is_named(name, sort)

    def add(self, name: str, sort: Sort) -> None:
        """Know what a class stands for; what was told before stays."""
        key = class_and_number(name)[0].casefold()
        if self._sorts.get(key, Sort.OTHER) is Sort.OTHER and sort is not self._sorts.get(key):
            self._sorts[key] = sort
            for kept in (self._classes, self._known, self._parsed, self._learned):
                kept.clear()

    def learn(self, texts: Iterable[str]) -> None:
        """Know the names in skills of which the server has told nothing else."""
        for text in texts:
            if text in self._learned:
                continue
            skill = self.parse(text)
            self._learned.add(text)
            if skill is None:
                continue
            for slot, value in zip(skill.type.slots, skill.values, strict=True):
                if slot.type.is_name and value != slot.text and self.sort(value) is None:
                    self.add(plain_name(value), self._usual(slot.type, slot.name))

    def _usual(self, slot: SlotType, name: str) -> Sort:
        if slot is SlotType.NAME and name in self._carried:
            return Sort.THING
        return next((sort for sort in Sort if sort.value == slot.value), Sort.OTHER)

    def fits(self, skill_type: SkillType, index: int, name: str) -> bool:
        """Whether a name may stand in a slot, as far as that is known.

        A slot that bears the name of a class takes that class, and its kinds: `<knife>` takes a
        "butter knife".
        """
        slot = skill_type.slots[index]
        if not slot.type.is_name:
            return False
        if slot.classes:
            return slot.may_name(name)
        if slot.name.casefold() in self._sorts:
            return self.class_of(name).endswith(slot.name)
        sort = self.sort(name)
        if slot.type is SlotType.NAME:
            carries = skill_type.kind in (SkillKind.TAKE, SkillKind.PUT)
            if carries and slot.name in self._carried:
                return sort is Sort.THING
            return sort is not Sort.REGION
        return sort in (None, Sort.OTHER) or sort.value == slot.type.value

    def filled(self, skill_type: SkillType, values: tuple[str, ...], text: str = '') -> Skill:
        """A skill of a type. :param text: '' writes it as the server would."""
        names = names_in(skill_type, values)
        if text:
            self._written.update(
                (plain_name(value), value) for value in values if value.endswith(')')
            )
        else:
            text = skill_type.filled([self._written.get(value, value) for value in values])
        return Skill(text, skill_type, values, names)
