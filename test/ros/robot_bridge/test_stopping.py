"""A robot moves only while its bridge knows why: orphaned goals, stops, signals, servers."""

from __future__ import annotations

import pytest
from action_msgs.msg import GoalStatus
from lifecycle_msgs.msg import Transition
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from rclpy.task import Future
from std_msgs.msg import Bool, String
from std_srvs.srv import SetBool, Trigger
from test.ros.robot_bridge.conftest import FILE
from unique_identifier_msgs.msg import UUID

from reactree_core.observation import Outcome
from reactree_core.ros import qos
from reactree_core.ros.actions import ActionClient
from reactree_core.stop_log import stop_event, stop_log
from reactree_ros.action import ExecuteSkill
from reactree_ros.msg import BridgeStatus
from robot_bridge.goal_ids import goal_id_of
from support.bridge_client import Client, PATIENCE, spinning
from support.waiting import wait_for

READY, FAULT, STOPPED = (
    BridgeStatus.STATE_READY, BridgeStatus.STATE_FAULT, BridgeStatus.STATE_STOPPED
)  # fmt: skip
STARTING = BridgeStatus.STATE_STARTING
OWN_STOP = """\
emergency_stop:
  pressed: {topic: stopped, type: std_msgs/msg/Bool, field: data, latched: true}
  press: {service: std_srvs/srv/Trigger, name: halt}
"""
MODE = """\
ready:
  - topic: mode
    type: std_msgs/msg/String
    when: {data: [automatic, remote]}
    latched: true
    say: The key of the robot is not at automatic.
"""


@pytest.fixture
def somebody(loader, namespace):
    """Sends goals to the drive, as a bridge that has died, or as somebody else."""
    with spinning(lambda context: ActionNode(context, namespace)) as node:
        yield node


class ActionNode(Node):
    """A client of the drive."""

    def __init__(self, context, namespace):
        super().__init__('somebody', context=context, namespace=namespace)
        self.drive = ActionClient(self, ExecuteSkill, 'drive')

    def send(self, goal_id=None):
        assert self.drive.wait_for_server(PATIENCE)
        goal_id = None if goal_id is None else UUID(uuid=list(goal_id))
        handle = Client.wait(self.drive.send_goal_async(ExecuteSkill.Goal(), goal_uuid=goal_id))
        assert handle.accepted
        return handle


def until(bridge, state, words=''):
    """Wait for a state, and a message with these words."""
    wait_for(
        lambda: bridge.state == state and words in bridge.told[-1].message,
        f'state {state} with "{words}"; {bridge.told[-1:]}',
    )


@pytest.mark.parametrize('ours', [True, False], ids=['of a dead bridge', 'of somebody else'])
def test_a_bridge_that_starts_ends_what_its_robot_is_at(client, loader, somebody, ours):
    loader.drive_ends = 'hanging'
    handle = somebody.send(goal_id_of(None, 1) if ours else None)
    assert loader.driving.wait(PATIENCE)
    bridge = client(waits=False)
    assert Client.wait(handle.get_result_async()).status == GoalStatus.STATUS_CANCELED
    until(bridge, READY)
    assert BridgeStatus.STATE_BUSY not in [told.state for told in bridge.told]


def test_nothing_begins_beside_a_goal_that_goes_on_and_the_stop_says_that_it_does(
    client, loader, somebody
):
    loader.drive_ends = 'stubborn'
    handle = somebody.send(goal_id_of(None, 1))
    assert loader.driving.wait(PATIENCE)
    bridge = client(stop_timeout=1.0)
    until(bridge, FAULT, 'The action drive has not ended')
    assert not bridge.start('aim at shelf 1', 1).accepted
    answer = bridge.call('emergency_stop', data=True)
    assert not answer.success
    assert 'The action drive has not ended: the robot still moves.' in answer.message
    # Whoever reads the status is told the same.
    until(bridge, STOPPED, 'The action drive has not ended')
    assert bridge.call('emergency_stop', data=False).success
    until(bridge, FAULT)
    loader.release.set()
    assert Client.wait(handle.get_result_async()).status == GoalStatus.STATUS_CANCELED
    until(bridge, READY)
    answer = bridge.call('emergency_stop', data=True)
    assert answer.success and "All goals of the robot's actions have ended." in answer.message


