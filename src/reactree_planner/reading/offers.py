"""The nearest sentences that would be read, where a sentence was not understood.

Each is a skill of the server word for word, with names and numbers of the sentence where they fit,
and is read whole. Nothing is offered for a sentence that forbids.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal, ROUND_HALF_UP
from itertools import islice, product

from rapidfuzz import fuzz, process

from reactree_core.bounds import number_text, read_number
from reactree_core.skill_types import SkillType, SLOT, Slot, SlotType
from reactree_planner.reading.names import Names
from reactree_planner.reading.plain_words import plain_words
from reactree_planner.reading.skill_goals import read_skills
from reactree_planner.reading.skill_sentence import matcher_of
from reactree_planner.reading.small_words import CLOSED, FORBIDDING, NUMBERS
from reactree_planner.reading.tokens import tokens_of

#: Sentences that are offered.
MOST_OFFERS = 3
#: Skills that are filled, values of one slot, and sentences of one skill.
_MOST_SKILLS, _MOST_VALUES, _MOST_OF_ONE = 12, 3, 6
#: Percent of letters in which words are near each other, and names the words of a sentence.
_NEAR, _NEAR_NAME = 80.0, 75.0
#: Longest sentence for which offers are looked for, in words.
_LONGEST = 40


def offers_for(text: str, names: Names, possible: Sequence[str] = ()) -> tuple[str, ...]:
    """At most three sentences that are near a text and are read whole, the nearest first.

    :param text: that was not understood. :param names: of the skill server.
    :param possible: skills that can be done now, word for word.
    """
    if any(one.word in FORBIDDING for one in tokens_of(text)):
        return ()
    said = _Said(text, names)
    ranked: dict[str, float] = {}
    for skill in _nearest_skills(said.words, names.skill_types):
        for offer in said.filled(skill):
            ranked[offer] = _nearness(offer, said.words)
    for offer, *_ in process.extract(
        text, possible, scorer=fuzz.token_set_ratio, limit=_MOST_SKILLS
    ):
        if SLOT.search(offer) is None:
            ranked[offer] = _nearness(offer, said.words)
    best = sorted(ranked, key=lambda one: -ranked[one])
    # None that shares no word with it.
    near = (one for one in best if ranked[one] > 0 and read_skills(one, names) is not None)
    return tuple(islice(near, MOST_OFFERS))


def did_you_mean(offers: Sequence[str]) -> str:
    """A question that names offers: 'Did you mean: undock / sit down?'; '' for none."""
    return f'Did you mean: {" / ".join(offers)}?' if offers else ''


def _telling(words: Sequence[str]) -> list[str]:
    """Words that say something, or all where none does."""
    return [word for word in words if word not in CLOSED] or list(words)


def _share(words: Sequence[str], others: Sequence[str]) -> float:
    """How many of some words are near one of others, 0..1."""
    if not words or not others:
        return 0.0
    best = (max(fuzz.ratio(word, other) for other in others) for word in words)
    return sum(one / 100 for one in best if one >= _NEAR) / len(words)


def _nearness(offer: str, words: Sequence[str]) -> float:
    said, offered = _telling(words), _telling(plain_words(offer))
    # What is said counts more than what an offer has beside it.
    shared = 3 * _share(said, offered) + _share(offered, said)
    # Of two that share as many words the one in whose letters they are nearer.
    return shared + fuzz.ratio(' '.join(words), offer.casefold()) / 1000 if shared else 0.0


def _nearest_skills(words: Sequence[str], types: Sequence[SkillType]) -> list[SkillType]:
    said = _telling(words)

    def nearness(skill: SkillType) -> float:
        own = [word for part in SLOT.split(skill.template)[::2] for word in plain_words(part)]
        other = [word for one in skill.other_words for word in plain_words(one)]
        return _share(_telling(own), said) + _share(_telling(other), said)

    # Of skills that share no word a name may still be shared.
    return sorted(types, key=lambda one: -nearness(one))[:_MOST_SKILLS]


class _Said:
    """What was said, and what of it may stand in the slots of skills."""

    def __init__(self, text: str, names: Names) -> None:
        self.words = plain_words(text)[:_LONGEST]
        self._text = text
        self._matcher = matcher_of(names)
        self._names: dict[Slot, tuple[str, ...]] = {}

    def filled(self, skill: SkillType) -> Iterator[str]:
        """Texts of a skill, the likeliest first."""
        values = [tuple(islice(self._values(one, skill), _MOST_VALUES)) for one in skill.slots]
        # Nothing is put on itself.
        apart = (one for one in product(*values) if len(set(one)) == len(one))
        yield from map(skill.filled, islice(apart, _MOST_OF_ONE))

    def _values(self, slot: Slot, skill: SkillType) -> Iterable[str]:
        if slot.type is SlotType.NUMBER:
            return self._numbers(slot)
        if slot.type is SlotType.TEXT:
            return self._texts(skill)
        if slot not in self._names:
            self._names[slot] = tuple(self._names_for(slot))
        return self._names[slot]

    def _names_for(self, slot: Slot) -> Iterable[str]:
        """Names that were said; else those nearest to what was; else any."""
        found = dict.fromkeys(self._matcher.names_in(self._text, slot))
        known = (one for one in self._matcher.names_of(slot) if not slot.objection(one))
        # A slot that lists names with numbers takes no name of the class alone.
        fitting = list(known) or list(slot.classes)
        for length in (3, 2, 1) if not found else ():
            for at in range(len(self.words) - length + 1):
                said = ' '.join(self.words[at : at + length])
                near = process.extractOne(
                    said, fitting, scorer=fuzz.ratio, score_cutoff=_NEAR_NAME
                )
                if near is not None:
                    number = (*self.words, '')[at + length]
                    is_open = number.isdecimal() and not any(map(str.isdigit, near[0]))
                    found[f'{near[0]} {number}' if is_open else near[0]] = None
        return dict.fromkeys(one for one in (*found, *fitting[:2]) if not slot.objection(one))

    def _numbers(self, slot: Slot) -> Iterator[str]:
        """A number of the sentence, or the nearest that the slot takes."""
        told = [number for word in self.words if (number := read_number(word)) is not None]
        told += [Decimal(NUMBERS[one]) for one in self.words if one in NUMBERS]
        bounds = slot.bounds
        if bounds is None:
            yield from map(number_text, told or [Decimal(1)])
            return
        for number in told or [(bounds.least + bounds.most) / 2]:
            inside = min(max(number, bounds.least), bounds.most)
            if bounds.step:
                steps = ((inside - bounds.least) / bounds.step).to_integral_value(ROUND_HALF_UP)
                inside = min(bounds.least + steps * bounds.step, bounds.most)
            value = number_text(round(inside, 9))
            yield value if not slot.objection(value) else number_text(bounds.most)

    def _texts(self, skill: SkillType) -> Iterator[str]:
        """What stands behind the skill's words, in quotation marks."""
        folded, verb = self._text.casefold(), skill.verb.casefold()
        at = folded.find(verb) if verb else -1
        said = ' '.join(self._text[at + len(verb) :].split()).strip('"“”.!?') if at >= 0 else ''
        if said and '"' not in said:
            yield f'"{said}"'
