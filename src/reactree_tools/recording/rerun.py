"""A recorded run's skills done once more: does a world, or a robot, still answer the same?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from reactree_core.cancellation import CancelToken
from reactree_core.errors import RecordingError
from reactree_core.observation import Observation, Outcome
from reactree_core.record.events import Decision, Event, is_world_reset, QUESTION
from reactree_core.working_memory import RECALL
from reactree_planner.resume.run_log import is_resumption
from sim_bridge.in_process_skill_server import InProcessSkillServer
from sim_bridge.worlds.registry import make_world

#: Characters of a text that are compared and shown; messages cut longer ones.
_COMPARED = 2000
_SHOWN = 160
#: Of skills that were stopped from outside: what they did depends on when.
_STOPPED = (
    Outcome.CANCELED,
    Outcome.TIMED_OUT,
    Outcome.SAFETY_REJECTED,
    Outcome.BRIDGE_LOST,
)


class Performer(Protocol):
    """The part of a skill server that a run is done with (of the port `SkillServer`)."""

    def look(self, cancel: CancelToken) -> Observation:
        """What the robot sees now."""

    def execute(self, sequence: int, node_id: int, skill: str, cancel: CancelToken) -> Observation:
        """Run one skill to its end."""

    def reset(self, cancel: CancelToken) -> None:
        """Put the world back to where the run began; planners of several trials ask for it."""


@dataclass(frozen=True, slots=True)
class Divergence:
    """Where a rerun first differs.

    :param step: number of the skill, from 1; for a look, of the skill after which it was.
    :param skill: '' for a look. :param field: of the observation.
    :param recorded: and `now`: what it held, for people.
    """

    step: int
    sequence: int
    skill: str
    field: str
    recorded: str
    now: str

    @property
    def sentence(self) -> str:
        """What to tell a person."""
        what = f'"{self.skill}"' if self.skill else 'a look'
        where = f'At step {self.step}' if self.skill else f'After step {self.step}'
        return (
            f'{where} (event {self.sequence}), {what} answers something else: {self.field} was '
            f'{self.recorded}, and is {self.now} now.'
        )


@dataclass(frozen=True, slots=True)
class Rerun:
    """What a rerun came to. :param steps: skills that were done."""

    steps: int
    divergence: Divergence | None = None


def rerun(
    events: Iterable[Event],
    performer: Performer,
    cancel: CancelToken,
    on_step: Callable[[int, str], None] = lambda step, skill: None,
) -> Rerun:
    """Do the skills of a run in order, up to the first that is answered otherwise.

    :param performer: in the state in which the run began.
    :param on_step: called with the number and text of every skill before it is done.
    :raises SkillError: no answer. :raises CanceledError: stopped.
    """
    step = 0
    settled: set[int] = set()
    for event in events:
        if not isinstance(event, Observation):
            if is_resumption(event):
                settled.add(event.sequence)
            continue
        if event.skill.startswith((RECALL, QUESTION)) or event.outcome in _STOPPED:
            continue
        if is_world_reset(event):
            performer.reset(cancel)
            continue
        if event.skill:
            step += 1
            on_step(step, event.skill)
            now = performer.execute(event.sequence, event.node_id, event.skill, cancel)
        else:
            now = performer.look(cancel)
        # A skill that was under way when its planner was killed was answered by a look.
        standing_only = bool(event.skill) and event.sequence in settled
        for field, recorded, seen in _differences(event, now, standing_only):
            divergence = Divergence(step, event.sequence, event.skill, field, recorded, seen)
            return Rerun(step, divergence)
    return Rerun(step)


def _differences(
    recorded: Observation, now: Observation, standing_only: bool
) -> Iterator[tuple[str, str, str]]:
    """Fields that differ, what tells most first."""
    if not standing_only:
        if recorded.outcome is not now.outcome:
            yield 'the outcome', recorded.outcome.name, now.outcome.name
        if recorded.own_text[:_COMPARED] != now.own_text[:_COMPARED]:
            yield 'the text', *_excerpts(recorded.own_text, now.own_text)
    for name, words in (('place', 'the place'), ('room', 'the room')):
        before, after = getattr(recorded, name), getattr(now, name)
        if before != after:
            yield words, repr(before), repr(after)
    for name, words in (('held', 'what is held'), ('admissible_skills', 'what can be done')):
        yield from _changes(words, set(getattr(recorded, name)), set(getattr(now, name)))
    if not standing_only:
        # The planner adds what it concludes is in sight; the world's own facts must be among them.
        known = set(map(_fact, recorded.facts))
        yield from _changes('what was seen', known, known | set(map(_fact, now.facts)))


def _fact(fact: Any) -> str:
    parts = (fact.name, fact.receptacle or fact.room, fact.state)
    return ', '.join(part for part in parts if part)


def _changes(words: str, before: set[str], after: set[str]) -> Iterator[tuple[str, str, str]]:
    if before != after:
        gone = ', '.join(sorted(before - after)) or 'nothing more'
        new = ', '.join(sorted(after - before)) or 'nothing more'
        yield words, f'also {gone[:_SHOWN]}', f'also {new[:_SHOWN]}'


def _excerpts(before: str, after: str) -> tuple[str, str]:
    """Both texts from shortly before where they part."""
    pairs = zip(before, after, strict=False)
    same = next((at for at, (one, two) in enumerate(pairs) if one != two), None)
    start = max(0, (same if same is not None else min(len(before), len(after))) - 40)
    dots = '...' if start else ''
    return tuple(repr(dots + text[start : start + _SHOWN]) for text in (before, after))  # type: ignore[return-value]


def recorded_server(start: Decision, backend: str, seed: int) -> InProcessSkillServer:
    """A skill server whose world is in the state of a run's beginning.

    :param start: the run's START, which tells scene and task.
    :param backend: of the bridge; '' takes the household.
    :param seed: of the recorded world, for what scene and task leave open.
    :raises RecordingError: the record does not say, or the run began in a changed world.
    :raises ConfigurationError: world, scene or task cannot be loaded here.
    """
    settings = start.settings
    if not settings.scene:
        raise RecordingError(
            'The record does not name the scene of the run, because the bridge did not answer '
            'get_world_state. Bring a bridge into the state in which the run began, and use '
            '--bridge --no-reset.'
        )
    check_began_fresh(start)
    world = make_world(backend or 'household')
    world.reset(settings.scene, settings.world_task, seed)
    return InProcessSkillServer(
        world, lambda: world.reset(settings.scene, settings.world_task, seed)
    )


def check_began_fresh(start: Decision) -> None:
    """Whether a reset leads to where a run began.

    :raises RecordingError: it began in a world that had been changed.
    """
    before = start.settings.skills_before
    if before:
        raise RecordingError(
            f'The run began after {before} other skills, so a reset does not restore its initial '
            'state. Bring a bridge into the state in which the run began, and use --bridge '
            '--no-reset; before your next recording, use `reactree world reset`.'
        )
