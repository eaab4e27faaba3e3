"""What chaining costs an event of a run, in its journal and in its bag.

For each event of a recorded run: bounding it, making the line with both hashes and hashing that
(journal and bag), and the link in its message (bag alone), as the planner does it; beside that the
line without a chain, and verifying. Times are processor time.

    scripts/with_ros python -m benchmarks.record_chain last
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path

from reactree_core.record.chain import verify_events
from reactree_core.record.events import bounded_event
from reactree_core.record.journal import journal_directory, read_journal
from reactree_core.record.journal_lines import chained, encode_event, hash_of
from reactree_core.ros.conversions import link_to_message
from reactree_tools.viewer.sources import journal_path

_ROUNDS = 50


def main() -> None:
    """Read the run and print a row for each part."""
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('run', help="a journal, the first digits of a run's id, or last")
    parser.add_argument('--journals', type=Path)
    arguments = parser.parse_args()
    path = journal_path(arguments.run, journal_directory(arguments.journals))
    events = list(read_journal(path))
    texts = [encode_event(event) for event in events]
    links = [event.link for event in events]
    size = sum(map(len, texts)) / len(texts)
    print(f'{len(events)} events, {size:.0f} characters each')

    def measure(name: str, work: Callable[[], object]) -> None:
        began = time.process_time()
        for _ in range(_ROUNDS):
            work()
        microseconds = (time.process_time() - began) / _ROUNDS / len(events) * 1e6
        print(f'{name:34} {microseconds:7.1f} microseconds an event')

    measure('its line, without a chain', lambda: list(map(encode_event, events)))
    measure('bound it', lambda: list(map(bounded_event, events)))
    measure('links and hash of its line', lambda: list(map(hash_of, map(chained, texts, links))))
    measure('link in its message (bag)', lambda: list(map(link_to_message, links)))
    measure('verify', lambda: verify_events(events))


if __name__ == '__main__':
    main()
