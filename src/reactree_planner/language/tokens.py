"""A text as tokens: words in lower case, contractions written out, and signs between them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reactree_planner.language.lexicon import ADVERBS, NUMBERS, POLITE, words

_TOKEN = re.compile(
    r'(?P<number>\d{1,3}(?:,\d{3})+(?![\d,])|\d+(?:\.\d+)+|\d+)'
    r'|(?P<word>[^\W_]+)'
    r'|(?P<arrow>->|=>|→|⇒)'
    r'|(?P<dash>(?<=\s)-{1,2}(?=\s)|[—–]|--|(?:(?<=\n)|^)[ \t]*[-*•·](?=\s))'
    r'|(?P<line>\n)'
    r'|(?P<percent>%)'
    r'|(?P<minus>(?<=\w )[-−](?=\d))'
    r'|(?P<sign>[.,;:!?()&"“”«»…])'
)
_APOSTROPHE = re.compile(r"['’`]")
#: "1)", "2." and "Step 3:" before what is to be done.
_MARK = re.compile(
    r'(?:\b[Ss]tep\s+)?\(?(\d{1,2}|one|two|three|four|five|six)\s?[.):]\s*(?=[^\W\d])'
)
_ENDS = frozenset('.!?;…')
#: What a contraction stands for, by its first part: "don't", "dont".
_NOT = {
    **{
        head + 'n': head
        for head in words(
            'do does did is are was were must could should would need may might has have had dare'
        )
    },
    'can': 'can', 'won': 'will', 'shan': 'shall', 'ain': 'is',
}  # fmt: skip
_ENDINGS = {'ll': 'will', 've': 'have', 're': 'are', 'm': 'am', 'd': 'would', 's': "'s"}
_TOGETHER = {
    f'{head}t': (base, 'not') for head, base in _NOT.items() if head not in ('can', 'won')
}
_TOGETHER |= {'cannot': ('can', 'not'), 'cant': ('can', 'not'), 'dont': ('do', 'not')}
#: What says "never" wherever it stands.
_NEVER = tuple(
    tuple(said.split())
    for said in (
        'under no circumstances', 'under no circumstance', 'on no account', 'at no time',
        'at no point', 'in no case', 'in no event', 'by no means', 'not under any circumstances',
        'not on any account', 'not at any time', 'not at any point', 'not in any case',
        'not by any means', 'not ever', 'never ever',
    )
)  # fmt: skip
_ASIDE = tuple(('not', ',', *said[1:], ',') for said in _NEVER if said[0] == 'not')
_BY_END = {
    said[-1]: [one for one in (*_NEVER, *_ASIDE) if one[-1] == said[-1]]
    for said in (*_NEVER, *_ASIDE)
}
#: Before which "'s" is "is", and no genitive.
_SUBJECTS = words('it that there here what who where he she this everything everybody')
#: The sign of a list's item: a dash or a dot before it; a number, which tells an order.
MARK = '•'
STEP = '#'
#: Most characters of a text that are read.
MOST_CHARACTERS = 8000


@dataclass(frozen=True, slots=True)
class Token:
    """A word or a sign. :param text: in lower case; '.' for whatever ends a sentence, ',' for what
        parts its parts, ':', '->', '•' and '#' before a list's item, and a line's end.
    :param start: :param end: where it stands in the text, in characters.
    :param joins: of the end of a sentence: whether what follows may go on with its words (";").
    """

    text: str
    start: int
    end: int
    joins: bool = False

    @property
    def is_word(self) -> bool:
        """Whether it is a word or a number."""
        return self.text[:1].isalnum() or self.text == "'s"


def tokens_of(text: str) -> tuple[Token, ...]:
    """The tokens of a text; what stands behind its first 8,000 characters is not read."""
    text = text[:MOST_CHARACTERS]
    marks = {span[0]: span[1] for span in _marks(text)}
    found: list[Token] = []
    at = 0
    while match := _TOKEN.search(text, at):
        begin = match.start()
        step = next((start for start in range(at, begin + 1) if start in marks), None)
        if step is not None:
            found.append(Token(STEP, step, marks[step]))
            at = marks[step]
            continue
        at = match.end()
        found += _token(match, text, found)
        for said in _BY_END.get(found[-1].text, ()):
            if tuple(one.text for one in found[-len(said) :]) == said:
                found[-len(said) :] = [Token('never', found[-len(said)].start, found[-1].end)]
    return tuple(found)


def _token(match: re.Match[str], text: str, before: list[Token]) -> Iterator[Token]:
    start, end = match.span()
    word = match.group().casefold()
    if match.lastgroup in ('word', 'number'):
        joined = start > 0 and before and before[-1].end == start - 1
        if joined and _APOSTROPHE.match(text[start - 1]):
            if word == 't' and before[-1].text in _NOT:
                before[-1:] = [Token(_NOT[before[-1].text], before[-1].start, before[-1].end)]
                word = 'not'
            elif word in _ENDINGS:
                word = 'is' if word == 's' and before[-1].text in _SUBJECTS else _ENDINGS[word]
        if word in _TOGETHER:
            first, second = _TOGETHER[word]
            yield Token(first, start, end)
            word = second
        yield Token({'u': 'you', 'd': 'would'}.get(word, word), start, end)
    elif match.lastgroup == 'arrow':
        yield Token('->', start, end)
    elif match.lastgroup in ('percent', 'minus'):
        yield Token(match.lastgroup, start, end)
    elif match.lastgroup == 'line':
        yield Token('\n', start, end)
    elif match.lastgroup == 'dash':
        # At the beginning of a line it marks an item; else it parts what stands around it.
        is_first = not before or before[-1].text in ('\n', ':')
        yield Token(MARK if is_first else ',', start, end)
    elif word == '&':
        yield Token('and', start, end)
    elif word in _ENDS:
        yield Token('?' if word == '?' else '.', start, end, joins=word == ';')
    elif word in '()':
        yield Token(',', start, end)
    elif word in ':,':
        yield Token(word, start, end)
    else:
        yield Token('"', start, end)


def _marks(text: str) -> Iterator[tuple[int, int]]:
    """Numbers of a list: they count up from 1, and something to do stands behind each."""
    found: list[tuple[int, int]] = []
    for match in _MARK.finditer(text):
        number = NUMBERS.get(match[1].casefold()) or (match[1].isdecimal() and int(match[1]))
        is_word = not match[1].isdecimal()
        if number != len(found) + 1 or (
            is_word and not match.group().casefold().startswith('step')
        ):
            continue
        before = text[: match.start()].rstrip(' \t')
        if not found and before and before[-1] not in '\n:;,.(':
            continue
        found.append(match.span())
    if len(found) > 1 or (found and text[found[0][0]].casefold() == 's'):
        yield from found


def dropped_before(tokens: Sequence[Token], kept: Sequence[int]) -> dict[int, tuple[str, ...]]:
    """Words of courtesy that stood right before each of the tokens that are kept."""
    ends = (-1, *kept, len(tokens))
    between = {
        position: tuple(one.text for one in tokens[ends[position] + 1 : ends[position + 1]])
        for position in range(len(ends) - 1)
    }
    return {position: words for position, words in between.items() if words}


def without_courtesy(tokens: Sequence[Token]) -> tuple[int, ...]:
    """Indices of the tokens but for words that change nothing, and the commas around them."""
    kept: list[int] = []
    dropped = False
    for index, token in enumerate(tokens):
        word = token.text
        follows = tokens[index + 1].text if index + 1 < len(tokens) else ''
        behind = tokens[index + 2].text if index + 2 < len(tokens) else ''
        goes_on = word in ('together', 'well') and follows in ('with', 'as')
        is_idle = word in POLITE or (word in ADVERBS and not goes_on)
        is_idle |= (word, follows) == ('as', 'well') and behind != 'as'
        is_idle |= (word, follows) == ('pretty', 'please')
        if is_idle or (word == 'too' and not follows[:1].isalnum()):
            dropped = True
            continue
        if word == '\n' and {tokens[i].text for i in kept[-2:]} == {'\n'}:
            # An empty line parts as well as several.
            continue
        before = tokens[kept[-1]].text if kept else '.'
        if dropped and word == ',' and before in (',', '.', '\n', 'and'):
            continue
        if dropped and word in ('.', '?', '\n') and before == ',':
            kept.pop()
        kept.append(index)
        dropped = False
    return tuple(kept)
