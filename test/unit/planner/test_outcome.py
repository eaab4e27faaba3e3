"""What a run says of its end."""

from __future__ import annotations

import pytest

from reactree_core.record.events import Decision, DecisionKind, NodeStatus
from reactree_core.record.outcome import Ending, gave_up
from reactree_core.record.snapshot import AgentTree


@pytest.mark.parametrize(
    ('reason', 'ending', 'sentence'),
    [
        ('', Ending(), 'The robot gave up and told no reason: the tree shows where.'),
        ('Nothing is left.', Ending(), 'The robot gave up: Nothing is left.'),
        (
            'nothing is left to look at',
            Ending(missing=('holding drum', 'gate is open'), unknown=('seed tray',)),
            'The robot gave up: nothing is left to look at. not reached: holding drum; gate is '
            'open. not known: seed tray.',
        ),
    ],
)
def test_a_run_that_gave_up_says_why(reason: str, ending: Ending, sentence: str) -> None:
    assert gave_up(reason, ending) == sentence


def test_the_reason_is_what_was_told_last_of_a_failure() -> None:
    tree = AgentTree()
    tree.apply(Decision(1, 0, DecisionKind.START, text='grab the drum'))
    failed = NodeStatus.FAILURE
    tree.apply(Decision(2, 1, DecisionKind.ACT, text='no drum was seen', skill='failure'))
    tree.apply(Decision(3, 1, DecisionKind.FINISH, text='failure', status=failed))
    assert tree.reason == 'no drum was seen'


def test_no_reason_is_none() -> None:
    tree = AgentTree()
    tree.apply(Decision(1, 0, DecisionKind.START, text='grab the drum'))
    tree.apply(Decision(2, 1, DecisionKind.ACT, text='it is here', skill='grab drum'))
    tree.apply(Decision(3, 1, DecisionKind.ACT, skill='failure'))
    assert tree.reason == ''
