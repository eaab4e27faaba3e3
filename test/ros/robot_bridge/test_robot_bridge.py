"""Skills by a file become calls of a robot's interfaces; every end of them an observation."""

from __future__ import annotations

import threading

import pytest
from action_msgs.msg import GoalStatus
from geometry_msgs.msg import PoseStamped
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState
from rclpy.qos import qos_profile_sensor_data
from std_msgs.msg import Bool, String

from reactree_core.errors import ConfigurationError
from reactree_core.observation import Outcome
from reactree_core.ros import qos
from reactree_core.stop_log import stop_event, stop_log
from reactree_ros.msg import BridgeStatus
from reactree_tools.viewer.floor_plan import floor_plan
from reactree_tools.viewer.outline import outline
from reactree_tools.viewer.ros.ros_system_status import RosSystemStatus
from support.bridge_client import PATIENCE
from support.waiting import wait_for

ACTIVATE, DEACTIVATE = Transition.TRANSITION_ACTIVATE, Transition.TRANSITION_DEACTIVATE
CONFIGURE, CLEANUP = Transition.TRANSITION_CONFIGURE, Transition.TRANSITION_CLEANUP

WITH_A_MISTAKE = """\
robot: loader
skills:
  - skill: go
    do: {action: reactree_ros/action/ExecuteSkill, name: drive, send: {skil: go}}
"""


def look(client):
    return client.call('list_skills').observation


def test_a_look_tells_where_the_robot_is_and_what_it_can_do(client):
    bridge = client()
    wait_for(lambda: look(bridge).place == 'dock', 'the pose')
    answer = bridge.call('list_skills')
    assert answer.observation.text.startswith(
        'The named places are dock, shelf 1 (hall 1), ramp. You are at'
    )
    assert 'You hold nothing.' in answer.observation.text
    assert 'Known from before: crate 1 at shelf 1 (assumed).' in answer.observation.text
    assert 'go to shelf 1' in answer.admissible_skills
    assert 'go to dock' not in answer.admissible_skills
    assert 'take crate 1' not in answer.admissible_skills
    assert answer.skill_types[0].skill_template == 'go to <place>'
    assert answer.place_classes == ['dock', 'shelf', 'ramp']


def test_without_rules_nothing_moves_that_nobody_approved_or_after_an_emergency_stop(
    client, loader
):
    bridge = client(permission='')
    wait_for(lambda: look(bridge).place == 'dock', 'the pose')
    status, observation = bridge.execute('go to shelf 1', 1)
    assert (status, observation.outcome) == (GoalStatus.STATUS_ABORTED, Outcome.SAFETY_REJECTED)
    assert 'Nobody has approved "go to shelf 1"' in observation.text and not loader.orders
    assert bridge.execute('go to shelf 1', 2, approved=True)[1].outcome == Outcome.SUCCEEDED
    assert bridge.call('emergency_stop', data=True).success
    _, observation = bridge.execute('go to dock', 3, approved=True)
    assert observation.outcome == Outcome.SAFETY_REJECTED and len(loader.orders) == 1
    assert bridge.call('emergency_stop', data=False).success


def test_an_action_is_sent_what_the_file_says_and_told_on_the_way(client, loader):
    bridge, told = client(), []
    handle = bridge.start(
        'go to shelf 1', 1, feedback=lambda message: told.append(message.feedback)
    )
    status, observation = bridge.result(handle)
    assert (status, observation.outcome) == (GoalStatus.STATUS_SUCCEEDED, Outcome.SUCCEEDED)
    (order,) = loader.orders
    assert (order.skill, order.node_id, order.time_limit.sec) == ('to shelf 1', 3, 5)
    wait_for(lambda: len(told) > 1, 'feedback')
    assert (told[-1].status, told[-1].completion) == ('rolling to shelf 1', 0.25)
    assert observation.text.startswith('Done: go to shelf 1. You are at shelf 1.')
    assert (observation.place, observation.room) == ('shelf 1', 'hall 1')
    assert 'take crate 1' in observation.admissible_skills


