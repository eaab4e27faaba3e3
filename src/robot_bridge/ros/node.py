"""The robot bridge: a robot's own actions, services and topics as a skill server."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rclpy.callback_groups import ReentrantCallbackGroup

from reactree_core.errors import ConfigurationError
from reactree_core.permission.guard import SkillGuard
from reactree_core.permission.hazards import read_hazards
from reactree_core.permission.kept_ledger import ledger_of
from reactree_core.permission.rules_file import read_rules
from reactree_core.ros.diagnostics import Health
from reactree_core.ros.managed_node import ManagedNode
from reactree_core.ros.parameter_specs import LiveValues, read_all
from reactree_core.ros.spinning import run_node
from reactree_core.stop_log import stop_log
from reactree_core.written_files import read_text
from robot_bridge.loading import load_robot
from robot_bridge.robot import Robot
from robot_bridge.ros.calling import CallDoer
from robot_bridge.ros.installed_types import InstalledTypes
from robot_bridge.ros.parameters import PARAMETERS
from robot_bridge.ros.readiness import Readiness
from robot_bridge.ros.robot_goals import RobotGoals
from robot_bridge.ros.robot_skills import RobotServices, RobotSkills
from robot_bridge.ros.sensing import Sensing
from robot_bridge.stopping import record_of
from skill_server.ros.emergency_stop import EmergencyStop
from skill_server.ros.kept_record import KeptRecord
from skill_server.ros.skill_action import SkillAction
from skill_server.ros.status import BridgeState, StatusBoard

#: Seconds between two looks whether the robot has stopped, at the end.
_POLL = 0.02
_INACTIVE = 'The bridge is inactive: a manager has to activate it.'


class RobotBridgeNode(ManagedNode):
    """Node `bridge`: serves the skills that a robot's file describes.

    Action server: `~/execute_skill` (ExecuteSkill), one goal at a time, as the bridge of simulated
    worlds has it. Services: `~/list_skills` (ListSkills), `~/get_world_state` (GetWorldState;
    judges nothing), `~/reset_world` (ResetWorld; refuses), `~/emergency_stop` (std_srvs/SetBool).
    Subscribes `~/emergency_stop` (std_msgs/Bool): true presses it.
    Publishers: `bridge_status` (BridgeStatus), latched, liveliness AUTOMATIC with a lease of 1 s;
    `/diagnostics` (DiagnosticArray); the topics that the file publishes on.
    Clients and subscriptions: the actions, services and topics that the file names; of its
    actions also the status, and the cancel of all goals; `/tf` and `/tf_static` where it looks
    poses up.
    Parameters: table PARAMETERS of robot_bridge.ros.parameters.

    :param options: of rclpy's Node.
    :raises ConfigurationError: a parameter or the file cannot be used; says all that is wrong.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__('bridge', PARAMETERS, **options)
        self._group = ReentrantCallbackGroup()
        self._live = LiveValues(self, PARAMETERS)
        self._guard = SkillGuard(simulated=False)
        #: Name and text of the file that is served.
        self._file = ('', '')
        self._action: SkillAction | None = None
        self._status = StatusBoard(self, self._group)
        self._status.refuse(self.refusal)
        self.begin()

    # The lifecycle ------------------------------------------------------------------------

    def configure(self) -> None:
        """Read the robot's file and the rules, and find the robot's interfaces.

        :raises ConfigurationError: a parameter or a file cannot be used; says all that is wrong.
        """
        values = read_all(self, PARAMETERS)
        if not values.robot:
            raise ConfigurationError(
                'the robot bridge needs the file of a robot: -p robot:=my_robot.yaml '
                '(`reactree robot init` writes one)'
            )
        rules = replace(read_rules(values.permission), hazards=read_hazards(values.hazards))
        self._guard.keep(rules, ledger_of(rules, self.get_fully_qualified_name()))
        path = Path(values.robot).expanduser()
        file = (values.robot, read_text(path))
        if self._action is None:
            self._serve(load_robot(path, InstalledTypes()))
            self._file = file
        elif self._file != file:
            name = self._file[0]
            other = 'what it says now' if name == values.robot else values.robot
            raise ConfigurationError(
                f'the robot bridge cannot change its file ({name}) while it runs: restart it for '
                f'{other}'
            )
        assert self._action is not None
        self._action.telemetry = self.telemetry
        self._status.refuse(_INACTIVE)

    def activate(self) -> None:
        """Take skills once the robot is ready, and the skill has ended that ran before."""
        assert self._action is not None
        self._readiness.begin(self._action.serve)

    def deactivate(self) -> None:
        """Take no more skills; the running one ends as canceled, and so do all goals."""
        assert self._action is not None
        self._readiness.end()
        self._status.refuse(_INACTIVE)
        self._action.end_running('the deactivation of the bridge')

    def cleanup(self) -> None:
        """Say that nothing is served; what is known of the robot stays."""
        state = BridgeState.FAULT if self.fault else BridgeState.STARTING
        self._status.refuse(self.fault or 'The bridge is not configured.', state)

    def _serve(self, robot: Robot) -> None:
        self._status.load(robot.file.robot, '', '')
        steps = [call.step for skill in robot.skills for call in skill.calls]
        actions = (step.name for step in steps if step.kind == 'action')
        self._goals = RobotGoals(self, actions, self._status)
        self._calls = CallDoer(self, self._group, robot, self._goals)
        sensing = Sensing(self, robot)
        self._readiness = Readiness(
            self,
            robot,
            sensing,
            self._status,
            self._goals,
            self._calls.absent,
            lambda: self._live.server_timeout,
            lambda: self._live.stop_timeout,
        )
        self._guard.other_words = robot.vocabulary().other_words
        self._skills = RobotSkills(self, robot, sensing, self._calls, self._goals)
        self._action = SkillAction(
            self, self._group, self._skills, self._status, self._live, self._guard
        )
        # A robot that was stopped does not move because its bridge has restarted.
        name = self.get_fully_qualified_name()
        self._stop = EmergencyStop(
            self,
            self._group,
            self._status,
            self._action.end_running,
            stop_log(name),
            self._readiness,
            robot.file.robot,
        )
        self._action.look = self._stop.look
        self._readiness.watch(self._stop)
        self._stop.follow()
        record = record_of(robot, name, self._name_of, sensing)
        self._recorded = KeptRecord(self, replace(record, patience=self._live.stop_timeout))
        RobotServices(self, self._group, robot, sensing, self._skills)
        if sensing.is_told_all:
            self._status.sensed = self._skills.sensed
        self.get_logger().info(
            f'{robot.file.robot}: {len(robot.skills)} skills, {len(robot.file.places)} places'
        )

    def _name_of(self, name: str, kind: str) -> str:
        """The name on the graph of an action, a service or a topic of the robot's file."""
        if kind == 'topic':
            return str(self.resolve_topic_name(name))
        if kind == 'service':
            return str(self.resolve_service_name(name))
        # Rules rename the parts of an action.
        part = '/_action/cancel_goal'
        return str(self.resolve_service_name(f'{name}{part}')).removesuffix(part)

    def stop(self) -> None:
        """End the running skill with a result, and all goals, before the node goes down."""
        if self._action is None:
            return
        self._stop.close()
        self._action.stop(timeout=2.0)
        if self.is_active:
            self._readiness.end()
        deadline = time.monotonic() + self._live.stop_timeout
        while (moving := self._goals.moving()) and time.monotonic() < deadline:
            time.sleep(_POLL)
        for sentence in moving:
            self.get_logger().error(sentence)
        if not moving:
            self._recorded.end()

    def health(self) -> Health:
        """What it does, and which of the robot's servers are absent."""
        assert self._action is not None
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
