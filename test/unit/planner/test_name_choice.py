"""Words that are none of the skill server's names, and how near one has to be."""

from __future__ import annotations

import numpy as np
import pytest

from reactree_planner.instructions.name_choice import NameChoice
from reactree_planner.instructions.ties import TieKind


class Encoder:
    """A double: 'asked' is as near to each other text as its number says."""

    name = 'numbers'
    dimension = 2

    def embed(self, texts):
        angles = [0.0 if text == 'asked' else np.arccos(float(text)) for text in texts]
        return np.array([(np.cos(angle), np.sin(angle)) for angle in angles], dtype=np.float32)


def first(words, names):
    return names[0]


@pytest.mark.parametrize(
    ('nearness', 'kind'),
    [('0.34', TieKind.UNKNOWN), ('0.45', TieKind.MODEL), ('0.7', TieKind.MEANING)],
)
def test_a_name_is_taken_chosen_or_left_by_its_nearness(nearness, kind):
    choice = NameChoice(Encoder, first)
    name, tied = choice.by_meaning('asked', (nearness, '0.1'))
    assert tied is kind and name == ('' if kind is TieKind.UNKNOWN else nearness)


@pytest.mark.parametrize(
    ('nearness', 'kind'),
    [('0.45', TieKind.UNKNOWN), ('0.5', TieKind.MODEL), ('0.6', TieKind.MEANING)],
)
def test_a_verb_has_to_be_nearer(nearness, kind):
    choice = NameChoice(Encoder, first)
    verb, tied = choice.verb('asked', (nearness, '0.1'))
    assert tied is kind and verb == ('' if kind is TieKind.UNKNOWN else nearness)


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
