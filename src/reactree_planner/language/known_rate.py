"""Asking at a known rate of error: what words may mean, when at most so many answers are wrong."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Annotated

import platformdirs
from pydantic import Field

from reactree_core.errors import ConfigurationError
from reactree_core.ports import Embedder
from reactree_core.written_files import read_file, Written
from reactree_planner.language.chances import ByCloseness, ByModel, Chances, CLOSENESS, is_called
from reactree_planner.language.conformal import Calibration, possible, scores_of
from reactree_planner.language.model_reader import Sessions

_SHIPPED = 'pairs.yaml'
_FORM = 'must be a list of pairs: {sentence, words, options, meant} (docs/asking.md)'
_MOST_PAIRS = 100_000
#: Words of which a name consists in part, and words that are at most near some name.
CALLED, NEAR = GROUPS = ('called', 'near')
_LONGEST_NAME = 60


class WrittenPair(Written):
    """Words that were unclear, and what they turned out to mean.

    :param sentence: in which they stand. :param options: names of things and places.
    :param meant: one of the options; '' for none of them.
    """

    sentence: str = Field('', max_length=4000)
    words: str = Field(min_length=1, max_length=400)
    options: list[str] = Field(min_length=1, max_length=1000)
    meant: str = ''


@dataclass(frozen=True, slots=True)
class Pair:
    """A `WrittenPair` whose meaning is among its options. :param right: its index; last: none."""

    sentence: str
    words: str
    options: tuple[str, ...]
    right: int


class KeptScores(Written):
    """A calibration as it is kept."""

    by: str
    scores: dict[str, list[Annotated[float, Field(ge=0, le=1)]]]


def read_pairs(file: Path | Traversable) -> tuple[Pair, ...]:
    """The pairs of a file, YAML or JSON.

    :raises ConfigurationError: it cannot be read, or something in it is wrong.
    """
    written = read_file(file, list[WrittenPair], form=_FORM, largest=64 * 1024**2)
    if not written or len(written) > _MOST_PAIRS:
        raise ConfigurationError(f'{file} has no pairs, or more than {_MOST_PAIRS:,}: {_FORM}')
    return tuple(_pair(one, number, file) for number, one in enumerate(written, start=1))


def _pair(one: WrittenPair, number: int, file: Path | Traversable) -> Pair:
    if one.meant and one.meant not in one.options:
        raise ConfigurationError(
            f'{file}, pair {number} ("{one.words[:60]}"): meant is "{one.meant[:60]}", which is '
            'none of its options; leave it empty where none of them is meant'
        )
    right = one.options.index(one.meant) if one.meant else len(one.options)
    return Pair(one.sentence, one.words, tuple(one.options), right)


def shipped_pairs() -> tuple[Pair, ...]:
    """Those of this package: invented places and households."""
    return read_pairs(files(__package__).joinpath(_SHIPPED))


def calibrated(
    pairs: Iterable[Pair], chances: Chances, watch: Callable[[], None] = lambda: None
) -> Calibration:
    """The calibration that follows from pairs.

    :param watch: told after each. :raises ModelError: :raises EncoderError: no chances.
    """
    scores: dict[str, list[float]] = {group: [] for group in GROUPS}
    for pair in pairs:
        found = chances.of(pair.sentence, pair.words, pair.options)
        scores[group_of(pair.words, pair.options)].append(scores_of(found)[pair.right])
        watch()
    return Calibration(chances.by, {group: sorted(told) for group, told in scores.items()})


def group_of(words: str, options: Iterable[str]) -> str:
    """The group of a choice: the words are part of some option, or at most near one."""
    return CALLED if any(is_called(words, option) for option in options) else NEAR


@dataclass(frozen=True, slots=True)
class Coverage:
    """What a rate of error comes to on pairs, as shares of them.

    :param covered: the right option stays. :param asked: more than one stays.
    :param size: options that stay, on average.
    """

    rate: float
    count: int
    covered: float
    asked: float
    size: float


def coverage_of(
    pairs: Sequence[Pair], chances: Chances, calibration: Calibration, rates: Sequence[float]
) -> tuple[Coverage, ...]:
    """Of each rate, on those pairs whose group is calibrated for it.

    On the pairs of the calibration itself the share that is covered says nothing.
    """
    told = [
        (group_of(one.words, one.options), one.right,
         chances.of(one.sentence, one.words, one.options))
        for one in pairs
    ]  # fmt: skip
    found = []
    for rate in rates:
        sets = [
            (right, possible(given, threshold))
            for group, right, given in told
            if (threshold := calibration.threshold(group, rate)) is not None
        ]
        count = max(1, len(sets))
        found.append(
            Coverage(
                rate,
                len(sets),
                sum(right in left for right, left in sets) / count,
                sum(len(left) > 1 for _, left in sets) / count,
                sum(len(left) for _, left in sets) / count,
            )
        )
    return tuple(found)


def keep(calibration: Calibration, file: Path) -> None:
    """Write a calibration. :raises OSError: it cannot be written."""
    scores = {group: [*told] for group, told in calibration.scores.items()}
    text = KeptScores(by=calibration.by, scores=scores).model_dump_json(indent=1)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text + '\n', encoding='utf-8')


def read_calibration(file: Path) -> Calibration:
    """One that was kept. :raises ConfigurationError: it cannot be read."""
    told = read_file(file, KeptScores, form='must be made by `reactree calibrate`')
    return Calibration(told.by, {group: sorted(scores) for group, scores in told.scores.items()})


def calibration_file(by: str) -> Path:
    """Where the calibration of who gives chances is kept, in the user's state folder."""
    digest = blake2b(by.encode(), digest_size=4).hexdigest()
    readable = re.sub(r'[^\w.-]+', '_', by)[-_LONGEST_NAME:]
    return platformdirs.user_state_path('reactree') / 'calibrations' / f'{readable}-{digest}.json'


