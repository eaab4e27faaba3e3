"""Demonstrators of the text worlds: they know the task's goal, and show how it is reached.

A demonstrator answers what a model is asked, under the real planner, so that what it writes has
the form and the observations of later runs. It knows the world's rules and the goal; what lies
where it finds out as a robot has to.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Protocol

from reactree_core.errors import ConfigurationError
from reactree_planner.llm.policy import PolicyModel
from reactree_tools.seed_memory.alfred_demonstrator import AlfredDemonstrator
from reactree_tools.seed_memory.craft_demonstrator import CraftDemonstrator
from reactree_tools.seed_memory.parts_demonstrators import (
    HouseDemonstrator,
    ProgramDemonstrator,
    ScienceDemonstrator,
)
from reactree_tools.seed_memory.room_demonstrator import RoomDemonstrator
from reactree_tools.seed_memory.shop_demonstrator import ShopDemonstrator
from sim_bridge.worlds.alfworld import AlfworldWorld
from sim_bridge.worlds.procworld import ProcWorldWorld
from sim_bridge.worlds.programs import ProgramsWorld
from sim_bridge.worlds.scienceworld import ScienceWorldWorld
from sim_bridge.worlds.textcraft import TextCraftWorld
from sim_bridge.worlds.thor.world import ThorWorld
from sim_bridge.worlds.webshop.world import SEARCH, WebShopWorld

_GOAL = 'Your task is to: '
_SEARCH = 'search['
_CONTROL_FLOWS = ('sequence', 'fallback', 'parallel')


class Demonstrator(Protocol):
    """What a world's demonstrator answers of a node's goal and its text since then."""

    def thought(self, goal: str) -> str:
        """What it thinks first."""

    def subgoals(self, goal: str) -> tuple[str, ...]:
        """What it splits a goal into, one after another; () for one that it does itself."""

    def skill(self, goal: str, done: Sequence[str]) -> str:
        """The next skill of a goal that it does itself; '' when it is reached."""

    def next_of_all(self, goal: str, done: Sequence[str]) -> str:
        """The next skill of the whole task, for planners without subgoals."""


def demonstrator_of(world: object) -> Demonstrator:
    """The demonstrator of a world with its task.

    :raises ConfigurationError: it has none.
    """
    if isinstance(world, TextCraftWorld):
        return CraftDemonstrator(world)
    if isinstance(world, AlfworldWorld):
        return RoomDemonstrator(world)
    if isinstance(world, WebShopWorld):
        return ShopDemonstrator(world)
    if isinstance(world, ProgramsWorld):
        return ProgramDemonstrator(world)
    if isinstance(world, ScienceWorldWorld):
        return ScienceDemonstrator(world)
    if isinstance(world, ThorWorld):
        return AlfredDemonstrator(world)
    if isinstance(world, ProcWorldWorld):
        return HouseDemonstrator(world)
    raise ConfigurationError(
        'this world has no demonstrator: choose textcraft, alfworld, webshop, programs, '
        'scienceworld, thor or procworld'
    )


def demonstrating(demonstrator: Demonstrator) -> PolicyModel:
    """A model that answers as a demonstrator does."""

    def answer(text: str, options: Sequence[str] | None) -> int | str:
        node = text.rsplit(_GOAL, 1)[-1]
        goal, _, rest = node.partition('\n')
        splits = '3. Expand' in text and bool(demonstrator.subgoals(goal))
        act = demonstrator.skill if '3. Expand' in text else demonstrator.next_of_all
        last = rest.rpartition('Act:')[2]
        written = '' if '\n' in last else last
        done = re.findall(r'^Act: (.*)$', rest.removesuffix(written), re.MULTILINE)
        if options is None:
            if text.endswith('- subgoals:'):
                return ' ' + ', '.join(demonstrator.subgoals(goal))
            begun = text.rpartition('\nAct: ')[2]
            if '\n' not in begun:
                # The words of an open slot.
                return act(goal, done).removeprefix(begun)
            return ' ' + demonstrator.thought(goal)
        words = [option.strip() for option in options]
        if words[0] in _CONTROL_FLOWS:
            return words.index('sequence')
        if {'Act:', 'Expand:'} & set(words):
            if 'Think:' in words and '\nThink:' not in rest:
                return words.index('Think:')
            return words.index('Expand:' if splits and 'Expand:' in words else 'Act:')
        wanted = act(goal, done) or 'done'
        if wanted.startswith(_SEARCH) and SEARCH in words:
            wanted = SEARCH
        # Among many skills, the words of one are chosen one after another.
        fitting = [
            option for option in options if f'{wanted}\n'.startswith((written + option).lstrip())
        ]
        if not fitting:
            return words.index('failure')
        return list(options).index(max(fitting, key=len))

    return PolicyModel(answer, 'demonstrator')
