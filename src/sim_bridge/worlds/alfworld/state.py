"""A game of ALFWorld while it is played: what never changes, and what does."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from reactree_core.skill_types import class_and_number
from sim_bridge.worlds.alfworld.game import Game

_KNIVES = ('knifetype', 'butterknifetype')


class Layout:
    """What never changes in a game, ready to be looked up."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.names = game.names
        self.place_of = game.pairs('receptacleAtLocation')
        self.receptacles = tuple(key for key in game.names if key in self.place_of)
        self.here: dict[str, list[str]] = defaultdict(list)
        for key in self.receptacles:
            self.here[self.place_of[key]].append(key)
        self.type_of = {**game.pairs('objectType'), **game.pairs('receptacleType')}
        self.openable = frozenset(game.of('openable'))
        self.can_contain = game.facts.get('canContain', frozenset())
        self.pickupable = frozenset(game.of('pickupable'))
        self.able = {
            verb: frozenset(game.of(f'{verb}able'))
            for verb in ('clean', 'heat', 'cool', 'slice', 'toggle')
        }
        self.knives = frozenset(key for key, kind in self.type_of.items() if kind in _KNIVES)
        self.containers = frozenset(game.of('isReceptacleObject'))
        self.inner: dict[str, list[str]] = defaultdict(list)
        for inside, outside in sorted(game.facts.get('inReceptacleObject', ())):
            self.inner[outside].append(inside)

    @cached_property
    def by_name(self) -> dict[str, str]:
        """Name -> id."""
        return {name: key for key, name in self.names.items()}

    def class_of(self, key: str) -> str:
        """The class of a thing, e.g. 'mug'; '' for what is none."""
        return class_and_number(self.names[key])[0] if key in self.names else ''


@dataclass
class State:
    """What changes in a game."""

    location: str
    opened: set[str]
    #: Receptacle -> what is in or on it, in the order of the ids.
    inside: dict[str, list[str]]
    #: Object -> where it lies.
    lies_at: dict[str, set[str]]
    held: str = ''
    clean: set[str] = field(default_factory=set)
    hot: set[str] = field(default_factory=set)
    cool: set[str] = field(default_factory=set)
    sliced: set[str] = field(default_factory=set)
    toggled: set[str] = field(default_factory=set)
    #: Object and a receptacle that it was taken from and is not in again.
    taken: set[tuple[str, str]] = field(default_factory=set)

    def copy(self) -> State:
        """One that changes by itself."""
        return State(
            self.location,
            set(self.opened),
            {key: list(things) for key, things in self.inside.items()},
            {key: set(places) for key, places in self.lies_at.items()},
            self.held,
            set(self.clean),
            set(self.hot),
            set(self.cool),
            set(self.sliced),
            set(self.toggled),
            set(self.taken),
        )

    def is_so(self, predicate: str, things: Sequence[str]) -> bool:
        """Whether a fact that changes holds now."""
        match predicate, things:
            case 'atLocation', [_, location]:
                return self.location == location
            case 'holds', [_, thing]:
                return self.held == thing
            case 'holdsAny', _:
                return bool(self.held)
            case 'inReceptacle', [thing, receptacle]:
                return thing in self.inside.get(receptacle, ())
            case 'objectAtLocation', [thing, location]:
                return location in self.lies_at.get(thing, ())
            case 'opened', [thing]:
                return thing in self.opened
            case 'isClean', [thing]:
                return thing in self.clean
            case 'isHot', [thing]:
                return thing in self.hot
            case 'isCool', [thing]:
                return thing in self.cool
            case 'isSliced', [thing]:
                return thing in self.sliced
            case 'isToggled', [thing]:
                return thing in self.toggled
            case _:
                return False


def beginning(layout: Layout) -> State:
    """How a game begins."""
    facts, game = layout.game.facts, layout.game
    inside: dict[str, list[str]] = {key: [] for key in layout.receptacles}
    for thing, receptacle in sorted(facts.get('inReceptacle', ())):
        inside.setdefault(receptacle, []).append(thing)
    lies_at: dict[str, set[str]] = defaultdict(set)
    for thing, location in facts.get('objectAtLocation', ()):
        lies_at[thing].add(location)
    location = next(iter(game.pairs('atLocation').values()), '')
    held = next(iter(game.pairs('holds').values()), '')
    return State(
        location,
        set(game.of('opened')),
        inside,
        dict(lies_at),
        held,
        clean=set(game.of('isClean')),
        hot=set(game.of('isHot')),
        cool=set(game.of('isCool')),
        sliced=set(game.of('isSliced')),
        toggled=set(game.of('isToggled')),
    )


def states_of(state: State, thing: str) -> list[str]:
    """Words for what was done to a thing, in the order of the texts."""
    places = (('hot', state.hot), ('cool', state.cool), ('clean', state.clean))
    words = [word for word, things in places if thing in things]
    return words + (['sliced'] if thing in state.sliced else [])
