"""A stop ends every run of a real planner, whatever it is at; "wait" ends the skill under way."""

from __future__ import annotations

import os
import threading
import time

import pytest
from rclpy.parameter import Parameter
from std_msgs.msg import Bool
from std_srvs.srv import SetBool

from reactree_core.record.events import Decision as DecisionEvent
from reactree_core.record.journal import read_journal
from reactree_core.record.outcome import ErrorCode
from reactree_core.ros import qos
from reactree_core.ros.conversions import run_id_to_message
from reactree_planner.llm.registry import load_model, ModelOptions
from reactree_ros.msg import ApprovalRequest, Decision, Observation, Question
from reactree_ros.srv import AnswerQuestion, CorrectTask

PATIENCE = 60.0
#: Seconds in which a stopped run has ended, on a quiet machine.
SOON = 1.0
TASK = 'Bring the apple to the kitchen table.'
#: Seconds of a skill that only a stop ends in time.
LONG = 30.0
pytestmark = pytest.mark.timeout(180)


def slack():
    return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


class Silent:
    """A model that thinks until its request is canceled."""

    name = 'silent'
    is_chosen = False

    def __init__(self):
        self._inner = load_model('random:1', ModelOptions())
        self.thinks = threading.Event()

    def __getattr__(self, name):
        return getattr(self._inner, name)

    def session(self, cancel, prefix=''):
        return SilentSession(self._inner.session(cancel, prefix), cancel, self.thinks)

    def close(self):
        self._inner.close()


class SilentSession:
    def __init__(self, inner, cancel, thinks):
        self._inner, self._cancel, self._thinks = inner, cancel, thinks

    def __getattr__(self, name):
        if name in ('select', 'generate'):
            return self._wait
        return getattr(self._inner, name)

    def _wait(self, *arguments, **options):
        self._thinks.set()
        self._cancel.wait(PATIENCE)
        self._cancel.check()
        raise AssertionError('nobody has canceled the request')


class Stopping:
    """A stack with somebody who stops it."""

    def __init__(self, make_stack, **options):
        options.setdefault('model', load_model('none', ModelOptions()))
        planner = (('memory', False), *options.pop('planner', ()))
        bridge = (('skill_duration', LONG), *options.pop('bridge', ()))
        self.stack = make_stack(planner=planner, bridge=bridge, **options)
        client = self.stack.client
        self._stop = client.create_client(SetBool, 'bridge/emergency_stop')
        self._say = client.create_client(CorrectTask, 'planner/correct_task')
        assert self._stop.wait_for_service(PATIENCE) and self._say.wait_for_service(PATIENCE)
        #: Skills that the world has begun.
        self.begun = self.stack.bridge

    def press(self, pressed=True):
        answer = self.stack.result_of(self._stop.call_async(SetBool.Request(data=pressed)))
        assert answer.success

    def say(self, text):
        request = CorrectTask.Request(text=text, said_by='the cook')
        return self.stack.result_of(self._say.call_async(request))

    def hear(self, kind, number=1):
        def found():
            return [one for one in self.stack.decisions if one.kind == kind]

        self.stack.wait(lambda: len(found()) >= number, PATIENCE)
        return found()[number - 1]

    def begin(self, task=TASK, **goal):
        self.handle = self.stack.send(task=task, **goal)
        assert self.handle.accepted
        return self.handle

    def result(self):
        return self.stack.result_of(self.handle.get_result_async(), PATIENCE).result

    def check_stopped(self, stopped, by='the emergency stop'):
        """The run has ended soon, says why, and nothing follows the release."""
        result = self.result()
        took = time.monotonic() - stopped
        assert result.error_code == ErrorCode.CANCELED and not result.success
        assert result.error_msg.startswith(f'Stopped by {by}: '), result.error_msg
        assert took < SOON * slack(), f'the run ended after {took:.2f} s'
        decided = len(self.stack.decisions)
        return result, decided


def acting(stopping):
    stopping.begin()
    stopping.hear(Decision.KIND_ACT)


def approving(stopping):
    waits = threading.Event()
    stopping.stack.client.create_subscription(
        ApprovalRequest, 'planner/approvals', lambda _: waits.set(), qos.latched()
    )
    stopping.begin()
    assert waits.wait(PATIENCE)


def scheduled(stopping):
    stopping.begin('In ten seconds go to the kitchen table.')
    stopping.hear(Decision.KIND_WAIT)


def standing(stopping):
    stopping.begin('Whenever an apple is on the kitchen table, go to the sofa.')
    stopping.hear(Decision.KIND_WAIT)


def generating(stopping):
    stopping.begin('make it nice')
    assert stopping.stack.model.thinks.wait(PATIENCE)


def held(stopping):
    acting(stopping)
    assert stopping.say('wait').accepted
    stopping.hear(Decision.KIND_WAIT)


