"""Two threads in the same piece of a program, at the same time."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor


class SlowToForget(dict):
    """Gives others time to come between the look whether a key is there and what follows."""

    def __contains__(self, key):
        found = super().__contains__(key)
        threading.Event().wait(0.1)
        return found


def run_together(*coroutines):
    """Run coroutines that wait for nothing, each in a thread; raises what they raise."""

    def run(coroutine):
        try:
            coroutine.send(None)
        except StopIteration:
            return
        raise AssertionError('it waits')

    with ThreadPoolExecutor(len(coroutines)) as threads:
        list(threads.map(run, coroutines))
