"""What is read whole and otherwise than annotated: slips of annotators, listed one by one."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.reading.grammar import development_sets, read_all, Servers
from support.needs import need_data

DOCS = Path(__file__).parents[3] / 'docs' / 'decisions' / 'reading_losses.md'


def slips() -> set[str]:
    """Sentences of the table under "Slips of annotators"."""
    section = DOCS.read_text(encoding='utf-8').partition('## Slips of annotators')[2]
    rows = [line.split('|')[1].strip() for line in section.splitlines() if line.startswith('| ')]
    return set(rows[1:])


@pytest.mark.timeout(300)
def test_whatever_is_whole_and_wrong_is_a_listed_slip(shared_data: Path) -> None:
    need_data(shared_data / 'alfred_traj')
    servers = Servers()
    wrong = {
        one.phrasing.text.strip()
        for phrasings in development_sets(shared_data).values()
        for one in read_all(phrasings, servers)
        if one.goal.whole and not one.is_right
    }
    assert wrong == slips()
