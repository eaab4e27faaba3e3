"""Answers as models write them: sixty variations are read, and nothing else is."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reactree_planner.llm.option_constraints import proposed_index
from reactree_planner.llm.written_answers import json_choice, without_thinking

OPTIONS = (' pick up apple 1\n', ' pick up apple 12\n', ' go to fridge 1\n', ' done\n')
FRAMES = (
    '{}', '\n{}', '{}.', '"{}"', '`{}`', '**{}**', '- {}', '* {}', '• {}', '1. {}', '2) {}',
    'Act: {}', 'Act {}', 'ACTION: {}', 'Answer: {}', 'Choice - {}', '> {}',
    'Sure!\n{}', 'I go on with what the task asks:\n\n- {}\n', '```\n{}\n```',
    '{{"choice": "{}"}}', '```json\n{{"choice": "{}"}}\n```', '{{"action": "{}"}}',
    'Here it is: {{"choice": "{}"}}', '<think>go to fridge 1 or done</think>\n{}',
)  # fmt: skip
WORDS = ('pick up apple 1', 'Pick up apple 1', 'pick up apple (1)', 'PICK UP APPLE 1')


@pytest.mark.parametrize(('frame', 'words'), list(product(FRAMES, WORDS)))
def test_it_is_read(frame, words):
    assert proposed_index(without_thinking(frame.format(words)), OPTIONS) == 0


@pytest.mark.parametrize(
    'answer',
    [
        '',
        'I will not pick up apple 1.',
        'Perhaps pick up apple 1, or go to fridge 1?',
        '- pick up apple 1\n- go to fridge 1',
        '{"choice": "pick up apple 1"} {"choice": "done"}',
        '{"choice": "pick up pear 1"}',
        'pick up apple 13',
        '<think>pick up apple 1',
        '```json\n{"reason": "pick up apple 1"}\n```',
    ],
)
def test_it_is_not_read(answer):
    assert proposed_index(without_thinking(answer), OPTIONS) is None


@given(st.text(max_size=200), st.sampled_from(['think', 'THINK', 'thinking', 'reasoning']))
def test_nothing_that_is_thought_is_said(thought, tag):
    for text in (f'<{tag}>{thought}</{tag}>done', f'<{tag}>{thought}</{tag}>\n\n done'):
        assert without_thinking(text).strip().endswith('done')
        if '<' not in thought:
            assert without_thinking(text).strip() == 'done'
    assert without_thinking(f'<{tag}>{thought}') == '' or '<' in thought


@given(st.text(max_size=300))
def test_any_text_is_read_or_not(text):
    index = proposed_index(without_thinking(text), OPTIONS)
    assert index is None or 0 <= index < len(OPTIONS)
    assert isinstance(json_choice(text), str)


@given(st.text(alphabet='abc {}[]"`:,\n', max_size=200))
def test_frames_in_frames_end(text):
    json_choice(text)
    proposed_index(text, OPTIONS)


def test_a_text_without_tags_stays_as_it_is():
    for text in ('  a < b\n', 'think', '<b>done</b>', ' I think that <x> is right.'):
        assert without_thinking(text) == text


def test_a_long_answer_takes_no_longer_than_it_is_long():
    assert without_thinking('</think>' + '<think>' * 500_000) == ''
