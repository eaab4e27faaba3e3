"""What lines of `render_script` do to a household, by ids; with the reasons when they do not.

Skills of the household are done as it does them, other actions as programs do (`programs`), with
VirtualHome's conditions. As in the simulator, a character first walks to what it is to handle, and
turns to what it is to look at.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from reactree_core.errors import ConfigurationError
from sim_bridge.virtualhome_server.characters import Characters
from sim_bridge.worlds.household.company import MOST_CHARACTERS
from sim_bridge.worlds.household.nodes import CHARACTER
from sim_bridge.worlds.household.placement import INSIDE, ON
from sim_bridge.worlds.household.programs.actions import ACTIONS
from sim_bridge.worlds.household.programs.script import folded, Named, read_step, Step
from sim_bridge.worlds.household.programs.stage import Stage
from sim_bridge.worlds.household.roles import name_of
from sim_bridge.worlds.household.skills import (
    carry_out,
    CLOSE,
    Command,
    failed_precondition,
    OPEN,
    PICK_UP,
    TURN_ON,
)
from sim_bridge.worlds.household.state import HouseholdState

Things = tuple[int, ...]
#: Where to put a thing: x and z in metres.
Spot = tuple[float, float]

_NUMBER = r'\s*(-?\d{1,6}(?:\.\d{1,9})?)\s*'
_SPOT = re.compile(rf'<position>{_NUMBER},{_NUMBER}(?:,{_NUMBER})?')
#: Degrees of a turn and metres of a step, as in VirtualHome's documentation.
_TURN, _STEP = 30.0, 1.0
#: Shorter names are not looked for at the end of class names.
_SHORTEST_TAIL = 3
_MOST_LISTED = 12


@dataclass(frozen=True, slots=True)
class Line:
    """One character's part of a line.

    :param spot: of `<position> x,z` or `<position> x,y,z`; None without.
    """

    step: Step
    spot: Spot | None = None


def read_lines(lines: list[str]) -> list[list[Line]]:
    """What is done at the same time, line by line.

    :raises ConfigurationError: one cannot be read.
    """
    together = [line.split('|') for line in lines]
    if any(len(parts) > MOST_CHARACTERS for parts in together):
        raise ConfigurationError(
            f'a line has at most {MOST_CHARACTERS} parts, one for each character'
        )
    return [[_read_line(part) for part in parts] for parts in together]


def _read_line(text: str) -> Line:
    found = _SPOT.search(text)
    if found is None:
        return Line(read_step(text))
    across, along = float(found[1]), float(found[3] or found[2])
    return Line(read_step(text[: found.start()] + text[found.end() :]), (across, along))


class Script:
    """Lines that are performed one after the other.

    :param find: whether numbers may be of instances, counted from 1, instead of ids.
    """

    def __init__(self, characters: Characters, find: bool = False) -> None:
        self._characters = characters
        self._find = find
        self._bound: dict[tuple[str, int], int] = {}

    def perform(self, line: Line) -> str:
        """Do one line.

        :return: '', or the reason why it cannot be done; nothing has changed then.
        """
        step, characters = line.step, self._characters
        verb = step.action.lower()
        if step.who >= len(characters.members):
            known = ', '.join(f'<char{number}>' for number in range(len(characters.members)))
            return f'there is no <char{step.who}>, only {known}: add_character adds one'
        with characters.acting(step.who) as state:
            if verb not in VERBS:
                return f'[{verb}] is not an action here; these are: {", ".join(sorted(VERBS))}'
            objects, perform = VERBS[verb]
            if len(step.objects) != objects:
                return f'[{verb}] takes {objects} objects, not {len(step.objects)}'
            things = []
            for place, named in enumerate(step.objects):
                found = self._thing(state, named, _NEEDED.get((verb, place), ''))
                if isinstance(found, str):
                    return found
                things.append(found)
            if characters.me.node_id in things:
                return (
                    f'{step.objects[things.index(characters.me.node_id)]} is the character itself'
                )
            if len(set(things)) < len(things):
                return f'[{verb}] needs two different things'
            reason = perform(characters, tuple(things), line.spot)
            if not reason:
                self._bound.update(
                    ((folded(named.name), named.number), thing)
                    for named, thing in zip(step.objects, things, strict=True)
                )
            return reason

    def _thing(self, state: HouseholdState, named: Named, needed: str) -> int | str:
        """The id of an object, or why it has none."""
        node = state.graph.nodes.get(named.number)
        if node is not None and folded(node.class_name) == folded(named.name):
            return named.number
        alike = _alike(state, named.name)
        if named.number in alike:
            return named.number
        if self._find and alike:
            known = self._bound.get((folded(named.name), named.number))
            return known if known is not None else self._found(state, alike, needed)
        word = named.name
        ids = ', '.join(map(str, alike[:_MOST_LISTED])) + (' ...' if alike[_MOST_LISTED:] else '')
        known_as = f'ids of {word}: {ids}' if alike else f'nothing here is called {word}'
        if node is None:
            return f'{named} is not in the scene; {known_as}'
        return f'{named}: {named.number} is a <{node.class_name}>; {known_as}'

    def _found(self, state: HouseholdState, alike: list[int], needed: str) -> int:
        """The one that suits best: usable, in the same room, not shut in, not meant already."""
        graph, taken = state.graph, self._bound.values()
        return min(
            alike,
            key=lambda key: (
                key in taken,
                bool(needed) and not graph.nodes[key].has(needed),
                self._characters.holder_of(key) not in (None, self._characters.active),
                state.sight.hidden_by(key) is not None,
                graph.room_of(key) != state.room,
                key,
            ),
        )


#: What makes things usable, by action and place in the line.
_NEEDED: Mapping[tuple[str, int], str] = {
    ('grab', 0): 'GRABBABLE',
    ('open', 0): 'CAN_OPEN',
    ('close', 0): 'CAN_OPEN',
    ('switchon', 0): 'HAS_SWITCH',
    ('switchoff', 0): 'HAS_SWITCH',
    ('sit', 0): 'SITTABLE',
    ('lie', 0): 'LIEABLE',
    ('putin', 1): 'CONTAINERS',
    ('put', 1): 'SURFACES',
    ('putback', 1): 'SURFACES',
}


def _alike(state: HouseholdState, name: str) -> list[int]:
    """Ids of what is called so; else of what ends so, as a waterglass is a glass."""
    wanted = folded(name)
    classes = {key: node.class_name for key, node in state.graph.nodes.items()}
    exact = [
        key
        for key, one in classes.items()
        if folded(one) == wanted or folded(name_of(one)) == wanted
    ]
    if exact or len(wanted) < _SHORTEST_TAIL:
        return exact
    return [key for key, one in classes.items() if folded(one).endswith(wanted)]


# Going

Perform = Callable[[Characters, Things, 'Spot | None'], str]


def _walk(characters: Characters, things: Things, spot: Spot | None = None) -> str:
    state, target = characters.state, things[0]
    if characters.me.seat is not None:
        return 'The character is sitting or lying: [standup] first.'
    node = state.graph.nodes[target]
    holder = characters.holder_of(target)
    other = next((one for one in characters.members if one.node_id == target), None)
    if other is None and holder is not None and characters.members[holder] is not characters.me:
        other = characters.members[holder]
    if other is not None:
        # To another character, or to what it holds.
        state.go_to_room(other.stand.room)
        state.stand = other.stand
    elif target in state.graph.rooms:
        state.go_to_room(target)
    else:
        room = state.graph.room_of(target)
        if room is None:
            return f'<{node.class_name}> ({target}) is in no room'
        if room != state.room:
            state.go_to_room(room)
        state.go_to_thing(target)
    characters.settle()
    return ''


def _find(characters: Characters, things: Things, spot: Spot | None) -> str:
    """To find what is close one need not stand up."""
    seated = characters.me.seat is not None and characters.state.is_close(things[0])
    return '' if seated else _walk(characters, things)


def _step(metres: float) -> Perform:
    def perform(characters: Characters, things: Things, spot: Spot | None) -> str:
        if characters.me.seat is not None:
            return 'The character is sitting or lying: [standup] first.'
        characters.step(metres)
        return ''

    return perform


def _turn(degrees: float) -> Perform:
    def perform(characters: Characters, things: Things, spot: Spot | None) -> str:
        characters.turn(degrees)
        return ''

    return perform


def _walking_first(perform: Perform, place: int = 0) -> Perform:
    """Done after a walk to where it is done, if that is not close; without it when it fails.

    :param place: of the object that one walks to.
    """

    def performed(characters: Characters, things: Things, spot: Spot | None) -> str:
        state, me, target = characters.state, characters.me, things[place]
        if state.is_close(target) or target in state.graph.rooms:
            return perform(characters, things, spot)
        before = (state.stand, state.receptacle, me.faced, me.pose)
        reason = _walk(characters, (target,)) or perform(characters, things, spot)
        if reason:
            state.stand, state.receptacle, me.faced, me.pose = before
            state.graph.enter(state.stand.room)
        return reason

    return performed


# Handling

#: Properties of places for things; sinks, sofas and beds are put on too.
_TAKES = {INSIDE: ('CONTAINERS',), ON: ('SURFACES', 'CONTAINERS', 'SITTABLE', 'LIEABLE')}


def _skill(verb: str) -> Perform:
    """A line that is one of the household's skills."""

    def perform(characters: Characters, things: Things, spot: Spot | None) -> str:
        state, command = characters.state, Command(verb, things[0])
        node = state.graph.nodes[things[0]]
        if things[0] in state.graph.rooms:
            return f'<{node.class_name}> is a room: only walk to it'
        holder = characters.holder_of(things[0])
        if holder is not None and characters.members[holder] is not characters.me:
            return f'The {node.class_name} is in the hands of <char{holder}>.'
        reason = failed_precondition(state, command)
        if not reason:
            if verb == PICK_UP:
                characters.me.taken[things[0]] = state.graph.parent.get(things[0])
            carry_out(state, command)
        return reason

    return perform


