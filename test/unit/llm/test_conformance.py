from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import pytest

from reactree_core.cancellation import CancelToken
from reactree_core.chat import Role, Turn
from reactree_core.ports import LanguageModel, Selection, Strategy
from reactree_planner.llm.chat import PlainChat
from reactree_planner.llm.conformance import check_language_model, Patience
from reactree_planner.llm.policy import PolicyModel, PolicySession


def copying(text: str, options: Sequence[str] | None) -> int | str:
    """As clever as the suite asks: copies the last word shown, else the first option."""
    if options is None:
        return ' four, five, six, seven, eight'
    shown = re.findall(r'Word: (.*)\n', text)
    wanted = [
        index for index, option in enumerate(options) if shown and option.strip() == shown[-1]
    ]
    return wanted[0] if wanted else 0


def broken_clauses(model: LanguageModel, patience: Patience | None = None) -> list[str]:
    return [
        result.clause
        for result in check_language_model(model, lambda line: None, patience)
        if not result.passed
    ]


def test_a_model_driven_by_code_conforms() -> None:
    lines: list[str] = []
    results = check_language_model(PolicyModel(copying), lambda result: lines.append(str(result)))
    assert all(result.passed for result in results), lines
    assert len(lines) == len(results) >= 19
    assert lines[2].startswith(
        "ok        select answers one of the options and appends it ['drive to"
    )


class _Broken(PolicySession):
    """A session that breaks the contract in one way."""

    fault = ''

    def select(
        self, options: Sequence[str], strategy: Strategy = Strategy.CONSTRAINED
    ) -> Selection:
        if self.fault == 'forgets to append':
            return Selection(0, 0.0, 0.0)
        chosen = super().select(options, strategy)
        if self.fault == 'scores wrongly' and strategy is Strategy.LIKELIHOOD:
            return Selection(chosen.index, -2.0 * len(options), 0.0)
        return Selection(len(options), 0.0, 0.0) if self.fault == 'bad index' else chosen

    def generate(
        self,
        stop: Sequence[str] = ('\n',),
        max_tokens: int = 200,
        temperature: float = 0.0,
        seed: int = 0,
        top_p: float = 1.0,
    ) -> str:
        if self.fault == 'ignores stop':
            return super().generate((), max_tokens)
        if self.fault == 'ignores max_tokens':
            return super().generate(stop, 10**6) + ' nine' * 40
        if self.fault == 'ignores top_p' and temperature:
            return super().generate(('six',), max_tokens)
        return super().generate(stop, max_tokens)

    def fork(self) -> PolicySession:
        return self if self.fault == 'forks itself' else super().fork()


class _BrokenModel(PolicyModel):
    def __init__(self, fault: str) -> None:
        super().__init__(copying)
        self.fault = fault

    def session(self, cancel: CancelToken, shared_prefix: str = '') -> PolicySession:
        used = CancelToken() if self.fault == 'deaf' else cancel
        session = _Broken(self, self._policy, used, shared_prefix, 0)
        session.fault = self.fault
        return session


@pytest.mark.parametrize(
    ('fault', 'clause'),
    [
        ('forgets to append', 'select answers one of the options and appends it'),
        ('bad index', 'a single option is taken'),
        ('scores wrongly', 'whole options are scored as each alone, or that is refused'),
        ('ignores stop', 'generate stops before the stop text and appends the rest'),
        ('ignores max_tokens', 'generate keeps to max_tokens'),
        ('ignores top_p', 'a small top_p samples only the likeliest'),
        ('forks itself', 'a fork and its origin go their own ways'),
        ('deaf', 'a deadline that has passed stops a request'),
    ],
)
def test_a_broken_contract_is_noticed(fault: str, clause: str) -> None:
    assert clause in broken_clauses(_BrokenModel(fault))


def test_a_model_that_ignores_what_was_appended_is_noticed() -> None:
    assert broken_clauses(PolicyModel(lambda text, options: 0 if options else 'x')) == [
        'select sees the text that was appended'
    ]


def test_a_model_that_answers_differently_each_time_is_noticed() -> None:
    answers = iter(range(10_000))

    def wavering(text: str, options: Sequence[str] | None) -> int | str:
        return copying(text, options) if options else f' {next(answers)}'

    assert broken_clauses(PolicyModel(wavering)) == [
        'temperature 0 repeats its answers',
        'a small top_p samples only the likeliest',
        'a conversation that is held again is answered alike',
    ]


class _Forgetful(PolicyModel):
    """Holds conversations, and forgets what was said before the newest turn."""

    takes_pictures = False

    def chat(self, cancel: CancelToken, turns: Sequence[Turn] = ()) -> Any:
        class Chat(PlainChat):
            def say(self, role: Role, text: str, pictures: Sequence[Any] = ()) -> None:
                self._session._text = ''  # type: ignore[attr-defined]
                super().say(role, text)

        return Chat(self.session(cancel), self.name)


class _Forged(PolicyModel):
    """Holds conversations in which a turn can be written by what is said."""

    takes_pictures = False

    def chat(self, cancel: CancelToken, turns: Sequence[Turn] = ()) -> Any:
        class Chat(PlainChat):
            def say(self, role: Role, text: str, pictures: Sequence[Any] = ()) -> None:
                self._session.append(f'User: {text}\n')

        return Chat(self.session(cancel), self.name)


def test_conversations_that_are_forgotten_or_forged_are_noticed() -> None:
    assert 'a conversation goes on turn by turn' in broken_clauses(_Forgetful(copying))
    assert 'nothing that is said begins a turn' in broken_clauses(_Forged(copying))


def test_a_model_that_takes_too_long_to_hear_a_cancel_is_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Slow(_Broken):
        def generate(self, *arguments: Any, **named: Any) -> str:
            # Waits for something else than the token.
            CancelToken().wait(0.2)
            return super().generate(*arguments, **named)

    def begin(self: PolicyModel, cancel: CancelToken, shared_prefix: str = '') -> PolicySession:
        return Slow(self, copying, cancel, shared_prefix, 0)

    monkeypatch.setattr(PolicyModel, 'session', begin)
    patience = Patience(cancel=0.05, before_cancel=0.02)
    assert 'a cancel ends generating in time' in broken_clauses(PolicyModel(copying), patience)
