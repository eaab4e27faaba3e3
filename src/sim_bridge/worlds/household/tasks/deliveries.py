"""Deliveries of a robot that knows the whole home: what each costs, and where it ends.

The model is coarser than the world (see `closeness` for the reach it shares with it): a position
is where the robot stands, what it holds, what it has opened, and what is still to be brought.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from reactree_core.errors import ConfigurationError
from sim_bridge.worlds.household.closeness import fixture_of, NearFixtures
from sim_bridge.worlds.household.graph import SceneGraph
from sim_bridge.worlds.household.names import Names
from sim_bridge.worlds.household.placement import INSIDE
from sim_bridge.worlds.household.roles import PUBLISHED, roles_of
from sim_bridge.worlds.household.scoring import Condition, Goal

_HANDS = 2
#: Of things that cost the same to fetch, so many more than needed are considered.
_SPARE = 2


class DeliveryMap:
    """A home with everything in it.

    :param graph: as it is now. :param goal: in Watch-And-Help's form, about one class of target.
    :param blocked: names of things that could not be picked up.
    :raises ConfigurationError: the goal is not only about bringing things to one place.

    Public: `targets`, ids of what the goal may be met at.
    """

    def __init__(
        self,
        graph: Mapping[str, Any],
        goal: Mapping[str, int],
        blocked: frozenset[str] = frozenset(),
    ) -> None:
        self._graph = SceneGraph(graph)
        self._names = Names(self._graph.nodes)
        self._roles = {key: roles_of(node, PUBLISHED) for key, node in self._graph.nodes.items()}
        conditions = Goal(goal, self._graph).conditions
        self._bring = [one for one in conditions if one.relation in ('on', 'inside')]
        self._switch = any(one.relation == 'turnon' for one in conditions)
        self._blocked = blocked
        target_classes = sorted({one.target for one in conditions})
        if len(target_classes) != 1 or not target_classes[0]:
            raise ConfigurationError(
                'the expert only brings things to one class of place, and turns that on'
            )
        self.targets = tuple(
            key for key in self._of_class(target_classes[0]) if self._roles[key].observable
        )
        fixtures = {
            fixture_of(self._graph, key)
            for key, roles in self._roles.items()
            if roles.observable and key not in self._graph.rooms
        }
        self._near = NearFixtures(self._graph, fixtures)
        self._supply: dict[int, list[list[int]]] = {
            target: [self._choose_supply(one, target) for one in self._bring]
            for target in self.targets
        }

    def start(self, target: int) -> Delivery:
        """Where the robot is now; what is held is put down first if it is not asked for."""
        graph = self._graph
        room = graph.room_of(graph.character)
        missing = []
        held = []
        for condition in self._bring:
            here = sum(
                1 for key in self._of_class(condition.thing) if self._is_at(key, condition, target)
            )
            short = max(0, condition.need - here)
            for key in graph.held:
                if graph.nodes[key].class_name.casefold() == condition.thing and short:
                    held.append(key)
                    short -= 1
            missing.append(short)
        # What nobody asked for goes to the target too: the simplest way to free a hand.
        held += [key for key in graph.held if key not in held]
        switched = not self._switch or 'ON' in graph.nodes[target].states
        position = Position(
            room if room is not None else graph.rooms[0],
            None,
            None,
            tuple(sorted(held)),
            frozenset(),
            tuple(missing),
            frozenset(held),
            switched,
        )
        return Delivery(target, position)

    def options(self, delivery: Delivery) -> Iterator[Delivery]:
        """Everything sensible to do next."""
        position = delivery.position
        shut = self._shut(delivery.target, position)
        # With both hands full before a closed target there is no way on.
        if len(position.held) < (_HANDS - 1 if shut else _HANDS):
            yield from self._fetch_options(delivery)
        if shut and len(position.held) < _HANDS:
            yield self._bring_skills(delivery, opening_only=True)
        if position.held and (not shut or len(position.held) < _HANDS):
            yield self._bring_skills(delivery, opening_only=False)
        if not any(position.missing) and not position.held and not position.switched:
            yield self._turn_on(delivery)

    # Deliveries

    def _fetch_options(self, delivery: Delivery) -> Iterator[Delivery]:
        position = delivery.position
        for index, supply in enumerate(self._supply[delivery.target]):
            if not position.missing[index]:
                continue
            missing = list(position.missing)
            missing[index] -= 1
            seen: set[tuple[int, ...]] = set()
            for thing in supply:
                place = (fixture_of(self._graph, thing), *self._doors(thing))
                if thing in position.used or place in seen:
                    continue
                seen.add(place)
                for stand in self._stands(delivery, thing):
                    there = self._walk(delivery, thing, stand)
                    there = self._open(there, self._doors(thing))
                    skill = f'pick up {self._names.name[thing]}'
                    after = replace(
                        there.position,
                        held=tuple(sorted((*position.held, thing))),
                        missing=tuple(missing),
                        used=position.used | {thing},
                    )
                    yield replace(there, position=after, skills=(*there.skills, skill))

    def _bring_skills(self, delivery: Delivery, opening_only: bool) -> Delivery:
        target = delivery.target
        position = delivery.position
        there = delivery
        if not (position.receptacle == target and self._is_near(position.stand, target)):
            there = self._walk(delivery, target, target, always=True)
        if self._shut(target, position):
            there = self._open(there, (target,))
        if opening_only:
            return there
        skills = [f'put down {self._names.name[thing]}' for thing in position.held]
        after = replace(there.position, held=())
        return replace(there, position=after, skills=(*there.skills, *skills))

    def _turn_on(self, delivery: Delivery) -> Delivery:
        there = self._walk(delivery, delivery.target, delivery.target)
        skill = f'turn on {self._names.name[delivery.target]}'
        after = replace(there.position, switched=True)
        return replace(there, position=after, skills=(*there.skills, skill))

    def _walk(self, delivery: Delivery, thing: int, stand: int, always: bool = False) -> Delivery:
        """To a stand from which a thing is within reach; nothing when it already is."""
        position, names = delivery.position, self._names
        fixture = fixture_of(self._graph, thing)
        if self._is_near(position.stand, fixture) and not always:
            return delivery
        skills = list(delivery.skills)
        room = self._graph.room_of(stand)
        assert room is not None
        if room != position.room:
            skills.append(f'go to {names.name[room]}')
        goal = stand if self._roles[stand].observable else thing
        skills.append(f'go to {names.name[goal]}')
        receptacle = goal if self._roles[goal].receptacle else position.receptacle
        after = replace(position, room=room, stand=stand, receptacle=receptacle)
        return replace(delivery, position=after, skills=tuple(skills))

    def _open(self, delivery: Delivery, doors: Sequence[int]) -> Delivery:
        shut = [door for door in doors if self._shut(door, delivery.position)]
        if not shut:
            return delivery
        skills = [f'open {self._names.name[door]}' for door in shut]
        after = replace(delivery.position, opened=delivery.position.opened | set(shut))
        return replace(delivery, position=after, skills=(*delivery.skills, *skills))

    # The home

    def _choose_supply(self, condition: Condition, target: int) -> list[int]:
        """Things of a class that are cheap to fetch for a target, the cheapest first."""
        room = self._graph.room_of(target)

        def effort(thing: int) -> tuple[int, int, int]:
            walk = 0 if self._graph.room_of(thing) == room else 2
            near = 0 if self._is_near(target, fixture_of(self._graph, thing)) else 1
            return walk + near + len(self._doors(thing)), near, thing

        things = [
            thing
            for thing in self._of_class(condition.thing)
            if self._can_be_fetched(thing) and not self._is_at(thing, condition, target)
        ]
        return sorted(things, key=effort)[: condition.need + _SPARE]

    def _of_class(self, class_name: str) -> list[int]:
        return [
            key
            for key, node in self._graph.nodes.items()
            if node.class_name.casefold() == class_name
        ]

    def _can_be_fetched(self, thing: int) -> bool:
        roles, node = self._roles[thing], self._graph.nodes[thing]
        if not (roles.observable and roles.grabbable and node.has('GRABBABLE')):
            return False
        if self._names.name[thing] in self._blocked or thing in self._graph.held:
            return False
        return self._graph.room_of(thing) is not None and all(
            self._graph.nodes[door].has('CAN_OPEN') and self._roles[door].openable
            for door in self._doors(thing)
        )

    def _is_at(self, thing: int, condition: Condition, target: int) -> bool:
        return (condition.relation.upper(), target) in self._graph.places(thing)

    def _doors(self, thing: int) -> tuple[int, ...]:
        """Closed things a thing is in, the outermost first."""
        doors: list[int] = []
        here = thing
        while here in self._graph.parent:
            relation, here = self._graph.parent[here]
            if relation == INSIDE and not self._graph.nodes[here].is_open:
                doors.insert(0, here)
        return tuple(doors)

    def _shut(self, thing: int, position: Position) -> bool:
        node = self._graph.nodes[thing]
        return (
            node.has('CAN_OPEN')
            and self._roles[thing].openable
            and self._roles[thing].container
            and not node.is_open
            and thing not in position.opened
        )

    def _stands(self, delivery: Delivery, thing: int) -> list[int]:
        """Where to stand to reach a thing: at its fixture, or where more is within reach."""
        fixture = fixture_of(self._graph, thing)
        if self._is_near(delivery.position.stand, fixture):
            return [fixture]
        others = {
            fixture_of(self._graph, other)
            for supply in self._supply[delivery.target]
            for other in supply
            if other not in delivery.position.used
        }
        others.add(delivery.target)
        shared = [
            other
            for other in sorted(others)
            if other != fixture and self._roles[other].observable and self._is_near(other, fixture)
        ]
        return [fixture, *shared]

    def _is_near(self, stand: int | None, fixture: int) -> bool:
        return stand is not None and fixture in self._near.get(stand, ())


@dataclass(frozen=True, slots=True)
class Position:
    """Where a delivery ended.

    :param stand: fixture the robot stands at; None in the middle of a room.
    :param receptacle: fixture that things are put down at now.
    :param held: things in the hands, with the class each is meant for.
    :param opened: what has been opened on the way.
    :param missing: how many of each class are not fetched yet, in the goal's order.
    :param used: things fetched already.
    """

    room: int
    stand: int | None
    receptacle: int | None
    held: tuple[int, ...]
    opened: frozenset[int]
    missing: tuple[int, ...]
    used: frozenset[int]
    switched: bool

    @property
    def is_done(self) -> bool:
        """Whether everything has been brought and turned on."""
        return not self.held and not any(self.missing) and self.switched


@dataclass(frozen=True, slots=True)
class Delivery:
    """A position and how it was reached.

    :param estimate: cost and what it takes at least from here.
    """

    target: int
    position: Position
    skills: tuple[str, ...] = ()

    @property
    def cost(self) -> int:
        """Skills so far."""
        return len(self.skills)

    @property
    def estimate(self) -> int:
        """Cost so far, a pick and a put for everything that is missing, and the switch."""
        position = self.position
        return (
            self.cost
            + 2 * sum(position.missing)
            + len(position.held)
            + (0 if position.switched else 1)
        )
