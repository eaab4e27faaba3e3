"""What the robot can do at all and may do now, by what the program reports; what it has seen."""

from __future__ import annotations

from collections.abc import Mapping

from reactree_core.observation import ObjectFact, Vocabulary
from reactree_core.skill_types import SkillKind, SkillType
from reactree_core.working_memory import AGENT
from sim_bridge.worlds.thor.classes import (
    class_of,
    FIXED_RECEPTACLES,
    KNIVES,
    LAMPS,
    OPENABLE,
    other_words,
    PICKABLE,
    SLICEABLE,
    STATE_WORDS,
    TOGGLEABLE,
    words_of,
)
from sim_bridge.worlds.thor.metadata import (
    in_sight,
    is_closed,
    is_piece,
    Metadata,
    parents,
    Thing,
    things_of,
)
from sim_bridge.worlds.thor.names import Names
from sim_bridge.worlds.thor.skills import Robot

DOMAIN = 'alfred'
ABOUT = (
    'A robot with one hand in a single room. Going to a thing or place shows what is near it; '
    'what is in a closed place is seen after opening it. A thing is put down at the place gone '
    'to last.'
)
SKILL_TYPES = (
    SkillType(
        'go to <name>', ('name',), SkillKind.MOVE, description='a place, or a thing that you see'
    ),
    SkillType(
        'pick up <object>',
        ('thing',),
        SkillKind.TAKE,
        'put down <object>',
        description='only what you see, with an empty hand',
    ),
    SkillType(
        'put down <object>',
        ('thing',),
        SkillKind.PUT,
        'pick up <object>',
        description='in or on the place that you have just gone to, or gone to and opened',
    ),
    SkillType(
        'open <name>',
        ('name',),
        SkillKind.OPEN,
        'close <name>',
        # Nor does one open that is on.
        needs=('at <name>', 'not <name> is open', 'not <name> is on'),
    ),
    SkillType(
        'close <name>',
        ('name',),
        SkillKind.CLOSE,
        'open <name>',
        effects=('everything in <name> is cold if <name> is Fridge',),
    ),
    SkillType(
        'turn on <name>',
        ('name',),
        SkillKind.SWITCH_ON,
        'turn off <name>',
        effects=(
            'everything in <name> is hot if <name> is Microwave',
            'everything in SinkBasin is clean if <name> is Faucet',
        ),
        # An open microwave does not start.
        needs=('at <name>', 'not <name> is on', 'not <name> is open'),
        description='a microwave heats what is in it, a faucet cleans what is in its sink basin',
    ),
    SkillType('turn off <name>', ('name',), SkillKind.SWITCH_OFF, 'turn on <name>'),
    SkillType(
        'slice <object>',
        ('thing',),
        SkillKind.CHANGE,
        # What is cut off has not been washed, heated or cooled.
        effects=(
            '<object> is sliced',
            'not <object> is clean',
            'not <object> is hot',
            'not <object> is cold',
        ),
        description='with a knife in the hand',
        other_words=STATE_WORDS['sliced'],
        needs=('at <object>', ' or '.join(f'holding {knife}' for knife in KNIVES)),
    ),
)
#: States of what was treated, with what people say for them and for their verbs.
_TREATED = {
    'clean': ('clean', *STATE_WORDS['clean']),
    'hot': ('heat', *STATE_WORDS['hot']),
    'cold': ('cool', *STATE_WORDS['cool']),
}
#: What is gone to when it is seen, besides what can be carried.
_GONE_TO = OPENABLE | TOGGLEABLE | FIXED_RECEPTACLES


def vocabulary_of(metadata: Metadata, names: Names, room: str) -> Vocabulary:
    """Skills, all classes that can be handled, and the receptacles of the scene."""
    classes = {one['objectType'] for one in things_of(metadata)}
    places = sorted(classes & FIXED_RECEPTACLES)
    things = [*sorted(PICKABLE), *(lamp for lamp in LAMPS if lamp in classes)]
    others = sorted((classes & TOGGLEABLE) - set(places) - set(things))
    return Vocabulary(
        templates=tuple(skill.template for skill in SKILL_TYPES),
        object_classes=tuple(map(names.kind, things)),
        place_classes=tuple(map(names.kind, places)),
        other_classes=tuple(map(names.kind, others)),
        rooms=(room,),
        states=tuple(_TREATED),
        skill_types=_skill_types(metadata),
        other_words=(
            *((names.kind(one), *other_words(one)) for one in (*things, *places, *others)),
            *((state, *words) for state, words in _TREATED.items()),
        ),
        domain=DOMAIN,
        about=ABOUT,
    )


