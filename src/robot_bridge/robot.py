"""A robot as its file describes it, ready to be used: skills with their calls, and its state."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from reactree_core.errors import ConfigurationError
from reactree_core.measures import read_comparison
from reactree_core.observation import Vocabulary
from reactree_core.skill_types import (
    class_and_number,
    Effect,
    faults_of,
    MOST_SLOTS,
    SkillKind,
    SkillType,
    SlotType,
)
from reactree_core.written_files import Lines, MistakesError, read_with_lines
from robot_bridge.calls import Call, CallMaker
from robot_bridge.faults import Faults, Location
from robot_bridge.filling import Filler, Scope
from robot_bridge.interface_types import Catalogue, near
from robot_bridge.needs import Need, NeedsReader
from robot_bridge.perception_file import check_perception, IMAGE, INFO
from robot_bridge.reading import Reader, Sentence
from robot_bridge.robot_file import RobotFile, SkillEntry, Step
from robot_bridge.senses import Senses
from robot_bridge.senses_from_file import check_hand, SensesMaker
from robot_bridge.signals import Signals, SignalsMaker
from robot_bridge.slots import slot_types
from robot_bridge.state_file import NumberEntry, Source

#: Steps that a skill may come to with its procedures.
_MOST_CALLS = 200
_SLOT = re.compile(r'<([^<>]*)>')
_FIELD = re.compile(r'\{[^{}]*\}')
#: How a file that is none begins, for the sentence.
_FORM = 'is no file of a robot: see docs/robot_file.md, or let `reactree robot init` write one'


@dataclass(frozen=True, slots=True)
class Skill:
    """A skill with what is done for it.

    :param needs: without which it is not begun.
    :param done: what is said when it succeeded; None where nothing of its own is.
    """

    type: SkillType
    entry: SkillEntry
    calls: tuple[Call, ...]
    needs: tuple[Need, ...]
    done: Sentence | None


@dataclass(frozen=True, slots=True)
class Interface:
    """One of a robot's interfaces.

    :param kind: 'action', 'service', 'publish' for a topic that it hears, 'await' for one that it
        publishes.
    """

    kind: str
    name: str
    type: str

    def __str__(self) -> str:
        """E.g. 'action /navigate_to_pose'."""
        return f'{"topic" if self.kind in ("publish", "await") else self.kind} {self.name}'


@dataclass(frozen=True, slots=True)
class Robot:
    """A robot's file that holds together, with its types."""

    file: RobotFile
    skills: tuple[Skill, ...]
    senses: Senses
    signals: Signals

    def vocabulary(self) -> Vocabulary:
        """What is declared of skills and names."""
        return _vocabulary(self.file, tuple(skill.type for skill in self.skills))

    def find(self, text: str, things: Sequence[str]) -> tuple[Skill | None, dict[str, str], str]:
        """The skill that a text is of, and what stands in its slots; or why there is none.

        :param things: names of things that are known now.
        """
        objection = ''
        for skill in self.skills:
            names = [slot.name for slot in skill.type.slots]
            for values in skill.type.splits(text, any_number=True):
                slots = dict(zip(names, values, strict=True))
                objection = _slot_fault(self.file, skill, slots, things)
                if not objection:
                    return skill, slots, ''
        if not objection:
            templates = [skill.type.template for skill in self.skills]
            objection = f'There is no skill "{text[:80]}"; {near(text, templates)}.'
        return None, {}, objection

    @property
    def hears_frames(self) -> bool:
        """Whether the pose of the robot or of a place is looked up in TF."""
        pose = self.file.state.pose
        frames = [pose.tf if pose else '', *(place.tf for place in self.file.places.values())]
        return any(frames)

    def cameras(self) -> tuple[Interface, ...]:
        """What the file names for perception: topics of cameras and detectors."""
        perception = self.file.perception
        if perception is None:
            return ()
        found = [Interface('await', entry.topic, entry.type) for entry in perception.detections]
        for camera in perception.cameras.values():
            found += [
                Interface('await', camera.image, IMAGE),
                Interface('await', camera.info, INFO),
            ]
            found += [Interface('await', camera.depth, IMAGE)] if camera.depth else []
        return tuple(dict.fromkeys(found))

    def interfaces(self) -> tuple[Interface, ...]:
        """What the file names of the robot's ROS side, each once."""
        calls = [c.step for skill in self.skills for c in skill.calls if not c.step.is_wait]
        if self.signals.press is not None:
            calls.append(self.signals.press.step)
        senses: list[Source] = [sense.entry for sense in self.senses.all()]
        senses += [signal.entry for signal in self.signals.all()]
        return tuple(
            dict.fromkeys(
                (
                    *(Interface(step.kind, step.name, step.type) for step in calls),
                    *(
                        Interface(
                            'await' if entry.topic else 'service',
                            entry.topic or entry.service,
                            entry.type,
                        )
                        for entry in senses
                        if entry.topic or entry.service
                    ),
                )
            )
        )


