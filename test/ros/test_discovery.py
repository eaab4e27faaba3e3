"""Servers are found where one participant serves all, whatever is left of others."""

from __future__ import annotations

from contextlib import ExitStack

import pytest
from rclpy.action import ActionServer
from rclpy.context import Context
from rclpy.node import Node
from std_srvs.srv import Trigger

from reactree_core.ros import discovery
from reactree_core.ros.actions import ActionClient
from reactree_core.ros.spinning import NodesInThread
from reactree_ros.action import PlanTask
from support.waiting import wait_for


@pytest.fixture
def nodes():
    """Nodes of two participants: of the server, and of the client; both are spun."""
    with ExitStack() as spun:
        made = []
        for name in ('server', 'client'):
            context = Context()
            context.init(args=[])
            spun.callback(context.try_shutdown)
            node = Node(name, context=context, start_parameter_services=False)
            spinning = NodesInThread(context, node)
            spinning.start()
            spun.callback(spinning.end)
            made.append(node)
        yield made


@pytest.fixture
def blind(monkeypatch):
    """What the middleware says while it knows half of a server that was killed."""
    monkeypatch.setattr('rclpy.client.Client.service_is_ready', lambda client: False)
    monkeypatch.setattr('rclpy.action.ActionClient.server_is_ready', lambda client: False)


def test_a_service_is_found_beside_the_half_of_a_server_that_was_killed(nodes, blind):
    server, asking = nodes
    client = asking.create_client(Trigger, 'look')
    assert not discovery.is_served(asking, client)
    server.create_service(Trigger, 'look', lambda request, response: response)
    wait_for(lambda: discovery.is_served(asking, client), 'the service')
    assert client.call(Trigger.Request(), timeout_sec=5.0) is not None


def test_an_action_is_found_beside_the_half_of_a_server_that_was_killed(nodes, blind):
    server, asking = nodes
    client = ActionClient(asking, PlanTask, 'plan_task')
    assert not client.server_is_ready()
    ActionServer(server, PlanTask, 'plan_task', lambda handle: PlanTask.Result())
    wait_for(client.server_is_ready, 'the action')


@pytest.mark.parametrize(
    'half', ['get_subscriptions_info_by_topic', 'get_publishers_info_by_topic']
)
def test_one_half_of_a_service_is_none(nodes, blind, monkeypatch, half):
    server, asking = nodes
    client = asking.create_client(Trigger, 'look')
    server.create_service(Trigger, 'look', lambda request, response: response)
    wait_for(lambda: discovery.is_served(asking, client), 'the service')
    monkeypatch.setattr(asking, half, lambda *arguments, **options: [])
    assert not discovery.is_served(asking, client)


def test_halves_of_two_participants_are_no_server(nodes, blind, monkeypatch):
    server, asking = nodes
    client = asking.create_client(Trigger, 'look')
    server.create_service(Trigger, 'look', lambda request, response: response)
    wait_for(lambda: discovery.is_served(asking, client), 'the service')
    answering = asking.get_publishers_info_by_topic

    def of_another(*arguments, **options):
        found = answering(*arguments, **options)
        for endpoint in found:
            endpoint.endpoint_gid = [255 - byte for byte in endpoint.endpoint_gid]
        return found

    monkeypatch.setattr(asking, 'get_publishers_info_by_topic', of_another)
    assert not discovery.is_served(asking, client)
