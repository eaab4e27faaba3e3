"""What a robot's file declares: its skills, and the names that they are about."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from reactree_core.measures import read_comparison
from reactree_core.observation import Vocabulary
from reactree_core.skill_checks import faults_of
from reactree_core.skill_types import class_and_number, SkillKind, SkillType
from robot_bridge.classes import Classes
from robot_bridge.faults import Faults, Location
from robot_bridge.robot_file import RobotFile, SkillEntry
from robot_bridge.slots import FAULTY, slot_types
from robot_bridge.state_file import NumberEntry

_FIELD = re.compile(r'\{[^{}]*\}')


def vocabulary_of(
    file: RobotFile, skills: tuple[SkillType, ...], seen: Iterable[str] = ()
) -> Vocabulary:
    """Declarations of a file with these skills and its names.

    :param seen: names of things that the robot reports: one of these is no other word for others.
    """
    # What has members is a class of slots; in tasks its members have their own names.
    plain = [entry for entry in file.classes if not entry.members]
    classes: dict[str, str] = {entry.name: entry.kind for entry in plain}
    for kind, names in (('thing', file.things), ('place', file.places)):
        for name in names:
            classes.setdefault(class_and_number(name)[0], kind)
    for seen in file.perception.classes if file.perception is not None else ():
        classes.setdefault(seen, 'thing')
    for entry in file.state.facts:
        if not _FIELD.search(entry.name):
            classes.setdefault(class_and_number(entry.name)[0], 'other')
    known = Classes(file)
    for name in (one for entry in file.classes for one in known.members(entry.name)):
        if not known.kind(name):
            classes.setdefault(class_and_number(name)[0], 'thing')
    said = {word for entry in plain for word in entry.other_words}
    for name in {class_and_number(one)[0] for one in seen} & said:
        classes.setdefault(name, 'thing')
    regions = dict.fromkeys(place.region for place in file.places.values())
    return Vocabulary(
        object_classes=tuple(name for name, kind in classes.items() if kind == 'thing'),
        place_classes=tuple(name for name, kind in classes.items() if kind == 'place'),
        rooms=tuple(region for region in regions if region),
        skill_types=skills,
        other_classes=(
            *(name for name, kind in classes.items() if kind == 'other'),
            *file.state.numbers,
        ),
        other_words=tuple(
            (name, *words)
            for name, words in (
                *((entry.name, entry.other_words) for entry in plain),
                *((name, number.other_words) for name, number in file.state.numbers.items()),
                *_words_of_numbers(file),
            )
            if words
        ),
        domain=file.domain,
        about=file.about,
        states=tuple(_states(file)),
        numbers=tuple(
            dict.fromkeys(
                (*file.state.numbers, *(n for fact in file.state.facts for n in fact.numbers))
            )
        ),
    )


def _words_of_numbers(file: RobotFile) -> Iterator[tuple[str, list[str]]]:
    """States that follow from numbers, with the condition that each stands for."""
    numbers: list[tuple[str, NumberEntry]] = [('', one) for one in file.state.numbers.values()]
    numbers += [pair for fact in file.state.facts for pair in fact.numbers.items()]
    for name, number in numbers:
        for word, written in number.words.items():
            comparison = read_comparison(written)
            if comparison is not None:
                yield word, [replace(comparison, name=name).text]


def _states(file: RobotFile) -> dict[str, None]:
    """Words of states that the file writes: of its sources, and of what follows from numbers."""
    found: dict[str, None] = {}
    for entry in file.state.facts:
        states = [*entry.words.values(), *_FIELD.split(entry.state)]
        found |= dict.fromkeys(
            word for one in states for part in one.split(',') if (word := ' '.join(part.split()))
        )
        found |= dict.fromkeys(word for number in entry.numbers.values() for word in number.words)
    for number in file.state.numbers.values():
        found |= dict.fromkeys(number.words)
    return found


def declared_skill(
    file: RobotFile,
    entry: SkillEntry,
    location: Location,
    classes: Classes,
    faults: Faults,
) -> SkillType:
    """A skill as the file declares it; what is wrong with that is noted.

    :param classes: of the file.
    """
    types: tuple[str, ...] = ()
    here = (*location, 'slots' if entry.slots else 'skill')
    with faults.noting(here):
        told = slot_types(entry.skill, entry.slots, classes.slot_type)
        types = told.types
        for key, fault in told.faults:
            faults.add((*location, *(('slots', key) if key else ('skill',))), fault)
    retries = file.retries if entry.retries is None else entry.retries
    declared = SkillType(
        entry.template,
        types,
        SkillKind[entry.kind.upper().replace(' ', '_')],
        entry.inverse,
        tuple(entry.effects),
        entry.description,
        tuple(entry.other_words),
        tries=0 if retries is None else 1 + retries,
    )
    # What is wrong with a slot is noted already.
    sound = tuple('' if one.startswith(FAULTY) else one for one in types)
    for fault in faults_of(replace(declared, slot_types=sound)):
        faults.add((*location, 'skill'), fault)
    return declared
