"""Conditions are facts: see `reactree_planner.facts.conditions`."""

from reactree_planner.facts.conditions import ALL
from reactree_planner.facts.conditions import Condition
from reactree_planner.facts.conditions import conditions_of
from reactree_planner.facts.conditions import read_condition

__all__ = ['ALL', 'Condition', 'conditions_of', 'read_condition']
