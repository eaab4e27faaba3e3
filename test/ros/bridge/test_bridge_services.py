"""The services of the bridge over real DDS."""

from __future__ import annotations

import json
import threading

from reactree_ros.msg import BridgeStatus, Observation
from reactree_ros.srv import ListSkills
from support.waiting import wait_for


def test_list_skills_tells_names_skills_and_a_look(serve, world):
    answer = serve().call('list_skills')
    assert answer.templates == ['press <object>']
    assert answer.object_classes == ['button']
    assert answer.place_classes == ['wall']
    assert answer.rooms == ['hall 1']
    assert answer.admissible_skills == ['press button 1']
    assert answer.candidate_skills == ['press button 1', 'press wall 1']
    assert answer.observation.text == 'You see button (1).'
    assert answer.observation.outcome == Observation.OUTCOME_SUCCEEDED
    assert answer.observation.facts[0].seen_at.sec > 0
    assert answer.observation.facts[0].seen_by == 'left eye'
    assert world.asked == []


def test_the_world_state_counts_goal_conditions_and_skills(serve):
    client = serve(task='press:1')
    before = client.call('get_world_state')
    assert (before.has_goal, before.success) == (True, False)
    assert (before.conditions_met, before.conditions_total) == (0, 1)
    assert (before.scene, before.task_id) == ('hall', 'press:1')
    assert before.instruction == 'press the button'
    assert before.graph == ''
    client.execute('press button 1', 1)
    after = client.call('get_world_state', include_graph=True)
    assert after.success
    assert after.conditions == ['pressed: 1 of 1']
    assert after.skills_executed == 1
    assert json.loads(after.graph)['nodes'][0]['class_name'] == 'button'


def test_without_a_task_there_is_no_goal(serve):
    answer = serve().call('get_world_state')
    assert not answer.has_goal
    assert not answer.success
    assert (answer.task_id, answer.instruction) == ('', '')


def test_the_world_state_is_told_while_a_skill_takes_its_time(serve):
    client = serve(skill_duration=60.0)
    handle = client.start('press button 1', 1)
    assert client.call('get_world_state').skills_executed == 0
    client.wait(handle.cancel_goal_async())


def test_a_reset_loads_another_scene_and_task(serve, world, statuses):
    client = serve()
    client.execute('press button 1', 1)
    answer = client.call('reset_world', scene='attic', task='press:2', seed=3)
    assert answer.success
    assert answer.message == 'Loaded attic with task press:2.'
    assert (answer.scene, answer.task_id) == ('attic', 'press:2')
    assert answer.instruction == 'press the button'
    assert answer.observation.text == 'You see button (1).'
    assert client.call('get_world_state').skills_executed == 0
    statuses.until(lambda _: statuses.messages[-1].scene == 'attic')
    assert statuses.messages[-1].task_id == 'press:2'


def test_a_scene_that_cannot_be_loaded_leaves_everything_as_it_was(serve, world):
    client = serve()
    answer = client.call('reset_world', scene='missing')
    assert not answer.success
    assert answer.message == "there is no scene 'missing': use 'hall'"
    assert answer.scene == 'hall'
    assert answer.observation.text
    assert client.start('press button 1', 1).accepted


def test_a_reset_is_refused_while_a_skill_runs(serve, world):
    client = serve()
    handle = client.start('hang', 1)
    result = handle.get_result_async()
    assert world.hanging.wait(10.0)
    answer = client.call('reset_world', scene='attic')
    assert not answer.success
    assert 'cannot be reset now (BUSY: hang)' in answer.message
    assert answer.scene == 'hall'
    world.release.set()
    client.wait(result)
    assert client.call('reset_world', scene='attic').success


def test_questions_do_not_pile_up_before_a_world_that_hangs(serve, world):
    client = serve()
    handle = client.start('hang', 1)
    assert world.hanging.wait(10.0)
    refused = threading.Event()

    def look(answer):
        if 'questions wait for the world already' in answer.result().observation.text:
            refused.set()

    def ask():
        client.services['list_skills'].call_async(ListSkills.Request()).add_done_callback(look)
        return refused.is_set()

    wait_for(ask, 'a refusal')
    world.release.set()
    assert client.result(handle)[1].outcome == Observation.OUTCOME_SUCCEEDED
    assert client.call('list_skills').admissible_skills == ['press button 1']


def test_whoever_asks_while_the_bridge_ends_is_answered(serve):
    client = serve()
    # As at a signal: its executor goes on for the last results.
    client.bridge.stop()
    assert client.call('list_skills').observation.text.startswith('The world has been let go')
    assert client.call('get_world_state').scene == 'hall'
    answer = client.call('reset_world', scene='hall')
    assert not answer.success and 'let go' in answer.message


def test_a_late_subscriber_hears_the_status(serve, make_statuses):
    serve()
    statuses = make_statuses()
    statuses.until(lambda states: states[-1:] == [BridgeStatus.STATE_READY])
    message = statuses.messages[-1]
    assert (message.backend, message.scene, message.task_id) == ('toy', 'hall', '')
    assert message.header.stamp.sec > 0


def test_the_status_follows_a_skill(serve, world, statuses):
    client = serve()
    ready, busy = BridgeStatus.STATE_READY, BridgeStatus.STATE_BUSY
    statuses.until(lambda states: states[-1:] == [ready])
    result = client.start('hang', 1).get_result_async()
    statuses.until(lambda states: states[-2:] == [ready, busy])
    assert statuses.messages[-1].message == 'hang'
    world.release.set()
    client.wait(result)
    statuses.until(lambda states: states[-3:] == [ready, busy, ready])


def test_the_status_is_repeated(serve, statuses):
    serve()
    statuses.until(lambda _: len(statuses.messages) > 3)
    stamps = [(m.header.stamp.sec, m.header.stamp.nanosec) for m in statuses.messages]
    assert stamps == sorted(set(stamps))


def test_a_world_that_takes_no_snapshots_says_so(serve, statuses):
    client = serve()
    answer = client.call('snapshot_world')
    assert not answer.success
    assert answer.message == 'the world toy takes no snapshots: reset it instead'
    assert answer.snapshot == ''
    statuses.until(lambda states: states[-1] == BridgeStatus.STATE_READY)
    assert client.execute('press button 1', 1)[1].outcome == Observation.OUTCOME_SUCCEEDED
