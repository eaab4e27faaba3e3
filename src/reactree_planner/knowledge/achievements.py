"""What the skills of a run have brought about, as far as nothing has undone it since."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from reactree_core.observation import ObjectFact
from reactree_core.skill_types import CARRYING, plain_name, Relation, SkillKind
from reactree_planner.knowledge.skills import Skill, SkillBook

#: Kinds whose effects on where things are the belief follows itself.
_FOLLOWED = (SkillKind.MOVE, *CARRYING)
#: What is so of a thing: the thing, and the place or the word of a state.
_Told = tuple[Relation, str, str]


class Achievements:
    """Skills that have succeeded, and what is so of things by what they tell of their effects.

    A later skill that denies an effect, takes it back or puts the thing elsewhere undoes it; so
    does a later fact, where facts show such a thing.

    :param skills: of the skill server.
    """

    def __init__(self, skills: SkillBook) -> None:
        self._skills = skills
        self._done: dict[str, Skill] = {}
        #: Whether it is so, by the last skill that tells it.
        self._so: dict[_Told, bool] = {}
        #: Words of states that facts of this run tell.
        self._words: set[str] = set()

    @property
    def skills(self) -> tuple[Skill, ...]:
        """Skills that have succeeded and were not taken back since, the newest last."""
        return tuple(self._done.values())

    def stands(self, skill: Skill) -> bool:
        """Whether nothing has undone what a skill of the run has brought about."""
        return not any(
            relation is not Relation.HOLDING and self.denies(relation, thing, value)
            for relation, thing, value in _effects(skill, True)
        )

    def of(self, relation: Relation) -> Iterator[tuple[str, str]]:
        """Things, and the places or words of states that skills have brought them to."""
        for (kind, thing, value), so in self._so.items():
            if so and kind is relation:
                yield thing, value

    def denies(self, relation: Relation, thing: str, value: str) -> bool:
        """Whether a skill has undone it, and no fact since says that it is so."""
        return self._so.get((relation, thing, value)) is False

    def note(self, skill: Skill) -> None:
        """Take note of a skill that has succeeded."""
        back = self._skills.parse(skill.inverse) if skill.inverse else None
        self._done.pop(skill.inverse, None)
        self._done.pop(skill.text, None)
        self._done[skill.text] = skill
        brought = tuple(_effects(skill, True))
        undone = dict.fromkeys(_effects(skill, False))
        if back is not None:
            undone |= dict.fromkeys(_effects(back, True))
        moved = {thing for relation, thing, _ in brought if relation is Relation.IN}
        if skill.kind in CARRYING:
            moved.add(skill.target)
        for fact in self._so:
            if fact[0] is Relation.IN and fact[1] in moved:
                undone[fact] = None
        self._so |= dict.fromkeys(undone, False)
        for fact in brought:
            if fact[0] is not Relation.IN or skill.kind not in _FOLLOWED:
                self._so[fact] = True

    def forget(self, thing: str, place: str) -> None:
        """Let a look at a place overrule that a thing was brought there."""
        self._so.pop((Relation.IN, thing, place), None)

    def correct(
        self, facts: Sequence[ObjectFact], holders: Callable[[str], tuple[str, ...]] | None
    ) -> None:
        """Let newer facts overrule what skills have reported.

        :param holders: in what a place is itself, from the inside; None where facts only show what
            things are near.
        """
        self._words.update(word for fact in facts for word in _states(fact))
        if not self._so:
            return
        known = {fact.name: fact for fact in facts if fact.state or fact.receptacle}
        for effect, so in tuple(self._so.items()):
            relation, thing, value = effect
            fact = known.get(thing)
            if fact is None:
                continue
            if relation is Relation.IS:
                overruled = value in self._words and so != (value in _states(fact))
            elif relation is Relation.IN and holders is not None and fact.receptacle:
                overruled = so != (fact.receptacle in (value, *holders(value)))
            else:
                continue
            if overruled:
                del self._so[effect]


def _states(fact: ObjectFact) -> list[str]:
    return fact.state.split(', ') if fact.state else []


def _effects(skill: Skill, holds: bool) -> Iterator[_Told]:
    """What a skill brings about, or undoes, of things."""
    slots = zip(skill.type.slots, skill.values, strict=True)
    values = {slot.text: plain_name(value) for slot, value in slots}
    for effect in skill.type.facts:
        value = values.get(effect.value, effect.value)
        if effect.holds is not holds:
            continue
        if effect.relation is Relation.HOLDING:
            yield Relation.HOLDING, value, ''
        elif effect.relation is not Relation.AT:
            yield effect.relation, values.get(effect.subject, effect.subject), value


def brought_about(skill: Skill, relation: Relation) -> Iterator[tuple[str, str]]:
    """The thing, and the place or word, of what a skill brings about."""
    return ((thing, value) for kind, thing, value in _effects(skill, True) if kind is relation)
