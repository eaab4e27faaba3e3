"""What one episode changes: the agents, what they hold, and where things are."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from random import Random

from sim_bridge.worlds.thor.stand_in.scene import GRID, Place, Scene, Thing


class ActionFailedError(Exception):
    """An action cannot be done.

    :param code: `errorCode`; with some the client raises, see `INVALID`.
    """

    def __init__(self, message: str, code: str = '') -> None:
        super().__init__(message)
        self.code = code


#: Metres between two agents that stand side by side: twice the radius of one.
_BESIDE = 0.4
#: Codes with which the client raises ValueError.
INVALID = 'InvalidAction'
MISSING = 'MissingArguments'


@dataclass(slots=True)
class Agent:
    """An agent.

    :param rotation: degrees to the east. :param horizon: degrees it looks down.
    :param held: id of what is in the hand; '' for nothing.
    """

    position: Place
    rotation: float = 0.0
    horizon: float = 0.0
    standing: bool = True
    held: str = ''


@dataclass(slots=True)
class Settings:
    """What `Initialize` sets.

    :param camera_height: metres that the camera is above the agent's position.
    """

    grid: float = GRID
    visibility: float = 1.5
    camera_height: float = 0.675
    field_of_view: float = 90.0
    image: bool = True
    depth: bool = False
    classes: bool = False
    instances: bool = False


@dataclass(slots=True)
class Failures:
    """How often opening fails.

    :param rates: class -> share of attempts. :param random: decides.
    """

    rates: dict[str, float]
    random: Random

    def hits(self, class_name: str) -> bool:
        """Whether this attempt fails."""
        rate = self.rates.get(class_name, 0.0)
        return rate > 0.0 and self.random.random() < rate


@dataclass(slots=True)
class State:
    """One episode.

    :param agents: the first is there from the beginning. :param active: number of who acts.
    :param moved: goes up whenever a thing is moved, added or taken away.
    """

    scene: Scene
    things: dict[str, Thing]
    agents: list[Agent]
    settings: Settings
    failures: Failures
    active: int = 0
    moved: int = 0
    points: frozenset[tuple[int, int]] = frozenset()
    done: dict[str, int] = field(default_factory=dict)

    @classmethod
    def begin(cls, scene: Scene, settings: Settings, failures: Failures) -> State:
        """The first state of an episode in a scene, which is taken over."""
        start = scene.start
        return cls(
            scene,
            {thing.object_id: thing for thing in scene.things},
            [Agent(start.position, start.rotation, start.horizon)],
            settings,
            failures,
            points=frozenset(_point(x, z) for x, z in scene.reachable),
        )

    @property
    def agent(self) -> Agent:
        """Who acts."""
        return self.agents[self.active]

    @property
    def held(self) -> str:
        """Id of what who acts has in the hand; '' for nothing."""
        return self.agent.held

    @held.setter
    def held(self, object_id: str) -> None:
        self.agent.held = object_id

    def is_in_another_hand(self, thing: Thing) -> bool:
        """Whether an agent that does not act holds a thing, or what it lies in."""
        hands = {one.held for one in self.agents if one is not self.agent}
        return any(one.object_id in hands for one in (thing, *self.parents(thing)))

    def thing(self, object_id: object) -> Thing:
        """A thing by its id.

        :raises ActionFailedError: there is none.
        """
        found = self.things.get(object_id) if isinstance(object_id, str) else None
        if found is None:
            raise ActionFailedError(f'Object ID {str(object_id)[:100]!r} is not in the scene')
        return found

    def parents(self, thing: Thing) -> list[Thing]:
        """What it lies in, what that lies in, and so on."""
        found: list[Thing] = []
        while thing.parent and thing.parent in self.things and len(found) < 8:
            thing = self.things[thing.parent]
            found.append(thing)
        return found

    def below(self, thing: Thing) -> list[Thing]:
        """What lies in it, however deep."""
        found = [self.things[key] for key in thing.contents]
        for one in tuple(found):
            found += self.below(one)
        return found

    def is_hidden(self, thing: Thing) -> bool:
        """Whether something shut is around it."""
        return any(parent.hides for parent in self.parents(thing))

    def put_into(self, thing: Thing, receptacle: Thing | None) -> None:
        """Let it lie in a receptacle, or in none."""
        if thing.parent in self.things:
            self.things[thing.parent].contents.remove(thing.object_id)
        thing.parent = receptacle.object_id if receptacle else ''
        if receptacle:
            receptacle.contents.append(thing.object_id)

    def move(self, thing: Thing, position: Place) -> None:
        """Put it somewhere else with all that lies in it."""
        old = thing.position
        by = (position[0] - old[0], position[1] - old[1], position[2] - old[2])
        for one in (thing, *self.below(thing)):
            x, y, z = one.position
            one.move_to((x + by[0], y + by[1], z + by[2]))
        self.moved += 1

    def add(self, thing: Thing) -> None:
        """A new thing."""
        self.things[thing.object_id] = thing
        self.moved += 1

    def remove(self, thing: Thing) -> None:
        """Take a thing out of the scene; what lies in it stays where it is."""
        self.put_into(thing, None)
        for key in tuple(thing.contents):
            self.put_into(self.things[key], None)
        del self.things[thing.object_id]
        for agent in self.agents:
            if agent.held == thing.object_id:
                agent.held = ''
        self.moved += 1

    def reaches(self, x: float, z: float) -> bool:
        """Whether the agent can stand at a point, with 2 cm to spare, and nobody else does."""
        others = [one.position for one in self.agents if one is not self.agent]
        if any(math.hypot(at[0] - x, at[2] - z) < _BESIDE for at in others):
            return False
        return any(
            (a, b) in self.points and math.hypot(a * 0.01 - x, b * 0.01 - z) <= 0.0201
            for a in _near(x)
            for b in _near(z)
        )

    def camera(self) -> Place:
        """Where the camera is."""
        x, y, z = self.agent.position
        lower = 0.0 if self.agent.standing else 0.5
        return x, y + self.settings.camera_height - lower, z

    def hand(self) -> Place:
        """Where held things are."""
        x, y, z = self.camera()
        turn = math.radians(self.agent.rotation)
        return x + 0.45 * math.sin(turn), y - 0.4, z + 0.45 * math.cos(turn)

    def carry(self) -> None:
        """Take what is held along with the agent."""
        if self.held:
            self.move(self.things[self.held], self.hand())

    def stand(self, x: float, z: float) -> None:
        """Put the agent at a point."""
        self.agent.position = (x, self.agent.position[1], z)


def _point(x: float, z: float) -> tuple[int, int]:
    """A point in whole centimetres."""
    return round(x * 100), round(z * 100)


def _near(value: float) -> range:
    middle = round(value * 100)
    return range(middle - 2, middle + 3)