def _vocabulary(file: RobotFile, skills: tuple[SkillType, ...]) -> Vocabulary:
    classes: dict[str, str] = {entry.name: entry.kind for entry in file.classes}
    for kind, names in (('thing', file.things), ('place', file.places)):
        for name in names:
            classes.setdefault(class_and_number(name)[0], kind)
    for seen in file.perception.classes if file.perception is not None else ():
        classes.setdefault(seen, 'thing')
    for entry in file.state.facts:
        if not _FIELD.search(entry.name):
            classes.setdefault(class_and_number(entry.name)[0], 'other')
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
                *((entry.name, entry.other_words) for entry in file.classes),
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


def declared_vocabulary(path: Path) -> Vocabulary:
    """What a robot's file declares of skills and names, whatever types are installed.

    :raises ConfigurationError: it cannot be read, or a skill is declared wrongly.
    """
    file, lines = _read(path)
    faults = Faults(lines)
    classes = _classes(file)
    skills = tuple(
        _declared(entry, ('skills', index), classes, faults)
        for index, entry in enumerate(file.skills)
    )
    sentences = faults.sentences()
    if sentences:
        raise MistakesError(str(path), sentences)
    return replace(_vocabulary(file, skills), templates=tuple(one.template for one in skills))


def _read(path: Path) -> tuple[RobotFile, Lines]:
    file, lines = read_with_lines(path, RobotFile, form=_FORM)
    if file is None:
        raise ConfigurationError(f'{path} {_FORM}.')
    return file, lines


def read_robot_file(path: Path) -> RobotFile:
    """What a robot's file says, whatever types are installed.

    :raises ConfigurationError: it cannot be read, or what it says of cameras is wrong.
    """
    file, lines = _read(path)
    faults = Faults(lines)
    if file.perception is not None:
        check_perception(file.perception, list(file.places), faults)
    if sentences := faults.sentences():
        raise MistakesError(str(path), sentences)
    return file


def load_robot(path: Path, catalogue: Catalogue) -> Robot:
    """The robot of a file.

    :param catalogue: the types that are installed.
    :raises ConfigurationError: something in it is wrong; one sentence for each mistake, with its
        line.
    """
    file, lines = _read(path)
    robot, sentences = check_robot(file, lines, catalogue)
    if sentences:
        raise MistakesError(str(path), sentences)
    return robot


def check_robot(
    file: RobotFile, lines: Lines, catalogue: Catalogue
) -> tuple[Robot, tuple[str, ...]]:
    """A robot, and every mistake of its file; it can be used where there is none."""
    faults = Faults(lines)
    filler = Filler(file, catalogue, faults)
    reader = Reader(catalogue, filler, faults)
    calls = CallMaker(catalogue, filler, reader, faults)
    _check_names(file, faults)
    if file.perception is not None:
        check_perception(file.perception, list(file.places), faults)
    classes = _classes(file)
    procedures = _Procedures(file, faults)
    needs = NeedsReader(file, faults)
    skills = tuple(
        _skill(entry, ('skills', index), classes, procedures, filler, reader, calls, needs, faults)
        for index, entry in enumerate(file.skills)
    )
    procedures.check_used()
    _check_templates(skills, faults)
    senses = SensesMaker(file, catalogue, filler, reader, calls, faults).senses()
    signals = SignalsMaker(file, catalogue, filler, reader, calls, faults).signals()
    return Robot(file, skills, senses, signals), faults.sentences()


