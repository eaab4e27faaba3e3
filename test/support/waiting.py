"""Waiting for what no event tells of: looked at until a deadline."""

from __future__ import annotations

import threading
import time


def wait_for(condition, what, patience=30.0):
    """Look until it holds; fail after `patience` seconds."""
    deadline = time.monotonic() + patience
    pause = threading.Event()
    while not condition():
        assert time.monotonic() < deadline, f'not in time: {what}'
        pause.wait(0.02)


def result_of(future, patience=60.0):
    """Result of a future of another thread."""
    done = threading.Event()
    future.add_done_callback(lambda _: done.set())
    assert done.wait(patience), 'no answer in time'
    return future.result()
