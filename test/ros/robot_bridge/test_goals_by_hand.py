"""Goals of a robot's actions by hand: what goes on, what is canceled, what is a fault."""

from __future__ import annotations

import time
from types import SimpleNamespace

import pytest
from action_msgs.msg import GoalInfo, GoalStatus, GoalStatusArray
from action_msgs.srv import CancelGoal
from rclpy.task import Future
from unique_identifier_msgs.msg import UUID

from robot_bridge.goal_ids import goal_id_of
from robot_bridge.ros.robot_goals import RobotGoals
from skill_server.ros.status import BridgeState, StatusBoard
from support.hand_driven_node import HandDrivenNode

OURS, OTHERS, ALL = goal_id_of(None, 1), bytes(range(16)), bytes(16)
EXECUTING, SUCCEEDED = GoalStatus.STATUS_EXECUTING, GoalStatus.STATUS_SUCCEEDED


class Stage:
    """The goals of one action, its server, and the bridge's status."""

    def __init__(self, node):
        self.node = node
        self.servers = [b'server one']
        node.resolve_topic_name = node.resolve_service_name = lambda name: name
        node.get_publishers_info_by_topic = lambda topic, no_mangle=False: [
            SimpleNamespace(endpoint_gid=one) for one in self.servers
        ]
        self.board = StatusBoard(node, None)
        self.board.serve()
        self.goals = RobotGoals(node, ['/drive', '/drive'], self.board)
        self.client = node.clients['/drive/_action/cancel_goal']

    def tell(self, **goals):
        """A status of the server: goal by name -> what it is at."""
        ids = {'ours': OURS, 'others': OTHERS}
        told = [
            GoalStatus(goal_info=GoalInfo(goal_id=UUID(uuid=list(ids[name]))), status=status)
            for name, status in goals.items()
        ]
        self.node.tell('/drive/_action/status', GoalStatusArray(status_list=told))

    @property
    def asked(self):
        return [bytes(request.goal_info.goal_id.uuid) for request, _ in self.client.asked]

    def answer(self, code=0, canceling=(), at=-1):
        goals = [GoalInfo(goal_id=UUID(uuid=list(one))) for one in canceling]
        self.client.asked[at][1].set_result(
            CancelGoal.Response(return_code=code, goals_canceling=goals)
        )


@pytest.fixture
def stage(monkeypatch):
    node = HandDrivenNode()
    monkeypatch.setattr(time, 'monotonic', lambda: node.time)
    return Stage(node)


def test_a_goal_that_a_skill_waits_for_is_no_fault(stage):
    stage.goals.begin('/drive', OURS)
    stage.tell(ours=EXECUTING)
    stage.node.pass_time(2.0)
    assert not stage.goals.strays and not stage.asked
    assert stage.board.state is BridgeState.READY
    assert stage.goals.moving() == ['The action /drive has not ended: the robot still moves.']


def test_a_goal_that_ended_is_over(stage):
    stage.goals.begin('/drive', OURS)
    result = Future()
    result.set_result(None)
    stage.goals.end('/drive', OURS, result)
    assert stage.goals.moving() == [] and not stage.goals.strays
    stage.tell(ours=EXECUTING)
    assert not stage.goals.strays, 'the status comes late'


def test_a_goal_that_was_not_taken_is_over(stage):
    stage.goals.begin('/drive', OURS)
    stage.goals.end('/drive', OURS, None)
    assert not stage.goals.strays and stage.goals.moving() == []


def test_a_goal_that_goes_on_is_a_fault_and_is_canceled_every_second(stage):
    stage.goals.begin('/drive', OURS)
    stage.tell(ours=EXECUTING)
    result = Future()
    stage.goals.end('/drive', OURS, result)
    assert stage.goals.strays and stage.board.state is BridgeState.FAULT
    assert 'has not ended after its cancel' in stage.board.sentence
    stage.node.pass_time(0.125)
    assert stage.asked == [OURS]
    stage.node.pass_time(0.875)
    assert stage.asked == [OURS]
    stage.node.pass_time(0.25)
    assert stage.asked == [OURS, OURS] and stage.client.removed == [stage.client.asked[0][1]]
    result.set_result(None)
    stage.node.pass_time(0.125)
    assert not stage.goals.strays and stage.board.state is BridgeState.READY


