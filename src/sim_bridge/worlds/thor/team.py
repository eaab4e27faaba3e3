"""One room of AI2-THOR with several agents, by its `agentCount`: one program for all of them.

Every action names its agent (`agentId`), and every event says each agent what it sees
(AgentManager.cs of AI2-THOR 5.0.0).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from random import Random
from typing import Any

from reactree_core.errors import ConfigurationError
from sim_bridge.worlds.shared_world import Member, robot_names, SharedWorld
from sim_bridge.worlds.thor.client import ThorClient
from sim_bridge.worlds.thor.dialects import Action
from sim_bridge.worlds.thor.metadata import distance, Metadata, succeeded, thing_by_id
from sim_bridge.worlds.thor.skills import Robot
from sim_bridge.worlds.thor.world import ThorWorld

_TURNS = (0.0, 90.0, 180.0, 270.0)
#: Degrees that robots look down at first, and points that are tried for each.
_HORIZON, _TRIES = 30.0, 40
#: Metres that a thing may move while it lies where it lay.
_STILL = 0.05


class Agent:
    """One of several agents (port `ThorAgent`).

    :param client: of all of them. :param number: of this one, from 0.
    """

    def __init__(self, client: ThorClient, number: int) -> None:
        self._client, self._number = client, number
        self.dialect = client.dialect

    def do(self, action: Action) -> Metadata:
        """One action of this agent. :raises WorldGoneError: the program is gone."""
        return self._client.do({**action, 'agentId': self._number})

    def told(self) -> Metadata:
        """What the last event, of whichever agent, tells this one."""
        return self._client.told()[self._number]


class TeamRoom(SharedWorld[ThorWorld]):
    """A room that several robots share; they stand in each other's way."""

    def _bring(self, seed: int) -> None:
        """Have every robot but the first at a point that the seed draws.

        :raises ConfigurationError: the program does not have so many agents.
        """
        client, count = self.home.client, len(self.members)
        begin = {'action': 'Initialize', **client.dialect.initialization(), 'agentCount': count}
        client.do_slowly(begin)
        if len(client.told()) < count:
            raise ConfigurationError(
                f'the program has {len(client.told())} agents in {self.home.scene}, not {count}'
            )
        self._agents = [Agent(client, number) for number in range(count)]
        self._robots = [_robot_of(agent, self.home.robot) for agent in self._agents]
        choice = Random(f'team {seed}')
        for robot in self._robots[1:]:
            _stand_somewhere(robot, choice)

    @contextmanager
    def _acting(self, number: int) -> Iterator[None]:
        robot, metadata = self._robots[number], self._agents[number].told()
        if _is_carried_off(robot.receptacle, robot.metadata, metadata):
            robot.receptacle = ''
        if _is_carried_off(robot.visited, robot.metadata, metadata):
            robot.visited = ''
        robot.metadata = metadata
        self.home.robot = robot
        yield


def _robot_of(agent: Agent, like: Robot) -> Robot:
    """A robot beside another: names, memory, and what is treated, are of all."""
    robot = copy(like)
    robot.client, robot.metadata = agent, agent.told()
    return robot


def _stand_somewhere(robot: Robot, choice: Random) -> None:
    """Where the program lets it stand; else it stays where the program has put it."""
    for _ in range(_TRIES):
        x, y, z = choice.choice(robot.points.tolist())
        turned = choice.choice(_TURNS)
        for action in robot.client.dialect.teleports((x, y, z), turned, _HORIZON):
            if succeeded(robot.do(action)):
                return


def _is_carried_off(object_id: str, before: Metadata, now: Metadata) -> bool:
    """Whether somebody else has moved a thing, or cut it up."""
    old, new = thing_by_id(before, object_id), thing_by_id(now, object_id)
    return old is not None and (new is None or distance(old, new) > _STILL)


def first_of_team(robots: int | str = 2, **options: Any) -> Member:
    """A room for several robots, as the first of them sees it: for studies of teams.

    :param robots: as of `robot_names`; the program has at most 6.
    :param options: as of `ThorWorld`.
    :raises ConfigurationError: a value is out of range.
    """
    return TeamRoom(ThorWorld(**options), robot_names(robots)).first
