#!/usr/bin/env python3
"""Run the tests and linters of the named stages, then say how each went and how long it took.

Every stage runs, also after a failed one. A stage in which no test passed has failed: tests that
were not found must not look like tests that passed. The stage `optional` (make test-optional) has
the tests of what `make test` does not bring, and fails where one is still skipped although the
machine explains nothing (test/support/needs.py).
"""

from __future__ import annotations

import argparse
import os
import resource
import select
import signal
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAMS = ROOT / '.venv' / 'bin'
PYTHON = str(PROGRAMS / 'python')
WITH_ROS = str(ROOT / 'scripts' / 'with_ros')

# Plugins of a sourced ROS 2 distribution are made for its own pytest, not for this one.
PYTEST = [PYTHON, '-m', 'pytest', '-p', 'pytest_timeout', '-p', '_hypothesis_pytestplugin']
#: Seconds after which the process of a test that its own timeout could not end is ended; above any
#: timeout of a test of that stage.
STUCK = {'unit': 660, 'ros': 460, 'system': 1260, 'optional': 1260}
#: Processes that run tests for each core, each with a ROS domain of its own: tests with nodes
#: mostly wait.
WORKERS = {'unit': 1, 'ros': 2, 'system': 2, 'optional': 2}
MOST_WORKERS = 8
#: Workers that are replaced when they end. A test that ends its worker is begun again by the next,
#: so that some number has to end this.
REPLACED = 2
#: Begins the reason that the machine gives for a skip (EXCUSE of test/support/needs.py).
EXCUSE = '[not brought here: '
LINTERS = (
    # Its cache does not see that a folder became a package.
    ['ruff', 'check', '--no-cache', '--quiet', '.'],
    ['ruff', 'format', '--check', '--quiet', '--output-format', 'concise', '.'],
    # Its cache goes wrong when modules appear or several runs share it.
    ['mypy', '--no-incremental'],
    ['lint-imports', '--no-cache', '--no-logo'],
    ['sphinx-build', '-W', '--keep-going', '-q', '-b', 'html', 'docs', 'build/site'],
)


@dataclass(frozen=True)
class Outcome:
    """How a stage went.

    :param took: seconds that passed. :param work: seconds that its processes computed, all cores
        together: what waits takes longer, and what another machine does as well computes more.
    """

    good: bool
    summary: str
    took: float
    work: float


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('stages', nargs='+', choices=(*WORKERS, 'lint'))
    parser.add_argument(
        '--deadline', type=float, default=1800.0, help='seconds a stage may take (1800)'
    )
    arguments = parser.parse_args()
    stages = list(dict.fromkeys(arguments.stages))
    outcomes: dict[str, Outcome] = {}
    began = time.monotonic()
    for stage in stages:
        print(f'\n=== {stage} ===', flush=True)
        if stage == 'lint':
            outcomes[stage] = lint()
        else:
            with Tests(stage, arguments.deadline) as tests:
                outcomes[stage] = tests.outcome()
    good = all(outcome.good for outcome in outcomes.values())
    took = time.monotonic() - began
    print(f'\n=== {"PASSED" if good else "FAILED"} === in {took / 60:.1f} min')
    for stage in stages:
        one = outcomes[stage]
        print(f'{stage:7} {one.took:5.0f} s, {one.work:5.0f} s of work: {one.summary}')
    return 0 if good else 1


