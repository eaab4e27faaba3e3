"""Two robots with a bridge process each: what one senses, the other knows, by message."""

from __future__ import annotations

import subprocess
import sys
import uuid
from contextlib import ExitStack

import pytest
from rclpy.context import Context
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.qos import DurabilityPolicy, QoSProfile
from std_msgs.msg import Bool, String
from unique_identifier_msgs.msg import UUID

from reactree_core.ros import qos
from reactree_core.ros.actions import ActionClient
from reactree_core.ros.spinning import NodesInThread
from reactree_planner.ros.node import PlannerNode
from reactree_ros.action import PlanTask
from reactree_ros.msg import Decision, Fact, ObjectFact, Observation
from reactree_ros.srv import ListSkills
from support.waiting import result_of, wait_for

PATIENCE = 60.0
STATE = """\
hands: 1
places: {store: {}, yard: {}, dock: {}}
classes: [{name: crate, kind: thing}]
state:
  settle: 0.3
  place: {topic: place, type: std_msgs/msg/String, field: data, latched: true}
  held: {topic: held, type: std_msgs/msg/String, field: data, latched: true}
  facts:
    - topic: camera
      type: reactree_ros/msg/Observation
      field: facts
      name: '{object_class} {instance}'
      place: '{receptacle}'
      age: 30 s
skills:
  - skill: go to <place>
    kind: move
    do:
      - {publish: std_msgs/msg/String, name: order, send: {data: at <place>}}
      - {await: std_msgs/msg/Bool, name: obeyed, when: {data: true}, within: 10 s}
"""
SCOUT = f'robot: scout\n{STATE}'
CARRIER = f"""robot: carrier
{STATE}  - skill: pick up <thing>
    kind: take
    do:
      - {{publish: std_msgs/msg/String, name: order, send: {{data: take <thing>}}}}
      - {{await: std_msgs/msg/Bool, name: obeyed, when: {{data: true}}, within: 10 s}}
  - skill: put <thing> on <place>
    kind: put
    needs: [at <place>]
    do:
      - {{publish: std_msgs/msg/String, name: order, send: {{data: lay <thing>}}}}
      - {{await: std_msgs/msg/Bool, name: obeyed, when: {{data: true}}, within: 10 s}}
"""


class Machine:
    """A robot's own side: where it is, what it holds and what its camera sees, by topics."""

    def __init__(self, node, who, things):
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self._place = node.create_publisher(String, f'{who}/place', latched)
        self._held = node.create_publisher(String, f'{who}/held', latched)
        self._camera = node.create_publisher(Observation, f'{who}/camera', latched)
        self._obeyed = node.create_publisher(Bool, f'{who}/obeyed', 10)
        node.create_subscription(String, f'{who}/order', self._obey, 10)
        #: Where things are in truth; of all machines.
        self.things = things
        self.at, self.held = 'dock', ''
        self.tell()

    def tell(self):
        self._place.publish(String(data=self.at))
        self._held.publish(String(data=self.held))

    def see(self, *shown):
        """Have the camera say where things are. :param shown: name and place."""
        facts = [
            ObjectFact(object_class=name.split()[0], instance=int(name.split()[1]), receptacle=at)
            for name, at in shown
        ]
        self._camera.publish(Observation(facts=facts))

    def _obey(self, message):
        word, _, name = message.data.partition(' ')
        if word == 'at':
            self.at = name
        elif word == 'take' and self.things.get(name) == self.at:
            self.held, self.things[name] = name, ''
        elif word == 'lay':
            self.held, self.things[name] = '', self.at
        self.tell()
        self.see(*((name, place) for name, place in self.things.items() if place == self.at))
        self._obeyed.publish(Bool(data=True))


