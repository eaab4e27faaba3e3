"""A scripted expert that knows the whole home: proof that a task can be done, and how shortly.

It plans a short sequence of deliveries over the scene graph and does it by the world's skills.
The count of its skills is the shortest known one, not a proven minimum: the plan comes from a
beam search, in which two things are carried at once where that saves ways.
"""

from __future__ import annotations

from reactree_core.errors import ConfigurationError, SkillError
from reactree_core.observation import Outcome
from reactree_core.world import GraphWorld
from sim_bridge.worlds.household.tasks.deliveries import Delivery, DeliveryMap, Position
from sim_bridge.worlds.household.tasks.task import Task

_BEAM = 48
#: Plans in a row that may break down before the expert gives up.
_REPAIRS = 12


def solve(world: GraphWorld) -> tuple[str, ...]:
    """Play the loaded task to its end.

    :return: the skills that were done, in order; their number is the shortest known skill count.
    :raises ConfigurationError: no task is loaded, or not one of bringing things to one place.
    :raises SkillError: it cannot be solved; says at which skill the expert was stuck.
    """
    task = world.task()
    if not isinstance(task, Task) or not task.goal:
        raise ConfigurationError('the expert needs a task with goal conditions; load one first')
    played: list[str] = []
    blocked: set[str] = set()
    stuck = ''
    for _ in range(_REPAIRS):
        progress = world.progress()
        if progress is not None and progress.success:
            return tuple(played)
        plan = plan_deliveries(DeliveryMap(world.graph(), task.goal, frozenset(blocked)))
        if plan is None:
            break
        for skill in plan:
            observation = world.step(skill)
            if not observation.succeeded:
                stuck = f' at {skill!r}: {observation.text}'
                if observation.outcome is not Outcome.EXECUTION_FAILED:
                    blocked.add(skill.removeprefix('pick up '))
                break
            played.append(skill)
    progress = world.progress()
    if progress is not None and progress.success:
        return tuple(played)
    raise SkillError(f'the expert cannot solve {task.task_id}{stuck or ": things are missing"}')


def plan_deliveries(home: DeliveryMap) -> tuple[str, ...] | None:
    """The shortest skill sequence found, or None when the goal cannot be met.

    Beam search over deliveries: fetch a thing, open the target, bring what is held, turn on.
    """
    best: tuple[str, ...] | None = None
    for target in home.targets:
        found = _plan_for(home, target)
        if found is not None and (best is None or len(found) < len(best)):
            best = found
    return best


def _plan_for(home: DeliveryMap, target: int) -> tuple[str, ...] | None:
    best: Delivery | None = None
    level = [home.start(target)]
    while level:
        following: dict[Position, Delivery] = {}
        for delivery in level:
            if delivery.position.is_done:
                if best is None or delivery.cost < best.cost:
                    best = delivery
                continue
            for option in home.options(delivery):
                known = following.get(option.position)
                if known is None or option.cost < known.cost:
                    following[option.position] = option
        ranked = sorted(following.values(), key=lambda option: (option.estimate, option.skills))
        level = [
            option for option in ranked[:_BEAM] if best is None or option.estimate < best.cost
        ]
    return best.skills if best is not None else None
