"""What the build files, requirements and import rules say must agree with the tree."""

from __future__ import annotations

import ast
import configparser
import functools
import re
import runpy
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).resolve().parents[3]
MODULES = sorted(path.parent.name for path in ROOT.glob('src/*/__init__.py'))
ROS_PACKAGES = (
    'rclpy',
    'reactree_ros',
    'ament_index_python',
    'builtin_interfaces',
    'launch',
    'launch_ros',
    'rcl_interfaces',
    'std_srvs',
)


def requirements(name: str) -> dict[str, str]:
    """Pinned versions by normalised name, also those of the files that a file includes."""
    pins: dict[str, str] = {}
    for line in (ROOT / 'requirements' / name).read_text().splitlines():
        requirement = line.partition('#')[0].partition(';')[0].strip()
        if requirement.startswith('-r '):
            pins |= requirements(requirement.removeprefix('-r '))
        elif requirement:
            package, pinned, version = requirement.partition('==')
            assert pinned, f'{requirement} in {name} is not pinned'
            pins[re.sub('[-_.]+', '-', package.lower())] = version
    return pins


@functools.cache
def imported(path: Path) -> frozenset[str]:
    """Top-level names of everything a file imports, anywhere in it."""
    return frozenset(_imported(path))


def _imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding='utf-8'))):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition('.')[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition('.')[0]


def test_every_interface_is_built():
    listed = re.findall(r'"((?:msg|srv|action)/\w+\.\w+)"', read('cmake/interfaces.cmake'))
    there = [
        str(path.relative_to(ROOT))
        for kind in ('msg', 'srv', 'action')
        for path in ROOT.glob(f'{kind}/*')
    ]
    assert sorted(listed) == sorted(there)


def test_every_module_is_installed():
    line = re.search(r'foreach\(module ([^)]*)\)', read('CMakeLists.txt'))
    assert line
    assert sorted(line[1].split()) == MODULES


def test_installed_programs_are_those_of_the_virtual_environment():
    programs = {}
    for path in ROOT.glob('src/*/setup.cfg'):
        parser = configparser.ConfigParser()
        parser.read(path)
        scripts = parser['options.entry_points']['console_scripts'].split('\n')
        programs.update(
            re.split(r'\s*=\s*', script.strip()) for script in scripts if script.strip()
        )
    launchers = runpy.run_path(str(ROOT / 'scripts' / 'set_up.py'))['LAUNCHERS']
    assert programs == {name: f'{module}:main' for name, module in launchers.items()}
    check = runpy.run_path(str(ROOT / 'scripts' / 'check_install.py'))
    checked = ['bin/reactree', *(f'lib/reactree_ros/{name}' for name in programs)]
    assert sorted(check['programs']()) == sorted(checked)


def test_the_package_file_says_who_where_and_which_python_packages():
    package = ElementTree.parse(ROOT / 'package.xml').getroot()
    assert {url.get('type') for url in package.iter('url')} == {
        'website',
        'repository',
        'bugtracker',
    }
    assert package.findtext('author') and package.findtext('license') == 'Apache-2.0'
    keys = {
        depend.text.removeprefix('python3-')
        for depend in package.iter('exec_depend')
        if depend.text and depend.text.startswith('python3-')
    }
    # Named as in Debian; -pip keys would bar a release.
    assert not [key for key in keys if key.endswith('-pip')]
    packages = {*requirements('runtime.txt'), *requirements('ros-wheels.txt')}
    assert {'pyyaml' if key == 'yaml' else key for key in keys} <= packages
    assert {'httpx', 'rich', 'uvicorn', 'yaml', 'numpy'} <= keys


def dependencies(kind: str) -> set[str]:
    """What the package file names. :param kind: e.g. 'exec_depend'."""
    package = ElementTree.parse(ROOT / 'package.xml').getroot()
    return {str(found.text) for found in package if found.tag in ('depend', kind)}


def test_the_package_file_names_every_ros_package_that_is_imported():
    used = {
        name
        for path in [*ROOT.glob('src/**/*.py'), *ROOT.glob('launch/*.py')]
        for name in imported(path)
        if name in ROS_PACKAGES or name.endswith('_msgs')
    }
    assert {'rcl_interfaces', 'lifecycle_msgs', 'launch_ros'} <= used
    assert used - {'reactree_ros'} <= dependencies('exec_depend')


def test_the_package_file_names_what_the_settings_of_its_tests_take():
    settings = tomllib.loads(read('pyproject.toml'))['tool']['pytest']['ini_options']
    # Strict: pytest ends where nobody knows a setting.
    assert '--strict-config' in settings['addopts'] and settings['timeout']
    assert {'python3-pytest-timeout', 'python3-hypothesis'} <= dependencies('test_depend')


@pytest.mark.parametrize(
    'name', ['ros-wheels.txt', 'runtime.txt', 'development.txt', 'development_alone.txt']
)
def test_requirements_are_pinned_as_in_the_constraints(name):
    constraints = requirements('constraints.txt')
    for package, version in requirements(name).items():
        assert constraints.get(package) == version, package


def test_only_folders_called_ros_know_ros():
    for path in ROOT.glob('src/**/*.py'):
        if 'ros' in path.relative_to(ROOT / 'src').parts[:-1]:
            continue
        known = [
            name
            for name in sorted(imported(path))
            if name in ROS_PACKAGES or name.endswith('_msgs')
        ]
        assert not known, f'{path.relative_to(ROOT)} imports {known}'


def test_the_example_robot_needs_nothing_of_ours_but_the_messages():
    known = {
        'rclpy',
        'reactree_ros',
        'std_srvs',
        'robot_skill_server',
        'setuptools',
        *sys.stdlib_module_names,
    }
    files = list((ROOT / 'examples' / 'robot_skill_server').rglob('*.py'))
    assert files
    for path in files:
        assert not imported(path) - known, path.relative_to(ROOT)


def read(path: str) -> str:
    return (ROOT / path).read_text(encoding='utf-8')


def test_a_module_that_runs_by_itself_is_whole_before_it_does() -> None:
    """What stands after the guard is not there yet when `python -m` comes to it."""
    for path in sorted((ROOT / 'src').rglob('*.py')):
        body = ast.parse(path.read_text(encoding='utf-8')).body
        guards = [
            node for node in body if isinstance(node, ast.If) and '__name__' in ast.dump(node.test)
        ]
        assert guards in ([], body[-1:]), path
