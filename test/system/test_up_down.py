"""The nodes brought up, used by a plain client and ended, a few times."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.timeout(400)
def test_the_stack_goes_up_answers_and_goes_down_again(tmp_path):
    rounds = Path(__file__).with_name('up_down_rounds.py')
    done = subprocess.run(
        [sys.executable, rounds, tmp_path, '10', '7'], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
