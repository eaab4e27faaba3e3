"""The room in which the demonstrations of the domain `alfworld` happen, as a game."""

from __future__ import annotations

import json
from itertools import chain
from pathlib import Path

#: Receptacle -> what lies in it, with the numbers of the texts.
_ROOM = {
    'Cabinet 2': (),
    'Cabinet 1': ('Plate 1',),
    'CounterTop 2': ('Knife 1', 'Mug 1', 'Tomato 1'),
    'CounterTop 1': ('Bread 1', 'Fork 1'),
    'Desk 1': ('DeskLamp 1', 'Pencil 1'),
    'Drawer 2': ('Spoon 1',),
    'Drawer 1': (),
    'Fridge 1': (),
    'Microwave 1': (),
    'Shelf 1': ('Book 1', 'Cup 1'),
    'SinkBasin 1': ('Potato 1',),
}
_OPENABLE = ('Cabinet', 'Drawer', 'Fridge', 'Microwave')
_TREATED = {
    'clean': ('cleanable', 'isClean'),
    'heat': ('heatable', 'isHot'),
    'cool': ('coolable', 'isCool'),
}
_PUT = """(exists (?r - receptacle) (exists (?o - object) (and {treated}
  (inReceptacle ?o ?r) (objectType ?o {thing}Type) (receptacleType ?r {place}Type))))"""
_LOOK = """(exists (?ot - object ?r - receptacle ?a - agent ?l - location) (and
  (objectType ?ot {place}Type) (toggleable ?ot) (isToggled ?ot) (receptacleAtLocation ?r ?l)
  (atLocation ?a ?l) (inReceptacle ?ot ?r)))
(exists (?o - object ?a - agent) (and (objectType ?o {thing}Type) (holds ?a ?o)))"""


def write_game(
    folder: Path, task: str = 'nothing', kind: str = '', thing: str = 'Book', place: str = 'Fridge'
) -> Path:
    """Write a game in this room.

    :param task: its sentence. :param kind: clean, heat, cool, look; '' for putting alone.
    :param thing: class of what is wanted. :param place: where, or the class of the lamp.
    """
    able, state = _TREATED.get(kind, ('', ''))
    treated = f'({able} ?o) ({state} ?o)' if able else ''
    goal = (_LOOK if kind == 'look' else _PUT).format(treated=treated, thing=thing, place=place)
    content = {
        'pddl_domain': '',
        'grammar': f'{{"task": [{{"rhs": "Your task is to: {task}."}}]}}',
        'pddl_problem': _problem(goal),
    }
    path = folder / 'game.tw-pddl'
    path.write_text(json.dumps(content), encoding='utf-8')
    return path


def _key(name: str) -> str:
    """Its id: numbers of texts go down as those of ids go up."""
    kind, _, number = name.partition(' ')
    number = f'bar_{9 - int(number)}'
    return f'Sink_{number}_bar_SinkBasin' if kind == 'SinkBasin' else f'{kind}_{number}'


def _problem(goal: str) -> str:
    kinds = sorted({place.partition(' ')[0] for place in _ROOM})
    things = list(chain.from_iterable(_ROOM.values()))
    facts = ['(atLocation agent1 start)']
    for place, inside in _ROOM.items():
        kind, key = place.partition(' ')[0], _key(place)
        facts += [f'(receptacleType {key} {kind}Type)', f'(receptacleAtLocation {key} at{key})']
        facts += [f'(openable {key})'] if kind in _OPENABLE else []
        facts += [f'(inReceptacle {_key(thing)} {key})' for thing in inside]
        facts += [f'(objectAtLocation {_key(thing)} at{key})' for thing in inside]
    for thing in things:
        kind, key = thing.partition(' ')[0], _key(thing)
        facts += [f'(objectType {key} {kind}Type)']
        facts += [f'({able} {key})' for able, _ in _TREATED.values()]
        facts += [f'(canContain {place}Type {kind}Type)' for place in kinds]
        facts += [f'(toggleable {key})' if kind == 'DeskLamp' else f'(pickupable {key})']
    objects = [
        'agent1 - agent',
        *(f'{_key(thing)} - object' for thing in things),
        *(f'{_key(place)} - receptacle' for place in _ROOM),
        *(f'at{_key(place)} - location' for place in _ROOM),
        'start - location',
    ]
    return (
        f'(define (problem room) (:domain alfred) (:objects {" ".join(objects)})\n'
        f'(:init {" ".join(facts)})\n(:goal (and {goal})))'
    )
