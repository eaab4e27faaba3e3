"""What is said with a correction and changes no goal: "no", "wait", "please", "too", "instead"."""

from __future__ import annotations

from reactree_planner.language.halting import halting_phrases
from reactree_planner.language.languages import ENGLISH
from reactree_planner.language.lexicon import Phrases, phrases
from reactree_planner.language.tokens import tokens_of

_HALTING = Phrases(
    tuple(token.text for token in tokens_of(one)) for one in halting_phrases(ENGLISH)
)
_DENYING = phrases(
    'no|nope|not that|not that one|not this one|not this|that is wrong|that is the wrong one|wrong'
    '|wrong one|the wrong one'
)
_ADDING = phrases('and|also|plus|and also')
_LATER = phrases('then|and then|afterwards|after that|and after that')
_IDLE = phrases(
    'oh|sorry|please|actually|but|ok|okay|well|hey|robot|so|now|i mean|i meant|i said|rather'
    '|thanks|thank you|you can|take|bring|i want|on second thought|on second thoughts'
)
_TAILS = {
    'too': phrases('too|as well|also|in addition'),
    'instead': phrases('instead|rather'),
    'idle': phrases('please|thanks|thank you|though|now'),
}
_SIGNS = frozenset('.,;:!?-\n"')


class Rest:
    """Words of a text without what is said with anything, and what that was."""

    def __init__(self, text: str) -> None:
        words = [token.text for token in tokens_of(text)]
        self.denies = self.halts = self.adds = self.instead = self.later = False
        self.whole = tuple(word for word in words if word not in _SIGNS)
        #: Whether a word such as "stop" stands somewhere.
        self.may_halt = any(any(_HALTING.at(self.whole, at)) for at in range(len(self.whole)))
        self.words = self._without_tail(self._without_head(words))
        if tuple(self.words) in _HALTING:
            self.halts, self.words = True, []

    def _without_head(self, words: list[str]) -> list[str]:
        while words:
            if words[0] in _SIGNS:
                words = words[1:]
                continue
            told = tuple(words)
            ends = {
                name: next(known.at(told, 0), 0)
                for name, known in (
                    ('halts', _HALTING), ('denies', _DENYING), ('adds', _ADDING),
                    ('later', _LATER), ('', _IDLE)
                )
            }  # fmt: skip
            name = max(ends, key=ends.__getitem__)
            behind = told[ends[name] :]
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
