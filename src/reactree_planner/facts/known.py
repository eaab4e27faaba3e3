"""Whether a condition holds, as far as it was looked at: what a task's "if" and "when" ask.

A goal test takes what was not seen for missing; here it is not known, and one may look.
"""

from __future__ import annotations

from reactree_core.skill_types import Relation
from reactree_planner.facts.belief import Belief
from reactree_planner.facts.conditions import ALL, Condition
from reactree_planner.facts.goals import candidates, holds, meets, places_meant, wishes


def is_known(belief: Belief, condition: Condition) -> bool | None:
    """Whether a condition holds; None where that is to be looked at first."""
    if condition.relation in (Relation.AT, Relation.HOLDING, Relation.DONE):
        return holds(belief, condition)
    if condition.relation is Relation.IN:
        if holds(belief, condition):
            return True
        places = places_meant(belief, condition.value)
        looked = belief.looked | belief.visited
        return False if places and looked.issuperset(places) else None
    told = [belief.is_so(name, condition.value) for name in belief.of_class(condition.subject)]
    if condition.count == ALL:
        return None if None in told or not told else all(told)
    if sum(one is True for one in told) >= condition.count:
        return True
    return None if None in told or not told else False


def of_which(belief: Belief, condition: Condition) -> tuple[str, ...]:
    """The things of which a condition on one thing holds now."""
    if condition.count != 1 or condition.relation not in (Relation.IN, Relation.IS):
        return ()
    if condition.relation is Relation.IS:
        names = belief.of_class(condition.subject)
        return tuple(name for name in names if belief.is_so(name, condition.value))
    (wish,) = wishes((condition,))
    return tuple(name for name in candidates(belief, wish) if meets(belief, name, wish))
