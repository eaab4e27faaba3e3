"""Files of the Hugging Face hub: their names, and those on this machine."""

from __future__ import annotations

import json
import re
from dataclasses import asdict
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote
from urllib.parse import unquote

from reactree_core.errors import ConfigurationError
from reactree_core.errors import ModelError
from reactree_planner.llm.models.storage import file_sha256
from reactree_planner.llm.models.storage import is_gguf
from reactree_planner.llm.models.storage import locked
from reactree_planner.llm.models.storage import model_folder

DEFAULT_REVISION = 'main'
_PREFIX = 'hf:'
# No segment begins with a dot: none can be `..`, and none is hidden.
_SEGMENT = r'[A-Za-z0-9_][A-Za-z0-9_.+-]*'
_NAME = re.compile(
    rf'hf:({_SEGMENT})/({_SEGMENT})/((?:{_SEGMENT}/)*{_SEGMENT}\.gguf)'
    rf'(?:@({_SEGMENT}(?:/{_SEGMENT})*))?'
)
#: Longest name of a file or folder; file systems allow 255 bytes, and ours get an ending.
_LONGEST_SEGMENT = 200
_LONGEST_NAME = 1000


def is_hub_name(name: str) -> bool:
    """Whether a name means a file of the hub, well written or not."""
    return name.startswith(_PREFIX)


@dataclass(frozen=True, slots=True)
class HubFile:
    """A GGUF file of the hub; made by `parse`, which lets nothing in that is no name.

    :param owner: user or organisation.
    :param repository: of model weights.
    :param file: path of the GGUF file in the repository.
    :param revision: branch, tag or commit.
    """

    owner: str
    repository: str
    file: str
    revision: str = DEFAULT_REVISION

    @classmethod
    def parse(cls, name: str) -> HubFile:
        """`hf:owner/repository/file.gguf`, with `@revision` behind it for another than main.

        :raises ConfigurationError: it is not written like that.
        """
        found = _NAME.fullmatch(name) if len(name) <= _LONGEST_NAME else None
        if found:
            owner, repository, file, revision = found.groups()
            parsed = cls(owner, repository, file, revision or DEFAULT_REVISION)
            if max(map(len, parsed._segments())) <= _LONGEST_SEGMENT:
                return parsed
        raise ConfigurationError(
            f'{name[:200]!r} names no GGUF file of the Hugging Face hub; write'
            ' hf:owner/repository/file.gguf, and @revision behind it for another revision than'
            f' {DEFAULT_REVISION}.'
        )

    @classmethod
    def kept_at(cls, path: Path) -> HubFile | None:
        """The file that is kept at a path; None when it is none of the hub's."""
        try:
            owner, repository, revision, *file = path.relative_to(hub_folder()).parts
            parsed = cls.parse(
                f'{_PREFIX}{owner}/{repository}/{"/".join(file)}@{unquote(revision)}'
            )
        except (ValueError, ConfigurationError):
            return None
        return parsed if parsed.path == path else None

    @property
    def name(self) -> str:
        """What users call it."""
        name = f'{_PREFIX}{self.owner}/{self.repository}/{self.file}'
        return name if self.revision == DEFAULT_REVISION else f'{name}@{self.revision}'

    @property
    def address(self) -> str:
        """Path and file as they stand in the address of a download, without the hub's own."""
        revision = quote(self.revision, safe='')
        return f'{self.owner}/{self.repository}/resolve/{revision}/{quote(self.file)}'

    @property
    def path(self) -> Path:
        """Where the file is kept."""
        return hub_folder().joinpath(*self._segments())

    @property
    def partial(self) -> Path:
        """The file that grows while it is fetched."""
        return self._beside('partial')

    @property
    def record(self) -> Path:
        """What the hub told about the file."""
        return self._beside('json')

    @property
    def lock(self) -> Path:
        """The lock of whoever changes these files."""
        return self._beside('lock')

    def _beside(self, ending: str) -> Path:
        return self.path.with_name(f'{self.path.name}.{ending}')

    def _segments(self) -> list[str]:
        # Quoted, a revision with slashes is one folder, and no two revisions share one.
        revision = quote(self.revision, safe='')
        return [self.owner, self.repository, revision, *self.file.split('/')]


def hub_folder() -> Path:
    """Folder of the models that were fetched from the hub."""
    return model_folder() / 'huggingface'


