"""Steps that a model wrote, understood in the skill server's words (Tree-Planner appendix B.3)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from reactree_core.observation import Vocabulary
from reactree_core.ports import Embedder
from reactree_core.skill_types import CARRYING, SkillType, SlotType
from reactree_planner.agents.step_skills import asked_skills, AskedSkill
from reactree_planner.reading.plain_words import plain_words
from reactree_planner.reading.vocabulary import NameKind
from reactree_planner.runs.planner import PlannedRun
from reactree_planner.runs.run_belief import RunBelief

#: Longest line that is looked at, in characters.
_LONGEST_LINE = 200
#: What stands before a step in a list: `3.`, `-`, `Step 3:`, `Act:`.
_LIST_MARK = re.compile(r'^\s*(?:(?:step|act)?\s*\d*\s*[.:)\]*-]\s*)+', re.IGNORECASE)


def _takes_region(skill: SkillType) -> bool:
    return any(slot.type is SlotType.REGION for slot in skill.slots)


def known_steps(vocabulary: Vocabulary) -> tuple[str, ...]:
    """Every skill of one thing with every name it may have, without numbers; no place carried.

    Skills of several things are left out: there are too many of them to compare with each.
    """
    rooms = tuple(room.rpartition(' ')[0] or room for room in vocabulary.rooms)
    things = (*vocabulary.object_classes, *vocabulary.place_classes)
    texts = []
    for skill in vocabulary.skills:
        slots = skill.slots
        if not slots:
            texts.append(skill.template)
        elif len(slots) == 1:
            carries = skill.kind in CARRYING or slots[0].type is SlotType.THING
            names = vocabulary.object_classes if carries else things
            names = rooms if slots[0].type is SlotType.REGION else names
            texts += [skill.filled((name,)) for name in names if slots[0].type.is_name]
    return tuple(dict.fromkeys(texts))


def _begins_with(words: Sequence[str], beginning: Sequence[str]) -> bool:
    return bool(beginning) and words[: len(beginning)] == beginning


@dataclass(frozen=True, slots=True)
class Step:
    """A skill on a sort of thing, e.g. `scan crate`; which crate is found out at run time.

    :param text: the same for all that says the same; a number stays where one was written.
    :param asked: what the text asks for; None for a skill without a thing, and for the end.
    """

    text: str
    asked: AskedSkill | None = field(default=None, compare=False)

    @property
    def ends_plan(self) -> bool:
        """Whether it is the end of a plan and no skill."""
        return self.text == END.text


@dataclass(frozen=True, slots=True)
class WrittenStep:
    """A step and its line. :param begin: of the line in the text. :param end: after the line."""

    step: Step
    begin: int
    end: int


#: Stands at the end of every plan, as `[END]` does in the published action trees.
END = Step('done')
_END_WORDS = (('done',), ('end',))


#: Given a text and steps, the step that means the same and how similar they are, or None.
Translate = Callable[[str, Sequence[str]], tuple[str, float] | None]


def translate_nothing(text: str, steps: Sequence[str]) -> tuple[str, float] | None:
    """For runs without an encoder."""
    return None


class StepTranslator:
    """Finds the nearest step by the cosine of sentence vectors.

    :param make_embedder: called when the first text is translated; what it makes should remember
        texts, since the same steps are compared with again and again.
    :param least: a text that is less similar to every step has none, -1..1.
    """

    def __init__(self, make_embedder: Callable[[], Embedder], least: float) -> None:
        self._make_embedder = make_embedder
        self._least = least
        self._embedder: Embedder | None = None

    def nearest(self, text: str, steps: Sequence[str]) -> tuple[str, float] | None:
        """The step nearest to a text and its similarity, or None.

        :raises EncoderError: the encoder does not answer.
        """
        if not steps:
            return None
        if self._embedder is None:
            self._embedder = self._make_embedder()
        similarities = self._embedder.embed(steps) @ self._embedder.embed([text])[0]
        best = int(similarities.argmax())
        similarity = float(similarities[best])
        return (steps[best], similarity) if similarity >= self._least else None


class StepReader:
    """Takes lines of text for steps.

    :param belief: of the run: names and skill templates.
    :param translate: asked about what is no step in the server's words.
    """

    def __init__(self, belief: RunBelief, translate: Translate = translate_nothing) -> None:
        self._names = belief.names
        self._vocabulary = belief.vocabulary
        self._translate = translate
        self._skills = belief.skills
        self._tells_regions = any(_takes_region(skill) for skill in self._skills.types)
        self._without_thing = {
            plain_words(skill.template): skill.template
            for skill in self._skills.types
            if not skill.slots
        }

    def read(self, line: str) -> Step | None:
        """The step that a line says; None when it says none of the robot's skills."""
        matched = self.match(line)
        return matched[0] if matched is not None else None

    def match(self, line: str) -> tuple[Step, float] | None:
        """The same, and how similar what is written is to it: 1 in the server's own words."""
        bare = _LIST_MARK.sub('', line[:_LONGEST_LINE]).replace('_', ' ').strip()
        words = plain_words(bare)
        if not words:
            return None
        known = END if words in _END_WORDS else self._known(bare)
        return (known, 1.0) if known is not None else self._translated(bare)

    def _known(self, text: str) -> Step | None:
        template = self._without_thing.get(plain_words(text))
        if template is not None:
            return Step(template)
        asked = asked_skills(text, self._names.find_all(text), self._skills)
        if asked:
            return Step(asked[0].text, asked[0]) if self._may_be(asked[0]) else None
        # Numbers and texts of one's own are no known names.
        skill = self._skills.parse(text)
        free = skill is not None and any(not slot.type.is_name for slot in skill.type.slots)
        return Step(text) if free else None

    def _may_be(self, asked: AskedSkill) -> bool:
        """Format checking: regions only where a template takes one, places are not carried."""
        kind = asked.mention.kind
        if kind is NameKind.REGION and self._tells_regions:
            return any(_takes_region(skill) for skill in self._skills.of_verb(asked.verb))
        return kind in (NameKind.THING, NameKind.OTHER) or asked.kind not in CARRYING

    def _translated(self, text: str) -> tuple[Step, float] | None:
        nearest = self._translate(text, self._likely(text))
        step = self._known(nearest[0]) if nearest is not None else None
        return (step, nearest[1]) if nearest is not None and step is not None else None

    @cached_property
    def _steps(self) -> list[Step]:
        """What a text may be taken for: hundreds, of which each takes a while to read."""
        return [step for line in known_steps(self._vocabulary) if (step := self._known(line))]

    def _likely(self, text: str) -> list[str]:
        """Steps to compare a text with: what it says in known words stays as it is."""
        names = {mention.name for mention in self._names.find_all(text)}
        words = plain_words(text)
        verbs = self._skills.verbs
        verb = next((verb for verb in verbs if _begins_with(words, plain_words(verb))), None)
        steps = self._steps
        if names:
            steps = [step for step in steps if step.asked and step.asked.mention.name in names]
        if verb is not None:
            steps = [step for step in steps if step.asked and step.asked.verb == verb] or steps
        return [step.text for step in steps]

    def read_plan(self, text: str, most: int) -> tuple[Step, ...]:
        """Steps of a plan of one step a line, its end last; lines that say no step are left out.

        :param most: steps, the end not counted.
        :return: () when no line says a step.
        """
        return tuple(written.step for written in self.read_lines(text, most))

    def read_lines(self, text: str, most: int) -> tuple[WrittenStep, ...]:
        """As `read_plan`, with where each step stands; the end has what is left of the text."""
        found: list[WrittenStep] = []
        at = 0
        for line in text.splitlines(keepends=True):
            step = self.read(line)
            if step is not None and step.ends_plan:
                break
            if step is not None and len(found) < most:
                found.append(WrittenStep(step, at, at + len(line)))
            at += len(line)
        last = found[-1].end if found else 0
        return (*found, WrittenStep(END, last, len(text))) if found else ()


def step_reader(run: PlannedRun) -> StepReader:
    """A reader in the words of the run's skill server; the encoder is made when first needed."""
    if run.ports.embedder is None:
        return StepReader(run.world.belief)
    translator = StepTranslator(run.ports.embedder, run.settings.plans.least_similarity)
    return StepReader(run.world.belief, translator.nearest)
