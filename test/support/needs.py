"""Requirements that `make test` does not bring: of apt, of a distribution, or larger than 200 MB.

Everything else that a test imports is in requirements/development.txt and is imported plainly. A
test, class or module names a requirement with `needs('chromium')`, or by a fixture of `FIXTURES`,
and is skipped without it, with the command that installs it. `make test-optional` installs what
can be had on the machine, then runs these tests, and fails where one is still skipped without an
excuse.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import os
import shutil
import subprocess
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import NoReturn

import pytest

from reactree_core.errors import ConfigurationError
from reactree_planner.llm.models import DEFAULT_MODEL, resolve_model

ROOT = Path(__file__).resolve().parents[2]
#: Programs that playwright can steer.
BROWSERS = ('chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable')
#: Begins the excuse in the reason of a skip; scripts/run_tests.py looks for it.
EXCUSE = '[not brought here: '


@dataclass(frozen=True)
class Need:
    """A requirement of tests.

    :param what: noun phrase, for the reason of a skip.
    :param command: installs it.
    :param is_there: whether this machine has it.
    :param excuse: why `make test-optional` does not bring it to this machine; '' where it does.
    """

    what: str
    command: str
    is_there: Callable[[], bool]
    excuse: Callable[[], str]

    @property
    def is_brought(self) -> bool:
        """Whether `make test-optional` brings it."""
        return not self.excuse()

    @property
    def reason(self) -> str:
        """Reason of a skip."""
        excuse = self.excuse()
        return f'needs {self.what}: {self.command}{f" {EXCUSE}{excuse}]" if excuse else ""}'


def _modules(*names: str) -> Callable[[], bool]:
    """Whether Python modules can be imported."""

    def are_there() -> bool:
        try:
            return all(importlib.util.find_spec(name) is not None for name in names)
        except ModuleNotFoundError:
            return False

    return functools.cache(are_there)


def _program(*names: str) -> Callable[[], bool]:
    """Whether one of some programs is on the path."""
    return lambda: any(map(shutil.which, names))


def _model(name: str) -> Callable[[], bool]:
    """Whether a language model has been fetched."""

    def is_there() -> bool:
        try:
            return bool(resolve_model(name))
        except ConfigurationError:
            return False

    return is_there


def _variable(name: str) -> Callable[[], bool]:
    return lambda: bool(os.environ.get(name))


def _brought() -> str:
    return ''


def _by_apt() -> str:
    """Excuse of a Debian package."""
    if not shutil.which('apt-get'):
        return 'there is no apt-get'
    return '' if os.geteuid() == 0 else 'only root can call apt-get'


def _because(words: str) -> Callable[[], str]:
    return lambda: words


def data_folder() -> Path:
    """Folder of shared data: REACTREE_SHARED_DATA, else `../shared/data` beside the checkout."""
    named = os.environ.get('REACTREE_SHARED_DATA')
    return Path(named) if named else ROOT.parent / 'shared' / 'data'


def programs_with_pgvector() -> Path | None:
    """Folder of a PostgreSQL with pgvector: named, of the system, or of the package pgserver."""
    named = os.environ.get('REACTREE_POSTGRES_BIN', '')
    if named:
        return Path(named)
    for folder in sorted(Path('/usr/lib/postgresql').glob('*/bin'), reverse=True):
        version = folder.parent.name
        control = Path(f'/usr/share/postgresql/{version}/extension/vector.control')
        if (folder / 'initdb').exists() and control.exists():
            return folder
    spec = importlib.util.find_spec('pgserver')
    for folder in map(Path, (spec.submodule_search_locations or ()) if spec else ()):
        if (folder / 'pginstall/bin/initdb').exists():
            return folder / 'pginstall/bin'
    return None


@functools.cache
def _is_git_checkout() -> bool:
    command = ['git', 'ls-files', '--error-unmatch', 'README.md']
    return not subprocess.run(command, cwd=ROOT, capture_output=True, check=False).returncode


_PIP = '.venv/bin/pip install -r requirements/'
_NO_DISTRIBUTION = _because('no ROS 2 distribution is sourced')

NEEDS = {
    'atheris': Need(
        'Atheris', f'{_PIP}fuzzing.txt', _modules('atheris'),
        _because('its wheels are for x86_64 Linux'),
    ),
    'chromium': Need('Chromium', 'apt-get install chromium', _program(*BROWSERS), _by_apt),
    'default model': Need(
        'the default model', f'.venv/bin/reactree model fetch {DEFAULT_MODEL}',
        _model(DEFAULT_MODEL), _because('a download of 1.1 GB'),
    ),
    'gemma-3-270m': Need(
        'gemma-3-270m', '.venv/bin/reactree model fetch gemma-3-270m', _model('gemma-3-270m'),
        _brought,
    ),
    'git checkout': Need(
        'a git checkout', 'git clone', _is_git_checkout, _because('the files came otherwise')
    ),
    'java': Need(
        'Java', 'apt-get install default-jre-headless',
        lambda: bool(os.environ.get('JAVA_HOME') or shutil.which('java')),
        _because('there is no Java'),
    ),
    'launch': Need(
        "a distribution's launch", 'source a ROS 2 distribution (docs/installing.md)',
        _modules('launch', 'launch_ros'), _NO_DISTRIBUTION,
    ),
    'old ai2thor': Need(
        'ai2thor 2.1.0', 'set REACTREE_THOR21_PYTHON to a Python that has it (docs/thor.md)',
        _variable('REACTREE_THOR21_PYTHON'), _because('it cannot be installed beside 5.0.0'),
    ),
    'openssl': Need('openssl', 'apt-get install openssl', _program('openssl'), _by_apt),
    'postgresql': Need(
        'PostgreSQL with pgvector',
        'apt-get install postgresql-16-pgvector (docs/memory_fleet.md)',
        lambda: programs_with_pgvector() is not None,
        _because('pgserver has no wheel for this Python'),
    ),
    'published runs': Need(
        'runs of the published ReAcTree', 'set REACTREE_PUBLISHED_RUNS to their folder',
        _variable('REACTREE_PUBLISHED_RUNS'), _because('they are not published as data'),
    ),
    'second server': Need(
        'the server of llama-cpp-python', 'requirements/second_server.txt, in any environment, '
        'and set REACTREE_SECOND_SERVER_PYTHON to its Python',
        lambda: bool(os.environ.get('REACTREE_SECOND_SERVER_PYTHON'))
        or _modules('llama_cpp', 'fastapi')(),
        _because('it compiles for 10 to 40 minutes'),
    ),
    'sentence-transformers': Need(
        'sentence-transformers', f'{_PIP}optional_tests.txt', _modules('sentence_transformers'),
        _brought,
    ),
    'shared data': Need(
        'published data', 'set REACTREE_SHARED_DATA to their folder',
        lambda: data_folder().is_dir(), _because('they are not part of the checkout'),
    ),
    'slow models': Need(
        'time for a model in PyTorch', 'set REACTREE_SLOW_MODELS=1 (20 minutes and more)',
        _variable('REACTREE_SLOW_MODELS'),
        _because('loading and running a GGUF model in PyTorch on few cores takes too long'),
    ),
    'sros2': Need(
        "a distribution's sros2", 'source a ROS 2 distribution (docs/installing.md)',
        _modules('sros2.api._artifact_generation'), _NO_DISTRIBUTION,
    ),
    'transformers': Need(
        'PyTorch and transformers', f'{_PIP}optional_tests.txt', _modules('torch', 'transformers'),
        _brought,
    ),
}  # fmt: skip

#: Fixture -> the requirement of whatever asks for it.
FIXTURES = {
    'browser': 'chromium',
    'certificate': 'openssl',
    'keys': 'openssl',
    'postgres_server': 'postgresql',
    'second_address': 'second server',
    'shared_data': 'shared data',
}


def needs(*names: str) -> pytest.MarkDecorator:
    """Mark what is skipped without some requirements. :param names: keys of `NEEDS`."""
    unknown = set(names) - NEEDS.keys()
    assert not unknown, f'{unknown} of NEEDS?'
    return pytest.mark.needs(*names)


def needs_of(item: pytest.Item) -> Iterable[Need]:
    """Requirements of a test, by its markers and fixtures."""
    names = [name for marker in item.iter_markers('needs') for name in marker.args]
    names += [FIXTURES[name] for name in getattr(item, 'fixturenames', ()) if name in FIXTURES]
    return [NEEDS[name] for name in dict.fromkeys(names)]


def is_for_later(item: pytest.Item) -> bool:
    """Whether `make test-optional` runs a test: it brings what that needs, or it is missing."""
    return any(need.is_brought or not need.is_there() for need in needs_of(item))


def check_needs(item: pytest.Item) -> None:
    """Skip a test that lacks a requirement."""
    for need in needs_of(item):
        if not need.is_there():
            pytest.skip(need.reason)


def needed_module(name: str, need: str) -> ModuleType:
    """Import a module, or skip the file that does not load without.

    :param need: key of `NEEDS`.
    """
    if not NEEDS[need].is_there():
        pytest.skip(NEEDS[need].reason, allow_module_level=True)
    return importlib.import_module(name)


def skip_for(need: str, why: str) -> NoReturn:
    """Skip a test for what was found out about a requirement only when it was tried."""
    pytest.skip(f'{NEEDS[need].reason} ({why})')


def need_data(*paths: Path) -> None:
    """Skip a test where the shared data lacks a file or folder."""
    for path in paths:
        if not path.exists():
            skip_for('shared data', f'there is no {path}')
