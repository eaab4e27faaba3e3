"""One seeded task in a home no file contains, from reset to score."""

from __future__ import annotations

import time
from collections.abc import Callable
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import fields
from dataclasses import replace

from memory_server.embedding.choice import choose_embedder
from memory_server.episodic.episodic_memory import EpisodicMemory
from memory_server.seed.loader import shipped_experiences
from memory_server.store.sqlite_store import SqliteStore
from reactree_core.cancellation import CancelToken
from reactree_core.errors import ReactreeError
from reactree_core.experience import Experience
from reactree_core.observation import Observation
from reactree_core.ports import LanguageModel
from reactree_planner.planners.outcome import outcome_of_error
from reactree_planner.planners.registry import make_planner
from reactree_planner.planners.run import PlanRun
from reactree_planner.planners.run import Ports
from reactree_planner.planners.settings import Guards
from reactree_planner.planners.settings import PlannerSettings
from reactree_planner.tree.events import Event
from reactree_planner.tree.limits import Limits
from sim_bridge.in_process import InProcessSkillServer
from sim_bridge.tasks import FAMILIES
from sim_bridge.worlds import make_world


class ShippedMemory:
    """Port `Memory` over the shipped examples alone: every task starts from the same memory."""

    def __init__(self) -> None:
        embedder, _ = choose_embedder('minilm')
        self._memory = EpisodicMemory(SqliteStore(None), embedder)
        self._memory.store(shipped_experiences())

    def retrieve(
        self, goal: str, token_budget: int, limit: int, seed: int, cancel: CancelToken
    ) -> tuple[Experience, ...]:
        """Nearest experiences."""
        return self._memory.retrieve(goal, token_budget or 1_000_000, limit, seed)

    def store(self, experiences: Sequence[Experience], cancel: CancelToken) -> None:
        """Keeps nothing, so that tasks do not depend on their order."""

    def update_working(self, observation: Observation) -> None:
        """The run's own knowledge suffices."""

    def recall(self, object_class: str, cancel: CancelToken) -> str:
        """Left to the run's own knowledge."""
        return ''


@dataclass(frozen=True, slots=True)
class EpisodeResult:
    """What one task came to; a line of the results file."""

    variant: str
    model: str
    scene: str
    task: str
    instruction: str
    success: bool
    met: int
    total: int
    ended: str
    decisions: int
    steps: int
    nodes: int
    seconds: float
    evaluated_tokens: int
    cached_tokens: int
    completion_tokens: int

    @property
    def subgoal_rate(self) -> float:
        """SSR of the task, 0..1."""
        return self.met / self.total if self.total else 1.0


def guards_of_variant(variant: str) -> Guards:
    """'full', 'published' (no guard), or 'no-<guard>' with dashes for underscores.

    :raises ValueError: no such variant.
    """
    if variant == 'full':
        return Guards()
    if variant == 'published':
        return Guards.none()
    name = variant.removeprefix('no-').replace('-', '_')
    if not variant.startswith('no-') or name not in {field.name for field in fields(Guards)}:
        raise ValueError(f'there is no variant "{variant}": use full, published or no-<guard>')
    return replace(Guards(), **{name: False})


def seeded_tasks(count: int, first_seed: int) -> tuple[tuple[str, str, int], ...]:
    """(scene, task, seed) for `count` tasks, over the families in turn."""
    return tuple(
        (
            f'generated:{first_seed + index}',
            f'{FAMILIES[index % len(FAMILIES)]}:{first_seed + index}',
            first_seed + index,
        )
        for index in range(count)
    )


def run_episode(
    scene: str,
    task: str,
    seed: int,
    variant: str,
    model: LanguageModel,
    memory: ShippedMemory,
    limits: Limits,
    watch: Callable[[Event], None] = lambda event: None,
) -> EpisodeResult:
    """Plan one task to its end and score it as WAH-NL does."""
    world = make_world('household')
    world.reset(scene, task, seed)
    instruction = world.task().instruction
    settings = PlannerSettings(guards=guards_of_variant(variant))
    run = PlanRun(
        instruction,
        Ports(model, InProcessSkillServer(world), memory),
        settings,
        limits,
        CancelToken(),
        watch,
    )
    began = time.monotonic()
    try:
        ended = 'success' if make_planner('reactree').run(run) else 'failure'
    except ReactreeError as error:
        ended = outcome_of_error(error).code.name.lower()
    progress = world.progress()
    assert progress is not None
    return EpisodeResult(
        variant,
        model.name,
        scene,
        task,
        instruction,
        progress.success,
        progress.met,
        progress.total,
        ended,
        run.tree.decisions,
        run.tree.steps,
        len(run.tree.snapshot().nodes),
        time.monotonic() - began,
        run.usage.evaluated_tokens,
        run.usage.cached_tokens,
        run.usage.completion_tokens,
    )
