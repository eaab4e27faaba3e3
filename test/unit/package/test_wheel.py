"""What pip builds: a wheel with its name, version, dependencies, extras, data and command."""

from __future__ import annotations

import configparser
import email
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest
from catkin_pkg import changelog

from reactree_tools import __version__

ROOT = Path(__file__).parents[3]
SECONDS = 300


@pytest.fixture(scope='module')
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[zipfile.ZipFile]:
    """The wheel of this checkout, built without a network."""
    folder = tmp_path_factory.mktemp('wheel')
    # A copy: setuptools writes beside what it builds.
    tracked = subprocess.run(
        ['git', 'ls-files', '-zco', '--exclude-standard', 'src', 'requirements', 'pyproject.toml',
         'README.md', 'LICENSE'],
        cwd=ROOT, capture_output=True, check=True, timeout=SECONDS,
    )  # fmt: skip
    for name in filter(None, tracked.stdout.decode().split('\0')):
        source, copy = ROOT / name, folder / 'source' / name
        if source.is_file():
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(source.read_bytes())
    subprocess.run(
        [sys.executable, '-m', 'pip', 'wheel', '--no-deps', '--no-build-isolation', '--quiet',
         '--wheel-dir', str(folder), str(folder / 'source')],
        check=True, timeout=SECONDS,
    )  # fmt: skip
    (built,) = folder.glob('*.whl')
    with zipfile.ZipFile(built) as archive:
        yield archive


def metadata_of(wheel: zipfile.ZipFile, name: str = 'METADATA') -> str:
    """A file of the wheel's description."""
    (path,) = (one for one in wheel.namelist() if one.endswith(f'.dist-info/{name}'))
    return wheel.read(path).decode()


def pinned(name: str) -> set[str]:
    """The lines of a requirements file that name something."""
    lines = (ROOT / 'requirements' / f'{name}.txt').read_text().splitlines()
    return {line.strip() for line in lines if line.strip() and not line.startswith('#')}


def test_it_has_the_name_and_the_version_of_the_ros_package(wheel):
    told = email.message_from_string(metadata_of(wheel))
    package = ElementTree.parse(ROOT / 'package.xml').getroot()
    assert told['Name'] == package.findtext('name') == 'reactree_ros'
    assert told['Version'] == package.findtext('version') == __version__
    assert told['License-Expression'] == package.findtext('license')


def test_the_notes_of_the_version_are_found_as_bloom_looks_for_them():
    notes = changelog.get_changelog_from_path(str(ROOT), 'reactree_ros')
    newest = next(version for version, *_ in notes.foreach_version() if version != 'forthcoming')
    assert newest == __version__
    assert notes.get_date_of_version(newest) and notes.get_content_of_version(newest)


def test_it_depends_on_what_make_setup_installs(wheel):
    told = email.message_from_string(metadata_of(wheel)).get_all('Requires-Dist') or []
    plain = {one for one in told if 'extra ==' not in one}
    assert plain == pinned('runtime') | pinned('without_ros')


def test_every_extra_is_a_file_of_requirements(wheel):
    told = email.message_from_string(metadata_of(wheel))
    of_extra: dict[str, set[str]] = {}
    for one in told.get_all('Requires-Dist') or []:
        if extra := re.fullmatch(r'(\S+); extra == "(.+)"', one):
            of_extra.setdefault(extra[2].replace('-', '_'), set()).add(extra[1])
    assert {'mcp', 'thor', 'alfworld', 'bench'} <= of_extra.keys()
    for extra, wanted in of_extra.items():
        assert wanted == pinned(extra), extra


def test_it_holds_all_that_the_packages_hold(wheel):
    project = tomllib.loads((ROOT / 'pyproject.toml').read_text())
    assert project['project']['scripts'] == {'reactree': 'reactree_tools.command_line:main'}
    scripts = configparser.ConfigParser()
    scripts.read_string(metadata_of(wheel, 'entry_points.txt'))
    assert dict(scripts['console_scripts']) == project['project']['scripts']
    kept = {name for name in wheel.namelist() if '.dist-info/' not in name}
    wanted = {
        path.relative_to(ROOT / 'src').as_posix()
        for path in (ROOT / 'src').rglob('*')
        if path.is_file() and '__pycache__' not in path.parts and path.name != 'setup.cfg'
    }
    assert kept == {name for name in wanted if '.egg-info' not in name}


def test_what_is_installed_reads_a_task_and_runs_a_study_without_ros(wheel, tmp_path):
    wheel.extractall(tmp_path / 'site')
    environment = {
        name: value for name, value in os.environ.items()
        if not name.startswith(('ROS_', 'AMENT_', 'PYTHON', 'LD_'))
    }  # fmt: skip
    # Nothing of the checkout, and no ROS 2: what is imported comes from the wheel.
    program = (
        'import sys; from importlib.machinery import PathFinder\n'
        'class WithoutRos(PathFinder):\n'
        '    def find_spec(name, path=None, target=None):\n'
        '        missing = name in ("rclpy", "reactree_ros") or name.endswith("_msgs")\n'
        '        return None if missing else PathFinder.find_spec(name, path, target)\n'
        'sys.meta_path[:] = [WithoutRos if one is PathFinder else one for one in sys.meta_path]\n'
        'sys.path[:] = [one for one in sys.path if "reactree" not in one]\n'
        f'sys.path.insert(0, {str(tmp_path / "site")!r})\n'
        'from reactree_tools.command_line import main; sys.exit(main())'
    )

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, '-c', program, *arguments],
            cwd=tmp_path, env=environment, capture_output=True, text=True,
            check=False, timeout=SECONDS,
        )  # fmt: skip

    read = run('read', 'Put the apple in the fridge', '--scene', 'generated:31')
    assert (read.returncode, 'apple in fridge' in read.stdout) == (0, True), read.stderr
    study = run(
        'bench', 'run', '--tasks', 'household:1@5001', '--planner', 'reactree', '--model', 'none',
        '--out', 'study', '--plain',
    )  # fmt: skip
    assert (study.returncode, '1 of 1 solved' in study.stdout) == (0, True), study.stderr
    for command in (('plan', 'look'), ('watch',), ('up',), ('stop',)):
        refused = run(*command)
        assert refused.returncode == 2 and 'needs ROS 2' in refused.stderr, refused.stderr
        assert 'Traceback' not in refused.stderr


def test_the_container_copies_no_environment_and_calls_what_exists():
    steps = (ROOT / 'Dockerfile').read_text()
    targets = set(re.findall(r'make"?,? "?([a-z]+)', steps.split('COPY . .')[1]))
    rules = (ROOT / 'Makefile').read_text()
    assert targets == {'setup', 'demo'}
    assert all(re.search(rf'^{target}:', rules, re.MULTILINE) for target in targets)
    assert {'.venv', '.reactree', 'build'} <= set((ROOT / '.dockerignore').read_text().split())
