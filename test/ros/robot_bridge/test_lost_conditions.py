"""A condition that was verified and is lost before the end is open again: a robot with a door."""

from __future__ import annotations

import pytest
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from std_msgs.msg import Bool, String
from std_srvs.srv import Trigger

from reactree_core.cancellation import CancelToken
from reactree_core.record.events import Decision, DecisionKind
from reactree_core.record.run_settings import Limits
from reactree_planner.llm.registry import load_model, ModelOptions
from reactree_planner.planners.registry import make_planner
from reactree_planner.ros.bridge_services import SkillDeadlines
from reactree_planner.ros.skill_client import RosSkillServer
from reactree_planner.runs.run import carry_out, PlanRun
from reactree_planner.runs.run_ports import Ports
from reactree_planner.runs.settings import PlannerSettings
from reactree_tools.episode import InProcessMemory
from support.bridge_client import spinning

pytestmark = pytest.mark.timeout(120)

FILE = """\
robot: porter
places: {dock: {}, hall: {}}
things: {door: {place: dock}}
state:
  place: {topic: station, type: std_msgs/msg/String, field: data, age: 5 s, measured: true}
  facts:
    - topic: door
      type: std_msgs/msg/Bool
      name: door
      state: '{data}'
      words: {'true': open, 'false': closed}
      age: 5 s
      measured: true
skills:
  - skill: open the door
    effects: [door is open]
    inverse: close the door
    do: {service: std_srvs/srv/Trigger, name: open}
  - skill: close the door
    effects: [door is closed]
    inverse: open the door
    do: {service: std_srvs/srv/Trigger, name: close}
  - skill: drive to the hall
    effects: [at hall]
    do: {service: std_srvs/srv/Trigger, name: hall}
"""


class Porter(Node):
    """A robot with a door that the wind closes. :param gusts: how often, as it drives."""

    def __init__(self, **options):
        super().__init__('porter', **options)
        self.is_open, self.place, self.gusts = False, 'dock', 1
        group = ReentrantCallbackGroup()
        self.station = self.create_publisher(String, 'station', 10)
        self.door = self.create_publisher(Bool, 'door', 10)
        for name, act in (('open', self.open), ('close', self.close), ('hall', self.drive)):
            self.create_service(Trigger, name, act, callback_group=group)
        self.create_timer(0.05, self.publish, callback_group=group)

    def publish(self):
        self.station.publish(String(data=self.place))
        self.door.publish(Bool(data=self.is_open))

    def open(self, request, response):
        self.is_open = response.success = True
        return response

    def close(self, request, response):
        self.is_open, response.success = False, True
        return response

    def drive(self, request, response):
        self.place, response.success = 'hall', True
        if self.gusts:
            self.gusts -= 1
            self.is_open = False
        # Before the skill ends, as a real drive takes its time.
        self.publish()
        return response


@pytest.mark.parametrize('gusts', [0, 1])
def test_what_was_verified_and_is_lost_before_the_end_is_open_again(client, namespace, gusts):
    skills = []

    def note(event):
        if isinstance(event, Decision) and event.kind is DecisionKind.ACT:
            skills.append(event.skill)

    with spinning(lambda context: Porter(context=context, namespace=namespace), 4) as porter:
        porter.gusts = gusts
        client(file=FILE)
        with spinning(lambda c: Node('planner', context=c, namespace=namespace), 2) as node:
            server = RosSkillServer(
                node, lambda: SkillDeadlines(find=30.0, service=20.0, skill=60.0)
            )
            server.find(CancelToken())
            server.run_id = '5eed' * 8
            run = PlanRun(
                'open the door, then drive to the hall',
                Ports(load_model('none', ModelOptions()), server, InProcessMemory()),
                PlannerSettings(),
                Limits(30, 20),
                CancelToken(),
                note,
            )
            assert carry_out(make_planner('reactree'), run)
            ending = run.aims.ending
    acts = [skill for skill in skills if skill != 'done']
    again = ['open the door'] * gusts
    assert acts == ['open the door', 'drive to the hall', *again]
    assert porter.is_open and porter.place == 'hall'
    assert set(ending.verified) == {'door is open', 'at hall'} and ending.is_verified
