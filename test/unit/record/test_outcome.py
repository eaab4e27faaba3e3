"""What a run says of its end."""

from __future__ import annotations

import pytest

from reactree_core.belief import Status
from reactree_core.errors import (
    BridgeLostError,
    CanceledError,
    ConfigurationError,
    JournalError,
    LimitReached,
    ModelError,
    ModelOutputError,
    NotConfirmedError,
    NotPermittedError,
    NotUnderstoodError,
    PromptTooLongError,
    ReactreeError,
    SkillError,
)
from reactree_core.record.events import Decision, DecisionKind, NodeStatus
from reactree_core.record.outcome import Ending, ErrorCode, gave_up, outcome_of_error, RunOutcome
from reactree_core.record.snapshot import AgentTree


@pytest.mark.parametrize(
    ('reason', 'ending', 'sentence'),
    [
        ('', Ending(), 'The robot gave up and gave no reason: the tree shows where.'),
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


WORDS = ('cup in sink',)


@pytest.mark.parametrize(
    ('ending', 'holds', 'is_verified', 'why_not'),
    [
        (Ending(), False, False, 'no condition was read'),
        (Ending(verified=WORDS), True, True, ''),
        (Ending(assumed=WORDS), True, False, 'some conditions are not shown beyond doubt'),
        (Ending(WORDS, assumed=('lamp is on',)), True, False,
         'some conditions are not shown beyond doubt'),
        (Ending(WORDS, missing=('x',)), False, False, 'conditions are missing'),
        (Ending(WORDS, unknown=('x',)), False, False, 'some conditions are not known'),
        (Ending(WORDS, ('x',), ('x',), ('x',)), False, False, 'conditions are missing'),
        (Ending(WORDS, ('x',), ('x',)), False, False, 'conditions are missing'),
        (Ending(WORDS, unknown=('x',), assumed=('x',)), False, False,
         'some conditions are not known'),
    ],
)  # fmt: skip
def test_an_end_is_verified_only_if_all_was_read_and_all_of_it_is_sensed(
    ending: Ending, holds: bool, is_verified: bool, why_not: str
) -> None:
    assert (ending.holds, ending.is_verified, ending.why_not) == (holds, is_verified, why_not)
    assert ending.told == ending.status.value + (f': {why_not}' if why_not else '')
    assert (ending.status is Status.VERIFIED) == is_verified


def test_what_is_missing_is_a_sentence_of_bounded_length() -> None:
    assert Ending().lack == ''
    assert Ending(missing=('a', 'b')).lack == 'Not done yet: a; b.'
    assert len(Ending(missing=('x' * 1000,)).lack) < 450
    assert len(gave_up('y' * 1000, Ending(missing=('x' * 1000,)))) < 900
    told = gave_up('', Ending(unread=('if it rains',)))
    assert told == 'The robot gave up: not read: if it rains.'


@pytest.mark.parametrize(
    ('error', 'code'),
    [
        (CanceledError('stopped'), ErrorCode.CANCELED),
        (NotConfirmedError('say it in other words'), ErrorCode.CANCELED),
        (NotUnderstoodError('what?'), ErrorCode.INVALID_TASK),
        (NotPermittedError('no'), ErrorCode.NOT_PERMITTED),
        (ModelOutputError('nothing'), ErrorCode.LLM_INVALID_OUTPUT),
        (PromptTooLongError('too long'), ErrorCode.PROMPT_TOO_LONG),
        (ModelError('down'), ErrorCode.LLM_UNAVAILABLE),
        (BridgeLostError('gone'), ErrorCode.BRIDGE_LOST),
        (SkillError('broken'), ErrorCode.SKILL_ERROR),
        (JournalError('full'), ErrorCode.JOURNAL_ERROR),
        (ConfigurationError('none such'), ErrorCode.UNKNOWN_PLANNER),
        (ReactreeError('else'), ErrorCode.INTERNAL_ERROR),
        (LimitReached('depth', 'deep'), ErrorCode.DEPTH_LIMIT),
        (LimitReached('cost', 'dear'), ErrorCode.COST_LIMIT),
    ],
)
def test_an_error_has_one_code_and_keeps_its_sentence(
    error: ReactreeError, code: ErrorCode
) -> None:
    outcome = outcome_of_error(error)
    assert outcome == RunOutcome(code, str(error)) and not outcome.success


def test_an_error_without_words_has_a_message_all_the_same() -> None:
    assert outcome_of_error(CanceledError('')).message == 'CANCELED'
    assert outcome_of_error(ReactreeError('')).message == 'ReactreeError'
    assert RunOutcome(ErrorCode.NONE).success
