"""The emergency stop of a skill server: by service, by topic, and shown until it is released."""

from __future__ import annotations

from collections.abc import Callable

from rclpy.callback_groups import CallbackGroup
from rclpy.node import Node
from std_msgs.msg import Bool
from std_srvs.srv import SetBool

from reactree_core.ros import qos
from sim_bridge.ros.status import StatusBoard


class EmergencyStop:
    """Service `~/emergency_stop` (SetBool: true presses, false releases) and topic of that name
    (Bool: true presses; false does nothing, since several buttons may be there).

    It is kept while the node lives, whatever becomes of the planner.

    :param status: shows it, and lets no skill begin meanwhile. :param end_running: ends what
        runs, told by what.
    """

    def __init__(
        self,
        node: Node,
        group: CallbackGroup,
        status: StatusBoard,
        end_running: Callable[[str], None],
    ) -> None:
        self._node = node
        self._status = status
        self._end_running = end_running
        node.create_service(SetBool, '~/emergency_stop', self._set, callback_group=group)
        qos.subscribe_whatever_is_offered(node, Bool, '~/emergency_stop', self._on_button, group)

    def _on_button(self, message: Bool) -> None:
        if message.data:
            self._press('the topic')

    def _press(self, by: str) -> None:
        if self._status.stop:
            return
        sentence = (
            f'The emergency stop was pressed (by {by}): nothing moves until it is released, with '
            '`reactree stop --release`.'
        )
        # First nothing begins any more, then what runs ends.
        self._status.press(sentence)
        self._end_running('the emergency stop')
        self._node.get_logger().error(sentence)

    def _set(self, request: SetBool.Request, response: SetBool.Response) -> SetBool.Response:
        was_pressed = bool(self._status.stop)
        response.success = True
        if request.data:
            self._press('the service')
            response.message = self._status.stop
        elif was_pressed:
            self._status.release()
            response.message = 'The emergency stop is released: skills may run.'
            self._node.get_logger().warning(response.message)
        else:
            response.message = 'The emergency stop was not pressed.'
        return response
