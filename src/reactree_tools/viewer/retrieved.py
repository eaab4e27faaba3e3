"""What memory gave a node when it began, from the answers in the run's journal."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import replace
from math import isfinite
from typing import Any

from reactree_core.errors import JournalError
from reactree_core.experience import Experience
from reactree_planner.resume.run_log import is_resumption
from reactree_planner.resume.told_experiences import EXAMPLES
from reactree_planner.resume.told_experiences import RETRIEVE
from reactree_planner.resume.told_experiences import ToldExperiences
from reactree_planner.tree.journal import Answer
from reactree_planner.tree.journal import Record

#: Experiences told of one question, beside those that the prompt showed.
_MOST = 12
#: Characters of an experience that are told.
_LONGEST_TEXT = 20_000


@dataclass(frozen=True, slots=True)
class Retrieval:
    """One question to the memory.

    :param offered: best first.
    :param chosen: ids of those that the prompt showed, in its order; None when nobody wrote
        that down.
    """

    offered: tuple[Experience, ...] = ()
    chosen: tuple[str, ...] | None = None

    @property
    def examples(self) -> tuple[Experience, ...] | None:
        """Those that the prompt showed, in its order."""
        if self.chosen is None:
            return None
        by_id = {one.experience_id: one for one in self.offered}
        return tuple(by_id[name] for name in self.chosen if name in by_id)

    def listed(self) -> list[Experience]:
        """Those that the prompt showed, most telling first, then the best of the others."""
        shown = list(reversed(self.examples or ()))
        return shown + [one for one in self.offered if one not in shown][:_MOST]


def retrieval_of(records: Iterable[Record], node_id: int) -> Retrieval | None:
    """What memory gave a node, the last time that it asked; empty when it did not ask.

    :param records: of the run, in order.
    :return: None where records have no answers, as those of bags and of early versions.
    :raises JournalError: an answer is damaged.
    """
    told = ToldExperiences()
    found = Retrieval()
    answers = False
    # A node asks right after its first look; the run itself asks for its root.
    asking = 1
    for record in records:
        if not isinstance(record, Answer):
            asking = asking if is_resumption(record) else record.node_id or 1
            continue
        answers = True
        try:
            if record.kind == RETRIEVE:
                offered = told.read(record.content)
                if asking == node_id:
                    found = Retrieval(offered)
            elif record.kind == EXAMPLES and asking == node_id:
                found = replace(found, chosen=tuple(map(str, record.content['chosen'])))
        except (LookupError, TypeError, ValueError) as error:
            raise JournalError(
                f'What memory gave cannot be read from the journal ({error}).'
            ) from error
    return found if answers else None


def told_to_page(
    experiences: Sequence[Experience], shown: Sequence[str] | None
) -> list[dict[str, Any]]:
    """Experiences as JSON values.

    :param shown: ids of those that a prompt showed; None when nobody knows.
    """
    return [
        {
            'goal': str(one.goal)[:_LONGEST_TEXT],
            'termination': one.termination.name.lower(),
            'similarity': round(one.similarity, 3) if isfinite(one.similarity) else 0.0,
            'planner': str(one.planner),
            'run': str(one.run_id),
            'text': cut(str(one.trajectory), _LONGEST_TEXT),
            'shown': None if shown is None else one.experience_id in shown,
        }
        for one in experiences
    ]


def cut(text: str, longest: int) -> str:
    """A text of any length, as much of it as a page can take."""
    if len(text) <= longest:
        return text
    return f'{text[:longest]}\n... ({len(text) - longest} more characters)'
