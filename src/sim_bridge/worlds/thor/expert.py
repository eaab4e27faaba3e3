"""An expert for ALFRED's tasks: does a gold plan by skills, with what the program reports."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from reactree_core.errors import SkillError
from reactree_core.observation import Observation
from sim_bridge.worlds.thor.classes import FIXED_RECEPTACLES
from sim_bridge.worlds.thor.goals import Goal, SLICED
from sim_bridge.worlds.thor.metadata import distance, is_closed, nearest, parents, Thing, things_of
from sim_bridge.worlds.thor.names import Names
from sim_bridge.worlds.thor.skills import Robot
from sim_bridge.worlds.thor.tasks import PlanStep

_TOOLS = {'CleanObject': 'SinkBasin', 'HeatObject': 'Microwave', 'CoolObject': 'Fridge'}
#: Times that something is tried anew, and places that are tried for one thing.
_TRIES = 6
#: Times that something is opened anew: in recorded trajectories a safe nearly always stays shut.
_OPENINGS = 100
_MOST_SKILLS = 1_000


class Expert:
    """Does the steps of a plan.

    :param step: does a skill. :param robot: of the episode. :param goal: of the task.
    """

    def __init__(
        self, step: Callable[[str], Observation], robot: Robot, names: Names, goal: Goal
    ) -> None:
        self._step = step
        self._robot = robot
        self._names = names
        self._goal = goal
        #: Skills that were done.
        self.done: list[str] = []
        #: Ids of places that did not take a thing -> those that did.
        self._instead: dict[str, str] = {}

    def follow(self, plan: Sequence[PlanStep]) -> None:
        """Do all steps.

        :raises SkillError: one cannot be done.
        """
        for one in plan:
            match one.action:
                case 'PickupObject':
                    self._take(self._object(one))
                case 'PutObject':
                    self._put(self._receptacle(one, one.classes[-1:]))
                case 'SliceObject':
                    self._slice(self._object(one))
                case 'ToggleObject':
                    self._turn_on(self._receptacle(one, one.classes[:1]))
                case 'CleanObject' | 'HeatObject' | 'CoolObject':
                    self._treat(one)

    def _do(self, skill: str) -> bool:
        if len(self.done) >= _MOST_SKILLS:
            raise SkillError(f'The expert gives up after {_MOST_SKILLS} skills.')
        observation = self._step(skill)
        self.done.append(skill)
        return observation.succeeded

    def _name(self, thing: Thing) -> str:
        return self._names.of(thing['objectId'])

    def _now(self, thing: Thing) -> Thing:
        found = self._robot.thing(thing['objectId'])
        if found is None:
            raise SkillError(f'The expert finds {thing["objectId"]} no more.')
        return found

    # What a step is about ------------------------------------------------------------------

    def _object(self, one: PlanStep) -> Thing:
        """What is handled: the thing of the plan, else one of its class, else a piece of it."""
        exact = self._robot.thing(self._instead.get(one.object_id, one.object_id))
        if exact is not None and (exact.get('pickupable') or not exact.get('isSliced')):
            return exact
        base = '|'.join(one.object_id.split('|')[:4])
        piece = SLICED in one.object_id
        kind = one.object_id.partition('|')[0].lower() or (one.classes or ('',))[0]
        if not one.object_id and self._goal.sliced and kind == self._goal.thing.lower():
            piece = any(SLICED in key['objectId'] for key in things_of(self._robot.metadata))
        found = [
            thing
            for thing in things_of(self._robot.metadata)
            if thing['objectId'].partition('|')[0].lower() == kind
            and (SLICED in thing['objectId']) is piece
            and (thing.get('pickupable') or not piece)
        ]
        own = [thing for thing in found if base and thing['objectId'].startswith(base)]
        return self._easiest(own or found, kind)

    def _receptacle(self, one: PlanStep, classes: Sequence[str]) -> Thing:
        """Where something goes, or what is turned on."""
        wanted = self._instead.get(one.receptacle_id, one.receptacle_id)
        exact = self._robot.thing(wanted) or (
            self._robot.thing(one.object_id) if one.action == 'ToggleObject' else None
        )
        if exact is not None:
            return exact
        key = one.receptacle_id or (one.object_id if one.action == 'ToggleObject' else '')
        kind = key.rpartition('|')[2].lower() if 'Basin' in key else ''
        kind = kind or key.partition('|')[0].lower() or (classes or ('',))[0]
        return self._easiest(self._of_class(kind), kind)

    def _of_class(self, kind: str) -> list[Thing]:
        return [
            thing
            for thing in things_of(self._robot.metadata)
            if str(thing['objectType']).lower() == kind.lower()
        ]

    def _easiest(self, things: Sequence[Thing], kind: str) -> Thing:
        """One that does not already lie where it has to go, lies open, and is near."""
        if not things:
            raise SkillError(f'The expert finds no {kind or "thing"} here.')

        def effort(thing: Thing) -> tuple[bool, bool, float]:
            above = [self._robot.thing(key) for key in parents(thing)]
            placed = any(self._goal.place and self._goal.place in key for key in parents(thing))
            shut = any(one is not None and is_closed(one) for one in above)
            return placed, shut, float(thing.get('distance', 0.0))

        return min(things, key=effort)

    # Steps -----------------------------------------------------------------------------------

    def _opened(self, place: Thing) -> bool:
        """Open a place where the robot is; whether it had to."""
        if not is_closed(self._now(place)):
            return False
        for _ in range(_OPENINGS):
            if self._do(f'open {self._name(place)}'):
                return True
            self._do(f'go to {self._name(place)}')
        raise SkillError(f'The expert cannot open {self._name(place)}.')

    def _reach(self, thing: Thing) -> Thing | None:
        """Go to a thing; what had to be opened for that."""
        for key in parents(thing):
            place = self._robot.thing(key)
            if place is not None and is_closed(place):
                self._do(f'go to {self._name(place)}')
                self._opened(place)
                if not self._now(thing).get('visible'):
                    self._do(f'go to {self._name(thing)}')
                return place
        self._do(f'go to {self._name(thing)}')
        return None

    def _take(self, thing: Thing) -> None:
        if self._robot.held == thing['objectId']:
            return
        opened = self._reach(thing)
        for _ in range(_TRIES):
            if self._do(f'pick up {self._name(thing)}'):
                break
            self._do(f'go to {self._name(thing)}')
        else:
            raise SkillError(f'The expert cannot pick up {self._name(thing)}.')
        if opened is not None:
            self._do(f'close {self._name(opened)}')

    def _put(self, place: Thing) -> None:
        """Put what is held into a place, or into another one of its class."""
        held = self._robot.thing(self._robot.held)
        if held is None:
            raise SkillError(f'The expert holds nothing to put into {self._name(place)}.')
        others = sorted(
            (
                one
                for one in self._of_class(str(place['objectType']))
                if one['objectId'] not in (place['objectId'], held['objectId'])
            ),
            key=lambda one: distance(one, place),
        )
        for where in (place, *others)[:_TRIES]:
            if self._put_here(held, where):
                self._instead[place['objectId']] = where['objectId']
                return
            self._take(self._now(held))
        raise SkillError(f'The expert cannot put {self._name(held)} on {self._name(place)}.')

    def _put_here(self, held: Thing, place: Thing) -> bool:
        opened = None
        if str(place['objectType']) not in FIXED_RECEPTACLES:
            opened = self._reach(place)
        if self._robot.receptacle != place['objectId']:
            self._do(f'go to {self._name(place)}')
        own = self._opened(place)
        if not self._do(f'put down {self._name(held)}'):
            return False
        if own:
            self._do(f'close {self._name(place)}')
        elif opened is not None:
            self._do(f'close {self._name(opened)}')
        return True

    def _slice(self, thing: Thing) -> None:
        opened = self._reach(thing)
        for _ in range(_TRIES):
            if self._do(f'slice {self._name(thing)}'):
                break
            self._do(f'go to {self._name(thing)}')
        else:
            raise SkillError(f'The expert cannot slice {thing["objectId"]}.')
        if opened is not None:
            self._do(f'close {self._name(opened)}')

    def _turn_on(self, thing: Thing) -> None:
        self._do(f'go to {self._name(thing)}')
        for _ in range(_TRIES):
            if self._do(f'turn on {self._name(thing)}') or self._now(thing).get('isToggled'):
                return
            self._do(f'go to {self._name(thing)}')
        raise SkillError(f'The expert cannot turn on {self._name(thing)}.')

    def _treat(self, one: PlanStep) -> None:
        """Put what is held in, let it be treated, and take it out."""
        tool = _TOOLS[one.action]
        held = self._robot.thing(self._robot.held)
        if held is None:
            raise SkillError(f'The expert holds nothing for {one.action}.')
        exact = self._robot.thing(one.receptacle_id)
        place = exact or self._easiest(self._of_class(tool), tool)
        if one.action == 'CleanObject':
            self._put(place)
            basin = self._robot.thing(next(iter(parents(self._now(held))), '')) or place
            faucet = nearest(self._of_class('Faucet'), basin)
            if faucet is None:
                raise SkillError('The expert finds no faucet here.')
            if not self._do(f'turn on {self._name(faucet)}'):
                self._turn_on(faucet)
            self._do(f'turn off {self._name(faucet)}')
            self._take(self._now(held))
            return
        self._do(f'go to {self._name(place)}')
        self._opened(place)
        if not self._do(f'put down {self._name(held)}'):
            raise SkillError(f'The expert cannot put {self._name(held)} in {self._name(place)}.')
        self._do(f'close {self._name(place)}')
        if one.action == 'HeatObject':
            if not self._do(f'turn on {self._name(place)}'):
                self._turn_on(place)
            self._do(f'turn off {self._name(place)}')
        self._do_at(place, f'open {self._name(place)}')
        if not self._do(f'pick up {self._name(held)}'):
            self._take(self._now(held))
        if not is_closed(self._now(place)):
            self._do(f'close {self._name(place)}')

    def _do_at(self, place: Thing, skill: str) -> None:
        for _ in range(_TRIES):
            if self._do(skill):
                return
            self._do(f'go to {self._name(place)}')
        raise SkillError(f'The expert cannot {skill}.')
