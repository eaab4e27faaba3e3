"""Events of a planner's topics, as they come."""

from __future__ import annotations

from collections.abc import Callable

from rclpy.node import Node
from rclpy.qos import QoSProfile

from reactree_core.errors import ReactreeError
from reactree_core.record.events import Event
from reactree_core.ros.conversions import observation_from_message, run_id_from_message
from reactree_planner.ros.run_messages import decision_from_message
from reactree_ros.msg import Decision as DecisionMessage
from reactree_ros.msg import Observation as ObservationMessage


class PlannerEvents:
    """Subscribes `planner/decisions` and `planner/observations`.

    :param hear: called with the id of a run and an event of it.
    :param robot: namespace of the planner, with a slash at its end; '' for the node's own.
    """

    def __init__(
        self, node: Node, profile: QoSProfile, hear: Callable[[str, Event], None], robot: str = ''
    ) -> None:
        self._node = node
        self._hear = hear
        for kind, topic, listener in (
            (DecisionMessage, 'decisions', self._on_decision),
            (ObservationMessage, 'observations', self._on_observation),
        ):
            node.create_subscription(kind, f'{robot}planner/{topic}', listener, profile)

    def _on_decision(self, message: DecisionMessage) -> None:
        try:
            event = decision_from_message(message)
        except ValueError as error:
            self.complain(f'a decision cannot be read ({error})')
            return
        self._hear(run_id_from_message(message.run_id), event)

    def _on_observation(self, message: ObservationMessage) -> None:
        try:
            event = observation_from_message(message)
        except ReactreeError as error:
            self.complain(str(error))
            return
        self._hear(run_id_from_message(message.run_id), event)

    def complain(self, sentence: str) -> None:
        """Say in the node's log what cannot be read, but not too often."""
        self._node.get_logger().warning(sentence, throttle_duration_sec=10.0)
