"""AgentBench: one agent in a conversation, told at each turn which actions are admissible.

ProcWorld appendix B.2, after AgentBench. Its answers are `THOUGHT: ... ACTION: ...`; one worked
task stands before its own.
"""

from __future__ import annotations

from reactree_core.record.run_settings import Kept
from reactree_planner.agents.chatting import Adviser, attempt_chat, NoAdviser
from reactree_planner.agents.situation import NodeSituation
from reactree_planner.runs.planner import PlannedRun


class AgentBenchPlanner:
    """One node, which holds one conversation; further ones have somebody join it."""

    name = 'agentbench'

    def run(self, run: PlannedRun) -> bool:
        """Do the task; True when the agent holds that it is done.

        :raises ReactreeError: whatever ended the run early.
        """
        run.start(self.name, Kept.ATTEMPTS)
        attempt = attempt_chat(
            run, 1, run.tree.goal, make_adviser=lambda situation: self.adviser(run, situation)
        )
        run.events.end_node(1, attempt.success, attempt.reason)
        return attempt.success

    def adviser(self, run: PlannedRun, situation: NodeSituation) -> Adviser:
        """Who joins it."""
        return NoAdviser()
