"""A small world in which a task of the exam is played to its end."""

from __future__ import annotations

from dataclasses import replace

from reactree_core.cancellation import CancelToken
from reactree_core.observation import ObjectFact, Observation, Outcome, Progress, Vocabulary
from reactree_core.skill_types import class_and_number, SkillKind, SkillType
from reactree_planner.exam.questions import WorldQuestion


class PlayedWorld:
    """Port `SkillServer` of a question: moving, taking, putting, opening and closing.

    :param vocabulary: its skills; what they do follows from their kinds.
    """

    def __init__(self, vocabulary: Vocabulary, question: WorldQuestion) -> None:
        self._vocabulary = vocabulary
        self._question = question
        self._place = question.place
        self._things = dict(question.things)
        self._held = ''
        #: Skills that were executed, in order.
        self.done: list[str] = []

    @property
    def is_right(self) -> bool:
        """Whether all is as wanted, and nothing was done that must not be."""
        wanted = self._question.wanted.items()
        kept = all(one not in self._question.never for one in self.done)
        return kept and all(self._things.get(thing) == place for thing, place in wanted)

    def list_skills(self, cancel: CancelToken) -> tuple[Vocabulary, Observation]:
        return self._vocabulary, self.look(cancel)

    def candidate_skills(self, cancel: CancelToken) -> tuple[str, ...]:
        return self._candidates()

    def look(self, cancel: CancelToken) -> Observation:
        return self._observed(self._seen())

    def execute(self, sequence: int, node_id: int, skill: str, cancel: CancelToken) -> Observation:
        if skill not in self._candidates():
            text = f'{skill}: this cannot be done here. {self._seen()}'
            return replace(self._observed(text), outcome=Outcome.PRECONDITION_FAILED, skill=skill)
        self.done.append(skill)
        kind, values = self._read(skill)
        if kind is SkillKind.MOVE:
            self._place = values[0]
        elif kind is SkillKind.TAKE:
            self._held = values[0]
            del self._things[values[0]]
        elif kind is SkillKind.PUT:
            self._things[self._held], self._held = values[1], ''
        return replace(self._observed(self._seen()), skill=skill)

    def _observed(self, text: str) -> Observation:
        facts = tuple(
            ObjectFact(*class_and_number(thing), receptacle=place)
            for thing, place in self._things.items()
            if place == self._place
        )
        return Observation(
            text,
            place=self._place,
            held=(self._held,) if self._held else (),
            admissible_skills=self._candidates(),
            facts=facts,
        )

    def progress(self, cancel: CancelToken) -> Progress | None:
        return None

    def reset(self, cancel: CancelToken) -> None:
        """A question is played once."""

    def _seen(self) -> str:
        here = [thing for thing, place in self._things.items() if place == self._place]
        seen = f'You see {", ".join(here)}.' if here else 'You see nothing that could be carried.'
        held = f' In your gripper: {self._held}.' if self._held else ''
        return f'You are at the {self._place}. {seen}{held}'

    def _candidates(self) -> tuple[str, ...]:
        here = [thing for thing, place in self._things.items() if place == self._place]
        found: list[tuple[SkillType, tuple[str, ...]]] = []
        for one in self._vocabulary.skills:
            if one.kind is SkillKind.MOVE:
                found += [(one, (p,)) for p in self._question.places if p != self._place]
            elif one.kind is SkillKind.TAKE and not self._held:
                found += [(one, (thing,)) for thing in here]
            elif one.kind is SkillKind.PUT and self._held:
                found.append((one, (self._held, self._place)))
        return tuple(sorted(_filled(one, values) for one, values in found))

    def _read(self, skill: str) -> tuple[SkillKind, tuple[str, ...]]:
        for one in self._vocabulary.skills:
            for values in one.splits(skill, True):
                return one.kind, values
        raise AssertionError(f'{skill} was offered')


def _filled(skill: SkillType, values: tuple[str, ...]) -> str:
    text = skill.template
    for slot, value in zip(skill.slots, values, strict=True):
        text = text.replace(slot.text, value, 1)
    return text
