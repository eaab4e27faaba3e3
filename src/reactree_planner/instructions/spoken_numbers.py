"""Numbers as sentences say them: "two", "twenty-five", "1,000", "two dozen"."""

from __future__ import annotations

from collections.abc import Sequence

from reactree_planner.instructions.words import NUMBERS
from reactree_planner.instructions.words import word_set

#: Letters of a number's first word; the longest word is "seventeen".
_LONGEST_NUMBER = 9
#: Numbers that say no number by themselves.
_VAGUE = word_set('a an another single both pair couple')
_TENS = {
    'twenty': 20,
    'thirty': 30,
    'forty': 40,
    'fifty': 50,
    'sixty': 60,
    'seventy': 70,
    'eighty': 80,
    'ninety': 90,
}
_ONES = {
    word: number for word, number in NUMBERS.items() if word not in _VAGUE | {'dozen', 'twice'}
}
_TEENS = {
    'thirteen': 13,
    'fourteen': 14,
    'fifteen': 15,
    'sixteen': 16,
    'seventeen': 17,
    'eighteen': 18,
    'nineteen': 19,
}
_UNITS = {'dozen': 12, 'hundred': 100}
#: With these a number goes on, whether it can be read or not.
GOING_ON = (
    frozenset({**_TENS, **_TEENS, **_ONES, **_UNITS})
    | word_set('once twice thousand million score half third thirds quarter quarters percent')
)  # fmt: skip
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
    known = {**_ONES, **_TEENS, **_TENS, 'once': 1, 'twice': 2, 'dozen': 12}
    if not others:
        return known.get(first)
    if len(others) > 1 or between[0] not in ('', '-'):
        return None
    if first in _TENS and 0 < _ONES.get(others[0], 0) < 10:
        return _TENS[first] + _ONES[others[0]]
    if others[0] in _UNITS:
        times = 1 if first == 'a' else int(first) if first.isdecimal() else _ONES.get(first)
        return None if times is None else times * _UNITS[others[0]]
    return None
