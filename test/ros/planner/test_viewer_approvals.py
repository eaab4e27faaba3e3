"""Approvals on the page of a viewer node, beside a planner that asks for them."""

from __future__ import annotations

import httpx
import pytest
from rclpy.context import Context
from rclpy.node import Node
from rclpy.parameter import Parameter
from std_srvs.srv import SetBool

from reactree_core.ros import qos
from reactree_core.ros.conversions import run_id_from_message, run_id_to_message
from reactree_core.ros.spinning import NodesInThread
from reactree_ros.msg import ApprovalRequest, Question
from reactree_ros.srv import AnswerQuestion, ResolveApproval
from reactree_tools.viewer.ros.node import ViewerNode
from reactree_tools.viewer.web.application import TOKEN_HEADER
from support.waiting import wait_for

RUN, OTHER = 'ab' * 16, 'cd' * 16
PATIENCE = 30.0


class AskingPlanner(Node):
    """Asks for approvals and takes answers as ResolveApproval.srv says."""

    def __init__(self, **options):
        super().__init__('planner', **options)
        self._topic = self.create_publisher(ApprovalRequest, '~/approvals', qos.latched())
        self.create_service(ResolveApproval, '~/resolve_approval', self._answer)
        self.create_service(SetBool, '~/pause', lambda request, response: response)
        self._waits = None
        self.answers = []
        self.questions = self.create_publisher(Question, '~/questions', qos.latched())
        self.create_service(AnswerQuestion, '~/answer_question', self._answer_question)

    def _answer_question(self, request, response):
        response.accepted = request.answer == 'blue'
        response.message = 'answered' if response.accepted else 'Answer blue.'
        given = run_id_from_message(request.run_id), request.number, request.answer
        self.answers.append((*given, request.answered_by))
        return response

    def ask(self, run_id=RUN, sequence=7, skill='turn on stove 1', seconds=60):
        """Ask, and wait for an answer so long."""
        self._waits = ApprovalRequest(
            run_id=run_id_to_message(run_id),
            sequence=sequence,
            node_id=3,
            skill=skill,
            goal='warm the pudding',
            place='stove 1',
            room='kitchen 1',
            reason='it is cold',
            task='bring a warm pudding',
        )
        # By a clock that is simulated, and stands.
        self._waits.header.stamp.sec = 100
        self._waits.deadline.sec = 100 + seconds
        self._topic.publish(self._waits)

    def end(self, state):
        """Say what became of the request."""
        self._waits.state = state
        self._topic.publish(self._waits)

    def _answer(self, request, response):
        given = run_id_from_message(request.run_id), request.sequence, request.skill
        asked = self._waits
        response.accepted = asked.state == ApprovalRequest.STATE_WAITING and given == (
            run_id_from_message(asked.run_id),
            asked.sequence,
            asked.skill,
        )
        response.message = 'answered' if response.accepted else 'Another skill waits.'
        if response.accepted:
            self.answers.append((*given, request.approve, request.reason))
            self.end(
                ApprovalRequest.STATE_APPROVED
                if request.approve
                else ApprovalRequest.STATE_REFUSED
            )
        return response


@pytest.fixture
def viewer(tmp_path):
    """A planner that asks, the viewer, and how to talk to its page."""
    context = Context()
    context.init()
    addresses = []
    given = {'port': 0, 'journal_directory': str(tmp_path), 'control': True}
    planner = AskingPlanner(context=context, namespace='/asking')
    node = ViewerNode(
        tell=addresses.append,
        context=context,
        namespace='/asking',
        parameter_overrides=[Parameter(name, value=value) for name, value in given.items()],
    )
    thread = NodesInThread(context, planner, node)
    thread.start()
    yield planner, Talk(node.url, addresses[0].partition('#token=')[2])
    context.try_shutdown()
    thread.end(PATIENCE)