@pytest.mark.parametrize(
    ('end', 'outcome', 'sentence'),
    [
        ('rejected', Outcome.PRECONDITION_FAILED, 'The action drive refused the goal'),
        ('aborted', Outcome.EXECUTION_FAILED, 'The action drive gave up'),
        ('refused', Outcome.PRECONDITION_FAILED, 'The drive says: a door is shut.'),
    ],
)
def test_a_goal_that_fails_is_an_observation(client, loader, end, outcome, sentence):
    loader.drive_ends = end
    bridge = client()
    wait_for(lambda: look(bridge).place == 'dock', 'the pose')
    status, observation = bridge.execute('go to shelf 1', 1)
    assert (status, observation.outcome) == (GoalStatus.STATUS_ABORTED, outcome)
    assert observation.text.startswith(sentence)
    assert observation.place == 'dock'


def test_an_action_that_does_not_end_by_its_limit_is_canceled(client, loader):
    loader.drive_ends = 'hanging'
    _, observation = client(within='300 ms').execute('go to shelf 1', 1)
    assert observation.outcome == Outcome.TIMED_OUT
    assert 'did not end within 0.3 s and was canceled.' in observation.text


def test_the_time_limit_of_a_goal_ends_its_action(client, loader):
    loader.drive_ends = 'hanging'
    _, observation = client().execute('go to shelf 1', 1, limit=0.3)
    assert observation.outcome == Outcome.TIMED_OUT
    assert 'The action drive ran out of time.' in observation.text


def test_a_cancel_reaches_the_robot(client, loader):
    loader.drive_ends = 'hanging'
    bridge = client()
    handle = bridge.start('go to shelf 1', 1)
    assert loader.driving.wait(PATIENCE)
    bridge.wait(handle.cancel_goal_async())
    status, observation = bridge.result(handle)
    assert (status, observation.outcome) == (GoalStatus.STATUS_CANCELED, Outcome.CANCELED)
    assert 'The action drive was canceled.' in observation.text


@pytest.mark.parametrize('stands', [False, True], ids=['', 'clock stands'])
def test_a_robot_that_does_not_stop_is_a_fault_until_it_does(client, loader, stands):
    loader.drive_ends = 'stubborn'
    bridge = client(use_sim_time=stands)
    states = []
    bridge.node.create_subscription(
        BridgeStatus, 'bridge_status', lambda message: states.append(message.state), 10
    )
    handle = bridge.start('go to shelf 1', 1)
    assert loader.driving.wait(PATIENCE)
    bridge.wait(handle.cancel_goal_async())
    _, observation = bridge.result(handle)
    assert observation.outcome == Outcome.CANCELED
    assert 'It has not reported its end yet.' in observation.text
    wait_for(lambda: BridgeStatus.STATE_FAULT in states, 'the fault')
    assert not bridge.start('go to dock', 2).accepted
    loader.release.set()
    wait_for(lambda: states[-1] == BridgeStatus.STATE_READY, 'the end of the fault')


def test_an_activation_waits_for_the_end_of_what_the_deactivation_ended(client, loader):
    loader.drive_ends = 'stubborn'
    bridge = client()
    handle = bridge.start('go to shelf 1', 1)
    assert loader.driving.wait(PATIENCE)
    bridge.change(DEACTIVATE, ACTIVATE)
    assert not bridge.start('go to dock', 2).accepted
    loader.release.set()
    assert bridge.result(handle)[1].outcome == Outcome.CANCELED
    wait_for(lambda: bridge.start('look around', 3).accepted, 'the next skill')


