"""A robot as a skill server: everything that the planner of reactree_ros needs of it.

Nothing is imported but rclpy, the messages and the robot; docs/robot_contract.md of reactree_ros
says why each part is as it is.
"""

import threading
import time

import rclpy
from rclpy.action import ActionServer
from rclpy.action import CancelResponse
from rclpy.action import GoalResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.duration import Duration
from rclpy.executors import ExternalShutdownException
from rclpy.executors import MultiThreadedExecutor
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy
from rclpy.qos import LivelinessPolicy
from rclpy.qos import QoSProfile
from rclpy.qos import ReliabilityPolicy

from reactree_ros.action import ExecuteSkill
from reactree_ros.msg import BridgeStatus
from reactree_ros.msg import ObjectFact
from reactree_ros.msg import Observation
from reactree_ros.srv import GetWorldState
from reactree_ros.srv import ListSkills
from reactree_ros.srv import ResetWorld
from robot_skill_server.robot import Ending
from robot_skill_server.robot import PLACES
from robot_skill_server.robot import Robot
from robot_skill_server.robot import ROOM

TEMPLATES = ('go to <place>', 'pick up <object>', 'put down <object>')
#: How working memory calls a hand.
HAND = 'agent 1'
#: Latched, and silent for longer than a second means gone: the planner then ends its run.
STATUS = QoSProfile(
    depth=1,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.TRANSIENT_LOCAL,
    liveliness=LivelinessPolicy.AUTOMATIC,
    liveliness_lease_duration=Duration(seconds=1.0),
)
#: What is said of an outcome before what is seen.
WORDS = {
    Observation.OUTCOME_SUCCEEDED: 'Done: {}.',
    Observation.OUTCOME_PRECONDITION_FAILED: 'Not possible now: {}.',
    Observation.OUTCOME_INVALID_SKILL: 'There is no skill "{}".',
    Observation.OUTCOME_CANCELED: 'Stopped: {}.',
    Observation.OUTCOME_TIMED_OUT: 'It took too long: {}.',
}


