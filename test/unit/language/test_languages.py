"""The language of a text: told apart by script and small words, and never made up."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from benchmarks.grounding.phrasings import own_sets, read_own_set
from reactree_planner.language.languages import is_foreign, language_of, LANGUAGES
from reactree_planner.language.names import Names

_SENTENCES = {
    code: text.strip().split('\n')
    for code, text in yaml.safe_load(
        Path(__file__).with_name('languages.yaml').read_text(encoding='utf-8')
    ).items()
}


@pytest.mark.parametrize('code', [code for code in _SENTENCES if code != 'en'])
def test_a_foreign_sentence_is_told_and_never_taken_for_english(code):
    found = {text: language_of(text) for text in _SENTENCES[code]}
    assert len(found) == 30
    assert 'en' not in found.values()
    wrong = {text: told for text, told in found.items() if told != code}
    assert len(wrong) <= 1, wrong


def test_telegram_style_and_foreign_words_in_it_stay_english():
    found = {text: language_of(text) for text in _SENTENCES['en']}
    assert {text: told for text, told in found.items() if is_foreign(told)} == {}


@pytest.mark.parametrize('name', own_sets())
def test_no_english_phrasing_of_ours_is_taken_for_another_language(name):
    texts = [one.text for one in read_own_set(name)]
    assert {text: told for text in texts if is_foreign(told := language_of(text))} == {}


@pytest.mark.parametrize('text', ['', '   ', '😀😀😀', '12 7', 'apple', 'Zürich', '!?', '42 €'])
def test_where_nothing_tells_it_nothing_is_told(text):
    assert not is_foreign(language_of(text))


def test_words_of_names_tell_no_language():
    vocabulary = read_own_set('household')[0].vocabulary
    known = {word for words in Names(vocabulary).all_words() for word in words}
    assert language_of('remote', known) == ''


def test_letters_tell_languages_of_one_script_apart():
    assert language_of('Постав молоко в холодильник і зачини двері') == 'uk'
    assert language_of('شیر را در یخچال بگذار و پنجره را ببند') == 'fa'


def test_a_long_text_is_told_in_bounded_time():
    assert language_of('Stell die Milch in den Kühlschrank. ' * 2000) == 'de'


def test_small_words_and_turning_words_are_written_in_small_letters_once():
    for one in LANGUAGES.values():
        assert not one.function_words & one.turning, one.name
        assert one.forbidding <= one.turning, one.name
        for word in one.function_words | one.turning | one.commands:
            assert word == word.casefold(), word
