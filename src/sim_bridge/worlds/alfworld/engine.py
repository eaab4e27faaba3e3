"""The rules of ALFWorld (`alfworld` 0.4.2): what can be done, what it changes and says."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random
from typing import Protocol

from sim_bridge.worlds.alfworld.judging import satisfied
from sim_bridge.worlds.alfworld.state import beginning, Layout, states_of

NOTHING = 'Nothing happens.'
WELCOME = '-= Welcome to TextWorld, ALFRED! =-'
_NO_CHANGE = ('look', 'inventory', 'help')
_TREATMENTS = {
    'clean': ('cleanable', 'sinkbasintype'),
    'heat': ('heatable', 'microwavetype'),
    'cool': ('coolable', 'fridgetype'),
}
_HELP = """
Available commands:
  look:                             look around your current location
  inventory:                        check your current inventory
  go to (receptacle):               move to a receptacle
  open (receptacle):                open a receptacle
  close (receptacle):               close a receptacle
  take (object) from (receptacle):  take an object from a receptacle
  move (object) to (receptacle):  place an object in or on a receptacle
  examine (something):              examine a receptacle or an object
  use (object):                     use an object
  heat (object) with (receptacle):  heat an object using a receptacle
  clean (object) with (receptacle): clean an object using a receptacle
  cool (object) with (receptacle):  cool an object using a receptacle
  slice (object) with (object):     slice an object using a sharp object
