"""The words of a text, and the forms of a verb."""

from __future__ import annotations

import re
from enum import Enum
from functools import cache

from reactree_planner.language.verbs import IRREGULAR_PARTICIPLES

_WORD = re.compile(r'[^\W_]+', re.UNICODE)
#: Verbs that double their last letter; where syllables stand before, not everybody does.
_DOUBLING = re.compile(r'(.*[aeiou])?[^aeiou]*(?:[^aeiou]|qu)[aeiou][bdgklmnprstvz]')


class Form(Enum):
    """How a verb stands there."""

    # Enum's own works the name's out in Python, and charts ask for it all the time.
    __hash__ = object.__hash__

    BASE = 'base'
    THIRD = 'third person'
    GERUND = 'gerund'
    PARTICIPLE = 'participle'


def words_of(text: str) -> list[str]:
    """Words and numbers of a text, in lower case."""
    return [word.casefold() for word in _WORD.findall(text)]


def word_spans(text: str) -> list[tuple[int, int]]:
    """Where the words and numbers of a text begin and end, in characters."""
    return [match.span() for match in _WORD.finditer(text)]


@cache
def verb_forms(verb: str) -> tuple[tuple[str, Form], ...]:
    """A verb of one word in all its forms and their spellings: 'take' -> 'takes', 'taken'.

    Every domain asks for the lexicon's verbs, and for those of its skills.
    """
    return (
        (verb, Form.BASE),
        (_third_person(verb), Form.THIRD),
        *((one, Form.GERUND) for one in _gerunds(verb)),
        *((one, Form.PARTICIPLE) for one in participles_of(verb)),
    )


def participles_of(verb: str) -> tuple[str, ...]:
    """The past participle of a verb, in all spellings: 'scan' -> 'scanned', 'take' -> 'taken'."""
    if verb in IRREGULAR_PARTICIPLES:
        return (IRREGULAR_PARTICIPLES[verb],)
    if verb.endswith('e'):
        return (f'{verb}d',)
    if verb.endswith('y') and verb[-2:-1] not in 'aeiou':
        return (f'{verb[:-1]}ied',)
    return tuple(f'{stem}ed' for stem in _stems(verb))


def bases_of(participle: str) -> tuple[str, ...]:
    """Verbs that have this participle, in letters at least: 'baked' -> 'bak', 'bake'."""
    cut = [participle[:-n] for n in (1, 2, 3) if participle.endswith('ed')]
    cut += [f'{participle[:-3]}y'] if participle.endswith('ied') else []
    cut += [verb for verb, told in IRREGULAR_PARTICIPLES.items() if told == participle]
    return tuple(verb for verb in cut if len(verb) > 1 and participle in participles_of(verb))


def _gerunds(verb: str) -> tuple[str, ...]:
    if verb.endswith('ie'):
        stems: tuple[str, ...] = (verb[:-2] + 'y',)
    elif verb.endswith('e') and not verb.endswith(('ee', 'oe', 'ye')):
        stems = (verb[:-1],)
    else:
        stems = _stems(verb)
    return tuple(f'{stem}ing' for stem in stems)


def _third_person(verb: str) -> str:
    if verb.endswith(('s', 'x', 'z', 'ch', 'sh', 'o')):
        return verb + 'es'
    if verb.endswith('y') and verb[-2:-1] not in 'aeiou':
        return verb[:-1] + 'ies'
    return verb + 's'


def _stems(verb: str) -> tuple[str, ...]:
    """What stands before -ing and -ed, in all spellings: 'label' -> 'label', 'labell'."""
    if verb.endswith('c'):
        return (verb + 'k',)
    doubled = _DOUBLING.fullmatch(verb)
    if doubled is None:
        return (verb,)
    return (verb + verb[-1],) if doubled[1] is None else (verb, verb + verb[-1])
