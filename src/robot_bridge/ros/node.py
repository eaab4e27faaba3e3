"""The robot bridge: a robot's own actions, services and topics as a skill server."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rclpy.callback_groups import ReentrantCallbackGroup

from reactree_core.errors import ConfigurationError
from reactree_core.permission.guard import SkillGuard
from reactree_core.permission.rules_file import read_rules
from reactree_core.ros.diagnostics import Health
from reactree_core.ros.diagnostics import start_diagnostics
from reactree_core.ros.node_name import NodeName
from reactree_core.ros.parameter_specs import declare_all
from reactree_core.ros.parameter_specs import LiveValues
from reactree_core.ros.parameter_specs import read_all
from reactree_core.ros.parameter_specs import SettledNode
from reactree_core.ros.spinning import announce_ready
from reactree_core.ros.spinning import run_node
from robot_bridge.robot import load_robot
from robot_bridge.ros.calling import CallDoer
from robot_bridge.ros.installed_types import InstalledTypes
from robot_bridge.ros.parameters import PARAMETERS
from robot_bridge.ros.robot_skills import RobotServices
from robot_bridge.ros.robot_skills import RobotSkills
from robot_bridge.ros.sensing import Sensing
from sim_bridge.ros.emergency_stop import EmergencyStop
from sim_bridge.ros.skill_action import SkillAction
from sim_bridge.ros.status import BridgeState
from sim_bridge.ros.status import StatusBoard


class RobotBridgeNode(SettledNode):
    """Node `bridge`: serves the skills that a robot's file describes.

    Action server: `~/execute_skill` (ExecuteSkill), one goal at a time, as the bridge of simulated
    worlds has it. Services: `~/list_skills` (ListSkills), `~/get_world_state` (GetWorldState;
    judges nothing), `~/reset_world` (ResetWorld; refuses), `~/emergency_stop` (std_srvs/SetBool).
    Subscribes `~/emergency_stop` (std_msgs/Bool): true presses it.
    Publishers: `bridge_status` (BridgeStatus), latched, liveliness AUTOMATIC with a lease of 1 s;
    `/diagnostics` (DiagnosticArray); the topics that the file publishes on.
    Clients and subscriptions: the actions, services and topics that the file names; `/tf` and
    `/tf_static` where it looks poses up.
    Parameters: table PARAMETERS of robot_bridge.ros.parameters.

    :param options: of rclpy's Node.
    :raises ConfigurationError: a parameter or the file cannot be used; says all that is wrong.
    """

    #: None until it is this node's; ROS destroys nodes that could not be made too.
    held_name: NodeName | None = None

    def __init__(self, **options: Any) -> None:
        super().__init__('bridge', **options)
        declare_all(self, PARAMETERS)
        values = read_all(self, PARAMETERS)
        if not values.robot:
            raise ConfigurationError(
                'the robot bridge needs the file of a robot: -p robot:=my_robot.yaml '
                '(`reactree robot init` writes one)'
            )
        robot = load_robot(Path(values.robot).expanduser(), InstalledTypes())
        self.held_name = NodeName(self)
        group = ReentrantCallbackGroup()
        self._status = StatusBoard(self, group)
        self._status.load(robot.file.robot, '', '')
        self._calls = CallDoer(self, group, robot, self._status)
        sensing = Sensing(self, robot)
        self._skills = RobotSkills(self, robot, sensing, self._calls)
        live = LiveValues(self, PARAMETERS)
        self._guard = SkillGuard(read_rules(values.permission), simulated=False)
        self._action = SkillAction(self, group, self._skills, self._status, live, self._guard)
        EmergencyStop(self, group, self._status, self._action.halt)
        RobotServices(self, group, robot, sensing, self._skills)
        start_diagnostics(self, 'bridge', self._health)
        self.get_logger().info(
            f'{robot.file.robot}: {len(robot.skills)} skills, {len(robot.file.places)} places'
        )
        self._status.change(BridgeState.READY)
        announce_ready(self)

    def stop(self) -> None:
        """End the running skill with a result, before the node goes down."""
        self._action.stop(timeout=2.0)

    def destroy_node(self) -> None:
        """Give the name back too."""
        super().destroy_node()
        if self.held_name is not None:
            self.held_name.close()

    def _health(self) -> Health:
        absent = self._calls.absent()
        values = {
            'state': self._status.state.name,
            'skills executed': str(self._skills.executed),
            'goals rejected': str(self._action.rejected),
            'absent': ', '.join(absent),
            **self._guard.values,
        }
        broken = self._status.state in (BridgeState.FAULT, BridgeState.STOPPED)
        fault = self._status.sentence if broken else ''
        warning = f'{absent[0][:1].upper()}{absent[0][1:]} has no server.' if absent else ''
        return Health(fault, warning, values, self._status.sentence)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the node; see `run_node` for the exit codes."""
    return run_node(RobotBridgeNode, arguments=arguments)


if __name__ == '__main__':
    sys.exit(main())
