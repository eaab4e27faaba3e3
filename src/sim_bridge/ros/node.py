"""The bridge node: a simulated world as a skill server."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from rclpy.callback_groups import ReentrantCallbackGroup

from reactree_core.errors import ConfigurationError, ReactreeError
from reactree_core.permission.guard import SkillGuard
from reactree_core.permission.kept_ledger import ledger_of
from reactree_core.permission.rules_file import read_rules
from reactree_core.robot_record import RobotRecord
from reactree_core.ros.diagnostics import Health
from reactree_core.ros.managed_node import ManagedNode
from reactree_core.ros.parameter_specs import LiveValues, read_all
from reactree_core.ros.spinning import run_node
from reactree_core.stop_log import stop_log
from reactree_core.world import World
from sim_bridge.ros.camera import CameraTopic
from sim_bridge.ros.parameters import PARAMETERS, read_options
from sim_bridge.ros.served_world import result_of, ServedWorld
from sim_bridge.ros.world_services import WorldServices
from sim_bridge.ros.world_skills import WorldSkills
from sim_bridge.worlds.registry import make_world
from skill_server.ros.emergency_stop import EmergencyStop
from skill_server.ros.kept_record import KeptRecord
from skill_server.ros.skill_action import SkillAction
from skill_server.ros.status import BridgeState, StatusBoard

_INACTIVE = 'The bridge is inactive: a manager has to activate it.'


class BridgeNode(ManagedNode):
    """Node `bridge`: serves a simulated world. A real robot replaces exactly this node.

    Action server: `~/execute_skill` (ExecuteSkill), one goal at a time; `run_id` and `sequence`
    number a skill, and the same number is never executed twice.
    Services: `~/list_skills` (ListSkills), `~/get_world_state` (GetWorldState), `~/reset_world`
    (ResetWorld), `~/snapshot_world` (SnapshotWorld), `~/emergency_stop` (std_srvs/SetBool).
    Subscribes `~/emergency_stop` (std_msgs/Bool): true presses it.
    Publishers: `bridge_status` (BridgeStatus), latched, liveliness AUTOMATIC with a lease of 1 s;
    `~/camera/image_raw` (sensor_msgs/Image), with parameter `camera.period` above 0;
    `/diagnostics` (DiagnosticArray).
    Parameters: table PARAMETERS of sim_bridge.ros.parameters.

    No callback blocks: the world has a thread of its own, and everything that waits is a
    coroutine. One executor thread is therefore enough, and the quickest; more do no harm.

    :param make: makes a world from its name and options.
    :param options: of rclpy's Node.
    :raises ConfigurationError: a parameter cannot be used, or the world cannot be loaded.
    """

    def __init__(self, make: Callable[..., World] = make_world, **options: Any) -> None:
        super().__init__('bridge', PARAMETERS, **options)
        self._make = make
        self._group = ReentrantCallbackGroup()
        self._live = LiveValues(self, PARAMETERS)
        self._world = ServedWorld(self)
        self._action: SkillAction | None = None
        self._camera: CameraTopic | None = None
        self._guard = SkillGuard(simulated=True)
        self._status = StatusBoard(self, self._group, simulated=True)
        self._status.refuse(self.refusal)
        self.begin()

    # The lifecycle ------------------------------------------------------------------------

    def configure(self) -> None:
        """Make the world and load its scene and task.

        :raises ConfigurationError: a parameter cannot be used, or the world cannot be loaded.
        """
        values = read_all(self, PARAMETERS)
        # A mistake in the file shows now, before anything moves.
        rules = read_rules(values.permission)
        self._guard.keep(rules, ledger_of(rules, self.get_fully_qualified_name()))
        self._world.serve(partial(self._make, values.world, **read_options(values.world_options)))
        self._load(values.scene, values.task, values.seed)
        # Whoever finds the action finds the world loaded.
        if self._action is None:
            skills = WorldSkills(self, self._world, self._status, self._live)
            self._action = SkillAction(
                self, self._group, skills, self._status, self._live, self._guard
            )
            name = self.get_fully_qualified_name()
            self._stop = EmergencyStop(
                self, self._group, self._status, self._action.end_running, stop_log(name)
            )
            self._action.look = self._stop.look
            self._stop.follow()
            self._recorded = KeptRecord(self, RobotRecord(name, simulated=True))
            WorldServices(self, self._group, self._world, self._status)
        self._action.telemetry = self.telemetry
        if values.camera_period > 0.0:
            self._camera = CameraTopic(self, self._group, self._world, self._live)
        self._status.refuse(_INACTIVE)

    def activate(self) -> None:
        """Take skills from now on, or once the one has ended that ran at the deactivation."""
        assert self._action is not None
        self._action.serve()

    def deactivate(self) -> None:
        """Take no more skills; the running one ends as canceled."""
        self._status.refuse(_INACTIVE)
        assert self._action is not None
        self._action.end_running('the deactivation of the bridge')

    def cleanup(self) -> None:
        """Let the world go."""
        if self._camera is not None:
            self._camera.close()
            self._camera = None
        self._world.unload()
        self._status.renew()
        state = BridgeState.FAULT if self.fault else BridgeState.STARTING
        self._status.refuse(self.fault or 'The bridge is not configured.', state)

    def stop(self) -> None:
        """End the running skill with a result, before the node goes down."""
        if self._action is not None:
            self._stop.close()
            self._action.stop(timeout=2.0)
            # Nothing moves but by this process.
            self._recorded.end()
        self._world.close()

    def _load(self, scene: str, task: str, seed: int) -> None:
        try:
            result_of(self._world.reset(scene, task, seed))
        except ReactreeError as error:
            raise ConfigurationError(f'the bridge cannot load its world: {error}') from error
        loaded = self._world.loaded
        self._status.load(loaded.backend, loaded.scene, loaded.task_id)
        self.get_logger().info(
            f'{loaded.backend}: {loaded.scene}, task {loaded.task_id or "none"}'
        )

    def health(self) -> Health:
        """World, state and counts."""
        loaded = self._world.loaded
        values = {
            'state': self._status.state.name,
            'world': loaded.backend,
            'scene': loaded.scene,
            'task': loaded.task_id,
            'skills executed': str(self._world.executed),
            'goals rejected': str(self._action.rejected if self._action else 0),
            **self._guard.values,
        }
        broken = self._status.state in (BridgeState.FAULT, BridgeState.STOPPED)
        fault = self._status.sentence if broken else ''
        return Health(fault, values=values, state=self._status.sentence)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the node; see `run_node` for the exit codes."""
    return run_node(BridgeNode, arguments=arguments)


if __name__ == '__main__':
    sys.exit(main())
