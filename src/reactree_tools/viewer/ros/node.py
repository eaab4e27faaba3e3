"""The viewer node: a page that shows the planner's runs as they happen."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from reactree_core.errors import ConfigurationError
from reactree_core.ros.parameter_specs import declare_all
from reactree_core.ros.parameter_specs import LiveValues
from reactree_core.ros.parameter_specs import read_all
from reactree_core.ros.parameter_specs import SettledNode
from reactree_core.ros.spinning import announce_ready
from reactree_core.ros.spinning import run_node
from reactree_planner.tree.journal import journal_directory
from reactree_tools.viewer.ros.parameters import PARAMETERS
from reactree_tools.viewer.ros.planner_feed import PlannerFeed
from reactree_tools.viewer.ros.ros_system_status import RosSystemStatus
from reactree_tools.viewer.runs import Runs
from reactree_tools.viewer.sources import JournalFolder
from reactree_tools.viewer.sources import RunSource
from reactree_tools.viewer.web.application import Viewer
from reactree_tools.viewer.web.guard import make_token
from reactree_tools.viewer.web.server import ViewerServer


class ViewerNode(SettledNode):
    """Node `viewer`. Its ROS surface:

    Subscribes `planner/decisions`, `planner/observations` (every event), `planner/tree` (once),
    `planner/approvals`, `bridge_status`; with parameter `control` also `planner/questions`.
    Clients: `bridge/get_world_state`, `memory/retrieve_experiences`; with parameter `control`
    also `planner/pause`, `planner/step`, `planner/resolve_approval`, `planner/answer_question`
    and the cancel of `planner/plan_task`.
    Parameters: table PARAMETERS of reactree_tools.viewer.ros.parameters.
    Serves http://127.0.0.1:<port>/ from a thread of its own.

    :param sources: recorded runs besides the journals.
    :param tell: called once with the address of the page, which carries the token for control;
        None writes it to a file of the user's state folder, where only the user can read it.
    :param options: of rclpy's Node.
    :raises ConfigurationError: a parameter cannot be used, or the port is taken.
    """

    def __init__(
        self,
        sources: Sequence[RunSource] = (),
        tell: Callable[[str], None] | None = None,
        **options: Any,
    ) -> None:
        super().__init__('viewer', **options)
        declare_all(self, PARAMETERS)
        values = read_all(self, PARAMETERS)
        journals = JournalFolder(journal_directory(values.journal_directory))
        self._runs = Runs([*sources, journals])
        self._feed = PlannerFeed(self, self._runs.begin, journals.events)
        live = LiveValues(self, PARAMETERS)
        around = RosSystemStatus(
            self, lambda: live.answer_timeout, self._at_work, self._pace, values.control
        )
        token = make_token() if values.control else ''
        viewer = Viewer(self._runs, around, around if values.control else None, token)
        self._server = ViewerServer(viewer, values.port)
        #: Address of the page, without the token.
        self.url = self._server.url
        self._address_file: Path | None = None
        self._announce(token, tell)
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
                'Free the folder, or do without control.'
            ) from error
        self._address_file = path
        self.get_logger().info(f'the address for control is in {path}')

    def _at_work(self) -> str:
        """Id of the run that is under way, or ''."""
        live = self._runs.live
        return live if self._runs.is_live(live) else ''

    def _pace(self) -> tuple[str, float]:
        """Name of the model, and seconds that it takes for a decision."""
        live = self._runs.live
        if not live:
            return '', 0.0
        maker = self._runs.history(live).maker
        usage = maker.usage
        return usage.model, usage.latency / max(1, maker.tree.decisions)

    def stop(self) -> None:
        """Give the port back; called at shutdown."""
        self._server.stop()
        if self._address_file is not None:
            with contextlib.suppress(OSError):
                self._address_file.unlink()
            self._address_file = None


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the node; see `run_node` for the exit codes."""
    return run_node(ViewerNode, 1, arguments)


if __name__ == '__main__':
    sys.exit(main())
