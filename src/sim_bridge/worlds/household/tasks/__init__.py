"""Household tasks: what is to be brought where, in sentences and in goal conditions."""

from sim_bridge.worlds.household.tasks.loading import load_task
from sim_bridge.worlds.household.tasks.task import Task
from sim_bridge.worlds.household.tasks.wording import FAMILIES

__all__ = ['FAMILIES', 'Task', 'load_task']
