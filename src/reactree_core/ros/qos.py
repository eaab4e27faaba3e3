"""Every quality-of-service profile of the package, by the role of the topic."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rclpy.callback_groups import CallbackGroup
from rclpy.duration import Duration
from rclpy.event_handler import SubscriptionEventCallbacks
from rclpy.node import Node
from rclpy.qos import (
    DurabilityPolicy,
    HistoryPolicy,
    LivelinessPolicy,
    QoSPolicyKind,
    QoSProfile,
    ReliabilityPolicy,
)
from rclpy.qos_overriding_options import QoSOverridingOptions

#: What a parameter `qos_overrides.<topic>.<publisher or subscription>.<policy>` may change.
#: Durability and liveliness are part of what topics promise: a state that is not latched, or a
#: sign of life without its lease, would be believed and be wrong.
OVERRIDABLE = (QoSPolicyKind.HISTORY, QoSPolicyKind.DEPTH, QoSPolicyKind.RELIABILITY)

#: Seconds after which a bridge that says nothing counts as gone.
STATUS_LEASE = 1.0


def overridable() -> QoSOverridingOptions:
    """For every publisher and subscription of a managed node."""
    return QoSOverridingOptions(OVERRIDABLE)


def latched() -> QoSProfile:
    """The newest value, also for those who subscribe later; exactly one publisher per topic."""
    return QoSProfile(
        history=HistoryPolicy.KEEP_LAST,
        depth=1,
        reliability=ReliabilityPolicy.RELIABLE,
        durability=DurabilityPolicy.TRANSIENT_LOCAL,
    )


def events() -> QoSProfile:
    """Events that must not be lost on the way: a subscriber may lag 1000 of them behind."""
    return QoSProfile(
        history=HistoryPolicy.KEEP_LAST,
        depth=1000,
        reliability=ReliabilityPolicy.RELIABLE,
        durability=DurabilityPolicy.VOLATILE,
    )


def kept_events() -> QoSProfile:
    """Events that are kept for who comes late: the newest 1000 of a publisher.

    Of publishers, which serve subscribers of `events` as well, and of recorders.
    """
    profile = events()
    profile.durability = DurabilityPolicy.TRANSIENT_LOCAL
    return profile


def status() -> QoSProfile:
    """A latched state with a sign of life: the middleware says when its publisher is gone.

    Of publisher and subscription alike: a subscription with a lease hears of a killed publisher
    within that lease (a service client never does).
    """
    profile = latched()
    profile.liveliness = LivelinessPolicy.AUTOMATIC
    profile.liveliness_lease_duration = Duration(seconds=STATUS_LEASE)
    return profile


def pictures() -> QoSProfile:
    """The newest picture; who is too slow misses some."""
    return QoSProfile(
        history=HistoryPolicy.KEEP_LAST,
        depth=1,
        reliability=ReliabilityPolicy.RELIABLE,
        durability=DurabilityPolicy.VOLATILE,
    )


def pictures_as_published() -> QoSProfile:
    """Of a subscription: as reliable as the cameras are that are there when it is made."""
    profile = pictures()
    profile.reliability = ReliabilityPolicy.BEST_AVAILABLE
    return profile


def heard(is_kept: bool, depth: int = 1) -> QoSProfile:
    """Of a subscription to what somebody else publishes again and again: the newest is enough.

    :param is_kept: whether its last message counts for those who come later; then the publisher
        must keep it. Else whatever is offered is taken.
    """
    if is_kept:
        return latched()
    return QoSProfile(depth=depth, reliability=ReliabilityPolicy.BEST_EFFORT)


def subscribe_whatever_is_offered(
    node: Node,
    kind: type,
    topic: str,
    callback: Callable[[Any], None],
    group: CallbackGroup,
) -> None:
    """Hear publishers of a robot, reliably where they offer that.

    A reliable subscription gets nothing of the others, and one that is not may lose what matters.
    So there are two: what the callback does must not mind being done again.
    """
    for reliability in (ReliabilityPolicy.RELIABLE, ReliabilityPolicy.BEST_EFFORT):
        node.create_subscription(
            kind,
            topic,
            callback,
            QoSProfile(depth=10, reliability=reliability),
            callback_group=group,
            # That a publisher does not fit one of them is no news.
            event_callbacks=SubscriptionEventCallbacks(use_default_callbacks=False),
        )
