"""Following a page of the documentation to the letter: its files and its commands."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

_DOCS = Path(__file__).parents[2] / 'docs'
_FILE = re.compile(r'^`([\w./]+)`:\n\n```\w*\n(.*?)^```$', re.MULTILINE | re.DOTALL)
_BLOCK = re.compile(r'^```(\w*)\n(.*?)^```$', re.MULTILINE | re.DOTALL)


def files_of(page: str) -> dict[str, str]:
    """Files a page tells to write: name -> content."""
    return dict(_FILE.findall((_DOCS / page).read_text(encoding='utf-8')))


def commands_of(page: str) -> list[str]:
    """Command lines of a page, in order."""
    blocks = _BLOCK.findall((_DOCS / page).read_text(encoding='utf-8'))
    return [line for language, block in blocks if not language for line in block.splitlines()]


def write_files_of(page: str, folder: Path) -> None:
    """Write what a page tells to write, in the folder where a reader would be."""
    for name, content in files_of(page).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding='utf-8')


def install_package_of(page: str, folder: Path) -> Path:
    """Install the distribution that a page tells to write, by the page's own command.

    :param folder: an empty one. :return: what to put on the path.
    """
    source, target = folder / 'source', folder / 'installed'
    source.mkdir()
    write_files_of(page, source)
    (command,) = (line for line in commands_of(page) if line.startswith('python -m pip install'))
    words = [sys.executable, *shlex.split(command)[1:], '--target', str(target), '--quiet']
    done = subprocess.run(words, cwd=source, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return target
