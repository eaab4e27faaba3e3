"""Carrying out the steps of a plan: ground, run, remember, take back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reactree_core.usage import LlmUsage
from reactree_core.usage import NO_USAGE
from reactree_planner.planners.offering import DONE
from reactree_planner.planners.offering import FAILURE
from reactree_planner.planners.plans.grounding import ground
from reactree_planner.planners.plans.steps import Step
from reactree_planner.planners.plans.undoing import DoneStep
from reactree_planner.planners.plans.undoing import way_back
from reactree_planner.planners.run import PlanRun
from reactree_planner.prompting.reactree_prompt import quoted
from reactree_planner.tree.trajectory import TAKEN_BACK


@dataclass(frozen=True, slots=True)
class StepResult:
    """What a step came to.

    :param skill: what was run; the step itself when nothing was.
    :param text: what was observed, or why it could not be done; one line.
    """

    skill: str
    succeeded: bool
    text: str


class StepRunner:
    """Runs steps of one task; knows what was done and not taken back."""

    def __init__(self, run: PlanRun) -> None:
        self._run = run
        #: Skills that succeeded and were not taken back, oldest first.
        self.done: list[DoneStep] = []

    def begin(self, node_id: int) -> str:
        """What the robot sees first, as one line; the node begins with it."""
        return quoted(self._run.look(node_id).text)

    def try_step(self, node_id: int, step: Step, usage: LlmUsage = NO_USAGE) -> StepResult:
        """Do a step, or find out why not; either way the run's events tell of it.

        :param usage: model work that led to the step.
        :raises LimitReached: :raises EpisodeOver: no more may be done.
        :raises CanceledError: stopped.
        """
        run = self._run
        run.before_decision()
        knowledge = run.knowledge
        before = knowledge.observation
        only_admissible = run.settings.guards.admissible_only
        skills = before.admissible_skills if only_admissible else run.candidates()
        grounding = ground(step, knowledge, run.permitted(skills))
        if not grounding.skill:
            text = grounding.refusal or f'"{step.text}" is so already.'
            run.think(node_id, text, usage)
            return StepResult(step.text, not grounding.refusal, text)
        observation = run.act(node_id, grounding.skill, usage)
        text = quoted(observation.text)
        if observation.succeeded:
            self.done.append(DoneStep(grounding.skill, text, before.place, before.room))
        run.check_episode()
        return StepResult(grounding.skill, observation.succeeded, text)

    def undo(self, node_id: int, left: int) -> None:
        """Take back all but the first `left` skills, newest first, as far as that can be done.

        Does nothing where the settings say so.
        """
        if not self._run.settings.plans.undo:
            return
        taken_back = self.done[left:]
        del self.done[left:]
        for undoing in way_back(taken_back, self._run.knowledge.skills):
            possible = self._run.knowledge.observation.admissible_skills
            skills: Sequence[str] = undoing.skills
            if skills[-1] in possible:
                skills = skills[-1:]
            for skill in skills:
                if skill in self._run.knowledge.observation.admissible_skills:
                    self._run.before_decision()
                    self._run.act(node_id, skill, NO_USAGE, TAKEN_BACK)


def conclude(
    run: PlanRun, node_id: int, success: bool, usage: LlmUsage = NO_USAGE, reason: str = ''
) -> bool:
    """End an agent node with `done` or `failure`.

    :param reason: for people. :return: `success`, for the caller to return.
    """
    skill = DONE if success else FAILURE
    # Said once: with `done`, or as the reason of the failed node's end.
    run.conclude(node_id, skill, usage, reason if success else '')
    run.end_node(node_id, success, skill if success else reason or skill)
    return success
