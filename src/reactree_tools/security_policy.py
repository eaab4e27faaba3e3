"""Policies of SROS2: what each node may do, as XML of version 0.2.0.

`python -m reactree_tools.security_policy` writes those of config/sros2; a test compares them. A
node's enclave has its full name, and permits what `node_interfaces` says that it makes.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from reactree_core.written_files import MistakesError
from reactree_tools.node_interfaces import COMMAND_LINE, Interfaces, interfaces_of
from reactree_tools.node_table import COMMANDS, fleet_nodes, full_name, PlacedNode, wanted_nodes
from robot_bridge.loading import load_robot
from robot_bridge.robot import Robot

#: Of the schema (sros2/policy/schemas/policy.xsd).
VERSION = '0.2.0'
#: What is done with an interface -> the elements of a policy for it.
_ELEMENTS = {
    'publish': ('topics', 'topic'),
    'subscribe': ('topics', 'topic'),
    'reply': ('services', 'service'),
    'request': ('services', 'service'),
    'execute': ('actions', 'action'),
    'call': ('actions', 'action'),
}
#: Switches of the table of nodes with which every node is there.
_ALL = ('memory', 'record', 'viewer', 'managed')


def policy_text(
    robots: Sequence[str] = (),
    namespace: str = '/',
    robot: Robot | None = None,
    extras: Collection[str] = (),
) -> str:
    """The policy of a whole stack: a profile for each node that it may have.

    :param robots: names of the robots of a fleet; none for one robot.
    :param namespace: of the nodes, or of what a fleet shares; with a leading slash.
    :param robot: whose bridge stands in the place of a simulated world.
    :param extras: of EXTRAS, what is permitted beyond the default.
    :raises ValueError: a robot's name is none, or comes twice.
    :raises ConfigurationError: a name in the robot's file is none of ROS.
    """
    root = ElementTree.Element('policy', version=VERSION)
    note = 'Written by `reactree sros2`, see docs/sros2.md. '
    if extras:
        note += f'Beyond the default: {", ".join(sorted(extras))}. '
    root.append(ElementTree.Comment(f' {note}'))
    enclaves = ElementTree.SubElement(root, 'enclaves')
    sees = robot is not None and robot.file.perception is not None
    for placed in placed_nodes(robots, namespace, robot is not None, sees):
        commands = placed.node is COMMAND_LINE
        path = full_name(placed.namespace, COMMANDS if commands else placed.node.name)
        enclave = ElementTree.SubElement(enclaves, 'enclave', path=path)
        profiles = ElementTree.SubElement(enclave, 'profiles')
        profile = ElementTree.SubElement(
            profiles, 'profile', ns=placed.namespace, node=placed.node.name
        )
        _permit(profile, interfaces_of(placed, extras, robot))
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding='unicode')
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def placed_nodes(
    robots: Sequence[str] = (),
    namespace: str = '/',
    by_file: bool = False,
    sees: bool = False,
) -> Iterator[PlacedNode]:
    """Every node that a stack may have, and the command line beside each planner.

    :param robots: and :param namespace: as of `policy_text`.
    :param by_file: whether the bridge is that of a robot's file.
    :param sees: whether that file names cameras.
    :raises ValueError: a robot's name is none, or comes twice.
    """
    given: dict[str, Any] = dict.fromkeys(_ALL, True)
    given |= {'with_bridge': not by_file, 'robot': by_file, 'perception': sees}
    if robots:
        yield from fleet_nodes(robots, given, namespace)
    else:
        for node in wanted_nodes(given):
            yield PlacedNode(node, namespace, node.parameters(given))
    for place in [full_name(namespace, name) for name in robots] or [namespace]:
        yield PlacedNode(COMMAND_LINE, place, {})


def _permit(profile: ElementTree.Element, interfaces: Interfaces) -> None:
    for done, names in interfaces:
        if names:
            many, one = _ELEMENTS[done]
            group = ElementTree.SubElement(profile, many, {done: 'ALLOW'})
            for name in names:
                ElementTree.SubElement(group, one).text = name


#: Of config/sros2, but for the example of a robot's file.
FILES: dict[str, tuple[str, ...]] = {
    'one_robot.policy.xml': (),
    'fleet.policy.xml': ('robot_1', 'robot_2'),
}
EXAMPLE = 'mobile_robot'


def main() -> int:
    """Write all files into a checkout's config folder."""
    from robot_bridge.ros.installed_types import InstalledTypes

    root = Path(__file__).parents[2]
    folder = root / 'config' / 'sros2'
    folder.mkdir(exist_ok=True)
    texts = {name: policy_text(robots) for name, robots in FILES.items()}
    try:
        robot = load_robot(root / 'examples' / EXAMPLE / 'robot.yaml', InstalledTypes())
        texts[f'{EXAMPLE}.policy.xml'] = policy_text(robot=robot)
    except MistakesError as error:  # its types are not installed everywhere
        print(f'{EXAMPLE} stays as it is: {error}', file=sys.stderr)
    for name, text in texts.items():
        (folder / name).write_text(text, encoding='utf-8')
        print(folder / name)
    return 0


if __name__ == '__main__':
    sys.exit(main())
