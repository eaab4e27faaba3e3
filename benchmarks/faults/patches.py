"""Programs changed from outside before they start: strange skill servers, and faults of our own.

The first are faults that rows are about. The second are the mutations: with one of them a row must
not hold, or it would show nothing. The nodes know nothing of either.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any

PATCHES: dict[str, Callable[..., None]] = {}
#: Seconds by which a late result is late.
LATE = 2.5
LOUD = 5_000_000
CROWD = 10_000


def patch(function: Callable[..., None]) -> Callable[..., None]:
    """Makes a function known by its name."""
    PATCHES[function.__name__] = function
    return function


def apply(name: str) -> None:
    """Change this process. :param name: of PATCHES, with what it needs after a colon."""
    name, _, argument = name.partition(':')
    PATCHES[name](*([argument] if argument else []))


def change(owner: Any, **new: Any) -> None:
    """Put other values into a class or module."""
    for name, value in new.items():
        setattr(owner, name, value)


# Skill servers that do what they should not -------------------------------------------------


@patch
def strange_results(mood: str) -> None:
    """Results of skills that are late, large, or not of their goal.

    :param mood: file that says how, now; '' or none for as it should be.
    """
    from unique_identifier_msgs.msg import UUID

    from reactree_ros.msg import Observation
    from sim_bridge.ros.world_skills import WorldSkills
    from skill_server.ros import skill_action

    honest, perform = vars(skill_action)['observation_to_message'], WorldSkills.perform
    file = Path(mood)

    def now() -> str:
        return file.read_text() if file.exists() else ''

    def answer(observation: Any, run_id: str) -> Any:
        message = honest(observation, run_id)
        match now():
            case 'another run':
                message.run_id = UUID(uuid=[7] * 16)
            case 'no run':
                message.run_id = UUID()
            case 'another number':
                message.sequence += 1
            case 'another skill':
                message.skill = 'go to the moon'
            case 'no text':
                message.text = ' '
            case 'no such outcome':
                message.outcome = 42
            case 'the outcome of a lost bridge':
                message.outcome = Observation.OUTCOME_BRIDGE_LOST
            case 'loud':
                message.text = 'A long shelf. ' * (LOUD // 14)
            case 'crowded':
                shelves = [f'go to shelf {number}' for number in range(CROWD)]
                message.admissible_skills = [*message.admissible_skills, *shelves]
        return message

    async def late(self: Any, run: Any, skill: str) -> Any:
        observation = await perform(self, run, skill)
        if now() == 'late':
            over: Future[None] = Future()
            threading.Timer(LATE, over.set_result, (None,)).start()
            await run.wait_for(over, after_all=True)
        return observation

    change(skill_action, observation_to_message=answer)
    change(WorldSkills, perform=late)


# Faults of our own: the planner -------------------------------------------------------------


@patch
def liveliness_unheard() -> None:
    """The planner does not hear that the bridge is gone."""
    from reactree_planner.ros.skill_client import RosSkillServer

    change(RosSkillServer, _on_liveliness=lambda self, event: None)


@patch
def lost_for_good() -> None:
    """The planner does not hear that the bridge is back."""
    from reactree_planner.ros.skill_client import RosSkillServer

    heard = RosSkillServer._on_liveliness

    def on_status(self: Any, message: Any) -> None:
        self.status = message

    def on_liveliness(self: Any, event: Any) -> None:
        was = self._lost.is_set()
        heard(self, event)
        if was:
            self._lost.set()

    change(RosSkillServer, _on_status=on_status)
    change(RosSkillServer, _on_liveliness=on_liveliness)


@patch
def memory_needed() -> None:
    """A run ends with an error when the memory does not answer."""
    from reactree_core.errors import MemoryStoreError
    from reactree_planner.ros.memory_client import RosMemory

    ask = RosMemory._ask

    def demand(self: Any, *arguments: Any) -> Any:
        answer = ask(self, *arguments)
        if answer is None:
            raise MemoryStoreError('The memory does not answer.')
        return answer

    change(RosMemory, _ask=demand)


@patch
def memory_unmissed() -> None:
    """A run does not say that the memory was gone."""
    from reactree_planner.ros.node import PlannerNode

    change(PlannerNode, _notice=lambda self, text: None)


@patch
def past_forgotten() -> None:
    """A resumed run begins anew, under its old id."""
    from dataclasses import replace

    from reactree_planner.ros import run_worker

    read: Any = vars(run_worker)['read_past']
    change(run_worker, read_past=lambda *arguments: replace(read(*arguments), records=()))


@patch
def cancel_unheeded() -> None:
    """A cancel is accepted, and the run goes on."""
    from reactree_planner.ros.node import PlannerNode

    change(PlannerNode, _cancel=lambda self, handle: None)


@patch
def everybody_accepted() -> None:
    """A goal is accepted although another one runs."""
    from rclpy.action import GoalResponse

    from reactree_planner.ros.node import PlannerNode

    change(PlannerNode, _accept=lambda self, goal: GoalResponse.ACCEPT)


@patch
def skills_wait_for_ever() -> None:
    """The longest time of a skill is not kept."""
    from dataclasses import replace

    from reactree_planner.ros import node

    kept: Any = vars(node)['deadlines_of']
    change(node, deadlines_of=lambda values: replace(kept(values), skill=3600.0))


@patch
def results_believed() -> None:
    """Whatever answers a skill counts as its result."""
    from reactree_core.observation import Observation, Outcome
    from reactree_planner.ros import skill_client

    def believe(goal: Any, message: Any) -> Observation:
        skills = tuple(message.admissible_skills)
        return Observation(message.text, Outcome.SUCCEEDED, goal.skill, admissible_skills=skills)

    change(skill_client, _checked_result=believe)


@patch
def texts_unbounded() -> None:
    """What a skill server says is taken as long as it is."""
    from reactree_core import foreign_text
    from reactree_core.ros import conversions

    for module in (foreign_text, conversions):
        change(module, OBSERVATION_LIMIT=10**9)


@patch
def lists_unbounded() -> None:
    """What a skill server lists is taken whole."""
    from reactree_core import foreign_text
    from reactree_core.ros import conversions

    for module in (foreign_text, conversions):
        change(module, LIST_LIMIT=10**9)


@patch
def events_once() -> None:
    """Events go out once, whether they arrive or not."""
    from rclpy.qos import ReliabilityPolicy

    from reactree_core.ros import qos

    kept = qos.kept_events

    def unreliable() -> Any:
        profile = kept()
        profile.reliability = ReliabilityPolicy.BEST_EFFORT
        return profile

    change(qos, kept_events=unreliable)


@patch
def journal_silent() -> None:
    """What the journal does not take is not missed."""
    from reactree_core.errors import JournalError
    from reactree_core.record.journal import Journal

    make, append = Journal.__init__, Journal.append

    def begin(self: Any, directory: Path, run_id: str) -> None:
        try:
            make(self, directory, run_id)
        except JournalError:
            self._file = None

    def write(self: Any, record: Any) -> None:
        try:
            append(self, record)
        except JournalError:
            return

    change(Journal, __init__=begin)
    change(Journal, append=write)


@patch
def events_remembered() -> None:
    """The planner keeps 500 kB of every event."""
    from reactree_planner.ros.run_topics import RunTopics

    publish, kept = RunTopics.publish, []

    def keep(self: Any, *arguments: Any) -> None:
        kept.append(b'x' * 500_000)
        publish(self, *arguments)

    change(RunTopics, publish=keep)


# The model's client --------------------------------------------------------------------------


@patch
def servers_waited_for() -> None:
    """A model server has all the time and tries it wants."""
    from reactree_core.http_client import HttpLimits

    make = HttpLimits.__init__

    def patient(self: Any, connect: float, read: float, total: float, *rest: Any) -> None:
        make(self, connect, 600.0, 600.0, 20, 1.0, *rest[2:])

    change(HttpLimits, __init__=patient)


@patch
def answers_unread() -> None:
    """Whatever goes wrong with a request counts as an empty answer."""
    from reactree_core.errors import ModelError
    from reactree_planner.llm.openai_server.connection import ServerConnection

    request = ServerConnection._request

    def anyhow(self: Any, *arguments: Any) -> Any:
        try:
            return request(self, *arguments)
        except ModelError:
            return {'choices': [{'text': ' '}], 'content': ' ', 'data': [{'id': 'tiny'}]}

    change(ServerConnection, _request=anyhow)


@patch
def lengths_unnoticed() -> None:
    """A prompt that is too long is a refusal like any other."""
    from reactree_planner.llm.openai_server import connection

    change(connection, _TOO_LONG=())


# Faults of our own: bridge, memory, recorder, all nodes --------------------------------------


@patch
def skills_done_twice() -> None:
    """The bridge does every skill twice."""
    from skill_server.ros.skill_action import SkillAction

    permitted = SkillAction._permitted

    async def twice(self: Any, run: Any, goal: Any, run_id: str) -> Any:
        first = await permitted(self, run, goal, run_id)
        self._node.get_logger().debug(f'run {run_id} number {goal.sequence}: {goal.skill}')
        await permitted(self, run, goal, run_id)
        return first

    change(SkillAction, _permitted=twice)


@patch
def stored_untruly() -> None:
    """The memory says that it stored what it has not."""
    from memory_server.episodic.episodic_memory import EpisodicMemory, Stored

    def store(self: Any, experiences: Any, *arguments: Any) -> Stored:
        return Stored(len(experiences), 0)

    change(EpisodicMemory, store=store)


@patch
def recorder_breaks() -> None:
    """The recorder ends with the first thing that it cannot write."""
    from reactree_tools.recording.ros.node import RecorderNode

    def record(self: Any, step: Any, last: bool = False) -> None:
        with self._lock:
            if not self._stopped:
                self._stopped = last
                step(self._bags)

    change(RecorderNode, _record=record)


@patch
def effects_overwrite_senses() -> None:
    """The bridge takes effects of skills whatever its senses tell."""
    from robot_bridge.belief import Belief

    def did(self: Any, skill: Any, slots: Any) -> str:
        from robot_bridge.robot import with_values

        for effect in skill.type.facts:
            self._assume(with_values(effect, slots), skill.entry.hand)
        return ''

    change(Belief, did=did, contradiction=lambda *_: '', lost=lambda *_: '')


@patch
def bounds_unheeded() -> None:
    """Every number is within the bounds of its slot."""
    from reactree_core.bounds import Bounds

    change(Bounds, takes=lambda self, number: True)


@patch
def classes_unheeded() -> None:
    """Every name is of every class."""
    from reactree_core import skill_types

    change(skill_types, is_of_class=lambda name, wanted: True)


@patch
def sums_forgotten() -> None:
    """What an hour has added up is forgotten at once."""
    from reactree_core.permission.spending import Ledger

    change(Ledger, summed=lambda self: {})


@patch
def orphans_left() -> None:
    """The bridge of a robot takes no notice of goals that no skill of its own waits for."""
    from robot_bridge.ros.robot_goals import RobotGoals

    change(RobotGoals, cancel_all=lambda self, patience=0.0: None, _tell=lambda self, action: None)
    change(RobotGoals, _ask=lambda self, action, goal: None)


@patch
def stops_believed() -> None:
    """The bridge says that a robot has stopped without a look."""
    from robot_bridge.ros.robot_goals import RobotGoals

    change(RobotGoals, moving=lambda self: [])


@patch
def signals_unheard() -> None:
    """The bridge of a robot hears neither its emergency stop nor its mode."""
    from robot_bridge.signals import Signals, SignalsMaker

    change(SignalsMaker, signals=lambda self: Signals())


@patch
def servers_unmissed() -> None:
    """The bridge of a robot does not look whether its servers are there."""
    from robot_bridge.ros.calling import CallDoer

    change(CallDoer, absent=lambda self: [])


@patch
def words_guessed() -> None:
    """The planner takes an unknown word for the first name that there is."""
    from reactree_planner.reading.nouns import Likeness
    from reactree_planner.reading.vocabulary import ServerWords

    def guess(self: ServerWords, words: str) -> dict[str, Likeness]:
        del words
        return {self.names[0]: Likeness.SAME}

    change(ServerWords, like=guess)


@patch
def ends_assumed() -> None:
    """The planner takes a skill for ended that was told to end."""
    from reactree_planner.ros.skill_client import RosSkillServer

    change(RosSkillServer, settle=lambda self, cancel, fresh=False: None)


@patch
def stops_unheeded() -> None:
    """The planner heeds neither the stop of a robot nor a cancel."""
    from reactree_planner.ros.node import PlannerNode
    from reactree_planner.ros.skill_client import RosSkillServer
    from reactree_planner.ros.watched_stop import WatchedStop

    change(PlannerNode, _cancel=lambda self, handle: None)
    change(WatchedStop, _press=lambda self, *arguments, **named: None)
    change(RosSkillServer, _check_status=lambda self: None)


@patch
def stops_forgotten() -> None:
    """A planner that comes up goes on with its run, whoever has stopped the robot meanwhile."""
    from reactree_planner.ros.skill_client import RosSkillServer
    from reactree_planner.ros.team_client import RosTeam

    for kind in (RosSkillServer, RosTeam):
        change(kind, stopped_since=lambda self, at: None)
    change(RosSkillServer, stopped=None)


@patch
def stops_only_said() -> None:
    """The command that stops says that all robots have stopped, and does nothing."""
    from reactree_tools.commands import stop
    from reactree_tools.exit_codes import ExitCode

    def run(arguments: Any) -> ExitCode:
        print(f'{arguments.namespace} has stopped.')
        return ExitCode.OK

    change(stop, run=run)


@patch
def names_free() -> None:
    """A node does not look whether its name is another's."""
    from reactree_core.ros.node_name import NodeName

    def make(self: Any, node: Any) -> None:
        self.trouble = ''

    change(NodeName, __init__=make)
    change(NodeName, close=lambda self: None)


@patch
def ends_unheeded() -> None:
    """A node goes on when it is told to end."""
    from reactree_core.ros import spinning

    def has_ended(end: int) -> bool:
        time.sleep(spinning.NAME_POLL)
        return False

    change(spinning, _has_ended=has_ended)
