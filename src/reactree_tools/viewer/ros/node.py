"""The viewer node: a page that shows the planner's runs as they happen."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from std_msgs.msg import String

from reactree_core.errors import ConfigurationError
from reactree_core.permission.rules import Rules
from reactree_core.record.journal import journal_directory
from reactree_core.ros import qos
from reactree_core.ros.parameter_specs import declare_all, LiveValues, read_all, SettledNode
from reactree_core.ros.spinning import announce_ready, run_node
from reactree_tools.viewer.ros.camera_pictures import hear_cameras
from reactree_tools.viewer.ros.parameters import PARAMETERS
from reactree_tools.viewer.ros.planner_feed import PlannerFeed
from reactree_tools.viewer.ros.ros_system_status import RosSystemStatus
from reactree_tools.viewer.runs import Runs
from reactree_tools.viewer.sightings import sightings_of
from reactree_tools.viewer.sources import JournalFolder, RunSource
from reactree_tools.viewer.web.application import Viewer
from reactree_tools.viewer.web.fleet import Fleet
from reactree_tools.viewer.web.guard import make_token
from reactree_tools.viewer.web.server import ViewerServer


class ViewerNode(SettledNode):
    """Node `viewer`. Its ROS surface:

    Subscribes `planner/decisions`, `planner/observations` (every event), `planner/tree` (once),
    `planner/approvals`, `bridge_status`, `perception/things`, `perception/picture`; with
    parameter `control` also `planner/questions`.
    Clients: `bridge/get_world_state`, `bridge/list_skills`, `memory/retrieve_experiences`; with
    parameter `control` also `planner/pause`, `planner/step`, `planner/resolve_approval`,
    `planner/answer_question` and the cancel of `planner/plan_task`.
    With parameter `robots` all of these but the memory's once for each robot, in its namespace,
    and `memory/working_memory`: what the robots have seen.
    Parameters: table PARAMETERS of reactree_tools.viewer.ros.parameters.
    Serves http://127.0.0.1:<port>/ from a thread of its own.

    :param sources: recorded runs besides the journals.
    :param tell: called once with the address of the page, which carries the token for control;
        None writes it to a file of the user's state folder, where only the user can read it.
    :param rules: that the runs had, for who asks why.
    :param options: of rclpy's Node.
    :raises ConfigurationError: a parameter cannot be used, or the port is taken.
    """

    def __init__(
        self,
        sources: Sequence[RunSource] = (),
        tell: Callable[[str], None] | None = None,
        rules: Rules | None = None,
        **options: Any,
    ) -> None:
        super().__init__('viewer', **options)
        declare_all(self, PARAMETERS)
        values = read_all(self, PARAMETERS)
        self._journals = JournalFolder(journal_directory(values.journal_directory))
        self._rules = rules or Rules()
        self._live = LiveValues(self, PARAMETERS)
        self._token = make_token() if values.control else ''
        self._sightings: list[dict[str, str]] = []
        self._server = ViewerServer(
            self._fleet(values.robots)
            if values.robots
            else self._viewer('', Runs([*sources, self._journals])),
            values.port,
        )
        #: Address of the page, without the token.
        self.url = self._server.url
        self._address_file: Path | None = None
        self._announce(self._token, tell)
        self._server.start()
        announce_ready(self)

    def _announce(self, token: str, tell: Callable[[str], None] | None) -> None:
        address = f'{self.url}#token={token}' if token else self.url
        if tell is not None:
            tell(address)
            return
        self.get_logger().info(f'page at {self.url}')
        if not token:
            return
        # Not in the log, which others may read.
        path = journal_directory().parent / f'viewer-{self._server.port}.url'
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.unlink(missing_ok=True)
            path.touch(0o600, exist_ok=False)
            path.write_text(address + '\n', encoding='utf-8')
        except OSError as error:
            raise ConfigurationError(
                f'The address with the token cannot be written to {path} ({error.strerror}). '
                'Make the folder writable, or leave control out.'
            ) from error
        self._address_file = path
        self.get_logger().info(f'the address for control is in {path}')

    def _fleet(self, robots: Sequence[str]) -> Fleet:
        # Recorded runs would stand in the column of a robot that has not begun any yet, whoever
        # they were of.
        viewers = {
            _short(robot): self._viewer(f'{robot.rstrip("/")}/', Runs()) for robot in robots
        }
        if len(viewers) < len(robots):
            raise ConfigurationError(
                "Two namespaces in the parameter robots have the same last part: robots' names "
                'must differ.'
            )
        self.create_subscription(String, 'memory/working_memory', self._see, qos.latched())
        return Fleet(viewers, lambda: self._sightings)

    def _see(self, message: String) -> None:
        # The memory reports what was used last: of other runs than those of the fleet, too.
        self._sightings = sightings_of(message.data) or self._sightings

    def _viewer(self, robot: str, runs: Runs) -> Viewer:
        """Shows the runs of one robot. :param robot: its namespace, as PlannerFeed takes it."""
        control = bool(self._token)
        # Kept by the subscriptions' callbacks.
        PlannerFeed(self, runs.begin, self._journals.events, robot)
        around = RosSystemStatus(
            self,
            lambda: self._live.answer_timeout,
            lambda: runs.live if runs.is_live(runs.live) else '',
            lambda: _pace(runs),
            runs.know,
            control,
            robot,
        )
        cameras = hear_cameras(self, robot)
        controls = around if control else None
        return Viewer(runs, around, controls, self._token, rules=self._rules, cameras=cameras)

    def stop(self) -> None:
        """Give the port back; called at shutdown."""
        self._server.stop()
        if self._address_file is not None:
            with contextlib.suppress(OSError):
                self._address_file.unlink()
            self._address_file = None


def _short(robot: str) -> str:
    """The last part of a robot's namespace."""
    return robot.strip('/').rpartition('/')[2]


def _pace(runs: Runs) -> tuple[str, float]:
    """Name of the model, and seconds that it takes for a decision."""
    live = runs.live
    if not live:
        return '', 0.0
    maker = runs.history(live).maker
    usage = maker.usage
    return usage.model, usage.latency / max(1, maker.tree.decisions)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the node; see `run_node` for the exit codes."""
    return run_node(ViewerNode, 1, arguments)


if __name__ == '__main__':
    sys.exit(main())
