"""Example trajectories: the demonstrator's tree for a task, run to its end in a world.

`python -m sim_bridge.tasks.demonstration --scene generated:3 --task setup_table:1` prints one.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import replace

from reactree_core.errors import ConfigurationError
from reactree_core.errors import ReactreeError
from reactree_core.experience import Termination
from reactree_core.observation import Observation
from reactree_core.ports import World
from reactree_core.working_memory import WorkingMemory
from sim_bridge.tasks.decisions import Act
from sim_bridge.tasks.decisions import DONE
from sim_bridge.tasks.decisions import Expand
from sim_bridge.tasks.decisions import FAILURE
from sim_bridge.tasks.decisions import RECALL
from sim_bridge.tasks.demonstrator import decide
from sim_bridge.tasks.demonstrator import Situation
from sim_bridge.tasks.home import Home
from sim_bridge.tasks.subgoals import Goal
from sim_bridge.tasks.subgoals import read_instruction
from sim_bridge.tasks.task import Task

_RELATIONS = ('on', 'inside', 'turnon')
_MOST_DECISIONS = 2000


@dataclass(frozen=True, slots=True)
class NodeRecord:
    """One agent node of a demonstrated tree.

    :param goal: its words. :param parent_goal: '' for the root.
    :param siblings: goals of all children of its parent, its own included.
    :param control_flow: how they are ordered: 'sequence', 'fallback', 'parallel'; '' for the root.
    :param trajectory: from 'Your task is to: <goal>' on, in the published form.
    :param termination: how the node itself ended.
    :param succeeded: whether it or, after an expansion, its subtree reached the goal.
    :param depth: 1 for the root, 2 more per expansion, as ReAcTree counts.
    :param decisions: thoughts, acts and expansions of this node. :param skills: of the world.
    """

    goal: str
    parent_goal: str
    siblings: tuple[str, ...]
    control_flow: str
    trajectory: str
    termination: Termination
    succeeded: bool
    depth: int
    decisions: int
    skills: tuple[str, ...]
    task_type: str


def demonstrate(world: World, task: Task) -> list[NodeRecord]:
    """Run the demonstrator's whole tree; parallel nodes run all their children.

    :param world: with the task loaded, nothing done yet.
    :return: a record per agent node, parents before their children.
    :raises ConfigurationError: the task is not about bringing things to places.
    """
    conditions = Home(world.graph()).conditions(task.goal)
    strange = [one.relation for one in conditions if one.relation not in _RELATIONS]
    if strange or not conditions:
        raise ConfigurationError(
            'only tasks that bring things to places and turn those on can be demonstrated'
        )
    run = _Run(world, task)
    run.node(read_instruction(task.instruction, conditions), _NOBODY, 1)
    return run.records


@dataclass(frozen=True, slots=True)
class _Family:
    """What a node is told about where it comes from."""

    parent_goal: str
    siblings: tuple[str, ...]
    control_flow: str


_NOBODY = _Family('', (), '')


class _Run:
    """One task from its root to its end."""

    def __init__(self, world: World, task: Task) -> None:
        self.records: list[NodeRecord] = []
        self._world = world
        self._task_type = task.task_type
        self._now = Situation(world.observe(), WorkingMemory(), world.vocabulary())
        self._decisions = 0

    def node(self, goal: Goal, family: _Family, depth: int) -> bool:
        """Run one agent node and what it expands to; True for success."""
        observation = self._world.observe()
        self._notice(observation)
        lines = [f'Your task is to: {goal.text}', observation.text]
        position = len(self.records)
        record = NodeRecord(
            goal.text,
            family.parent_goal,
            family.siblings,
            family.control_flow,
            '',
            Termination.FAILURE,
            False,
            depth,
            0,
            (),
            self._task_type,
        )
        self.records.append(record)
        skills: list[str] = []
        expansion: Expand | None = None
        count = 0
        for decision in decide(goal, self._now):
            count += 1
            self._decisions += 1
            lines.append(decision.lines)
            if isinstance(decision, Expand):
                expansion = decision
                break
            if isinstance(decision, Act):
                if decision.skill in (DONE, FAILURE):
                    break
                lines.append(self._act(decision.skill))
                if not decision.skill.startswith(RECALL):
                    skills.append(decision.skill)
            if self._decisions > _MOST_DECISIONS:
                lines.append(Act(FAILURE).lines)
                break
        succeeded = lines[-1] == Act(DONE).lines
        ending = Termination.SUCCESS if succeeded else Termination.FAILURE
        if expansion is not None:
            ending = Termination.EXPAND
            succeeded = self._expand(goal, expansion, depth + 2)
        self.records[position] = replace(
            record,
            trajectory='\n'.join(lines),
            termination=ending,
            succeeded=succeeded,
            decisions=count,
            skills=tuple(skills),
        )
        return succeeded

    def _expand(self, goal: Goal, expansion: Expand, depth: int) -> bool:
        family = _Family(
            goal.text,
            tuple(child.text for child in expansion.subgoals),
            expansion.control_flow,
        )
        children = (self.node(child, family, depth) for child in expansion.subgoals)
        if expansion.control_flow == 'sequence':
            return all(children)
        if expansion.control_flow == 'fallback':
            return any(children)
        return all(list(children))

    def _act(self, skill: str) -> str:
        """Do a skill, or ask memory; the answer's text."""
        if skill.startswith(RECALL):
            return self._now.memory.recall(skill.removeprefix(RECALL))
        observation = self._world.step(skill)
        self._notice(observation)
        return observation.text

    def _notice(self, observation: Observation) -> None:
        self._now.observation = observation
        self._now.memory.update(observation)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tree of trajectories of one demonstration."""
    from sim_bridge.worlds import make_world

    parser = argparse.ArgumentParser(description='Show how a task is demonstrated.')
    parser.add_argument('--scene', default='generated:0', help='generated:<seed> or a graph file')
    parser.add_argument('--task', default='generated:0', help='<family>:<seed> or a task file')
    parser.add_argument('--seed', type=int, default=0, help='for what is random in the world')
    given = parser.parse_args(arguments)
    world = make_world('household')
    try:
        world.reset(given.scene, given.task, given.seed)
        task = world.task()
        if task is None:
            raise ConfigurationError('give a task to demonstrate, e.g. --task setup_table:1')
        records = demonstrate(world, task)
    except ReactreeError as error:
        sys.stderr.write(f'{error}\n')
        return 2
    for record in records:
        indent = '  ' * (record.depth - 1)
        body = record.trajectory.replace('\n', f'\n{indent}')
        sys.stdout.write(f'{indent}{body}\n\n')
    progress = world.progress()
    if progress is not None:
        decisions = sum(record.decisions for record in records)
        skills = sum(len(record.skills) for record in records)
        sys.stdout.write(
            f'{progress.met} of {progress.total} conditions met with {len(records)} nodes, '
            f'{decisions} decisions, {skills} skills\n'
        )
    return 0 if progress is not None and progress.success else 1


if __name__ == '__main__':
    sys.exit(main())
