"""The languages that are told apart, as `words/languages.yaml` lists their small words."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import yaml

from reactree_core.written_files import FAST_LOADER
from reactree_planner.reading.tokens import plain_words


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
    without: frozenset[str] = frozenset()
    joining: frozenset[str] = frozenset()
    nor: frozenset[str] = frozenset()
    before: tuple[str, ...] = ()
    commands: frozenset[str] = frozenset()
    courtesy: frozenset[str] = frozenset()
    letters: frozenset[str] = frozenset()
    order: frozenset[str] = frozenset()
    numbers: tuple[str, ...] = ()
    every: frozenset[str] = frozenset()
    counters: str = ''
    spaced: bool = True
    has_endings: bool = False
    stopping: tuple[str, ...] = ()
    pausing: tuple[str, ...] = ()
    denying: tuple[str, ...] = ()
    beside_halting: frozenset[str] = frozenset()

    @property
    def is_english(self) -> bool:
        """Whether it is English, which the grammar knows."""
        return self.name == 'English'

    @property
    def is_listed(self) -> bool:
        """Whether its small words are known, so that what is content can be told."""
        return bool(self.function_words)


def _read() -> dict[str, Language]:
    text = files(__package__).joinpath('words', 'languages.yaml').read_text(encoding='utf-8')
    return {code: _language(told) for code, told in yaml.load(text, FAST_LOADER).items()}


def _language(told: dict[str, Any]) -> Language:
    def words(field: str) -> frozenset[str]:
        return frozenset(told.get(field, '').casefold().split())

    def phrases(field: str) -> tuple[str, ...]:
        return tuple(filter(None, map(str.strip, told.get(field, '').casefold().split('|'))))

    order, every, forbidding = words('order'), words('every'), words('forbidding')
    contrasting = words('contrasting')
    turning = words('turning') | contrasting | forbidding
    return Language(
        told['name'],
        (words('function_words') | order | every) - turning,
        forbidding,
        turning,
        contrasting,
        words('without'),
        words('joining'),
        words('nor'),
        tuple(told.get('before', ())),
        words('commands'),
        frozenset(plain_words(told.get('courtesy', ''))),
        frozenset(told.get('letters', '')),
        order,
        tuple(told.get('numbers', '').split()),
        every,
        told.get('counters', ''),
        told.get('spaced', True),
        told.get('has_endings', False),
        phrases('stopping'),
        phrases('pausing'),
        phrases('denying'),
        words('beside_halting'),
    )


#: ISO 639-1 codes of the languages that are told apart.
LANGUAGES = _read()
#: English words that are said with sentences of any language.
COURTESY = frozenset(
    ('please', 'ok', 'thanks', 'thank', 'hello', 'hi', 'hey', 'robot', 'mr', 'mrs', 'ms', 'dr')
)
