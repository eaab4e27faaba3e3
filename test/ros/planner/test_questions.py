"""Questions of a real planner node: told on a topic, answered by a service, in time or not."""

from __future__ import annotations

import queue

import pytest

from reactree_core.record.journal import read_journal
from reactree_core.record.run_settings import Ask
from reactree_core.ros import qos
from reactree_core.ros.conversions import run_id_from_message
from reactree_planner.ros.run_messages import decision_from_message
from reactree_ros.action import PlanTask
from reactree_ros.msg import Question
from reactree_ros.srv import AnswerQuestion
from support.waiting import wait_for

PATIENCE = 30.0
ASKED = 'Is this what you want: set the table?'


class Reception:
    """Somebody who sees questions and answers them."""

    def __init__(self, stack):
        self.stack = stack
        self.heard = queue.Queue()
        self._client = stack.client.create_client(AnswerQuestion, 'planner/answer_question')
        assert self._client.wait_for_service(PATIENCE)
        self._topic = next(
            one for one in stack.planner.publishers if one.topic_name.endswith('/questions')
        )
        self.watch()

    def watch(self):
        """Subscribe; also what is open by now comes."""
        before = self._topic.get_subscription_count()
        heard = queue.Queue()
        self.stack.client.create_subscription(
            Question, 'planner/questions', heard.put, qos.latched()
        )
        wait_for(lambda: self._topic.get_subscription_count() > before, 'it is watched')
        self.heard = heard

    def hear(self, state):
        """The next thing that is told, which must be this."""
        question = self.heard.get(timeout=PATIENCE)
        assert question.state == state
        return question

    def answer(self, question, said, number=None):
        request = AnswerQuestion.Request(
            run_id=question.run_id,
            number=question.number if number is None else number,
            answer=said,
            answered_by='reception',
        )
        return self.stack.result_of(self._client.call_async(request))


#: Asks whether the task was understood, and nothing else.
ASKS = (('max_decisions', 3), ('preset', 'default,ask=always,no-ground-words'))


@pytest.fixture
def reception(make_stack):
    """A stack that asks whether it was understood, and somebody to answer."""
    return Reception(make_stack(planner=ASKS))


def observed(stack, words):
    """Wait for an observation that says this."""
    stack.wait(lambda: any(words in message.text for message in stack.observations))


def test_a_question_is_told_refuses_what_is_no_answer_and_takes_one(reception, tmp_path):
    stack = reception.stack
    handle = stack.send(task='set the table')
    question = reception.hear(Question.STATE_OPEN)
    assert (question.text, list(question.options)) == (ASKED, ['yes', 'no'])
    assert (question.default_answer, question.task) == ('yes', 'set the table')
    assert question.deadline.sec - question.header.stamp.sec in (59, 60, 61)
    # Who comes late sees it too.
    reception.watch()
    assert reception.hear(Question.STATE_OPEN).number == question.number
    refused = reception.answer(question, 'perhaps')
    assert not refused.accepted and '1 yes, 2 no' in refused.message
    refused = reception.answer(question, 'yes', number=question.number + 1)
    assert not refused.accepted and f'number {question.number} of run' in refused.message
    accepted = reception.answer(question, '1')
    assert accepted.accepted and accepted.message == 'The answer is "yes".'
    closed = reception.hear(Question.STATE_ANSWERED)
    assert (closed.answer, closed.answered_by) == ('yes', 'reception')
    assert not reception.answer(question, 'yes').accepted
    observed(stack, 'The person answers: yes')
    stack.result_of(handle.get_result_async())
    run_id = run_id_from_message(question.run_id)
    events = list(read_journal(tmp_path / 'runs' / f'{run_id}.jsonl'))
    assert events[0].settings.ask is Ask.ALWAYS
    assert decision_from_message(stack.decisions[0]).settings.ask is Ask.ALWAYS
    (asked,) = [message for message in stack.decisions if message.skill.startswith('ask: ')]
    assert asked.skill == f'ask: {ASKED} [yes | no]' and asked.sequence == question.number


def test_no_ends_the_run_and_says_what_to_do(reception):
    handle = reception.stack.send(task='set the table')
    assert reception.answer(reception.hear(Question.STATE_OPEN), 'No').accepted
    result = reception.stack.result_of(handle.get_result_async()).result
    assert result.error_code == PlanTask.Result.CANCELED
    assert 'other words' in result.error_msg and result.steps == 0


def test_after_the_deadline_the_default_is_taken(make_stack):
    stack = make_stack(planner=(*ASKS, ('question_timeout', 1.0)))
    reception = Reception(stack)
    stack.send(task='set the table')
    reception.hear(Question.STATE_OPEN)
    assert reception.hear(Question.STATE_EXPIRED).answer == ''
    observed(stack, 'Nobody answered: "yes" is taken.')


def test_a_cancel_withdraws_an_open_question(reception):
    handle = reception.stack.send(task='set the table')
    reception.hear(Question.STATE_OPEN)
    reception.stack.result_of(handle.cancel_goal_async())
    reception.hear(Question.STATE_WITHDRAWN)
    result = reception.stack.result_of(handle.get_result_async()).result
    assert result.error_code == PlanTask.Result.CANCELED


def test_where_nobody_watches_or_the_goal_says_never_nobody_is_asked(make_stack):
    stack = make_stack(planner=ASKS)
    result = stack.plan(task='set the table').result
    assert result.error_code == PlanTask.Result.DECISION_LIMIT
    reception = Reception(stack)
    result = stack.plan(task='set the table', ask='never').result
    assert result.error_code == PlanTask.Result.DECISION_LIMIT
    assert reception.heard.empty()
    assert not [message for message in stack.decisions if message.skill.startswith('ask: ')]
    result = stack.plan(task='set the table', ask='sometimes').result
    assert result.error_code == PlanTask.Result.INVALID_TASK
    assert 'never, when-unsure, always' in result.error_msg