def test_a_goal_of_an_earlier_life_is_ended(stage):
    stage.tell(ours=EXECUTING)
    assert stage.board.state is BridgeState.FAULT
    stage.node.pass_time(0.125)
    assert stage.asked == [OURS]
    stage.answer()
    assert stage.goals.strays, 'it is canceled, and has not ended'
    stage.tell(ours=SUCCEEDED)
    assert not stage.goals.strays and stage.board.state is BridgeState.READY


def test_a_goal_that_the_server_does_not_know_is_over(stage):
    stage.goals.begin('/drive', OURS)
    stage.goals.end('/drive', OURS, Future())
    stage.node.pass_time(0.125)
    stage.answer(CancelGoal.Response.ERROR_GOAL_TERMINATED)
    assert stage.goals.strays, 'a goal that is being canceled is told so, too'
    stage.node.pass_time(1.125)
    stage.answer(CancelGoal.Response.ERROR_UNKNOWN_GOAL_ID)
    assert not stage.goals.strays and stage.board.state is BridgeState.READY


def test_a_goal_that_vanishes_from_the_status_is_over_once_it_stood_there(stage):
    stage.goals.begin('/drive', OURS)
    stage.goals.end('/drive', OURS, Future())
    stage.tell()
    assert stage.goals.strays, 'the status is older than the goal'
    stage.tell(ours=EXECUTING)
    stage.tell()
    assert not stage.goals.strays


def test_a_goal_of_somebody_else_is_a_fault_and_left_alone(stage):
    stage.tell(others=EXECUTING)
    stage.node.pass_time(3.0)
    assert not stage.asked and 'works on a goal of somebody else' in stage.board.sentence
    stage.tell(others=SUCCEEDED)
    assert stage.board.state is BridgeState.READY


def test_a_goal_of_somebody_else_beside_a_running_skill_is_no_fault(stage):
    work = stage.board.claim(BridgeState.BUSY, 'go')
    stage.tell(others=EXECUTING)
    assert stage.board.state is BridgeState.BUSY
    stage.board.give_back(work)
    stage.node.pass_time(0.125)
    assert stage.board.state is BridgeState.FAULT


def test_all_are_ended_whoever_has_sent_them(stage):
    stage.tell(others=EXECUTING)
    stage.goals.cancel_all()
    assert stage.asked == [ALL] and stage.goals.unanswered() == ['/drive']
    assert 'does not answer' not in ' '.join(stage.goals.moving())
    stage.node.pass_time(0.25)
    assert stage.asked == [ALL], 'not so soon after a cancel of all'
    stage.node.pass_time(0.125)
    assert stage.asked == [ALL, OTHERS]
    stage.answer(canceling=[OTHERS], at=0)
    assert stage.goals.unanswered() == []
    stage.tell(others=SUCCEEDED)
    assert stage.goals.moving() == [] and stage.board.state is BridgeState.READY


def test_what_a_server_says_it_ends_goes_on_until_its_status_tells_the_end(stage):
    stage.goals.cancel_all()
    stage.answer(canceling=[OTHERS])
    assert stage.goals.strays
    stage.tell(others=SUCCEEDED)
    assert not stage.goals.strays


def test_a_server_that_does_not_answer_is_not_known_to_have_stopped(stage):
    stage.goals.cancel_all()
    assert stage.goals.moving() == [
        'The action /drive does not answer: the robot is not known to have stopped.'
    ]
    stage.node.pass_time(1.125)
    assert stage.asked == [ALL, ALL]
    stage.answer()
    assert stage.goals.moving() == []
    stage.node.pass_time(2.0)
    assert stage.asked == [ALL, ALL]


def test_a_server_that_is_not_there_is_asked_when_it_is_met(stage):
    stage.client.ready = False
    stage.goals.cancel_all()
    stage.node.pass_time(2.0)
    assert not stage.asked and stage.goals.unanswered() == []
    stage.client.ready = True
    stage.node.pass_time(0.125)
    assert stage.asked == [ALL]


def test_an_answer_to_an_earlier_cancel_of_all_counts_no_more(stage):
    stage.goals.cancel_all()
    stage.answer()
    stage.node.pass_time(0.5)
    stage.goals.cancel_all()
    assert stage.asked == [ALL, ALL] and stage.goals.unanswered() == ['/drive']


def test_a_skill_that_begins_ends_the_cancel_of_all(stage):
    stage.client.ready = False
    stage.goals.cancel_all()
    stage.goals.begin('/drive', OURS)
    stage.client.ready = True
    stage.node.pass_time(1.0)
    assert not stage.asked


