"""What every language model back end must do, as a suite that anyone can run on their own.

    results = check_language_model(MyModel())
    assert all(result.passed for result in results)

Every back end of this package passes it. The model need not be clever: the hardest thing asked is
to copy a word that stands just above. It takes about as long as thirty short answers.
"""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable

from reactree_core.cancellation import CancelToken
from reactree_core.conformance import BrokenClauseError, ClauseResult, expect, try_clauses
from reactree_core.errors import CanceledError, ModelError
from reactree_core.ports import LanguageModel, Strategy
from reactree_core.usage import LlmUsage
from reactree_planner.llm.conformance_chats import CHAT_CLAUSES
from reactree_planner.llm.conformance_trial import (
    choose_in,
    COUNTING,
    EXCERPT,
    Patience,
    SKILLS,
    Trial,
)

__all__ = ['ClauseResult', 'Patience', 'check_language_model']

_COPIED = ('lamp', 'wrench', 'rope', 'pallet')
#: Log-probabilities of 8-bit products differ a little with the size of a batch.
_ROUNDING = 1.0
#: Nothing but the likeliest token is in so small a share.
_NARROW = 0.001


def _tells_itself(trial: Trial) -> str:
    # A server knows its name only after it was asked something.
    context = trial.model.context_tokens
    name = trial.model.name
    expect(bool(name.strip()), 'the name is empty')
    expect(context >= 256, f'context_tokens is {context}')
    return f'{name}, {context} tokens'


def _counts_tokens(trial: Trial) -> str:
    short, long = (trial.model.count_tokens('drive to the gate ' * times) for times in (1, 50))
    expect(0 < short < long, f'{short} tokens of a short text, {long} of a long one')
    return f'{short} and {long} tokens'


def _selects_an_option(trial: Trial) -> str:
    return repr(trial.act())


def _scores_whole_options(trial: Trial) -> str:
    shown = 'The robot is in the hall. The gate is closed.\nAct: '
    for strategy in (Strategy.LIKELIHOOD, Strategy.MEAN_LIKELIHOOD):
        alone = []
        for option in SKILLS:
            with trial.session(shown) as session:
                try:
                    alone.append(session.select([option], strategy).log_probability)
                except ModelError as refusal:
                    return f'refused: {refusal}'
        if not any(alone):
            return 'reports no log-probabilities'
        with trial.session(shown) as session:
            chosen = session.select(SKILLS, strategy)
            option = SKILLS[chosen.index]
            expect(session.text == shown + option, f'the text became {session.text!r}')
            session.append(' now\nAct: ')
            choose_in(session, SKILLS)
        seen = f'{option!r} with {chosen.log_probability:.2f}, alone {alone[chosen.index]:.2f}'
        # Other batch sizes round otherwise.
        expect(abs(chosen.log_probability - alone[chosen.index]) < _ROUNDING, seen)
        if strategy is Strategy.LIKELIHOOD:
            best = max(alone)
            expect(chosen.log_probability > best - _ROUNDING, f'{seen}; the best has {best:.2f}')
    return seen


def _selects_the_only_option(trial: Trial) -> str:
    return repr(trial.choose('Act: ', ['done']))


def _sees_appended_text(trial: Trial) -> str:
    copied = {'': 0, ' ': 0}
    for space in copied:
        for word in _COPIED:
            shown = ''.join(f'Word: {seen}\nCopy: {seen}\n' for seen in ('crate', 'wheel'))
            with trial.session() as session:
                session.append(shown)
                session.append(f'Word: {word}\nCopy:{space}')
                lead = '' if space else ' '
                option = choose_in(session, [f'{lead}{other}' for other in _COPIED])
            copied[space] += option.strip() == word
    seen = (
        f'{copied[""]} of {len(_COPIED)} words copied, '
        f'{copied[" "]} after a space at the end of the prompt'
    )
    # One slip is a weak model; two are a model that does not see what was appended.
    expect(copied[''] >= len(_COPIED) - 1, seen)
    return seen


def _selects_among_prefixes(trial: Trial) -> str:
    options = ['crate', 'crate 1', 'crate 12', 'app']
    shown = ''.join(f'Word: {word}\nCopy: {word}\n' for word in ('wheel', 'wheel 2', 'bolt 11'))
    chosen = [trial.choose(f'{shown}Word: {word}\nCopy: ', options) for word in options]
    copied = sum(word == option for word, option in zip(options, chosen, strict=True))
    return f'{copied} of {len(options)} copied: {chosen}'


