"""Words that are none of the skill server's names, and how near one has to be."""

from __future__ import annotations

import numpy as np
import pytest

from reactree_planner.language.goal import TieKind
from reactree_planner.language.name_choice import NameChoice


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
