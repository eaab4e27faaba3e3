#!/usr/bin/env python3
"""A robot of your own: everything that a skill server must have, for a robot that only pretends.

    scripts/with_ros python examples/own_robot.py        (in one terminal)
    reactree up --no-bridge                              (in a second one)
    reactree plan "bring the cup to the shelf"           (in a third one)

Replace `move`, `grasp` and `release` by calls of your robot. All this needs is rclpy and the
messages of this package.
"""

import threading
import time

import rclpy
from rclpy.action import ActionServer
from rclpy.action import CancelResponse
from rclpy.action import GoalResponse
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

ROOM = 'workshop 1'
PLACES = ('table 1', 'shelf 1', 'dock 1')
SECONDS_A_MOVE = 1.0
#: Latched, and silent for longer than a second means gone: the planner then ends its run.
STATUS = QoSProfile(
    depth=1,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.TRANSIENT_LOCAL,
    liveliness=LivelinessPolicy.AUTOMATIC,
    liveliness_lease_duration=Duration(seconds=1.0),
)


class OwnRobot(Node):
    """Node `bridge`: one arm, three places, a cup and a book."""

    def __init__(self) -> None:
        super().__init__('bridge')
        self.place = 'dock 1'
        self.held = ''
        self.things = {'cup 1': 'table 1', 'book 1': 'table 1'}
        self.seen: set[str] = set()
        self.busy = threading.Lock()
        group = ReentrantCallbackGroup()
        self.status = self.create_publisher(BridgeStatus, 'bridge_status', STATUS)
        self.create_service(ListSkills, '~/list_skills', self.list_skills, callback_group=group)
        self.create_service(
            GetWorldState, '~/get_world_state', self.world_state, callback_group=group
        )
        self.create_service(ResetWorld, '~/reset_world', self.reset_world, callback_group=group)
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

    # The robot: what to replace ----------------------------------------------------------

    def move(self, place: str, stopped: threading.Event, limit: float) -> int:
        """Drive to a place, looking often whether to stop."""
        began = time.monotonic()
        while time.monotonic() - began < SECONDS_A_MOVE:
            if stopped.wait(0.05):
                return Observation.OUTCOME_CANCELED
            if limit and time.monotonic() - began > limit:
                return Observation.OUTCOME_TIMED_OUT
        self.place = place
        return Observation.OUTCOME_SUCCEEDED

    def grasp(self, thing: str) -> int:
        """Take a thing that is here."""
        if self.held or self.things.get(thing) != self.place:
            return Observation.OUTCOME_PRECONDITION_FAILED
        self.held, self.things[thing] = thing, 'agent 1'
        return Observation.OUTCOME_SUCCEEDED

    def release(self, thing: str) -> int:
        """Put down the thing that is held."""
        if self.held != thing:
            return Observation.OUTCOME_PRECONDITION_FAILED
        self.held, self.things[thing] = '', self.place
        return Observation.OUTCOME_SUCCEEDED

    # What the planner sees ---------------------------------------------------------------

    def skills(self) -> list[str]:
        """What can succeed now."""
        skills = [f'go to {place}' for place in PLACES if place != self.place]
        if self.held:
            return [*skills, f'put down {self.held}']
        here = [thing for thing, place in self.things.items() if place == self.place]
        return skills + [f'pick up {thing}' for thing in here]

    def look(self, text: str = '', outcome: int = Observation.OUTCOME_SUCCEEDED) -> Observation:
        """An observation of the place where the robot is."""
        self.seen.add(self.place)
        here = [thing for thing, place in self.things.items() if place == self.place]
        found = ', '.join(here) or 'nothing to take'
        text = text or f'You are in the workshop, at {self.place}. Places are {", ".join(PLACES)}.'
        text += f' You see {found}.' + (f' You hold {self.held}.' if self.held else '')
        now = self.get_clock().now().to_msg()
        facts = []
        for thing, place in self.things.items():
            if place in (self.place, 'agent 1'):
                name, _, number = thing.rpartition(' ')
                facts.append(
                    ObjectFact(
                        object_class=name,
                        instance=int(number),
                        room=ROOM,
                        receptacle=place,
                        seen_at=now,
                    )
                )
        observation = Observation(outcome=outcome, text=text, place=self.place, room=ROOM)
        observation.header.stamp = now
        observation.looked_at = [self.place]
        observation.held = [self.held] if self.held else []
        observation.admissible_skills = self.skills()
        observation.facts = facts
        return observation

    def list_skills(
        self, request: ListSkills.Request, response: ListSkills.Response
    ) -> ListSkills.Response:
        """What the robot can do, and the names it knows."""
        response.templates = ['go to <place>', 'pick up <object>', 'put down <object>']
        response.object_classes = ['cup', 'book']
        response.place_classes = ['table', 'shelf', 'dock']
        response.rooms = [ROOM]
        response.observation = self.look()
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
        response.observation = self.look()
        return response

    # Skills as actions -------------------------------------------------------------------

    def accept(self, goal: ExecuteSkill.Goal) -> GoalResponse:
        """One skill at a time."""
        return GoalResponse.REJECT if self.busy.locked() else GoalResponse.ACCEPT

    def execute(self, handle) -> ExecuteSkill.Result:
        """Run a skill; whatever happens, the result has an observation that says what."""
        goal = handle.request
        with self.busy:
            self.tell(BridgeStatus.STATE_BUSY)
            outcome = self.perform(handle, goal)
            self.tell(BridgeStatus.STATE_READY)
        words = {
            Observation.OUTCOME_SUCCEEDED: f'Done: {goal.skill}.',
            Observation.OUTCOME_INVALID_SKILL: f'There is no skill "{goal.skill}".',
            Observation.OUTCOME_CANCELED: f'Stopped: {goal.skill}.',
            Observation.OUTCOME_TIMED_OUT: f'It took too long: {goal.skill}.',
        }
        observation = self.look(words.get(outcome, f'Not possible now: {goal.skill}.'), outcome)
        observation.run_id = goal.run_id
        observation.sequence = goal.sequence
        observation.node_id = goal.node_id
        observation.skill = goal.skill
        if outcome == Observation.OUTCOME_CANCELED:
            handle.canceled()
        else:
            handle.succeed()
        return ExecuteSkill.Result(observation=observation)

    def perform(self, handle, goal: ExecuteSkill.Goal) -> int:
        """From the text of a skill to the robot."""
        handle.publish_feedback(ExecuteSkill.Feedback(status=goal.skill, completion=0.0))
        for verb, act in (('pick up ', self.grasp), ('put down ', self.release)):
            if goal.skill.startswith(verb):
                return act(goal.skill.removeprefix(verb))
        place = goal.skill.removeprefix('go to ')
        if not goal.skill.startswith('go to ') or place not in PLACES:
            return Observation.OUTCOME_INVALID_SKILL
        limit = goal.time_limit.sec + goal.time_limit.nanosec * 1e-9
        stopped = threading.Event()
        watch = self.create_timer(
            0.02,
            lambda: stopped.set() if handle.is_cancel_requested else None,
            ReentrantCallbackGroup(),
        )
        try:
            return self.move(place, stopped, limit)
        finally:
            self.destroy_timer(watch)

    def tell(self, state: int) -> None:
        """Say that the robot is alive and what it does."""
        status = BridgeStatus(state=state, backend='own_robot', scene='workshop')
        status.header.stamp = self.get_clock().now().to_msg()
        self.status.publish(status)


def main() -> None:
    """Serve skills until Ctrl-C."""
    rclpy.init()
    node = OwnRobot()
    executor = MultiThreadedExecutor(4)
    executor.add_node(node)
    print('The robot is ready; Ctrl-C ends it.', flush=True)
    try:
        executor.spin()
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    finally:
        executor.shutdown()
        node.destroy_node()
        rclpy.try_shutdown()


if __name__ == '__main__':
    main()
