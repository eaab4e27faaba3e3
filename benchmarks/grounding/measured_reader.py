"""The reader that is measured: a phrasing goes in, conditions come out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from reactree_core.observation import Vocabulary
from reactree_core.ports import Embedder
from reactree_planner.language.name_choice import NameChoice
from reactree_planner.reading.names import Names
from reactree_planner.reading.reader import read_alone


@dataclass(frozen=True, slots=True)
class Reading:
    """What a phrasing was read as.

    :param conditions: at the end, as texts, and `unknown: words` lines.
    :param whole: whether every word was accounted for. :param steps: all that shall hold on the
        way and at the end, and what was not read, for people.
    """

    conditions: tuple[str, ...]
    whole: bool = False
    steps: str = ''


Read = Callable[[str, Vocabulary], Reading]


def grammar_reader(embedder: Embedder | None = None) -> Read:
    """The grammar; nobody is asked.

    :param embedder: the sentence encoder, for words that are no names; None: without.
    """
    known: dict[int, tuple[Vocabulary, Names]] = {}
    choice = None if embedder is None else NameChoice(lambda: embedder)

    def read(text: str, vocabulary: Vocabulary) -> Reading:
        if id(vocabulary) not in known:
            # The vocabulary is kept: its address is the key.
            known[id(vocabulary)] = vocabulary, Names(vocabulary)
        goal = read_alone(text, known[id(vocabulary)][1], choice)
        unknown = (f'unknown: {tie.words}' for tie in goal.ties if not tie.name)
        conditions = (*(one.text for one in goal.conditions), *unknown)
        unread = f' (not read: {"; ".join(goal.unread)})' if goal.unread else ''
        return Reading(conditions, goal.whole, f'{goal.means or "-"}{unread}')

    return read
