"""PlanTask with the real three nodes: the tree it grows, its limits, cancel and refusals."""

from __future__ import annotations

import threading
import time

import pytest
from action_msgs.msg import GoalStatus
from builtin_interfaces.msg import Duration
from rclpy.action import GoalResponse
from rclpy.action.server import GoalEvent, ServerGoalHandle
from rclpy.parameter import Parameter
from std_srvs.srv import SetBool
from unique_identifier_msgs.msg import UUID

from reactree_core.cancellation import CancelToken
from reactree_core.errors import RobotStoppedError
from reactree_core.record import events
from reactree_core.record.journal import read_journal
from reactree_core.record.outcome import Ending
from reactree_core.record.snapshot import reduce_events
from reactree_planner.ros import node
from reactree_planner.ros.run_messages import decision_from_message, snapshot_from_message
from reactree_planner.ros.skill_client import RosSkillServer
from reactree_planner.ros.waiting import wait_until
from reactree_planner.runs.aims import Aims
from reactree_planner.runs.event_writer import EventWriter
from reactree_ros.action import PlanTask
from reactree_ros.msg import BridgeStatus, Decision
from reactree_ros.msg import Observation as ObservationMessage
from reactree_ros.srv import GetTree, RetrieveExperiences
from skill_server.ros import skill_action
from support.disk_space import room_for
from support.waiting import wait_for

PATIENCE = 30.0
Result = PlanTask.Result


def test_a_task_is_solved_and_the_goal_conditions_are_met(make_stack):
    answer = make_stack().plan()
    result = answer.result
    assert answer.status == GoalStatus.STATUS_SUCCEEDED, result.error_msg
    assert (result.error_code, result.error_msg, result.success) == (Result.NONE, '', True)
    assert result.goal_known and result.goal_met and result.claimed
    assert result.conditions_met == result.conditions_total > 0
    assert result.decisions == result.tree.decisions > result.steps > 0
    assert result.tree.finished and not result.notices


def test_the_result_tells_what_the_run_knows_of_the_task(make_stack, monkeypatch):
    known = Ending(('crate 1 in\naisle 2',), ('gate 1 is shut',), ('the light is off',))
    monkeypatch.setattr(Aims, 'ending', known)
    # What is missing would send the run back to work.
    stack = make_stack(planner=(('preset', 'default,no-true-ends'),))
    result = stack.plan().result
    assert (result.verified, result.missing, result.unknown) == (
        ['crate 1 in aisle 2'], ['gate 1 is shut'], ['the light is off']
    )  # fmt: skip
    assert result.claimed
    stopped = stack.plan(max_decisions=3).result
    assert stopped.missing == ['gate 1 is shut'] and not stopped.claimed


def test_journal_topics_and_result_hold_the_same_tree(make_stack, tmp_path):
    stack = make_stack()
    result = stack.plan().result
    stack.wait(lambda: stack.trees and stack.trees[-1].finished)
    (journal,) = (tmp_path / 'runs').glob('*.jsonl')
    events = list(read_journal(journal))
    replayed = reduce_events(events)
    assert replayed == snapshot_from_message(result.tree)
    assert replayed == snapshot_from_message(stack.trees[-1])
    assert journal.stem == bytes(result.tree.run_id.uuid).hex()
    stack.wait(lambda: len(stack.decisions) + len(stack.observations) == len(events))
    kinds = [decision_from_message(message).kind for message in stack.decisions]
    assert kinds == [event.kind for event in events if hasattr(event, 'kind')]


@pytest.mark.filterwarnings('ignore::pytest.PytestUnhandledThreadExceptionWarning')
def test_a_back_end_that_breaks_ends_the_run_and_the_next_is_served(make_stack, make_teacher):
    good = make_teacher()
    broken = [True]

    class Breaking:
        name, context_tokens, count_tokens = good.name, good.context_tokens, good.count_tokens

        def session(self, cancel, shared_prefix=''):
            if broken.pop() if broken else False:
                raise ZeroDivisionError('of a back end')
            return good.session(cancel, shared_prefix)

        def close(self):
            good.close()

    stack = make_stack(model=Breaking())
    result = stack.plan().result
    assert result.error_code == Result.INTERNAL_ERROR
    assert 'ZeroDivisionError: of a back end' in result.error_msg
    assert result.tree.finished and not result.success
    assert stack.plan().result.error_code == Result.NONE


