"""Experts: one that knows the house, and one that finds out what is where as an agent has to.

Both do the same errands (take, put, treat, slice, turn on), by shortest ways over what they know.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from math import inf

from reactree_core.errors import SkillError
from sim_bridge.worlds.alfworld.engine import NOTHING
from sim_bridge.worlds.alfworld.game import Goal as Formula
from sim_bridge.worlds.alfworld.judging import satisfied
from sim_bridge.worlds.procworld.classes import CARRIED, KNIVES, may_hold
from sim_bridge.worlds.procworld.engine import Engine, FLOOR, Rules, TREATMENTS
from sim_bridge.worlds.procworld.goals import formula, is_movable, is_sliced, treatment
from sim_bridge.worlds.procworld.house import House
from sim_bridge.worlds.procworld.layout import distances, Layout, way_to
from sim_bridge.worlds.procworld.tasks import HouseTask, STEPS
from sim_bridge.worlds.thor.goals import Goal, LIGHT

#: Skills after which an expert gives up.
_MOST_SKILLS = 500
#: Ways to choose the things of a goal that are tried out, and that are kept where they fail.
_TRIED, _MOST_TRIED = 6, 24


@dataclass(frozen=True, slots=True)
class Demonstrated:
    """A skill that an expert does. :param part: of the task, in words. :param text: its reply."""

    skill: str
    part: str
    text: str


class Hand:
    """Does errands in a rehearsal, by the shortest ways that are known.

    :param engine: as it is when one begins; it stays as it is.
    :param most: skills after which it gives up.
    """

    def __init__(self, engine: Engine, most: int = _MOST_SKILLS) -> None:
        self.engine = engine.rehearsal()
        self.layout = engine.layout
        self._most = most
        self.done: list[Demonstrated] = []
        #: The part of the task that is worked on, in words.
        self.part = ''

    # What an expert knows ----------------------------------------------------------------------

    def steps_from(self, name: str) -> Iterable[str]:
        """What one gets to in one step, as far as that is known."""
        gone = self.engine.state.carried_off
        steps = self.layout.steps_from(name)
        return [one for one in steps if one not in gone] if gone else steps

    def known(self) -> Iterable[str]:
        """Things that are known, in the order of the house."""
        return self.layout.house.thing

    def do(self, skill: str) -> tuple[str, ...]:
        """Do a skill; the things that its reply names.

        :raises SkillError: it cannot be done.
        """
        seen = self.engine.do(skill)
        if seen.text == NOTHING or len(self.done) == self._most:
            raise SkillError(f'The expert finds no way: {skill!r} cannot be done.')
        self.done.append(Demonstrated(skill, self.part, seen.text))
        return seen.things

    # Errands -----------------------------------------------------------------------------------

    def reachable(self, until: str = '') -> dict[str, tuple[int, str]]:
        """Fewest steps from here to all that can be reached; see `distances`."""
        place = self.engine.state.place
        beyond = self.steps_from(place) if place in self.layout.doors else ()
        found = distances((*self.engine.destinations(), *beyond), self.steps_from, until)
        return {**found, place: (0, '')} if place else found

    def go_to(self, name: str) -> None:
        """Face an outermost thing, or be at a location."""
        if name == self.engine.state.place:
            return
        found = self.reachable(name)
        if name not in found:
            raise SkillError(f'The expert finds no way to {name}.')
        for step in way_to(name, found):
            self._step_to(step)

    def _step_to(self, name: str) -> None:
        skill = f'go to {self.layout.told(name)}'
        if skill not in self.engine.offers():
            doors = self.layout.doors.get(self.engine.state.place, ())
            door = next((one for one, beyond in doors if beyond.name == name), None)
            if door is not None:
                skill = f'go through {door.name} to next room'
        self.do(skill)

    def reach(self, name: str) -> None:
        """Be where a thing is, with all open that hides it."""
        state = self.engine.state
        around = []
        container = state.container_of(name)
        while container:
            around.append(container)
            container = state.container_of(container)
        self.go_to(state.outermost(name))
        for one in reversed(around):
            self._open(one)

    def _open(self, name: str) -> None:
        if self.engine.state.is_closed(name):
            self.do(f'open {name}')

    def take(self, thing: str) -> None:
        """Have an object in the hand."""
        if self.engine.state.held == thing:
            return
        self.free_hand()
        self.reach(thing)
        self.do(f'take {thing} from {self.engine.state.container_of(thing) or FLOOR}')

    def put(self, thing: str, holder: str) -> None:
        """Put an object, which is taken first, in or on something."""
        if self.engine.state.holder.get(thing) == holder:
            return
        self.take(thing)
        self.reach(holder)
        self._open(holder)
        self.do(f'put {thing} in/on {holder}')

    def free_hand(self) -> None:
        """Put down what is held, where it fits and is nearest."""
        state, held = self.engine.state, self.engine.state.held
        if not held:
            return
        kind = state.class_of(held)
        found = self.reachable()
        fitting = [
            (found[state.outermost(one)][0] + state.is_closed(one), one)
            for one in self.known()
            if self.layout.house.thing[one].fixed
            and may_hold(state.class_of(one), kind)
            and state.outermost(one) in found
        ]
        if not fitting:
            raise SkillError(f'The expert knows no place to put {held} down.')
        self.put(held, min(fitting)[1])

    def treat(self, thing: str, verb: str, tool: str) -> None:
        """Clean, heat or cool a thing with a tool."""
        if self.engine.rules.in_hand:
            self.take(thing)
            self.reach(tool)
        else:
            self.put(thing, tool)
            self.go_to(self.engine.state.outermost(tool))
        self.do(f'{verb} {thing} with {tool}')

    def slice(self, things: Iterable[str], knife: str) -> None:
        """Slice things, and lay the knife down."""
        self.take(knife)
        for thing in things:
            self.reach(thing)
            self.do(f'slice {thing} with {knife}')
        self.free_hand()

    def turn_on(self, lamp: str) -> None:
        """Be at a lamp that is on."""
        self.reach(lamp)
        if 'on' not in self.engine.state.states.get(lamp, ()):
            self.do(f'use {lamp}')

    def distance(self, name: str, found: Mapping[str, tuple[int, str]]) -> int:
        """Steps to a thing, one more for each thing that has to be opened; far for no way."""
        state = self.engine.state
        steps = found.get(state.outermost(name), (_MOST_SKILLS, ''))[0]
        container = state.container_of(name)
        while container:
            steps += state.is_closed(container)
            container = state.container_of(container)
        return steps

    def nearest(self, fits: Callable[[str], bool]) -> str:
        """The nearest known thing of a sort; '' for none."""
        found = self.reachable()
        able = [one for one in self.known() if fits(one)]
        return min(able, key=lambda one: (self.distance(one, found), one), default='')

    def tool_for(self, thing: str, verb: str) -> str:
        """The nearest known tool of a treatment; that which the thing is in, before others."""
        kind = TREATMENTS[verb][0]
        state = self.engine.state
        inside = state.container_of(thing)
        if inside and state.class_of(inside) == kind and not self.engine.rules.in_hand:
            return inside
        return self.nearest(lambda one: state.class_of(one) == kind)

    def is_knife(self, name: str) -> bool:
        """Whether a thing slices others."""
        return self.engine.state.class_of(name) in KNIVES


#: Reach and map of the published settings, the easiest first.
SETTINGS = ((inf, False), (3.0, True), (3.0, False), (1.5, True), (1.5, False))


def setting_text(setting: tuple[float, bool]) -> str:
    """A setting in words, e.g. 'reach 1.5 m and a map'."""
    reach, has_map = setting
    if reach == inf:
        return 'reach inf'
    return f'reach {reach:g} m and {"a" if has_map else "no"} map'


def settings_of(house: House, task: HouseTask) -> tuple[tuple[float, bool], ...]:
    """Those of the published settings in which a task can be done in the steps it allows."""
    return tuple(
        (reach, has_map)
        for reach, has_map in SETTINGS
        if can_be_done(Engine(Layout(house, reach), Rules(has_map), task.start), task.goal)
    )


def can_be_done(engine: Engine, goal: Goal) -> bool:
    """Whether a way to a goal is known that is no longer than an episode."""
    try:
        return len(solve(engine, goal)) <= STEPS
    except SkillError:
        return False


# Who knows the house ---------------------------------------------------------------------------


def solve(engine: Engine, goal: Goal) -> tuple[Demonstrated, ...]:
    """Reach a goal from here with the fewest skills known; what the house hides is known.

    :raises SkillError: there is no way.
    """
    if is_reached(engine, formula(goal, engine.layout.house)):
        return ()
    best: tuple[Demonstrated, ...] | None = None
    failed: SkillError | None = None
    for tried, order in enumerate(_orders(engine, goal)):
        if tried == _MOST_TRIED or (tried >= _TRIED and best is not None):
            break
        hand = Hand(engine, len(best) - 1 if best else _MOST_SKILLS)
        try:
            _carry_out(hand, goal, order)
        except SkillError as error:
            failed = error
            continue
        best = tuple(hand.done)
    if best is None:
        raise failed or SkillError('The expert finds no things for this task.')
    return best


def is_reached(engine: Engine, asked: Formula) -> bool:
    """Whether all conditions of a goal hold now."""
    return satisfied(asked, engine.state)[0] == len(asked.conditions)


def _orders(engine: Engine, goal: Goal) -> list[dict[str, str]]:
    """Ways to choose the things of a goal, and their order: those with the shortest ways first."""
    asked = formula(goal, engine.layout.house)
    routes = _Routes(engine)
    found: list[tuple[int, int, dict[str, str]]] = []
    for choice in asked.choices:
        one = dict(choice)
        orders = [one]
        if '?o2' in one:
            orders.append({**one, '?o': one['?o2'], '?o2': one['?o']})
        for order in orders:
            if routes.can_be_done(order):
                found.append((routes.length(goal, order), len(found), order))
    found.sort(key=lambda entry: entry[:2])
    return [order for *_, order in found[:_MOST_TRIED]]


class _Routes:
    """Lengths of ways over the whole house, without the map."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._hand = Hand(engine)
        self._here = self._hand.reachable()
        self._knives = [one for one in engine.state.holder if self._hand.is_knife(one)]
        self._memory: dict[str, Mapping[str, tuple[int, str]]] = {}

    def can_be_done(self, order: Mapping[str, str]) -> bool:
        """Whether all that has to be carried for it can be."""
        state = self._engine.state
        place = order.get('?m', order.get('?r', ''))
        carried = [order[key] for key in ('?o', '?o2') if key in order]
        if place and all(state.holder.get(one) == place for one in carried):
            carried = []
        if '?m' in order and state.holder.get(order['?m']) != order['?r']:
            carried.append(order['?m'])
        return all(state.class_of(one) in CARRIED for one in carried)

    def length(self, goal: Goal, order: Mapping[str, str]) -> int:
        """About how many skills going takes."""
        state = self._engine.state
        verb, _ = treatment(goal.task_type)
        things = [order[key] for key in ('?o', '?o2') if key in order]
        route: list[str] = []
        if is_sliced(goal.task_type) and self._knives:
            first = things[0]
            route.append(min(self._knives, key=lambda one: (self._from(one, first), one)))
            route += things
        place = order.get('?m', order.get('?r', order.get('?lamp', '')))
        for thing in things:
            route.append(thing)
            if verb:
                kind = TREATMENTS[verb][0]
                tools = [one for one in self._engine.layout.house.thing
                         if state.class_of(one) == kind]  # fmt: skip
                route.append(min(tools, key=lambda one: (self._from(thing, one), one), default=''))
            route.append(place)
        if '?m' in order:
            route.append(order['?r'])
        total = self._hand.distance(route[0], self._here)
        for one, other in pairwise(route):
            total += self._from(one, other)
        return total

    def _from(self, one: str, other: str) -> int:
        if not one or not other:
            return _MOST_SKILLS
        start, end = self._engine.state.outermost(one), self._engine.state.outermost(other)
        if start == end:
            return 0
        layout = self._engine.layout
        if not layout.bounded or start not in layout.outermost:
            return 1
        if start not in self._memory:
            self._memory[start] = distances(layout.steps_from(start), layout.steps_from)
        return self._memory[start].get(end, (_MOST_SKILLS, ''))[0]


