"""Try Again: the executor tries the whole task several times, and the best counts (ADaPT 4.2).

Nothing is carried from one trial to the next; later ones are sampled. In the paper every trial
starts anew in a benchmark's world. Here the world is put back where it can be; a robot goes on in
the world as its last trial has left it, and a notice says so.
"""

from __future__ import annotations

from reactree_core.errors import BridgeLostError
from reactree_core.errors import SkillError
from reactree_planner.planners.executor import Attempt
from reactree_planner.planners.executor import attempt_task
from reactree_planner.planners.run import PlanRun
from reactree_planner.planners.trials import run_trials
from reactree_planner.tree.trajectory import Kept


class TryAgainPlanner:
    """Trials without a memory of each other."""

    name = 'try_again'

    def run(self, run: PlanRun) -> bool:
        """Try until the executor holds that the task is done; True when it does.

        :raises ReactreeError: whatever ended the run early.
        """
        self._resets = run.settings.reset_world
        run.start(self.name, Kept.TRIALS)
        return run_trials(run, lambda node_id, trial: self._try(run, node_id, trial))

    def _try(self, run: PlanRun, node_id: int, trial: int) -> Attempt:
        if trial and self._resets:
            self._put_back(run, node_id)
        return attempt_task(run, node_id, run.task, '', run.settings.executor_decisions, trial)

    def _put_back(self, run: PlanRun, node_id: int) -> None:
        try:
            run.reset(node_id)
        except BridgeLostError:
            raise
        except SkillError as error:
            self._resets = False
            run.tell(f'Every trial goes on where the last one ended. {error}')