class SkillServer(Node):
    """Node `bridge`.

    Action server: `~/execute_skill` (ExecuteSkill), one skill at a time, can be canceled.
    Services: `~/list_skills` (ListSkills), `~/get_world_state` (GetWorldState), `~/reset_world`
    (ResetWorld). Publisher: `bridge_status` (BridgeStatus), latched, with a lease of 1 s.
    """

    def __init__(self) -> None:
        super().__init__('bridge')
        self.robot = Robot()
        self.busy = threading.Lock()
        # A cancel and a look must be served while a skill runs.
        group = ReentrantCallbackGroup()
        self.status = self.create_publisher(BridgeStatus, 'bridge_status', STATUS)
        for kind, name, callback in (
            (ListSkills, '~/list_skills', self.list_skills),
            (GetWorldState, '~/get_world_state', self.world_state),
            (ResetWorld, '~/reset_world', self.reset_world),
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
        status = BridgeStatus(state=state, backend='robot_skill_server', scene='workshop')
        status.header.stamp = self.get_clock().now().to_msg()
        self.status.publish(status)

    # What the planner sees ---------------------------------------------------------------

    def skills(self) -> list[str]:
        """What can succeed now."""
        robot = self.robot
        ways = [f'go to {place}' for place in PLACES if place != robot.place]
        if robot.held:
            return [*ways, f'put down {robot.held}']
        return [*ways, *(f'pick up {thing}' for thing in robot.here())]

    def look(self, text: str, outcome: int = Observation.OUTCOME_SUCCEEDED) -> Observation:
        """An observation of the place where the robot is."""
        robot = self.robot
        text += f' You see {", ".join(robot.here()) or "nothing to take"}.'
        text += f' You hold {robot.held}.' if robot.held else ''
        observation = Observation(outcome=outcome, text=text, place=robot.place, room=ROOM)
        observation.header.stamp = self.get_clock().now().to_msg()
        observation.looked_at = [robot.place]
        observation.held = [robot.held] if robot.held else []
        observation.admissible_skills = self.skills()
        observation.facts = [self.fact(thing, robot.place) for thing in robot.here()]
        observation.facts += [self.fact(thing, HAND) for thing in observation.held]
        return observation

    def fact(self, thing: str, place: str) -> ObjectFact:
        """Where a thing is, for working memory."""
        name, _, number = thing.rpartition(' ')
        fact = ObjectFact(object_class=name, instance=int(number), room=ROOM, receptacle=place)
        fact.seen_at = self.get_clock().now().to_msg()
        return fact

    def list_skills(
        self, request: ListSkills.Request, response: ListSkills.Response
    ) -> ListSkills.Response:
        """What the robot can do, and the names it knows; changes nothing."""
        response.templates = list(TEMPLATES)
        response.object_classes = ['cup', 'book']
        response.place_classes = ['table', 'shelf', 'dock']
        response.rooms = [ROOM]
        places = ', '.join(PLACES)
        response.observation = self.look(
            f'You are in the workshop, at {self.robot.place}. Places are {places}.'
        )
        response.admissible_skills = self.skills()
        response.candidate_skills = self.skills()
        return response

    def world_state(
        self, request: GetWorldState.Request, response: GetWorldState.Response
    ) -> GetWorldState.Response:
        """A robot cannot judge a goal, so has_goal stays false."""
        response.scene = 'workshop'
        return response

    def reset_world(
        self, request: ResetWorld.Request, response: ResetWorld.Response
    ) -> ResetWorld.Response:
        """A real room cannot be reset."""
        response.message = 'This is a robot: put things back by hand.'
        response.observation = self.look(response.message)
        return response

    # Skills as actions -------------------------------------------------------------------

    def accept(self, goal: ExecuteSkill.Goal) -> GoalResponse:
        """One skill at a time: taken here, since two goals may come before one begins."""
        taken = self.busy.acquire(blocking=False)
        return GoalResponse.ACCEPT if taken else GoalResponse.REJECT

    def execute(self, handle: ServerGoalHandle) -> ExecuteSkill.Result:
        """Run a skill; whatever happens, the result has an observation that says what."""
        goal = handle.request
        try:
            self.tell(BridgeStatus.STATE_BUSY)
            handle.publish_feedback(ExecuteSkill.Feedback(status=goal.skill, completion=0.0))
            outcome = self.perform(handle, goal)
            observation = self.look(WORDS[outcome].format(goal.skill), outcome)
        finally:
            self.busy.release()
            self.tell(BridgeStatus.STATE_READY)
        observation.run_id = goal.run_id
        observation.sequence = goal.sequence
        observation.node_id = goal.node_id
        observation.skill = goal.skill
        if outcome == Observation.OUTCOME_CANCELED:
            handle.canceled()
        else:
            handle.succeed()
        return ExecuteSkill.Result(observation=observation)

    def perform(self, handle: ServerGoalHandle, goal: ExecuteSkill.Goal) -> int:
        """From the text of a skill to the robot."""
        limit = goal.time_limit.sec + goal.time_limit.nanosec * 1e-9
        end = time.monotonic() + limit if limit else float('inf')

        def must_stop() -> bool:
            return handle.is_cancel_requested or time.monotonic() > end

        robot = self.robot
        skills = {
            'go to': (PLACES, lambda place: robot.move(place, must_stop)),
            'pick up': (robot.places, robot.grasp),
            'put down': (robot.places, robot.release),
        }
        for verb, (names, act) in skills.items():
            name = goal.skill.removeprefix(f'{verb} ')
            if goal.skill == f'{verb} {name}' and name in names:
                return self.outcome_of(act(name), handle)
        return Observation.OUTCOME_INVALID_SKILL

    def outcome_of(self, ending: Ending, handle: ServerGoalHandle) -> int:
        """What the planner calls it."""
        if ending is Ending.STOPPED:
            canceled = handle.is_cancel_requested
            return Observation.OUTCOME_CANCELED if canceled else Observation.OUTCOME_TIMED_OUT
        if ending is Ending.IMPOSSIBLE:
            return Observation.OUTCOME_PRECONDITION_FAILED
        return Observation.OUTCOME_SUCCEEDED


def main() -> None:
    """Serve skills until Ctrl-C."""
    rclpy.init()
    node = SkillServer()
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
