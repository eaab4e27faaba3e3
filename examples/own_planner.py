#!/usr/bin/env python3
"""A planner of your own: it does what is left to do without a choice, and asks a model else.

python examples/own_planner.py

Every event is that of other planners, so limits, journal, bags, views and the reducer work as they
are. docs/add_a_planner.md makes a package of it, which `reactree plan --planner` then knows.
"""

from __future__ import annotations

import sys

from own_world import follow, plan, RECIPE

from reactree_core.record.events import ControlFlow
from reactree_planner.agents.executor import attempt_task
from reactree_planner.llm.policy import PolicyModel
from reactree_planner.runs.planner import PlannedRun
from reactree_planner.runs.settings import Guards, PlannerSettings


class ObviousFirst:
    """Takes the only admissible skill as long as there is one alone; then ReAct goes on."""

    name = 'obvious_first'

    def run(self, run: PlannedRun) -> bool:
        """Plan and act to the end; True for success."""
        run.start(self.name)
        goals = ('do what there is no choice about', run.task)
        why = 'first what is obvious'
        easy, rest = run.events.grow(1, ControlFlow.SEQUENCE, goals, reason=why)
        nodes = {easy: self.obvious, rest: self.the_rest}
        return run.run_children(
            ControlFlow.SEQUENCE, (easy, rest), lambda node: nodes[node](run, node)
        )

    def obvious(self, run: PlannedRun, node: int) -> bool:
        """No model: while one skill is all there is, it is done."""
        seen = run.acting.look(node)
        while len(seen.admissible_skills) == 1:
            run.acting.before_decision()
            seen = run.acting.act(node, seen.admissible_skills[0], reason='the only one')
        run.events.end_node(node, True, 'there is a choice now')
        return True

    def the_rest(self, run: PlannedRun, node: int) -> bool:
        """The executor that react, adapt and the others share."""
        attempt = attempt_task(run, node, run.task)
        run.events.end_node(node, attempt.success, attempt.reason)
        return attempt.success


def main() -> int:
    """Serve a cup of tea with it."""
    settings = PlannerSettings(guards=Guards.none(), thoughts=0)
    episode = plan(PolicyModel(follow(RECIPE)), settings, ObviousFirst())
    for node in episode.run.tree.snapshot().nodes:
        print(f'{"  " * node.depth}{node.goal or node.kind.name.lower()}: {node.status.name}')
    return 0 if episode.goal_met else 1


if __name__ == '__main__':
    sys.exit(main())
