"""How much is held of what is got, made and used up in numbers."""

from __future__ import annotations

import pytest

from reactree_core.observation import Vocabulary
from reactree_core.record.run_settings import Limits
from reactree_core.skill_types import SkillKind, SkillType
from reactree_planner.llm.policy import PolicyModel
from reactree_planner.runs.run_belief import RunBelief
from reactree_planner.runs.settings import PlannerSettings
from reactree_tools.episode import InProcessMemory, plan_episode
from sim_bridge.worlds.textcraft.world import TextCraftWorld

SAWMILL = Vocabulary(
    other_classes=('plank', 'larch plank', 'trunk', 'peg', 'ladder', 'rope', 'hemp', 'chest'),
    skill_types=(
        SkillType('saw <items> from <items>', kind=SkillKind.MAKE),
        SkillType('get <number> <item>', ('number', 'name')),
    ),
)


def test_names_with_and_in_them_are_one_name():
    belief = RunBelief(SAWMILL)
    belief.facts.recipes.note(
        belief.facts.skills.parse('saw 2 tinder from 1 flint and steel and 2 hemp')
    )
    assert belief.facts.recipes.stock['tinder'] == 2


def test_what_is_used_up_is_held_no_more_and_the_world_has_the_last_word():
    belief = RunBelief(SAWMILL)
    belief.facts.recipes.note(belief.facts.skills.parse('saw 3 hemp from 1 trunk'))
    belief.facts.recipes.note(belief.facts.skills.parse('saw 1 rope from 2 hemp'))
    assert belief.facts.recipes.stock['hemp'] == 1 and belief.facts.recipes.stock['rope'] == 1
    belief.facts.recipes.correct(['rope 1'])
    assert belief.facts.recipes.stock['hemp'] == 0 and belief.facts.recipes.stock['rope'] == 1


@pytest.mark.parametrize('seed', range(12))
def test_a_task_of_crafts_is_done_without_asking_the_model(seed):
    def unasked(text, options):
        raise AssertionError(f'the model was asked: {text[-200:]} {options}')

    world = TextCraftWorld()
    world.reset('', f'generated:{seed}', 0)
    episode = plan_episode(
        world,
        PolicyModel(unasked),
        InProcessMemory(),
        PlannerSettings(example_count=0),
        Limits(decisions=300),
    )
    assert episode.outcome.success
    assert episode.goal_met
    assert episode.run.budget.usage.requests == 0
