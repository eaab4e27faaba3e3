"""Which run is meant where one record holds several, as a bag of `ros2 bag record` does."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence
from typing import Protocol
from typing import TypeVar

from reactree_tools.plain_text import count

#: Ids that are told, and digits of each.
_TOLD = 5
_DIGITS = 8


class NamedRun(Protocol):
    """Whatever is one run."""

    @property
    def run_id(self) -> str:
        """32 hexadecimal digits, or the name of a journal."""


_Run = TypeVar('_Run', bound=NamedRun)


def first_run(runs: Sequence[_Run], warn: Callable[[str], None]) -> _Run:
    """The run to show, where only one can be; that there are others is said.

    :param runs: of one record, 1 or more, in the order they began.
    :param warn: takes the sentence for people.
    """
    first, *others = runs
    if others:
        names = ', '.join(run.run_id[:_DIGITS] for run in others[:_TOLD])
        names += ', ...' if len(others) > _TOLD else ''
        left_out = count(len(others), 'other run')
        warn(
            f'This is run {first.run_id[:_DIGITS]}; the bag has {left_out} ({names}). Choose one '
            'with --run.'
        )
    return first
