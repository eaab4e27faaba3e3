#!/usr/bin/env python3
"""A world of your own: what a class must answer, and a task planned in it. Needs no ROS.

python examples/own_world.py                           answers from code: seconds
python examples/own_world.py qwen2.5-coder-1.5b        a model decides (reactree model list)
PYTHONPATH=examples reactree up --world own_world:TeaKitchen --task generated:1
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace

from reactree_core.errors import ConfigurationError
from reactree_core.observation import Observation, Outcome, Progress, Vocabulary, WorldTask
from reactree_core.ports import LanguageModel
from reactree_core.record.events import Event
from reactree_core.record.run_settings import Limits
from reactree_core.skill_types import SkillKind, SkillType
from reactree_planner.llm.policy import Policy, PolicyModel
from reactree_planner.llm.registry import load_model, ModelOptions
from reactree_planner.runs.planner import Planner
from reactree_planner.runs.settings import Guards, PlannerSettings
from reactree_tools.episode import Episode, InProcessMemory, plan_episode

DRINKS = ('mint tea', 'black tea')
#: The way to a cup of tea, for a model that only follows it.
RECIPE = ('boil water', 'brew mint tea', 'pour mint tea into cup 1', 'done')


class TeaKitchen:
    """Port `World` (reactree_core/world.py): two teas, two cups, a kettle."""

    name = 'tea_kitchen'
    scene = 'tea_kitchen'

    def __init__(self) -> None:
        self._task: WorldTask | None = None
        self._begin()

    def _begin(self) -> None:
        self._hot = False
        self._brewed: set[str] = set()
        self._cups: dict[str, str] = {}

    def reset(self, scene: str, task: str, seed: int) -> Observation:
        """Begin anew; the only task is 'generated:<number>', an even number for black tea."""
        if task and not task.startswith('generated:'):
            raise ConfigurationError(f'this world has no task {task!r}: try generated:1')
        self._begin()
        if task:
            drink = DRINKS[int(task.partition(':')[2]) % 2 == 0]
            self._task = WorldTask(task, 'serve', f'pour {drink} into cup 1')
        return self.observe()

    def vocabulary(self) -> Vocabulary:
        """What can be done and named; only templates are needed, kinds let rules help."""
        return Vocabulary(
            object_classes=('cup', *DRINKS),
            skill_types=(
                SkillType('boil water', kind=SkillKind.CHANGE, description='heat the kettle'),
                SkillType('brew <drink>', kind=SkillKind.MAKE, description='needs hot water'),
                SkillType(
                    'pour <drink> into <cup>', kind=SkillKind.PUT, description='needs the drink'
                ),
            ),
            about='You are a robot that makes tea.',
        )

    def observe(self) -> Observation:
        """What the robot sees; the planner reads the text."""
        full = [f'{drink} is in {cup}.' for cup, drink in self._cups.items()]
        pots = [f'There is a pot of {drink}.' for drink in sorted(self._brewed)]
        water = 'The water is hot.' if self._hot else 'The water is cold.'
        return Observation(
            ' '.join((water, *pots, *full)), admissible_skills=self.admissible_skills()
        )

    def admissible_skills(self) -> tuple[str, ...]:
        """Skills that can succeed now."""
        skills = ['boil water']
        if self._hot:
            skills += [f'brew {drink}' for drink in DRINKS if drink not in self._brewed]
        for cup in ('cup 1', 'cup 2'):
            if cup not in self._cups:
                skills += [f'pour {drink} into {cup}' for drink in sorted(self._brewed)]
        return tuple(skills)

    def candidate_skills(self) -> tuple[str, ...]:
        """The wider set that a planner without guards is offered."""
        return self.admissible_skills()

    def step(self, skill: str) -> Observation:
        """Do one skill."""
        if skill not in self.admissible_skills():
            known = any(any(kind.splits(skill)) for kind in self.vocabulary().skills)
            outcome = Outcome.PRECONDITION_FAILED if known else Outcome.INVALID_SKILL
            return replace(self.observe(), text=f'You cannot {skill} now.', outcome=outcome)
        verb, _, rest = skill.partition(' ')
        if verb == 'boil':
            self._hot = True
        elif verb == 'brew':
            self._brewed.add(rest)
        else:
            drink, _, cup = rest.partition(' into ')
            self._cups[cup] = drink
        return replace(self.observe(), skill=skill)

    def task(self) -> WorldTask | None:
        """What was loaded."""
        return self._task

    def progress(self) -> Progress | None:
        """One condition: the tea that was asked for is in the first cup."""
        if self._task is None:
            return None
        met = self._task.instruction == f'pour {self._cups.get("cup 1")} into cup 1'
        return Progress(int(met), 1, () if met else (self._task.instruction,))


def follow(recipe: tuple[str, ...]) -> Policy:
    """What a model answers that does one skill of a recipe after the other."""

    def answer(text: str, options: Sequence[str] | None) -> int | str:
        if options is None:
            return ' I go on.'
        names = [option.strip() for option in options]
        for wanted in recipe:
            if wanted in names and f'Act: {wanted}\n' not in text.rsplit('Your task is to:')[-1]:
                return names.index(wanted)
        return next((at for at, name in enumerate(names) if name.startswith('Act')), 0)

    return answer


def show(event: Event) -> None:
    """One line for what was done and seen."""
    skill, text = getattr(event, 'skill', ''), getattr(event, 'text', '')
    if skill and text:
        print(f'{skill}: {text}')


def plan(
    model: LanguageModel, settings: PlannerSettings, planner: str | Planner = 'react'
) -> Episode:
    """Have a model serve mint tea."""
    world = TeaKitchen()
    world.reset('', 'generated:1', 0)
    return plan_episode(
        world, model, InProcessMemory(), settings, Limits(30, 15), planner, watch=show
    )


def main() -> int:
    """Plan with the model that the command line names, else by a recipe."""
    if sys.argv[1:]:
        model, settings = load_model(sys.argv[1], ModelOptions()), PlannerSettings()
    else:
        model, settings = (
            PolicyModel(follow(RECIPE)),
            PlannerSettings(guards=Guards.none(), thoughts=0),
        )
    episode = plan(model, settings)
    print(f'ended: {episode.ended}; conditions met: {episode.progress}')
    return 0 if episode.goal_met else 1


if __name__ == '__main__':
    sys.exit(main())
