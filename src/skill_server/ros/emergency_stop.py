"""The emergency stop of a skill server: by service, topic or log, and shown until its release."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Protocol

from rclpy.callback_groups import CallbackGroup
from rclpy.event_handler import SubscriptionEventCallbacks
from rclpy.node import Node
from std_msgs.msg import Bool
from std_srvs.srv import SetBool

from reactree_core.ros import qos
from reactree_core.ros.fields import bounded
from reactree_core.stop_log import stop_event, StopEvent, StopLog, UNREADABLE
from skill_server.ros.status import StatusBoard

#: Seconds between two looks at the log; each is a stat of one file.
LOOK = 0.02
#: Answers to a release; what has not ended stands behind them.
RELEASED = 'The emergency stop is released: skills may run.'
NOT_PRESSED = 'The emergency stop was not pressed.'
#: How a stop was pressed that the robot reports of its own.
ITSELF = 'by the robot itself'


class Motion(Protocol):
    """What moves beside the running skill, and can be stopped: that of a robot."""

    def stop(self, press: bool) -> None:
        """Have everything end. :param press: the robot's own emergency stop, too."""

    async def moving(self) -> str:
        """What is not known to have stopped, in a moment, as sentences; '' where all has."""

    def unended(self) -> str:
        """Sentences about what is not known to have ended now; '' where all has."""

    @property
    def pressed(self) -> str:
        """Why nothing may move whatever people say, as a sentence; '' where nothing reports so."""


class EmergencyStop:
    """Service `~/emergency_stop` (SetBool: true presses, false releases) and topic of that name
    (Bool: true presses; false does nothing, since several buttons may be there).

    The service answers a press with `success` where everything was seen to stop, and else says
    what still moves, or may; it is pressed all the same.

    Presses and releases are kept in a log, to which others write, too (`reactree stop`): what
    they press or release is so here at once. It stays pressed whatever becomes of planner and
    bridge. A button that latches its message also reaches a node that starts later.

    :param status: shows it, and lets no skill begin meanwhile. :param end_running: ends what
        runs, given by what. :param log: None keeps it only while the node lives.
    :param motion: of a robot; None for a world that moves by skills alone.
    :param robot: its name, for the log.
    """

    def __init__(
        self,
        node: Node,
        group: CallbackGroup,
        status: StatusBoard,
        end_running: Callable[[str], None],
        log: StopLog | None = None,
        motion: Motion | None = None,
        robot: str = '',
    ) -> None:
        self._robot = robot
        self._node = node
        self._status = status
        self._end_running = end_running
        self._log = log
        self._motion = motion
        self._lock = threading.RLock()
        #: Ids of the events that are so here, and the log's version that was read last.
        self._known: set[str] = set()
        self._version = (0, 0)
        self._closed = threading.Event()
        if log is not None:
            self._version = log.version()
            events = log.events()
            self._known = {event.id for event in events}
            pressed = [event for event in events if event.pressed]
            if pressed:
                # Whoever was away meanwhile learns of it, also where it is released since.
                status.stopped_before(pressed[-1].at)
            if events and events[-1].pressed:
                how = f'{events[-1]}, before this bridge started'
                self._press(how, press=True, at=events[-1].at)
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

    def follow(self) -> None:
        """Follow the log in a thread of its own, however busy the executor is, until `close`."""
        threading.Thread(target=self._follow, name='emergency stop', daemon=True).start()

    def close(self) -> None:
        """Follow the log no more."""
        self._closed.set()

    def _follow(self) -> None:
        while not self._closed.wait(LOOK):
            self.look()

    def look(self) -> None:
        """Take over what others have written into the log since the last look."""
        log = self._log
        if log is None or log.version() == self._version:
            return
        with self._lock:
            # Before the events: what comes in between is read again. It counts as seen only once
            # all is so here: another thread that looks meanwhile waits for that.
            version = log.version()
            if version == self._version:
                return
            events = log.events()
            for event in events:
                if event.id not in self._known:
                    self._known.add(event.id)
                    self._take(event)
            if events and events[-1] is UNREADABLE:
                self._take(UNREADABLE)
            self._version = version

    def _take(self, event: StopEvent) -> None:
        if event.pressed:
            self._press(str(event), press=True, at=event.at)
        elif self._motion is not None and self._motion.pressed:
            self._keep(True, ITSELF)
            self._status.press(f'The emergency stop stays pressed. {self._motion.pressed}')
        elif self._status.stop:
            self._status.release()
            self._node.get_logger().warning(f'The emergency stop is released {event}.')

    def _on_button(self, message: Bool) -> None:
        if message.data:
            self.look()  # who has pressed by several ways is named there
            self.press('by the topic')

    def press(self, how: str, itself: bool = False) -> None:
        """Let nothing move until a person releases it.

        :param how: it was pressed. :param itself: the robot's own was pressed.
        """
        with self._lock:
            if self._status.stop:
                return
            event = stop_event(True, self._node.get_fully_qualified_name(), how=how)
            self._press(str(event), press=not itself)
            self._keep(True, how)

    def _press(self, how: str, press: bool, at: float = 0.0) -> None:
        with self._lock:
            pressed_before = bool(self._status.stop)
            sentence = (
                f'The emergency stop was pressed {how}: no skill runs until it is released, '
                'with `reactree stop --release`.'
            )
            # First nothing begins any more, then what runs ends.
            if not pressed_before:
                self._status.press(sentence, at)
                self._end_running('the emergency stop')
                self._node.get_logger().error(sentence)
            if self._motion is not None:
                self._motion.stop(press=press)

    async def _set(self, request: SetBool.Request, response: SetBool.Response) -> SetBool.Response:
        self.look()
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
        elif was_pressed:
            response.success, response.message = self._release()
        else:
            response.message = self._with_unended(NOT_PRESSED)
        return response

    def _with_unended(self, said: str) -> str:
        unended = self._motion.unended() if self._motion is not None else ''
        return bounded(f'{said} {unended}'.strip())

    def _release(self) -> tuple[bool, str]:
        with self._lock:
            trouble = self._keep(False, 'by the service')
            if not trouble:
                self._status.release()
        if trouble:
            said = (
                f'The emergency stop stays pressed: its log {self._path} cannot be written '
                f'({trouble}). Make it writable, and release it again.'
            )
            self._node.get_logger().error(said)
            return False, said
        said = self._with_unended(RELEASED)
        self._node.get_logger().warning(said)
        return True, said

    @property
    def _path(self) -> str:
        return '' if self._log is None else str(self._log.path)

    def _keep(self, pressed: bool, how: str) -> str:
        """Write an event into the log; why it cannot be written, or ''."""
        if self._log is None:
            return ''
        name = self._node.get_fully_qualified_name()
        event = stop_event(pressed, name, self._robot, how=how)
        try:
            self._known.add(event.id)
            self._log.append(event)
        except OSError as error:
            trouble = error.strerror or str(error)
            if pressed:
                self._node.get_logger().error(
                    'The emergency stop will not be pressed any more when this bridge restarts: '
                    f'{self._path} cannot be written ({trouble}).'
                )
            return trouble
        return ''