def _carry_out(hand: Hand, goal: Goal, order: Mapping[str, str]) -> None:
    """Do a task with chosen things.

    :raises SkillError: it cannot be done so.
    """
    asked = formula(goal, hand.layout.house)
    things = [order[key] for key in ('?o', '?o2') if key in order]
    for _ in _errands(hand, goal, things, order):
        if is_reached(hand.engine, asked):
            return
    raise SkillError('The expert finds no way to reach the goal of this task.')


def _errands(
    hand: Hand, goal: Goal, things: list[str], order: Mapping[str, str]
) -> Iterator[None]:
    """One errand after another; after each the goal may be reached."""
    states = hand.engine.state.states
    if is_sliced(goal.task_type):
        whole_ones = [one for one in things if 'sliced' not in states.get(one, ())]
        if whole_ones:
            hand.slice(whole_ones, hand.nearest(hand.is_knife))
            yield
    if goal.task_type == LIGHT:
        hand.take(things[0])
        hand.turn_on(order['?lamp'])
        yield
        return
    verb, _ = treatment(goal.task_type)
    place = order.get('?m', order['?r'])
    for thing in things:
        if verb and TREATMENTS[verb][2] not in hand.engine.state.states.get(thing, ()):
            hand.treat(thing, verb, hand.tool_for(thing, verb))
            yield
        hand.put(thing, place)
        yield
    if is_movable(goal.task_type):
        hand.put(place, order['?r'])
        yield
