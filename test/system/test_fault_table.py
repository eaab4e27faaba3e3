"""The table of faults, played once or twice a row: what it tells, and that a row can fail."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.faults.__main__ import datagrams
from benchmarks.faults.table import ROWS

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
    assert 'in 4 of 4\nruns with an injected fault.' in page
    (row,) = (line for line in page.splitlines() if line.startswith('| journal-read-only | The'))
    assert '| 2 | ' in row


@pytest.mark.timeout(300)
def test_a_row_fails_with_its_mutation(tmp_path: Path) -> None:
    done = faults(tmp_path, 'journal-read-only', '--mutations')
    assert done.returncode == 0, done.stdout + done.stderr
    said = (tmp_path / 'results.jsonl').read_text()
    assert 'the run ended with 0: no error' in said
    page = (tmp_path / 'page.md').read_text()
    before, _, after = page.partition('failed with it')
    assert before.endswith(f'1 of {len(ROWS)} rows ')
    assert 'journal-read-only' not in after.partition(')')[0]


def test_a_row_that_is_not_there_is_said_with_those_that_are(tmp_path: Path) -> None:
    done = faults(tmp_path, 'earthquake')
    assert done.returncode == 2
    assert "no row 'earthquake'" in done.stderr and 'bridge-killed' in done.stderr


#: Sends itself datagrams, and writes how many came.
SENDER = """
import socket
here = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
here.bind(('127.0.0.1', 0))
here.setblocking(False)
came = 0
for number in range(2000):
    here.sendto(b'x', here.getsockname())
    try:
        came += len(here.recv(10))
    except BlockingIOError:
        pass
print(came)
"""


@pytest.mark.parametrize(('loss', 'least', 'most'), [('0', 2000, 2000), ('0.1', 1700, 1900)])
def test_a_bad_network_loses_what_it_is_told_to(
    tmp_path: Path, loss: str, least: int, most: int
) -> None:
    bad = {'LD_PRELOAD': str(datagrams(tmp_path)), 'FAULTS_LOSS': loss}
    said = subprocess.check_output([sys.executable, '-c', SENDER], env=os.environ | bad)
    assert least <= int(said) <= most
