"""The languages that are told apart, as `words/languages.yaml` lists their small words."""

from __future__ import annotations

from dataclasses import dataclass, replace
from importlib.resources import files
from typing import Any

import yaml

from reactree_core.written_files import FAST_LOADER
from reactree_planner.reading.plain_words import plain_words


@dataclass(frozen=True, slots=True)
class Language:
    """What is known of a language; `languages.yaml` says what the fields are.

    :param turning: those that forbid and contrast too.
    """

    name: str
    function_words: frozenset[str] = frozenset()
    forbidding: frozenset[str] = frozenset()
    turning: frozenset[str] = frozenset()
    contrasting: frozenset[str] = frozenset()
    joining: frozenset[str] = frozenset()
    before: tuple[str, ...] = ()
    commands: frozenset[str] = frozenset()
    courtesy: frozenset[str] = frozenset()
    letters: frozenset[str] = frozenset()
    order: frozenset[str] = frozenset()
    numbers: tuple[str, ...] = ()
    every: frozenset[str] = frozenset()
    spaced: bool = True
    has_endings: bool = False
    stopping: tuple[str, ...] = ()
    pausing: tuple[str, ...] = ()
    denying: tuple[str, ...] = ()
    beside_halting: frozenset[str] = frozenset()

    @property
    def is_listed(self) -> bool:
        """Whether its small words are known, so that what is content can be told."""
        return bool(self.function_words)


def _read() -> dict[str, Language]:
    text = files(__package__).joinpath('words', 'languages.yaml').read_text(encoding='utf-8')
    return {code: _language(told) for code, told in yaml.load(text, FAST_LOADER).items()}


def _language(told: dict[str, Any]) -> Language:
    one = Language(**{field: _read_field(field, value) for field, value in told.items()})
    turning = one.turning | one.contrasting | one.forbidding
    function_words = (one.function_words | one.order | one.every) - turning
    return replace(one, function_words=function_words, turning=turning)


def _read_field(field: str, value: Any) -> Any:
    if field in ('stopping', 'pausing', 'denying'):
        return tuple(filter(None, map(str.strip, value.casefold().split('|'))))
    if field in ('before', 'numbers'):
        return tuple(value.split() if isinstance(value, str) else value)
    if field == 'letters':
        return frozenset(value)
    is_list = isinstance(value, str) and field != 'name'
    split = plain_words if field == 'courtesy' else str.split
    return frozenset(split(value.casefold())) if is_list else value


#: ISO 639-1 codes of the languages that are told apart.
LANGUAGES = _read()
#: English words that are said with sentences of any language.
COURTESY = frozenset(
    ('please', 'ok', 'thanks', 'thank', 'hello', 'hi', 'hey', 'robot', 'mr', 'mrs', 'ms', 'dr')
)
