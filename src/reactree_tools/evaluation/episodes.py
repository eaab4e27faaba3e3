"""One seeded task in a home no file contains, from reset to score."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from dataclasses import fields
from dataclasses import replace

from memory_server.episodic.episodic_memory import EpisodicMemory
from reactree_core.ports import LanguageModel
from reactree_planner.planners.settings import Guards
from reactree_planner.planners.settings import PlannerSettings
from reactree_planner.tree.events import Event
from reactree_planner.tree.limits import Limits
from reactree_tools.episodes.episode import plan_episode
from reactree_tools.episodes.memories import InProcessMemory
from sim_bridge.tasks import FAMILIES
from sim_bridge.worlds import make_world

#: Which memories a run has, for the ablation of ReAcTree section 5: name -> (working, episodic).
MEMORIES = {
    'none': (False, False),
    'working': (True, False),
    'episodic': (False, True),
    'both': (True, True),
}


@dataclass(frozen=True, slots=True)
class EpisodeResult:
    """What one task came to; a line of the results file.

    :param memory: a key of `MEMORIES`; files from before it was recorded had both.
    """

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
    memory: str = 'both'

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


def guards_without_working_memory(guards: Guards) -> Guards:
    """The rule that keeps a robot from searching twice reads where it has looked: it goes too.

    The other rules stay as they are, so that runs with and without a memory differ in nothing
    else.
    """
    return replace(guards, skip_explored=False)


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
    memory: str,
    model: LanguageModel,
    examples: EpisodicMemory,
    limits: Limits,
    watch: Callable[[Event], None] = lambda event: None,
) -> EpisodeResult:
    """Plan one task to its end and score it as WAH-NL does.

    :param memory: a key of `MEMORIES`.
    :param examples: what episodic memory holds; nothing is added, so that every task starts from
        the same.
    """
    world = make_world('household')
    world.reset(scene, task, seed)
    working, episodic = MEMORIES[memory]
    guards = guards_of_variant(variant)
    episode = plan_episode(
        world,
        model,
        InProcessMemory(examples if episodic else None, working),
        PlannerSettings(guards=guards if working else guards_without_working_memory(guards)),
        limits,
        watch=watch,
        restart=lambda: world.reset(scene, task, seed),
    )
    run = episode.run
    return EpisodeResult(
        variant,
        model.name,
        scene,
        task,
        run.task,
        episode.progress.success,
        episode.progress.met,
        episode.progress.total,
        episode.ended,
        run.tree.decisions,
        run.tree.steps,
        len(run.tree.snapshot().nodes),
        episode.seconds,
        run.usage.evaluated_tokens,
        run.usage.cached_tokens,
        run.usage.completion_tokens,
        memory,
    )
