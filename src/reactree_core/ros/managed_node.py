"""Nodes that a manager brings up and takes down, or that do it themselves (the default).

    unconfigured --configure--> inactive --activate--> active
                 <--cleanup---           <-deactivate-

This is ROS 2's lifecycle (design.ros2.org/articles/node_lifecycle.html): `ros2 lifecycle`, the
lifecycle manager of Nav2 and the node `manager` of this package can all drive it.

What a node serves stays on the graph from its first configuration to its end; what stands behind
it (model, world, store) comes and goes. An entity destroyed while a callback of it runs would
take the executor with it, and a client whose server vanishes waits for ever: a refusal with a
sentence is better.
"""

from __future__ import annotations

import traceback
from typing import Any

import rclpy.action
from rclpy.lifecycle import LifecycleNodeMixin, LifecycleState, TransitionCallbackReturn
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.qos import qos_profile_system_default
from rclpy.service_introspection import ServiceIntrospectionState

from reactree_core.errors import ReactreeError
from reactree_core.ros.diagnostics import Health, start_diagnostics
from reactree_core.ros.fields import bounded
from reactree_core.ros.node_name import NodeName
from reactree_core.ros.parameter_specs import declare_all, SettledNode, Table
from reactree_core.ros.parameter_specs import ParameterSpec as Row
from reactree_core.ros.spinning import announce_ready, security_hint
from reactree_core.telemetry import MODES, OFF, open_telemetry, Telemetry

_INTROSPECTION = {
    'off': ServiceIntrospectionState.OFF,
    'metadata': ServiceIntrospectionState.METADATA,
    'contents': ServiceIntrospectionState.CONTENTS,
}
_ACTIONS = (rclpy.action.ActionServer, rclpy.action.ActionClient)

# fmt: off
#: Parameters of every managed node.
MANAGED: Table = (
    Row('autostart', True,
        'The node configures and activates itself; false: it waits for a manager '
        '(docs/managed_nodes.md).',
        read_only=True),
    Row('service_introspection', 'off',
        'What the node publishes about each call of its services and actions (on their topics '
        '_service_event): nothing, metadata, or metadata with contents.',
        choices=tuple(_INTROSPECTION)),
)
#: Of those that a run goes through.
TELEMETRY: Table = (
    Row('telemetry', OFF,
        'Send runs as OpenTelemetry traces to a collector (OTLP over HTTP), as the environment '
        'variables OTEL_* tell (docs/telemetry.md).',
        choices=MODES, read_only=True),
)
# fmt: on

_UNCONFIGURED = 'unconfigured'
_INACTIVE = 'inactive'
_ACTIVE = 'active'