def _switch_off(characters: Characters, things: Things, spot: Spot | None) -> str:
    state, target = characters.state, things[0]
    node = state.graph.nodes[target]
    if _out_of_reach(state, target):
        return f'The {node.class_name} is not close to you.'
    if not node.has('HAS_SWITCH'):
        return f'The {node.class_name} does not have a switch.'
    if 'ON' not in node.states:
        return f'The {node.class_name} is already turned off.'
    state.swap_state(target, 'ON', 'OFF')
    return ''


def _out_of_reach(state: HouseholdState, key: int) -> bool:
    """Not close, or shut in; what is built in, as a sink into a counter, is not."""
    shut_in = state.graph.nodes[key].has('GRABBABLE') and state.sight.hidden_by(key) is not None
    return not state.is_close(key) or shut_in


def _putting(relation: str) -> Perform:
    """putin and putback: the line names the receptacle."""

    def perform(characters: Characters, things: Things, spot: Spot | None) -> str:
        state, (thing, place) = characters.state, things
        name, node = state.graph.nodes[thing].class_name, state.graph.nodes[place]
        if thing not in state.held:
            return f'You do not grab the {name}.'
        if _out_of_reach(state, place):
            return f'The {node.class_name} is not close to you.'
        if not any(map(node.has, _TAKES[relation])) or state.graph.root(place) in state.held:
            word = 'in' if relation == INSIDE else 'on'
            return f'The {name} cannot be put down {word} {node.class_name}.'
        if relation == INSIDE and state.is_shut(place):
            return f'The {node.class_name} is closed.'
        state.lay(thing, relation, place)
        box = node.box
        if spot is not None and box is not None:
            # A place beside it is moved to its edge.
            state.graph.spots[thing] = (box.nearest(spot[0], 0), box.nearest(spot[1], 2))
        return ''

    return perform


