"""Try Again: the executor tries the whole task several times, and the best counts (ADaPT 4.2).

Nothing is carried from one trial to the next; later ones are sampled. The first success ends them,
or all are made (`all_trials`, as in the paper). In the paper every trial
starts anew in a benchmark's world. Here the world is put back where it can be; a robot goes on in
the world as its last trial has left it, and a notice says so.
"""

from __future__ import annotations

from collections.abc import Callable

from reactree_core.errors import BridgeLostError, SkillError
from reactree_core.observation import Progress
from reactree_core.record.events import ControlFlow
from reactree_core.record.run_settings import Kept
from reactree_planner.agents.executor import Attempt, attempt_task
from reactree_planner.runs.planner import PlannedRun
from reactree_planner.runs.settings import PlannerSettings


class TryAgainPlanner:
    """Trials without a memory of each other."""

    name = 'try_again'

    def run(self, run: PlannedRun) -> bool:
        """Try until the executor holds that the task is done; True when it does.

        :raises ReactreeError: whatever ended the run early.
        """
        self._resets = run.settings.reset_world
        run.start(self.name, Kept.TRIALS)
        return run_trials(run, lambda node_id, trial: self._try(run, node_id, trial))

    def _try(self, run: PlannedRun, node_id: int, trial: int) -> Attempt:
        if trial and self._resets:
            self._put_back(run, node_id)
        return attempt_task(
            run, node_id, run.tree.goal, '', run.settings.executor_decisions, trial
        )

    def _put_back(self, run: PlannedRun, node_id: int) -> None:
        try:
            run.world.reset(node_id)
        except BridgeLostError:
            raise
        except SkillError as error:
            self._resets = False
            run.notify(f'Every trial goes on where the last one ended. {error}')


#: Has a node make a trial, given its number from 0.
MakeTrial = Callable[[int, int], Attempt]


def run_trials(run: PlannedRun, make_trial: MakeTrial) -> bool:
    """Make trials until one succeeds, or all of them; True when one did.

    What the best of them achieved, where the bridge can judge, is in `run.best`.

    :param make_trial: must not end its node: this does.
    """
    count = run.settings.trials
    flow = ControlFlow.PARALLEL if run.settings.all_trials else ControlFlow.FALLBACK
    labels = [f'{run.tree.goal} (trial {number} of {count})' for number in range(1, count + 1)]
    most = '' if run.settings.all_trials else ' at most'
    children = run.events.grow(1, flow, labels, reason=f'trials, {count}{most}')
    best_trial = 0

    def run_trial(node_id: int) -> bool:
        nonlocal best_trial
        trial = children.index(node_id)
        attempt = make_trial(node_id, trial)
        progress = run.world.progress()
        if is_better(progress, run.best):
            run.best, best_trial = progress, trial
        success = has_succeeded(attempt, progress, run.settings)
        reason = attempt.reason
        if success != attempt.success:
            reason = f'{reason}, but the world says: {progress}'
        run.events.end_node(node_id, success, reason)
        return success

    success = run.run_children(flow, children, run_trial)
    now = run.world.progress()
    if run.best is not None and is_better(run.best, now):
        run.notify(
            f'The best trial, number {best_trial + 1}, ended with {run.best}; the world is as the '
            'last one left it.'
        )
    return success


def has_succeeded(attempt: Attempt, progress: Progress | None, settings: PlannerSettings) -> bool:
    """Whether a trial counts as a success.

    :param progress: at its end, where the world judges.
    """
    if progress is None or not settings.judged_trials:
        return attempt.success
    return progress.success


def is_better(one: Progress | None, other: Progress | None) -> bool:
    """Whether one came further than the other; anything is better than what nobody could judge."""
    return one is not None and (other is None or one.ratio > other.ratio)
