"""The run that a planner is at work on: which one it is, and its end by somebody else."""

from __future__ import annotations

import time
from collections.abc import Callable

from action_msgs.srv import CancelGoal

from reactree_core.ros import qos
from reactree_core.ros.conversions import run_id_from_message
from reactree_ros.msg import TreeSnapshot
from reactree_tools.plain_text import visible
from reactree_tools.ros.session import FIND_SECONDS, Session

#: Seconds for a latched tree to come from a planner that is on the graph.
_TREE_SECONDS = 2.0
#: Seconds for a planner to answer a cancel.
_ANSWER_SECONDS = 5.0
#: Seconds for a run to end after its cancel.
_END_SECONDS = 10.0
_PERIOD = 0.05
#: Characters of a task that are shown.
_WIDTH = 120


class RunAtWork:
    """The newest tree of a planner, which is that of the run it is at work on."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._tree: TreeSnapshot | None = None
        self._subscription = session.node.create_subscription(
            TreeSnapshot, 'planner/tree', self._on_tree, qos.latched()
        )

    def _on_tree(self, tree: TreeSnapshot) -> None:
        self._tree = tree

    def close(self) -> None:
        """Unsubscribe."""
        self._session.node.destroy_subscription(self._subscription)

    def name(self) -> str:
        """Task and run, e.g. '"bring two trays" (run 0123abcd)'; '' where none is at work."""
        self._wait(lambda tree: True, _TREE_SECONDS)
        tree = self._tree
        return '' if tree is None or tree.finished else _name(tree)

    def cancel(self) -> tuple[str, bool]:
        """End the run: its name, '' where none is at work; and whether it has ended.

        :raises SkillError: there is no planner, or it does not answer.
        """
        # A goal without id and time stands for every goal; a planner has one at a time.
        answer = self._session.call(
            CancelGoal,
            'planner/plan_task/_action/cancel_goal',
            CancelGoal.Request(),
            'planner',
            _ANSWER_SECONDS,
            FIND_SECONDS,
        )
        if not answer.goals_canceling:
            return '', True
        self._wait(lambda tree: tree.finished, _END_SECONDS)
        tree = self._tree
        return ('the run', False) if tree is None else (_name(tree), tree.finished)

    def _wait(self, enough: Callable[[TreeSnapshot], bool], seconds: float) -> None:
        """Wait for a tree that is enough."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline and (self._tree is None or not enough(self._tree)):
            time.sleep(_PERIOD)


def _name(tree: TreeSnapshot) -> str:
    return f'"{visible(tree.task, _WIDTH)}" (run {run_id_from_message(tree.run_id)[:8]})'