class Tests:
    """Tests of a stage, in a process of their own which has begun.

    :param deadline: seconds.
    """

    def __init__(self, stage: str, deadline: float) -> None:
        self._stage = stage
        self._deadline = deadline
        self._began = time.monotonic()
        self._work = 0.0
        self._folder = tempfile.TemporaryDirectory(prefix='reactree-tests-')
        folder = Path(self._folder.name)
        self._report = folder / 'report.xml'
        # Plugins of a sourced distribution are made for its own pytest.
        self._environment = dict(os.environ, PYTEST_DISABLE_PLUGIN_AUTOLOAD='1')
        # Tests start hundreds of programs: each would compile all that it imports.
        self._environment.pop('PYTHONDONTWRITEBYTECODE', None)
        command = [*PYTEST, '-q', f'--junitxml={self._report}']
        command += ['--optional', 'test'] if stage == 'optional' else [f'test/{stage}']
        # What failed last is kept by stage, since two may run at once.
        command += ['-o', f'cache_dir=.pytest_cache/{stage}']
        command += ['-o', f'faulthandler_timeout={STUCK[stage]}']
        command += ['-o', 'faulthandler_exit_on_timeout=true']
        if stage == 'unit':
            command.append('examples')
        else:
            command = [WITH_ROS, *command]
            # Fixtures give each worker or test one.
            self._environment.pop('ROS_DOMAIN_ID', None)
            self._environment.update(
                ROS_AUTOMATIC_DISCOVERY_RANGE='LOCALHOST',
                ROS_LOG_DIR=str(folder / 'log'),
                ROS_PYTHON_CHECK_FIELDS='1',
                # Shared memory of a killed process would stay behind in /dev/shm.
                FASTDDS_BUILTIN_TRANSPORTS='UDPv4',
            )
        self._command = command
        # A file stays with one worker, so that its fixtures are made once (test/conftest.py says
        # which do not).
        workers = min(WORKERS[stage] * (os.cpu_count() or 1), MOST_WORKERS)
        together = ['-p', 'xdist.plugin', '-n', str(workers), '--dist', 'loadfile']
        together += ['--max-worker-restart', str(REPLACED)]
        self._process = self._start([*command, *together])

    def __enter__(self) -> Tests:
        return self

    def __exit__(self, *_: object) -> None:
        """End what still runs, with all it started."""
        if self._process.returncode is None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        self._folder.cleanup()

    def outcome(self) -> Outcome:
        """How the stage went, once it has ended; what failed beside other nodes runs again."""
        status = self._wait()
        if status is None:
            return self._as_outcome(False, f'no end within {self._deadline:.0f} s')
        passed, others = count(self._report)
        summary = ', '.join([f'{passed} passed', *others])
        # After the end of more workers some tests have not run at all.
        lost = self._report.read_text().count('crashed while running') if passed else 0
        is_whole = passed and lost <= REPLACED
        if status == 1 and self._stage != 'unit' and is_whole:
            # Beside other tests, what waits may wait too long.
            print('\nThose that failed run again, alone.', flush=True)
            self._process = self._start([*self._command, '--last-failed'])
            status = self._wait()
            summary += '; those that failed passed alone' if status == 0 else ''
        if passed == 0:
            return self._as_outcome(False, 'no test passed')
        if self._stage == 'optional' and (left := unexcused(self._report)):
            print('\nSkipped, although this machine could have what they need:')
            print(*left, sep='\n', flush=True)
            return self._as_outcome(False, f'{summary}, of which {len(left)} need not be')
        return self._as_outcome(
            status == 0, summary if status == 0 else f'{summary}, exit status {status}'
        )

    def _as_outcome(self, good: bool, summary: str) -> Outcome:
        return Outcome(good, summary, time.monotonic() - self._began, self._work)

    def _start(self, command: list[str]) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            command,
            env=self._environment,
            cwd=ROOT,
            start_new_session=True,
        )

    def _wait(self) -> int | None:
        """Exit status of the process; None when it had to be ended, with all it started."""
        process, left = self._process, self._began + self._deadline - time.monotonic()
        end = os.pidfd_open(process.pid)
        try:
            ended, _, _ = select.select([end], [], [], max(left, 0.0))
            if not ended:
                # The fault handler of pytest prints what each of its processes was doing.
                os.killpg(process.pid, signal.SIGABRT)
                select.select([end], [], [], 5.0)
                os.killpg(process.pid, signal.SIGKILL)
        finally:
            os.close(end)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self._work += usage.ru_utime + usage.ru_stime
        return process.returncode if ended else None


def count(report: Path) -> tuple[int, list[str]]:
    """Passed tests, and the other kinds in words, from a JUnit file."""
    if not report.is_file():
        return 0, []
    suites = list(ElementTree.parse(report).getroot().iter('testsuite'))
    total, *others = (
        sum(int(suite.get(kind, '0')) for suite in suites)
        for kind in ('tests', 'failures', 'errors', 'skipped')
    )
    words = ('failed', 'errors', 'skipped')
    return total - sum(others), [
        f'{number} {word}' for number, word in zip(others, words, strict=True) if number
    ]


def unexcused(report: Path) -> list[str]:
    """Skipped tests whose reason has no excuse of the machine, with it, from a JUnit file."""
    found = []
    for case in ElementTree.parse(report).getroot().iter('testcase'):
        for skipped in case.iter('skipped'):
            # That of a whole file stands in the text.
            reason = f'{skipped.get("message")} {skipped.text or ""}'.strip()
            if EXCUSE not in reason:
                found.append(f'{case.get("classname")}::{case.get("name")}: {reason}')
    return found


def lint() -> Outcome:
    """Run every linter."""
    failed = []
    began, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    # The modules of this checkout, not those of one that is installed.
    environment = dict(os.environ, PYTHONPATH=str(ROOT / 'src'))
    for tool, *options in LINTERS:
        program = PROGRAMS / tool
        if not program.exists():
            failed.append(f'{tool} is not installed: run `make setup`')
            continue
        done = subprocess.run([program, *options], cwd=ROOT, env=environment, check=False)
        if done.returncode:
            failed.append(' '.join([tool, *options]))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    work = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    summary = 'clean' if not failed else 'not clean: ' + ', '.join(failed)
    return Outcome(not failed, summary, time.monotonic() - began, work)


if __name__ == '__main__':
    sys.exit(main())