def _put_back(characters: Characters, things: Things, spot: Spot | None) -> str:
    """putobjback: to where it was taken from."""
    thing = things[0]
    name = characters.state.graph.nodes[thing].class_name
    origin = characters.me.taken.get(thing)
    if thing not in characters.state.held:
        return f'You do not grab the {name}.'
    if origin is None:
        return f'The {name} was in or on nothing: name a place with [putback] or [putin].'
    relation, place = origin
    return _walking_first(_putting(relation), 1)(characters, (thing, place), spot)


def _drop(characters: Characters, things: Things, spot: Spot | None) -> str:
    if things[0] not in characters.state.held:
        return f'You do not grab the {characters.state.graph.nodes[things[0]].class_name}.'
    characters.state.drop(things[0])
    return ''


def _action(name: str) -> Perform:
    """A line that is an action of programs; states, seats and directions are taken over."""
    action = ACTIONS[name]

    def perform(characters: Characters, things: Things, spot: Spot | None) -> str:
        state, me = characters.state, characters.me
        characters.write_others()
        graph = state.graph.to_dict(state.sight.in_reach(state.stand))
        ids = sorted(
            key for key, node in state.graph.nodes.items() if node.class_name == CHARACTER
        )
        home = Stage(graph, character=ids.index(me.node_id))
        if name in _LOOKING:
            ACTIONS['TURNTO'].effect(home, things)
        reason = action.failed_precondition(home, things)
        if reason:
            return f'{reason}.'
        action.effect(home, things)
        for key, node in home.nodes.items():
            if node.states != state.graph.nodes[key].reported_states:
                state.set_states(key, node.states)
        me.faced = frozenset(home.targets(me.node_id, 'FACING'))
        if name in ('SIT', 'LIE'):
            me.seat, me.pose = things[0], None
        elif name == 'STANDUP':
            me.seat = None
        return ''

    return perform


