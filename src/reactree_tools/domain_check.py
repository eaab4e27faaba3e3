"""Whether a domain says what its author meant: what is its own, and what is to be mended."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from enum import Enum
from importlib.resources.abc import Traversable
from string import Template

from memory_server.exchange.json_lines import check_limits
from memory_server.seed.loader import parse_entries
from reactree_core.domain import Domain, LATER, OPTIONAL, PROMPTS, with_words, Words
from reactree_core.errors import ConfigurationError
from reactree_core.experience import Experience
from reactree_core.observation import Vocabulary
from reactree_core.skill_types import SkillKind, SkillType
from reactree_core.usage import estimated_tokens
from reactree_core.written_files import read_text
from reactree_planner.facts.conditions import read_condition
from reactree_planner.prompting.plan_prompt import shipped_examples
from reactree_planner.runs.settings import PlannerSettings
from reactree_tools.plain_text import count

#: What a skill server may report, for those who want to read a prompt with its gaps filled.
EXAMPLE_VOCABULARY = Vocabulary(
    object_classes=('crate',),
    place_classes=('truck',),
    rooms=('dock 1', 'dock 2'),
    skill_types=(
        SkillType('drive to <dock>', kind=SkillKind.MOVE, description='one dock after another'),
        SkillType('scan <crate>', kind=SkillKind.CHANGE, effects=('<crate> is scanned',)),
        SkillType('load <crate> onto <truck>', kind=SkillKind.PUT),
    ),
    about='You steer a fork lift in a warehouse. It carries one crate.',
)
_PARTS = ('domain.yaml', 'prompts', 'examples', 'rules.py')
_GAPS = ('about', 'skills', 'recall')
_RECALL = re.compile(r'\brecall', re.IGNORECASE)


class Grade(Enum):
    """How something in a domain is found."""

    OWN = 'own'
    MISSING = 'missing'
    DOUBTFUL = 'doubtful'
    BROKEN = 'broken'


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing found.

    :param part: a file of the domain. :param says: what is in it, or what to do.
    """

    part: str
    grade: Grade
    says: str


def check_domain(domain: Domain) -> Iterator[Finding]:
    """Look at every file of a domain.

    :param domain: its words need not have been read.
    """
    yield from _unread(domain.folder, _PARTS, '')
    try:
        domain = with_words(domain)
    except ConfigurationError as error:
        yield Finding('domain.yaml', Grade.BROKEN, str(error))
    else:
        yield from _words(domain)
    yield from _prompts(domain)
    yield from _rules(domain)
    yield from _examples(domain)


def _unread(folder: Traversable, known: tuple[str, ...], within: str) -> Iterator[Finding]:
    """Files that no planner reads, probably misspelled."""
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        part = within + entry.name
        meant = get_close_matches(entry.name, known, 1, 0.7)
        if entry.name in known:
            if '.' in entry.name and not entry.is_file():
                yield Finding(part, Grade.BROKEN, 'It is not a readable file: replace it.')
        elif meant:
            says = f'No planner reads it: if you mean {within}{meant[0]}, rename it.'
            yield Finding(part, Grade.BROKEN, says)
        elif within and entry.name.endswith('.txt'):
            says = f'No planner reads it; valid names: {", ".join(known)}.'
            yield Finding(part, Grade.DOUBTFUL, says)


def _gaps(text: str) -> list[str]:
    """Names of the gaps in a text, each once."""
    found = (match['named'] or match['braced'] for match in Template.pattern.finditer(text))
    return list(dict.fromkeys(filter(None, found)))


def _words(domain: Domain) -> Iterator[Finding]:
    words = domain.words
    own = [name for name in Words.model_fields if getattr(words, name) != getattr(Words(), name)]
    if own:
        yield Finding('domain.yaml', Grade.OWN, ', '.join(own))
    else:
        yield Finding('domain.yaml', Grade.MISSING, 'empty: the neutral words')
    for name in own:
        text = getattr(words, name)
        if name != 'recall' and isinstance(text, str) and _RECALL.search(text):
            says = f'{name} mentions recall even if there is no working memory.'
            yield Finding('domain.yaml', Grade.DOUBTFUL, says)
    for order in words.orders:
        for text in order.means:
            if read_condition(text) is None:
                says = (
                    f'The order "{order.say}" is never read, as "{text}" is no condition: write '
                    '"<x> is word", "<x> in <y>", "at <x>" or "holding <x>".'
                )
                yield Finding('domain.yaml', Grade.BROKEN, says)


