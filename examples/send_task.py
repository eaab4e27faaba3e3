#!/usr/bin/env python3
"""Sends a task to a running planner from your own code, and prints what it decides.

reactree up --scene generated:3            (in one terminal)
scripts/with_ros python examples/send_task.py "put an apple on the kitchen table"
"""

import sys

import rclpy
from rclpy.action import ActionClient
from rclpy.node import Node
from rclpy.task import Future

from reactree_ros.action import PlanTask
from reactree_ros.msg import Decision

KINDS = {
    Decision.KIND_THINK: 'thinks',
    Decision.KIND_ACT: 'does',
    Decision.KIND_EXPAND: 'expands into',
    Decision.KIND_REPAIR: 'repairs',
}


class TaskSender(Node):
    """Action client of `planner/plan_task`, subscriber of `planner/decisions`."""

    def __init__(self) -> None:
        super().__init__('task_sender')
        self.client = ActionClient(self, PlanTask, 'planner/plan_task')
        self.create_subscription(Decision, 'planner/decisions', self.show, 100)
        self.finished = Future()

    def show(self, decision: Decision) -> None:
        """Print one decision."""
        if decision.kind == Decision.KIND_FINISH and decision.node_id == 0:
            self.finished.set_result(None)
        if decision.kind in KINDS:
            what = decision.skill or ', '.join(decision.subgoals) or decision.text
            print(f'agent {decision.node_id} {KINDS[decision.kind]}: {what}', flush=True)

    def run(self, task: str) -> bool:
        """Send the task and wait for its end."""
        if not self.client.wait_for_server(timeout_sec=10.0):
            print('There is no planner; start one with `reactree up`.', file=sys.stderr)
            return False
        sending = self.client.send_goal_async(PlanTask.Goal(task=task))
        rclpy.spin_until_future_complete(self, sending, timeout_sec=10.0)
        goal = sending.result()
        if goal is None or not goal.accepted:
            print('The planner did not take the task; is it busy?', file=sys.stderr)
            return False
        running = goal.get_result_async()
        rclpy.spin_until_future_complete(self, running)
        # Topic and result travel apart: the last decisions may still be on their way.
        rclpy.spin_until_future_complete(self, self.finished, timeout_sec=2.0)
        result = running.result().result
        print(f'decisions {result.decisions}, skills {result.steps}, {result.duration:.0f} s')
        if result.goal_known:
            print(f'{result.conditions_met} of {result.conditions_total} goal conditions are met')
        if result.error_msg:
            print(result.error_msg, file=sys.stderr)
        return result.success


def main() -> int:
    """Send the words of the command line."""
    rclpy.init()
    node = TaskSender()
    try:
        return 0 if node.run(' '.join(sys.argv[1:])) else 1
    except KeyboardInterrupt:
        return 130
    finally:
        node.destroy_node()
        rclpy.try_shutdown()


if __name__ == '__main__':
    sys.exit(main())
