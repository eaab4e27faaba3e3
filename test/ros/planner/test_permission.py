"""Rules between real nodes: in the bridge alone, in the planner alone, and a person between."""

from __future__ import annotations

import subprocess
import threading

import pytest
from std_srvs.srv import SetBool

from reactree_core.errors import ConfigurationError
from reactree_core.record.chain import signed_closing, Verdict, verify
from reactree_core.record.outcome import ErrorCode
from reactree_core.ros import qos
from reactree_ros.msg import ApprovalRequest, Decision, Observation
from reactree_ros.srv import ResolveApproval

PATIENCE = 60.0


@pytest.fixture
def rules(tmp_path):
    """Writes a file of rules."""

    def write(text):
        path = tmp_path / 'permission.yaml'
        path.write_text(text)
        return str(path)

    return write


def refusals(stack):
    """Skills that were refused, with what was said."""
    return {
        message.skill: message.text
        for message in stack.observations
        if message.outcome == Observation.OUTCOME_SAFETY_REJECTED
    }


def test_a_rule_of_the_bridge_alone_is_kept_there_by_a_model_that_insists(make_stack, rules):
    path = rules('rules:\n  - {name: hands off, kinds: [take], decide: deny}\n')
    stack = make_stack(bridge=(('permission', path),), planner=(('max_steps', 20),))
    result = stack.plan(task='')
    assert not result.result.success
    found = refusals(stack)
    assert found
    for skill, text in found.items():
        assert f'Rule "hands off" forbids it (must not: take); "{skill}" was not done.' in text
    assert not any('held' in o.text or o.held for o in stack.observations)


def test_a_rule_of_the_planner_is_never_even_sent(make_stack, rules, tmp_path):
    path = rules('rules:\n  - {name: hands off, kinds: [take], decide: deny}\n')
    key, public = tmp_path / 'key.pem', tmp_path / 'public.pem'
    for words in (
        'genpkey -algorithm ed25519 -out key.pem',
        'pkey -in key.pem -pubout -out public.pem',
    ):
        subprocess.run(['openssl', *words.split()], cwd=tmp_path, check=True, capture_output=True)
    more = (('record_key', str(key)), ('journal_directory', str(tmp_path)))
    stack = make_stack(planner=(('permission', path), ('max_steps', 20), *more))
    told = stack.plan(task='')
    (journal,) = tmp_path.glob('*.jsonl')
    closing = signed_closing(journal, public)
    assert told.result.record_hash == closing
    assert verify(journal, closing).verdict is Verdict.WHOLE
    assert not refusals(stack)
    acts = [d.skill for d in stack.decisions if d.kind == Decision.KIND_ACT]
    assert acts and not any(skill.startswith(('pick up', 'grab')) for skill in acts)
    (told,) = [d for d in stack.decisions if d.kind == Decision.KIND_FORBID]
    assert 'take' in told.subgoals
    assert 'take' in stack.trees[-1].must_not


def test_what_rules_want_a_person_to_decide_waits_and_is_done_when_approved(make_stack, rules):
    stack = make_stack(bridge=(('permission', 'ask'),), planner=(('permission', 'ask'),))
    resolve = stack.client.create_client(ResolveApproval, 'planner/resolve_approval')
    assert resolve.wait_for_service(PATIENCE)
    approved = []
    enough = threading.Event()

    def hear(message):
        if message.state != ApprovalRequest.STATE_WAITING:
            return
        approved.append(message)
        if len(approved) == 3:
            enough.set()
            return
        resolve.call_async(
            ResolveApproval.Request(
                run_id=message.run_id,
                sequence=message.sequence,
                skill=message.skill,
                approve=True,
                approver='ana',
            )
        )

    stack.client.create_subscription(ApprovalRequest, 'planner/approvals', hear, qos.latched())
    handle = stack.send(task='')
    assert enough.wait(PATIENCE)
    # Two were approved and done, also by a bridge that wants a person; the third waits.
    stack.wait(lambda: sum(bool(o.skill) for o in stack.observations) >= 2)
    assert not refusals(stack)
    assert all('a person decides' in message.reason for message in approved)
    sent = [d for d in stack.decisions if d.allowed_by]
    assert {(d.allowed_by, d.approver) for d in sent} == {('person (default)', 'ana')}
    stack.result_of(handle.cancel_goal_async())
    stack.result_of(handle.get_result_async(), PATIENCE)


def test_the_emergency_stop_ends_a_run_and_outlives_it(make_stack):
    stack = make_stack(bridge=(('skill_duration', 0.5),))
    stop = stack.client.create_client(SetBool, 'bridge/emergency_stop')
    assert stop.wait_for_service(PATIENCE)
    handle = stack.send(task='')
    stack.wait(lambda: any(o.skill for o in stack.observations))
    assert stack.result_of(stop.call_async(SetBool.Request(data=True))).success
    result = stack.result_of(handle.get_result_async(), PATIENCE).result
    assert result.error_code == ErrorCode.CANCELED
    assert result.error_msg.startswith('Stopped by the emergency stop: ')
    assert 'emergency stop was pressed (by the service)' in result.error_msg
    # Another run does not begin, until it is released.
    again = stack.plan(task='').result
    assert again.error_code == ErrorCode.BRIDGE_UNAVAILABLE
    assert 'reactree stop --release' in again.error_msg
    assert stack.result_of(stop.call_async(SetBool.Request(data=False))).success
    assert stack.plan(task='').result.success


@pytest.mark.parametrize(('text', 'said'), [('rules: 3', 'must be a list'), (None, 'cannot be')])
def test_a_planner_does_not_start_with_a_broken_file(make_stack, rules, text, said):
    path = rules(text) if text else '/nowhere/permission.yaml'
    with pytest.raises(ConfigurationError, match=said):
        make_stack(planner=(('permission', path),))
