"""The sentences of observations, in WAH-NL's published wording.

`{thing}` is a word without number ('fridge'), `{numbered}` one with it ('fridge (1)').
Some sentences end without a period, as published.
"""

from __future__ import annotations

from sim_bridge.worlds.household.state import HouseholdState

NO_FREE_HAND = 'You do not have an empty hand.'


def initial(state: HouseholdState) -> str:
    """What every agent node begins with."""
    names, rooms = state.names, state.rooms
    return (
        f'You are in the house, and there are {len(rooms)} rooms: {names.listed(rooms)}. '
        f'You are in the middle of a {names.numbered(state.room)}. {look_around(state)}'
    )


def moved_to_room(state: HouseholdState) -> str:
    """After walking to a room."""
    return f'You move to the {state.names.numbered(state.room)}. {look_around(state)}'


def look_around(state: HouseholdState) -> str:
    """Furniture and appliances only; a chair in the hand is one of them."""
    if state.held:
        return _look_around(state)
    return state.keep('looked', lambda: _look_around(state))


def arrived(state: HouseholdState, target: int) -> str:
    """After walking to a thing."""
    numbered = state.names.numbered(target)
    sentences = [f'You arrive at the {numbered}.']
    node = state.graph.nodes[target]
    door = 'closed' if 'CLOSED' in node.states else 'open' if node.is_open else ''
    if door and node.has('CAN_OPEN') and node.class_name != 'desk':
        sentences.append(f'The {numbered} is {door}.')
    sentences.append(close_things(state))
    return ' '.join(sentences)


def close_things(state: HouseholdState) -> str:
    """What is within reach, held things included."""
    if state.held:
        return _close_things(state)
    return state.keep(('close', state.stand.fixture), lambda: _close_things(state))


def holding(state: HouseholdState) -> str:
    """The end of every text; empty with empty hands."""
    held = [key for key in state.held if state.roles[key].observable]
    return f' You hold {state.names.listed(held)}.' if held else ''


def not_close(thing: str) -> str:
    """It is out of reach."""
    return f'The {thing} is not close to you.'


def put_down(thing: str, receptacle: str, inside: bool) -> str:
    """It lies in or on the receptacle."""
    return f'You put down {thing} {"in" if inside else "on"} {receptacle}'


def cannot_put_down(thing: str, receptacle: str, inside: bool) -> str:
    """The receptacle does not take it."""
    return f'The {thing} cannot be put down {"in" if inside else "on"} {receptacle}.'


def _look_around(state: HouseholdState) -> str:
    here = (*state.visible(), *state.held)
    things = [key for key in here if state.roles[key].look]
    return f'Looking quickly around the room, you see {state.names.listed(things) or "nothing"}.'


def _close_things(state: HouseholdState) -> str:
    return f'You see {state.names.listed(state.close()) or "nothing"}'
