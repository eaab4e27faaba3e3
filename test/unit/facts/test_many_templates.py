"""A server may declare thousands of skills: a text is compared with few of their templates."""

from __future__ import annotations

from reactree_core.observation import Vocabulary
from reactree_core.skill_types import SkillType
from reactree_planner.facts.skills import Skills


def test_a_text_is_compared_with_the_templates_that_it_begins_like(monkeypatch):
    templates = (*(f'operate device {n}' for n in range(2000)), 'drive to <place>', '<tool> it')
    skills = Skills(Vocabulary(templates=templates))
    compared = []
    splits = SkillType.splits
    monkeypatch.setattr(
        SkillType,
        'splits',
        lambda self, text, any_number=False: (
            compared.append(self.template) or splits(self, text, any_number)
        ),
    )
    for number in range(2000):
        found = skills.parse(f'operate device {number}')
        assert found is not None and found.type.template == f'operate device {number}'
    # With its own, with those whose number it begins with, and with the one that begins with a
    # slot.
    assert len(compared) < 6 * 2000
    assert skills.parse('drive to rack 1').values == ('rack 1',)
    assert skills.parse('weld it').values == ('weld',)
    assert skills.parse('drive') is None
