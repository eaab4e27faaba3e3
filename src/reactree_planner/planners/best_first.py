"""Best-first search over the action tree: a score decides at its forks, without asking the model.

Tree-Planner appendix C.5. By language: how likely the model found each step when it wrote the
plans, summed over the plans that share it. By environment: whether all that a step handles is in
sight. Hybrid: both, weighted. Everything else is as in Tree-Planner.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from reactree_core.usage import LlmUsage, NO_USAGE
from reactree_planner.planners.action_tree import ActionNode
from reactree_planner.planners.plans.steps import Step
from reactree_planner.planners.tree_planner import TreePlanner, TreeWalk
from reactree_planner.runs.planner import PlannedRun
from reactree_planner.runs.settings import Score


class BestFirstPlanner(TreePlanner):
    """Plans one run at a time."""

    name = 'best_first'

    def _new_walk(self, run: PlannedRun) -> TreeWalk:
        return _BestFirstWalk(run)


class _BestFirstWalk(TreeWalk):
    def _best(
        self, node_id: int, ranked: Sequence[ActionNode]
    ) -> tuple[ActionNode, str, LlmUsage]:
        run = self._run
        run.acting.look(node_id)
        plans = run.settings.plans
        scores = scores_of(
            [branch.likelihood for branch in ranked],
            [observable(run, branch.step) for branch in ranked],
            plans.score,
            plans.language_share,
        )
        best = max(range(len(ranked)), key=lambda index: scores[index])
        scores_text = ', '.join(
            f'{branch.text} {score:.2f}' for branch, score in zip(ranked, scores, strict=True)
        )
        reason = f'{ranked[best].text}: best by {plans.score.value} of {scores_text}'
        return ranked[best], reason, NO_USAGE


def scores_of(
    likelihoods: Sequence[float], in_sight: Sequence[bool], score: Score, language_share: float
) -> tuple[float, ...]:
    """The evaluation function of each of several steps; they add up to 1.

    :param likelihoods: sum of a step's probabilities over the plans that share it, 0 or more.
    :param in_sight: whether all that a step handles is.
    :param language_share: alpha of the hybrid score, 0..1.
    """
    total = sum(likelihoods)
    count = len(likelihoods)
    language = [part / total if total > 0.0 else 1.0 / count for part in likelihoods]
    weights = [math.exp(1.0 if seen else 0.0) for seen in in_sight]
    environment = [weight / sum(weights) for weight in weights]
    if score is Score.LANGUAGE:
        language_share = 1.0
    elif score is Score.ENVIRONMENT:
        language_share = 0.0
    return tuple(
        language_share * said + (1.0 - language_share) * seen
        for said, seen in zip(language, environment, strict=True)
    )


def observable(run: PlannedRun, step: Step | None) -> bool:
    """Whether everything that a step names is seen, held, or where the robot is.

    A step that names nothing is.
    """
    asked = step.asked if step is not None else None
    if asked is None:
        return True
    now = run.world.belief.observation
    names = {now.place, now.room, *now.held}
    for fact in now.facts:
        names.update((fact.name, fact.receptacle, fact.room))
    for skill in run.world.belief.skills.parse_all(now.admissible_skills):
        names.update(skill.values)
    return all(
        any(mention.matches(name) for name in names if name)
        for mention in (asked.mention, *asked.others)
    )
