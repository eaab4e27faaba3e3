"""A robot with interfaces of its own, its bridge by a file, and a client of that bridge."""

from __future__ import annotations

import threading
import uuid
from contextlib import ExitStack

import pytest
from geometry_msgs.msg import PoseStamped
from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup, ReentrantCallbackGroup
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.qos import DurabilityPolicy, QoSProfile
from std_msgs.msg import Bool, String
from std_srvs.srv import SetBool

from reactree_ros.action import ExecuteSkill
from reactree_ros.msg import BridgeStatus
from robot_bridge.ros.node import RobotBridgeNode
from support.bridge_client import Client, PATIENCE, spinning
from support.waiting import wait_for

FILE = """\
robot: loader
about: You load crates.
hands: 1
places:
  dock: {frame: map, x: 0, y: 0}
  shelf 1: {frame: map, x: 3, y: 0, region: hall 1}
  ramp: {frame: map, parameter: {node: NAMESPACE/loader, name: ramp}}
things:
  crate 1: {place: shelf 1}
state:
  settle: 0.1
  pose: {topic: pose, type: geometry_msgs/msg/PoseStamped, field: pose, latched: true}
  held: {topic: held, type: std_msgs/msg/String, field: data, latched: true}
skills:
  - skill: go to <place>
    kind: move
    do:
      action: reactree_ros/action/ExecuteSkill
      name: drive
      send: {skill: to <place>, time_limit: 5 s, node_id: 3}
      within: WITHIN
      feedback: {say: '{status} to <place>', completion: {field: completion, begin: 0, end: 1}}
      results:
        - status: aborted
          when: {observation.outcome: 1}
          outcome: precondition_failed
          say: 'The drive says: {observation.text}.'
  - skill: take <thing>
    slots: [thing]
    kind: take
    needs: [hands free, <thing> in here]
    do:
      - {service: std_srvs/srv/SetBool, name: grip, send: {data: true}, within: 5 s}
      - publish: std_msgs/msg/String
        name: speech
        send: {data: I have <thing>}
      - {await: std_msgs/msg/Bool, name: heard, when: {data: true}, within: 2 s}
    done: You took <thing>.
  - skill: aim at <place>
    do: {publish: geometry_msgs/msg/PoseStamped, name: aim, send: <place>}
  - skill: push
    do:
      publish: std_msgs/msg/Bool
      name: push
      send: {data: true}
      hold: 0.3
      rate: 50
      finally: {data: false}
  - skill: charge
    do: {service: std_srvs/srv/Trigger, name: nowhere, find: 0.2}
  - skill: listen
    do: {await: std_msgs/msg/Bool, name: silence, when: {data: true}, within: 0.2}
  - skill: hear
    do: {await: std_msgs/msg/Bool, name: silence, when: {data: true}, within: 20 s}
"""


