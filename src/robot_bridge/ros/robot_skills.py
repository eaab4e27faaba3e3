"""The skills of a robot, as the action of the bridge asks for them; and the bridge's services."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from typing import Any

from rclpy.callback_groups import CallbackGroup
from rclpy.node import Node
from rclpy.task import Future

from reactree_core.errors import SkillError
from reactree_core.observation import Observation, Outcome, Outline
from reactree_core.ros.conversions import observation_to_message, skills_to_response, stamped
from reactree_core.skill_types import Effect, read_effect, SkillType
from reactree_ros.srv import GetWorldState, ListSkills, ResetWorld
from robot_bridge.applicable import objection_to
from robot_bridge.calls import Call
from robot_bridge.filling import Filling
from robot_bridge.observation_text import observation_of
from robot_bridge.robot import Robot, Skill
from robot_bridge.robot_map import robot_floor
from robot_bridge.ros.calling import CallDoer
from robot_bridge.ros.robot_goals import RobotGoals
from robot_bridge.ros.sensing import Sensing
from skill_server.ros.running_skill import RunningSkill

#: Seconds between two questions to a service or node of the robot for those who look at its map,
#: which they do all the time; a skill waits for none of this.
_REST = 2.0
#: Seconds between two times that it is given how long is still to be waited.
_SHOWN = 1.0
#: Seconds in which goals end that an action of a skill has sent to other actions.
_AFTERWARDS = 1.0
_RESET = 'This is a robot: put things back by hand.'


class RobotSkills:
    """Does the skills of a robot's file: a `SkillDoer`."""

    def __init__(
        self, node: Node, robot: Robot, sensing: Sensing, calls: CallDoer, goals: RobotGoals
    ) -> None:
        self._node = node
        self._robot = robot
        self._sensing = sensing
        self._calls = calls
        self._goals = goals
        #: Skills that were begun since the start.
        self.executed = 0

    @property
    def last(self) -> Observation:
        """What is believed now; a number that has grown old meanwhile is not."""
        self._sensing.note()
        return self._told()

    def sensed(self) -> object:
        """What is believed now, equal to what was before where nothing has changed."""
        now = self.last
        facts = (replace(fact, seen_at=0.0) for fact in now.facts)
        return now.place, now.room, now.held, tuple(facts)

    @property
    def types(self) -> tuple[SkillType, ...]:
        """Skills of the file."""
        return self._robot.vocabulary().skills

    def unchanged(self, skill: str, outcome: Outcome, text: str) -> Observation:
        """Observation of a skill that has not been begun."""
        return self._told(text, outcome, skill)

    def _told(
        self, said: str = '', outcome: Outcome = Outcome.SUCCEEDED, skill: str = ''
    ) -> Observation:
        return observation_of(self._sensing.belief, said, outcome, skill)

    async def perform(self, run: RunningSkill, skill: str) -> Observation:
        """Do a skill until its end; it is not begun where its needs or values are not there."""
        await self._sensing.look()
        things = self._sensing.belief.names
        found, slots, objection = self._robot.find(skill, things)
        if found is None:
            return self.unchanged(skill, Outcome.INVALID_SKILL, objection)
        objection = objection_to(self._sensing.belief, found, slots)
        filling = Filling(slots, self._sensing)
        if not objection:
            objection = _fault_of_values(found, filling)
        if objection:
            return self.unchanged(skill, Outcome.PRECONDITION_FAILED, objection)
        self.executed += 1
        gone = self._sensing.way.length
        belief = self._sensing.belief
        held = list(belief.held)
        run.tell(f'doing {skill}', -1.0)
        outcome, said = await self._do(run, found, filling)
        if run.stopped is None and self._goals.strays:
            # Actions that its own ones have used end a moment later.
            await run.wait_for(Future(), _AFTERWARDS, hopeless=lambda: not self._goals.strays)
        if run.stopped is None:
            wanted = (found, slots) if outcome is Outcome.SUCCEEDED else None
            await self._sensing.settle(run, wanted)
        belief.changed_at = self._sensing.now()
        await self._sensing.look()
        if outcome is Outcome.SUCCEEDED:
            against = belief.did(found, slots)
            if against:
                outcome, said = Outcome.EXECUTION_FAILED, f'{against} {said}'.strip()
            else:
                done = found.done(filling, None) if found.done else f'Done: {skill}.'
                said = ' '.join(filter(None, (done, said, belief.lost(held, found, slots))))
        observation = self._told(said, outcome, skill)
        return replace(observation, distance=self._sensing.way.length - gone)

    async def _do(self, run: RunningSkill, skill: Skill, filling: Filling) -> tuple[Outcome, str]:
        said = []
        for call in skill.calls:
            try:
                if call.step.is_wait:
                    outcome, sentence = await self._wait(run, call, filling)
                else:
                    goal_id = run.handle.goal_id if any(run.handle.request.run_id.uuid) else None
                    outcome, sentence = await self._calls.do(run, call, filling, goal_id)
            except SkillError as error:
                # A pose or value that was there before the first step.
                outcome, sentence = Outcome.EXECUTION_FAILED, str(error)
            except (AssertionError, OverflowError, TypeError, ValueError) as error:
                # What ROS says of a value that its field cannot hold.
                text = f'{call.what} cannot be sent what the skill says: {error}.'
                outcome, sentence = Outcome.EXECUTION_FAILED, text
            if sentence:
                said.append(sentence)
            if outcome is not Outcome.SUCCEEDED:
                if call.number > 1 and outcome is Outcome.PRECONDITION_FAILED:
                    # Steps before it have moved something.
                    outcome = Outcome.EXECUTION_FAILED
                return outcome, ' '.join(said) or f'{call.what} did not do it.'
            if run.stopped is not None:
                return run.stopped, f'It {run.ending} after step {call.number}.'
        return Outcome.SUCCEEDED, ' '.join(said)

    async def _wait(self, run: RunningSkill, call: Call, filling: Filling) -> tuple[Outcome, str]:
        """Wait for a time, or until the senses report a fact."""
        fact = None if call.fact is None else _wanted(call, filling)
        seconds = call.pause(filling) if call.pause else call.step.within or 0.0
        what = f'waiting until {fact.text}' if fact else 'waiting'

        async def look(part: float) -> bool:
            left = (1.0 - part) * seconds
            run.tell(f'{what}: {left:.0f} s left', part if fact is None else -1.0)
            if fact is None:
                return False
            await self._sensing.look(_REST)
            return self._sensing.belief.is_reported(fact)

        if seconds <= 0.0:
            return Outcome.SUCCEEDED, ''
        self._sensing.listen(None if fact is None else run.wake)
        try:
            seen = await run.rest(seconds, _SHOWN, look)
        finally:
            self._sensing.listen(None)
        if run.stopped is not None:
            return run.stopped, f'{_capital(call.what)} {run.ending}.'
        if fact is None or seen:
            return Outcome.SUCCEEDED, ''
        lacks = self._sensing.belief.lacks(fact) or 'No sensor reports it.'
        return Outcome.TIMED_OUT, f'{_capital(call.what)} took {seconds:g} s in vain. {lacks}'


