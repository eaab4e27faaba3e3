"""The gate before every skill: an answer releases what it names, once."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeoutError

import pytest
from hypothesis import given, strategies

from reactree_core.cancellation import CancelToken
from reactree_core.errors import CanceledError
from reactree_planner.runs.approval_gate import ApprovalState, Gate, SkillRequest

RUN, OTHER = 'ab' * 16, 'cd' * 16
REQUEST = SkillRequest(RUN, 7, 'turn on stove 1', 3, 'warm the pudding')
DEADLINE = 20.0


class Desk:
    """A gate, and a run that waits at it on another thread."""

    def __init__(self, pool, seconds=DEADLINE):
        self.told = []
        self.asked = threading.Event()
        self.gate = Gate(lambda: True, lambda: seconds, self._tell)
        self.cancel = CancelToken()
        self._pool = pool

    def _tell(self, request, state, seconds):
        self.told.append((request, state))
        if state is ApprovalState.WAITING:
            self.asked.set()

    def ask(self, request=REQUEST):
        self.asked.clear()
        passing = self._pool.submit(self.gate.pass_skill, request, self.cancel)
        assert self.asked.wait(DEADLINE)
        return passing

    @property
    def states(self):
        return [state for _, state in self.told]


@pytest.fixture
def pool():
    with ThreadPoolExecutor(2) as pool:
        yield pool


@pytest.fixture
def desk(pool):
    return Desk(pool)


def test_who_approved_is_known_until_the_next_skill(desk):
    passing = desk.ask()
    desk.gate.resolve(RUN, 7, 'turn on stove 1', True, '', 'ana')
    assert passing.result(DEADLINE) is None and desk.gate.approver == 'ana'
    passing = desk.ask()
    assert desk.gate.approver is None
    desk.gate.resolve(RUN, 7, 'turn on stove 1', False, '', 'ana')
    assert passing.result(DEADLINE) and desk.gate.approver is None
    passing = desk.ask()
    desk.gate.resolve(RUN, 7, 'turn on stove 1', True, '')
    assert passing.result(DEADLINE) is None and desk.gate.approver == ''


def test_an_approved_skill_runs_and_that_is_told(desk):
    passing = desk.ask()
    assert desk.gate.resolve(RUN, 7, 'turn on stove 1', True, '')[0]
    assert passing.result(DEADLINE) is None
    assert desk.states == [ApprovalState.WAITING, ApprovalState.APPROVED]


def test_a_refused_skill_does_not_run_and_its_reason_is_told(desk):
    passing = desk.ask()
    desk.gate.resolve(RUN, 7, 'turn on stove 1', False, 'too hot')
    assert passing.result(DEADLINE) == '"turn on stove 1" was refused: too hot.'
    assert desk.states == [ApprovalState.WAITING, ApprovalState.REFUSED]


@pytest.mark.parametrize(
    ('run_id', 'sequence', 'skill'),
    [
        (OTHER, 7, 'turn on stove 1'),
        ('0' * 32, 7, 'turn on stove 1'),
        ('', 7, 'turn on stove 1'),
        (RUN, 6, 'turn on stove 1'),
        (RUN, 8, 'turn on stove 1'),
        (RUN, 7, 'turn on stove 2'),
        (RUN, 7, ''),
    ],
)
def test_an_answer_to_something_else_releases_nothing_and_says_what_waits(
    desk, run_id, sequence, skill
):
    passing = desk.ask()
    accepted, message = desk.gate.resolve(run_id, sequence, skill, True, '')
    assert not accepted
    assert '"turn on stove 1", number 7' in message
    assert not passing.done()
    desk.gate.resolve(RUN, 7, 'turn on stove 1', False, '')
    assert passing.result(DEADLINE)


def test_an_answer_before_anything_waits_is_not_kept_for_later(desk):
    assert desk.gate.resolve(RUN, 7, 'turn on stove 1', True, '') == (
        False,
        'No skill waits for approval.',
    )
    passing = desk.ask()
    assert not passing.done()
    desk.gate.resolve(RUN, 7, 'turn on stove 1', False, '')
    passing.result(DEADLINE)


def test_an_answer_to_the_request_before_does_not_release_the_next(desk):
    first = desk.ask()
    desk.gate.resolve(RUN, 7, 'turn on stove 1', True, '')
    assert first.result(DEADLINE) is None
    # The same skill once more: another number.
    second = desk.ask(SkillRequest(RUN, 9, 'turn on stove 1'))
    assert not desk.gate.resolve(RUN, 7, 'turn on stove 1', True, '')[0]
    assert not second.done()
    desk.gate.resolve(RUN, 9, 'turn on stove 1', True, '')
    assert second.result(DEADLINE) is None


def test_only_the_first_of_many_answers_counts(pool):
    desk = Desk(pool)
    passing = desk.ask()
    accepted = [desk.gate.resolve(RUN, 7, 'turn on stove 1', False, str(n))[0] for n in range(5)]
    assert accepted == [True, False, False, False, False]
    assert passing.result(DEADLINE) == '"turn on stove 1" was refused: 0.'


def test_an_unanswered_request_expires_and_counts_as_refused(pool):
    desk = Desk(pool, 0.1)
    assert 'in time' in desk.ask().result(DEADLINE)
    assert desk.states == [ApprovalState.WAITING, ApprovalState.EXPIRED]
    assert not desk.gate.resolve(RUN, 7, 'turn on stove 1', True, '')[0]


def test_a_pause_while_it_waits_holds_an_approved_skill_back(desk):
    passing = desk.ask()
    desk.gate.pause(True)
    desk.gate.resolve(RUN, 7, 'turn on stove 1', True, '')
    with pytest.raises(FutureTimeoutError):
        passing.result(0.2)
    desk.gate.pause(False)
    assert passing.result(DEADLINE) is None


def test_a_single_step_passes_once_it_is_approved(desk):
    desk.gate.pause(True)
    desk.gate.step()
    passing = desk.ask()
    desk.gate.resolve(RUN, 7, 'turn on stove 1', True, '')
    assert passing.result(DEADLINE) is None


def test_a_request_of_a_canceled_run_is_withdrawn(desk):
    passing = desk.ask()
    desk.cancel.cancel()
    with pytest.raises(CanceledError):
        passing.result(DEADLINE)
    assert desk.states == [ApprovalState.WAITING, ApprovalState.WITHDRAWN]
    assert not desk.gate.resolve(RUN, 7, 'turn on stove 1', True, '')[0]


@given(
    strategies.lists(
        strategies.tuples(
            strategies.sampled_from([RUN, OTHER]),
            strategies.integers(6, 8),
            strategies.sampled_from(['turn on stove 1', 'open fridge 1']),
            strategies.booleans(),
        ),
        max_size=6,
    )
)
def test_a_skill_runs_only_if_the_first_answer_that_names_it_approves(answers):
    with ThreadPoolExecutor(1) as pool:
        desk = Desk(pool)
        passing = desk.ask()
        own = [
            approve
            for run_id, sequence, skill, approve in answers
            if desk.gate.resolve(run_id, sequence, skill, approve, '')[0]
        ]
        named = [answer[3] for answer in answers if answer[:3] == (RUN, 7, 'turn on stove 1')]
        assert own == named[:1]
        if not own:
            assert not passing.done()
            desk.cancel.cancel()
            with pytest.raises(CanceledError):
                passing.result(DEADLINE)
        else:
            assert (passing.result(DEADLINE) is None) == own[0]
