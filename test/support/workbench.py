"""A world that is no home: a bench on which things are made of others, judged by a score.

No scene, no graph, no conditions, no places: what worlds of other kinds leave out.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from random import Random

from reactree_core.errors import ConfigurationError, SkillError
from reactree_core.observation import Observation, Outcome, Progress, Vocabulary, WorldTask

#: What is made of what.
RECIPES = {
    'plank': Counter(log=1),
    'stick': Counter(plank=1),
    'ladder': Counter(stick=2),
    'table': Counter(plank=2, stick=1),
}
#: Family -> what its tasks ask for.
FAMILIES = {'make_ladder': 'ladder', 'make_table': 'table'}
#: Skills after which an episode is over.
LONGEST = 12


class WorkbenchWorld:
    """Port `TaskWorld`: logs are got, the rest is made."""

    quick = True

    def __init__(self) -> None:
        self.resets = 0
        self._task: WorldTask | None = None
        self._begin()

    def _begin(self) -> None:
        self._goal = ''
        self._has: Counter[str] = Counter()
        self._steps = 0

    @property
    def name(self) -> str:
        """'workbench'."""
        return 'workbench'

    @property
    def scene(self) -> str:
        """There is only one."""
        return ''

    def reset(self, scene: str, task: str, seed: int) -> Observation:
        """Take a task: '<family>:<seed>' or 'generated:<seed>'."""
        family, _, number = task.partition(':')
        if family == 'generated':
            family = Random(int(number or seed)).choice(sorted(FAMILIES))
        if scene or (task and family not in FAMILIES):
            raise ConfigurationError(f'the workbench has no scene {scene!r} or task {task!r}')
        self.resets += 1
        self._begin()
        self._task = None
        if task:
            self._goal = FAMILIES[family]
            self._task = WorldTask(f'{family}:{number}', family, f'make a {self._goal}')
        return self.observe()

    def take_for(self, instruction: str) -> None:
        """Give the loaded task another sentence."""
        assert self._task is not None
        self._task = replace(self._task, instruction=instruction)

    def vocabulary(self) -> Vocabulary:
        """Two skills."""
        return Vocabulary(('get <thing>', 'make <thing>'), ('log', *RECIPES))

    @property
    def _over(self) -> bool:
        return self._steps >= LONGEST or (bool(self._goal) and self._has[self._goal] > 0)

    def observe(self) -> Observation:
        """What there is."""
        has = ', '.join(f'{count} {name}' for name, count in sorted(self._has.items()) if count)
        return Observation(f'You have {has or "nothing"}.', over=self._over)

    def admissible_skills(self) -> tuple[str, ...]:
        """What can be made now."""
        if self._over:
            return ()
        made = (name for name, parts in RECIPES.items() if parts <= self._has)
        return ('get log', *(f'make {name}' for name in made))

    def candidate_skills(self) -> tuple[str, ...]:
        """Everything."""
        return ('get log', *(f'make {name}' for name in RECIPES))

    def step(self, skill: str) -> Observation:
        """Do a skill."""
        if skill not in self.admissible_skills():
            text = 'It is too late.' if self._over else 'That cannot be made.'
            return replace(self.observe(), text=text, outcome=Outcome.PRECONDITION_FAILED)
        thing = skill.split()[1]
        self._has -= RECIPES.get(thing, Counter())
        self._has[thing] += 1
        self._steps += 1
        return replace(self.observe(), skill=skill)

    def progress(self) -> Progress | None:
        """Nothing but a score: half for the first plank."""
        if not self._goal:
            return None
        if self._has[self._goal]:
            return Progress(0, 0, (), 1.0)
        return Progress(0, 0, (), 0.5 if self._has['plank'] else 0.0)

    def task(self) -> WorldTask | None:
        """What was taken."""
        return self._task

    def task_families(self) -> tuple[str, ...]:
        """Two."""
        return tuple(FAMILIES)

    def scene_of(self, seed: int) -> str:
        """None."""
        return ''

    def tasks_of_file(self, path: Path) -> tuple[WorldTask, ...]:
        """None."""
        raise ConfigurationError(f'the workbench reads no task files, not {path} either')


class ExpertWorkbenchWorld(WorkbenchWorld):
    """The same with an expert."""

    def expert(self) -> tuple[str, ...]:
        """Make what is missing, then what is asked for."""
        done: list[str] = []

        def make(thing: str) -> None:
            for part, need in RECIPES.get(thing, Counter()).items():
                while self._has[part] < need:
                    make(part)
            done.append(f'make {thing}' if thing in RECIPES else f'get {thing}')
            if not self.step(done[-1]).succeeded:
                raise SkillError(f'stuck at {done[-1]}')

        make(self._goal)
        return tuple(done)
