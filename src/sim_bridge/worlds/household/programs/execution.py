"""Running VirtualHome programs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sim_bridge.worlds.household.programs.actions import ACTIONS
from sim_bridge.worlds.household.programs.conditions import pours_into
from sim_bridge.worlds.household.programs.script import Step
from sim_bridge.worlds.household.programs.stage import Fact, LASTING, Stage


@dataclass(frozen=True, slots=True)
class Execution:
    """What became of a program.

    :param done: steps that were executed, from the first.
    :param reason: why the next one was not, in a sentence; '' when all were.
    :param visited: facts before the first step and after each.
    """

    done: int
    reason: str
    visited: tuple[frozenset[Fact], ...]

    @property
    def succeeded(self) -> bool:
        """Whether all steps were executed."""
        return not self.reason


def execute(home: Stage, steps: Iterable[Step], relations: Sequence[str] = LASTING) -> Execution:
    """Run steps on a home until one cannot be done; that one changes nothing.

    :param relations: whose edges are among the facts that it visits.
    """
    visited = [home.facts(relations)]
    done = 0
    for number, step in enumerate(steps, start=1):
        reason = perform(home, step)
        if reason:
            return Execution(done, failed_at(step, number, reason), tuple(visited))
        done += 1
        visited.append(home.facts(relations))
    return Execution(done, '', tuple(visited))


def failed_at(step: Step, number: int, reason: str) -> str:
    """Why a step of a program was not executed, as VirtualHome says it."""
    return f'{reason} when executing "{step} [{number}]"'


def misuse(step: Step) -> str:
    """Why a step can be done in no home; '' where it can."""
    action = ACTIONS.get(step.action)
    if action is None:
        return f'[{step.action}] is not an action of VirtualHome'
    fewest = 1 if step.action == 'POUR' else action.objects
    if not fewest <= len(step.objects) <= action.objects:
        return f'[{step.action}] takes {action.objects} objects, not {len(step.objects)}'
    return ''


def perform(home: Stage, step: Step) -> str:
    """Do one step.

    :return: '', or the reason why it cannot be done; nothing has changed then.
    """
    reason = misuse(step)
    if reason:
        return reason
    action, things = ACTIONS[step.action], []
    for named in step.objects:
        found = home.find(named)
        if found is None:
            return f'{named} cannot be found'
        things.append(found)
    if len(things) < action.objects:
        # Tree-Planner's pouring tells no goal: the nearest that can be poured into.
        into = next((key for key in home.close_by() if not pours_into(home, key)), None)
        if into is None:
            return f'{home.name(home.me)} is not close to anything that can be poured into'
        things.append(into)
    reason = action.failed_precondition(home, tuple(things))
    if not reason:
        action.effect(home, tuple(things))
    return reason
