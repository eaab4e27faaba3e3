"""The newest of what the robot reports: topics, services, TF, and parameters of other nodes."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import Any

from rcl_interfaces.srv import GetParameters
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.clock import Clock, ClockType
from rclpy.event_handler import SubscriptionEventCallbacks
from rclpy.node import Node
from rclpy.task import Future

from reactree_core.errors import SkillError
from reactree_core.ros import qos
from robot_bridge.belief import Belief
from robot_bridge.filling import Filling
from robot_bridge.interface_types import NotReportedError
from robot_bridge.numbers import ReportedNumber
from robot_bridge.poses import FrameTree, Pose
from robot_bridge.reading import pose_from
from robot_bridge.robot import Robot, Skill
from robot_bridge.robot_file import PlaceEntry
from robot_bridge.robot_map import Base, map_frame, Way
from robot_bridge.ros.graph import unheard
from robot_bridge.ros.installed_types import fill, installed_type
from robot_bridge.sensed import Reading
from robot_bridge.senses import (
    EVERYWHERE,
    FactSense,
    HeldSense,
    NumberSense,
    PerceptionSense,
    PlaceSense,
    PoseSense,
    Seen,
    Sense,
    TF_TYPE,
)
from robot_bridge.state_file import FactEntry, PoseEntry
from skill_server.ros.running_skill import RunningSkill

#: Seconds in which what is given at all comes for the first time.
_FIRST = 3.0
#: Seconds between two looks for it.
_PERIOD = 0.1
#: Longest wait for a parameter of another node, s.
_PARAMETER = 0.5
#: Shortest time between two points of the way that the base goes, s.
_FOLLOWING = 0.2


class ToldPlaces:
    """Surroundings of which only the file says: for a dry run without a robot."""

    def __init__(self, robot: Robot) -> None:
        self._robot = robot

    def now(self) -> float:
        """The time of this machine, s."""
        return time.time()

    def pose_of(self, name: str, frame: str = '') -> Pose:
        """Where a place is. :raises SkillError: the file does not say."""
        place = self._robot.file.places.get(name)
        if place is None or place.x is None or frame not in ('', place.frame):
            raise SkillError(
                f'The pose of "{name}" is not in the file: it needs the running robot.'
            )
        return _reported_pose(place)


class Sensing:
    """Hears the senses of a robot and keeps its belief up to date; surroundings of its skills."""

    def __init__(self, node: Node, robot: Robot) -> None:
        self._node = node
        self._group = ReentrantCallbackGroup()
        self._robot = robot
        self._frames = FrameTree()
        self._newest: dict[Sense, tuple[Any, float]] = {}
        self._clients: dict[Sense, Any] = {}
        self._parameters: dict[str, Any] = {}
        #: Service source, or node with parameters -> when it was asked.
        self._asked_at: dict[Sense | str, float] = {}
        self._places: dict[str, Pose] = {}
        self._expected: set[Sense] = set()
        self._all_came = Future()
        #: Told when something has come, but not too often; None: nobody waits.
        self._listener: Callable[[], None] | None = None
        self._listened_at = -math.inf
        self.belief = Belief(robot, self.pose_of)
        #: Where the base went, in the frame of the map.
        self.way = Way()
        self._map_frame = map_frame(robot.file)
        #: Of the base, and when it was given.
        self._base: tuple[Pose, float] | None = None
        self._base_trouble = ''
        self._followed_at = -math.inf
        for sense in robot.senses.all():
            self._open(sense)
        for name, place in robot.file.places.items():
            if place.x is not None:
                self._places[name] = _reported_pose(place)
            if place.parameter is not None and place.parameter.node not in self._parameters:
                # Of this service alone: a robot's policy need not let the bridge set parameters.
                self._parameters[place.parameter.node] = node.create_client(
                    GetParameters,
                    f'{place.parameter.node}/get_parameters',
                    callback_group=self._group,
                )
        if robot.hears_frames:
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
            self._frames.hear(transform.child_frame_id, pose, heard_at)
        pose_sense = self._robot.senses.pose
        if pose_sense is not None and not pose_sense.entry.topic and not pose_sense.entry.service:
            self._came(pose_sense, None)

    def _came(self, sense: Sense, message: Any) -> None:
        if not sense.concerns(message):
            return
        now = time.monotonic()
        self._newest[sense] = (message, now)
        if self._listener is not None and now - self._listened_at >= _FOLLOWING:
            self._listened_at = now
            self._listener()
        if sense is self._robot.senses.pose and now - self._followed_at >= _FOLLOWING:
            self._followed_at = now
            self._follow_base()
        if sense in self._expected:
            self._expected.discard(sense)
            if not self._expected and not self._all_came.done():
                self._all_came.set_result(None)

    @property
    def is_told_all(self) -> bool:
        """Whether all that is sensed is given by topics: then nobody has to be asked."""
        return not self._clients and not self._parameters

    def listen(self, listener: Callable[[], None] | None) -> None:
        """Tell somebody whenever something has come, but not too often; None: nobody."""
        self._listener = listener

    def _follow_base(self) -> None:
        """Note where the base is now, or why that is not known."""
        sense = self._robot.senses.pose
        if sense is None or not self._map_frame:
            return
        try:
            pose = self._frames.pose_in(self._robot_pose(sense), self._map_frame)
            if not pose.is_finite:
                raise SkillError(f'{sense.what} has no finite numbers')
            self._base = pose, self._told_at(sense)
            self._base_trouble = ''
        except (LookupError, SkillError) as error:
            self._base_trouble = str(error)
            return
        self.way.follow(pose.x, pose.y)

    def _told_at(self, sense: PoseSense) -> float:
        entry = sense.entry
        assert isinstance(entry, PoseEntry)
        if not entry.tf:
            return self._newest[sense][1]
        return min(time.monotonic(), self._frames.heard_at(entry.tf, entry.frame))

    def base(self) -> Base:
        """Where the robot's base is, for people."""
        if self._base is None:
            return Base(trouble=self._base_trouble)
        pose, told_at = self._base
        return Base(pose, time.monotonic() - told_at, self._base_trouble)

    # Surroundings of skills --------------------------------------------------------------------

    def now(self) -> float:
        """The time of the node's clock, s."""
        return float(self._node.get_clock().now().nanoseconds * 1e-9)

    def pose_of(self, name: str, frame: str = '') -> Pose:
        """Where a place or thing is. :raises SkillError: that is not known."""
        entry = self._robot.file.places.get(name)
        try:
            if entry is None:
                pose = self.belief.pose_of_thing(name)
            elif entry.tf:
                pose = self._frames.pose_in(Pose(entry.tf), entry.frame)
            elif name in self._places:
                pose = self._places[name]
            elif entry.parameter is not None:
                raise SkillError(
                    f'the parameter {entry.parameter.name} of {entry.parameter.node} is not known'
                )
            else:
                raise SkillError(f'the place "{name}" has no pose')
            return self._frames.pose_in(pose, frame) if frame else pose
        except SkillError as error:
            raise SkillError(f'The pose of "{name}" is not known: {error}') from None

    # Looking -----------------------------------------------------------------------------------

    async def look(self, rest: float = 0.0) -> None:
        """Ask the services and parameters, and take what is newest into the belief.

        :param rest: s; what was asked less long ago, but for the pose, is not asked again.
        """
        await self._ask_services(rest)
        await self._ask_parameters(rest)
        self._follow_base()
        self.belief.learn(self._reading())

    def note(self) -> None:
        """Take what has come meanwhile into the belief; nobody is asked."""
        self.belief.learn(self._reading())

    async def hear_once(self) -> None:
        """Give all that is given time to come once: for a dry run."""
        deadline = time.monotonic() + _FIRST
        while time.monotonic() < deadline:
            await self.look()
            senses = self._robot.senses.all()
            if all(map(self._newest.__contains__, senses)) and all(
                map(self._is_known, self._robot.file.places)
            ):
                return
            await self._wait_for(Future(), _PERIOD)

    def _is_known(self, place: str) -> bool:
        """Whether a place has no pose, or one that is known now."""
        try:
            self.pose_of(place)
        except SkillError:
            return not self._robot.file.places[place].has_pose
        return True

    async def settle(
        self, run: RunningSkill, wanted: tuple[Skill, Mapping[str, str]] | None = None
    ) -> None:
        """Wait a little for what topics report after a skill: what they told before is over.

        :param wanted: skill that was reported as done, and its slots; a sense that says otherwise
            may still change its mind until the time is over.
        """
        settle = self._robot.file.state.settle
        deadline = time.monotonic() + settle
        await self._hear_anew(run, settle)
        while wanted is not None and run.stopped is None:
            await self.look()
            if not self.belief.contradiction(*wanted) or time.monotonic() >= deadline:
                return
            await run.wait_for(Future(), min(_PERIOD, settle), after_all=True)

    async def _hear_anew(self, run: RunningSkill, settle: float) -> None:
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

    async def _ask_services(self, rest: float) -> None:
        asked = []
        for sense, client in self._clients.items():
            if sense is not self._robot.senses.pose and self._rests(sense, rest):
                continue
            if not client.service_is_ready():
                self._newest.pop(sense, None)
            else:
                request = fill(client.srv_type.Request(), sense.send(Filling({}, self)))
                asked.append((sense, client, client.call_async(request)))
        for sense, client, answer in asked:
            if await self._wait_for(answer, sense.entry.within):
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
            if not client.service_is_ready():
                continue
            answer = client.call_async(GetParameters.Request(names=list(asked.values())))
            if not await self._wait_for(answer, _PARAMETER):
                client.remove_pending_request(answer)
                continue
            # Where one of them is not declared, there are none.
            for place, value in zip(asked, answer.result().values, strict=False):
                numbers = list(value.double_array_value) or list(value.integer_array_value)
                frame = self._robot.file.places[place].frame
                pose = _pose_of_numbers(frame, [float(part) for part in numbers])
                if pose is not None:
                    self._places[place] = pose

    async def _wait_for(self, answer: Future, seconds: float) -> bool:
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

    def _reading(self) -> Reading:
        senses = self._robot.senses
        silent: list[tuple[str, str]] = []
        reading = Reading()
        if senses.pose is not None:
            reading.pose = self._read_pose(senses.pose, silent)
        if senses.place is not None:
            reading.place = self._read(senses.place, 'place', silent)
        for sense in senses.held:
            held = self._read(sense, 'held', silent)
            if held is not None:
                reading.held[sense.hand] = held
        if senses.facts:
            reading.seen, reading.whole = self._read_facts(senses.facts, silent)
        for eyes in senses.facts:
            if isinstance(eyes, PerceptionSense):
                with suppress(SkillError):  # it is given among what is silent
                    reading.looked = eyes.looked(self._fresh(eyes))
        for number in senses.numbers:
            reading.numbers[number.name] = self._read_number(number, silent)
        reading.when = time.monotonic()
        reading.silent = tuple(silent)
        return reading

    def _read(self, sense: PlaceSense | HeldSense, what: str, silent: list[Any]) -> Any:
        try:
            return sense.read(self._fresh(sense))
        except (LookupError, SkillError) as error:
            silent.append((what, _why(sense, error)))
            return None

    def _read_number(self, sense: NumberSense, silent: list[Any]) -> ReportedNumber | None:
        try:
            return sense.read(self._fresh(sense), self._newest[sense][1])
        except (LookupError, SkillError) as error:
            silent.append((sense.name, _why(sense, error)))
            return None

    def _read_pose(self, sense: PoseSense, silent: list[Any]) -> Pose | None:
        try:
            return self._robot_pose(sense)
        except (LookupError, SkillError) as error:
            silent.append(('place', _why(sense, error)))
            return None

    def _robot_pose(self, sense: PoseSense) -> Pose:
        """Where the robot is. :raises LookupError, SkillError: that is not given, or too old."""
        entry = sense.entry
        assert isinstance(entry, PoseEntry)
        if entry.tf:
            oldest = time.monotonic() - entry.age if entry.age else -math.inf
            return self._frames.pose_in(Pose(entry.tf), entry.frame, oldest)
        pose = sense.read(self._fresh(sense))
        return self._frames.pose_in(pose, entry.frame) if entry.frame else pose

    def _read_facts(
        self, senses: Iterable[FactSense], silent: list[Any]
    ) -> tuple[tuple[Seen, ...] | None, bool | str]:
        """What is seen, None where nothing says so; and whether that is all there is."""
        seen: list[Seen] | None = None
        whole: bool | str = False
        filling = Filling({}, self)
        for sense in senses:
            try:
                message = self._fresh(sense)
                found = list(sense.read(message, filling, self._newest[sense][1]))
            except (LookupError, SkillError) as error:
                silent.append(('facts', _why(sense, error)))
                continue
            seen = [*(seen or ()), *found]
            assert isinstance(sense.entry, FactEntry)
            if whole != EVERYWHERE:
                whole = sense.entry.whole or whole
        return None if seen is None else tuple(seen), whole

    def _fresh(self, sense: Sense) -> Any:
        """The newest message. :raises SkillError: there is none, or it is too old."""
        message, came_at = self._newest.get(sense, (None, -math.inf))
        age = time.monotonic() - came_at
        if message is None:
            what = 'does not answer' if sense.entry.service else 'has sent nothing yet'
            why = unheard(self._node, sense.entry) if sense.entry.topic else ''
            raise SkillError(why or f'{sense.what} {what}')
        if 0.0 < sense.entry.age < age:
            raise SkillError(f'{sense.what} has sent nothing for {age:.1f} s')
        return message


def _why(sense: Sense, error: Exception) -> str:
    """Why a sense reports nothing, as a clause."""
    return f'{sense.what} {error}' if isinstance(error, NotReportedError) else str(error)


def _reported_pose(place: PlaceEntry) -> Pose:
    x, y = place.x or 0.0, place.y or 0.0
    if place.orientation is not None:
        return Pose(place.frame, x, y, place.z, *place.orientation)
    return Pose.flat(place.frame, x, y, place.yaw, place.z)


def _pose_of_numbers(frame: str, numbers: list[float]) -> Pose | None:
    """x, y, yaw, or x, y, z and a quaternion; None for anything else."""
    if len(numbers) == 3:
        return Pose.flat(frame, *numbers)
    return Pose(frame, *numbers) if len(numbers) == 7 else None
