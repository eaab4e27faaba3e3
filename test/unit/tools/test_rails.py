"""Lines under rails: never wider than the terminal, nothing lost."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies
from rich.cells import cell_len
from rich.text import Text

from reactree_tools.glyphs import ASCII, Glyphs, UNICODE
from reactree_tools.views.agent_tree import Rails

_WORDS = strategies.text(strategies.characters(codec='utf-8', categories=('L', 'N')), min_size=1)


@given(
    words=strategies.lists(_WORDS, max_size=30),
    width=strategies.integers(60, 160),
    level=strategies.integers(0, 60),
)
def test_lines_fit_and_keep_every_word(words: list[str], width: int, level: int) -> None:
    rails = Rails(UNICODE, width, margin=7)
    lines = list(rails.lines(level, Text('>'), Text(' '.join(words)), '0:01'))
    assert all(cell_len(line.plain) <= width for line in lines)
    if level <= (width - 7 - 44) // 2:
        kept = ''.join(line.plain[7 + 2 * level + 2 :] for line in lines)
        assert kept.replace(' ', '') == ''.join(words)


def test_deep_levels_are_counted_instead_of_drawn() -> None:
    line = next(Rails(ASCII, 80).lines(70, Text('>'), Text('deep')))
    assert '+' in line.plain
    assert line.plain.endswith('> deep')
    assert cell_len(line.plain) < 50


@pytest.mark.parametrize('glyphs', [UNICODE, ASCII])
def test_every_sign_is_one_column_wide(glyphs: Glyphs) -> None:
    assert all(cell_len(getattr(glyphs, name)) == 1 for name in Glyphs.__slots__)


def test_statuses_have_signs_of_their_own() -> None:
    for glyphs in (UNICODE, ASCII):
        signs = [glyphs.idle, glyphs.running, glyphs.success, glyphs.failure, glyphs.canceled]
        assert len(set(signs)) == len(signs)
