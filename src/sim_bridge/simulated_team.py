"""Several robots in one simulated world, at the same time: a clock that jumps from end to end.

Nothing runs in threads and nothing waits: of the skills under way the one that ends first is done
next, at its time. So a run is the same each time, and says how long the work would have taken.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Mapping
from dataclasses import replace

from reactree_core.cancellation import CancelToken
from reactree_core.errors import BridgeLostError, SkillError
from reactree_core.observation import Observation, Outcome, Progress, Vocabulary
from reactree_core.ports import Listed
from reactree_core.whole_team import seen_by_all, whole_of
from reactree_core.world import World
from sim_bridge.in_process_skill_server import with_skills

#: Robot and skill -> how long it takes.
Duration = Callable[[str, str], float]
LOST = 'The skill server of {who} disappeared; what its last skill has done is not known.'


def one_each(who: str, skill: str) -> float:
    """Every skill takes as long as any other."""
    return 1.0


class SimulatedTeam:
    """Port `TeamSkillServer` over a world as each robot sees it.

    :param worlds: of each robot, in the order of the team: views of one world.
    :param duration: of a skill, in any unit over 0.
    """

    def __init__(self, worlds: Mapping[str, World], duration: Duration = one_each) -> None:
        self._worlds = dict(worlds)
        self._duration = duration
        #: Ends of the skills under way: when, of which robot, and what.
        self._ends: list[tuple[float, int, str, tuple[int, int, str]]] = []
        #: What was done, by whom, in order.
        self.executed: list[tuple[str, str]] = []
        self.lost: set[str] = set()
        #: The time now, and how long each robot has worked.
        self.now = 0.0
        self.worked = dict.fromkeys(self._worlds, 0.0)
        self._begun = 0
        self._answers: dict[int, Observation] = {}

    @property
    def idle_share(self) -> float:
        """The share of the robots' time until now in which they did nothing, 0..1."""
        time = self.now * len(self._worlds)
        return 1.0 - sum(self.worked.values()) / time if time else 0.0

    def list_team(self, cancel: CancelToken) -> tuple[Listed, ...]:
        """The robots, what they can do, and what they see."""
        return tuple(
            Listed(who, world.vocabulary(), self._seen(who)) for who, world in self._worlds.items()
        )

    def list_skills(self, cancel: CancelToken) -> tuple[Vocabulary, Observation]:
        """What the robots can do together, and what the first of them sees."""
        return whole_of(self.list_team(cancel))

    def look_of(self, who: str, cancel: CancelToken) -> Observation:
        """What one robot sees now."""
        if who in self.lost:
            raise BridgeLostError(LOST.format(who=who))
        return self._seen(who)

    def _seen(self, who: str) -> Observation:
        world = self._worlds[who]
        return replace(with_skills(world, world.observe()), who=who)

    def send(
        self,
        who: str,
        sequence: int,
        node_id: int,
        skill: str,
        cancel: CancelToken,
        before: Observation | None = None,
    ) -> None:
        """Have a robot begin a skill; one whose number was done is answered as it was."""
        if any(asked[0] == sequence for _, _, _, asked in self._ends):
            return  # a planner that was interrupted asks again
        lasts = (
            0.0 if sequence in self._answers or who in self.lost else self._duration(who, skill)
        )
        self._begun += 1
        heapq.heappush(
            self._ends, (self.now + lasts, self._begun, who, (sequence, node_id, skill))
        )
        self.worked[who] += lasts

    def next_ended(self, cancel: CancelToken) -> Observation:
        """Go on to the skill that ends next."""
        cancel.check()
        if not self._ends:
            raise SkillError('Nothing is under way that could end.')
        self.now, _, who, (sequence, node_id, skill) = heapq.heappop(self._ends)
        answer = self._answers.get(sequence)
        if answer is None:
            answer = self._done(who, skill)
            if answer.outcome is not Outcome.BRIDGE_LOST:
                self._answers[sequence] = answer
        return replace(answer, who=who, skill=skill, sequence=sequence, node_id=node_id)

    def _done(self, who: str, skill: str) -> Observation:
        if who in self.lost:
            return Observation(LOST.format(who=who), Outcome.BRIDGE_LOST)
        self.executed.append((who, skill))
        return with_skills(self._worlds[who], self._worlds[who].step(skill))

    def lose(self, who: str) -> None:
        """Have a robot disappear: what it does is not done, and it answers no more."""
        self.lost.add(who)

    def bring_back(self, who: str) -> None:
        """Have a robot that had disappeared answer again, where it was."""
        self.lost.discard(who)

    def is_there(self, who: str) -> bool:
        """Whether a robot answers."""
        return who not in self.lost

    # As one robot ------------------------------------------------------------------------------

    def candidate_skills(self, cancel: CancelToken) -> tuple[str, ...]:
        """The wider published set, of all."""
        found = (one.candidate_skills() for one in self._worlds.values())
        return tuple(dict.fromkeys(text for texts in found for text in texts))

    def look(self, cancel: CancelToken) -> Observation:
        """What the robots see that are there, given by the first of them."""
        there = [who for who in self._worlds if who not in self.lost]
        if not there:
            raise BridgeLostError(LOST.format(who='every robot'))
        return seen_by_all([self._seen(who) for who in there])

    def execute(self, sequence: int, node_id: int, skill: str, cancel: CancelToken) -> Observation:
        """Not possible: nobody says which robot."""
        raise SkillError('A team does nothing as one robot: say which of them does it.')

    def progress(self, cancel: CancelToken) -> Progress | None:
        """Goal conditions met."""
        return next(iter(self._worlds.values())).progress()

    def reset(self, cancel: CancelToken) -> None:
        """Not possible."""
        raise SkillError('Nothing here can put this world back to its beginning.')