def test_every_skill_of_the_run_reached_the_bridge_once(make_stack):
    stack = make_stack()
    result = stack.plan().result
    stack.wait(lambda: stack.counted() == result.decisions)  # the result may overtake the topic
    recalls = sum(message.skill.startswith('recall') for message in stack.decisions)
    state = stack.planner._skills.world_state(CancelToken())
    assert state.skills_executed == result.steps - recalls


def test_a_second_goal_is_rejected_while_one_runs(make_stack):
    stack = make_stack(bridge=(('skill_duration', 30.0),))
    first = stack.send()
    stack.wait(lambda: any(message.kind == message.KIND_ACT for message in stack.decisions))
    assert not stack.send(task='put plate on kitchen table').accepted
    stack.result_of(first.cancel_goal_async())
    assert stack.result_of(first.get_result_async()).result.error_code == Result.CANCELED


def test_a_planner_that_goes_down_begins_no_run(make_stack, monkeypatch):
    stack = make_stack()
    read = node.request_of

    def read_late(handle):
        # A signal, between the acceptance of a goal and its run.
        stack.planner.stop()
        return read(handle)

    monkeypatch.setattr(node, 'request_of', read_late)
    answer = stack.plan(task='go to kitchen 1')
    assert answer.status == GoalStatus.STATUS_ABORTED
    assert answer.result.error_code == Result.CANCELED and 'going down' in answer.result.error_msg
    assert not stack.planner.is_working
    assert not stack.send(task='go to kitchen 1').accepted


def test_of_goals_that_come_before_a_run_begins_the_first_is_accepted(make_stack, monkeypatch):
    monkeypatch.setattr(node, '_BEGINNING', 0.2)
    accept = make_stack().planner._accept
    goal = PlanTask.Goal(task='go to kitchen 1')
    assert [accept(goal), accept(goal)] == [GoalResponse.ACCEPT, GoalResponse.REJECT]
    # If the first never begins, nobody waits for it for ever.
    wait_for(lambda: accept(goal) is GoalResponse.ACCEPT, 'another is accepted')


def test_a_cancel_during_a_long_skill_ends_the_run_long_before_the_skill(make_stack):
    stack = make_stack(bridge=(('skill_duration', 30.0),))
    skills = stack.planner._skills
    for _ in range(3):
        stack.decisions.clear()
        handle = stack.send()
        stack.wait(
            lambda: any(
                message.kind == message.KIND_ACT and message.skill.startswith('go to')
                for message in stack.decisions
            )
        )
        began = time.monotonic()
        handle.cancel_goal_async()
        answer = stack.result_of(handle.get_result_async())
        assert time.monotonic() - began < 5.0
        assert answer.status == GoalStatus.STATUS_CANCELED
        assert answer.result.error_code == Result.CANCELED and answer.result.error_msg
        assert answer.result.tree.finished
        # The skill ended too: the bridge takes the next one.
        assert wait_until(
            lambda: skills.status.state == BridgeStatus.STATE_READY, 10.0, CancelToken()
        )


def test_a_cancel_while_a_goal_begins_its_run_is_not_lost(make_stack, monkeypatch):
    stack = make_stack(bridge=(('skill_duration', 30.0),))
    step, object_to = ServerGoalHandle._update_state, node.objection_to
    canceling = threading.Event()

    def late_step(handle, event):
        if event == GoalEvent.CANCEL_GOAL and isinstance(handle.request, PlanTask.Goal):
            canceling.set()
            wait_for(lambda: stack.planner._thread is not None, 'the run')
        step(handle, event)

    def late_begin(goal):
        assert canceling.wait(PATIENCE)
        return object_to(goal)

    monkeypatch.setattr(ServerGoalHandle, '_update_state', late_step)
    monkeypatch.setattr(node, 'objection_to', late_begin)
    handle = stack.send()
    handle.cancel_goal_async()
    answer = stack.result_of(handle.get_result_async(), 10.0)
    assert answer.status == GoalStatus.STATUS_CANCELED


def test_each_limit_ends_the_run_with_its_own_code_and_a_sentence(make_stack):
    stack = make_stack()
    for limit, code in (
        ({'max_decisions': 3}, Result.DECISION_LIMIT),
        ({'max_steps': 1}, Result.STEP_LIMIT),
    ):
        result = stack.plan(**limit).result
        assert result.error_code == code
        assert result.error_msg.endswith('.') and next(iter(limit)) in result.error_msg


