"""What the skills of a household do, for vocabularies that tests write by their templates."""

from __future__ import annotations

from dataclasses import replace

from reactree_core.observation import Vocabulary
from reactree_core.skill_types import SkillKind, SkillType

_KINDS = {
    'go to': (SkillKind.MOVE, ''),
    'walk to': (SkillKind.MOVE, ''),
    'pick up': (SkillKind.TAKE, 'put down'),
    'grab': (SkillKind.TAKE, 'put down'),
    'put down': (SkillKind.PUT, 'pick up'),
    'drop': (SkillKind.PUT, ''),
    'open': (SkillKind.OPEN, 'close'),
    'close': (SkillKind.CLOSE, 'open'),
    'turn on': (SkillKind.SWITCH_ON, 'turn off'),
    'turn off': (SkillKind.SWITCH_OFF, 'turn on'),
}


def declared(vocabulary: Vocabulary) -> Vocabulary:
    """The same, with the kinds and inverses of its skills told, as a household."""
    types = []
    for template in vocabulary.templates:
        verb, slot, rest = template.partition(' <')
        kind, inverse = _KINDS.get(verb, (SkillKind.OTHER, ''))
        types.append(SkillType(template, (), kind, inverse and f'{inverse}{slot}{rest}'))
    return replace(vocabulary, skill_types=tuple(types), domain='household')


#: A household, for sentences.
HOME = declared(
    Vocabulary(
        (
            'go to <object>',
            'pick up <object>',
            'put down <object>',
            'open <object>',
            'close <object>',
            'turn on <object>',
            'turn off <object>',
        ),
        ('apple', 'plate', 'wine glass', 'pudding', 'knife'),
        (
            'fridge',
            'stove',
            'kitchen table',
            'sink',
            'dishwasher',
            'microwave',
            'kitchen cabinet',
            'television',
        ),
        ('kitchen 1', 'bedroom 1', 'bathroom 1', 'living room 1'),
    )
)
