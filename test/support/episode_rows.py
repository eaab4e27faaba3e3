"""Rows of studies that nobody has run."""

from __future__ import annotations

from dataclasses import fields

from reactree_tools.bench.rows import Cell, EpisodeRow

_OF_CELL = {one.name for one in fields(Cell)}


def episode_row(number=0, **changes):
    """An episode of the task of this number, met unless it is said otherwise.

    :param changes: fields of the row or of its cell.
    """
    place = {
        'world': 'depot',
        'tasks': 'generated',
        'task': f'load:{number}',
        'scene': f'yard:{number}',
        'world_seed': number,
        'model': 'm',
    }
    told = {
        'instruction': f'Load crate {number} onto the truck.',
        'family': 'load',
        'success': True,
        'total': 2,
        'decisions': 10,
        'steps': 5,
        'seconds': 1.0,
    }
    place.update({name: value for name, value in changes.items() if name in _OF_CELL})
    told.update({name: value for name, value in changes.items() if name not in _OF_CELL})
    told.setdefault('met', told['total'] if told['success'] else 0)
    told.setdefault('ended', 'success' if told['success'] else 'failure')
    return EpisodeRow(Cell(**place), **told)
