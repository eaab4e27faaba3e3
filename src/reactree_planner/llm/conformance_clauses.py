"""The clauses of the language model contract, on answers first; `conformance` runs them."""

from __future__ import annotations

from collections.abc import Callable

from reactree_core.errors import ModelError
from reactree_core.ports import Strategy
from reactree_planner.llm.conformance_sessions import SESSION_CLAUSES
from reactree_planner.llm.conformance_trial import choose_in
from reactree_planner.llm.conformance_trial import COUNTING
from reactree_planner.llm.conformance_trial import EXCERPT
from reactree_planner.llm.conformance_trial import expect
from reactree_planner.llm.conformance_trial import SKILLS
from reactree_planner.llm.conformance_trial import Trial

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
            return 'tells no log-probabilities'
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


CLAUSES: tuple[tuple[str, Callable[[Trial], str]], ...] = (
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
    *SESSION_CLAUSES,
)
