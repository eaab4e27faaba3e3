"""Distributions as an installer leaves them, without an installer."""

from __future__ import annotations

from pathlib import Path


def installed(folder: Path, name: str, group: str, entry: str, source: str = '') -> None:
    """Put a distribution with one entry point into a folder of the path.

    :param entry: 'name = value'. :param source: of its module; '' for none.
    """
    info = folder / f'{name.replace("-", "_")}-1.0.dist-info'
    info.mkdir(parents=True)
    (info / 'METADATA').write_text(f'Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n')
    (info / 'entry_points.txt').write_text(f'[{group}]\n{entry}\n')
    if source:
        (folder / f'{name.replace("-", "_")}.py').write_text(source)
