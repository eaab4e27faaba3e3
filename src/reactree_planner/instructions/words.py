"""The words of a text, and where its sentences and clauses begin."""

from __future__ import annotations

import re
from collections.abc import Iterator

_WORD = re.compile(r'[^\W_]+', re.UNICODE)
_APOSTROPHES = ("'", '’', '`')
#: What ends a sentence: not the point in "3.5", nor the one behind the number of a list's item.
_SENTENCE_END = re.compile(r'[!?;\n]|\.(?=\s|$|["”»)])')
_COMMA = re.compile(r'[,:()—–]| -+ ')
_QUOTES = re.compile(
    r'"([^"]*)"|“([^”]*)”|«([^»]*)»|‘([^’]*)’|`([^`]*)`|(?<![^\W_])\'(.*?)\'(?![^\W_])', re.DOTALL
)
_LIST_MARK = re.compile(r'(?:\b[Ss]tep\s+)?\(?(\d{1,2})\s?[.):]\s*(?=[^\W\d])')


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
UNMARKED = {
    **{head + 't': base for head, base in _CONTRACTED.items() if head not in ('can', 'won')},
    'cannot': 'can',
    'cant': 'can',
}
MODALS = word_set('must should may might can could shall will would ought need dare')
BEING = word_set('is are am be was were been')
COORDINATORS = word_set('and or nor but then')
_CLAUSE_HEADS = word_set('but and or then so because since')
#: Words that may stand before an imperative and change nothing about who is to act.
LEADING_WORDS = word_set(
    'please kindly just also now so then and but or first firstly second secondly third thirdly '
    'next finally lastly last afterwards afterward later simply only ok okay hey robot carefully '
    'quickly slowly remember sure careful be make take care try importantly note important '
    'warning attention again always at all costs ever still well yes no to that however instead '
    'step'
)
PERSONS = word_set(
    'i we he she they someone somebody anyone anybody everyone everybody who nobody'
)
#: Words after which a text tells where something is or shall be.
PREPOSITIONS = word_set('in into inside on onto upon at to from under near beside behind')
_TO_NINETEEN = (
    'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve',
    'thirteen', 'fourteen', 'fifteen', 'sixteen', 'seventeen', 'eighteen', 'nineteen',
)  # fmt: skip
_TENS = (
    'twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety', 'hundred',
)  # fmt: skip
#: Numbers as words; "a few" and the like say no number that could be checked.
NUMBERS = {
    **dict.fromkeys(('a', 'an', 'one', 'another', 'single'), 1),
    **dict.fromkeys(('two', 'both', 'pair', 'couple', 'twice'), 2),
    **{word: number for number, word in enumerate(_TO_NINETEEN, start=3)},
    **{word: 10 * tens for tens, word in enumerate(_TENS, start=2)},
    'dozen': 12,
}
#: Verbs that double their last letter; where syllables stand before, not everybody does.
_DOUBLING = re.compile(r'(.*[aeiou])?[^aeiou]*(?:[^aeiou]|qu)[aeiou][bdgklmnprstvz]')
#: Participles of verbs of robots that do not end in "ed".
_IRREGULAR = {
    **{word: word for word in ('put', 'shut', 'set', 'run', 'come')},
    'take': 'taken',
    'go': 'gone',
    'get': 'gotten',
    'drive': 'driven',
    'bring': 'brought',
    'hold': 'held',
    'lay': 'laid',
    'steal': 'stolen',
    'leave': 'left',
}
#: Words in -ing that are no verbs.
_NO_GERUNDS = word_set(
    'thing bring string spring during morning evening ceiling nothing anything everything '
    'something pudding building clothing painting wing swing being dining living king ring'
)


def words_of(text: str) -> list[str]:
    """Words and numbers of a text, in lower case."""
    return [word.casefold() for word in _WORD.findall(text)]


def word_spans(text: str) -> list[tuple[int, int]]:
    """Where the words and numbers of a text begin and end, in characters."""
    return [match.span() for match in _WORD.finditer(text)]


def _stems(head: str) -> tuple[str, ...]:
    """What stands before -ing and -ed, in all spellings: 'label' -> 'label', 'labell'."""
    if head.endswith('c'):
        return (head + 'k',)
    doubled = _DOUBLING.fullmatch(head)
    if doubled is None:
        return (head,)
    return (head + head[-1],) if doubled[1] is None else (head, head + head[-1])


def gerunds_of(verb: str) -> tuple[str, ...]:
    """The -ing form of a verb, its particle kept, in all spellings: 'scan in' -> 'scanning in'."""
    head, _, rest = verb.partition(' ')
    if head.endswith('ie'):
        stems: tuple[str, ...] = (head[:-2] + 'y',)
    elif head.endswith('e') and not head.endswith(('ee', 'oe', 'ye')):
        stems = (head[:-1],)
    else:
        stems = _stems(head)
    return tuple(f'{stem}ing {rest}'.strip() for stem in stems)


def participles_of(verb: str) -> tuple[str, ...]:
    """The past participle of a verb, in all spellings: 'scan' -> 'scanned', 'take' -> 'taken'."""
    if verb in _IRREGULAR:
        return (_IRREGULAR[verb],)
    if verb.endswith('e'):
        return (f'{verb}d',)
    if verb.endswith('y') and verb[-2:-1] not in 'aeiou':
        return (f'{verb[:-1]}ied',)
    return tuple(f'{stem}ed' for stem in _stems(verb))


