"""Subtrees with ports: parts of a tree that do the same with other things become one."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from reactree_tools.behavior_trees.tree_model import (
    ActionType,
    Branch,
    Call,
    CONDITION_TYPES,
    free_name,
    identifier,
    Leaf,
    leaves_of,
    Node,
    Part,
    Port,
    port_names,
    Subtree,
)

#: Ports of conditions that hold names.
_NAMES_OF_CONDITIONS = ('thing', 'place')


def generalised(node: Node, actions: Mapping[str, ActionType]) -> tuple[Node, dict[str, Subtree]]:
    """A tree whose parts are calls of subtrees, and the subtrees by name.

    A name that stands in a part becomes a port of it; numbers, texts and states stay as they are.
    """
    subtrees = _Subtrees(actions)
    return subtrees.without_parts(node), subtrees.found


@dataclass
class _Subtrees:
    actions: Mapping[str, ActionType]
    found: dict[str, Subtree] = field(default_factory=dict)

    def without_parts(self, node: Node) -> Node:
        match node:
            case Part():
                return self._call(node)
            case Branch():
                return replace(node, children=tuple(map(self.without_parts, node.children)))
        return node

    def _call(self, part: Part) -> Call:
        names = dict.fromkeys(
            value
            for leaf in leaves_of(part.root)
            if isinstance(leaf, Leaf)
            for port, value in leaf.ports
            if isinstance(value, str) and port in self._named_ports(leaf.node)
        )
        ports = dict(
            zip(names, port_names(part.roles.get(name, 'name') for name in names), strict=True)
        )

        def general(leaf: Leaf) -> Leaf:
            named = self._named_ports(leaf.node)
            return replace(
                leaf,
                ports=tuple(
                    (port, Port(ports[value]))
                    if isinstance(value, str) and port in named
                    else (port, value)
                    for port, value in leaf.ports
                ),
            )

        subtree = Subtree(tuple(ports.values()), _with_leaves(part.root, general))
        given = tuple((port, name) for name, port in ports.items())
        return Call(self._name_of(subtree, _without_names(part.last, ports)), given, part.goal)

    def _named_ports(self, node: str) -> tuple[str, ...]:
        return _NAMES_OF_CONDITIONS if node in CONDITION_TYPES else self.actions[node].names

    def _name_of(self, subtree: Subtree, last: str) -> str:
        for name, known in self.found.items():
            if known == subtree:
                return name
        name = free_name(identifier(last), (*self.found, *self.actions, MAIN))
        self.found[name] = subtree
        return name


#: Name of the whole tree.
MAIN = 'Task'


def _with_leaves(node: Node, change: Callable[[Leaf], Leaf]) -> Node:
    """A tree with other leaves, and without what its branches are called."""
    match node:
        case Leaf():
            return change(node)
        case Branch():
            children = tuple(_with_leaves(child, change) for child in node.children)
            return replace(node, children=children, name='')
    return node


def _without_names(skill: str, ports: Mapping[str, str]) -> str:
    """A skill with its ports instead of the names."""
    for name in sorted(ports, key=len, reverse=True):
        skill = re.sub(rf'(?<!\w){re.escape(name)}(?!\w)', ports[name], skill)
    return skill
