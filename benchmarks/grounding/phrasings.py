"""Phrasings with the conditions that they ground to, and the files they are read from."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError

from benchmarks.grounding.conditions import read_wanted, Wanted
from reactree_core.errors import ConfigurationError
from reactree_core.observation import Vocabulary
from reactree_core.vocabulary_files import Names, Text, vocabulary_of, WrittenServer
from reactree_core.written_files import read_file, Written

FOLDER = Path(__file__).with_name('phrasings')
#: What phrasings are about; of each in every file, as often in one half as in the other.
PHENOMENA = (
    'plain',
    'counts',
    'lists',
    'shared_words',
    'pronouns',
    'sentences',
    'lines',
    'steps',
    'end_states',
    'where_to_look',
    'misspellings',
    'other_words',
    'near_words',
    'split_names',
    'politeness',
    'unknown',
    'mentioned',
    'prohibitions',
    'states',
)


class Half(Enum):
    """What a phrasing may be used for."""

    #: To be looked at while grounding is written.
    DEVELOPMENT = 'development'
    #: To be measured only.
    HELD_OUT = 'held_out'


@dataclass(frozen=True, slots=True)
class Phrasing:
    """An instruction, and what a sensible person would accept as done.

    :param vocabulary: of the skill server that it is for. :param about: of `PHENOMENA`.
    """

    text: str
    wanted: Wanted
    half: Half
    vocabulary: Vocabulary
    about: tuple[str, ...] = ()


class _WrittenPhrasing(Written):
    text: Text
    conditions: Names
    allowed: Names = Field(default=[])
    about: list[str]
    half: Literal['development', 'held_out']


class _WrittenSet(Written):
    vocabulary: WrittenServer
    phrasings: list[_WrittenPhrasing]


def own_sets() -> tuple[str, ...]:
    """Names of the sets that come with the benchmark."""
    return tuple(sorted(file.stem for file in FOLDER.glob('*.yaml')))


def read_own_set(name: str) -> tuple[Phrasing, ...]:
    """The phrasings of a set that comes with the benchmark.

    :raises ConfigurationError: there is none, or its file cannot be used.
    """
    return read_phrasings(FOLDER / f'{name}.yaml')


def read_phrasings(file: Path) -> tuple[Phrasing, ...]:
    """The phrasings of a file.

    :raises ConfigurationError: it cannot be read, or something in it cannot be used.
    """
    form = 'must map "vocabulary" and "phrasings", as the files beside it'
    written: _WrittenSet = read_file(file, _WrittenSet, form=form)
    vocabulary = vocabulary_of(written.vocabulary, file)
    return tuple(_phrasing(one, vocabulary, file) for one in written.phrasings)


def read_vocabulary(told: object, file: Path) -> Vocabulary:
    """A vocabulary as it is written in a file. :param file: for what is said of a mistake.

    :raises ConfigurationError: something in it cannot be used.
    """
    try:
        return vocabulary_of(WrittenServer.model_validate(told), file)
    except ValidationError as error:
        raise ConfigurationError(f'{file}: {error.errors()[0]["msg"]}') from error


def _phrasing(written: _WrittenPhrasing, vocabulary: Vocabulary, file: Path) -> Phrasing:
    strange = set(written.about).difference(PHENOMENA)
    if strange:
        raise ConfigurationError(
            f'{file}: {written.text!r:.60} is about {strange.pop()!r}, which is none of '
            f'{", ".join(PHENOMENA)}'
        )
    try:
        wanted = read_wanted(written.conditions, written.allowed)
    except ConfigurationError as error:
        raise ConfigurationError(f'{file}: {written.text!r:.60}: {error}') from error
    return Phrasing(
        written.text.strip(), wanted, Half(written.half), vocabulary, tuple(written.about)
    )
