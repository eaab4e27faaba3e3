"""The six skills: which checks in which order, what they change, what they say (WAH-NL)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from reactree_core.observation import Outcome
from reactree_core.skill_types import SkillKind, SkillType
from sim_bridge.worlds.household import phrases
from sim_bridge.worlds.household.placement import INSIDE, ON
from sim_bridge.worlds.household.state import HouseholdState

GO_TO = 'go to'
PICK_UP = 'pick up'
PUT_DOWN = 'put down'
OPEN = 'open'
CLOSE = 'close'
TURN_ON = 'turn on'
VERBS = (CLOSE, GO_TO, OPEN, PICK_UP, PUT_DOWN, TURN_ON)

_IN_REACH = ('at <object>', 'hands free')
#: As the published program names them; what they do is given in kinds, and where that says too
#: little, in needs.
SKILL_TYPES = (
    SkillType('go to <room>', ('region',), SkillKind.MOVE),
    SkillType('go to <object>', ('name',), SkillKind.MOVE),
    SkillType('pick up <object>', ('thing',), SkillKind.TAKE, 'put down <object>'),
    SkillType('put down <object>', ('thing',), SkillKind.PUT, 'pick up <object>'),
    SkillType(
        'open <object>',
        ('name',),
        SkillKind.OPEN,
        'close <object>',
        needs=(*_IN_REACH, 'not <object> is open'),
    ),
    SkillType(
        'close <object>',
        ('name',),
        SkillKind.CLOSE,
        'open <object>',
        needs=(*_IN_REACH, 'not <object> is closed'),
    ),
    SkillType(
        'turn on <object>',
        ('name',),
        SkillKind.SWITCH_ON,
        needs=(*_IN_REACH, 'not <object> is on'),
    ),
)


def skill_types_for(openable: frozenset[str], switchable: frozenset[str]) -> tuple[SkillType, ...]:
    """The skills of a home. :param openable: its classes that are; :param switchable: the same."""
    taken = {
        SkillKind.OPEN: openable,
        SkillKind.CLOSE: openable,
        SkillKind.SWITCH_ON: switchable,
    }
    return tuple(one.taking(taken.get(one.kind, ())) for one in SKILL_TYPES)


TEMPLATES = tuple(skill.template for skill in SKILL_TYPES)
DOMAIN = 'household'
ABOUT = (
    'A household robot with two hands, in a home of which it sees only the part around it. Things '
    'in closed places are seen only after opening. What it puts down goes where it went last.'
)


@dataclass(frozen=True, slots=True)
class Command:
    """A skill that has been understood: a verb of VERBS and the id of a thing or room."""

    verb: str
    target: int


@dataclass(frozen=True, slots=True)
class Reply:
    """What a skill came to; the text is without what the robot holds."""

    text: str
    outcome: Outcome = Outcome.SUCCEEDED


def perform(state: HouseholdState, command: Command) -> Reply:
    """Do a skill, or say why not; a skill that does not succeed changes nothing.

    Movement never fails: the caller has seen to it that a thing to go to is visible.
    """
    reason = failed_precondition(state, command)
    if reason:
        return failed(state, command, reason)
    if command.verb in (PICK_UP, PUT_DOWN, OPEN) and state.options.failure_rate > 0.0:
        if state.random.random() < state.options.failure_rate:
            word = state.names.word[command.target]
            return Reply(f'You fail to {command.verb} {word}.', Outcome.EXECUTION_FAILED)
    return carry_out(state, command)


def carry_out(state: HouseholdState, command: Command) -> Reply:
    """Do a skill that nothing stands against (see `obstacle`)."""
    if command.verb == GO_TO:
        return _go_to(state, command.target)
    return Reply(_EFFECTS[command.verb](state, command.target))


def failed(state: HouseholdState, command: Command, reason: str) -> Reply:
    """The reply to a skill that a check stands against."""
    # As published, a failed `open` still says what is close.
    seen = f' {phrases.close_things(state)}' if command.verb == OPEN else ''
    return Reply(reason + seen, Outcome.PRECONDITION_FAILED)


def failed_precondition(state: HouseholdState, command: Command) -> str:
    """The sentence of the first check that fails; empty when nothing stands against the skill."""
    return '' if command.verb == GO_TO else _CHECKS[command.verb](state, command.target)


# Checks


def _check_grab(state: HouseholdState, target: int) -> str:
    word = state.names.word[target]
    if not state.has_free_hand:
        return phrases.NO_FREE_HAND
    if not state.is_close(target):
        return phrases.not_close(word)
    container = state.sight.shut_in(target)
    if container is not None:
        return f'The {word} is inside closed {state.graph.nodes[container].class_name}.'
    if not state.graph.nodes[target].has('GRABBABLE'):
        return f'The {word} cannot be grabbed.'
    return ''


def _check_put(state: HouseholdState, target: int) -> str:
    word = state.names.word[target]
    if target not in state.held:
        return f'You do not grab the {word}.'
    receptacle = state.receptacle
    if receptacle is None:
        # Published: onto itself, which fails.
        return phrases.cannot_put_down(word, word, inside=False)
    name = state.names.word[receptacle]
    if not state.is_close(receptacle) or state.sight.hidden_by(receptacle) is not None:
        return phrases.not_close(name)
    inside = state.goes_in(receptacle)
    takes_things = state.graph.nodes[receptacle].has('CONTAINERS' if inside else 'SURFACES')
    if not takes_things or state.graph.root(receptacle) in state.held:
        return phrases.cannot_put_down(word, name, inside)
    if inside and state.is_shut(receptacle):
        return f'The {name} is closed.'
    return ''


def _check_open(state: HouseholdState, target: int) -> str:
    return _check_door(state, target) or (
        f'The {state.names.word[target]} is already open.'
        if state.graph.nodes[target].is_open
        else ''
    )


def _check_close(state: HouseholdState, target: int) -> str:
    return _check_door(state, target) or (
        ''
        if state.graph.nodes[target].is_open
        else f'The {state.names.word[target]} is already closed.'
    )


def _check_door(state: HouseholdState, target: int) -> str:
    word = state.names.word[target]
    return _out_of_reach(state, target) or (
        '' if state.graph.nodes[target].has('CAN_OPEN') else f'The {word} cannot be opened'
    )


def _check_turn_on(state: HouseholdState, target: int) -> str:
    word, node = state.names.word[target], state.graph.nodes[target]
    reason = _out_of_reach(state, target)
    if reason:
        return reason
    if not node.has('HAS_SWITCH'):
        return f'The {word} does not have a switch'
    return f'The {word} is already turned on.' if 'ON' in node.states else ''


def _out_of_reach(state: HouseholdState, target: int) -> str:
    if not state.has_free_hand:
        return phrases.NO_FREE_HAND
    if not state.is_close(target) or state.sight.hidden_by(target) is not None:
        return phrases.not_close(state.names.word[target])
    return ''


# Effects


def _go_to(state: HouseholdState, target: int) -> Reply:
    if target in state.graph.rooms:
        state.go_to_room(target)
        return Reply(phrases.moved_to_room(state))
    state.go_to_thing(target)
    return Reply(phrases.arrived(state, target))


def _pick_up(state: HouseholdState, target: int) -> str:
    # Published: what is held already can be picked up with an empty hand, and stays where it is.
    if target not in state.held:
        state.take(target)
    return f'You pick up {state.names.word[target]}.'


def _put_down(state: HouseholdState, target: int) -> str:
    receptacle = state.receptacle
    assert receptacle is not None, 'checked before'
    inside = state.goes_in(receptacle)
    state.lay(target, INSIDE if inside else ON, receptacle)
    return phrases.put_down(state.names.word[target], state.names.word[receptacle], inside)


def _open(state: HouseholdState, target: int) -> str:
    state.swap_state(target, 'CLOSED', 'OPEN')
    return f'You open {state.names.word[target]}. {phrases.close_things(state)}'


def _close(state: HouseholdState, target: int) -> str:
    state.swap_state(target, 'OPEN', 'CLOSED')
    return f'You close {state.names.word[target]}.'


def _turn_on(state: HouseholdState, target: int) -> str:
    state.swap_state(target, 'OFF', 'ON')
    return f'You turn on {state.names.word[target]}.'


_CHECKS: dict[str, Callable[[HouseholdState, int], str]] = {
    PICK_UP: _check_grab,
    PUT_DOWN: _check_put,
    OPEN: _check_open,
    CLOSE: _check_close,
    TURN_ON: _check_turn_on,
}
_EFFECTS: dict[str, Callable[[HouseholdState, int], str]] = {
    PICK_UP: _pick_up,
    PUT_DOWN: _put_down,
    OPEN: _open,
    CLOSE: _close,
    TURN_ON: _turn_on,
}
