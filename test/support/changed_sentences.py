"""Changes to a sentence read whole, after which its goal is another or no longer whole."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterator, Sequence

from reactree_planner.reading import small_words
from reactree_planner.reading.names import Names
from reactree_planner.reading.tokens import singulars_of
from reactree_planner.reading.vocabulary import english, NameKind

#: A text, and the names of its skill server -> the text as changed, in several ways.
Change = Callable[[str, Names], Iterator[str]]

_WORD = re.compile(r"[^\W_]+(?:['’][a-z]+)?")
_NUMBERS = ('one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine')
_SWITCHED = {
    'open': 'close', 'opened': 'closed', 'close': 'open', 'closed': 'open', 'shut': 'open',
    'on': 'off', 'off': 'on',
}  # fmt: skip
#: Words that may go without a change of meaning: courtesy, articles, numbers of one, and verbs
#: of putting, for "mugs into the sink" says the same.
_IDLE = frozenset().union(
    small_words.POLITE, small_words.ADVERBS, small_words.ARTICLES, small_words.DEFINITE,
    small_words.COORDINATORS, small_words.SOME, small_words.EVERY,
    (word for verbs in english()['verbs'].values() for verb in verbs for word in verb.split()),
    (
        word
        for phrases in (
            small_words.GREETINGS, small_words.THEN, small_words.FIRST, small_words.REQUESTS
        )
        for phrase in phrases
        for word in phrase
    ),
    small_words.word_set(
        "is are be 's been being am i we should must shall it this that them they these those "
        'both all single separate individual own whole following item items thing things object '
        'objects make sure ensure see in the end by important check certain want need would like '
        'love have has to needs ought had better wish for in inside of within into on onto upon '
        'top at atop over down back away up off there from s step one 1 x plus where goes '
        "belongs another that's"
    ),
)  # fmt: skip

_NEGATED = (
    'Do not {}.', 'Never {}.', "Don't {}.", 'Please do not {}.', 'You must not {}.',
    'I forbid you to {}.', 'Under no circumstances {}.', 'There is no need to {}.',
    "I don't want you to {}.", 'Whatever you do, do not {}.', 'It is forbidden to {}.',
    'Make sure not to {}.', 'You should never {}.', 'Refuse to {}.', 'Nobody asked you to {}.',
    'Stop me if I ask you to {}.', 'Avoid this: {}.', 'Do everything but {}.',
    'You are not allowed to {}.', 'I would rather you did not {}.', 'It is a bad idea to {}.',
    'Resist the urge to {}.', 'The last thing I want is that you {}.',
)  # fmt: skip
_SAID_OTHERWISE = (
    'Why would you {}?', 'You used to {}.', 'I told Tom to {}.', 'Who said that you should {}?',
    'Pretend to {}.', 'Mary wants to {}.', 'Tell me how to {}.', 'Do you know how to {}?',
    'You almost {}.', 'Imagine this: {}.', 'Should I {}?', 'Did you {}?', 'Why did you {}?',
    'Last night, I told you to {}.', 'Let Tom {}.', 'Ask Tom to {}.', 'I will {}.',
    'We used to {}.', 'Someone else will {}.', 'Nobody may {}.', 'Who will {}?',
)  # fmt: skip
_CANCELLED = (
    'Never mind', 'Actually, do not', 'Forget it', 'Or rather not', 'Just kidding', 'No, wait',
    'On second thought, leave it', 'Cancel that', 'Stop', 'Actually, no', 'Scratch that',
    'That was yesterday', 'Or maybe not',
)  # fmt: skip
_BEHIND_NAME = (
    ' rather than the {other}', ' instead of the {other}', ' except the {other}',
    ', not the {other},', ' but not the {other}', ' or the {other}', ' without the {other}',
    ', unlike the {other},', ' for the {other}', ' next to the {other}', ' under the {other}',
    ' that came with the {other}', ' if it is near the {other}',
)  # fmt: skip
_AT_END = (
    'once the {place} is open', 'unless the {place} is open', 'if the {place} is open',
    'when the {place} is closed', 'until the {place} is closed', 'while the {place} is open',
    'but only after opening the {place}', 'after you have opened the {place}',
    'before opening the {place}', 'as long as the {place} is closed', 'within two steps',
    'immediately after opening the {place}', 'without opening the {place}',
    'instead of the {other}', 'rather than the {other}', 'except the {other}', 'tomorrow',
    'at noon', 'every day', 'twice', 'every time I ask', 'like last time', 'later', 'half way',
    'only if you have time', 'but not yet', 'in case it rains', 'or not', 'or the {other}',
    'as my mother does', 'and so on', 'for the first time', 'with your left hand',
    'without touching the {other}', 'together with the rest', 'and back', 'and the like',
    'next to the {place}', 'last', 'next', 'then', 'in the end or never', 'as Tom said',
)  # fmt: skip
_AT_START = (
    'If the {place} is open,', 'Unless the {place} is open,', 'Once the {place} is closed,',
    'When I come home,', 'Instead of opening the {place},', 'Rather than the {other},',
    'Before you open the {place},', 'After opening the {place},', 'Tomorrow,', 'At noon,',
    'Although the {place} is open,', 'In case I am late,', 'Only if you can:', 'Every morning,',
    'Half of the time,', 'Instead,', 'Otherwise,', 'Except for the {other},',
)  # fmt: skip
_DESCRIBED = ('biggest', 'second', 'wrong', 'missing', 'former', 'red', 'fake', 'other', 'broken')
_OTHER_WAYS = ('next to', 'under', 'behind', 'out of', 'from', 'near', 'over', 'without', 'above')


def found_names(text: str, names: Names) -> Iterator[tuple[str, int, int, bool]]:
    """Known names in a text: the name, where it stands, and whether it is a plural there."""
    known = names.all_words()
    found = [(match.group().casefold(), *match.span()) for match in _WORD.finditer(text)]
    longest = max(map(len, known), default=1)
    at = 0
    while at < len(found):
        for length in range(min(longest, len(found) - at), 0, -1):
            *stem, last = (word for word, _, _ in found[at : at + length])
            form = next((one for one in singulars_of(last) if (*stem, one) in known), '')
            if form:
                end = found[at + length - 1][2]
                yield known[(*stem, form)], found[at][1], end, form != last
                at += length
                break
        else:
            at += 1


def is_one_clause(text: str) -> bool:
    """Whether nothing parts it: a denial at its start denies all of it."""
    return not re.search(r'[.,;:!?)\n]', text.strip().rstrip('.!?')) and ' and ' not in text


def other_name(text: str, names: Names) -> Iterator[str]:
    """Another known name of the same kind in the place of each."""
    for name, start, end, is_plural in found_names(text, names):
        other = _of_same_kind(names, name, text)
        if other:
            ending = 's' if is_plural and not other.endswith('s') else ''
            yield f'{text[:start]}{other}{ending}{text[end:]}'


def negated(text: str, names: Names) -> Iterator[str]:
    """It is denied or forbidden."""
    for frame in _NEGATED:
        yield frame.format(_inner(text))
    for verb in ('is', 'are', 'should', 'must', 'has', 'have', 'goes', 'belongs'):
        if match := re.search(rf'\b{verb}\b', text):
            yield f'{text[: match.end()]} not{text[match.end() :]}'


def said_otherwise(text: str, names: Names) -> Iterator[str]:
    """It is asked, reported, or told of somebody else."""
    for frame in _SAID_OTHERWISE:
        yield frame.format(_inner(text))


def cancelled(text: str, names: Names) -> Iterator[str]:
    """It is taken back in the sentence behind it."""
    for tail in _CANCELLED:
        yield f'{_bare(text)}. {tail}.'
    yield f'{_bare(text)}? No.'
    yield f'{_bare(text)} - no, do not.'


def clause_put_in(text: str, names: Names) -> Iterator[str]:
    """A contrast, exception, condition, time, manner or reference put in."""
    found = list(found_names(text, names))
    if not found:
        return
    first = found[0]
    other = _of_same_kind(names, first[0], text) or first[0]
    places = sorted(set(names.all_words().values()), key=lambda one: zlib.crc32(one.encode()))
    named = {name for name, *_ in found}
    place = next(
        (one for one in places if names.kind(one) is NameKind.PLACE and one not in named), other
    )
    for phrase in _BEHIND_NAME:
        yield text[: first[2]] + phrase.format(other=other) + text[first[2] :]
    for phrase in _AT_END:
        yield f'{_bare(text)} {phrase.format(other=other, place=place)}.'
    for phrase in _AT_START:
        yield f'{phrase.format(other=other, place=place)} {_inner(text)}.'


def word_deleted(text: str, names: Names) -> Iterator[str]:
    """A content word left out, or a whole name."""
    named = [(start, end) for _, start, end, _ in found_names(text, names)]
    for match in _WORD.finditer(text):
        is_named = any(start <= match.start() < end for start, end in named)
        is_mark = text[match.end() :][:1] == ')'
        if match.group().casefold() not in _IDLE and not is_named and not is_mark:
            yield _joined(text[: match.start()], text[match.end() :])
    for start, end in named:
        yield _joined(text[:start], text[end:])


def number_changed(text: str, names: Names) -> Iterator[str]:
    """One more of them."""
    for match in _WORD.finditer(text):
        word = match.group().casefold()
        if word in _NUMBERS[1:-1]:
            more = _NUMBERS[_NUMBERS.index(word) + 1]
        elif word.isdecimal() and len(word) < 3:
            more = str(int(word) + 1)
        else:
            continue
        yield text[: match.start()] + more + text[match.end() :]


def another(text: str, names: Names) -> Iterator[str]:
    """ "another", or "the other", for an article: nothing of the sort was named before."""
    starts = {start for _, start, _, _ in found_names(text, names)}
    for match in re.finditer(r'\b(?:the|a|an) ', text, re.IGNORECASE):
        if match.end() in starts:
            yield f'{text[: match.start()]}another {text[match.end() :]}'
            yield f'{text[: match.start()]}the other {text[match.end() :]}'


def described(text: str, names: Names) -> Iterator[str]:
    """A word before a thing that says which one is meant."""
    for name, start, _, _ in found_names(text, names):
        if names.kind(name) is NameKind.THING:
            for word in _DESCRIBED:
                yield f'{text[:start]}{word} {text[start:]}'


def state_changed(text: str, names: Names) -> Iterator[str]:
    """Another state, and the opposite of opening and switching."""
    states = {' '.join(words): state for words, state in names.words.states.items()}
    for match in _WORD.finditer(text):
        word = match.group().casefold()
        before, behind = text[: match.start()], text[match.end() :]
        if word in ('on', 'off'):
            switches = re.search(r'\b(?:turn|switch)\w*\b[^.,;\n]*$', before, re.IGNORECASE)
            if not switches or re.match(r'\W+(?:the|a|an|top|of|my|each)\b', behind):
                continue
        if word in _SWITCHED:
            yield before + _SWITCHED[word] + behind
        elif word in states:
            others = sorted(
                one
                for one, state in states.items()
                if state != states[word] and ' ' not in one and one not in _SWITCHED
            )
            if others:
                yield before + _chosen(others, text) + behind


def preposition_changed(text: str, names: Names) -> Iterator[str]:
    """Beside, under or out of the place in place of in or on it."""
    for name, start, _, _ in found_names(text, names):
        way = re.search(
            r'\b(?:in|into|on|onto|to|inside|on top of)(?= (?:(?:the|a|an|my) )?$)', text[:start]
        )
        if way and names.kind(name) is NameKind.PLACE:
            for other in _OTHER_WAYS:
                yield text[: way.start()] + other + text[way.end() :]


CHANGES: dict[str, Change] = {
    change.__name__: change
    for change in (
        other_name, negated, said_otherwise, cancelled, clause_put_in, word_deleted,
        number_changed, another, described, state_changed, preposition_changed,
    )
}  # fmt: skip


def _bare(text: str) -> str:
    return text.strip().rstrip('.!? ')


def _inner(text: str) -> str:
    """As it stands within a sentence."""
    text = _bare(text)
    return text if text[:2].isupper() or text[:2] in ('I ', "I'") else text[:1].lower() + text[1:]


def _joined(before: str, behind: str) -> str:
    return re.sub(' +', ' ', before + behind).strip()


def _chosen(options: Sequence[str], seed: str) -> str:
    return options[zlib.crc32(seed.encode()) % len(options)]


def _of_same_kind(names: Names, name: str, seed: str) -> str:
    kind = names.kind(name)
    others = [
        one
        for one in sorted(set(names.all_words().values()))
        if names.kind(one) is kind and not set(one.split()) & set(name.split())
    ]
    return _chosen(others, seed + name) if others else ''
