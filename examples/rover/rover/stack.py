"""The rover's ROS side; it knows nothing of skills."""

import time

import rclpy
from garden_msgs.msg import Plant, Plants
from garden_msgs.srv import Photograph, Water
from geometry_msgs.msg import PoseStamped
from nav2_msgs.action import NavigateToPose
from rclpy.action import ActionServer, CancelResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.executors import ExternalShutdownException, MultiThreadedExecutor
from rclpy.node import Node
from sensor_msgs.msg import BatteryState
from std_msgs.msg import Bool, String
from std_srvs.srv import SetBool

from rover.garden import Garden

#: Seconds between two steps of the simulation, and between two messages about it.
PERIOD, TOLD = 0.05, 0.2


class Stack(Node):
    """Node `rover`.

    Action server: `navigate_to_pose` (NavigateToPose).
    Services: `water` (Water), `photograph` (Photograph), `charge` (SetBool); `simulation/gate`
    (SetBool) opens the gate, or shuts it.
    Publishers: `pose` (PoseStamped), `station` (String, the name of the place), `battery`
    (BatteryState), `plants` (Plants, with the moisture that their probes tell), `gate_1` (Bool).
    """

    def __init__(self, **options: object) -> None:
        super().__init__('rover', **options)
        self.garden = Garden()
        group = ReentrantCallbackGroup()
        self.base = ActionServer(
            self,
            NavigateToPose,
            'navigate_to_pose',
            self.navigate,
            callback_group=group,
            cancel_callback=lambda handle: CancelResponse.ACCEPT,
        )
        for kind, name, answer in (
            (Water, 'water', self.water),
            (Photograph, 'photograph', self.photograph),
            (SetBool, 'charge', self.charge),
            (SetBool, 'simulation/gate', self.open_gate),
        ):
            self.create_service(kind, name, answer, callback_group=group)
        self.pose = self.create_publisher(PoseStamped, 'pose', 10)
        self.station = self.create_publisher(String, 'station', 10)
        self.battery = self.create_publisher(BatteryState, 'battery', 10)
        self.plants = self.create_publisher(Plants, 'plants', 10)
        self.gate = self.create_publisher(Bool, 'gate_1', 10)
        self.create_timer(PERIOD, lambda: self.garden.advance(PERIOD), group)
        self.create_timer(TOLD, self.tell, group)

    def navigate(self, handle: ServerGoalHandle) -> NavigateToPose.Result:
        """Drive to a pose; a shut gate on the way aborts, and so does an empty battery."""
        goal = handle.request.pose.pose.position
        result = NavigateToPose.Result()
        while rclpy.ok(context=self.context):
            if handle.is_cancel_requested:
                handle.canceled()
                return result
            state = self.garden.drive(goal.x, goal.y, PERIOD)
            if state in ('blocked', 'empty'):
                result.error_code = NavigateToPose.Result.UNKNOWN
                result.error_msg = {'blocked': 'the gate is shut', 'empty': 'no charge is left'}[
                    state
                ]
                handle.abort()
                return result
            if state == 'arrived':
                break
            left = self.garden.distance(goal.x, goal.y)
            handle.publish_feedback(NavigateToPose.Feedback(distance_remaining=left))
            time.sleep(PERIOD)
        self.tell()
        handle.succeed()
        return result

    def water(self, request: Water.Request, response: Water.Response) -> Water.Response:
        """Water the plant at which it stands."""
        response.message = self.garden.water(request.plant_id, request.amount)
        response.success = not response.message
        self.tell()
        return response

    def photograph(
        self, request: Photograph.Request, response: Photograph.Response
    ) -> Photograph.Response:
        """Take a picture of the plant at which it stands."""
        response.message = self.garden.photograph(request.plant_id)
        response.success = not response.message
        return response

    def charge(self, request: SetBool.Request, response: SetBool.Response) -> SetBool.Response:
        """Begin or end charging; only at the charger."""
        response.success = self.garden.place == 'charger' or not request.data
        response.message = '' if response.success else 'the rover is not at the charger'
        self.garden.charging = request.data and response.success
        return response

    def open_gate(self, request: SetBool.Request, response: SetBool.Response) -> SetBool.Response:
        """Open the gate as a person would, or shut it."""
        self.garden.gate_is_open = request.data
        response.success = True
        return response

    def tell(self) -> None:
        """Publish how everything is."""
        garden, now = self.garden, self.get_clock().now().to_msg()
        pose = PoseStamped()
        pose.header.frame_id, pose.header.stamp = 'map', now
        pose.pose.position.x, pose.pose.position.y = garden.x, garden.y
        self.pose.publish(pose)
        self.station.publish(String(data=garden.place))
        self.battery.publish(BatteryState(percentage=garden.charge, voltage=24.0))
        told = Plants()
        told.header.stamp = now
        told.plants = [
            Plant(id=number, moisture=moisture, ripe=number in garden.ripe)
            for number, moisture in garden.moisture.items()
        ]
        self.plants.publish(told)
        self.gate.publish(Bool(data=garden.gate_is_open))


def main() -> None:
    """Simulate until Ctrl-C."""
    rclpy.init()
    node = Stack()
    executor = MultiThreadedExecutor(4)
    executor.add_node(node)
    node.get_logger().info('the rover is ready')
    try:
        executor.spin()
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    finally:
        executor.shutdown()
        node.destroy_node()
        rclpy.try_shutdown()
