"""The robot's ROS side, as a robot with Nav2 and a gripper has it; it knows nothing of skills."""

import math
import sys
import time

import rclpy
import rclpy.utilities
from control_msgs.action import GripperCommand
from geometry_msgs.msg import PoseStamped, PoseWithCovarianceStamped, TransformStamped
from nav2_msgs.action import NavigateToPose
from rclpy.action import ActionServer, CancelResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.executors import ExternalShutdownException, MultiThreadedExecutor
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from sensor_msgs.msg import JointState
from std_msgs.msg import Bool
from std_srvs.srv import SetBool, Trigger
from tf2_msgs.msg import TFMessage
from vision_msgs.msg import Detection3D, Detection3DArray, ObjectHypothesisWithPose

from mobile_robot.hall import CHARGER, Hall, OPEN

#: Seconds between two steps of the simulation, and between two messages about it.
PERIOD = 0.05
LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
#: Where `simulation/block` puts its obstacle: on the way to shelf 1.
ROCK = (4.0, 2.0, 1.0)
#: Effort of a gripper that holds something, N.
EFFORT = 12.0


class Stack(Node):
    """Node `mobile_robot`.

    Action servers: `navigate_to_pose` (NavigateToPose), `gripper/command` (GripperCommand).
    Services: `arm/fold` (Trigger); `simulation/block` (SetBool) puts an obstacle before shelf 1,
    `simulation/miss` (Trigger) has the gripper miss next time.
    Subscriber: `arm/target` (PoseStamped). Publishers: `arm/arrived` (Bool), `amcl_pose`,
    `joint_states`, `detections` (Detection3DArray), `/tf`, `/tf_static`.
    """

    def __init__(self, hall: Hall | None = None, **options: object) -> None:
        super().__init__('mobile_robot', **options)
        self.hall = hall or Hall()
        group = ReentrantCallbackGroup()
        self.base, self.gripper = (
            ActionServer(
                self,
                kind,
                name,
                execute,
                callback_group=group,
                cancel_callback=lambda handle: CancelResponse.ACCEPT,
            )
            for kind, name, execute in (
                (NavigateToPose, 'navigate_to_pose', self.navigate),
                (GripperCommand, 'gripper/command', self.grip),
            )
        )
        for kind, name, answer in (
            (Trigger, 'arm/fold', self.fold),
            (SetBool, 'simulation/block', self.block),
            (Trigger, 'simulation/miss', self.miss),
        ):
            self.create_service(kind, name, answer, callback_group=group)
        self.create_subscription(PoseStamped, 'arm/target', self.reach, 10, callback_group=group)
        self.arrived = self.create_publisher(Bool, 'arm/arrived', 10)
        self.pose = self.create_publisher(PoseWithCovarianceStamped, 'amcl_pose', LATCHED)
        self.joints = self.create_publisher(JointState, 'joint_states', 10)
        self.detections = self.create_publisher(Detection3DArray, 'detections', 10)
        self.transforms = self.create_publisher(TFMessage, '/tf', 10)
        fixed = self.create_publisher(TFMessage, '/tf_static', LATCHED)
        fixed.publish(TFMessage(transforms=[self.transform('charger', *CHARGER)]))
        self.create_timer(PERIOD, self.tell, group)

    # What it does --------------------------------------------------------------------------

    def navigate(self, handle: ServerGoalHandle) -> NavigateToPose.Result:
        """Drive to a pose; an obstacle on the way aborts, as in Nav2 when recovery fails."""
        goal = handle.request.pose.pose
        yaw = 2 * math.atan2(goal.orientation.z, goal.orientation.w)
        result = NavigateToPose.Result()
        while rclpy.ok(context=self.context):
            if handle.is_cancel_requested:
                handle.canceled()
                return result
            state = self.hall.advance(goal.position.x, goal.position.y, yaw, PERIOD)
            if state == 'blocked':
                result.error_code = NavigateToPose.Result.UNKNOWN
                result.error_msg = 'an obstacle blocks the way'
                handle.abort()
                return result
            if state == 'arrived':
                break
            left = self.hall.distance(goal.position.x, goal.position.y)
            handle.publish_feedback(NavigateToPose.Feedback(distance_remaining=left))
            time.sleep(PERIOD)
        handle.succeed()
        return result

    def grip(self, handle: ServerGoalHandle) -> GripperCommand.Result:
        """Open or close the gripper."""
        opens = handle.request.command.position > OPEN / 2
        holds = False
        if opens:
            self.hall.open_gripper()
        else:
            holds = self.hall.close_gripper()
        time.sleep(PERIOD)
        handle.succeed()
        return GripperCommand.Result(position=self.hall.gap, stalled=holds, reached_goal=not holds)

    def reach(self, target: PoseStamped) -> None:
        """Move the hand to a point in the map."""
        self.hall.hand = (target.pose.position.x, target.pose.position.y)
        near = self.hall.distance(*self.hall.hand) < 1.2
        self.arrived.publish(Bool(data=near))

    def fold(self, request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        """Take the arm in."""
        self.hall.hand = None
        response.success = True
        return response

    def block(self, request: SetBool.Request, response: SetBool.Response) -> SetBool.Response:
        """Put an obstacle there, or take it away."""
        self.hall.obstacles = [ROCK] if request.data else []
        response.success = True
        return response

    def miss(self, request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        """Have the gripper miss next time."""
        self.hall.misses += 1
        response.success = True
        return response

    # What it tells -------------------------------------------------------------------------

    def tell(self) -> None:
        """Publish where everything is."""
        hall = self.hall
        base = self.transform('base_link', hall.x, hall.y, hall.yaw)
        self.transforms.publish(TFMessage(transforms=[base]))
        pose = PoseWithCovarianceStamped(header=base.header)
        pose.pose.pose.position.x, pose.pose.pose.position.y = hall.x, hall.y
        pose.pose.pose.orientation = base.transform.rotation
        self.pose.publish(pose)
        effort = EFFORT if hall.held else 0.0
        joints = JointState(name=['gripper'], position=[hall.gap], effort=[effort])
        self.joints.publish(joints)
        seen = Detection3DArray(header=base.header)
        for name, (x, y) in hall.seen().items():
            result = ObjectHypothesisWithPose()
            result.hypothesis.class_id, result.hypothesis.score = 'crate', 0.9
            detection = Detection3D(header=base.header, id=name, results=[result])
            detection.bbox.center.position.x, detection.bbox.center.position.y = x, y
            detection.bbox.center.position.z = 0.8
            seen.detections.append(detection)
        self.detections.publish(seen)

    def transform(self, frame: str, x: float, y: float, yaw: float) -> TransformStamped:
        """Of a frame in the map."""
        message = TransformStamped(child_frame_id=frame)
        message.header.frame_id = 'map'
        message.header.stamp = self.get_clock().now().to_msg()
        message.transform.translation.x, message.transform.translation.y = x, y
        message.transform.rotation.z = math.sin(yaw / 2)
        message.transform.rotation.w = math.cos(yaw / 2)
        return message


def main() -> None:
    """Simulate until Ctrl-C; names as arguments are robots in one hall, each in its namespace."""
    rclpy.init()
    nodes: list[Stack] = []
    for name in rclpy.utilities.remove_ros_args(sys.argv)[1:] or ['']:
        nodes.append(Stack(Hall(nodes[-1].hall) if nodes else None, namespace=name))
    executor = MultiThreadedExecutor(4 * len(nodes))
    for node in nodes:
        executor.add_node(node)
    nodes[-1].get_logger().info('the mobile robot is ready')
    try:
        executor.spin()
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    finally:
        executor.shutdown()
        for node in nodes:
            node.destroy_node()
        rclpy.try_shutdown()
