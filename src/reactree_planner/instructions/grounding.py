"""The words of an instruction tied to the names that a skill server knows, and what it asks for.

Exact names, plurals and declared other words are found by `names`; what is left by `tying`.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence
from dataclasses import dataclass

from reactree_core.observation import Vocabulary
from reactree_core.ports import Embedder
from reactree_planner.instructions.condition_reading import read_conditions
from reactree_planner.instructions.condition_reading import UNNAMED
from reactree_planner.instructions.condition_words import Words
from reactree_planner.instructions.conditions import Condition
from reactree_planner.instructions.name_choice import Choose
from reactree_planner.instructions.name_choice import choose_none
from reactree_planner.instructions.name_choice import NameChoice
from reactree_planner.instructions.names import Names
from reactree_planner.instructions.ties import Tie
from reactree_planner.instructions.ties import TieKind
from reactree_planner.instructions.tying import Tying
from reactree_planner.instructions.words import word_spans


@dataclass(frozen=True, slots=True)
class Grounding:
    """An instruction in the names of a skill server.

    :param text: with tied words replaced by their names. :param ties: what was replaced, and
        words that are unknown. :param conditions: what it asks for, as far as its words say it.
    :param left_out: things that it names and of which no condition was read.
    """

    text: str
    ties: tuple[Tie, ...]
    conditions: tuple[Condition, ...]
    left_out: tuple[str, ...] = ()

    @property
    def unknown(self) -> tuple[str, ...]:
        """Words that stand where a name should and fit none."""
        return tuple(tie.words for tie in self.ties if not tie.name)


def ground(
    text: str,
    names: Names,
    embedder: Callable[[], Embedder] | None = None,
    choose: Choose = choose_none,
    clarify: Choose = choose_none,
) -> Grounding:
    """Tie the words of an instruction to names, and read what it asks for.

    :param embedder: makes the encoder, when words are left that may mean a name; None: none.
    :param choose: the model's choice. :param clarify: a person's, where words fit several names
        equally well; '' where nobody is asked, and the first of them is taken.
    :raises EncoderError: the encoder does not answer.
    """
    domain = Words(names)
    ties = Tying(text, domain, NameChoice(embedder, choose, clarify)).ties()
    conditions, left_out = read_conditions(_reworded(text, ties, UNNAMED), domain)
    return Grounding(_reworded(text, ties), ties, conditions, left_out)


def ground_text(
    text: str, vocabulary: Vocabulary, embedder: Embedder | None = None
) -> tuple[str, ...]:
    """Conditions of an instruction as texts, and `unknown: words` lines; nobody is asked."""
    make = None if embedder is None else lambda: embedder
    grounding = ground(text, Names(vocabulary), make)
    unknown = (f'unknown: {words}' for words in grounding.unknown)
    return (*(condition.text for condition in grounding.conditions), *unknown)


def _reworded(text: str, ties: Sequence[Tie], unknown: str = '') -> str:
    """The text with tied words replaced. :param unknown: stands for unknown ones; '': as told."""
    spans = word_spans(text)
    for tie in sorted(ties, key=lambda one: -one.start):
        if tie.name or (unknown and tie.kind is not TieKind.NO_SKILL):
            begin, end = spans[tie.start][0], spans[tie.end - 1][1]
            text = f'{text[:begin]}{tie.name or unknown}{text[end:]}'
    return text
