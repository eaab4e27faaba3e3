"""Where fetched models are kept, and how a name or a path becomes a model file."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from reactree_core.errors import ConfigurationError
from reactree_core.errors import ModelError
from reactree_planner.llm.models.catalogue import Catalogue
from reactree_planner.llm.models.catalogue import find_entry
from reactree_planner.llm.models.catalogue import load_catalogue
from reactree_planner.llm.models.catalogue import ModelEntry
from reactree_planner.llm.models.hub_files import check_hub_file
from reactree_planner.llm.models.hub_files import HubFile
from reactree_planner.llm.models.hub_files import is_hub_name
from reactree_planner.llm.models.hub_files import remove_hub_file
from reactree_planner.llm.models.hub_files import resolve_hub_file
from reactree_planner.llm.models.storage import file_sha256
from reactree_planner.llm.models.storage import is_gguf
from reactree_planner.llm.models.storage import locked
from reactree_planner.llm.models.storage import model_folder


@dataclass(frozen=True, slots=True)
class ModelFile:
    """A model of the catalogue, and how much of it is on this machine.

    :param path: where its GGUF file is, or will be.
    :param present: the whole file is there.
    :param joined: bytes of the file that are there; less than `entry.size` when a fetch was
        interrupted.
    """

    entry: ModelEntry
    path: Path
    present: bool
    joined: int


def model_path(name: str) -> Path:
    """Where the GGUF file of that model is kept."""
    return model_folder() / f'{name}.gguf'


def partial_path(name: str) -> Path:
    """The file that grows while a model is fetched."""
    return model_folder() / f'{name}.gguf.partial'


def parts_folder(name: str) -> Path:
    """Downloaded parts that are not joined yet."""
    return model_folder() / f'{name}.parts'


def lock_path(name: str) -> Path:
    """The lock of whoever changes the model's files."""
    return model_folder() / f'{name}.lock'


def is_whole(entry: ModelEntry, path: Path) -> bool:
    """Whether a file is there and as long as the model; only a digest tells more."""
    return path.is_file() and path.stat().st_size == entry.size


def list_models(catalogue: Catalogue | None = None) -> list[ModelFile]:
    """Every model of the catalogue, with what is there of it.

    :param catalogue: None takes the package's own.
    """
    catalogue = load_catalogue() if catalogue is None else catalogue
    return [_model_file(entry) for entry in catalogue.values()]


def resolve_model(name_or_path: str, catalogue: Catalogue | None = None) -> Path:
    """The GGUF file that a name or a path stands for; never asks the network.

    :param name_or_path: of the catalogue, `hf:owner/repository/file.gguf`, or any file.
    :param catalogue: None takes the package's own.
    :raises ConfigurationError: unknown name, missing file, or not a GGUF file; the message says
        what to do.
    """
    if is_hub_name(name_or_path):
        return resolve_hub_file(HubFile.parse(name_or_path))
    catalogue = load_catalogue() if catalogue is None else catalogue
    if name_or_path in catalogue:
        return _resolve_entry(catalogue[name_or_path])
    path = Path(name_or_path).expanduser()
    if not path.is_file():
        if path.suffix == '.gguf' or os.sep in name_or_path:
            raise ConfigurationError(
                f'There is no model file {name_or_path[:200]}; check the path, or choose one of'
                f' {", ".join(catalogue)}.'
            )
        find_entry(name_or_path, catalogue)
    if not is_gguf(path):
        raise ConfigurationError(
            f'{path} is not a GGUF file; give the path of a GGUF model, or one of the names'
            f' {", ".join(catalogue)}.'
        )
    return path


def check_model(name: str, catalogue: Catalogue | None = None) -> Path:
    """Compute the digest of a fetched model again and compare it with the known one.

    :param name: of the catalogue, or `hf:owner/repository/file.gguf`.
    :returns: the file, when it is the one that was to be fetched.
    :raises ConfigurationError: unknown name, or not fetched.
    :raises ModelError: the file is damaged.
    """
    if is_hub_name(name):
        return check_hub_file(HubFile.parse(name))
    entry = find_entry(name, catalogue)
    path = model_path(name)
    if not path.is_file():
        raise _not_fetched(entry)
    found = file_sha256(path)
    if found != entry.sha256:
        raise ModelError(
            f'{path} is damaged: its sha256 is {found}, it should be {entry.sha256}; remove it'
            f' with `reactree model remove {name}` and fetch it again with'
            f' `reactree model fetch {name}`.'
        )
    return path


def remove_model(name: str, catalogue: Catalogue | None = None) -> int:
    """Delete a fetched model and whatever an interrupted fetch left of it.

    :param name: of the catalogue, or `hf:owner/repository/file.gguf`.
    :returns: bytes that were freed.
    :raises ConfigurationError: unknown name.
    :raises ModelError: another process fetches it, or the files cannot be deleted.
    """
    if is_hub_name(name):
        return remove_hub_file(HubFile.parse(name))
    find_entry(name, catalogue)
    freed = 0
    if not model_folder().is_dir():
        return freed
    try:
        with locked(lock_path(name), 0.0, lambda: None):
            for file in (model_path(name), partial_path(name), *parts_folder(name).glob('*')):
                if file.is_file():
                    freed += file.stat().st_size
                    file.unlink()
            shutil.rmtree(parts_folder(name), ignore_errors=True)
    except OSError as error:
        raise ModelError(f'{name} cannot be removed: {error}; delete it by hand.') from error
    return freed


def _resolve_entry(entry: ModelEntry) -> Path:
    path = model_path(entry.name)
    if not path.is_file():
        raise _not_fetched(entry)
    if not is_whole(entry, path) or not is_gguf(path):
        raise ConfigurationError(
            f'{path} is not the file it should be; remove it with'
            f' `reactree model remove {entry.name}` and fetch it again with'
            f' `reactree model fetch {entry.name}`.'
        )
    return path


def _not_fetched(entry: ModelEntry) -> ConfigurationError:
    return ConfigurationError(
        f'The model {entry.name} is not on this machine; fetch it with'
        f' `reactree model fetch {entry.name}` ({entry.size / 1e9:.1f} GB), or give the path of a'
        ' GGUF file or the address of an OpenAI-compatible server.'
    )


def _model_file(entry: ModelEntry) -> ModelFile:
    path = model_path(entry.name)
    present = is_whole(entry, path)
    partial = partial_path(entry.name)
    if present:
        joined = entry.size
    else:
        joined = partial.stat().st_size if partial.is_file() else 0
    return ModelFile(entry, path, present, joined)
