"""The demonstrator of ALFWorld: searches a room as a robot has to."""

from __future__ import annotations

import re
from collections.abc import Sequence

from reactree_core.skill_types import class_and_number
from sim_bridge.worlds.alfworld.engine import BuiltinEngine
from sim_bridge.worlds.alfworld.world import AlfworldWorld

#: Treatment -> class of the receptacle that it needs.
_TOOLS = {'clean': 'sinkbasin', 'heat': 'microwave', 'cool': 'fridge'}


class RoomDemonstrator:
    """Searches, treats and places things in a room of ALFWorld. :param world: with its task."""

    _FIND = re.compile(r'find and take (?:a |an |another )(.+)$')
    _TREAT = re.compile(r'(clean|heat|cool) the (.+) with the (.+)$')
    _PUT = re.compile(r'move the (.+) to the (.+)$')
    _USE = re.compile(r'find the (.+) and use it$')

    def __init__(self, world: AlfworldWorld) -> None:
        self._world = world
        task = world.task()
        assert task is not None
        self._family = task.task_type
        self._thing, self._place = world.goal_classes()

    @property
    def _engine(self) -> BuiltinEngine:
        return self._world.rules

    def thought(self, goal: str) -> str:
        """What is to be done, in the order in which it is done."""
        parts = self.subgoals(goal)
        if parts:
            return f'I {", then ".join(part.replace("the ", "") for part in parts)}.'
        if self._FIND.match(goal):
            return 'I look at the places where it may be, one after another, until I see it.'
        return 'I know where to go for this and do it there.'

    def subgoals(self, goal: str) -> tuple[str, ...]:
        """The parts of the whole task."""
        if any(form.match(goal) for form in (self._FIND, self._TREAT, self._PUT, self._USE)):
            return ()
        thing, place = self._thing, self._place
        article = 'an' if thing[0] in 'aeiou' else 'a'
        find, put = f'find and take {article} {thing}', f'move the {thing} to the {place}'
        if self._family == 'look':
            return find, f'find the {place} and use it'
        if self._family == 'put_two':
            return find, put, f'find and take another {thing}', put
        if self._family in _TOOLS:
            tool = _TOOLS[self._family]
            return find, f'{self._family} the {thing} with the {tool}', put
        return find, put

    def next_of_all(self, goal: str, done: Sequence[str]) -> str:
        """The first part that is not reached yet, done by itself."""
        held = bool(self._engine.state.held)
        parts = self.subgoals(goal)
        if self._family == 'look':
            part = parts[1] if held else parts[0]
        elif held:
            treated = any(skill.startswith(self._family + ' ') for skill in done)
            left = parts[1:] if self._family != 'put_two' else parts[1:2]
            part = left[-1] if treated or self._family not in _TOOLS else left[0]
        else:
            part = parts[0]
        return self.skill(part, done)

    def skill(self, goal: str, done: Sequence[str]) -> str:
        """The next skill of one part."""
        engine = self._engine
        held = engine.layout.names.get(engine.state.held, '')
        kind = class_and_number(held)[0] if held else ''
        if found := self._FIND.match(goal):
            return '' if kind == found[1] else self._search(found[1], done)
        if found := self._TREAT.match(goal):
            command = f'{found[1]} {held} with {self._nearest(found[3])}'
            return '' if command in done else self._at(found[3], command)
        if found := self._USE.match(goal):
            used = any(skill.startswith('use ') for skill in done)
            return '' if used else self._search(found[1], done)
        found = self._PUT.match(goal)
        if found is None or kind != found[1]:
            return ''
        return self._at(found[2], f'move {held} to {self._nearest(found[2])}')

    def _at(self, kind: str, command: str) -> str:
        """A command at the nearest receptacle of a class."""
        place = self._nearest(kind)
        key = self._engine.layout.by_name[place]
        if self._engine.layout.place_of[key] != self._engine.state.location:
            return f'go to {place}'
        if command.startswith('move ') and self._engine.is_closed(key):
            return f'open {place}'
        return command

    def _nearest(self, kind: str) -> str:
        """A receptacle of a class: the one with the lowest number."""
        layout = self._engine.layout
        names = [layout.names[key] for key in layout.receptacles]
        return min(
            (name for name in names if class_and_number(name)[0] == kind), key=class_and_number
        )

    def _search(self, kind: str, done: Sequence[str]) -> str:
        """Take a thing of a class, or use it; else look at the next place where it may be."""
        engine, layout = self._engine, self._engine.layout
        here = [
            key
            for key in layout.here.get(engine.state.location, ())
            if f'go to {layout.names[key]}' in done
        ]
        wanted = engine.commands()
        for key in here:
            if engine.is_closed(key):
                return f'open {layout.names[key]}'
            for thing in engine.state.inside[key]:
                name = layout.names[thing]
                if class_and_number(name)[0] != kind:
                    continue
                if f'use {name}' in wanted:
                    return f'use {name}'
                # Not one that lies where it has to go.
                if class_and_number(layout.names[key])[0] != self._place or self._family in _TOOLS:
                    return f'take {name} from {layout.names[key]}'
        places = [
            layout.names[key]
            for key in layout.receptacles
            if self._may_contain(key, kind) and layout.place_of[key] != engine.state.location
        ]
        left = [
            name for name in sorted(places, key=class_and_number) if f'go to {name}' not in done
        ]
        return f'go to {left[0]}' if left else 'failure'

    def _may_contain(self, key: str, kind: str) -> bool:
        layout = self._engine.layout
        pair = layout.type_of.get(key, ''), f'{kind}type'
        # What cannot be moved is in no table: it stands on something open.
        fixed = kind in ('desklamp', 'floorlamp') and key not in layout.openable
        return pair in layout.can_contain or fixed
