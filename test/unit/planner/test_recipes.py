"""What is made of what: told by the world, and what of it a goal is offered to make."""

from __future__ import annotations

from dataclasses import replace

import pytest

from reactree_core.observation import Observation
from reactree_core.observation import Vocabulary
from reactree_core.skill_types import SkillKind
from reactree_core.skill_types import SkillType
from reactree_planner.agents.belief_state import BeliefState
from reactree_planner.agents.offering import offered_skills
from reactree_planner.agents.situation import NodeSituation
from reactree_planner.runs.settings import Guards

SAWMILL = Vocabulary(
    other_classes=('plank', 'larch plank', 'trunk', 'peg', 'ladder', 'rope', 'hemp', 'chest'),
    skill_types=(
        SkillType('saw <items> from <items>', kind=SkillKind.MAKE),
        SkillType('get <number> <item>', ('number', 'name')),
    ),
)
BOOK = """Recipes:
  saw 4 larch plank from 1 trunk
  saw 1 ladder from 2 plank, 1 rope
  saw 4 peg from 2 plank
  saw 1 rope from 3 hemp

You hold nothing."""
CUTS = ('saw 4 peg from 2 larch plank', 'saw 4 larch plank from 1 trunk', 'saw 1 rope from 3 hemp')


def offered(goal, chain=(), guards=None):
    belief = BeliefState(SAWMILL)
    belief.update(Observation(BOOK, admissible_skills=(*CUTS, 'get 1 trunk')))
    situation = NodeSituation(goal, chain, belief)
    return offered_skills(situation, (*CUTS, 'get 1 trunk'), guards or Guards(once_only=False))


@pytest.mark.parametrize(
    ('goal', 'chain', 'made'),
    [
        ('make a ladder', (), CUTS[1:]),
        ('make a plank', ('make a ladder',), CUTS[1:2]),
        ('make the peg', ('make a ladder',), CUTS[:2]),
        # A goal that asks for nothing that is made goes by the one that it is a part of.
        ('get a trunk', ('make a ladder',), CUTS[1:]),
        # Of what no recipe makes nobody knows what it needs.
        ('make a chest', (), CUTS),
        ('finish the work', (), CUTS),
    ],
)
def test_only_what_leads_to_the_goal_is_made(goal, chain, made):
    assert offered(goal, chain) == [*made, 'get 1 trunk']


def test_what_may_be_a_sort_of_what_is_needed_is_made():
    belief = BeliefState(replace(SAWMILL, other_classes=('dry plank', 'larch plank', 'bench')))
    belief.update(Observation('saw 1 bench from 2 dry plank\nsaw 4 larch plank from 1 trunk'))
    larch = belief.skills.parse('saw 4 larch plank from 1 trunk')
    assert belief.recipes.makes(larch, belief.recipes.needed_for(('bench',)))


def test_without_the_guard_everything_is_offered():
    assert offered('make a ladder', guards=Guards.none()) == [*CUTS, 'get 1 trunk']


def test_recipes_that_need_each_other_are_read_to_an_end():
    belief = BeliefState(SAWMILL)
    belief.update(Observation('saw 1 trunk from 4 plank\nsaw 4 plank from 1 trunk'))
    assert belief.recipes.needed_for(('plank',)) == {'plank', 'trunk'}


def test_a_server_that_makes_nothing_has_no_recipes():
    belief = BeliefState(Vocabulary(('go to <place>',), place_classes=('shelf',)))
    belief.update(Observation('saw 1 peg from 1 shelf', admissible_skills=('go to shelf 1',)))
    assert belief.recipes.needed_for(('shelf', 'peg')) == frozenset()
