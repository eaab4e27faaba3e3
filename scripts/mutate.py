#!/usr/bin/env python3
"""Change the code in one small place at a time, and see whether a test notices (mutation testing).

    .venv/bin/python scripts/mutate.py --seed 7 --sample 60 src/reactree_planner/facts

draws 60 mutants of each folder, prints which share was noticed, and every survivor with its line.
All mutants of the sample are compiled into the modules at once, each behind a test of which one is
active. So the tests are collected once; one run without mutants tells which tests reach which
mutant; then a fork for each runs those, the quick ones first, until one fails. What runs on import
cannot be switched on later: for such a mutant all tests of its part are collected again.

What the tests of a part do not notice can be tried by others too (`--tests test/unit/planner`).

Mutants are much those of cosmic-ray, but for those that can only be equal: of annotations,
decorators, assertions and `strict=`. A loop that does not end counts as noticed.
"""

from __future__ import annotations

import argparse
import ast
import builtins
import copy
import functools
import gc
import importlib.abc
import importlib.machinery
import importlib.util
import os
import pickle
import random
import resource
import signal
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import hypothesis
import numpy  # noqa: F401 (imported before the forks, it is imported once)
import pytest
import yaml  # noqa: F401

ROOT = Path(__file__).resolve().parent.parent
#: Tests of how sentences and names are read that play in runs.
READING = (
    'amounts', 'laboratory', 'names', 'prohibitions', 'time_rules',
)  # fmt: skip
#: Tests of a robot's bridge that run in one process, with a robot of their own.
MOVING = (
    'fresh_senses',
    'goals_by_hand',
    'numbers_and_waits',
    'robot_bridge',
    'state_sources',
    'stopping',
)
#: The folders that are changed by default, each with the tests of its own.
PARTS = {
    'src/reactree_planner/facts': ['test/unit/facts'],
    'src/reactree_planner/reading': [
        'test/unit/reading',
        *(f'test/unit/planner/test_{name}.py' for name in READING),
    ],
    'src/reactree_core/permission': ['test/unit/permission'],
    'src/reactree_core/record': ['test/unit/record'],
    # Of these two, the tests with ROS count under scripts/with_ros alone.
    'src/robot_bridge': [
        'test/unit/robot_bridge',
        *(f'test/ros/robot_bridge/test_{name}.py' for name in MOVING),
    ],
    'src/skill_server': ['test/unit/skill_server', 'test/ros/skill_server'],
}
ALL_TESTS = ['test/unit']
ACTIVE = '_active_mutant'
#: Stays where it is when tests write to nowhere.
PROGRESS = os.fdopen(os.dup(2), 'w')
COMPARED: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Eq: (ast.NotEq, ast.LtE, ast.GtE),
    ast.NotEq: (ast.Eq, ast.Lt, ast.Gt),
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
COUNTED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Div,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}


@dataclass(frozen=True)
class Mutant:
    """A small change of a file. :param number: its place among all mutants of the file."""

    file: str
    line: int
    number: int
    change: str


