"""Games of one's own: made-up rooms in the form of the published games."""

from __future__ import annotations

import json
from collections import defaultdict
from functools import lru_cache
from importlib import resources
from random import Random

from reactree_core.errors import ConfigurationError
from sim_bridge.worlds.alfworld.game import Game, game_of

FAMILIES = ('put', 'put_two', 'clean', 'heat', 'cool', 'look')
_TREATED = {
    'clean': ('cleanable', 'isClean'),
    'heat': ('heatable', 'isHot'),
    'cool': ('coolable', 'isCool'),
}
_LAMP = 'DeskLamp'
#: Things of a room: fewest and most, and most of one class.
_THINGS = (12, 28)
_OF_A_CLASS = 3
_SENTENCES = {
    'put': ('put a {thing} in {place}', 'put some {thing} on {place}'),
    'put_two': ('put two {thing} in {place}', 'find two {thing} and put them in {place}'),
    'clean': ('put a clean {thing} in {place}', 'clean some {thing} and put it in {place}'),
    'heat': ('put a hot {thing} in {place}', 'heat some {thing} and put it in {place}'),
    'cool': ('put a cool {thing} in {place}', 'cool some {thing} and put it in {place}'),
    'look': ('look at {thing} under the {place}', 'examine the {thing} with the {place}'),
}
_PUT = """
(exists (?r - receptacle) (exists (?o - object) (and
  {treated} (inReceptacle ?o ?r) (objectType ?o {thing}Type) (receptacleType ?r {place}Type))))"""
_PUT_TWO = """
(exists (?r - receptacle) (exists (?o1 - object) (and
  (objectType ?o1 {thing}Type) (receptacleType ?r {place}Type) (inReceptacle ?o1 ?r)
  (exists (?o2 - object) (and (not (= ?o1 ?o2)) (objectType ?o2 {thing}Type)
    (receptacleType ?r {place}Type) (inReceptacle ?o2 ?r))))))"""
_LOOK = """
(exists (?ot - object ?r - receptacle ?a - agent ?l - location) (and
  (objectType ?ot {place}Type) (toggleable ?ot) (isToggled ?ot) (receptacleAtLocation ?r ?l)
  (atLocation ?a ?l) (inReceptacle ?ot ?r)))
(exists (?o - object ?a - agent) (and (objectType ?o {thing}Type) (holds ?a ?o)))"""


@lru_cache(maxsize=1)
def _tables() -> dict[str, list[str]]:
    text = (resources.files(__package__) / 'classes.txt').read_text(encoding='utf-8')
    lines = (line for line in text.splitlines() if line and not line.startswith('#'))
    return {name: words.split() for name, _, words in (line.partition(': ') for line in lines)}


def generated_game(family: str, seed: int) -> Game:
    """A game of a family, or of any ('generated').

    :raises ConfigurationError: no such family.
    """
    problem, sentence = generated_problem(family, seed)
    return game_of(problem, sentence, f'{family}:{seed}')


def generated_problem(family: str, seed: int) -> tuple[str, str]:
    """A planning problem, and the sentence of its task.

    :raises ConfigurationError: no such family.
    """
    if family not in (*FAMILIES, 'generated'):
        raise ConfigurationError(f'there is no family {family!r}: {", ".join(FAMILIES)}')
    random = Random(f'alfworld {family} {seed}')
    kind = random.choice(FAMILIES) if family == 'generated' else family
    room = _Room(random, kind)
    thing, place = room.task()
    goal = {'put_two': _PUT_TWO, 'look': _LOOK}.get(kind, _PUT)
    able, state = _TREATED.get(kind, ('', ''))
    treated = f'({able} ?o) ({state} ?o)' if able else ''
    sentence = random.choice(_SENTENCES[kind]).format(thing=thing.lower(), place=place.lower())
    return room.problem(goal.format(thing=thing, place=place, treated=treated)), sentence


def game_file(family: str, seed: int, domain: str, grammar: str) -> str:
    """A game as the published packages read it.

    :param domain: text of `alfred.pddl`. :param grammar: of `alfred.twl2`.
    """
    problem, sentence = generated_problem(family, seed)
    text = grammar.replace('UNKNOWN GOAL', sentence)
    content = {'pddl_domain': domain, 'grammar': text, 'pddl_problem': problem, 'solvable': True}
    return json.dumps(content)


