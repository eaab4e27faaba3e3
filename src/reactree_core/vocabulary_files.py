"""What a skill server declares, as a file: written by a person, or its answer to ListSkills.

vocabulary:                                  {"templates": ["lift <crate>"],
  skills:                                     "place_classes": ["dock"],
    - template: lift <crate>                  "skill_types": [{"skill_template": ...}],
      kind: take                              "classes": [{"name": "crate", ...}]}
  object_classes: [crate]
  other_words: {crate: [box]}
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from reactree_core.errors import ConfigurationError
from reactree_core.observation import Vocabulary
from reactree_core.skill_checks import faults_of
from reactree_core.skill_types import SkillKind, SkillType
from reactree_core.written_files import check, read_file, Written

#: Answers of servers with thousands of names are larger than what people write.
_LARGEST = 16 * 1024**2
_FORM = (
    'is no vocabulary: it maps "vocabulary" to skills and names, as the files in '
    'benchmarks/grounding/phrasings do, or is an answer of ListSkills as JSON'
)
_KINDS = {kind.name.lower(): kind for kind in SkillKind}
#: Kinds of NameClass.msg.
_THING, _PLACE, _REGION = 0, 1, 2

Text = Annotated[str, Field(min_length=1, max_length=4000)]
Names = list[Text]


class WrittenSkill(Written):
    """A skill, as a person writes it."""

    template: Text
    slots: Names = Field(default=[])
    kind: str = 'other'
    inverse: str = ''
    effects: Names = Field(default=[])
    description: str = ''
    other_words: Names = Field(default=[])


class WrittenServer(Written):
    """Skills and names, as a person writes them."""

    skills: list[WrittenSkill]
    object_classes: Names = Field(default=[])
    place_classes: Names = Field(default=[])
    rooms: Names = Field(default=[])
    other_classes: Names = Field(default=[])
    other_words: dict[Text, Names] = Field(default={})


class _Answered(BaseModel):
    """A message as JSON; what is not read of it may be anything."""

    model_config = ConfigDict(extra='ignore', strict=True)


class _AnsweredSkill(_Answered):
    skill_template: Text
    slot_types: list[str] = []
    kind: int = Field(default=0, ge=0, le=255)
    inverse: str = ''
    effects: Names = []
    description: str = ''
    other_words: Names = []


class _AnsweredClass(_Answered):
    name: Text
    kind: int = Field(default=0, ge=0, le=255)
    other_words: Names = []


class _Answer(_Answered):
    templates: Names = []
    object_classes: Names = []
    place_classes: Names = []
    rooms: Names = []
    skill_types: list[_AnsweredSkill] = []
    classes: list[_AnsweredClass] = []
    domain: str = ''
    about: str = ''


def read_vocabulary(file: Path) -> Vocabulary:
    """The vocabulary of a file.

    :raises ConfigurationError: it cannot be read, or something in it cannot be used.
    """
    content = read_file(file, dict[str, Any], form=_FORM, largest=_LARGEST)
    if 'vocabulary' in content:
        written: WrittenServer = check(content['vocabulary'], WrittenServer, str(file), _FORM)
        vocabulary = vocabulary_of(written, file)
    elif {'templates', 'skill_types'} & content.keys():
        vocabulary = _of_answer(check(content, _Answer, str(file), _FORM))
        _check(vocabulary, file)
    else:
        raise ConfigurationError(f'{file} {_FORM}.')
    if not vocabulary.skills:
        raise ConfigurationError(f'{file} declares no skill: a robot without skills does nothing.')
    return vocabulary


def vocabulary_of(written: WrittenServer, file: Path) -> Vocabulary:
    """The vocabulary that a person has written.

    :param file: where it stands. :raises ConfigurationError: a skill in it cannot be used.
    """
    for skill in written.skills:
        if skill.kind not in _KINDS:
            raise ConfigurationError(
                f'{file}: "{skill.template}" is of the kind {skill.kind!r}, which is none of '
                f'{", ".join(_KINDS)}'
            )
    skills = tuple(
        SkillType(
            one.template, tuple(one.slots), _KINDS[one.kind], one.inverse, tuple(one.effects),
            one.description, tuple(one.other_words),
        )
        for one in written.skills
    )  # fmt: skip
    vocabulary = Vocabulary(
        tuple(skill.template for skill in skills),
        tuple(written.object_classes),
        tuple(written.place_classes),
        tuple(written.rooms),
        skills,
        tuple(written.other_classes),
        tuple((name, *words) for name, words in written.other_words.items()),
    )
    _check(vocabulary, file)
    return vocabulary


def _of_answer(answer: _Answer) -> Vocabulary:
    skills = tuple(
        SkillType(
            one.skill_template,
            tuple(one.slot_types),
            SkillKind(one.kind) if one.kind in SkillKind.__members__.values() else SkillKind.OTHER,
            one.inverse,
            tuple(one.effects),
            one.description,
            tuple(one.other_words),
        )
        for one in answer.skill_types
    )
    named: dict[int, list[str]] = {
        _THING: list(answer.object_classes),
        _PLACE: list(answer.place_classes),
        _REGION: list(answer.rooms),
    }
    others: list[str] = []
    for declared in answer.classes:
        named.get(declared.kind, others).append(declared.name)
    return Vocabulary(
        tuple(dict.fromkeys((*answer.templates, *(skill.template for skill in skills)))),
        tuple(dict.fromkeys(named[_THING])),
        tuple(dict.fromkeys(named[_PLACE])),
        tuple(dict.fromkeys(named[_REGION])),
        skills,
        tuple(dict.fromkeys(others)),
        tuple((one.name, *one.other_words) for one in answer.classes if one.other_words),
        answer.domain,
        answer.about,
    )


def _check(vocabulary: Vocabulary, file: Path) -> None:
    for skill in vocabulary.skills:
        faults = faults_of(skill)
        if faults:
            raise ConfigurationError(f'{file}: {faults[0]}')
