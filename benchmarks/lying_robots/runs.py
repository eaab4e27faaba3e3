"""One run with a robot that lies, and what came of it by the truth."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from random import Random

from benchmarks.lying_robots.lies import Lie
from benchmarks.lying_robots.robots import LabeledFile, RobotDrawer, Sensing
from benchmarks.lying_robots.world import LyingWorld
from benchmarks.robot_files.properties import loaded
from reactree_core.belief import Status
from reactree_core.cancellation import CancelToken
from reactree_core.errors import ReactreeError
from reactree_core.measures import Measure, read_comparison
from reactree_core.record.outcome import Ending, WHY
from reactree_core.record.run_settings import Limits
from reactree_core.skill_types import class_and_number, Relation
from reactree_planner.facts.conditions import Condition
from reactree_planner.llm.registry import load_model, ModelOptions
from reactree_planner.planners.registry import make_planner
from reactree_planner.resume.run_log import RunLog
from reactree_planner.runs.run import carry_out, PlanRun
from reactree_planner.runs.run_ports import Ports
from reactree_planner.runs.settings import PlannerSettings
from reactree_tools.episode import InProcessMemory
from sim_bridge.in_process_skill_server import InProcessSkillServer

_LIMITS = Limits(80, 40)


@dataclass(frozen=True, slots=True)
class Outcome:
    """Result of one run.

    :param status: of the goal as a whole. :param is_true: whether all of it is so.
    :param false: conditions that were called verified and are not so.
    :param reasons: why conditions were not verified. :param skills: texts, in order.
    """

    lie: str
    seed: int
    task: str
    status: Status
    is_true: bool
    false: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    skills: tuple[str, ...] = ()
    was_read: bool = True


def plays(
    kind: type[Lie], first: int, count: int, model: str = 'none', sensing: Sensing | None = None
) -> Iterator[Outcome]:
    """So many runs of a kind of lie, of tasks that are read.

    :param first: seed. :param sensing: how well the robots are sensed; None: all sorts.
    """
    for seed in itertools.count(first):
        if count <= 0:
            return
        outcome = play(kind(), seed, model, sensing)
        if outcome.was_read:
            count -= 1
            yield outcome


def play(lie: Lie, seed: int, model: str = 'none', sensing: Sensing | None = None) -> Outcome:
    """Draw a robot, its world and a task from a seed, and carry the task out."""
    draw = Random(f'{lie.name} {seed}')
    labeled = _robot_for(lie, seed, sensing)
    world = LyingWorld(loaded(labeled.file), lie, draw)
    task = task_for(labeled, lie, draw)
    outcome = _carried_out(lie, seed, task, world, model)
    if not lie.second_run:
        return outcome
    for name in list(world.truth.where):
        if draw.random() < 0.6:
            world.move_away(name)
    world.clock += 30.0
    return _carried_out(lie, seed, task, world, model)


def _robot_for(lie: Lie, seed: int, sensing: Sensing | None) -> LabeledFile:
    for number in range(1000):
        drawer = RobotDrawer(
            seed + 1_000_003 * number,
            sensing,
            two_sources=lie.two_sources,
            has_number=True if lie.needs_number else None,
            has_part=lie.needs_part,
        )
        labeled = drawer.labeled()
        if lie.suits(labeled):
            return labeled
    raise ValueError(f'no robot suits the lie "{lie.name}"')


def task_for(robot: LabeledFile, lie: Lie, draw: Random) -> str:
    """One to three of the robot's skills in words, no two of the same thing."""
    parts: list[str] = []
    carried = draw.sample(robot.things, min(2, len(robot.things)))
    for thing in carried[: draw.choice((1, 1, 2))]:
        if draw.random() < 0.5 and robot.put.startswith('put '):
            # Any of its class.
            kind = class_and_number(thing)[0]
            parts.append(f'put a {kind} on {draw.choice(robot.places)}')
            break
        place = draw.choice(robot.places)
        parts.append(robot.put.replace('<thing>', thing).replace('<place>', place))
    switches = [robot.switch[part, draw.choice(words)] for part, words in robot.parts.items()]
    draw.shuffle(switches)
    fills = [robot.fill] if robot.fill else []
    if lie.needs_part and switches:
        parts = [switches.pop(), *parts[: draw.choice((0, 1))]]
    elif lie.needs_number:
        parts = [*fills, *parts[: draw.choice((0, 1))]]
    elif draw.random() < 0.5:
        parts += draw.sample([*switches, *fills], min(1, len([*switches, *fills])))
    draw.shuffle(parts)
    if draw.random() < 0.4 or lie.leaves:
        parts.append(robot.move.replace('<place>', draw.choice(robot.places)))
    return ', then '.join(parts)


class _WorldClock(RunLog):
    """A log whose time is that of a world, so that ages count its seconds."""

    def __init__(self, world: LyingWorld) -> None:
        super().__init__()
        self._world, self._began = world, world.clock

    @property
    def stamp(self) -> float | None:
        """Seconds of the world since the run began."""
        return self._world.clock - self._began


def _carried_out(lie: Lie, seed: int, task: str, world: LyingWorld, model: str) -> Outcome:
    run = PlanRun(
        task,
        Ports(load_model(model, ModelOptions()), InProcessSkillServer(world), InProcessMemory()),
        PlannerSettings(),
        _LIMITS,
        CancelToken(),
        lambda event: None,
        log=_WorldClock(world),
    )
    began = len(world.done)
    with suppress(ReactreeError):
        carry_out(make_planner('reactree'), run)
    ending, done = run.aims.ending, tuple(world.done[began:])
    goal = run.aims.goal
    if goal is None or not goal.acts:
        return Outcome(lie.name, seed, task, Status.NOT_KNOWN, False, was_read=False)
    conditions = {one.text: one for one in goal.milestones[-1]}
    so = {text: is_so(one, world) for text, one in conditions.items()}
    false = tuple(one for one in ending.verified if not so.get(one, True))
    told = (*ending.assumed, *ending.unknown)
    return Outcome(
        lie.name, seed, task, _status(ending), all(so.values()), false,
        tuple(one.partition(WHY)[2] for one in told if WHY in one), done,
    )  # fmt: skip


def _status(ending: Ending) -> Status:
    if ending.is_verified:
        return Status.VERIFIED
    if ending.holds:
        return Status.ASSUMED
    return Status.NOT_MET if ending.missing else Status.NOT_KNOWN


def is_so(condition: Condition, world: LyingWorld) -> bool:
    """Test whether a condition holds in truth."""
    truth = world.truth

    def is_meant(name: str) -> bool:
        return condition.subject in (name, class_and_number(name)[0])

    held = [name for _, name in truth.held if is_meant(name)]
    match condition.relation:
        case Relation.AT:
            return truth.place == condition.value
        case Relation.HOLDING:
            return len(held) >= condition.count
        case Relation.IN:
            names = [
                name
                for name, place in truth.where.items()
                if is_meant(name) and place == condition.value and name not in held
            ]
            return len(names) >= condition.count
        case Relation.IS:
            comparison = read_comparison(condition.value)
            if comparison is not None:
                number = truth.numbers[condition.subject, '']
                return bool(comparison.holds(Measure('', number, '%')))
            return condition.value in truth.states.get(condition.subject, ())
    return world.acted.count(condition.subject) >= condition.count
