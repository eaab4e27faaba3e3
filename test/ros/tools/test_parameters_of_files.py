"""Shipped parameter files name what the nodes have; files of users are checked against it."""

from __future__ import annotations

from pathlib import Path

import pytest

from reactree_tools.node_table import NODES
from reactree_tools.processes.parameter_files import check_parameter_file
from reactree_tools.ros.config_files import config_text
from reactree_tools.ros.parameter_tables import objections, TABLES, TAKEN

_CONFIG = Path(__file__).parents[3] / 'config'


@pytest.mark.parametrize('node', sorted(TABLES))
def test_the_shipped_file_is_what_the_table_of_the_node_says(node):
    path = _CONFIG / f'{node}.yaml'
    assert path.read_text(encoding='utf-8') == config_text(node), (
        'run: scripts/with_ros python -m reactree_tools.ros.config_files'
    )
    sections = check_parameter_file(path)
    assert list(sections) == [f'/**/{node}']
    assert list(objections(sections)) == []


def test_arguments_of_the_command_line_are_parameters_of_the_nodes():
    for node in NODES:
        given = {name: kind() for name, (_, kind) in node.arguments.items()}
        parameters = node.parameters({**given, 'memory': False})
        assert len(parameters) >= len(given)
        for name, value in parameters.items():
            assert type(value) is type(TAKEN[node.name][name].default), name


@pytest.mark.parametrize(
    ('sections', 'words'),
    [
        ({'planner': {'max_decision': 5}}, 'did you mean max_decisions?'),
        ({'/ns/bridge': {'camera': {'widht': 64}}}, 'did you mean camera.width?'),
        ({'/**': {'zzz': 5}}, 'No node has a parameter zzz'),
        ({'bridge': {'seed': 'many'}}, "parameter 'seed' must be of type int"),
        ({'planner': {'max_steps': -1}}, "parameter 'max_steps' must be"),
    ],
)
def test_a_wrong_name_or_value_is_told(sections, words):
    (sentence,) = objections(sections)
    assert words in sentence


def test_what_every_node_has_and_what_others_have_is_let_through():
    sections = {
        '/**': {'use_sim_time': True, 'scene': 'generated:1', 'seed': 3},
        'camera': {'whatever': 1},
        'planner': {'qos_overrides': {'/clock': {'depth': 3}}},
    }
    assert list(objections(sections)) == []
