"""Iterative-Planner and its two ways to correct: one step at a time, seen before the next.

Tree-Planner sections 1, 2 and 4: the step is free text, translated and grounded; what the robot
sees is added to the prompt. Without corrections a failed step ends the run; LOCAL REPLAN writes
another step in its place; GLOBAL REPLAN writes the whole plan anew from its beginning.
"""

from __future__ import annotations

from reactree_core.record.run_settings import Kept
from reactree_core.record.trajectory import act_block
from reactree_core.record.trajectory_text import ACT, single_line
from reactree_core.usage import LlmUsage, NO_USAGE
from reactree_planner.agents.node_context import NodeContext
from reactree_planner.planners.plans.execution import (
    conclude,
    Corrections,
    error_text,
    StepResult,
    StepRunner,
)
from reactree_planner.planners.plans.grounding import step_parts
from reactree_planner.planners.plans.steps import Step, step_reader
from reactree_planner.runs.planner import PlannedRun
from reactree_planner.runs.settings import OnInadmissible

#: Of a step that is written again.
_RETRY_TEMPERATURE = 0.7


class IterativePlanner:
    """Writes the next step, does it, reads what came of it."""

    name = 'iterative'
    _kept = Kept.PLANS

    def run(self, run: PlannedRun) -> bool:
        """Plan and act to the end; True when the model wrote that the task is done.

        :raises ReactreeError: whatever ended the run early.
        """
        run.start(self.name, self._kept)
        self._run = run
        self._reader = step_reader(run)
        self._steps = StepRunner(run)
        self._carried = NO_USAGE
        #: Steps that failed or changed nothing, by what had been done before them.
        self._useless: dict[tuple[str, ...], set[str]] = {}
        self._lessons: list[str] = []
        self._context = self._begun(self._steps.begin(1))
        try:
            return self._run_to_end()
        finally:
            self._context.end()

    def _run_to_end(self) -> bool:
        run = self._run
        corrections = self._corrections()
        while True:
            run.acting.before_decision()
            self._context.make_room()
            line, step = self._next_step()
            if step is not None and step.ends_plan:
                return conclude(run, 1, True, self._take_usage())
            tried = self._situation
            result = self._tried(line, step)
            block = act_block(result.skill, result.text)
            self._context.session.append(block)
            self._context.history.append(block)
            if self._situation == tried:
                self._useless.setdefault(tried, set()).add(step.text if step else line)
            if result.succeeded:
                continue
            if corrections is None:
                if run.settings.plans.on_inadmissible is OnInadmissible.STOP:
                    return conclude(run, 1, False, reason='a step could not be done')
            elif corrections.take():
                self._correct(result)
            else:
                return conclude(run, 1, False, reason=corrections.used_up_text)

    def _begun(self, first_observation: str) -> NodeContext:
        run = self._run
        parts = step_parts(run, first_observation, self._lessons)
        return NodeContext(run, run.tree.goal, parts, run.settings.plans.step_tokens)

    @property
    def _situation(self) -> tuple[str, ...]:
        return tuple(step.skill for step in self._steps.done)

    def _next_step(self) -> tuple[str, Step | None]:
        """What the model writes next, and the step it says; none that was useless here, if it can.

        Nothing of it is in the session yet: what is run may have another wording.
        """
        settings = self._run.settings
        useless = self._useless.get(self._situation, set())
        tries = settings.plans.step_tries
        for attempt in range(tries):
            with self._context.fork() as fork:
                fork.append(ACT)
                line = fork.generate(
                    max_tokens=settings.plans.step_tokens,
                    temperature=_RETRY_TEMPERATURE if attempt else 0.0,
                    seed=settings.seed_of(len(useless) * tries + attempt),
                )
            line = single_line(line)
            step = self._reader.read(line)
            if (step.text if step else line) not in useless:
                break
        return line, step

    def _tried(self, line: str, step: Step | None) -> StepResult:
        if step is not None:
            return self._steps.try_step(1, step, self._take_usage())
        templates = ', '.join(self._run.world.belief.vocabulary.templates)
        text = f'"{line}" is no skill of the robot; its skills are: {templates}.'
        self._run.events.refuse(1, text, self._take_usage())
        return StepResult(line, False, text)

    def _take_usage(self) -> LlmUsage:
        usage, self._carried = self._carried + self._context.take_usage(), NO_USAGE
        return usage

    def _corrections(self) -> Corrections | None:
        """None when failed steps are not corrected."""
        return None

    def _correct(self, result: StepResult) -> None:
        """Make ready for another step after a failed one."""


class LocalReplanner(IterativePlanner):
    """Writes another step where one failed (LOCAL REPLAN)."""

    name = 'local_replan'

    def _corrections(self) -> Corrections:
        return Corrections(self._run.settings.plans.corrections)

    def _correct(self, result: StepResult) -> None:
        note = f'{error_text(result)} Another step is needed here.\n'
        self._context.session.append(note)
        self._context.history.append(note)


class GlobalReplanner(IterativePlanner):
    """Takes everything back and begins the whole plan anew where a step failed (GLOBAL REPLAN)."""

    name = 'global_replan'
    _kept = Kept.FRESH_PLANS

    def _corrections(self) -> Corrections:
        # Nothing is done yet: this is where every correction goes back to.
        self._beginning = self._steps.moment()
        return Corrections(self._run.settings.plans.corrections)

    def _correct(self, result: StepResult) -> None:
        done = '; '.join(self._situation)
        after = f'After {done}: ' if done else 'At once: '
        self._lessons.append(after + error_text(result))
        self._steps.undo(1, self._beginning)
        anew = self._begun(self._steps.begin(1))
        self._carried += self._context.take_usage()
        self._context.end()
        self._context = anew
