"""Options of a `select` in the forms that servers understand, and their answers read back.

Pure text work: nothing here talks to a server.
"""

from __future__ import annotations

import itertools
import math
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from reactree_planner.llm.written_answers import readings

#: What ends an option where another option goes on; decisions are lines, so models know it.
END = '\n'
#: Published limits of hosted servers for the values of one JSON schema `enum`.
_SCHEMA_OPTIONS = 500
_SCHEMA_LONG_OPTIONS = 250
_SCHEMA_LETTERS = 15_000
_FOLD = ' <one of: '
#: How to read options that are given as one.
FOLDS = (
    'A line like "open, close <one of: box (1, 2); lid 1>" stands for several options: '
    '"open box 1", "close box 2", "open lid 1" and so on are each one.'
)
#: Options that begin alike, from which on they are given as one.
_FOLDED = 8
#: Letters of options up to which it does not matter.
_TOLD_TWICE = 1000
#: A number in brackets is the same number.
_BRACKETED = re.compile(r'\((\d+)\)')


@dataclass(frozen=True, slots=True)
class TokenScore:
    """One token of an answer.

    :param text: its bytes. :param log_probability: natural logarithm.
    :param rivals: the likeliest tokens at this place with their log-probabilities.
    """

    text: bytes
    log_probability: float
    rivals: tuple[tuple[bytes, float], ...] = ()


def held_back(text: str) -> str:
    """Spaces at the end of a prompt, which belong to the next token.

    Models know words with a space before them as one token; a prompt that ends in a space makes
    every such word unlikely, so the spaces are sent as the beginning of the answer instead.
    """
    return text[len(text.rstrip(' ')) :] if text.strip(' ') else ''


def needs_end(options: Sequence[str]) -> bool:
    """Whether some option is the beginning of another, so that its end must be given."""
    ordered = sorted(options)
    return any(longer.startswith(shorter) for shorter, longer in itertools.pairwise(ordered))


def grammar_of(options: Sequence[str], lead: str = '') -> str:
    """GBNF whose language is the options, each after `lead`.

    Common beginnings are written once: llama.cpp then follows one state instead of hundreds.
    """
    end = f' {_quoted(END)}?' if needs_end(options) else ''
    start = f'{_quoted(lead)} ' if lead else ''
    return f'root ::= {start}{_branches(sorted(options))}{end}'


def _branches(options: list[str]) -> str:
    """One expression for sorted different texts, of which only the first may be empty."""
    first, last = options[0], options[-1]
    size = 0
    while size < len(first) and size < len(last) and first[size] == last[size]:
        size += 1
    rest = [option[size:] for option in options]
    optional = not rest[0]
    if optional:
        rest = rest[1:]
    shared = _quoted(first[:size]) if size else ''
    if not rest:
        return shared
    groups: list[list[str]] = []
    for option in rest:
        if groups and groups[-1][0][0] == option[0]:
            groups[-1].append(option)
        else:
            groups.append([option])
    choice = f'({" | ".join(_branches(group) for group in groups)}){"?" if optional else ""}'
    return f'{shared} {choice}' if shared else choice


def _quoted(text: str) -> str:
    """A GBNF literal; everything unusual as a code point."""
    letters = []
    for letter in text:
        if letter in '"\\':
            letters.append(f'\\{letter}')
        elif letter.isprintable():
            letters.append(letter)
        else:
            code = ord(letter)
            letters.append(f'\\u{code:04X}' if code < 0x10000 else f'\\U{code:08X}')
    return f'"{"".join(letters)}"'


def choices_of(options: Sequence[str], lead: str = '') -> list[str]:
    """Whole texts for servers that take a list of choices."""
    end = END if needs_end(options) else ''
    return [f'{lead}{option}{end}' for option in options]


def labels_of(options: Sequence[str]) -> list[str]:
    """How options are shown and named in JSON: without outer white space where that is clear."""
    labels = [option.strip() for option in options]
    return labels if all(labels) and len(set(labels)) == len(labels) else list(options)


def listed(options: Sequence[str]) -> str:
    """The options for a model to read, a line each; many that begin alike are one."""
    return '\n'.join(f'- {line}' for line in folded(labels_of(options)))


def listed_options(options: Sequence[str]) -> str:
    """The same with a heading, and with what folded lines mean where there are any."""
    lines = listed(options)
    return f'{FOLDS}\nOptions:\n{lines}' if _FOLD in lines else f'Options:\n{lines}'


def folded(labels: Sequence[str]) -> list[str]:
    """Texts of which many that begin alike are one: 'open, close <one of: box (1, 2); lid 1>'."""
    left = dict.fromkeys(labels)
    #: Names -> how texts with just these begin.
    starts: dict[str, list[str]] = {}
    #: Where a line stands -> its names.
    places: dict[str, str] = {}
    while many := _begun_alike(left):
        start, alike = max(many.items(), key=lambda one: (len(one[1]) * len(one[0]), len(one[0])))
        names = _numbered([label[len(start) + 1 :] for label in alike])
        if names not in starts:
            places[alike[0]] = names
        starts.setdefault(names, []).append(start)
        for label in alike:
            del left[label]
    lines = {
        place: f'{", ".join(sorted(starts[names]))}{_FOLD}{names}>'
        for place, names in places.items()
    }
    kept = {label: label for label in left} | lines
    return [kept[label] for label in labels if label in kept]


