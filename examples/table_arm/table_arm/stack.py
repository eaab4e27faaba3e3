"""The arm's ROS side, as a robot with MoveIt and a camera has it; it knows no skills."""

import time
from array import array

import rclpy
from control_msgs.action import GripperCommand
from moveit_msgs.action import MoveGroup
from moveit_msgs.msg import Constraints, MoveItErrorCodes
from rclpy.action import ActionServer, CancelResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup, ReentrantCallbackGroup
from rclpy.executors import ExternalShutdownException, MultiThreadedExecutor
from rclpy.node import Node
from sensor_msgs.msg import CameraInfo, Image, JointState
from std_srvs.srv import SetBool, Trigger

from table_arm.picture import LONG, MATRIX, Painter, WIDTH
from table_arm.table import OPEN, PARTS, Point, SPEED, Table

#: Seconds between two messages about the gripper, and between two pictures.
PERIOD, PICTURES = 0.05, 0.1
#: Frames of the table and of the camera's lens.
FRAME, LENS = 'table', 'camera_optical'
#: Effort of a gripper that holds something, N.
EFFORT = 8.0


class Stack(Node):
    """Node `table_arm`.

    Action servers: `move_action` (MoveGroup), for the group arm; `gripper_cmd` (GripperCommand).
    Publishers: `camera/image_raw` (Image, bgr8), `camera/camera_info` (CameraInfo),
    `joint_states`. Services: `simulation/miss` (Trigger) has the gripper miss next time,
    `simulation/dark` (SetBool) switches the light off.
    """

    def __init__(self, **options: object) -> None:
        super().__init__('table_arm', **options)
        self.table = Table()
        self.dark = False
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
                (GripperCommand, 'gripper_cmd', self.grip),
            )
        }
        self.create_service(Trigger, 'simulation/miss', self.miss, callback_group=group)
        self.create_service(SetBool, 'simulation/dark', self.darken, callback_group=group)
        self.joints = self.create_publisher(JointState, 'joint_states', 10)
        self.images = self.create_publisher(Image, 'camera/image_raw', 1)
        self.infos = self.create_publisher(CameraInfo, 'camera/camera_info', 1)
        self.painter = Painter({name: number for name, (number, _) in PARTS.items()})
        self.create_timer(PERIOD, self.tell, group)
        self.create_timer(PICTURES, self.show, MutuallyExclusiveCallbackGroup())

    # What it does --------------------------------------------------------------------------

    def move(self, handle: ServerGoalHandle) -> MoveGroup.Result:
        """Move the hand to a goal; where there is no way, nothing moves."""
        result = MoveGroup.Result()
        handle.publish_feedback(MoveGroup.Feedback(state='PLANNING'))
        request = handle.request.request
        goal = goal_of(request.goal_constraints)
        if request.group_name != 'arm' or goal is None:
            result.error_code.val = MoveItErrorCodes.INVALID_GOAL_CONSTRAINTS
        elif not self.table.reaches(goal):
            result.error_code.val = MoveItErrorCodes.NO_IK_SOLUTION
        else:
            handle.publish_feedback(MoveGroup.Feedback(state='MONITOR'))
            result.error_code.val = MoveItErrorCodes.SUCCESS
            for point in self.table.way(goal):
                if handle.is_cancel_requested:
                    result.error_code.val = MoveItErrorCodes.PREEMPTED
                    handle.canceled()
                    return result
                self.table.move(point)
                time.sleep(0.04 / SPEED / self.table.hurry)
            handle.succeed()
            return result
        handle.abort()
        return result

    def grip(self, handle: ServerGoalHandle) -> GripperCommand.Result:
        """Open or close the gripper."""
        holds = False
        if handle.request.command.position > OPEN / 2:
            self.table.open()
        else:
            holds = self.table.close()
        time.sleep(PERIOD)
        handle.succeed()
        return GripperCommand.Result(
            position=self.table.gap, stalled=holds, reached_goal=not holds
        )

    def miss(self, request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        """Have the gripper miss next time."""
        self.table.misses += 1
        response.success = True
        return response

    def darken(self, request: SetBool.Request, response: SetBool.Response) -> SetBool.Response:
        """Switch the light off, or on."""
        self.dark = request.data
        response.success = True
        return response

    # What it tells -------------------------------------------------------------------------

    def tell(self) -> None:
        """Publish how the gripper is."""
        state = JointState(name=['finger'], position=[self.table.gap])
        state.effort = [EFFORT if self.table.held else 0.0]
        state.header.stamp = self.get_clock().now().to_msg()
        self.joints.publish(state)

    def show(self) -> None:
        """Publish what the camera sees."""
        pixels = self.painter.picture(self.table)
        if self.dark:
            pixels //= 255
        message = Image(height=LONG, width=WIDTH, encoding='bgr8', step=3 * WIDTH)
        message.data = array('B', pixels.tobytes())
        message.header.stamp = self.get_clock().now().to_msg()
        message.header.frame_id = LENS
        info = CameraInfo(header=message.header, width=WIDTH, height=LONG)
        info.distortion_model, info.d, info.k = 'plumb_bob', [0.0] * 5, MATRIX
        self.infos.publish(info)
        self.images.publish(message)


def goal_of(wanted: list[Constraints]) -> Point | None:
    """Where the hand is wanted; None where that is not said in the frame of the table."""
    for constraints in wanted:
        for position in constraints.position_constraints:
            for pose in position.constraint_region.primitive_poses:
                if position.header.frame_id == FRAME:
                    return pose.position.x, pose.position.y, pose.position.z
    return None


def main() -> None:
    """Simulate until Ctrl-C."""
    rclpy.init()
    node = Stack()
    executor = MultiThreadedExecutor(4)
    executor.add_node(node)
    node.get_logger().info('the arm over the table is ready')
    try:
        executor.spin()
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    finally:
        executor.shutdown()
        node.destroy_node()
        rclpy.try_shutdown()
