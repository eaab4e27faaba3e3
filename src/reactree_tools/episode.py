"""One task in a simulated world, planned in this process with its memory, up to its score."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from memory_server.episodic.episodic_memory import EpisodicMemory
from memory_server.seed.kept_vectors import KeptVectors
from memory_server.seed.loader import shipped_experiences
from memory_server.store.sqlite_store import SqliteStore
from reactree_core.cancellation import CancelToken
from reactree_core.embedding.registry import choose_embedder, shared_embedder
from reactree_core.errors import ConfigurationError, ReactreeError
from reactree_core.experience import Experience, ExperienceQuery
from reactree_core.observation import Progress
from reactree_core.ports import LanguageModel, Memory
from reactree_core.record.events import Event
from reactree_core.record.outcome import ErrorCode, outcome_of_error, RunOutcome
from reactree_core.record.questions import NOBODY, People
from reactree_core.record.run_settings import Limits
from reactree_core.world import World
from reactree_planner.planners.registry import make_planner
from reactree_planner.planners.team import TeamPlanner
from reactree_planner.planners.try_again import is_better
from reactree_planner.runs.planner import Planner
from reactree_planner.runs.run import carry_out, PlanRun
from reactree_planner.runs.run_ports import Ports
from reactree_planner.runs.settings import PlannerSettings
from sim_bridge.in_process_skill_server import InProcessSkillServer
from sim_bridge.pictures import Cameras, WorldPictures
from sim_bridge.simulated_team import SimulatedTeam
from sim_bridge.worlds.shared_world import Member

_FAILED = RunOutcome(ErrorCode.TASK_FAILED, 'The robot tried and gave up.')


@dataclass(frozen=True)
class Episode:
    """What one task came to.

    :param task_id: e.g. 'setup_table:7'. :param task_type: its family, e.g. 'setup_table'.
    :param progress: how much of the goal held at the end, or at the end of the best of several
        trials; None where the world does not judge.
    :param seconds: wall time. :param team: the robots that did it; None for one robot.
    """

    planner: Planner
    run: PlanRun
    task_id: str
    task_type: str
    outcome: RunOutcome
    progress: Progress | None
    seconds: float
    team: SimulatedTeam | None = None

    @property
    def ended(self) -> str:
        """'success' or 'failure' of the tree, or the error that ended it, e.g. 'step_limit'."""
        if self.outcome.success:
            return 'success'
        if self.outcome.code is ErrorCode.TASK_FAILED:
            return 'failure'
        return self.outcome.code.name.lower()

    @property
    def goal_met(self) -> bool:
        """As the world judges; where it does not, as the planner does."""
        return self.outcome.success if self.progress is None else self.progress.success

    @property
    def worth_keeping(self) -> bool:
        """Whether the goal was met and every node came to its own end."""
        return self.goal_met and self.ended in ('success', 'failure')

    @property
    def tokens(self) -> int:
        """Tokens that the model evaluated or wrote."""
        return self.run.budget.usage.evaluated_tokens + self.run.budget.usage.completion_tokens

    def experiences(self, run_id: str) -> tuple[Experience, ...]:
        """The nodes of the run, in the order they began; the first is the task itself."""
        return self.run.experiences(run_id, self.task_type, self.progress is not None)


def plan_episode(
    world: World,
    model: LanguageModel,
    memory: Memory,
    settings: PlannerSettings,
    limits: Limits,
    planner: str | Planner = 'reactree',
    cancel: CancelToken | None = None,
    watch: Callable[[Event], None] = lambda event: None,
    restart: Callable[[], object] | None = None,
    people: People = NOBODY,
    sentence: str = '',
) -> Episode:
    """Plan the task that a world was reset to; what ends the run early is in the outcome.

    :param world: with a task. :param planner: its name, or one of your own; `team` has all robots
        of the world do it, any other one the first.
    :param watch: called with every event.
    :param restart: resets the world as it was reset for this, for planners that try again.
    :param people: who may be asked. :param sentence: what is said instead of the task's sentence.
    :raises ConfigurationError: no planner has this name, no task is loaded, or the planner is for
        several robots, and there is one.
    """
    task = world.task()
    if task is None:
        raise ConfigurationError('no task is loaded: reset the world with one')
    chosen = make_planner(planner) if isinstance(planner, str) else planner
    team = None
    if chosen.name == TeamPlanner.name:
        if not isinstance(world, Member):
            raise ConfigurationError(
                f'the planner {chosen.name} is for worlds of several robots: household_team, '
                'procworld_team or thor_team'
            )
        team = SimulatedTeam(world.team.members)
    run = PlanRun(
        sentence or task.instruction,
        Ports(
            model,
            team or InProcessSkillServer(world, restart),
            memory,
            shared_embedder,
            people,
            WorldPictures(world) if isinstance(world, Cameras) else None,
        ),
        settings,
        limits,
        cancel if cancel is not None else CancelToken(),
        watch,
    )
    began = time.monotonic()
    try:
        done = carry_out(chosen, run)
        outcome = RunOutcome(ErrorCode.NONE, run.answer) if done else _FAILED
    except ReactreeError as error:
        outcome = outcome_of_error(error)
    progress = world.progress()
    if is_better(run.best, progress):
        progress = run.best
    seconds = time.monotonic() - began
    return Episode(chosen, run, task.task_id, task.task_type, outcome, progress, seconds, team)


class InProcessMemory:
    """Port `Memory`. Keeps nothing by itself: whoever runs tasks decides what is worth keeping.

    :param episodic: where examples come from; None for none.
    """

    def __init__(self, episodic: EpisodicMemory | None = None) -> None:
        self._episodic = episodic

    def retrieve(self, query: ExperienceQuery, cancel: CancelToken) -> tuple[Experience, ...]:
        """Nearest experiences; none without an episodic memory."""
        if self._episodic is None:
            return ()
        return self._episodic.retrieve(query)

    def store(self, experiences: Sequence[Experience], cancel: CancelToken) -> None:
        """Keeps nothing, so that tasks do not depend on their order."""

    def recall(self, object_class: str, sequence: int, cancel: CancelToken) -> str:
        """'' leaves it to the run's own knowledge."""
        return ''


def shipped_memory() -> EpisodicMemory:
    """The shipped examples alone, found by MiniLM.

    :raises ConfigurationError: MiniLM is not installed, or a shipped file is broken.
    """
    embedder, _ = choose_embedder('minilm')
    shipped = shipped_experiences()
    kept = KeptVectors(embedder, (item.goal for item in shipped))
    memory = EpisodicMemory(SqliteStore(None), kept)
    memory.store(shipped)
    return memory
