"""One seeded task in a home no file contains, from reset to score."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from dataclasses import replace

from memory_server.episodic.episodic_memory import EpisodicMemory
from reactree_core.ports import LanguageModel
from reactree_planner.tree.events import Event
from reactree_planner.tree.events import NodeKind
from reactree_planner.tree.events import NodeStatus
from reactree_planner.tree.limits import Limits
from reactree_tools.episodes.episode import Episode
from reactree_tools.episodes.episode import plan_episode
from reactree_tools.episodes.memories import InProcessMemory
from reactree_tools.evaluation.variants import settings_of_variant
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
    :param planner: its name; files from before it was recorded had reactree.
    :param prompt_tokens: presented to the model, cached or not. :param requests: of the model.
    :param reason: why the goal was not met, in a sentence; '' when it was.
    :param notices: what went wrong without ending the run.
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
    planner: str = 'reactree'
    seed: int = 0
    prompt_tokens: int = 0
    requests: int = 0
    reason: str = ''
    notices: tuple[str, ...] = ()

    @property
    def subgoal_rate(self) -> float:
        """SSR of the task, 0..1."""
        return self.met / self.total if self.total else 1.0


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


def reason_of(episode: Episode) -> str:
    """Why a run did not meet its goal; '' when it did."""
    if episode.progress.success:
        return ''
    unmet = '; '.join(episode.progress.conditions)
    if episode.ended == 'success':
        return f'the planner held the goal for met, but: {unmet}'
    if episode.ended != 'failure':
        return f'{episode.outcome.message} Conditions: {unmet}'
    failed = [
        f'"{node.goal}" ({node.detail})'
        for node in episode.run.tree.snapshot().nodes
        if node.kind is NodeKind.AGENT and node.status is NodeStatus.FAILURE
    ]
    return f'gave up at {failed[-1] if failed else "its beginning"}. Conditions: {unmet}'


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
    planner: str = 'reactree',
) -> EpisodeResult:
    """Plan one task to its end and score it as WAH-NL does.

    :param variant: of the settings; see `variants`. :param memory: a key of `MEMORIES`.
    :param planner: its name.
    :param examples: what episodic memory holds; nothing is added, so that every task starts from
        the same.
    :raises ValueError: there is no such variant.
    """
    world = make_world('household')
    world.reset(scene, task, seed)
    working, episodic = MEMORIES[memory]
    episode = plan_episode(
        world,
        model,
        InProcessMemory(examples if episodic else None),
        replace(settings_of_variant(variant), working_memory=working),
        limits,
        planner,
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
        planner,
        seed,
        run.usage.prompt_tokens,
        run.usage.requests,
        reason_of(episode),
        run.notices,
    )
