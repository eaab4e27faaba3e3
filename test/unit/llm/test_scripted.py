from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies

from reactree_core.cancellation import CancelToken
from reactree_core.errors import CanceledError, ConfigurationError, ModelError, ModelOutputError
from reactree_core.ports import LanguageModel
from reactree_planner.llm.policy import PolicyModel
from reactree_planner.llm.scripted import (
    load_scripted_model,
    named_option,
    ScriptedModel,
    ScriptLine,
)

KINDS = ['Think: ', 'Act: ', 'Expand:\n']


def test_a_script_answers_line_by_line() -> None:
    model: LanguageModel = ScriptedModel(['Think', 'I look around.', 'Act', 1, 'done'])
    session = model.session(CancelToken(), 'Your task is to: wait\n')
    assert session.select(KINDS).index == 0
    assert session.generate() == 'I look around.'
    session.append('\n')
    assert session.select(KINDS).index == 1
    assert session.select(['go', 'wait', 'done']).index == 1
    assert session.select(['wait', 'done']).index == 1
    assert session.text == 'Your task is to: wait\nThink: I look around.\nAct: waitdone'
    assert model.name == 'scripted'


def test_an_option_equal_to_the_line_wins_over_one_that_contains_it() -> None:
    assert named_option('apple 1', ['pick up apple 1', 'apple 1', 'apple 12']) == 1
    assert named_option('Act:', KINDS) == 1


def test_a_line_in_several_options_is_an_error() -> None:
    with pytest.raises(ModelOutputError, match=r"'fridge' is in 2 options.*write more"):
        named_option('fridge', ['open fridge 1', 'close fridge 1'])


def test_a_line_that_names_no_option_says_what_was_offered() -> None:
    session = ScriptedModel(['Act', 'dance']).session(CancelToken())
    session.select(KINDS)
    options = [f'go to shelf {number}' for number in range(9)]
    with pytest.raises(ModelOutputError) as caught:
        session.select(options)
    assert str(caught.value) == (
        "Script line 2: 'dance' is no option; offered were 'go to shelf 0', 'go to shelf 1', "
        "'go to shelf 2', 'go to shelf 3', 'go to shelf 4' and 4 more."
    )


@pytest.mark.parametrize('index', [-1, 3])
def test_an_index_outside_the_options_is_an_error(index: int) -> None:
    with pytest.raises(ModelOutputError, match=f'no option {index}'):
        named_option(index, KINDS)


def test_a_script_that_has_ended_says_what_was_asked() -> None:
    session = ScriptedModel(['only this']).session(CancelToken(), 'Think: ')
    session.generate()
    with pytest.raises(ModelOutputError, match=r"only 1 lines.*select once more from 'Think: '"):
        session.select(KINDS)


def test_a_line_for_the_other_kind_of_request_is_an_error() -> None:
    session = ScriptedModel([ScriptLine('Act', 'select')]).session(CancelToken(), 'Think: ')
    with pytest.raises(ModelOutputError, match=r"line 1 is to select 'Act'.*to generate after"):
        session.generate()


def test_an_index_is_no_free_text() -> None:
    session = ScriptedModel([3]).session(CancelToken())
    with pytest.raises(ModelOutputError, match='line 1 is to select 3'):
        session.generate()


def test_all_sessions_share_one_script() -> None:
    model = ScriptedModel(['a', 'b', 'c'])
    first = model.session(CancelToken(), 'x ')
    second = first.fork()
    assert [first.generate(), second.generate(), first.generate()] == ['a', 'b', 'c']
    assert (first.text, second.text) == ('x ac', 'x b')
    with pytest.raises(ModelOutputError, match='only 3 lines'):
        second.generate()


def test_generated_text_ends_before_the_stop_text_and_after_enough_words() -> None:
    session = ScriptedModel(['one two\nthree', 'one two three four']).session(CancelToken())
    assert session.generate() == 'one two'
    assert session.generate(max_tokens=3) == 'one two three'


