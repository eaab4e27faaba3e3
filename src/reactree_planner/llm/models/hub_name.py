"""Names of files of the Hugging Face hub, where they are kept here, and what is known of them."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass
from pathlib import Path
from urllib.parse import quote, unquote

from reactree_core.errors import ConfigurationError
from reactree_planner.llm.models.storage import KeptModel, model_folder

DEFAULT_REVISION = 'main'
_PREFIX = 'hf:'
_SHA256 = re.compile('[0-9a-f]{64}')
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

    def kept(self) -> KeptModel:
        """Where the file is kept, and what the hub reported about it when it was fetched."""
        record = HubRecord.read(self.record) or HubRecord(0, '')
        return KeptModel(self.name, self.path, self.lock, self.record, record.size, record.sha256)

    @property
    def record(self) -> Path:
        """What the hub reported about the file."""
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


@dataclass(frozen=True, slots=True)
class HubRecord:
    """What is known of a file while it is fetched and afterwards; kept beside it.

    :param size: of the whole file, bytes.
    :param sha256: lower-case hexadecimal; '' when the hub does not report it.
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


def is_sha256(text: str) -> bool:
    """Whether a text is a SHA-256 digest in lower-case hexadecimal."""
    return bool(_SHA256.fullmatch(text))


def hub_folder() -> Path:
    """Folder of the models that were fetched from the hub."""
    return model_folder() / 'huggingface'
