"""Definitions and hashes of message types, as the installed packages have them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from ament_index_python import get_package_share_directory, PackageNotFoundError

from reactree_core.errors import RecordingError

_SEPARATOR = '=' * 80
_FIELD = re.compile(
    r'^\s*([A-Za-z]\w*(?:/\w+)?)(?:<=\d+)?(?:\[[^\]]*\])?\s+[a-z]\w*', re.MULTILINE
)
_PLAIN = re.compile(r'bool|byte|char|w?string|u?int(8|16|32|64)|float(32|64)')


def definition_of(kind: str) -> str:
    """Text of a type and, after separators, of every type that it contains.

    :param kind: e.g. 'std_msgs/msg/String'.
    :raises RecordingError: a package of messages is not installed.
    """
    texts = {kind: _text(kind)}
    waiting = [kind]
    while waiting:
        current = waiting.pop()
        for inner in _inner_kinds(texts[current], current.partition('/')[0]):
            if inner not in texts:
                texts[inner] = _text(inner)
                waiting.append(inner)
    first, *others = texts
    parts = [texts[first]]
    parts += [f'{_SEPARATOR}\nMSG: {_short(name)}\n{texts[name]}' for name in others]
    return '\n'.join(parts)


def digest_of(kind: str) -> str:
    """Hash of a type ('RIHS01_...'); '' where its package does not report."""
    path = _path(kind).with_suffix('.json')
    try:
        hashes = json.loads(path.read_text(encoding='utf-8'))['type_hashes']
        return str(next(entry['hash_string'] for entry in hashes if entry['type_name'] == kind))
    except (OSError, ValueError, KeyError, StopIteration):
        return ''


def _short(kind: str) -> str:
    package, _, name = kind.split('/')
    return f'{package}/{name}'


def _path(kind: str) -> Path:
    package, folder, name = kind.split('/')
    try:
        share = get_package_share_directory(package)
    except PackageNotFoundError as error:
        raise RecordingError(
            f'The messages of {package} are not installed: source the workspace that has them.'
        ) from error
    return Path(share) / folder / f'{name}.msg'


def _text(kind: str) -> str:
    path = _path(kind)
    try:
        return path.read_text(encoding='utf-8')
    except OSError as error:
        raise RecordingError(f'The definition {path} cannot be read: {error.strerror}.') from error


def _inner_kinds(text: str, package: str) -> Iterator[str]:
    without_comments = re.sub(r'#.*', '', text)
    for match in _FIELD.finditer(without_comments):
        name = match[1]
        if _PLAIN.fullmatch(name):
            continue
        owner, _, short = name.rpartition('/')
        yield f'{owner or package}/msg/{short}'