_SHA256 = re.compile('[0-9a-f]{64}')
_PARTIAL = '.partial'


@dataclass(frozen=True, slots=True)
class HubRecord:
    """What is known of a file while it is fetched and afterwards; kept beside it.

    :param size: of the whole file, bytes.
    :param sha256: lower-case hexadecimal; '' when the hub does not tell it.
    """

    size: int
    sha256: str

    @classmethod
    def read(cls, path: Path) -> HubRecord | None:
        """The record in a file; None when there is none that can be used."""
        try:
            found = json.loads(path.read_text(encoding='utf-8'))
            size, sha256 = found['size'], found['sha256']
        except (OSError, ValueError, LookupError, TypeError, RecursionError):
            return None
        if type(size) is not int or size < 0 or not isinstance(sha256, str):
            return None
        return cls(size, sha256) if not sha256 or is_sha256(sha256) else None

    def write(self, path: Path) -> None:
        """Put the record into a file, whole or not at all."""
        temporary = path.with_suffix('.new')
        temporary.write_text(json.dumps(asdict(self)), encoding='utf-8')
        temporary.replace(path)


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


def is_sha256(text: str) -> bool:
    """Whether a text is a SHA-256 digest in lower-case hexadecimal."""
    return bool(_SHA256.fullmatch(text))


def is_fetched(file: HubFile) -> bool:
    """Whether the file is there and, where that is known, as long as it should be."""
    if not file.path.is_file():
        return False
    record = HubRecord.read(file.record)
    return record is None or file.path.stat().st_size == record.size


def list_hub_models() -> list[HubModel]:
    """Every model of the hub that is on this machine, whole or in part, by name."""
    names = {
        HubFile.kept_at(path.with_name(path.name.removesuffix(_PARTIAL)))
        for path in hub_folder().rglob('*')
        if path.name.endswith(('.gguf', f'.gguf{_PARTIAL}')) and path.is_file()
    }
    return sorted((_hub_model(file) for file in names if file), key=lambda model: model.file.name)


def resolve_hub_file(file: HubFile) -> Path:
    """Where a fetched file is.

    :raises ConfigurationError: it is not there, or not what it should be.
    """
    _require(file)
    if not is_fetched(file) or not is_gguf(file.path):
        raise ConfigurationError(f'{file.path} is not the file it should be; {_anew(file)}.')
    return file.path


def check_hub_file(file: HubFile) -> Path:
    """Compute the digest again and compare it with the one of the fetch.

    :returns: where the file is.
    :raises ConfigurationError: it is not there.
    :raises ModelError: it is damaged, or nothing is known to compare it with.
    """
    _require(file)
    record = HubRecord.read(file.record)
    if record is None or not record.sha256:
        raise ModelError(
            f'{file.path} cannot be checked, because the record of its fetch is gone;'
            f' {_anew(file)}.'
        )
    found = file_sha256(file.path)
    if found != record.sha256:
        raise ModelError(
            f'{file.path} is damaged: its sha256 is {found}, it should be {record.sha256};'
            f' {_anew(file)}.'
        )
    return file.path


def remove_hub_file(file: HubFile) -> int:
    """Delete a fetched file and whatever an interrupted fetch left of it.

    :returns: bytes that were freed.
    :raises ModelError: another process fetches it, or it cannot be deleted.
    """
    freed = 0
    if not file.path.parent.is_dir():
        return freed
    try:
        with locked(file.lock, 0.0, lambda: None):
            for path in (file.path, file.partial):
                if path.is_file():
                    freed += path.stat().st_size
                    path.unlink()
            file.record.unlink(missing_ok=True)
    except OSError as error:
        raise ModelError(f'{file.name} cannot be removed: {error}; delete it by hand.') from error
    return freed


def _require(file: HubFile) -> None:
    if not file.path.is_file():
        raise ConfigurationError(
            f'The model {file.name} is not on this machine; fetch it with'
            f' `reactree model fetch {file.name}`.'
        )


def _anew(file: HubFile) -> str:
    return (
        f'remove it with `reactree model remove {file.name}` and fetch it again with'
        f' `reactree model fetch {file.name}`'
    )


def _hub_model(file: HubFile) -> HubModel:
    record = HubRecord.read(file.record)
    present = is_fetched(file)
    source = file.path if present else file.partial
    joined = source.stat().st_size if source.is_file() else 0
    size = record.size if record else joined if present else 0
    return HubModel(file, present, joined, size)