def test_a_goal_of_somebody_else_is_a_fault_and_is_left_alone_until_a_stop(
    client, loader, somebody
):
    bridge = client()
    loader.drive_ends = 'hanging'
    handle = somebody.send()
    assert loader.driving.wait(PATIENCE)
    until(bridge, FAULT, 'The action drive works on a goal of somebody else')
    assert not bridge.start('go to shelf 1', 1).accepted
    assert handle.status not in (GoalStatus.STATUS_CANCELING, GoalStatus.STATUS_CANCELED)
    assert bridge.call('emergency_stop', data=True).success
    assert Client.wait(handle.get_result_async()).status == GoalStatus.STATUS_CANCELED
    assert bridge.call('emergency_stop', data=False).success
    until(bridge, READY)


def test_a_goal_that_somebody_sends_while_it_is_stopped_is_canceled(client, loader, somebody):
    bridge = client()
    assert bridge.call('emergency_stop', data=True).success
    until(bridge, STOPPED)
    loader.drive_ends = 'hanging'
    for _ in range(2):
        handle = somebody.send()
        assert Client.wait(handle.get_result_async()).status == GoalStatus.STATUS_CANCELED
    assert bridge.call('emergency_stop', data=False).success
    until(bridge, READY)
    loader.driving.clear()
    handle = somebody.send()
    assert loader.driving.wait(PATIENCE)
    until(bridge, FAULT, 'The action drive works on a goal of somebody else')
    bridge.call('emergency_stop', data=True)
    assert Client.wait(handle.get_result_async()).status == GoalStatus.STATUS_CANCELED


def test_a_deactivation_ends_what_anybody_has_sent(client, loader, somebody):
    bridge = client()
    loader.drive_ends = 'hanging'
    handle = somebody.send()
    assert loader.driving.wait(PATIENCE)
    until(bridge, FAULT)
    bridge.change(Transition.TRANSITION_DEACTIVATE)
    assert Client.wait(handle.get_result_async()).status == GoalStatus.STATUS_CANCELED
    until(bridge, STARTING)


def test_a_stop_ends_the_running_skill_and_says_so_when_it_has_ended(client, loader):
    loader.drive_ends = 'hanging'
    bridge = client()
    handle = bridge.start('go to shelf 1', 1)
    assert loader.driving.wait(PATIENCE)
    answer = bridge.call('emergency_stop', data=True)
    assert answer.success, answer.message
    assert bridge.result(handle)[1].outcome == Outcome.CANCELED


def test_a_goal_that_its_server_has_yet_to_take_is_not_known_to_have_stopped(client, loader):
    loader.drive_ends = 'considering'
    bridge = client(stop_timeout=0.5)
    bridge.start('go to shelf 1', 1)
    assert loader.driving.wait(PATIENCE)
    answer = bridge.call('emergency_stop', data=True)
    assert not answer.success
    wait_for(lambda: 'drive' in bridge.call('emergency_stop', data=True).message, 'the action')
    loader.release.set()
    wait_for(lambda: bridge.call('emergency_stop', data=True).success, 'the end of the goal')


def test_a_service_that_was_called_and_is_silent_is_not_known_to_have_stopped(client, loader):
    loader.drive_ends = 'grips for long'
    bridge = client(
        file=FILE.replace('needs: [hands free, <thing> in here]', ''), stop_timeout=0.3
    )
    handle = bridge.start('take crate 1', 1)
    assert loader.driving.wait(PATIENCE)
    answer = bridge.call('emergency_stop', data=True)
    assert not answer.success
    assert 'The service grip was called and has not answered' in answer.message
    assert bridge.result(handle)[1].outcome == Outcome.CANCELED
    loader.release.set()
    wait_for(lambda: bridge.call('emergency_stop', data=True).success, 'the answer')


def test_a_bridge_that_is_ready_reports_what_has_not_answered_as_long_as_it_has_not(
    client, loader
):
    loader.drive_ends = 'grips for long'
    bridge = client(
        file=FILE.replace('needs: [hands free, <thing> in here]', ''), stop_timeout=0.3
    )
    bridge.start('take crate 1', 1)
    assert loader.driving.wait(PATIENCE)
    assert not bridge.call('emergency_stop', data=True).success
    assert bridge.call('emergency_stop', data=False).success
    until(bridge, READY, 'The service grip was called and has not answered')
    loader.release.set()
    wait_for(lambda: 'grip' not in bridge.told[-1].message, 'its answer')


