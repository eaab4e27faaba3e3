"""A domain: the words, examples and rules that a sort of robots shares.

It is a folder. All in it may be missing; what is missing is taken from the neutral domain, which
knows only what the skill server tells.

    domain.yaml     title, and words of prompts (see `Words`)
    prompts/        reactree.txt, executor.txt, plan.txt, ... (see `PROMPTS`)
    examples/       experiences, as `reactree memory export` writes them
    rules.py        RULES, opening_features (docs/add_a_domain.md)

The skill server names the domain; it comes with this package, with another distribution (an entry
point of the group `reactree.domains` that names the package with the folder), or from a path.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import fields
from functools import cached_property
from functools import lru_cache
from importlib import resources
from importlib.metadata import entry_points
from importlib.resources.abc import Traversable
from pathlib import Path
from string import Template
from types import ModuleType
from typing import Any

import yaml

from reactree_core.errors import ConfigurationError
from reactree_core.observation import Vocabulary

#: Entry point group of domains outside this package.
GROUP = 'reactree.domains'
NEUTRAL = 'neutral'
#: Prompts that a domain may have, and what each is for.
PROMPTS = {
    'reactree': 'an agent node of ReAcTree: what it is, and its three kinds of decision',
    'executor': 'the executor of ReAct, ADaPT, Reflexion and the like, which cannot expand',
    'plan': 'the plan that ADaPT makes of a task the executor could not do, with examples',
    'detailed_plan': 'the plan of Plan-and-Execute, with examples',
    'whole_plan': 'a whole plan at once (Zero-shot Planner, Tree-Planner)',
    'next_step': 'the next step of a plan (Iterative-Planner and its corrections)',
    'decide': 'the choice at a fork of an action tree',
    'reflection': 'what a failed trial teaches',
    'search_order': 'sentences that tell where things are kept; none: no search is ordered',
    'plan_examples': 'tasks and their plans, for plans of steps; none: no such examples',
}
#: Prompts that the neutral domain need not have.
OPTIONAL = ('search_order', 'plan_examples')
_FILE_BYTES = 1024**2
_LONGEST_LINE = 300


@dataclass(frozen=True, slots=True)
class Words:
    """Words of a domain that stand in many prompts.

    :param examples_begin: before the examples. :param examples_end: after them, before the task.
    :param usually_kept: beginning of a sentence that ends with a region; `$thing` in it, with its
        article, is what is searched. '' where nothing is asked.
    :param regions: what rooms or other regions are called, as a title.
    :param whereabouts: `$region` and `$held` in a sentence, for planners that read no more.
    :param plain: words that subgoals may use beside English ones, names and those of skills.
    :param recall: what may be said of recall, after the skills; '' while there is no memory.
    """

    examples_begin: str = 'Here is how such tasks were handled before.'
    examples_end: str = 'Now it is your turn.'
    usually_kept: str = ''
    regions: str = 'Regions'
    plain: str = ''
    whereabouts: str = 'Region: $region. Held: $held.'
    recall: str = ', and recall location of what you may have seen'


@dataclass(frozen=True)
class Domain:
    """One domain.

    :param name: as skill servers name it. :param folder: where its files are.
    """

    name: str
    folder: Traversable
    title: str = ''
    words: Words = Words()

    def has(self, prompt: str) -> bool:
        """Whether it has a prompt of its own."""
        return (self.folder / 'prompts' / f'{prompt}.txt').is_file()

    def text(self, prompt: str) -> str:
        """A prompt as it is written, with its gaps; '' for one that nobody has.

        :raises ConfigurationError: the file cannot be read.
        """
        if self.has(prompt):
            return _read(self.folder / 'prompts' / f'{prompt}.txt')
        return '' if self.name == NEUTRAL else load_domain(NEUTRAL).text(prompt)

    def prompt(self, name: str, vocabulary: Vocabulary, recalls: bool = True) -> str:
        """A prompt with its gaps filled: `$about`, `$skills`, `$recall`.

        :param vocabulary: of the skill server; its words are data, each on one line.
        :param recalls: whether the robot may recall what it has seen.
        """
        skills = (
            ': '.join(filter(None, (f'- {line(skill.template)}', line(skill.description))))
            for skill in vocabulary.skills
        )
        return Template(self.text(name)).safe_substitute(
            about=line(vocabulary.about, 1000) or 'You steer a robot.',
            skills='\n'.join(skills),
            recall=self.words.recall if recalls else '',
        )

    @cached_property
    def rules(self) -> ModuleType | None:
        """The module `rules` of the folder; None without one.

        :raises ConfigurationError: it cannot be imported.
        """
        path = self.folder / 'rules.py'
        if not path.is_file():
            return None
        with resources.as_file(path) as file:
            spec = importlib.util.spec_from_file_location(f'reactree_domain_{self.name}', file)
            assert spec is not None and spec.loader is not None, 'a file of Python'
            module = importlib.util.module_from_spec(spec)
            try:
                spec.loader.exec_module(module)
            except Exception as error:
                raise ConfigurationError(
                    f'The rules of the domain "{self.name}" cannot be imported: '
                    f'{type(error).__name__}: {error}. Mend {file}.'
                ) from error
        return module


def line(text: str, longest: int = _LONGEST_LINE) -> str:
    """A text of a skill server as one line of a prompt."""
    return ' '.join(text.split())[:longest]


def _read(file: Traversable) -> str:
    try:
        data = file.read_bytes()
        if len(data) > _FILE_BYTES:
            raise ConfigurationError(f'{file} is larger than 1 MB: it is no prompt.')
        return data.decode('utf-8')
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f'{file} cannot be read: {error}.') from error


def domain_names() -> tuple[str, ...]:
    """Domains that can be named: those of this package, and those of other distributions."""
    here = resources.files('reactree_domains')
    own = sorted(entry.name for entry in here.iterdir() if (entry / 'prompts').is_dir())
    return tuple(dict.fromkeys((*own, *sorted(entry.name for entry in entry_points(group=GROUP)))))


def load_domain(name: str) -> Domain:
    """A domain by its name, or by the path of its folder (with a `/` in it).

    :raises ConfigurationError: there is none, or it is broken; says what to do.
    """
    if '/' in name:
        folder = Path(name).expanduser().resolve()
        if not folder.is_dir():
            raise ConfigurationError(f'There is no folder {folder}: correct the parameter domain.')
        return _load(folder.name, folder)
    return _named(name)


@lru_cache(maxsize=16)
def _named(name: str) -> Domain:
    here = resources.files('reactree_domains') / name
    if name.isidentifier() and (here / 'prompts').is_dir():
        return _load(name, here)
    for entry in entry_points(group=GROUP):
        if entry.name == name:
            try:
                return _load(name, resources.files(entry.value))
            except ModuleNotFoundError as error:
                raise ConfigurationError(
                    f'The domain "{name}" names the package {entry.value}, which cannot be '
                    f'imported: {error}. Install it again.'
                ) from error
    raise ConfigurationError(
        f'There is no domain "{name}"; choose one of {", ".join(domain_names())}, or the path of '
        'a folder (docs/add_a_domain.md).'
    )


def _load(name: str, folder: Traversable) -> Domain:
    file = folder / 'domain.yaml'
    content: Any = {}
    if file.is_file():
        try:
            content = yaml.safe_load(_read(file)) or {}
        except yaml.YAMLError as error:
            said = ' '.join(str(error).split())
            raise ConfigurationError(f'{file} is no YAML: {said}.') from error
    if not isinstance(content, Mapping) or not all(isinstance(v, str) for v in content.values()):
        raise ConfigurationError(f'{file} must map names to texts.')
    known = ('title', *(field.name for field in fields(Words)))
    for key in content:
        if key not in known:
            raise ConfigurationError(f'{file}: there is no "{key}"; there are {", ".join(known)}.')
    words = {key: value for key, value in content.items() if key != 'title'}
    return Domain(name, folder, content.get('title', ''), Words(**words))