def test_a_robot_that_still_moves_is_a_fault_after_a_deactivation_too(client, loader):
    loader.drive_ends = 'stubborn'
    bridge, told = client(), []
    bridge.node.create_subscription(BridgeStatus, 'bridge_status', told.append, 10)
    handle = bridge.start('go to shelf 1', 1)
    assert loader.driving.wait(PATIENCE)
    bridge.wait(handle.cancel_goal_async())
    assert 'It has not reported its end yet.' in bridge.result(handle)[1].text
    bridge.change(DEACTIVATE, ACTIVATE)
    assert not bridge.start('aim at shelf 1', 2).accepted
    bridge.change(DEACTIVATE, CLEANUP, CONFIGURE, ACTIVATE)
    assert not bridge.start('aim at shelf 1', 3).accepted
    bridge.change(DEACTIVATE)
    before = len(told)
    wait_for(lambda: len(told) > before, 'the status')
    # Who reads the status of an inactive bridge is told that its robot moves.
    assert told[-1].state == BridgeStatus.STATE_FAULT
    assert 'The action drive has not ended' in told[-1].message
    loader.release.set()
    wait_for(lambda: told[-1].state == BridgeStatus.STATE_STARTING, 'the end of the fault')
    bridge.change(ACTIVATE)
    wait_for(lambda: bridge.state == BridgeStatus.STATE_READY, 'the robot')
    assert bridge.execute('aim at shelf 1', 4)[1].outcome == Outcome.SUCCEEDED


def test_a_file_that_has_changed_is_not_served_and_said_to_need_a_new_bridge(client, tmp_path):
    bridge, told = client(), []
    bridge.node.create_subscription(BridgeStatus, 'bridge_status', told.append, qos.latched())
    change = bridge.node.create_client(ChangeState, 'bridge/change_state')
    assert change.wait_for_service(PATIENCE)

    def to(transition):
        request = ChangeState.Request(transition=Transition(id=transition))
        return bridge.wait(change.call_async(request)).success

    path = tmp_path / 'loader.yaml'
    text = path.read_text()
    assert to(Transition.TRANSITION_DEACTIVATE) and to(Transition.TRANSITION_CLEANUP)
    for other in (text.replace('skill: push', 'skill: shove'), 'broken: ['):
        path.write_text(other)
        assert not to(Transition.TRANSITION_CONFIGURE)
        wait_for(lambda: told[-1].state == BridgeStatus.STATE_FAULT, 'the fault')
        assert 'restart it for what it says now' in told[-1].message
    path.write_text(text)
    assert to(Transition.TRANSITION_CONFIGURE) and to(Transition.TRANSITION_ACTIVATE)
    wait_for(lambda: told[-1].state == BridgeStatus.STATE_READY, 'the bridge')


def test_publishers_that_are_not_reliable_are_heard(client):
    bridge = client()
    told = []
    bridge.node.create_subscription(BridgeStatus, 'bridge_status', told.append, 10)
    heard, button = (
        bridge.node.create_publisher(Bool, name, qos_profile_sensor_data)
        for name in ('silence', 'bridge/emergency_stop')
    )
    for publisher in (heard, button):
        wait_for(publisher.get_subscription_count, 'the bridge', 5.0)
    handle = bridge.start('hear', 1)
    heard.publish(Bool(data=True))
    assert bridge.result(handle)[1].outcome == Outcome.SUCCEEDED
    button.publish(Bool(data=True))
    wait_for(lambda: told and told[-1].state == BridgeStatus.STATE_STOPPED, 'the stop', 5.0)


def test_an_emergency_stop_outlives_the_bridge(client, loader, namespace, tmp_path):
    # What the bridge before has left.
    name = f'/{namespace}/bridge'
    log = stop_log(name)
    log.append(stop_event(True, name, how='with `reactree stop`', by='ana'))
    bridge = client()
    _, observation = bridge.execute('go to dock', 1)
    assert observation.outcome == Outcome.SAFETY_REJECTED
    assert 'by ana' in observation.text and 'before this bridge started' in observation.text
    assert bridge.call('emergency_stop', data=False).success and not log.is_pressed
    assert bridge.call('emergency_stop', data=True).success and log.is_pressed
    # What cannot be written down is not released.
    log.path.unlink()
    log.path.mkdir()
    answer = bridge.call('emergency_stop', data=False)
    assert not answer.success and 'cannot be written' in answer.message
    assert bridge.execute('go to dock', 2)[1].outcome == Outcome.SAFETY_REJECTED
    log.path.rmdir()
    assert bridge.call('emergency_stop', data=False).success
    wait_for(lambda: bridge.state == BridgeStatus.STATE_READY, 'the robot')
    assert bridge.execute('go to dock', 3)[1].outcome == Outcome.SUCCEEDED