def _skill_types(metadata: Metadata) -> tuple[SkillType, ...]:
    """The skills; of those that open and switch, with the classes that can be."""
    flags = {
        'open <name>': (OPENABLE, 'openable'),
        'close <name>': (OPENABLE, 'openable'),
        'turn on <name>': (TOGGLEABLE, 'toggleable'),
        'turn off <name>': (TOGGLEABLE, 'toggleable'),
    }
    found = []
    for one in SKILL_TYPES:
        known, flag = flags.get(one.template, (frozenset(), ''))
        classes = known | {thing['objectType'] for thing in things_of(metadata) if thing.get(flag)}
        # As they are written in either style.
        ways = {way for kind in classes for way in (kind, words_of(kind))}
        found.append(one.taking(ways if known else ()))
    return tuple(found)


def fixed_receptacles(metadata: Metadata) -> list[str]:
    """Ids of receptacles that stay where they are."""
    return [
        one['objectId']
        for one in things_of(metadata)
        if one.get('receptacle') and class_of(one['name']) in FIXED_RECEPTACLES
    ]


def admissible_skills(robot: Robot, names: Names) -> tuple[str, ...]:
    """What can succeed now: of what is visible, by the program's flags.

    What the last text told to be visible can be gone to, and nothing else.
    """
    name, held = names.of, robot.held
    things = {one['objectId']: one for one in in_sight(robot.metadata) if one['objectId'] != held}
    seen = {key: things[key] for key in robot.seen if key in things}
    skills = [f'go to {name(key)}' for key in _places_first(robot, names, seen)]
    place = robot.thing(robot.receptacle) if robot.receptacle else None
    if held and place is not None and place.get('receptacle') and not is_closed(place):
        skills.append(f'put down {name(held)}')
    cuts = held.partition('|')[0] in KNIVES
    for key in names.ordered(things):
        one, called = things[key], name(key)
        if one.get('pickupable') and not held:
            skills.append(f'pick up {called}')
        if one.get('openable'):
            skills.append(f'{"close" if one.get("isOpen") else "open"} {called}')
        if one.get('toggleable'):
            skills.append(f'turn {"off" if one.get("isToggled") else "on"} {called}')
        if one.get('sliceable') and not one.get('isSliced') and cuts:
            skills.append(f'slice {called}')
    return tuple(dict.fromkeys(skills))


def _places_first(robot: Robot, names: Names, visible: Mapping[str, Thing]) -> list[str]:
    """Fixed receptacles, then what else is visible and can be handled."""
    rest = [
        key
        for key, one in visible.items()
        if one.get('pickupable') or is_piece(one) or one['objectType'] in _GONE_TO
    ]
    fixed = names.ordered(fixed_receptacles(robot.metadata))
    return list(dict.fromkeys((*fixed, *names.ordered(rest))))


def candidate_skills(robot: Robot, names: Names) -> tuple[str, ...]:
    """The published set but for `recall`, `done` and `failure`, which planners add themselves."""
    name, held = names.of, robot.held
    skills = [f'go to {name(key)}' for key in names.ordered(fixed_receptacles(robot.metadata))]
    for key in names.ordered(robot.seen):
        kind, called = key.partition('|')[0], name(key)
        skills.append(f'go to {called}')
        if kind in PICKABLE:
            skills.append(f'pick up {called}')
            skills += [f'put down {name(held)}'] if held else []
        if kind in OPENABLE:
            skills += [f'open {called}', f'close {called}']
        if kind in TOGGLEABLE:
            skills += [f'turn on {called}', f'turn off {called}']
        if kind in SLICEABLE:
            skills.append(f'slice {called}')
    return tuple(dict.fromkeys(skills))


def facts(robot: Robot, names: Names, room: str) -> tuple[ObjectFact, ...]:
    """What is visible or held, with where it lies and how it is."""
    treated, held = robot.treated, robot.held
    found = []
    seen = {one['objectId'] for one in in_sight(robot.metadata)}
    for one in things_of(robot.metadata):
        key = one['objectId']
        if key not in seen and key != held:
            continue
        states = []
        if one.get('openable'):
            states.append('open' if one.get('isOpen') else 'closed')
        if one.get('toggleable'):
            states.append('on' if one.get('isToggled') else 'off')
        if one.get('isSliced') or is_piece(one):
            states.append('sliced')
        treatments = (('clean', treated.clean), ('hot', treated.hot), ('cold', treated.cold))
        states += [word for word, ids in treatments if key in ids]
        where = AGENT if key == held else ''
        above = next((up for up in parents(one) if names.of(up)), '')
        if above and not where:
            # Plainly, as names without brackets stand in memories.
            kind, number = names.class_and_number(above)
            where = f'{kind} {number}'
        kind, number = names.class_and_number(key)
        found.append(ObjectFact(kind, number, room, where, ', '.join(states)))
    return tuple(found)
