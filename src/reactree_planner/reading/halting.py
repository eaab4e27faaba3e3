"""Sentences that stop a robot, in each listed language, recognised by their words alone.

    Stop!   please stop   halt an!   arrête-toi   止まってください        STOP
    wait   pause   einen Moment bitte   no!                            PAUSE
    wait, the other one   stop! that is my cup                         PAUSE, and more to read
    for god's sake stop   stop and look                                PAUSE, likewise
    stop at the table   don't stop   stop the mixer                    neither

A clause stops where phrases of `languages.yaml` and words that say nothing else cover it: no
grammar and no model, so that a callback can tell. In doubt nothing moves: a clause that says
"stop" and more, whatever that is, pauses, unless the word is negated or what stands right behind
it is an object that the robot knows: "stop going to dock 2" pauses, "stop at dock 2" does not.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container, Iterable, Iterator
from enum import Enum
from functools import lru_cache
from itertools import takewhile

from reactree_planner.reading.listed_languages import COURTESY, Language, LANGUAGES
from reactree_planner.reading.plain_words import plain_words

#: Longest text that is looked at, in characters: what is longer says more than "stop".
_LONGEST = 500
_CLAUSE_ENDS = re.compile(r'[.,;:!?…\n¡¿—–。、，！？；：،؛؟।]|\s-+\s')
#: "stooop", "haaalt".
_STRETCHED = re.compile(r'(\w)\1{2,}')
#: How strong a clause is: it says more than halting; nothing; "no"; "wait"; "stop".
_MORE, _NOTHING, _DENIES, _PAUSES, _STOPS = range(-1, 4)

#: Words of a text, or its signs where a language writes no spaces.
Units = tuple[str, ...]


class Halt(Enum):
    """STOP: nothing moves any more, the run ends. PAUSE: nothing moves until "go on"."""

    STOP = 'stop'
    PAUSE = 'pause'


class _AllWords(Container[str]):
    """The words of a robot of which nothing is known: any may be its own."""

    def __contains__(self, word: object) -> bool:
        return True


ALL_WORDS: Container[str] = _AllWords()


def known_words(names: Iterable[str]) -> frozenset[str]:
    """Words of names and skills, as `halt_in` compares them. :param names: that a robot knows."""
    return frozenset(word for name in names for word in plain_words(_folded(name)))


def halt_in(text: str, known: Container[str] = ALL_WORDS) -> Halt | None:
    """Whether a text stops the robot, and how; None where it is to be read.

    :param text: as a person said it, of any length and language.
    :param known: words that the robot knows, of `known_words`: "stop the mixer" is a task for one
        that knows a mixer.
    """
    said = _said(text)
    if said and _MORE not in said:
        return Halt.STOP if max(said) == _STOPS else Halt.PAUSE
    # "Wait, the other one": what is done now is canceled, and the rest is read.
    if said and max(said[0], said[-1]) >= _PAUSES:
        return Halt.PAUSE
    clauses = _CLAUSE_ENDS.split(text) if len(text) <= _LONGEST else ()
    holds = any(one.may_stop(clause, known) for clause in clauses for one in _SAYINGS)
    return Halt.PAUSE if holds else None


def only_halts(text: str) -> bool:
    """Whether a text stops the robot and says nothing else."""
    said = _said(text)
    return bool(said) and _MORE not in said


def _said(text: str) -> list[int]:
    """How strong each clause is that says anything."""
    if len(text) > _LONGEST:
        return [_MORE]
    strengths = map(_strength, _CLAUSE_ENDS.split(text))
    return [one for one in strengths if one != _NOTHING]


@lru_cache(maxsize=256)
def _strength(clause: str) -> int:
    """The strongest of what a clause says in any language."""
    return max(one.strength(clause) for one in _SAYINGS)


_SPACED = tuple(one for one in LANGUAGES.values() if one.stopping and one.spaced)


class _Sayings:
    """How one language halts.

    :param told: what `languages.yaml` has of it.
    """

    def __init__(self, told: Language) -> None:
        self._spaced = told.spaced
        beside = told.function_words - told.turning
        beside |= told.courtesy | COURTESY | told.beside_halting
        #: Phrases by their strength.
        self._phrases = tuple(
            {units for one in texts if (units := self._units(one))}
            for texts in (beside, told.denying, told.pausing, told.stopping)
        )
        self._longest = max(len(one) for phrases in self._phrases for one in phrases)
        self._joining = self._set_of(told.joining)
        #: Words that negate, also of others who say "stop", and what may stand beside them.
        beside_it = _SPACED if told.spaced else (told,)
        self._negating = self._set_of(word for one in beside_it for word in one.forbidding)
        small = self._set_of(word for one in beside_it for word in one.function_words)
        self._small = small | self._negating | self._phrases[_NOTHING]

    def _set_of(self, words: Iterable[str]) -> set[Units]:
        return {units for one in words if (units := self._units(one))}

    def strength(self, clause: str) -> int:
        """How strong a clause is, where phrases cover it."""
        units = self._units(clause)
        #: Of the best way to cover the first units.
        covered = [_NOTHING, *[_MORE] * len(units)]
        for begin in range(len(units)):
            if covered[begin] != _MORE:
                for end, strength in self._at(units, begin):
                    covered[end] = max(covered[end], covered[begin], strength)
        return covered[-1]

    def may_stop(self, clause: str, known: Container[str]) -> bool:
        """Test whether a clause that says more may mean "stop". :param known: see `halt_in`."""
        units = self._units(clause)
        return any(
            not self._is_negated(units, begin, end)
            and not self._has_object(units, begin, end, known)
            for begin in range(len(units))
            for end, strength in self._at(units, begin)
            if strength == _STOPS
        )

    def _is_negated(self, units: Units, begin: int, end: int) -> bool:
        """Test whether a negating word stands beside a phrase, with only small words between."""
        before = self._small_part(units[:begin][::-1], backwards=True)
        return any(one in self._negating for one in (*before, *self._small_part(units[end:])))

    def _small_part(self, units: Units, backwards: bool = False) -> list[Units]:
        """The small words with which a text begins. :param backwards: its units are reversed."""
        found: list[Units] = []
        at = 0
        while at < len(units):
            ends = range(min(len(units), at + self._longest), at, -1)
            parts = (units[at:end][::-1] if backwards else units[at:end] for end in ends)
            part = next((one for one in parts if one in self._small), None)
            if part is None:
                break
            found.append(part)
            at += len(part)
        return found

    def _has_object(self, units: Units, begin: int, end: int, known: Container[str]) -> bool:
        """Test whether a phrase is about something that stands right behind it."""
        rest = units[self._last_stop(units, end) :]
        content = self._without_small(rest)
        if not content or rest[:1] in self._joining:
            return False
        # A plea may follow an order; behind anything else it is a part of that.
        is_order = self._spaced and not self._without_small(units[:begin])
        if not is_order:
            return True
        following = takewhile(lambda one: (one,) not in self._small, content)
        return any(one in known or one.isdigit() for one in following)

    def _last_stop(self, units: Units, end: int) -> int:
        """End of the last of phrases that stop and follow each other. :param end: of the first."""
        ends = (after for after, strength in self._at(units, end) if strength == _STOPS)
        after = max(ends, default=end)
        return after if after == end else self._last_stop(units, after)

    def _without_small(self, units: Units) -> Units:
        """Units without the small words with which they begin."""
        return units[sum(map(len, self._small_part(units))) :]

    def _at(self, units: Units, begin: int) -> Iterator[tuple[int, int]]:
        """Ends of the phrases that begin somewhere, and how strong each is."""
        for end in range(begin + 1, min(len(units), begin + self._longest) + 1):
            for strength, phrases in enumerate(self._phrases):
                if units[begin:end] in phrases:
                    yield end, strength

    def _units(self, text: str) -> Units:
        words = plain_words(_folded(text))
        return tuple(words) if self._spaced else tuple(''.join(words))


def _folded(text: str) -> str:
    """A text without case, marks at its letters, and letters that stand there three times."""
    letters = unicodedata.normalize('NFKD', text.casefold().replace('ı', 'i'))
    return _STRETCHED.sub(r'\1', ''.join(one for one in letters if not unicodedata.combining(one)))


_SAYINGS = tuple(_Sayings(one) for one in LANGUAGES.values() if one.stopping)
