"""A behaviour tree as a Python module that builds it with py_trees."""

from __future__ import annotations

import keyword
import re

from reactree_core.skill_types import SkillType
from reactree_tools.behavior_trees.tree_model import (
    BehaviorTree,
    Branch,
    Call,
    condition_text,
    CONDITION_TYPES,
    Constant,
    Flow,
    Leaf,
    Node,
    Port,
)

_HEAD = '''\
"""A plan that worked, as a tree of py_trees: `create_tree(robot)` builds it.

`robot` is yours: `robot.execute(skill)` answers True when the skill has succeeded, False when it
has failed, None while it runs (then it is asked again); `robot.holds(condition)` answers whether a
condition such as '2 crate in truck' is known to hold.
"""

import py_trees
from py_trees.common import ParallelPolicy
from py_trees.common import Status

#: What the task was, and in which run it was done.
TASK = {task!r}
RUN = {origin!r}
#: What is checked at the end, and what nothing told.
GOAL = {goal!r}
NOT_CHECKED = {unproven!r}


class Skill(py_trees.behaviour.Behaviour):
    """Has the robot do a skill."""

    def __init__(self, robot, text):
        super().__init__(text)
        self.robot, self.text = robot, text

    def update(self):
        done = self.robot.execute(self.text)
        if done is None:
            return Status.RUNNING
        return Status.SUCCESS if done else Status.FAILURE


class Condition(py_trees.behaviour.Behaviour):
    """Whether something is known to hold."""

    def __init__(self, robot, text):
        super().__init__(text)
        self.robot, self.text = robot, text

    def update(self):
        return Status.SUCCESS if self.robot.holds(self.text) else Status.FAILURE


def sequence(name, *children):
    return py_trees.composites.Sequence(name, memory=True, children=list(children))


def fallback(name, *children):
    return py_trees.composites.Selector(name, memory=True, children=list(children))


def parallel(name, *children):
    every = ParallelPolicy.SuccessOnAll(synchronise=True)
    return py_trees.composites.Parallel(name, policy=every, children=list(children))
'''


def python_text(tree: BehaviorTree) -> str:
    """The whole module."""
    writer = _Writer(tree)
    parts = [
        _HEAD.format(
            task=tree.task,
            origin=tree.origin,
            goal=tuple(one.text for one in tree.goal),
            unproven=tuple(one.text for one in tree.unproven),
        )
    ]
    for name, subtree in tree.subtrees.items():
        arguments = ', '.join(('robot', *map(_argument, subtree.ports)))
        body = writer.node(subtree.root, 4, name)
        parts.append(f'def {_function(name)}({arguments}):\n    return {body}\n')
    parts.append(
        'def create_tree(robot):\n'
        f'    """The whole task."""\n    return {writer.node(tree.root, 4, "task")}\n'
    )
    return '\n\n'.join(parts)


class _Writer:
    def __init__(self, tree: BehaviorTree) -> None:
        self._tree = tree

    def node(self, node: Node, indent: int, name: str) -> str:
        """An expression that builds a node. :param name: where it has none of its own."""
        match node:
            case Branch(flow, children, own):
                inner = ' ' * (indent + 4)
                label = own or f'{name}: {_NAMES[flow]}'
                lines = [repr(label), *(self.node(one, indent + 4, name) for one in children)]
                listed = ''.join(f'{inner}{line},\n' for line in lines)
                return f'{_NAMES[flow]}(\n{listed}{" " * indent})'
            case Leaf(kind, ports):
                values = [_marked(value) for _, value in ports]
                if kind in CONDITION_TYPES:
                    return f'Condition(robot, {_written(condition_text(kind, values))})'
                skill = SkillType(self._tree.actions[kind].template.replace(_MARK, ''))
                return f'Skill(robot, {_written(skill.filled(values))})'
            case Call(subtree, ports):
                given = [f'{_argument(port)}={value!r}' for port, value in ports]
                inner = ''.join(f'{" " * (indent + 4)}{one},\n' for one in ('robot', *given))
                return f'{_function(subtree)}(\n{inner}{" " * indent})'
            case Constant.SUCCESS:
                return f"py_trees.behaviours.Success('{name}: go on')"
            case Constant.FAILURE:
                return f"py_trees.behaviours.Failure('{name}: failed here')"
        raise AssertionError('parts have become subtrees')


_NAMES = {Flow.SEQUENCE: 'sequence', Flow.FALLBACK: 'fallback', Flow.PARALLEL: 'parallel'}

#: Names that the body of a function uses besides its arguments.
_TAKEN = frozenset({'robot', 'py_trees', 'Condition', 'Skill', *_NAMES.values()})
#: Stands around a port in a text, which holds no such character.
_MARK = '\0'


def _marked(value: str | Port) -> str:
    """A port's value; that of a port of the subtree between marks."""
    return f'{_MARK}{value.name}{_MARK}' if isinstance(value, Port) else value.replace(_MARK, '')


def _written(text: str) -> str:
    """A text as an expression, in which arguments stand for the ports."""
    pieces = re.split(f'{_MARK}([^{_MARK}]*){_MARK}', text)
    if len(pieces) == 1:
        return repr(text)
    for place, piece in enumerate(pieces):
        if place % 2:
            pieces[place] = f'{{{_argument(piece)}}}'
        else:
            pieces[place] = piece.replace('{', '{{').replace('}', '}}')
    return f'f{"".join(pieces)!r}'


def _argument(port: str) -> str:
    is_taken = keyword.iskeyword(port) or port in _TAKEN
    return f'{port}_' if is_taken else port


def _function(subtree: str) -> str:
    """A subtree's name as that of a function; none of those above begins so."""
    words = re.sub(r'(?<=[a-z0-9])(?=[A-Z])', '_', subtree).lower()
    return f'do_{words.removeprefix("do_")}'
