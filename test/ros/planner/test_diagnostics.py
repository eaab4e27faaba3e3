"""Planner, bridge and memory tell on /diagnostics how they are."""

from __future__ import annotations

import pytest
from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.context import Context
from rclpy.parameter import Parameter

from reactree_core.errors import ModelError
from reactree_core.ros.spinning import NodesInThread
from reactree_planner.llm.scripted import ScriptedModel
from reactree_planner.ros.node import PlannerNode
from support.diagnostics import Diagnostics

PATIENCE = 30.0


def test_planner_bridge_and_memory_tell_how_they_are(make_stack):
    stack = make_stack()
    heard = Diagnostics(stack.client)
    namespace = stack.client.get_namespace()
    for name in ('planner', 'bridge', 'memory'):
        status, _ = heard.until(
            f'{namespace}/{name}: {name}', lambda status, _: status.level == DiagnosticStatus.OK
        )
        assert status.hardware_id == namespace.strip('/')


def test_the_planner_tells_its_model_its_runs_and_the_last_error(make_stack):
    stack = make_stack(bridge=(('skill_duration', 30.0),))
    heard = Diagnostics(stack.client)
    name = f'{stack.client.get_namespace()}/planner: planner'
    _, values = heard.until(name, lambda _, values: values['skill server'] == 'there')
    assert (values['state'], values['model state'], values['runs ended']) == (
        'idle',
        'loaded',
        '0',
    )
    assert values['model'] and not values['run'] and not values['last error']

    handle = stack.send(task='set the kitchen table')
    status, values = heard.until(name, lambda _, values: values['state'] == 'planning')
    assert values['run'] == bytes(handle.goal_id.uuid).hex()
    assert values['task'] == 'set the kitchen table'
    _, bridge = heard.until(
        f'{stack.client.get_namespace()}/bridge: bridge',
        lambda _, values: values['state'] == 'BUSY',
    )
    assert bridge['scene'] == 'generated:9001' and bridge['task'] == 'setup_table:9001'
    stack.bridge.destroy_node()
    stack.result_of(handle.get_result_async())
    status, values = heard.until(name, lambda _, values: values['runs ended'] == '1')
    assert status.level == DiagnosticStatus.WARN
    assert values['last error'].startswith('BRIDGE_LOST: ') and values['state'] == 'idle'
    assert (values['runs solved'], values['runs ended by an error']) == ('0', '1')


class Distant(ScriptedModel):
    """A double: a model whose server is not there."""

    def connect(self, cancel):
        assert 0 < cancel.remaining(60.0) <= 10.0
        raise ModelError('There is no server: start it.')


def refuses(*_):
    raise ModelError('There is no server: start it.')


@pytest.fixture(params=[refuses, lambda *_: Distant([])])
def lonely_planner(request):
    """A planner whose model server does not answer, in a context of its own."""
    context = Context()
    context.init(args=[])
    node = PlannerNode(
        request.param,
        context=context,
        namespace=f'/lonely_planner_{request.param_index}',
        parameter_overrides=[Parameter('model', value='http://127.0.0.1:9/v1')],
    )
    thread = NodesInThread(context, node, threads=4)
    thread.start()
    yield node
    thread.end(PATIENCE)
    context.try_shutdown()


def test_a_planner_without_its_model_is_an_error_and_says_why(lonely_planner):
    name = lonely_planner.get_fully_qualified_name()
    status, values = Diagnostics(lonely_planner).until(f'{name}: planner')
    assert (status.level, status.message) == (
        DiagnosticStatus.ERROR,
        'There is no server: start it.',
    )
    assert values['model state'] in ('not loaded', 'not reached')
    assert values['skill server'] == 'not seen'
