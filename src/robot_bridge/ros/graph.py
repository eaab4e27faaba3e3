"""The actions, services and topics that are in the graph now."""

from __future__ import annotations

from collections.abc import Iterable

from rclpy.action import get_action_names_and_types
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy

from robot_bridge.robot import Interface

#: Services that every node or action has.
_USUAL = ('rcl_interfaces/', 'type_description_interfaces/', 'lifecycle_msgs/', 'composition_')


def interfaces_now(node: Node) -> tuple[Interface, ...]:
    """Actions and services that have a server, and topics that have publishers or subscribers.

    Those of this package's own nodes, and those that every node has, are left out.

    :param node: that looks; what only it has is not there.
    """
    found = []
    for name, types in get_action_names_and_types(node):
        if node.count_publishers(f'{name}/_action/status') and not _is_ours(types):
            found += [Interface('action', name, kind) for kind in types]
    for name, types in node.get_service_names_and_types():
        hidden = '/_action/' in name or any(kind.startswith(_USUAL) for kind in types)
        if not hidden and not _is_ours(types) and node.count_services(name):
            found += [Interface('service', name, kind) for kind in types]
    for name, types in node.get_topic_names_and_types():
        if '/_action/' in name or _is_ours(types):
            continue
        if node.count_publishers(name):
            found += [Interface('await', name, kind) for kind in types]
        if node.count_subscribers(name):
            found += [Interface('publish', name, kind) for kind in types]
    return tuple(found)


def latched_topics(node: Node, interfaces: Iterable[Interface]) -> frozenset[str]:
    """Those of the topics whose publishers keep their last message."""
    return frozenset(
        one.name
        for one in interfaces
        if one.kind == 'await'
        for publisher in node.get_publishers_info_by_topic(one.name)
        if publisher.qos_profile.durability is DurabilityPolicy.TRANSIENT_LOCAL
    )


def _is_ours(types: list[str]) -> bool:
    return any(kind.startswith('reactree_ros/') for kind in types)
