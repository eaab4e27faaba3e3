"""A planner that is killed at any moment goes on with its run when it is started again."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

#: 60 for a thorough trial (about four minutes).
ROUNDS = int(os.environ.get('REACTREE_RESUME_ROUNDS', '3'))


@pytest.mark.timeout(120 + 15 * ROUNDS)
def test_killed_at_any_record_a_run_ends_as_it_would_have_and_repeats_no_skill(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    program = Path(__file__).with_name('resume_rounds.py')
    done = subprocess.run(
        [sys.executable, str(program), str(tmp_path), str(ROUNDS), '7'],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report['rounds'] == report['resumed'] == ROUNDS
    assert report['skills'] >= 9
    assert not report['wrong'], report
