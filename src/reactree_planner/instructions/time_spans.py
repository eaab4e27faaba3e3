"""What a text says of how often, after what, and what must follow: which of its words say it.

English grammar and nothing else. A part counts only where it is told to the robot: nothing but
words such as "please", "you must" or "never" may stand before its verb.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from dataclasses import replace
from enum import Enum
from itertools import pairwise

from reactree_core.permission.rules_file import MOST_TIMES
from reactree_planner.instructions.spoken_numbers import GOING_ON
from reactree_planner.instructions.spoken_numbers import number_of
from reactree_planner.instructions.spoken_numbers import NUMBER_WORDS
from reactree_planner.instructions.words import BEING
from reactree_planner.instructions.words import MODALS
from reactree_planner.instructions.words import Text
from reactree_planner.instructions.words import word_set

#: Words between a clause's beginning and its verb that leave it an order to the robot.
_LEADS = word_set(
    'please kindly just also now so then and but first second third finally next lastly '
    'afterwards later simply ok okay hey robot carefully always ever again well yes however '
    'instead important importantly note attention warning you must should shall may can could '
    'will would do to are allowed permitted sure that make be'
) - BEING | {'are', 'be'}
_NEGATIONS = word_set('not never')
#: What may stand between a negation and its verb.
_BEHIND_NOT = word_set('ever even you to allowed permitted supposed')
#: With these a sentence speaks of a case or of the past, and no rule is read from it.
_CASES = word_set(
    'if when while whether provided otherwise except during unless whenever once was were did had '
    'yesterday though although'
)
#: Those that may hold for all that follows.
_WHOLE_CASES = _CASES - {'whenever', 'once'}
#: Behind ", and" these begin a part of its own.
_ANEW = (['never'], ['always'], ['whenever'], ['only'])
_QUESTIONS = word_set(
    'do did does should must may have has is are why what how which who am shall'
)
#: With these a number is one for each thing, or for a time.
_SHARED_OUT = word_set('per each every apiece hour hours minute minutes day days together row')
#: What stands before a number, and what is taken off it.
_COUNTS = (
    ('no more than', 0),
    ('not more than', 0),
    ('at most', 0),
    ('at the most', 0),
    ('up to', 0),
    ('a maximum of', 0),
    ('maximum', 0),
    ('fewer than', 1),
    ('less than', 1),
)
_EVERY_TIME = ('whenever', 'every time', 'each time', 'any time', 'anytime')
#: Behind "if you open it": it is meant for every time.
_EVERY_TIME_AFTER_ALL = word_set('again always afterwards')
#: Behind these begins what is no longer of a part.
_ENDS = word_set('but then so because since instead however')


class TimeKind(Enum):
    """What is said of some skills."""

    AT_MOST = 'at most'
    ONLY_AFTER = 'only after'
    THEN = 'then'


@dataclass(frozen=True, slots=True)
class TimeSpan:
    """Words of a text that say a rule, by index.

    :param skill: first word of what it is about, a verb unless told in the passive, and the one
        behind. :param condition: the same of what it waits for, or what must follow.
    :param at_most: how often. :param count: words of the number, where they stand between the verb
        and its thing; (0, 0) where they do not. :param asks: whether the words also ask for it;
        "open it at most once" does, "only open it after ..." does not. :param cue: index of the
        word that tells the kind: "whenever".
    """

    kind: TimeKind
    skill: tuple[int, int]
    condition: tuple[int, int] = (0, 0)
    at_most: int = 0
    count: tuple[int, int] = (0, 0)
    asks: bool = True
    cue: int = 0

    @property
    def parts(self) -> tuple[tuple[int, int], ...]:
        """What it is about, and what it waits for or brings with it."""
        return (self.skill, self.condition) if any(self.condition) else (self.skill,)

    @property
    def words(self) -> tuple[int, int]:
        """All its words, from the first to the one behind the last."""
        ends = [i for part in self.parts for i in part]
        return min(*ends, self.cue), max(ends)


def time_spans(text: Text) -> tuple[TimeSpan, ...]:
    """All that a text says of that kind, in order."""
    quoted = text.quoted()
    found: list[TimeSpan] = []
    for begin, end in text.sentences():
        sentence = _Sentence(text, begin, end)
        if quoted.intersection(range(begin, end)) or sentence.is_aside:
            continue
        parts = [begin, *(i for i in range(begin + 1, end) if _begins_anew(text, i)), end]
        if len(parts) > 2 and sentence.has(_WHOLE_CASES):
            # What holds for a case may hold for it to the end.
            parts = [begin, end]
        for first, last in pairwise(parts):
            found += _Sentence(text, first, last).spans()
    return tuple(found)


def _begins_anew(text: Text, i: int) -> bool:
    """Whether a part begins here that says something of its own: ", and do not ..."."""
    if text.plain[i] not in ('and', 'but') or not text.has_comma(i):
        return False
    behind = text.plain[i + 1 : i + 3]
    return behind[:1] in _ANEW or behind == ['do', 'not']


class _Sentence:
    """One sentence of a text."""

    def __init__(self, text: Text, begin: int, end: int) -> None:
        self._text = text
        self._plain = text.plain
        self._begin = begin
        self._end = end

    @property
    def is_aside(self) -> bool:
        """Whether it asks something, or holds for a time only."""
        last = self._text.spans[self._end - 1][1]
        asks = self._text.text[last:].lstrip(' "”\')').startswith('?')
        words = self._plain[self._begin : self._end]
        return (asks and words[0] in _QUESTIONS) or 'for now' in ' '.join(words)

    def spans(self) -> Iterator[TimeSpan]:
        """What it says."""
        for i in range(self._begin, self._end):
            found = self._counted(i) or self._waiting(i) or self._in_order(i) or self._following(i)
            if found is not None:
                yield replace(found, cue=i)

    # Parts -----------------------------------------------------------------------------------

    def _says(self, i: int, phrase: str) -> int:
        """How many words a phrase has that stands here; 0 where it does not."""
        words = phrase.split()
        return len(words) if self._plain[i : min(i + len(words), self._end)] == words else 0

    def _clause(self, i: int) -> int:
        """Where the clause of a word begins; "open or close it" is one."""
        begin = self._text.clause_start(i, self._begin)
        while begin > self._begin and self._plain[begin] in ('or', 'nor'):
            begin = self._text.clause_start(begin - 1, self._begin)
        return begin

    def _part_end(self, i: int, joins: bool = True) -> int:
        """Where a part ends that began before this word. :param joins: whether "and" goes on."""
        for k in range(i, self._end):
            word = self._plain[k]
            if word in _ENDS or (k > i and self._text.has_comma(k)):
                return k
            follows = self._plain[k + 1] if k + 1 < self._end else ''
            is_new = follows in _LEADS | _NEGATIONS or self._text.begins_verb(k + 1)
            if (word == 'and' and (not joins or is_new)) or (word == 'or' and not joins):
                return k
        return self._end

    def _order(self, begin: int, end: int, extra: frozenset[str] = frozenset()) -> int | None:
        """Where an order to the robot begins with its verb; None where it is none."""
        for i in range(begin, end):
            if self._text.begins_verb(i) or self._plain[i] not in _LEADS | extra:
                return i
        return None

    def _forbidden(self, begin: int, end: int) -> tuple[int, int] | None:
        """What is forbidden there: from its verb on, or from its thing in the passive."""
        for i in range(begin, end):
            word = self._plain[i]
            if word == 'no' and i == begin and self._is_passive(begin, end):
                return i + 1, end
            if word in _NEGATIONS:
                verb = i + 1
                while verb < end and self._plain[verb] in _BEHIND_NOT:
                    verb += 1
                is_told = self._order(begin, i) is None
                if self._plain[verb : verb + 1] == ['be'] and i > begin:
                    return (begin, end) if self._plain[i - 1] in MODALS else None
                return (verb, end) if is_told and verb < end else None
        return None

    def has(self, words: frozenset[str], begin: int | None = None, end: int | None = None) -> bool:
        """Whether one of these words stands there; nothing told: anywhere."""
        begin = self._begin if begin is None else begin
        end = self._end if end is None else end
        return any(word in words for word in self._plain[begin:end])

    # At most ---------------------------------------------------------------------------------

    def _counted(self, i: int) -> TimeSpan | None:
        """ "take at most two crates", "do not open it more than once"."""
        length, less = next(
            ((n, less) for phrase, less in _COUNTS if (n := self._says(i, phrase))), (0, 0)
        )
        clause = self._clause(i)
        if length:
            verb = self._order(clause, i)
        elif self._says(i, 'more than') and self._plain[i - 1 : i] not in (['no'], ['not']):
            length = 2
            told = self._forbidden(clause, i)
            verb = told[0] if told else None
        elif self._plain[i] == 'only' and self._says(i + 1, 'once') | self._says(i + 1, 'twice'):
            # "open it only once", but not "only once you have ..."
            is_end = self._text.is_last_of_clause(i + 1, self._end)
            length, verb = 1, self._order(clause, i) if is_end else None
        else:
            return None
        nearest = self._text.clause_start(i, self._begin)
        if self._plain[nearest] in ('or', 'nor') and verb is not None:
            verb = nearest + 1
        at = i + length
        found = self._number(at)
        if verb is None or verb >= i or found is None or not 0 <= found[0] - less <= MOST_TIMES:
            return None
        return self._count(verb, i, at, found[1], found[0] - less)

    def _number(self, i: int) -> tuple[int, int] | None:
        """A number that stands there, and the index behind it; None for one that is not read."""
        begin, end = i, self._end
        while i < end and (i == begin or self._goes_on(i)):
            i += 1
        words = self._plain[begin:i]
        if not words or (i < len(self._plain) and self._text.gaps[i][:1] == '%'):
            return None
        number = number_of(words, [gap.strip() for gap in self._text.gaps[begin + 1 : i]])
        return None if number is None else (number, i)

    def _goes_on(self, i: int) -> bool:
        """Whether a number goes on with a word: "twenty five", "two to four", "3.5"."""
        word, follows = self._plain[i], self._plain[i + 1 : i + 2]
        if word in ('and', 'or', 'to') and follows:
            return follows[0].isdecimal() or follows[0] in NUMBER_WORDS
        joined = self._plain[i - 1] in ('and', 'or', 'to') and word in NUMBER_WORDS
        return joined or word.isdecimal() or word in GOING_ON

    def _count(self, verb: int, i: int, at: int, behind_it: int, most: int) -> TimeSpan | None:
        end = self._part_end(behind_it, joins=False)
        behind = ' '.join(self._plain[behind_it:end])
        at_once = any(phrase in behind for phrase in ('at a time', 'at once', 'the same time'))
        if at_once or self.has(_CASES - {'once'}) or self.has(_SHARED_OUT, verb, self._end):
            return None
        if self._plain[at] in ('once', 'twice') or self._says(behind_it, 'times'):
            return TimeSpan(TimeKind.AT_MOST, (verb, i), at_most=most)
        return TimeSpan(TimeKind.AT_MOST, (verb, end), at_most=most, count=(i, behind_it))

    # Only after ------------------------------------------------------------------------------

    def _waiting(self, i: int) -> TimeSpan | None:
        """ "do not open it before ...", "never open it without closing ..."."""
        word = self._plain[i]
        if word in ('before', 'until', 'till') or (
            word == 'unless' and self.has(word_set('have has ve been'), i, self._end)
        ):
            begin = i + 1
        elif word == 'without':
            begin = i + 2 if self._plain[i + 1 : i + 2] in (['first'], ['having']) else i + 1
            if not self._text.is_gerund(begin):
                return None
        elif word in ('after', 'once'):
            return self._only_after(i)
        else:
            return None
        if self.has(_CASES - {word, 'had'}):
            return None
        clause = self._clause(i)
        if self._order(clause, i) is None:
            # "before you have closed it, do not ..."
            comma = self._text.next_comma(i, self._end)
            told = None if comma is None else self._forbidden(comma, self._part_end(comma + 1))
            if comma is None or told is None:
                return None
            return TimeSpan(TimeKind.ONLY_AFTER, told, (begin, comma))
        told = self._forbidden(clause, i)
        # "do not lift it again before ...": it was lifted once without.
        if told is None or self.has(word_set('again'), told[0], i):
            return None
        return TimeSpan(TimeKind.ONLY_AFTER, told, (begin, self._part_end(begin)))

    def _only_after(self, i: int) -> TimeSpan | None:
        word = self._plain[i]
        if self.has(_CASES - {word, 'had'}) or self.has(_NEGATIONS):
            return None
        is_next = self._plain[i - 1 : i] == ['only'] and i > self._begin
        if word == 'once' and not (is_next and self.has(word_set('have has ve been is are'), i)):
            return None
        clause = self._clause(i)
        only = frozenset({'only'})
        if is_next and self._order(self._begin, i - 1) is None:
            # "only after closing it (,) (may you) ..."
            comma = self._text.next_comma(i, self._end)
            modals = (k for k in range(i + 1, self._end - 1) if self._plain[k] in MODALS)
            stop = comma if comma is not None else next(modals, None)
            if stop is None:
                return None
            end = self._part_end(stop + 1)
            verb = self._order(stop, end, only)
            if verb is None:
                return None
            asks = self._plain[stop] not in MODALS
            return TimeSpan(TimeKind.ONLY_AFTER, (verb, end), (i + 1, stop), asks=asks)
        stop = i - 1 if is_next else i
        if not is_next and not self.has(only, clause, i):
            return None
        verb = clause if self._is_passive(clause, stop) else self._order(clause, stop, only)
        if verb is None:
            return None
        asks = not self.has(only | {'may'}, clause, stop)
        condition = i + 1, self._part_end(i + 1)
        return TimeSpan(TimeKind.ONLY_AFTER, (verb, stop), condition, asks=asks)

    def _is_passive(self, begin: int, end: int) -> bool:
        return 'be' in self._plain[begin:end] and self.has(MODALS, begin, end)

    def _in_order(self, i: int) -> TimeSpan | None:
        """ "always scan a crate before loading it", "before loading a crate, always scan it"."""
        if self._plain[i] != 'before' or self.has(_CASES | _NEGATIONS):
            return None
        told = word_set('always must')
        clause = self._clause(i)
        if self._order(clause, i) is None:
            comma = self._text.next_comma(i, self._end)
            if comma is None or not self.has(told, comma, self._end):
                return None
            end = self._part_end(comma + 1, joins=False)
            begin = self._order(comma, end)
            if begin is None:
                return None
            asks = not self.has(word_set('always'), comma, end)
            return TimeSpan(TimeKind.ONLY_AFTER, (i + 1, comma), (begin, end), asks=asks)
        if not self.has(told, clause, i):
            return None
        begin = clause if self._is_passive(clause, i) else self._order(clause, i)
        if begin is None:
            return None
        asks = not self.has(word_set('always'), clause, i)
        later = i + 1, self._part_end(i + 1)
        return TimeSpan(TimeKind.ONLY_AFTER, later, (begin, i), asks=asks)

    # Then ------------------------------------------------------------------------------------

    def _following(self, i: int) -> TimeSpan | None:
        """ "whenever you open it, close it again"."""
        length = next((n for phrase in _EVERY_TIME if (n := self._says(i, phrase))), 0)
        if self.has(_NEGATIONS) or self.has(word_set('only')):
            return None
        if not length:
            word = self._plain[i]
            case = word in ('if', 'when', 'once') and self._plain[i + 1 : i + 2] == ['you']
            always = word == 'after' and self.has(word_set('always'))
            if not always and not (case and self.has(_EVERY_TIME_AFTER_ALL)):
                return self._each_that(i)
            length = 1
        if self.has(_CASES - {'whenever', self._plain[i]}):
            return None
        begin = i + length
        clause = self._clause(i)
        verb = self._order(clause, i)
        if verb is None:
            comma = self._text.next_comma(i, self._end)
            if comma is None:
                return None
            first = comma + (self._plain[comma] == 'then')
            end = self._part_end(first, joins=False)
            verb = self._order(first, end)
            if verb is None:
                return None
            return TimeSpan(TimeKind.THEN, (begin, comma), (verb, end), asks=False)
        return TimeSpan(TimeKind.THEN, (begin, self._part_end(begin)), (verb, i), asks=False)

    def _each_that(self, i: int) -> TimeSpan | None:
        """ "close every gate that you open"."""
        is_each = self._plain[i] in ('every', 'each', 'any') and not self.has(_CASES)
        clause = self._clause(i)
        verb = self._order(clause, i)
        if not is_each or verb is None:
            return None
        for k in range(i + 2, min(self._end - 1, i + 6)):
            if self._plain[k] == 'you' and self._text.begins_verb(k + 1):
                opened = k + 1, self._part_end(k + 1)
                return TimeSpan(TimeKind.THEN, opened, (verb, k), asks=False)
        return None
