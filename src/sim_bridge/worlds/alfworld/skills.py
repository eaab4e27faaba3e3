"""What ALFWorld declares: its skills, the classes of its rooms, and who the robot is."""

from __future__ import annotations

from reactree_core.observation import Outcome, Vocabulary
from reactree_core.skill_types import SkillKind, SkillType
from sim_bridge.worlds.alfworld.state import Layout
from sim_bridge.worlds.thor.classes import STATE_WORDS, words_for

DOMAIN = 'alfworld'
ABOUT = (
    'A robot with one hand in a single room. Going to a place shows what lies there; what is in a '
    'closed place is seen after opening it.'
)


def changing_skills(treated: str, sliced: str, in_hand: bool) -> tuple[SkillType, ...]:
    """Cleaning, heating, cooling and slicing.

    :param treated: where a thing is treated, with {} for the class of the place.
    :param sliced: how it is sliced. :param in_hand: whether things are treated in the hand.
    """
    lies = 'holding <object>' if in_hand else '<object> in <{}>'
    treating = (
        ('clean', 'clean', 'sinkbasin'), ('heat', 'hot', 'microwave'), ('cool', 'cool', 'fridge')
    )  # fmt: skip
    return (
        *(
            SkillType(
                f'{verb} <object> with <{tool}>',
                ('thing', 'place'),
                SkillKind.CHANGE,
                effects=(f'<object> is {word}',),
                description=treated.format(tool),
                other_words=STATE_WORDS[word],
                needs=(lies.format(tool), f'at <{tool}>'),
            )
            for verb, word, tool in treating
        ),
        SkillType(
            'slice <object> with <knife>',
            ('thing', 'thing'),
            SkillKind.CHANGE,
            effects=('<object> is sliced',),
            description=sliced,
            other_words=STATE_WORDS['sliced'],
            needs=('holding <knife>', 'at <object>'),
        ),
    )


SKILL_TYPES = (
    SkillType('go to <place>', ('place',), SkillKind.MOVE),
    SkillType('open <place>', ('place',), SkillKind.OPEN, 'close <place>'),
    SkillType('close <place>', ('place',), SkillKind.CLOSE, 'open <place>'),
    SkillType(
        'take <object> from <place>',
        ('thing', 'place'),
        SkillKind.TAKE,
        'move <object> to <place>',
        description='only with an empty hand',
    ),
    SkillType(
        'move <object> to <place>',
        ('thing', 'place'),
        SkillKind.PUT,
        'take <object> from <place>',
        description='in or on a place where you are',
    ),
    *changing_skills('at a {}, with the object in the hand', 'with a knife in the hand', True),
    SkillType('use <object>', ('name',), SkillKind.SWITCH_ON, description='turns a lamp on'),
    SkillType('examine <name>', ('name',), SkillKind.LOOK),
    SkillType('look', (), SkillKind.LOOK),
    SkillType('inventory', (), SkillKind.LOOK),
    SkillType('help', (), SkillKind.OTHER),
)


def vocabulary_of(layout: Layout) -> Vocabulary:
    """Skills, the receptacles of the room, and all classes of things."""
    places = {layout.class_of(key) for key in layout.receptacles}
    # What may be here is known, what is here is not: classes that fit into the receptacles.
    things = {thing.removesuffix('type') for _, thing in layout.can_contain}
    carried = layout.pickupable & layout.names.keys() - layout.place_of.keys()
    things |= set(map(layout.class_of, carried))
    fixed = {layout.class_of(key) for key in layout.able['toggle']}
    return Vocabulary(
        templates=tuple(skill.template for skill in SKILL_TYPES),
        other_words=words_for(sorted(things | places | fixed)),
        object_classes=tuple(sorted(things - places - fixed)),
        place_classes=tuple(sorted(places)),
        other_classes=tuple(sorted(fixed)),
        skill_types=SKILL_TYPES,
        domain=DOMAIN,
        about=ABOUT,
    )


def failure_of(skill: str, layout: Layout) -> Outcome:
    """Whether a skill that cannot be done is one at all, about things that are here."""
    names = layout.by_name
    for kind in SKILL_TYPES:
        if any(all(value in names for value in values) for values in kind.splits(skill)):
            return Outcome.PRECONDITION_FAILED
    return Outcome.INVALID_SKILL
