"""A behaviour tree as XML of BehaviorTree.CPP 4, which Groot2 opens too."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from reactree_core.errors import RecordingError
from reactree_tools.behavior_trees.generalising import MAIN
from reactree_tools.behavior_trees.tree_model import (
    BehaviorTree,
    Branch,
    Call,
    CONDITION_TYPES,
    Constant,
    Flow,
    Leaf,
    Node,
    Part,
    Port,
    Subtree,
    unused,
)

#: Metadata of an action's model: the template of its skill.
TEMPLATE = 'skill'


def xml_text(tree: BehaviorTree) -> str:
    """The whole file.

    :raises RecordingError: BehaviorTree.CPP has no way to tell a text of the tree.
    """
    root = Element('root', BTCPP_format='4', main_tree_to_execute=MAIN)
    for name, subtree in ((MAIN, Subtree((), tree.root)), *tree.subtrees.items()):
        _Writer(subtree.ports).add(SubElement(root, 'BehaviorTree', ID=name), subtree.root)
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
    note = f'What run {tree.origin} proved. Not checked, as nothing showed it: {unproven}.'
    text = note if unproven else f'What run {tree.origin} proved.'
    # Two hyphens end a comment.
    return re.sub('-(?=-)', '- ', _clean(text))


def _declare(model: Element, kind: str, name: str, ports: Iterable[str]) -> Element:
    declared = SubElement(model, kind, ID=name)
    for port in ports:
        SubElement(declared, 'input_port', name=port, type='std::string')
    return declared


class _Writer:
    """Writes one tree. :param ports: of it."""

    def __init__(self, ports: tuple[str, ...]) -> None:
        #: Entries of the tree's blackboard.
        self._entries = list(ports)

    def add(self, parent: Element, node: Node) -> None:
        match node:
            case Branch(flow, children, name):
                branch = SubElement(parent, flow.value, {'name': _clean(name)} if name else {})
                for child in children:
                    self.add(branch, child)
            case Leaf(name, ports):
                kind = 'Condition' if name in CONDITION_TYPES else 'Action'
                self._call(parent, kind, {'ID': name}, ports)
            case Call(subtree, ports, name):
                called = {'name': _clean(name)} if name else {}
                self._call(parent, 'SubTree', {'ID': subtree, **called}, ports)
            case Constant():
                SubElement(parent, node.value)
            case Part():
                raise AssertionError('parts have become subtrees')

    def _call(
        self,
        parent: Element,
        tag: str,
        given: dict[str, str],
        ports: Iterable[tuple[str, str | Port]],
    ) -> None:
        """A node with values for its ports; texts that look like ports are set before it."""
        values: dict[str, str] = {}
        scripts: list[str] = []
        for port, value in ports:
            if isinstance(value, Port):
                values[port] = f'{{{value.name}}}'
                continue
            values[port] = text = _clean(value)
            if _IN_BRACES.fullmatch(text):
                entry = unused('braces', self._entries)
                self._entries.append(entry)
                scripts.append(f'{entry} := {_quoted(text)}')
                values[port] = f'{{{entry}}}'
        if scripts:
            parent = SubElement(parent, Flow.SEQUENCE.value)
            for code in scripts:
                SubElement(parent, 'Script', code=code)
        SubElement(parent, tag, {**given, **values})


#: What BehaviorTree.CPP takes for a port, or for an entry of its blackboard.
_IN_BRACES = re.compile(r' *\{.+\} *', re.DOTALL)


def _quoted(text: str) -> str:
    """A text as its scripts have it.

    :raises RecordingError: they cannot have it.
    """
    mark = '"' if "'" in text else "'"
    if mark in text or not text.isascii():
        raise RecordingError(
            f'The text {text[:80]!r} is no value in BehaviorTree.CPP, which takes for a port what '
            'stands in braces, and for no script what has both sorts of quotes or letters beyond '
            'ASCII: export the run to a .py file.'
        )
    return f'{mark}{text}{mark}'


#: A script that sets such a text, in its entry of the blackboard.
SETS_TEXT = re.compile(r'(\w+) := (["\'])(.*)\2', re.DOTALL)


def _clean(text: str) -> str:
    """A text without characters that no XML may hold."""
    return ''.join(filter(_fits, text))


def _fits(character: str) -> bool:
    code = ord(character)
    in_plane = 32 <= code < 0xFFFE and not 0xD800 <= code < 0xE000
    return code in (9, 10, 13) or in_plane or code >= 0x10000
