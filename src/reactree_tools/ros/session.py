"""A short-lived ROS node for one command, spun in a thread of its own."""

from __future__ import annotations

import os
import threading
import time
from types import TracebackType
from typing import Any

import rclpy
from rclpy.context import Context
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from rclpy.task import Future

from reactree_core.errors import ConfigurationError
from reactree_core.errors import SkillError
from reactree_core.ros.spinning import leaving
from reactree_core.ros.spinning import NodesInThread
from reactree_tools.exit_codes import ExitCode
from reactree_tools.processes.domains import current_domain

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
                args=[], context=self.context, signal_handler_options=SignalHandlerOptions.NO
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
            raise ConfigurationError(
                f'ROS 2 cannot start here: {str(error).splitlines()[0]}. Look at ROS_DOMAIN_ID '
                'and RMW_IMPLEMENTATION.'
            ) from error
        self._thread = NodesInThread(self.context, self.node)

    def __enter__(self) -> Session:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
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
            deadline = time.monotonic() + find
            while not client.service_is_ready():
                if time.monotonic() >= deadline:
                    raise SkillError(nobody_there(who, self))
                time.sleep(_PERIOD)
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