class KnownRate:
    """What words of one task may mean, at a rate of error.

    :param wrong_at_most: share of answers that may be wrong, over 0 to 0.5.
    :param sentence: the task. :param calibration: of the same chances.
    """

    def __init__(
        self, chances: Chances, calibration: Calibration, wrong_at_most: float, sentence: str = ''
    ) -> None:
        self._chances, self._calibration = chances, calibration
        self._wrong_at_most, self._sentence = wrong_at_most, sentence

    def may_mean(self, words: str, options: Sequence[str]) -> tuple[str, ...] | None:
        """Options that stay possible, the likeliest first; '' stands for none of them.

        Without enough pairs it is not known for names that have the words (None), and words that
        are only near some name mean none: they stay unread, which is no error.
        """
        group = group_of(words, options)
        threshold = self._calibration.threshold(group, self._wrong_at_most)
        if threshold is None:
            return None if group == CALLED else ('',)
        named = (*options, '')
        left = possible(self._chances.of(self._sentence, words, options), threshold)
        return tuple(named[index] for index in left)


def known_rate(
    wrong_at_most: float,
    sentence: str,
    embedder: Callable[[], Embedder] | None,
    model: str = '',
    sessions: Sessions | None = None,
) -> KnownRate:
    """With the best calibration that is kept: of the model, of closeness, of the shipped pairs.

    :param model: its name. :param sessions: of it; None: no model is asked.
    :raises ConfigurationError: a kept one is damaged. :raises EncoderError: no closeness.
    """
    closeness = ByCloseness(embedder)
    file = calibration_file(model)
    if sessions is not None and model and file.is_file():
        return KnownRate(
            ByModel(model, sessions, closeness), read_calibration(file), wrong_at_most, sentence
        )
    file = calibration_file(CLOSENESS)
    if file.is_file():
        return KnownRate(closeness, read_calibration(file), wrong_at_most, sentence)
    shipped = calibrated(shipped_pairs(), closeness)
    return KnownRate(closeness, shipped, wrong_at_most, sentence)
