"""One house of ProcWorld with several robots: what one was given, all know."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from sim_bridge.worlds.procworld.house import Point
from sim_bridge.worlds.procworld.state import beginning, State
from sim_bridge.worlds.procworld.world import ProcWorldWorld
from sim_bridge.worlds.shared_world import DrawnMember, Member, robot_names, SharedWorld


@dataclass(frozen=True, slots=True)
class _Body:
    """What is of one robot; fields as of `State`."""

    place: str
    at: Point
    room: str
    held: str = ''
    left: str = ''


class TeamHouse(SharedWorld[ProcWorldWorld]):
    """A house that several robots share; they pass through each other."""

    def _member(self, number: int, who: str) -> Member:
        return DrawnMember(self, number, who)

    def _bring(self, seed: int) -> None:
        """Have every robot but the first at a location that the seed draws."""
        engine = self.home.engine
        choice = Random(f'team {seed}')
        state, bodies = engine.state, [_body_of(engine.state)]
        for _ in list(self.members)[1:]:
            # The robot alone stands at a location too.
            start = choice.choice([*engine.layout.house.location])
            other = beginning(engine.layout, start)
            bodies.append(_body_of(other))
            rooms = dict.fromkeys((*state.rooms, *other.rooms))
            state = replace(state, known=state.known | other.known, rooms=tuple(rooms))
        engine.put_back(state)
        self._bodies, self._active = bodies, 0

    @contextmanager
    def _acting(self, number: int) -> Iterator[None]:
        before = self._active
        self._become(number)
        try:
            yield
        finally:
            self._become(before)

    def _become(self, number: int) -> None:
        if number == self._active:
            return
        engine = self.home.engine
        self._bodies[self._active] = _body_of(engine.state)
        body = self._bodies[number]
        if body.place in engine.state.carried_off:
            # Another robot has taken what this one stood at.
            body = replace(body, place='', left='')
        engine.put_back(
            replace(
                engine.state,
                place=body.place,
                at=body.at,
                room=body.room,
                held=body.held,
                left=body.left,
            )
        )
        self._active = number


def _body_of(state: State) -> _Body:
    return _Body(state.place, state.at, state.room, state.held, state.left)


def first_of_team(robots: int | str = 2, step_limit: int = 0, **options: Any) -> Member:
    """A house for several robots, as the first of them sees it: for studies of teams.

    :param robots: as of `robot_names`. :param step_limit: skills of all robots after which an
        episode ends; 0 for none. :param options: as of `ProcWorldWorld`.
    :raises ConfigurationError: a value is out of range.
    """
    home = ProcWorldWorld(step_limit=step_limit, **options)
    return TeamHouse(home, robot_names(robots)).first
