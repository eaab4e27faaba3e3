"""A slot of one name in skills that carry things, and in others."""

from __future__ import annotations

import pytest

from reactree_core.observation import Vocabulary
from reactree_core.skill_types import SkillKind, SkillType
from reactree_planner.facts.skills import Skills
from support.skill_kinds import declared


def test_what_is_carried_is_a_thing_and_what_is_opened_by_the_same_slot_may_be_a_place():
    templates = ('pick up <object>', 'put down <object>', 'open <object>', 'close <object>')
    vocabulary = declared(Vocabulary(templates, ('apple',), ('fridge',), ('kitchen 1',)))
    skills = Skills(vocabulary)
    fits = {
        one.template: [
            name for name in ('apple', 'fridge', 'kitchen 1') if skills.fits(one, 0, name)
        ]
        for one in skills.types
    }
    assert fits == {
        'pick up <object>': ['apple'],
        'put down <object>': ['apple'],
        'open <object>': ['apple', 'fridge'],
        'close <object>': ['apple', 'fridge'],
    }


@pytest.mark.parametrize('name', ['rod 1', 'rod A-1', 'rod T01', 'rod L3'])
def test_a_declared_thing_with_a_label_is_of_its_class(name):
    """Also where the vocabulary has it as a name of its own."""
    take = SkillType('grip <rod>', ('thing',), SkillKind.TAKE)
    skills = Skills(Vocabulary(object_classes=('rod', name, 'L3'), skill_types=(take,)))
    assert skills.class_of(name) == 'rod' and skills.is_named(name, 'rod')
