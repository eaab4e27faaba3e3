"""The emergency stop of a skill server: by service, by topic, and shown until it is released."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from rclpy.callback_groups import CallbackGroup
from rclpy.event_handler import SubscriptionEventCallbacks
from rclpy.node import Node
from std_msgs.msg import Bool
from std_srvs.srv import SetBool

from reactree_core.durability import force_to_disk, write_private
from reactree_core.ros import qos
from reactree_core.ros.fields import bounded
from skill_server.ros.status import StatusBoard


class Motion(Protocol):
    """What moves beside the running skill, and can be stopped: that of a robot."""

    def stop(self, press: bool) -> None:
        """Have everything end. :param press: the robot's own emergency stop, too."""

    async def moving(self) -> str:
        """What is not known to have stopped, in a moment, as sentences; '' where all has."""

    @property
    def pressed(self) -> str:
        """Why nothing may move whatever people say, as a sentence; '' where nothing reports so."""


class EmergencyStop:
    """Service `~/emergency_stop` (SetBool: true presses, false releases) and topic of that name
    (Bool: true presses; false does nothing, since several buttons may be there).

    The service answers a press with `success` where everything was seen to stop, and else says
    what still moves, or may; it is pressed all the same.

    It stays pressed whatever becomes of the planner. A button that latches its message also
    reaches a node that starts later.

    :param status: shows it, and lets no skill begin meanwhile. :param end_running: ends what
        runs, given by what. :param file: where it stays pressed when the node restarts; None:
        only while the node lives. :param motion: of a robot; None for a world that moves by
        skills alone.
    """

    def __init__(
        self,
        node: Node,
        group: CallbackGroup,
        status: StatusBoard,
        end_running: Callable[[str], None],
        file: Path | None = None,
        motion: Motion | None = None,
    ) -> None:
        self._node = node
        self._status = status
        self._end_running = end_running
        self._file = file
        self._motion = motion
        if self._is_kept():
            self.press('before this bridge started')
        node.create_service(SetBool, '~/emergency_stop', self._set, callback_group=group)
        topic = '~/emergency_stop'
        qos.subscribe_whatever_is_offered(node, Bool, topic, self._on_button, group)
        node.create_subscription(
            Bool,
            topic,
            self._on_button,
            qos.latched(),
            callback_group=group,
            # Most buttons do not latch: that is no news.
            event_callbacks=SubscriptionEventCallbacks(use_default_callbacks=False),
        )

    def _on_button(self, message: Bool) -> None:
        if message.data:
            self.press('by the topic')

    def press(self, how: str, itself: bool = False) -> None:
        """Let nothing move until a person releases it.

        :param how: it was pressed, in brackets. :param itself: the robot's own was pressed.
        """
        if self._status.stop:
            return
        sentence = (
            f'The emergency stop was pressed ({how}): no skill runs until it is released, with '
            '`reactree stop --release`.'
        )
        # First nothing begins any more, then what runs ends.
        self._status.press(sentence)
        self._end_running('the emergency stop')
        if self._motion is not None:
            self._motion.stop(press=not itself)
        self._node.get_logger().error(sentence)
        self._keep(sentence)

    async def _set(self, request: SetBool.Request, response: SetBool.Response) -> SetBool.Response:
        was_pressed = bool(self._status.stop)
        response.success = True
        if request.data:
            if was_pressed and self._motion is not None:
                self._motion.stop(press=True)
            self.press('by the service')
            answer = self._status.stop
            if self._motion is not None:
                moving = await self._motion.moving()
                response.success = not moving
                answer = ' '.join(
                    (answer, moving or "All goals of the robot's actions have ended.")
                )
            response.message = bounded(answer)
        elif was_pressed and self._motion is not None and self._motion.pressed:
            response.success = False
            response.message = f'The emergency stop stays pressed. {self._motion.pressed}'
        elif was_pressed and (trouble := self._forget()):
            response.success = False
            response.message = (
                f'The emergency stop stays pressed: its file {self._file} cannot be removed '
                f'({trouble}). Make its folder writable, and release it again.'
            )
            self._node.get_logger().error(response.message)
        elif was_pressed:
            self._status.release()
            response.message = 'The emergency stop is released: skills may run.'
            self._node.get_logger().warning(response.message)
        else:
            response.message = 'The emergency stop was not pressed.'
        return response

    def _is_kept(self) -> bool:
        try:
            return self._file is not None and self._file.exists()
        except OSError:
            return True  # nobody knows: nothing moves until it is released

    def _keep(self, sentence: str) -> None:
        if self._file is None:
            return
        try:
            write_private(self._file, sentence + '\n')
        except OSError as error:
            self._node.get_logger().error(
                f'The emergency stop will not be pressed any more when this bridge restarts: '
                f'{self._file} cannot be written ({error.strerror or error}).'
            )

    def _forget(self) -> str:
        """Remove the file; why it cannot be removed, or ''."""
        try:
            if self._file is not None:
                self._file.unlink(missing_ok=True)
                if self._file.parent.is_dir():
                    force_to_disk(self._file.parent)
        except OSError as error:
            return error.strerror or str(error)
        return ''
