"""What must hold of every skill of every robot file, tried on generated ones.

Each skill can be named, executed, undone, refused with the true reason, exported and read back:
behaviour trees by the libraries they are for, PDDL by two planners. A mistake is named once.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import yaml

from benchmarks.robot_files.catalogue import GeneratedInterfaces
from benchmarks.robot_files.generator import Generator
from benchmarks.robot_files.mistakes import mistaken, TOKEN
from reactree_core.errors import ReactreeError
from reactree_core.skill_types import Effect, Relation, SkillKind, SlotType
from reactree_core.written_files import MistakesError
from reactree_planner.facts.pddl import PddlFiles
from reactree_planner.reading.names import Names
from reactree_planner.reading.skill_sentence import matcher_of
from reactree_tools.robot_check.exports import PddlReader
from reactree_tools.robot_check.self_test import Result, self_test
from reactree_tools.robot_check.trials import run_in, texts_of, world_for
from robot_bridge.loading import load_robot
from robot_bridge.robot import Robot, Skill


@dataclass(frozen=True, slots=True)
class Finding:
    """A property that does not hold.

    :param seed: of the file. :param kind: of the skill. :param slots: how many it has.
    :param check: which property; 'load' of a file that is not read.
    """

    seed: int
    skill: str
    kind: str
    slots: int
    tried: str
    check: str
    note: str


@dataclass(frozen=True, slots=True)
class FileResult:
    """What came of one file. :param checked: how often each property was tried."""

    skills: int
    checked: tuple[tuple[str, int], ...]
    findings: tuple[Finding, ...]


def check_file(seed: int, readers: Sequence[PddlReader] = ()) -> FileResult:
    """Generate a file, and test it. :param readers: of PDDL, beside our own."""
    try:
        robot = loaded(Generator(seed).file())
    except ReactreeError as error:
        return FileResult(0, (), (Finding(seed, '', '', 0, '', 'load', str(error)),))
    findings = [one] if (one := check_mistake(seed)) is not None else []
    checked = {'mistake': 1}
    for skill, row in zip(robot.skills, self_test(robot, readers=readers), strict=True):
        for check in row.checks:
            if check.result is not Result.NOTHING:
                checked[check.name] = checked.get(check.name, 0) + 1
        kind, slots = skill.type.kind.name.lower(), len(skill.type.slots)
        findings += [
            Finding(seed, row.name, kind, slots, row.tried, check.name, check.note)
            for check in row.failed
        ]
        opened = opened_for_nothing(robot, skill)
        if opened is not None:
            checked['shut'] = checked.get('shut', 0) + 1
            if opened:
                findings.append(Finding(seed, row.name, kind, slots, row.tried, 'shut', opened))
        for name, text, wanted in sayings(robot, skill):
            checked[name] = checked.get(name, 0) + 1
            got = _asked(robot, text)
            if got != wanted:
                note = f'"{text}" is {got}, not {wanted}'
                findings.append(Finding(seed, row.name, kind, slots, text, name, note))
    return FileResult(len(robot.skills), tuple(checked.items()), tuple(findings))


#: Skills that a sentence asks for, and how often; before them places where they are done.
Asked = list[tuple[str, int]]


def sayings(robot: Robot, skill: Skill) -> Iterator[tuple[str, str, Asked]]:
    """Sentences that people make of a skill: property, sentence, and what it asks for."""
    texts, declared = texts_of(robot, skill), skill.type
    if not texts or any(slot.type is SlotType.TEXT for slot in declared.slots):
        # A free text takes all that stands behind it.
        return
    text, values = texts[0].text, list(texts[0].slots.values())
    if _asked(robot, text) != [(text, 0)]:
        # Two names of the file are alike: the column "read" says so.
        return
    yield 'again', f'{text}, then {text} again', [(text, 0), (text, 0)]
    yield 'often', f'{text} three times', [(text, 3)]
    named = [number for number, slot in enumerate(declared.slots) if slot.type.is_name]
    if len(named) == 1:
        values[named[0]] = 'it'
        yield 'pronoun', f'{text}, then {declared.filled(values)}', [(text, 0), (text, 0)]
    head, article, noun = declared.template.rpartition(' a ')
    if article and not declared.slots:
        states = any(fact.relation is Relation.IS for fact in declared.facts)
        yield 'count', f'{head} 3 {noun}s', [] if states else [(text, 3)]
    for move in robot.skills if not named and declared.kind is not SkillKind.MOVE else ():
        moved = {fact.relation for fact in move.type.facts} == {Relation.AT}
        if move.type.kind is SkillKind.MOVE and moved and len(move.type.slots) == 1:
            for there in texts_of(robot, move)[:1]:
                place = next(iter(there.slots.values()))
                yield 'place', f'{text} at the {place}', [(f'at {place}', 0), (text, 0)]
            return


def opened_for_nothing(robot: Robot, skill: Skill) -> str | None:
    """Handle a thing that is seen in a shut place.

    :return: '' where nothing was opened, else what was done; None where the skill needs no thing
        to be there, no place has a door, or the run failed for another reason.
    """
    text = next(iter(texts_of(robot, skill)), None)
    needs = [one.fact for group in text.needs() for one in group] if text is not None else []
    here = [one.subject for one in needs if one and one.relation is Relation.IN and one.holds]
    doors = [
        fact
        for one in robot.skills
        for fact in one.type.facts
        if one.type.kind is SkillKind.CLOSE and fact.subject in robot.file.places
    ]
    if text is None or not here or not doors:
        return None
    world, door = world_for(robot, text, True), doors[0]
    for name in here:
        world.make(Effect(Relation.IN, name, door.subject))
    world.make(door)
    trial = run_in(world, text.said)
    if not trial.succeeded or text.text not in trial.done:
        return None
    before = trial.done[: trial.done.index(text.text)]
    types = [one.type for one in robot.skills if one.type.kind is SkillKind.OPEN]
    opens = [done for done in before if any(True for one in types for _ in one.splits(done))]
    return f'{", ".join(trial.done)} with {door.text}' if opens else ''


def _asked(robot: Robot, text: str) -> Asked:
    read = matcher_of(Names(robot.vocabulary())).read(text)
    found: Asked = []
    for match in read.matches if read is not None else ():
        found += [(f'at {one.values[0]}', 0) for one in match.where]
        found += [(one.text, one.times) for one in match.skills]
    return found


def check_mistake(seed: int) -> Finding | None:
    """Put one mistake into a generated file: one sentence names it, with its line; None if so."""
    file, kind = mistaken(Generator(seed).file(), seed)
    lines = _text(file).splitlines()
    line = 1 + next(number for number, text in enumerate(lines) if TOKEN in text)
    said: tuple[str, ...] = ()
    try:
        loaded(file)
    except MistakesError as error:
        said = error.mistakes
    if len(said) == 1 and said[0].startswith(f'line {line}:'):
        return None
    note = f'line {line} has it; {"; ".join(said) or "nothing is said"}'
    return Finding(seed, lines[line - 1].strip(), kind, 0, '', 'mistake', note)


def _text(file: dict[str, Any]) -> str:
    return str(yaml.safe_dump(file, allow_unicode=True, sort_keys=False, width=1000))


def loaded(file: dict[str, Any]) -> Robot:
    """The robot of a generated file, by way of its text.

    :raises ReactreeError: the file has a mistake.
    """
    with TemporaryDirectory() as folder:
        path = Path(folder) / 'robot.yaml'
        path.write_text(_text(file), encoding='utf-8')
        return load_robot(path, GeneratedInterfaces())


def other_readers() -> Iterator[PddlReader]:
    """Other planners that are installed."""
    if find_spec('pyperplan') is not None:
        yield _by_pyperplan
    if find_spec('unified_planning') is not None:
        yield _by_unified_planning


def _by_pyperplan(files: PddlFiles) -> str:
    # A program of its own: it is under the GPL.
    with TemporaryDirectory() as folder:
        domain, problem = _written(files, Path(folder))
        command = [sys.executable, '-m', 'pyperplan', '-s', 'gbf', '-H', 'hff']
        done = subprocess.run(
            [*command, str(domain), str(problem)],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        solved = problem.with_suffix('.pddl.soln').exists()
    if done.returncode or not solved:
        return f'pyperplan does not solve it: {(done.stderr or done.stdout)[-200:]}'
    return ''


@cache
def _unified_planning() -> Any:
    from unified_planning.io import PDDLReader  # type: ignore[import-untyped,import-not-found,unused-ignore]

    return PDDLReader()


def _by_unified_planning(files: PddlFiles) -> str:
    try:
        read = _unified_planning().parse_problem_string(files.domain, files.problem)
    except Exception as error:  # noqa: BLE001  a parser's own
        return f'unified-planning does not read it: {error}'
    return '' if len(read.actions) == files.domain.count('(:action ') else 'actions were lost'


def _written(files: PddlFiles, folder: Path) -> tuple[Path, Path]:
    domain, problem = folder / 'domain.pddl', folder / 'problem.pddl'
    domain.write_text(files.domain, encoding='utf-8')
    problem.write_text(files.problem, encoding='utf-8')
    return domain, problem
