"""Models of a few lines, for tests: what they want is known."""

from __future__ import annotations

from collections.abc import Callable, Sequence

_TASK = 'Your task is to: '


def prefer(*wanted: str) -> Callable[[str, Sequence[str] | None], str | int]:
    """A policy that takes the first of these that is offered, each once in a node.

    Else `failure` where that is offered, else the first option.
    """

    def policy(text: str, options: Sequence[str] | None) -> str | int:
        if options is None:
            return 'I go on.'
        names = [option.strip() for option in options]
        done = text.rpartition(_TASK)[2].splitlines()
        for one in wanted:
            if one in names and f'Act: {one}' not in done:
                return names.index(one)
        return names.index('failure') if 'failure' in names else 0

    return policy
