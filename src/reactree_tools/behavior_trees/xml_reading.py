"""Trees of BehaviorTree.CPP 4 from files, as `reactree export` writes and as Groot2 saves them.

Groot2 sorts ports, leaves the main tree unnamed, gives ports that nobody filled an empty value,
and keeps trees in several files. So slots are given by names, and the main tree by who calls whom.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from reactree_core.errors import ConfigurationError
from reactree_core.skill_types import SkillType
from reactree_core.written_files import read_text
from reactree_tools.behavior_trees.generalising import MAIN
from reactree_tools.behavior_trees.tree_model import (
    action_types,
    CONDITION_TYPES,
    identifier,
    port_names,
)
from reactree_tools.behavior_trees.xml_writing import SETS_TEXT, TEMPLATE

LARGEST_FILE = 8 * 1024**2
#: Most files of one tree.
_MOST_FILES = 100


@dataclass(frozen=True, slots=True)
class LeafType:
    """A type of action or condition of a file.

    :param template: of its skill; '' for a condition.
    :param ports: in the order of the slots, or of the condition's text.
    :param defaults: values of ports that a node does not give.
    """

    name: str
    template: str
    ports: tuple[str, ...]
    defaults: tuple[tuple[str, str], ...] = ()

    @property
    def asks(self) -> bool:
        """Whether it is a condition."""
        return not self.template

    def values(self, given: Mapping[str, str]) -> dict[str, str]:
        """Those of its ports, as far as a node or the type gives them; an empty one is none."""
        known = {**dict(self.defaults), **{name: text for name, text in given.items() if text}}
        return {port: known[port] for port in self.ports if known.get(port)}


@dataclass(frozen=True, slots=True)
class TreeFile:
    """What the library is to load.

    :param text: XML in which leaves are calls of subtrees; see `prepared`.
    :param main: name of the tree that is ticked. :param leaves: types of the leaves in it.
    """

    text: str
    main: str
    leaves: tuple[LeafType, ...]


#: Begins the entries of a blackboard that hold a leaf's ports.
PORT = 'port_'
#: Ends the name of the subtree that holds a leaf alone.
_CALL = '.call'


def prepared(text: str, folder: Path | None = None, templates: Iterable[str] = ()) -> TreeFile:
    """A tree as the library can load it.

    Nodes made in Python have no ports in `behaviortreepy`, subtrees do: each leaf becomes the only
    node of a subtree of its own, which has the leaf's ports.

    :param folder: where files that it includes are; None where it may include none.
    :param templates: of the skill server, for actions whose template the file does not have.
    :raises ConfigurationError: it is no tree that can be ticked.
    """
    root = _whole(text, folder)
    trees = root.findall('BehaviorTree')
    if root.get('BTCPP_format') != '4' or not trees:
        raise ConfigurationError(
            'This is no tree of BehaviorTree.CPP 4: its root needs BTCPP_format="4" (Groot2 asks '
            'for which version it saves), and at least one BehaviorTree.'
        )
    main = _main_of(root, trees)
    leaves = _leaf_types(root, templates)
    used: dict[str, LeafType] = {}
    for tree in trees:
        for parent in tree.iter():
            for place, element in enumerate(parent):
                name = _name_of(element)
                if name in leaves:
                    used[name] = leaves[name]
                    parent[place] = _call_of(element, leaves[name])
    for leaf in used.values():
        tree = SubElement(root, 'BehaviorTree', ID=leaf.name + _CALL)
        SubElement(tree, 'Condition' if leaf.asks else 'Action', ID=leaf.name)
    return TreeFile(ElementTree.tostring(root, encoding='unicode'), main, tuple(used.values()))


def skills_of(text: str, folder: Path | None = None) -> tuple[str, ...]:
    """The skills that a tree may do, for people; values that the tree sets stay as they stand.

    :raises ConfigurationError: it cannot be read.
    """
    root = _whole(text, folder)
    leaves = _leaf_types(root)
    found: dict[str, None] = {}
    for tree in root.findall('BehaviorTree'):
        matches = (SETS_TEXT.fullmatch(one.get('code', '')) for one in tree.iter('Script'))
        texts = {f'{{{one[1]}}}': one[3] for one in matches if one is not None}
        for element in tree.iter():
            leaf = leaves.get(_name_of(element))
            if leaf is not None and not leaf.asks:
                values = leaf.values(element.attrib)
                given = [values.get(port, '?') for port in leaf.ports]
                shown = [texts.get(value, value) for value in given]
                found[SkillType(leaf.template).filled(shown)] = None
            elif leaf is None and element.tag == 'Action':
                # Its template is the skill server's to tell.
                values = {name: text for name, text in element.attrib.items() if name != 'ID'}
                found[' '.join([element.get('ID', ''), *values.values()])] = None
    return tuple(found)


def _root(text: str) -> Element:
    try:
        return ElementTree.fromstring(text.encode())
    except ElementTree.ParseError as error:
        raise ConfigurationError(f'This is no XML: {error}.') from error


def _whole(text: str, folder: Path | None) -> Element:
    """A file with the trees and models of those that it includes, as Groot2's projects do."""
    root = _root(text)
    waiting = [(one, folder) for one in root.findall('include')]
    seen: set[Path] = set()
    for include in root.findall('include'):
        root.remove(include)
    while waiting:
        include, beside = waiting.pop()
        name = include.get('path', '')
        if beside is None or include.get('ros_pkg') or not name:
            raise ConfigurationError(
                f'This tree includes {name or "a file without path"} of somewhere else: copy the '
                'trees that it needs into its file.'
            )
        path = (beside / name).resolve()
        if path in seen:
            continue
        seen.add(path)
        if len(seen) > _MOST_FILES:
            raise ConfigurationError(f'This tree includes more than {_MOST_FILES} files.')
        try:
            part = _root(read_text(path, LARGEST_FILE))
        except ConfigurationError as error:
            raise ConfigurationError(
                f'The file {name} that this tree includes: {error}'
            ) from error
        waiting += [(one, path.parent) for one in part.findall('include')]
        root.extend(one for one in part if one.tag in ('BehaviorTree', 'TreeNodesModel'))
    return root


