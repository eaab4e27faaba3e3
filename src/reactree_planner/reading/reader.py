"""The entry of the room: a sentence and the names of a server, to the goal of the planner.

    sentence --> declared skills --> grammar --> model

The first reading that is whole stands. The first two need no model (`read_alone`); a model reads
where the setting of the run lets it. Of each reading the check decides what it is worth, and a
prohibition that any of them found is kept.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import replace
from typing import Protocol

from reactree_core.errors import ModelOutputError
from reactree_core.permission.acts import Act
from reactree_core.permission.rules import Rule
from reactree_core.record.run_settings import Reading
from reactree_planner.reading.check import check
from reactree_planner.reading.goal import confirmed, Goal, goal_of, ReadBy, Word
from reactree_planner.reading.grammar.sentences import read as read_with_grammar
from reactree_planner.reading.languages import (
    ENGLISH,
    is_courtesy,
    is_english,
    is_foreign,
    language,
    language_of,
    languages_of,
    may_be_foreign,
)
from reactree_planner.reading.model_reader import ModelReader
from reactree_planner.reading.names import Names
from reactree_planner.reading.plain_words import plain_words
from reactree_planner.reading.sentence import Sentence, Sign
from reactree_planner.reading.skill_goals import read_skills, said_skills
from reactree_planner.reading.tokens import is_too_long

#: Most readings that are kept.
_MOST_READ = 64
#: A sentence with what ends it.
_SENTENCES = re.compile(r'(?<=[.!?。！？\n])')
#: Asks a person which of some readings is right; '' where nobody answers.
AskPerson = Callable[[str, Sequence[str]], str]
NEITHER = 'neither'
#: Text and content of the names -> reading.
_READ: dict[tuple[str, Hashable], Goal] = {}


class TaskReader(Protocol):
    """Reads sentences into goals."""

    def read(self, text: str, names: Names) -> Goal:
        """The goal of a sentence; what was not read is in it.

        :param text: word for word. :param names: of the skill server.
        :raises ModelError: the model failed. :raises CanceledError: stopped.
        """


def read_alone(text: str, names: Names) -> Goal:
    """The goal of a sentence as it is read without a model: as skills, else by the grammar.

    Of another language than English nothing is read.
    """
    # A run reads its task for its prohibitions, then for its goal; and tasks are done again.
    key = text, names.content
    if key not in _READ:
        if len(_READ) >= _MOST_READ:
            _READ.clear()
        _READ[key] = _read_alone(text, names)
    return _READ[key]


def _read_alone(text: str, names: Names) -> Goal:
    skills = read_skills(text, names)
    if skills is not None:
        return skills
    if not plain_words(text):
        return Goal(text, language='')
    known = names.all_words().words
    code = language_of(text, known)
    if is_foreign(code):
        return unread_goal(text, code, names)
    if is_too_long(text):
        told = (_read_part(part, names) for part in _parts_that_forbid(text, names))
        return _with_prohibitions(unread_goal(text, ENGLISH, names), *told)
    asked = _without_thanks(text)
    goal = _with_foreign_parts(replace(_read_part(asked, names), text=text), asked, known)
    # "crate, pallet": what can be read is English; of other words nobody knows.
    is_known = bool(code) or not goal.is_empty or is_english(text, known)
    return replace(goal, language=ENGLISH if is_known else '')


def _read_part(text: str, names: Names) -> Goal:
    """The goal of an English text by the grammar."""
    report = check(
        read_with_grammar(text, names.words, said_skills(text, names)), text, names.words
    )
    return goal_of(report, text, names.words, ReadBy.GRAMMAR)


def _parts_that_forbid(text: str, names: Names) -> Iterator[str]:
    """Sentences of a text that is too long to be read which forbid something, each once."""
    for part in dict.fromkeys(one.strip() for one in _SENTENCES.split(text)):
        if part and not is_too_long(part):
            if Sentence(part, names.words, ENGLISH).marked(Sign.NEGATION):
                yield part


def unread_goal(text: str, code: str, names: Names) -> Goal:
    """Of a sentence in a language that is not read: nothing, and all of it may forbid."""
    sentence = Sentence(text, names.words, code)
    words = tuple(
        Word(sentence.part((one.start, one.end))) for one in sentence.tokens if one.is_word
    )
    whole = (text.strip(),)
    return Goal(text, words=words, unread=whole, left_to_model=whole, language=code)


def _with_foreign_parts(goal: Goal, text: str, known: frozenset[str]) -> Goal:
    """A goal of which sentences that are in part foreign are unread as a whole.

    :param known: words of names, which are in no language.
    """
    foreign = [one for one in goal.unread if may_be_foreign(one, known)]
    parts = [part.strip() for part in _SENTENCES.split(text)]
    told = [part for part in parts if any(one in part for one in foreign)]
    unread = [one for one in goal.unread if one not in foreign and not any(one in p for p in told)]
    return replace(
        goal,
        unread=(*unread, *told),
        left_to_model=tuple(dict.fromkeys((*goal.left_to_model, *told))),
    )


def may_forbid(goal: Goal, names: Names) -> bool:
    """Whether words that were not read may forbid something.

    Foreign words do where their language has no lists, or where one of its negations is in them.
    """
    return not goal.acts and any(
        _may_forbid(one, goal.language, names) for one in goal.left_to_model
    )


def _may_forbid(words: str, code: str, names: Names) -> bool:
    code = code if is_foreign(code) else language_of(words)
    if not is_foreign(code) or not language(code).is_listed:
        return True
    # "Ni se te ocurra" is Portuguese as well as Spanish by its few signs.
    return any(
        Sentence(words, names.words, one).marked(Sign.NEGATION) for one in languages_of(words)
    )


def _without_thanks(text: str) -> str:
    """A text with blanks in place of sentences that thank or greet in any other language."""
    parts = _SENTENCES.split(text)
    return ''.join(' ' * len(one) if is_courtesy(one) else one for one in parts)


class AloneReader:
    """`TaskReader` without a model."""

    def read(self, text: str, names: Names) -> Goal:
        """The goal of a sentence."""
        return read_alone(text, names)


class FirstWhole:
    """Reads with a second reader what the first does not read whole.

    :param first: needs no model. :param second: a model.
    """

    def __init__(self, first: TaskReader, second: TaskReader) -> None:
        self._first = first
        self._second = second

    def read(self, text: str, names: Names) -> Goal:
        """The goal of a sentence, with the prohibitions of both readings."""
        first = self._first.read(text, names)
        if first.whole or not first.words:
            return first
        return _with_prohibitions(_read(self._second, text, names) or first, first)


class AgreeingReader:
    """Two readers; only what both say is a whole reading.

    :param first: whose reading stands where they agree. :param second: the other.
    :param ask: asks a person which of the two is right, where they differ.
    """

    def __init__(
        self, first: TaskReader, second: TaskReader, ask: AskPerson | None = None
    ) -> None:
        self._first = first
        self._second = second
        self._ask = ask

    def read(self, text: str, names: Names) -> Goal:
        """The goal that both read; else a person's choice; else the first's, not whole."""
        first = self._first.read(text, names)
        if first.by is ReadBy.SKILL or not first.words:
            return first
        second = _read(self._second, text, names)
        if second is None:
            return replace(first, unread=first.unread or (text.strip(),), acts=False)
        if agree(first, second):
            whole = next((one for one in (first, second) if one.whole), first)
            return replace(whole, by=ReadBy.BOTH, acts=whole.whole and bool(whole.milestones))
        chosen = self._chosen(first, second)
        if chosen is not None:
            return _with_prohibitions(confirmed(chosen), first, second)
        unread = tuple(dict.fromkeys((*first.unread, *second.unread))) or (text.strip(),)
        shown = first if first.milestones else second
        return _with_prohibitions(replace(shown, unread=unread, acts=False), first, second)

    def _chosen(self, first: Goal, second: Goal) -> Goal | None:
        """The reading that a person takes; None where nobody answers, or takes neither."""
        offered = {goal.means: goal for goal in (second, first) if goal.means}
        if self._ask is None or not offered:
            return None
        return offered.get(self._ask('What is wanted?', (*reversed(offered), NEITHER)))


class ModelAlone:
    """`TaskReader` by a model, whatever could be read without it.

    :param model: reads in one request.
    """

    def __init__(self, model: ModelReader) -> None:
        self._model = model

    def read(self, text: str, names: Names) -> Goal:
        """The goal of a sentence.

        :raises ModelOutputError: no answer of the model was a form.
        """
        report = self._model.read(text, names.words)
        return goal_of(report, text, names.words, ReadBy.MODEL)


def _read(reader: TaskReader, text: str, names: Names) -> Goal | None:
    """The goal that a model reads; None where no answer of it was a form."""
    try:
        return reader.read(text, names)
    except ModelOutputError:
        return None


def _with_prohibitions(goal: Goal, *others: Goal) -> Goal:
    """A goal with the prohibitions and rules of other readings too."""
    never: list[Act] = []
    rules: list[Rule] = []
    for other in (*others, goal):
        never += [one for one in other.never if not any(n.includes(one) for n in never)]
        rules += [one for one in other.rules if one not in rules]
    return replace(goal, never=tuple(never), rules=tuple(rules))


def agree(first: Goal, second: Goal) -> bool:
    """Whether two readings ask for the same, in the same order, and forbid the same."""
    return _asked(first) == _asked(second) and bool(first.milestones or first.never)


def _asked(goal: Goal) -> tuple[object, ...]:
    milestones = tuple(frozenset(one.text for one in each) for each in goal.milestones)
    never: frozenset[Act] = frozenset(goal.never)
    return milestones, never, frozenset(goal.rules), goal.trigger


def reader_of(mode: Reading, model: TaskReader | None, ask: AskPerson | None = None) -> TaskReader:
    """The reader of a mode; without a model, the one that needs none.

    :param model: `ModelAlone`. :param ask: asks a person, where the readers of `both` differ.
    """
    alone = AloneReader()
    if mode is Reading.GRAMMAR or model is None:
        return alone
    return FirstWhole(alone, model) if mode is Reading.MODEL else AgreeingReader(alone, model, ask)
