"""The policy of SROS2 permits each node what it makes on the graph: no less, and nothing else."""

from __future__ import annotations

import uuid
from contextlib import contextmanager
from xml.etree import ElementTree

import pytest
from rclpy.context import Context
from rclpy.parameter import Parameter

from memory_server.ros.node import MemoryNode
from reactree_core.cancellation import CancelToken
from reactree_core.errors import SkillError
from reactree_planner.resume.open_run import OpenRun
from reactree_planner.ros.bridge_services import SkillDeadlines
from reactree_planner.ros.node import PlannerNode
from reactree_planner.ros.skill_client import RosSkillServer
from reactree_tools.node_interfaces import COMMAND_LINE, EXTRAS
from reactree_tools.node_table import full_name
from reactree_tools.recording.ros.node import RecorderNode
from reactree_tools.ros.approvals import Approvals
from reactree_tools.ros.manager import ManagerNode
from reactree_tools.ros.plan_client import PlanClient, PlanRequest
from reactree_tools.ros.questions import Questions
from reactree_tools.ros.run_at_work import RunAtWork
from reactree_tools.ros.session import GraphReadiness, Session
from reactree_tools.security_policy import placed_nodes, policy_text
from reactree_tools.viewer.ros.node import ViewerNode
from robot_bridge.loading import load_robot
from robot_bridge.ros.installed_types import InstalledTypes
from robot_bridge.ros.node import RobotBridgeNode
from sim_bridge.pictures import Picture
from sim_bridge.ros.node import BridgeNode
from sim_bridge.worlds.registry import make_world

KINDS = {
    'bridge_node': BridgeNode,
    'manager_node': ManagerNode,
    'memory_node': MemoryNode,
    'planner_node': PlannerNode,
    'recorder_node': RecorderNode,
    'robot_bridge': RobotBridgeNode,
    'viewer_node': ViewerNode,
}
#: What a robot may be asked and may tell; of types that are installed everywhere.
ROBOT = """\
robot: porter
about: You carry crates.
places:
  shelf 1: {frame: map, x: 1.0, y: 2.0}
  charger: {frame: map, parameter: {node: /docks, name: charger}}
state:
  place: {topic: /where, type: std_msgs/msg/String, field: data}
  facts: {service: crates/counted, type: std_srvs/srv/Trigger, name: crate, when: {success: true}}
skills:
  - skill: go to <place>
    kind: move
    do:
      - {action: reactree_ros/action/PlanTask, name: /drive, send: {task: go}, within: 1 min}
      - {service: std_srvs/srv/Trigger, name: ~/fold}
      - {publish: std_msgs/msg/Bool, name: lamp, send: {data: true}}
      - {await: std_msgs/msg/Bool, name: /arrived, when: {data: true}, within: 1 s}
"""
# A list of facts is written as one.
ROBOT = ROBOT.replace('facts: {', 'facts:\n    - {')
ACTION_SERVICES = ('cancel_goal', 'get_result', 'send_goal')
ACTION_TOPICS = ('feedback', 'status')


@pytest.fixture
def namespace():
    return f'/p{uuid.uuid4().hex[:8]}'


@pytest.fixture
def robot_file(tmp_path):
    file = tmp_path / 'robot.yaml'
    file.write_text(ROBOT, encoding='utf-8')
    return file


@pytest.fixture
def settings(tmp_path, robot_file):
    """Parameters without which a node does not start, or starts slowly."""
    script = tmp_path / 'script.yaml'
    script.write_text('- unused\n', encoding='utf-8')
    return {
        'bridge_node': {'scene': 'generated:9001'},
        'memory_node': {'store_path': 'none', 'encoder': 'hashing'},
        'planner_node': {
            'model': f'scripted:{script}',
            'journal_directory': str(tmp_path / 'runs'),
            'service_timeout': 0.1,
        },
        'recorder_node': {'directory': str(tmp_path / 'bags')},
        'robot_bridge': {'robot': str(robot_file)},
        'viewer_node': {'port': 0, 'journal_directory': str(tmp_path / 'runs')},
    }


