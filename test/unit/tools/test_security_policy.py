"""Policies of SROS2 as they are written; that they fit the nodes, test/ros/tools tests."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reactree_core.errors import ConfigurationError
from reactree_tools.command_line import main
from reactree_tools.exit_codes import ExitCode
from reactree_tools.node_interfaces import EXTRAS, robot_interfaces
from reactree_tools.processes import nodes
from reactree_tools.security_policy import FILES, policy_text
from robot_bridge.robot import Interface

FOLDER = Path(__file__).parents[3] / 'config' / 'sros2'
#: Elements of a profile -> what may be permitted of them (policy.xsd of sros2).
GROUPS = {
    'topics': ('topic', {'publish', 'subscribe'}),
    'services': ('service', {'reply', 'request'}),
    'actions': ('action', {'execute', 'call'}),
}


def profiles(text):
    """Enclave -> its profile, of a policy in the form that the schema asks for."""
    root = ElementTree.fromstring(text)
    assert (root.tag, root.attrib) == ('policy', {'version': '0.2.0'})
    (enclaves,) = root
    found = {}
    for enclave in enclaves:
        (some,) = enclave
        (profile,) = some
        assert (enclave.tag, some.tag, profile.tag) == ('enclave', 'profiles', 'profile')
        assert set(profile.attrib) == {'ns', 'node'}
        for group in profile:
            element, ways = GROUPS[group.tag]
            assert group.attrib in [{way: 'ALLOW'} for way in ways]
            assert [one.tag for one in group] == [element] * len(group)
            assert len(group) and all(one.text.startswith('/') for one in group)
        found[enclave.attrib['path']] = profile
    return found


def names(profile, way):
    return [one.text for group in profile for one in group if way in group.attrib]


def robot_with(name):
    """A robot that calls one service, and nothing else."""
    return SimpleNamespace(
        file=SimpleNamespace(robot='porter', places={}, perception=None),
        hears_frames=False,
        interfaces=lambda: (Interface('service', name, 'std_srvs/srv/Trigger'),),
    )


@pytest.mark.parametrize(('name', 'robots'), FILES.items())
def test_the_policies_of_the_package_are_current(name, robots):
    assert (FOLDER / name).read_text(encoding='utf-8') == policy_text(robots)


def test_each_node_of_a_fleet_has_an_enclave_by_its_full_name():
    found = profiles(policy_text(['a', 'b'], '/site'))
    own = {f'/site/{robot}/{name}' for robot in 'ab' for name in ('bridge', 'planner', 'recorder')}
    shared = {f'/site/{name}' for name in ('manager', 'memory', 'viewer')}
    assert set(found) == own | shared | {'/site/a/reactree', '/site/b/reactree'}
    assert '/site/memory/recall_object' in names(found['/site/a/planner'], 'request')


def test_only_the_planner_sends_skills_and_only_it_and_the_bridge_know_them():
    found = profiles(policy_text())
    skills = '/bridge/execute_skill'
    assert [path for path in found if skills in names(found[path], 'call')] == ['/planner']
    assert [path for path in found if skills in names(found[path], 'execute')] == ['/bridge']


def test_what_is_not_allowed_by_name_is_not_there():
    plain = policy_text()
    page = (FOLDER.parents[1] / 'docs' / 'sros2.md').read_text(encoding='utf-8')
    for extra in EXTRAS:
        assert f'| `{extra}` |' in page
        allowed = policy_text(extras=[extra])
        assert profiles(allowed) and extra in allowed
        assert len(allowed.splitlines()) > len(plain.splitlines())
    assert names(profiles(plain)['/viewer'], 'request') == [
        '/bridge/get_world_state',
        '/bridge/list_skills',
        '/memory/retrieve_experiences',
    ]
    assert '/clock' not in plain and '_service_event' not in plain


@given(st.text(min_size=1, max_size=30) | st.from_regex(r'[/~a-z*?\[\]]{1,12}', fullmatch=True))
def test_no_pattern_of_a_robots_file_gets_into_a_policy(name):
    try:
        robot_interfaces(robot_with(name))
    except ConfigurationError as error:
        assert 'no name in ROS' in str(error)
        return
    assert not set(name) & set('*?[]<>&!-.\\ ') and name.isascii()
    (found,) = set(names(profiles(policy_text(robot=robot_with(name)))['/bridge'], 'request'))
    assert found == name or found in (f'/{name}', f'/bridge/{name[2:]}')


def test_the_command_prints_it_and_says_what_it_does_not_know(capsys):
    assert main(['sros2', '--namespace', 'site', '--robots', 'a, b', '--allow', 'skills']) == 0
    assert capsys.readouterr().out == policy_text(['a', 'b'], '/site', extras=['skills'])
    assert main(['sros2', '--allow', 'everything']) == ExitCode.UNUSABLE
    assert 'viewer_control' in capsys.readouterr().err
    assert main(['sros2', '--robots', 'a,a']) == ExitCode.UNUSABLE
    assert 'a name of its own' in capsys.readouterr().err


def test_processes_get_the_security_of_their_surroundings_and_their_enclaves(
    tmp_path, monkeypatch
):
    program = tmp_path / 'program'
    program.write_text('#!/bin/sh\necho "$@"\nenv\n', encoding='utf-8')
    program.chmod(0o755)
    monkeypatch.setattr(nodes, 'find_executable', lambda name: program)
    monkeypatch.setenv('ROS_SECURITY_ENABLE', 'true')

    def told():
        (tmp_path / 'planner.log').unlink(missing_ok=True)  # it goes on where it stopped
        stack = nodes.make_stack(nodes.StackOptions('/robot_1', {}), tmp_path)
        stack.start()
        assert stack['planner'].wait(30.0)
        return (tmp_path / 'planner.log').read_text(encoding='utf-8').splitlines()

    monkeypatch.delenv('ROS_SECURITY_KEYSTORE', raising=False)
    assert '--enclave' not in told()[0]
    monkeypatch.setenv('ROS_SECURITY_KEYSTORE', '/keystore')
    command, *environment = told()
    assert command.endswith('--enclave /robot_1/planner')
    assert {'ROS_SECURITY_ENABLE=true', 'ROS_SECURITY_KEYSTORE=/keystore'} <= set(environment)
