"""Sentences that stop a robot, in each listed language, recognised by their words alone.

    Stop!   please stop   halt an!   arrête-toi   止まってください        STOP
    wait   pause   einen Moment bitte   no!                            PAUSE
    wait, the other one   stop! that is my cup                         PAUSE, and more to read
    stop at the table   don't stop   stop the mixer                    neither

A clause stops where phrases of `languages.yaml` and words that say nothing else cover it: no
grammar, no names and no model, so that a callback can tell. In doubt it stops.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from enum import Enum
from functools import lru_cache

from reactree_planner.reading.listed_languages import COURTESY, Language, LANGUAGES
from reactree_planner.reading.tokens import plain_words

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


def halt_in(text: str) -> Halt | None:
    """Whether a text stops the robot, and how; None where it is to be read.

    :param text: as a person said it, of any length and language.
    """
    said = _said(text)
    if said and _MORE not in said:
        return Halt.STOP if max(said) == _STOPS else Halt.PAUSE
    # "Wait, the other one": what is done now is canceled, and the rest is read.
    return Halt.PAUSE if said and max(said[0], said[-1]) >= _PAUSES else None


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


def halting_phrases(code: str) -> Iterable[str]:
    """Phrases of a language that stop or pause, as `languages.yaml` has them."""
    return (*LANGUAGES[code].stopping, *LANGUAGES[code].pausing)


_SAYINGS = tuple(_Sayings(one) for one in LANGUAGES.values() if one.stopping)