def with_camera(*arguments, **options):
    """A simulated world that has a camera."""
    world = make_world(*arguments, **options)
    world.picture = lambda camera, width, height: Picture(width, height, bytes(3 * width * height))
    return world


@contextmanager
def running(placed, settings, **options):
    """A node as launch places it, in a context of its own."""
    program = placed.node.executable
    parameters = {**placed.parameters, **settings.get(program, {})}
    # Nobody drives it here; it makes the same.
    parameters.pop('autostart', None)
    rules = [part for old, new in placed.remappings for part in ('-r', f'{old}:={new}')]
    context = Context()
    context.init(args=[])
    node = KINDS[program](
        context=context,
        namespace=placed.namespace,
        cli_args=['--ros-args', *rules],
        parameter_overrides=[
            Parameter(name, value=list(value) if isinstance(value, tuple) else value)
            for name, value in parameters.items()
        ],
        **options,
    )
    try:
        yield node
    finally:
        if hasattr(node, 'stop'):
            node.stop()
        node.destroy_node()
        context.try_shutdown()


def made(node):
    """What the graph tells of a node: (what, full name) of each of its endpoints."""
    own = node.get_name(), node.get_namespace()
    return {
        (what, name)
        for what, found in (
            ('publish', node.get_publisher_names_and_types_by_node(*own)),
            ('subscribe', node.get_subscriber_names_and_types_by_node(*own)),
            ('reply', node.get_service_names_and_types_by_node(*own)),
            ('request', node.get_client_names_and_types_by_node(*own)),
        )
        for name, _ in found
    }


def permitted(policy, enclave):
    """The endpoints that a policy permits; an action is five, as sros2 writes them for DDS."""
    (profile,) = ElementTree.fromstring(policy).findall(
        f'enclaves/enclave[@path="{enclave}"]/profiles/profile'
    )
    found = set()
    for group in profile:
        ((what, answer),) = group.attrib.items()
        assert answer == 'ALLOW'
        for element in group:
            parts = {
                'execute': ('reply', 'publish'),
                'call': ('request', 'subscribe'),
            }.get(what)
            if parts is None:
                found.add((what, element.text))
                continue
            for part, names in zip(parts, (ACTION_SERVICES, ACTION_TOPICS), strict=True):
                found |= {(part, f'{element.text}/_action/{name}') for name in names}
    return found


def placed_by_name(namespace, robots=(), by_file=False):
    nodes = placed_nodes(robots, namespace, by_file)
    return {full_name(one.namespace, one.node.name): one for one in nodes}


@pytest.mark.parametrize('name', ['bridge', 'manager', 'memory', 'planner', 'recorder', 'viewer'])
def test_a_node_makes_what_its_policy_permits_and_nothing_else(name, namespace, settings):
    enclave = f'{namespace}/{name}'
    with running(placed_by_name(namespace)[enclave], settings) as node:
        assert made(node) == permitted(policy_text(namespace=namespace), enclave)


def test_so_does_the_bridge_of_a_robot_by_its_file(namespace, settings, robot_file):
    enclave = f'{namespace}/bridge'
    robot = load_robot(robot_file, InstalledTypes())
    policy = policy_text(namespace=namespace, robot=robot)
    with running(placed_by_name(namespace, by_file=True)[enclave], settings) as node:
        assert made(node) == permitted(policy, enclave)
    asked = permitted(policy, enclave)
    assert asked >= {
        ('request', '/drive/_action/send_goal'),
        ('request', f'{namespace}/bridge/fold'),
        ('request', f'{namespace}/crates/counted'),
        ('request', '/docks/get_parameters'),
        ('publish', f'{namespace}/lamp'),
        ('subscribe', '/arrived'),
        ('subscribe', '/where'),
    }
    assert ('request', '/docks/set_parameters') not in asked