def _selects_among_hundreds(trial: Trial) -> str:
    options = [
        f'{verb} {thing} {number}'
        for verb in ('drive to', 'open', 'lift', 'lower')
        for thing in ('hall shelf', 'gate', 'crate')
        for number in range(1, 31)
    ]
    return f'{trial.choose("Act: ", options)!r} of {len(options)}'


def _selects_unusual_texts(trial: Trial) -> str:
    options = ['say "hi"', 'a\\b', 'Expand:\n', 'Käse', '\U0001f34f', '{"x": [1]}', "it's | (no)?"]
    return repr(trial.choose('Write: ', options))


def _stops_before_the_stop_text(trial: Trial) -> str:
    with trial.session(COUNTING) as session:
        text = session.generate(stop=('seven', '\n'), max_tokens=40)
        expect(session.text == COUNTING + text, f'the text became {session.text[-EXCERPT:]!r}')
        expect('seven' not in text and '\n' not in text, f'it generated {text!r}')
    return repr(text)


def _keeps_to_max_tokens(trial: Trial) -> str:
    with trial.session(COUNTING) as session:
        text = session.generate(stop=('\n\n\n',), max_tokens=4)
        tokens = trial.model.count_tokens(text)
    # Text cut into tokens anew, or estimated, may count a little more.
    expect(tokens <= 12, f'{tokens} tokens for max_tokens 4: {text[:EXCERPT]!r}')
    return f'{text!r}, {tokens} tokens'


def _repeats_greedy_answers(trial: Trial) -> str:
    answers = []
    for _ in range(2):
        with trial.session('The robot looks around. Think:') as session:
            text = session.generate(max_tokens=12)
            session.append('\nAct: ')
            answers.append((text, choose_in(session, SKILLS)))
    expect(answers[0] == answers[1], f'{answers[0]} and then {answers[1]}')
    return f'twice {answers[0]}'


def _narrows_sampling(trial: Trial) -> str:
    answers = []
    for temperature, top_p in ((0.0, 1.0), (1.0, _NARROW)):
        with trial.session(COUNTING) as session:
            answers.append(
                session.generate(max_tokens=6, temperature=temperature, seed=1, top_p=top_p)
            )
    expect(answers[0] == answers[1], f'{answers[1]!r} where greedy is {answers[0]!r}')
    return repr(answers[1])


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


_SESSION_CLAUSES: tuple[tuple[str, Callable[[Trial], str]], ...] = (
    ('sessions begin with a shared prefix', _begins_with_a_shared_prefix),
    ('a fork and its origin go their own ways', _forks_independently),
    ('several sessions live at once', _keeps_many_sessions),
    ('dropped sessions give back what they held', _frees_dropped_sessions),
    ('usage adds up', _adds_usage_up),
    ('a cancel ends generating in time', _cancels_generating),
    ('a cancel ends the reading of a long prompt in time', _cancels_reading),
    ('a deadline that has passed stops a request', _hears_its_deadline),
)


_CLAUSES: tuple[tuple[str, Callable[[Trial], str]], ...] = (
    ('the model says its name and context', _tells_itself),
    ('longer texts have more tokens', _counts_tokens),
    ('select answers one of the options and appends it', _selects_an_option),
    ('a single option is taken', _selects_the_only_option),
    ('whole options are scored as each alone, or that is refused', _scores_whole_options),
    ('select sees the text that was appended', _sees_appended_text),
    ('options may be beginnings of others', _selects_among_prefixes),
    ('hundreds of options work', _selects_among_hundreds),
    ('options may hold quotes, line ends and any letters', _selects_unusual_texts),
    ('generate stops before the stop text and appends the rest', _stops_before_the_stop_text),
    ('generate keeps to max_tokens', _keeps_to_max_tokens),
    ('temperature 0 repeats its answers', _repeats_greedy_answers),
    ('a small top_p samples only the likeliest', _narrows_sampling),
    *_SESSION_CLAUSES,
    *CHAT_CLAUSES,
)


def check_language_model(
    model: LanguageModel,
    say: Callable[[ClauseResult], object] = print,
    patience: Patience | None = None,
) -> list[ClauseResult]:
    """Try every clause of the port `LanguageModel`.

    :param model: loaded; stays open. :param say: called with each result as it comes.
    :return: one result per clause, in order.
    """
    return try_clauses(_CLAUSES, lambda: Trial(model, patience or Patience()), say)
