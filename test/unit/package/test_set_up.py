"""The set-up of the checkout, as far as it runs without building anything."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


@pytest.fixture
def set_up():
    """Its functions."""
    return runpy.run_path(str(ROOT / 'scripts' / 'set_up.py'))


def test_an_interface_package_that_is_not_beside_the_example_is_named(set_up, tmp_path, capsys):
    robot, state = tmp_path / 'robot', set_up['build_more_interfaces'].__globals__
    state['STATE'] = state['VENV'] = str(tmp_path / 'nothing')
    (robot / 'arm_interfaces').mkdir(parents=True)
    (robot / 'package.xml').write_text('<exec_depend>arm_interfaces</exec_depend>')
    set_up['build_more_interfaces'](str(robot), '')
    told = capsys.readouterr().out
    beside = tmp_path / 'interfaces'
    assert told == (
        f'setup: nothing to build: arm_interfaces is neither installed nor in {beside}\n'
    )

    (beside / 'arm_interfaces').mkdir(parents=True)
    (beside / 'arm_interfaces' / 'package.xml').write_text('<depend>reactree_ros</depend>')
    installed = tmp_path / 'nothing' / 'interfaces' / 'current' / 'share' / 'reactree_ros'
    installed.mkdir(parents=True)
    (installed / 'package.xml').write_text('')
    built = []
    state['compile_interfaces'] = lambda source, target, prefix: built.append(source)
    state['write'] = lambda file, text: None
    set_up['build_more_interfaces'](str(robot), '')
    assert built == [str(beside / 'arm_interfaces')]
    assert 'nothing to build' not in capsys.readouterr().out


def test_wheels_that_were_added_since_are_repaired_too(set_up, tmp_path):
    functions = set_up['make_virtual_environment'].__globals__
    version = 'cp{0}{1}-cp{0}{1}'.format(*sys.version_info)
    python = 'python{}.{}'.format(*sys.version_info)
    added = tmp_path / 'share' / 'added_msgs' / 'cmake' / 'export.cmake'
    added.parent.mkdir(parents=True)
    added.write_text(f'include(/opt/python/{version}/include/{python})')
    functions['VENV'] = str(tmp_path)
    functions['capture'] = lambda command: '/numpy/include'
    functions['run'] = functions['install'] = lambda *_: None
    functions['path_file'] = lambda: str(tmp_path / 'reactree_ros.pth')
    set_up['make_virtual_environment']('', ())
    assert '/opt/python' not in added.read_text()

    added.write_text(
        f'include(/opt/python/{version}/lib/{python}/site-packages/numpy/_core/include)'
    )
    set_up['make_virtual_environment']('', ())
    assert added.read_text() == 'include(/numpy/include)'