def test_a_button_that_latches_is_heard_by_a_bridge_that_starts_later(client, loader):
    loader.create_publisher(Bool, 'bridge/emergency_stop', qos.latched()).publish(Bool(data=True))
    bridge, told = client(), []
    bridge.node.create_subscription(BridgeStatus, 'bridge_status', told.append, 10)
    wait_for(lambda: told and told[-1].state == BridgeStatus.STATE_STOPPED, 'the stop', 5.0)


def test_a_fault_beneath_an_emergency_stop_ends_too(client, loader):
    loader.drive_ends = 'stubborn'
    bridge = client()
    told = []
    bridge.node.create_subscription(BridgeStatus, 'bridge_status', told.append, 10)
    handle = bridge.start('go to shelf 1', 1)
    assert loader.driving.wait(PATIENCE)
    bridge.call('emergency_stop', data=True)
    _, observation = bridge.result(handle)
    assert 'It has not reported its end yet.' in observation.text
    loader.release.set()
    # The bridge looks ten times a second whether the drive has ended.
    threading.Event().wait(1.0)
    bridge.call('emergency_stop', data=False)
    wait_for(lambda: told and told[-1].state == BridgeStatus.STATE_READY, 'ready', 5.0)


@pytest.mark.parametrize('stands', [False, True], ids=['', 'clock stands'])
def test_a_server_that_goes_in_mid_skill_is_said(client, loader, stands):
    loader.drive_ends = 'stubborn'
    bridge = client(use_sim_time=stands)
    handle = bridge.start('go to shelf 1', 1)
    assert loader.driving.wait(PATIENCE)
    loader.lose_drive()
    _, observation = bridge.result(handle)
    assert observation.outcome == Outcome.EXECUTION_FAILED
    assert 'The server of the action drive is gone while it was at work' in observation.text


def test_an_interface_that_nobody_serves_is_said_and_nothing_moves(client):
    bridge = client()
    _, observation = bridge.execute('charge', 1)
    assert observation.outcome == Outcome.PRECONDITION_FAILED
    assert observation.text.startswith('The service nowhere has no server: is it running')
    _, observation = bridge.execute('listen', 2)
    assert observation.outcome == Outcome.TIMED_OUT
    assert 'The topic silence did not say "data: True" within 0.2 s.' in observation.text


def test_a_sequence_is_done_in_order_and_ends_at_the_first_failure(client, loader):
    bridge = client()
    bridge.execute('go to shelf 1', 1)
    loader.orders.clear()
    loader.drive_ends = 'slippery'
    _, observation = bridge.execute('take crate 1', 2)
    assert observation.outcome == Outcome.EXECUTION_FAILED
    assert observation.text.startswith(
        'The service grip did not do it: nothing is between the fingers.'
    )
    assert len(loader.orders) == 1
    loader.drive_ends = 'succeeded'
    _, observation = bridge.execute('take crate 1', 3)
    assert observation.outcome == Outcome.SUCCEEDED
    assert observation.text.startswith('You took crate 1.')
    assert list(observation.held) == ['crate 1']
    assert loader.orders[-1] == String(data='I have crate 1')
    _, observation = bridge.execute('take crate 1', 4)
    assert observation.outcome == Outcome.PRECONDITION_FAILED
    assert observation.text.startswith('Your hands are not free: you hold crate 1.')


