"""Interface that makes a robot a skill server: one action, four services, one latched topic.

Nothing is imported but rclpy and the messages; docs/robot_contract.md of reactree_ros says why
each part is as it is. A robot of your own is a class that says what it can do, sees and does.
"""

import threading
import time
from collections.abc import Callable

import rclpy
from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.duration import Duration
from rclpy.executors import ExternalShutdownException, MultiThreadedExecutor
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, LivelinessPolicy, QoSProfile, ReliabilityPolicy
from std_srvs.srv import SetBool

from reactree_ros.action import ExecuteSkill
from reactree_ros.msg import BridgeStatus, Observation
from reactree_ros.srv import GetWorldState, ListSkills, ResetWorld

#: Latched, and silent for longer than a second means gone: the planner then ends its run.
STATUS = QoSProfile(
    depth=1,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.TRANSIENT_LOCAL,
    liveliness=LivelinessPolicy.AUTOMATIC,
    liveliness_lease_duration=Duration(seconds=1.0),
)
#: Seconds in which a skill ends that was stopped.
STOPS_WITHIN = 1.0
STOPPED = 'The emergency stop is pressed: release it with `reactree stop --release`.'
#: What is said of an outcome before what is seen.
WORDS = {
    Observation.OUTCOME_SUCCEEDED: 'Done: {}.',
    Observation.OUTCOME_PRECONDITION_FAILED: 'Not possible now: {}.',
    Observation.OUTCOME_INVALID_SKILL: 'There is no skill "{}".',
    Observation.OUTCOME_CANCELED: 'Stopped: {}.',
    Observation.OUTCOME_TIMED_OUT: 'It took too long: {}.',
}


