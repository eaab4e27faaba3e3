"""When an action server considers a goal, and when it tells of a cancel."""

from __future__ import annotations

import itertools
import threading
from types import SimpleNamespace

import pytest
from action_msgs.msg import GoalInfo, GoalStatus
from action_msgs.srv import CancelGoal
from rclpy.action import GoalResponse
from rclpy.action.client import ClientGoalHandle
from rclpy.action.server import GoalEvent, ServerGoalHandle
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.context import Context
from rclpy.node import Node
from rclpy.task import Future
from unique_identifier_msgs.msg import UUID

from reactree_core.ros.actions import ActionClient, ActionServer
from reactree_core.ros.spinning import NodesInThread
from reactree_ros.action import PlanTask
from support.turns import run_together, SlowToForget
from support.waiting import wait_for

PATIENCE = 30.0
_NUMBERS = itertools.count(1)


class Unaware(Node):
    """A node that discovers readers late."""

    def __init__(self, name, **options):
        super().__init__(name, **options)
        self.aware = threading.Event()
        self.asked = threading.Event()

    def get_subscriptions_info_by_topic(self, *arguments, **options):
        self.asked.set()
        found = super().get_subscriptions_info_by_topic(*arguments, **options)
        return found if self.aware.is_set() else []


class Server:
    """A node with the server, and a client in a participant of its own."""

    def __init__(self):
        self.considered = threading.Event()
        #: Status of each goal of whose cancel it was told.
        self.told = []
        self.release = threading.Event()
        self._contexts = [Context(), Context()]
        for context in self._contexts:
            context.init(args=[])
        here, there = self._contexts
        # The server of an earlier test may still be seen.
        name = f'server_{next(_NUMBERS)}'
        self.node = Unaware(name, context=here)
        client = Node('client', context=there)
        self._server = ActionServer(
            self.node,
            PlanTask,
            '~/plan_task',
            self._execute,
            self._consider,
            lambda handle: self.told.append(handle.status),
            callback_group=ReentrantCallbackGroup(),
        )
        self._action = ActionClient(client, PlanTask, f'{name}/plan_task')
        self._threads = [NodesInThread(here, self.node, threads=3), NodesInThread(there, client)]
        for thread in self._threads:
            thread.start()

    def _consider(self, goal):
        self.considered.set()
        return GoalResponse.ACCEPT

    def _execute(self, handle):
        self.release.wait(PATIENCE)
        handle.canceled() if handle.is_cancel_requested else handle.succeed()
        return PlanTask.Result()

    def send(self, goal_id=None):
        assert self._action.wait_for_server(PATIENCE)
        return self._action.send_goal_async(PlanTask.Goal(task='x'), goal_uuid=goal_id)

    def cancel(self, goal_id):
        assert self._action.wait_for_server(PATIENCE)
        nobody = PlanTask.Impl.SendGoalService.Response()
        goal = ClientGoalHandle(self._action, goal_id, nobody)
        return answer_of(goal.cancel_goal_async())

    def close(self):
        self.release.set()
        for thread, context in zip(self._threads, self._contexts, strict=True):
            thread.end(PATIENCE)
            context.try_shutdown()


@pytest.fixture
def server():
    server = Server()
    yield server
    server.close()


def answer_of(sent):
    done = threading.Event()
    sent.add_done_callback(lambda _: done.set())
    assert done.wait(PATIENCE), 'no answer'
    return sent.result()


def test_a_goal_waits_until_the_reader_of_its_answer_is_known(server):
    sent = server.send()
    assert not server.considered.wait(0.5)
    server.node.aware.set()
    assert answer_of(sent).accepted


def test_a_client_that_never_becomes_whole_does_not_keep_goals_from_being_served(server):
    assert answer_of(server.send()).accepted


def test_a_goal_whose_cancel_came_first_is_rejected(server):
    goal_id = UUID(uuid=list(range(16)))
    assert server.cancel(goal_id).return_code == CancelGoal.Response.ERROR_UNKNOWN_GOAL_ID
    assert not answer_of(server.send(goal_id)).accepted
    assert not server.considered.is_set()
    assert answer_of(server.send()).accepted


def test_a_goal_is_rejected_that_is_canceled_while_its_client_is_discovered(server):
    goal_id = UUID(uuid=list(range(16)))
    sent = server.send(goal_id)
    # Taken by one of the threads, and waiting.
    wait_for(server.node.asked.is_set, 'the goal')
    server.cancel(goal_id)
    server.node.aware.set()
    assert not answer_of(sent).accepted


def test_a_cancel_is_told_of_once_the_state_of_the_goal_says_so(server, monkeypatch):
    step = ServerGoalHandle._update_state

    def slow_step(handle, event):
        if event == GoalEvent.CANCEL_GOAL:
            threading.Event().wait(0.3)
        step(handle, event)

    monkeypatch.setattr(ServerGoalHandle, '_update_state', slow_step)
    handle = answer_of(server.send())
    assert answer_of(handle.cancel_goal_async()).goals_canceling
    wait_for(lambda: server.told, 'it is told of the cancel')
    assert server.told == [GoalStatus.STATUS_CANCELING]


def test_a_cancel_in_the_moment_in_which_a_goal_begins_breaks_nothing(server, monkeypatch):
    canceled = threading.Event()

    def look(handle):
        state = handle.status == GoalStatus.STATUS_CANCELING
        if not canceled.is_set():
            canceled.set()
            handle._update_state(GoalEvent.CANCEL_GOAL)
        return state

    monkeypatch.setattr(ServerGoalHandle, 'is_cancel_requested', property(look))
    server.release.set()
    handle = answer_of(server.send())
    assert answer_of(handle.get_result_async()).status == GoalStatus.STATUS_CANCELED


def test_a_result_that_is_asked_for_in_the_moment_in_which_it_is_forgotten_breaks_nothing():
    context = Context()
    context.init(args=[])
    node = Node('unspun', context=context, start_parameter_services=False)
    server = ActionServer(node, PlanTask, '~/plan_task', print, print, print)
    goal = GoalInfo()
    key = bytes(goal.goal_id.uuid)
    server._goal_handles = SlowToForget({key: SimpleNamespace(destroy=lambda: None)})
    server._result_futures[key] = Future()
    server.add_future(server._result_futures[key])
    # What is answered goes to nobody.
    server._handle = SimpleNamespace(send_result_response=lambda *_: None)
    asked = PlanTask.Impl.GetResultService.Request(goal_id=goal.goal_id)
    run_together(
        server._execute_get_result_request((None, asked)), server._execute_expire_goals((goal,))
    )
    assert not server._goal_handles
    node.destroy_node()
    context.try_shutdown()
