"""Where things are usually kept, as an encoder puts it: asked once, and never believed."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace

import numpy as np
import pytest

from reactree_core.embedding.encoders import HashingEmbedder
from reactree_core.embedding.registry import choose_embedder
from reactree_core.errors import EncoderError
from reactree_core.observation import ObjectFact, Observation, Vocabulary
from reactree_core.skill_types import SkillKind, SkillType
from reactree_planner.facts.conditions import read_condition
from reactree_planner.facts.likely_places import Whereabouts
from reactree_planner.facts.reasoner import Reasoner

HOME = Vocabulary(
    object_classes=('milk', 'soap'),
    place_classes=('shelf', 'fridge', 'bathtub'),
    rooms=('hall 1', 'kitchen 1', 'bathroom 1'),
    other_words=(('bathtub', 'bath tub'),),
    skill_types=(
        SkillType('go to <place>', kind=SkillKind.MOVE),
        SkillType('take <thing>', kind=SkillKind.TAKE),
        SkillType('put <thing> in <place>', kind=SkillKind.PUT),
    ),
)


class Letters:
    """An encoder whose texts are close where they name what it was told of."""

    name = 'made up'
    dimension = 2

    def __init__(self, close):
        self.close = close
        self.asked = []

    def embed(self, texts):
        self.asked += texts
        return np.array([[1, 0] if any(one in t for one in self.close) else [0, 1] for t in texts])


def test_what_is_close_is_likely_and_the_mean_is_one():
    encoder = Letters(('milk', 'fridge'))
    keeps = Whereabouts(HOME, lambda: encoder)
    assert keeps('milk', 'fridge') > 1 > keeps('milk', 'bathtub') > 0
    each = [keeps('milk', place) for place in HOME.place_classes]
    assert sum(each) / 3 == pytest.approx(1.05)
    assert keeps('milk', 'cellar') == 1.0
    assert any('bath tub' in text for text in encoder.asked)


def test_a_thing_is_asked_about_once_also_by_a_copy():
    encoder = Letters(('milk',))
    keeps = Whereabouts(HOME, lambda: encoder)
    keeps('milk', 'shelf')
    asked = len(encoder.asked)
    deepcopy(keeps)('milk', 'fridge')
    assert len(encoder.asked) == asked


def failing():
    raise EncoderError('it does not answer')


@pytest.mark.parametrize(
    'encoder', [failing, HashingEmbedder, lambda: HashingEmbedder(letters=True)]
)
def test_without_meaning_all_places_are_alike(encoder):
    keeps = Whereabouts(HOME, encoder)
    assert {keeps('milk', place) for place in HOME.place_classes} == {1.0}


@pytest.mark.parametrize('likely', HOME.place_classes)
def test_the_likely_place_is_looked_at_first(likely):
    told = replace(HOME, rooms=(), other_words=())
    keeps = Whereabouts(told, lambda: Letters(('milk', likely)))
    reasoner = Reasoner(told, ((read_condition('holding milk'),),), keeps=keeps)
    facts = tuple(ObjectFact(place, 1) for place in HOME.place_classes)
    moves = tuple(f'go to {place} 1' for place in HOME.place_classes)
    reasoner.see(Observation('', facts=facts, admissible_skills=moves))
    assert reasoner.next().skill == f'go to {likely} 1'


def test_the_encoder_knows_what_belongs_where():
    embedder, _ = choose_embedder('minilm')
    assert not embedder.name.startswith('hashed-'), 'the sentence encoder is not there'
    keeps = Whereabouts(HOME, lambda: embedder)
    assert keeps('milk', 'fridge') > keeps('milk', 'bathtub')
    assert keeps('soap', 'bathtub') > keeps('soap', 'fridge')
    assert keeps('milk', 'kitchen') > keeps('milk', 'bathroom')
