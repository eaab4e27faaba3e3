"""What lines of `render_script` do to a household, by ids; with the reasons when they do not."""

from __future__ import annotations

from collections.abc import Callable

from sim_bridge.worlds.household.placement import INSIDE
from sim_bridge.worlds.household.placement import ON
from sim_bridge.worlds.household.programs.script import Step
from sim_bridge.worlds.household.skills import carry_out
from sim_bridge.worlds.household.skills import CLOSE
from sim_bridge.worlds.household.skills import Command
from sim_bridge.worlds.household.skills import obstacle
from sim_bridge.worlds.household.skills import OPEN
from sim_bridge.worlds.household.skills import PICK_UP
from sim_bridge.worlds.household.skills import TURN_ON
from sim_bridge.worlds.household.state import HouseholdState

Line = Callable[[HouseholdState, tuple[int, ...]], str]


def perform_line(state: HouseholdState, step: Step) -> str:
    """Do one line.

    :return: '', or the reason why it cannot be done; nothing has changed then.
    """
    verb = step.action.lower()
    if verb not in _LINES:
        return f'[{verb}] is not an action here; these are: {", ".join(sorted(_LINES))}'
    objects, perform = _LINES[verb]
    if len(step.objects) != objects:
        return f'[{verb}] takes {objects} objects, not {len(step.objects)}'
    for named in step.objects:
        if named.number not in state.graph.nodes:
            return f'{named} is not in the scene'
        if named.number == state.graph.character:
            return f'{named} is the character itself'
    return perform(state, tuple(named.number for named in step.objects))


def _walk(state: HouseholdState, things: tuple[int, ...]) -> str:
    target = things[0]
    if target in state.graph.rooms:
        state.go_to_room(target)
        return ''
    room = state.graph.room_of(target)
    if room is None:
        return f'<{state.graph.nodes[target].class_name}> ({target}) is in no room'
    if room != state.room:
        state.go_to_room(room)
    if state.roles[target].observable:
        state.go_to_thing(target)
    return ''


def _skill(verb: str) -> Line:
    """A line that is one of the household's skills."""

    def perform(state: HouseholdState, things: tuple[int, ...]) -> str:
        command = Command(verb, things[0])
        if things[0] in state.graph.rooms:
            return f'<{state.graph.nodes[things[0]].class_name}> is a room: only walk to it'
        reason = obstacle(state, command)
        if not reason:
            carry_out(state, command)
        return reason

    return perform


def _switch_off(state: HouseholdState, things: tuple[int, ...]) -> str:
    target = things[0]
    node = state.graph.nodes[target]
    if not state.is_close(target) or state.sight.hidden_by(target) is not None:
        return f'The {node.class_name} is not close to you.'
    if not node.has('HAS_SWITCH'):
        return f'The {node.class_name} does not have a switch.'
    if 'ON' not in node.states:
        return f'The {node.class_name} is already turned off.'
    state.swap_state(target, 'ON', 'OFF')
    return ''


def _putting(relation: str) -> Line:
    """putin and putback: the line names the receptacle."""

    def perform(state: HouseholdState, things: tuple[int, ...]) -> str:
        thing, place = things
        name, node = state.graph.nodes[thing].class_name, state.graph.nodes[place]
        if thing not in state.held:
            return f'You do not grab the {name}.'
        if not state.is_close(place) or state.sight.hidden_by(place) is not None:
            return f'The {node.class_name} is not close to you.'
        takes = node.has('CONTAINERS' if relation == INSIDE else 'SURFACES')
        if not takes or state.graph.root(place) in state.held:
            word = 'in' if relation == INSIDE else 'on'
            return f'The {name} cannot be put down {word} {node.class_name}.'
        if relation == INSIDE and state.is_shut(place):
            return f'The {node.class_name} is closed.'
        state.lay(thing, relation, place)
        return ''

    return perform


#: Verb -> how many objects, and what it does.
_LINES: dict[str, tuple[int, Line]] = {
    'walk': (1, _walk),
    'run': (1, _walk),
    'walktowards': (1, _walk),
    'find': (1, _walk),
    'grab': (1, _skill(PICK_UP)),
    'open': (1, _skill(OPEN)),
    'close': (1, _skill(CLOSE)),
    'switchon': (1, _skill(TURN_ON)),
    'switchoff': (1, _switch_off),
    'putin': (2, _putting(INSIDE)),
    'putback': (2, _putting(ON)),
    'put': (2, _putting(ON)),
}
