"""A domain: the words, examples and rules that a sort of robots shares.

It is a folder. All in it may be missing; what is missing is taken from the neutral domain, which
knows only what the skill server reports.

    domain.yaml     title, and words of prompts (see `Words`)
    prompts/        reactree.txt, executor.txt, plan.txt, ... (see `PROMPTS`)
    examples/       experiences, as `reactree memory export` writes them
    rules.py        opening_features (docs/add_a_domain.md)

The skill server names the domain; it comes with this package, with another distribution (an entry
point of the group `reactree.domains` that names the package with the folder), or from a path.
"""

from __future__ import annotations

import importlib
import importlib.util
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property, lru_cache
from importlib import resources
from importlib.metadata import entry_points, EntryPoint
from importlib.resources.abc import Traversable
from pathlib import Path
from string import Template
from types import ModuleType
from typing import Annotated, Protocol

from pydantic import AfterValidator, Field, model_validator

from reactree_core.errors import ConfigurationError
from reactree_core.foreign_text import cleaned
from reactree_core.observation import Vocabulary
from reactree_core.written_files import read_file, read_text, Written

#: Entry point group of domains outside this package.
GROUP = 'reactree.domains'
NEUTRAL = 'neutral'
#: Where the folders of the domains of this package are.
_HERE = resources.files('reactree_domains')
#: Prompts that a domain may have, and what each is for.
PROMPTS = {
    'reactree': 'an agent node of ReAcTree: its role, and its three kinds of decision',
    'executor': 'the executor of ReAct, ADaPT, Reflexion and similar planners; it cannot expand',
    'published_reactree': 'as `reactree`, with the parts of the published prompt (`frame`)',
    'published_executor': 'as `executor`, with the parts of the published prompt (`frame`)',
    'chat': 'the agent of AgentBench, ALFChat and StateFlow; turns list admissible skills',
    'common_sense': "the hints of ALFChat's grounding agent",
    'states': "StateFlow's instruction for each of its states: blocks such as `Pick: ... $thing`",
    'plan': "ADaPT's plan of a task that the executor could not do, with examples",
    'detailed_plan': 'the plan of Plan-and-Execute, with examples',
    'whole_plan': 'a whole plan at once (Zero-shot Planner, Tree-Planner)',
    'next_step': 'the next step of a plan (Iterative-Planner and its corrections)',
    'program': 'a plan as a program with assertions (ProgPrompt)',
    'decide': 'the choice at a fork of an action tree',
    'reflection': 'lessons of a failed trial',
    'value': 'how far a way of LATS has come',
    'skill_examples': 'demonstrations of single skills, for executors that read no memory',
    'task_examples': 'whole tasks, which such executors may read after these',
    'plan_examples': 'tasks and their plans, for planners that write steps',
}
#: What a planner fills in later, where a prompt has it.
LATER = {'states': ('thing', 'skill', 'tool', 'place')}
#: Prompts that the neutral domain need not have.
OPTIONAL = ('skill_examples', 'task_examples', 'plan_examples')
_LONGEST_LINE = 300
_GAP = re.compile(r'<[^<>]+>')


def line(text: str, longest: int = _LONGEST_LINE) -> str:
    """A text of a skill server as one line of a prompt."""
    return ' '.join(cleaned(text).split())[:longest]


class CustomaryOrder(Written):
    """What an order asks for that is customary where the robots of a domain work.

    :param say: the order, with gaps for names: "put <thing> <box> in <place>".
    :param means: conditions with the same gaps: "<thing> in <box>", "<box> in <place>".
    """

    say: str
    means: list[str]

    @model_validator(mode='after')
    def _check(self) -> CustomaryOrder:
        gaps = _GAP.findall(self.say)
        strange = sorted({gap for text in self.means for gap in _GAP.findall(text)} - {*gaps})
        if strange or not self.means or len(gaps) != len({*gaps}):
            fault = (
                f'{strange[0]} is not in it'
                if strange
                else 'each gap stands once, and it means something'
            )
            raise ValueError(f'the order "{self.say}": {fault}')
        if not _GAP.sub('', self.say).split():
            raise ValueError(f'the order "{self.say}" has no word of its own')
        return self

    def filled(self, names: Sequence[str]) -> tuple[str, ...]:
        """Its conditions. :param names: for the gaps, in the order in which they are said."""
        named = dict(zip(_GAP.findall(self.say), names, strict=True))
        return tuple(_GAP.sub(lambda gap: named[gap[0]], text) for text in self.means)


