"""The bench of languages: its sentences, what it counts, and what a good reading comes to."""

from __future__ import annotations

from collections import Counter

import pytest

from benchmarks.languages.__main__ import (
    main,
    marks_of,
    names_of,
    OTHERWISE,
    Scripted,
    SILENT,
    STRONG,
    task_reader,
    TOLD,
)
from benchmarks.languages.sentences import LANGUAGES, read_sentences, SETS
from reactree_planner.language.domain import Domain
from reactree_planner.language.goal import Goal, Word
from reactree_planner.language.languages import language_of
from reactree_planner.llm.policy import PolicyModel

_WHOLE = 'read right'


@pytest.fixture(scope='module')
def names():
    return names_of('instructions')


@pytest.mark.parametrize('name', SETS)
def test_a_sentence_is_in_its_language_and_has_a_quote_for_all_it_asks(name):
    sentences = [*read_sentences(name, LANGUAGES)]
    assert len(sentences) % len(LANGUAGES) == 0
    others = [one.text for one in sentences if language_of(one.text) != one.language]
    # A short text has few signs.
    assert len(others) <= 3, others
    for one in sentences:
        assert '[' not in one.text and one.parts
        assert all(one.text[part.start : part.end].strip() for part in one.parts)


@pytest.mark.parametrize('code', LANGUAGES)
@pytest.mark.parametrize('name', ['instructions', 'prohibitions'])
def test_what_a_strong_model_writes_is_read_right_in_every_language(names, name, code):
    domain = Domain(names)
    for one in read_sentences(name, [code]):
        goal = task_reader(STRONG, None, one).read(one.text, names)
        assert _WHOLE in marks_of(one, goal, domain), (one.text, goal.unread, goal.means)


@pytest.mark.parametrize('code', LANGUAGES)
@pytest.mark.parametrize('name', SETS)
def test_the_grammar_tells_every_part_as_unread(name, code):
    names = names_of(name)
    found: Counter[str] = Counter()
    for one in read_sentences(name, [code]):
        goal = task_reader('none', None, one).read(one.text, names)
        assert not goal.acts and one.text.strip() in goal.left_to_model
        found.update(marks_of(one, goal, Domain(names)))
    assert set(found) == {TOLD}


def test_a_part_that_nothing_accounts_for_is_dropped_in_silence(names):
    one = next(read_sentences('instructions', ['de']))
    words = tuple(Word(word, 'small word') for word in one.text.rstrip('.').split())
    assert marks_of(one, Goal(one.text, words=words), Domain(names)) == [SILENT]
    words = tuple(Word(word.text, 'tv is on') for word in words)
    assert marks_of(one, Goal(one.text, words=words), Domain(names)) == [OTHERWISE]


def test_what_is_not_scripted_is_ended(names):
    one = next(read_sentences('instructions', ['de']))
    model = PolicyModel(Scripted([one]))
    goal = task_reader('other', model, one).read(one.text, names)
    assert goal.whole


def test_it_prints_a_row_for_every_language(capsys):
    main(['--set', 'prohibitions', '--language', 'de', 'zh', '--model', 'none', '--every', '6'])
    rows = capsys.readouterr().out.splitlines()
    assert [row.split(' | ')[1] for row in rows[2:]] == ['de', 'zh']
