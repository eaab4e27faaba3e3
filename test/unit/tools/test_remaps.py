"""Fleets of robots by their files, and names that are others on a robot."""

from __future__ import annotations

import pytest

from reactree_tools.node_table import fleet_nodes, read_remaps


def test_robots_by_their_files_have_a_bridge_each():
    given = {'with_bridge': True, 'memory': True}
    placed = fleet_nodes(['robots/a-1.yaml', 'b.yaml', 'sim'], given)
    bridges = {one.namespace: one for one in placed if one.node.name == 'bridge'}
    assert sorted(bridges) == ['/a_1', '/b', '/sim']
    assert bridges['/a_1'].parameters['robot'] == 'robots/a-1.yaml'
    assert bridges['/a_1'].node.executable == 'robot_bridge'
    assert bridges['/sim'].node.executable != 'robot_bridge'
    memory = next(one for one in placed if one.node.name == 'memory')
    assert memory.parameters['planners'] == ('/a_1/planner', '/b/planner', '/sim/planner')


def test_names_are_renamed_for_each_robot():
    placed = fleet_nodes(['a.yaml', 'b.yaml'], {}, '/', ['/battery:=/{robot}/battery'])
    bridge = next(one for one in placed if (one.node.name, one.namespace) == ('bridge', '/b'))
    assert ('/battery', '/b/battery') in bridge.remappings
    assert ('/battery/_action/feedback', '/b/battery/_action/feedback') in bridge.remappings
    planner = next(one for one in placed if one.node.name == 'planner')
    assert not any(name == '/battery' for name, _ in planner.remappings)


@pytest.mark.parametrize('text', ['/battery', ':=/battery', '/battery:=', '/a b:=/c'])
def test_what_renames_nothing_is_refused(text):
    with pytest.raises(ValueError, match='renames nothing'):
        read_remaps([text])


def test_two_files_of_one_name_are_refused():
    with pytest.raises(ValueError, match='a name of its own'):
        fleet_nodes(['one/a.yaml', 'two/a.yaml'], {})
