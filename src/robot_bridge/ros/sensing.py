"""A robot's belief, kept up to date from its senses; the surroundings of its skills."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping

from rclpy.node import Node
from rclpy.task import Future

from reactree_core.errors import SkillError
from robot_bridge.belief import Belief
from robot_bridge.filling import Filling
from robot_bridge.interface_types import NotReportedError
from robot_bridge.poses import Pose
from robot_bridge.robot import Robot, Skill
from robot_bridge.robot_map import Base, map_frame, Way
from robot_bridge.ros.sources import Sources
from robot_bridge.sources import HERE, Reading, Sense
from robot_bridge.state_file import PoseEntry
from skill_server.ros.running_skill import RunningSkill

#: Seconds in which what is given at all comes for the first time.
_FIRST = 3.0
#: Seconds between two looks for it.
_PERIOD = 0.1
#: Shortest time between two points of the way that the base goes, s.
_FOLLOWING = 0.2


class Sensing:
    """Belief of a robot, kept up to date from its senses; surroundings of its skills.

    :param notify: called once with each sentence about a report that cannot be; None: the log.
    """

    def __init__(
        self, node: Node, robot: Robot, notify: Callable[[str], None] | None = None
    ) -> None:
        self._node = node
        self._robot = robot
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
        self._notify = notify or node.get_logger().warning
        #: Faults of reports that have been said.
        self._noticed: set[str] = set()
        self._sources = Sources(node, robot, self._came)
        self._sources.open()

    def _came(self, sense: Sense) -> None:
        now = time.monotonic()
        if self._listener is not None and now - self._listened_at >= _FOLLOWING:
            self._listened_at = now
            self._listener()
        if sense is self._robot.senses.pose and now - self._followed_at >= _FOLLOWING:
            self._followed_at = now
            self._follow_base()

    @property
    def is_told_all(self) -> bool:
        """Whether all that is sensed is given by topics: then nobody has to be asked."""
        return self._sources.is_told_all

    def listen(self, listener: Callable[[], None] | None) -> None:
        """Tell somebody whenever something has come, but not too often; None: nobody."""
        self._listener = listener

    def _follow_base(self) -> None:
        """Note where the base is now, or why that is not known."""
        sense = self._robot.senses.pose
        if sense is None or not self._map_frame:
            return
        try:
            pose = self._sources.frames.pose_in(self._robot_pose(sense), self._map_frame)
            if not pose.is_finite:
                raise SkillError(f'{sense.what} has no finite numbers')
            self._base = pose, self._told_at(sense)
            self._base_trouble = ''
        except (LookupError, SkillError) as error:
            self._base_trouble = str(error)
            return
        self.way.follow(pose.x, pose.y)

    def _told_at(self, sense: Sense[PoseEntry]) -> float:
        entry = sense.entry
        if not entry.tf:
            return self._sources.told_at(sense)
        return min(time.monotonic(), self._sources.frames.heard_at(entry.tf, entry.frame))

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

    def reported(self, name: str) -> str:
        """The name under which the robot reports a thing."""
        return self.belief.reported(name)

    def pose_of(self, name: str, frame: str = '') -> Pose:
        """Where a place or thing is. :raises SkillError: that is not known."""
        entry = self._robot.file.places.get(name)
        try:
            if entry is None:
                pose = self.belief.pose_of_thing(name)
            elif entry.tf:
                pose = self._sources.frames.pose_in(Pose(entry.tf), entry.frame)
            elif name in self._sources.places:
                pose = self._sources.places[name]
            elif entry.parameter is not None:
                raise SkillError(
                    f'the parameter {entry.parameter.name} of {entry.parameter.node} is not known'
                )
            else:
                raise SkillError(f'the place "{name}" has no pose')
            return self._sources.frames.pose_in(pose, frame) if frame else pose
        except SkillError as error:
            raise SkillError(f'The pose of "{name}" is not known: {error}') from None

    # Looking -----------------------------------------------------------------------------------

    async def look(self, rest: float = 0.0) -> None:
        """Ask the services and parameters, and take what is newest into the belief.

        :param rest: s; what was asked less long ago, but for the pose, is not asked again.
        """
        await self._sources.ask(rest, self)
        self._follow_base()
        self._learn()

    def note(self) -> None:
        """Take what has come meanwhile into the belief; nobody is asked."""
        self._learn()

    async def hear_once(self) -> None:
        """Give all that is given time to come once: for a dry run."""
        deadline = time.monotonic() + _FIRST
        while time.monotonic() < deadline:
            await self.look()
            if self._sources.have_all() and all(map(self._is_known, self._robot.file.places)):
                return
            await self._sources.wait_for(Future(), _PERIOD)

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
        self.belief.acted_at = time.monotonic()
        settle = self._robot.file.state.settle
        deadline = time.monotonic() + settle
        await self._sources.hear_anew(run, settle)
        await self._look_around_anew(run)
        while wanted is not None and run.stopped is None:
            await self.look()
            if not self.belief.contradiction(*wanted) or time.monotonic() >= deadline:
                return
            await run.wait_for(Future(), min(_PERIOD, settle), after_all=True)

    async def _look_around_anew(self, run: RunningSkill) -> None:
        """Wait for sources of "here": their earlier reports are of another place.

        A source with an age is given again within that.
        """
        acted_at = self.belief.acted_at
        for sense in self._robot.senses.facts:
            entry = sense.entry
            deadline = acted_at + entry.age
            while (
                (entry.whole or entry.place == HERE)
                and entry.topic
                and not entry.latched
                and run.stopped is None
                and acted_at - entry.age < self._sources.told_at(sense) < acted_at
                and time.monotonic() < deadline
            ):
                await run.wait_for(Future(), _PERIOD, after_all=True)

    def _reading(self) -> Reading:
        reading = Reading(when=time.monotonic(), now=self.now())
        filling = Filling({}, self)
        for sense in self._robot.senses.all():
            try:
                if sense is self._robot.senses.pose:
                    sense.report(reading, self._robot_pose(sense), filling, reading.when)
                else:
                    message = self._sources.fresh(sense)
                    sense.report(reading, message, filling, self._sources.told_at(sense))
            except (LookupError, SkillError) as error:
                reading.miss(sense, _why(sense, error))
        return reading

    def _learn(self) -> None:
        """Take what is newest into the belief, and say once what is wrong with it."""
        self.belief.learn(self._reading())
        for what, sentence in self.belief.notices.items():
            if what not in self._noticed:
                self._noticed.add(what)
                self._notify(sentence)

    def _robot_pose(self, sense: Sense[PoseEntry]) -> Pose:
        """Where the robot is. :raises LookupError, SkillError: that is not given, or too old."""
        entry = sense.entry
        if entry.tf:
            oldest = time.monotonic() - entry.age if entry.age else -math.inf
            return self._sources.frames.pose_in(Pose(entry.tf), entry.frame, oldest)
        pose = sense.read(self._sources.fresh(sense))
        return self._sources.frames.pose_in(pose, entry.frame) if entry.frame else pose


def _why(sense: Sense, error: Exception) -> str:
    """Why a sense reports nothing, as a clause."""
    return f'{sense.what} {error}' if isinstance(error, NotReportedError) else str(error)
