"""ProcWorld behind the bridge: a house of many rooms, one hand, and a reach of a few steps.

What is near is seen and can be gone to; the rest is explored through numbered locations and doors.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import inf
from pathlib import Path
from random import Random
from types import MappingProxyType
from typing import Any

from reactree_core.errors import ConfigurationError, SkillError
from reactree_core.observation import Observation, Outcome, Progress, Vocabulary, WorldTask
from sim_bridge.pictures import Picture
from sim_bridge.worlds.alfworld.engine import NOTHING
from sim_bridge.worlds.alfworld.game import Goal as Formula
from sim_bridge.worlds.alfworld.judging import progress_of, satisfied
from sim_bridge.worlds.one_episode import OneEpisode
from sim_bridge.worlds.procworld.engine import Engine, Rules
from sim_bridge.worlds.procworld.expert import can_be_done, setting_text, settings_of, solve
from sim_bridge.worlds.procworld.floor import known_floor, whole_floor
from sim_bridge.worlds.procworld.goals import formula, TYPES
from sim_bridge.worlds.procworld.graph import graph_of
from sim_bridge.worlds.procworld.house_file import procthor_record, read_house, write_house
from sim_bridge.worlds.procworld.layout import Layout, LEAST_REACH
from sim_bridge.worlds.procworld.named import (
    COUNTED,
    house_file,
    is_name,
    named,
    PUBLISHED_MIX,
    TRAINING,
    VALIDATION,
)
from sim_bridge.worlds.procworld.nearest import nearest
from sim_bridge.worlds.procworld.panorama import panorama_of
from sim_bridge.worlds.procworld.program_pictures import DRAWN, pictures_by, with_marks
from sim_bridge.worlds.procworld.skills import failure_of, vocabulary_of
from sim_bridge.worlds.procworld.tasks import (
    HouseTask,
    Pool,
    STEPS,
    TASKS_OF_A_HOUSE,
    VALIDATION_HOUSES,
)
from sim_bridge.worlds.procworld.texts import first, Seen, where
from sim_bridge.worlds.task_names import GENERATED
from sim_bridge.worlds.thor.goals import LIGHT

OFF, BLEU = 'off', 'bleu'
_LOG = logging.getLogger(__name__)
#: Outcomes after which is told what is seen.
_TELLING = (Outcome.SUCCEEDED, Outcome.EXECUTION_FAILED)
#: Verbs after which the goal may be reached, or not any more.
_STILL = ('look', 'inventory', 'examine')


@dataclass
class _Episode:
    """A house that is played in, and what for. :param formula: None without a goal."""

    pool: Pool
    scene: str
    task: HouseTask | None
    formula: Formula | None
    engine: Engine
    steps: int = 0
    met: int = 0

    @property
    def won(self) -> bool:
        return self.formula is not None and self.met == len(self.formula.conditions)

    def judge(self) -> None:
        """Count the conditions that hold."""
        if self.formula is not None:
            self.met, _ = satisfied(self.formula, self.engine.state)


class ProcWorldWorld(OneEpisode[_Episode]):
    """Ports `TaskWorld`, `ExpertWorld`, `FloorWorld`, `SnapshotWorld`, `DisplacingWorld`.

    It can be looked at, too (`Cameras`).

    :param reach: metres within which things and locations are seen and gone to, over 0.5; 'inf'
        for the whole house at once. :param map: go back to all that was ever seen, in one step.
    :param nearest: `bleu` does the most similar skill in place of one that cannot be done, as the
        published runs did; `off` does not.
    :param in_hand: things are cleaned, heated and cooled in the hand, as in ALFWorld.
    :param step_limit: skills after which an episode ends; 0 for none.
    :param visual: texts say only whether a skill succeeded and what can be done; the rest is in
        the picture.
    :param pictures: `drawn`, or `thor` for pictures by AI2-THOR, where the scene is a file of a
        ProcTHOR house. :param program: for those, options of the world `thor` for its program.
    :raises ConfigurationError: a value is out of range.
    """

    loads = 'house'
    name = 'procworld'
    #: A skill takes less than a millisecond (see `WorldThread`).
    quick = True
    splits = (VALIDATION, PUBLISHED_MIX, TRAINING)
    #: Tasks of the splits that are counted.
    split_sizes = MappingProxyType(
        dict.fromkeys(COUNTED, len(VALIDATION_HOUSES) * TASKS_OF_A_HOUSE)
    )

    def __init__(
        self,
        reach: float | str = 1.5,
        map: bool = True,  # noqa: A002 (the option's name)
        nearest: str = OFF,
        in_hand: bool = False,
        step_limit: int = STEPS,
        visual: bool = False,
        pictures: str = DRAWN,
        **program: Any,
    ) -> None:
        try:
            metres = float(reach)
        except (TypeError, ValueError, OverflowError):
            metres = 0.0
        if isinstance(reach, bool) or not metres > LEAST_REACH:
            raise ConfigurationError(
                f'reach must be metres over {LEAST_REACH}, e.g. 1.5, or inf, not {reach!r}'
            )
        for name, value in (('map', map), ('in_hand', in_hand), ('visual', visual)):
            if type(value) is not bool:
                raise ConfigurationError(f'{name} must be true or false, not {value!r}')
        if nearest not in (OFF, BLEU):
            raise ConfigurationError(f'nearest must be {OFF} or {BLEU}, not {nearest!r}')
        if type(step_limit) is not int or not 0 <= step_limit <= 1_000_000:
            raise ConfigurationError(f'step_limit must be 0 to 1000000, not {step_limit!r}')
        self._reach = metres
        self._rules = Rules(map, in_hand)
        self._replaces = nearest == BLEU
        if visual and metres == inf:
            raise ConfigurationError('visual needs a reach in metres, e.g. 1.5')
        self._limit = step_limit
        self._visual = visual
        #: What asks AI2-THOR for pictures; None where they are drawn.
        self.pictures = pictures_by(pictures, program)

    @property
    def scene(self) -> str:
        """The house."""
        return self._episode.scene if self._episode else ''

    def reset(self, scene: str, task: str, seed: int) -> Observation:
        """Load a house and a task.

        :param scene: 'generated:<seed>' or the file of a house; '' for that of the task.
        :param task: 'generated:<n>', '<type>:<n>', 'training:<n>', 'validation:<n>',
            'published_mix:<n>', 'procworld:<house seed>/<type>/<n>', the file of a house, or a
            sentence; '' for none.
        :param seed: of a task where neither is given; which task of a house file.
        :raises ConfigurationError: it cannot be loaded; the world stays as it was.
        """
        scene, text = scene.strip(), task.strip()
        pool, loaded = named(scene, text, seed)
        file = house_file(text)
        scene = str(file) if file else scene or f'{GENERATED}:{pool.house.seed}'
        layout = Layout(pool.house, self._reach)
        planned = Engine(layout, self._rules, loaded.start if loaded else '')
        engine = self._begin(scene, planned)
        wanted = None
        if loaded is not None:
            wanted = formula(loaded.goal, pool.house)
            loaded = replace(loaded, notes=self._notes(pool, loaded, planned))
        self._episode = _Episode(pool, scene, loaded, wanted, engine)
        self._episode.judge()
        self._show(self._episode)
        observation = self.observe()
        instruction = loaded.instruction if loaded else text
        if not instruction:
            return observation
        return replace(observation, text=f'{observation.text}\nYour task is to: {instruction}.')

    def _begin(self, scene: str, planned: Engine) -> Engine:
        """What is played with. :param planned: the rules alone, in the house as it begins."""
        return planned

    def _show(self, episode: _Episode) -> None:
        """Have AI2-THOR show the house, if it is to and can."""
        if self.pictures is None:
            return
        file = house_file(episode.scene)
        record = procthor_record(file) if file else None
        if record is None:
            self.pictures.forget()
            _LOG.warning('AI2-THOR shows ProcTHOR houses only: %s is drawn', episode.scene)
        else:
            self.pictures.load(record, episode.pool.house, episode.engine.state)

    def _notes(self, pool: Pool, task: HouseTask, engine: Engine) -> tuple[str, ...]:
        """What is to be known of a task that cannot be done in this setting."""
        if can_be_done(engine, task.goal):
            return ()
        able = '; '.join(map(setting_text, settings_of(pool.house, task)))
        known = f'there is one with {able}' if able else 'nor in any of the published ones'
        return (f'No way of at most {STEPS} skills is known in this setting; {known}.',)

    def vocabulary(self) -> Vocabulary:
        """Skills, the classes of houses, and the rooms that were entered."""
        return vocabulary_of(self._now.engine)

    def observe(self) -> Observation:
        """What is told where the robot is, and what it holds; changes nothing."""
        episode = self._now
        state, has_map = episode.engine.state, self._rules.has_map
        seen = where(state, has_map) if episode.steps else first(state, has_map)
        if state.held:
            seen += Seen(f'You are carrying: a {state.held}.', (state.held,))
        return self._observation('', seen, Outcome.SUCCEEDED, self._looked_at(seen))

    def admissible_skills(self) -> tuple[str, ...]:
        """What can be done now."""
        episode = self._now
        return () if self._over(episode) else tuple(episode.engine.offers())

    def candidate_skills(self) -> tuple[str, ...]:
        """The same: the published agents are told what can be done."""
        return self.admissible_skills()

    def step(self, skill: str) -> Observation:
        """Do one skill; what cannot be done changes nothing but the count of steps."""
        episode = self._now
        if self._over(episode):
            return self._observation(skill, Seen(NOTHING), failure_of(skill, episode.engine))
        episode.steps += 1
        engine = episode.engine
        offers = engine.offers()
        done = nearest(skill, offers) if self._replaces and skill not in offers else skill
        action = offers.get(done)
        if action is None:
            return self._observation(skill, Seen(NOTHING), failure_of(skill, episode.engine))
        seen = engine.do(done)
        verb = action[0]
        moved = verb in ('go', 'through')
        if verb not in _STILL and not (moved and self._goes_on(episode)):
            episode.judge()
        looked = self._looked_at(seen) if moved or verb in ('look', 'examine', 'open') else ()
        if verb == 'through':
            looked = (action[1], *looked)
        outcome = Outcome.EXECUTION_FAILED if engine.failed else Outcome.SUCCEEDED
        return self._observation(skill, seen, outcome, looked)

    def _goes_on(self, episode: _Episode) -> bool:
        """Whether going somewhere changes no condition."""
        return episode.task is None or episode.task.task_type != LIGHT

    def _over(self, episode: _Episode) -> bool:
        return episode.won or bool(self._limit and episode.steps >= self._limit)

    def _looked_at(self, seen: Seen) -> tuple[str, ...]:
        """What is faced, and its parts, of which the content was given; else the location."""
        state = self._now.engine.state
        if not state.faced:
            return (state.place,) if state.place else ()
        shown = [one for one in state.fixtures(state.faced) if not state.is_closed(one)]
        return tuple(one for one in shown if one in seen.things)

    def progress(self) -> Progress | None:
        """The goal's conditions, one by one, of the things of which most hold."""
        episode = self._now
        if episode.formula is None:
            return None
        things = episode.pool.house.thing

        def class_of(thing: str) -> str:
            return things[thing].thing_class if thing in things else ''

        return progress_of((episode.formula,), episode.engine.state, class_of)

    def task(self) -> WorldTask | None:
        """What is to be done; None for a sentence."""
        return self._episode.task if self._episode else None

    def task_families(self) -> tuple[str, ...]:
        """The sixteen types of tasks."""
        return TYPES

    def names_task(self, text: str) -> bool:
        """Whether a text names one task, with its house."""
        return is_name(text)

    def scene_of(self, seed: int) -> str:
        """A task brings its house along."""
        return ''

    def tasks_of_file(self, path: Path) -> Sequence[WorldTask]:
        """The tasks of a house's file; see the port."""
        pool = Pool(read_house(path), path.stem)
        return [pool.task(task_type, number) for task_type, number in pool.chosen()]

    def graph(self) -> dict[str, Any]:
        """The house as it is now; see the port."""
        state = self._now.engine.state
        return {**graph_of(state), 'floor': known_floor(state)}

    def scene_file(self) -> str:
        """The house as it began; see the port."""
        return write_house(self._now.pool.house)

    def floor(self) -> dict[str, Any]:
        """All of the house from above; see the port."""
        return whole_floor(self._now.pool.house)

    def picture(self, camera: int, width: int, height: int) -> Picture:
        """What the robot sees around it, towards four sides; see `Cameras`."""
        if camera > 0:
            raise ConfigurationError(f'there is one camera, the robot: 0 or less, not {camera}')
        state = self._now.engine.state
        if not state.place:
            raise ConfigurationError('pictures need a reach in metres, e.g. reach=1.5')
        look = self.pictures.look(state) if self.pictures is not None else None
        if look is None:
            return panorama_of(state, width, height)
        return with_marks(look, state.layout.house, state.room, state.around(), width, height)

    def close(self) -> None:
        """End the program that pictures are asked of."""
        if self.pictures is not None:
            self.pictures.close()

    @property
    def engine(self) -> Engine:
        """The rules that run, with what changes while one plays."""
        return self._now.engine

    def expert(self) -> tuple[str, ...]:
        """Do the loaded task; see the port.

        :raises SkillError: there is no way, or none in the steps that are left; nothing is done.
        """
        episode = self._now
        if episode.task is None:
            raise ConfigurationError(
                'no task with a goal is loaded: reset the world with one, e.g. generated:1'
            )
        found = solve(episode.engine, episode.task.goal)
        if self._limit and episode.steps + len(found) > self._limit:
            raise SkillError(
                f'The expert needs {len(found)} skills, and {self._limit - episode.steps} are '
                'left in this episode: set step_limit to more, or to 0 for no limit.'
            )
        for one in found:
            self.step(one.skill)
        return tuple(one.skill for one in found)

    def displace(self, thing: str, choice: Random) -> bool:
        """Put an object somewhere else; see the port."""
        moved = self._now.engine.displace(thing, choice)
        self._now.judge()
        return moved

    def snapshot(self) -> object:
        """The game as it is; see the port."""
        episode = self._now
        return replace(episode, engine=episode.engine.rehearsal())

    def restore(self, snapshot: object) -> Observation:
        """Put it back; see the port.

        :raises ConfigurationError: it is no snapshot of such a world.
        """
        if not isinstance(snapshot, _Episode):
            raise ConfigurationError('this is no snapshot of ProcWorld: take one first')
        self._episode = replace(snapshot, engine=snapshot.engine.rehearsal())
        return self.observe()

    def _observation(
        self, skill: str, seen: Seen, outcome: Outcome, looked_at: Iterable[str] = ()
    ) -> Observation:
        episode = self._now
        state = episode.engine.state
        held = (state.held,) if state.held else ()
        skills = self.admissible_skills()
        text = seen.text
        if self._visual:
            # What is seen has to be read off the picture.
            seen, looked_at = Seen('', held), ()
            result = 'Succeeded.' if outcome is Outcome.SUCCEEDED else NOTHING
            text = f'{result} You can: {", ".join(skills) or "nothing"}.'
        names = dict.fromkeys((*seen.things, *held))
        # Doors have to be seen, where that is all there is.
        facts = [*map(state.fact, names), *(() if self._visual else state.door_facts())]
        return Observation(
            text,
            outcome,
            skill,
            state.place,
            state.room,
            tuple(looked_at),
            held,
            skills,
            tuple(facts) if outcome in _TELLING else (),
            over=self._over(episode),
        )
