"""The bridges of several robots as one team, which one planner has."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from rclpy.node import Node

from reactree_core.cancellation import CancelToken
from reactree_core.errors import ConfigurationError, SkillError
from reactree_planner.ros.bridge_services import SkillDeadlines
from reactree_planner.ros.skill_client import RosSkillServer
from reactree_planner.ros.watched_stop import Stop, WatchedStop
from reactree_planner.team.skill_servers import TeamOfServers
from reactree_ros.msg import BridgeStatus

_NAME = re.compile('[A-Za-z_][A-Za-z0-9_]*')


def check_team(robots: Sequence[str], has_words: bool = False) -> None:
    """:raises ConfigurationError: these are no names of robots, or there are words for them."""
    if len(set(robots)) < len(robots) or not all(map(_NAME.fullmatch, robots)):
        raise ConfigurationError(
            f'the team is {", ".join(robots)}: give each robot a name of its own, of letters, '
            'digits and underscores; it is the namespace of its bridge'
        )
    if has_words:
        raise ConfigurationError(
            'skill_vocabulary is for one robot: leave it empty for a team, whose robots declare '
            'their words themselves'
        )


class RosTeam(TeamOfServers):
    """Clients of the bridges of a team (port `TeamSkillServer`). Used by one run at a time.

    :param deadlines: as of `RosSkillServer`. :param robots: their namespaces below that of the
        node, in the order of the team.
    """

    def __init__(
        self, node: Node, deadlines: Callable[[], SkillDeadlines], robots: Sequence[str]
    ) -> None:
        self.robots = {who: RosSkillServer(node, deadlines, who) for who in robots}
        super().__init__(self.robots)
        self.run_id = ''
        #: Numbers of skills of the run that a person has approved.
        self.approved: set[int] = set()

    @property
    def _every(self) -> list[RosSkillServer]:
        return list(self.robots.values())

    @property
    def _there(self) -> list[RosSkillServer]:
        """Those of which is not known that they are gone."""
        return [one for one in self._every if one.status is not None and not one.lost]

    def begin(self, run_id: str, since: float = 0.0) -> None:
        """Work for a run; as of one robot."""
        self.run_id = run_id
        self.approved.clear()
        for one in self._every:
            one.begin(run_id, since)
            # A person approves a skill, whoever does it.
            one.approved = self.approved

    def when_stopped(self, listener: Callable[[Stop], None]) -> None:
        """Have somebody called, from any thread, once no robot is left that was not stopped."""

        def pressed(stop: Stop) -> None:
            if all(one.stopped is not None for one in self._every):
                listener(stop)

        for one in self._every:
            one.when_stopped(pressed)

    @property
    def known_words(self) -> frozenset[str]:
        """Words of what any robot can do and knows."""
        return frozenset().union(*(one.known_words for one in self._every))

    @property
    def stops(self) -> tuple[WatchedStop, ...]:
        """Of its robots."""
        return tuple(one.stop for one in self._every)

    def press(self, why: str) -> None:
        """Take the emergency stop of every robot for pressed. :param why: a sentence."""
        for one in self._every:
            one.press(why)

    def stopped_since(self, at: float) -> Stop | None:
        """The last press, where every robot was stopped since a time; None where one was not."""
        stops = [one.stopped_since(at) for one in self._every]
        known = [one for one in stops if one is not None]
        return max(known, key=lambda one: one.at) if len(known) == len(stops) else None

    @property
    def traceparent(self) -> Callable[[int], str]:
        """Trace context of a skill of the run, by its number."""
        return self._every[0].traceparent

    @traceparent.setter
    def traceparent(self, source: Callable[[int], str]) -> None:
        for one in self._every:
            one.traceparent = source

    def find(self, cancel: CancelToken, resumes: bool = False) -> None:
        """Wait until the bridges are there.

        :param resumes: whether a run goes on: then a robot may be gone that others go on without.
        :raises SkillError: one came not in time, or all did not. :raises CanceledError: stopped.
        """
        missing = []
        for one in self._every:
            try:
                one.find(cancel)
            except SkillError as error:
                missing.append(error)
                if not resumes or len(missing) == len(self.robots):
                    raise

    def wait_until_idle(self, cancel: CancelToken) -> None:
        """Wait until no skill runs that others have asked for. :raises SkillError: one does."""
        for one in self._there:
            one.wait_until_idle(cancel)

    def settle(self, cancel: CancelToken) -> None:
        """Wait until no skill runs that was asked for. :raises SkillRunsError: one does."""
        for one in self._there:
            one.settle(cancel)

    def is_there(self, who: str) -> bool:
        """Whether a robot's bridge is there and does nothing, and no stop has ended its part."""
        one = self.robots[who]
        if one.stopped is not None or one.stop.held:
            return False
        ready = one.status is not None and one.status.state == BridgeStatus.STATE_READY
        return ready and not one.lost

    @property
    def lacks(self) -> str:
        """What bridges say that people should know; '' for nothing."""
        missing = (f'{who}: {one.lacks}' for who, one in self.robots.items() if one.lacks)
        return ' '.join(missing)

    @property
    def lost(self) -> bool:
        """Whether all bridges were there and went silent."""
        return all(one.lost for one in self._every)

    @property
    def simulated(self) -> bool:
        """Whether all bridges said that nothing real moves: those that are gone may come back."""
        return all(one.simulated for one in self._every)

    @property
    def status(self) -> BridgeStatus | None:
        """Of the first bridge that moves something real; else of the first that is there."""
        there = [one.status for one in self._there if one.status is not None]
        real = [one for one in there if not one.simulated]
        return next(iter((*real, *there)), None)

    def world_state(self, cancel: CancelToken) -> Any | None:
        """Answer of `get_world_state` of the first bridge that has one; None where none has."""
        for one in self._there:
            state = one.world_state(cancel)
            if state is not None:
                return state
        return None
