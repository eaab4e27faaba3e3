"""ExecuteSkill over real DDS."""

from __future__ import annotations

import itertools
import threading
import time
import uuid

import pytest
from action_msgs.msg import GoalStatus
from diagnostic_msgs.msg import DiagnosticStatus
from lifecycle_msgs.msg import Transition
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import SetParameters
from rosgraph_msgs.msg import Clock
from unique_identifier_msgs.msg import UUID

from reactree_core.ros.conversions import run_id_from_message
from reactree_ros.msg import BridgeStatus, Observation
from skill_server.ros import skill_action
from support.diagnostics import Diagnostics

ACTIVATE, DEACTIVATE = Transition.TRANSITION_ACTIVATE, Transition.TRANSITION_DEACTIVATE
CONFIGURE, CLEANUP = Transition.TRANSITION_CONFIGURE, Transition.TRANSITION_CLEANUP
RUN = '5eed' * 8
#: Seconds within which a cancel must have ended a skill.
AT_ONCE = 0.5
#: Seconds by which a busy machine may be late.
SLACK = 10.0


def test_a_skill_succeeds_with_everything_filled(serve, world):
    status, observation = serve().execute('press button 1', 3)
    assert status == GoalStatus.STATUS_SUCCEEDED
    assert observation.outcome == Observation.OUTCOME_SUCCEEDED
    assert observation.text == 'You press button.'
    assert run_id_from_message(observation.run_id) == RUN
    assert (observation.sequence, observation.node_id) == (3, 7)
    assert observation.skill == 'press button 1'
    assert (observation.place, observation.room) == ('hall 1', 'hall 1')
    assert observation.admissible_skills == ['press button 1']
    assert observation.header.stamp.sec > 0
    (fact,) = observation.facts
    assert (fact.object_class, fact.instance, fact.receptacle) == ('button', 1, 'wall 1')
    assert fact.seen_at == observation.header.stamp
    assert world.asked == ['press button 1']


def test_an_unknown_skill_is_invalid_and_changes_nothing(serve, world):
    client = serve()
    status, observation = client.execute('sing', 1)
    assert status == GoalStatus.STATUS_ABORTED
    assert observation.outcome == Observation.OUTCOME_INVALID_SKILL
    assert observation.text == 'There is no skill sing.'
    assert world.pressed == 0
    assert client.call('get_world_state').skills_executed == 0


@pytest.mark.parametrize('skill', ['', '   ', 'press ' * 200, 'ß' * 300])
def test_an_empty_or_endless_skill_is_invalid_without_asking_the_world(serve, world, skill):
    status, observation = serve().execute(skill, 1)
    assert status == GoalStatus.STATUS_ABORTED
    assert observation.outcome == Observation.OUTCOME_INVALID_SKILL
    assert 'send one of the admissible skills' in observation.text
    assert observation.admissible_skills == ['press button 1']
    assert len(observation.skill.encode()) <= 512
    assert world.asked == []


def test_a_failed_precondition_aborts_with_a_filled_observation(serve):
    status, observation = serve().execute('press wall 1', 1)
    assert status == GoalStatus.STATUS_ABORTED
    assert observation.outcome == Observation.OUTCOME_PRECONDITION_FAILED
    assert observation.text == 'Nothing to press.'


@pytest.mark.parametrize('skill', ['crash', 'lie'])
def test_a_world_that_breaks_still_gets_a_filled_observation(serve, skill):
    client = serve()
    status, observation = client.execute(skill, 1)
    assert status == GoalStatus.STATUS_ABORTED
    assert observation.outcome == Observation.OUTCOME_EXECUTION_FAILED
    assert observation.text
    assert (observation.skill, observation.sequence) == (skill, 1)
    status, observation = client.execute('press button 1', 2)
    assert status == GoalStatus.STATUS_SUCCEEDED


def cancel(client, handle):
    """Cancel a running skill: seconds until its result is here, status, and observation."""
    result = handle.get_result_async()
    asked = time.monotonic()
    client.wait(handle.cancel_goal_async())
    answer = client.wait(result)
    return time.monotonic() - asked, answer.status, answer.result.observation


