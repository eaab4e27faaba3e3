"""Numbers of topics and skills that wait, with real nodes."""

from __future__ import annotations

import math
import threading
import time

import pytest
from rclpy.impl.rcutils_logger import RcutilsLogger
from rclpy.node import Node
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import BatteryState

from reactree_core.cancellation import CancelToken
from reactree_core.observation import Outcome
from reactree_planner.ros.bridge_services import SkillDeadlines
from reactree_planner.ros.skill_client import RosSkillServer
from reactree_ros.msg import BridgeStatus, Fact
from support.bridge_client import RUN, spinning
from support.waiting import wait_for

FILE = """\
robot: gardener
places:
  dock: {frame: map, x: 0, y: 0}
  shelf 1: {frame: map, x: 3, y: 0}
state:
  settle: 0.1
  pose: {topic: pose, type: geometry_msgs/msg/PoseStamped, field: pose, latched: true}
  numbers:
    battery:
      topic: battery
      type: sensor_msgs/msg/BatteryState
      field: percentage
      unit: '%'
      age: 1 s
      words: {low: '< 20 %', full: '> 95 %'}
skills:
  - skill: go to <place>
    kind: move
    needs: [battery > 20 %]
    do: {action: reactree_ros/action/ExecuteSkill, name: drive, send: {skill: to <place>}}
  - skill: wait <time> seconds
    slots: {<time>: {number: 0..600, unit: s}}
    do: {wait: <time>}
  - skill: charge
    do: {until: battery > 95 %, within: 20 s}
  - skill: charge quickly
    do: {until: battery > 95 %, within: 300 ms}
"""


class Battery:
    """Publishes what it holds, again and again, until it is silent."""

    def __init__(self, node):
        self.percentage = 0.5
        self.is_silent = False
        self._publisher = node.create_publisher(BatteryState, 'battery', 10)
        node.create_timer(0.05, self.tell)

    def tell(self):
        if not self.is_silent:
            self._publisher.publish(BatteryState(percentage=self.percentage))


@pytest.fixture
def battery(loader):
    return Battery(loader)


@pytest.fixture
def bridge(client, battery):
    made = client(file=FILE)
    wait_for(lambda: 'battery is 50 %' in look(made).text, 'the battery')
    return made


def look(bridge):
    return bridge.call('list_skills').observation


def state_of(bridge, name):
    facts = look(bridge).facts
    return next(fact.state for fact in facts if fact.object_class == name)


def test_a_number_is_told_and_lets_a_skill_begin(bridge, battery):
    assert state_of(bridge, 'battery') == '50 %'
    assert bridge.execute('go to shelf 1', 1)[1].outcome == Outcome.SUCCEEDED
    battery.percentage = 0.1
    wait_for(lambda: state_of(bridge, 'battery') == 'low, 10 %', 'the number')
    _, observation = bridge.execute('go to dock', 2)
    assert observation.outcome == Outcome.PRECONDITION_FAILED
    assert 'needed is battery > 20 %' in observation.text


@pytest.mark.parametrize('percentage', [None, math.nan])
def test_what_is_silent_or_no_number_is_not_known_and_lets_nothing_begin(
    bridge, battery, loader, percentage
):
    if percentage is None:
        battery.is_silent = True
    else:
        battery.percentage = percentage
    wait_for(lambda: state_of(bridge, 'battery') == '', 'the end of the number')
    assert 'The battery is not known' in look(bridge).text
    _, observation = bridge.execute('go to shelf 1', 1)
    assert observation.outcome == Outcome.PRECONDITION_FAILED
    assert 'battery > 20 % is not known' in observation.text
    assert not loader.orders


def test_a_number_in_another_scale_is_not_known_and_is_said_once(
    client, battery, loader, monkeypatch
):
    warned = []
    monkeypatch.setattr(RcutilsLogger, 'warning', lambda self, text, **_: warned.append(text))
    battery.percentage = 80.0
    bridge = client(file=FILE)
    wait_for(lambda: 'percentage 80' in look(bridge).text, 'the battery')
    told = look(bridge)
    assert 'which is outside 0 to 1 (is it 0 to 100? Then write "scale: 1")' in told.text
    assert not told.evidence or all('battery' not in fact.fact for fact in told.evidence)
    _, observation = bridge.execute('go to shelf 1', 1)
    assert observation.outcome == Outcome.PRECONDITION_FAILED
    assert 'battery says percentage 80' in observation.text and not loader.orders
    assert len([text for text in warned if 'percentage' in text]) == 1
    # What comes into range later is in the wrong scale all the same.
    battery.percentage = 0.9
    wait_for(lambda: 'once says percentage 80' in look(bridge).text, 'the number')
    assert state_of(bridge, 'battery') == ''


