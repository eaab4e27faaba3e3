"""The actions of VirtualHome programs: how many objects each takes, its needs and its effects.

These are the 28 of Tree-Planner's statistics and the others of VirtualHome's own executor, whose
effects on states and edges they have.
"""

from sim_bridge.worlds.household.programs.actions.action import Action
from sim_bridge.worlds.household.programs.actions.carrying import CARRYING
from sim_bridge.worlds.household.programs.actions.handling import HANDLING
from sim_bridge.worlds.household.programs.actions.moving import MOVING

#: By their names in programs.
ACTIONS: dict[str, Action] = {**MOVING, **CARRYING, **HANDLING}

__all__ = ['ACTIONS', 'Action']
