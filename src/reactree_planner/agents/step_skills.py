"""Skills that a written step of a plan asks for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from reactree_core.skill_types import SkillKind, SkillType, SlotType
from reactree_planner.facts.skills import Skill, Skills
from reactree_planner.reading.names import before_determiners, Named
from reactree_planner.reading.plain_words import plain_words
from reactree_planner.reading.small_words import FORBIDDING

#: Words between a thing and where it shall be.
_TO = frozenset(['in', 'into', 'inside', 'on', 'onto', 'upon', 'to'])
#: Words between two things that one verb is for.
_JOINING = frozenset(
    [
        'and',
        'then',
        'after',
        'before',
        'that',
        'next',
        'finally',
        'lastly',
        'last',
        'to',
        'the',
        'a',
        'an',
        'also',
        'first',
    ]
)


@dataclass(frozen=True, slots=True)
class AskedSkill:
    """A skill that a step asks for: a template's verb followed by known names.

    :param type: one of the skill types that begin with the verb. :param mention: its first name.
    :param others: names in its further slots, as far as the goal says them.
    :param numbers: what the step says for slots that take a number.
    """

    type: SkillType
    mention: Named
    others: tuple[Named, ...] = ()
    numbers: frozenset[str] = frozenset()

    @property
    def verb(self) -> str:
        """Its words before the first name."""
        return self.type.verb

    @property
    def kind(self) -> SkillKind:
        """What it does."""
        return self.type.kind

    @property
    def text(self) -> str:
        """As the goal has it, in the words of the template."""
        return self.type.filled([mention.text for mention in (self.mention, *self.others)])

    def asks_for(self, skill: Skill) -> bool:
        """Whether a grounded skill is what is asked."""
        if skill.verb != self.verb or not self.mention.matches(skill.target):
            return False
        if self.numbers and not all(
            self.numbers.issuperset(plain_words(value))
            for slot, value in zip(skill.type.slots, skill.values, strict=True)
            if slot.type is SlotType.NUMBER and value != slot.text
        ):
            return False
        return (
            not self.others or not skill.destination or self.others[0].matches(skill.destination)
        )


def asked_skills(text: str, mentions: tuple[Named, ...], skills: Skills) -> tuple[AskedSkill, ...]:
    """Skills that a written step names, e.g. 'go and scan crate 2' asks for `scan crate 2`.

    A verb counts for what is joined to its name, as in 'go to aisle 1, then aisle 2'. A step that
    negates something asks for nothing.
    """
    words = plain_words(text)
    if not FORBIDDING.isdisjoint(words):
        return ()
    asked: list[AskedSkill] = []
    end_before, verb_before, taken = -1, '', 0
    for place, mention in enumerate(mentions):
        if place < taken:
            continue
        begin = before_determiners(words, mention.start)
        verb = _verb_before(words, begin, skills.verbs)
        between = words[end_before:begin] if end_before >= 0 else ['']
        if not verb and verb_before and set(between) <= _JOINING:
            verb = verb_before
        if verb:
            kind, others = _best_type(skills.of_verb(verb), mentions[place:], words)
            taken = place + 1 + len(others)
            named = {index for other in others for index in range(other.start, other.end)}
            end = mentions[taken].start if taken < len(mentions) else len(words)
            numbers = frozenset(
                words[index]
                for index in range(mention.end, end)
                if index not in named and words[index].isdigit()
            )
            asked.append(AskedSkill(kind, mention, others, numbers))
        end_before, verb_before = mention.end, verb
    return tuple(asked)


def _best_type(
    types: tuple[SkillType, ...], mentions: tuple[Named, ...], words: Sequence[str]
) -> tuple[SkillType, tuple[Named, ...]]:
    """Of the types that begin with one verb, that which the words fit best; its further names."""
    found = [(kind, _further_names(kind, mentions, words)) for kind in types]
    sort = mentions[0].kind.value

    def fit(one: tuple[SkillType, tuple[Named, ...]]) -> tuple[int, bool]:
        slots = [slot for slot in one[0].slots if slot.type.is_name]
        return len(one[1]), bool(slots) and slots[0].type.value == sort

    return max(found, key=fit)


def _further_names(
    kind: SkillType, mentions: tuple[Named, ...], words: Sequence[str]
) -> tuple[Named, ...]:
    """Names in the further slots: each after the words between it and the one before."""
    found: list[Named] = []
    between = re.split(r'<[^<>]*>', kind.template)[1:-1]
    for joint, before, mention in zip(between, mentions, mentions[1:], strict=False):
        begin = before_determiners(words, mention.start)
        if words[before.end : begin] not in _ways_to_say(joint, kind):
            break
        found.append(mention)
    return tuple(found)


def _ways_to_say(joint: str, kind: SkillType) -> list[tuple[str, ...]]:
    """Words that may stand between two names. :param joint: of the template, e.g. 'in/on'."""
    ways = [plain_words(joint), *map(plain_words, joint.split('/'))]
    if kind.kind is SkillKind.PUT and all(set(way) <= _TO for way in ways):
        ways += [(word,) for word in sorted(_TO)]
    return ways


def _verb_before(words: Sequence[str], end: int, verbs: tuple[str, ...]) -> str:
    """The template's verb that ends before a word; '' for none."""
    for verb in verbs:
        own = plain_words(verb)
        if own and words[max(0, end - len(own)) : end] == own:
            return verb
    return ''