def test_code_can_drive_a_planner() -> None:
    seen: list[tuple[str, Sequence[str] | None]] = []

    def policy(text: str, options: Sequence[str] | None) -> int | str:
        seen.append((text, options))
        return 'look' if options is None else len(options) - 1

    session = PolicyModel(policy).session(CancelToken(), 'a')
    assert session.select(['x', 'y']).index == 1
    assert session.generate() == 'look'
    assert seen == [('a', ['x', 'y']), ('ay', None)]


def test_a_policy_that_answers_an_index_for_free_text_is_an_error() -> None:
    with pytest.raises(ModelOutputError, match='option 0 where free text'):
        PolicyModel(lambda text, options: 0).session(CancelToken()).generate()


def test_words_are_counted_as_tokens() -> None:
    model = PolicyModel(lambda text, options: 0 if options else 'four more words here')
    session = model.session(CancelToken(), 'a b c ')
    session.generate()
    session.append(' d e')
    session.select(['f g', 'h'])
    usage = session.usage
    assert (usage.prompt_tokens, usage.cached_tokens, usage.evaluated_tokens) == (3 + 9, 3, 9)
    assert (usage.completion_tokens, usage.requests) == (6, 2)
    assert model.session(CancelToken(), 'a b c ').fork().usage.requests == 0


def test_a_shared_prefix_is_cached_the_second_time() -> None:
    model = PolicyModel(lambda text, options: 'x')
    costs = []
    for _ in range(2):
        session = model.session(CancelToken(), 'a b c')
        session.generate()
        costs.append(session.usage.cached_tokens)
    assert costs == [0, 3]


def test_a_cancelled_session_answers_nothing() -> None:
    cancel = CancelToken()
    session = ScriptedModel(['a']).session(cancel)
    cancel.cancel()
    with pytest.raises(CanceledError):
        session.generate()
    assert session.text == ''


def test_a_prompt_beyond_the_context_is_an_error() -> None:
    session = PolicyModel(lambda text, options: 'x', context_tokens=2).session(
        CancelToken(), 'a b c'
    )
    with pytest.raises(ModelError, match='3 words does not fit'):
        session.generate()


@pytest.mark.parametrize('options', [[], ['a', 'a'], ['']])
def test_options_that_cannot_be_told_apart_are_refused(options: list[str]) -> None:
    with pytest.raises(ModelError, match='different, non-empty'):
        ScriptedModel(['a']).session(CancelToken()).select(options)


def test_a_single_option_has_no_rival() -> None:
    assert ScriptedModel(['a']).session(CancelToken()).select(['a b']).margin == math.inf


def test_a_script_is_read_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / 'script.yaml'
    file.write_text('# a demo\n- select: Think\n- generate: "I look: around."\n- 1\n- done\n')
    session = load_scripted_model(file).session(CancelToken())
    session.select(KINDS)
    assert session.generate() == 'I look: around.'
    assert session.select(KINDS).index == 1
    assert session.select(['done', 'failure']).index == 0


@pytest.mark.parametrize(
    'content',
    [
        '',
        'a: b',
        '- [1]',
        '- select: [x]',
        '- generate: 3',
        '- think: x',
        '- true',
        '- 1.5',
        '- {select: a, generate: b}',
        '- "',
        '- !!python/object:os.system x',
        '\x00',
        '[' * 1200,
    ],
)
def test_a_file_that_is_no_script_is_refused(tmp_path: Path, content: str) -> None:
    file = tmp_path / 'script.yaml'
    file.write_text(content)
    with pytest.raises(ConfigurationError, match=r'script\.yaml'):
        load_scripted_model(file)


def test_a_script_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match='cannot be read'):
        load_scripted_model(tmp_path / 'none.yaml')


@settings(deadline=None)
@given(
    strategies.text() | strategies.integers(),
    strategies.lists(strategies.text(min_size=1), min_size=1, unique=True),
)
def test_a_named_option_is_always_one_of_the_options(
    answer: str | int, options: list[str]
) -> None:
    try:
        assert 0 <= named_option(answer, options) < len(options)
    except ModelOutputError as error:
        assert 'offered were' in str(error)
