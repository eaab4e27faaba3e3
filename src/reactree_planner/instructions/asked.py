"""Skills that a goal literally asks for."""

from __future__ import annotations

import re
from dataclasses import dataclass

from reactree_core.skill_types import SkillKind
from reactree_core.skill_types import SkillType
from reactree_core.skill_types import SlotType
from reactree_planner.agents.skills import Skill
from reactree_planner.agents.skills import SkillBook
from reactree_planner.instructions.clauses import read_clauses
from reactree_planner.instructions.clauses import Sense
from reactree_planner.instructions.names import before_determiners
from reactree_planner.instructions.names import Mention
from reactree_planner.instructions.names import PREPOSITIONS
from reactree_planner.instructions.spoken_numbers import number_of
from reactree_planner.instructions.words import gerund_of
from reactree_planner.instructions.words import word_set
from reactree_planner.instructions.words import word_spans
from reactree_planner.instructions.words import words_of

#: What begins a further clause.
_FURTHER = re.compile(r'[,;.]\s+\w|\b(?:and|then)\s', re.IGNORECASE)
#: Words between a thing and where it is to be taken.
_FROM = (PREPOSITIONS | word_set('out of off')) - word_set('into onto to')
#: Words between a thing and where it shall be.
_TO = word_set('in into inside on onto upon to')
#: Words between two things that one verb is for.
_JOINING = word_set('and then after before that next finally lastly last to the a an also first')

_PARTING = word_set('and then')
_PARTING_SIGNS = frozenset(',;.')
_FILLING = word_set('please kindly now also first next finally lastly')
_ARTICLES = word_set('the a an please now')
_PRONOUNS = word_set('it them this that these those one both there')


@dataclass(frozen=True, slots=True)
class AskedSkill:
    """A skill the goal literally asks for: a template's verb followed by known names.

    :param type: one of the skill types that begin with the verb. :param mention: its first name.
    :param others: names in its further slots, as far as the goal tells them.
    :param certain: whether it may be done without asking the model (see `clauses.Reading`).
    :param numbers: what the goal tells for slots that take a number.
    """

    type: SkillType
    mention: Mention
    others: tuple[Mention, ...] = ()
    certain: bool = True
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
            self.numbers.issuperset(words_of(value))
            for slot, value in zip(skill.type.slots, skill.values, strict=True)
            if slot.type is SlotType.NUMBER and value != slot.text
        ):
            return False
        return (
            not self.others or not skill.destination or self.others[0].matches(skill.destination)
        )


def asked_skills(
    goal: str, mentions: tuple[Mention, ...], skills: SkillBook
) -> tuple[AskedSkill, ...]:
    """Skills a goal names in words, e.g. 'go and scan crate 2' asks for `scan crate 2`.

    In the order in which the goal wants them, where it tells one. A verb counts for what is
    joined to its name, as in 'go to aisle 1, then aisle 2'.
    """
    reading = read_clauses(goal, skills.verbs)
    words = list(reading.words)
    asked: list[tuple[int, AskedSkill]] = []
    end_before, verb_before, taken = -1, '', 0
    for place, mention in enumerate(mentions):
        if place < taken:
            continue
        begin = before_determiners(words, mention.start)
        verb = _verb_before(words, begin, skills.verbs, reading.ordered)
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
            one = AskedSkill(kind, mention, others, reading.certain[mention.start], numbers)
            asked.append((reading.ranks[mention.start], one))
        end_before, verb_before = mention.end, verb
    return tuple(one for _, one in sorted(asked, key=lambda ranked: ranked[0]))


def sources(
    goal: str, mentions: tuple[Mention, ...], asked: tuple[AskedSkill, ...]
) -> tuple[Mention, ...]:
    """Names that only tell where a thing is to be taken, as in 'take the crate from aisle 1'."""
    words = words_of(goal)

    def is_source(mention: Mention, one: AskedSkill) -> bool:
        joint = words[one.mention.end : before_determiners(words, mention.start)]
        return mention in one.others or (bool(joint) and _FROM.issuperset(joint))

    taken = [one for one in asked if one.kind is SkillKind.TAKE]
    return tuple(mention for mention in mentions if any(is_source(mention, one) for one in taken))


def asked_without_names(goal: str, skills: SkillBook) -> dict[SkillType, int]:
    """Skill types without names that a goal asks for, e.g. `wake up`; index of the word behind."""
    reading = read_clauses(goal, skills.verbs)
    asked = {}
    for skill_type in skills.types:
        verb = words_of(skill_type.verb)
        if not verb or any(slot.type.is_name for slot in skill_type.slots):
            continue
        for begin in range(len(reading.words) - len(verb) + 1):
            end = begin + len(verb)
            is_plain = reading.certain[begin] and reading.senses[begin] is Sense.ASKED
            if is_plain and list(reading.words[begin:end]) == verb:
                asked[skill_type] = end
    return asked