def _prompts(domain: Domain) -> Iterator[Finding]:
    folder = domain.folder / 'prompts'
    if folder.is_dir():
        yield from _unread(folder, tuple(f'{name}.txt' for name in PROMPTS), 'prompts/')
    for name in PROMPTS:
        part = f'prompts/{name}.txt'
        try:
            if domain.has(name):
                yield from _own_prompt(part, name, domain)
            else:
                says = 'none' if name in OPTIONAL else 'the neutral one'
                yield Finding(part, Grade.MISSING, says)
        except ConfigurationError as error:
            yield Finding(part, Grade.BROKEN, str(error))


def _own_prompt(part: str, name: str, domain: Domain) -> Iterator[Finding]:
    text = domain.text(name)
    if not text.strip():
        says = 'It is empty: write it, or remove the file to use the neutral one.'
        yield Finding(part, Grade.BROKEN, says)
        return
    gaps = _gaps(text)
    said = [f'about {count(estimated_tokens(text), "token")}', *(f'${gap}' for gap in gaps)]
    if name == 'plan_examples':
        plans = shipped_examples(domain)
        said[1:] = [count(len(plans), 'plan')]
        if gaps:
            says = f'${gaps[0]} is not replaced in this file: write the text itself.'
            yield Finding(part, Grade.BROKEN, says)
        for plan in plans:
            if not plan.task.strip() or not plan.steps:
                says = 'A plan is a line with its task, a line for each step, and an empty line.'
                yield Finding(part, Grade.BROKEN, says)
                break
    else:
        filled = (*_GAPS, *LATER.get(name, ()))
        unknown = [f'${gap}' for gap in gaps if gap not in filled]
        if unknown:
            *others, last = (f'${gap}' for gap in filled)
            says = (
                f'Unknown placeholder {", ".join(unknown)}; valid: {", ".join(others)}, {last}. '
                'A dollar sign before a word is written $$.'
            )
            yield Finding(part, Grade.BROKEN, says)
    yield Finding(part, Grade.OWN, ', '.join(said))
    if _RECALL.search(text.replace('$recall', '').replace('${recall}', '')):
        says = 'It mentions recall even if there is no working memory: write $recall.'
        yield Finding(part, Grade.DOUBTFUL, says)


def _rules(domain: Domain) -> Iterator[Finding]:
    try:
        module = domain.rules
    except ConfigurationError as error:
        yield Finding('rules.py', Grade.BROKEN, str(error))
        return
    if module is None:
        yield Finding('rules.py', Grade.MISSING, 'none')
        return
    if not hasattr(module, 'opening_features'):
        yield Finding('rules.py', Grade.BROKEN, 'It has no opening_features.')
        return
    yield Finding('rules.py', Grade.OWN, 'opening_features')


def _examples(domain: Domain) -> Iterator[Finding]:
    folder = domain.folder / 'examples'
    if not folder.is_dir():
        yield Finding('examples', Grade.MISSING, 'none')
        return
    for file in sorted(folder.iterdir(), key=lambda entry: entry.name):
        part = f'examples/{file.name}'
        if file.name.startswith(('.', '_')):
            continue
        if not file.name.endswith('.txt') or not file.is_file():
            says = 'It is not read; `reactree memory export --text FOLDER` writes valid files.'
            yield Finding(part, Grade.DOUBTFUL, says)
            continue
        try:
            yield from _example_file(part, read_text(file))
        except ConfigurationError as error:
            yield Finding(part, Grade.BROKEN, str(error))


def _example_file(part: str, text: str) -> Iterator[Finding]:
    good: list[Experience] = []
    for entry in parse_entries(text, part):
        try:
            if isinstance(entry, ConfigurationError):
                raise entry
            check_limits(entry, part)
            good.append(entry)
        except ConfigurationError as error:
            yield Finding(part, Grade.BROKEN, str(error))
    if not good:
        yield Finding(part, Grade.BROKEN, 'It has no experience.')
        return
    tokens = [entry.tokens or estimated_tokens(entry.trajectory) for entry in good]
    ends = Counter(entry.termination.name.lower() for entry in good)
    planners = Counter(entry.planner or 'no planner' for entry in good)
    counts = ', '.join(f'{number} {name}' for name, number in (ends + planners).items())
    about = f'about {count(sum(tokens), "token")}'
    yield Finding(part, Grade.OWN, f'{count(len(good), "experience")}: {counts}; {about}')
    most = PlannerSettings().example_tokens
    long = sum(number > most for number in tokens)
    if long:
        says = (
            f'{count(long, "experience")} with more than {most} tokens: never shown unless '
            'example_tokens is raised.'
        )
        yield Finding(part, Grade.DOUBTFUL, says)
