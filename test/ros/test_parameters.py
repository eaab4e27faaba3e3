"""Tables of parameters: declaring, checking, reading, documenting."""

from __future__ import annotations

import math
from contextlib import contextmanager

import pytest
from rclpy.context import Context
from rclpy.parameter import Parameter

from reactree_core.errors import ConfigurationError
from reactree_core.ros.parameter_specs import (
    declare_all,
    LiveValues,
    markdown_table,
    ParameterSpec,
    read_all,
    SettledNode,
)

TABLE = (
    ParameterSpec('model.name', 'small', 'Model to load.', choices=('small', 'large')),
    ParameterSpec('timeout', 2.5, 'Longest wait.', unit='s', low=0.0, high=60.0),
    ParameterSpec('retries', 3, 'Tries.', low=1, read_only=True),
    ParameterSpec('verbose', False, 'Say more.'),
    ParameterSpec('rooms', (), 'Rooms to visit.'),
)


@contextmanager
def declared(**overrides):
    context = Context()
    context.init(args=[])
    parameters = [
        Parameter(name.replace('__', '.'), value=value) for name, value in overrides.items()
    ]
    node = SettledNode(
        'parameters',
        context=context,
        parameter_overrides=parameters,
        start_parameter_services=False,
        enable_rosout=False,
    )
    try:
        declare_all(node, TABLE)
        yield node
    finally:
        node.destroy_node()
        context.try_shutdown()


def test_defaults_are_read_as_attributes():
    with declared() as node:
        values = read_all(node, TABLE)
    assert vars(values) == {
        'model_name': 'small',
        'timeout': 2.5,
        'retries': 3,
        'verbose': False,
        'rooms': (),
    }


def test_overrides_are_read():
    with declared(model__name='large', rooms=['kitchen 1', 'bedroom 1'], retries=9) as node:
        values = read_all(node, TABLE)
    assert (values.model_name, values.retries) == ('large', 9)
    assert values.rooms == ('kitchen 1', 'bedroom 1')


@pytest.mark.parametrize(
    ('overrides', 'sentence'),
    [
        ({'timeout': 3}, "'timeout' must be of type float, for example 1.0, not 3"),
        ({'timeout': 61.0}, "'timeout' must be 0 to 60, not 61.0"),
        ({'timeout': math.nan}, "'timeout' must be 0 to 60, not nan"),
        ({'retries': 0}, "'retries' must be at least 1, not 0"),
        ({'retries': True}, "'retries' must be of type int, for example 3, not True"),
        ({'model__name': 'huge'}, "'model.name' must be one of: small, large, not 'huge'"),
        ({'verbose': 'yes'}, "'verbose' must be of type bool, for example true, not 'yes'"),
        ({'rooms': 'kitchen 1'}, "'rooms' must be of type string\\[\\]"),
    ],
)
def test_what_cannot_be_used_is_told_in_a_sentence(overrides, sentence):
    with pytest.raises(ConfigurationError, match=sentence), declared(**overrides):
        pass


def test_later_changes_are_checked_too():
    with declared() as node:

        def change(name, value):
            return node.set_parameters([Parameter(name, value=value)])[0]

        assert change('timeout', 5.0).successful
        assert not change('timeout', -1.0).successful
        refused = change('model.name', 'huge')
        assert not refused.successful
        assert 'one of: small, large' in refused.reason
        assert read_all(node, TABLE).timeout == 5.0


def test_what_is_fixed_at_start_says_what_to_do():
    with declared() as node:
        both = [Parameter('verbose', value=True), Parameter('retries', value=4)]
        single = node.set_parameters(both)
        atomic = node.set_parameters_atomically(both)
        assert [result.successful for result in single] == [True, False]
        assert not atomic.successful
        for reason in (single[1].reason, atomic.reason):
            assert reason == (
                "parameter 'retries' is fixed at start: restart the node with -p retries:=..., "
                'or with a parameter file that sets it'
            )
        assert read_all(node, TABLE).retries == 3


def test_who_holds_live_values_follows_every_change():
    with declared(rooms=['']) as node:
        live = LiveValues(node, TABLE)
        assert (live.timeout, live.model_name, live.rooms) == (2.5, 'small', ())
        node.set_parameters([Parameter('timeout', value=5.0), Parameter('rooms', value=['hall'])])
        assert (live.timeout, live.rooms) == (5.0, ('hall',))
        with pytest.raises(AttributeError, match='no parameter patience'):
            _ = live.patience


def test_descriptors_tell_ranges_and_choices():
    with declared() as node:
        timeout = node.describe_parameter('timeout')
        assert timeout.floating_point_range[0].to_value == 60.0
        assert timeout.description == 'Longest wait. [s]'
        retries = node.describe_parameter('retries')
        assert retries.read_only
        assert retries.integer_range[0].from_value == 1
        name = node.describe_parameter('model.name')
        assert name.additional_constraints == 'one of: small, large'


def test_the_documentation_has_a_row_per_parameter():
    rows = markdown_table(TABLE).splitlines()
    assert len(rows) == 2 + len(TABLE)
    assert '| `timeout` | `2.5`, 0 to 60 s | Longest wait. |' in rows
    assert '`, fixed |' in rows[4] and rows[4].endswith(' Tries. |')
    assert all(row.count('|') == 4 for row in rows)
