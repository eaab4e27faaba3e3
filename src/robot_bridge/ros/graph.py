"""The actions, services and topics that are in the graph now."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from contextlib import suppress

from rclpy.action import get_action_names_and_types
from rclpy.node import Node, NodeNameNonExistentError
from rclpy.qos import DurabilityPolicy, qos_check_compatible, QoSCompatibility
from rclpy.topic_endpoint_info import TopicEndpointInfo

from reactree_core.ros.qos import heard
from robot_bridge.robot import Interface
from robot_bridge.state_file import Source

#: Services that every node or action has.
_USUAL = ('rcl_interfaces/', 'type_description_interfaces/', 'lifecycle_msgs/', 'composition_')


def interfaces_now(node: Node) -> tuple[Interface, ...]:
    """Actions and services that have a server, and topics that have publishers or subscribers.

    Those of this package's own nodes, and those that every node has, are left out.

    :param node: that looks; what only it has is not there.
    """
    found = []
    ours = _our_nodes(node)
    for name, types in get_action_names_and_types(node):
        if _is_ours(types):
            continue
        if _others(node.get_publishers_info_by_topic(f'{name}/_action/status'), ours):
            found += [Interface('action', name, kind) for kind in types]
    own_services = {
        name for one in ours for name, _ in node.get_service_names_and_types_by_node(*one)
    }
    for name, types in node.get_service_names_and_types():
        hidden = '/_action/' in name or any(kind.startswith(_USUAL) for kind in types)
        if not hidden and name not in own_services and node.count_services(name):
            found += [Interface('service', name, kind) for kind in types]
    for name, types in node.get_topic_names_and_types():
        if '/_action/' in name or _is_ours(types):
            continue
        if _others(node.get_publishers_info_by_topic(name), ours):
            found += [Interface('await', name, kind) for kind in types]
        if _others(node.get_subscriptions_info_by_topic(name), ours):
            found += [Interface('publish', name, kind) for kind in types]
    return tuple(found)


def _our_nodes(node: Node) -> set[tuple[str, str]]:
    """Names and namespaces of the nodes that have or hear something of this package's types."""
    ours = {(node.get_name(), node.get_namespace())}
    for one in node.get_node_names_and_namespaces():
        with suppress(NodeNameNonExistentError):
            names = (
                *node.get_service_names_and_types_by_node(*one),
                *node.get_publisher_names_and_types_by_node(*one),
                *node.get_subscriber_names_and_types_by_node(*one),
            )
            if any(_is_ours(types) for _, types in names):
                ours.add(one)
    return ours


def _others(ends: Iterable[TopicEndpointInfo], ours: Collection[tuple[str, str]]) -> bool:
    """Whether one of some publishers or subscriptions is not this package's."""
    return any((one.node_name, one.node_namespace) not in ours for one in ends)


def latched_topics(node: Node, interfaces: Iterable[Interface]) -> frozenset[str]:
    """Those of the topics whose publishers keep their last message."""
    return frozenset(
        one.name
        for one in interfaces
        if one.kind == 'await'
        for publisher in node.get_publishers_info_by_topic(one.name)
        if publisher.qos_profile.durability is DurabilityPolicy.TRANSIENT_LOCAL
    )


def unheard(node: Node, entry: Source) -> str:
    """Why a source's topic is not heard as it is published, and what to change; '' if it is.

    :param node: that looks.
    """
    wanted = heard(entry.latched)
    publishers = node.get_publishers_info_by_topic(node.resolve_topic_name(entry.topic))
    for publisher in publishers if entry.topic else ():
        offered = publisher.qos_profile
        if qos_check_compatible(offered, wanted)[0] != QoSCompatibility.ERROR:
            continue
        if offered.durability == DurabilityPolicy.VOLATILE:
            how = 'volatile: its last message is not kept'
        else:
            how = 'best effort, and a kept message needs a reliable publisher'
        return (
            f'{entry.topic} is published {how}, so with "latched: true" nothing is heard of it; '
            'remove "latched: true" from the file, or change the publisher'
        )
    return ''


def advice(node: Node, entry: Source) -> str:
    """What a file could say better about a source's topic; '' for nothing."""
    publishers = node.get_publishers_info_by_topic(node.resolve_topic_name(entry.topic))
    kept = [one.qos_profile.durability == DurabilityPolicy.TRANSIENT_LOCAL for one in publishers]
    if any(kept) and not entry.latched:
        return (
            f'{entry.topic} keeps its last message: with "latched: true" what was published '
            'before the bridge started is heard too'
        )
    if len(publishers) > 1 and not entry.select and '[' in f'{entry.field}{_fields(entry)}':
        return (
            f'{entry.topic} has {len(publishers)} publishers, and an element of a list is read by '
            'its number: name the one that is meant, e.g. "select: {name: gripper_joint}"'
        )
    return ''


def nodes_behind(
    node: Node, interfaces: Iterable[Interface]
) -> tuple[dict[str, frozenset[str]], dict[str, frozenset[str]]]:
    """Names of the nodes that publish topics of a robot, and that serve what its skills command.

    :param node: that looks. :param interfaces: of the robot's file.
    """
    publishers: dict[str, frozenset[str]] = {}
    servers: dict[str, frozenset[str]] = {}
    services: dict[str, set[str]] = {}
    for name, namespace in node.get_node_names_and_namespaces():
        with suppress(NodeNameNonExistentError):
            for service, _ in node.get_service_names_and_types_by_node(name, namespace):
                services.setdefault(service, set()).add(_full(name, namespace))
    for one in interfaces:
        name = node.resolve_topic_name(one.name)
        if one.kind == 'await':
            publishers[one.name] = _names(node.get_publishers_info_by_topic(name))
        elif one.kind == 'publish':
            servers[one.name] = _names(node.get_subscriptions_info_by_topic(name))
        elif one.kind == 'action':
            servers[one.name] = _names(node.get_publishers_info_by_topic(f'{name}/_action/status'))
        else:
            servers[one.name] = frozenset(services.get(name, ()))
    return publishers, servers


def _names(ends: Iterable[TopicEndpointInfo]) -> frozenset[str]:
    return frozenset(_full(one.node_name, one.node_namespace) for one in ends)


def _full(name: str, namespace: str) -> str:
    return f'{namespace.rstrip("/")}/{name}'


def _fields(entry: Source) -> str:
    return ' '.join(getattr(entry, 'when', {}))


def _is_ours(types: list[str]) -> bool:
    return any(kind.startswith('reactree_ros/') for kind in types)
