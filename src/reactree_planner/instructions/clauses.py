"""What the words of an instruction are: asked, forbidden, or neither; and in which order.

English grammar and nothing else: no world's names, and no task's wording. A rule that reads words
may act on those that are asked and certain. What is negated, conditioned, past, quoted or about
somebody else is the model's to read, and what is plainly forbidden is kept by `prohibitions`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import replace
from enum import Enum
from functools import lru_cache

from reactree_planner.instructions.negation_words import NEVER
from reactree_planner.instructions.negations import Negations
from reactree_planner.instructions.negations import ProhibitionSpan
from reactree_planner.instructions.time_spans import time_spans
from reactree_planner.instructions.words import COORDINATORS
from reactree_planner.instructions.words import LEADING_WORDS
from reactree_planner.instructions.words import MODALS
from reactree_planner.instructions.words import PERSONS
from reactree_planner.instructions.words import Text
from reactree_planner.instructions.words import word_set

_CONDITIONS = word_set(
    'if unless whether provided providing assuming supposing otherwise depending'
)
_TIMES = word_set('when whenever once until till while')
_THINGS_AS_SUBJECT = word_set('they it these those this that')
_DESIRES = word_set('want wants need needs like likes wish wishes prefer prefers love loves would')
_STATES = word_set('should must need needs belong belongs go goes has have ought')
_PAST = word_set('was were had did yesterday ago earlier previously formerly')
_IRREGULAR = word_set(
    'left took taken went gone brought got saw seen made found ate eaten drank bought came told '
    'said forgot lost broke broken gave given kept shut done put been heard'
)
_REPORTS = word_set(
    'says said say told tells reads wrote writes claims claimed thinks thought believes heard '
    'asked asks suggests suggested rumour rumor according'
)
#: After which an imperative is meant for somebody else: "ask Anna to open the gate".
_CAUSES = word_set('ask tell let wait watch help remind order teach warn')
#: Third persons by which a thing is told its place, and the words behind them.
_BELONGS = word_set('goes belongs')
_WHERE = word_set('in into on onto inside under next with there')
_ORDER_WORDS = word_set(
    'then afterwards afterward thereafter finally lastly firstly secondly thirdly subsequently '
    'followed'
)
#: Conditions that only ask: "I would appreciate it if you would not ...".
_POLITE_IF = re.compile(
    r'\b(appreciate|prefer|great|nice|good|better|grateful|glad|happy|kind|mind|wonder|wondering)'
    r'\b.*\bif you\b|\bif (?:you (?:do )?(?:not |t )?mind|you have (?:a|the|some) \w+|possible'
    r"|(?:it|that) (?:'s|is) (?:ok|okay|alright|not too|no|all right))"
)
#: With which a question begins.
_WH_WORDS = word_set('where which what who whose why how')
#: With which a question begins that ends in a question mark.
_ASKING = word_set('is are was were am does do did has have')
#: Questions that are requests: "is it possible to ...", "do you mind ...ing".
_REQUEST = re.compile(
    r'\b(?:mind|able|possible|chance|way you|time to|(?:could|can|would|will) you'
    r'|you (?:could|can|would)|please|(?:how|what) about)\b'
)


class Sense(Enum):
    """What a word of an instruction is part of."""

    ASKED = 'asked'
    FORBIDDEN = 'forbidden'
    #: Negated otherwise, conditioned, past, quoted, or about somebody else.
    SILENT = 'silent'


@dataclass(frozen=True, slots=True)
class Reading:
    """The words of a text, and what each is.

    :param words: as `words_of`. :param spans: where they are in the text.
    :param plain: the same with contractions written out: "don't" is 'do', 'not'.
    :param senses: one a word. :param certain: whether a rule may act on what the word's sentence
        asks: nothing in it is conditioned, past, quoted, about somebody else, or negated but for
        prohibitions that are kept.
    :param ranks: order in which what the words ask is to be done; counts where `ordered`.
    :param ordered: whether the text tells an order.
    :param regions: what is forbidden. :param marks: indices of numbers that number a list.
    :param begins: indices of words that begin a sentence or a line. :param text: as it is written.
    """

    words: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]
    plain: tuple[str, ...]
    senses: tuple[Sense, ...]
    certain: tuple[bool, ...]
    ranks: tuple[int, ...]
    ordered: bool
    regions: tuple[ProhibitionSpan, ...]
    marks: frozenset[int]
    begins: frozenset[int] = frozenset()
    text: str = ''


@lru_cache(maxsize=512)
def read_clauses(text: str, verbs: tuple[str, ...] = ()) -> Reading:
    """Take a text apart. The same few texts are asked about at every decision, so they are kept.

    :param verbs: fixed beginnings of the skill templates, e.g. 'switch on'.
    """
    return _Reader(Text(text, verbs)).read()


def _leaves_open(sentence: Sequence[str]) -> bool:
    """Whether a sentence leaves a choice: "take either crate 1 or crate 2"."""
    at = sentence.index('either') if 'either' in sentence else len(sentence)
    negated = any(word in NEVER or word in ('not', 'no', 'without') for word in sentence[:at])
    return 'or' in sentence[at:] and not negated


class _Reader:
    """Takes one text apart."""

    def __init__(self, text: Text) -> None:
        self._text = text
        self._plain = text.plain
        self._senses = [Sense.ASKED] * len(text.words)
        self._certain = [True] * len(text.words)
        self._negations = Negations(text)

    def read(self) -> Reading:
        """All of it."""
        silenced_before = (0, 0)
        carried = False
        for begin, end in self._text.sentences():
            sentence = self._plain[begin:end]
            if self._is_question(begin, end) or _leaves_open(sentence):
                # What it names is not what it asks for.
                self._silence(begin, end)
                continue
            starts = [word for word in sentence[:3] if word not in ('but', 'and', 'or')]
            conditioned = self._is_conditioned(sentence)
            if conditioned and starts[:1] in (['only'], ['unless'], ['if'], ['provided']):
                short = not any(self._text.begins_verb(i) for i in range(begin, end))
                if short or starts[:1] != ['if']:
                    # "Turn it on. But only if it is cold."
                    self._silence(*silenced_before)
            if conditioned or (carried and starts[:1] in (['then'], ['else'], ['otherwise'])):
                self._silence(begin, end)
                carried = True
            else:
                carried = False
                self._read_clauses(begin, end)
                self._read_negations(begin, end)
                if any(word in _TIMES for word in sentence) or 'as soon as' in ' '.join(sentence):
                    self._doubt(begin, end)
            if conditioned:
                # A conditional prohibition is reported as left to the model, not enforced.
                self._read_negations(begin, end, enforced=False)
            silenced_before = (begin, end)
        for span in time_spans(self._text):
            if not span.asks and all(self._text.has_work(*part) for part in span.parts):
                # "whenever you open a gate, close it again" asks for nothing by itself.
                self._silence(*span.words)
        self._read_quotes()
        self._spread_doubt()
        ordered, ranks = self._order()
        return Reading(
            tuple(self._text.words),
            tuple(self._text.spans),
            tuple(self._plain),
            tuple(self._senses),
            tuple(self._certain),
            ranks,
            ordered,
            tuple(self._negations.found),
            self._text.marks,
            frozenset(begin for begin, _ in self._text.sentences()),
            self._text.text,
        )

    def _is_question(self, begin: int, end: int) -> bool:
        words = [word for word in self._plain[begin:end] if word not in LEADING_WORDS]
        if not words or _REQUEST.search(' '.join(words)):
            return False
        has_sign = self._text.text[self._text.spans[end - 1][1] :].lstrip('"\')').startswith('?')
        if words[0] in _WH_WORDS:
            # "which crate is on the truck", but not "what is on the truck belongs on the shelf".
            return has_sign or words[0] in ('where', 'which', 'how')
        return has_sign and words[0] in _ASKING

    def _is_conditioned(self, sentence: Sequence[str]) -> bool:
        text = ' '.join(sentence)
        if _POLITE_IF.search(text):
            return False
        phrases = ('in case', 'only when', 'as long as', 'in the event', 'suppose that')
        return any(word in _CONDITIONS for word in sentence) or any(p in text for p in phrases)

    def _silence(self, begin: int, end: int, sense: Sense = Sense.SILENT) -> None:
        for i in range(begin, end):
            if self._senses[i] is not Sense.FORBIDDEN:
                self._senses[i] = sense
            self._certain[i] = self._certain[i] and sense is Sense.FORBIDDEN

    def _doubt(self, begin: int, end: int) -> None:
        for i in range(begin, end):
            self._certain[i] = False

    def _spread_doubt(self) -> None:
        for begin, end in self._text.sentences():
            if not all(self._certain[begin:end]):
                self._doubt(begin, end)

    def _read_quotes(self) -> None:
        quoted = self._text.quoted()
        for i in quoted:
            self._silence(i, i + 1)
        self._negations.found = [one for one in self._negations.found if one.start not in quoted]

    def _read_clauses(self, begin: int, end: int) -> None:
        """Clauses that are past, or about somebody else."""
        before_silent = False
        for start, stop in self._text.clauses(begin, end):
            words = self._plain[start:stop]
            bare = start
            while bare < stop and self._plain[bare] in LEADING_WORDS:
                bare += 1
            first = self._plain[bare] if bare < stop else ''
            goes_on = before_silent and not (
                first == 'you' or self._text.begins_verb(bare) or 'please' in words
            )
            silent_from = self._silent_from(bare, stop)
            if silent_from is not None:
                self._silence(silent_from, stop)
            elif goes_on and self._plain[start] in ('and', 'or'):
                self._silence(start, stop)
            elif not goes_on or bare < stop:
                before_silent = False
                continue
            before_silent = True

    def _silent_from(self, bare: int, stop: int) -> int | None:
        """Where a clause begins to be about what is past, or about somebody else."""
        words = self._plain[bare:stop]
        if not words:
            return None
        subject = words[0]
        wish = any(word in _DESIRES for word in words[1:4])
        if 'you' in words[:3] and words[0] not in ('did', 'have', 'had'):
            # "can you", "you should", "would you please"
            return self._caused(bare, stop)
        past = any(
            word in _PAST and words[k + 1 : k + 2] != ['better'] for k, word in enumerate(words)
        )
        if past or self._is_perfect(words):
            return bare
        if subject in PERSONS and len(words) > 1:
            if subject in _THINGS_AS_SUBJECT and any(word in _STATES for word in words[1:3]):
                return None
            if not wish:
                # "I eat at the table": where, perhaps; "I open the gate": not the robot.
                self._doubt(bare, stop)
                return bare if self._text.has_work(bare, stop) else None
            # "I want to open" is the speaker's own, "I want you to open" is not.
            if 'to' in words[1:5] and 'you' not in words:
                i = bare + words.index('to') + 1
                return i if self._text.begins_verb(i) else None
            return None
        for i in range(bare + 1, stop):
            modal = self._plain[i - 1] in MODALS or self._plain[i - 1] in ('to', 'not')
            third = self._plain[i] in self._text.thirds and not self._text.begins_verb(i)
            # "the crate goes on the truck" asks for it; "Anna goes to the truck" does not.
            if third and not self._tells_where(i, stop):
                return bare
            if self._text.begins_verb(i) and modal and self._plain[i - 1] in MODALS:
                return bare
            if self._text.begins_verb(i) and self._is_strange_subject(i - 1, bare):
                return bare
        for i in range(bare, stop):
            if self._plain[i] in _REPORTS and not (i == bare and self._text.begins_verb(i)):
                return bare if i > bare or subject != 'say' else i
        return self._caused(bare, stop)

    def _tells_where(self, i: int, stop: int) -> bool:
        behind = self._plain[i + 1] if i + 1 < stop else ''
        return self._plain[i] in _BELONGS and behind in _WHERE

    def _caused(self, bare: int, stop: int) -> int | None:
        for i in range(bare, stop):
            word = self._plain[i]
            starts = i == bare or self._plain[i - 1] in ('you', 'to', 'not')
            if word in _CAUSES and starts and self._text.has_work(i, stop):
                return i
            if word in ('wants', 'plans', 'hopes', 'intends', 'going', 'likes', 'wanted'):
                if self._plain[i + 1 : i + 2] == ['to'] and self._text.begins_verb(i + 2):
                    return bare
        return None

    def _is_strange_subject(self, i: int, bare: int) -> bool:
        """Whether a word before a verb is who does it: "guests open the gate"."""
        word = self._plain[i]
        comma = self._text.has_comma(i + 1)
        known = word in LEADING_WORDS or word in COORDINATORS or word in MODALS
        if comma or known or word == 'you' or word.isdigit() or word == 'not' or word in NEVER:
            return False
        # A plural or a person's name at the clause's beginning.
        begins = all(self._plain[k] in ('my', 'the', 'our', 'your', 'his') for k in range(bare, i))
        name = self._text.text[self._text.spans[i][0]].isupper() and i > 0
        return begins and (word.endswith('s') or name)

    def _is_perfect(self, words: Sequence[str]) -> bool:
        """Whether something has happened: "I have turned", "she left"."""
        for i, word in enumerate(words):
            past = (word.endswith('ed') and len(word) > 4) or word in _IRREGULAR
            if not past or word == 'need':
                continue
            before = [w for w in words[max(0, i - 3) : i] if w not in ('just', 'also', 'not')]
            have = before[-1:] and before[-1] in ('have', 'has', 've', "'s")
            if have and not set(words[:i]) & {'should', 'must', 'to', 'would'}:
                return True
            if before and before[-1] in PERSONS and before[-1] not in ('who', 'it'):
                return True
        return False

    def _read_negations(self, begin: int, end: int, enforced: bool = True) -> None:
        i = begin
        while i < end:
            region = self._negations.at(i, begin, end)
            if region is None:
                i += 1
                continue
            keep = enforced and region.enforced and region.verb != '-'
            if not keep or region.end == region.start:
                # What is kept for certain leaves the rest of its sentence as plain as it was.
                self._doubt(begin, end)
            if region.end > region.start:
                clause = region.clause if region.passive else region.start
                is_rule = region.verb != '-'
                if not is_rule and self._plain[max(begin, region.start - 2)] in MODALS:
                    if not self._text.has_work(region.start, region.end):
                        # "crates will not keep outside the gate"
                        i = region.end
                        continue
                self._silence(clause, region.end, Sense.FORBIDDEN if is_rule else Sense.SILENT)
                if is_rule:
                    self._negations.found.append(replace(region, enforced=keep))
            i = max(region.end, i + 1)

    def _order(self) -> tuple[bool, tuple[int, ...]]:
        """Whether the text tells an order, and the place in it of every word."""
        ranks = list(range(len(self._text.words)))
        ordered = bool(self._text.marks)
        for begin, end in self._text.sentences():
            for i in range(begin, end):
                told = self._told_order(i, begin, end)
                if told is None:
                    continue
                ordered = True
                if told:
                    (a, b), (c, d) = told
                    # What stands in c..d comes before what stands in a..b.
                    late = [(ranks[k] + 1) for k in range(a, b)]
                    if late:
                        first, step = min(late) - 1, 1 / (d - c + 1)
                        for n, k in enumerate(range(c, d)):
                            ranks[k] = first - 1 + (n + 1) * step  # type: ignore[call-overload]
        order = sorted(range(len(ranks)), key=lambda k: ranks[k])
        places = [0] * len(ranks)
        for place, k in enumerate(order):
            places[k] = place
        return ordered, tuple(places)

    def _told_order(
        self, i: int, begin: int, end: int
    ) -> tuple[tuple[int, int], tuple[int, int]] | tuple[()] | None:
        """What a word tells of order: None nothing, () as written, else (later, earlier)."""
        plain, word = self._plain, self._plain[i]
        comma = self._text.next_comma(i, end)
        starts = all(plain[k] in LEADING_WORDS or k in self._text.marks for k in range(begin, i))
        if word in _ORDER_WORDS:
            return ()
        if word in ('after', 'before'):
            if plain[i + 1 : i + 2] and plain[i + 1] in ('that', 'this', 'which', 'it', 'all'):
                if word == 'after':
                    return ()
                return ((0, i), (i + 2, end))
            if starts:
                if comma is None:
                    return None
                return () if word == 'after' else ((i + 1, comma), (comma, end))
            if word == 'before':
                return ()
            main = self._main_clause(i, begin)
            return ((main, i), (i + 1, end if comma is None else comma))
        if word == 'first' and (i == 0 or plain[i - 1] not in ('the', 'a', 'its', 'at')):
            if i > begin + 1 and plain[i - 1] == 'but':
                return ((begin, i), (i + 1, end))
            if self._text.is_last_of_clause(i, end):
                # "go to the yard first"
                start = self._text.clause_start(i, begin)
                return ((begin, start), (start, i)) if start > begin else ()
            if (starts and plain[begin] != 'but') or not any(
                self._text.begins_verb(k) for k in range(begin, i)
            ):
                return ()
            return ((begin, i), (i + 1, end))
        if word == 'next':
            told = plain[i + 1 : i + 2] != ['to'] and (i == begin or plain[i - 1] != 'the')
            return () if told else None
        if word == 'last' and i > begin and plain[i - 1] not in ('the', 'at', 'a'):
            return ()
        return None

    def _main_clause(self, i: int, begin: int) -> int:
        """Where the clause begins that an "after" behind it belongs to."""
        for k in range(i - 1, begin, -1):
            if self._plain[k] in ('then', 'but') or self._text.gaps[k].strip().startswith(','):
                return k
        return begin
