"""Words that are none of the skill server's names, and how near one has to be."""

from __future__ import annotations

import numpy as np
import pytest

from reactree_core.observation import Vocabulary
from reactree_planner.language.goal import TieKind
from reactree_planner.language.name_choice import NameChoice, nearest_by_letters, nearest_names
from reactree_planner.language.names import Names


class Encoder:
    """A double: 'asked' is as near to each other text as its number says."""

    name = 'numbers'
    dimension = 2

    def embed(self, texts):
        angles = [0.0 if text == 'asked' else np.arccos(float(text)) for text in texts]
        return np.array([(np.cos(angle), np.sin(angle)) for angle in angles], dtype=np.float32)


class Person:
    """Takes the first of what it is asked about."""

    def __init__(self):
        self.asked = []

    def __call__(self, words, names):
        self.asked.append((words, *names))
        return names[0]


@pytest.mark.parametrize(
    ('nearness', 'kind'),
    [('0.34', TieKind.UNKNOWN), ('0.66', TieKind.PERSON), ('0.75', TieKind.MEANING)],
)
def test_a_name_is_taken_asked_about_or_left_by_its_nearness(nearness, kind):
    choice = NameChoice(Encoder, Person())
    name, tied = choice.by_meaning('asked', (nearness, '0.1'))
    assert tied is kind and name == ('' if kind is TieKind.UNKNOWN else nearness)


def test_of_thousands_of_names_only_the_nearest_by_letters_are_compared():
    compared = []

    class Counting:
        name = 'counting'
        dimension = 2

        def embed(self, texts):
            compared.append(len(texts))
            return np.array([[1.0, 0.0]] * len(texts), dtype=np.float32)

    names = [f'gadget {number}' for number in range(5000)]
    NameChoice(Counting).by_meaning('zorb', names)
    assert compared == [1001]


@pytest.mark.parametrize('near', [('0.6', '0.1'), ('0.9', '0.88')])
def test_with_nobody_to_ask_what_is_not_sure_is_none_of_the_names(near):
    choice = NameChoice(Encoder)
    assert choice.by_meaning('asked', near) == ('', TieKind.UNSURE)
    assert choice.of_sorts('asked', near) == ('', TieKind.UNSURE)


class Alike:
    """A double: everything means the same."""

    name = 'alike'
    dimension = 1

    def embed(self, texts):
        return np.ones((len(texts), 1), np.float32)


def test_what_shares_a_word_with_a_name_is_told_apart_by_the_others():
    person = Person()
    assert NameChoice(Alike).by_meaning('seed tray', ('seed room',)) == ('', TieKind.UNSURE)
    tie = NameChoice(Alike, person).by_meaning('seed tray', ('seed room',))
    assert tie == ('seed room', TieKind.PERSON)
    assert person.asked == [('seed tray', 'seed room')]


@pytest.mark.parametrize('words', ['bay', 'bays', 'loading bay', 'Bay'])
def test_the_only_sort_is_meant_by_words_of_its_name(words):
    assert NameChoice().of_sorts(words, ('loading bay',)) == ('loading bay', TieKind.SHORT)


@pytest.mark.parametrize('sorts', [('loading bay',), ('ship bay', 'boat bay')])
def test_another_of_the_sort_is_not(sorts):
    assert NameChoice().of_sorts('parking bay', sorts) == ('', TieKind.UNSURE)
    assert NameChoice().of_sorts('bay', ('ship bay', 'boat bay')) == ('', TieKind.UNSURE)


def test_what_stays_possible_is_taken_or_chosen_by_a_person():
    person = Person()

    def choice(*possible):
        return NameChoice(Encoder, person, lambda words, names: possible)

    assert choice('drum').is_calibrated and not NameChoice(Encoder, person).is_calibrated
    for way in ('by_meaning', 'of_sorts'):
        names = ('drum', 'vat', 'jar')
        assert getattr(choice('drum'), way)('tub', names) == ('drum', TieKind.MEANING)
        assert getattr(choice(''), way)('tub', names) == ('', TieKind.UNKNOWN)
        assert not person.asked
        assert getattr(choice('vat', '', 'jar'), way)('tub', names) == ('vat', TieKind.PERSON)
        assert person.asked.pop() == ('tub', 'vat', 'jar')
    # The only sort is meant by words of its name, whatever else is possible.
    assert choice('').of_sorts('bays', ('loading bay',)) == ('loading bay', TieKind.SHORT)


def test_a_person_is_asked_about_the_nearest_four():
    person = Person()
    near = ('0.1', '0.5', '0.6', '0.4', '0.45', '0.65', '0.2')
    assert NameChoice(Encoder, person).by_meaning('asked', near)[1] is TieKind.PERSON
    assert person.asked == [('asked', '0.65', '0.6', '0.5', '0.45')]
    assert NameChoice(Encoder, person).by_meaning('asked', ())[1] is TieKind.UNKNOWN


def test_an_encoder_that_compares_letters_says_nothing_of_meaning():
    class Letters(Alike):
        name = 'hashed letters'

    assert NameChoice(Letters).by_meaning('asked', ('drum',)) == ('', TieKind.UNKNOWN)
    assert NameChoice().by_meaning('asked', ('drum',)) == ('', TieKind.UNKNOWN)


YARD = Names(Vocabulary(object_classes=('drum', 'crate', 'lantern', 'net')))
MANY = ('zither', 'lantern', 'crate', 'net', 'drum', 'lantern oil')


@pytest.mark.parametrize(
    ('text', 'most', 'names'),
    [
        ('anything', 6, MANY),
        ('put the drum there', 1, ('drum',)),
        # Those that are named stand there first, then those with its letters, in their order.
        ('put the nets there', 1, ('net',)),
        ('the lanterns near the drum', 2, ('lantern', 'drum')),
        ('the lanterns near the drum', 3, ('lantern', 'drum', 'lantern oil')),
        ('a crat', 1, ('crate',)),
        ('', 2, ('zither', 'lantern')),
        ('drum', 0, ()),
    ],
)
def test_of_too_many_names_those_nearest_to_a_text_are_shown(text, most, names):
    assert nearest_names(text, YARD, MANY, most, None) == names


def test_an_encoder_finds_names_near_in_meaning():
    class Meanings:
        name = 'meanings'
        dimension = 3

        def embed(self, texts):
            sorts = [0 if one in ('music', 'zither') else 1 + (one in MANY) for one in texts]
            return np.eye(3, dtype=np.float32)[sorts]

    names = ('lantern', 'crate', 'zither', 'net')
    assert nearest_names('some music', YARD, names, 1, Meanings) == ('zither',)
    assert nearest_names('some music', YARD, names, 1, None) == ('lantern',)


@pytest.mark.parametrize(
    ('most', 'names'), [(9, ('oar', 'oak', 'ladder')), (2, ('oar', 'oak')), (1, ('oar',))]
)
def test_names_are_near_by_groups_of_letters(most, names):
    assert nearest_by_letters('OAR', ('oar', 'oak', 'ladder'), most) == names