class ManagedNode(LifecycleNodeMixin, SettledNode):
    """A node with a lifecycle. A subclass says what its transitions do, and ends its constructor
    with `begin()`.

    Services `~/change_state`, `~/get_state` and their kin (lifecycle_msgs), `~/get_logger_levels`
    and `~/set_logger_levels` (rcl_interfaces); publishers `~/transition_event`, `/diagnostics`.

    A failed configuration leaves the node unconfigured, with the reason in its log and on
    /diagnostics. Parameters that are fixed at start may be changed while it is unconfigured.

    :param table: of its parameters; has the rows of MANAGED, the last one if it has services.
    :param options: of rclpy's Node.
    :raises ConfigurationError: a parameter cannot be used, or the name is another node's.
    """

    #: None until it is this node's; ROS destroys nodes that could not be made too.
    held_name: NodeName | None = None
    #: Where spans go while the node is configured; None where they go nowhere.
    telemetry: Telemetry | None = None

    def __init__(self, name: str, table: Table, **options: Any) -> None:
        Node.__init__(self, name, enable_logger_service=True, **options)
        LifecycleNodeMixin.__init__(self)
        #: Why the newest configuration failed; '' when it did not.
        self.fault = ''
        self._error: Exception | None = None
        declare_all(self, table)
        self._table = {spec.name for spec in table}
        #: Nobody looks for a robot's trouble in the services that every node has.
        self._common_services = set(self.services)
        self._introspects = False
        # Before anything is published: what a second node of the name says would be believed.
        self.held_name = NodeName(self)
        self.add_post_set_parameters_callback(self._follow)

    # What a subclass does -----------------------------------------------------------------

    def configure(self) -> None:
        """Read the parameters and make ready what the node needs.

        :raises ReactreeError: it cannot; `cleanup` is called then.
        """

    def activate(self) -> None:
        """Serve from now on. :raises ReactreeError: it cannot."""

    def deactivate(self) -> None:
        """Refuse what is new and end what runs."""

    def cleanup(self) -> None:
        """Let go of what `configure` has made, as far as it came.

        :raises ReactreeError: it is still in use.
        """

    def health(self) -> Health:
        """How the node is, once it is configured; quick."""
        return Health()

    # States -------------------------------------------------------------------------------

    def begin(self) -> None:
        """Tell how the node is from now on, and bring it up where parameter `autostart` says.

        :raises ConfigurationError: it cannot be configured.
        """
        start_diagnostics(self, self.get_name(), self._shown_health)
        if not self.get_parameter('autostart').value:
            self.get_logger().info('waits to be configured (autostart is false)')
            return
        for transition in (self.trigger_configure, self.trigger_activate):
            if transition() is not TransitionCallbackReturn.SUCCESS:
                assert self._error is not None
                raise self._error

    @property
    def lifecycle_state(self) -> str:
        """E.g. 'inactive'."""
        label: str = self._state_machine.current_state[1]
        return label

    @property
    def is_active(self) -> bool:
        """Whether it serves."""
        return self.lifecycle_state == _ACTIVE

    @property
    def refusal(self) -> str:
        """Why it does not serve, as a sentence; '' when it does."""
        state = self.lifecycle_state
        if state == _ACTIVE:
            return ''
        reason = f' ({self.fault})' if self.fault else ''
        return f'The {self.get_name()} is {state}{reason}: a manager has to activate it.'

    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Of the lifecycle: `configure`, or the reason why not."""
        try:
            self._open_telemetry()
            self.configure()
            if self.has_parameter('service_introspection'):
                self._introspect(self.get_parameter('service_introspection').value)
        except Exception as error:  # noqa: BLE001 - told, and raised by `begin`
            return self._fail(error)
        self.fault, self._error = '', None
        return super().on_configure(state)

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Of the lifecycle: `activate`, or the reason why not."""
        try:
            self.activate()
        except Exception as error:  # noqa: BLE001 - told, and raised by `begin`
            return self._fail(error, cleans=False)
        self.fault, self._error = '', None
        announce_ready(self)
        return super().on_activate(state)

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Of the lifecycle: `deactivate`."""
        self.deactivate()
        self.get_logger().info('deactivated')
        return super().on_deactivate(state)

    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Of the lifecycle: `cleanup`."""
        if not self._let_go():
            return TransitionCallbackReturn.FAILURE
        self.get_logger().info('cleaned up')
        return super().on_cleanup(state)

    def on_shutdown(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Of the lifecycle: what is left of `deactivate` and `cleanup`; the process stays."""
        if state.label == _ACTIVE:
            self.deactivate()
        if state.label in (_ACTIVE, _INACTIVE) and not self._let_go():
            return TransitionCallbackReturn.FAILURE
        return super().on_shutdown(state)

    def on_error(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Of the lifecycle: a transition broke; the node can be configured again."""
        self.fault = f'Its transition from {state.label} failed: look at its log.'
        self._let_go()
        return TransitionCallbackReturn.SUCCESS

    def _let_go(self) -> bool:
        """Clean up; whether that could be done."""
        try:
            self.cleanup()
        except ReactreeError as error:
            self.get_logger().error(str(error))
            return False
        self._close_telemetry()
        return True

    def _open_telemetry(self) -> None:
        """:raises ConfigurationError: it cannot be used."""
        self._close_telemetry()
        if 'telemetry' in self._table:
            name = self.get_fully_qualified_name()
            mode = self.get_parameter('telemetry').value
            service = f'reactree_{self.get_name()}'
            self.telemetry = open_telemetry(mode, service, name, self.get_logger().warning)

    def _close_telemetry(self) -> None:
        if self.telemetry is not None:
            self.telemetry.close()
        self.telemetry = None

    def _fail(self, error: Exception, cleans: bool = True) -> TransitionCallbackReturn:
        self.fault, self._error = bounded(str(error)), error
        if not isinstance(error, ReactreeError):
            self.fault = bounded(
                f'The {self.get_name()} broke ({type(error).__name__}: {error}): this is a fault '
                f'in its program. Its log has the details.{security_hint()}'
            )
            self.get_logger().error(''.join(traceback.format_exception(error)))
        if not self.get_parameter('autostart').value:
            self.get_logger().error(self.fault)
        if cleans:
            self._let_go()
        return TransitionCallbackReturn.FAILURE

    def _shown_health(self) -> Health:
        state = self.lifecycle_state
        values = {'lifecycle state': state}
        if self.fault or state not in (_ACTIVE, _INACTIVE):
            return Health(self.fault, values=values, state=state)
        health = self.health()
        shown = health.state if state == _ACTIVE else self.refusal
        return Health(health.fault, health.warning, {**values, **health.values}, shown)

    # Parameters ---------------------------------------------------------------------------

    def is_fixed(self, name: str) -> bool:
        """Whether a parameter can be changed only before the node is configured."""
        own = name in self._table and self.lifecycle_state == _UNCONFIGURED
        return super().is_fixed(name) and not own

    def _follow(self, parameters: list[Parameter]) -> None:
        for parameter in parameters:
            if parameter.name == 'service_introspection':
                self._introspect(parameter.value)

    def _introspect(self, level: str) -> None:
        """Have calls told of on the topics _service_event."""
        if level == 'off' and not self._introspects:
            return
        self._introspects = True
        own = (
            *(service for service in self.services if service not in self._common_services),
            *self.clients,
            *(entity for entity in self.waitables if isinstance(entity, _ACTIONS)),
        )
        for entity in own:
            # rclpy tells of the calls of actions from 9 (Kilted) on.
            if hasattr(entity, 'configure_introspection'):
                entity.configure_introspection(
                    self.get_clock(), qos_profile_system_default, _INTROSPECTION[level]
                )

    def destroy_node(self) -> None:
        """Send the last spans, and give the name back too."""
        self._close_telemetry()
        super().destroy_node()
        if self.held_name is not None:
            self.held_name.close()