class Talk:
    """What a page does."""

    def __init__(self, url, token):
        self._url = url
        self._token = token

    def waiting(self):
        """The approval that the page is told of, or None."""
        return self.told('approval')

    def told(self, what):
        with httpx.stream('GET', f'{self._url}api/stream', timeout=PATIENCE) as response:
            for line in response.iter_lines():
                if line.startswith('data: '):
                    return httpx.Response(200, text=line.removeprefix('data: ')).json()[what]
        raise AssertionError('the stream has ended')

    def question(self):
        """The question that the page is told of, or None."""
        return self.told('question')

    def wait(self, skill):
        """Until this skill waits; '' until none does."""
        wait_for(lambda: (self.waiting() or {'skill': ''})['skill'] == skill, f'no {skill}')
        return self.waiting()

    def tell(self, what, token=None, **content):
        """Press a button."""
        headers = {TOKEN_HEADER: self._token if token is None else token}
        address = f'{self._url}api/control/{what}'
        return httpx.post(address, json=content, headers=headers, timeout=PATIENCE)


SHOWN = {'run': RUN, 'sequence': 7, 'skill': 'turn on stove 1'}


def test_a_request_is_shown_and_the_answer_names_what_was_shown(viewer):
    planner, page = viewer
    planner.ask()
    told = page.wait('turn on stove 1')
    assert (told['run'], told['sequence'], told['node_id']) == (RUN, 7, 3)
    assert (told['goal'], told['place'], told['room']) == (
        'warm the pudding',
        'stove 1',
        'kitchen 1',
    )
    assert (told['reason'], told['task']) == ('it is cold', 'bring a warm pudding')
    assert 0 < told['left'] <= 60
    assert page.tell('approve', token='guessed', **SHOWN).status_code == 403
    assert page.tell('approve', **SHOWN).json() == {'message': 'answered'}
    page.wait('')
    assert planner.answers == [(RUN, 7, 'turn on stove 1', True, '')]


def test_an_answer_to_what_no_longer_waits_gives_the_planners_own_words(viewer):
    planner, page = viewer
    planner.ask()
    page.wait('turn on stove 1')
    planner.ask(OTHER, 7, 'turn on stove 1')
    answer = page.tell('approve', **SHOWN)
    assert (answer.status_code, answer.json()['message']) == (503, 'Another skill waits.')
    assert page.tell('approve', **{**SHOWN, 'run': 'nonsense'}).status_code == 503
    refused = page.tell('refuse', **{**SHOWN, 'run': OTHER}, reason='not now')
    assert refused.status_code == 200
    assert planner.answers == [(OTHER, 7, 'turn on stove 1', False, 'not now')]


@pytest.mark.parametrize('state', ['APPROVED', 'REFUSED', 'EXPIRED', 'WITHDRAWN'])
def test_what_was_answered_elsewhere_or_ended_is_no_longer_shown(viewer, state):
    planner, page = viewer
    planner.ask()
    page.wait('turn on stove 1')
    planner.end(getattr(ApprovalRequest, f'STATE_{state}'))
    page.wait('')


def test_a_request_past_its_deadline_waits_until_the_planner_says_otherwise(viewer):
    planner, page = viewer
    planner.ask(seconds=0)
    assert page.wait('turn on stove 1')['left'] == 0
    planner.end(ApprovalRequest.STATE_EXPIRED)
    page.wait('')


def test_a_question_is_shown_and_answered_until_it_is_closed(viewer):
    planner, page = viewer
    wait_for(planner.questions.get_subscription_count, 'a viewer with control can answer')
    asked = Question(
        run_id=run_id_to_message(RUN), number=3, text='Which?', options=['red', 'blue'],
        default_answer='red', task='load the crate',
    )  # fmt: skip
    asked.deadline.sec = 60
    planner.questions.publish(asked)
    wait_for(lambda: page.question() is not None, 'the question is shown')
    told = page.question()
    assert (told['run'], told['number'], told['options']) == (RUN, 3, ['red', 'blue'])
    assert told['default'] == 'red' and 0 < told['left'] <= 60
    given = {'run': RUN, 'number': 3}
    refused = page.tell('answer', **given, answer='green')
    assert (refused.status_code, refused.json()['message']) == (503, 'Answer blue.')
    assert page.tell('answer', **given, answer='blue').json() == {'message': 'answered'}
    assert planner.answers[-1] == (RUN, 3, 'blue', 'viewer')
    asked.state = Question.STATE_ANSWERED
    planner.questions.publish(asked)
    wait_for(lambda: page.question() is None, 'the question is gone')