def variants(node: ast.AST) -> Iterator[ast.AST]:
    """What could stand in place of an expression or statement."""
    match node:
        case ast.Compare(left, ops, comparators):
            for place, one in enumerate(ops):
                for other in COMPARED[type(one)]:
                    changed = [*ops[:place], other(), *ops[place + 1 :]]
                    yield ast.Compare(left, changed, comparators)
        case ast.BoolOp(op, values):
            yield ast.BoolOp(ast.Or() if isinstance(op, ast.And) else ast.And(), values)
        case ast.BinOp(left, op, right) if type(op) in COUNTED and not is_union(node):
            yield ast.BinOp(left, COUNTED[type(op)](), right)
        case ast.UnaryOp(ast.Not() | ast.USub(), operand):
            yield operand
        case ast.Constant(bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(int(value) | float(value)) if value + 1 != value:
            yield from (ast.Constant(value + 1), ast.Constant(value - 1))
        case ast.Break():
            yield ast.Continue()
        case ast.Continue():
            yield ast.Break()
        case ast.Expr(ast.Call()):
            yield ast.Pass()
    role = getattr(node, 'role', '')
    if role == 'test' and not isinstance(node, (ast.Compare, ast.UnaryOp)):
        yield ast.UnaryOp(ast.Not(), node)
    elif role in ('looped', 'caught'):
        yield ast.Tuple([], ast.Load())


def is_union(node: ast.BinOp) -> bool:
    """Whether it joins types."""
    name = ast.unparse(node.right).split('[')[0].split('.')[-1]
    return isinstance(node.op, ast.BitOr) and (name == 'None' or name.istitle())


class Mutator(ast.NodeTransformer):
    """Counts all mutants of a file, and puts the chosen ones into its tree.

    :param ids: for the numbers of the chosen ones, what `ACTIVE` is when they shall be active.
    """

    def __init__(self, file: str, ids: dict[int, int]) -> None:
        self.file = file
        self.ids = ids
        self.found: list[Mutant] = []

    def visit(self, node: ast.AST) -> Any:
        if isinstance(node, (ast.If, ast.While, ast.IfExp)):
            node.test.role = 'test'  # type: ignore[attr-defined]
        elif isinstance(node, ast.comprehension):
            for condition in node.ifs:
                condition.role = 'test'  # type: ignore[attr-defined]
        elif isinstance(node, ast.For):
            node.iter.role = 'looped'  # type: ignore[attr-defined]
        elif isinstance(node, ast.ExceptHandler) and node.type:
            node.type.role = 'caught'  # type: ignore[attr-defined]
        active = []
        for other in variants(node):
            number = len(self.found)
            change = f'{ast.unparse(node)} -> {ast.unparse(ast.fix_missing_locations(other))}'
            self.found.append(Mutant(self.file, node.lineno, number, change))
            if number in self.ids:
                active.append((self.ids[number], copy.deepcopy(other)))
        result = super().visit(node)
        for number, other in active:
            name = ast.Name(ACTIVE, ast.Load())
            test = ast.Compare(name, [ast.Eq()], [ast.Constant(number)])
            if isinstance(other, ast.stmt):
                result = ast.If(test, [other], [result])
            else:
                result = ast.IfExp(test, other, result)
            ast.fix_missing_locations(ast.copy_location(result, node))
        return result

    def leave(self, node: Any) -> Any:
        """No mutants in it."""
        return node

    visit_arg = visit_JoinedStr = visit_Assert = leave

    def visit_FunctionDef(self, node: Any) -> Any:
        node.args = self.visit(node.args)
        node.body = [self.visit(one) for one in node.body]
        return node

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_ClassDef(self, node: ast.ClassDef) -> Any:
        node.body = [self.visit(one) for one in node.body]
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        node.value = node.value and self.visit(node.value)
        return node

    def visit_match_case(self, node: ast.match_case) -> Any:
        node.guard = node.guard and self.visit(node.guard)
        node.body = [self.visit(one) for one in node.body]
        return node

    def visit_keyword(self, node: ast.keyword) -> Any:
        return node if node.arg == 'strict' else self.generic_visit(node)

    def visit_If(self, node: ast.If) -> Any:
        return node if ast.unparse(node.test) == 'TYPE_CHECKING' else self.generic_visit(node)


class Mutated(importlib.machinery.SourceFileLoader, importlib.abc.MetaPathFinder):
    """Imports modules with their mutants in them. :param ids: for each file, its chosen ones."""

    def __init__(self, ids: dict[str, dict[int, int]]) -> None:
        self.ids = ids

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> Any:
        file = f'src/{fullname.replace(".", "/")}.py'
        if file not in self.ids:
            return None
        loader = type(self).__new__(type(self))
        loader.ids, loader.name, loader.path = self.ids, fullname, str(ROOT / file)
        return importlib.util.spec_from_file_location(fullname, loader.path, loader=loader)

    def get_code(self, fullname: str) -> Any:
        file = str(Path(self.path).relative_to(ROOT))
        tree = ast.parse(Path(self.path).read_text(encoding='utf-8'))
        return compile(Mutator(file, self.ids[file]).visit(tree), self.path, 'exec')


@dataclass(eq=False)
class Reached:
    """Stands for the active mutant while none is, and records which would be asked for."""

    seen: set[int] = field(default_factory=set)

    def __eq__(self, other: object) -> bool:
        self.seen.add(other)  # type: ignore[arg-type]
        return False


class Tests:
    """A plugin of pytest that runs tests as it is told. :param loop: runs those of a session."""

    def __init__(self, loop: Callable[[list[pytest.Item]], None]) -> None:
        self.loop = loop
        self.failed = False
        self.of_fixture: defaultdict[str, set[int]] = defaultdict(set)

    def pytest_sessionstart(self) -> None:
        """The same examples each time, and no time spent on small ones."""
        no_shrinking = [hypothesis.Phase.explicit, hypothesis.Phase.generate]
        hypothesis.settings.register_profile(
            'mutants', deadline=None, derandomize=True, database=None, phases=no_shrinking
        )
        hypothesis.settings.load_profile('mutants')

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        if session.testsfailed:
            self.failed = True
        else:
            self.loop(session.items)
        return True

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.failed |= report.failed

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any) -> Any:
        """What a shared fixture reaches, all tests reach that have it."""
        active = getattr(builtins, ACTIVE)
        if fixturedef.scope == 'function' or not isinstance(active, Reached):
            return (yield)
        before, active.seen = active.seen, self.of_fixture[fixturedef.argname]
        try:
            return (yield)
        finally:
            active.seen = before

    def run(self, items: list[pytest.Item]) -> Iterator[tuple[pytest.Item, float]]:
        """Run tests one by one, and say how long each took, in seconds of computing."""
        for item, following in zip(items, [*items[1:], None], strict=True):
            started = time.process_time()
            item.ihook.pytest_runtest_protocol(item=item, nextitem=following)
            yield item, time.process_time() - started

    def all_pass(self, items: list[pytest.Item], seconds: dict[str, float]) -> bool:
        """Whether no test fails; stops at the first that does."""
        resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
        for handler in (signal.SIGPROF, signal.SIGALRM):
            signal.signal(handler, signal.SIG_DFL)
        runs = self.run(items)
        for item in items:
            usual = seconds.get(item.nodeid, 1.0)
            signal.setitimer(signal.ITIMER_PROF, 5.0 + 10.0 * usual)
            signal.alarm(int(120.0 + 50.0 * usual))
            next(runs)
            if self.failed:
                return False
        return True


