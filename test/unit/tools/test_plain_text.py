"""What worlds and models say can neither control the terminal nor reorder a line."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import given, strategies

from reactree_core.foreign_text import cleaned
from reactree_tools.plain_text import count, printable_json, seconds, visible


@given(strategies.text(max_size=300))
def test_nothing_invisible_comes_through(text: str) -> None:
    line = visible(text)
    assert all(unicodedata.category(sign) not in ('Cc', 'Cf', 'Cs', 'Co') for sign in line)
    assert '\n' not in line
    assert line == visible(line)


def test_escape_sequences_lose_their_escape() -> None:
    assert visible('\x1b[31mred\x1b]0;title\x07 \u202eevil\r\nnext') == '[31mred]0;title evil next'


@pytest.mark.parametrize('code', [0x34F, 0x115F, 0x17B4, 0x180B, 0x3164, 0xFFA0, 0xE0100, 0xE01EF])
def test_what_has_no_look_is_not_shown(code: int) -> None:
    assert visible(f'a{chr(code)}b') == cleaned(f'a{chr(code)}b') == 'ab'
    assert printable_json(chr(code)).isascii()


def test_long_texts_are_cut_and_say_so() -> None:
    assert visible('a' * 12, limit=10) == 'a' * 10 + ' [2 more characters]'
    assert visible('a' * 11, limit=10) == 'a' * 10 + ' [1 more character]'


@pytest.mark.parametrize(
    ('value', 'text'),
    [
        (-1.0, '0.0 s'),
        (0.04, '0.0 s'),
        (9.94, '9.9 s'),
        (12.4, '12 s'),
        (200.2, '3 min 20 s'),
        (7300.0, '2 h 1 min'),
    ],
)
def test_durations_read_like_speech(value: float, text: str) -> None:
    assert seconds(value) == text


def test_nouns_follow_their_number() -> None:
    assert count(1, 'step') == '1 step'
    assert count(2500, 'step') == '2,500 steps'
    assert count(0, 'furniture', 'pieces of furniture') == '0 pieces of furniture'


@given(
    strategies.dictionaries(strategies.text(max_size=8), strategies.text(max_size=20), max_size=4)
)
def test_json_for_a_terminal_says_the_same_and_controls_nothing(value):
    text = printable_json(json.dumps(value, ensure_ascii=False))
    assert json.loads(text) == value
    hidden = ('Cc', 'Cf', 'Cs', 'Co', 'Zl', 'Zp')
    assert not {one for one in text if unicodedata.category(one) in hidden}


def test_without_it_an_escape_sequence_stands_in_json():
    assert '\x9b' in json.dumps('\x9b31m', ensure_ascii=False)
    assert printable_json(json.dumps('\x9b31m', ensure_ascii=False)) == '"\\u009b31m"'