class Words(Written):
    """Words of a domain that stand in many prompts.

    :param title: of the domain, on one line.
    :param examples_begin: before the examples. :param examples_end: after them, before the task.
    :param regions: what rooms or other regions are called, as a title.
    :param whereabouts: `$region` and `$held` in a sentence, for planners that read no more.
    :param gripper: what the robot holds things in or with, in programs.
    :param observation_begins: how first observations begin in published files of the domain.
    :param recall: what may be said of recall, after the skills; '' while there is no memory.
    :param orders: customary orders, and what they ask for.
    """

    title: Annotated[str, AfterValidator(line)] = ''
    examples_begin: str = 'Here is how such tasks were handled before.'
    examples_end: str = 'Now it is your turn.'
    regions: str = 'Regions'
    whereabouts: str = 'Region: $region. Held: $held.'
    gripper: str = 'gripper'
    observation_begins: str = ''
    recall: str = ', or recall location of what you may have seen'
    orders: list[CustomaryOrder] = Field(default_factory=list)


class NamedThing(Protocol):
    """A name of the skill server in a text.

    :param instance: the number that follows it; None for none. :param kind: thing, place, region
        or other.
    """

    @property
    def name(self) -> str: ...

    @property
    def instance(self) -> int | None: ...

    @property
    def kind(self) -> Enum: ...


class NamesInTexts(Protocol):
    """What the rules of a domain find names with."""

    def find_all(self, text: str) -> Sequence[NamedThing]:
        """Names of the skill server in a text, in order."""


@dataclass(frozen=True)
class Domain:
    """One domain.

    :param name: as skill servers name it. :param folder: where its files are.
    """

    name: str
    folder: Traversable
    words: Words = field(default_factory=Words)

    def has(self, prompt: str) -> bool:
        """Whether it has a prompt of its own."""
        return _is_file(self.folder / 'prompts' / f'{prompt}.txt')

    def text(self, prompt: str) -> str:
        """A prompt as it is written, with its gaps; '' for one that nobody has.

        :raises ConfigurationError: the file cannot be read.
        """
        if self.has(prompt):
            return read_text(self.folder / 'prompts' / f'{prompt}.txt')
        neutral = load_domain(NEUTRAL)
        # Not by the name: a folder of somebody's own may be called neutral too.
        return '' if self.folder == neutral.folder else neutral.text(prompt)

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
        if not _is_file(path):
            return None
        name = f'reactree_domain_{self.name}'
        with resources.as_file(path) as file:
            spec = importlib.util.spec_from_file_location(name, file)
            assert spec is not None and spec.loader is not None, 'a file of Python'
            module = importlib.util.module_from_spec(spec)
            # Dataclasses look their module up there.
            sys.modules[name] = module
            try:
                spec.loader.exec_module(module)
            except (Exception, SystemExit) as error:  # somebody else's code
                del sys.modules[name]
                raise ConfigurationError(
                    f'The rules of the domain "{self.name}" cannot be imported: '
                    f'{type(error).__name__}: {error}. Mend {file}.'
                ) from error
            _check_rules(module, f'The rules of the domain "{self.name}": in {file}')
        return module


def _check_rules(module: ModuleType, where: str) -> None:
    if not callable(getattr(module, 'opening_features', print)):
        raise ConfigurationError(f'{where}, opening_features must be a function.')


def _is_file(file: Traversable) -> bool:
    try:
        return file.is_file()
    except OSError as error:
        raise ConfigurationError(f'{file} cannot be read: {error}.') from error


