"""What the words of an instruction are: asked, forbidden, or neither; and in which order.

English grammar and nothing else: no world's names, and no task's wording. A rule that reads words
may act on those that are asked and certain. What is negated, conditioned, past, quoted or about
somebody else is the model's to read, and what is plainly forbidden is kept by `prohibitions`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import replace
from enum import Enum
from functools import lru_cache

_WORD = re.compile(r'[^\W_]+', re.UNICODE)
_APOSTROPHES = ("'", '’', '`')
#: What ends a sentence: not the point in "3.5", nor the one behind the number of a list's item.
_SENTENCE_END = re.compile(r'[!?;\n]|\.(?=\s|$|["”»)])')
_COMMA = re.compile(r'[,:()—–]| -+ ')
_LIST_MARK = re.compile(r'(?:\b[Ss]tep\s+)?\(?(\d{1,2})\s?[.):]\s*(?=[^\W\d])')
_QUOTES = re.compile(
    r'"([^"]*)"|“([^”]*)”|«([^»]*)»|‘([^’]*)’|`([^`]*)`|(?<![^\W_])\'(.*?)\'(?![^\W_])', re.DOTALL
)


def word_set(words: str) -> frozenset[str]:
    """Words of a text, as a set."""
    return frozenset(words.split())


#: Heads of contractions with "n't", and the word that each stands for.
_CONTRACTED = {
    **{
        word + 'n': word
        for word in word_set(
            'do does did is are was were must could should would need may might have has had dare'
        )
    },
    'can': 'can',
    'won': 'will',
    'shan': 'shall',
    'ain': 'is',
}
_ENDINGS = {'ll': 'will', 've': 'have', 're': 'are', 'm': 'am', 'd': 'would', 's': "'s"}
#: The same, written without an apostrophe.
_UNMARKED = {
    **{head + 't': base for head, base in _CONTRACTED.items() if head not in ('can', 'won')},
    'cannot': 'can',
    'cant': 'can',
}
_MODALS = word_set('must should may might can could shall will would ought need dare')
_BE = word_set('is are am be was were been')
_CONDITIONS = word_set(
    'if unless whether provided providing assuming supposing otherwise depending'
)
_TIMES = word_set('when whenever once until till while')
_COORDINATORS = word_set('and or nor but then')
_CLAUSE_HEADS = word_set('but and or then so because since')
#: Words that may stand before an imperative and change nothing about who is to act.
_LEAD_INS = word_set(
    'please kindly just also now so then and but or first firstly second secondly third thirdly '
    'next finally lastly last afterwards afterward later simply only ok okay hey robot carefully '
    'quickly slowly remember sure careful be make take care try importantly note important '
    'warning attention again always at all costs ever still well yes no to that however instead '
    'step'
)
_SELF = word_set('i we he she they someone somebody anyone anybody everyone everybody who nobody')
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
#: Verbs that undo a negation: "do not forget to open".
_FORGETTING = word_set('forget fail hesitate neglect miss omit stop skip')
#: Negated, these forbid nothing.
_NO_ACTION = word_set(
    'need have has bother worry mind care know think remember see find hear believe understand '
    'matter seem look feel say mean panic'
)
_DIRECTIVES = word_set('allowed permitted supposed to expected meant going forbidden')
#: What makes a prohibition hold for a time, a number or a case only.
_RELEASES = word_set(
    'until till unless before yet first more than once twice times again if except longer too '
    'without only both either fewer less whether enough'
)
_SELF_OR_IT = (_SELF | {'it', 'that', 'this'}) - {'who'}
_SELF_OR_YOU = _SELF_OR_IT | {'you'}
_LEFT_STATES = word_set('on off open closed running lying standing dirty unattended empty')
_NEVER = word_set('never neither')
_GERUND_CUES = word_set('without avoid avoiding')
_ORDER_WORDS = word_set(
    'then afterwards afterward thereafter finally lastly firstly secondly thirdly subsequently '
    'followed'
)


class Sense(Enum):
    """What a word of an instruction is part of."""

    ASKED = 'asked'
    FORBIDDEN = 'forbidden'
    #: Negated otherwise, conditioned, past, quoted, or about somebody else.
    SILENT = 'silent'


@dataclass(frozen=True, slots=True)
class ProhibitionSpan:
    """Words that forbid something, by index.

    :param start: first word after the negation. :param end: after its last word.
    :param clause: where its clause begins: a passive names its thing before the negation.
    :param enforced: whether it holds always; not "until", "more than twice", "if" and the like.
    :param inherits: whether its verb stands before: "the pallet, but not the crate".
    :param verb: words that stand for its verb, e.g. 'approach' for "stay away from"; '' for none.
    """

    start: int
    end: int
    clause: int
    enforced: bool = True
    inherits: bool = False
    passive: bool = False
    verb: str = ''


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
    :param begins: indices of words that begin a sentence or a line.
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


def words_of(text: str) -> list[str]:
    """Words and numbers of a text, in lower case."""
    return [word.casefold() for word in _WORD.findall(text)]


def word_spans(text: str) -> list[tuple[int, int]]:
    """Where the words and numbers of a text begin and end, in characters."""
    return [match.span() for match in _WORD.finditer(text)]


def gerund_of(verb: str) -> str:
    """The -ing form of a verb, its particle kept: 'switch on' -> 'switching on'."""
    head, _, rest = verb.partition(' ')
    if head.endswith('ie'):
        stem = head[:-2] + 'y'
    elif head.endswith('e') and not head.endswith(('ee', 'oe', 'ye')):
        stem = head[:-1]
    elif re.fullmatch(r'[^aeiou]*[aeiou][bdgklmnprt]', head):
        stem = head + head[-1]
    else:
        stem = head
    return f'{stem}ing {rest}'.strip()


@lru_cache(maxsize=512)
def read_clauses(text: str, verbs: tuple[str, ...] = ()) -> Reading:
    """Take a text apart. The same few texts are asked about at every decision, so they are kept.

    :param verbs: fixed beginnings of the skill templates, e.g. 'switch on'.
    """
    return _Reader(text, verbs).read()


class _Reader:
    """Takes one text apart."""

    def __init__(self, text: str, verbs: tuple[str, ...]) -> None:
        self._text = text
        self._spans = word_spans(text)
        self._words = words_of(text)
        count = len(self._words)
        self._gaps = [
            text[self._spans[i - 1][1] if i else 0 : self._spans[i][0]] for i in range(count)
        ]
        self._plain = self._written_out()
        self._bases = {tuple(verb.split()) for verb in verbs if verb}
        self._thirds = {_third_person(verb.split()[0]) for verb in verbs if verb}
        self._gerunds = {gerund_of(verb).split()[0] for verb in verbs if verb}
        self._heads = {verb.split()[0] for verb in verbs if verb}
        self._senses = [Sense.ASKED] * count
        self._certain = [True] * count
        self._regions: list[ProhibitionSpan] = []

    # Words and boundaries ----------------------------------------------------------------

    def _written_out(self) -> list[str]:
        plain = list(self._words)
        for i, word in enumerate(self._words):
            joined = i > 0 and self._gaps[i] in _APOSTROPHES
            if joined and word == 't' and plain[i - 1] in _CONTRACTED:
                plain[i - 1 : i + 1] = [_CONTRACTED[plain[i - 1]], 'not']
            elif word == 'u':
                plain[i] = 'you'
            elif joined and word in _ENDINGS:
                plain[i] = _ENDINGS[word]
            elif word in _UNMARKED:
                # Two words in one: "dont" is a negation by itself.
                plain[i] = 'not'
        return plain

    def _sentences(self) -> Iterator[tuple[int, int]]:
        begin = 0
        for i in range(1, len(self._words)):
            ends = bool(_SENTENCE_END.search(self._gaps[i] + ' '))
            if ends and i - 1 not in self._marks:
                yield begin, i
                begin = i
        if self._words:
            yield begin, len(self._words)

    def _clauses(self, begin: int, end: int) -> Iterator[tuple[int, int]]:
        start = begin
        for i in range(begin + 1, end):
            if _COMMA.search(self._gaps[i]) or self._plain[i] in _COORDINATORS:
                yield start, i
                start = i
        yield start, end

    def _find_marks(self) -> frozenset[int]:
        """Numbers of a list: they count up from 1, and a sentence or line begins behind them."""
        index = {span[0]: i for i, span in enumerate(self._spans)}
        marks, wanted = [], 1
        for match in _LIST_MARK.finditer(self._text):
            i = index.get(match.start(1))
            if i is None or int(match.group(1)) != wanted:
                continue
            before = self._text[: match.start()].rstrip(' \t')
            if wanted == 1 and before and before[-1] not in '\n:;,.(':
                continue
            marks.append(i)
            wanted += 1
        return frozenset(marks) if len(marks) > 1 else frozenset()

    # What words are ------------------------------------------------------------------------

    def read(self) -> Reading:
        """All of it."""
        self._marks = self._find_marks()
        silenced_before = (0, 0)
        carried = False
        for begin, end in self._sentences():
            sentence = self._plain[begin:end]
            starts = [word for word in sentence[:3] if word not in ('but', 'and', 'or')]
            conditioned = self._is_conditioned(sentence)
            if conditioned and starts[:1] in (['only'], ['unless'], ['if'], ['provided']):
                short = not any(self._begins_verb(i) for i in range(begin, end))
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
        self._read_quotes()
        self._spread_doubt()
        ordered, ranks = self._order()
        return Reading(
            tuple(self._words),
            tuple(self._spans),
            tuple(self._plain),
            tuple(self._senses),
            tuple(self._certain),
            ranks,
            ordered,
            tuple(self._regions),
            self._marks,
            frozenset(begin for begin, _ in self._sentences()),
        )

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
        for begin, end in self._sentences():
            if not all(self._certain[begin:end]):
                self._doubt(begin, end)

    def _read_quotes(self) -> None:
        for match in _QUOTES.finditer(self._text):
            inside = [
                i
                for i, (start, end) in enumerate(self._spans)
                if match.start() <= start and end <= match.end()
            ]
            whole = len(inside) == len(self._words)
            says = len(inside) > 3 or any(self._begins_verb(i) for i in inside)
            if inside and says and not whole:
                self._silence(inside[0], inside[-1] + 1)
                self._regions = [
                    region
                    for region in self._regions
                    if not inside[0] <= region.start <= inside[-1]
                ]

    def _begins_verb(self, i: int) -> bool:
        """Whether a template's verb stands here, as an imperative has it."""
        return any(tuple(self._plain[i : i + len(verb)]) == verb for verb in self._bases)

    def _read_clauses(self, begin: int, end: int) -> None:
        """Clauses that are past, or about somebody else."""
        before_silent = False
        for start, stop in self._clauses(begin, end):
            words = self._plain[start:stop]
            bare = start
            while bare < stop and self._plain[bare] in _LEAD_INS:
                bare += 1
            first = self._plain[bare] if bare < stop else ''
            goes_on = before_silent and not (
                first == 'you' or self._begins_verb(bare) or 'please' in words
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
        if subject in _SELF and len(words) > 1:
            if subject in _THINGS_AS_SUBJECT and any(word in _STATES for word in words[1:3]):
                return None
            if not wish:
                # "I eat at the table": where, perhaps; "I open the gate": not the robot.
                self._doubt(bare, stop)
                return bare if self._has_work(bare, stop) else None
            # "I want to open" is the speaker's own, "I want you to open" is not.
            if 'to' in words[1:5] and 'you' not in words:
                i = bare + words.index('to') + 1
                return i if self._begins_verb(i) else None
            return None
        for i in range(bare + 1, stop):
            modal = self._plain[i - 1] in _MODALS or self._plain[i - 1] in ('to', 'not')
            third = self._plain[i] in self._thirds and not self._begins_verb(i)
            # "the crate goes on the truck" asks for it; "Anna goes to the truck" does not.
            if third and not self._tells_where(i, stop):
                return bare
            if self._begins_verb(i) and modal and self._plain[i - 1] in _MODALS:
                return bare
            if self._begins_verb(i) and self._is_strange_subject(i - 1, bare):
                return bare
        for i in range(bare, stop):
            if self._plain[i] in _REPORTS and not (i == bare and self._begins_verb(i)):
                return bare if i > bare or subject != 'say' else i
        return self._caused(bare, stop)

    def _tells_where(self, i: int, stop: int) -> bool:
        behind = self._plain[i + 1] if i + 1 < stop else ''
        return self._plain[i] in _BELONGS and behind in _WHERE

    def _caused(self, bare: int, stop: int) -> int | None:
        for i in range(bare, stop):
            word = self._plain[i]
            starts = i == bare or self._plain[i - 1] in ('you', 'to', 'not')
            if word in _CAUSES and starts and self._has_work(i, stop):
                return i
            if word in ('wants', 'plans', 'hopes', 'intends', 'going', 'likes', 'wanted'):
                if self._plain[i + 1 : i + 2] == ['to'] and self._begins_verb(i + 2):
                    return bare
        return None

    def _is_strange_subject(self, i: int, bare: int) -> bool:
        """Whether a word before a verb is who does it: "guests open the gate"."""
        word = self._plain[i]
        comma = bool(_COMMA.search(self._gaps[i + 1]))
        known = word in _LEAD_INS or word in _COORDINATORS or word in _MODALS
        if comma or known or word == 'you' or word.isdigit() or word == 'not' or word in _NEVER:
            return False
        # A plural or a person's name at the clause's beginning.
        begins = all(self._plain[k] in ('my', 'the', 'our', 'your', 'his') for k in range(bare, i))
        name = self._text[self._spans[i][0]].isupper() and i > 0
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
            if before and before[-1] in _SELF and before[-1] not in ('who', 'it'):
                return True
        return False

    # Negations -----------------------------------------------------------------------------

    def _read_negations(self, begin: int, end: int, enforced: bool = True) -> None:
        i = begin
        while i < end:
            region = self._negation(i, begin, end)
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
                stands = self._plain[max(begin, region.start - 2)] in _BE
                if not is_rule and not stands and not self._has_work(region.start, region.end):
                    # "crates will not keep outside the gate"
                    i = region.end
                    continue
                self._silence(clause, region.end, Sense.FORBIDDEN if is_rule else Sense.SILENT)
                if is_rule:
                    self._regions.append(replace(region, enforced=keep))
            i = max(region.end, i + 1)

    def _negation(self, i: int, begin: int, end: int) -> ProhibitionSpan | None:
        """What is negated from this word on; verb '-' where it is no prohibition."""
        plain = self._plain
        word, after = plain[i], plain[i + 1 : end]
        clause = self._clause_start(i, begin)
        before = [w for w in plain[clause:i] if w not in _LEAD_INS]
        rest = ' '.join(plain[i : min(end, i + 5)])
        if word in ('stay', 'stays', 'remain', 'remains', 'kept') and before:
            stays = self._stays(i, clause, end)
            if stays is not None:
                return stays
        for phrase, verb in _PHRASES:
            if rest.startswith(phrase + ' ') or rest == phrase:
                start = i + len(phrase.split())
                return self._region(start, end, clause, 'gerund', verb=verb)
        for phrase in _AFTER_THING:
            stop = i + len(phrase.split())
            follows = ' '.join(plain[stop : stop + 1]) in ('to', 'from')
            is_told = any(w in _BE for w in before[1:]) and before[0] != 'you'
            if (rest.startswith(phrase + ' ') or rest == phrase) and is_told and not follows:
                first = clause
                while first < i and plain[first] in _LEAD_INS:
                    first += 1
                verb = '' if plain[first] in self._gerunds else 'anything'
                return ProhibitionSpan(first, stop, first, True, False, True, verb)
        kept = bool(self._regions) and self._regions[-1].end == i
        if kept and word == 'and' and self._regions[-1].verb in _KEPT_STATES.values():
            # "leave the gate closed and the pump off"
            return self._kept_as_it_is(i, end)
        if word in ('keep', 'leave') and (same := self._kept_as_it_is(i, end)) is not None:
            return same
        if word in _GERUND_CUES or (
            word in ('no', 'stop') and after[:1] and self._is_gerund(i + 1)
        ):
            if any(plain[k] in ('not', 'never') for k in range(clause, i)):
                return None
            return self._region(i + 1, end, clause, 'gerund')
        if rest.startswith(('instead of', 'rather than')):
            verb = '' if self._is_gerund(i + 2) else '-'
            return self._region(i + 2, end, clause, 'gerund', verb=verb)
        if rest.startswith(('anywhere but', 'everything but', 'all but')):
            return self._region(i + 2, end, clause, 'noun', inherits=True)
        if rest.startswith(('except for', 'except', 'apart from', 'other than', 'anything but')):
            length = 1 if word == 'except' and plain[i + 1 : i + 2] != ['for'] else 2
            return self._region(i + length, end, clause, 'noun', inherits=True)
        if word in _NEVER or (word == 'nor' and self._regions):
            return self._after_never(i, clause, before, end)
        if word == 'not':
            return self._after_not(i, clause, before, end)
        if word == 'no' and after[:1] == ['one'] and after[1:2]:
            for start in range(i + 2, min(i + 5, end)):
                if self._begins_verb(start) or plain[start] == 'be':
                    return self._region(start, end, clause, 'base')
            return self._region(i + 1, end, clause, 'noun', verb='-')
        if word in ('no', 'nothing', 'nobody', 'none'):
            if word == 'no' and (self._begins_verb(i + 1) or not after[:1]):
                return self._region(i + 1, end, clause, 'base')
            if word == 'no' and (_COMMA.search(self._gaps[i + 1]) or after[0] in _SELF_OR_YOU):
                return ProhibitionSpan(i, i, clause)
            if word == 'nothing' and 'be' in after[:4]:
                return ProhibitionSpan(i + 1, end, i, passive=True)
            if after[:1] and after[0] in ('need', 'matter', 'problem', 'later', 'more', 'hurry'):
                return ProhibitionSpan(i + 1, i + 2, clause, verb='-')
            if word == 'nobody' and after[:1] and after[0] in _MODALS:
                return self._region(i + 2, end, clause, 'base')
            return self._region(i + 1, end, clause, 'noun', verb='-')
        return None

    def _clause_start(self, i: int, begin: int) -> int:
        for k in range(i, begin, -1):
            if _COMMA.search(self._gaps[k]) or self._plain[k] in _CLAUSE_HEADS:
                return k
        return begin

    def _is_gerund(self, i: int) -> bool:
        word = self._plain[i] if i < len(self._plain) else ''
        return len(word) > 4 and word.endswith('ing') and word not in _NO_GERUNDS

    def _after_never(self, i: int, clause: int, before: list[str], end: int) -> ProhibitionSpan:
        if self._plain[i + 1 : i + 2] == ['be'] and before:
            return self._region(i + 2, end, clause, 'participle', passive=True)
        following = self._plain[i + 1] if i + 1 < end else ''
        later = self._plain[i + 1 : end]
        if self._plain[i] == 'neither' and 'be' in later and set(later) & _MODALS:
            return ProhibitionSpan(i + 1, end, i + 1, passive=True)
        if following in _FORGETTING or following in _NO_ACTION:
            return ProhibitionSpan(i, i, clause)
        if following in self._thirds and before:
            return self._region(i + 1, end, clause, 'base', verb='-')
        others = before and before[0] != 'you' and before[-1] != 'do'
        if (others and before[0] in _SELF) or set(before) & {'have', 'has', 'had'}:
            return self._region(i + 1, end, clause, 'base', verb='-')
        if self._plain[i + 1 : i + 2] and self._plain[i + 1] in ('ever', 'again'):
            return self._region(i + 2, end, clause, 'base')
        return self._region(i + 1, end, clause, 'base')

    def _after_not(self, i: int, clause: int, before: list[str], end: int) -> ProhibitionSpan:
        plain = self._plain
        after = [w for w in plain[i + 1 : end] if w not in ('ever', 'even', 'you')]
        skip = i + 1
        while skip < end and plain[skip] in ('ever', 'even', 'you', 'dare', 'please'):
            skip += 1
        nothing = ProhibitionSpan(i, i, clause)
        last_do = before[-1:] == ['do'] or self._words[i] == 'dont'
        last_you = before[-1:] == ['you']
        last_not_be = not before or before[-1] not in _BE
        merely = self._region(i + 1, end, clause, 'noun', verb='-')
        if after[:1] == ['not'] or (after[:1] == ['to'] and set(after[1:2]) & _FORGETTING):
            return nothing
        if last_you and before[0] in _MODALS:
            # "can you not turn it on"
            return self._region(skip, end, clause, 'base')
        if after[:1] and (after[0] in _FORGETTING or (after[0] in ('just', 'be') and last_do)):
            return nothing
        if after[:1] == ['leave'] and any(word in _LEFT_STATES for word in after[1:7]):
            return merely
        if self._is_gerund(skip) and last_not_be:
            return self._region(skip, end, clause, 'gerund')
        subject = before[0] if before else ''
        last = before[-1] if before else ''
        unmarked = self._words[i] in _UNMARKED
        if last == 'do' or (unmarked and self._words[i] == 'dont'):
            who = [w for w in before if w != 'do']
            if who[:1] == ['why']:
                return nothing
            if who and who[-1] in ('i', 'we'):
                if after[:1] and after[0] in ('want', 'wish', 'like'):
                    wish = self._region(skip + 1, end, skip + 1, 'wish')
                    passive = 'to' not in plain[wish.start : wish.end]
                    return replace(wish, passive=passive)
                return merely
            plural = who and len(who) <= 3 and who[-1].endswith('s') and who[0] != 'whatever'
            if who and who[-1] != 'you' and (plural or who[-1] in _SELF):
                return merely
            if after[:1] and after[0] in _NO_ACTION:
                return merely
            return self._region(skip, end, clause, 'base')
        if last in ('did', 'would') and before[-2:-1] == ['you'] and len(before) > 2:
            # "I would rather you did not", "it would be nice if you would not"
            return self._region(skip, end, clause, 'base')
        if last in ('does', 'do') and after[:1] in (['get'], ['be']):
            return self._region(skip + 1, end, clause, 'participle', passive=True)
        if last in ('does', 'did', 'was', 'were', 'have', 'has', 'had'):
            return merely
        if last in _MODALS or (unmarked and self._words[i] != 'dont'):
            if last == 'need' or after[:1] == ['need'] or (after[:1] and after[0] in _SELF_OR_IT):
                return merely
            if after[:1] == ['be'] and subject != 'you':
                return self._region(skip + 1, end, clause, 'participle', passive=True)
            if subject in ('', 'you', last):
                return self._region(skip, end, clause, 'base')
            return merely
        if last in _BE:
            if after[:2] in (['allowed', 'that'], ['permitted', 'that']):
                return self._region(skip + 2 + (after[2:3] == []), end, clause, 'base')
            if after[:1] and after[0] in _DIRECTIVES:
                if subject == 'you':
                    start = skip + (2 if plain[skip + 1 : skip + 2] == ['to'] else 1)
                    return self._region(start, end, clause, 'base')
                if after[:2] == ['to', 'be']:
                    return self._region(skip + 2, end, clause, 'participle', passive=True)
            return merely
        if after[:1] == ['to']:
            told = [k for k, w in enumerate(before) if w in ('told', 'asked', 'tell', 'ask')]
            if told and before[told[-1] + 1 : told[-1] + 2] != ['you']:
                return merely
            if set(before) & (_SELF - {'i', 'we'}) or set(before) & {'was', 'were'}:
                return merely
            return self._region(skip + 1, end, clause, 'base')
        if not before:
            # "but not the crate", ", not the crate"
            verbs = any(self._begins_verb(k) for k in range(skip, min(skip + 2, end)))
            if verbs:
                return self._region(skip, end, clause, 'base')
            return self._region(skip, end, clause, 'noun', inherits=True)
        return merely

    def _region(
        self,
        start: int,
        end: int,
        clause: int,
        form: str,
        inherits: bool = False,
        passive: bool = False,
        verb: str = '',
    ) -> ProhibitionSpan:
        """How far a negation reaches: over lists and what is joined by "or" and "and"."""
        if start < end and _COMMA.search(self._gaps[start]) and form == 'base':
            # "you should not, however, open it", "do not, I repeat, do not close it"
            aside = self._next_comma(start, end)
            if aside is None or self._plain[aside] in ('do', 'never'):
                return ProhibitionSpan(start, start, clause)
            start = aside
        stop = start
        while stop < end:
            word = self._plain[stop]
            if stop > start and (
                word in ('but', 'then', 'so', 'because', 'since', 'instead', 'however')
                or (word in ('do', 'never', 'please', 'you') and word != self._plain[start])
                or (word == 'just' and self._plain[stop + 1 : stop + 2] != ['yet'])
            ):
                break
            comma = stop > start and _COMMA.search(self._gaps[stop])
            if comma and not self._list_goes_on(stop, end, form):
                break
            if word == 'and' and not comma and not self._joins(stop + 1, end, form):
                break
            stop += 1
        seen = stop + 1 if stop < end and not _COMMA.search(self._gaps[stop]) else stop
        enforced = not any(
            self._plain[k] in _RELEASES and (self._plain[k] != 'without' or self._is_gerund(k + 1))
            for k in range(start, seen)
        )
        for_now = 'for now' in ' '.join(self._plain[max(0, clause - 3) : stop])
        enforced = enforced and not for_now and self._plain[stop - 1 : stop] != ['now']
        return ProhibitionSpan(start, stop, clause, enforced, inherits, passive, verb)

    def _list_goes_on(self, i: int, end: int, form: str) -> bool:
        """Whether a list of what is forbidden goes on behind a comma."""
        word = self._plain[i]
        if word in ('or', 'nor'):
            return True
        if word == 'and':
            return self._joins(i + 1, end, 'noun')
        if form == 'gerund':
            # A clause with "without" before the main one ends here, unless a list is closed later.
            later = self._plain[i:end]
            return self._is_gerund(i) or ('or' in later and not self._has_verb(i, end))
        if self._begins_verb(i):
            # "Do not open the gate, start the pump or go to the hall"
            return 'or' in self._plain[i:end] and 'and' not in self._plain[i:end]
        if word in ('the', 'a', 'an', 'any', 'its', 'my', 'your', 'our'):
            return not self._has_verb(i, end) or 'or' in self._plain[i:end]
        return ('or' in self._plain[i : i + 5] or 'and' in self._plain[i : i + 4]) and (
            word not in _LEAD_INS and word not in _HEADS_OF_WORK and word not in self._heads
        )

    def _has_work(self, begin: int, end: int) -> bool:
        """Whether some form of a template's verb stands there."""
        heads = self._heads | self._thirds | self._gerunds
        return any(self._plain[k] in heads for k in range(begin, end))

    def _has_verb(self, begin: int, end: int) -> bool:
        return any(
            self._begins_verb(k) or self._plain[k] in _MODALS or self._plain[k] in _BE
            for k in range(begin, end)
        )

    def _joins(self, i: int, end: int, form: str) -> bool:
        """Whether what follows an "and" is forbidden with what stands before it."""
        if i >= end or self._plain[i] in ('do', 'please', 'then', 'you', 'never', 'just'):
            return False
        word = self._plain[i]
        if form in ('gerund', 'wish'):
            return self._is_gerund(i) or (word not in _HEADS_OF_WORK and not self._begins_verb(i))
        if form in ('noun', 'participle'):
            return word not in _HEADS_OF_WORK and not self._begins_verb(i)
        return True

    def _kept_as_it_is(self, i: int, end: int) -> ProhibitionSpan | None:
        """ "keep the gate closed", "leave the crate alone", "leave it where it is"."""
        for k in range(i + 2, min(end, i + 8)):
            word = self._plain[k]
            if _COMMA.search(self._gaps[k]) or word in _COORDINATORS:
                return None
            if word in _KEPT_STATES and (
                word not in ('on', 'open') or self._is_last_of_clause(k, end)
            ):
                return ProhibitionSpan(i + 1, k + 1, i, True, False, False, _KEPT_STATES[word])
        return None

    def _stays(self, i: int, clause: int, end: int) -> ProhibitionSpan | None:
        """ "the gate must stay closed"."""
        after = self._plain[i + 1 : end]
        if after[:1] and after[0] in _KEPT_STATES and i > clause:
            start = clause
            while start < i and self._plain[start] in _LEAD_INS:
                start += 1
            return ProhibitionSpan(start, i + 2, start, True, False, True, _KEPT_STATES[after[0]])
        return None

    # Order ---------------------------------------------------------------------------------

    def _order(self) -> tuple[bool, tuple[int, ...]]:
        """Whether the text tells an order, and the place in it of every word."""
        ranks = list(range(len(self._words)))
        ordered = bool(self._marks)
        for begin, end in self._sentences():
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
        comma = self._next_comma(i, end)
        starts = all(plain[k] in _LEAD_INS or k in self._marks for k in range(begin, i))
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
            if (starts and plain[begin] != 'but') or not any(
                self._begins_verb(k) for k in range(begin, i)
            ):
                return ()
            if self._is_last_of_clause(i, end):
                # "go to the yard first"
                start = self._clause_start(i, begin)
                return ((begin, start), (start, i)) if start > begin else ()
            return ((begin, i), (i + 1, end))
        if word == 'next':
            told = plain[i + 1 : i + 2] != ['to'] and (i == begin or plain[i - 1] != 'the')
            return () if told else None
        if word == 'last' and i > begin and plain[i - 1] not in ('the', 'at', 'a'):
            return ()
        return None

    def _is_last_of_clause(self, i: int, end: int) -> bool:
        return (
            i + 1 >= end
            or bool(_COMMA.search(self._gaps[i + 1]))
            or self._plain[i + 1] in _COORDINATORS
        )

    def _next_comma(self, i: int, end: int) -> int | None:
        for k in range(i + 1, end):
            if _COMMA.search(self._gaps[k]):
                return k
        return None

    def _main_clause(self, i: int, begin: int) -> int:
        """Where the clause begins that an "after" behind it belongs to."""
        for k in range(i - 1, begin, -1):
            if self._plain[k] in ('then', 'but') or self._gaps[k].strip().startswith(','):
                return k
        return begin


#: Conditions that only ask: "I would appreciate it if you would not ...".
_POLITE_IF = re.compile(
    r'\b(appreciate|prefer|great|nice|good|better|grateful|glad|happy|kind|mind|wonder|wondering)'
    r'\b.*\bif you\b|\bif (?:you (?:do )?(?:not |t )?mind|you have (?:a|the|some) \w+|possible'
    r"|(?:it|that) (?:'s|is) (?:ok|okay|alright|not too|no|all right))"
)
#: Words in -ing that are no verbs.
_NO_GERUNDS = word_set(
    'thing bring string spring during morning evening ceiling nothing anything everything '
    'something pudding building clothing painting wing swing being dining living king ring'
)
#: Phrases that forbid what follows them, and what its verb stands for where it has none.
_PHRASES = (
    ('keep your hands off', 'touch'),
    ('keep hands off', 'touch'),
    ('stay away from', 'approach'),
    ('keep away from', 'approach'),
    ('stay out of', 'approach'),
    ('keep out of', 'approach'),
    ('stay clear of', 'approach'),
    ('keep clear of', 'approach'),
    ('steer clear of', 'approach'),
    ('stay off', 'approach'),
    ('hands off', 'touch'),
    ('refrain from', ''),
    ('abstain from', ''),
    ('keep from', ''),
    ('forbidden to', ''),
    ('prohibited to', ''),
    ('forbidden from', ''),
    ('prohibited from', ''),
    ('under no circumstances should you', ''),
    ('under no circumstances', ''),
    ('at no time', ''),
    ('at no point', ''),
    ('in no case', ''),
    ('on no account', ''),
    ('by no means', ''),
)
#: Phrases that forbid what stands before them.
_AFTER_THING = (
    'off limits',
    'out of bounds',
    'forbidden',
    'prohibited',
    'taboo',
    'not allowed',
    'not permitted',
)
#: States to be kept, and what would change them (see `prohibitions`).
_KEPT_STATES = {
    'closed': 'opening',
    'shut': 'opening',
    'off': 'switching on',
    'on': 'switching off',
    'running': 'switching off',
    'open': 'closing',
    'alone': 'touch',
    'untouched': 'touch',
    'unopened': 'opening',
    'where': 'taking',
}
#: Beginnings of work that no template need know.
_HEADS_OF_WORK = word_set(
    'put place bring take get fetch carry move go walk come find look search clean wash set lay '
    'give serve make turn switch open close shut start stop check drive deliver store load '
    'unload scan pick drop leave return report wait'
)


def _third_person(verb: str) -> str:
    if verb.endswith(('s', 'x', 'z', 'ch', 'sh', 'o')):
        return verb + 'es'
    if verb.endswith('y') and verb[-2:-1] not in 'aeiou':
        return verb[:-1] + 'ies'
    return verb + 's'
