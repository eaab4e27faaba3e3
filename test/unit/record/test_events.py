"""Events: their numbers are those of the messages, and their texts are bounded."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from reactree_core.experience import Termination
from reactree_core.foreign_text import TEXT_LIMIT
from reactree_core.observation import Observation, OBSERVATION_LIMIT, Outcome, WORLD_RESET
from reactree_core.record.events import (
    bounded_event,
    ControlFlow,
    Decision,
    DecisionKind,
    is_world_reset,
    NodeKind,
    NodeStatus,
)
from reactree_core.record.goal_record import GoalRecord
from reactree_core.record.outcome import ErrorCode
from reactree_core.usage import LlmUsage

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize(
    ('values', 'file', 'prefix'),
    [
        (DecisionKind, 'msg/Decision.msg', 'KIND_'),
        (ControlFlow, 'msg/Decision.msg', 'FLOW_'),
        (NodeKind, 'msg/TreeNode.msg', 'KIND_'),
        (NodeStatus, 'msg/TreeNode.msg', 'STATUS_'),
        (Outcome, 'msg/Observation.msg', 'OUTCOME_'),
        (Termination, 'msg/Experience.msg', 'TERMINATION_'),
        (ErrorCode, 'action/PlanTask.action', ''),
    ],
)
def test_numbers_are_the_constants_of_the_message(values, file, prefix):
    text = (ROOT / file).read_text()
    told = re.findall(rf'^uint\d+ {prefix}([A-Z_]+)=(\d+)', text, re.M)
    assert {one.name: one.value for one in values} == {name: int(number) for name, number in told}


def test_texts_are_bounded_and_what_is_short_stays_the_same_event():
    long = 'x' * (2 * TEXT_LIMIT)
    event = Decision(1, 1, DecisionKind.EXPAND, long, subgoals=('a', long), ties=(long,), who=long)
    told = bounded_event(event)
    assert len(told.text) < len(long) and len(told.who) < len(long)
    assert told.subgoals[0] == 'a' and len(told.subgoals[1]) < len(long) > len(told.ties[0])
    assert bounded_event(told) is told
    seen = bounded_event(Observation('x' * (2 * OBSERVATION_LIMIT), skill='go\nto'))
    assert len(seen.text) < 2 * OBSERVATION_LIMIT and seen.skill == 'go to'


@pytest.mark.parametrize('kind', DecisionKind)
def test_a_reading_is_bounded_where_one_is_told(kind):
    long = 'x' * (2 * TEXT_LIMIT)
    goal = GoalRecord((long,), words=(long,), trigger=long)
    told = bounded_event(Decision(1, 0, kind, goal=goal)).goal
    carries = kind in (DecisionKind.GROUND, DecisionKind.CORRECT)
    for text in (*told.milestones, *told.words, told.trigger):
        assert (len(text) < len(long)) is carries


def test_what_was_decided_without_the_model_says_so():
    asked = LlmUsage('small', requests=1)
    assert Decision(1, 1, DecisionKind.ACT, 'it is next').is_unasked
    assert not Decision(1, 1, DecisionKind.ACT).is_unasked
    assert Decision(1, 1, DecisionKind.EXPAND, 'in order').is_unasked
    assert not Decision(1, 1, DecisionKind.EXPAND, 'in order', usage=asked).is_unasked
    assert not Decision(1, 1, DecisionKind.EXPAND).is_unasked
    assert not Decision(1, 1, DecisionKind.THINK, 'hm').is_unasked


def test_a_thought_that_failed_is_a_refusal():
    failed = NodeStatus.FAILURE
    assert Decision(1, 1, DecisionKind.THINK, 'no', status=failed).is_refusal
    assert not Decision(1, 1, DecisionKind.THINK, 'no').is_refusal
    assert not Decision(1, 1, DecisionKind.FINISH, 'no', status=failed).is_refusal


def test_a_reset_is_an_observation_of_no_skill():
    assert is_world_reset(Observation(WORLD_RESET))
    assert not is_world_reset(Observation(WORLD_RESET, skill='look'))
    assert not is_world_reset(Decision(1, 1, DecisionKind.THINK, WORLD_RESET))
