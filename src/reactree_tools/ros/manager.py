"""The manager node: brings managed nodes up in order, and says which one failed and why."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Sequence
from typing import Any

from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState, GetState
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup, ReentrantCallbackGroup
from rclpy.client import Client
from rclpy.clock import Clock, ClockType
from rclpy.expand_topic_name import expand_topic_name
from std_srvs.srv import Trigger

from reactree_core.errors import ReactreeError
from reactree_core.ros.discovery import is_served
from reactree_core.ros.fields import bounded
from reactree_core.ros.node_name import NodeName
from reactree_core.ros.parameter_specs import declare_all, read_all, SettledNode, Table
from reactree_core.ros.parameter_specs import ParameterSpec as Row
from reactree_core.ros.spinning import announce_ready, run_node

try:
    from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
except ImportError:
    DiagnosticArray = None

# fmt: off
PARAMETERS: Table = (
    Row('nodes', ('bridge', 'memory', 'planner'),
        'Nodes to bring up, in this order; full names, with a leading slash, for nodes of other '
        'namespaces.',
        read_only=True),
    Row('discovery_timeout', 60.0, 'Timeout until all nodes are found.',
        unit='s', low=1.0, high=3600.0, read_only=True),
    Row('transition_timeout', 300.0,
        'Longest configuration or activation of a node, including the loading of a model.',
        unit='s', low=1.0, high=3600.0, read_only=True),
)
# fmt: on

#: Seconds between two looks at the graph.
_PERIOD = 0.5
#: Longest wait for a node to say on /diagnostics why it failed, and for its state, seconds.
_REASON = 3.0
_STATE = 30.0
#: What leads from a state towards being active, and back to unconfigured.
_UP = {
    'unconfigured': Transition.TRANSITION_CONFIGURE,
    'inactive': Transition.TRANSITION_ACTIVATE,
}
_DOWN = {
    'active': Transition.TRANSITION_DEACTIVATE,
    'inactive': Transition.TRANSITION_CLEANUP,
}
_WORDS = {
    Transition.TRANSITION_CONFIGURE: 'configured',
    Transition.TRANSITION_ACTIVATE: 'activated',
    Transition.TRANSITION_DEACTIVATE: 'deactivated',
    Transition.TRANSITION_CLEANUP: 'cleaned up',
}


class TransitionError(ReactreeError):
    """A node did not go where it was to go; the sentence says which, and why."""


class ManagerNode(SettledNode):
    """Node `manager`: configures all its nodes in order, then activates them in order.

    A node whose process has come again is brought up again. Its nodes are those of this package
    with `autostart:=false`, or any with a lifecycle.

    Services `~/bring_up`, `~/take_down` (std_srvs/Trigger); clients of each node's
    `change_state` and `get_state`; subscribes `/diagnostics`.
    Parameters: table PARAMETERS. Needs two threads: one waits, one hears the answers.

    :param options: of rclpy's Node.
    :raises ConfigurationError: a parameter cannot be used, or the name is another node's.
    """

    #: None until it is this node's; ROS destroys nodes that could not be made too.
    held_name: NodeName | None = None

    def __init__(self, **options: Any) -> None:
        super().__init__('manager', **options)
        declare_all(self, PARAMETERS)
        self._values = read_all(self, PARAMETERS)
        self.held_name = NodeName(self)
        self._names = [
            expand_topic_name(name, self.get_name(), self.get_namespace())
            for name in self._values.nodes
        ]
        self._ending = threading.Event()
        #: Whether the nodes are to be up.
        self._wanted = True
        self._began = time.monotonic()
        self._complained = False
        #: Node -> ids of the processes that were brought up, as they are on the graph.
        self._known: dict[str, set[bytes]] = {name: set() for name in self._names}
        #: Node -> what it said last was wrong; '' for nothing.
        self._faults: dict[str, str] = {}
        answers = ReentrantCallbackGroup()
        self._change = {
            name: self.create_client(ChangeState, f'{name}/change_state', callback_group=answers)
            for name in self._names
        }
        self._state = {
            name: self.create_client(GetState, f'{name}/get_state', callback_group=answers)
            for name in self._names
        }
        if DiagnosticArray is not None:
            self.create_subscription(
                DiagnosticArray, '/diagnostics', self._hear, 100, callback_group=answers
            )
        work = MutuallyExclusiveCallbackGroup()
        self.create_service(Trigger, '~/bring_up', self._on_bring_up, callback_group=work)
        self.create_service(Trigger, '~/take_down', self._on_take_down, callback_group=work)
        self.create_timer(_PERIOD, self._look, work, clock=Clock(clock_type=ClockType.STEADY_TIME))
        announce_ready(self)

    def stop(self) -> None:
        """End what is waited for; the nodes stay as they are."""
        self._ending.set()

    def destroy_node(self) -> None:
        """Give the name back too."""
        super().destroy_node()
        if self.held_name is not None:
            self.held_name.close()

    # When ---------------------------------------------------------------------------------

    def _look(self) -> None:
        """Bring up what is there and is not known."""
        if not self._wanted:
            return
        there = {name: self._processes(name) for name in self._names}
        missing = [name for name in self._names if not there[name]]
        begun = any(self._known.values())
        patience = self._values.discovery_timeout
        if missing and not begun:
            if not self._complained and time.monotonic() - self._began > patience:
                self._complained = True
                self.get_logger().error(
                    f'missing after {patience:g} s: {", ".join(missing)}. No node is configured '
                    'before all are running: start them, or look at their logs.'
                )
            return
        new = [name for name in self._names if there[name] - self._known[name]]
        if new:
            self._known = there
            self._report(self._move(new, _UP))

    def _processes(self, name: str) -> set[bytes]:
        """Ids of the processes of this name that serve their lifecycle."""
        if not all(is_served(self, one[name]) for one in (self._change, self._state)):
            return set()
        publishers = self.get_publishers_info_by_topic(f'{name}/transition_event')
        return {bytes(endpoint.endpoint_gid) for endpoint in publishers}

    def _on_bring_up(self, request: Trigger.Request, response: Trigger.Response) -> Any:
        self._wanted = True
        return self._answer(response, self._move(self._names, _UP))

    def _on_take_down(self, request: Trigger.Request, response: Trigger.Response) -> Any:
        self._wanted = False
        return self._answer(response, self._move(self._names[::-1], _DOWN))

    def _answer(self, response: Trigger.Response, failure: str) -> Trigger.Response:
        self._known = {name: self._processes(name) for name in self._names}
        self._report(failure)
        response.success = not failure
        response.message = failure or ('all are up' if self._wanted else 'all are down')
        return response

    def _report(self, failure: str) -> None:
        if failure:
            self.get_logger().error(failure)
        elif self._wanted:
            self.get_logger().info(f'all are up: {", ".join(self._names)}')

    # How ----------------------------------------------------------------------------------

    def _move(self, names: Sequence[str], table: dict[str, int]) -> str:
        """Take nodes two states on, all of them the first before one the second.

        :returns: what failed, as a sentence; '' when all are there.
        """
        try:
            for transition in table.values():
                for name in names:
                    if table.get(self._state_of(name)) == transition:
                        self._make(name, transition)
        except TransitionError as error:
            return str(error)
        return ''

    def _state_of(self, name: str) -> str:
        answer = self._ask(self._state[name], GetState.Request(), _STATE)
        if answer is None:
            raise TransitionError(f'{name} does not report its state: look at its log.')
        label: str = answer.current_state.label
        return label

    def _make(self, name: str, transition: int) -> None:
        patience = self._values.transition_timeout
        self._faults[name] = ''
        request = ChangeState.Request(transition=Transition(id=transition))
        answer = self._ask(self._change[name], request, patience)
        what = _WORDS[transition]
        if answer is None:
            raise TransitionError(f'{name} was not {what} within {patience:g} s: look at its log.')
        if not answer.success:
            raise TransitionError(f'{name} could not be {what}: {self._reason(name)}')
        self.get_logger().info(f'{name} is {what}')

    def _reason(self, name: str) -> str:
        deadline = time.monotonic() + _REASON
        while not self._faults[name] and time.monotonic() < deadline:
            if self._ending.wait(0.05):
                break
        return self._faults[name] or 'its log says why.'

    def _ask(self, client: Client, request: Any, patience: float) -> Any:
        """The answer; None when none comes in time."""
        arrived = threading.Event()
        future = client.call_async(request)
        future.add_done_callback(lambda _: arrived.set())
        deadline = time.monotonic() + patience
        while not arrived.wait(0.05):
            if time.monotonic() > deadline or self._ending.is_set():
                client.remove_pending_request(future)
                return None
        return future.result()

    def _hear(self, message: DiagnosticArray) -> None:
        for status in message.status:
            name = status.name.partition(':')[0]
            if name in self._faults and status.level == DiagnosticStatus.ERROR:
                self._faults[name] = bounded(status.message)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the node; see `run_node` for the exit codes."""
    return run_node(ManagerNode, 3, arguments)


if __name__ == '__main__':
    sys.exit(main())
