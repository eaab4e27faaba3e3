"""Running VirtualHome programs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sim_bridge.worlds.household.programs.actions import ACTIONS
from sim_bridge.worlds.household.programs.environment_state import EnvironmentState
from sim_bridge.worlds.household.programs.environment_state import Fact
from sim_bridge.worlds.household.programs.script import Step


@dataclass(frozen=True, slots=True)
class Execution:
    """What became of a program.

    :param done: steps that were executed, from the first.
    :param reason: why the next one was not, in a sentence; '' when all were.
    :param visited: states and INSIDE, ON and HOLDS edges before the first step and after each.
    """

    done: int
    reason: str
    visited: tuple[frozenset[Fact], ...]

    @property
    def succeeded(self) -> bool:
        """Whether all steps were executed."""
        return not self.reason


def execute(home: EnvironmentState, steps: Iterable[Step]) -> Execution:
    """Run steps on a home until one cannot be done; that one changes nothing."""
    visited = [home.facts()]
    done = 0
    for number, step in enumerate(steps, start=1):
        reason = perform(home, step)
        if reason:
            said = f'{reason} when executing "{step} [{number}]"'
            return Execution(done, said, tuple(visited))
        done += 1
        visited.append(home.facts())
    return Execution(done, '', tuple(visited))


def perform(home: EnvironmentState, step: Step) -> str:
    """Do one step.

    :return: '', or the reason why it cannot be done; nothing has changed then.
    """
    action = ACTIONS.get(step.action)
    if action is None:
        return f'[{step.action}] is not an action of VirtualHome'
    if len(step.objects) != action.objects:
        return f'[{step.action}] takes {action.objects} objects, not {len(step.objects)}'
    things = []
    for named in step.objects:
        found = home.find(named)
        if found is None:
            return f'{named} cannot be found'
        things.append(found)
    reason = action.failed_precondition(home, tuple(things))
    if not reason:
        action.effect(home, tuple(things))
    return reason