class _Room:
    """One room with receptacles and things in them."""

    def __init__(self, random: Random, kind: str) -> None:
        self._random = random
        self._kind = kind
        tables = _tables()
        names = {
            'heat': ('kitchen',), 'cool': ('kitchen',), 'clean': ('kitchen', 'bathroom'),
            'look': ('bedroom', 'living room'),
        }.get(kind, ('kitchen', 'bathroom', 'bedroom', 'living room'))  # fmt: skip
        words = tables[random.choice(names)]
        self._receptacles: list[tuple[str, str]] = []
        for name, counts in zip(words[::2], words[1::2], strict=True):
            low, _, high = counts.partition('-')
            for number in range(random.randint(int(low), int(high))):
                self._receptacles.append((name, f'{self._key(name)}_bar_{number:02d}'))
        # As in the published games, some receptacles stand at one place.
        self._place_of = {
            key: f'loc_bar_{random.randrange(len(self._receptacles) * 3) + 1}'
            for _, key in self._receptacles
        }
        self._things: list[tuple[str, str, str]] = []
        self._fill()

    @staticmethod
    def _key(name: str) -> str:
        return 'Sink_bar_SinkBasin' if name == 'SinkBasin' else name

    def _fill(self) -> None:
        counts: dict[str, int] = defaultdict(int)
        for _ in range(self._random.randint(*_THINGS)):
            name, key = self._random.choice(self._receptacles)
            thing = self._random.choice(_tables()[name])
            if counts[thing] < _OF_A_CLASS:
                self._add(thing, key, counts)
        self._counts = counts
        if self._kind == 'look':
            tables = [key for name, key in self._receptacles if name in ('Desk', 'SideTable')]
            self._add(_LAMP, self._random.choice(tables), counts)

    def _add(self, thing: str, key: str, counts: dict[str, int]) -> None:
        self._things.append((thing, f'{thing}_bar_{counts[thing]:02d}', key))
        counts[thing] += 1

    def task(self) -> tuple[str, str]:
        """A thing and where it has to go, such that it is not there already."""
        tables = _tables()
        wanted = 2 if self._kind == 'put_two' else 1
        able = tables[_TREATED[self._kind][0]] if self._kind in _TREATED else None
        kinds = sorted({name for name, _ in self._receptacles})
        pairs = [
            (thing, place)
            for place in kinds
            for thing in tables[place]
            if able is None or thing in able
        ]
        self._random.shuffle(pairs)
        type_of = {key: name for name, key in self._receptacles}
        for thing, place in pairs:
            lying = [type_of[key] for name, _, key in self._things if name == thing]
            # Enough of them, and none where it has to go, so that something is to be done.
            if len(lying) >= wanted and place not in lying:
                return thing, _LAMP if self._kind == 'look' else place
        # An empty room: put what is wanted somewhere else.
        thing, place = pairs[0]
        others = [
            key for name, key in self._receptacles if name != place and thing in tables[name]
        ]
        key = self._random.choice(
            others or [key for name, key in self._receptacles if name != place]
        )
        for _ in range(wanted):
            self._add(thing, key, self._counts)
        return thing, _LAMP if self._kind == 'look' else place

    def problem(self, goal: str) -> str:
        """As a planning problem."""
        tables = _tables()
        classes = sorted({thing for name, _ in self._receptacles for thing in tables[name]})
        classes += [_LAMP] if self._kind == 'look' else []
        kinds = sorted({name for name, _ in self._receptacles})
        places = [*sorted(set(self._place_of.values())), 'loc_bar_start']
        objects = [
            'agent1 - agent',
            *(f'{name}Type - otype' for name in classes),
            *(f'{name}Type - rtype' for name in kinds),
            *(f'{key} - object' for _, key, _ in self._things),
            *(f'{key} - receptacle' for _, key in self._receptacles),
            *(f'{place} - location' for place in places),
        ]
        return (
            '(define (problem made_up)\n(:domain alfred)\n(:objects\n'
            + '\n'.join(objects)
            + ')\n(:init\n'
            + '\n'.join(self._facts(classes, kinds))
            + f')\n(:goal (and {goal}))\n)\n'
        )

    def _facts(self, classes: list[str], kinds: list[str]) -> list[str]:
        tables = _tables()
        facts = ['(atLocation agent1 loc_bar_start)']
        for name in kinds:
            facts += [
                f'(canContain {name}Type {thing}Type)'
                for thing in tables[name]
                if thing in classes
            ]
        for name, key in self._receptacles:
            facts += [
                f'(receptacleType {key} {name}Type)',
                f'(receptacleAtLocation {key} {self._place_of[key]})',
            ]
            facts += [f'(openable {key})'] if name in tables['openable'] else []
        for name, key, place in self._things:
            facts += [
                f'(objectType {key} {name}Type)',
                f'(inReceptacle {key} {place})',
                f'(objectAtLocation {key} {self._place_of[place]})',
            ]
            facts.append(f'(toggleable {key})' if name == _LAMP else f'(pickupable {key})')
            able = ('cleanable', 'heatable', 'coolable', 'sliceable')
            facts += [f'({word} {key})' for word in able if name in tables[word]]
        return facts
