#!/usr/bin/env python3
"""Run the tests and linters of the named stages, then say how each went and how long it took.

Every stage runs, also after a failed one. A stage in which no test passed has failed: tests that
were not found must not look like tests that passed.
"""

from __future__ import annotations

import argparse
import os
import resource
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
STUCK = {'unit': 660, 'ros': 460, 'system': 1260}
#: Processes that run tests for each core, each with a ROS domain of its own: tests with nodes
#: mostly wait.
WORKERS = {'unit': 1, 'ros': 2, 'system': 2}
MOST_WORKERS = 8
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

    stage: str
    good: bool
    summary: str
    took: float
    work: float


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('stages', nargs='+', choices=('unit', 'ros', 'system', 'lint'))
    parser.add_argument(
        '--deadline', type=float, default=1800.0, help='seconds a stage may take (1800)'
    )
    arguments = parser.parse_args()
    outcomes = []
    for stage in arguments.stages:
        started, worked = time.monotonic(), work()
        print(f'\n=== {stage} ===', flush=True)
        good, summary = lint() if stage == 'lint' else test(stage, arguments.deadline)
        took = time.monotonic() - started
        outcomes.append(Outcome(stage, good, summary, took, work() - worked))
    good = all(outcome.good for outcome in outcomes)
    took = sum(outcome.took for outcome in outcomes)
    print(f'\n=== {"PASSED" if good else "FAILED"} === in {took / 60:.1f} min')
    for one in outcomes:
        print(f'{one.stage:7} {one.took:5.0f} s, {one.work:5.0f} s of work: {one.summary}')
    return 0 if good else 1


def test(stage: str, deadline: float) -> tuple[bool, str]:
    """Run a folder of tests in a process of its own."""
    environment = dict(os.environ, PYTEST_DISABLE_PLUGIN_AUTOLOAD='1')
    # Tests start hundreds of programs: each would compile all that it imports, a second of work.
    environment.pop('PYTHONDONTWRITEBYTECODE', None)
    with tempfile.TemporaryDirectory(prefix='reactree-tests-') as folder:
        report = Path(folder) / 'report.xml'
        command = [*PYTEST, '-q', f'--junitxml={report}', f'test/{stage}']
        command += ['-o', f'faulthandler_timeout={STUCK[stage]}']
        command += ['-o', 'faulthandler_exit_on_timeout=true']
        # A file stays with one worker, so that its fixtures are made once (test/conftest.py says
        # which do not). A new worker would run the test again that ended this one, without end.
        workers = min(WORKERS[stage] * (os.cpu_count() or 1), MOST_WORKERS)
        together = ['-p', 'xdist.plugin', '-n', str(workers), '--dist', 'loadfile']
        together += ['--max-worker-restart', '0']
        if stage == 'unit':
            command.append('examples')
        else:
            command = [WITH_ROS, *command]
            # Fixtures give each worker or test one.
            environment.pop('ROS_DOMAIN_ID', None)
            environment.update(
                ROS_AUTOMATIC_DISCOVERY_RANGE='LOCALHOST',
                ROS_LOG_DIR=str(Path(folder) / 'log'),
                ROS_PYTHON_CHECK_FIELDS='1',
                # Shared memory of a killed process would stay behind in /dev/shm.
                FASTDDS_BUILTIN_TRANSPORTS='UDPv4',
            )
        status = run([*command, *together], environment, deadline)
        if status is None:
            return False, f'no end within {deadline:.0f} s'
        passed, others = count(report)
        summary = ', '.join([f'{passed} passed', *others])
        # After the end of a worker some tests have not run at all.
        is_whole = passed and 'crashed while running' not in report.read_text()
        if status == 1 and stage != 'unit' and is_whole:
            # Processes that wait for each other may wait too long beside those of other tests.
            print('\nThose that failed run again, alone.', flush=True)
            status = run([*command, '--last-failed'], environment, deadline)
            summary += '; those that failed passed alone' if status == 0 else ''
    if passed == 0:
        return False, 'no test passed'
    return status == 0, summary if status == 0 else f'{summary}, exit status {status}'


def work() -> float:
    """Seconds that the processes computed which have ended so far."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def run(command: list[str], environment: dict[str, str], deadline: float) -> int | None:
    """Exit status of a command; None when it had to be ended, with all it started."""
    process = subprocess.Popen(command, env=environment, cwd=ROOT, start_new_session=True)
    try:
        return process.wait(deadline)
    except subprocess.TimeoutExpired:
        # The fault handler of pytest prints what each of its processes was doing.
        os.killpg(process.pid, signal.SIGABRT)
        with suppress(subprocess.TimeoutExpired):
            process.wait(5.0)
        return None
    finally:
        if process.returncode in (None, -signal.SIGABRT):
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


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


def lint() -> tuple[bool, str]:
    """Run every linter."""
    failed = []
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
    return not failed, 'clean' if not failed else 'not clean: ' + ', '.join(failed)


if __name__ == '__main__':
    sys.exit(main())
