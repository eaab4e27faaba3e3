"""Small English words around what is asked, of `words/small_words.yaml`, and numbers in words."""

from __future__ import annotations

from collections.abc import Sequence

from reactree_planner.reading.phrases import Phrases, words_named

_FILE = 'small_words'


def small_words(section: str, name: str) -> frozenset[str]:
    """Words of the list."""
    return words_named(section, name, _FILE)


def word_set(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


def small_phrases(section: str, name: str) -> Phrases:
    """Phrases of the list."""
    return Phrases.named(section, name, _FILE)


ARTICLES = small_words('words', 'articles')
#: Before a thing that was named, or the only one.
DEFINITE = small_words('words', 'definite')
DETERMINERS = small_words('words', 'determiners')
#: Words after which a text tells where something is or shall be.
PREPOSITIONS = small_words('words', 'prepositions')
EVERY = frozenset(['all', 'every', 'each'])
SOME = frozenset(['some', 'any'])
#: Before a further thing of the sort that was named.
FURTHER = frozenset(['another'])
MODALS = small_words('words', 'modals')
COORDINATORS = small_words('words', 'coordinators')
POLITE = small_words('words', 'polite')
ADVERBS = small_words('words', 'adverbs')
#: A question with one of them asks for an act.
ASKING = small_words('words', 'asking')
EXCEPTING = small_words('words', 'excepting')
FORBIDDING = small_words('words', 'forbidding')
#: Words of a clause that depends on another, or on the world.
TYING = small_words('words', 'tying')
REQUESTS, GREETINGS, FIRST, THEN = (
    small_phrases('frames', name) for name in ('requests', 'greetings', 'first', 'then')
)
NUMBERS = {
    'one': 1, 'two': 2, 'both': 2, 'three': 3, 'four': 4, 'five': 5, 'six': 6, 'seven': 7,
    'eight': 8, 'nine': 9, 'ten': 10, 'eleven': 11, 'twelve': 12, 'thirteen': 13, 'fourteen': 14,
    'fifteen': 15, 'sixteen': 16, 'seventeen': 17, 'eighteen': 18, 'nineteen': 19, 'twenty': 20,
    'thirty': 30, 'forty': 40, 'fifty': 50, 'sixty': 60, 'seventy': 70, 'eighty': 80,
    'ninety': 90,
}  # fmt: skip
_HIGHER = {'dozen': 12, 'hundred': 100}
#: Numbers before "of" and a name.
MEASURES = {'couple': 2, 'pair': 2, **_HIGHER}
#: All words that a number may have, be it read or not.
NUMBER_WORDS = small_words('words', 'number_words') | NUMBERS.keys()
#: Words that are no name and no adjective of one.
CLOSED = (
    small_words('words', 'closed')
    | DETERMINERS
    | NUMBERS.keys()
    | COORDINATORS
    | POLITE
    | ADVERBS
    | EXCEPTING
    | FORBIDDING
    | TYING
)


def number_of(words: Sequence[str]) -> int | None:
    """The number of some words: "two", "twenty five", "two dozen"; None for others."""
    known = {**NUMBERS, 'once': 1, 'twice': 2, 'dozen': 12, 'both': None}
    first, second = (*words, '')[:2]
    number = int(first) if first.isdecimal() and len(first) < 10 else known.get(first)
    if len(words) == 1:
        return number
    if len(words) > 2:
        return None
    if first.endswith('ty') and number and second in NUMBERS and NUMBERS[second] < 10:
        return number + NUMBERS[second]
    times = 1 if first == 'a' else number
    return times * _HIGHER[second] if times is not None and second in _HIGHER else None