class Yard:
    """Two machines, a bridge process for each, and the planner; its events are kept."""

    def __init__(self, stack, folder):
        self._stack, self._namespace = stack, f'/y{uuid.uuid4().hex[:8]}'
        self.things = {'crate 1': 'yard'}
        self.client = self._run(Node, 'client')
        self.scout = Machine(self.client, 'robot_1', self.things)
        self.carrier = Machine(self.client, 'robot_2', self.things)
        for who, text in (('robot_1', SCOUT), ('robot_2', CARRIER)):
            path = folder / f'{who}.yaml'
            path.write_text(text)
            words = [sys.executable, '-m', 'robot_bridge.ros.node', '--ros-args']
            given = ['-p', f'robot:={path}', '-p', 'permission:=allow']
            process = subprocess.Popen([*words, *given, '-r', f'__ns:={self._namespace}/{who}'])
            stack.callback(process.wait, PATIENCE)
            stack.callback(process.kill)
        self._run(
            PlannerNode,
            team=['robot_1', 'robot_2'],
            model='none',
            memory=False,
            permission='allow',
            journal_directory=str(folder / 'runs'),
        )
        self.events = []
        for kind, topic in ((Decision, 'decisions'), (Observation, 'observations')):
            self.client.create_subscription(
                kind, f'planner/{topic}', self.events.append, qos.events()
            )
        self.action = ActionClient(self.client, PlanTask, 'planner/plan_task')
        assert self.action.wait_for_server(PATIENCE)
        self._listing = {
            who: self.client.create_client(ListSkills, f'{who}/bridge/list_skills')
            for who in ('robot_1', 'robot_2')
        }
        for listing in self._listing.values():
            assert listing.wait_for_service(PATIENCE)

    def evidence_of(self, who):
        """Facts that a bridge names its sources of, as texts."""
        answer = result_of(self._listing[who].call_async(ListSkills.Request()))
        return [fact.fact for fact in answer.observation.evidence]

    def _run(self, make, *names, **values):
        context = Context()
        context.init()
        self._stack.callback(context.try_shutdown)
        overrides = [Parameter(name, value=value) for name, value in values.items()]
        node = make(
            *names, context=context, namespace=self._namespace, parameter_overrides=overrides
        )
        thread = NodesInThread(context, node, threads=4)
        thread.start()
        self._stack.callback(thread.end, PATIENCE)
        return node

    def plan(self, task):
        handle = result_of(
            self.action.send_goal_async(
                PlanTask.Goal(task=task), goal_uuid=UUID(uuid=list(uuid.uuid4().bytes))
            )
        )
        return result_of(handle.get_result_async()).result

    def skills_of(self, who):
        acts = [one for one in self.events if isinstance(one, Decision)]
        return [one.skill for one in acts if one.kind == one.KIND_ACT and one.who == who]


@pytest.fixture
def yard(tmp_path):
    with ExitStack() as stack:
        yield Yard(stack, tmp_path)


@pytest.mark.timeout(180)
def test_what_one_robot_senses_guides_another_whose_newer_sight_overrides_it(yard):
    # The scout has seen the crate in the store; somebody has carried it to the yard since.
    yard.scout.see(('crate 1', 'store'))
    wait_for(lambda: 'crate 1 in store' in yard.evidence_of('robot_1'), 'the crate')
    assert not any('crate' in fact for fact in yard.evidence_of('robot_2'))
    result = yard.plan('Put crate 1 on the dock.')
    assert result.success, result.error_msg
    carried = yard.skills_of('robot_2')
    # Hearsay guides the carrier to the store; what its own camera does not see there, it seeks on.
    assert carried[0] == 'go to store'
    assert carried[-4:] == ['go to yard', 'pick up crate 1', 'go to dock', 'put crate 1 on dock']
    assert yard.things == {'crate 1': 'dock'}
    assert list(result.verified) == ['crate 1 in dock']
    by_scout = [
        fact
        for one in yard.events
        if isinstance(one, Observation) and one.who == 'robot_1'
        for fact in one.evidence
        if fact.fact == 'crate 1 in store'
    ]
    assert by_scout and {(one.kind, one.age) for one in by_scout} == {(Fact.KIND_SENSOR, 30.0)}
    assert all(one.source.endswith('camera') for one in by_scout)