"""


class Engine(Protocol):
    """Who plays a game: the rules here, or the published packages."""

    @property
    def first_text(self) -> str:
        """What is read first."""

    def commands(self) -> tuple[str, ...]:
        """All that can be done now, sorted."""

    def do(self, command: str) -> str:
        """Do a command; its reply."""

    @property
    def won(self) -> bool:
        """Whether the goal is reached, which ends the game."""


class BuiltinEngine:
    """ALFWorld's rules in Python, on a game file."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.state = beginning(layout)

    def rehearsal(self) -> BuiltinEngine:
        """One that goes on from here by itself."""
        other = BuiltinEngine(self.layout)
        other.state = self.state.copy()
        return other

    @property
    def first_text(self) -> str:
        """Welcome, room, task."""
        around = self._list(self.layout.receptacles)
        return (
            f'{WELCOME}\n\nYou are in the middle of a room. Looking quickly around you, you see '
            f'{around}.\n\nYour task is to: {self.layout.game.task}.'
        )

    @property
    def won(self) -> bool:
        """Whether all goals are reached."""
        return all(
            satisfied(goal, self.state)[0] == len(goal.conditions) and goal.choices
            for goal in self.layout.game.goals
        )

    def commands(self) -> tuple[str, ...]:
        """All that can be done now, sorted."""
        layout, state, name = self.layout, self.state, self.layout.names
        found = list(_NO_CHANGE)
        found += [
            f'go to {name[key]}'
            for key in layout.receptacles
            if layout.place_of[key] != state.location
        ]
        here = layout.here.get(state.location, ())
        held = state.held
        for key in here:
            found.append(f'examine {name[key]}')
            closed = self.is_closed(key)
            if key in layout.openable:
                found.append(f'{"open" if closed else "close"} {name[key]}')
            if not closed and not held:
                found += [
                    f'take {name[thing]} from {name[key]}'
                    for thing in state.inside[key]
                    if thing in layout.pickupable
                ]
            if held and not closed and self._fits(held, key):
                found.append(f'move {name[held]} to {name[key]}')
            found += [
                f'use {name[thing]}'
                for thing in state.inside[key]
                if thing in layout.able['toggle']
            ]
            found += [
                f'{verb} {name[held]} with {name[key]}'
                for verb, (_, kind) in _TREATMENTS.items()
                if held in layout.able[verb] and layout.type_of.get(key) == kind
            ]
        if held:
            found.append(f'examine {name[held]}')
        if held in layout.knives:
            found += [
                f'slice {name[thing]} with {name[held]}'
                for thing in layout.able['slice']
                if state.location in state.lies_at.get(thing, ())
            ]
        return tuple(sorted(set(found)))

    def is_closed(self, receptacle: str) -> bool:
        """Whether its content cannot be seen."""
        return receptacle in self.layout.openable and receptacle not in self.state.opened

    def _fits(self, thing: str, receptacle: str) -> bool:
        types = self.layout.type_of
        return (types.get(receptacle, ''), types.get(thing, '')) in self.layout.can_contain

    def do(self, command: str) -> str:
        """Do a command; its reply."""
        if command not in self.commands():
            return NOTHING
        verb, _, rest = command.partition(' ')
        if verb in _NO_CHANGE:
            return {'look': self._look(), 'inventory': self._inventory(), 'help': _HELP}[verb]
        by_name = self.layout.by_name
        if verb == 'go':
            return self._go_to(by_name[rest.removeprefix('to ')])
        if verb in ('take', 'move'):
            thing, _, place = rest.partition(' from ' if verb == 'take' else ' to ')
            return (self._take if verb == 'take' else self._move)(by_name[thing], by_name[place])
        if ' with ' in rest:
            thing, _, tool = rest.partition(' with ')
            return self._treat(verb, by_name[thing], by_name[tool])
        return {
            'open': self._open, 'close': self._close, 'use': self._use, 'examine': self._examine,
        }[verb](by_name[rest])  # fmt: skip

    def _list(self, keys: Iterable[str]) -> str:
        return listed([f'a {self.layout.names[key]}' for key in keys])

    def _look(self) -> str:
        here = self.layout.here.get(self.state.location, ())
        if not here:
            return 'You are in the middle of a room. Looking quickly around you, you see nothing.'
        names = listed([self.layout.names[key] for key in here])
        # As published: what was moved from here to here counts as beside the place it was in.
        beside = (
            thing
            for thing, place in sorted(self.state.taken)
            if place in here and self.state.location in self.state.lies_at.get(thing, ())
        )
        return f'You are facing the {names}. Next to it, you see {self._list(beside)}.'

    def _inventory(self) -> str:
        held = self.state.held
        return f'You are carrying: {self._list([held])}.' if held else (
            'You are not carrying anything.'
        )  # fmt: skip

    def _go_to(self, key: str) -> str:
        self.state.location = self.layout.place_of[key]
        return f'You arrive at {self.layout.names[key]}. {self.contents(key)}'

    def contents(self, key: str) -> str:
        """What is to be seen at a receptacle, as a text."""
        name = self.layout.names[key]
        if self.is_closed(key):
            return f'The {name} is closed.'
        things = self._list(self.state.inside[key])
        if key in self.layout.openable:
            return f'The {name} is open. In it, you see {things}.'
        return f'On the {name}, you see {things}.'

    def _open(self, key: str) -> str:
        self.state.opened.add(key)
        return f'You open the {self.layout.names[key]}. {self.contents(key)}'

    def _close(self, key: str) -> str:
        self.state.opened.discard(key)
        return f'You close the {self.layout.names[key]}.'

    def _take(self, thing: str, key: str) -> str:
        self.state.inside[key].remove(thing)
        self.state.lies_at.get(thing, set()).discard(self.state.location)
        self.state.taken.add((thing, key))
        self.state.held = thing
        return f'You pick up the {self.layout.names[thing]} from the {self.layout.names[key]}.'

    def _move(self, thing: str, key: str) -> str:
        # A thing may be told to be in two receptacles, of which it was taken from one.
        self.state.inside[key] = sorted({*self.state.inside[key], thing})
        self.state.taken.discard((thing, key))
        self.state.lies_at.setdefault(thing, set()).add(self.state.location)
        self.state.held = ''
        return f'You move the {self.layout.names[thing]} to the {self.layout.names[key]}.'

    def displace(self, thing: str, choice: Random) -> bool:
        """Put an object that is not held in or on another receptacle, beside which nobody is."""
        layout, state = self.layout, self.state
        places = [
            key
            for key in layout.receptacles
            if self._fits(thing, key)
            and thing not in state.inside[key]
            and layout.place_of[key] != state.location
        ]
        if thing not in layout.pickupable or thing == state.held or not places:
            return False
        for things in state.inside.values():
            if thing in things:
                things.remove(thing)
        place = choice.choice(places)
        state.inside[place] = sorted({*state.inside[place], thing})
        state.lies_at[thing] = {layout.place_of[place]}
        state.taken = {taken for taken in state.taken if taken[0] != thing}
        return True

    def _use(self, thing: str) -> str:
        self.state.toggled.add(thing)
        return f'You turn on the {self.layout.names[thing]}.'

    def _treat(self, verb: str, thing: str, tool: str) -> str:
        state, names = self.state, self.layout.names
        if verb == 'slice':
            state.sliced.add(thing)
            return f'You sliced the {names[thing]} with the {names[tool]}.'
        if verb == 'clean':
            state.clean.add(thing)
        else:
            (state.hot if verb == 'heat' else state.cool).add(thing)
            (state.cool if verb == 'heat' else state.hot).discard(thing)
        return f'You {verb} the {names[thing]} using the {names[tool]}.'

    def _examine(self, key: str) -> str:
        layout, state = self.layout, self.state
        name = layout.names[key]
        if key in layout.place_of:
            return self.contents(key)
        if key in layout.containers:
            return f'This is a normal {name}. In it, you see {self._list(layout.inner[key])}.'
        is_on = key in state.toggled if key in layout.able['toggle'] else None
        return described_condition(name, states_of(state, key), is_on, key in layout.able['slice'])


def described_condition(name: str, words: list[str], is_on: bool | None, sliceable: bool) -> str:
    """What examining an object tells.

    :param words: as of `states_of`. :param is_on: None for what cannot be turned on.
    """
    if words == ['cool']:
        return f'This is a cold {name}.'
    if words and words != ['sliced']:
        return f'This is a {" ".join(words).replace(" clean", " and clean", 1)} {name}.'
    if is_on is not None:
        return f'This {name} is {"on" if is_on else "off"}.'
    if words and sliceable:
        return f'This is a sliced {name}.'
    return f"There's nothing special about {name}."


def listed(names: Sequence[str]) -> str:
    """'a mug 1, and a mug 2'; 'nothing'."""
    if not names:
        return 'nothing'
    return names[0] if len(names) == 1 else f'{", ".join(names[:-1])}, and {names[-1]}'