def spoken_skill(text: str, skills: SkillBook) -> str:
    """The skill without names that a text is, word for word but for articles: "call the lift",
    "print 2 labels saying ..."; '' for none.
    """
    words = [word for word in text.strip().rstrip('.!').split() if word.lower() not in _ARTICLES]
    for skill_type in skills.types:
        if any(slot.type.is_name for slot in skill_type.slots) or not skill_type.verb:
            continue
        told = _with_digits(words) if _takes_number(skill_type) else words
        own = skill_type.verb.split()
        if [word.lower() for word in told[: len(own)]] != [word.lower() for word in own]:
            continue
        for values in skill_type.splits(' '.join([*own, *told[len(own) :]])):
            return skill_type.filled(values)
    return ''


def _takes_number(skill_type: SkillType) -> bool:
    return any(slot.type is SlotType.NUMBER for slot in skill_type.slots)


def _with_digits(words: list[str]) -> list[str]:
    """The words with the first number, if it is a word, in digits."""
    for at, word in enumerate(words):
        number = number_of([word.lower()], [])
        if number is not None:
            return [*words[:at], str(number), *words[at + 1 :]]
    return words


def asks_more(goal: str, skills: SkillBook, end: int) -> bool:
    """Whether a goal goes on, behind a word, with something that no skill is known for."""
    reading = read_clauses(goal, skills.verbs)
    left = goal[reading.spans[end - 1][1] :] if 0 < end <= len(reading.spans) else ''
    return bool(_FURTHER.search(left))


def asks_of_names_only(goal: str, mentions: tuple[Mention, ...]) -> bool:
    """Whether each part of a goal names something, or speaks of what was named.

    "put the crate on the shelf and wave" asks for more than its names tell.

    :param mentions: all names in it.
    """
    words, spans = words_of(goal), word_spans(goal)
    named = {at for one in mentions for at in range(one.start, one.end)}
    parts: list[list[int]] = [[]]
    for at, word in enumerate(words):
        gap = goal[spans[at - 1][1] : spans[at][0]] if at else ''
        if word in _PARTING or not _PARTING_SIGNS.isdisjoint(gap):
            parts.append([])
        if word not in _PARTING and word not in _FILLING:
            parts[-1].append(at)
    return all(
        not part or any(at in named or words[at] in _PRONOUNS for at in part) for part in parts
    )


def _best_type(
    types: tuple[SkillType, ...], mentions: tuple[Mention, ...], words: list[str]
) -> tuple[SkillType, tuple[Mention, ...]]:
    """Of the types that begin with one verb, that which the words fit best; its further names."""
    found = [(kind, _further_names(kind, mentions, words)) for kind in types]
    sort = mentions[0].kind.value

    def fit(one: tuple[SkillType, tuple[Mention, ...]]) -> tuple[int, bool]:
        slots = [slot for slot in one[0].slots if slot.type.is_name]
        return len(one[1]), bool(slots) and slots[0].type.value == sort

    return max(found, key=fit)


def _further_names(
    kind: SkillType, mentions: tuple[Mention, ...], words: list[str]
) -> tuple[Mention, ...]:
    """Names in the further slots: each after the words between it and the one before."""
    found: list[Mention] = []
    between = re.split(r'<[^<>]*>', kind.template)[1:-1]
    for joint, before, mention in zip(between, mentions, mentions[1:], strict=False):
        begin = before_determiners(words, mention.start)
        if words[before.end : begin] not in _ways_to_say(joint, kind):
            break
        found.append(mention)
    return tuple(found)


def _ways_to_say(joint: str, kind: SkillType) -> list[list[str]]:
    """Words that may stand between two names. :param joint: of the template, e.g. 'in/on'."""
    ways = [words_of(joint), *map(words_of, joint.split('/'))]
    if kind.kind is SkillKind.PUT and all(set(way) <= _TO for way in ways):
        ways += [[word] for word in sorted(_TO)]
    return ways


def _verb_before(words: list[str], end: int, verbs: tuple[str, ...], gerunds: bool) -> str:
    """The template's verb that ends before a word; '' for none.

    :param gerunds: whether one in -ing counts, as in "before going to aisle 1".
    """
    for verb in verbs:
        for form in (verb, gerund_of(verb)) if gerunds else (verb,):
            form_words = words_of(form)
            if form_words and words[max(0, end - len(form_words)) : end] == form_words:
                return verb
    return ''
