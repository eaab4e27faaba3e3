"""Where a robot tells what it senses: topics, services, TF, and parameters of other nodes."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

from rcl_interfaces.srv import GetParameters
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.clock import Clock, ClockType
from rclpy.event_handler import SubscriptionEventCallbacks
from rclpy.node import Node
from rclpy.task import Future

from reactree_core.errors import SkillError
from reactree_core.ros import qos
from reactree_core.ros.discovery import is_served
from robot_bridge.filling import Filling, Surroundings
from robot_bridge.poses import FrameTree, Pose
from robot_bridge.reading import pose_from
from robot_bridge.robot import Robot
from robot_bridge.ros.graph import unheard
from robot_bridge.ros.installed_types import fill, installed_type
from robot_bridge.sources import Sense, TF_TYPE
from skill_server.ros.running_skill import RunningSkill

#: Longest wait for a parameter of another node, s.
_PARAMETER = 0.5
#: Longest time for which a stamped message is late, s; a stamp from before is of another clock.
_LATEST = 10.0


class Sources:
    """Hears and asks the sources of a robot's senses, and keeps the newest of each.

    :param heard: told of what has come by a topic.
    """

    def __init__(self, node: Node, robot: Robot, heard: Callable[[Sense], None]) -> None:
        self._node = node
        self._group = ReentrantCallbackGroup()
        self._robot = robot
        self._heard = heard
        self.frames = FrameTree()
        #: Poses of places that the file or parameters tell.
        self.places: dict[str, Pose] = {}
        self._newest: dict[Sense, tuple[Any, float]] = {}
        self._clients: dict[Sense, Any] = {}
        self._parameters: dict[str, Any] = {}
        #: Service source, or node with parameters -> when it was asked.
        self._asked_at: dict[Sense | str, float] = {}
        self._expected: set[Sense] = set()
        self._all_came = Future()
        for name, place in robot.file.places.items():
            if (pose := place.pose) is not None:
                self.places[name] = pose
            if place.parameter is not None and place.parameter.node not in self._parameters:
                # Of this service alone: a robot's policy need not let the bridge set parameters.
                self._parameters[place.parameter.node] = node.create_client(
                    GetParameters,
                    f'{place.parameter.node}/get_parameters',
                    callback_group=self._group,
                )

    def open(self) -> None:
        """Begin to hear; from here on, what comes is told."""
        for sense in self._robot.senses.all():
            self._open(sense)
        if self._robot.hears_frames:
            self._hear_frames()

    def _open(self, sense: Sense) -> None:
        entry = sense.entry
        if entry.service:
            self._clients[sense] = self._node.create_client(
                installed_type(entry.type), entry.service, callback_group=self._group
            )
        elif entry.topic:
            self._node.create_subscription(
                installed_type(entry.type),
                entry.topic,
                lambda message: self._came(sense, message),
                qos.heard(entry.latched),
                callback_group=self._group,
                # It is said in the observation, with what to change.
                event_callbacks=SubscriptionEventCallbacks(use_default_callbacks=False),
            )

    def _hear_frames(self) -> None:
        kind = installed_type(TF_TYPE)
        static = qos.latched()
        static.depth = 100
        for topic, profile, lasting in (
            ('/tf', qos.heard(False, 100), False),
            ('/tf_static', static, True),
        ):
            self._node.create_subscription(
                kind,
                topic,
                lambda message, lasting=lasting: self._hear_transforms(message, lasting),
                profile,
                callback_group=self._group,
            )

    def _hear_transforms(self, message: Any, lasting: bool) -> None:
        heard_at = math.inf if lasting else time.monotonic()
        for transform in message.transforms:
            pose = pose_from(transform, '')
            self.frames.hear(transform.child_frame_id, pose, heard_at)
        pose_sense = self._robot.senses.pose
        if pose_sense is not None and not pose_sense.entry.topic and not pose_sense.entry.service:
            self._came(pose_sense, None)

    def _came(self, sense: Sense, message: Any) -> None:
        if not sense.concerns(message):
            return
        self._newest[sense] = (message, self._said_at(sense, message))
        self._heard(sense)
        if sense in self._expected:
            self._expected.discard(sense)
            if not self._expected and not self._all_came.done():
                self._all_came.set_result(None)

    def _said_at(self, sense: Sense, message: Any) -> float:
        """When what a message says was so, by the steady clock, s.

        A message with a stamp may be late; one with the stamp of the last says nothing new. A
        stamp of another clock, and of a message that is kept for latecomers, says nothing.
        """
        now = time.monotonic()
        stamp = getattr(getattr(message, 'header', None), 'stamp', None)
        if stamp is None or sense.entry.latched:
            return now
        clock = self._node.get_clock().now().nanoseconds * 1e-9
        late = clock - stamp.sec - stamp.nanosec * 1e-9
        last, said_at = self._newest.get(sense, (None, now))
        if last is not None and (stamp.sec or stamp.nanosec) and last.header.stamp == stamp:
            return said_at
        return now - late if 0.0 < late <= _LATEST else now

    @property
    def is_told_all(self) -> bool:
        """Whether all that is sensed is told by topics: then nobody has to be asked."""
        return not self._clients and not self._parameters

    def have_all(self) -> bool:
        """Whether every sense has told something."""
        return all(map(self._newest.__contains__, self._robot.senses.all()))

    def told_at(self, sense: Sense) -> float:
        """When a sense told what is newest of it, by the steady clock, s; -inf for never."""
        return self._newest.get(sense, (None, -math.inf))[1]

    def fresh(self, sense: Sense) -> Any:
        """The newest message. :raises SkillError: there is none, or it is too old."""
        message, came_at = self._newest.get(sense, (None, -math.inf))
        age = time.monotonic() - came_at
        if message is None:
            what = 'does not answer' if sense.entry.service else 'has sent nothing yet'
            why = unheard(self._node, sense.entry) if sense.entry.topic else ''
            raise SkillError(why or f'{sense.what} {what}')
        if 0.0 < sense.entry.age < age:
            stamped = ' by its stamps' if hasattr(message, 'header') else ''
            raise SkillError(f'{sense.what} has sent nothing for {age:.1f} s{stamped}')
        return message

    async def hear_anew(self, run: RunningSkill, settle: float) -> None:
        """Wait until everything that is given again and again was given once more."""
        expected = {
            sense
            for sense in self._robot.senses.all()
            if not sense.entry.service
            and not sense.entry.latched
            # What has never come, or not for long, is not waited for.
            and time.monotonic() - self._newest.get(sense, (None, 0.0))[1] < 10 * settle
        }
        if expected and settle > 0.0:
            self._expected, self._all_came = expected, Future()
            await run.wait_for(self._all_came, settle)
            self._expected = set()

    def _rests(self, source: Sense | str, rest: float) -> bool:
        """Whether a source was asked just now; if not, it counts as asked."""
        now = time.monotonic()
        if now - self._asked_at.get(source, -math.inf) < rest:
            return True
        self._asked_at[source] = now
        return False

    async def ask(self, rest: float, surroundings: Surroundings) -> None:
        """Ask the services and parameters.

        :param rest: s; what was asked less long ago, but for the pose, is not asked again.
        """
        await self._ask_services(rest, surroundings)
        await self._ask_parameters(rest)

    async def _ask_services(self, rest: float, surroundings: Surroundings) -> None:
        asked = []
        for sense, client in self._clients.items():
            if sense is not self._robot.senses.pose and self._rests(sense, rest):
                continue
            if not is_served(self._node, client):
                self._newest.pop(sense, None)
            else:
                request = fill(client.srv_type.Request(), sense.send(Filling({}, surroundings)))
                asked.append((sense, client, client.call_async(request)))
        for sense, client, answer in asked:
            if await self.wait_for(answer, sense.entry.within):
                self._newest[sense] = (answer.result(), time.monotonic())
            else:
                client.remove_pending_request(answer)
                self._newest.pop(sense, None)

    async def _ask_parameters(self, rest: float) -> None:
        for node, client in self._parameters.items():
            if self._rests(node, rest):
                continue
            asked = {
                place: entry.parameter.name
                for place, entry in self._robot.file.places.items()
                if entry.parameter is not None and entry.parameter.node == node
            }
            if not is_served(self._node, client):
                continue
            answer = client.call_async(GetParameters.Request(names=list(asked.values())))
            if not await self.wait_for(answer, _PARAMETER):
                client.remove_pending_request(answer)
                continue
            # Where one of them is not declared, there are none.
            for place, value in zip(asked, answer.result().values, strict=False):
                numbers = list(value.double_array_value) or list(value.integer_array_value)
                frame = self._robot.file.places[place].frame
                pose = _pose_of_numbers(frame, [float(part) for part in numbers])
                if pose is not None:
                    self.places[place] = pose

    async def wait_for(self, answer: Future, seconds: float) -> bool:
        """Wait for an answer, s; whether it is there."""
        over: Future = Future(executor=self._node.executor)

        def end(_: Any = None) -> None:
            if not over.done():
                over.set_result(None)

        answer.add_done_callback(end)
        clock = Clock(clock_type=ClockType.STEADY_TIME)
        timer = self._node.create_timer(seconds, end, self._group, clock=clock)
        await over
        self._node.destroy_timer(timer)
        return bool(answer.done())


def _pose_of_numbers(frame: str, numbers: list[float]) -> Pose | None:
    """x, y, yaw, or x, y, z and a quaternion; None for anything else."""
    if len(numbers) == 3:
        return Pose.flat(frame, *numbers)
    return Pose(frame, *numbers) if len(numbers) == 7 else None
