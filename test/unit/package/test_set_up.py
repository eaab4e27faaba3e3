"""The set-up of the checkout, as far as it runs without building anything."""

from __future__ import annotations

import runpy
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