def _wanted(call: Call, filling: Filling) -> Effect:
    """The fact that a step waits for."""
    text = call.step.until
    for slot, value in filling.slots.items():
        text = text.replace(f'<{slot}>', value)
    fact = read_effect(text)
    if fact is None:
        raise SkillError(f'"{text}" cannot be waited for.')
    return fact


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _fault_of_values(skill: Skill, filling: Filling) -> str:
    """Why a message of a skill cannot be filled now; '' when all can."""
    for call in skill.calls:
        try:
            call.send(filling)
        except SkillError as error:
            return str(error)
    return ''


class RobotServices:
    """Services `~/list_skills`, `~/get_world_state` and `~/reset_world` of a robot."""

    def __init__(
        self, node: Node, group: CallbackGroup, robot: Robot, sensing: Sensing, skills: RobotSkills
    ) -> None:
        self._node = node
        self._robot = robot
        self._sensing = sensing
        self._skills = skills
        for kind, name, callback in (
            (ListSkills, '~/list_skills', self._list_skills),
            (GetWorldState, '~/get_world_state', self._get_world_state),
            (ResetWorld, '~/reset_world', self._reset_world),
        ):
            node.create_service(kind, name, callback, callback_group=group)

    async def _list_skills(
        self, request: ListSkills.Request, response: ListSkills.Response
    ) -> ListSkills.Response:
        await self._sensing.look()
        observation = observation_of(self._sensing.belief)
        look = stamped(observation, self._node.get_clock())
        admissible = look.admissible_skills
        vocabulary = self._robot.vocabulary(self._sensing.belief.things)
        return skills_to_response(vocabulary, admissible, admissible, look, response)

    async def _get_world_state(
        self, request: GetWorldState.Request, response: GetWorldState.Response
    ) -> GetWorldState.Response:
        response.scene = self._robot.file.robot
        response.skills_executed = self._skills.executed
        if request.include_graph:
            sensing = self._sensing
            await sensing.look(_REST)
            graph: dict[str, Any] = {'outline': asdict(self._outline())}
            drawn = robot_floor(
                self._robot.file, sensing.belief, sensing.pose_of, sensing.base(), sensing.way
            )
            if drawn is not None:
                graph['floor'] = drawn
            response.graph = json.dumps(graph, separators=(',', ':'))
        return response

    def _reset_world(
        self, request: ResetWorld.Request, response: ResetWorld.Response
    ) -> ResetWorld.Response:
        response.message = _RESET
        response.scene = self._robot.file.robot
        look = observation_of(self._sensing.belief, _RESET)
        response.observation = observation_to_message(stamped(look, self._node.get_clock()))
        return response

    def _outline(self) -> Outline:
        """The robot and its places, with what is there, for people."""
        belief = self._sensing.belief
        parts = [
            Outline(name, ', '.join(belief.states(name)) or 'not known')
            for name in self._robot.file.state.numbers
        ]
        parts += [Outline(f'holds {name}') for name in belief.held_where()]
        for name in self._robot.file.places:
            here = [
                Outline(thing, ', '.join(belief.states(thing)))
                for thing, known in belief.things.items()
                if known.place == name
            ]
            state = 'the robot is here' if name == belief.place else ''
            parts.append(Outline(name, state, bool(state), tuple(here)))
        return Outline(self._robot.file.robot, belief.place, parts=tuple(parts))
