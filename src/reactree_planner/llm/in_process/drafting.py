"""Guessing what a model writes next from what it has read: checked in one pass, never trusted.

A pass over one token reads every weight, and a few more tokens in the same pass cost little. What
an agent writes is often what an example or its own past says word for word, so the tokens that
followed the same words before are evaluated along (prompt lookup decoding). The model's own logits
decide after each of them, so that the text is what it would have been.
"""

from __future__ import annotations

from collections.abc import Sequence

#: Words that must agree, in tokens: the longest agreement is looked for first.
_LONGEST = 4
_SHORTEST = 2


def draft_after(tokens: Sequence[int], most: int) -> list[int]:
    """What followed the last tokens when they were last there; empty when they never were.

    :param tokens: the text so far. :param most: most tokens to guess, 0 or more.
    """
    if most <= 0:
        return []
    for size in range(_LONGEST, _SHORTEST - 1, -1):
        if len(tokens) <= size:
            continue
        wanted = list(tokens[-size:])
        last = wanted[-1]
        for end in range(len(tokens) - 2, size - 2, -1):
            if tokens[end] == last and list(tokens[end - size + 1 : end + 1]) == wanted:
                # After fewer words the guess is worse: a shorter one is risked.
                return list(tokens[end + 1 : end + 1 + (most if size > _SHORTEST else most // 2)])
    return []
