"""Phrasings with the conditions that they ground to, and the files they are read from."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Annotated
from typing import Literal

from pydantic import Field
from pydantic import ValidationError

from benchmarks.grounding.conditions import read_wanted
from benchmarks.grounding.conditions import Wanted
from reactree_core.errors import ConfigurationError
from reactree_core.observation import Vocabulary
from reactree_core.skill_types import faults_of
from reactree_core.skill_types import SkillKind
from reactree_core.skill_types import SkillType
from reactree_core.written_files import read_file
from reactree_core.written_files import Written

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

_Text = Annotated[str, Field(min_length=1, max_length=4000)]
_Names = list[_Text]


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


class _WrittenSkill(Written):
    template: _Text
    slots: _Names = Field(default=[])
    kind: str = 'other'
    inverse: str = ''
    effects: _Names = Field(default=[])
    description: str = ''


class _WrittenVocabulary(Written):
    skills: list[_WrittenSkill]
    object_classes: _Names = Field(default=[])
    place_classes: _Names = Field(default=[])
    rooms: _Names = Field(default=[])
    other_classes: _Names = Field(default=[])
    other_words: dict[_Text, _Names] = Field(default={})


class _WrittenPhrasing(Written):
    text: _Text
    conditions: _Names
    allowed: _Names = Field(default=[])
    about: list[str]
    half: Literal['development', 'held_out']


class _WrittenSet(Written):
    vocabulary: _WrittenVocabulary
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
    vocabulary = _vocabulary(written.vocabulary, file)
    return tuple(_phrasing(one, vocabulary, file) for one in written.phrasings)


def read_vocabulary(told: object, file: Path) -> Vocabulary:
    """A vocabulary as it is written in a file. :param file: for what is said of a mistake.

    :raises ConfigurationError: something in it cannot be used.
    """
    try:
        return _vocabulary(_WrittenVocabulary.model_validate(told), file)
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


def _vocabulary(written: _WrittenVocabulary, file: Path) -> Vocabulary:
    skills = tuple(_skill(one, file) for one in written.skills)
    return Vocabulary(
        tuple(skill.template for skill in skills),
        tuple(written.object_classes),
        tuple(written.place_classes),
        tuple(written.rooms),
        skills,
        tuple(written.other_classes),
        tuple((name, *words) for name, words in written.other_words.items()),
    )


def _skill(written: _WrittenSkill, file: Path) -> SkillType:
    kinds = {kind.name.lower(): kind for kind in SkillKind}
    if written.kind not in kinds:
        raise ConfigurationError(
            f'{file}: "{written.template}" is of the kind {written.kind!r}, which is none of '
            f'{", ".join(kinds)}'
        )
    skill = SkillType(
        written.template,
        tuple(written.slots),
        kinds[written.kind],
        written.inverse,
        tuple(written.effects),
        written.description,
    )
    faults = faults_of(skill)
    if faults:
        raise ConfigurationError(f'{file}: {faults[0]}')
    return skill
