"""A behaviour tree as XML of BehaviorTree.CPP 4, which Groot2 opens too."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from xml.etree import ElementTree
from xml.etree.ElementTree import Element
from xml.etree.ElementTree import SubElement

from reactree_tools.behavior_trees.generalising import MAIN
from reactree_tools.behavior_trees.tree_model import BehaviorTree
from reactree_tools.behavior_trees.tree_model import Branch
from reactree_tools.behavior_trees.tree_model import Call
from reactree_tools.behavior_trees.tree_model import CONDITION_TYPES
from reactree_tools.behavior_trees.tree_model import Constant
from reactree_tools.behavior_trees.tree_model import Leaf
from reactree_tools.behavior_trees.tree_model import Node
from reactree_tools.behavior_trees.tree_model import Part

#: Metadata of an action's model: the template of its skill.
TEMPLATE = 'skill'


def xml_text(tree: BehaviorTree) -> str:
    """The whole file."""
    root = Element('root', BTCPP_format='4', main_tree_to_execute=MAIN)
    main = SubElement(root, 'BehaviorTree', ID=MAIN)
    _add(main, tree.root)
    for name, subtree in tree.subtrees.items():
        _add(SubElement(root, 'BehaviorTree', ID=name), subtree.root)
    model = SubElement(root, 'TreeNodesModel')
    for name, action in tree.actions.items():
        metadata = _declare(model, 'Action', name, action.ports)
        SubElement(
            SubElement(metadata, 'MetadataFields'), 'Metadata', {TEMPLATE: _clean(action.template)}
        )
    for name, condition in CONDITION_TYPES.items():
        _declare(model, 'Condition', name, condition.ports)
    for name, subtree in tree.subtrees.items():
        _declare(model, 'SubTree', name, subtree.ports)
    ElementTree.indent(root, '  ')
    head = f'<?xml version="1.0" encoding="UTF-8"?>\n<!-- {_comment(tree)} -->\n'
    text = f'{head}{ElementTree.tostring(root, encoding="unicode")}\n'
    # What would control or reorder the terminal that it is printed to.
    return ''.join(
        f'&#x{ord(one):x};' if unicodedata.category(one) in ('Cc', 'Cf') and one != '\n' else one
        for one in text
    )


def _comment(tree: BehaviorTree) -> str:
    unproven = ', '.join(one.text for one in tree.unproven)
    told = f'What run {tree.origin} proved. Not checked, as nothing told it: {unproven}.'
    text = told if unproven else f'What run {tree.origin} proved.'
    # Two hyphens end a comment.
    return re.sub('-(?=-)', '- ', _clean(text))


def _declare(model: Element, kind: str, name: str, ports: Iterable[str]) -> Element:
    declared = SubElement(model, kind, ID=name)
    for port in ports:
        SubElement(declared, 'input_port', name=port, type='std::string')
    return declared


def _add(parent: Element, node: Node) -> None:
    match node:
        case Branch(flow, children, name):
            branch = SubElement(parent, flow.value, {'name': _clean(name)} if name else {})
            for child in children:
                _add(branch, child)
        case Leaf(name, ports):
            kind = 'Condition' if name in CONDITION_TYPES else 'Action'
            SubElement(parent, kind, {'ID': name, **_values(ports)})
        case Call(subtree, ports, name):
            called = {'name': _clean(name)} if name else {}
            SubElement(parent, 'SubTree', {'ID': subtree, **called, **_values(ports)})
        case Constant():
            SubElement(parent, node.value)
        case Part():
            raise AssertionError('parts have become subtrees')


def _values(ports: Iterable[tuple[str, str]]) -> dict[str, str]:
    return {port: _clean(value) for port, value in ports}


def _clean(text: str) -> str:
    """A text without characters that no XML may hold."""
    return ''.join(filter(_fits, text))


def _fits(character: str) -> bool:
    code = ord(character)
    in_plane = 32 <= code < 0xFFFE and not 0xD800 <= code < 0xE000
    return code in (9, 10, 13) or in_plane or code >= 0x10000
