"""What must hold of every skill of every robot file, tried on generated ones.

Each skill can be named, executed, undone, refused with the true reason, exported and read back:
behaviour trees by the libraries they are for, PDDL by two planners.
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
from reactree_core.errors import ReactreeError
from reactree_planner.facts.pddl import PddlFiles
from reactree_tools.robot_check.exports import PddlReader
from reactree_tools.robot_check.self_test import Result, self_test
from robot_bridge.loading import load_robot
from robot_bridge.robot import Robot


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
    findings: list[Finding] = []
    checked: dict[str, int] = {}
    for skill, row in zip(robot.skills, self_test(robot, readers=readers), strict=True):
        for check in row.checks:
            if check.result is not Result.NOTHING:
                checked[check.name] = checked.get(check.name, 0) + 1
        kind, slots = skill.type.kind.name.lower(), len(skill.type.slots)
        findings += [
            Finding(seed, row.name, kind, slots, row.tried, one.name, one.note)
            for one in row.failed
        ]
    return FileResult(len(robot.skills), tuple(checked.items()), tuple(findings))


def loaded(file: dict[str, Any]) -> Robot:
    """The robot of a generated file, by way of its text.

    :raises ReactreeError: the file has a mistake.
    """
    with TemporaryDirectory() as folder:
        path = Path(folder) / 'robot.yaml'
        path.write_text(
            yaml.safe_dump(file, allow_unicode=True, sort_keys=False), encoding='utf-8'
        )
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
