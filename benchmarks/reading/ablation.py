"""Which rules of the grammar are needed: development sentences that are lost without each.

A rule is a function of the grammar's modules that yields parses. It is switched off by finding
nothing; a sentence needs it if it is then no longer read as it is with it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from reactree_planner.reading.form import GoalForm
from reactree_planner.reading.grammar import clauses, noun_phrases, prohibitions, sentences
from reactree_planner.reading.grammar.sentences import read
from reactree_planner.reading.vocabulary import ServerWords

_MODULES = (noun_phrases, clauses, prohibitions, sentences)


def rules() -> Iterator[tuple[str, str]]:
    """Module and name of each function of the grammar that yields parses."""
    for module in _MODULES:
        for name, value in vars(module).items():
            bare = inspect.unwrap(value) if callable(value) else None
            own = inspect.isfunction(bare) and bare.__module__ == module.__name__
            if own and inspect.isgeneratorfunction(bare):
                yield module.__name__, name


def _nothing(*_: object) -> tuple[Any, ...]:
    return ()


def without(module: str, name: str, run: Callable[[], list[GoalForm]]) -> list[GoalForm]:
    """What `run` reads while a rule finds nothing."""
    holders = [one for one in _MODULES if getattr(one, name, None) is not None]
    kept = {one: getattr(one, name) for one in holders}
    try:
        for one in holders:
            setattr(one, name, _nothing)
        return run()
    finally:
        for one, value in kept.items():
            setattr(one, name, value)


def needed(sentences_: Sequence[tuple[str, ServerWords]]) -> Iterator[tuple[str, int, str]]:
    """Each rule, how many sentences need it, and the first that does."""

    def run() -> list[GoalForm]:
        return [read(text, words) for text, words in sentences_]

    whole = run()
    for module, name in rules():
        lost = [i for i, form in enumerate(without(module, name, run)) if form != whole[i]]
        first = ' '.join(sentences_[lost[0]][0].split()) if lost else ''
        yield f'{module.rpartition(".")[2]}.{name}', len(lost), first