class Loader(Node):
    """A robot: what it is told to do is in `orders`; how its drive ends is in `drive_ends`."""

    def __init__(self, **options):
        super().__init__('loader', **options)
        self.declare_parameter('ramp', [9.0, 1.0, 0.0])
        group = ReentrantCallbackGroup()
        self.drive_group = MutuallyExclusiveCallbackGroup()
        self.orders = []
        self.drive_ends = 'succeeded'
        self.driving = threading.Event()
        self.release = threading.Event()
        self.server = ActionServer(
            self,
            ExecuteSkill,
            'drive',
            self.drive,
            callback_group=self.drive_group,
            goal_callback=self.consider,
            cancel_callback=lambda handle: CancelResponse.ACCEPT,
        )
        self.create_service(SetBool, 'grip', self.grip, callback_group=group)
        for kind, name in ((String, 'speech'), (PoseStamped, 'aim'), (Bool, 'push')):
            self.create_subscription(kind, name, self.hear, 100, callback_group=group)
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self.pose = self.create_publisher(PoseStamped, 'pose', latched)
        self.held = self.create_publisher(String, 'held', latched)
        self.heard = self.create_publisher(Bool, 'heard', 10)
        self.be_at(0.0)
        self.held.publish(String())

    def lose_drive(self):
        """The drive's server goes, while no other thread of the executor is in it."""

        def go():
            timer.cancel()
            self.server.destroy()

        timer = self.create_timer(0.001, go, callback_group=self.drive_group)

    def be_at(self, x):
        pose = PoseStamped()
        pose.header.frame_id = 'map'
        pose.pose.position.x = x
        self.pose.publish(pose)

    def consider(self, goal):
        self.orders.append(goal)
        if self.drive_ends == 'considering':
            self.driving.set()
            self.release.wait(PATIENCE)
        return GoalResponse.REJECT if self.drive_ends == 'rejected' else GoalResponse.ACCEPT

    def drive(self, handle):
        result = ExecuteSkill.Result()
        result.observation.text = 'a door is shut'
        handle.publish_feedback(ExecuteSkill.Feedback(status='rolling', completion=0.25))
        self.driving.set()
        if self.drive_ends == 'hanging':
            # Until it is canceled; one that is stubborn does not hear of that.
            while not handle.is_cancel_requested and not self.release.wait(0.01):
                pass
        if self.drive_ends == 'stubborn':
            self.release.wait(PATIENCE)
        if handle.is_cancel_requested:
            handle.canceled()
        elif self.drive_ends in ('aborted', 'refused'):
            result.observation.outcome = 1 if self.drive_ends == 'refused' else 2
            handle.abort()
        else:
            self.be_at(3.0 if 'shelf' in handle.request.skill else 0.0)
            handle.succeed()
        return result

    def grip(self, request, response):
        self.orders.append(request)
        if self.drive_ends == 'grips for long':
            self.driving.set()
            self.release.wait(PATIENCE)
        response.success = self.drive_ends != 'slippery'
        response.message = 'nothing is between the fingers'
        if response.success and self.drive_ends != 'missing':
            self.held.publish(String(data='crate 1'))
        return response

    def hear(self, message):
        self.orders.append(message)
        if isinstance(message, String):
            self.heard.publish(Bool(data=True))


@pytest.fixture
def namespace():
    """Of one test."""
    return f'test_{uuid.uuid4().hex[:12]}'


@pytest.fixture
def written():
    """The robot's file."""
    return FILE


@pytest.fixture
def loader(namespace):
    """The robot, spun."""

    def make(context):
        return Loader(context=context, namespace=namespace)

    with spinning(make, 4) as node:
        yield node
        node.release.set()


@pytest.fixture
def client(namespace, loader, tmp_path, monkeypatch):
    """Starts the robot's bridge when called; a client of it."""
    monkeypatch.setenv('XDG_STATE_HOME', str(tmp_path))
    with ExitStack() as stack:

        def start(
            within='20 s', file=FILE, permission='allow', use_sim_time=False, waits=True, **values
        ):
            values.setdefault('server_timeout', 0.5)
            path = tmp_path / 'loader.yaml'
            path.write_text(file.replace('WITHIN', within).replace('NAMESPACE', f'/{namespace}'))

            def make(context):
                return RobotBridgeNode(
                    context=context,
                    namespace=namespace,
                    parameter_overrides=[
                        Parameter('robot', value=str(path)),
                        Parameter('permission', value=permission),
                        *(Parameter(name, value=value) for name, value in values.items()),
                        Parameter('use_sim_time', value=use_sim_time),
                    ],
                )

            def make_client(context):
                return Node('client', context=context, namespace=namespace)

            node = stack.enter_context(spinning(make_client))
            bridge = stack.enter_context(spinning(make))
            found = Client(node, snapshots=False).find()
            found.bridge = bridge
            starting = (None, BridgeStatus.STATE_STARTING)
            wait_for(lambda: not waits or found.state not in starting, 'the robot')
            return found

        yield start
        loader.release.set()
