"""Corrections and waits of a real planner node: its services, its topics, its journal."""

from __future__ import annotations

import pytest
from std_srvs.srv import SetBool

from reactree_core.record.journal import read_journal
from reactree_core.record.snapshot import reduce_events
from reactree_core.ros.conversions import run_id_from_message
from reactree_planner.llm.registry import load_model, ModelOptions
from reactree_planner.ros.run_messages import decision_from_message, snapshot_from_message
from reactree_ros.action import PlanTask
from reactree_ros.msg import Decision
from reactree_ros.srv import CorrectTask

PATIENCE = 60.0
TASK = 'Bring the apple to the kitchen table.'
pytestmark = pytest.mark.timeout(180)


class Person:
    """Somebody who talks to the robot of a stack."""

    def __init__(self, stack):
        self.stack = stack
        self._say = stack.client.create_client(CorrectTask, 'planner/correct_task')
        self._pause = stack.client.create_client(SetBool, 'planner/pause')
        assert self._say.wait_for_service(PATIENCE) and self._pause.wait_for_service(PATIENCE)

    def say(self, text):
        request = CorrectTask.Request(text=text, said_by='the cook')
        return self.stack.result_of(self._say.call_async(request))

    def pause(self, paused):
        assert self.stack.result_of(self._pause.call_async(SetBool.Request(data=paused))).success

    def hear(self, kind, number=1):
        """The decision of a kind, once so many of it have come."""

        def found():
            return [one for one in self.stack.decisions if one.kind == kind]

        self.stack.wait(lambda: len(found()) >= number, PATIENCE)
        return found()[number - 1]


@pytest.fixture
def person(make_stack):
    model = load_model('none', ModelOptions())
    return Person(
        make_stack(
            model=model, planner=(('standing_times', 2), ('standing_look', 0.2), ('memory', False))
        )
    )


def journal_of(tmp_path, handle):
    (path,) = (tmp_path / 'runs').glob('*.jsonl')
    return list(read_journal(path))


def test_what_is_said_to_no_run_is_refused(person):
    answer = person.say('no, the other one')
    assert not answer.accepted and answer.message == 'No run is under way: give a task.'


def test_a_correction_is_taken_before_the_next_skill_and_told(person, tmp_path):
    stack = person.stack
    person.pause(True)
    handle = stack.send(task=TASK)
    person.hear(Decision.KIND_GROUND)
    refused = person.say('  ')
    assert not refused.accepted and 'nothing in it' in refused.message
    accepted = person.say('and never open the fridge')
    assert accepted.accepted and 'before the next skill' in accepted.message
    assert person.say('no, to the sofa').accepted
    person.pause(False)
    result = stack.result_of(handle.get_result_async(), PATIENCE).result
    assert result.error_code == PlanTask.Result.NONE, result.error_msg
    assert list(result.verified) == ['apple in sofa']
    tree = snapshot_from_message(result.tree)
    assert tree.must_not == ('open fridge',)
    assert tree.corrections == (
        '"and never open the fridge": must not: open fridge', '"no, to the sofa": apple in sofa'
    )  # fmt: skip
    said = decision_from_message(person.hear(Decision.KIND_CORRECT, 2))
    assert (said.text, said.approver) == ('no, to the sofa', 'the cook')
    assert said.goal.milestones == ('apple in sofa',)
    # Messages, journal and result tell the same.
    events = journal_of(tmp_path, handle)
    assert reduce_events(events) == tree
    first = next(one for one in stack.decisions if one.kind == Decision.KIND_ACT)
    assert first.sequence > said.sequence


def test_wait_and_go_on(person):
    stack = person.stack
    person.pause(True)
    handle = stack.send(task=TASK)
    person.hear(Decision.KIND_GROUND)
    assert person.say('wait').accepted
    person.pause(False)
    assert person.hear(Decision.KIND_WAIT).text == 'somebody says "go on"'
    stack.wait(lambda: stack.trees[-1].waiting_for != '', PATIENCE)
    assert not any(one.kind == Decision.KIND_ACT for one in stack.decisions)
    assert person.say('go on').accepted
    result = stack.result_of(handle.get_result_async(), PATIENCE).result
    assert result.success, result.error_msg


def test_a_standing_task_is_done_so_often_and_says_so(person, tmp_path):
    stack = person.stack
    result = stack.plan(task='Every second go to the fridge.').result
    assert result.success, result.error_msg
    tree = snapshot_from_message(result.tree)
    assert (tree.firings, tree.firings_done) == (2, 2)
    assert tree.goal.trigger == 'every 1 s'
    events = journal_of(tmp_path, None)
    assert events[-1].text == 'verified; happened 2 times, done 2 times'
    assert reduce_events(events) == tree


def test_a_run_that_waits_is_shown_and_canceled(person):
    stack = person.stack
    handle = stack.send(task='When the fridge is open, close it.')
    assert person.hear(Decision.KIND_WAIT).text == 'once fridge is open'
    stack.wait(lambda: stack.trees[-1].waiting_for == 'once fridge is open', PATIENCE)
    stack.result_of(handle.cancel_goal_async())
    result = stack.result_of(handle.get_result_async(), PATIENCE).result
    assert result.error_code == PlanTask.Result.CANCELED
    assert result.steps == 0
    assert run_id_from_message(result.tree.run_id).strip('0')
