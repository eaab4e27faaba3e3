"""In which language a text is, by its script and its function words; '' where it cannot be told.

A handful of small words tells a sentence's language; names of things never do. English wins a
tie, since the names of most skill servers are English.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from functools import lru_cache

from reactree_planner.reading.listed_languages import COURTESY, Language, LANGUAGES
from reactree_planner.reading.plain_words import plain_words as words_of
from reactree_planner.reading.spelling import is_english_word as is_common_english

ENGLISH = 'en'
#: Words and letters that are needed before a text counts as foreign.
_LEAST = 2
#: Share of the signs by which a text may be in another language than the one with most.
_NEAR = 0.5
#: How often a word of English stands in its texts, and one whose other meaning might forbid.
_COMMON = 1_000
_OFTEN = 12_000
#: A letter of a script with few letters a word, against one of an alphabet.
_HEAVY = 3


_OF_SCRIPT = {
    'HIRAGANA': 'ja',
    'KATAKANA': 'ja',
    'HANGUL': 'ko',
    'CJK': 'zh',
    'CYRILLIC': 'ru',
    'ARABIC': 'ar',
    'DEVANAGARI': 'hi',
    'GREEK': 'el',
    'HEBREW': 'he',
    'THAI': 'th',
}
#: Letters by which a language is told from another of the same script.
_TELLING = (('uk', 'іїєґІЇЄҐ'), ('fa', 'پچژگ'))
_LATIN = tuple(
    code
    for code, one in LANGUAGES.items()
    if one.is_listed and code not in _OF_SCRIPT.values() and code not in dict(_TELLING)
)


def language_of(text: str, known: Collection[str] = ()) -> str:
    """ISO 639-1 code of a text's language; '' where it cannot be told.

    :param known: words of names, which are in no language.
    """
    script = _by_script(text)
    if script:
        return script
    weights, signs = _weighed(text, known)
    # What is in part English is read as English; the rest of it is unread.
    best = max(_LATIN, key=lambda code: (weights[code], code == ENGLISH))
    least = 1 if best == ENGLISH else _LEAST
    return best if signs[best] >= least else ''


def languages_of(text: str) -> tuple[str, ...]:
    """Codes of the languages that a text may be in: a short one has few signs."""
    code = language_of(text)
    weights, _ = _weighed(text, ())
    near = (one for one in _LATIN if weights[one] >= _NEAR * weights[code])
    return (code, *near) if code in _LATIN else (code,)


def _weighed(text: str, known: Collection[str]) -> tuple[dict[str, float], dict[str, int]]:
    """For languages of the Latin script: what a text's signs weigh, and how many there are."""
    words = dict.fromkeys(word for word in words_of(text) if word not in known)
    letters = frozenset(text.casefold())
    weights = dict.fromkeys(_LATIN, 0.0)
    signs = dict.fromkeys(_LATIN, 0)
    for word in words:
        codes = _languages_with(word)
        for code in codes:
            # What many languages have says little.
            weights[code] += 1.0 / len(codes)
            signs[code] += 1
    for code in _LATIN:
        found = min(2, len(letters & LANGUAGES[code].letters))
        weights[code] += 0.5 * found
        signs[code] += found
    return weights, signs


@lru_cache(maxsize=4096)
def _languages_with(word: str) -> tuple[str, ...]:
    return tuple(
        code
        for code in _LATIN
        if any(
            word in words
            for words in (
                LANGUAGES[code].function_words,
                LANGUAGES[code].turning,
                LANGUAGES[code].commands,
            )
        )
    )


def _by_script(text: str) -> str:
    """The language of a text that is mostly in another script than the Latin one."""
    counts: dict[str, int] = {}
    for letter in text:
        if not letter.isalpha():
            continue
        if letter.isascii():
            script = 'LATIN'
        else:
            script = re.split(r'[ -]', unicodedata.name(letter, ''))[0]
        weight = _HEAVY if script in ('HIRAGANA', 'KATAKANA', 'HANGUL', 'CJK', 'THAI') else 1
        counts[script] = counts.get(script, 0) + weight
    foreign = {script: count for script, count in counts.items() if script in _OF_SCRIPT}
    if sum(foreign.values()) * 2 <= sum(counts.values()):
        return ''
    if counts.keys() & {'HIRAGANA', 'KATAKANA'}:
        return 'ja'
    telling = (code for code, letters in _TELLING if set(letters) & set(text))
    told = next(telling, '')
    main = _OF_SCRIPT[max(foreign, key=lambda script: foreign[script])]
    return told if told and main in ('ru', 'ar') else main


def is_english(text: str, known: Collection[str] = ()) -> bool:
    """Whether a text is English for certain: by a small word that is no courtesy, or by all words.

    What has only names and numbers is English too.

    :param known: words of names, which are in no language.
    """
    told = language_of(text, (*known, *COURTESY))
    if told:
        return told == ENGLISH
    words = (word for word in words_of(text) if word not in known and word not in COURTESY)
    return all(word.isdecimal() or is_common_english(word, _COMMON) for word in words)


def may_be_foreign(text: str, known: Collection[str] = ()) -> bool:
    """Whether words of an English sentence may be in another language.

    Its script tells it, or a small word of it, or that of several words none is English. One alone
    may be the name of something.
    """
    if any(letter.isalpha() and not _is_latin(letter) for letter in text):
        return True
    words = [word for word in words_of(text) if word not in known]
    is_unknown = len(words) > 1 and not any(is_common_english(one, _COMMON) for one in words)
    return is_unknown or any(map(is_foreign_word, words))


def is_courtesy(text: str) -> bool:
    """Whether a sentence does nothing but thank or greet, in any language but English.

    Nothing else is sure to forbid nothing: "Aus!" is a small word too.
    """
    told = words_of(text)
    return bool(told) and any(one.courtesy.issuperset(told) for one in LANGUAGES.values())


def is_foreign_word(word: str) -> bool:
    """Whether it is a small word of another language, and none that English has too."""
    codes = _languages_with(word)
    if not codes or ENGLISH in codes or len(word) == 1:
        return False
    # "hay" is rather English, "ohne" and "si" are not: what may forbid counts sooner.
    turns = any(word in LANGUAGES[code].turning for code in codes)
    return not is_common_english(word, _OFTEN if turns else _COMMON)


def _is_latin(letter: str) -> bool:
    return letter.isascii() or unicodedata.name(letter, '').startswith('LATIN')


def is_foreign(code: str) -> bool:
    """Whether a text of this language is certainly not English."""
    return code not in ('', ENGLISH)


def name_of(code: str) -> str:
    """The language's name for people; 'an unknown language' for ''."""
    return LANGUAGES[code].name if code in LANGUAGES else 'an unknown language'


_UNKNOWN = Language('an unknown language')


def language(code: str) -> Language:
    """What is known of a language; nothing for one that could not be told."""
    return LANGUAGES.get(code, _UNKNOWN)
