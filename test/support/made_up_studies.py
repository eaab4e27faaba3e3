"""Studies whose episodes never ran: a folder as `reactree bench run` leaves it, row by row."""

from __future__ import annotations

import zlib

from reactree_core.record.journal import Journal
from reactree_tools.bench.rows import append_row, EpisodeRow, ROWS, RUNS, STUDY
from reactree_tools.bench.study import make_study, StudyFile
from support.made_up_runs import MadeUpRun


def begin_study(folder, **fields):
    """A folder with a study that has no episodes yet; the study."""
    told = {'tasks': ['household:3@7'], 'models': ['m'], 'memories': ['none', 'both'], **fields}
    study = make_study(StudyFile.model_validate(told))
    (folder / RUNS).mkdir(parents=True, exist_ok=True)
    (folder / STUDY).write_text(study.text(), encoding='utf-8')
    return study


def row_of_cell(cell, **values):
    """What an episode came to; always the same for a cell."""
    number = zlib.crc32(repr(cell).encode())
    met = number % 4
    told = {
        'instruction': f'please do {cell.task}',
        'family': cell.task.partition(':')[0],
        'success': met == 3,
        'met': met,
        'total': 3,
        'ended': 'failure' if met < 2 else 'success',
        'run': f'{number:032x}',
        'reason': '' if met == 3 else f'{3 - met} of the things are elsewhere.',
        'decisions': 5 + number % 60,
        'steps': 3 + number % 40,
        'seconds': 1.0 + number % 90,
    }
    return EpisodeRow(cell=cell, **{**told, **values})


def end_episode(folder, cell, nodes=2, **values):
    """Write an episode's journal, then its row, as a study does; the row."""
    row = row_of_cell(cell, **values)
    journal = Journal(folder / RUNS, row.run)
    for event in MadeUpRun(nodes):
        journal.append(event)
    journal.close()
    append_row(folder / ROWS, row)
    return row
