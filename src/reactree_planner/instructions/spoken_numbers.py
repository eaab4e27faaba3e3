"""Numbers as sentences say them: "two", "twenty-five", "1,000", "two dozen"."""

from __future__ import annotations

from collections.abc import Sequence

from reactree_planner.instructions.words import NUMBERS
from reactree_planner.instructions.words import word_set

#: Letters of a number's first word; the longest word is "seventeen".
_LONGEST_NUMBER = 9
#: Numbers that say no number by themselves.
_VAGUE = word_set('a an another single both pair couple')
_UNITS = ('dozen', 'hundred')
#: Words that are numbers by themselves.
CARDINALS = {word: NUMBERS[word] for word in NUMBERS if word not in _VAGUE | {'twice', *_UNITS}}
#: With these a number goes on, whether it can be read or not.
GOING_ON = (
    frozenset((*CARDINALS, *_UNITS))
    | word_set('once twice thousand million score half third thirds quarter quarters percent')
)  # fmt: skip
#: Quantities that say no number; the last ones only before "of".
VAGUE_QUANTITIES = word_set(
    'few several many most numerous multiple various plenty lots dozens hundreds thousands zero '
    'half thirds quarter quarters percent thousand million score less fewer'
)
VAGUE_BEFORE_OF = word_set('third fourth fifth lot number majority part portion')
#: Before a number that is not to be met exactly: "about ten", "more than two".
APPROXIMATE = word_set('about approximately roughly nearly almost')
COMPARED = (('up', 'to'), ('at', 'least'), ('at', 'most'))
#: All words that a number may have.
NUMBER_WORDS = GOING_ON | NUMBERS.keys()


def number_of(words: Sequence[str], between: Sequence[str]) -> int | None:
    """What a number says; None for one that goes on in a way that is not read here.

    :param between: signs between its words.
    """
    first, *others = words
    if len(first) > _LONGEST_NUMBER:
        return None
    if all(word.isdecimal() for word in words):
        groups = (
            all(len(word) == 3 for word in others) and len(first) < 4 and set(between) <= {','}
        )
        return int(''.join(words)) if (groups or not others) and len(words) < 4 else None
    if not others:
        known = {**CARDINALS, 'once': 1, 'twice': 2, 'dozen': 12}
        return known.get(first)
    if len(others) > 1 or between[0] not in ('', '-'):
        return None
    if first.endswith('ty') and 0 < CARDINALS.get(others[0], 0) < 10:
        return CARDINALS[first] + CARDINALS[others[0]]
    if others[0] in _UNITS:
        times = 1 if first == 'a' else int(first) if first.isdecimal() else CARDINALS.get(first)
        return None if times is None else times * NUMBERS[others[0]]
    return None
