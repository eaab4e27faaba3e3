"""Whether a condition holds, as far as it was looked at: what a task's "if" and "when" ask.

A goal test takes what was not seen for missing; here it is not known, and one may look.
"""

from __future__ import annotations

from reactree_core.skill_types import Relation
from reactree_planner.facts.belief import Belief
from reactree_planner.facts.conditions import Condition
from reactree_planner.facts.goals import (
    candidates,
    holds,
    is_inside,
    meets,
    places_meant,
    wishes,
)


def is_known(belief: Belief, condition: Condition) -> bool | None:
    """Whether a condition holds; None where that is to be looked at first."""
    if condition.relation in (Relation.AT, Relation.HOLDING, Relation.DONE):
        return holds(belief, condition)
    if holds(belief, condition):
        return True
    place = condition.value if condition.relation is Relation.IN else condition.where
    spots = places_meant(belief, place) if place else []
    is_looked = bool(spots) and (belief.looked | belief.visited).issuperset(spots)
    if condition.relation is Relation.IN:
        return False if is_looked else None
    (wish,) = wishes((condition,))
    told = [
        belief.is_so(name, condition.value)
        for name in candidates(belief, wish)
        if not place or is_inside(belief, name, place)
    ]
    return None if None in told or not (is_looked if place else told) else False


def of_which(belief: Belief, condition: Condition) -> tuple[str, ...]:
    """The things of which a condition on one thing holds now."""
    if condition.count != 1 or condition.relation not in (Relation.IN, Relation.IS):
        return ()
    (wish,) = wishes((condition,))
    return tuple(name for name in candidates(belief, wish) if meets(belief, name, wish))
