"""Who reads tasks: skills word for word first; then the grammar, the model, or both, of which is
believed what they agree on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Protocol

from reactree_core.record.run_settings import Reading
from reactree_planner.language.goal import confirmed, Goal, ReadBy, Word
from reactree_planner.language.languages import (
    ENGLISH,
    is_english,
    is_foreign,
    language,
    language_of,
)
from reactree_planner.language.name_choice import NameChoice
from reactree_planner.language.names import Names
from reactree_planner.language.quoting import QuotedText
from reactree_planner.language.reading import read_with_grammar
from reactree_planner.language.skill_goals import read_skills
from reactree_planner.language.words import words_of

#: Asks a person which of some readings is meant; '' where nobody answers.
AskPerson = Callable[[str, Sequence[str]], str]
NEITHER = 'neither'


class TaskReader(Protocol):
    """Reads what a sentence asks for."""

    def read(self, text: str, names: Names) -> Goal:
        """The goal of a sentence; what was not read is in it.

        :param text: word for word. :param names: of the skill server.
        :raises ModelError: the model failed. :raises CanceledError: stopped.
        """


class GrammarTaskReader:
    """Reads English by rules; of another language nothing, and says so.

    :param choice: who says what words mean that stand for a name and are none; None: nobody.
    """

    def __init__(self, choice: NameChoice | None = None) -> None:
        self._choice = choice

    def read(self, text: str, names: Names) -> Goal:
        """The goal of a sentence."""
        skills = read_skills(text, names)
        if skills is not None:
            return skills
        if not words_of(text):
            return Goal(text, language='')
        known = names.all_words().words
        code = language_of(text, known)
        if is_foreign(code):
            return unread_goal(text, code)
        goal = read_with_grammar(text, names, self._choice)
        # "crate, pallet": what can be read is English; of other words nobody knows.
        is_told = bool(code) or not goal.is_empty or is_english(text, known)
        return replace(goal, language=ENGLISH if is_told else '')


class AgreeingReader:
    """Two readers; only what both say is a whole reading.

    :param first: whose reading stands where they agree. :param second: the other.
    :param ask: asks a person which of the two is meant, where they differ.
    """

    def __init__(
        self, first: TaskReader, second: TaskReader, ask: AskPerson | None = None
    ) -> None:
        self._first = first
        self._second = second
        self._ask = ask

    def read(self, text: str, names: Names) -> Goal:
        """The goal that both read; else a person's choice; else the first's, not whole."""
        first, second = self._first.read(text, names), self._second.read(text, names)
        if agree(first, second):
            whole = next((one for one in (first, second) if one.whole), first)
            return replace(whole, by=ReadBy.BOTH, acts=whole.whole and bool(whole.milestones))
        never = tuple(dict.fromkeys((*first.never, *second.never)))
        rules = tuple(dict.fromkeys((*first.rules, *second.rules)))
        left = tuple(dict.fromkeys((*first.left_to_model, *second.left_to_model)))
        chosen = self._chosen(first, second)
        if chosen is not None:
            return replace(confirmed(chosen), never=never, rules=rules, left_to_model=left)
        unread = tuple(dict.fromkeys((*first.unread, *second.unread))) or (text.strip(),)
        shown = first if first.milestones else second
        return replace(
            shown, never=never, rules=rules, unread=unread, left_to_model=left, acts=False
        )

    def _chosen(self, first: Goal, second: Goal) -> Goal | None:
        """The reading that a person takes; None where nobody answers, or takes neither."""
        told = {goal.means: goal for goal in (second, first) if goal.means}
        if self._ask is None or not told:
            return None
        answer = self._ask('What is wanted?', (*reversed(told), NEITHER))
        return told.get(answer)


class SkillsFirst:
    """Reads a sentence of declared skills as these skills, and leaves any other to a reader."""

    def __init__(self, others: TaskReader) -> None:
        self._others = others

    def read(self, text: str, names: Names) -> Goal:
        """The goal of a sentence."""
        skills = read_skills(text, names)
        return skills if skills is not None else self._others.read(text, names)


def agree(first: Goal, second: Goal) -> bool:
    """Whether two readings ask for the same, in the same order, and forbid the same."""
    return _asked(first) == _asked(second) and bool(first.milestones or first.never)


def _asked(goal: Goal) -> tuple[object, ...]:
    milestones = tuple(frozenset(one.text for one in each) for each in goal.milestones)
    never = frozenset(one.wording for one in goal.never)
    return milestones, never, frozenset(goal.rules), goal.trigger


def unread_goal(text: str, code: str, by: ReadBy = ReadBy.GRAMMAR) -> Goal:
    """Of a sentence in a language that is not read: nothing, and all of it left to the model."""
    sentence = QuotedText(text, language(code))
    words = tuple(Word(text[start:end]) for start, end in sentence.spans)
    whole = (text.strip(),) if text.strip() else ()
    return Goal(text, words=words, unread=whole, left_to_model=whole, language=code, by=by)


def reader_of(
    mode: Reading,
    model_reader: TaskReader | None,
    ask: AskPerson | None = None,
    choice: NameChoice | None = None,
) -> TaskReader:
    """The reader of a mode; without a model the grammar reads alone.

    :param ask: asks a person, where the readers of `both` differ.
    :param choice: who says what the grammar's unknown words mean.
    """
    grammar = GrammarTaskReader(choice)
    if mode is Reading.GRAMMAR or model_reader is None:
        return grammar
    by_model = mode is Reading.MODEL
    return SkillsFirst(model_reader if by_model else AgreeingReader(grammar, model_reader, ask))
