"""The language models that can be fetched by name, with their pinned sources and digests."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Literal

import yaml

from reactree_core.errors import ConfigurationError
from reactree_core.written_files import FAST_LOADER
from reactree_planner.llm.models.storage import KeptModel, model_folder

DEFAULT_MODEL = 'qwen2.5-coder-1.5b'

ChatTemplate = Literal['chatml', 'none']


@dataclass(frozen=True, slots=True)
class WheelSource:
    """Wheels that each hold one part of a file.

    :param distribution: name of a wheel's distribution, with `<N>` for the part's number.
    :param version: the pinned version of all of them.
    :param parts: how many there are, 1 or more.
    :param member: `fnmatch` pattern that exactly one member of each wheel matches.
    """

    distribution: str
    version: str
    parts: int
    member: str

    def requirement(self, part: int) -> str:
        """What pip is asked for.

        :param part: from 1 to `parts`.
        """
        return f'{self.distribution.replace("<N>", str(part))}=={self.version}'


@dataclass(frozen=True, slots=True)
class ModelEntry:
    """One model of the catalogue.

    :param name: what users call it.
    :param title: for people.
    :param licence: under which the weights are published.
    :param size: of the GGUF file, bytes.
    :param sha256: of the GGUF file, lower-case hexadecimal.
    :param instructed: tuned to follow instructions; a base model otherwise.
    :param context_tokens: tokens of context it was trained for.
    :param chat_template: how turns are marked in what it was tuned on: 'chatml' for
        `<|im_start|>role ... <|im_end|>`, 'none' for a base model that knows only plain text.
    """

    name: str
    title: str
    licence: str
    size: int
    sha256: str
    instructed: bool
    context_tokens: int
    chat_template: ChatTemplate
    source: WheelSource

    def kept(self) -> KeptModel:
        """Where the model is kept, and what its file must be."""
        folder = model_folder()
        parts = folder / f'{self.name}.parts'
        return KeptModel(
            self.name,
            folder / f'{self.name}.gguf',
            folder / f'{self.name}.lock',
            parts / 'joined.json',
            self.size,
            self.sha256,
            parts,
        )


Catalogue = Mapping[str, ModelEntry]


@functools.cache
def load_catalogue() -> Catalogue:
    """The catalogue that comes with the package, by name, default first."""
    text = files(__package__).joinpath('catalogue.yaml').read_text(encoding='utf-8')
    return {
        name: ModelEntry(name=name, source=WheelSource(**fields.pop('source')), **fields)
        for name, fields in yaml.load(text, FAST_LOADER).items()
    }


def find_entry(name: str, catalogue: Catalogue | None = None) -> ModelEntry:
    """The model of that name.

    :param catalogue: None takes the package's own.
    :raises ConfigurationError: there is none; the message lists the names there are.
    """
    catalogue = load_catalogue() if catalogue is None else catalogue
    if name not in catalogue:
        raise ConfigurationError(
            f'There is no model named {name[:200]!r}; choose one of {", ".join(catalogue)}, or'
            ' hf:owner/repository/file.gguf of the Hugging Face hub. A GGUF file of your own is'
            ' given to --model by its path and needs no fetching.'
        )
    return catalogue[name]
