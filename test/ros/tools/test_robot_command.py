"""`reactree robot`: a file is checked, tried and proposed, with what is installed and there."""

from __future__ import annotations

import json

import pytest
from geometry_msgs.msg import PoseStamped
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from std_msgs.msg import Bool
from std_srvs.srv import SetBool, Trigger

from reactree_ros.srv import GetTree
from reactree_tools.command_line import main
from support.bridge_client import spinning

FILE = """\
robot: arm
places:
  tray: {frame: base, x: 30 cm, y: 0}
skills:
  - skill: fold
    do: {service: std_srvs/srv/Trigger, name: /arm/fold}
  - skill: aim at <place>
    do: {publish: geometry_msgs/msg/PoseStamped, name: /arm/aim, send: <place>}
"""


class Ours(Node):
    """A node of this package, with services and topics of common types too."""

    def __init__(self, context):
        super().__init__('planner', context=context)
        self.create_service(GetTree, '~/get_tree', lambda request, response: response)
        self.create_service(Trigger, '~/step', lambda request, response: response)
        self.create_service(SetBool, '~/pause', lambda request, response: response)
        self.create_publisher(Bool, '~/busy', 10)


class Arm(Node):
    """A robot that folds, aims and opens."""

    def __init__(self, context):
        super().__init__('arm', context=context)
        self.create_service(Trigger, '/arm/fold', lambda request, response: response)
        self.create_service(SetBool, '/arm/open', lambda request, response: response)
        self.create_subscription(PoseStamped, '/arm/aim', lambda message: None, 10)
        self.create_publisher(Bool, '/arm/holds', 10)


@pytest.fixture
def arm():
    with spinning(Arm) as node:
        yield node


BEST_EFFORT = QoSProfile(
    depth=1,
    reliability=ReliabilityPolicy.BEST_EFFORT,
    durability=DurabilityPolicy.TRANSIENT_LOCAL,
)
KEPT = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
SENSING = FILE.replace(
    'skills:',
    """\
state:
  pose: {topic: /arm/pose, type: geometry_msgs/msg/PoseStamped, field: pose, latched: true}
skills:""",
)


@pytest.mark.parametrize(
    ('profile', 'latched', 'sentence'),
    [
        (10, True, '- /arm/pose is published volatile: its last message is not kept, so with "la'),
        (BEST_EFFORT, True, '- /arm/pose is published best effort, and a kept message needs a re'),
        (KEPT, True, ''),
        (10, False, ''),
        (KEPT, False, '! /arm/pose keeps its last message: with "latched: true" what was publi'),
    ],
)
def test_a_source_that_will_never_be_heard_is_said_with_what_to_change(
    robot, arm, profile, latched, sentence
):
    arm.create_publisher(PoseStamped, '/arm/pose', profile)
    text = SENSING if latched else SENSING.replace(', latched: true', '')
    status, said = robot(text, '--live', '--wait', '20')
    assert status == (1 if sentence.startswith('-') else 0), said
    assert sentence in said and ('/arm/pose is' in said or '/arm/pose keeps' in said) == bool(
        sentence
    )
    assert not status or 'remove "latched: true" from the file' in said


@pytest.fixture
def robot(tmp_path, capsys):
    """Runs the command on a file of this text; its exit status and what it says."""

    def run(text, *options):
        path = tmp_path / 'arm.yaml'
        path.write_text(text)
        return main(['robot', 'check', str(path), '--plain', *options]), capsys.readouterr().out

    return run


def test_a_file_is_right_and_its_robot_is_there(robot, arm):
    status, said = robot(FILE, '--live', '--wait', '20')
    assert status == 0, said
    assert '2 skills, 1 place; all types are installed' in said
    assert '+ service /arm/fold (std_srvs/srv/Trigger)' in said
    assert '+ topic /arm/aim (geometry_msgs/msg/PoseStamped)' in said


def test_servers_that_are_not_there_and_other_types_are_said(robot, arm):
    wrong = FILE.replace('std_srvs/srv/Trigger', 'std_srvs/srv/Empty')
    status, said = robot(wrong.replace('/arm/aim', '/arm/aimed'), '--live', '--wait', '6')
    assert status == 1
    assert '- topic /arm/aimed (geometry_msgs/msg/PoseStamped): nobody listens' in said
    assert '- service /arm/fold is std_srvs/srv/Trigger, and the file says std_srvs/srv/' in said
    assert '2 interfaces missing' in said


def test_mistakes_are_said_line_by_line(robot):
    wrong = FILE.replace('Trigger', 'Tigger').replace('30 cm', '30 yd')
    status, said = robot(wrong)
    assert status == 1
    assert '- line 3: "30 yd" is no length' in said
    status, said = robot(FILE.replace('Trigger', 'Tigger'))
    assert '- line 6: std_srvs has no service Tigger; did you mean "Trigger"?' in said
    status, said = robot(FILE.replace('std_srvs', 'srvs'))
    assert '- line 6: the package srvs is not installed' in said
    assert '1 mistake in' in said


def test_every_skill_is_tested_without_a_robot(robot):
    status, said = robot(FILE)
    assert status == 0, said
    lines = [line.split() for line in said.splitlines()]
    assert ['skill', 'read', 'plan', 'undo', 'needs', 'export'] in lines
    assert ['fold', '+', '+', '+'] in lines and ['aim', 'at', '<place>', '+', '+', '+'] in lines
    assert '2 rows: everything that could be tried works.' in said


def test_a_row_that_fails_says_what_to_change(robot):
    hollow = FILE.replace('aim at <place>', 'aim at <region>')
    status, said = robot(hollow.replace('send: <place>', 'send: tray'))
    assert status == 1 and '1 row failed' in said
    assert '- aim at <region>, read: no name of the file fits <region>' in said
    assert 'to change: list one below "places"' in said


def test_the_test_is_given_as_json(robot):
    status, said = robot(FILE, '--json')
    told = json.loads(said)
    assert status == 0 and told['passed'] and told['robot'] == 'arm'
    assert [row['name'] for row in told['rows']] == ['fold', 'aim at <place>']
    assert all(row['checks']['plan']['result'] == 'passed' for row in told['rows'])


def test_a_dry_run_prints_what_would_be_sent(robot):
    status, said = robot(FILE, '--dry-run', 'aim at tray', '--dry-run', 'fold')
    assert status == 0
    assert 'aim at tray, step 1: the topic /arm/aim (geometry_msgs/msg/PoseStamped)' in said
    assert 'position: {x: 0.3, y: 0.0, z: 0.0}' in said
    status, said = robot(FILE, '--dry-run', 'aim at moon')
    assert status == 1
    assert 'There is no place "moon" that is known; there are: tray.' in said


def test_nodes_of_this_package_are_not_proposed_and_topics_of_the_robot_are(arm, capsys):
    with spinning(Ours):
        assert main(['robot', 'init', '--plain']) == 0
    text = capsys.readouterr().out
    assert '- skill: arm fold' in text
    assert '#   - topic: /arm/holds\n  #     type: std_msgs/msg/Bool' in text
    assert 'planner' not in text


def test_a_proposal_is_written_once_and_has_no_mistakes(arm, tmp_path, capsys):
    path = tmp_path / 'proposed.yaml'
    assert main(['robot', 'init', str(path), '--plain']) == 0
    text = path.read_text()
    assert '- skill: arm fold' in text
    assert '#       data: ...   # true or false' in text
    capsys.readouterr()
    assert main(['robot', 'check', str(path), '--plain']) == 0, capsys.readouterr().out
    assert main(['robot', 'init', str(path), '--plain']) == 2
    assert 'exists already' in capsys.readouterr().err
