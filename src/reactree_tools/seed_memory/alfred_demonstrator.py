"""A demonstrator of ALFRED's tasks: it knows the goal, and looks for things as a robot has to."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from sim_bridge.worlds.thor.classes import FIXED_RECEPTACLES, KNIVES, words_of
from sim_bridge.worlds.thor.goals import CLEAN, COOL, Goal, HEAT, LIGHT, MOVABLE, SLICED, TWO
from sim_bridge.worlds.thor.metadata import inside, is_closed, nearest, parents, Thing, things_of
from sim_bridge.worlds.thor.stand_in.classes import object_class
from sim_bridge.worlds.thor.tasks import AlfredTask
from sim_bridge.worlds.thor.world import ThorWorld

#: Treatment -> verb of its subgoal, what treats, and that one's words.
_TREATMENTS = {
    CLEAN: ('clean', 'SinkBasin'),
    HEAT: ('heat', 'Microwave'),
    COOL: ('cool', 'Fridge'),
}
_SLICE_OF = 'slice of '


class AlfredDemonstrator:
    """Finds, slices, treats and places things. :param world: with a generated task."""

    _FIND = re.compile(r'find and pick up (?:an? |another )(.+)$')
    _SLICE = re.compile(r'find and slice an? (.+)$')
    _TREAT = re.compile(r'(clean|heat|cool) the (.+)$')
    _INTO = re.compile(r'find an? (.+) and put the (.+) in it$')
    _PUT = re.compile(r'put the (.+) in or on the (.+)$')
    _LIGHT = re.compile(r'find the (.+) and turn it on$')

    def __init__(self, world: ThorWorld) -> None:
        task = world.task()
        assert isinstance(task, AlfredTask), 'only tasks with a goal are shown'
        assert isinstance(task.goal, Goal), 'and only those of ALFRED'
        self._world = world
        self._goal = task.goal
        self._robot = world.robot
        names = (one['objectType'] for one in things_of(self._robot.metadata))
        #: Words of a class -> the class.
        self._classes = {words_of(name): name for name in names}

    # What a demonstrator answers ---------------------------------------------------------------

    def thought(self, goal: str) -> str:
        """What is to be done, in the order in which it is done."""
        parts = self.subgoals(goal)
        if parts:
            return f'I {", then ".join(part.replace(" the ", " ") for part in parts)}.'
        if self._FIND.match(goal) or self._INTO.match(goal) or self._LIGHT.match(goal):
            return 'I go to the places where it may be, one after another, until I see it.'
        return 'I know where to go for this and do it there.'

    def subgoals(self, goal: str) -> tuple[str, ...]:
        """The parts of the whole task; () for one of them."""
        forms = (self._FIND, self._SLICE, self._TREAT, self._INTO, self._PUT, self._LIGHT)
        return () if any(form.match(goal) for form in forms) else self._parts()

    def _parts(self) -> tuple[str, ...]:
        goal = self._goal
        whole, place = words_of(goal.thing), words_of(goal.place)
        thing = _SLICE_OF + whole if goal.sliced else whole
        parts: list[str] = []
        if goal.sliced:
            knife = next(kind for kind in KNIVES if words_of(kind) in self._classes)
            parts += [
                f'find and pick up {_a(words_of(knife))}',
                f'find and slice {_a(whole)}',
                f'put the {words_of(knife)} in or on the {self._rest(knife)}',
            ]
        parts.append(f'find and pick up {_a(thing)}')
        if goal.task_type == LIGHT:
            return (*parts, f'find the {words_of(goal.lamp)} and turn it on')
        if goal.task_type == MOVABLE:
            container = words_of(goal.container)
            parts.append(f'find {_a(container)} and put the {thing} in it')
            parts.append(f'find and pick up {_a(container)}')
            thing = container
        if goal.task_type in _TREATMENTS:
            parts.append(f'{_TREATMENTS[goal.task_type][0]} the {thing}')
        put = f'put the {thing} in or on the {place}'
        parts.append(put)
        if goal.task_type == TWO:
            parts += [f'find and pick up another {thing}', put]
        return tuple(parts)

    def _rest(self, knife: str) -> str:
        """Words of a class of places on which a knife may be laid."""
        surfaces = ('CounterTop', 'DiningTable', 'SideTable', 'SinkBasin', 'Drawer')
        return next(words_of(one) for one in surfaces if words_of(one) in self._classes)

    def skill(self, goal: str, done: Sequence[str]) -> str:
        """The next skill of one part; '' when it is reached."""
        ways: tuple[tuple[re.Pattern[str], Callable[..., str]], ...] = (
            (self._FIND, self._find),
            (self._SLICE, self._slice),
            (self._TREAT, self._treat),
            (self._INTO, self._put_into),
            (self._PUT, self._put),
            (self._LIGHT, self._light),
        )
        for form, way in ways:
            if found := form.match(goal):
                return way(done, *found.groups())
        return ''

    def next_of_all(self, goal: str, done: Sequence[str]) -> str:
        """The next skill of the whole task: of the first part that is not reached."""
        parts = self._parts()
        begun = 0
        for part in parts:
            own = done[begun:]
            reached = self._reached_after(part, own)
            if reached is None:
                return self.skill(part, own)
            begun += reached
        return ''

    def _reached_after(self, part: str, done: Sequence[str]) -> int | None:
        """How many of these skills a part took; None where it is not reached yet."""
        ends: dict[re.Pattern[str], tuple[str, ...]] = {
            self._FIND: ('pick up ',),
            self._SLICE: ('slice ',),
            self._INTO: ('put down ',),
            self._PUT: ('put down ',),
            self._LIGHT: ('turn on ',),
        }
        for form, verbs in ends.items():
            if form.match(part):
                closing = 0
                for index, skill in enumerate(done):
                    if skill.startswith(verbs):
                        closing = index + 1
                        break
                return closing or None
        # A treated thing is picked up last, and what was opened for it is closed.
        verb = part.split()[0]
        last = 'pick up ' if verb == 'clean' else 'close '
        taken = next((i for i, skill in enumerate(done) if skill.startswith('pick up ')), None)
        if taken is None:
            return None
        if last == 'pick up ':
            return taken + 1
        return taken + 2 if len(done) > taken + 1 else None

    # Parts -------------------------------------------------------------------------------------

    def _find(self, done: Sequence[str], words: str) -> str:
        """Pick up a thing of a class, or a slice of one."""
        held = self._robot.thing(self._robot.held)
        if held is not None and self._is(held, words):
            return ''
        for thing in self._visible(words):
            skill = f'pick up {self._name(thing)}'
            if not self._lies_in_place(thing) and skill in self._offered:
                return skill
        return self._search(words, done)

    def _slice(self, done: Sequence[str], words: str) -> str:
        if any(skill.startswith('slice ') for skill in done):
            return ''
        for thing in self._visible(words):
            skill = f'slice {self._name(thing)}'
            if skill in self._offered:
                return skill
        return self._search(words, done)

    def _put_into(self, done: Sequence[str], container: str, words: str) -> str:
        if not self._robot.held:
            return ''
        for one in self._visible(container):
            skill = self._put_at(one)
            # A box has to be opened before.
            if skill in self._offered or skill.startswith('put down '):
                return skill
        return self._search(container, done)

    def _put(self, done: Sequence[str], words: str, place: str) -> str:
        if not self._robot.held:
            return ''
        return self._put_at(self._first(place))

    def _light(self, done: Sequence[str], words: str) -> str:
        for lamp in self._visible(words):
            if lamp.get('isToggled'):
                return ''
            skill = f'turn on {self._name(lamp)}'
            if skill in self._offered:
                return skill
        return self._search(words, done)

    def _treat(self, done: Sequence[str], verb: str, words: str) -> str:
        tool = next(kind for treated, kind in _TREATMENTS.values() if treated == verb)
        place = self._first(words_of(tool))
        treated = self._robot.treated
        ready = {'clean': treated.clean, 'heat': treated.hot, 'cool': treated.cold}[verb]
        name = self._name(place)
        if held := self._robot.held:
            if held not in ready:
                return self._put_at(place)
            return f'close {name}' if place.get('isOpen') else ''
        lying = [self._robot.thing(key) for key in inside(place)]
        thing = next(one for one in lying if one is not None and self._is(one, words))
        if verb == 'clean':
            return self._rinse(thing, thing['objectId'] in ready)
        if thing['objectId'] not in ready:
            return f'close {name}' if not is_closed(place) else f'turn on {name}'
        if place.get('isToggled'):
            return f'turn off {name}'
        return f'open {name}' if is_closed(place) else f'pick up {self._name(thing)}'

    def _rinse(self, thing: Thing, is_clean: bool) -> str:
        basin = self._first(words_of('SinkBasin'))
        faucets = [one for one in things_of(self._robot.metadata) if self._is_class(one, 'faucet')]
        faucet = nearest(faucets, basin)
        assert faucet is not None, 'tasks of cleaning are set where there is one'
        name = self._name(faucet)
        if not is_clean:
            skill = f'turn on {name}'
        elif faucet.get('isToggled'):
            return f'turn off {name}'
        else:
            skill, name = f'pick up {self._name(thing)}', self._name(thing)
        return skill if skill in self._offered else f'go to {name}'

    def _put_at(self, place: Thing) -> str:
        name = self._name(place)
        if self._robot.receptacle != place['objectId']:
            return f'go to {name}'
        if is_closed(place):
            return f'open {name}'
        return f'put down {self._name_of(self._robot.held)}'

    # What there is -----------------------------------------------------------------------------

    def _search(self, words: str, done: Sequence[str]) -> str:
        """Look into the place where one is, else go to the next where a thing may be."""
        here = self._robot.thing(self._robot.receptacle or self._robot.visited)
        if here is not None and is_closed(here) and f'open {self._name(here)}' in self._offered:
            if f'open {self._name(here)}' not in done and self._may_hold(here, words):
                return f'open {self._name(here)}'
        for one in self._places():
            if self._may_hold(one, words) and f'go to {self._name(one)}' not in done:
                return f'go to {self._name(one)}'
        return 'failure'

    def _places(self) -> list[Thing]:
        """What can be gone to from anywhere: large open places first, then by name."""
        names = [skill.removeprefix('go to ') for skill in self._offered]
        found = [self._robot.thing(self._world.names.id_of(name)) for name in names]
        places = [
            one for one in found if one is not None and one['objectType'] in FIXED_RECEPTACLES
        ]
        return sorted(places, key=lambda one: -object_class(one['objectType']).most)

    def _may_hold(self, place: Thing, words: str) -> bool:
        kind = self._classes.get(words.removeprefix(_SLICE_OF), '')
        lamp = 'Lamp' in kind and not place.get('openable')
        return lamp or object_class(place['objectType']).may_hold(kind)

    def _visible(self, words: str) -> Iterable[Thing]:
        found = [
            one
            for one in things_of(self._robot.metadata)
            if one.get('visible') and one['objectId'] != self._robot.held and self._is(one, words)
        ]
        # What has been filled already comes first.
        return sorted(found, key=lambda one: (not self._is_filled(one), self._name(one)))

    def _is_filled(self, thing: Thing) -> bool:
        return any(key.startswith(self._goal.thing) for key in inside(thing))

    def _is(self, thing: Thing, words: str) -> bool:
        """Whether words are about a thing: a slice is no whole."""
        kind = thing['objectId'].partition('|')[0]
        piece = SLICED in thing['objectId']
        return words == (_SLICE_OF if piece else '') + words_of(kind)

    def _lies_in_place(self, thing: Thing) -> bool:
        """Whether it is where the task wants such a thing already."""
        wanted = self._goal.place
        return self._goal.task_type == TWO and any(wanted in key for key in parents(thing))

    def _first(self, words: str) -> Thing:
        """The thing of a class with the lowest number."""
        found = [one for one in things_of(self._robot.metadata) if self._is_class(one, words)]
        return min(found, key=lambda one: (len(self._name(one)), self._name(one)))

    def _is_class(self, thing: Thing, words: str) -> bool:
        return words_of(thing['objectType']) == words

    @property
    def _offered(self) -> tuple[str, ...]:
        """What can be done, of what the last text has shown."""
        shown = set(self._world.candidate_skills())
        return tuple(skill for skill in self._world.admissible_skills() if skill in shown)

    def _name(self, thing: Thing) -> str:
        return self._name_of(thing['objectId'])

    def _name_of(self, object_id: str) -> str:
        return self._world.names.of(object_id)


def _a(words: str) -> str:
    return f'{"an" if words[0] in "aeiou" else "a"} {words}'