def test_bad_goals_end_in_a_sentence_that_says_what_to_do(make_stack):
    stack = make_stack()
    long = stack.plan(task='x' * 2001).result
    assert (long.error_code, long.success) == (Result.INVALID_TASK, False)
    assert '2000' in long.error_msg
    unknown = stack.plan(task='tidy up', planner='genius').result
    assert unknown.error_code == Result.UNKNOWN_PLANNER
    assert 'reactree' in unknown.error_msg
    backwards = stack.plan(max_time=Duration(sec=-5)).result
    assert backwards.error_code == Result.INVALID_TASK
    assert backwards.error_msg.startswith('The field max_time of the goal is below 0: set')


def test_a_run_that_cannot_be_resumed_says_why_and_the_next_goal_is_served(make_stack):
    stack = make_stack()
    unknown = stack.plan(resume_run=UUID(uuid=list(range(16)))).result
    assert unknown.error_code == Result.JOURNAL_ERROR
    assert 'no journal' in unknown.error_msg
    canceled = stack.plan(max_decisions=3).result
    ended = stack.plan(resume_run=canceled.tree.run_id).result
    assert ended.error_code == Result.JOURNAL_ERROR
    assert 'give the task again' in ended.error_msg
    assert stack.plan().result.success


@pytest.mark.filterwarnings('error::pytest.PytestUnhandledThreadExceptionWarning')
def test_a_disk_that_is_full_at_the_start_ends_the_run_with_a_sentence(make_stack):
    stack = make_stack()
    with room_for(0):
        result = stack.plan().result
    assert result.error_code == Result.JOURNAL_ERROR
    assert 'Free disk space' in result.error_msg
    assert stack.plan().result.success


@pytest.mark.parametrize(
    ('judges', 'ending', 'learned'),
    [
        (True, Ending(), True),
        (False, Ending(('the table is set',)), True),
        (False, Ending(assumed=('the table is set',)), False),
        (False, Ending(), False),
    ],
)
def test_only_what_was_judged_or_verified_is_an_example(
    make_stack, monkeypatch, judges, ending, learned
):
    monkeypatch.setattr(Aims, 'ending', ending)
    if not judges:  # as on a robot
        monkeypatch.setattr(RosSkillServer, 'progress', lambda self, cancel: None)
    stack = make_stack()
    result = stack.plan().result
    assert result.success
    run_id = bytes(result.tree.run_id.uuid).hex()
    told = [notice for notice in result.notices if f'memory confirm {run_id}' in notice]
    assert len(told) == (not learned)
    store = stack.memory._memory.memory._store
    kept = len(store.ids_of_run(run_id))
    assert kept

    def is_found():
        client = stack.client.create_client(RetrieveExperiences, 'memory/retrieve_experiences')
        assert client.wait_for_service(10.0)
        request = RetrieveExperiences.Request(goal=result.tree.nodes[0].goal, token_budget=10_000)
        answer = stack.result_of(client.call_async(request))
        assert answer.error_msg == ''
        return run_id in {one.run_id for one in answer.experiences}

    assert is_found() is learned
    assert store.confirm(run_id) == (0 if learned else kept)
    assert is_found()


def test_journals_of_ended_runs_are_kept_as_long_as_is_wanted(make_stack, tmp_path):
    stack = make_stack(planner=(('keep_journals', '1 runs'),))
    stack.plan()
    second = stack.plan().result
    (journal,) = (tmp_path / 'runs').glob('*.jsonl')
    assert journal.stem == bytes(second.tree.run_id.uuid).hex()


def test_a_memory_that_ends_during_a_run_is_told_of_though_nobody_asked_it(make_stack):
    stack = make_stack(bridge=(('skill_duration', 0.3),), planner=(('keep_experiences', False),))
    handle = stack.send()
    stack.wait(lambda: stack.observations)
    stack.memory.destroy_node()
    result = stack.result_of(handle.get_result_async()).result
    assert [notice for notice in result.notices if 'ended during the run' in notice]


def test_a_run_that_had_ended_is_answered_again_without_doing_anything(make_stack, tmp_path):
    stack = make_stack()
    first = stack.plan().result
    (journal,) = (tmp_path / 'runs').glob('*.jsonl')
    before = journal.read_bytes()
    executed = stack.planner._skills.world_state(CancelToken()).skills_executed
    # It goes by the preset of its beginning, whatever holds now.
    stack.planner.set_parameters([Parameter('preset', value='published')])
    again = stack.plan(resume_run=first.tree.run_id).result
    assert again.success and again.goal_met
    assert (again.tree.nodes, again.usage.requests) == (first.tree.nodes, first.usage.requests)
    assert journal.read_bytes() == before
    assert stack.planner._skills.world_state(CancelToken()).skills_executed == executed


