"""What launch files give their nodes, with a stand-in for launch where no distribution is."""

from __future__ import annotations

import importlib
import sys
from unittest.mock import MagicMock

import pytest

from reactree_tools.node_table import PlacedNode, wanted_nodes

MODULE = 'reactree_tools.ros.launching'


@pytest.fixture
def launching(monkeypatch):
    for name in ('launch', 'launch_ros'):
        for part in ('', '.actions', '.substitutions', '.parameter_descriptions'):
            monkeypatch.setitem(sys.modules, f'{name}{part}', MagicMock())
    monkeypatch.delitem(sys.modules, MODULE, raising=False)
    yield importlib.import_module(MODULE)
    sys.modules.pop(MODULE)


def parameters(launching, **said):
    """Of each node, as it is given them."""
    arguments = (*launching.COMMON, *launching.WORLD)
    given = {name: default for name, default, _ in arguments} | said
    values = {**launching._typed(given), 'with_bridge': True}
    found = []
    for node in wanted_nodes(values):
        placed = PlacedNode(node, '/', node.parameters(values))
        launching.ParameterValue.side_effect = lambda value, value_type: value
        launching.make_node(placed, given, ends_all=True)
        found.append(launching.Node.call_args.kwargs['parameters'])
    return found


def test_what_no_argument_says_is_left_to_the_file(launching):
    assert parameters(launching, params_file='my.yaml') == [['my.yaml']] * 3


@pytest.mark.parametrize(('said', 'is_simulated'), [('true', True), ('false', False)])
def test_a_clock_that_is_said_comes_after_the_file(launching, said, is_simulated):
    found = parameters(launching, params_file='my.yaml', use_sim_time=said)
    assert found == [['my.yaml', {'use_sim_time': is_simulated}]] * 3


def test_a_clock_that_is_none_is_told(launching):
    with pytest.raises(ValueError, match='argument use_sim_time'):
        parameters(launching, use_sim_time='maybe')
