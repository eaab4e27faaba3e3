"""Fleets of robots by their files, and names that are others on a robot."""

from __future__ import annotations

import pytest

from reactree_tools.node_table import fleet_nodes, named_robots, read_remaps


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


def test_a_star_stands_for_every_name_of_the_file(tmp_path):
    file = tmp_path / 'a.yaml'
    file.write_text(
        '# Not /this one.\nstate: {topic: /battery, type: a/msg/B}\nskills:\n'
        '  - {do: {action: a/action/C, name: "/arm/move"}}  # and not /that one\n'
        "  - {do: {service: a/srv/D, name: '/battery'}}\n    say: '/no name at all'\n"
    )
    rules = dict(read_remaps(['/*:=/{robot}/*'], 'left', str(file)))
    assert {name: other for name, other in rules.items() if '_action' not in name} == {
        '/battery': '/left/battery',
        '/arm/move': '/left/arm/move',
    }
    assert rules['/arm/move/_action/feedback'] == '/left/arm/move/_action/feedback'
    assert read_remaps(['/arm/*:=/hand/*'], '', str(file))[0] == ('/arm/move', '/hand/move')


def test_robots_with_the_same_file_have_names_of_their_own():
    file = 'robots/porter.yaml'
    assert named_robots([f'left={file}', f'right={file}', 'sim', file]) == {
        'left': file,
        'right': file,
        'sim': '',
        'porter': file,
    }
    with pytest.raises(ValueError, match='a name of its own'):
        named_robots([file, file])


@pytest.mark.parametrize('text', ['/battery', ':=/battery', '/battery:=', '/a b:=/c'])
def test_what_renames_nothing_is_refused(text):
    with pytest.raises(ValueError, match='renames nothing'):
        read_remaps([text])


def test_two_files_of_one_name_are_refused():
    with pytest.raises(ValueError, match='a name of its own'):
        fleet_nodes(['one/a.yaml', 'two/a.yaml'], {})
