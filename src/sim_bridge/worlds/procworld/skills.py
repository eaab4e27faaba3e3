"""What ProcWorld declares: its skills, the classes it may have, and who the robot is."""

from __future__ import annotations

from functools import cache, lru_cache
from math import inf

from reactree_core.observation import Outcome, Vocabulary
from reactree_core.skill_types import class_and_number, SkillKind, SkillType
from sim_bridge.worlds.alfworld.skills import changing_skills
from sim_bridge.worlds.procworld.classes import CARRIED
from sim_bridge.worlds.procworld.engine import Engine
from sim_bridge.worlds.procworld.tables import tables
from sim_bridge.worlds.thor.classes import words_for

DOMAIN = 'procworld'
#: Classes of the ways, where the reach has bounds.
_WAYS = frozenset({'loc', 'door'})


@cache
def skill_types(in_hand: bool = False) -> tuple[SkillType, ...]:
    """What ProcWorld declares of its skills. :param in_hand: as of `Rules`."""
    treated = 'at a {} that you face, with the object in ' + ('the hand' if in_hand else 'it')
    return (
        SkillType(
            'go to <place>',
            ('place',),
            SkillKind.MOVE,
            description='furniture, or what stands loose',
        ),
        SkillType(
            'go to <location> at [<x>, <z>]',
            ('place', 'number', 'number'),
            SkillKind.MOVE,
            effects=('at <location>',),
            description='to look around from there',
        ),
        SkillType(
            'go through <door> to next room',
            ('place',),
            SkillKind.MOVE,
            description='only at the location where the door is told',
        ),
        SkillType(
            'take <object> from <place>',
            ('thing', 'name'),
            SkillKind.TAKE,
            'put <object> in/on <place>',
            description='only with an empty hand, from what you face',
        ),
        SkillType(
            'put <object> in/on <place>',
            ('thing', 'name'),
            SkillKind.PUT,
            'take <object> from <place>',
            description='in or on what you face, a part of it, or a container there',
        ),
        SkillType('open <place>', ('place',), SkillKind.OPEN, 'close <place>'),
        SkillType('close <place>', ('place',), SkillKind.CLOSE, 'open <place>'),
        *changing_skills(treated, 'with a knife in the hand, where the object is', in_hand),
        SkillType(
            'use <object>', ('name',), SkillKind.SWITCH_ON, description='turns a lamp on, or off'
        ),
        SkillType('examine <name>', ('name',), SkillKind.LOOK),
        SkillType('look', (), SkillKind.LOOK),
        SkillType('inventory', (), SkillKind.LOOK),
    )


def vocabulary_of(engine: Engine) -> Vocabulary:
    """Skills, the classes of houses, and the rooms that were entered."""
    state = engine.state
    house, bounded = state.layout.house, state.layout.bounded
    skills = skill_types(engine.rules.in_hand)
    places, others = _classes_in(engine)
    return Vocabulary(
        templates=tuple(skill.template for skill in skills),
        object_classes=tuple(sorted(CARRIED)),
        place_classes=tuple(sorted(places)),
        rooms=state.rooms if bounded else tuple(room.name for room in house.rooms),
        skill_types=skills,
        other_words=words_for(sorted((others | CARRIED | places) - _WAYS)),
        other_classes=tuple(sorted(others - CARRIED - places)),
        domain=DOMAIN,
        about=_about(engine),
    )


def _about(engine: Engine) -> str:
    hand = 'A robot with one hand in a house of several rooms.'
    closed = 'What a thing holds is seen when it is faced, in a closed one after opening.'
    reach = engine.layout.reach
    if reach == inf:
        return f'{hand} It can go to any furniture at once. {closed}'
    back = 'to whatever was seen before' if engine.rules.has_map else 'only to what is near'
    return (
        f'{hand} It sees and goes {reach:g} m far: to things, and to numbered locations from '
        f'which more is seen; doors are told where they can be used. It can go {back}. {closed}'
    )


def failure_of(skill: str, engine: Engine) -> Outcome:
    """Whether a skill that cannot be done is one at all, about things of known classes."""
    known = CARRIED.union(*_classes_in(engine))
    for kind in skill_types():
        for values in kind.splits(skill):
            pairs = zip(kind.slots, values, strict=True)
            names = [value for slot, value in pairs if slot.type.is_name]
            if all(class_and_number(name)[0] in known for name in names):
                return Outcome.PRECONDITION_FAILED
    return Outcome.INVALID_SKILL


def _classes_in(engine: Engine) -> tuple[frozenset[str], frozenset[str]]:
    """Classes of places, and of all else but what is carried: of generated houses and this one."""
    furniture, others = _classes()
    things, bounded = engine.layout.house.things, engine.layout.bounded
    fixed = {one.thing_class for one in things if one.fixed}
    every = {one.thing_class for one in things}
    return furniture | fixed | (_WAYS if bounded else set()), others | every


@lru_cache(maxsize=1)
def _classes() -> tuple[frozenset[str], frozenset[str]]:
    """Classes of furniture and its parts in generated houses, and of what is no furniture."""
    table = tables()
    pieces = [piece for room in table.rooms.values() for piece in room]
    parts = (part for piece in pieces for part in (*piece.parts, *piece.first))
    others = (kind for kinds in (*table.loose.values(), *table.things.values()) for kind in kinds)
    return frozenset((*table.furniture, *parts)), frozenset(others)