def test_what_an_activation_has_ended_is_no_fault_for_some_time(stage):
    stage.tell(others=EXECUTING)
    stage.board.renew()
    stage.goals._actions['/drive'].fault = ''
    stage.goals.cancel_all(patience=2.0)
    stage.node.pass_time(1.875)
    assert stage.board.state is BridgeState.READY and stage.goals.strays
    stage.node.pass_time(0.25)
    assert stage.board.state is BridgeState.FAULT


def test_a_server_that_disappears_at_work_is_not_known_to_have_stopped(stage):
    stage.goals.begin('/drive', OURS)
    stage.tell(ours=EXECUTING)
    stage.goals.end('/drive', OURS, Future())
    stage.servers = []
    stage.node.pass_time(0.4375)
    assert stage.goals.strays, 'it may be a moment of discovery'
    stage.node.pass_time(0.1875)
    assert not stage.goals.strays
    assert stage.goals.moving() == [
        'The action /drive was at work when its server disappeared: the robot is not known to '
        'have stopped.'
    ]
    stage.goals.cancel_all()
    stage.answer()
    assert stage.goals.moving() == []


def test_another_server_is_not_the_one_that_was_at_work(stage):
    stage.tell(ours=EXECUTING)
    stage.servers = [b'server two']
    stage.node.pass_time(0.625)
    assert not stage.goals.strays and 'disappeared' in stage.goals.moving()[0]


def test_a_server_that_was_missed_for_a_moment_is_still_at_work(stage):
    stage.tell(ours=EXECUTING)
    for _ in range(4):
        stage.servers = []
        stage.node.pass_time(0.375)
        stage.servers = [b'server one']
        stage.node.pass_time(0.125)
    assert stage.goals.strays


def test_a_service_that_was_called_and_has_not_answered_is_told(stage):
    answer = Future()
    stage.goals.call('/grip', answer, lambda: True)
    assert stage.goals.moving() == [
        'The service /grip was called and has not answered: the robot is not known to have '
        'stopped.'
    ]
    answer.set_result(None)
    assert stage.goals.moving() == []


def test_a_skill_cancels_its_own_goal(stage):
    stage.goals.begin('/drive', OURS)
    stage.goals.cancel('/drive', OURS)
    stage.goals.cancel('/drive', OURS)
    assert stage.asked == [OURS]


def test_an_action_whose_cancel_was_not_met_is_named_until_it_answers(stage):
    stage.client.ready = False
    stage.goals.cancel_all()
    assert stage.goals.unmet() == ['/drive'] and stage.goals.unanswered() == []
    stage.client.ready = True
    stage.node.pass_time(0.125)
    assert stage.goals.unmet() == [] and stage.goals.unanswered() == ['/drive']
    stage.answer()
    assert stage.goals.unanswered() == []


def test_a_goal_that_another_process_has_canceled_is_waited_for(stage):
    stage.goals.cancel_all()
    stage.answer()  # no goal that could still be canceled
    assert stage.goals.unheard() == ['/drive'], 'its status may come later'
    stage.tell(ours=GoalStatus.STATUS_CANCELING)
    assert stage.goals.unheard() == [] and stage.goals.strays
    stage.tell(ours=GoalStatus.STATUS_CANCELED)
    assert not stage.goals.strays


def test_an_action_that_never_had_a_goal_is_waited_for_a_moment(stage):
    stage.goals.cancel_all()
    stage.answer()
    stage.node.pass_time(0.25)
    assert stage.goals.unheard() == []


@pytest.mark.parametrize('skill', ['go to yard 1', ''])
def test_a_goal_whose_cancel_is_refused_is_said_at_once(stage, skill):
    if skill:
        stage.goals.begin('/drive', OURS)
    stage.tell(ours=EXECUTING)
    stage.goals.cancel_all()
    assert not stage.goals.are_refused(), 'its server has not answered'
    stage.answer(code=CancelGoal.Response.ERROR_REJECTED)
    stage.node.pass_time(0.25)
    assert stage.goals.are_refused()
    (said,) = stage.goals.moving(skill)
    assert 'refuses the cancel' in said and (not skill or '"go to yard 1"' in said)


def test_a_goal_whose_cancel_is_taken_is_not_called_refused(stage):
    stage.goals.begin('/drive', OURS)
    stage.tell(ours=EXECUTING)
    stage.goals.cancel_all()
    stage.answer(canceling=[OURS])
    stage.node.pass_time(0.5)
    assert not stage.goals.are_refused()
    assert stage.goals.moving() == ['The action /drive has not ended: the robot still moves.']
