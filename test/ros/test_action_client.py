"""Action clients made while their node is being spun."""

from __future__ import annotations

import threading
import time

import pytest
from action_msgs.msg import GoalInfo, GoalStatus, GoalStatusArray
from rclpy.action import ActionServer
from rclpy.context import Context
from rclpy.node import Node

from reactree_core.ros.actions import ActionClient
from reactree_core.ros.spinning import NodesInThread
from reactree_ros.action import PlanTask
from support.turns import run_together, SlowToForget


class WatchfulNode(Node):
    """Asks every waitable what a spinning executor would ask, as soon as it is registered."""

    def add_waitable(self, waitable):
        super().add_waitable(waitable)
        assert waitable.get_num_entities().num_clients >= 0


@pytest.fixture
def node():
    context = Context()
    context.init(args=[])
    made = WatchfulNode('watchful', context=context, start_parameter_services=False)
    yield made
    made.destroy_node()
    context.try_shutdown()


def test_an_executor_may_look_at_it_before_it_is_made(node):
    client = ActionClient(node, PlanTask, 'plan_task')
    assert client.get_num_entities().num_clients == 3
    assert not client.server_is_ready()


class Hesitant(dict):
    """What a goal is written into after it was sent: gives the answer time to come first."""

    def __init__(self, client):
        super().__init__()
        self._client = client

    def __setitem__(self, key, value):
        deadline = time.monotonic() + 1.0
        pause = threading.Event()
        while self._client._pending_goal_requests and time.monotonic() < deadline:
            pause.wait(0.01)
        super().__setitem__(key, value)


def test_an_answer_that_comes_while_the_goal_is_being_sent_is_not_lost():
    context = Context()
    context.init(args=[])
    node = Node('quick', context=context, start_parameter_services=False)

    def execute(handle):
        handle.succeed()
        return PlanTask.Result()

    server = ActionServer(node, PlanTask, 'plan_task', execute)
    client = ActionClient(node, PlanTask, 'plan_task')
    client._feedback_callbacks = Hesitant(client)
    thread = NodesInThread(context, node)
    thread.start()
    try:
        assert client.wait_for_server(30.0)
        answered = threading.Event()
        sent = client.send_goal_async(PlanTask.Goal(task='x'), feedback_callback=print)
        sent.add_done_callback(lambda _: answered.set())
        assert answered.wait(10.0), 'the answer is lost'
        assert sent.result().accepted
    finally:
        server.destroy()
        thread.end(30.0)
        context.try_shutdown()


def test_states_of_a_goal_that_two_threads_take_in_are_taken_in_one_by_one(node):
    client = ActionClient(node, PlanTask, 'plan_task')
    goal = GoalInfo()
    client._goal_handles = SlowToForget({bytes(goal.goal_id.uuid): lambda: None})
    ended = GoalStatus(goal_info=goal, status=GoalStatus.STATUS_SUCCEEDED)
    states = GoalStatusArray(status_list=[ended])
    run_together(*(client.execute({'status': states}) for _ in range(2)))
    assert not client._goal_handles
