"""What became of the skills of a run, so that none is executed twice."""

from __future__ import annotations

from collections import OrderedDict

from reactree_core.observation import Observation


class ExecutedSkills:
    """Number within a run -> the skill and its observation, the newest ones.

    The action protocol rejects a goal id it knows, but forgets ids some seconds after a goal's
    end; a planner that asks again later, because the answer got lost, gets it from here.

    :param capacity: skills remembered, 1 or more.
    """

    def __init__(self, capacity: int = 1000) -> None:
        self._capacity = capacity
        self._observations: OrderedDict[tuple[str, int], Observation] = OrderedDict()

    def remember(self, run_id: str, observation: Observation) -> None:
        """Keep what a skill answered; one outside a run ('') is not kept.

        :param run_id: 32 hexadecimal digits.
        """
        if not run_id:
            return
        self._observations[run_id, observation.sequence] = observation
        if len(self._observations) > self._capacity:
            self._observations.popitem(last=False)

    def recall(self, run_id: str, sequence: int) -> Observation | None:
        """What the skill of this number answered, or None when it is not known."""
        return self._observations.get((run_id, sequence))
