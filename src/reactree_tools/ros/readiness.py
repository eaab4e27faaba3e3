"""Whether the nodes of a stack can be used, as seen from the graph."""

from __future__ import annotations

from rcl_interfaces.srv import GetParameters

from reactree_core.errors import ReactreeError
from reactree_core.ros import qos
from reactree_core.ros.actions import ActionClient
from reactree_ros.action import PlanTask
from reactree_ros.msg import BridgeStatus
from reactree_ros.srv import RetrieveExperiences
from reactree_tools.ros.session import Session

#: Seconds to ask a node that is ready about itself.
_ASK = 2.0


class GraphReadiness:
    """Watches for the bridge's status, the memory's service and the planner's action."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._status: BridgeStatus | None = None
        node = session.node
        node.create_subscription(BridgeStatus, 'bridge_status', self._on_status, qos.latched())
        self._memory = node.create_client(RetrieveExperiences, 'memory/retrieve_experiences')
        self._planner = ActionClient(node, PlanTask, 'planner/plan_task')

    def _on_status(self, status: BridgeStatus) -> None:
        self._status = status

    def ready(self, name: str) -> bool:
        """Whether a node ('bridge', 'memory', 'recorder' or 'planner') answers now."""
        if name == 'bridge':
            return self._status is not None and self._status.state == BridgeStatus.STATE_READY
        if name == 'memory':
            return bool(self._memory.service_is_ready())
        if name == 'recorder':
            return self.twins(name) > 0
        return bool(self._planner.server_is_ready())

    def fault(self) -> str:
        """Why the bridge says that it cannot work; '' when it does not say so."""
        status = self._status
        if status is None or status.state != BridgeStatus.STATE_FAULT:
            return ''
        return status.message or 'The bridge reports a fault without a reason.'

    def describe(self, name: str) -> str:
        """What a node has told about itself, for people."""
        if name == 'planner':
            return self._planner_choice()
        if name != 'bridge' or self._status is None:
            return ''
        status = self._status
        parts = [status.backend]
        parts += [f'scene {status.scene}'] if status.scene else []
        parts += [f'task {status.task_id}'] if status.task_id else []
        return ', '.join(parts)

    def _planner_choice(self) -> str:
        """Planner and model, from the planner's own parameters."""
        request = GetParameters.Request(names=['planner', 'model'])
        try:
            answer = self._session.call(
                GetParameters, 'planner/get_parameters', request, 'planner', _ASK, _ASK
            )
        except ReactreeError:
            # It is ready all the same; only the line about it is shorter.
            return ''
        return ', '.join(value.string_value for value in answer.values if value.string_value)

    def twins(self, name: str) -> int:
        """How many nodes of this name the graph shows in the namespace."""
        return sum(
            found == name and namespace == self._session.namespace
            for found, namespace in self._session.node.get_node_names_and_namespaces()
        )
