"""Rules and the emergency stop in the skill server's own process, whatever a client sends."""

from __future__ import annotations

import uuid

import pytest
from action_msgs.msg import GoalStatus
from diagnostic_msgs.msg import DiagnosticStatus
from std_msgs.msg import Bool
from unique_identifier_msgs.msg import UUID

from reactree_core.durability import state_file
from reactree_core.errors import ConfigurationError
from reactree_core.permission.kept_ledger import ledger_of
from reactree_core.permission.rules_file import read_rules
from reactree_ros.msg import BridgeStatus, Observation
from sim_bridge.ros.world_skills import WorldSkills
from support.diagnostics import Diagnostics

OTHER_RUN = 'beef' * 8


@pytest.fixture
def rules(tmp_path):
    """Writes a file of rules."""

    def write(text):
        path = tmp_path / 'permission.yaml'
        path.write_text(text)
        return str(path)

    return write


def refused(answer, rule):
    """Whether an answer is a refusal by a rule."""
    status, observation = answer
    return (
        status == GoalStatus.STATUS_ABORTED
        and observation.outcome == Observation.OUTCOME_SAFETY_REJECTED
        and f'Rule "{rule}"' in observation.text
    )


def test_a_goal_that_breaks_a_rule_is_refused_with_its_name(
    serve, rules, world, client_node, namespace
):
    heard = Diagnostics(client_node)
    client = serve(permission=rules('rules:\n  - {name: no walls, things: wall, decide: deny}\n'))
    assert refused(client.execute('press wall 1', 1), 'no walls')
    # Also where no run is told, and however it is written.
    assert refused(client.execute('press  WALL 1'), 'no walls')
    assert world.asked == []
    status, observation = client.execute('press button 1', 2)
    assert status == GoalStatus.STATUS_SUCCEEDED and observation.sequence == 2
    _, values = heard.until(
        f'/{namespace}/bridge: bridge', lambda _, values: values['skills refused'] == '2'
    )
    assert values['last refusal'] == 'press  WALL 1 (rule "no walls")'


def test_rules_of_time_are_kept_for_each_run(serve, rules, world):
    client = serve(permission=rules('rules:\n  - {name: once, skills: press *, at_most: 1}\n'))
    # What had no effect does not count.
    assert client.execute('press wall 1', 1)[1].outcome == Observation.OUTCOME_PRECONDITION_FAILED
    assert client.execute('press button 1', 2)[0] == GoalStatus.STATUS_SUCCEEDED
    assert refused(client.execute('press button 1', 3), 'once')
    assert client.execute('press button 1', 1, run=OTHER_RUN)[0] == GoalStatus.STATUS_SUCCEEDED
    assert world.pressed == 2


def test_a_skill_that_breaks_counts_and_its_number_is_taken(serve, rules, world, monkeypatch):
    begun = []

    async def breaks(_, run, skill):
        begun.append(skill)
        raise RuntimeError('the publisher is gone')

    client = serve(permission=rules('rules:\n  - {name: once, skills: press *, at_most: 1}\n'))
    monkeypatch.setattr(WorldSkills, 'perform', breaks)
    for goal_id in (None, UUID(uuid=list(uuid.uuid4().bytes))):
        status, observation = client.execute('press button 1', 1, goal_id=goal_id)
        assert status == GoalStatus.STATUS_ABORTED
        assert observation.outcome == Observation.OUTCOME_EXECUTION_FAILED
        assert 'RuntimeError: the publisher is gone' in observation.text
    assert refused(client.execute('press button 1', 2), 'once')
    assert begun == ['press button 1']


def test_what_a_person_decides_needs_an_approval(serve, world):
    client = serve(permission='ask')
    _, observation = client.execute('press button 1', 1)
    assert observation.outcome == Observation.OUTCOME_SAFETY_REJECTED
    assert 'Nobody has approved' in observation.text
    assert client.execute('press button 1', 2, approved=True)[0] == GoalStatus.STATUS_SUCCEEDED


