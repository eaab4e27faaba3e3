"""Rows whose rounds are programs of the system tests, which play a few of them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

from benchmarks.faults.row import Row

_ROUNDS = Path(__file__).resolve().parents[2] / 'test' / 'system'
_LONGEST = re.compile(r'^ *([\d.]+)  longest seconds: (.+)$', re.MULTILINE)
_FAILED = re.compile(r'^round (\d+): (.+)$', re.MULTILINE)


def _run(program: str, mutation: str, *arguments: object) -> str:
    """What a program writes."""
    command = [sys.executable]
    command += ['-m', 'benchmarks.faults.mutated', mutation] if mutation else []
    command += [str(_ROUNDS / program), *map(str, arguments)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    return done.stdout


def planner_killed(folder: Path, first: int, count: int, mutation: str) -> list[tuple[float, str]]:
    """Rounds of resume_rounds.py."""
    inside = folder / f'resume-{first}{mutation}'
    inside.mkdir()
    report = json.loads(_run('resume_rounds.py', mutation, inside, count, first) or '{}')
    wrong = report.get('wrong', ['the rounds broke off'])
    if report.get('resumed') != count and not wrong:
        wrong = [f'only {report["resumed"]} runs of {count} were continued']
    return _spread(count, report.get('longest', 0.0), wrong)


def writers_killed(folder: Path, first: int, count: int, mutation: str) -> list[tuple[float, str]]:
    """Rounds of kill_rounds.py."""
    store = folder / f'store-{first}{mutation}.sqlite'
    report = json.loads(_run('kill_rounds.py', mutation, store, count, first) or '{}')
    wrong = [f'{name} was acknowledged and is lost' for name in report.get('missing', ['all'])]
    if not wrong and not report['kept'] == report['with_vector'] == report['different']:
        wrong = ['something is kept twice, or without its vector']
    return _spread(count, 0.0, wrong)


def up_and_down(folder: Path, first: int, count: int, mutation: str) -> list[tuple[float, str]]:
    """Rounds of up_down_rounds.py."""
    inside = folder / f'up-{first}{mutation}'
    inside.mkdir()
    said = _run('up_down_rounds.py', mutation, inside, count, first)
    failed = {int(number): what for number, what in _FAILED.findall(said)}
    ends = [float(seconds) for seconds, what in _LONGEST.findall(said) if 'end of' in what]
    if '  rounds\n' not in said:
        return _spread(count, 0.0, ['the rounds broke off'])
    return [(max(ends, default=0.0), failed.get(number, '')) for number in range(count)]


def _spread(count: int, longest: float, wrong: list[str]) -> list[tuple[float, str]]:
    """As many runs, each with the longest time, and the first with what was wrong."""
    problems = [*wrong[:count], *[''] * (count - len(wrong))]
    return [(longest, problem) for problem in problems]


ROWS = (
    Row(
        'planner-killed',
        'The planner is killed at a random record of its journal, restarted, and the run resumed.',
        'The run ends as without the fault: the same decisions and skills up to the one under '
        'way, none of them twice, and equal bag and journal.',
        'resumption to result',
        60,
        'past_forgotten',
        'planner',
        'the planner starts a resumed run from the beginning',
        play_alone=planner_killed,
        longest=900.0,
    ),
    Row(
        'store-writers-killed',
        'Two processes that store and one that retrieves are killed at a random moment.',
        'Every acknowledged experience is in the store, complete and once.',
        '',
        200,
        'stored_untruly',
        'memory',
        'the memory says that it stored what it did not',
        play_alone=writers_killed,
        longest=300.0,
    ),
    Row(
        'up-and-down',
        'Bridge, memory and planner are started, used by a plain rclpy client, and ended '
        '(SIGINT); each eighth time while they start.',
        'They answer, and each ends within 5 s with exit code 0.',
        'SIGINT to end',
        500,
        'ends_unheeded',
        'all nodes',
        'nodes ignore the request to end',
        play_alone=up_and_down,
        longest=1200.0,
    ),
)
