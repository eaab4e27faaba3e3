"""The reader of a run's steps, with the encoder of sentences behind it where there is one."""

from __future__ import annotations

from reactree_planner.planners.plans.steps import StepReader
from reactree_planner.planners.plans.translation import StepTranslator
from reactree_planner.planners.run import PlanRun


def step_reader(run: PlanRun) -> StepReader:
    """A reader in the words of the run's skill server; the encoder is made when first needed."""
    if run.ports.embedder is None:
        return StepReader(run.knowledge)
    translator = StepTranslator(run.ports.embedder, run.settings.plans.least_similarity)
    return StepReader(run.knowledge, translator.nearest)
