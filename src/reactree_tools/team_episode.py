"""One task for several robots in a simulated home, planned in this process.

episode = TeamEpisode('generated:3', 'generated:3', 3, ('robot_1', 'robot_2'))
success = episode.run()
print(episode.progress, episode.makespan)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, InitVar

from reactree_core.cancellation import CancelToken
from reactree_core.embedding.registry import shared_embedder
from reactree_core.errors import ConfigurationError
from reactree_core.observation import Progress
from reactree_core.ports import LanguageModel
from reactree_core.record.events import Event
from reactree_core.record.journal_lines import decode_record, encode_record, Record
from reactree_core.record.run_settings import Limits
from reactree_core.record.utterances import Listening, SILENCE
from reactree_planner.llm.without_model import load_without_model, NONE
from reactree_planner.planners.team import TeamPlanner
from reactree_planner.resume.logged_model import LoggedModel
from reactree_planner.resume.logged_ports import LoggedMemory
from reactree_planner.resume.logged_team import LoggedTeam
from reactree_planner.resume.run_log import RunLog
from reactree_planner.runs.presets import settings_of_preset
from reactree_planner.runs.run import carry_out, PlanRun
from reactree_planner.runs.run_ports import Ports
from reactree_planner.runs.standing import NO_WAITS, Waits
from reactree_tools.episode import InProcessMemory
from sim_bridge.simulated_team import Duration, one_each, SimulatedTeam
from sim_bridge.worlds.household.scoring import Goal
from sim_bridge.worlds.household.team import RobotLimits, TeamHome

#: A team decides more often than one robot, because each of its robots is told of.
LIMITS = Limits(decisions=2000, steps=1000)


@dataclass
class TeamEpisode:
    """A home, its robots, and what was written down of their work.

    :param scene: as of the household's `reset`, and so :param task: and :param seed:.
    :param limits: of robots that cannot do all. :param sentence: in place of the task's own.
    :param goal: conditions in place of the task's own, e.g. {'on_plate_kitchentable': 1}.
    :param duration: of skills. :param model: None: none is there.
    :param said: what people say while it is under way.
    :param waits: how long it may wait.
    :param within: a home in place of one with these robots and limits.
    """

    scene: str
    task: str = ''
    seed: int = 0
    robots: Sequence[str] = ('robot_1', 'robot_2')
    limits: Mapping[str, RobotLimits] = field(default_factory=dict)
    sentence: str = ''
    goal: Mapping[str, int] = field(default_factory=dict)
    duration: Duration = one_each
    model: LanguageModel | None = None
    said: Listening = SILENCE
    waits: Waits = NO_WAITS
    within: InitVar[TeamHome | None] = None

    def __post_init__(self, within: TeamHome | None) -> None:
        """:raises ConfigurationError: the home cannot be loaded, or there is no task."""
        self.home = within or TeamHome(self.robots, self.limits)
        self.home.reset(self.scene, self.task, self.seed)
        self.skills = SimulatedTeam(self.home.members, self.duration)
        loaded = self.home.home.task()
        if not self.sentence and loaded is None:
            raise ConfigurationError('there is no task: name one, or write a sentence')
        self.sentence = self.sentence or loaded.instruction
        #: The run, as far as it has come; its events, and the records of which it can go on.
        self.plan: PlanRun | None = None
        self.events: list[Event] = []
        self.records: list[Record] = []

    def run(
        self, see: Callable[[Event], None] = lambda event: None, resumes: bool = False
    ) -> bool:
        """Plan to the end, or from where the records end; True for success.

        :param see: called with every event.
        :raises ReactreeError: whatever ended the run early.
        """
        past = tuple(self.records) if resumes else ()

        def write(record: Record) -> None:
            # As a file would have it.
            self.records.append(decode_record(encode_record(record)))

        def watch(event: Event) -> None:
            self.events.append(event)
            see(event)

        log = RunLog(write, past)
        self.events.clear()
        self.plan = PlanRun(
            self.sentence,
            Ports(
                LoggedModel(self.model or load_without_model(NONE), log),
                LoggedTeam(self.skills, log),
                LoggedMemory(InProcessMemory(), log),
                shared_embedder,
                said=self.said,
            ),
            settings_of_preset('default', TeamPlanner.name),
            LIMITS,
            CancelToken(),
            watch,
            log=log,
            waits=self.waits,
        )
        return carry_out(TeamPlanner(), self.plan)

    @property
    def progress(self) -> Progress | None:
        """How much of the goal holds in the world."""
        if self.goal:
            return Goal(self.goal, self.home.home.state.graph).progress()
        return self.home.home.progress()

    @property
    def is_met(self) -> bool:
        """Whether the world holds the task for done."""
        return self.progress is not None and self.progress.success

    @property
    def makespan(self) -> float:
        """When the last skill ended."""
        return self.skills.now

    @property
    def idle_share(self) -> float:
        """The share of the robots' time in which they did nothing, 0..1."""
        return self.skills.idle_share