def test_what_the_needs_say_is_not_begun(client, loader):
    bridge = client()
    wait_for(lambda: look(bridge).place == 'dock', 'the pose')
    _, observation = bridge.execute('take crate 1', 1)
    assert observation.outcome == Outcome.PRECONDITION_FAILED
    assert observation.text.startswith('crate 1 is at shelf 1, not here at dock.')
    assert not loader.orders


def test_what_does_not_fit_its_slot_is_invalid_and_nothing_is_sent(client, loader, written):
    water = """\
  - skill: 'wet <crate: crate> with <ml> ml'
    slots: {ml: {number: 0..300, unit: ml, step: 10}}
    needs: [not holding <crate>]
    do:
      action: reactree_ros/action/ExecuteSkill
      name: drive
      send: {skill: wet <crate>, sequence: <ml>}
  - skill: charge
"""
    file = written.replace('  - skill: charge\n', water)
    file = file.replace('things:\n', 'things:\n  vent: {place: shelf 1}\n')
    bridge = client(file=file)
    answer = bridge.call('list_skills')
    told = {one.skill_template: one for one in answer.skill_types}
    assert told['wet <crate> with <ml> ml'].slot_types == [
        'thing: crate', 'number: 0..300 step 10 ml',
    ]  # fmt: skip
    assert told['wet <crate> with <ml> ml'].needs == ['not holding <crate>']
    assert [text for text in answer.admissible_skills if text.startswith('wet')] == [
        'wet crate 1 with <ml> ml'
    ]
    refused = {
        'wet vent with 10 ml': '<crate> takes a crate, and "vent" is none.',
        'wet crate 1 with -50 ml': '<ml> takes 0 to 300 ml in steps of 10, not -50.',
        'wet crate 1 with 310 ml': '<ml> takes 0 to 300 ml in steps of 10, not 310.',
        'wet crate 1 with 12 ml': '<ml> takes 0 to 300 ml in steps of 10, not 12.',
        'wet crate 1 with 1e2 ml': '<ml> takes a number such as 50 or 2.5, not "1e2".',
        'wet crate 1 with ٣٠ ml': '<ml> takes a number such as 50 or 2.5, not "٣٠".',
        'wet crate 1 with <ml> ml': '<ml> takes a number such as 50 or 2.5, not "<ml>".',
    }
    for number, (skill, sentence) in enumerate(refused.items(), 1):
        _, observation = bridge.execute(skill, number)
        assert observation.outcome == Outcome.INVALID_SKILL, skill
        assert observation.text.startswith(sentence)
    assert not loader.orders
    _, observation = bridge.execute('wet crate 1 with 300 ml', len(refused) + 1)
    assert observation.outcome == Outcome.SUCCEEDED
    assert loader.orders[-1].sequence == 300


def test_names_that_nobody_knows_are_invalid(client, loader):
    bridge = client()
    _, observation = bridge.execute('go to shelf 2', 1)
    assert observation.outcome == Outcome.INVALID_SKILL
    assert observation.text.startswith(
        'There is no place "shelf 2" that is known; did you mean "shelf 1"?'
    )
    assert bridge.execute('dance', 2)[1].outcome == Outcome.INVALID_SKILL
    assert not loader.orders


def test_the_same_number_is_done_once_also_by_the_robot(client, loader):
    bridge = client()
    first = bridge.execute('go to shelf 1', 1)[1]
    assert not bridge.start('go to shelf 1', 1).accepted
    assert first.outcome == Outcome.SUCCEEDED
    assert len(loader.orders) == 1


def test_places_of_parameters_and_messages_that_are_held(client, loader):
    bridge = client()
    _, observation = bridge.execute('aim at ramp', 1)
    assert observation.outcome == Outcome.SUCCEEDED
    wait_for(lambda: loader.orders, 'the aim')
    aim = loader.orders[0]
    assert isinstance(aim, PoseStamped)
    assert (aim.header.frame_id, aim.pose.position.x, aim.pose.position.y) == ('map', 9.0, 1.0)
    loader.orders.clear()
    bridge.execute('push', 2)
    wait_for(lambda: Bool(data=False) in loader.orders, 'the last message')
    assert loader.orders.count(Bool(data=True)) > 3
    assert loader.orders[-1] == Bool(data=False)


