"""Runs of a team in a simulated household, for tests: whole, with robots lost, and interrupted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from reactree_core.cancellation import CancelToken
from reactree_core.chain_link import ChainLink
from reactree_core.observation import Observation
from reactree_core.record.events import Decision, DecisionKind, Event
from reactree_core.record.journal import decode_record, encode_record, Record
from reactree_core.record.run_settings import Limits
from reactree_planner.llm.without_model import load_without_model
from reactree_planner.planners.registry import carry_out, make_planner
from reactree_planner.resume.logged_model import LoggedModel
from reactree_planner.resume.logged_ports import LoggedMemory
from reactree_planner.resume.logged_team import LoggedTeam
from reactree_planner.resume.run_log import RunLog
from reactree_planner.runs.presets import settings_of_preset
from reactree_planner.runs.run import PlanRun
from reactree_planner.runs.run_ports import Ports
from reactree_tools.episode import InProcessMemory
from sim_bridge.simulated_team import SimulatedTeam
from sim_bridge.worlds.household.team import RobotLimits, TeamHome

TWO = ('robot_1', 'robot_2')


class Crash(BaseException):
    """The planner is killed here."""


@dataclass
class TeamTrial:
    """A home, its robots and what was written down of their work."""

    scene: str
    task: str
    seed: int = 0
    robots: Sequence[str] = TWO
    limits: Mapping[str, RobotLimits] = field(default_factory=dict)
    sentence: str = ''
    records: list[Record] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.home = TeamHome(self.robots, self.limits)
        self.home.reset(self.scene, self.task, self.seed)
        self.skills = SimulatedTeam(self.home.members)

    def run(
        self,
        see: Callable[[Event], None] = lambda event: None,
        resumes: bool = False,
        model: str = 'none',
    ) -> tuple[bool, PlanRun]:
        """Plan to the end, or from where the records end. :param see: told of every event."""

        def write(record: Record) -> ChainLink | None:
            # As a file would have it.
            self.records.append(decode_record(encode_record(record)))
            return None

        def watch(event: Event) -> None:
            self.events.append(event)
            see(event)

        past = tuple(self.records) if resumes else ()
        log = RunLog(write, past)
        self.events.clear()
        loaded = self.home.home.task()
        run = PlanRun(
            self.sentence or loaded.instruction,
            Ports(
                LoggedModel(load_without_model(model), log),
                LoggedTeam(self.skills, log),
                LoggedMemory(InProcessMemory(), log),
            ),
            settings_of_preset('default', 'team'),
            Limits(decisions=2000, steps=1000),
            CancelToken(),
            watch,
            log=log,
        )
        return carry_out(make_planner('team'), run), run

    @property
    def is_met(self) -> bool:
        """Whether the world holds the task for done."""
        progress = self.home.home.progress()
        return progress is not None and progress.success

    @property
    def sent(self) -> list[tuple[str, str]]:
        """Robot and skill of every act that was answered, in the order of the record."""
        acts = {
            one.sequence: one
            for one in self.events
            if isinstance(one, Decision) and one.kind is DecisionKind.ACT
        }
        answered = [
            one for one in self.events if isinstance(one, Observation) and one.sequence in acts
        ]
        return [(acts[one.sequence].who, acts[one.sequence].skill) for one in answered]
