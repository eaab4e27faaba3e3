"""The table of faults, played once or twice a row: what it tells, and that a row can fail."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def faults(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    files = ['--results', str(folder / 'results.jsonl'), '--page', str(folder / 'page.md')]
    return subprocess.run(
        [sys.executable, '-m', 'benchmarks.faults', *arguments, *files],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.timeout(300)
def test_rows_are_played_once_gone_on_with_and_written_as_a_page(tmp_path: Path) -> None:
    rows = ('journal-read-only', 'mixed-up-results')
    done = faults(tmp_path, *rows, '--runs', '1')
    assert done.returncode == 0, done.stdout + done.stderr
    done = faults(tmp_path, *rows, '--runs', '2')
    assert done.returncode == 0, done.stdout + done.stderr
    assert len((tmp_path / 'results.jsonl').read_text().splitlines()) == 4
    page = (tmp_path / 'page.md').read_text()
    assert '4 runs in which something was done to the nodes, 4 of them held' in page
    (row,) = (line for line in page.splitlines() if line.startswith('| journal-read-only | The'))
    assert '| 2 | 2 | ' in row


@pytest.mark.timeout(300)
def test_a_row_fails_with_its_mutation(tmp_path: Path) -> None:
    done = faults(tmp_path, 'journal-read-only', '--mutations')
    assert done.returncode == 0, done.stdout + done.stderr
    page = (tmp_path / 'page.md').read_text()
    assert 'goes on without its journal | the run ended so: well |' in page


def test_a_row_that_is_not_there_is_said_with_those_that_are(tmp_path: Path) -> None:
    done = faults(tmp_path, 'earthquake')
    assert done.returncode == 2
    assert "no row 'earthquake'" in done.stderr and 'bridge-killed' in done.stderr
