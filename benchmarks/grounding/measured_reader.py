"""The reader that is measured: a phrasing goes in, conditions come out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from reactree_core.observation import Vocabulary
from reactree_planner.reading.names import Names
from reactree_planner.reading.reader import read_alone


@dataclass(frozen=True, slots=True)
class Reading:
    """What a phrasing was read as.

    :param conditions: at the end, as texts.
    :param whole: whether every word was accounted for. :param steps: all that shall hold on the
        way and at the end, and what was not read, for people.
    """

    conditions: tuple[str, ...]
    whole: bool = False
    steps: str = ''


Read = Callable[[str, Vocabulary], Reading]


def grammar_reader() -> Read:
    """Skills and grammar; nobody is asked."""
    known: dict[int, tuple[Vocabulary, Names]] = {}

    def read(text: str, vocabulary: Vocabulary) -> Reading:
        if id(vocabulary) not in known:
            # The vocabulary is kept: its address is the key.
            known[id(vocabulary)] = vocabulary, Names(vocabulary)
        goal = read_alone(text, known[id(vocabulary)][1])
        conditions = tuple(one.text for one in goal.conditions)
        open_ = (*goal.unread, *goal.questions)
        unread = f' (not read: {"; ".join(open_)})' if open_ else ''
        return Reading(conditions, goal.whole, f'{goal.means or "-"}{unread}')

    return read
