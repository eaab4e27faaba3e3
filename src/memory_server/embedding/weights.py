"""What tells one encoder's weights from another's: other weights make another vector space."""

from __future__ import annotations

import hashlib
from pathlib import Path

from reactree_core.errors import ConfigurationError

_DIGITS = 8
#: Endings of the files of a model's folder that its vectors depend on.
_PARTS = frozenset({'.bin', '.json', '.model', '.onnx', '.pt', '.safetensors', '.txt'})


def digits_of_file(path: Path) -> str:
    """The first 8 hexadecimal digits of a file's SHA-256.

    :raises ConfigurationError: it cannot be read.
    """
    return _digest(path)[:_DIGITS]


def digits_of_folder(folder: Path) -> str:
    """As `digits_of_file`, of the weights and settings in a model's folder, with their names."""
    parts = sorted(
        (path.relative_to(folder).as_posix(), path)
        for path in folder.rglob('*')
        if path.suffix in _PARTS and path.is_file()
    )
    lines = ''.join(f'{_digest(path)} {name}\n' for name, path in parts)
    return hashlib.sha256(lines.encode()).hexdigest()[:_DIGITS]


def _digest(path: Path) -> str:
    try:
        with path.open('rb') as file:
            return hashlib.file_digest(file, 'sha256').hexdigest()
    except OSError as error:
        raise ConfigurationError(f'cannot read the weights {path}: {error}') from error
