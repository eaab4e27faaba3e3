"""Any world with failures injected, to see how a planner recovers.

Three sorts, each drawn from the seed, and none of them to be known before it is tried:

* a skill *fails* for no reason: nothing changes, and it may work the next time;
* a thing to open, close or switch is *jammed*: no skill opens, closes or switches it, ever;
* a thing *vanishes* when the robot comes to take it for the first time: somebody has put it
  elsewhere, where it can be found and taken.

Skills that cannot succeed anyway get the answer of the world itself. Texts, tasks and progress are
those of the world.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from reactree_core.errors import ConfigurationError
from reactree_core.observation import Observation, Outcome, Progress, Vocabulary, WorldTask
from reactree_core.skill_types import CARRYING, SkillKind, SkillType, SWITCHING
from reactree_core.world import DisplacingWorld, SnapshotWorld
from sim_bridge.worlds.registry import close_world, make_world

#: What is told of a skill that fails, by its kind; '{0}' is the first name in it.
_FAILED = {
    SkillKind.MOVE: 'Something is in the way to {0}: you stay where you are.',
    **dict.fromkeys(CARRYING, 'The {0} slips: it stays where it is.'),
    **dict.fromkeys(SWITCHING, 'The {0} does not move this time.'),
}
_FAILED_OTHERWISE = '"{skill}" fails for no visible reason: nothing has changed.'
#: What a world may be able to do beside the port `World`, as far as failures do not concern it.
_PASSED_ON = (
    'graph',
    'floor',
    'scene_file',
    'outline',
    'task_families',
    'scene_of',
    'tasks_of_file',
    'names_task',
    'split_sizes',
    'expert',
    'picture',
)


@dataclass(frozen=True, slots=True)
class _Course:
    """What the failures still to come depend on.

    :param drawn_from: the seeds. :param tried: skills that could have succeeded, so far.
    :param displaced: things that have vanished once.
    """

    drawn_from: str = ''
    tried: int = 0
    displaced: frozenset[str] = frozenset()

    def draw(self, what: str) -> Random:
        """A source of its own for each question, so that one answer does not change another."""
        return Random(f'{self.drawn_from} {what}')


def _told(option: tuple[str, Any]) -> str:
    name, value = option
    return f'{name}={value if isinstance(value, str) else json.dumps(value)}'


class FaultyWorld:
    """Port `World`, and all that the world inside can do besides; its snapshots hold the failures.

    The expert works without failures: it says what the task needs.

    :param world: the name of the world inside. :param fail: probability that a skill fails though
        it could succeed, 0..1; what fails at a lower one fails at a higher one too, as long as
        the skills are the same.
    :param jam: share of the things to open, close or switch that never work, 0..1.
    :param vanish: share of the things to take that are elsewhere at the first attempt, 0..1.
    :param seed: of all this, together with that of `reset`.
    :param options: of the world inside.
    :raises ConfigurationError: a value is out of range, the world cannot be made, or things are to
        vanish in one that cannot put them elsewhere (port `DisplacingWorld`).
    """

    def __init__(
        self,
        world: str = 'household',
        fail: float = 0.0,
        jam: float = 0.0,
        vanish: float = 0.0,
        seed: int = 0,
        **options: Any,
    ) -> None:
        shares = {'fail': fail, 'jam': jam, 'vanish': vanish}
        for option, share in shares.items():
            if isinstance(share, bool) or not isinstance(share, int | float):
                raise ConfigurationError(f'{option} must be a number from 0 to 1, not {share!r}')
            if not 0.0 <= share <= 1.0:
                raise ConfigurationError(f'{option} must be 0 to 1, not {share}')
        self._world = make_world(world, **options)
        if vanish and not isinstance(self._world, DisplacingWorld):
            close_world(self._world)
            raise ConfigurationError(
                f'the world {world} cannot put things elsewhere: leave vanish out, or give it a '
                'method displace (reactree_core/world.py, DisplacingWorld)'
            )
        self._fail, self._jam, self._vanish, self._seed = fail, jam, vanish, seed
        self._course = _Course()
        self._skills: tuple[SkillType, ...] = ()
        drawn = {option: value for option, value in (*shares.items(), ('seed', seed)) if value}
        #: With its options, as `make_world` reads it: so a record says how to make it again.
        self.name = ','.join(('faulty', *map(_told, ({'world': world} | drawn | options).items())))
        self.quick = bool(getattr(self._world, 'quick', False))
        self.splits = tuple(getattr(self._world, 'splits', ()))
        # Protocols that can be asked for look into the instance: it can what the world inside can.
        for ability in _PASSED_ON:
            if hasattr(self._world, ability):
                setattr(self, ability, getattr(self._world, ability))
        if isinstance(self._world, SnapshotWorld):
            self.snapshot, self.restore = self._snapshot, self._restore

    @property
    def scene(self) -> str:
        """What is loaded."""
        return self._world.scene

    def reset(self, scene: str, task: str, seed: int) -> Observation:
        """Load a scene and a task of the world inside; the same seeds bring the same failures."""
        observation = self._world.reset(scene, task, seed)
        self._course = _Course(f'faulty {self._seed} {seed}')
        self._skills = self._world.vocabulary().skills
        return observation

    def vocabulary(self) -> Vocabulary:
        """Names and templates."""
        return self._world.vocabulary()

    def observe(self) -> Observation:
        """What the robot sees."""
        return self._world.observe()

    def admissible_skills(self) -> tuple[str, ...]:
        """Skills that can succeed now as far as the robot can know, failures to come included."""
        return self._world.admissible_skills()

    def candidate_skills(self) -> tuple[str, ...]:
        """The wider published set."""
        return self._world.candidate_skills()

    def step(self, skill: str) -> Observation:
        """Do one skill, or let it fail; one that cannot succeed anyway is left to the world."""
        kind, thing = self._read(skill)
        if kind is None:
            return self._world.step(skill)
        course = self._course
        self._course = replace(course, tried=course.tried + 1)
        if kind in SWITCHING and self._is_drawn('jam', thing, self._jam):
            return self._failed(skill, f'The {thing} is stuck.')
        if kind is SkillKind.TAKE and self._vanishes(thing):
            return self._failed(skill, f'The {thing} is not there any more.')
        if course.draw(f'try {course.tried}').random() < self._fail:
            text = _FAILED.get(kind, _FAILED_OTHERWISE) if thing else _FAILED_OTHERWISE
            return self._failed(skill, text.format(thing, skill=skill))
        return self._world.step(skill)

    def progress(self) -> Progress | None:
        """Goal conditions met, or None without any."""
        return self._world.progress()

    def task(self) -> WorldTask | None:
        """The loaded task, or None for free text."""
        return self._world.task()

    def close(self) -> None:
        """Give back what the world inside holds."""
        close_world(self._world)

    def _snapshot(self) -> object:
        """The world with the failures to come; see the port `SnapshotWorld`."""
        assert isinstance(self._world, SnapshotWorld), 'else there is no method snapshot'
        return self._world.snapshot(), self._course, self._skills

    def _restore(self, snapshot: object) -> Observation:
        """Put both back.

        :raises ConfigurationError: it is no snapshot of such a world.
        """
        assert isinstance(self._world, SnapshotWorld), 'else there is no method restore'
        match snapshot:
            case (inner, _Course() as course, tuple() as skills):
                observation = self._world.restore(inner)
                self._course, self._skills = course, skills
                return observation
            case _:
                raise ConfigurationError('this is no snapshot of a faulty world: take one first')

    def _read(self, skill: str) -> tuple[SkillKind | None, str]:
        """The kind of a skill that could succeed, None of any other; and the first name in it."""
        offered = self._world.admissible_skills()
        for skill_type in self._skills:
            values = next(skill_type.splits(skill), None)
            # What a person or a model fills in is offered as the template, gaps and all.
            if values is not None and (skill in offered or skill_type.template in offered):
                names = (
                    value
                    for slot, value in zip(skill_type.slots, values, strict=True)
                    if slot.type.is_name
                )
                return skill_type.kind, next(names, '')
        return (SkillKind.OTHER if skill in offered else None), ''

    def _is_drawn(self, what: str, thing: str, share: float) -> bool:
        return bool(thing) and self._course.draw(f'{what} {thing}').random() < share

    def _vanishes(self, thing: str) -> bool:
        """Whether a thing to be taken is put elsewhere, for the first time."""
        displaced = self._course.displaced
        if thing in displaced or not self._is_drawn('vanish', thing, self._vanish):
            return False
        assert isinstance(self._world, DisplacingWorld), 'checked at the beginning'
        self._course = replace(self._course, displaced=displaced | {thing})
        return self._world.displace(thing, self._course.draw(f'place {thing}'))

    def _failed(self, skill: str, text: str) -> Observation:
        """What is seen after a skill that failed: the world, and why."""
        return replace(
            self._world.observe(),
            text=text,
            outcome=Outcome.EXECUTION_FAILED,
            skill=skill,
            looked_at=(),
            facts=(),
        )
