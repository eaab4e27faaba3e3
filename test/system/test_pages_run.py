"""Every command of the first pages runs, as a reader would type them; or the page says why not.

Each page gets a folder like a checkout and its own domain. Commands run in their order: what does
not end by itself (nodes, robots, the viewer) in a terminal of its own, until the page starts its
like again. Where a skill waits for a person, the reader says yes.
"""

from __future__ import annotations

import os
import pty
import re
import select
import shlex
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import pytest
from filelock import FileLock

from support.needs import needs
from support.page_commands import blocks_of
from system.conftest import Program

ROOT = Path(__file__).parents[2]
PAGES = (
    'README.md',
    'docs/ten_minutes_robot.md',
    'docs/ten_minutes_table.md',
    'docs/first_steps.md',
    'docs/robot_file.md',
    'docs/bench.md',
    'docs/permission.md',
    'docs/mcp.md',
    *(f'examples/{name}/README.md' for name in ('robot_skill_server', 'text_robot')),
    *(f'examples/{name}/README.md' for name in ('warehouse_robot', 'mobile_robot')),
    'examples/two_arm_bench/README.md',
    'examples/table_arm/README.md',
)
#: What goes on until it is stopped, by how it begins, and what it prints when it serves.
_SERVES = {
    'reactree up': 'Ready',
    'reactree viewer': 'http://',
    'reactree mcp --http': 'http',
    'scripts/with_ros python examples/(?!send_task)': 'ready',
}
#: Of those, what serves at a port that the page names: one page at a time on a machine.
_AT_A_PORT = ('reactree viewer', 'reactree mcp --http')
#: Seconds of one command: a study of a few tasks, a drive through a hall.
_LONGEST = 400.0
#: Exit status 1 is an answer: not done, not all there, not allowed.
_MAY_ANSWER_NO = ('reactree plan', 'reactree robot check', 'reactree permission check')


class Reader:
    """Whoever works through a page.

    :param folder: like a checkout. :ivar left_out: commands that this machine does not have.
    """

    def __init__(self, folder: Path, environment: dict[str, str], output: Path) -> None:
        self._folder = folder
        self._environment = environment
        self._output = output
        self._serving: dict[str, Program] = {}
        self._port = FileLock(Path(tempfile.gettempdir()) / 'reactree_pages.lock')
        self.left_out: list[str] = []

    def type(self, command: str) -> None:
        """Run one command as it stands."""
        if command.startswith('export '):
            return
        program = shlex.split(command)[0]
        if '/' not in program and shutil.which(program, path=self._environment['PATH']) is None:
            self.left_out.append(command)
            return
        for begins, says in _SERVES.items():
            if re.match(begins, command):
                self._serve(begins, command, says)
                return
        self._run(command)

    def _serve(self, kind: str, command: str, says: str) -> None:
        before = self._serving.pop(kind, None)
        if before is not None:
            before.kill()
        if kind in _AT_A_PORT and not self._port.is_locked:
            self._port.acquire(timeout=600.0)
        shell = ['bash', '-c', f'cd {shlex.quote(str(self._folder))} && exec {command}']
        output = self._output / f'{len(list(self._output.iterdir()))}.txt'
        self._serving[kind] = Program(shell, self._environment, output)
        self._serving[kind].wait_for(says)

    def _run(self, command: str) -> None:
        """In a terminal, so that it may ask."""
        mine, its = pty.openpty()
        running = subprocess.Popen(
            ['bash', '-c', command],
            cwd=self._folder,
            env=self._environment | {'COLUMNS': '120', 'TERM': 'dumb'},
            stdin=its,
            stdout=its,
            stderr=its,
            start_new_session=True,
        )
        os.close(its)
        seen, answered = '', 0
        deadline = time.monotonic() + _LONGEST
        try:
            while True:
                assert time.monotonic() < deadline, f'{command} does not end:\n{seen[-4000:]}'
                if not select.select([mine], [], [], 1.0)[0]:
                    continue
                try:
                    seen += os.read(mine, 4096).decode('utf-8', 'replace')
                except OSError:
                    # Its other end is closed.
                    break
                if seen.count('y or n: ') > answered:
                    answered += 1
                    os.write(mine, b'y\n')
            status = running.wait(30.0)
        finally:
            if running.poll() is None:
                running.kill()
                running.wait()
            os.close(mine)
        good = (0, 1) if command.startswith(_MAY_ANSWER_NO) else (0,)
        assert status in good, f'{command} ended with {status}:\n{seen[-4000:]}'
        assert 'Traceback' not in seen, seen[-4000:]

    def leave(self) -> None:
        """Close all terminals."""
        for program in reversed(self._serving.values()):
            program.kill()
        self._port.release()


def checkout(folder: Path) -> Path:
    """A folder with what a checkout has, for what commands write."""
    folder.mkdir()
    for entry in ROOT.iterdir():
        if entry.name != '.git':
            (folder / entry.name).symlink_to(entry)
    return folder


@needs('default model')
@pytest.mark.timeout(900)
@pytest.mark.parametrize('page', PAGES)
def test_a_reader_types_every_command_of_a_page(page, tmp_path, environment):
    folder = checkout(tmp_path / 'checkout')
    (tmp_path / 'output').mkdir()
    path = f'{ROOT / ".venv/bin"}{os.pathsep}{os.environ["PATH"]}'
    reader = Reader(folder, environment | {'PATH': path}, tmp_path / 'output')
    typed = 0
    try:
        for block in blocks_of(ROOT / page):
            if block.reason:
                continue
            if block.file:
                (folder / block.file).write_text(block.text, encoding='utf-8')
            for command in block.commands:
                reader.type(command)
                typed += 1
    finally:
        reader.leave()
    assert not typed or typed > len(reader.left_out), reader.left_out


@pytest.mark.parametrize('page', PAGES)
def test_what_is_not_run_has_a_reason(page):
    reasons = [block.reason for block in blocks_of(ROOT / page) if block.reason]
    assert all(len(reason.split()) >= 4 for reason in reasons), reasons
