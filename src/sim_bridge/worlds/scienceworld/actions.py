"""Actions of ScienceWorld: what each kind of them does, and which of the valid ones are offered.

The simulator holds thousands of actions valid, most of which lead nowhere (`connect chair to
sewer`, `mix agent`). All of them can be done; those offered are the ones that can be to the point,
and at most as many as a number says.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from reactree_core.observation import Outcome
from reactree_core.skill_types import SkillKind, SkillType
from sim_bridge.worlds.scienceworld.simulator import Action

#: All in the words that the simulator reports its valid actions in.
SKILL_TYPES = (
    SkillType('go to <room>', ('name',), SkillKind.MOVE, description='the next room, by its door'),
    SkillType('teleport to <room>', ('name',), SkillKind.MOVE),
    SkillType(
        'open <thing>', ('name',), SkillKind.OPEN, 'close <thing>', description='also doors'
    ),
    SkillType('close <thing>', ('name',), SkillKind.CLOSE, 'open <thing>'),
    SkillType('pick up <thing>', ('name',), SkillKind.TAKE, 'put down <thing>'),
    SkillType(
        'put down <thing>', ('name',), SkillKind.PUT, 'pick up <thing>', ('not holding <thing>',)
    ),
    SkillType('move <thing> to <container>', ('name', 'name'), SkillKind.PUT),
    SkillType(
        'pour <thing> into <container>',
        ('name', 'name'),
        description='a liquid, or all that is in a container',
    ),
    SkillType('dunk <thing> into <container>', ('name', 'name'), description='to fill it'),
    SkillType(
        'mix <container>',
        ('name',),
        SkillKind.MAKE,
        description='makes something new of what is in it',
    ),
    SkillType('activate <thing>', ('name',), SkillKind.SWITCH_ON, 'deactivate <thing>'),
    SkillType('deactivate <thing>', ('name',), SkillKind.SWITCH_OFF, 'activate <thing>'),
    SkillType(
        'use <tool> on <thing>', ('name', 'name'), description='e.g. a thermometer, to measure'
    ),
    SkillType('connect <thing> to <other>', ('name', 'name'), description='two ends of a circuit'),
    SkillType('disconnect <thing>', ('name',)),
    SkillType(
        'focus on <thing>',
        ('name',),
        description='says what the task is about; a wrong thing fails the task at once',
    ),
    SkillType('look around', (), SkillKind.LOOK),
    SkillType('look at <thing>', ('name',), SkillKind.LOOK),
    SkillType('look in <thing>', ('name',), SkillKind.LOOK),
    SkillType('read <thing>', ('name',), SkillKind.LOOK),
    SkillType('inventory', (), SkillKind.LOOK, description='what you hold'),
    SkillType('task', (), SkillKind.LOOK),
    SkillType('eat <thing>', ('name',), SkillKind.CHANGE),
    SkillType('flush <thing>', ('name',), SkillKind.CHANGE),
    SkillType('wait', (), description='ten moments'),
    SkillType('wait1', (), description='one moment'),
    SkillType('reset task', (), description='forgets what was focused on'),
    SkillType('choose <number>', ('number',), description='answers "Please enter the number"'),
)
CHOOSE = 'choose '
_AMBIGUOUS = 'Ambiguous request'
_UNKNOWN = ('No known action matches that input', 'Unknown action')
#: Sentences of what was not done.
_REFUSED = re.compile(
    r"I'm not sure|It'?s not clear|You can't |Something can't |The liquids in |<ERROR>|<unknown"
    r"|That (?:can't|is already|object (?:does not|already))"
    r"|The door (?:is not|is already|doesn't)"
    r"|The [^.:\n]{1,80} (?:is already|is not|are not|is empty|isn't open|appears broken|can't be"
    r'|does not contain|is in is not)'
)
#: Nothing is done with a room but to go there, nor with a door but to open and close it.
ROOMS = frozenset(
    (
        'art studio',
        'bathroom',
        'bedroom',
        'foundry',
        'greenhouse',
        'hallway',
        'kitchen',
        'living room',
        'outside',
        'workshop',
    )
)
#: What is there and of no use.
_NOTHING = frozenset(('agent', 'air', 'inventory'))
_SELDOM = ('task', 'reset task')
_DOOR = re.compile(r'door(?: .*)?|.* door')
_TERMINAL = re.compile(r'\b(?:terminal|anode|cathode)\b')
_WIRE = 'wire'
_ELECTRICAL = ('power-component', 'conductivity')
#: Two things that are moved into one another.
_INTO = ('move', 'pour', 'dunk')
#: Words that gold paths use and valid actions do not.
_SYNONYMS = (('examine ', 'look at '), ('drop ', 'put down '), ('go through ', 'go to '))
_POUR = re.compile(r'(pour|dunk) (.+) (?:in|on|to) (.+)')
_TO_A_ROOM = re.compile(r'(open|close) door to (.+)')
_HELD = ' in inventory'


@dataclass(frozen=True, slots=True)
class _Parsed:
    """An action by its verb and the names in it."""

    text: str
    verb: str
    names: tuple[str, ...]


def is_electrical(task: str) -> bool:
    """Whether a task is about circuits; only there things are connected."""
    return any(word in task for word in _ELECTRICAL)


def outcome_of(text: str) -> Outcome:
    """What a reply says of the action."""
    if text.startswith(_UNKNOWN):
        return Outcome.INVALID_SKILL
    if text.startswith(_AMBIGUOUS) or _REFUSED.match(text):
        return Outcome.PRECONDITION_FAILED
    return Outcome.SUCCEEDED


def is_question(text: str) -> bool:
    """Whether a reply asks to choose a number."""
    return text.startswith(_AMBIGUOUS)


def parsed(text: str) -> _Parsed:
    """An action taken apart by the templates; without names where it is of none."""
    for kind in SKILL_TYPES:
        values = next(kind.splits(text), None)
        if values is not None:
            return _Parsed(text, kind.verb.split(' ')[0], values)
    return _Parsed(text, text.split(' ')[0], ())


def offered(
    valid: Iterable[Action], task: str, words: str, held: Sequence[str], most: int
) -> tuple[str, ...]:
    """The valid actions that can be to the point, where there are too many the likelier.

    :param task: name of the task. :param words: what it asks for.
    :param held: names of what is held. :param most: how many at most.
    """
    # The simulator's own order changes from one Java to the next.
    actions = [parsed(action.text) for action in sorted(valid, key=lambda one: one.text)]
    if actions and actions[0].text.isdigit():
        return tuple(f'{CHOOSE}{action.text}' for action in actions)
    containers = _named(actions, 'look in ')
    solid = _named(actions, 'pick up ') | set(held)
    electrical = is_electrical(task)
    wanted = set(re.findall(r'\w{4,}', words.lower()))
    ranked = []
    for action in actions:
        if not _is_to_the_point(action, containers, solid, electrical):
            continue
        ranked.append((_rank(action, held, wanted), action.text))
    return tuple(sorted(text for _, text in sorted(ranked)[:most]))


def _rank(action: _Parsed, held: Sequence[str], wanted: set[str]) -> int:
    """The lower, the rather it is offered: what is done with two things comes last."""
    if len(action.names) < 2:
        return 0
    if action.names[0] in held:
        return 1
    return 2 if any(wanted & set(name.lower().split()) for name in action.names) else 3


def _named(actions: Iterable[_Parsed], begin: str) -> set[str]:
    return {one.text.removeprefix(begin) for one in actions if one.text.startswith(begin)}


def _is_to_the_point(
    action: _Parsed, containers: set[str], solid: set[str], electrical: bool
) -> bool:
    names = action.names
    doors = [name for name in names if _DOOR.fullmatch(name)]
    verb = action.verb
    if action.text in _SELDOM or _NOTHING & set(names):
        return False
    if verb in ('go', 'teleport'):
        return not doors
    if verb in ('open', 'close'):
        return True
    if doors or ROOMS & set(names):
        return False
    if verb == 'mix':
        return names[0] in containers
    if verb in _INTO and (names[0] == names[1] or names[1] not in containers):
        return False
    if verb == 'pour':
        # A thing that can be taken is moved; what is in a container is poured.
        return names[0] in containers or names[0] not in solid
    if verb == 'disconnect':
        return electrical
    if verb == 'connect':
        first, second = names
        return (
            electrical
            # Both directions are the same.
            and first < second
            and all(_TERMINAL.search(name) for name in names)
            and any(_WIRE in name for name in names)
        )
    return True


def usual_form(text: str, valid: Sequence[Action], names: Mapping[int, Sequence[str]]) -> str:
    """The valid action that an action in other words means; '' where none, or several, do.

    :param names: what each thing can be called.
    """
    known = {action.text for action in valid}
    for begin, usual in _SYNONYMS:
        if text.startswith(begin):
            text = usual + text.removeprefix(begin)
    poured = _POUR.fullmatch(text)
    if poured and text not in known:
        text = f'{poured[1]} {poured[2]} into {poured[3]}'
    if text in known:
        return _in_order(text)
    # A door has one name of several among the valid actions.
    if door := _TO_A_ROOM.fullmatch(text):
        others = (f'{door[1]} {door[2]} door', f'{door[1]} door')
        return next((other for other in others if other in known), '')
    wanted = parsed(text)
    called = {key: {name.lower() for name in found} for key, found in names.items()}
    fitting = []
    for action in valid:
        other = parsed(action.text)
        if other.verb != wanted.verb or len(other.names) != len(wanted.names):
            continue
        things = zip(wanted.names, other.names, action.things, strict=False)
        if all(
            wish == name or _may_mean(wish, called.get(key, set())) for wish, name, key in things
        ):
            fitting.append(action.text)
    return _in_order(fitting[0]) if len(fitting) == 1 else ''


def _may_mean(wish: str, called: set[str]) -> bool:
    short = wish.lower().removesuffix(_HELD)
    if short in called:
        return True
    # 'battery anode' is called 'anode on battery' too; 'soap in sink' only 'soap'.
    thing, _, _ = short.partition(' in ')
    return thing in called


def _in_order(text: str) -> str:
    """A connection in the direction that is offered."""
    action = parsed(text)
    if action.verb != 'connect':
        return text
    first, second = sorted(action.names)
    return f'connect {first} to {second}'
