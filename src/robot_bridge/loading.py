"""Reads a robot's file, and finds every mistake in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from reactree_core.errors import ConfigurationError
from reactree_core.observation import Vocabulary
from reactree_core.skill_checks import shape_of
from reactree_core.skill_types import class_and_number, ONLY_HAND_FREE, Relation, SkillType
from reactree_core.written_files import Lines, MistakesError, read_with_lines
from robot_bridge.calls import CallMaker
from robot_bridge.classes import Classes
from robot_bridge.faults import Faults, Location
from robot_bridge.filling import Filler, Scope
from robot_bridge.interface_types import Catalogue, near
from robot_bridge.needs import NeedsReader
from robot_bridge.perception_file import check_perception
from robot_bridge.reading import Reader
from robot_bridge.robot import Robot, Skill
from robot_bridge.robot_file import RobotFile, SkillEntry, Step
from robot_bridge.senses_from_file import check_hand, SensesMaker
from robot_bridge.signals import SignalsMaker
from robot_bridge.vocabulary import declared_skill, vocabulary_of

#: Steps that a skill may come to with its procedures.
_MOST_CALLS = 200
#: How a file that is none begins, for the sentence.
_FORM = 'is no file of a robot: see docs/robot_file.md, or let `reactree robot init` write one'


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
    classes = Classes(file)
    classes.check(faults)
    procedures = _Procedures(file, faults)
    needs = NeedsReader(file, faults)
    skills = tuple(
        _skill(entry, ('skills', index), classes, procedures, filler, reader, calls, needs, faults)
        for index, entry in enumerate(file.skills)
    )
    procedures.check_used()
    _check_templates(skills, faults)
    senses = SensesMaker(file, catalogue, reader, calls, faults).senses()
    signals = SignalsMaker(file, reader, calls, faults).signals()
    return Robot(file, skills, senses, signals), faults.sentences()


def declared_vocabulary(path: Path) -> Vocabulary:
    """What a robot's file declares of skills and names, whatever types are installed.

    :raises ConfigurationError: it cannot be read, or a skill is declared wrongly.
    """
    file, lines = _read(path)
    faults = Faults(lines)
    classes = Classes(file)
    skills = tuple(
        declared_skill(file, entry, ('skills', index), classes, faults)
        for index, entry in enumerate(file.skills)
    )
    sentences = faults.sentences()
    if sentences:
        raise MistakesError(str(path), sentences)
    return replace(vocabulary_of(file, skills), templates=tuple(one.template for one in skills))


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


def _skill(
    entry: SkillEntry,
    location: Location,
    classes: Classes,
    procedures: _Procedures,
    filler: Filler,
    reader: Reader,
    maker: CallMaker,
    needs: NeedsReader,
    faults: Faults,
) -> Skill:
    declared = declared_skill(filler.file, entry, location, classes, faults)
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
        replace(
            declared,
            needs=_needs_told(filler.file, declared, needs.declared(entry)),
            effects=effects,
        ),
        entry,
        found,
        tuple(needs.needs(entry, scope, location)),
        done,
    )


def _needs_told(file: RobotFile, declared: SkillType, needs: tuple[str, ...]) -> tuple[str, ...]:
    """Needs as planners read them: of a robot with one hand, that what takes needs it."""
    takes = any(fact.relation is Relation.HOLDING and fact.holds for fact in declared.facts)
    if not (takes and needs and len(file.hands) == 1):
        return needs
    return (ONLY_HAND_FREE, *(one for one in needs if not one.endswith(' free')))


def _check_templates(skills: Sequence[Skill], faults: Faults) -> None:
    """No two skills with the same texts; what takes one back is a skill too."""
    shapes: dict[str, SkillType] = {}
    for index, skill in enumerate(skills):
        shape = shape_of(skill.type.template)
        if shape in shapes:
            faults.add(
                ('skills', index, 'skill'),
                f'"{skill.type.template}" has the same texts as "{shapes[shape].template}", '
                'which stands before it',
            )
        shapes.setdefault(shape, skill.type)
    for index, skill in enumerate(skills):
        inverse = skill.type.inverse
        if inverse and shape_of(inverse) not in shapes:
            known = [other.type.template for other in skills]
            faults.add(
                ('skills', index, 'inverse'),
                f'"{skill.type.template}" is taken back by "{inverse}", which is no skill here; '
                f'{near(inverse, known)}',
            )
