"""A world that a reasoner acts in until it chooses no skill any more."""

from reactree_planner.facts.conditions import read_condition
from reactree_planner.facts.plan import Step
from reactree_planner.facts.reasoner import Reasoner

_MOST_STEPS = 30


def last_step(world, goal: str) -> Step:
    """Act in a world for one goal condition; give the step that has no skill.

    :param world: with `vocabulary`, `look`, `step` and `done`, its skills so far.
    """
    reasoner = Reasoner(world.vocabulary(), ((read_condition(goal),),))
    seen = world.look()
    for _ in range(_MOST_STEPS):
        reasoner.see(seen)
        step = reasoner.next()
        if not step.skill:
            return step
        seen = world.step(step.skill)
    raise AssertionError(world.done)
