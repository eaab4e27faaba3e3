"""The bench's ROS side, as a robot with MoveIt and ros2_control has it; it knows no skills."""

import time
from functools import partial

import rclpy
from control_msgs.action import ParallelGripperCommand
from moveit_msgs.action import MoveGroup
from moveit_msgs.msg import Constraints, MoveItErrorCodes
from rclpy.action import ActionServer, CancelResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.executors import ExternalShutdownException, MultiThreadedExecutor
from rclpy.node import Node
from sensor_msgs.msg import JointState
from std_srvs.srv import SetBool, Trigger
from vision_msgs.msg import Detection3D, Detection3DArray, ObjectHypothesisWithPose

from two_arm_bench.bench import Arm, Bench, Joints, OPEN, SPEED, SPOTS

#: Seconds between two messages about the bench, and those that a gripper takes.
PERIOD = 0.05
#: Frame of all positions.
FRAME = 'bench'
JOINTS = ('shoulder', 'elbow', 'lift')
#: What `simulation/cover` puts over the fixture: x, y, radius.
COVER = (*SPOTS['fixture'], 0.15)
#: Effort of a gripper that holds something, N.
EFFORT = 12.0


class PlanningError(Exception):
    """There is no plan. :param code: of MoveItErrorCodes."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


class Stack(Node):
    """Node `two_arm_bench`.

    Action servers: `move_action` (MoveGroup), for the groups left_arm and right_arm;
    `left_gripper/gripper_cmd`, `right_gripper/gripper_cmd` (ParallelGripperCommand).
    Services: `simulation/cover` (SetBool) puts a cover over the fixture, `simulation/miss`
    (Trigger) has a gripper miss next time. Publishers: `joint_states`, `detections`
    (Detection3DArray).
    """

    def __init__(self, **options: object) -> None:
        super().__init__('two_arm_bench', **options)
        self.bench = Bench()
        group = ReentrantCallbackGroup()
        self.servers = {
            name: ActionServer(
                self,
                kind,
                name,
                execute,
                callback_group=group,
                cancel_callback=lambda handle: CancelResponse.ACCEPT,
            )
            for kind, name, execute in (
                (MoveGroup, 'move_action', self.move),
                (ParallelGripperCommand, 'left_gripper/gripper_cmd', partial(self.grip, 'left')),
                (ParallelGripperCommand, 'right_gripper/gripper_cmd', partial(self.grip, 'right')),
            )
        }
        self.create_service(SetBool, 'simulation/cover', self.cover, callback_group=group)
        self.create_service(Trigger, 'simulation/miss', self.miss, callback_group=group)
        self.joints = self.create_publisher(JointState, 'joint_states', 10)
        self.detections = self.create_publisher(Detection3DArray, 'detections', 10)
        self.create_timer(PERIOD, self.tell, group)

    # What it does --------------------------------------------------------------------------

    def move(self, handle: ServerGoalHandle) -> MoveGroup.Result:
        """Plan a way to a goal and follow it; without a plan nothing moves."""
        result = MoveGroup.Result()
        handle.publish_feedback(MoveGroup.Feedback(state='PLANNING'))
        try:
            arm, way = self.plan(handle.request.request)
        except PlanningError as error:
            result.error_code.val = error.code
            handle.abort()
            return result
        if not handle.request.planning_options.plan_only:
            handle.publish_feedback(MoveGroup.Feedback(state='MONITOR'))
            farthest = max(abs(a - b) for a, b in zip(way[-1], arm.joints, strict=True))
            pause = farthest / len(way) / SPEED / self.bench.hurry
            for joints in way:
                if handle.is_cancel_requested:
                    result.error_code.val = MoveItErrorCodes.PREEMPTED
                    handle.canceled()
                    return result
                self.bench.move(arm.side, joints)
                time.sleep(pause)
        result.error_code.val = MoveItErrorCodes.SUCCESS
        handle.succeed()
        return result

    def plan(self, request: object) -> tuple[Arm, list[Joints]]:
        """An arm, and its joints on the way to a goal. :raises PlanningError: there is none."""
        arm = self.bench.arms.get(request.group_name.removesuffix('_arm'))
        if arm is None:
            raise PlanningError(MoveItErrorCodes.INVALID_GROUP_NAME)
        if not request.goal_constraints:
            raise PlanningError(MoveItErrorCodes.INVALID_GOAL_CONSTRAINTS)
        goal = goal_of(arm, request.goal_constraints[0])
        objection = self.bench.objection(arm.side, goal)
        if objection == 'goal':
            raise PlanningError(MoveItErrorCodes.GOAL_IN_COLLISION)
        if objection == 'way':
            raise PlanningError(MoveItErrorCodes.PLANNING_FAILED)
        return arm, arm.way(goal)

    def grip(self, side: str, handle: ServerGoalHandle) -> ParallelGripperCommand.Result:
        """Open or close a gripper."""
        gap = next(iter(handle.request.command.position), 0.0)
        holds = False
        if gap > OPEN / 2:
            self.bench.open(side)
        else:
            holds = self.bench.close(side)
        time.sleep(PERIOD)
        handle.succeed()
        state = JointState(name=[f'{side}_finger'], position=[self.bench.arms[side].gap])
        return ParallelGripperCommand.Result(state=state, stalled=holds, reached_goal=not holds)

    def cover(self, request: SetBool.Request, response: SetBool.Response) -> SetBool.Response:
        """Put a cover over the fixture, or take it away."""
        self.bench.covers = [COVER] if request.data else []
        response.success = True
        return response

    def miss(self, request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        """Have a gripper miss next time."""
        self.bench.misses += 1
        response.success = True
        return response

    # What it tells -------------------------------------------------------------------------

    def tell(self) -> None:
        """Publish where everything is."""
        arms = self.bench.arms
        joints = JointState()
        joints.header.stamp = self.get_clock().now().to_msg()
        for side, arm in arms.items():
            joints.name.append(f'{side}_finger')
            joints.position.append(arm.gap)
            joints.effort.append(EFFORT if self.bench.held_by(side) else 0.0)
        for side, arm in arms.items():
            joints.name.extend(f'{side}_{joint}' for joint in JOINTS)
            joints.position.extend(arm.joints)
            joints.effort.extend([0.0] * len(JOINTS))
        self.joints.publish(joints)
        seen = Detection3DArray()
        seen.header.frame_id, seen.header.stamp = FRAME, joints.header.stamp
        for name, (x, y, z) in self.bench.seen().items():
            kind, _, number = name.partition(' ')
            result = ObjectHypothesisWithPose()
            result.hypothesis.class_id, result.hypothesis.score = kind, 0.9
            detection = Detection3D(header=seen.header, id=number, results=[result])
            point = detection.bbox.center.position
            point.x, point.y, point.z = x, y, z
            seen.detections.append(detection)
        self.detections.publish(seen)


def goal_of(arm: Arm, wanted: Constraints) -> Joints:
    """Joints of an arm that meet constraints. :raises PlanningError: there are none."""
    if wanted.joint_constraints:
        told = {one.joint_name: one.position for one in wanted.joint_constraints}
        names = [f'{arm.side}_{joint}' for joint in JOINTS]
        if set(told) != set(names):
            raise PlanningError(MoveItErrorCodes.INVALID_GOAL_CONSTRAINTS)
        return tuple(told[name] for name in names)
    for position in wanted.position_constraints:
        if position.header.frame_id != FRAME:
            raise PlanningError(MoveItErrorCodes.FRAME_TRANSFORM_FAILURE)
        for pose in position.constraint_region.primitive_poses:
            joints = arm.joints_for((pose.position.x, pose.position.y, pose.position.z))
            if joints is None:
                raise PlanningError(MoveItErrorCodes.NO_IK_SOLUTION)
            return joints
    raise PlanningError(MoveItErrorCodes.INVALID_GOAL_CONSTRAINTS)


def main() -> None:
    """Simulate until Ctrl-C."""
    rclpy.init()
    node = Stack()
    executor = MultiThreadedExecutor(4)
    executor.add_node(node)
    node.get_logger().info('the two arms are ready')
    try:
        executor.spin()
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    finally:
        executor.shutdown()
        node.destroy_node()
        rclpy.try_shutdown()
