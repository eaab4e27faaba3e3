"""Action clients made while their node is being spun."""

from __future__ import annotations

import pytest
from rclpy.context import Context
from rclpy.node import Node

from reactree_core.ros.action_client import ActionClient
from reactree_ros.action import PlanTask


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