def _check_names(file: RobotFile, faults: Faults) -> None:
    """Names of places, things and classes."""
    for name, thing in file.things.items():
        if name in file.places:
            faults.add(('things', name), f'"{name}" is a place already: give one another name')
        if thing.place and thing.place not in file.places:
            faults.add(
                ('things', name, 'place'),
                f'there is no place "{thing.place}"; {near(thing.place, list(file.places))}',
            )
    for kind, names in (('places', file.places), ('things', file.things)):
        for name in names:
            if name != ' '.join(name.split()) or not name or set('<>') & set(name):
                faults.add(
                    (kind, name), f'"{name}" cannot be a name: no < or >, and single spaces'
                )
    known: set[str] = set()
    for index, entry in enumerate(file.classes):
        here = ('classes', index, 'name')
        if entry.name in known:
            faults.add(here, f'the class "{entry.name}" is declared twice')
        known.add(entry.name)
        if class_and_number(entry.name)[1] and entry.kind != 'region':
            faults.add(
                here,
                f'"{entry.name}" is one thing, not a class: write the class without its number',
            )


def _classes(file: RobotFile) -> dict[str, str]:
    """Classes that slots may take -> the type of such a slot, with what counts as one of them."""
    found: dict[str, str] = {}
    for entry in file.classes:
        kind = 'name' if entry.kind == 'other' else entry.kind
        found[entry.name] = f'{kind}: {", ".join((entry.name, *entry.other_words))}'
    for kind, names in (('thing', file.things), ('place', file.places)):
        for one in dict.fromkeys(class_and_number(name)[0] for name in names):
            found.setdefault(one, f'{kind}: {one}')
    for seen in file.perception.classes if file.perception is not None else ():
        found.setdefault(seen, f'thing: {seen}')
    return found


class _Procedures:
    """Steps by name, put in place of the steps that name them."""

    def __init__(self, file: RobotFile, faults: Faults) -> None:
        self._file = file
        self._faults = faults
        self._used: set[str] = set()

    def steps(
        self, steps: Sequence[Step], location: Location, inside: tuple[str, ...] = ()
    ) -> Iterator[tuple[Step, Location]]:
        """Steps with those of their procedures, and where each stands."""
        for index, step in enumerate(steps):
            here = (*location, index)
            if step.kind != 'procedure':
                yield step, here
                continue
            name = step.procedure
            where = (*here, 'procedure')
            if name not in self._file.procedures:
                known = list(self._file.procedures)
                self._faults.add(where, f'there is no procedure "{name}"; {near(name, known)}')
            elif name in inside:
                way = ' -> '.join((*inside[inside.index(name) :], name))
                self._faults.add(where, f'the procedure "{name}" comes back to itself: {way}')
            else:
                self._used.add(name)
                found = self._file.procedures[name]
                yield from self.steps(found, ('procedures', name), (*inside, name))

    def check_used(self) -> None:
        """Note procedures that nothing names; they have not been checked."""
        for name in self._file.procedures:
            if name not in self._used:
                self._faults.add(('procedures', name), f'no skill uses the procedure "{name}"')


def _declared(
    entry: SkillEntry, location: Location, classes: Mapping[str, str], faults: Faults
) -> SkillType:
    types: tuple[str, ...] = ()
    with faults.noting((*location, 'slots' if entry.slots else 'skill')):
        types = slot_types(entry.skill, entry.slots, classes)
    declared = SkillType(
        entry.template,
        types,
        SkillKind[entry.kind.upper().replace(' ', '_')],
        entry.inverse,
        tuple(entry.effects),
        entry.description,
        tuple(entry.other_words),
    )
    for fault in faults_of(declared):
        faults.add((*location, 'skill'), fault)
    return declared