def test_a_cancel_ends_a_long_skill_at_once_and_the_world_is_unchanged(serve, world):
    client = serve(skill_duration=60.0)
    took = []
    for sequence in (1, 2, 3):  # the machine may be busy with something else once
        begun = threading.Event()
        handle = client.start('press button 1', sequence, feedback=lambda _, e=begun: e.set())
        assert begun.wait(SLACK)
        seconds, status, observation = cancel(client, handle)
        took.append(seconds)
        assert status == GoalStatus.STATUS_CANCELED
        assert observation.outcome == Observation.OUTCOME_CANCELED
        assert 'before it took effect' in observation.text
    assert min(took) < AT_ONCE
    assert world.asked == []


# One thread begins a skill before it hears of its cancel.
@pytest.mark.parametrize('threads', [4], indirect=True)
def test_a_cancel_between_acceptance_and_begin_ends_the_skill(serve, monkeypatch):
    accept, canceled = skill_action.SkillAction._accept, threading.Event()

    def slow_accept(action, handle):
        # rclpy has told the client already that the goal is accepted.
        canceled.wait(SLACK)
        accept(action, handle)

    monkeypatch.setattr(skill_action.SkillAction, '_accept', slow_accept)
    client = serve(skill_duration=60.0)
    handle = client.start('press button 1', 1)
    assert client.wait(handle.cancel_goal_async()).goals_canceling
    canceled.set()
    status, observation = client.result(handle)
    assert status == GoalStatus.STATUS_CANCELED
    assert observation.outcome == Observation.OUTCOME_CANCELED


def test_an_emergency_stop_while_a_skill_begins_ends_it(serve, monkeypatch):
    make = skill_action.RunningSkill
    client = serve(skill_duration=60.0)

    def make_late(node, *arguments):
        # Pressed by another thread, after the bridge was claimed for the skill.
        node._status.press('Pressed.')
        node._action.end_running('the emergency stop')
        return make(node, *arguments)

    monkeypatch.setattr(skill_action, 'RunningSkill', make_late)
    status, observation = client.execute('press button 1', 1)
    assert status == GoalStatus.STATUS_ABORTED
    assert 'was stopped by the emergency stop' in observation.text


def test_a_cancel_ends_a_skill_even_while_the_world_hangs(serve, world, statuses):
    client = serve()
    handle = client.start('hang', 1)
    assert world.hanging.wait(SLACK)
    _, status, observation = cancel(client, handle)
    assert status == GoalStatus.STATUS_CANCELED
    assert 'look before you go on' in observation.text
    statuses.until(lambda states: states[-1] == BridgeStatus.STATE_FAULT)
    assert 'hang' in statuses.messages[-1].message
    assert not client.start('press button 1', 2).accepted
    world.release.set()
    statuses.until(lambda states: states[-1] == BridgeStatus.STATE_READY)
    assert client.execute('press button 1', 3)[0] == GoalStatus.STATUS_SUCCEEDED


def test_a_world_that_tells_nothing_is_given_a_text(serve):
    _, observation = serve().execute('whisper', 1)
    assert observation.text == 'Nothing is told.'


def test_a_world_that_is_gone_is_a_fault_until_it_is_reset(serve, world, statuses):
    client = serve()
    status, observation = client.execute('die', 1)
    assert status == GoalStatus.STATUS_ABORTED
    assert observation.outcome == Observation.OUTCOME_EXECUTION_FAILED
    assert 'reset the world' in observation.text
    statuses.until(lambda states: states[-1] == BridgeStatus.STATE_FAULT)
    assert statuses.messages[-1].message == 'the toy has ended: reset the world'
    assert not client.start('press button 1', 2).accepted
    assert not client.call('snapshot_world').success
    client.change(DEACTIVATE, ACTIVATE)
    assert not client.start('press button 1', 3).accepted
    assert not client.call('reset_world', scene='missing').success
    assert not client.start('press button 1', 4).accepted
    assert client.call('reset_world', scene='hall').success
    statuses.until(lambda states: states[-1] == BridgeStatus.STATE_READY)
    assert client.execute('press button 1', 5)[0] == GoalStatus.STATUS_SUCCEEDED