def forked(work: Callable[[], Any]) -> Any:
    """What a function answers in a process of its own; None if that was ended."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.close(read)
            answer = pickle.dumps(work())
            with os.fdopen(write, 'wb') as file:
                file.write(answer)
            status = 0
        finally:
            os._exit(status)
    os.close(write)
    with os.fdopen(read, 'rb') as file:
        answer = file.read()
    os.waitpid(child, 0)
    return pickle.loads(answer) if answer else None


def pytest_main(plugin: Tests, tests: list[str]) -> None:
    """Collect tests, and let the plugin run them."""
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    options = ['-p', 'no:timeout', '-p', 'no:cacheprovider', '--tb=no', '--assert=plain']
    status = pytest.main(['-o', 'addopts=--import-mode=importlib', *options, *tests], [plugin])
    plugin.failed |= status not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)


@dataclass
class Measured:
    """What a run found. :param survived: with the number of tests that reach each."""

    on_import: set[int] = field(default_factory=set)
    seconds: dict[str, float] = field(default_factory=dict)
    survived: dict[int, int] = field(default_factory=dict)
    failing: list[str] = field(default_factory=list)
    collected: bool = False


def measure(mutants: list[Mutant], tests: list[str], numbers: Sequence[int]) -> Measured:
    """Which of these mutants no test notices, but for those that run on import."""
    result = Measured()

    def record(items: list[pytest.Item]) -> tuple[Any, ...]:
        seconds, reached = {}, {}
        cache_type = type(functools.lru_cache(say))
        caches = [one for one in gc.get_objects() if isinstance(one, cache_type)]
        active = Reached()
        setattr(builtins, ACTIVE, active)
        for item, took in plugin.run(items):
            reached[item.nodeid] = active.seen
            seconds[item.nodeid] = took
            if plugin.failed:
                result.failing.append(item.nodeid)
            plugin.failed = False
            active.seen = set()
            for cache in caches:
                cache.cache_clear()
        for item in items:
            for name in item.fixturenames:  # type: ignore[attr-defined]
                reached[item.nodeid] |= plugin.of_fixture.get(name, set())
        return seconds, reached, result.failing

    def loop(items: list[pytest.Item]) -> None:
        result.collected = True
        result.on_import = getattr(builtins, ACTIVE).seen
        result.seconds, reached, result.failing = forked(lambda: record(items))
        say(f'{len(items)} tests, {sum(result.seconds.values()):.0f} s of computing')
        for number in numbers:
            if number in result.on_import:
                continue
            those = [one for one in items if number in reached[one.nodeid]]
            those = quickest([one for one in those if one.nodeid not in result.failing], result)
            setattr(builtins, ACTIVE, number)
            if not those or forked(lambda: plugin.all_pass(those, result.seconds)):  # noqa: B023
                result.survived[number] = len(those)
                say(shown(mutants[number], len(those)))

    plugin = Tests(loop)
    setattr(builtins, ACTIVE, Reached())
    pytest_main(plugin, tests)
    return result


def survives_import(number: int, tests: list[str], result: Measured) -> bool:
    """Whether none of these tests notices a mutant that runs on import."""

    def loop(items: list[pytest.Item]) -> None:
        sound = [one for one in items if one.nodeid not in result.failing]
        plugin.all_pass(quickest(sound, result), result.seconds)

    def work() -> bool:
        setattr(builtins, ACTIVE, number)
        pytest_main(plugin, tests)
        return not plugin.failed

    plugin = Tests(loop)
    return bool(forked(work))


def quickest(items: list[pytest.Item], result: Measured) -> list[pytest.Item]:
    """The files whose tests are quick come first, and in each the quick tests."""
    of_file = defaultdict(list)
    for item in items:
        of_file[item.path].append(result.seconds.get(item.nodeid, 1.0))

    def key(item: pytest.Item) -> tuple[float, str, float]:
        times = of_file[item.path]
        return sum(times) / len(times), str(item.path), result.seconds.get(item.nodeid, 1.0)

    return sorted(items, key=key)


def tests_of(path: str) -> list[str]:
    """The tests of the part that a file or folder belongs to."""
    parts = (one for one in PARTS if f'{path}/'.startswith(f'{one}/'))
    return next((PARTS[one] for one in parts), ALL_TESTS)


def shown(mutant: Mutant, tests: int | None) -> str:
    reached = 'on import' if tests is None else f'{tests} tests' if tests else 'no test'
    source = Path(mutant.file).read_text(encoding='utf-8').splitlines()[mutant.line - 1].strip()
    change = ' '.join(mutant.change.split())
    return f'  {mutant.file}:{mutant.line} ({reached}): {change}\n      {source}'


def say(text: str) -> None:
    PROGRESS.write(f'{text}\n')
    PROGRESS.flush()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        'folders', nargs='*', default=list(PARTS), help='or files, of src (all parts)'
    )
    parser.add_argument('--sample', type=int, default=60, help='mutants of each (60)')
    parser.add_argument('--seed', type=int, default=1, help='draws the sample (1)')
    parser.add_argument(
        '--tests', nargs='+', default=[], help='tried on what their own do not notice'
    )
    arguments = parser.parse_args()
    os.chdir(ROOT)
    folders = [one.rstrip('/') for one in arguments.folders]
    drawn: list[Mutant] = []
    for folder in folders:
        found: list[Mutant] = []
        place = Path(folder)
        for path in sorted(place.rglob('*.py')) if place.is_dir() else [place]:
            mutator = Mutator(str(path), {})
            mutator.visit(ast.parse(path.read_text(encoding='utf-8')))
            found += mutator.found
        sample = random.Random(arguments.seed).sample(found, min(arguments.sample, len(found)))
        if not sample:
            parser.error(f'{folder} has nothing to change: name a folder or a file of src')
        say(f'{folder}: {len(sample)} of {len(found)} mutants')
        drawn += sample
    ids: dict[str, dict[int, int]] = {}
    for number, mutant in enumerate(drawn):
        ids.setdefault(mutant.file, {})[mutant.number] = number
    sys.path.insert(0, str(ROOT))  # as `python -m pytest` does: tests import benchmarks
    sys.meta_path.insert(0, Mutated(ids))
    own = list(dict.fromkeys(one for folder in folders for one in tests_of(folder)))
    survived = survivors(drawn, own, range(len(drawn)))
    report(folders, drawn, survived)
    if arguments.tests and survived:
        print(f'with {" ".join(arguments.tests)} too:')
        report(folders, drawn, survivors(drawn, arguments.tests, sorted(survived)))


def survivors(
    drawn: list[Mutant], tests: list[str], numbers: Sequence[int]
) -> dict[int, int | None]:
    """Those that these tests do not notice, with how many reach each; None: on import."""
    result = forked(lambda: measure(drawn, tests, numbers))
    if result is None or not result.collected:
        sys.exit(f'no result: can `python -m pytest {" ".join(tests)}` import its tests?')
    survived: dict[int, int | None] = dict(result.survived)
    for number in sorted(result.on_import.intersection(numbers)):
        own = [one for one in tests_of(drawn[number].file) if one in tests]
        if survives_import(number, own or tests, result):
            survived[number] = None
            say(shown(drawn[number], None))
    for test in result.failing:
        print(f'fails without a mutant, so left out: {test}')
    return survived


def report(folders: list[str], drawn: list[Mutant], survived: dict[int, int | None]) -> None:
    """Print which share was noticed, and the survivors."""
    for folder in folders:
        those = [n for n, one in enumerate(drawn) if f'{one.file}/'.startswith(f'{folder}/')]
        living = sorted(set(those) & set(survived), key=lambda n: (drawn[n].file, drawn[n].line))
        noticed = len(those) - len(living)
        print(f'{folder}: {noticed} of {len(those)} noticed ({noticed / len(those):.2f})')
        for number in living:
            print(shown(drawn[number], survived[number]))


if __name__ == '__main__':
    main()
