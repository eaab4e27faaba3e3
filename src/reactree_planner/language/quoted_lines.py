"""What the lines of a model's reading account for, and the goal that they come to.

A word that no line quotes is unread; so are a name and a number that are quoted and left out of a
line. A line whose names nothing in its quote can mean is not believed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reactree_core.skill_types import Relation
from reactree_planner.facts.conditions import ALL
from reactree_planner.facts.conditions import Condition
from reactree_planner.language.domain import Domain
from reactree_planner.language.goal import Goal
from reactree_planner.language.goal import Milestone
from reactree_planner.language.goal import ReadBy
from reactree_planner.language.goal import Tie
from reactree_planner.language.goal import TieKind
from reactree_planner.language.goal import Word
from reactree_planner.language.languages import Language
from reactree_planner.language.languages import language
from reactree_planner.language.meant_skills import MeantSkills
from reactree_planner.language.names import Mention
from reactree_planner.language.names import Names
from reactree_planner.language.quoting import QuotedText
from reactree_planner.language.words import word_spans
from reactree_planner.language.words import words_of


@dataclass(frozen=True, slots=True)
class QuotedLine:
    """One line of a reading.

    :param start: first word that it quotes, :param end: the one behind the last.
    :param step: how many lines `then` stood before it.
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
    mentions = _mentions(sentence, names)
    kept = [
        line
        for line in lines
        if line.text and _is_founded(line, sentence, mentions, names, domain)
    ]
    accounts: list[list[str]] = [[] for _ in range(len(sentence))]
    for line in kept:
        for index in range(line.start, line.end):
            accounts[index].append(line.text)
    unread = {
        index
        for index, account in enumerate(accounts)
        if not account and sentence.is_content(index)
    }
    unread |= _left_out(sentence, kept, mentions, names, code)
    told = tuple(
        Word(
            sentence.text[start:end],
            '' if index in unread else '; '.join(dict.fromkeys(accounts[index])) or 'small word',
        )
        for index, (start, end) in enumerate(sentence.spans)
    )
    phrases = sentence.phrases(unread)
    unknown = tuple(
        Tie(sentence.words(line.start, line.end), '', TieKind.UNKNOWN, line.start, line.end)
        for line in lines
        if not line.text
    )
    never = tuple(dict.fromkeys(line.never for line in kept if line.never is not None))
    return Goal(
        text,
        milestones_of(_conditions_by_step(kept), domain),
        never=never,
        words=told,
        unread=phrases,
        ties=unknown,
        language=code,
        by=ReadBy.MODEL,
        acts=not phrases,
    )


def _mentions(sentence: QuotedText, names: Names) -> list[tuple[Mention, frozenset[int]]]:
    """Known names in a sentence, and the words that they stand at."""
    spans = word_spans(sentence.text)
    return [
        (mention, sentence.at(spans[mention.start][0], spans[mention.end - 1][1]))
        for mention in names.find_all(sentence.text)
    ]


def _means(mention: Mention, name: str, names: Names) -> bool:
    """Whether a line with a name tells of a mention."""
    if mention.text == name:
        return True
    return mention.text == mention.name and bool(name) and names.class_of(name) == mention.name


def _is_founded(
    line: QuotedLine,
    sentence: QuotedText,
    mentions: Sequence[tuple[Mention, frozenset[int]]],
    names: Names,
    domain: Domain,
) -> bool:
    """Whether a wish's names can come from its quote.

    A name that stands nowhere in the sentence needs a word there that is neither a name nor a
    verb, which it may be another word for. A prohibition is kept whatever it names.
    """
    if line.wanted is None:
        return True
    made_up = [
        name
        for name in line.names
        if not any(_means(mention, name, names) for mention, _ in mentions)
    ]
    taken = frozenset[int]().union(*(inside for _, inside in mentions))
    free = [
        index
        for index in range(line.start, line.end)
        if index not in taken
        and sentence.is_content(index)
        and not domain.is_verb(sentence.word(index))
    ]
    return len(made_up) <= len(free)


def _left_out(
    sentence: QuotedText,
    lines: Sequence[QuotedLine],
    mentions: Sequence[tuple[Mention, frozenset[int]]],
    names: Names,
    code: str,
) -> set[int]:
    """Words that are quoted, and of which no line that quotes them says anything."""
    left: set[int] = set()
    told = language(code)
    for mention, inside in mentions:
        quoting = [one for one in lines if inside & set(range(one.start, one.end))]
        if not any(_means(mention, name, names) for one in quoting for name in one.names):
            left |= inside
    for index in range(len(sentence)):
        count = _count_of(sentence.word(index), told)
        quoting = [one for one in lines if one.start <= index < one.end]
        if count is None or not quoting:
            continue
        said = any(_says_count(one, count, sentence.word(index)) for one in quoting)
        if not said:
            left.add(index)
    return left


def _count_of(word: str, told: Language) -> int | None:
    """The count that a word tells; None for another word, and for one."""
    if word in told.every:
        return ALL
    if word.isdecimal():
        return int(word)
    return told.numbers.index(word) + 2 if word in told.numbers else None


def _says_count(line: QuotedLine, count: int, word: str) -> bool:
    if line.wanted is not None and line.wanted.count == count:
        return True
    # A prohibition holds of each of them.
    in_name = any(word in words_of(name) for name in line.names)
    return in_name or (line.never is not None and count == ALL)


# Milestones -----------------------------------------------------------------------------------


def _conditions_by_step(lines: Sequence[QuotedLine]) -> list[list[Condition]]:
    """The conditions of lines, by step."""
    steps: dict[int, list[Condition]] = {}
    for line in lines:
        if line.wanted is not None:
            steps.setdefault(line.step, []).append(line.wanted)
    return [steps[step] for step in sorted(steps)]


def milestones_of(steps: Sequence[Sequence[Condition]], domain: Domain) -> tuple[Milestone, ...]:
    """Steps as milestones: a condition holds to the end unless a later one supersedes it.

    A step in which one supersedes another falls in two; what is held only to be put somewhere in
    the same step is left out.
    """
    parted: list[list[Condition]] = []
    for conditions in steps:
        parted.append([])
        for condition in dict.fromkeys(conditions):
            ended = [one for one in parted[-1] if _supersedes(condition, one, domain)]
            carried = [one for one in ended if one.relation is Relation.HOLDING]
            parted[-1] = [one for one in parted[-1] if one not in carried]
            if len(carried) < len(ended):
                parted.append([])
            parted[-1].append(condition)
    holding: list[Condition] = []
    for conditions in parted:
        holding = [
            one
            for one in holding
            if not any(_supersedes(condition, one, domain) for condition in conditions)
        ]
        holding += [one for one in conditions if one not in holding]
    final = [tuple(holding)] if holding else []
    return (*(tuple(one) for one in parted[:-1] if one), *final)


def _supersedes(later: Condition, earlier: Condition, domain: Domain) -> bool:
    if later == earlier:
        return False
    if earlier.relation is Relation.AT:
        return True
    if later.subject != earlier.subject or later.relation is Relation.AT:
        return False
    if earlier.relation is Relation.IS:
        return later.relation is Relation.IS and domain.excludes(later.value, earlier.value)
    if earlier.relation is Relation.HOLDING:
        return True
    return later.relation in (Relation.IN, Relation.HOLDING) and later.count == earlier.count
