"""The executor of several threads: it rests while others work, and forgets nobody who waits."""

from __future__ import annotations

import threading
from functools import partial

import pytest
from rclpy.context import Context
from rclpy.node import Node
from std_msgs.msg import String

from reactree_core.ros.executor import PooledExecutor
from support.waiting import wait_for

PATIENCE = 30.0
THREADS = 2


class CountingExecutor(PooledExecutor):
    """Counts its rounds: in each it asks for its nodes once."""

    rounds = 0

    def get_nodes(self):
        self.rounds += 1
        return super().get_nodes()


@pytest.fixture
def node():
    """A node that is spun by `node.executor`."""
    context = Context()
    context.init(args=[])
    node = Node('node', context=context, start_parameter_services=False)
    executor = CountingExecutor(THREADS, context=context)
    executor.add_node(node)
    ended = executor.create_future()
    spinning = threading.Thread(target=executor.spin_until_future_complete, args=(ended,))
    spinning.start()
    yield node
    ended.set_result(None)
    spinning.join(PATIENCE)
    executor.shutdown()
    node.destroy_node()
    context.try_shutdown()


def test_it_rests_while_no_thread_is_free_for_a_message(node):
    came, release = threading.Event(), threading.Event()
    node.create_subscription(String, 'news', lambda _: came.set(), 10)
    publisher = node.create_publisher(String, 'news', 10)
    wait_for(publisher.get_subscription_count, 'the subscription')
    for _ in range(THREADS):
        node.executor.create_task(release.wait, PATIENCE)
    before = node.executor.rounds
    publisher.publish(String())
    assert not came.wait(0.5)
    rounds = node.executor.rounds - before
    release.set()
    assert came.wait(PATIENCE)
    assert rounds < 50


class Answer:
    """Awaited; comes in the very moment in which somebody has seen that it has not come."""

    def __init__(self, executor):
        self._executor = executor
        self._came = False

    def __await__(self):
        while not self._came:
            next_round = self._executor.rounds + 1
            self._came = True
            self._executor.wake()
            # Until the executor has gone round, and left out who waits.
            wait_for(partial(self._has_gone_round, next_round), 'a round')
            threading.Event().wait(0.1)
            yield

    def _has_gone_round(self, number):
        return self._executor.rounds >= number


def test_who_waits_goes_on_though_the_answer_came_while_it_looked(node):
    went_on = threading.Event()

    async def wait():
        await Answer(node.executor)
        went_on.set()

    node.executor.create_task(wait)
    assert went_on.wait(2.0)