def test_a_fact_says_by_which_topic_and_when(bridge):
    told = look(bridge)
    (fact,) = (one for one in told.evidence if one.fact == 'battery is 50 %')
    assert (fact.kind, fact.source.rpartition('/')[2], fact.age) == (
        Fact.KIND_SENSOR,
        'battery',
        1.0,
    )
    age = (
        told.header.stamp.sec
        - fact.stamp.sec
        + ((told.header.stamp.nanosec - fact.stamp.nanosec) * 1e-9)
    )
    assert 0.0 <= age < 5.0


def test_a_wait_takes_its_time_and_tells_how_much_is_left(bridge):
    told = []
    began = time.monotonic()
    handle = bridge.start('wait 1.5 seconds', 1, feedback=lambda m: told.append(m.feedback))
    _, observation = bridge.result(handle)
    assert observation.outcome == Outcome.SUCCEEDED
    assert 1.5 <= time.monotonic() - began < 10.0
    assert any('s left' in one.status for one in told)
    assert any(0.0 < one.completion < 1.0 for one in told)


def test_a_wait_ends_when_it_is_canceled(bridge):
    began = threading.Event()
    handle = bridge.start('wait 500 seconds', 1, feedback=lambda _: began.set())
    assert began.wait(20.0)
    bridge.wait(handle.cancel_goal_async())
    _, observation = bridge.result(handle)
    assert observation.outcome == Outcome.CANCELED
    assert 'was canceled' in observation.text


def test_a_fact_that_comes_ends_a_wait(bridge, battery):
    began = threading.Event()
    handle = bridge.start('charge', 1, feedback=lambda _: began.set())
    assert began.wait(20.0)
    battery.percentage = 0.97
    _, observation = bridge.result(handle)
    assert observation.outcome == Outcome.SUCCEEDED
    assert 'battery is 97 % (full)' in observation.text


def test_a_fact_that_does_not_come_ends_it_at_its_deadline(bridge):
    _, observation = bridge.execute('charge quickly', 1)
    assert observation.outcome == Outcome.TIMED_OUT
    assert 'needed is battery > 95 %' in observation.text


def test_a_fact_of_a_silent_source_never_ends_it(bridge, battery):
    battery.percentage = 0.97
    wait_for(lambda: 'full' in state_of(bridge, 'battery'), 'the number')
    battery.is_silent = True
    wait_for(lambda: state_of(bridge, 'battery') == '', 'the end of the number')
    _, observation = bridge.execute('charge quickly', 1)
    assert observation.outcome == Outcome.TIMED_OUT
    assert 'is not known' in observation.text


def test_a_wait_goes_by_the_simulated_clock(client, battery, loader):
    clock = loader.create_publisher(Clock, '/clock', 10)
    seconds = [1000]

    def tick(by):
        seconds[0] += by
        message = Clock()
        message.clock.sec = seconds[0]
        clock.publish(message)

    bridge = client(file=FILE, use_sim_time=True, waits=False)
    starting = (None, BridgeStatus.STATE_STARTING)
    wait_for(lambda: tick(0) or bridge.state not in starting, 'the robot')
    told = threading.Event()
    handle = bridge.start('wait 100 seconds', 1, feedback=lambda _: told.set())
    wait_for(lambda: tick(0) or told.is_set(), 'the wait')
    result = handle.get_result_async()
    began = time.monotonic()
    for _ in range(9):
        tick(10)
    assert not result.done()
    wait_for(lambda: tick(10) or result.done(), 'the end of the wait')
    assert result.result().result.observation.outcome == Outcome.SUCCEEDED
    assert time.monotonic() - began < 60.0


def test_a_wait_goes_on_while_its_planner_starts_again(bridge, namespace):
    told = threading.Event()
    began = time.monotonic()
    bridge.start('wait 3 seconds', 1, feedback=lambda _: told.set())
    assert told.wait(20.0)

    def make(context):
        return Node('planner', context=context, namespace=namespace)

    # The planner is restarted, and sends the same goal under its own number again.
    with spinning(make, 2) as node:
        server = RosSkillServer(node, lambda: SkillDeadlines(find=30.0, service=20.0, skill=60.0))
        server.find(CancelToken())
        server.run_id = RUN
        observation = server.execute(1, 7, 'wait 3 seconds', CancelToken())
        assert observation.succeeded
        assert 3.0 <= time.monotonic() - began < 6.0
        # And once more, when it is over.
        began = time.monotonic()
        assert server.execute(1, 7, 'wait 3 seconds', CancelToken()).succeeded
        assert time.monotonic() - began < 2.5
