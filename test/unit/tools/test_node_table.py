"""A skill server with names of its own: whatever the nodes ask of a bridge goes there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import reactree_tools
from reactree_tools.node_table import (
    ACTION_PARTS,
    bridge_remappings,
    fleet_nodes,
    NODES,
    wanted_nodes,
)

SOURCES = Path(reactree_tools.__file__).parents[1]
#: A whole string, so that the backquoted names of docstrings are not meant.
ASKED = re.compile(r"'bridge/(\w+)'")


def test_names_that_are_the_usual_ones_need_no_rule():
    assert bridge_remappings('bridge', 'bridge_status') == []


def test_a_status_topic_may_have_a_name_of_its_own():
    assert bridge_remappings('bridge', 'alive') == [('bridge_status', 'alive')]


def test_all_that_any_node_asks_of_a_bridge_is_asked_of_the_robot():
    asked = {name for file in SOURCES.rglob('*.py') for name in ASKED.findall(file.read_text())}
    assert asked >= {'execute_skill', 'list_skills', 'get_world_state', 'reset_world'}
    rules = dict(bridge_remappings('arm/skills', 'bridge_status'))
    for name in asked - {'execute_skill'}:
        assert rules.pop(f'bridge/{name}') == f'arm/skills/{name}'
    for part in ACTION_PARTS:
        action = f'execute_skill/_action/{part}'
        assert rules.pop(f'bridge/{action}') == f'arm/skills/{action}'
    assert rules == {}


def test_a_robots_file_puts_its_bridge_in_the_place_of_a_world():
    world = [node.executable for node in wanted_nodes({'with_bridge': True, 'robot': None})]
    assert world == ['bridge_node', 'planner_node']
    given = {'with_bridge': False, 'robot': '/my/robot.yaml'}
    bridge, planner = wanted_nodes(given)
    assert (bridge.name, bridge.executable) == ('bridge', 'robot_bridge')
    assert bridge.parameters(given) == {'robot': '/my/robot.yaml'}
    assert planner.executable == 'planner_node'


ALL = {'with_bridge': True, 'memory': True, 'viewer': True, 'managed': True, 'record': True}


def test_robots_of_a_fleet_have_namespaces_of_their_own_and_one_memory():
    placed = {
        f'{one.namespace.rstrip("/")}/{one.node.name}': one for one in fleet_nodes(['a', 'b'], ALL)
    }
    assert set(placed) == {
        '/memory', '/viewer', '/manager', '/a/bridge', '/a/planner', '/a/recorder', '/b/bridge',
        '/b/planner', '/b/recorder',
    }  # fmt: skip
    assert placed['/memory'].parameters['planners'] == ('/a/planner', '/b/planner')
    assert placed['/viewer'].parameters['robots'] == ('/a', '/b')
    assert placed['/manager'].parameters['nodes'] == (
        '/memory', '/a/bridge', '/a/planner', '/b/bridge', '/b/planner',
    )  # fmt: skip
    planner = placed['/a/planner']
    assert planner.parameters['shared_memory'] == 'fleet'
    assert ('memory/recall_object', '/memory/recall_object') in planner.remappings
    heard = ('memory/working_memory', '/memory/working_memory')
    assert placed['/b/recorder'].remappings == (heard,)
    assert not placed['/a/bridge'].remappings


def test_a_fleet_may_have_a_namespace_and_no_memory():
    placed = fleet_nodes(['a'], {'with_bridge': True, 'memory': False}, '/site')
    assert [one.namespace for one in placed] == ['/site/a', '/site/a']
    assert placed[1].parameters == {'memory': False}


@pytest.mark.parametrize('robots', [[], [''], ['a', 'a'], ['a b'], ['a/b'], ['1a']])
def test_robots_that_cannot_be_namespaces_are_told(robots):
    with pytest.raises(ValueError, match='robot_1,robot_2'):
        fleet_nodes(robots, ALL)


def test_only_nodes_with_a_lifecycle_are_told_to_wait_for_the_manager():
    waiting = {node.name for node in NODES if 'autostart' in node.parameters({'managed': True})}
    assert waiting == {'bridge', 'memory', 'perception', 'planner'}
    (manager,) = (node for node in NODES if node.name == 'manager')
    assert manager.parameters({**ALL, 'memory': False})['nodes'] == ('bridge', 'planner')