def test_the_late_end_of_a_skill_says_nothing_of_another_world(serve, world, statuses):
    client = serve()
    handle = client.start('hang', 1)
    assert world.hanging.wait(SLACK)
    cancel(client, handle)
    client.change(DEACTIVATE, ACTIVATE)
    assert not client.start('press button 1', 2).accepted
    # The world is let go while it hangs, and another one is made.
    late, world.release = world.release, threading.Event()
    *_, left = (thread for thread in threading.enumerate() if thread.name == 'world')
    client.change(DEACTIVATE, CLEANUP, CONFIGURE, ACTIVATE)
    world.hanging.clear()
    handle = client.start('hang', 3)
    assert world.hanging.wait(SLACK)
    late.set()
    left.join(SLACK)
    assert not left.is_alive()
    assert 'BUSY: hang' in client.call('reset_world').message
    assert not client.start('press button 1', 4).accepted
    assert statuses.states[-1] == BridgeStatus.STATE_BUSY
    world.release.set()
    assert client.result(handle)[0] == GoalStatus.STATUS_SUCCEEDED


@pytest.mark.parametrize('duration', [0.0, 60.0])
@pytest.mark.parametrize('limit_in', ['goal', 'parameter'])
def test_a_time_limit_ends_a_skill(serve, duration, limit_in):
    in_goal = limit_in == 'goal'
    client = serve(skill_duration=duration, skill_time_limit=60.0 if in_goal else 0.2)
    began = time.monotonic()
    skill = 'press button 1' if duration else 'hang'
    status, observation = client.execute(skill, 1, limit=0.2 if in_goal else 0.0)
    assert 0.2 <= time.monotonic() - began < SLACK
    assert status == GoalStatus.STATUS_ABORTED
    assert observation.outcome == Observation.OUTCOME_TIMED_OUT
    assert 'ran out of time' in observation.text


def test_a_skill_within_its_time_limit_succeeds(serve):
    client = serve(skill_duration=0.1)
    assert client.execute('press button 1', 1, limit=30.0)[0] == GoalStatus.STATUS_SUCCEEDED


def test_a_second_skill_is_rejected_while_one_runs(serve, world):
    client = serve()
    first = client.start('hang', 1)
    result = first.get_result_async()
    assert world.hanging.wait(SLACK)
    assert not client.start('press button 1', 2).accepted
    world.release.set()
    assert client.wait(result).status == GoalStatus.STATUS_SUCCEEDED
    assert world.asked == ['hang']


def test_the_same_goal_id_runs_once(serve, world):
    client = serve()
    assert client.execute('press button 1', 1)[0] == GoalStatus.STATUS_SUCCEEDED
    assert not client.start('press button 1', 1).accepted
    assert world.pressed == 1


def test_the_same_number_of_a_run_is_answered_from_memory(serve, world):
    client = serve()
    _, first = client.execute('press button 1', 1)
    again = UUID(uuid=list(uuid.uuid4().bytes))
    status, second = client.execute('press button 1', 1, goal_id=again)
    assert status == GoalStatus.STATUS_SUCCEEDED
    assert second == first
    assert world.pressed == 1


def test_the_same_number_with_another_skill_is_invalid(serve, world):
    client = serve()
    client.execute('press button 1', 1)
    again = UUID(uuid=list(uuid.uuid4().bytes))
    status, observation = client.execute('press wall 1', 1, goal_id=again)
    assert status == GoalStatus.STATUS_ABORTED
    assert observation.outcome == Observation.OUTCOME_INVALID_SKILL
    assert 'take a new number' in observation.text
    third = UUID(uuid=list(uuid.uuid4().bytes))
    assert client.execute('press button 1', 1, goal_id=third)[0] == GoalStatus.STATUS_SUCCEEDED
    assert world.asked == ['press button 1']


def test_outside_a_run_every_goal_is_executed(serve, world):
    client = serve()
    client.execute('press button 1')
    client.execute('press button 1')
    assert world.pressed == 2


def test_a_skill_that_takes_time_tells_how_far_it_is(serve):
    client = serve(skill_duration=2.2)
    heard = []
    client.execute('press button 1', 1, feedback=lambda message: heard.append(message.feedback))
    parts = [feedback.completion for feedback in heard]
    assert parts[0] == 0.0
    assert len(parts) > 3
    assert parts == sorted(parts)
    assert parts[-1] <= 1.0
    assert heard[0].status == 'doing press button 1'


