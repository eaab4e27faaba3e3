"""ALFChat: AgentBench's conversation, joined by a grounding agent with common sense.

ProcWorld appendix B.3, after AutoGen's three agents: the assistant is the model, the executor does
what it says, and the grounding agent speaks up where the assistant makes the same mistake again.
What it knows is a text of the domain, as published: no model is asked for it.
"""

from __future__ import annotations

from reactree_planner.agents.chatting import ChatActor
from reactree_planner.agents.situation import NodeSituation
from reactree_planner.planners.agentbench import AgentBenchPlanner
from reactree_planner.runs.planner import PlannedRun

#: Failures in a row, and actions of which at most two are different, after which it speaks up;
#: and how often, before the attempt has failed (StateFlow's ALFWorld/src/multichat_utils.py).
_FAILURES = 3
_WINDOW, _DIFFERENT = 4, 2
_MOST_HINTS = 10


class AlfChatPlanner(AgentBenchPlanner):
    """One node, which holds one conversation of three."""

    name = 'alfchat'

    def adviser(self, run: PlannedRun, situation: NodeSituation) -> GroundingAgent:
        """Who joins it."""
        return GroundingAgent(run, situation)


class GroundingAgent:
    """Knows what everybody knows, and says it at first and where it was not heeded."""

    def __init__(self, run: PlannedRun, situation: NodeSituation) -> None:
        self._run = run
        self._situation = situation
        self._common_sense = run.prompts.text('common_sense').strip()
        self._read = 0
        self._failures = 0
        self._hints = 0

    def opening(self) -> str:
        """What it knows."""
        return self._common_sense

    def advise(self, actor: ChatActor) -> bool | None:
        """Speak up after repeated mistakes; False when that has helped too often."""
        if not self._sees_a_mistake_again():
            return None
        if self._hints == _MOST_HINTS:
            self._run.events.conclude(
                1, 'failure', actor.context.take_usage(), f'{_MOST_HINTS} hints did not help'
            )
            return False
        self._hints += 1
        self._failures = 0
        actor.advise(f'{self._common_sense}')
        return None

    def _sees_a_mistake_again(self) -> bool:
        done = self._situation.done
        if len(done) == self._read:
            return False
        self._read = len(done)
        failed = not self._run.world.belief.observation.succeeded
        self._failures = self._failures + 1 if failed else 0
        last = done[-_WINDOW:]
        stuck = len(done) >= _WINDOW and len(set(last)) <= _DIFFERENT
        return stuck or self._failures == _FAILURES
