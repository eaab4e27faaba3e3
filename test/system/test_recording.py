"""Record, replay, do again and export, as a user does on the command line."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Start = Callable[..., Any]
PATIENCE = 60.0


@pytest.mark.timeout(400)
def test_a_recorded_run_is_replayed_done_again_and_exported(
    start: Start, nodes: Callable[..., list[str]], tmp_path: Path
) -> None:
    bags = tmp_path / 'bags'
    up = start('up', *nodes(runs=1), '--record', str(bags))
    up.wait_for('Ready.')
    assert 'recorder ready' in up.text
    plan = start('plan', 'look into the fridge')
    assert plan.end() == 0, plan.text
    deadline = time.monotonic() + PATIENCE
    while not list(bags.glob('*/ended')):
        assert time.monotonic() < deadline, 'no bag was finished'
        threading.Event().wait(0.1)
    bag = str(next(bags.glob('*/ended')).parent)
    up.interrupt()
    assert up.end() == 0, up.text

    replay = start('replay', bag, '--plain')
    assert replay.end() == 0, replay.text
    assert 'open fridge 1' in replay.text and 'no end recorded' not in replay.text

    rerun = start('rerun', bag, '--plain')
    assert rerun.end() == 0, rerun.text
    assert '4 steps, no difference' in rerun.text

    exported = tmp_path / 'run.jsonl'
    assert start('export', bag, str(exported)).end() == 0
    events = [json.loads(line) for line in exported.read_text().splitlines()]
    # A journal with another answer in it stands for a world that has changed.
    changed = next(event for event in events if event.get('place') == 'fridge 1')
    changed['text'] = 'The fridge is gone.'
    exported.write_text(''.join(json.dumps(event) + '\n' for event in events))
    again = start('rerun', str(exported), '--plain')
    assert again.end() == 1, again.text
    assert 'The fridge is gone.' in again.text and 'go to fridge 1' in again.text
