"""Slips of names are looked up, and found as if every name were gone through."""

from __future__ import annotations

import random
import string

import pytest

from reactree_planner.language.spelling import is_slip
from reactree_planner.language.spelling import WaysToWrite

_NAMES = (
    'apple', 'pear', 'bear', 'plate', 'plates', 'fridge', 'kitchen table', 'kitchen counter',
    'coffee table', 'knives', 'knife', 'water glass', 'microwave oven', 'disk', 'watering can',
    'bag of compost', 'cupboard',
)  # fmt: skip


def ways(names):
    return WaysToWrite({tuple(name.split()): name for name in names})


def gone_through(known, words):
    """The definition: of all names, those with a slip for each of the words."""
    if sum(map(len, words)) < 4:
        return ''
    found = {
        name
        for right, name in known.items()
        if len(right) == len(words)
        and right != words
        and all(is_slip(one, other) for one, other in zip(words, right, strict=True))
    }
    return found.pop() if len(found) == 1 else ''


@pytest.mark.parametrize(
    ('written', 'name'),
    [
        ('frige', 'fridge'),
        ('rfidge', 'fridge'),
        ('ridge', 'fridge'),
        ('xfridge', 'fridge'),
        ('zridge', 'fridge'),
        ('kichen tabel', 'kitchen table'),
        ('microvawe oven', 'microwave oven'),
        ('cubpoards', 'cupboard'),
        ('apple', ''),
        ('sun', ''),
    ],
)
def test_a_slip_of_one_name_is_found(written, name):
    assert ways(_NAMES).misspelled(tuple(written.split())) == name


def test_it_finds_what_going_through_all_names_finds():
    rng = random.Random(3)
    known = ways(_NAMES)
    letters = string.ascii_lowercase[:12] + 's'
    for _ in range(4000):
        word = list(rng.choice(_NAMES))
        for _ in range(rng.randrange(4)):
            at = rng.randrange(len(word))
            change = rng.randrange(3)
            word[at : at + (change != 1)] = [] if change == 0 else [rng.choice(letters)]
            word = word or ['a']
        words = tuple(''.join(word).split()) or ('a',)
        assert known.misspelled(words) == gone_through(known, words), words


def test_another_name_of_the_words_themselves_does_not_count():
    assert ways(('bear', 'pears')).misspelled(('pear',)) == gone_through(
        ways(('bear', 'pears')), ('pear',)
    )