def _skill(
    entry: SkillEntry,
    location: Location,
    classes: Mapping[str, str],
    procedures: _Procedures,
    filler: Filler,
    reader: Reader,
    maker: CallMaker,
    needs: NeedsReader,
    faults: Faults,
) -> Skill:
    declared = _declared(entry, location, classes, faults)
    names = [slot.name for slot in declared.slots]
    for name in sorted({name for name in names if names.count(name) > 1}):
        faults.add((*location, 'skill'), f'"{entry.skill}" has two slots <{name}>')
    scope = Scope({slot.name: slot for slot in declared.slots}, entry.template)
    steps = list(procedures.steps(entry.do, (*location, 'do')))
    if len(steps) > _MOST_CALLS:
        faults.add((*location, 'do'), f'it comes to more than {_MOST_CALLS} steps')
    calls = [
        maker.call(step, number, scope, here)
        for number, (step, here) in enumerate(steps[:_MOST_CALLS], 1)
    ]
    done = None
    if entry.done:
        with faults.noting((*location, 'done')):
            done = reader.sentence(entry.done, scope, None)
    check_hand(entry.hand, filler.file, (*location, 'hand'), faults)
    needs.check_effects(entry, location)
    found = tuple(call for call in calls if call is not None)
    for (step, here), call in zip(steps, calls, strict=False):
        if call is not None and call.fact is not None:
            needs.check_fact(step.until, call.fact, entry, scope, (*here, 'until'))
    takes = tuple(call.takes for call in found if call.takes)
    effects = declared.effects
    if takes:
        # Beside others, those usual for its kind would not count unless they are given.
        effects = (*(effects or (fact.text for fact in declared.facts)), *takes)
    return Skill(
        replace(declared, needs=tuple(entry.needs), effects=effects),
        entry,
        found,
        tuple(needs.needs(entry, scope, location)),
        done,
    )


def _check_templates(skills: Sequence[Skill], faults: Faults) -> None:
    """No two skills with the same texts; what takes one back is a skill too."""
    shapes: dict[str, SkillType] = {}
    for index, skill in enumerate(skills):
        shape = _shape(skill.type.template)
        if shape in shapes:
            faults.add(
                ('skills', index, 'skill'),
                f'"{skill.type.template}" has the same texts as "{shapes[shape].template}", '
                'which stands before it',
            )
        shapes.setdefault(shape, skill.type)
    for index, skill in enumerate(skills):
        inverse = skill.type.inverse
        if inverse and _shape(inverse) not in shapes:
            known = [other.type.template for other in skills]
            faults.add(
                ('skills', index, 'inverse'),
                f'"{skill.type.template}" is taken back by "{inverse}", which is no skill here; '
                f'{near(inverse, known)}',
            )


def _shape(template: str) -> str:
    """A template without the names of its slots."""
    return SkillType(template).filled(['<>'] * MOST_SLOTS)


def with_values(effect: Effect, slots: Mapping[str, str]) -> Effect:
    """A fact of a template, about what stands in its slots."""

    def filled(text: str) -> str:
        return _SLOT.sub(lambda match: slots.get(match[1], match[0]), text)

    return Effect(effect.relation, filled(effect.subject), filled(effect.value), effect.holds)


def _slot_fault(
    file: RobotFile, skill: Skill, slots: Mapping[str, str], things: Sequence[str]
) -> str:
    """Why a skill cannot be about what stands in its slots; '' when it can."""
    for slot in skill.type.slots:
        value = slots[slot.name]
        objection = slot.objection(value)
        if objection:
            return objection
        regions = [place.region for place in file.places.values() if place.region]
        known = {
            SlotType.PLACE: [*file.places],
            SlotType.THING: [*things],
            SlotType.REGION: regions,
            SlotType.NAME: [*file.places, *things, *regions],
        }.get(slot.type)
        if known is not None and value not in known:
            what = slot.type.value
            return f'There is no {what} "{value[:80]}" that is known; {near(value, known)}.'
    return ''