def test_a_service_is_not_called_beside_a_call_that_was_not_answered(client, loader):
    loader.drive_ends = 'grips for long'
    bridge = client(
        file=FILE.replace('needs: [hands free, <thing> in here]', ''), stop_timeout=0.3
    )
    handle = bridge.start('take crate 1', 1)
    assert loader.driving.wait(PATIENCE)
    assert not bridge.call('emergency_stop', data=True).success
    assert bridge.result(handle)[1].outcome == Outcome.CANCELED
    released = bridge.call('emergency_stop', data=False)
    assert released.success
    assert 'The service grip was called and has not answered' in released.message
    grips = [one for one in loader.orders if isinstance(one, SetBool.Request)]
    _, observation = bridge.execute('take crate 1', 2)
    assert observation.outcome == Outcome.PRECONDITION_FAILED
    assert 'was called before and has not answered' in observation.text
    assert [one for one in loader.orders if isinstance(one, SetBool.Request)] == grips
    loader.release.set()
    wait_for(lambda: 'grip' not in bridge.call('emergency_stop', data=False).message, 'the answer')
    assert bridge.execute('take crate 1', 3)[1].outcome == Outcome.SUCCEEDED


def test_a_service_is_called_again_once_another_server_is_in_the_place_of_the_one_called(
    client, loader
):
    loader.drive_ends = 'grips for long'
    bridge = client(
        file=FILE.replace('needs: [hands free, <thing> in here]', ''), stop_timeout=0.3
    )
    handle = bridge.start('take crate 1', 1)
    assert loader.driving.wait(PATIENCE)
    bridge.call('emergency_stop', data=True)
    bridge.result(handle)
    # As if the server had been killed, and another one had come up.
    bridge.bridge._goals._called['grip'].servers = frozenset({b'killed'})
    loader.drive_ends = 'succeeded'
    wait_for(lambda: not bridge.bridge._goals.is_called('grip'), 'that its server is another')
    assert bridge.call('emergency_stop', data=False).message.endswith('skills may run.')
    assert bridge.execute('take crate 1', 2)[1].outcome == Outcome.SUCCEEDED


def test_nothing_is_repeated_once_a_press_is_in_the_log(client, loader, namespace):
    bridge = client(file=FILE.replace('hold: 0.3', 'hold: 20'))
    handle = bridge.start('push', 1)
    wait_for(lambda: Bool(data=True) in loader.orders, 'a push')
    stop = bridge.bridge._stop
    # As in a process that was suspended, nobody has looked yet when the next push is due.
    stop.close()
    name = f'/{namespace}/bridge'
    stop_log(name).append(stop_event(True, name))
    pushes = loader.orders.count(Bool(data=True))
    assert bridge.result(handle)[1].outcome == Outcome.CANCELED
    wait_for(lambda: loader.orders[-1] == Bool(data=False), 'the end of the push')
    # One may have been on its way.
    assert loader.orders.count(Bool(data=True)) <= pushes + 1


# The robot's own stop and mode --------------------------------------------------------------


@pytest.fixture
def own_stop(loader):
    """Presses or releases the emergency stop of the robot; its calls are in `loader.orders`."""
    stopped = loader.create_publisher(Bool, 'stopped', qos.latched())

    def halt(request, response):
        loader.orders.append(request)
        stopped.publish(Bool(data=True))
        response.success = True
        return response

    loader.create_service(Trigger, 'halt', halt)
    return lambda pressed: stopped.publish(Bool(data=pressed))


def test_the_emergency_stop_of_the_robot_stops_its_bridge_until_a_person_releases_both(
    client, loader, own_stop
):
    own_stop(False)
    bridge = client(file=FILE + OWN_STOP)
    loader.drive_ends = 'hanging'
    handle = bridge.start('go to shelf 1', 1)
    assert loader.driving.wait(PATIENCE)
    own_stop(True)
    assert bridge.result(handle)[1].outcome == Outcome.CANCELED
    until(bridge, STOPPED, '(by the robot itself)')
    sent = len(loader.orders)
    assert bridge.execute('aim at shelf 1', 2)[1].outcome == Outcome.SAFETY_REJECTED
    answer = bridge.call('emergency_stop', data=False)
    assert not answer.success and 'release it first' in answer.message
    # What ends at the robot alone is not enough.
    own_stop(False)
    wait_for(lambda: bridge.call('emergency_stop', data=False).success, 'the release')
    until(bridge, READY)
    assert len(loader.orders) == sent


