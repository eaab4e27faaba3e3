"""The skill servers of several robots as one port: each skill is waited for in a thread."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from queue import Empty, SimpleQueue

from reactree_core.cancellation import CancelToken
from reactree_core.errors import (
    BridgeLostError,
    CanceledError,
    ReactreeError,
    RobotStoppedError,
    SkillError,
    SkillResultError,
)
from reactree_core.observation import (
    Observation,
    Outcome,
    Progress,
    ROBOT_STOPPED,
    Vocabulary,
)
from reactree_core.ports import Listed, SkillServer, TellingSkillServer
from reactree_core.skill_types import SkillType
from reactree_core.whole_team import seen_by_all, whole_of
from reactree_planner.resume.held_skill import executed
from reactree_planner.resume.skill_in_doubt import settled

#: How often a wait looks whether its run was canceled, in seconds.
_POLL = 0.05
#: Seconds that skills which were canceled have to end.
_END = 5.0


class TeamOfServers:
    """Port `TeamSkillServer` over a skill server for each robot.

    :param servers: by the names of their robots, in the order of the team; used from several
        threads, each by one at a time.
    """

    def __init__(self, servers: Mapping[str, SkillServer]) -> None:
        self._servers = dict(servers)
        self._types: dict[str, tuple[SkillType, ...]] = {}
        #: Skills that have ended, each with the token of the run that asked for it: one that was
        #: canceled may end after its run, and says nothing to the next.
        self._ended: SimpleQueue[tuple[CancelToken, Observation | ReactreeError]] = SimpleQueue()
        self._running: dict[str, threading.Thread] = {}

    def list_team(self, cancel: CancelToken) -> tuple[Listed, ...]:
        """The robots, what they can do, and what they see."""
        listed = []
        for who, server in self._servers.items():
            vocabulary, seen = server.list_skills(cancel)
            self._types[who] = vocabulary.skills
            listed.append(Listed(who, vocabulary, replace(seen, who=who)))
        return tuple(listed)

    def list_skills(self, cancel: CancelToken) -> tuple[Vocabulary, Observation]:
        """What the robots can do together, and what the first of them sees."""
        return whole_of(self.list_team(cancel))

    def look_of(self, who: str, cancel: CancelToken) -> Observation:
        """What one robot sees now."""
        return replace(self._servers[who].look(cancel), who=who)

    def is_there(self, who: str) -> bool:
        """Whether a robot that was lost can be used again."""
        return False

    def send(
        self,
        who: str,
        sequence: int,
        node_id: int,
        skill: str,
        cancel: CancelToken,
        before: Observation | None = None,
    ) -> None:
        """Have a robot begin a skill; see the port."""

        def work() -> None:
            ended = self._done(who, sequence, node_id, skill, cancel, before)
            self._ended.put((cancel.whole, ended))

        self._running[who] = threading.Thread(target=work, name=f'skill of {who}', daemon=True)
        self._running[who].start()

    def _done(
        self,
        who: str,
        sequence: int,
        node_id: int,
        skill: str,
        cancel: CancelToken,
        before: Observation | None,
    ) -> Observation | ReactreeError:
        """What came of a skill; an error that ends the run."""
        server = self._servers[who]
        try:
            if before is None:
                seen = executed(server, sequence, node_id, skill, cancel)
            else:
                asked = sequence, node_id, skill
                seen = settled(server, self._types.get(who, ()), before, asked, cancel)
        except BridgeLostError as error:
            seen = Observation(str(error), Outcome.BRIDGE_LOST)
        except RobotStoppedError as error:
            seen = Observation(f'{ROBOT_STOPPED} {error}', Outcome.BRIDGE_LOST)
        except SkillResultError as error:
            seen = self._seen_after(who, error, cancel)
        except CanceledError as error:
            return error
        except SkillError as error:
            # It was not taken: the robot is there, and nothing has changed by it.
            seen = self._seen_after(who, error, cancel)
        return replace(seen, who=who, skill=skill, sequence=sequence, node_id=node_id)

    def _seen_after(self, who: str, error: SkillError, cancel: CancelToken) -> Observation:
        """What is seen after a skill that has no usable answer."""
        try:
            seen = self._servers[who].look(cancel.whole)
        except ReactreeError as gone:
            return Observation(f'{error} {gone}', Outcome.BRIDGE_LOST)
        text = f'{error} What is seen now: {seen.text}'
        return replace(seen, text=text, outcome=Outcome.EXECUTION_FAILED)

    def next_ended(self, cancel: CancelToken) -> Observation:
        """Wait for the skill that ends next; see the port."""
        while True:
            try:
                asked_by, ended = self._ended.get(timeout=_POLL)
            except Empty:
                if cancel.canceled:
                    self._let_end()
                    cancel.check()
                continue
            if asked_by is not cancel.whole:
                continue
            if isinstance(ended, ReactreeError):
                self._let_end()
                raise ended
            return ended

    def _let_end(self) -> None:
        """Wait until the skills that were canceled have ended."""
        for thread in self._running.values():
            thread.join(_END)

    # As one robot ------------------------------------------------------------------------------

    @property
    def _first(self) -> SkillServer:
        return next(iter(self._servers.values()))

    def candidate_skills(self, cancel: CancelToken) -> tuple[str, ...]:
        """The wider published set, of all."""
        found = (one.candidate_skills(cancel) for one in self._servers.values())
        return tuple(dict.fromkeys(text for texts in found for text in texts))

    def look(self, cancel: CancelToken) -> Observation:
        """What the robots see that are there, given by the first of them.

        :raises SkillError: none of them answers.
        """
        seen = []
        for number, (who, server) in enumerate(self._servers.items(), 1):
            try:
                seen.append(replace(server.look(cancel), who=who))
            except SkillError:
                if number == len(self._servers) and not seen:
                    raise
        return seen_by_all(seen)

    def listen(self, listener: Callable[[], None]) -> bool:
        """Have somebody told of changes; whether every robot reports them."""
        reported = [
            isinstance(one, TellingSkillServer) and one.listen(listener)
            for one in self._servers.values()
        ]
        return all(reported)

    def execute(self, sequence: int, node_id: int, skill: str, cancel: CancelToken) -> Observation:
        """Not possible: nobody says which robot."""
        raise SkillError('A team does nothing as one robot: say which of them does it.')

    def progress(self, cancel: CancelToken) -> Progress | None:
        """Goal conditions met, as the first robot can judge that is there."""
        for server in self._servers.values():
            try:
                return server.progress(cancel)
            except BridgeLostError:
                continue
        return None

    def reset(self, cancel: CancelToken) -> None:
        """Put the world back, where one of the robots can."""
        self._first.reset(cancel)
