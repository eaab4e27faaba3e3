"""The naive buyer: searches for the task's own words and buys the first product (ADaPT, table 7).

It shows what a score is worth that nobody has reasoned for. Only WebShop has its skills.
"""

from __future__ import annotations

from reactree_core.record.run_settings import Kept
from reactree_planner.planners.plans.execution import conclude
from reactree_planner.runs.planner import PlannedRun

#: Buttons of results that are no product, and the one that buys.
_NO_PRODUCT = ('click[Back to Search]', 'click[< Prev]', 'click[Next >]')
_BUY = 'click[Buy Now]'


class NaiveBuyerPlanner:
    """Three skills; no model is used."""

    name = 'naive_buyer'

    def run(self, run: PlannedRun) -> bool:
        """Search, take the first product, buy it; True when the world holds the task for done.

        :raises ReactreeError: whatever ended the run early.
        """
        run.start(self.name, Kept.PLANS)
        run.acting.look(1)
        words = ' '.join(run.task.translate(str.maketrans('[]', '()')).split())
        for choose in (lambda on_offer: f'search[{words}]', _first_product, lambda on_offer: _BUY):
            run.acting.before_decision()
            skill = choose(run.world.belief.observation.admissible_skills)
            observation = run.acting.act(1, skill)
            if not observation.succeeded:
                reason = f'{skill} failed: {observation.text}'
                return conclude(run, 1, False, reason=reason)
        progress = run.world.progress()
        return conclude(run, 1, progress is not None and progress.success, reason='bought')


def _first_product(on_offer: tuple[str, ...]) -> str:
    """The first button of the results that is a product."""
    return next((skill for skill in on_offer if skill not in _NO_PRODUCT), _BUY)
