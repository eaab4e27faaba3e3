"""A planner that is killed at any moment goes on with its run when it is started again."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

#: 60 for a thorough trial (about four minutes).
ROUNDS = int(os.environ.get('REACTREE_RESUME_ROUNDS', '3'))


@pytest.fixture
def rounds(tmp_path: Path, environment: dict[str, str]) -> Iterator[subprocess.Popen[str]]:
    """The program of the rounds; what it leaves, as at a timeout, ends with the test."""
    program = Path(__file__).with_name('resume_rounds.py')
    process = subprocess.Popen(
        [sys.executable, str(program), str(tmp_path), str(ROUNDS), '7'],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # Its nodes and the planners that it forks stay in this group, whoever of them has died.
        start_new_session=True,
    )
    yield process
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


@pytest.mark.timeout(120 + 15 * ROUNDS)
def test_killed_at_any_record_a_run_ends_as_it_would_have_and_repeats_no_skill(
    rounds: subprocess.Popen[str],
) -> None:
    out, err = rounds.communicate()
    assert rounds.returncode == 0, err
    report = json.loads(out)
    assert report['rounds'] == report['resumed'] == ROUNDS
    assert report['skills'] >= 9
    assert not report['wrong'], report
