"""What the lines of a model's reading account for, and the goal that they come to.

A word that no line quotes is unread; so are a name and a number that are quoted and left out of a
line. A line whose names nothing in its quote can mean is not believed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reactree_planner.facts.conditions import ALL, Condition
from reactree_planner.language.discourse import Discourse
from reactree_planner.language.domain import Domain
from reactree_planner.language.goal import Goal, Milestone, ReadBy, Tie, TieKind, Word
from reactree_planner.language.languages import language
from reactree_planner.language.listed_languages import Language
from reactree_planner.language.meant_skills import MeantSkills
from reactree_planner.language.names import Mention, Names
from reactree_planner.language.quoting import QuotedText
from reactree_planner.language.words import word_spans, words_of


@dataclass(frozen=True, slots=True)
class QuotedLine:
    """One line of a reading.

    :param start: first word that it quotes, :param end: the one behind the last.
    :param step: lines of a lower one come first; twice how many `then` stood before it, one more
        with a word such as "before".
    """

    start: int
    end: int
    step: int
    wanted: Condition | None = None
    never: MeantSkills | None = None

    @property
    def text(self) -> str:
        """What it says of the words."""
        if self.never is not None:
            return f'must not: {self.never.wording}'
        return self.wanted.text if self.wanted is not None else ''

    @property
    def names(self) -> frozenset[str]:
        """Names in it."""
        if self.never is not None:
            return frozenset({' '.join(self.never.thing), ' '.join(self.never.where)})
        return frozenset(self.wanted.names if self.wanted is not None else ())


def goal_of(
    text: str,
    code: str,
    sentence: QuotedText,
    lines: Sequence[QuotedLine],
    names: Names,
    domain: Domain,
) -> Goal:
    """The goal of the lines that can be believed."""
    read = _Quoted(sentence, names, language(code))
    kept = [line for line in lines if line.text and read.is_founded(line, domain)]
    places = range(len(sentence))
    accounts = [[one.text for one in kept if one.start <= at < one.end] for at in places]
    unread = {at for at in places if not accounts[at] and sentence.is_content(at)}
    unread |= read.left_out(kept)
    told = tuple(
        Word(
            sentence.text[start:end],
            '' if index in unread else '; '.join(dict.fromkeys(accounts[index])) or 'small word',
        )
        for index, (start, end) in enumerate(sentence.spans)
    )
    phrases = sentence.phrases(unread)
    # Of a language whose small words are not known, nobody can tell what forbids.
    silent = sentence.clauses_of(unread & sentence.forbidding)
    left = silent if sentence.is_listed else (text.strip(),)
    unknown = tuple(
        Tie(sentence.words(line.start, line.end), '', TieKind.UNKNOWN, line.start, line.end)
        for line in lines
        if not line.text
    )
    steps: dict[int, list[Condition]] = {}
    for line in sorted(kept, key=lambda one: one.step):
        if line.wanted is not None:
            steps.setdefault(line.step, []).append(line.wanted)
    return Goal(
        text,
        milestones_of(tuple(steps.values()), domain),
        never=tuple(dict.fromkeys(line.never for line in kept if line.never is not None)),
        words=told,
        unread=phrases,
        left_to_model=left,
        ties=unknown,
        language=code,
        by=ReadBy.MODEL,
        acts=bool(steps) and not (phrases or left),
    )


class _Quoted:
    """What a sentence names and counts, of which the lines that quote it have to tell."""

    def __init__(self, sentence: QuotedText, names: Names, told: Language) -> None:
        self._sentence = sentence
        self._names = names
        self._told = told
        spans = word_spans(sentence.text)
        #: Known names, and the words that they stand at.
        self._mentions = [
            (one, sentence.at(spans[one.start][0], spans[one.end - 1][1]))
            for one in names.find_all(sentence.text)
        ]

    def _means(self, mention: Mention, name: str) -> bool:
        """Whether a line with a name tells of a mention."""
        whole = mention.text == mention.name and bool(name)
        return mention.text == name or (whole and self._names.class_of(name) == mention.name)

    def is_founded(self, line: QuotedLine, domain: Domain) -> bool:
        """Whether a wish's names can come from its quote.

        A name that stands nowhere in the sentence needs a word there that is neither a name nor a
        verb, which it may be another word for. A prohibition is kept whatever it names.
        """
        if line.wanted is None:
            return True
        named = [one for one, _ in self._mentions]
        made_up = [name for name in line.names if not any(self._means(one, name) for one in named)]
        taken = frozenset[int]().union(*(inside for _, inside in self._mentions))
        free = [
            at
            for at in range(line.start, line.end)
            if at not in taken and self._sentence.is_content(at)
            if not domain.is_verb(self._sentence.word(at))
        ]
        return len(made_up) <= len(free)

    def left_out(self, lines: Sequence[QuotedLine]) -> set[int]:
        """Words that are quoted, and of which no line that quotes them says anything."""
        left: set[int] = set()
        for mention, inside in self._mentions:
            quoting = [one for one in lines if inside & set(range(one.start, one.end))]
            if not any(self._means(mention, name) for one in quoting for name in one.names):
                left |= inside
        for line in lines:
            others = (one for one in lines if one is not line)
            if not any(one.start < line.end and line.start < one.end for one in others):
                left |= self._sentence.joints(line.start, line.end)
        left |= {at for at in self._sentence.before if not self._tells_order(at, lines)}
        for at in range(len(self._sentence)):
            word = self._sentence.word(at)
            quoting = [one for one in lines if one.start <= at < one.end]
            count = self._count_of(at)
            if count is not None and not any(_says_count(one, count, word) for one in quoting):
                left.add(at)
        return left

    def _tells_order(self, at: int, lines: Sequence[QuotedLine]) -> bool:
        """Whether a "before" parts two wishes of its sentence."""
        inside = self._sentence.in_sentence_of(at)
        wishes = [one for one in lines if one.wanted is not None and one.start in inside]
        later = [one for one in wishes if one.start <= at < one.end]
        return any(one.step < told.step for one in wishes for told in later)

    def _count_of(self, at: int) -> int | None:
        """The count that a word tells; None for another word, and for one."""
        word = self._sentence.word(at)
        is_number = word in self._told.numbers
        if is_number and self._told.counters:
            end = self._sentence.spans[at][1]
            is_number = self._sentence.text[end : end + 1] in self._told.counters
        if word in self._told.every:
            return ALL
        if word.isdecimal():
            return int(word)
        return self._told.numbers.index(word) + 2 if is_number else None


def _says_count(line: QuotedLine, count: int, word: str) -> bool:
    if line.wanted is not None and line.wanted.count == count:
        return True
    # A prohibition holds of each of them.
    in_name = any(word in words_of(name) for name in line.names)
    return in_name or (line.never is not None and count == ALL)


# Milestones -----------------------------------------------------------------------------------


def milestones_of(steps: Sequence[Sequence[Condition]], domain: Domain) -> tuple[Milestone, ...]:
    """Steps as milestones, as the clauses of a text come to them."""
    discourse = Discourse(domain)
    for conditions in steps:
        discourse.begin_step()
        for condition in dict.fromkeys(conditions):
            discourse.hold(condition)
    return discourse.told().milestones
