"""The nearest of some skills by BLEU, as the published runs replaced what could not be done."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from math import exp, log

#: Longest runs of words that are compared, and what counts for a run that does not occur.
_LONGEST, _NOTHING = 4, 0.1
#: A skill with less in common is left as it is.
_LEAST = 0.01


def nearest(skill: str, offered: Iterable[str]) -> str:
    """The offered skill that is most like a written one; of several the first; else itself."""
    best, score = skill, _LEAST
    for one in offered:
        found = bleu(skill, one)
        if found > score:
            best, score = one, found
    return best


def bleu(text: str, reference: str) -> float:
    """How much of a text's runs of 1 to 4 words are in another, 0..1 (Papineni et al., 2002)."""
    words, other = text.split(), reference.split()
    if not set(words) & set(other):
        return 0.0
    total = 0.0
    for length in range(1, _LONGEST + 1):
        runs, known = _runs(words, length), _runs(other, length)
        common = sum((runs & known).values())
        total += log((common or _NOTHING) / max(1, sum(runs.values())))
    brevity = min(0.0, 1.0 - len(other) / len(words))
    return exp(total / _LONGEST + brevity)


def _runs(words: list[str], length: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(words[at : at + length]) for at in range(len(words) - length + 1))
