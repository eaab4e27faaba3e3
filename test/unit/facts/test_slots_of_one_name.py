"""A slot of one name in skills that carry things, and in others."""

from __future__ import annotations

from reactree_core.observation import Vocabulary
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
