"""Sources of a robot's state besides topics: services that are asked, and transforms."""

from __future__ import annotations

import json
import math
import threading

import pytest
from geometry_msgs.msg import TransformStamped
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.qos import DurabilityPolicy, QoSProfile
from std_srvs.srv import SetBool
from tf2_msgs import msg as tf2

from reactree_core.observation import Outcome
from reactree_ros.msg import ObjectFact, Observation
from reactree_ros.srv import ListSkills
from support.bridge_client import PATIENCE
from support.waiting import wait_for

SKILLS = """\
skills:
  - skill: go to <place>
    kind: move
    do: {action: reactree_ros/action/ExecuteSkill, name: drive, send: {skill: to <place>}}
  - skill: take <thing>
    slots: [thing]
    kind: take
    needs: [<thing> in here]
    do: {service: std_srvs/srv/SetBool, name: grip, send: {data: true}}
  - skill: charge
    do: {service: std_srvs/srv/Trigger, name: nowhere, find: 0.2}
"""
BY_SERVICES = (
    """\
robot: loader
places:
  dock: {frame: map, x: 0, y: 0}
  shelf 1: {frame: map, x: 3, y: 0}
state:
  settle: 0.1
  pose: {topic: pose, type: geometry_msgs/msg/PoseStamped, field: pose, latched: true}
  facts:
    - service: scan
      type: reactree_ros/srv/ListSkills
      field: observation.facts
      name: '{object_class} {instance}'
      place: '{receptacle}'
      state: '{state}'
      words: {stacked: on others}
      when: {seen_by: camera}
      whole: true
      within: 300 ms
    - service: gate
      type: std_srvs/srv/SetBool
      send: {data: true}
      name: gate 1
      place: dock
      state: '{message}'
      within: 300 ms
"""
    + SKILLS
)


class Scanner:
    """Serves what the loader sees, and how its gate is; `lost` while it does not answer."""

    def __init__(self, node):
        self.node = node
        self.group = MutuallyExclusiveCallbackGroup()
        self.seen = []
        self.gate = 'closed'
        self.asked = []
        self.answers = threading.Event()
        self.answers.set()
        self.scanning = None
        node.create_service(SetBool, 'gate', self.tell_gate)

    def begin(self):
        self.scanning = self.node.create_service(
            ListSkills, 'scan', self.scan, callback_group=self.group
        )

    def end(self):
        """The service goes, while no other thread of the executor is in it."""

        def go():
            timer.cancel()
            self.scanning.destroy()

        timer = self.node.create_timer(0.001, go, callback_group=self.group)

    def see(self, *seen):
        """Things that are told. :param seen: class, number, place and state."""
        self.seen = [
            ObjectFact(
                object_class=kind, instance=number, receptacle=place, state=state, seen_by='camera'
            )
            for kind, number, place, state in seen
        ]

    def scan(self, request, response):
        self.answers.wait(PATIENCE)
        ghost = ObjectFact(object_class='ghost', instance=1, receptacle='dock')
        response.observation.facts = [ghost, *self.seen]
        return response

    def tell_gate(self, request, response):
        self.asked.append(request.data)
        response.message = self.gate
        return response


@pytest.fixture
def scanner(loader):
    made = Scanner(loader)
    yield made
    made.answers.set()


def look(bridge):
    return bridge.call('list_skills').observation


def test_facts_of_a_service_are_asked_for_at_every_look_and_before_a_skill(
    client, loader, scanner
):
    scanner.see(('crate', 2, 'dock', 'stacked'), ('crate', 5, 'shelf 1', ''))
    scanner.begin()
    bridge = client(file=BY_SERVICES)
    wait_for(lambda: 'crate 2' in look(bridge).text, 'the first answer')
    text = look(bridge).text
    assert 'You see crate 2 at dock (on others), crate 5 at shelf 1 and gate 1 at dock' in text
    assert 'gate 1 at dock (closed)' in text and 'ghost' not in text
    # What the file says is sent.
    assert scanner.asked and all(scanner.asked)
    # Nobody has looked since: the skill is judged by what is so now.
    scanner.see(('crate', 7, 'dock', ''), ('crate', 5, 'shelf 1', ''))
    scanner.gate = 'open'
    _, observation = bridge.execute('take crate 7', 1)
    assert observation.outcome == Outcome.SUCCEEDED
    assert 'gate 1 at dock (open)' in observation.text
    # It told all that is here: what it has left out is no longer here.
    scanner.see(('crate', 5, 'shelf 1', ''))
    observation = look(bridge)
    assert 'crate 2' not in observation.text and 'crate 5 at shelf 1' in observation.text
    assert list(observation.looked_at) == ['dock']


