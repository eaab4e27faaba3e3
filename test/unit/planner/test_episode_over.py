"""A world that ends its episode: every planner ends with it, as the world judges."""

from __future__ import annotations

import pytest

from reactree_core.observation import Observation
from reactree_core.record.events import Decision, DecisionKind
from reactree_core.record.run_settings import Limits
from reactree_planner.llm.policy import PolicyModel
from reactree_planner.planners.registry import general_planners
from reactree_planner.runs.settings import Guards, PlannerSettings, PlanSettings
from reactree_tools.episode import InProcessMemory, plan_episode
from support.workbench import ExpertWorkbenchWorld, LONGEST, WorkbenchWorld

LATER = ('get log', 'get log')


def solution():
    world = ExpertWorkbenchWorld()
    world.reset('', 'make_ladder:1', 1)
    return world.expert()


class Follower:
    """A model that does one skill after the other, in whatever form it is asked."""

    def __init__(self, world, skills):
        self.world = world
        self.skills = skills
        self.asked_after_the_end = []

    def __call__(self, text, options):
        if self.world.observe().over:
            self.asked_after_the_end.append(text[-200:])
        done = self.world._steps
        wanted = self.skills[done] if done < len(self.skills) else 'done'
        if options is None:
            return self.written(text, wanted)
        names = [option.strip() for option in options]
        for name in ('Act:', wanted):
            if name in names:
                return names.index(name)
        if 'Execution Order:' in names:
            return int(names[0] != 'Step 1:')
        return 0

    def written(self, text, wanted):
        last = text.rsplit('\n', 1)[-1]
        if last.endswith('Answer:'):
            return ' A'
        if text.endswith('():\n'):
            calls = (skill.split(' ', 1) for skill in self.skills)
            return '\n'.join(f'    {verb}({thing!r})' for verb, thing in calls)
        if last.startswith('Step '):
            return ' make a ladder'
        if last == 'Execution Order:':
            return ' Step 1'
        if last.endswith('Act:'):
            return f' {wanted}\n'
        if last.strip('.').isdigit():
            rest = (*self.skills, 'done')[int(last.strip('.')) - 1 :]
            return '\n'.join(f' {skill}' for skill in rest)
        return ' I think.'


def planned(name, skills, trials=1):
    world = ExpertWorkbenchWorld()
    world.reset('', 'make_ladder:1', 1)
    model = Follower(world, skills)
    events = []
    episode = plan_episode(
        world,
        PolicyModel(model),
        InProcessMemory(),
        PlannerSettings(
            guards=Guards.none(),
            thoughts=0,
            trials=2 if name == 'adapt' else trials,
            plans=PlanSettings(samples=1, votes=1, steps=20),
        ),
        Limits(60, 60),
        planner=name,
        watch=events.append,
        restart=lambda: world.reset('', 'make_ladder:1', 1),
    )
    return episode, model, events


@pytest.mark.parametrize('name', general_planners())
def test_a_goal_that_ends_the_episode_ends_the_run_as_done(name):
    skills = solution()
    episode, model, events = planned(name, (*skills, *LATER))
    assert episode.outcome.success and episode.goal_met
    assert episode.progress.score == 1.0
    done = [event.skill for event in events if isinstance(event, Observation) and event.skill]
    assert done == list(skills)
    assert model.asked_after_the_end == []
    tree = episode.run.tree.snapshot()
    assert tree.nodes[0].status.name in ('SUCCESS', 'EXPANDED')
    assert not any(node.status.name == 'RUNNING' for node in tree.nodes)
    assert any('the episode is over' in node.detail for node in tree.nodes)
    assert episode.experiences('a' * 32)


@pytest.mark.parametrize('name', [name for name in general_planners() if name != 'oracle'])
def test_an_episode_that_ends_before_its_goal_ends_the_run_as_failed(name):
    episode, model, events = planned(name, ('get log',) * (LONGEST + 5))
    assert not episode.outcome.success and not episode.goal_met
    assert episode.ended == 'failure'
    acts = [event.skill for event in events if isinstance(event, Observation) and event.skill]
    assert len(acts) == LONGEST
    reflects = name == 'reflexion' and model.asked_after_the_end
    assert model.asked_after_the_end == [] or reflects


@pytest.mark.parametrize('name', ['try_again', 'reflexion'])
def test_a_trial_that_the_world_has_ended_is_followed_by_the_next(name):
    episode, _, events = planned(name, ('get log',) * (LONGEST + 5), trials=3)
    assert episode.ended == 'failure'
    acts = [event.skill for event in events if isinstance(event, Observation) and event.skill]
    assert len(acts) == 3 * LONGEST
    thoughts = [event.text for event in events if isinstance(event, Decision)]
    reflections = sum(text.startswith('Reflection: ') for text in thoughts)
    assert reflections == (2 if name == 'reflexion' else 0)


def test_siblings_of_the_node_that_ends_the_episode_are_not_begun():
    world = WorkbenchWorld()
    model = Follower(world, (*solution(), *LATER))

    def policy(text, options):
        if options is None and text.endswith('- subgoals:'):
            return ' make ladder, get a log, get another log'
        names = [option.strip() for option in options or ()]
        if 'Expand:' in names and 'larger task' not in text.rsplit('Your task is to:')[-2][-400:]:
            if not world._steps:
                return names.index('Expand:')
        if 'parallel' in names:
            return names.index('parallel')
        return model(text, options)

    world.reset('', 'make_ladder:1', 1)
    events = []
    episode = plan_episode(
        world,
        PolicyModel(policy),
        InProcessMemory(),
        PlannerSettings(guards=Guards.none(), thoughts=0),
        Limits(60, 60),
        watch=events.append,
    )
    assert episode.outcome.success
    nodes = episode.run.tree.snapshot().nodes
    assert [node.status.name for node in nodes if node.goal] == ['SUCCESS'] * 4
    looks = [
        event.node_id for event in events if isinstance(event, Observation) and not event.skill
    ]
    assert len(looks) == 2
    assert model.asked_after_the_end == []
    # What did nothing is no experience.
    assert len(episode.experiences('a' * 32)) == 2


def test_a_trial_that_ends_the_episode_is_followed_by_another():
    skills = ('get log',) * LONGEST
    settings = PlannerSettings(guards=Guards.none(), thoughts=0, trials=3)
    world = WorkbenchWorld()
    world.reset('', 'make_ladder:1', 1)
    model = Follower(world, skills)

    def policy(text, options):
        if world.resets == 3:
            model.skills = solution()
        return model(text, options)

    events = []
    episode = plan_episode(
        world,
        PolicyModel(policy),
        InProcessMemory(),
        settings,
        Limits(100, 100),
        planner='try_again',
        watch=events.append,
        restart=lambda: world.reset('', 'make_ladder:1', 1),
    )
    assert episode.outcome.success and world.resets == 3
    ends = [
        (event.skill, event.text)
        for event in events
        if isinstance(event, Decision)
        and event.kind is DecisionKind.ACT
        and event.skill in ('done', 'failure')
    ]
    over = 'the episode is over'
    assert ends == [('failure', over), ('failure', over), ('done', over)]
