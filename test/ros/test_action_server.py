"""When an action server considers a goal: once the client can hear the answer."""

from __future__ import annotations

import itertools
import threading

import pytest
from rclpy.action import GoalResponse
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.context import Context
from rclpy.node import Node

from reactree_core.ros.actions import ActionClient
from reactree_core.ros.actions import ActionServer
from reactree_core.ros.spinning import NodesInThread
from reactree_ros.action import PlanTask

PATIENCE = 30.0
_NUMBERS = itertools.count(1)


class Unaware(Node):
    """A node that discovers readers late."""

    def __init__(self, name, **options):
        super().__init__(name, **options)
        self.aware = threading.Event()

    def get_subscriptions_info_by_topic(self, *arguments, **options):
        found = super().get_subscriptions_info_by_topic(*arguments, **options)
        return found if self.aware.is_set() else []


class Server:
    """A node with the server, and a client in a participant of its own."""

    def __init__(self):
        self.considered = threading.Event()
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
            callback_group=ReentrantCallbackGroup(),
        )
        self._action = ActionClient(client, PlanTask, f'{name}/plan_task')
        self._threads = [NodesInThread(here, self.node), NodesInThread(there, client)]
        for thread in self._threads:
            thread.start()

    def _consider(self, goal):
        self.considered.set()
        return GoalResponse.ACCEPT

    def _execute(self, handle):
        handle.succeed()
        return PlanTask.Result()

    def send(self):
        assert self._action.wait_for_server(PATIENCE)
        return self._action.send_goal_async(PlanTask.Goal(task='x'))

    def close(self):
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