def test_a_service_that_is_not_there_or_does_not_answer_is_said_and_asked_again(
    client, loader, scanner
):
    scanner.gate = ''
    bridge = client(file=BY_SERVICES)
    wait_for(lambda: 'gate 1' in look(bridge).text, 'the other service')
    assert 'crate' not in look(bridge).text and not look(bridge).looked_at
    scanner.see(('crate', 2, 'dock', ''))
    scanner.begin()
    wait_for(lambda: 'You see crate 2 at dock' in look(bridge).text, 'the service that came')
    scanner.answers.clear()
    observation = look(bridge)
    # Only as long as the file says is waited, and what was known stays known.
    assert 'Known from before: crate 2 at dock (last seen ' in observation.text
    assert not observation.looked_at
    scanner.answers.set()
    wait_for(lambda: 'You see crate 2 at dock' in look(bridge).text, 'the answer')
    scanner.end()
    known = 'Known from before: crate 2 at dock (last seen '
    wait_for(lambda: known in look(bridge).text, 'the end of the service')


def test_whoever_watches_the_map_asks_services_now_and_then_and_a_look_always(
    client, loader, scanner
):
    bridge = client(file=BY_SERVICES)
    wait_for(lambda: 'gate 1' in look(bridge).text, 'the service')
    before = len(scanner.asked)
    for _ in range(20):
        bridge.call('get_world_state', include_graph=True)
    assert len(scanner.asked) - before < 20
    before = len(scanner.asked)
    for _ in range(3):
        look(bridge)
    assert len(scanner.asked) == before + 3


ONLY_SCAN = BY_SERVICES[: BY_SERVICES.index('    - service: gate')] + SKILLS


def test_that_nothing_is_known_of_what_is_here_is_said(client, loader, scanner):
    bridge = client(file=ONLY_SCAN)
    wait_for(lambda: 'You are at dock.' in look(bridge).text, 'the pose')
    assert 'What is here is not known: scan does not answer.' in look(bridge).text
    assert bridge.execute('go to shelf 1', 1)[1].outcome == Outcome.SUCCEEDED


# Transforms -----------------------------------------------------------------------------------

BY_TF = (
    """\
robot: loader
places:
  dock: {frame: NAME_map, x: 0, y: 0}
  shelf 1: {frame: NAME_map, x: 3, y: 1, yaw: 90 deg}
  cart: {frame: NAME_map, tf: NAME_cart}
state:
  settle: 0
  pose: {tf: NAME_base, frame: NAME_map, age: AGE}
"""
    + SKILLS
)


