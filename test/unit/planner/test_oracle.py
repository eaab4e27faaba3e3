"""The gold plan: what the world's expert does, carried out; nothing without an expert."""

from __future__ import annotations

import pytest

from reactree_core.cancellation import CancelToken
from reactree_core.errors import SkillError
from reactree_core.record.run_settings import Limits
from reactree_planner.llm.policy import PolicyModel
from reactree_planner.runs.settings import PlannerSettings
from reactree_tools.episode import InProcessMemory, plan_episode
from sim_bridge.in_process_skill_server import InProcessSkillServer
from sim_bridge.worlds.registry import make_task_world
from support.workbench import ExpertWorkbenchWorld, WorkbenchWorld


def no_model(text, options):
    raise AssertionError('the oracle asks no model')


def episode_of(world, restart=None):
    return plan_episode(
        world,
        PolicyModel(no_model),
        InProcessMemory(),
        PlannerSettings(),
        Limits(),
        'oracle',
        restart=restart,
    )


@pytest.mark.parametrize('name', ['household', 'textcraft', 'webshop', 'alfworld', 'procworld'])
def test_the_expert_of_each_world_meets_the_goal(name):
    world = make_task_world(name)
    world.reset(world.scene_of(7), f'{world.task_families()[0]}:7', 7)
    episode = episode_of(world)
    assert episode.outcome.success
    assert episode.goal_met
    assert episode.experiences('run')[0].planner == 'oracle'


def test_a_world_that_cannot_be_kept_is_begun_anew_after_the_rehearsal():
    world = ExpertWorkbenchWorld()
    world.reset('', 'make_ladder:1', 1)
    episode = episode_of(world, restart=lambda: world.reset('', 'make_ladder:1', 1))
    assert episode.goal_met


def test_a_world_without_an_expert_is_told_of_before_anything_is_done():
    world = WorkbenchWorld()
    world.reset('', 'make_ladder:1', 1)
    episode = episode_of(world)
    assert not episode.outcome.success
    assert 'has no expert' in episode.outcome.message


def test_a_world_that_cannot_be_put_back_is_not_rehearsed_in():
    world = ExpertWorkbenchWorld()
    world.reset('', 'make_ladder:1', 1)
    with pytest.raises(SkillError, match='nothing here can put this world back'):
        InProcessSkillServer(world).expert_plan(CancelToken())
    assert not world.progress().success


def test_rehearsing_leaves_the_world_as_it_was():
    world = make_task_world('household')
    world.reset(world.scene_of(3), f'{world.task_families()[0]}:3', 3)
    before = world.observe()
    skills = InProcessSkillServer(world).expert_plan(CancelToken())
    assert skills
    assert world.observe() == before


def test_a_robot_has_no_expert_and_does_not_move(plan, make_home):
    class Server:
        """A skill server as a robot has it."""

        def __init__(self):
            self._home = make_home()
            for name in ('list_skills', 'candidate_skills', 'look', 'execute', 'progress'):
                setattr(self, name, getattr(self._home, name))
            self.executed = self._home.executed

    robot = Server()
    with pytest.raises(SkillError, match='A robot, or a bridge over ROS, has none'):
        plan('put apple on table', no_model, planner='oracle', home=robot)
    assert robot.executed == []
