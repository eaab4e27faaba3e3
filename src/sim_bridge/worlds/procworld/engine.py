"""The rules of ProcWorld: what can be done now, what it changes, and what is told of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from random import Random

from sim_bridge.worlds.alfworld.engine import NOTHING
from sim_bridge.worlds.procworld.classes import (
    CARRIED,
    CLEANABLE,
    COOLABLE,
    HEATABLE,
    KNIVES,
    LAMPS,
    may_hold,
    MOST_LEVELS,
    SLICEABLE,
)
from sim_bridge.worlds.procworld.layout import Layout
from sim_bridge.worlds.procworld.state import arrive, beginning, State
from sim_bridge.worlds.procworld.texts import content, examined, Seen, where

#: Verb -> class of the tool, what it works on, the state it gives, and those that it ends.
TREATMENTS = {
    'clean': ('sinkbasin', CLEANABLE, 'clean', ('dirty',)),
    'heat': ('microwave', HEATABLE, 'hot', ('cool',)),
    'cool': ('fridge', COOLABLE, 'cool', ('hot',)),
}
FLOOR = 'floor'


@dataclass(frozen=True, slots=True)
class Rules:
    """What may differ from game to game.

    :param has_map: one may go back to all that was ever told or seen, in one step.
    :param in_hand: things are cleaned, heated and cooled while held, as in ALFWorld.
    """

    has_map: bool = False
    in_hand: bool = False


#: A verb and the names that it is about.
Action = tuple[str, ...]


class Engine:
    """Plays in a house. :param start: as of `beginning`."""

    def __init__(self, layout: Layout, rules: Rules, start: str = '') -> None:
        self.layout = layout
        self.rules = rules
        self.state = beginning(layout, start)
        self._offers: dict[str, Action] | None = None
        #: Whether what was done last came to nothing, or not to what was meant.
        self.failed = False

    def rehearsal(self) -> Engine:
        """One that goes on from here by itself."""
        engine = Engine.__new__(Engine)
        engine.layout, engine.rules = self.layout, self.rules
        engine.state = self.state.copy()
        engine._offers = self._offers
        engine.failed = False
        return engine

    def put_back(self, state: State) -> None:
        """Go on from a state; it is copied."""
        self.state = state.copy()
        self._offers = None

    def offers(self) -> dict[str, Action]:
        """All that can be done now: texts in order, and what each of them means."""
        if self._offers is None:
            self._offers = dict(sorted((_told(self.layout, one), one) for one in self._actions()))
        return self._offers

    def do(self, skill: str) -> Seen:
        """Do what can be done; its reply. Anything else changes nothing."""
        action = self.offers().get(skill)
        if action is None:
            return Seen(NOTHING)
        verb, *names = action
        if verb in ('look', 'inventory', 'examine'):
            return self._look(verb, *names)
        self._offers = None
        if verb in ('go', 'through'):
            arrive(self.state, names[-1])
            return where(self.state, self.rules.has_map)
        return self._handle(verb, *names)

    def destinations(self) -> Iterator[str]:
        """Where one can go, but for doors: locations, then things, in the order of the house."""
        state, layout = self.state, self.layout
        if not layout.bounded:
            return (one for one in layout.outermost if one != state.place and self._stands(one))
        near = {one for one in layout.near(state.at, state.room) if self._stands(one)}
        there = near | state.known if self.rules.has_map else near
        # Ways of equal length are chosen by this order, so it must not be that of a set.
        every = chain(layout.house.location, layout.outermost)
        return (one for one in every if one in there and one != state.place)

    def _stands(self, name: str) -> bool:
        return name not in self.state.carried_off

    def _actions(self) -> Iterator[Action]:
        state, layout = self.state, self.layout
        yield ('look',)
        yield ('inventory',)
        for name in self.destinations():
            yield 'go', name
        for door, beyond in layout.doors.get(state.place, ()):
            yield 'through', door.name, beyond.name
        if state.held:
            yield 'examine', state.held
        if state.faced:
            yield from self._handling(state.faced)

    def _handling(self, faced: str) -> Iterator[Action]:
        state, house = self.state, self.layout.house
        fixtures, within = list(state.fixtures(faced)), list(state.within(faced))
        held, kind = state.held, state.class_of(state.held) if state.held else ''
        if not house.thing[faced].fixed:
            # What stands loose is handled as an object too.
            within.insert(0, (faced, FLOOR))
        for name in dict.fromkeys((*fixtures, *(thing for thing, _ in within))):
            yield 'examine', name
            if state.can_open(name):
                yield ('open' if state.is_closed(name) else 'close'), name
            if held and not state.is_closed(name) and self._fits(held, name):
                yield 'put', held, name
        for thing, holder in within:
            of = state.class_of(thing)
            if not held and of in CARRIED:
                yield 'take', thing, holder
            if of in LAMPS:
                yield 'use', thing
            if kind in KNIVES and of in SLICEABLE and 'sliced' not in state.states.get(thing, ()):
                yield 'slice', thing, held
        for tool in fixtures:
            for verb, (tool_class, able, _, _) in TREATMENTS.items():
                if state.class_of(tool) == tool_class:
                    things = (held,) if self.rules.in_hand else state.inside.get(tool, ())
                    for thing in things:
                        if thing and state.class_of(thing) in able:
                            yield verb, thing, tool

    def _fits(self, thing: str, holder: str) -> bool:
        state = self.state
        if not may_hold(state.class_of(holder), state.class_of(thing)):
            return False
        return state.level(holder) + 1 + bool(state.inside.get(thing)) <= MOST_LEVELS

    def _look(self, verb: str, name: str = '') -> Seen:
        state = self.state
        if verb == 'look':
            return where(state, self.rules.has_map)
        if verb == 'inventory':
            held = f': a {state.held}' if state.held else ''
            text = f'You are carrying{held}.' if held else 'You are not carrying anything.'
            return Seen(text, (state.held,) if held else ())
        fixed = self.layout.house.thing[name].fixed
        return content(state, name) if fixed else examined(state, name)

    def _handle(self, verb: str, thing: str, other: str = '') -> Seen:
        state = self.state
        match verb:
            case 'take':
                if other == FLOOR:
                    state.carried_off |= {thing}
                    state.known -= {thing}
                    state.place = state.left = ''
                state.put(thing, '')
                state.held = thing
                return Seen(f'You pick up the {thing} from the {other}.', _of(thing, other))
            case 'put':
                state.put(thing, other)
                state.held = ''
                return Seen(f'You put the {thing} in/on the {other}.', (thing, other))
            case 'open':
                state.opened |= {thing}
                return Seen(f'You open the {thing}.') + content(state, thing)
            case 'close':
                state.opened -= {thing}
                return Seen(f'You close the {thing}.', (thing,))
            case 'use':
                turned = 'off' if 'on' in state.states.get(thing, ()) else 'on'
                state.change(thing, 'on' if turned == 'on' else '', ('on',))
                return Seen(f'You turn {turned} the {thing}.', (thing,))
            case 'slice':
                state.change(thing, 'sliced')
                return Seen(f'You sliced the {thing} with the {other}.', (thing, other))
        _, _, word, ended = TREATMENTS[verb]
        state.change(thing, word, ended)
        return Seen(f'You {verb} the {thing} using the {other}.', (thing, other))

    def displace(self, thing: str, choice: Random) -> bool:
        """Put an object that is not held into other furniture, beside which nobody is."""
        state, house = self.state, self.layout.house
        known = house.thing.get(thing)
        if known is None or known.fixed or thing == state.held:
            return False
        places = [
            one.name
            for one in house.things
            if one.fixed
            and one.name != state.container_of(thing)
            and state.outermost(one.name) != state.place
            and self._fits(thing, one.name)
        ]
        if known.thing_class not in CARRIED or not places or state.place == thing:
            return False
        if state.is_outermost(thing):
            state.carried_off |= {thing}
            state.known -= {thing}
        state.put(thing, choice.choice(places))
        self._offers = None
        return True


def _of(thing: str, holder: str) -> tuple[str, ...]:
    return (thing,) if holder == FLOOR else (thing, holder)


def _told(layout: Layout, action: Action) -> str:
    """An action as it is written."""
    match action:
        case 'go', name:
            return f'go to {layout.told(name)}'
        case 'through', door, _:
            return f'go through {door} to next room'
        case 'take', thing, holder:
            return f'take {thing} from {holder}'
        case 'put', thing, holder:
            return f'put {thing} in/on {holder}'
        case verb, thing, tool:
            return f'{verb} {thing} with {tool}'
        case _:
            return ' '.join(action)
