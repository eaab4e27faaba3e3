"""The first reader of tasks: a sentence that is made of declared skills is these skills.

It compiles the templates and names of one server into an index by words, and knows no verbs:

    Please undock, then take a photo.      done undock; then done take a photo
    water the T01 with 100 ml              done water plant T01 with 100 ml
    open the lid, then close it again      lid is open; then lid is closed

Upper and lower case, articles, and a name's first words may differ where one name is left. A word
that forbids is never part of such a sentence, but within a name, a template, or quotation marks.
What a clause may be is `skill_clause.py`.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from heapq import heappop, heappush
from itertools import count

from reactree_core.skill_types import Slot, sorts_of
from reactree_planner.reading.names import Names
from reactree_planner.reading.phrases import Phrases
from reactree_planner.reading.skill_clause import Clauses, Match, Skills
from reactree_planner.reading.skill_templates import QUOTE, SIGNS
from reactree_planner.reading.small_words import (
    ADVERBS,
    ASKING,
    COORDINATORS,
    FIRST,
    FORBIDDING,
    GREETINGS,
    POLITE,
    REQUESTS,
    THEN,
    TYING,
    word_set,
)
from reactree_planner.reading.tokens import MOST_CHARACTERS

#: Words behind a clause that begin another, or say when this one is wanted.
_JOINING = COORDINATORS | TYING | POLITE | word_set('whenever every')
#: Ways to read a text up to a word that are followed.
_MOST_WAYS = 8
#: Costs: a clause, a word of courtesy.
_CLAUSE, _FRAME = 4, 2


@dataclass(frozen=True, slots=True)
class SkillSentence:
    """A text made of skills alone, in their order.

    :param frames: where words of courtesy and order stand, in characters.
    """

    matches: tuple[Match, ...]
    frames: tuple[tuple[int, int], ...] = ()


class SkillMatcher:
    """Finds the skills of one server in texts.

    :param names: of the server, with its skill types.
    """

    def __init__(self, names: Names) -> None:
        self._skills = Skills(names)

    def find(self, text: str) -> Iterator[Match]:
        """Clauses anywhere in a text, up to where a clause may end."""
        if text != unicodedata.normalize('NFC', text):
            return
        clauses = Clauses(self._skills, text)
        behind: dict[int, list[Match]] = {}
        for at in range(len(clauses.text.words)):
            found = clauses.at(at)
            for before in behind.get(at, ())[:_MOST_WAYS]:
                found += clauses.at(at, before)
            for end, match in dict.fromkeys(found):
                if _may_end(clauses, end):
                    yield match
                for begin in _goes_on(clauses, end):
                    behind.setdefault(begin, []).append(match)

    def names_of(self, slot: Slot) -> list[str]:
        """Names that stand in a slot: of its classes, or of the kind that it takes; else any that
        may, but what is only measured.
        """
        index, names = self._skills.index, self._skills.names
        fitting = [one for one in dict.fromkeys(index.all) if index.fits(slot, one)]
        taken = names.kind_in(slot)
        alike = [one for one in fitting if slot.classes or names.kind(one) is taken]
        return alike or [one for one in fitting if one not in names.own_numbers]

    def names_in(self, text: str, slot: Slot) -> Iterator[str]:
        """Names that a text has, with their numbers, and that stand in a slot."""
        clauses = Clauses(self._skills, text)
        own = frozenset(self.names_of(slot))
        at = 0
        while at < len(clauses.text.words):
            found = max(clauses.text.names_at(at, slot), default=None)
            is_own = found is not None and not own.isdisjoint(sorts_of(found[1]))
            if found is not None and is_own and not slot.objection(found[1]):
                yield found[1]
            at = max(at + 1, found[0] if found is not None else 0)

    def read(self, text: str) -> SkillSentence | None:
        """The skills of which a text is made; None where it says anything else, or where two ways
        to read it are equally good.
        """
        text = unicodedata.normalize('NFC', text)
        if len(text) > MOST_CHARACTERS:
            return None
        return _Reading(Clauses(self._skills, text)).best()


def _may_end(clauses: Clauses, at: int) -> bool:
    """Test for the end of a clause: a sign, or a word that joins clauses."""
    follows = clauses.text.word(at) or '.'
    return follows in SIGNS or follows in _JOINING


def _goes_on(clauses: Clauses, at: int) -> Iterator[int]:
    """Beginnings of a clause without a verb, behind one that ends at a token."""
    begin = at + (clauses.text.word(at) == ',')
    begin += clauses.text.word(begin) == 'and'
    if begin > at:
        yield begin
    yield from THEN.at(clauses.text.words, at)


@dataclass(frozen=True, slots=True)
class _Way:
    """A way to read a text up to a token. :param asks: whether it is worded as a request."""

    matches: tuple[Match, ...] = ()
    frames: tuple[tuple[int, int], ...] = ()
    later: bool = False
    asks: bool = False
    questions: bool = False


#: What may stand next: a skill; a skill or the end; what joins two skills.
_BEGIN, _OPEN, _BEHIND = range(3)


def _without_prohibitions(phrases: Iterable[tuple[str, ...]]) -> Phrases:
    found = (one for one in phrases if FORBIDDING.isdisjoint(one))
    return Phrases(tuple(w for w in one) for one in found)


_REQUESTS = _without_prohibitions(REQUESTS)
_LEADS = _without_prohibitions([*GREETINGS, *FIRST, *((w,) for w in (*POLITE, *ADVERBS))])
_TAILS = _without_prohibitions([*GREETINGS, *((w,) for w in (*POLITE, *ADVERBS))])


class _Reading:
    """Reads one text. :param clauses: of it."""

    def __init__(self, clauses: Clauses) -> None:
        self._clauses = clauses
        self._words = clauses.text.words

    def best(self) -> SkillSentence | None:
        """The cheapest way to read all of it; None where there is none, or more than one."""
        size, order = len(self._words), count()
        begin = _Way()
        seen: dict[tuple[int, int], list[tuple[int, _Way]]] = {}
        heap = [(0, next(order), 0, _BEGIN, begin)]
        found: list[tuple[int, _Way]] = []
        while heap:
            cost, _, at, state, way = heappop(heap)
            if found and cost > found[0][0]:
                break
            if at == size and state != _BEGIN:
                found.append((cost, way))
                continue
            known = seen.setdefault((at, state), [])
            if len(known) >= _MOST_WAYS or any(one == way for _, one in known):
                continue
            known.append((cost, way))
            for more, end, next_state, new in self._steps(at, state, way):
                heappush(heap, (cost + more, next(order), end, next_state, new))
        ways = {tuple(map(_asked, way.matches)): way for _, way in found}
        if len(ways) != 1:
            return None
        way = next(iter(ways.values()))
        if way.questions and not way.asks:
            # "Take a photo?" is none of its own; "could you take a photo?" is a request.
            return None
        return SkillSentence(way.matches, way.frames)

    def _steps(self, at: int, state: int, way: _Way) -> Iterator[tuple[int, int, int, _Way]]:
        """What may stand next: cost, index behind, state, and the way with it."""
        if at >= len(self._words):
            return
        if state == _BEHIND:
            yield from self._behind(at, way)
            return
        before = way.matches[-1] if way.matches and state == _BEGIN else None
        for end, match in self._clauses.at(at, before):
            told = replace(match, later=way.later)
            new = _Way((*way.matches, told), way.frames, False, way.asks, way.questions)
            yield _CLAUSE + match.cost, end, _BEHIND, new
        for phrases, asks in ((_REQUESTS, True), (_LEADS, False)):
            for end in phrases.at(self._words, at):
                asked = asks or not ASKING.isdisjoint(self._words[at:end])
                yield _FRAME * (end - at), end, _BEGIN, self._framed(way, at, end, asks=asked)
        for end in THEN.at(self._words, at):
            if way.matches:
                yield _FRAME, end, _BEGIN, self._framed(way, at, end, later=True)
        if self._words[at] in (',', '\n', QUOTE) or (at == 0 and self._words[at] == ':'):
            yield 0, at + 1, state, way

    def _behind(self, at: int, way: _Way) -> Iterator[tuple[int, int, int, _Way]]:
        word = self._words[at]
        if word in ('.', '\n', '?'):
            new = _Way(way.matches, way.frames, False, way.asks, way.questions or word == '?')
            yield 0, at + 1, _OPEN, new
        if word in (',', 'and'):
            yield 0, at + 1, _BEGIN, way
        if word in (',', QUOTE):
            yield 0, at + 1, _BEHIND, way
        for end in _TAILS.at(self._words, at):
            asked = not ASKING.isdisjoint(self._words[at:end])
            yield _FRAME * (end - at), end, _BEHIND, self._framed(way, at, end, asks=asked)
        for end in THEN.at(self._words, at):
            yield _FRAME, end, _BEGIN, self._framed(way, at, end, later=True)

    def _framed(
        self, way: _Way, at: int, end: int, later: bool = False, asks: bool = False
    ) -> _Way:
        span = self._clauses.text.tokens[at].start, self._clauses.text.tokens[end - 1].end
        return _Way(
            way.matches,
            (*way.frames, span),
            way.later or later,
            way.asks or asks,
            way.questions,
        )


def _asked(match: Match) -> tuple[object, ...]:
    """The goal of a clause, whatever its words."""
    return match.skills, match.where, match.later


def matcher_of(names: Names) -> SkillMatcher:
    """The matcher of these names, made anew once more of them are known."""
    return _matcher_of(names, names.size, tuple(one.say for one in names.orders))


@lru_cache(maxsize=16)
def _matcher_of(names: Names, size: int, orders: tuple[str, ...]) -> SkillMatcher:
    return SkillMatcher(names)
