"""Planner and memory know no domain: no word of a household stands in them, nor of its world."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from reactree_planner.reading.small_words import word_set
from sim_bridge.worlds.household.roles import known_classes
from sim_bridge.worlds.household.skills import VERBS

SOURCE = Path(__file__).resolve().parents[3] / 'src'
FILES = sorted(
    path
    for module in ('reactree_planner', 'memory_server')
    for path in (SOURCE / module).rglob('*')
    if path.suffix in ('.py', '.txt', '.yaml') and 'domains/household' not in path.as_posix()
)
#: Classes whose names are words of programs, or of English, too.
_WORDS = word_set(
    'folder box mat cup home wall board character paper printing bar towel time user '
    'clock sink bucket door window notes shelf ceiling speaker stairs pudding'
)
CLASSES = {one.name for one in known_classes().values()} - _WORDS
#: How the household's world begins its sentences.
SENTENCES = ('you are in ', 'you hold', 'looking quickly', 'in the middle of', 'you move to')
#: Verbs that are English words of other uses too; the others are looked for everywhere.
_ENGLISH = ('open', 'close', 'go to')


@pytest.mark.parametrize('path', FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_no_household_word_stands_in_planner_or_memory(path):
    text = path.read_text(encoding='utf-8').casefold()
    # Idioms of the people who give tasks, and a word of robots' files: "keep your hands off the
    # pump", "in your hands", "hands free".
    bare = re.sub(r'hands? off|(?:your|lay) hands\b|hands free|kept hands', '', text)
    verbs = [verb for verb in (*VERBS, 'turn off') if verb not in _ENGLISH]
    words = [*CLASSES, *verbs, 'household', 'furniture', 'kitchen', 'bedroom', 'hands']
    pattern = rf'\b(?:{"|".join(map(re.escape, words))})\b'
    assert sorted(set(re.findall(pattern, bare))) == []
    assert [sentence for sentence in SENTENCES if sentence in bare] == []


@pytest.mark.parametrize(
    'path', [path for path in FILES if path.suffix == '.py'], ids=lambda path: path.stem
)
def test_no_code_compares_with_a_verb(path):
    tree = ast.parse(path.read_text(encoding='utf-8'))
    texts = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}
    assert texts.isdisjoint({f'{verb} ' for verb in VERBS} | {'go to', 'walk to', 'pick up'})