def test_a_bridge_presses_the_emergency_stop_of_its_robot(client, loader, own_stop):
    own_stop(False)
    bridge = client(file=FILE + OWN_STOP)
    answer = bridge.call('emergency_stop', data=True)
    assert answer.success and any(isinstance(order, Trigger.Request) for order in loader.orders)
    wait_for(lambda: not bridge.call('emergency_stop', data=False).success, 'that it is pressed')


def test_a_press_that_hangs_is_not_called_beside_until_it_has_answered(client, loader):
    stopped = loader.create_publisher(Bool, 'stopped', qos.latched())
    stopped.publish(Bool(data=False))
    silence, group = Future(executor=loader.executor), ReentrantCallbackGroup()

    async def halt(request, response):
        loader.orders.append(request)
        await silence
        response.success = True
        return response

    loader.create_service(Trigger, 'halt', halt, callback_group=group)
    bridge = client(file=FILE + OWN_STOP, stop_timeout=0.3)

    def calls():
        return sum(isinstance(order, Trigger.Request) for order in loader.orders)

    try:
        for _ in range(3):
            answer = bridge.call('emergency_stop', data=True)
            assert not answer.success and 'halt, has not answered.' in answer.message
        assert calls() == 1
    finally:
        silence.set_result(None)
        loader.executor.wake()
    wait_for(lambda: bridge.call('emergency_stop', data=True).success, 'the answer')
    assert bridge.call('emergency_stop', data=True).success
    assert calls() >= 2


def test_a_stop_says_that_the_robot_did_not_take_it(client, loader, own_stop):
    own_stop(False)
    bridge = client(file=FILE + OWN_STOP.replace('halt', 'no_such_service'), stop_timeout=0.2)
    answer = bridge.call('emergency_stop', data=True)
    assert not answer.success
    assert 'no_such_service, was not pressed: it is not there.' in answer.message


def test_what_nobody_tells_of_an_emergency_stop_counts_as_pressed(client, loader, own_stop):
    bridge = client(file=FILE + OWN_STOP, waits=False)
    until(bridge, STARTING, 'Whether the emergency stop of the robot is pressed is not known')
    assert not bridge.start('aim at shelf 1', 1).accepted
    own_stop(False)
    until(bridge, READY)


def test_a_robot_that_is_not_ready_gets_no_skill(client, loader):
    mode = loader.create_publisher(String, 'mode', qos.latched())
    bridge = client(file=FILE + MODE, waits=False)
    until(bridge, STARTING, 'mode says nothing')
    mode.publish(String(data='manual'))
    until(bridge, STARTING, 'The key of the robot is not at automatic.')
    assert not bridge.start('aim at shelf 1', 1).accepted
    mode.publish(String(data='automatic'))
    until(bridge, READY)
    mode.publish(String(data='manual'))
    until(bridge, FAULT, 'The key of the robot is not at automatic.')
    assert not bridge.start('aim at shelf 1', 2).accepted
    mode.publish(String(data='remote'))
    until(bridge, READY)


def test_a_service_tells_whether_a_robot_is_ready(client, loader):
    answers = {'success': False}

    def tell(request, response):
        response.success = answers['success']
        return response

    loader.create_service(SetBool, 'enabled', tell)
    signal = 'ready: {service: enabled, type: std_srvs/srv/SetBool, field: success}\n'
    bridge = client(file=FILE + signal, waits=False)
    until(bridge, STARTING, 'enabled does not say so')
    answers['success'] = True
    until(bridge, READY)


def test_servers_that_are_missing_are_waited_for_and_named_before_the_first_skill(client, loader):
    bridge = client(server_timeout=60.0, waits=False)
    until(bridge, STARTING, 'Waits for the service nowhere.')
    loader.create_service(Trigger, 'nowhere', lambda request, response: response)
    until(bridge, READY)
    assert bridge.told[-1].message == ''


def test_a_server_that_stays_away_is_named_when_the_robot_is_ready(client):
    bridge = client(server_timeout=0.3)
    until(bridge, READY, 'Not there: the service nowhere. Skills that need it fail.')
