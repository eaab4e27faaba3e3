"""What a WAH-NL gold plan is for: the goal it reaches, and where it finds things.

The training tasks have no goals, only plans such as `find a fridge`, `open the fridge`,
`find a juice`, `pick up the juice`, `find a coffee table`, `put down the juice`. Each thing put
down at a place is one more of its class that belongs there; what was opened last before a thing
was found (since the last thing was put down) is where it was.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from reactree_core.errors import ConfigurationError
from sim_bridge.worlds.household.roles import known_classes

_STEP = re.compile(r'(find|pick up|put down|open|close|switch on|turn on) (?:an? |the )?(.+)')
_LONGEST_PLAN = 1000
_LONGEST_STEP = 200


def read_plan(plan: Any, where: str) -> tuple[dict[str, int], dict[str, str]]:
    """The goal of a gold plan, and by class of thing the class of where it is found.

    :param plan: list of steps. :param where: how errors name the task.
    :return: goal in Watch-And-Help's form, e.g. {'inside_juice_fridge': 1}; places are known only
        for things that something was opened for.
    :raises ConfigurationError: it is no such plan, or nothing comes of it.
    """
    if not isinstance(plan, list) or not 0 < len(plan) <= _LONGEST_PLAN:
        raise ConfigurationError(
            f'{where}: it needs a task_goal (a mapping) or a task_plan (a list of steps)'
        )
    goal: dict[str, int] = {}
    switches: dict[str, int] = {}
    sources: dict[str, str] = {}
    here = opened = ''
    for step in plan:
        match = _STEP.fullmatch(' '.join(step.split())) if _is_step(step) else None
        if match is None:
            raise ConfigurationError(
                f"{where}: the plan's step {step!r:.80} is unknown: use find, pick up, put down, "
                'open, close or switch on with a name'
            )
        verb, thing = match[1], _class_of(match[2], where)
        if verb == 'find':
            here = thing
        elif verb == 'open':
            opened = thing
        elif verb == 'pick up':
            if opened:
                sources[thing] = opened
        elif verb == 'put down':
            key = _condition(thing, here, where)
            goal[key] = goal.get(key, 0) + 1
            opened = ''
        elif verb in ('switch on', 'turn on'):
            switches[f'turnOn_{thing}'] = 1
    if not goal and not switches:
        raise ConfigurationError(f'{where}: its plan puts nothing down and turns nothing on')
    return {**goal, **switches}, sources


def _is_step(step: Any) -> bool:
    return isinstance(step, str) and len(step) <= _LONGEST_STEP


def _condition(thing: str, place: str, where: str) -> str:
    roles = known_classes()[place].roles if place else None
    if roles is None or not roles.receptacle:
        raise ConfigurationError(f'{where}: its plan puts the {thing} down without a place for it')
    return f'{"inside" if roles.container else "on"}_{thing}_{place}'


def _class_of(name: str, where: str) -> str:
    class_name = _classes().get(name.casefold())
    if class_name is None:
        raise ConfigurationError(f'{where}: nothing is called {name!r:.80} in WAH-NL')
    return class_name


@cache
def _classes() -> dict[str, str]:
    """Class by name; of two spellings the first, which is the newer one."""
    classes: dict[str, str] = {}
    for class_name, known in known_classes().items():
        classes.setdefault(known.name.casefold(), class_name)
    return classes
