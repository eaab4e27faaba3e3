"""A question waits for a person: one answer, for that question, that fits, before the deadline."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from reactree_core.cancellation import CancelToken
from reactree_core.errors import CanceledError
from reactree_core.record.questions import Question
from reactree_planner.runs.open_questions import OpenQuestions, QuestionState

RUN, OTHER = 'ab' * 16, 'cd' * 16
WHICH = Question('Which crate?', ('crate 1', 'crate 2'), 'crate 1', number=3)
DEADLINE = 20.0


class Counter:
    """Open questions, and a run that waits for an answer on another thread."""

    def __init__(self, pool, seconds=DEADLINE):
        self.told = []
        self.asked = threading.Event()
        self.open = OpenQuestions(lambda: True, lambda: seconds, self._tell)
        self.open.run_id = RUN
        self.cancel = CancelToken()
        self._pool = pool

    def _tell(self, question, state, seconds, answer, by):
        self.told.append((state, answer, by))
        if state is QuestionState.OPEN:
            self.asked.set()

    def ask(self, question=WHICH):
        self.asked.clear()
        waiting = self._pool.submit(self.open.ask, question, self.cancel)
        assert self.asked.wait(DEADLINE)
        return waiting


@pytest.fixture
def pool():
    with ThreadPoolExecutor(8) as pool:
        yield pool


def test_an_answer_counts_once_and_only_for_the_question_that_is_open(pool):
    counter = Counter(pool)
    questions = counter.open
    assert questions.answer(RUN, 3, 'crate 2') == (False, 'No question is open.')
    waiting = counter.ask()
    for run, number in ((OTHER, 3), (RUN, 4)):
        accepted, sentence = questions.answer(run, number, 'crate 2')
        assert not accepted and 'number 3 of run abababab' in sentence
    accepted, sentence = questions.answer(RUN, 3, 'crate 7')
    assert not accepted and '1 crate 1, 2 crate 2' in sentence
    assert questions.answer(RUN, 3, '2', 'viewer\x1b[31m') == (True, 'The answer is "crate 2".')
    assert waiting.result(DEADLINE) == 'crate 2'
    assert not questions.answer(RUN, 3, '1')[0]
    assert counter.told == [
        (QuestionState.OPEN, '', ''),
        (QuestionState.ANSWERED, 'crate 2', 'viewer [31m'),
    ]


def test_without_an_answer_the_deadline_ends_the_wait_that_of_the_run_too(pool):
    counter = Counter(pool, seconds=0.05)
    assert counter.ask().result(DEADLINE) is None
    assert [state for state, _, _ in counter.told] == [QuestionState.OPEN, QuestionState.EXPIRED]
    patient = Counter(pool, seconds=10 * DEADLINE)
    patient.cancel.deadline = time.monotonic() + 0.1
    waiting = patient.ask()
    waiting.exception(DEADLINE)
    assert patient.told[-1][0] in (QuestionState.EXPIRED, QuestionState.WITHDRAWN)


def test_a_run_that_is_canceled_withdraws_its_question(pool):
    counter = Counter(pool)
    waiting = counter.ask()
    counter.cancel.cancel()
    with pytest.raises(CanceledError):
        waiting.result(DEADLINE)
    assert counter.told[-1] == (QuestionState.WITHDRAWN, '', '')
    assert counter.open.answer(RUN, 3, '1') == (False, 'No question is open.')


def test_of_many_answers_at_once_one_counts_and_it_is_the_one_that_is_told(pool):
    for _ in range(20):
        counter = Counter(pool)
        waiting = counter.ask()
        answers = [
            pool.submit(counter.open.answer, RUN, 3, str(1 + number % 2)) for number in range(4)
        ]
        accepted = [answer.result(DEADLINE)[0] for answer in answers]
        assert accepted.count(True) == 1
        said = waiting.result(DEADLINE)
        assert said == f'crate {1 + accepted.index(True) % 2}' == counter.told[-1][1]
