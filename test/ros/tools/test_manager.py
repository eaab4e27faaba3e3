"""The manager node brings nodes up in order, says which one failed and why, and does so again."""

from __future__ import annotations

import gc
import threading
import time
import uuid
from contextlib import contextmanager, ExitStack

import pytest
from rcl_interfaces.msg import Log
from rclpy.context import Context
from rclpy.node import Node
from rclpy.parameter import Parameter
from std_srvs.srv import Trigger

from memory_server.ros.node import MemoryNode
from reactree_core.ros import qos
from reactree_core.ros.spinning import NodesInThread
from reactree_planner.ros.node import PlannerNode
from reactree_tools.ros.manager import ManagerNode
from sim_bridge.ros.node import BridgeNode

PATIENCE = 60.0


class Place:
    """A namespace of nodes, and a client that hears what the manager says."""

    def __init__(self, tmp_path):
        self.namespace = f'/g{uuid.uuid4().hex[:8]}'
        self.stack = ExitStack()
        script = tmp_path / 'script.yaml'
        script.write_text('- unused\n', encoding='utf-8')
        self.parameters = {
            BridgeNode: {'scene': 'generated:9001'},
            MemoryNode: {'store_path': 'none', 'encoder': 'hashing'},
            PlannerNode: {
                'model': f'scripted:{script}',
                'journal_directory': str(tmp_path / 'runs'),
            },
        }
        self.said = []
        self.arrived = threading.Condition()
        self.client = self.stack.enter_context(self.spun(Node, name='client'))
        # Those from before it was discovered, too.
        self.client.create_subscription(Log, '/rosout', self._said, qos.kept_events())

    def _said(self, message):
        if message.name == f'{self.namespace[1:]}.manager':
            with self.arrived:
                self.said.append(message.msg)
                self.arrived.notify_all()

    def until(self, condition):
        with self.arrived:
            assert self.arrived.wait_for(condition, PATIENCE), self.said

    @contextmanager
    def spun(self, kind, threads=4, name=None, **parameters):
        context = Context()
        context.init(args=[])
        arguments = (name,) if name else ()
        overrides = [Parameter(key, value=value) for key, value in parameters.items()]
        node = kind(
            *arguments,
            context=context,
            namespace=self.namespace,
            parameter_overrides=overrides,
        )
        thread = NodesInThread(context, node, threads=threads)
        thread.start()
        try:
            yield node
        finally:
            thread.end(PATIENCE)
            context.try_shutdown()

    def node(self, kind, **changed):
        parameters = {**self.parameters[kind], 'autostart': False, **changed}
        return self.stack.enter_context(self.spun(kind, **parameters))

    def manager(self, **parameters):
        return self.stack.enter_context(self.spun(ManagerNode, **parameters))

    def ask(self, service):
        client = self.client.create_client(Trigger, f'manager/{service}')
        assert client.wait_for_service(PATIENCE)
        done = threading.Event()
        future = client.call_async(Trigger.Request())
        future.add_done_callback(lambda _: done.set())
        assert done.wait(PATIENCE)
        return future.result()


@pytest.fixture
def place(tmp_path):
    found = Place(tmp_path)
    with found.stack:
        yield found


def test_nodes_are_configured_in_order_then_activated_in_order_and_taken_down_again(place):
    nodes = [place.node(kind) for kind in (PlannerNode, BridgeNode, MemoryNode)]
    place.manager()
    place.until(lambda: any(text.startswith('all are up') for text in place.said))
    assert all(node.is_active for node in nodes)
    steps = [text.rpartition('/')[2] for text in place.said if ' is ' in text]
    assert steps == [
        'bridge is configured',
        'memory is configured',
        'planner is configured',
        'bridge is activated',
        'memory is activated',
        'planner is activated',
    ]
    answer = place.ask('take_down')
    assert answer.success, answer.message
    assert {node.lifecycle_state for node in nodes} == {'unconfigured'}
    answer = place.ask('bring_up')
    assert answer.success, answer.message
    assert all(node.is_active for node in nodes)


def test_the_one_that_fails_is_named_with_its_reason_and_those_before_it_wait(place):
    bridge = place.node(BridgeNode)
    planner = place.node(PlannerNode, model='/nowhere/model.gguf')
    place.manager(nodes=['bridge', 'planner'])
    place.until(lambda: any('could not be configured' in text for text in place.said))
    (sentence,) = (text for text in place.said if 'could not be configured' in text)
    assert sentence.startswith(f'{place.namespace}/planner could not be configured: ')
    assert '/nowhere/model.gguf' in sentence
    assert bridge.lifecycle_state == 'inactive' and planner.lifecycle_state == 'unconfigured'
    good = Parameter('model', value=place.parameters[PlannerNode]['model'])
    assert planner.set_parameters([good])[0].successful
    assert place.ask('bring_up').success
    assert bridge.is_active and planner.is_active


def test_a_node_that_is_not_there_is_named(place):
    bridge = place.node(BridgeNode)
    place.manager(nodes=['bridge', 'planner'], discovery_timeout=1.0)
    place.until(lambda: any('missing after' in text for text in place.said))
    assert f'{place.namespace}/planner' in place.said[-1]
    assert bridge.lifecycle_state == 'unconfigured'
    planner = place.node(PlannerNode)
    place.until(lambda: any(text.startswith('all are up') for text in place.said))
    assert planner.is_active and bridge.is_active


def test_a_node_that_comes_again_is_brought_up_again(place):
    place.node(BridgeNode)
    place.manager(nodes=['bridge', 'memory'])
    with place.spun(MemoryNode, autostart=False, **place.parameters[MemoryNode]) as memory:
        place.until(lambda: any(text.startswith('all are up') for text in place.said))
        assert memory.is_active
    told = len(place.said)
    del memory
    gc.collect()  # its participant goes only with it
    again = place.node(MemoryNode)
    deadline = time.monotonic() + PATIENCE
    while not again.is_active and time.monotonic() < deadline:
        threading.Event().wait(0.05)
    assert again.is_active
    place.until(lambda: any(text.startswith('all are up') for text in place.said[told:]))
