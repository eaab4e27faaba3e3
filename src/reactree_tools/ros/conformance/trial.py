"""Talking to a skill server under test: goals, services and its sign of life, with deadlines."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from action_msgs.msg import GoalStatus
from action_msgs.srv import CancelGoal
from rclpy.event_handler import SubscriptionEventCallbacks

from reactree_core.conformance import expect
from reactree_core.errors import SkillError
from reactree_core.ros import conversions, qos
from reactree_core.ros.actions import ActionClient
from reactree_ros.action import ExecuteSkill
from reactree_ros.msg import BridgeStatus
from reactree_ros.srv import GetWorldState, ListSkills
from reactree_tools.ros.session import nobody_there, Session

_PERIOD = 0.05
_NODE_ID = 7
#: Why a cancel may rightly cancel nothing.
_HAS_ENDED = (
    CancelGoal.Response.ERROR_UNKNOWN_GOAL_ID,
    CancelGoal.Response.ERROR_GOAL_TERMINATED,
)


@dataclass(frozen=True, slots=True)
class Patience:
    """Seconds the check waits.

    :param find: for the server. :param answer: for a service, or for a goal to be taken.
    :param skill: for a skill to end. :param cancel: for a canceled skill to end.
    """

    find: float = 10.0
    answer: float = 5.0
    skill: float = 60.0
    cancel: float = 1.0


@dataclass(slots=True)
class Executed:
    """What came of a goal.

    :param status: of action_msgs/GoalStatus; STATUS_UNKNOWN when it was not accepted.
    :param seconds: from sending it to its result. :param completions: of the feedback.
    """

    accepted: bool
    status: int = GoalStatus.STATUS_UNKNOWN
    observation: Any = None
    seconds: float = 0.0
    completions: list[float] = field(default_factory=list)
    cancel_refused: bool = False


class ServerTrial:
    """A skill server, and one run of it that no planner makes.

    :param bridge: name of the server's node in the session's namespace.
    :param status: topic of its state.
    :param may_move: whether skills may be executed.
    """

    def __init__(
        self, session: Session, bridge: str, status: str, patience: Patience, may_move: bool
    ) -> None:
        self.session = session
        self.bridge = bridge
        self.status_topic = status
        self.patience = patience
        self.may_move = may_move
        self.run_id = uuid.uuid4().hex
        self.sequence = 0
        self.states: list[BridgeStatus] = []
        #: Everything else that it has said, and in answer to what.
        self.heard: list[tuple[str, Any]] = []
        self._lost = threading.Event()
        node = session.node
        self._actions = ActionClient(node, ExecuteSkill, f'{bridge}/execute_skill')
        node.create_subscription(
            BridgeStatus,
            status,
            self.states.append,
            qos.status(),
            event_callbacks=SubscriptionEventCallbacks(liveliness=self._on_liveliness),
        )

    def _on_liveliness(self, event: Any) -> None:
        if event.alive_count > 0:
            self._lost.clear()
        elif event.not_alive_count_change > 0 or event.alive_count_change < 0:
            self._lost.set()

    def find(self) -> None:
        """Wait for the server's action, and until it has started, as far as it says so.

        :raises SkillError: there is none in time, or its emergency stop is pressed.
        """
        if not self._actions.wait_for_server(self.patience.find):
            raise SkillError(nobody_there(self.bridge, self.session))
        starting = BridgeStatus.STATE_STARTING
        self.until(lambda: bool(self.states) and self.states[-1].state != starting)
        if self.states and self.states[-1].state == BridgeStatus.STATE_STOPPED:
            raise SkillError(
                'Its emergency stop is pressed, so that no skill can be tried: `reactree stop '
                '--release`, then run this again.'
            )

    def until(self, holds: Callable[[], bool]) -> None:
        """Give discovery time: until something holds, or the patience for an answer is over."""
        deadline = time.monotonic() + self.patience.answer
        while not holds() and time.monotonic() < deadline:
            time.sleep(_PERIOD)

    def check_alive(self, doing: str) -> None:
        """Break the clause when the server has gone."""
        expect(not self._lost.is_set(), f'the server disappeared during {doing}')

    def _wait(self, future: Any, seconds: float, doing: str) -> Any:
        """The result of a future; a server that disappears or is silent breaks the clause."""
        done = threading.Event()
        future.add_done_callback(lambda _: done.set())
        deadline = time.monotonic() + seconds
        while not done.wait(_PERIOD):
            self.check_alive(doing)
            expect(time.monotonic() < deadline, f'no answer to {doing} within {seconds:g} s')
        return future.result()

    def _call(self, service_type: Any, name: str, request: Any) -> Any:
        client = self.session.node.create_client(service_type, f'{self.bridge}/{name}')
        try:
            expect(client.wait_for_service(self.patience.answer), f'there is no service {name}')
            answer = self._wait(client.call_async(request), self.patience.answer, name)
            self.heard.append((name, answer))
            return answer
        finally:
            self.session.node.destroy_client(client)

    def skills(self) -> Any:
        """Answer of list_skills."""
        return self._call(ListSkills, 'list_skills', ListSkills.Request())

    def world_state(self) -> Any:
        """Answer of get_world_state."""
        return self._call(GetWorldState, 'get_world_state', GetWorldState.Request())

    def goal(self, skill: str, time_limit: float = 0.0) -> ExecuteSkill.Goal:
        """The next goal of this run."""
        self.sequence += 1
        return ExecuteSkill.Goal(
            run_id=conversions.run_id_to_message(self.run_id),
            sequence=self.sequence,
            node_id=_NODE_ID,
            skill=skill,
            # --move is a person's word.
            approved=True,
            time_limit=conversions.duration_to_message(time_limit),
        )

    def send(self, goal: ExecuteSkill.Goal, executed: Executed) -> Any:
        """Send a goal under its id of the contract; its handle."""
        return self.send_together([goal], [executed])[0]

    def send_together(
        self, goals: Sequence[ExecuteSkill.Goal], runs: Sequence[Executed]
    ) -> list[Any]:
        """Send goals without waiting for the answer to one before the next; their handles."""
        sent = [
            self._actions.send_goal_async(
                goal,
                feedback_callback=lambda message, run=run: run.completions.append(
                    message.feedback.completion
                ),
                goal_uuid=conversions.skill_goal_id(self.run_id, goal.sequence),
            )
            for goal, run in zip(goals, runs, strict=True)
        ]
        handles = []
        for goal, run, future in zip(goals, runs, sent, strict=True):
            handle = self._wait(future, self.patience.answer, f'the goal "{goal.skill}"')
            run.accepted = handle.accepted
            handles.append(handle)
        return handles

    def result(self, handle: Any, executed: Executed, seconds: float, doing: str) -> Executed:
        """Wait for the result of an accepted goal."""
        answer = self._wait(handle.get_result_async(), seconds, doing)
        executed.status = answer.status
        executed.observation = answer.result.observation
        self.heard.append((doing, executed.observation))
        return executed

    def cancel(self, handle: Any, executed: Executed) -> None:
        """Cancel an accepted goal."""
        answer = self._wait(handle.cancel_goal_async(), self.patience.answer, 'a cancel')
        ended = answer.return_code in _HAS_ENDED
        executed.cancel_refused = not answer.goals_canceling and not ended

    def execute(
        self, goal: ExecuteSkill.Goal, cancel: bool = False, seconds: float = 0.0
    ) -> Executed:
        """Run a goal to its end.

        :param cancel: cancel it as soon as it is accepted.
        :param seconds: longest wait for the result; 0 for what the patience says.
        """
        executed = Executed(False)
        began = time.monotonic()
        handle = self.send(goal, executed)
        if handle.accepted:
            wait, doing = seconds or self.patience.skill, f'"{goal.skill}"'
            if cancel:
                self.cancel(handle, executed)
                wait, doing = self.patience.cancel, f'the canceled "{goal.skill}"'
            self.result(handle, executed, wait, doing)
        executed.seconds = time.monotonic() - began
        return executed