def _third_person(verb: str) -> str:
    if verb.endswith(('s', 'x', 'z', 'ch', 'sh', 'o')):
        return verb + 'es'
    if verb.endswith('y') and verb[-2:-1] not in 'aeiou':
        return verb[:-1] + 'ies'
    return verb + 's'


class Text:
    """A text as words.

    :param verbs: fixed beginnings of the skill templates, e.g. 'switch on'.
    """

    def __init__(self, text: str, verbs: tuple[str, ...]) -> None:
        self.text = text
        #: Where the words are, in characters, and what stands before each.
        self.spans = word_spans(text)
        self.words = words_of(text)
        self.gaps = [
            text[self.spans[i - 1][1] if i else 0 : self.spans[i][0]]
            for i in range(len(self.words))
        ]
        #: The words with contractions written out: "don't" is 'do', 'not'.
        self.plain = self._written_out()
        self._bases = {tuple(verb.split()) for verb in verbs if verb}
        #: First words of the verbs as they are, as third persons and in -ing.
        self.heads = {verb.split()[0] for verb in verbs if verb}
        self.thirds = {_third_person(head) for head in self.heads}
        self.gerunds = {gerund.split()[0] for verb in verbs if verb for gerund in gerunds_of(verb)}
        #: Numbers that number a list.
        self.marks = self._find_marks()

    def _written_out(self) -> list[str]:
        plain = list(self.words)
        for i, word in enumerate(self.words):
            joined = i > 0 and self.gaps[i] in _APOSTROPHES
            if joined and word == 't' and plain[i - 1] in _CONTRACTED:
                plain[i - 1 : i + 1] = [_CONTRACTED[plain[i - 1]], 'not']
            elif word == 'u':
                plain[i] = 'you'
            elif joined and word in _ENDINGS:
                plain[i] = _ENDINGS[word]
            elif word in UNMARKED:
                # Two words in one: "dont" is a negation by itself.
                plain[i] = 'not'
        return plain

    def sentences(self) -> Iterator[tuple[int, int]]:
        """First index of each sentence or line, and the one behind it."""
        begin = 0
        for i in range(1, len(self.words)):
            ends = bool(_SENTENCE_END.search(self.gaps[i] + ' '))
            is_decimal = self.gaps[i] == '.' and (self.words[i - 1] + self.words[i]).isdecimal()
            if ends and not is_decimal and i - 1 not in self.marks:
                yield begin, i
                begin = i
        if self.words:
            yield begin, len(self.words)

    def clauses(self, begin: int, end: int) -> Iterator[tuple[int, int]]:
        """The same of the clauses within a sentence."""
        start = begin
        for i in range(begin + 1, end):
            if self.has_comma(i) or self.plain[i] in COORDINATORS:
                yield start, i
                start = i
        yield start, end

    def _find_marks(self) -> frozenset[int]:
        """Numbers of a list: they count up from 1, and a sentence or line begins behind them."""
        index = {span[0]: i for i, span in enumerate(self.spans)}
        marks, wanted = [], 1
        for match in _LIST_MARK.finditer(self.text):
            i = index.get(match.start(1))
            if i is None or int(match.group(1)) != wanted:
                continue
            before = self.text[: match.start()].rstrip(' \t')
            if wanted == 1 and before and before[-1] not in '\n:;,.(':
                continue
            marks.append(i)
            wanted += 1
        return frozenset(marks) if len(marks) > 1 else frozenset()

    def quoted(self) -> frozenset[int]:
        """Indices of words that are quoted: what somebody says, and no name in quotation marks."""
        found: set[int] = set()
        for match in _QUOTES.finditer(self.text):
            inside = [
                i
                for i, (start, end) in enumerate(self.spans)
                if match.start() <= start and end <= match.end()
            ]
            says = len(inside) > 3 or any(self.begins_verb(i) for i in inside)
            if says and len(inside) < len(self.words):
                found.update(inside)
        return frozenset(found)

    def begins_verb(self, i: int) -> bool:
        """Whether a template's verb stands here, as an imperative has it."""
        return any(tuple(self.plain[i : i + len(verb)]) == verb for verb in self._bases)

    def has_work(self, begin: int, end: int) -> bool:
        """Whether some form of a template's verb stands there."""
        heads = self.heads | self.thirds | self.gerunds
        return any(self.plain[k] in heads for k in range(begin, end))

    def is_gerund(self, i: int) -> bool:
        """Whether a word is the -ing form of a verb."""
        word = self.plain[i] if i < len(self.plain) else ''
        return len(word) > 4 and word.endswith('ing') and word not in _NO_GERUNDS

    def next_comma(self, i: int, end: int) -> int | None:
        """Index of the next word with a comma before it; None before `end`."""
        for k in range(i + 1, end):
            if self.has_comma(k):
                return k
        return None

    def clause_start(self, i: int, begin: int) -> int:
        """Index at which the clause of a word begins."""
        for k in range(i, begin, -1):
            if self.has_comma(k) or self.plain[k] in _CLAUSE_HEADS:
                return k
        return begin

    def is_last_of_clause(self, i: int, end: int) -> bool:
        """Whether a clause ends behind a word."""
        return i + 1 >= end or self.has_comma(i + 1) or self.plain[i + 1] in COORDINATORS

    def has_comma(self, i: int) -> bool:
        """Whether a comma, or what parts like one, stands before a word."""
        return bool(_COMMA.search(self.gaps[i]))
