"""Slips of names are looked up, and found as if every name were gone through."""

from __future__ import annotations

import random
import string

import pytest

from reactree_planner.language.spelling import forms_of, is_slip, Spelling

_WORDS = (
    'apple', 'pear', 'bear', 'plate', 'plates', 'fridge', 'kitchen', 'table', 'counter', 'coffee',
    'knives', 'knife', 'water', 'glass', 'microwave', 'oven', 'disk', 'watering', 'can', 'bag',
    'compost', 'cupboard', 'the',
)  # fmt: skip


def gone_through(word):
    """The definition: the only known word that it is a slip of."""
    if len(word) < 3 or set(forms_of(word)) & set(_WORDS):
        return word
    found = [right for right in _WORDS if is_slip(word, right)]
    if len(found) != 1:
        return word
    return found[0] + 's' * (word.endswith('s') and not found[0].endswith('s'))


@pytest.mark.parametrize(
    ('written', 'right'),
    [
        ('frige', 'fridge'),
        ('rfidge', 'fridge'),
        ('xfridge', 'fridge'),
        ('tabel', 'table'),
        ('microvawe', 'microwave'),
        ('cubpoards', 'cupboards'),
        ('teh', 'the'),
        ('apples', 'apples'),
        # Words of English are no slips.
        ('ridge', 'ridge'),
        ('shelf', 'shelf'),
        ('appliance', 'appliance'),
    ],
)
def test_a_slip_of_one_word_is_set_right(written, right):
    assert Spelling(_WORDS).right(written) == right


def test_it_finds_what_going_through_all_words_finds():
    rng = random.Random(3)
    spelling = Spelling(_WORDS)
    letters = string.ascii_lowercase[:12] + 's'
    slips = 0
    for _ in range(4000):
        letters_of = list(rng.choice(_WORDS))
        for _ in range(rng.randrange(4)):
            at = rng.randrange(len(letters_of))
            change = rng.randrange(3)
            letters_of[at : at + (change != 1)] = [] if change == 0 else [rng.choice(letters)]
            letters_of = letters_of or ['a']
        word = ''.join(letters_of)
        right = spelling.right(word)
        # What is a word of English stays as it is.
        assert right in (word, gone_through(word)), word
        slips += right != word
    assert slips > 500
