"""Reflexion: after a failed trial the agent writes down what to do better, and tries again.

As ADaPT section 4.2 sets it up: the executor of all planners, its own judgement of success, at
most `trials` trials, each in the world as it was at first. A robot has no such world, so this
planner refuses to begin there. ProcWorld reruns AgentBench this way: `trials_by=agentbench`.
"""

from __future__ import annotations

from reactree_core.errors import BridgeLostError, SkillError
from reactree_core.record import trajectory_text
from reactree_core.record.run_settings import Kept
from reactree_planner.agents.chatting import attempt_chat
from reactree_planner.agents.executor import Attempt, attempt_task
from reactree_planner.agents.node_context import NodeContext
from reactree_planner.planners.try_again import has_succeeded, run_trials
from reactree_planner.prompting import reactree_prompt as prompt
from reactree_planner.prompting.reactree_prompt import PromptParts
from reactree_planner.runs.planner import PlannedRun
from reactree_planner.runs.settings import TrialsBy


class ReflexionPlanner:
    """Trials that are told what the earlier ones have learned."""

    name = 'reflexion'

    def run(self, run: PlannedRun) -> bool:
        """Try and reflect until the executor holds that the task is done; True when it does.

        :raises SkillError: the world cannot be put back to its beginning.
        :raises ReactreeError: whatever else ended the run early.
        """
        self._reflections: list[str] = []
        run.start(self.name, Kept.TRIALS)
        self._begin_anew(run, 1)
        return run_trials(run, lambda node_id, trial: self._try(run, node_id, trial))

    def _begin_anew(self, run: PlannedRun, node_id: int) -> None:
        """Have every trial start alike, the first too: who cannot be reset is refused at once."""
        try:
            if not run.settings.reset_world:
                raise SkillError('The parameter reset_world forbids it.')
            run.world.reset(node_id)
        except BridgeLostError:
            raise
        except SkillError as error:
            raise SkillError(
                f'The planner {self.name} needs a world that can be reset to the start of a task. '
                f'{error} Choose try_again or adapt, which need no reset.'
            ) from error

    def _try(self, run: PlannedRun, node_id: int, trial: int) -> Attempt:
        if trial:
            self._begin_anew(run, node_id)
        settings = run.settings
        lessons = prompt.lessons(self._reflections)
        if settings.trials_by is TrialsBy.AGENTBENCH:
            attempt = attempt_chat(run, node_id, run.tree.goal, lessons, trial)
        else:
            attempt = attempt_task(
                run, node_id, run.tree.goal, lessons, settings.executor_decisions, trial
            )
        if trial + 1 < run.settings.trials:
            progress = run.world.progress() if run.settings.judged_trials else None
            if not has_succeeded(attempt, progress, run.settings):
                self._reflect(run, node_id)
        return attempt

    def _reflect(self, run: PlannedRun, node_id: int) -> None:
        """Write down, as a thought of the trial's node, what the next trial should know."""
        run.budget.check()
        trajectory = run.trajectories.of(node_id)
        parts = PromptParts(
            run.prompts.text('reflection'),
            (),
            prompt.lessons(self._reflections) + trajectory_text.task_line(run.tree.goal),
            trajectory.first_observation,
            tuple(trajectory.steps),
            words=run.prompts.domain.words,
        )
        context = NodeContext(run, run.tree.goal, parts, run.settings.reflection_tokens)
        try:
            context.session.append(prompt.REFLECTION)
            text = context.session.generate(
                max_tokens=run.settings.reflection_tokens, seed=run.settings.seed
            )
            reflection = trajectory_text.single_line(text, 1000)
            run.events.think(node_id, f'Reflection: {reflection}', context.take_usage())
        finally:
            context.end()
        if reflection:
            self._reflections.append(reflection)