_LOOKING = frozenset(
    {'LOOKAT', 'LOOKAT_SHORT', 'LOOKAT_MEDIUM', 'LOOKAT_LONG', 'POINTAT', 'WATCH'}
)
#: Actions of programs that leave things where they are, from anywhere, and those done beside them.
_FROM_ANYWHERE = ('GREET', 'SLEEP', 'STANDUP', 'TURNTO', 'WAKEUP', *_LOOKING)
_BESIDE = (
    *('CUT', 'DRINK', 'EAT', 'LIE', 'MOVE', 'PLUGIN', 'PLUGOUT', 'PULL', 'PUSH', 'READ', 'RINSE'),
    *('SCRUB', 'SIT', 'SQUEEZE', 'TOUCH', 'TYPE', 'WASH', 'WIPE'),
)

#: Verb -> how many objects, and what it does.
VERBS: dict[str, tuple[int, Perform]] = {
    **dict.fromkeys(('walk', 'run', 'walktowards'), (1, _walk)),
    'find': (1, _find),
    'walkforward': (0, _step(_STEP)),
    'walkbackward': (0, _step(-_STEP)),
    'turnleft': (0, _turn(-_TURN)),
    'turnright': (0, _turn(_TURN)),
    'grab': (1, _walking_first(_skill(PICK_UP))),
    'open': (1, _walking_first(_skill(OPEN))),
    'close': (1, _walking_first(_skill(CLOSE))),
    'switchon': (1, _walking_first(_skill(TURN_ON))),
    'switchoff': (1, _walking_first(_switch_off)),
    'putin': (2, _walking_first(_putting(INSIDE), 1)),
    **dict.fromkeys(('putback', 'put'), (2, _walking_first(_putting(ON), 1))),
    'putobjback': (1, _put_back),
    **dict.fromkeys(('drop', 'release'), (1, _drop)),
    **{name.lower(): (ACTIONS[name].objects, _action(name)) for name in _FROM_ANYWHERE},
    **{name.lower(): (ACTIONS[name].objects, _walking_first(_action(name))) for name in _BESIDE},
}