def test_a_robot_cannot_be_reset_and_judges_nothing(client):
    bridge = client()
    assert not bridge.call('reset_world').success
    state = bridge.call('get_world_state', include_graph=True)
    assert not state.has_goal
    assert state.scene == 'loader'
    assert '"name":"shelf 1"' in state.graph


def test_a_viewer_is_told_of_the_robot_and_its_map(client, loader):
    bridge = client()
    learned = []
    around = RosSystemStatus(
        bridge.node,
        lambda: PATIENCE,
        at_work=lambda: '',
        model=lambda: ('', 0.0),
        learn=learned.append,
        answers=False,
    )
    wait_for(lambda: learned, 'the declared skills')
    assert 'go to <place>' in learned[0].templates
    # A robot has no scene: by its name the page knows that there is something to ask for.
    wait_for(lambda: around.scene == 'loader', 'the status')
    wait_for(lambda: around.graph()[1]['floor']['here'] == 'dock', 'the pose')
    # A parameter of the robot tells where the ramp is.
    wait_for(lambda: len(floor_plan(*around.graph()).locations) == 3, 'the pose of the ramp')
    name, graph = around.graph()
    plan = floor_plan(name, graph)
    assert (plan.scene, plan.robot, plan.map.frame) == ('loader', (0, 0), 'map')
    assert [(box.name, box.x, box.y) for box in plan.locations] == [
        ('dock', 0, 0),
        ('shelf 1', 3, 0),
        ('ramp', 9, -1),
    ]
    _, observation = bridge.execute('go to shelf 1', 1)
    # Limits of distance count what the base has gone.
    assert observation.distance == pytest.approx(3.0)
    plan = floor_plan(*around.graph())
    assert plan.robot == (3, 0) and plan.map.way == ((0, 0), (3, 0))
    assert outline(graph).name == 'loader'


def test_a_file_with_mistakes_starts_no_node(client):
    with pytest.raises(ConfigurationError, match=r'line 4: the goal of .* has no field "skil"'):
        client(file=WITH_A_MISTAKE)


def test_a_skill_that_a_sense_denies_has_failed_whatever_the_robot_reports(client, loader):
    bridge = client()
    wait_for(lambda: look(bridge).place == 'dock', 'the pose')
    assert bridge.execute('go to shelf 1', 1)[1].outcome == Outcome.SUCCEEDED
    loader.drive_ends = 'missing'
    observation = bridge.execute('take crate 1', 2)[1]
    assert observation.outcome == Outcome.EXECUTION_FAILED
    assert observation.text.startswith('It was reported as done, but by held it was not. You do n')
    assert 'You hold nothing.' in observation.text and not observation.held
    assert list(observation.sensed) == ['at', 'holding']
    assert 'crate 1 in shelf 1' in observation.assumed
    loader.drive_ends = 'succeeded'
    observation = bridge.execute('take crate 1', 3)[1]
    assert observation.outcome == Outcome.SUCCEEDED
    assert 'You hold crate 1 (by held).' in observation.text
    assert list(observation.held) == ['crate 1'] and not observation.assumed


UNHEARD = """\
robot: loader
state:
  held: {topic: said, type: std_msgs/msg/String, field: data, latched: true}
skills:
  - skill: take <thing>
    kind: take
    do: {service: std_srvs/srv/Trigger, name: nowhere, find: 0.2}
"""


def test_a_source_that_is_published_otherwise_is_said_in_the_observation(client, loader):
    loader.create_publisher(String, 'said', 10)
    bridge = client(file=UNHEARD)
    said = 'What you hold is not known: said is published volatile: its last message is not kept'
    wait_for(lambda: said in look(bridge).text, 'the reason')