def test_a_rule_of_an_hour_is_kept_by_the_next_bridge(
    serve, rules, world, tmp_path, namespace, monkeypatch
):
    monkeypatch.setenv('XDG_STATE_HOME', str(tmp_path / 'state'))
    text = 'rules:\n  - {name: seldom, skills: press *, at_most: 1, per: hour}\n'
    client = serve(permission=rules(text))
    assert client.execute('press button 1', 1)[0] == GoalStatus.STATUS_SUCCEEDED
    (kept,) = (tmp_path / 'state' / 'reactree').glob('last_hour.*.json')
    assert kept == state_file('last_hour.json', f'/{namespace}/bridge')
    # What the bridge before has left, for one that begins now.
    again = ledger_of(read_rules(rules(text)), f'/{namespace}/bridge')
    assert again.counted() == {'seldom': 1}


def test_a_bridge_does_not_start_where_the_last_hour_cannot_be_read(
    serve, rules, world, tmp_path, namespace, monkeypatch
):
    monkeypatch.setenv('XDG_STATE_HOME', str(tmp_path))
    (tmp_path / 'reactree').mkdir()
    state_file('last_hour.json', f'/{namespace}/bridge').write_text('rubbish')
    with pytest.raises(ConfigurationError, match='of what the last hour has spent cannot be read'):
        serve(permission=rules('limits: {per_hour: {skills: 9}}\n'))
    assert world.asked == []


@pytest.mark.parametrize(('text', 'said'), [('rules: [', 'is not YAML'), (None, 'cannot be read')])
def test_a_bridge_does_not_start_with_a_broken_file(serve, rules, world, text, said):
    path = rules(text) if text else '/nowhere/permission.yaml'
    with pytest.raises(ConfigurationError, match=said):
        serve(permission=path)
    assert world.asked == []


def test_the_emergency_stop_ends_what_runs_and_lets_nothing_begin(
    serve, world, statuses, client_node, namespace
):
    heard = Diagnostics(client_node)
    client = serve()
    running = client.start('hang', 1)
    assert world.hanging.wait(30.0)
    answer = client.call('emergency_stop', data=True)
    assert answer.success and 'reactree stop --release' in answer.message
    _, observation = client.result(running)
    assert observation.outcome == Observation.OUTCOME_CANCELED
    assert 'was stopped by the emergency stop' in observation.text
    world.release.set()
    statuses.until(lambda states: states[-1] == BridgeStatus.STATE_STOPPED)
    assert 'emergency stop was pressed' in statuses.messages[-1].message
    told, _ = heard.until(
        f'/{namespace}/bridge: bridge', lambda status, _: status.level == DiagnosticStatus.ERROR
    )
    assert 'emergency stop' in told.message
    for sequence in (2, 3):
        _, observation = client.execute('press button 1', sequence)
        assert observation.outcome == Observation.OUTCOME_SAFETY_REJECTED
        assert 'no skill runs until it is released' in observation.text
    assert not client.call('reset_world', again=True).success
    assert world.pressed == 0
    assert client.call('emergency_stop', data=False).success
    statuses.until(lambda states: states[-1] == BridgeStatus.STATE_READY)
    assert client.execute('press button 1', 4)[0] == GoalStatus.STATUS_SUCCEEDED


def test_a_button_presses_and_never_releases(serve, world, statuses, client_node):
    client = serve()
    button = client_node.create_publisher(Bool, 'bridge/emergency_stop', 10)
    statuses.until(lambda states: states[-1] == BridgeStatus.STATE_READY)
    while not button.get_subscription_count():
        client.call('get_world_state')
    button.publish(Bool(data=True))
    statuses.until(lambda states: states[-1] == BridgeStatus.STATE_STOPPED)
    button.publish(Bool(data=False))
    client.call('get_world_state')
    _, observation = client.execute('press button 1', 1)
    assert observation.outcome == Observation.OUTCOME_SAFETY_REJECTED
    assert world.pressed == 0
