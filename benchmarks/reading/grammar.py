"""The grammar over the development sets: how much it reads whole, and how much of that right."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.grounding.alfred import read_alfred
from benchmarks.grounding.conditions import score
from benchmarks.grounding.not_told import counted, read_not_told
from benchmarks.grounding.phrasings import Half, own_sets, Phrasing, read_own_set
from benchmarks.grounding.wah_nl import read_wah_nl
from reactree_core.observation import Vocabulary
from reactree_planner.reading.check import check, Report
from reactree_planner.reading.goal import Goal, goal_of, ReadBy
from reactree_planner.reading.grammar.sentences import read
from reactree_planner.reading.vocabulary import ServerWords


@dataclass(frozen=True, slots=True)
class Read:
    """A phrasing as the grammar reads it. :param seconds: of reading, check and goal."""

    phrasing: Phrasing
    report: Report
    goal: Goal
    is_right: bool
    seconds: float


def development_sets(data: Path | None) -> Mapping[str, tuple[Phrasing, ...]]:
    """Phrasings of the development halves by set.

    :param data: folder of the shared data; None: own sets only.
    """
    sets = {name: read_own_set(name) for name in own_sets()}
    if data is not None:
        sets['WAH-NL'] = read_wah_nl(data / 'wah_nl_train', data / 'wah_graphs')
        sets['ALFRED'] = read_alfred(data / 'alfred_traj', data / 'alfred_layouts')
    not_told = read_not_told()
    return {
        name: tuple(
            one for one in counted(each, not_told.get(name, {})) if one.half is Half.DEVELOPMENT
        )
        for name, each in sets.items()
    }


class Servers:
    """The words of each vocabulary, made once."""

    def __init__(self) -> None:
        self._made: dict[int, tuple[Vocabulary, ServerWords]] = {}

    def words(self, vocabulary: Vocabulary) -> ServerWords:
        """The words of a vocabulary."""
        found = self._made.get(id(vocabulary))
        if found is None:
            found = self._made[id(vocabulary)] = (vocabulary, ServerWords(vocabulary))
        return found[1]


def read_all(phrasings: Sequence[Phrasing], servers: Servers) -> Iterator[Read]:
    """Each phrasing as it is read."""
    for one in phrasings:
        words = servers.words(one.vocabulary)
        began = time.perf_counter()
        report = check(read(one.text, words), one.text, words)
        goal = goal_of(report, one.text, words, ReadBy.GRAMMAR)
        seconds = time.perf_counter() - began
        texts = tuple(condition.text for condition in goal.conditions)
        rated = score(texts, one.wanted, 0.0, whole=goal.whole)
        yield Read(one, report, goal, bool(rated.whole_right), seconds)
