"""The skills of one server: their texts taken apart by its templates, and what they do."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from reactree_core.observation import Vocabulary
from reactree_core.skill_types import (
    class_and_number,
    plain_name,
    Relation,
    SkillKind,
    SkillType,
    SlotType,
)
from reactree_planner.facts.skills import names_in, SkillReader, Sort
from reactree_planner.facts.skills import Skill as GroundedSkill
from reactree_planner.language.names import NameKind, Names

#: What a node does to be told where things of a class were seen begins so.
RECALL = 'recall location of '
#: Kinds by which a thing is looked for.
SEARCHING = (SkillKind.MOVE, SkillKind.OPEN)
#: What a name in a slot is, where nobody reports more of it.
_KINDS_OF_SLOTS = {
    SlotType.THING: NameKind.THING,
    SlotType.PLACE: NameKind.PLACE,
    SlotType.REGION: NameKind.REGION,
    SlotType.NAME: NameKind.OTHER,
}
_SORTS = {
    NameKind.THING: Sort.THING,
    NameKind.PLACE: Sort.PLACE,
    NameKind.REGION: Sort.REGION,
    NameKind.OTHER: Sort.OTHER,
}


@dataclass(frozen=True, slots=True)
class Skill(GroundedSkill):
    """A grounded skill taken apart, e.g. `load crate 1 onto truck 2`.

    :param name: class of its target.
    """

    name: str = ''

    @property
    def verb(self) -> str:
        """Its words before the first name."""
        return self.type.verb

    @property
    def misfits(self) -> bool:
        """Whether something in it does not fit its slot, gaps apart."""
        pairs = zip(self.type.slots, self.values, strict=True)
        return any(value != slot.text and bool(slot.objection(value)) for slot, value in pairs)


class SkillBook(SkillReader[Skill]):
    """Takes the skills of one server apart.

    :param names: of the same server; distinguish which of several ways to take a text is meant.
    """

    def __init__(self, vocabulary: Vocabulary, names: Names) -> None:
        super().__init__(vocabulary.skills)
        #: Fixed beginnings of templates, longest first.
        self.verbs = names.verbs
        self._names = names
        self._kept_with = 0
        #: Texts that were taken apart together last, with how much of names, and their skills.
        self._last_texts: tuple[str, ...] = ()
        self._last_with = -1
        self._last: tuple[Skill, ...] = ()
        #: Texts, taken apart with these names, whose own names are known.
        self._learned: set[str] = set()

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

    def sort(self, name: str) -> Sort | None:
        """What a name stands for; None where nobody has reported."""
        kind = self._names.kind(self._names.class_of(name))
        return None if kind is None else _SORTS[kind]

    def parse(self, text: str) -> Skill | None:
        """A skill taken apart; None when it is of no template."""
        if self._names.size != self._kept_with:
            self._parsed.clear()
            self._learned.clear()
            self._kept_with = self._names.size
        return super().parse(text)

    def filled(self, skill_type: SkillType, values: tuple[str, ...], text: str = '') -> Skill:
        """A skill of a type. :param text: '' writes it by the template."""
        text = text or skill_type.filled(values)
        names = names_in(skill_type, values)
        name = self._names.class_of(names[0]) if names else ''
        return Skill(text, skill_type, values, names, name)

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
        """Know the names in skills that the server has reported nothing else of."""
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
