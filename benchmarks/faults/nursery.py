"""Forks nodes from a process that has imported everything, so that a start takes a moment.

Run as a program it reads a `Birth` a line, as JSON, and writes the id of the process it made.
"""

from __future__ import annotations

import ctypes
import importlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.faults import patches

MODULES = {
    'bridge': 'sim_bridge.ros.node',
    'memory': 'memory_server.ros.node',
    'planner': 'reactree_planner.ros.node',
    'recorder': 'reactree_tools.recording.ros.node',
    'robot bridge': 'robot_bridge.ros.node',
    'rover': 'benchmarks.faults.rover',
    'hauler': 'benchmarks.faults.hauler',
}
#: prctl: end this process when the one that made it ends.
_PR_SET_PDEATHSIG = 1
#: By these capabilities the rights of files would not hold for root.
_OVERRIDES = (1 << 1) | (1 << 2)
_CAPABILITY_VERSION = 0x20080522


@dataclass(frozen=True)
class Birth:
    """A node to start.

    :param program: of MODULES. :param arguments: its command line.
    :param log: file of its output. :param patches: names of benchmarks.faults.patches.
    """

    program: str
    arguments: Sequence[str]
    log: str
    patches: Sequence[str] = ()


class Nursery:
    """The process that forks nodes, seen from the one that asks for them."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, '-m', 'benchmarks.faults.nursery'],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def start(self, birth: Birth) -> int:
        """The id of a new process."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps(asdict(birth)) + '\n')
        self._process.stdin.flush()
        return int(self._process.stdout.readline())

    def close(self) -> None:
        """End it, and all nodes that are left."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(10.0)


def main() -> None:
    """Fork until nobody asks any more."""
    mains = {name: importlib.import_module(module).main for name, module in MODULES.items()}
    # A shell ignores it for what it starts in the background, and so would all nodes.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    _end_with_parent()
    _obey_rights_of_files()
    for line in sys.stdin:
        birth = Birth(**json.loads(line))
        child = os.fork()
        if child == 0:
            _be(mains[birth.program], birth)
        sys.stdout.write(f'{child}\n')
        sys.stdout.flush()


def _be(program: Callable[[], int | None], birth: Birth) -> None:
    code = 99
    try:
        _end_with_parent()
        output = os.open(birth.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.dup2(output, 1)
        os.dup2(output, 2)
        os.close(0)
        sys.argv = [birth.program, *birth.arguments]
        for patch in birth.patches:
            patches.apply(patch)
        code = program() or 0
    except SystemExit as ending:
        code = ending.code if isinstance(ending.code, int) else 1
    finally:
        # The tracing library of ROS does not survive an exit after a fork.
        os._exit(code)


def _end_with_parent() -> None:
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def _obey_rights_of_files() -> None:
    """Have read-only files be so for root too."""
    system = ctypes.CDLL(None)
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION, 0)
    sets = (ctypes.c_uint32 * 6)()
    if system.capget(header, sets) == 0:
        for number in range(3):  # effective, permitted, inheritable
            sets[number] &= ~_OVERRIDES
        system.capset(header, sets)


def read_log(log: Path) -> str:
    """What a node has written so far."""
    return log.read_text(encoding='utf-8', errors='replace') if log.exists() else ''


if __name__ == '__main__':
    main()
