"""Experiences for tests of stores."""

from __future__ import annotations

import numpy as np

from reactree_core.experience import Experience, Termination

ENCODER = 'test'


def experience(name, **fields):
    values = {
        'experience_id': str(name),
        'goal': f'goal {name}',
        'trajectory': f'Your task is to: goal {name}',
        'termination': Termination.EXPAND,
        'run_id': 'ab' * 16,
        'task_type': 'put_fridge',
        'planner': 'reactree',
        'model': 'scripted',
        'tokens': 0,
        'context': f'The larger task is: bring {name}',
    }
    return Experience(**(values | fields))


def add(store, *experiences):
    vectors = np.eye(4, dtype=np.float32)[[len(item.goal) % 4 for item in experiences]]
    return store.add(experiences, vectors, ENCODER)


def everything(store):
    return [row for rows in store.rows_after(0) for row in store.load(rows.numbers)]