def test_an_empty_task_without_a_loaded_one_is_refused(make_stack):
    result = make_stack(bridge=(('task', ''),)).plan(task='  ').result
    assert result.error_code == Result.INVALID_TASK
    assert 'empty' in result.error_msg


def test_the_newest_tree_can_be_asked_for(make_stack):
    stack = make_stack()
    result = stack.plan().result
    client = stack.client.create_client(GetTree, 'planner/get_tree')
    assert client.wait_for_service(10.0)
    answer = stack.result_of(client.call_async(GetTree.Request()))
    assert answer.found and answer.tree == result.tree


def test_a_paused_planner_runs_no_skill_until_it_goes_on(make_stack):
    stack = make_stack()
    client = stack.client.create_client(SetBool, 'planner/pause')
    assert client.wait_for_service(10.0)
    assert stack.result_of(client.call_async(SetBool.Request(data=True))).success
    handle = stack.send()
    stack.wait(lambda: any(message.kind == message.KIND_GROUND for message in stack.decisions))
    assert not any(message.kind == message.KIND_ACT for message in stack.decisions)
    stack.result_of(client.call_async(SetBool.Request(data=False)))
    assert stack.result_of(handle.get_result_async()).result.success


@pytest.mark.parametrize(
    ('field', 'value', 'says'),
    [
        ('run_id', UUID(uuid=[7] * 16), 'run_id'),
        ('run_id', UUID(), 'run_id'),
        ('sequence', 99, "sequence is '99'"),
        ('skill', 'go to mars 1', "skill is 'go to mars 1'"),
        ('text', ' ', 'its text is empty'),
        ('outcome', 42, 'outcome 42'),
        ('outcome', ObservationMessage.OUTCOME_BRIDGE_LOST, 'BRIDGE_LOST'),
    ],
)
def test_a_result_that_is_not_of_this_goal_ends_the_run_with_what_the_world_is_now(
    make_stack, monkeypatch, field, value, says
):
    honest = skill_action.observation_to_message

    def answer(observation, run_id):
        message = honest(observation, run_id)
        setattr(message, field, value)
        return message

    stack = make_stack()
    monkeypatch.setattr(skill_action, 'observation_to_message', answer)
    result = stack.plan().result
    assert result.error_code == Result.SKILL_ERROR
    assert says in result.error_msg

    def sent():
        """Skills for the bridge; recalls are the planner's own."""
        acts = [one for one in stack.decisions if one.kind == Decision.KIND_ACT]
        return [one for one in acts if not one.skill.startswith('recall')]

    # The result may overtake the topics.
    stack.wait(
        lambda: (
            sent()
            and stack.observations
            and stack.observations[-1].sequence == sent()[-1].sequence >= 1
        )
    )
    seen = stack.observations[-1]
    assert [one.skill for one in sent()] == [seen.skill], 'nothing else was sent'
    assert seen.outcome == ObservationMessage.OUTCOME_EXECUTION_FAILED
    assert 'What is seen now: ' in seen.text and seen.admissible_skills
    assert result.tree.finished


def test_a_run_that_is_stopped_while_it_repeats_its_record_gets_its_end(
    make_stack, monkeypatch, tmp_path
):
    stack = make_stack()
    run_id = stack.plan().result.tree.run_id
    (journal,) = (tmp_path / 'runs').glob('*.jsonl')
    # As a planner leaves it that is killed.
    lines = journal.read_text().splitlines(keepends=True)
    journal.write_text(''.join(lines[: len(lines) // 2]))
    send, sent = EventWriter._send, []

    def stopped(writer, event):
        send(writer, event)
        sent.append(event)
        if len(sent) == 4:
            assert writer.log.replaying
            raise RobotStoppedError('The emergency stop was pressed.')

    monkeypatch.setattr(EventWriter, '_send', stopped)
    result = stack.plan(resume_run=run_id).result
    assert result.error_code == Result.CANCELED, result.error_msg
    ends = [
        event
        for event in read_journal(journal)
        if isinstance(event, events.Decision)
        and (event.kind, event.node_id) == (events.DecisionKind.FINISH, 0)
    ]
    assert len(ends) == 1 and 'emergency stop' in ends[0].text
    assert [event.sequence for event in sent] == sorted(event.sequence for event in sent)
