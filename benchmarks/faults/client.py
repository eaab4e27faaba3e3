"""A client of one planner that keeps all it sees, to be held against what the nodes wrote."""

from __future__ import annotations

import threading
import time
import uuid
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import rclpy
from action_msgs.msg import GoalStatus, GoalStatusArray
from rclpy.context import Context
from rclpy.qos import qos_profile_action_status_default
from unique_identifier_msgs.msg import UUID

from reactree_core.ros import qos
from reactree_core.ros.actions import ActionClient
from reactree_core.ros.conversions import run_id_from_message
from reactree_core.ros.spinning import NodesInThread
from reactree_ros.action import PlanTask
from reactree_ros.msg import BridgeStatus, Decision, Observation

#: Seconds for what is no part of any promise, however busy the machine is.
PATIENCE = 60.0
#: Every skill is asked for by the goal itself, so no model is needed to choose it.
TOUR = 'go to kitchen 1, then go to bathroom 1, then go to bedroom 1'
TERMINAL = {
    GoalStatus.STATUS_SUCCEEDED, GoalStatus.STATUS_CANCELED, GoalStatus.STATUS_ABORTED
}  # fmt: skip


class NotHeld(Exception):
    """What was promised did not hold; its text says what happened."""


def require(holds: object, what: str) -> None:
    """:raises NotHeld: it does not hold. :param what: happened instead."""
    if not holds:
        raise NotHeld(what)


@dataclass
class Run:
    """A goal of the client, and what came of it.

    :param events: decisions and observations, in the order of their arrival.
    :param result: of the action, once it is there. :param ended: when, in monotonic seconds.
    """

    run_id: str
    sent: float = 0.0
    accepted: bool = False
    answered: float = 0.0
    handle: Any = None
    future: Any = None
    result: Any = None
    ended: float = 0.0
    events: list[Any] = field(default_factory=list)

    @property
    def skills(self) -> list[str]:
        """Skills that the planner decided for so far."""
        return [
            event.skill
            for event in self.events
            if isinstance(event, Decision) and event.kind == Decision.KIND_ACT
        ]


def answered(run: Run) -> bool:
    """Whether the planner has accepted or rejected a goal."""
    return run.answered > 0.0


class PlannerClient:
    """Sends goals to `<namespace>/planner`, and keeps its events."""

    def __init__(self, namespace: str) -> None:
        self.context = Context()
        self.context.init(args=[])
        self.node = rclpy.create_node(
            f'client_{uuid.uuid4().hex[:6]}', namespace=namespace, context=self.context
        )
        self.arrived = threading.Condition()
        self.runs: dict[str, Run] = defaultdict(lambda: Run(''))
        #: Terminal states of goals, as their status topic told them.
        self.ends: dict[str, set[int]] = defaultdict(set)
        self.status: Any = None
        for kind, name, take, profile in (
            (Decision, 'planner/decisions', self._keep, qos.events()),
            (Observation, 'planner/observations', self._keep, qos.events()),
            (BridgeStatus, 'bridge_status', self._keep_status, qos.status()),
            (
                GoalStatusArray,
                'planner/plan_task/_action/status',
                self._keep_ends,
                qos_profile_action_status_default,
            ),
        ):
            self.node.create_subscription(kind, name, take, profile)
        self.action = ActionClient(self.node, PlanTask, 'planner/plan_task')
        self._thread = NodesInThread(self.context, self.node)
        self._thread.start()

    def close(self) -> None:
        """Let go."""
        self._thread.end(PATIENCE)
        self.action.destroy()
        self.context.try_shutdown()

    def find(self) -> None:
        """Wait until the planner is there, and hears that its events are listened to."""
        require(self.action.wait_for_server(PATIENCE), 'the planner is not found')
        topics = [f'{self.node.get_namespace()}/planner/{name}' for name in (
            'decisions', 'observations'
        )]  # fmt: skip
        self.wait(lambda: all(map(self.node.count_publishers, topics)), PATIENCE, 'the topics')

    def _keep(self, message: Any) -> None:
        with self.arrived:
            self.runs[run_id_from_message(message.run_id)].events.append(message)
            self.arrived.notify_all()

    def _keep_status(self, message: Any) -> None:
        with self.arrived:
            self.status = message
            self.arrived.notify_all()

    def _keep_ends(self, message: Any) -> None:
        with self.arrived:
            for one in message.status_list:
                if one.status in TERMINAL:
                    self.ends[bytes(one.goal_info.goal_id.uuid).hex()].add(one.status)
            self.arrived.notify_all()

    def wait(self, condition: Callable[[], object], patience: float, what: str) -> None:
        """Wait for something that may come with a message.

        :param patience: seconds. :raises NotHeld: it did not come.
        """
        deadline = time.monotonic() + patience
        with self.arrived:
            while not condition():
                left = deadline - time.monotonic()
                require(left > 0.0, f'not within {patience:.1f} s: {what}')
                self.arrived.wait(min(left, 0.02))

    def send(self, task: str = TOUR, accepted: bool = True, **goal: Any) -> Run:
        """Send a goal. :param accepted: whether it must be. :raises NotHeld: it is not."""
        run = self.begin(task, **goal)
        self.wait(lambda: answered(run), PATIENCE, 'an answer to the goal')
        require(run.accepted or not accepted, 'the goal was rejected')
        return run

    def begin(self, task: str = TOUR, **goal: Any) -> Run:
        """Send a goal, and do not wait for the answer."""
        run_id = uuid.uuid4().bytes
        run = self.runs[run_id.hex()] = Run(run_id.hex(), time.monotonic())
        sent = self.action.send_goal_async(
            PlanTask.Goal(task=task, **goal), goal_uuid=UUID(uuid=list(run_id))
        )
        sent.add_done_callback(lambda future: self._answered(run, future))
        return run

    def _answered(self, run: Run, sent: Any) -> None:
        run.handle = sent.result()
        run.accepted = run.handle.accepted
        if run.accepted:
            run.future = run.handle.get_result_async()
            run.future.add_done_callback(lambda future: self._ended(run, future))
        with self.arrived:
            run.answered = time.monotonic()
            self.arrived.notify_all()

    def _ended(self, run: Run, future: Any) -> None:
        with self.arrived:
            run.ended = time.monotonic()
            run.result = future.result().result
            self.ends[run.run_id].add(future.result().status)
            self.arrived.notify_all()

    def result(self, run: Run, patience: float) -> Any:
        """Result of a run. :raises NotHeld: there is none in time."""
        self.wait(lambda: run.result is not None, patience, 'a result')
        return run.result
