"""Servers as the middleware has discovered them, beside the rest of one that was killed.

rmw_fastrtps calls a service ready only where it knows of as many readers of requests as writers of
answers. A process that is killed while it is being discovered leaves one without the other until
its lease ends (20 s by default), and for as long a server that was started in its place would not
be found. So a service is served where one participant has both.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from rclpy.node import Node

#: Services of an action.
ACTION_SERVICES = ('send_goal', 'get_result', 'cancel_goal')
_ACTION_TOPICS = ('feedback', 'status')
#: Bytes of an endpoint's id that name its participant.
_PARTICIPANT = 12


def is_served(node: Node, client: Any) -> bool:
    """Test whether a server of a service has been discovered whole.

    :param client: of the service, on the node.
    """
    if client.service_is_ready():
        return True
    return bool(_servers(node, node.resolve_service_name(client.srv_name)))


def is_action_served(node: Node, name: str) -> bool:
    """Test whether one participant serves all of an action. :param name: of the action."""
    base = f'{node.resolve_service_name(name)}/_action'
    servers = [_servers(node, f'{base}/{service}') for service in ACTION_SERVICES]
    servers += [
        {*participants(node.get_publishers_info_by_topic(f'{base}/{topic}'))}
        for topic in _ACTION_TOPICS
    ]
    return bool(set.intersection(*servers))


def requesters(node: Node, name: str) -> Counter[bytes]:
    """Participants that may call a service, with their number of clients."""
    topic = f'rq{name}Request'
    return participants(node.get_publishers_info_by_topic(topic, no_mangle=True))


def hearers(node: Node, name: str) -> Counter[bytes]:
    """Participants that hear answers of a service, with their number of clients."""
    topic = f'rr{name}Reply'
    return participants(node.get_subscriptions_info_by_topic(topic, no_mangle=True))


def participants(endpoints: Sequence[Any]) -> Counter[bytes]:
    """Participants that endpoints belong to, with the number of their endpoints."""
    return Counter(bytes(endpoint.endpoint_gid[:_PARTICIPANT]) for endpoint in endpoints)


def _servers(node: Node, name: str) -> set[bytes]:
    """Participants that serve a service.

    :param name: of the service, from the root. Empty where names are mangled otherwise than DDS
        does.
    """
    taking = node.get_subscriptions_info_by_topic(f'rq{name}Request', no_mangle=True)
    if not taking:
        return set()
    answering = node.get_publishers_info_by_topic(f'rr{name}Reply', no_mangle=True)
    return {*participants(taking)} & {*participants(answering)}