def _begun_alike(labels: Iterable[str]) -> dict[str, list[str]]:
    """Words with which many texts begin, and these texts."""
    groups: dict[str, list[str]] = {}
    for label in labels:
        # A number is a part of its name.
        for space in re.finditer(r' (?!\d+\Z)', label):
            groups.setdefault(label[: space.start()], []).append(label)
    return {start: alike for start, alike in groups.items() if len(alike) >= _FOLDED}


def _numbered(names: Sequence[str]) -> str:
    """Names in a row; those that differ by a number alone as one, as observations report them."""
    numbers: dict[str, list[str]] = {}
    for name in names:
        bare, _, number = name.rpartition(' ')
        has_number = bool(bare) and number.isascii() and number.isdecimal()
        numbers.setdefault(bare if has_number else name, []).append(number if has_number else '')
    labels = []
    for bare, those in numbers.items():
        labels += [bare] if '' in those else []
        counted = [number for number in those if number]
        if len(counted) == 1:
            labels.append(f'{bare} {counted[0]}')
        elif counted:
            labels.append(f'{bare} ({", ".join(counted)})')
    return '; '.join(labels)


def is_long(options: Sequence[str]) -> bool:
    """Whether it matters that options are given twice, in a prompt and in a schema."""
    return sum(map(len, options)) > _TOLD_TWICE


def are_skills(options: Sequence[str]) -> bool:
    """Whether options are more than words of a frame, which a text itself tells."""
    return any(' ' in option.strip() for option in options)


def fits_schema(options: Sequence[str]) -> bool:
    """Whether a JSON schema `enum` of these is within the limits of hosted servers."""
    if len(options) > _SCHEMA_OPTIONS:
        return False
    letters = sum(len(option) for option in options)
    return len(options) <= _SCHEMA_LONG_OPTIONS or letters <= _SCHEMA_LETTERS


def constrained_index(answer: str, options: Sequence[str], lead: str = '') -> int | None:
    """Index of a constrained answer, None when the server did not keep to the options."""
    for index, option in enumerate(options):
        if answer in (f'{lead}{option}', f'{lead}{option}{END}'):
            return index
    labels = labels_of(options)
    bare = answer.strip().removeprefix(lead.strip()).strip()
    return labels.index(bare) if bare in labels else None


def proposed_index(answer: str, options: Sequence[str]) -> int | None:
    """Index of the option that a free answer means, None when it means none or several.

    Letter case, outer white space, quotes, a full stop and brackets around a number do not
    matter; an answer may go on after the option, but not within a word or number ('crate 12' is
    not 'crate 1'). Else one of its lines is an option, or JSON in it names one.
    """
    for index, option in enumerate(options):
        if answer == option:
            return index
    names = [_plain(option) for option in options]
    begun = _begun_index(_plain(answer), names)
    if begun is not None:
        return begun
    for lines in readings(answer):
        said = {_plain(line) for line in lines}
        found = [index for index, name in enumerate(names) if name in said]
        if found:
            return found[0] if len({names[index] for index in found}) == len(found) == 1 else None
    return None


def _begun_index(said: str, names: Sequence[str]) -> int | None:
    """Index of the only name with which a text begins, the longest."""
    exact = [index for index, name in enumerate(names) if name == said]
    if exact:
        return exact[0] if len(exact) == 1 else None
    begun = [
        (len(name), index)
        for index, name in enumerate(names)
        if name and said.startswith(name) and _parts(name, said[len(name) :])
    ]
    if not begun:
        return None
    longest = max(begun)[0]
    best = [index for size, index in begun if size == longest]
    return best[0] if len(best) == 1 else None


def _plain(text: str) -> str:
    folded = _BRACKETED.sub(r'\1', unicodedata.normalize('NFKC', text).casefold())
    return ' '.join(folded.split()).strip(' "\'`*').removesuffix('.').rstrip(' "\'`*')


def _parts(name: str, rest: str) -> bool:
    return not (name[-1].isalnum() and rest[:1].isalnum())


def score_choice(
    tokens: Sequence[TokenScore], options: Sequence[str], index: int, lead: str = ''
) -> tuple[float, float]:
    """Log-probability of the chosen option and its margin, as far as the server reported.

    :return: (0.0, 0.0) when it told nothing; the margin is inf without a rival, and a lower
        bound where the best rival is not among the alternatives told.
    """
    if not tokens:
        return 0.0, math.inf if len(options) == 1 else 0.0
    chosen = f'{lead}{options[index]}'.encode()
    others = [f'{lead}{option}'.encode() for place, option in enumerate(options) if place != index]
    margin = math.inf
    total = 0.0
    done = b''
    for token in tokens:
        here = done + token.text
        parting = [
            other
            for other in others
            if other.startswith(done) and not (token.text and other.startswith(here))
        ]
        if parting:
            margin = min(margin, token.log_probability - _best_rival(token, done, parting, chosen))
        if len(done) >= len(chosen):
            break
        if not (here.startswith(chosen) or chosen.startswith(here)):
            return 0.0, 0.0
        total += token.log_probability
        done = here
    return min(total, 0.0), margin


def _best_rival(token: TokenScore, done: bytes, parting: Sequence[bytes], chosen: bytes) -> float:
    scores = [
        score
        for text, score in token.rivals
        if text
        and not chosen.startswith(done + text)
        and any(_leads_to(done + text, other) for other in parting)
    ]
    if scores:
        return max(scores)
    return min((score for _, score in token.rivals), default=token.log_probability)


def _leads_to(text: bytes, option: bytes) -> bool:
    return option.startswith(text) or text.startswith(option + END.encode())