def test_so_do_the_nodes_of_two_robots_with_one_memory(namespace, settings):
    robots = ('robot_1', 'robot_2')
    policy = policy_text(robots, namespace)
    compared = 0
    for enclave, placed in placed_by_name(namespace, robots).items():
        if placed.node is not COMMAND_LINE:
            with running(placed, settings) as node:
                assert made(node) == permitted(policy, enclave), enclave
            compared += 1
    assert compared == 9
    planner = permitted(policy, f'{namespace}/robot_1/planner')
    assert ('request', f'{namespace}/memory/recall_object') in planner
    assert not [name for _, name in planner if '/robot_2/' in name]


@pytest.mark.parametrize('extra', sorted(set(EXTRAS) - {'skills'}))
def test_what_is_switched_on_is_permitted_where_it_is_allowed(
    extra, namespace, settings, robot_file, monkeypatch
):
    on = {
        'pictures': {'bridge_node': {'camera.period': 1.0}, 'planner_node': {}},
        'resume_within': {'planner_node': {'resume_within': 60.0}},
        'service_introspection': {
            program: {'service_introspection': 'metadata'}
            for program in ('bridge_node', 'memory_node', 'planner_node', 'robot_bridge')
        },
        'use_sim_time': {program: {'use_sim_time': True} for program in KINDS},
        'viewer_control': {'viewer_node': {'control': True}},
    }[extra]
    monkeypatch.setattr(OpenRun, 'interrupted', lambda self, within: '5eed' * 8)
    robot_of = {False: None, True: load_robot(robot_file, InstalledTypes())}
    for by_file, robot in robot_of.items():
        # A node of the same name may be on the graph for a while.
        namespace += '/again'
        without = policy_text(namespace=namespace, robot=robot)
        policy = policy_text(namespace=namespace, robot=robot, extras=[extra])
        for enclave, placed in placed_by_name(namespace, by_file=by_file).items():
            program = placed.node.executable
            if program not in on or by_file != (program == 'robot_bridge'):
                continue
            options = {'make': with_camera} if program == 'bridge_node' else {}
            switched = {program: {**settings.get(program, {}), **on[program]}}
            with running(placed, switched, **options) as node:
                if (extra, program) == ('pictures', 'planner_node'):
                    with monkeypatch.context() as patch, pytest.raises(SkillError):
                        # It listens once there is a camera.
                        patch.setattr(node, 'count_publishers', lambda topic: 1)
                        node._pictures.newest(CancelToken())
                assert made(node) == permitted(policy, enclave), program
                assert made(node) - permitted(without, enclave), program


def test_the_command_line_asks_only_what_its_policy_permits(namespace):
    enclave = f'{namespace}/reactree'
    policy = permitted(policy_text(namespace=namespace), enclave)
    with Session(namespace) as session:
        GraphReadiness(session)
        PlanClient(session, PlanRequest('task'))
        Approvals(session)
        Questions(session)
        RunAtWork(session)
        own = session.node.get_name()
        found = {(what, name.replace(own, '_reactree_*')) for what, name in made(session.node)}
    # The others are called while a command asks them.
    of_bridge = ('bridge/emergency_stop', 'bridge/get_world_state', 'bridge/reset_world')
    asked = (*of_bridge, 'planner/get_parameters', 'planner/correct_task')
    later = {('request', f'{namespace}/{name}') for name in asked}
    assert found == policy - later
    assert ('request', f'{namespace}/bridge/execute_skill/_action/send_goal') not in policy


def test_commands_that_do_skills_need_a_permission_more(namespace):
    enclave = f'{namespace}/reactree'
    with Session(namespace) as session:
        RosSkillServer(session.node, SkillDeadlines)
        own = session.node.get_name()
        found = {(what, name.replace(own, '_reactree_*')) for what, name in made(session.node)}
    assert found <= permitted(policy_text(namespace=namespace, extras=['skills']), enclave)
    assert not found <= permitted(policy_text(namespace=namespace), enclave)
