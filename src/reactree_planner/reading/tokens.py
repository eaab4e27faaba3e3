"""Tokens of a sentence: words, numbers and signs, each with its place in the text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

#: Whatever people type for an apostrophe.
_APOSTROPHES = str.maketrans(dict.fromkeys('’ʼ‘´`′＇', "'"))
_TOKEN = re.compile(
    r"\d+(?:[.,]\d+)?(?![^\W_])|[^\W_]+(?:'[^\W_]+)*'?|[.,;:!?()\n%&/\-<>=\"]|\S", re.UNICODE
)
#: Endings that stand for a word of their own.
_CONTRACTED = (
    ("can't", ('can', 'not')), ("won't", ('will', 'not')), ("shan't", ('shall', 'not')),
    ("ain't", ('is', 'not')), ('cannot', ('can', 'not')), ("let's", ('let', 'us')),
    ('dont', ('do', 'not')), ('doesnt', ('does', 'not')), ('cant', ('can', 'not')),
    ('shouldnt', ('should', 'not')), ('mustnt', ('must', 'not')), ('wont', ('will', 'not')),
    ('gonna', ('going', 'to')), ('wanna', ('want', 'to')), ('gotta', ('got', 'to')),
)  # fmt: skip
_WHOLE = dict(_CONTRACTED)
_ENDINGS = {
    "n't": 'not', "'re": 'are', "'ve": 'have', "'ll": 'will', "'d": 'would', "'m": 'am',
    "'s": "'s",
}  # fmt: skip
_VOWELS = 'aeiou'
#: Most characters, and most tokens, of a text that is read as a whole.
MOST_CHARACTERS = 8000
_MOST_TOKENS = 600


@dataclass(frozen=True, slots=True)
class Token:
    """A word, number or sign of a text.

    :param word: in lower case, contractions resolved: "don't" is two tokens, 'do' and 'not'.
    :param start: index of its first character. :param end: index behind its last.
    """

    word: str
    start: int
    end: int

    @property
    def is_word(self) -> bool:
        """Whether it is a word or a number, and no sign."""
        return self.word[:1].isalnum() or self.word == "'s"


def plain_text(text: str) -> str:
    """A text with one sort of apostrophe; every character keeps its place."""
    return text.translate(_APOSTROPHES)


def tokens_of(text: str) -> tuple[Token, ...]:
    """The tokens of a text, in order."""
    return tuple(
        token
        for match in _TOKEN.finditer(plain_text(text))
        for token in _resolved(match[0].casefold(), match.start(), match.end())
    )


def is_too_long(text: str) -> bool:
    """Test for a text that is not read as a whole."""
    return len(text) > MOST_CHARACTERS or len(tokens_of(text)) > _MOST_TOKENS


def words_of(text: str) -> tuple[str, ...]:
    """Words and numbers of a text in lower case, contractions resolved."""
    return tuple(token.word for token in tokens_of(text) if token.is_word)


def _resolved(word: str, start: int, end: int) -> Iterator[Token]:
    """A token, or the two that a contraction stands for, which share its place."""
    if word in _WHOLE:
        yield from (Token(one, start, end) for one in _WHOLE[word])
        return
    ending = next((one for one in _ENDINGS if word.endswith(one) and word != one), '')
    if ending:
        cut = end - len(ending)
        yield Token(word[: -len(ending)], start, end if ending == "n't" else cut)
        yield Token(_ENDINGS[ending], start if ending == "n't" else cut, end)
    else:
        yield Token(word.rstrip("'"), start, end)


# Forms of English words --------------------------------------------------------------------------

_IRREGULAR = {
    'bring': 'brought', 'buy': 'bought', 'catch': 'caught', 'cut': 'cut', 'drive': 'driven',
    'eat': 'eaten', 'find': 'found', 'get': 'got', 'give': 'given', 'go': 'gone', 'hang': 'hung',
    'hold': 'held', 'keep': 'kept', 'lay': 'laid', 'leave': 'left', 'light': 'lit', 'make': 'made',
    'put': 'put', 'read': 'read', 'run': 'run', 'see': 'seen', 'send': 'sent', 'set': 'set',
    'shut': 'shut', 'spray': 'sprayed', 'spread': 'spread', 'stick': 'stuck', 'sweep': 'swept',
    'take': 'taken', 'tell': 'told', 'throw': 'thrown', 'wear': 'worn', 'write': 'written',
    'freeze': 'frozen', 'fly': 'flown', 'steal': 'stolen', 'break': 'broken', 'bind': 'bound',
    'feed': 'fed', 'fill': 'filled', 'grind': 'ground', 'split': 'split', 'wind': 'wound',
}  # fmt: skip
_PLURALS = {
    'knives': 'knife', 'shelves': 'shelf', 'loaves': 'loaf', 'leaves': 'leaf', 'halves': 'half',
    'wives': 'wife', 'lives': 'life', 'scarves': 'scarf', 'feet': 'foot',
    'teeth': 'tooth', 'people': 'person', 'men': 'man', 'women': 'woman', 'children': 'child',
}  # fmt: skip


@cache
def singulars_of(word: str) -> tuple[str, ...]:
    """A word and the singulars that it may be a plural of."""
    found = [word]
    if word in _PLURALS:
        found.append(_PLURALS[word])
    if word.endswith('ies') and len(word) > 4:
        found.append(f'{word[:-3]}y')
    if word.endswith('s') and len(word) > 2 and not word.endswith('ss'):
        found.append(word[:-1])
    if word.endswith(('ses', 'xes', 'zes', 'ches', 'shes', 'oes')):
        found.append(word[:-2])
    if word.endswith('ves') and len(word) > 4:
        # "shelves", "knives"
        found += [f'{word[:-3]}f', f'{word[:-3]}fe']
    return tuple(dict.fromkeys(found))


def is_plural(word: str) -> bool:
    """Whether a word has the ending of a plural."""
    return len(singulars_of(word)) > 1


@cache
def inflected(verb: str) -> dict[str, str]:
    """Forms of a verb, each with its sort: 'base', 'third', 'gerund', 'participle'."""
    head, _, rest = verb.partition(' ')
    rest = f' {rest}' if rest else ''
    forms = {head: 'base', _third(head): 'third'}
    for stem in _stems(head):
        forms.setdefault(f'{stem}ing', 'gerund')
    for past in _pasts(head):
        forms.setdefault(past, 'participle')
    return {f'{form}{rest}': sort for form, sort in forms.items()}


def _third(verb: str) -> str:
    if verb.endswith(('s', 'x', 'z', 'ch', 'sh', 'o')):
        return f'{verb}es'
    if verb.endswith('y') and verb[-2:-1] not in _VOWELS:
        return f'{verb[:-1]}ies'
    return f'{verb}s'


def _stems(verb: str) -> tuple[str, ...]:
    """What may stand before -ing: 'put' -> 'putt', 'close' -> 'clos'."""
    if verb.endswith('ie'):
        return (f'{verb[:-2]}y',)
    if verb.endswith('e') and not verb.endswith(('ee', 'oe', 'ye')):
        return (verb[:-1],)
    doubles = re.fullmatch(r'.*[^aeiou]?[aeiou][bdgklmnprtvz]', verb) is not None
    return (f'{verb}{verb[-1]}', verb) if doubles and len(verb) < 7 else (verb,)


def _pasts(verb: str) -> tuple[str, ...]:
    regular: tuple[str, ...]
    if verb.endswith('e'):
        regular = (f'{verb}d',)
    elif verb.endswith('y') and verb[-2:-1] not in _VOWELS:
        regular = (f'{verb[:-1]}ied',)
    else:
        regular = tuple(f'{stem}ed' for stem in _stems(verb))
    return (_IRREGULAR[verb], *regular) if verb in _IRREGULAR else regular
