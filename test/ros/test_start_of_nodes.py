"""What nodes import when they start: what a robot has waited for, and holds in its memory."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import reactree_core

NODES = ('reactree_planner.ros.node', 'memory_server.ros.node', 'robot_bridge.ros.node')
#: Imported with the first task, encoder, camera or page, or never.
#: Recognises "Stop!" in the callback in which it is heard, before anything was read.
HALTING = (
    'reactree_planner.reading',
    'reactree_planner.reading.halting',
    'reactree_planner.reading.listed_languages',
    'reactree_planner.reading.plain_words',
)
LATER = (
    'reactree_planner.agents',
    'reactree_planner.exam',
    'reactree_planner.facts',
    'reactree_planner.reading',
    'reactree_planner.ros.run_worker',
    'sim_bridge',
    'cv2',
    'httpx',
    'ik_llama_cpp',
    'onnxruntime',
    'rapidfuzz',
    'starlette',
    'tokenizers',
    'torch',
    'transformers',
)
SOURCE = Path(reactree_core.__file__).parents[1]
PROGRAM = """
import importlib, json, sys
for name in sys.argv[1:]:
    importlib.import_module(name)
print(json.dumps({name: getattr(one, '__file__', None) for name, one in sys.modules.items()}))
"""


def imported_by(*nodes: str) -> dict[str, str | None]:
    """Name -> file of all modules of a process that has imported these."""
    command = [sys.executable, '-c', PROGRAM, *nodes]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, str | None] = json.loads(done.stdout)
    return found


def test_planner_memory_and_robot_import_at_their_start_what_they_need_to_be_there():
    found = imported_by(*NODES)
    assert set(NODES) <= set(found)
    roots = tuple(f'{name}.' for name in LATER)
    early = [name for name in found if f'{name}.'.startswith(roots)]
    assert sorted(set(early) - set(HALTING)) == []
    own = [Path(file) for file in found.values() if file and SOURCE in Path(file).parents]
    lines = sum(len(file.read_text(encoding='utf-8').splitlines()) for file in own)
    assert 10_000 < lines < 34_500