class RosSkillServer(Node):
    """Node `bridge`; a subclass fills in the four methods that come first.

    Action server: `~/execute_skill` (ExecuteSkill), one skill at a time, can be canceled.
    Services: `~/list_skills` (ListSkills), `~/get_world_state` (GetWorldState), `~/reset_world`
    (ResetWorld), `~/emergency_stop` (SetBool: true presses, false releases). Publisher:
    `bridge_status` (BridgeStatus), latched, with a lease of 1 s.
    """

    #: Name of the program, and of where the robot is.
    backend = 'robot'
    scene = ''

    def declare(self, answer: ListSkills.Response) -> None:
        """Write down the templates, and what else is to be known of the robot."""
        raise NotImplementedError

    def skills(self) -> list[str]:
        """What can succeed now."""
        raise NotImplementedError

    def look(self, text: str, outcome: int = Observation.OUTCOME_SUCCEEDED) -> Observation:
        """What is seen now. :param text: is said first; empty for a look without a skill."""
        raise NotImplementedError

    def act(self, skill: str, must_stop: Callable[[], bool]) -> tuple[int, str]:
        """Do a skill. :return: its OUTCOME_*, CANCELED when it had to stop; and a reason or ''."""
        raise NotImplementedError

    def __init__(self) -> None:
        super().__init__('bridge')
        self.busy = threading.Lock()
        self.stopped = threading.Event()
        #: When it was pressed last.
        self.stopped_at = BridgeStatus().stopped_at
        # A cancel and a look must be served while a skill runs.
        group = ReentrantCallbackGroup()
        self.status = self.create_publisher(BridgeStatus, 'bridge_status', STATUS)
        for kind, name, callback in (
            (ListSkills, '~/list_skills', self.list_skills),
            (GetWorldState, '~/get_world_state', self.world_state),
            (ResetWorld, '~/reset_world', self.reset_world),
            (SetBool, '~/emergency_stop', self.emergency_stop),
        ):
            self.create_service(kind, name, callback, callback_group=group)
        self.server = ActionServer(
            self,
            ExecuteSkill,
            '~/execute_skill',
            self.execute,
            goal_callback=self.accept,
            cancel_callback=lambda handle: CancelResponse.ACCEPT,
            callback_group=group,
        )
        self.tell(BridgeStatus.STATE_READY)

    def tell(self, state: int) -> None:
        """Say that the robot is alive and what it does."""
        stopped = self.stopped.is_set()
        status = BridgeStatus(state=BridgeStatus.STATE_STOPPED if stopped else state)
        status.message = STOPPED if stopped else ''
        status.stopped_at = self.stopped_at
        status.backend, status.scene = self.backend, self.scene
        # Nothing real moves: a robot leaves this out, so that people are asked before it does.
        status.simulated = True
        status.header.stamp = self.get_clock().now().to_msg()
        self.status.publish(status)

    # Services ----------------------------------------------------------------------------

    def list_skills(
        self, request: ListSkills.Request, response: ListSkills.Response
    ) -> ListSkills.Response:
        """What the robot can do, and the names it knows; changes nothing."""
        self.declare(response)
        response.observation = self.seen('')
        response.admissible_skills = self.skills()
        response.candidate_skills = self.skills()
        return response

    def world_state(
        self, request: GetWorldState.Request, response: GetWorldState.Response
    ) -> GetWorldState.Response:
        """A robot cannot judge a goal, so has_goal stays false."""
        response.scene = self.scene
        return response

    def reset_world(
        self, request: ResetWorld.Request, response: ResetWorld.Response
    ) -> ResetWorld.Response:
        """A real place cannot be reset."""
        response.message = 'This is a robot: put things back by hand.'
        response.observation = self.seen(response.message)
        return response

    def emergency_stop(
        self, request: SetBool.Request, response: SetBool.Response
    ) -> SetBool.Response:
        """Have the running skill stop, and take no other one until the release."""
        if request.data:
            self.stopped.set()
            # By the clock of the system, also where time is simulated.
            self.stopped_at.sec = int(time.time())
            self.tell(BridgeStatus.STATE_STOPPED)
            # A robot with a stop of its own presses that here, too.
            response.success = self.busy.acquire(timeout=STOPS_WITHIN)
            if response.success:
                self.busy.release()
            response.message = STOPPED if response.success else 'The skill has not ended.'
            return response
        self.stopped.clear()
        self.tell(BridgeStatus.STATE_BUSY if self.busy.locked() else BridgeStatus.STATE_READY)
        response.success = True
        return response

    def seen(self, text: str, outcome: int = Observation.OUTCOME_SUCCEEDED) -> Observation:
        """A look with what every observation has."""
        observation = self.look(text, outcome)
        observation.outcome = outcome
        observation.admissible_skills = self.skills()
        observation.header.stamp = self.get_clock().now().to_msg()
        for fact in observation.facts:
            fact.seen_at = observation.header.stamp
        return observation

    # Skills as actions -------------------------------------------------------------------

    def accept(self, goal: ExecuteSkill.Goal) -> GoalResponse:
        """One skill at a time: taken here, since two goals may come before one begins."""
        taken = not self.stopped.is_set() and self.busy.acquire(blocking=False)
        return GoalResponse.ACCEPT if taken else GoalResponse.REJECT

    def execute(self, handle: ServerGoalHandle) -> ExecuteSkill.Result:
        """Run a skill; whatever happens, the result has an observation that says what."""
        goal = handle.request
        limit = goal.time_limit.sec + goal.time_limit.nanosec * 1e-9
        end = time.monotonic() + limit if limit else float('inf')

        def must_stop() -> bool:
            late = time.monotonic() > end
            return handle.is_cancel_requested or self.stopped.is_set() or late

        try:
            self.tell(BridgeStatus.STATE_BUSY)
            handle.publish_feedback(ExecuteSkill.Feedback(status=goal.skill, completion=0.0))
            outcome, reason = self.act(goal.skill, must_stop)
            ordered = handle.is_cancel_requested or self.stopped.is_set()
            if outcome == Observation.OUTCOME_CANCELED and not ordered:
                outcome = Observation.OUTCOME_TIMED_OUT
            text = f'{WORDS[outcome].format(goal.skill)} {reason}'.strip()
            observation = self.seen(text, outcome)
        finally:
            self.busy.release()
            self.tell(BridgeStatus.STATE_READY)
        observation.run_id = goal.run_id
        observation.sequence = goal.sequence
        observation.node_id = goal.node_id
        observation.skill = goal.skill
        if outcome == Observation.OUTCOME_CANCELED and handle.is_cancel_requested:
            handle.canceled()
        elif outcome == Observation.OUTCOME_CANCELED:
            handle.abort()
        else:
            handle.succeed()
        return ExecuteSkill.Result(observation=observation)


def serve(make: Callable[[], RosSkillServer]) -> None:
    """Serve skills until Ctrl-C."""
    rclpy.init()
    node = make()
    executor = MultiThreadedExecutor(4)
    executor.add_node(node)
    node.get_logger().info('the robot is ready')
    try:
        executor.spin()
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    finally:
        executor.shutdown()
        node.destroy_node()
        rclpy.try_shutdown()
