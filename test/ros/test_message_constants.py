"""The enumerations of the core are those of the messages."""

from __future__ import annotations

import pytest

from reactree_core.experience import Termination
from reactree_core.observation import Outcome
from reactree_core.record.events import DecisionKind
from reactree_planner.runs.approval_gate import ApprovalState
from reactree_planner.runs.open_questions import QuestionState
from reactree_ros.msg import (
    ApprovalRequest,
    BridgeStatus,
    Decision,
    Experience,
    Goal,
    Observation,
    Question,
    TreeSnapshot,
)
from skill_server.ros.status import BridgeState


@pytest.mark.parametrize(
    ('enumeration', 'message', 'prefix'),
    [
        (ApprovalState, ApprovalRequest, 'STATE_'),
        (QuestionState, Question, 'STATE_'),
        (DecisionKind, Decision, 'KIND_'),
        (Outcome, Observation, 'OUTCOME_'),
        (Termination, Experience, 'TERMINATION_'),
        (BridgeState, BridgeStatus, 'STATE_'),
    ],
)
def test_an_enumeration_equals_the_constants_of_its_message(enumeration, message, prefix):
    constants = {
        name.removeprefix(prefix): getattr(message, name)
        for name in dir(type(message))
        if name.startswith(prefix)
    }
    assert {member.name: member.value for member in enumeration} == constants


@pytest.mark.parametrize(
    ('dataclass', 'message', 'apart', 'of_the_run'),
    [
        (
            'reactree_core.observation:Observation',
            Observation,
            {'stamp': 'header'},
            {'run_id', 'shared_memory', 'robot'},
        ),
        ('reactree_core.experience:Experience', Experience, {}, set()),
        ('reactree_core.record.events:Decision', Decision, {'stamp': 'header'}, {'run_id'}),
        (
            'reactree_core.record.snapshot:TreeSnapshot',
            TreeSnapshot,
            {},
            {'header', 'run_id'},
        ),
        ('reactree_core.record.goal_record:GoalRecord', Goal, {}, set()),
    ],
)
def test_a_dataclass_has_the_fields_of_its_message(dataclass, message, apart, of_the_run):
    module, _, name = dataclass.partition(':')
    kind = getattr(__import__(module, fromlist=[name]), name)
    fields = set(kind.__dataclass_fields__) - set(apart)
    told = set(message.get_fields_and_field_types())
    assert fields == told - set(apart.values()) - of_the_run
