"""Each planner solves tasks of the household families, with a model that acts by rules."""

from __future__ import annotations

import re

import pytest

from reactree_core.cancellation import CancelToken
from reactree_core.record.events import DecisionKind
from reactree_core.record.run_settings import Limits
from reactree_core.record.snapshot import reduce_events
from reactree_planner.llm.policy import PolicyModel
from reactree_planner.runs.settings import Decides, PlannerSettings
from reactree_tools.episode import InProcessMemory, plan_episode
from reactree_tools.seed_memory.flat_expert import ReactExpertModel
from reactree_tools.seed_memory.writing import flat_teacher_for, root_lesson
from sim_bridge.worlds.household.roles import name_of
from sim_bridge.worlds.registry import make_world

_PUT = re.compile(r'put (?:another |a \w+ )?(?P<thing>.+?) (?:on|in) (?P<place>.+)$')


class Learner:
    """Does whole tasks only from its second try on; plans them, and does single steps at once.

    :param tries: of the whole task that it wanders through first.
    """

    def __init__(self, world, tries):
        self._whole = flat_teacher_for(world)
        self._steps, _ = root_lesson(world.task(), name_of)
        self._task = world.task().instruction
        self._left = tries
        self._shown = ''

    def policy(self, text, options):
        """As of `PolicyModel`."""
        last = text.rsplit('\n', 1)[-1]
        if options is None:
            if last.startswith('Step '):
                return f' {self._steps[int(last[5:-1]) - 1]}'
            if last == 'Execution Order:':
                return ' AND '.join(f'Step {n + 1}' for n in range(len(self._steps)))
            return ' I do it.'
        names = [option.strip() for option in options]
        if 'Execution Order:' in names:
            return int(int(names[0][5:-1]) > len(self._steps))
        if 'Your task is to: ' not in text:
            # Where things are usually kept.
            return 0
        own = text.rsplit('Your task is to: ', 1)[1]
        goal = own.splitlines()[0]
        if goal == self._task:
            self._left -= 'Act: ' not in own and names[0] != 'Act:'
            if self._left >= 0:
                return 0
        return self._teacher(goal).session(CancelToken(), text).select(options).index

    def _teacher(self, goal):
        match = _PUT.match(goal)
        if goal == self._task or match is None:
            return self._whole
        return ReactExpertModel(self._whole.rooms, '', {match['thing']: 1}, match['place'])


@pytest.mark.parametrize(
    ('planner', 'tries', 'expands'),
    [
        ('react', 0, False),
        ('plan_and_execute', 0, True),
        ('try_again', 1, True),
        ('reflexion', 1, True),
        ('adapt', 1, True),
    ],
)
@pytest.mark.parametrize('family', ['setup_table', 'put_dishwasher'])
def test_each_planner_solves_a_task_of_a_family(planner, tries, expands, family):
    world = make_world('household')
    where = 'generated:9001', f'{family}:9001', 9001
    world.reset(*where)
    events = []
    episode = plan_episode(
        world,
        PolicyModel(Learner(world, tries).policy),
        InProcessMemory(),
        PlannerSettings(example_count=0, executor_decisions=60, decides=Decides.MODEL),
        Limits(decisions=600, steps=600),
        planner,
        watch=events.append,
        restart=lambda: world.reset(*where),
    )
    assert (episode.ended, episode.progress.success) == ('success', True)
    kinds = [event.kind for event in events if hasattr(event, 'kind')]
    assert kinds.count(DecisionKind.EXPAND) == expands
    assert reduce_events(events) == episode.run.tree.snapshot()
    assert all(kept.planner == planner for kept in episode.experiences('run'))
