"""One row of the table: what is done, what must hold, and what shows that it can fail."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from benchmarks.faults.stage import Setup, Stage

#: Plays a run on a stage; answers seconds to notice. :raises NotHeld: a promise was not kept.
Play = Callable[[Stage, Random], float]
#: Plays runs in programs of its own: folder, number of the first run, how many, mutation. Answers
#: seconds to notice and what did not hold ('' where all did), a run each.
PlayAlone = Callable[[Path, int, int, str], list[tuple[float, str]]]


@dataclass(frozen=True)
class Row:
    """A row.

    :param name: for the command line. :param done: what is done to what.
    :param promise: what must hold, beside what must for all rows.
    :param noticed: what the time is of. :param runs: of the whole table.
    :param mutation: of patches.py, with which the row must not hold.
    :param mutated: node that it changes. :param fails_when: what it does, for the page.
    :param play: of a row on a stage. :param play_alone: of one with programs of its own.
    :param preload: library of datagrams.c and its settings, where the network is to be bad.
    :param serves: whether the next goal is asked after each run.
    """

    name: str
    done: str
    promise: str
    noticed: str
    runs: int
    mutation: str
    mutated: str
    fails_when: str
    play: Play | None = None
    setup: Setup = field(default_factory=Setup)
    play_alone: PlayAlone | None = None
    preload: Mapping[str, str] = field(default_factory=dict)
    serves: bool = True
    #: Seconds of a run after which its process counts as stuck.
    longest: float = 240.0
