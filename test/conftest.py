"""What all tests share: markers by folder, and the folder of shared data."""

from __future__ import annotations

import gc
import importlib.util
import os
import signal
import subprocess
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from support.needs import check_needs, data_folder, is_for_later

# Machines are busy now and then; a slow example is no bug.
settings.register_profile('reactree', deadline=None)
settings.load_profile('reactree')
# Output is as wide as without a terminal, whoever runs the tests.
os.environ.pop('COLUMNS', None)
# Programs that tests start hear a SIGINT, although a shell's background job does not.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

_HERE = Path(__file__).resolve().parent
#: System tests of which a file shares a browser, a model or a server; all others of these make
#: what they need for themselves, and any worker can take them.
_SHARING = ('viewer/', 'test_llama_model', 'test_openai_server', 'test_transformers_model')
_SHARING += ('test_report_page', 'test_shop_pages')
_HAS_ROS = importlib.util.find_spec('reactree_ros') is not None

# Without the interfaces these could not even be imported.
collect_ignore = [] if _HAS_ROS else ['ros']


def pytest_report_header() -> str | None:
    """Say what is left out, so that nobody takes it for passed."""
    return None if _HAS_ROS else 'test/ros is left out: run pytest through scripts/with_ros'


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the option of the stage for optional requirements."""
    parser.addoption(
        '--optional',
        action='store_true',
        help='only tests of what `make test-optional` brings, and of what is missing here',
    )


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip what lacks a requirement, before its fixtures are made."""
    check_needs(item)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the tests of test/ros and test/system by their folder; of these the longest begin.

    Else one worker is left at the end with what takes minutes.
    """
    if config.getoption('optional'):
        others = [item for item in items if not is_for_later(item)]
        config.hook.pytest_deselected(items=others)
        items[:] = [item for item in items if is_for_later(item)]
    longest: defaultdict[Path, float] = defaultdict(float)
    for item in items:
        folder = item.path.relative_to(_HERE).parts[0] if _HERE in item.path.parents else ''
        if folder in ('ros', 'system'):
            item.add_marker(folder)
            marker = item.get_closest_marker('timeout')
            seconds = marker.args[0] if marker and marker.args else 0.0
            longest[item.path] = max(longest[item.path], seconds)
    items.sort(key=lambda item: -longest[item.path])


def pytest_collection_finish() -> None:
    """What is there before the first test stays: collecting garbage need not look at it again."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> object | None:
    """Let any worker take a system test that shares nothing with the others of its file."""
    from xdist.scheduler import LoadFileScheduling

    class Scheduling(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file: str = super()._split_scope(nodeid)
            _, is_system, name = file.partition('test/system/')
            return nodeid if is_system and not name.startswith(_SHARING) else file

    return Scheduling(config, log) if config.getoption('dist') == 'loadfile' else None


@pytest.fixture(scope='session')
def shared_data() -> Path:
    """Folder of shared data: real scene graphs, task sets and the like."""
    return data_folder()


@pytest.fixture
def keys(tmp_path: Path) -> tuple[Path, Path]:
    """A private and a public key, as openssl makes them."""
    private, public = tmp_path / 'key.pem', tmp_path / 'public.pem'
    make = ['openssl', 'genpkey', '-algorithm', 'ed25519', '-out', str(private)]
    subprocess.run(make, check=True, capture_output=True)
    tell = ['openssl', 'pkey', '-in', str(private), '-pubout', '-out', str(public)]
    subprocess.run(tell, check=True, capture_output=True)
    return private, public
