"""The gold plan: what the world's expert would do, carried out (the bound above all planners).

Only a simulated world in the planner's own process has an expert; a robot has none, and the run
says so before anything moves.
"""

from __future__ import annotations

from reactree_core.record.run_settings import Kept
from reactree_planner.planners.plans.execution import conclude
from reactree_planner.runs.planner import PlannedRun

_EXPERT = "of the expert's plan"


class OraclePlanner:
    """Asks the expert once; no model is used."""

    name = 'oracle'

    def run(self, run: PlannedRun) -> bool:
        """Do what the expert does; True when the world holds the task for done.

        :raises SkillError: there is no expert, or it finds no way.
        :raises ReactreeError: whatever else ended the run early.
        """
        run.start(self.name, Kept.PLANS)
        run.acting.look(1)
        skills = run.world.expert_plan()
        failed = ''
        for number, skill in enumerate(skills, start=1):
            run.acting.before_decision()
            reason = f'step {number} of {len(skills)} {_EXPERT}'
            observation = run.acting.act(1, skill, reason=reason)
            if not observation.succeeded:
                # Not the end: published gold paths have steps that come to nothing.
                failed = f'step {number} {_EXPERT}, {skill}, failed: {observation.text}'
            run.world.check_episode()
        progress = run.world.progress()
        success = not failed if progress is None else progress.success
        return conclude(run, 1, success, reason=failed or f'all {len(skills)} steps {_EXPERT}')
