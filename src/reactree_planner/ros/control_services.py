"""The services with which people look into a run and hold it back."""

from __future__ import annotations

from typing import Any

from rclpy.callback_groups import CallbackGroup
from rclpy.node import Node
from std_srvs.srv import SetBool
from std_srvs.srv import Trigger

from reactree_core.ros.conversions import bounded
from reactree_core.ros.conversions import run_id_from_message
from reactree_planner.ros.run_topics import RunTopics
from reactree_planner.runs.gate import Gate
from reactree_ros.srv import GetTree
from reactree_ros.srv import ResolveApproval


class ControlServices:
    """Services `~/get_tree`, `~/resolve_approval`, `~/pause` and `~/step` of the planner.

    :param group: reentrant, so that they answer while a run waits.
    """

    def __init__(self, node: Node, group: CallbackGroup, gate: Gate, topics: RunTopics) -> None:
        self._gate = gate
        self._topics = topics
        for kind, name, callback in (
            (GetTree, '~/get_tree', self._get_tree),
            (ResolveApproval, '~/resolve_approval', self._resolve_approval),
            (SetBool, '~/pause', self._pause),
            (Trigger, '~/step', self._step),
        ):
            node.create_service(kind, name, callback, callback_group=group)

    def _get_tree(self, request: GetTree.Request, response: GetTree.Response) -> Any:
        wanted = run_id_from_message(request.run_id)
        have = run_id_from_message(self._topics.tree.run_id)
        response.found = bool(self._topics.tree.nodes) and (
            not wanted.strip('0') or wanted == have
        )
        if response.found:
            response.tree = self._topics.tree
        return response

    def _resolve_approval(
        self, request: ResolveApproval.Request, response: ResolveApproval.Response
    ) -> Any:
        response.accepted, response.message = self._gate.resolve(
            run_id_from_message(request.run_id),
            request.sequence,
            request.skill,
            request.approve,
            bounded(request.reason, 500),
        )
        return response

    def _pause(self, request: SetBool.Request, response: SetBool.Response) -> Any:
        self._gate.pause(request.data)
        response.success = True
        response.message = 'skills wait' if request.data else 'skills run'
        return response

    def _step(self, request: Trigger.Request, response: Trigger.Response) -> Any:
        response.success = self._gate.step()
        response.message = (
            'one skill may run' if response.success else 'not paused: call ~/pause with true first'
        )
        return response