STATES = {
    'acting': (acting, {}),
    'waiting for approval': (approving, {'planner': (('permission', 'ask'),)}),
    'scheduled': (scheduled, {}),
    'standing': (standing, {'planner': (('standing_look', 0.2),)}),
    'generating': (generating, {'model': Silent}),
    'held': (held, {}),
}


def made(make_stack, state):
    reach, options = STATES[state]
    options = dict(options)
    model = options.pop('model', None)
    if model is not None:
        options['model'] = model()
    stopping = Stopping(make_stack, **options)
    stopping.stack.model = options.get('model')
    reach(stopping)
    return stopping


@pytest.mark.parametrize('state', STATES)
def test_a_stop_ends_a_run_and_the_release_moves_nothing(make_stack, state):
    stopping = made(make_stack, state)
    stopped = time.monotonic()
    stopping.press()
    result, decided = stopping.check_stopped(stopped)
    assert 'by the service' in result.error_msg and 'motion needs a new task' in result.error_msg
    stopping.press(False)
    # What a scheduled run would have done by now is not done.
    threading.Event().wait(1.0)
    skills = [one for one in stopping.stack.decisions[decided:] if one.kind == Decision.KIND_ACT]
    assert not skills
    assert not [one for one in stopping.stack.observations[1:] if one.skill and not one.outcome]


@pytest.mark.parametrize('state', STATES)
def test_stop_said_to_a_run_ends_it_at_once(make_stack, state, tmp_path):
    stopping = made(make_stack, state)
    stopped = time.monotonic()
    answer = stopping.say('Halt, stopp!')
    assert answer.accepted and 'run ends' in answer.message
    result, _ = stopping.check_stopped(stopped, 'a person')
    assert 'the cook said "Halt, stopp!"' in result.error_msg
    (path,) = (tmp_path / 'runs').glob('*.jsonl')
    last = list(read_journal(path))[-1]
    assert isinstance(last, DecisionEvent) and last.text == result.error_msg


@pytest.mark.parametrize('topic', ['planner/emergency_stop', 'bridge/emergency_stop'])
def test_a_button_by_topic_ends_a_run(make_stack, topic):
    stopping = made(make_stack, 'scheduled')
    button = stopping.stack.client.create_publisher(Bool, topic, qos.latched())
    button.publish(Bool(data=False))
    deadline = time.monotonic() + PATIENCE
    while not button.get_subscription_count():
        assert time.monotonic() < deadline
        threading.Event().wait(0.01)
    stopped = time.monotonic()
    button.publish(Bool(data=True))
    stopping.check_stopped(stopped)


def test_wait_cancels_the_skill_under_way_and_go_on_goes_on(make_stack):
    stopping = made(make_stack, 'acting')
    stack = stopping.stack
    said = time.monotonic()
    answer = stopping.say('einen Moment bitte')
    assert answer.accepted and 'is canceled' in answer.message
    stack.wait(lambda: any(one.skill for one in stack.observations), PATIENCE)
    assert time.monotonic() - said < 2 * SOON * slack()
    (canceled,) = [one for one in stack.observations if one.skill]
    assert canceled.outcome == Observation.OUTCOME_CANCELED
    assert 'a person wants the robot to wait' in canceled.text
    stopping.hear(Decision.KIND_WAIT)
    stack.bridge.set_parameters([Parameter('skill_duration', value=0.0)])
    assert stopping.say('go on').accepted
    result = stopping.result()
    assert result.success, result.error_msg
    assert 'apple in kitchen table' in result.verified


def test_stop_as_an_answer_to_a_question_ends_the_run(make_stack):
    asks = 'default,ask=always,no-ground-words'
    stopping = Stopping(make_stack, planner=(('preset', asks),), model=None)
    stack, asked = stopping.stack, []
    came = threading.Event()

    def hear(message):
        if message.state == Question.STATE_OPEN:
            asked.append(message)
            came.set()

    stack.client.create_subscription(Question, 'planner/questions', hear, qos.latched())
    stopping.begin('set the table')
    assert came.wait(PATIENCE)
    client = stack.client.create_client(AnswerQuestion, 'planner/answer_question')
    assert client.wait_for_service(PATIENCE)
    stopped = time.monotonic()
    request = AnswerQuestion.Request(
        run_id=asked[0].run_id, number=asked[0].number, answer='Stop!', answered_by='ana'
    )
    assert stack.result_of(client.call_async(request)).accepted
    result, _ = stopping.check_stopped(stopped, 'a person')
    assert 'ana said "Stop!"' in result.error_msg


def test_no_run_is_told_of_the_emergency_stop_when_somebody_says_stop(make_stack):
    stopping = Stopping(make_stack)
    answer = stopping.say('Stop!')
    assert not answer.accepted and '`reactree stop`' in answer.message
    assert 'give a task' in stopping.say('the other one').message


def test_run_ids_are_heeded_by_stop(make_stack):
    stopping = made(make_stack, 'scheduled')
    request = CorrectTask.Request(text='stop', run_id=run_id_to_message('12' * 16))
    assert not stopping.stack.result_of(stopping._say.call_async(request)).accepted
