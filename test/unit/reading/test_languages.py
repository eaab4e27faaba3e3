"""The language of a text: told apart by script and small words, and never made up."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.grounding.phrasings import own_sets, read_own_set
from reactree_planner.reading.languages import (
    is_courtesy,
    is_english,
    is_foreign,
    is_foreign_word,
    language_of,
    LANGUAGES,
    may_be_foreign,
)
from reactree_planner.reading.names import Names
from reactree_planner.reading.reader import may_forbid, read_alone

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


@pytest.mark.parametrize(
    'text',
    ['My aunt is coming', 'Dinner starts soon', 'stop', 'crate 2, pallet', 'crate 1', 'Mrs'],
)
def test_english_is_told_by_a_small_word_or_by_all_words(text):
    assert is_english(text, {'crate', 'pallet'})


@pytest.mark.parametrize(
    'text',
    [
        'Nein',
        'Stopp',
        'Konro ni sawaranaide',
        'Finger weg vom Herd',
        'Herd tabu, please',
        '我饿了',
    ],
)
def test_what_is_not_english_for_certain_is_not(text):
    assert not is_english(text)


@pytest.mark.parametrize(
    ('text', 'other'),
    [
        ('niemals den Herd', True),
        ('ohne tv', True),
        ('si llueve', True),
        ('不要', True),
        ('konro sawaranaide', True),
        ('zorblax', False),
        ('the red one', False),
        ('hay', False),
        ('a man of sin', False),
    ],
)
def test_words_in_an_english_sentence_may_be_of_another_language(text, other):
    assert may_be_foreign(text) is other


def test_a_small_word_that_english_has_too_is_no_foreign_one():
    assert is_foreign_word('niemals') and is_foreign_word('ohne')
    assert not any(map(is_foreign_word, ('in', 'die', 'no', 'a', 'sin', 'men', 'zorblax')))


def test_a_short_text_may_forbid_in_any_language_that_it_may_be_in(names):
    assert may_forbid(read_alone('Ni se te ocurra tocar la cocina.', names), names)
    assert not may_forbid(read_alone('Stell die Milch in den Schrank', names), names)


@pytest.mark.parametrize(
    'said',
    ['Danke!', 'Vielen Dank.', 'Merci beaucoup!', '¡Gracias!', 'Grazie mille.', 'Obrigada!',
     'DANKE', 'Спасибо большое!', '谢谢', 'ありがとう', '감사합니다',
     'شكرا', 'Tack!', 'Dziękuję bardzo.'],
)  # fmt: skip
@pytest.mark.parametrize('behind', [True, False])
def test_thanks_in_any_language_stop_nothing(names, said, behind):
    asked = 'Put the oar in the chest.'
    goal = read_alone(f'{asked} {said}' if behind else f'{said}\n{asked}', names)
    assert goal.whole and goal.acts and goal.means == 'oar in chest'


@pytest.mark.parametrize(
    'said',
    ['Aus!', 'Danke, nicht den Herd!', 'Danke, Finger weg!', 'Bitte nicht!', 'Stopp!', 'Morgen.',
     'Merci, pas la chaise.', 'Danke und fass nichts an', 'Gracias, deja la red'],
)  # fmt: skip
def test_what_is_said_beside_thanks_may_forbid(names, said):
    goal = read_alone(f'Put the oar in the chest. {said}', names)
    assert not goal.acts and not goal.whole and goal.left_to_model


LISTED = [code for code, one in LANGUAGES.items() if one.courtesy]


@given(st.data())
def test_no_word_that_forbids_is_a_courtesy(data):
    one = LANGUAGES[data.draw(st.sampled_from(LISTED))]
    other = LANGUAGES[data.draw(st.sampled_from(LISTED))]
    polite = data.draw(st.sampled_from(sorted(one.courtesy)))
    forbids = data.draw(st.sampled_from(sorted(other.forbidding or {'not'})))
    assert is_courtesy(polite.upper()) and not is_courtesy(f'{polite} {forbids}')
    assert one.courtesy.isdisjoint(other.forbidding | other.commands)


@pytest.mark.parametrize(
    'word', ['außer', 'ohne', 'sauf', 'excepto', 'salvo', 'tranne', 'behalve']
)
@pytest.mark.parametrize('comma', ['', ','])
def test_an_exception_in_another_language_is_acted_over_nowhere(names, word, comma):
    for told in ('all ropes', 'everything'):
        goal = read_alone(f'Put {told} in the chest{comma} {word} rope 2.', names)
        assert not goal.acts and not goal.whole
