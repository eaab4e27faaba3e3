"""A planner that comes up after a crash goes on with the run that was interrupted.

It sends itself a goal, as `reactree plan --resume` would: so the run is seen, canceled and
answered like every other, and goes on by its journal (reactree_planner.resume).
"""

from __future__ import annotations

import time
from pathlib import Path
from uuid import uuid4

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.task import Future
from rclpy.timer import Timer
from unique_identifier_msgs.msg import UUID

from reactree_core.errors import ResumeError
from reactree_core.ros.actions import ActionClient
from reactree_core.ros.conversions import run_id_to_message
from reactree_planner.resume.open_run import OpenRun
from reactree_ros.action import PlanTask

#: Seconds in which the planner has to find its own action.
_PATIENCE = 10.0
_PERIOD = 0.05


class Resumption:
    """Knows which run this planner is in, and goes on with an interrupted one.

    :param node: of the planner. :param journals: folder of its journals.
    """

    def __init__(self, node: Node, journals: Path) -> None:
        self._node = node
        domain = node.context.get_domain_id()
        self._open_run = OpenRun(journals, f'{domain}{node.get_fully_qualified_name()}')
        self._client: ActionClient | None = None
        self._timer: Timer | None = None
        self._deadline = 0.0
        #: Of the goal by which it goes on.
        self._goal_id = b''

    def is_own(self, goal_id: str) -> bool:
        """Whether a goal is the one by which the planner itself goes on with a run."""
        return bool(self._goal_id) and goal_id == self._goal_id.hex()

    def begin_run(self, run_id: str) -> None:
        """A run is under way."""
        try:
            self._open_run.begin(run_id)
        except OSError as error:
            self._node.get_logger().warning(
                f'this run could not be continued after a crash: {error}'
            )

    def end_run(self) -> None:
        """It has ended."""
        self._open_run.end()

    def resume(self, within: float) -> None:
        """Go on with the interrupted run, if there is one.

        :param within: seconds since its last record.
        """
        try:
            run_id = self._open_run.interrupted(within)
        except ResumeError as error:
            self._node.get_logger().warning(str(error))
            return
        if not run_id:
            return
        self._node.get_logger().info(f'continues the interrupted run {run_id}')
        group = ReentrantCallbackGroup()
        self._client = self._client or ActionClient(
            self._node, PlanTask, '~/plan_task', callback_group=group
        )
        self._deadline = time.monotonic() + _PATIENCE
        self._timer = self._node.create_timer(
            _PERIOD,
            lambda: self._send(run_id),
            callback_group=group,
            clock=Clock(clock_type=ClockType.STEADY_TIME),
        )

    def close(self) -> None:
        """Go on with nothing any more."""
        timer, self._timer = self._timer, None
        if timer is not None:
            self._node.destroy_timer(timer)

    def _send(self, run_id: str) -> None:
        assert self._client is not None
        ready = self._client.server_is_ready()
        if not ready and time.monotonic() < self._deadline:
            return
        if self._timer is None:
            return
        self.close()
        if not ready:
            self._node.get_logger().error(
                f'the interrupted run {run_id} is not continued: the planner does not find its '
                f'own action. `reactree plan --resume {run_id}` continues it.'
            )
            return
        goal = PlanTask.Goal(resume_run=run_id_to_message(run_id))
        self._goal_id = uuid4().bytes
        sent = self._client.send_goal_async(goal, goal_uuid=UUID(uuid=list(self._goal_id)))
        sent.add_done_callback(self._keep)

    def _keep(self, answer: Future) -> None:
        if not answer.result().accepted:
            self._node.get_logger().warning(
                'the interrupted run is not continued: another goal came first'
            )
