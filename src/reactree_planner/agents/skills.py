"""The skills of one server: their texts taken apart by its templates, and what they do."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from reactree_core.observation import Vocabulary
from reactree_core.skill_types import class_and_number
from reactree_core.skill_types import plain_name
from reactree_core.skill_types import Relation
from reactree_core.skill_types import SkillKind
from reactree_core.skill_types import SkillType
from reactree_core.skill_types import SlotType
from reactree_planner.language.names import NameKind
from reactree_planner.language.names import Names

#: What a node does to be told where things of a class were seen begins so.
RECALL = 'recall location of '
#: Kinds that set a state of one thing, which another skill takes back.
STATE_KINDS = (SkillKind.OPEN, SkillKind.CLOSE, SkillKind.SWITCH_ON, SkillKind.SWITCH_OFF)
#: Kinds by which a thing is looked for.
SEARCHING = (SkillKind.MOVE, SkillKind.OPEN)
#: Kinds that leave the world as it was.
IDLE_KINDS = (SkillKind.MOVE, SkillKind.LOOK, SkillKind.ASK)
#: Texts whose parts are remembered.
_KEPT_TEXTS = 65_536
#: What a name in a slot is, where nobody tells more of it.
_KINDS_OF_SLOTS = {
    SlotType.THING: NameKind.THING,
    SlotType.PLACE: NameKind.PLACE,
    SlotType.REGION: NameKind.REGION,
    SlotType.NAME: NameKind.OTHER,
}


@dataclass(frozen=True, slots=True)
class Skill:
    """A grounded skill taken apart, e.g. `load crate 1 onto truck 2`.

    :param values: of its slots, in order. :param target: first name in it, '' for none; numbers
        are written plainly. :param name: class of that. :param destination: second name, or ''.
    """

    text: str
    type: SkillType
    values: tuple[str, ...] = ()
    target: str = ''
    name: str = ''
    destination: str = ''

    @property
    def kind(self) -> SkillKind:
        """What it does."""
        return self.type.kind

    @property
    def verb(self) -> str:
        """Its words before the first name."""
        return self.type.verb

    @property
    def inverse(self) -> str:
        """The text of what takes it back; '' where nothing does."""
        if not self.type.inverse:
            return ''
        text = self.type.inverse
        for slot, value in zip(self.type.slots, self.values, strict=True):
            text = text.replace(slot.text, value)
        return text

    @property
    def misfits(self) -> bool:
        """Whether something in it does not fit its slot, gaps apart."""
        pairs = zip(self.type.slots, self.values, strict=True)
        return any(value != slot.text and bool(slot.objection(value)) for slot, value in pairs)

    @property
    def has_gap(self) -> bool:
        """Whether the model is still to write a number or a text in it."""
        slots = self.type.slots
        return any(value == slot.text for value, slot in zip(self.values, slots, strict=True))


class SkillBook:
    """Takes the skills of one server apart.

    :param names: of the same server; tell which of several ways to take a text apart is meant.
    """

    def __init__(self, vocabulary: Vocabulary, names: Names) -> None:
        self.types = vocabulary.skills
        #: Fixed beginnings of templates, longest first.
        self.verbs = names.verbs
        self._names = names
        self._kept: dict[str, Skill | None] = {}
        self._kept_with = 0
        #: Texts that were taken apart together last, with how much of names, and their skills.
        self._last_texts: tuple[str, ...] = ()
        self._last_with = -1
        self._last: tuple[Skill, ...] = ()
        #: Texts, taken apart with these names, whose own names are known.
        self._learned: set[str] = set()
        self._by_first_word: dict[str, list[SkillType]] = {}
        for skill_type in self.types:
            fixed, slot, _ = skill_type.template.partition('<')
            # `search[<text>]` has no word of its own before its slot.
            first = fixed.split(' ')[0] if ' ' in fixed or not slot else ''
            self._by_first_word.setdefault(first, []).append(skill_type)

    def of_kind(self, *kinds: SkillKind) -> tuple[SkillType, ...]:
        """Skill types that do this."""
        return tuple(skill_type for skill_type in self.types if skill_type.kind in kinds)

    def of_verb(self, verb: str) -> tuple[SkillType, ...]:
        """Skill types that begin with these words."""
        return tuple(skill_type for skill_type in self.types if skill_type.verb == verb)

    def makers_of(self, relation: Relation, state: str = '') -> tuple[SkillType, ...]:
        """Skill types after which such a fact holds. :param state: of a fact IS."""
        return tuple(
            skill_type
            for skill_type in self.types
            if any(
                fact.relation is relation
                and fact.holds
                and (relation is not Relation.IS or fact.value == state)
                for fact in skill_type.facts
            )
        )

    def states_after(self, *kinds: SkillKind) -> set[str]:
        """States in which skills of these kinds leave a thing, e.g. 'open'."""
        return {
            fact.value
            for skill_type in self.of_kind(*kinds)
            for fact in skill_type.facts
            if fact.relation is Relation.IS and fact.holds
        }

    def parse(self, text: str) -> Skill | None:
        """A skill taken apart; None when it is of no template."""
        # Asked for every offered skill of every decision.
        if self._names.size != self._kept_with or len(self._kept) > _KEPT_TEXTS:
            self._kept.clear()
            self._learned.clear()
            self._kept_with = self._names.size
        if text not in self._kept:
            self._kept[text] = self._parsed(text)
        return self._kept[text]

    def _parsed(self, text: str) -> Skill | None:
        best: tuple[int, int, int] | None = None
        found: Skill | None = None
        # Templates that begin with a slot come last.
        for first in (text.split(' ')[0], ''):
            for skill_type in self._by_first_word.get(first, ()):
                for values in skill_type.splits(text):
                    # Of two that fit alike, the one that leaves less of the text to its slots.
                    left = sum(map(len, values))
                    rank = self._fit(skill_type, values), len(skill_type.verb), -left
                    if best is None or rank > best:
                        best, found = rank, self._skill(text, skill_type, values)
        return found

    def _fit(self, skill_type: SkillType, values: tuple[str, ...]) -> int:
        """How many slots hold a name of the sort that belongs there, less the unknown ones."""
        fit = 0
        for slot, value in zip(skill_type.slots, values, strict=True):
            if value == slot.text:
                # "tell box 2 <text>" leaves all of its text open.
                fit += 2
            elif slot.type.is_name:
                kind = self._names.kind(self._names.class_of(value))
                fits = kind is not None and kind is _KINDS_OF_SLOTS[slot.type]
                fit += 2 if fits else 1 if kind is not None and slot.type is SlotType.NAME else -1
        return fit

    def _skill(self, text: str, skill_type: SkillType, values: tuple[str, ...]) -> Skill:
        named = [
            plain_name(value)
            for slot, value in zip(skill_type.slots, values, strict=True)
            if slot.type.is_name
        ]
        target = named[0] if named else ''
        return Skill(
            text,
            skill_type,
            values,
            target,
            self._names.class_of(target) if target else '',
            named[1] if len(named) > 1 else '',
        )

    def parse_all(self, texts: Iterable[str]) -> list[Skill]:
        """Those of some texts that are of a template."""
        if not isinstance(texts, tuple):
            return [skill for text in texts if (skill := self.parse(text)) is not None]
        # Many rules ask for what is offered now.
        if texts is not self._last_texts or self._names.size != self._last_with:
            found = tuple(skill for text in texts if (skill := self.parse(text)) is not None)
            self._last_texts, self._last_with, self._last = texts, self._names.size, found
        return list(self._last)

    def fitting(self, texts: tuple[str, ...]) -> tuple[str, ...]:
        """Those of a server's texts that hold in each slot what it declares to fit there."""
        if not any(slot.is_narrow for one in self.types for slot in one.slots):
            return texts
        parsed = ((text, self.parse(text)) for text in texts)
        return tuple(text for text, skill in parsed if skill is None or not skill.misfits)

    def learn_names(self, texts: Iterable[str]) -> None:
        """Know the names in skills that the server has told nothing else of."""
        for skill in self.parse_all(texts):
            if skill.text in self._learned:
                continue
            self._learned.add(skill.text)
            for slot, value in zip(skill.type.slots, skill.values, strict=True):
                if slot.type.is_name and value != slot.text:
                    self._learn(plain_name(value), _KINDS_OF_SLOTS[slot.type])

    def _learn(self, value: str, usual: NameKind) -> None:
        name = self._names.class_of(value)
        kind = self._names.kind(name)
        if kind is None:
            self._names.add(name, usual)
        if not class_and_number(value)[1] and self._names.kind(value) is None:
            # "crate A-7" is a name of its own too.
            self._names.add(value, kind or usual)
