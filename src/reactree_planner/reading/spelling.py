"""Slips of the pen: a word that is another with one letter wrong, and no word of English."""

from __future__ import annotations

from functools import cache

from rapidfuzz.distance import OSA
from spellchecker import SpellChecker, WordFrequency

#: Letters of the shortest word of which one may be wrong, and of those of which two may be.
_LEAST, _LONG = 4, 8


def is_slip(word: str, right: str) -> bool:
    """Whether a word is another with one letter wrong, left out, added or changed about."""
    most = 1 if len(right) < _LONG else 2
    alike = len(word) >= _LEAST and word[:1] == right[:1]
    return alike and 0 < OSA.distance(word, right) <= most


def is_english_word(word: str, least: int = 1) -> bool:
    """Whether English texts have a word. :param least: how often at least, by pyspellchecker."""
    return bool(_english()[word] >= least)


@cache
def _english() -> WordFrequency:
    """The words of English; loaded in half a second, when the first slip is met."""
    return SpellChecker(language='en').word_frequency
