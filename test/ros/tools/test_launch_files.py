"""The launch files, where `launch` is there: a ROS 2 distribution has it, the wheels have not."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from support.needs import needed_module, needs

launch = needed_module('launch', 'launch')

pytestmark = needs('launch')

_FOLDER = Path(__file__).parents[3] / 'launch'


def _load(name):
    path = _FOLDER / f'{name}.launch.py'
    spec = importlib.util.spec_from_file_location(f'{name}_launch', path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _nodes(module, **arguments):
    context = launch.LaunchContext()
    context.launch_configurations.update(arguments)
    for entity in module.generate_launch_description().entities:
        if isinstance(entity, launch.actions.DeclareLaunchArgument):
            entity.execute(context)
    actions = module.generate_launch_description().entities
    (make,) = [action for action in actions if isinstance(action, launch.actions.OpaqueFunction)]
    return make.execute(context)


def _executables(module, **arguments):
    return [node.node_executable for node in _nodes(module, **arguments)]


def _enclaves(module, **arguments):
    """Program -> its enclave on its command line; '' for none."""
    found = {}
    for node in _nodes(module, **arguments):
        # Words that only a running launch knows, as the place of the program, are left out.
        words = [
            ''.join(piece.text for piece in word)
            for word in node.cmd
            if all(isinstance(piece, launch.substitutions.TextSubstitution) for piece in word)
        ]
        at = words.index('--enclave') + 1 if '--enclave' in words else len(words)
        found[node.node_executable] = ''.join(words[at : at + 1])
    return found


@pytest.mark.parametrize('name', ['simulation', 'robot'])
def test_every_argument_is_described(name):
    declared = _load(name).generate_launch_description().get_launch_arguments()
    assert len(declared) >= 10
    assert all(argument.description for argument in declared)
    names = {argument.name for argument in declared}
    assert names >= {'namespace', 'use_sim_time', 'log_level', 'model', 'planner', 'params_file'}


def test_a_simulation_has_three_nodes_and_two_without_memory():
    module = _load('simulation')
    assert _executables(module) == ['bridge_node', 'memory_node', 'planner_node']
    assert _executables(module, memory='false') == ['bridge_node', 'planner_node']
    recorded = _executables(module, memory='false', record='true')
    assert recorded == ['recorder_node', 'bridge_node', 'planner_node']


@pytest.mark.parametrize('name', ['simulation', 'robot'])
def test_a_viewer_is_started_when_asked_for(name):
    assert 'viewer_node' not in _executables(_load(name))
    assert _executables(_load(name), viewer='true', viewer_port='9000')[-1] == 'viewer_node'
    with pytest.raises(ValueError, match='argument viewer_port'):
        _executables(_load(name), viewer='true', viewer_port='high')


def test_a_robot_brings_its_own_bridge():
    module = _load('robot')
    assert _executables(module, bridge='my_skills') == ['memory_node', 'planner_node']


def test_a_value_that_is_neither_yes_nor_no_is_told():
    with pytest.raises(ValueError, match='argument memory'):
        _executables(_load('simulation'), memory='maybe')


def test_a_seed_that_is_no_number_is_told():
    with pytest.raises(ValueError, match='argument seed'):
        _executables(_load('simulation'), seed='seven')


def test_a_node_gets_its_enclave_where_a_keystore_is_set(monkeypatch):
    monkeypatch.delenv('ROS_SECURITY_KEYSTORE', raising=False)
    assert set(_enclaves(_load('simulation')).values()) == {''}
    monkeypatch.setenv('ROS_SECURITY_KEYSTORE', '/keystore')
    assert _enclaves(_load('simulation')) == {
        'bridge_node': '/bridge',
        'memory_node': '/memory',
        'planner_node': '/planner',
    }
    assert _enclaves(_load('simulation'), namespace='robot_1')['memory_node'] == '/robot_1/memory'
    fleet = _enclaves(_load('fleet'), robots='robot_7')
    assert (fleet['memory_node'], fleet['bridge_node']) == ('/memory', '/robot_7/bridge')
