"""Tokens, names, nouns, slips of the pen and languages: what a sentence says literally."""

from __future__ import annotations

import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reactree_core.observation import Vocabulary
from reactree_planner.reading.check import check
from reactree_planner.reading.grammar.sentences import read
from reactree_planner.reading.languages import language, language_of
from reactree_planner.reading.nouns import Likeness, likeness, split_name
from reactree_planner.reading.sentence import Sentence, Sign
from reactree_planner.reading.spelling import is_slip
from reactree_planner.reading.tokens import inflected, singulars_of, tokens_of, words_of
from reactree_planner.reading.vocabulary import NameKind, ServerWords
from support.prohibited import HOUSE

_WORDS = ServerWords(HOUSE)


@given(st.text(max_size=80))
def test_tokens_stand_in_order_within_the_text(text: str) -> None:
    tokens = tokens_of(text)
    assert all(0 <= one.start < one.end <= len(text) for one in tokens)
    assert [one.start for one in tokens] == sorted(one.start for one in tokens)


@pytest.mark.parametrize(
    ('text', 'words'),
    [
        ("Don't", ('do', 'not')),
        ('can’t', ('can', 'not')),
        ('dont', ('do', 'not')),
        ("I'd like 2.5 l", ('i', 'would', 'like', '2.5', 'l')),
        ("the nurses' desk", ('the', 'nurses', 'desk')),
    ],
)
def test_contractions_are_the_words_that_they_stand_for(text: str, words: tuple[str, ...]) -> None:
    assert words_of(text) == words


def test_verbs_and_nouns_have_their_forms() -> None:
    assert inflected('put down') == {
        'put down': 'base', 'puts down': 'third', 'putting down': 'gerund',
        'puting down': 'gerund', 'putted down': 'participle', 'puted down': 'participle',
    }  # fmt: skip
    assert 'knife' in singulars_of('knives')
    assert 'dish' in singulars_of('dishes')


@pytest.mark.parametrize(
    ('text', 'name', 'kind'),
    [
        ('the cutlery knives', 'cutlery knife', NameKind.THING),
        ('kitchentable', 'kitchen table', NameKind.PLACE),
        ('mug 2', 'mug 2', NameKind.THING),
        ('the table', 'kitchen table', NameKind.PLACE),
    ],
)
def test_a_text_says_a_name(text: str, name: str, kind: NameKind) -> None:
    found = Sentence(text, _WORDS, 'en').mentions
    assert [one.name for one in found] == [name]
    assert _WORDS.kind(name) is kind


@pytest.mark.parametrize(
    ('said', 'name', 'near'),
    [
        ('refrigerator', 'fridge', Likeness.SAME),
        ('icebox', 'fridge', Likeness.SAME),
        ('couch', 'sofa', Likeness.SAME),
        ('appliance', 'fridge', Likeness.KIND),
        ('wok', 'pan', Likeness.KIND),
        ('mug', 'fridge', Likeness.NONE),
        ('zork', 'fridge', Likeness.NONE),
    ],
)
def test_nouns_are_as_near_as_their_senses(said: str, name: str, near: Likeness) -> None:
    assert likeness(said, name) is near


def test_the_index_of_senses_finds_what_comparing_all_names_finds() -> None:
    for noun in ('refrigerator', 'appliance', 'fruit', 'furniture', 'drink', 'knife', 'zork'):
        each = {name: likeness(noun, name) for name in _WORDS.names}
        near = {name for name, how in each.items() if how is not Likeness.NONE}
        assert near <= set(_WORDS.like(noun))


def test_names_that_share_a_last_word_are_of_a_kind() -> None:
    words = ServerWords(Vocabulary((), ('red blorb', 'mug')))
    assert words.like('green blorb') == {'red blorb': Likeness.KIND}


def test_joined_names_are_parted() -> None:
    assert split_name('butterknife') == ('butter', 'knife')
    assert split_name('fridge') == ()


@pytest.mark.parametrize(
    ('word', 'right', 'is_one'),
    [
        ('knfe', 'knife', True),
        ('knief', 'knife', True),
        ('life', 'knife', False),
        ('mag', 'mug', False),
    ],
)
def test_a_slip_is_one_letter_of_a_longer_word(word: str, right: str, is_one: bool) -> None:
    assert is_slip(word, right) is is_one


@pytest.mark.parametrize(
    ('text', 'code'),
    [
        ('Stell bitte den Teller auf den Tisch.', 'de'),
        ('Mets la tasse dans le frigo, mais ne ferme pas la porte.', 'fr'),
        ('Put the cup on the table.', 'en'),
    ],
)
def test_a_language_is_known_by_its_small_words(text: str, code: str) -> None:
    assert language_of(text) == code
    assert language(code).is_listed


@pytest.mark.parametrize(
    ('text', 'negated'),
    [
        ("Don't open it.", True),
        ("Can't you open it?", False),
        ("Wouldn't it be nice to open it?", False),
        ("Don't you dare open it.", True),
        ('Nimm nicht die Tasse.', True),
        ('请不要打开冰箱', True),
    ],
)
def test_a_question_that_negates_forbids_nothing(text: str, negated: bool) -> None:
    assert bool(Sentence(text, _WORDS).marked(Sign.NEGATION)) is negated


def test_numbers_of_a_list_count_nothing() -> None:
    marks = Sentence('1. open the fridge\n2. take two apples', _WORDS, 'en').marked(Sign.NUMBER)
    assert [mark.value for mark in marks] == [2]


def test_five_thousand_names_are_read_in_time() -> None:
    rng = random.Random(5)
    parts = [
        'ba',
        'co',
        'du',
        'fe',
        'gi',
        'lo',
        'mu',
        'na',
        'pe',
        'ri',
        'so',
        'tu',
        'va',
        'we',
        'zi',
    ]
    names = {
        ''.join(rng.choices(parts, k=3)) + rng.choice(('', ' box', ' lamp')) for _ in range(9000)
    }
    things = (*HOUSE.object_classes, *sorted(names)[:5000])
    words = ServerWords(
        Vocabulary((), things, HOUSE.place_classes, HOUSE.rooms, HOUSE.skill_types)
    )
    texts = [
        f'Put the {rng.choice(things)} and {rng.randint(2, 4)} {rng.choice(things)} on the couch, '
        'then turn the tv off, but never open any appliance.'
        for _ in range(20)
    ]
    check(read(texts[0], words), texts[0], words)
    began = time.process_time()
    for text in texts:
        check(read(text, words), text, words)
    # 30 ms each on an idle machine; five times as much where others work too.
    assert (time.process_time() - began) / len(texts) < 0.15
