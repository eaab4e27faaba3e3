"""The clauses of the language model contract on sessions, what they cost and how they end."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable

from reactree_core.cancellation import CancelToken
from reactree_core.errors import CanceledError
from reactree_core.usage import LlmUsage
from reactree_planner.llm.conformance_trial import BrokenClauseError
from reactree_planner.llm.conformance_trial import choose_in
from reactree_planner.llm.conformance_trial import COUNTING
from reactree_planner.llm.conformance_trial import EXCERPT
from reactree_planner.llm.conformance_trial import expect
from reactree_planner.llm.conformance_trial import SKILLS
from reactree_planner.llm.conformance_trial import Trial

_AT_ONCE = 6


def _begins_with_a_shared_prefix(trial: Trial) -> str:
    prefix = 'You are a robot in a hall. ' * 8
    cached = []
    for _ in range(2):
        with trial.session(prefix) as session:
            expect(session.text == prefix, f'the text is {session.text[:EXCERPT]!r}')
            session.append('\nAct: ')
            choose_in(session, SKILLS)
            cached.append(session.usage.cached_tokens)
    return f'{cached[0]} and then {cached[1]} tokens cached'


def _forks_independently(trial: Trial) -> str:
    with trial.session('Act: ') as session:
        fork = session.fork()
        try:
            expect(fork.text == session.text, f'the fork begins with {fork.text!r}')
            fork.append('drive to ')
            in_fork = choose_in(fork, ['gate 1', 'dock 1'])
            expect(session.text == 'Act: ', f'the first session became {session.text!r}')
            in_first = choose_in(session, ['wait', 'look around'])
            expect(fork.text == f'Act: drive to {in_fork}', f'the fork became {fork.text!r}')
        finally:
            fork.drop()
        session.append('.')
        expect(session.text == f'Act: {in_first}.', 'dropping the fork changed the first session')
    return f'{in_fork!r} and {in_first!r}'


def _keeps_many_sessions(trial: Trial) -> str:
    sessions = [trial.model.session(trial.cancel, 'You are a robot. ') for _ in range(_AT_ONCE)]
    try:
        for number, session in enumerate(sessions):
            session.append(f'Step {number}. Act: ')
        chosen = {choose_in(session, SKILLS) for session in sessions}
        for number, session in enumerate(sessions):
            expect(
                session.text.startswith(f'You are a robot. Step {number}. Act: '),
                f'session {number} became {session.text!r}',
            )
    finally:
        for session in sessions:
            session.drop()
    return f'{_AT_ONCE} at once, {len(chosen)} different choices'


def _frees_dropped_sessions(trial: Trial) -> str:
    rounds = 100
    for _ in range(rounds):
        with trial.session('You are a robot. ') as session:
            session.fork().drop()
    return f'{2 * rounds} sessions one after the other, then {trial.act()!r}'


def _adds_usage_up(trial: Trial) -> str:
    with trial.session('You are a robot. ') as session:
        costs = [session.usage]
        session.append('Act: ')
        costs.append(session.usage)
        choose_in(session, SKILLS)
        costs.append(session.usage)
        text = session.generate(max_tokens=5, stop=('\n\n\n',))
        costs.append(session.usage)
        fork = session.fork()
        new = fork.usage
        fork.drop()
    requests = [cost.requests for cost in costs]
    expect(
        requests == [0, 0, 1, 2] and new.requests == 0,
        f'requests were {requests}, of a new fork {new.requests}',
    )
    for before, after in itertools.pairwise(costs):
        expect(min(_numbers(after - before)) >= 0, f'{before} became {after}')
    last = costs[-1]
    expect(last.cached_tokens <= last.prompt_tokens, f'more cached than presented: {last}')
    expect(last.prompt_tokens > costs[0].prompt_tokens, f'no prompt tokens counted: {last}')
    expect(not text or last.completion_tokens > 0, f'no completion tokens counted: {last}')
    expect(bool(last.model), 'usage names no model')
    return (
        f'{last.prompt_tokens} presented, {last.cached_tokens} cached, '
        f'{last.evaluated_tokens} evaluated, {last.completion_tokens} completed'
    )


def _numbers(usage: LlmUsage) -> tuple[float, ...]:
    return (
        usage.prompt_tokens,
        usage.cached_tokens,
        usage.evaluated_tokens,
        usage.completion_tokens,
        usage.requests,
        usage.latency,
    )


def _cancels_generating(trial: Trial) -> str:
    return _cancels(trial, COUNTING)


def _cancels_reading(trial: Trial) -> str:
    words = min(1000, trial.model.context_tokens // 16)
    return _cancels(trial, ' '.join(f'{number}' for number in range(words)))


def _cancels(trial: Trial, text: str) -> str:
    cancel = CancelToken(trial.cancel.deadline)
    moments: list[float] = []

    def stop() -> None:
        moments.append(time.monotonic())
        cancel.cancel()

    timer = threading.Timer(trial.patience.before_cancel, stop)
    outcome = 'it answered before the cancel'
    with trial.session(cancel=cancel) as session:
        session.append(text)
        timer.start()
        try:
            session.generate(
                stop=('<never written>',), max_tokens=min(2000, trial.model.context_tokens // 4)
            )
        except CanceledError:
            outcome = 'canceled'
        finally:
            ended = time.monotonic()
            timer.cancel()
            timer.join()
    after = ended - moments[0] if moments else 0.0
    expect(after <= trial.patience.cancel, f'it ended {after:.2f} s after the cancel')
    # What was stopped must not spoil what comes next.
    return f'{outcome}, {max(0.0, after):.2f} s after; then {trial.act()!r}'


def _hears_its_deadline(trial: Trial) -> str:
    late = CancelToken(time.monotonic())
    try:
        with trial.session(cancel=late) as session:
            session.append('Act: ')
            session.select(SKILLS)
    except CanceledError as error:
        return str(error)
    raise BrokenClauseError('it answered after its deadline')


SESSION_CLAUSES: tuple[tuple[str, Callable[[Trial], str]], ...] = (
    ('sessions begin with a shared prefix', _begins_with_a_shared_prefix),
    ('a fork and its origin go their own ways', _forks_independently),
    ('several sessions live at once', _keeps_many_sessions),
    ('dropped sessions give back what they held', _frees_dropped_sessions),
    ('usage adds up', _adds_usage_up),
    ('a cancel ends generating in time', _cancels_generating),
    ('a cancel ends the reading of a long prompt in time', _cancels_reading),
    ('a deadline that has passed stops a request', _hears_its_deadline),
)
