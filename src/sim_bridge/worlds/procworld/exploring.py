"""An expert without hidden knowledge: it knows what it was given, and explores for the rest.

It faces likely furniture that it sees, opens what is closed and may hold what it looks for, else
goes to the nearest location where it was not, then through the nearest door that it has not tried.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress

from reactree_core.errors import SkillError
from sim_bridge.worlds.procworld.classes import may_hold
from sim_bridge.worlds.procworld.engine import Engine, TREATMENTS
from sim_bridge.worlds.procworld.expert import Demonstrated, Hand, is_reached
from sim_bridge.worlds.procworld.goals import formula, is_movable, is_sliced, treatment, whole
from sim_bridge.worlds.procworld.texts import first
from sim_bridge.worlds.thor.goals import Goal, LIGHT, TWO

#: Furniture whose parts are seen only when it is faced, and what may be in them is not given.
_WITH_PARTS = frozenset({'countertop', 'desk', 'diningtable', 'dresser', 'shelvingunit'})


def explore(engine: Engine, goal: Goal) -> tuple[Demonstrated, ...]:
    """Reach a goal from here, with what was given on the way.

    :raises SkillError: it looked everywhere in vain.
    """
    hand = Explorer(engine, goal)
    with suppress(_Reached):
        hand.stop_if_reached()
        for _ in _errands(hand, goal):
            pass
        raise SkillError('The expert finds no way to reach the goal of this task.')
    return tuple(hand.done)


class _Reached(Exception):
    """The goal is reached, perhaps in the middle of something."""


class Explorer(Hand):
    """Errands of one who knows what it was given. :param engine: as of `Hand`."""

    def __init__(self, engine: Engine, goal: Goal) -> None:
        super().__init__(engine)
        self._formula = formula(goal, self.layout.house)
        self._seen = dict.fromkeys(first(self.engine.state, engine.rules.has_map).things)
        self._faced: set[str] = set()
        self._been: set[str] = set()
        self._tried: set[str] = set()
        #: Place where one was -> what was told to be near it, and what lies beyond its doors.
        self._steps: dict[str, list[str]] = {}
        self._arrived()

    def known(self) -> Iterable[str]:
        """Things that were told of."""
        return self._seen

    def steps_from(self, name: str) -> Iterable[str]:
        """What was near a place where one was, and beyond doors that were tried."""
        gone = self.engine.state.carried_off
        return [one for one in self._steps.get(name, ()) if one not in gone]

    def do(self, skill: str) -> tuple[str, ...]:
        """Do a skill, and learn from its reply."""
        before = self.engine.state.place
        things = super().do(skill)
        self._seen.update(dict.fromkeys(things))
        place = self.engine.state.place
        if place != before and place:
            self._arrived()
            if skill.startswith('go through '):
                self._tried.add(skill.split(' to ')[0].removeprefix('go through '))
                self._steps[before].append(place)
                self._steps[place].append(before)
        self.stop_if_reached()
        return things

    def stop_if_reached(self) -> None:
        """End where there is nothing left to do."""
        if is_reached(self.engine, self._formula):
            raise _Reached

    def _arrived(self) -> None:
        state = self.engine.state
        if state.faced:
            self._faced.add(state.faced)
        if state.place not in self._been and self.layout.bounded:
            self._steps[state.place] = list(self.layout.near(state.at, state.room))
        self._been.add(state.place)

    def find(self, fits: Callable[[str], bool], classes: Iterable[str]) -> str:
        """The nearest known thing of a sort; explores until there is one.

        :param classes: of what is looked for.
        :raises SkillError: it is nowhere.
        """
        wanted = tuple(classes)
        while not (found := self.nearest(fits)):
            self._look_further(wanted)
        return found

    def find_class(self, wanted: str) -> str:
        """The nearest known thing of a class; see `find`."""
        return self.find(lambda one: self.engine.state.class_of(one) == wanted, (wanted,))

    def _look_further(self, wanted: tuple[str, ...]) -> None:
        if self._opened_here(lambda one: self._likely(one, wanted)):
            return
        found = self.reachable()
        house = self.layout.house
        new = [one for one in found if one in house.thing and one not in self._faced]
        likely = [one for one in new if self._likely(one, wanted)]
        places = [one for one in found if one in house.location and one not in self._been]
        # What is as near as the next location is looked at first.
        choices = [(found[one][0], 0, one) for one in likely]
        choices += [(found[one][0], 1, one) for one in places]
        if choices:
            self.go_to(min(choices)[2])
            return
        doors = [
            (found[place][0], door.name, place)
            for place, ways in self.layout.doors.items()
            for door, _ in ways
            if place in self._been and place in found and door.name not in self._tried
        ]
        if doors:
            _, door_name, place = min(doors)
            self.go_to(place)
            self.do(f'go through {door_name} to next room')
        elif new:
            self.go_to(min((found[one][0], one) for one in new)[1])
        elif not self._opened_anywhere(wanted):
            raise SkillError(f'The expert has looked everywhere: no {" or ".join(wanted)}.')

    def _opened_here(self, likely: Callable[[str], bool]) -> bool:
        """Open something closed of what is faced, where it may hold what is wanted."""
        state = self.engine.state
        for one in state.fixtures(state.faced) if state.faced else ():
            if state.is_closed(one) and likely(one):
                self.do(f'open {one}')
                return True
        return False

    def _opened_anywhere(self, wanted: tuple[str, ...]) -> bool:
        """Open or examine what was passed over, now that all else was looked at."""
        state = self.engine.state
        found = self.reachable()
        closed = [one for one in self._seen if state.is_closed(one)]
        boxes = [one for one in self._seen if state.is_container(one) and one not in self._tried]
        left = [one for one in (*closed, *boxes) if state.outermost(one) in found]
        if not left:
            return False
        one = min(left, key=lambda name: (self.distance(name, found), name))
        self._tried.add(one)
        if one in closed:
            self.reach(one)
            self._open(one)
        elif one != state.held:
            self.reach(one)
            self.do(f'examine {one}')
        return True

    def _likely(self, name: str, wanted: tuple[str, ...]) -> bool:
        """Whether a thing or its parts may hold what is wanted, or have it as a part."""
        kind = self.engine.state.class_of(name)
        if kind in _WITH_PARTS:
            return True
        return any(may_hold(kind, one) for one in wanted)


def _a(name: str) -> str:
    return f'{"an" if name[0] in "aeiou" else "a"} {name}'


def _errands(hand: Explorer, goal: Goal) -> Iterator[None]:
    """The parts of a task, in order."""
    state = hand.engine.state
    count = 2 if whole(goal.task_type) == TWO else 1
    finished: set[str] = set()
    # Things are looked for one by one, and carried at once.
    if is_sliced(goal.task_type):
        hand.part = f'find a knife and slice {_a(goal.thing)}' + ' and another' * (count == 2)
        knife = hand.find(hand.is_knife, ('knife', 'butterknife'))
        hand.take(knife)
        for _ in range(count):
            thing = hand.find(
                lambda one: (
                    state.class_of(one) == goal.thing and 'sliced' not in state.states.get(one, ())
                ),
                (goal.thing,),
            )
            hand.reach(thing)
            hand.do(f'slice {thing} with {knife}')
        hand.part = 'put the knife down'
        hand.free_hand()
        yield

    verb, _ = treatment(goal.task_type)
    tool = TREATMENTS[verb][0] if verb else ''
    target = goal.container or goal.place
    destination = ''

    def is_left(one: str) -> bool:
        sliced = not is_sliced(goal.task_type) or 'sliced' in state.states.get(one, ())
        lies_there = bool(destination) and state.holder.get(one) == destination
        return (
            state.class_of(one) == goal.thing and one not in finished and sliced and not lies_there
        )

    for number in range(count):
        hand.part = f'find and take {f"another {goal.thing}" if number else _a(goal.thing)}'
        thing = hand.find(is_left, (goal.thing,))
        hand.take(thing)
        finished.add(thing)
        yield
        if goal.task_type == LIGHT:
            hand.part = f'find {_a(goal.lamp)} and turn it on'
            hand.turn_on(hand.find_class(goal.lamp))
            yield
            return
        if verb:
            hand.part = f'{verb} the {goal.thing} in {_a(tool)}'
            hand.treat(thing, verb, hand.find_class(tool))
            yield
        hand.part = f'put the {goal.thing} in {_a(target)}' + ' too' * bool(number)
        destination = destination or hand.find_class(target)
        hand.put(thing, destination)
        yield
    if is_movable(goal.task_type):
        hand.part = f'put the {goal.container} in {_a(goal.place)}'
        hand.take(destination)
        hand.put(destination, hand.find_class(goal.place))
        yield
