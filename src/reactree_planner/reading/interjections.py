"""Words said with a correction that change no goal: "no", "wait", "please", "too", "instead"."""

from __future__ import annotations

from reactree_planner.reading.languages import ENGLISH
from reactree_planner.reading.listed_languages import LANGUAGES
from reactree_planner.reading.phrases import Phrases
from reactree_planner.reading.small_words import small_phrases
from reactree_planner.reading.tokens import tokens_of

_HALTING = Phrases(
    tuple(token.word for token in tokens_of(one))
    for one in (*LANGUAGES[ENGLISH].stopping, *LANGUAGES[ENGLISH].pausing)
)
_DENYING, _ADDING, _LATER, _IDLE = (
    small_phrases('corrections', name) for name in ('denying', 'adding', 'later', 'idle')
)
_TAILS = {
    'too': small_phrases('corrections', 'too'),
    'instead': small_phrases('corrections', 'instead'),
    'idle': small_phrases('corrections', 'idle_behind'),
}
_SIGNS = frozenset('.,;:!?-\n"')


class Rest:
    """Words of a text without its interjections, and what those say.

    :ivar denies: "no". :ivar halts: "wait". :ivar adds: "and", "too". :ivar later: "then".
    :ivar instead: "instead". :ivar may_halt: a word such as "stop" stands somewhere.
    """

    def __init__(self, text: str) -> None:
        words = [token.word for token in tokens_of(text)]
        self.denies = self.halts = self.adds = self.instead = self.later = False
        self.whole = tuple(word for word in words if word not in _SIGNS)
        self.may_halt = _HALTING.stand_in(self.whole)
        self.words = self._without_tail(self._without_head(words))
        if tuple(self.words) in _HALTING:
            self.halts, self.words = True, []

    def _without_head(self, words: list[str]) -> list[str]:
        while words:
            if words[0] in _SIGNS:
                words = words[1:]
                continue
            said = tuple(words)
            ends = {
                name: next(known.at(said, 0), 0)
                for name, known in (
                    ('halts', _HALTING), ('denies', _DENYING), ('adds', _ADDING),
                    ('later', _LATER), ('', _IDLE)
                )
            }  # fmt: skip
            name = max(ends, key=ends.__getitem__)
            behind = said[ends[name] :]
            apart = not behind or behind[0] in _SIGNS or any(_HALTING.at(behind, 0))
            if not ends[name] or (name == 'halts' and not apart):
                break
            if name:
                setattr(self, name, True)
            words = words[ends[name] :]
        return words

    def _without_tail(self, words: list[str]) -> list[str]:
        found = True
        while words and found:
            found = False
            if words[-1] in _SIGNS:
                words, found = words[:-1], True
                continue
            for name, known in _TAILS.items():
                for one in known:
                    if len(words) >= len(one) and tuple(words[-len(one) :]) == one:
                        words, found = words[: -len(one)], True
                        self.adds |= name == 'too'
                        self.instead |= name == 'instead'
        return words
