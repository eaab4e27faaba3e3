"""kill -9 at any moment: whatever was acknowledged is there, and nothing is there twice."""

import json
import os
import subprocess
import sys
from pathlib import Path

from memory_server.store.sqlite_file import inspect_file

#: The full measure is REACTREE_KILL_ROUNDS=200, less than a minute.
ROUNDS = int(os.environ.get('REACTREE_KILL_ROUNDS', '25'))
PROGRAM = Path(__file__).with_name('kill_rounds.py')


def test_rounds_of_kill_9_lose_nothing_and_double_nothing(tmp_path):
    path = tmp_path / 'memory.sqlite'
    done = subprocess.run(
        [sys.executable, str(PROGRAM), str(path), str(ROUNDS), '7'],
        env=os.environ | {'PYTHONPATH': os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        timeout=55,
    )
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report['missing'] == []
    assert report['kept'] == report['with_vector'] == report['different']
    assert report['kept'] >= report['acknowledged'] > 3 * ROUNDS
    # The kills must have come while everybody was at work, or they show nothing.
    assert report['rounds'] == ROUNDS == report['killed_while_working']
    assert report['retrievals'] > ROUNDS / 2
    inspect_file(path)
