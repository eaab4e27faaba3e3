"""Which run a client means by the beginning of an id."""

from __future__ import annotations

import pytest

from reactree_core.errors import ConfigurationError
from reactree_tools.ros.followed_runs import named_run

RUNS = {'3f2a': 'first', '3f70': 'second', '77b0': 'last'}


@pytest.mark.parametrize(('begun', 'run'), [('', 'last'), ('3f2', 'first'), ('3F7', 'second')])
def test_a_run_is_meant_by_the_beginning_of_its_id_or_as_the_newest(begun, run):
    assert named_run(RUNS, begun) == run


@pytest.mark.parametrize(
    ('runs', 'begun', 'sentence'),
    [
        # Whoever cancels or answers one of two must not reach the other.
        (RUNS, '3f', '2 runs that were sent from here begin with 3f: give more'),
        (RUNS, 'ab', 'No run ab was sent from here'),
        ({}, '', 'No task was sent yet'),
    ],
)
def test_what_means_none_or_several_is_refused(runs, begun, sentence):
    with pytest.raises(ConfigurationError, match=sentence):
        named_run(runs, begun)
