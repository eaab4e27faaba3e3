"""ReAct: one agent thinks and acts through the whole task, in one growing context.

The baseline of ReAcTree section 5 (`ReAct`, and `ReAct+WM` with `working_memory`). Its examples
are whole tasks that were done the same way. When its context outgrows the model, the oldest steps
and their observations give way; the prompt and a notice of the run say so.

With `free_actions` the model writes its lines as text, as in ProcWorld's experiments (appendices
B.1 and C.3: at most `turns` skills, and `chat_tokens` tokens).
"""

from __future__ import annotations

from reactree_core.experience import Experience, Termination
from reactree_core.record.run_settings import Kept
from reactree_planner.agents.examples import retrieved_examples
from reactree_planner.agents.executor import acted_examples, attempt_task
from reactree_planner.planners.written_steps import attempt_in_text
from reactree_planner.runs.planner import AgentRun, PlannedRun
from reactree_planner.runs.settings import ExecutorPrompt


class ReActPlanner:
    """One node, whose limits are those of the run."""

    name = 'react'

    def run(self, run: PlannedRun) -> bool:
        """Do the task; True when the agent holds that it is done.

        :raises ReactreeError: whatever ended the run early.
        """
        run.start(self.name, Kept.ATTEMPTS)
        retrieves = run.settings.executor_prompt is ExecutorPrompt.RETRIEVED
        examples = whole_task_examples if retrieves else acted_examples
        if run.settings.free_actions:
            attempt = attempt_in_text(run, 1, examples)
        else:
            attempt = attempt_task(run, 1, run.tree.goal, find_examples=examples)
        run.events.end_node(1, attempt.success, attempt.reason)
        return attempt.success


def whole_task_examples(
    run: AgentRun, goal: str, first_observation: str
) -> tuple[Experience, ...]:
    """Whole tasks that this planner has done."""
    return retrieved_examples(
        run,
        goal,
        first_observation,
        lambda kept: kept.termination is not Termination.EXPAND,
        ReActPlanner.name,
    )