class Broadcaster:
    """Tells transforms as a robot does: fixed ones once, those that move again and again.

    :param name: begins all frames, since every robot of a domain shares `/tf`.
    """

    def __init__(self, node, name):
        self.name = name
        self.moving = {}
        self.publisher = node.create_publisher(tf2.TFMessage, '/tf', 100)
        lasting = QoSProfile(depth=10, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self.lasting = node.create_publisher(tf2.TFMessage, '/tf_static', lasting)
        self.node = node
        node.create_timer(0.02, self.tell)

    def transform(self, child, parent, x, y, yaw):
        message = TransformStamped(child_frame_id=f'{self.name}_{child}')
        message.header.frame_id = f'{self.name}_{parent}'
        message.header.stamp = self.node.get_clock().now().to_msg()
        message.transform.translation.x, message.transform.translation.y = float(x), float(y)
        message.transform.rotation.z = math.sin(yaw / 2)
        message.transform.rotation.w = math.cos(yaw / 2)
        return message

    def fix(self, *transforms):
        self.lasting.publish(
            tf2.TFMessage(transforms=[self.transform(*one) for one in transforms])
        )

    def move(self, child, parent, x, y, yaw=0.0):
        self.moving = {**self.moving, child: (child, parent, x, y, yaw)}

    def lose(self, child):
        self.moving = {name: told for name, told in self.moving.items() if name != child}

    def tell(self):
        moving = [self.transform(*told) for told in self.moving.values()]
        if moving:
            self.publisher.publish(tf2.TFMessage(transforms=moving))


@pytest.fixture
def frames(loader, namespace):
    return Broadcaster(loader, namespace)


@pytest.fixture
def by_tf(client, frames):
    """A client of a bridge whose robot is where transforms say. :param age: of the file."""

    def start(age='0.5 s'):
        return client(file=BY_TF.replace('NAME', frames.name).replace('AGE', age))

    return start


def robot_floor(bridge):
    return json.loads(bridge.call('get_world_state', include_graph=True).graph)['floor']


def test_a_robot_is_where_a_chain_of_transforms_says(by_tf, frames):
    frames.fix(('cart', 'map', -2, 0, 0), ('base', 'chassis', 0.25, 0, 0))
    frames.move('odom', 'map', 1, 0, math.pi / 2)
    frames.move('chassis', 'odom', 1, -2.0, math.pi)
    bridge = by_tf()
    # From (1, 0) odom looks along y: 1 m ahead, 2 m to the right, and turned round there.
    wait_for(lambda: look(bridge).place == 'shelf 1', 'the transforms')
    floor = robot_floor(bridge)
    assert floor['agent'] == pytest.approx([3.0, 0.75]) and floor['here'] == 'shelf 1'
    assert floor['heading'] == pytest.approx(-math.pi / 2, abs=1e-3)
    assert floor['age'] <= 0.5 and floor['trouble'] == ''
    assert {one['name']: one['at'] for one in floor['locations']} == {
        'dock': [0, 0],
        'shelf 1': [3, 1],
        'cart': [-2, 0],
    }
    # It goes on by its wheels, and its localisation corrects it.
    frames.move('odom', 'map', -2, 0, math.pi / 2)
    frames.move('chassis', 'odom', 0.5, -2.0, math.pi)
    wait_for(lambda: look(bridge).place == 'dock', 'the new transforms')
    floor = robot_floor(bridge)
    assert floor['way'][0] == [3.0, 0.75] and floor['way'][-1] == [0.0, 0.25]


def test_a_frame_that_is_missing_is_said_until_it_is_there(by_tf, frames):
    bridge = by_tf()
    lost = f'nothing on /tf names "{frames.name}_base"'
    assert f'Where you are is not known: no transform from "{frames.name}_base"' in (
        look(bridge).text
    )
    floor = robot_floor(bridge)
    assert lost in floor['trouble'] and 'agent' not in floor and floor['way'] == []
    assert [one['name'] for one in floor['unplaced']] == ['cart']
    # What is not known forbids nothing: the drive finds out.
    assert bridge.execute('go to shelf 1', 1)[1].outcome == Outcome.SUCCEEDED
    # The base hangs on a frame that nothing ties to the map yet.
    frames.move('base', 'odom', 0, 0)
    wait_for(lambda: f'names "{frames.name}_map"' in look(bridge).text, 'half of the chain')
    frames.move('odom', 'map', 0.1, 0)
    wait_for(lambda: look(bridge).place == 'dock', 'the whole chain')
    assert 'not known' not in look(bridge).text
    frames.fix(('cart', 'map', 0.2, 0, 0))
    wait_for(lambda: robot_floor(bridge)['unplaced'] == [], 'the place that moves')
    assert robot_floor(bridge)['agent'] == pytest.approx([0.1, 0.0])


def test_a_transform_that_is_too_old_counts_as_not_known_until_a_newer_one(by_tf, frames):
    frames.move('odom', 'map', 0, 0)
    frames.move('base', 'odom', 0, 0)
    bridge = by_tf()
    wait_for(lambda: look(bridge).place == 'dock', 'the transforms')
    # The wheels go on telling; what ties them to the map does not.
    frames.lose('odom')
    old = f'the transform of "{frames.name}_odom" is too old'
    wait_for(lambda: old in look(bridge).text, 'the age of the transform')
    observation = look(bridge)
    assert observation.place == '' and f'Where you are is not known: {old}.' in observation.text
    floor = robot_floor(bridge)
    # Where it was stays on the map, with its age.
    assert floor['trouble'] == old and floor['agent'] == [0, 0] and floor['age'] >= 0.5
    frames.move('odom', 'map', 3, 1)
    wait_for(lambda: look(bridge).place == 'shelf 1', 'the newer transform')
    floor = robot_floor(bridge)
    assert floor['trouble'] == '' and floor['age'] <= 0.5


def test_without_an_age_the_newest_transform_counts_for_ever_and_is_told_as_old(by_tf, frames):
    frames.move('base', 'map', 3, 1)
    bridge = by_tf(age='0')
    wait_for(lambda: look(bridge).place == 'shelf 1', 'the transform')
    frames.lose('base')
    wait_for(lambda: robot_floor(bridge)['age'] > 0.5, 'the age of the transform')
    assert look(bridge).place == 'shelf 1' and robot_floor(bridge)['trouble'] == ''


BY_CAMERA = (
    """\
robot: loader
places:
  dock: {frame: map, x: 0, y: 0}
  shelf 1: {frame: map, x: 3, y: 0}
state:
  settle: 0.05
  pose: {topic: pose, type: geometry_msgs/msg/PoseStamped, field: pose, latched: true}
  facts:
    - topic: seen
      type: reactree_ros/msg/Observation
      field: facts
      name: '{object_class} {instance}'
      place: here
      whole: true
      age: 2 s
"""
    + SKILLS
)


def test_what_a_slow_camera_saw_before_is_not_where_the_robot_has_come(client, loader):
    camera = loader.create_publisher(Observation, 'seen', 10)
    things = {0.0: 1, 3.0: 2}
    at = [0.0]
    be_at = loader.be_at

    def arrive(x):
        at[0] = x
        be_at(x)

    def see():
        fact = ObjectFact(object_class='crate', instance=things[at[0]])
        camera.publish(Observation(facts=[fact]))

    loader.be_at = arrive
    loader.create_timer(0.5, see)
    bridge = client(file=BY_CAMERA)
    wait_for(lambda: 'crate 1 at dock' in look(bridge).text, 'the camera')
    for sequence, (place, number) in enumerate((('shelf 1', 2), ('dock', 1), ('shelf 1', 2)), 1):
        _, observation = bridge.execute(f'go to {place}', sequence)
        assert observation.looked_at == [place]
        assert [fact.instance for fact in observation.facts if fact.receptacle == place] == [
            number
        ]