def test_injected_failures_leave_the_world_alone(serve, world):
    client = serve(failure_probability=1.0)
    status, observation = client.execute('press button 1', 1)
    assert status == GoalStatus.STATUS_ABORTED
    assert observation.outcome == Observation.OUTCOME_EXECUTION_FAILED
    assert observation.facts == []
    assert observation.admissible_skills == ['press button 1']
    assert client.execute('sing', 2)[1].outcome == Observation.OUTCOME_INVALID_SKILL
    assert world.pressed == 0
    assert client.call('get_world_state').skills_executed == 1


def test_the_duration_can_be_changed_while_the_bridge_runs(serve, client_node):
    client = serve(skill_duration=60.0)
    service = client_node.create_client(SetParameters, 'bridge/set_parameters')
    assert service.wait_for_service(SLACK)

    def change(number):
        value = ParameterValue(type=ParameterType.PARAMETER_DOUBLE, double_value=number)
        parameter = Parameter(name='skill_duration', value=value)
        return client.wait(
            service.call_async(SetParameters.Request(parameters=[parameter]))
        ).results[0]

    assert 'at least 0' in change(-1.0).reason or not change(-1.0).successful
    assert change(0.0).successful
    assert client.execute('press button 1', 1)[0] == GoalStatus.STATUS_SUCCEEDED


def test_a_skill_takes_simulated_time_where_time_is_simulated(serve, client_node):
    clock = client_node.create_publisher(Clock, '/clock', 10)
    client = serve(skill_duration=1000.0, use_sim_time=True)
    begun, further = threading.Event(), threading.Event()

    def hear(message):
        (further if message.feedback.completion > 0.0 else begun).set()

    result = client.start('press button 1', 1, feedback=hear).get_result_async()
    assert begun.wait(SLACK)

    def show(seconds):
        message = Clock()
        message.clock.sec = seconds
        clock.publish(message)

    repeat(lambda: show(500), further)
    assert not result.done()
    done = threading.Event()
    result.add_done_callback(lambda _: done.set())
    repeat(lambda: show(1001), done)
    observation = result.result().result.observation
    assert observation.outcome == Observation.OUTCOME_SUCCEEDED
    assert observation.header.stamp.sec == 1001


def test_a_result_outlives_fast_simulated_time(serve, client_node):
    clock = client_node.create_publisher(Clock, '/clock', 10)
    client = serve(use_sim_time=True)
    numbers = itertools.count(1)

    def skip_to(seconds):
        """Until the bridge says that it is so late."""
        told = threading.Event()

        def show():
            message = Clock()
            message.clock.sec = seconds
            clock.publish(message)
            begun = client.start('press button 1', next(numbers))
            # The skill before may be just about to end.
            if begun.accepted and client.result(begun)[1].header.stamp.sec == seconds:
                told.set()

        repeat(show, told)

    skip_to(100)
    handle = client.start('press button 1', next(numbers))
    for seconds in (101, 110, 120, 130, 140, 150):
        skip_to(seconds)
    assert client.result(handle)[0] == GoalStatus.STATUS_SUCCEEDED


def repeat(action, until, patience=2 * SLACK):
    """Do something until an event is set: a subscriber may not be there yet."""
    deadline = time.monotonic() + patience
    while True:
        action()
        if until.wait(0.05):
            return
        assert time.monotonic() < deadline


def test_diagnostics_tell_scene_skills_rejections_and_a_fault(serve, client_node, world):
    client = serve()
    heard = Diagnostics(client_node)
    name = f'{client_node.get_namespace()}/bridge: bridge'
    client.execute('press button 1', 1)
    hanging = client.start('hang', 2)
    assert not client.start('press button 1', 3).accepted
    values = heard.until(name, lambda status, values: values['goals rejected'] == '1')[1]
    assert (values['state'], values['world'], values['scene']) == ('BUSY', 'toy', 'hall')
    assert values['skills executed'] == '1'
    client.wait(hanging.cancel_goal_async())
    status, values = heard.until(name, lambda status, _: status.level == DiagnosticStatus.ERROR)
    assert status.message == 'FAULT: The world has not finished "hang": wait, or restart it.'
    world.release.set()
    heard.until(name, lambda status, _: status.level == DiagnosticStatus.OK)
