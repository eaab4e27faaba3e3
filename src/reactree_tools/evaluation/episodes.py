"""One seeded task, and the presets that are compared on it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from dataclasses import replace

from memory_server.episodic.episodic_memory import EpisodicMemory
from reactree_core.errors import ConfigurationError
from reactree_core.errors import SkillError
from reactree_core.observation import Progress
from reactree_core.ports import ExpertWorld
from reactree_core.ports import LanguageModel
from reactree_core.ports import World
from reactree_planner.runs.presets import settings_of_preset
from reactree_planner.runs.questions import NOBODY
from reactree_planner.tree.events import Decision
from reactree_planner.tree.events import DecisionKind
from reactree_planner.tree.events import Event
from reactree_planner.tree.events import NodeKind
from reactree_planner.tree.events import NodeStatus
from reactree_planner.tree.run_settings import Limits
from reactree_tools.bench.goal_questions import GoalQuestioner
from reactree_tools.episode import Episode
from reactree_tools.episode import InProcessMemory
from reactree_tools.episode import plan_episode
from sim_bridge.worlds.registry import given_back
from sim_bridge.worlds.registry import make_task_world

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
    :param score: 0..1, what the world gave; None where it gives none.
    :param verified: conditions of the task, as in `Ending`; `missing` and `unknown` alike.
    :param repairs: times that a node went on after its subgoals had failed.
    :param questions: that were asked, and answered from the goal.
    :param unasked: decisions that followed from rules or facts, without asking the model.
    :param expert_steps: skills of the world's expert; None where it has none, or finds no way.
    """

    preset: str
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
    world: str = 'household'
    score: float | None = None
    verified: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    repairs: int = 0
    questions: int = 0
    unasked: int = 0
    expert_steps: int | None = None

    @property
    def false_success(self) -> bool:
        """Whether the planner says that the task is done, and the world does not agree."""
        return self.ended == 'success' and not self.success

    @property
    def asked(self) -> int:
        """Decisions of the model."""
        return self.decisions - self.unasked

    @property
    def judged(self) -> str:
        """How much of the goal held, for people; '' where the world does not judge."""
        progress = Progress(self.met, self.total, (), self.score)
        return '' if not self.total and self.score is None else str(progress)

    @property
    def subgoal_rate(self) -> float:
        """SSR of the task, 0..1."""
        if not self.judged:
            return float(self.success)
        return Progress(self.met, self.total, (), self.score).ratio


def seeded_tasks(
    count: int, first_seed: int, world: str = 'household'
) -> tuple[tuple[str, str, int], ...]:
    """(scene, task, seed) for `count` tasks, over the families in turn.

    :raises ConfigurationError: there is no such world, or it sets no tasks by number.
    """
    made = make_task_world(world)
    families = made.task_families()
    return tuple(
        (made.scene_of(seed), f'{families[index % len(families)]}:{seed}', seed)
        for index, seed in enumerate(range(first_seed, first_seed + count))
    )


def reason_of(episode: Episode) -> str:
    """Why a run did not meet its goal; '' when it did."""
    if episode.goal_met:
        return ''
    progress = episode.progress
    unmet = '' if progress is None else '; '.join(progress.conditions) or str(progress)
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
    preset: str,
    memory: str,
    model: LanguageModel,
    examples: EpisodicMemory,
    limits: Limits,
    watch: Callable[[Event], None] = lambda event: None,
    planner: str = 'reactree',
    world: str = 'household',
) -> EpisodeResult:
    """Plan one task to its end and score it as WAH-NL does.

    :param preset: of the settings; see `runs.presets`. :param memory: a key of `MEMORIES`.
    :param planner: its name. :param world: its name.
    :param examples: what episodic memory holds; nothing is added, so that every task starts from
        the same.
    :raises ValueError: the planner has no such preset.
    """
    working, episodic = MEMORIES[memory]
    repairs = unasked = 0

    def count(event: Event) -> None:
        nonlocal repairs, unasked
        if isinstance(event, Decision):
            repairs += event.kind is DecisionKind.REPAIR and bool(event.subgoals)
            unasked += event.is_unasked
        watch(event)

    with given_back(make_task_world(world)) as made:
        expert_steps = _expert_steps(made, scene, task, seed)
        made.reset(scene, task, seed)
        goal = made.progress()
        people = GoalQuestioner(goal.conditions if goal is not None else ())
        episode = plan_episode(
            made,
            model,
            InProcessMemory(examples if episodic else None),
            replace(settings_of_preset(preset, planner), working_memory=working),
            limits,
            planner,
            watch=count,
            restart=lambda: made.reset(scene, task, seed),
            people=people if goal is not None else NOBODY,
        )
    run = episode.run
    progress = episode.progress or Progress(0, 0)
    return EpisodeResult(
        preset,
        model.name,
        scene,
        task,
        run.task,
        episode.goal_met,
        progress.met,
        progress.total,
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
        world,
        progress.score,
        run.ending.verified,
        run.ending.missing,
        run.ending.unknown,
        repairs,
        people.asked,
        unasked,
        expert_steps,
    )


def _expert_steps(world: World, scene: str, task: str, seed: int) -> int | None:
    if not isinstance(world, ExpertWorld):
        return None
    world.reset(scene, task, seed)
    try:
        return len(world.expert())
    except (ConfigurationError, SkillError):
        return None
