"""The files of the page, read once; nothing else of the disk can be asked for."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import resources

_TYPES = {
    '.html': 'text/html; charset=utf-8',
    '.css': 'text/css; charset=utf-8',
    '.js': 'text/javascript; charset=utf-8',
    '.svg': 'image/svg+xml',
}


@dataclass(frozen=True, slots=True)
class PageFile:
    """One file."""

    content: bytes
    media_type: str


@cache
def page_files() -> dict[str, PageFile]:
    """By path under the root; '' is the page itself."""
    folder = resources.files('reactree_tools.viewer') / 'page'
    files = {}
    for item in folder.iterdir():
        suffix = item.name[item.name.rfind('.') :]
        if suffix in _TYPES:
            files[item.name] = PageFile(item.read_bytes(), _TYPES[suffix])
    return {**files, '': files['index.html']}