def domain_origins() -> dict[str, str]:
    """Domains that can be named: name -> distribution that brings it, '' for this package."""
    own = sorted(entry.name for entry in _HERE.iterdir() if (entry / 'prompts').is_dir())
    others = {entry.name: _source(entry) for entry in entry_points(group=GROUP)}
    return dict.fromkeys(own, '') | {
        name: others[name] for name in sorted(others) if name not in own
    }


def domain_names() -> tuple[str, ...]:
    """Domains that can be named: those of this package, and those of other distributions."""
    return tuple(domain_origins())


def is_known(name: str) -> bool:
    """Whether a domain can be named so."""
    # What others bring is looked for on the disk, in all that is installed: 20 ms.
    return bool(name) and (_is_own(name) or name in domain_names())


def _is_own(name: str) -> bool:
    return name.isidentifier() and (_HERE / name / 'prompts').is_dir()


def openings() -> tuple[str, ...]:
    """How first observations begin in the published files of the domains that are installed.

    :raises ConfigurationError: one of them is broken.
    """
    found = (load_domain(name).words.observation_begins for name in domain_names())
    return tuple(dict.fromkeys(filter(None, found)))


def load_domain(name: str) -> Domain:
    """A domain by its name, or by the path of its folder (with a `/` in it).

    :raises ConfigurationError: there is none, or it is broken; says what to do.
    """
    return with_words(_folder_at(name)) if '/' in name else _named(name)


def find_domain(name: str) -> Domain:
    """As `load_domain`, with nothing read: to look at one that may be broken.

    :raises ConfigurationError: there is none.
    """
    return _folder_at(name) if '/' in name else _folder_of(name)


def _folder_at(path: str) -> Domain:
    try:
        folder = Path(path).expanduser().resolve()
        there = folder.is_dir()
    except (OSError, RuntimeError, ValueError) as error:
        raise ConfigurationError(
            f'The path {path!r} cannot be used: {error}. Correct the parameter domain.'
        ) from error
    if not there:
        raise ConfigurationError(f'There is no folder {folder}: correct the parameter domain.')
    return Domain(folder.name, folder)


def _folder_of(name: str) -> Domain:
    if _is_own(name):
        return Domain(name, _HERE / name)
    found = [entry for entry in entry_points(group=GROUP) if entry.name == name]
    if not found:
        folder = (
            f' ./{name} is a folder: write it so.' if name and Path(name[:255]).is_dir() else ''
        )
        raise ConfigurationError(
            f'There is no domain "{name}"; choose one of {", ".join(domain_names())}, or the path '
            f'of a folder (docs/add_a_domain.md).{folder}'
        )
    sources = sorted(map(_source, found))
    if len({entry.value for entry in found}) > 1:
        raise ConfigurationError(
            f'Several installed packages bring a domain "{name}" ({", ".join(sources)}): '
            'uninstall all but one.'
        )
    try:
        package = importlib.import_module(found[0].value)
        if not hasattr(package, '__path__'):
            # From Python 3.12 on, resources would answer with the folder that the module is in.
            raise TypeError(f'{found[0].value!r} is not a package')
        return Domain(name, resources.files(package))
    except Exception as error:  # importing somebody else's code, which may raise anything
        raise ConfigurationError(
            f'The domain "{name}" of {sources[0]} names the package {found[0].value}, which '
            f'cannot be imported: {type(error).__name__}: {error}. Mend or uninstall it.'
        ) from error


def _source(entry: EntryPoint) -> str:
    return f'{entry.dist.name} {entry.dist.version}' if entry.dist is not None else entry.value


@lru_cache(maxsize=16)
def _named(name: str) -> Domain:
    return with_words(_folder_of(name))


def with_words(domain: Domain) -> Domain:
    """The domain with what its domain.yaml says.

    :raises ConfigurationError: the file is broken; says what to do.
    """
    file = domain.folder / 'domain.yaml'
    if not _is_file(file):
        return domain
    form = 'must map names to texts, such as "title: My robots"'
    words: Words | None = read_file(file, Words | None, form=form)
    return domain if words is None else replace(domain, words=words)
