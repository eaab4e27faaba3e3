"""A short-lived ROS node for one command, and what it asks of a bridge and of the graph."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import rclpy
from rcl_interfaces.srv import GetParameters
from rclpy.context import Context
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from rclpy.task import Future

from reactree_core.errors import ConfigurationError, ReactreeError, SkillError
from reactree_core.ros import qos
from reactree_core.ros.actions import ActionClient
from reactree_core.ros.discovery import is_served
from reactree_core.ros.spinning import leaving, NodesInThread, reason_of, security_hint
from reactree_ros.action import PlanTask
from reactree_ros.msg import BridgeStatus
from reactree_ros.srv import GetWorldState, ResetWorld, RetrieveExperiences
from reactree_tools.exit_codes import ExitCode
from reactree_tools.node_table import COMMANDS, enclave_arguments, full_name
from reactree_tools.processes.domains import current_domain
from reactree_tools.views.world_view import LoadedWorld, WorldState

#: Seconds between two looks at a service that is not there yet.
_PERIOD = 0.05
#: Whole seconds after which a command ends though the middleware does not let go of its node.
_END = 5


class Session:
    """Node, executor and context of one command; left without a trace on the graph.

    :param namespace: of the nodes it talks to, with a leading slash.
    :raises ConfigurationError: ROS cannot start in this environment.
    """

    def __init__(self, namespace: str) -> None:
        self.namespace = namespace
        self.domain = current_domain()
        self.context = Context()
        try:
            # Signals are the command line's own business.
            rclpy.init(
                args=['--ros-args', *enclave_arguments(namespace, COMMANDS)],
                context=self.context,
                signal_handler_options=SignalHandlerOptions.NO,
            )
            self.node = Node(
                f'_reactree_{os.getpid()}',
                namespace=namespace,
                context=self.context,
                use_global_arguments=False,
                enable_rosout=False,
                start_parameter_services=False,
            )
        except RuntimeError as error:
            self.context.try_shutdown()
            reason = reason_of(error)
            advice = (
                'Set HOME, or ROS_LOG_DIR, to a folder that can be written'
                if 'logging' in reason
                else 'Look at ROS_DOMAIN_ID and RMW_IMPLEMENTATION'
            )
            raise ConfigurationError(
                f'ROS 2 cannot start here: {reason}. {advice}.{security_hint()}'
            ) from error
        self._thread = NodesInThread(self.context, self.node)

    def __enter__(self) -> Session:
        self._thread.start()
        return self

    def __exit__(self, *reason: object) -> None:
        with leaving(ExitCode.FAILED, _END):
            try:
                self._thread.end(grace=2.0)
            finally:
                self.context.try_shutdown()

    def wait(self, future: Future, seconds: float) -> Any:
        """The result of a future.

        :raises TimeoutError: it has none in time.
        """
        done = threading.Event()
        future.add_done_callback(lambda _: done.set())
        if not done.wait(seconds):
            future.cancel()
            raise TimeoutError
        return future.result()

    def find(
        self,
        is_there: Callable[[], bool],
        who: str,
        seconds: float,
        stop: Callable[[], bool] = lambda: False,
    ) -> bool:
        """Wait until somebody is discovered; false where `stop` ended that before.

        :param who: is sought, e.g. 'bridge'. :param seconds: longest wait.
        :raises SkillError: nobody is there in time.
        """
        deadline = time.monotonic() + seconds
        while not is_there():
            if stop():
                return False
            if time.monotonic() >= deadline:
                raise SkillError(nobody_there(who, self))
            time.sleep(_PERIOD)
        return True

    def call(
        self, service_type: Any, name: str, request: Any, who: str, seconds: float, find: float
    ) -> Any:
        """Call a service, named relative to the namespace.

        :param who: whom this asks, e.g. 'bridge'.
        :param seconds: longest wait for the answer.
        :param find: longest wait for the service to be found.
        :raises SkillError: nobody is there, or there is no answer in time.
        """
        client = self.node.create_client(service_type, name)
        try:
            self.find(lambda: is_served(self.node, client), who, find)
            return self.wait(client.call_async(request), seconds)
        except TimeoutError:
            raise SkillError(
                f'The {who} did not answer {name} within {seconds:.0f} s. Look at its log.'
            ) from None
        finally:
            self.node.destroy_client(client)


def nobody_there(who: str, session: Session) -> str:
    """What to say when a node is not on the graph."""
    return (
        f'No {who} answers in namespace {session.namespace} of ROS domain {session.domain}. Start '
        'one with `reactree up` or `ros2 launch reactree_ros simulation.launch.py`; if it runs, '
        'give its --namespace and set the same ROS_DOMAIN_ID.'
    )


#: Seconds for a bridge to be discovered; a cold start takes up to 3.5 s.
FIND_SECONDS = 8.0
#: Seconds for an answer; a large scene file takes a while to load.
ANSWER_SECONDS = 60.0


def reset_world(session: Session, scene: str, task: str, seed: int) -> LoadedWorld:
    """Load a scene and a task.

    :param scene: as in ResetWorld.srv; '' keeps what is loaded.
    :param task: as in ResetWorld.srv; '' for a world without goal conditions.
    :raises SkillError: no bridge answers. :raises ConfigurationError: the bridge says no.
    """
    request = ResetWorld.Request(scene=scene, task=task, seed=seed)
    answer = session.call(
        ResetWorld, 'bridge/reset_world', request, 'bridge', ANSWER_SECONDS, FIND_SECONDS
    )
    if not answer.success:
        raise ConfigurationError(answer.message or 'The bridge did not reset its world.')
    return LoadedWorld(
        answer.scene,
        answer.task_id,
        answer.instruction,
        answer.message,
        answer.observation.text,
    )


def world_state(session: Session, include_graph: bool = False) -> WorldState:
    """Ask a running bridge for the state of its world.

    :raises SkillError: no bridge answers.
    """
    request = GetWorldState.Request(include_graph=include_graph)
    answer = session.call(
        GetWorldState, 'bridge/get_world_state', request, 'bridge', ANSWER_SECONDS, FIND_SECONDS
    )
    return WorldState(
        answer.has_goal or answer.has_score,
        answer.conditions_met,
        answer.conditions_total,
        answer.success,
        answer.scene,
        answer.task_id,
        answer.instruction,
        tuple(answer.conditions),
        answer.graph,
        answer.skills_executed,
        answer.score if answer.has_score else None,
    )


#: Seconds to ask a node that is ready about itself.
_ASK = 2.0
#: States of a bridge that answers.
_SERVING = (BridgeStatus.STATE_READY, BridgeStatus.STATE_STOPPED)


class GraphReadiness:
    """Watches for the bridges' status, the memory's service and the planner's action.

    :param names: of nodes; a robot of a team stands before its own: 'robot_1/bridge'.
    """

    def __init__(self, session: Session, names: Iterable[str] = ('bridge',)) -> None:
        self._session = session
        self._status: dict[str, BridgeStatus] = {}
        node = session.node
        for name in names:
            if _kind(name) == 'bridge':
                node.create_subscription(
                    BridgeStatus,
                    f'{name}_status',
                    partial(self._status.__setitem__, name),
                    qos.latched(),
                )
        self._memory = node.create_client(RetrieveExperiences, 'memory/retrieve_experiences')
        self._planner = ActionClient(node, PlanTask, 'planner/plan_task')

    def ready(self, name: str) -> bool:
        """Whether a node answers now. :param name: e.g. 'bridge', 'memory' or 'planner'."""
        kind = _kind(name)
        if kind == 'bridge':
            # A stopped robot is one that can be looked at, and released.
            status = self._status.get(name)
            return status is not None and status.state in _SERVING
        if kind == 'memory':
            return is_served(self._session.node, self._memory)
        if kind in ('perception', 'recorder'):
            return self.twins(name) > 0
        if kind == 'home':
            return True  # no node: it says so in its log
        return bool(self._planner.server_is_ready())

    def fault(self) -> str:
        """Why a bridge says that it cannot work; '' when none says so."""
        for status in self._status.values():
            if status.state == BridgeStatus.STATE_FAULT:
                return status.message or 'The bridge reports a fault without a reason.'
        return ''

    def describe(self, name: str) -> str:
        """What a node has told about itself, for people."""
        if name == 'planner':
            return self._planner_choice()
        status = self._status.get(name)
        if status is None:
            return ''
        if status.state == BridgeStatus.STATE_STARTING:
            return status.message
        parts = [status.backend]
        parts += [f'scene {status.scene}'] if status.scene else []
        parts += [f'task {status.task_id}'] if status.task_id else []
        parts += [status.message] if status.message else []
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
        wanted = full_name(self._session.namespace, name)
        return sum(
            full_name(namespace, found) == wanted
            for found, namespace in self._session.node.get_node_names_and_namespaces()
        )


def _kind(name: str) -> str:
    """A node without its robot."""
    return name.rpartition('/')[2]