def _main_of(root: Element, trees: list[Element]) -> str:
    """The tree that is ticked: the one that is named, else the one that no other calls.

    :raises ConfigurationError: there is none, or several; or trees call each other in a circle.
    """
    calls = {
        tree.get('ID', ''): {one.get('ID', '') for one in tree.iter('SubTree')} for tree in trees
    }
    called = set().union(*calls.values())
    free = [name for name in calls if name not in called]
    named = root.get('main_tree_to_execute') or (MAIN if MAIN in free else '')
    if not named and len(free) > 1:
        raise ConfigurationError(
            f'This file has several trees that no other one calls ({", ".join(free[:5])}): say '
            f'which is the task, with main_tree_to_execute="{free[0]}" in its root.'
        )
    # The library would follow such calls until its memory ends.
    while leaves := {name for name, inner in calls.items() if not inner & calls.keys()}:
        calls = {name: inner for name, inner in calls.items() if name not in leaves}
    if calls:
        raise ConfigurationError(
            f'The trees {", ".join(sorted(calls)[:5])} call each other without end: take one of '
            'these calls out.'
        )
    return named or free[0]


def _name_of(element: Element) -> str:
    """The type of a leaf."""
    return element.get('ID', '') if element.tag in ('Action', 'Condition') else element.tag


def _leaf_types(root: Element, templates: Iterable[str] = ()) -> dict[str, LeafType]:
    """Types of leaves by their names.

    :raises ConfigurationError: the slots of an action cannot be known from its ports.
    """
    found = {name: LeafType(name, '', one.ports) for name, one in CONDITION_TYPES.items()}
    known = Counter(map(identifier, dict.fromkeys(templates)))
    for name, action in action_types(map(SkillType, dict.fromkeys(templates))).items():
        # Of those that are called alike, nobody knows which is which.
        if known[identifier(action.template)] == 1:
            found[name] = LeafType(name, action.template, action.ports)
    for model in root.findall('TreeNodesModel/*'):
        if model.tag in ('Action', 'Condition'):
            found.update((leaf.name, leaf) for leaf in _declared(model, found))
    return found


def _declared(model: Element, known: Mapping[str, LeafType]) -> Iterator[LeafType]:
    name = model.get('ID', '')
    declared = [one for one in model if one.tag in ('input_port', 'output_port', 'inout_port')]
    defaults = tuple((one.get('name', ''), one.get('default', '')) for one in declared)
    templates = (one.get(TEMPLATE, '') for one in model.findall('MetadataFields/Metadata'))
    template = next(filter(None, templates), '')
    if model.tag == 'Condition' and name in CONDITION_TYPES:
        yield LeafType(name, '', CONDITION_TYPES[name].ports, defaults)
    elif model.tag == 'Action' and template:
        yield LeafType(name, template, _in_order(name, template, dict(defaults)), defaults)
    elif name in known and not known[name].asks:
        yield LeafType(name, known[name].template, known[name].ports, defaults)


def _in_order(name: str, template: str, declared: Mapping[str, str]) -> tuple[str, ...]:
    """Ports in the order of a template's slots, in whatever order they are declared.

    :raises ConfigurationError: they are called otherwise, so that nobody knows which is which.
    """
    ports = port_names(slot.name for slot in SkillType(template).slots)
    if len(ports) < 2 and len(declared) == len(ports):
        return tuple(declared)
    if set(ports) != set(declared):
        raise ConfigurationError(
            f'The ports of the action {name} ({", ".join(declared) or "none"}) are not those of '
            f'its skill "{template}": call them {", ".join(ports) or "nothing"} in TreeNodesModel '
            'and in its nodes.'
        )
    return ports


def _call_of(leaf: Element, declared: LeafType) -> Element:
    """A leaf as the call of a subtree."""
    given = {name: value for name, value in leaf.attrib.items() if name != 'ID'}
    values = declared.values(given)
    missing = [port for port in declared.ports if port not in values]
    if missing:
        raise ConfigurationError(f'A node {declared.name} gives no value for {missing[0]!r}.')
    ports = {PORT + name: value for name, value in values.items()}
    others = {name: value for name, value in given.items() if name not in declared.ports}
    return Element('SubTree', {'ID': declared.name + _CALL, **others, **ports})
