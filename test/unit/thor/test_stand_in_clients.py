"""Every action of the table through the published clients: the same metadata, whatever the way."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from sim_bridge.worlds.thor.stand_in.launcher import executable
from support.needs import needs

SCRIPT = Path(__file__).resolve().parents[2] / 'support' / 'thor_actions.py'


def played(python, program, transport):
    ended = subprocess.run(
        [python, str(SCRIPT), str(program), transport],
        capture_output=True, text=True, timeout=50, check=False,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr[-2000:]
    return json.loads(ended.stdout.splitlines()[-1])


@pytest.mark.timeout(120)
@pytest.mark.parametrize('transport', ['http', pytest.param('old', marks=needs('old ai2thor'))])
def test_every_action_has_the_same_metadata_as_over_pipes(tmp_path, transport):
    python = os.environ['REACTREE_THOR21_PYTHON'] if transport == 'old' else sys.executable
    program = executable(tmp_path, ('--made-up', '--failures', 'none', '--frames', 'plain'))
    pipes = played(sys.executable, program, 'fifo')
    other = played(python, program, transport)
    assert len(pipes) > 60
    for one, another in zip(pipes, other, strict=True):
        assert one == another
    done = {action for action, success, *_ in pipes if success}
    assert done >= {
        'Initialize', 'SetObjectToggles', 'SetStateOfAllObjects', 'SetObjectPoses',
        'GetReachablePositions', 'TeleportFull', 'RotateLeft', 'RotateRight', 'LookUp', 'LookDown',
        'PickupObject', 'PutObject', 'OpenObject', 'CloseObject', 'ToggleObjectOn',
        'ToggleObjectOff', 'SliceObject', 'DropHandObject', 'CleanObject', 'Pass',
    }  # fmt: skip
