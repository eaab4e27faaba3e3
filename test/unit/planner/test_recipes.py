"""What is made of what, and what comes next."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from reactree_core.observation import Observation
from reactree_core.observation import Vocabulary
from reactree_core.skill_types import SkillKind
from reactree_core.skill_types import SkillType
from reactree_planner.agents.belief_state import BeliefState
from reactree_planner.llm.scripted import PolicyModel
from reactree_planner.runs.settings import PlannerSettings
from reactree_planner.tree.run_settings import Limits
from reactree_tools.episode import InProcessMemory
from reactree_tools.episode import plan_episode
from sim_bridge.worlds.textcraft.world import TextCraftWorld

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


def test_what_may_be_a_sort_of_what_is_needed_is_made():
    belief = BeliefState(replace(SAWMILL, other_classes=('dry plank', 'larch plank', 'bench')))
    belief.update(Observation('saw 1 bench from 2 dry plank\nsaw 4 larch plank from 1 trunk'))
    larch = belief.skills.parse('saw 4 larch plank from 1 trunk')
    assert belief.recipes.makes(larch, belief.recipes.needed_for(('bench',)))


def test_recipes_that_need_each_other_are_read_to_an_end():
    belief = BeliefState(SAWMILL)
    belief.update(Observation('saw 1 trunk from 4 plank\nsaw 4 plank from 1 trunk'))
    assert belief.recipes.needed_for(('plank',)) == {'plank', 'trunk'}


def test_a_server_that_makes_nothing_has_no_recipes():
    belief = BeliefState(Vocabulary(('go to <place>',), place_classes=('shelf',)))
    belief.update(Observation('saw 1 peg from 1 shelf', admissible_skills=('go to shelf 1',)))
    assert belief.recipes.needed_for(('shelf', 'peg')) == frozenset()


class Mill:
    """Recipes with their amounts, and a stock of which they take: does what is offered."""

    def __init__(self, recipes, gettable, held=()):
        self.recipes = dict(recipes)
        self.gettable = gettable
        self.held = Counter(dict(held))
        vocabulary = replace(
            SAWMILL,
            skill_types=(
                SAWMILL.skill_types[0],
                replace(SAWMILL.skill_types[1], effects=('holding <item>',)),
            ),
        )
        self.belief = BeliefState(vocabulary)
        self.belief.update(self.seen('\n'.join(self.recipes)))

    @property
    def offered(self):
        crafts = [
            text
            for text, (_, _, used) in self.recipes.items()
            if all(self.held[name] >= number for name, number in used.items())
        ]
        return (*crafts, *(f'get {number} {name}' for name, number in self.gettable))

    def seen(self, text='', skill=''):
        held = tuple(name for name, number in self.held.items() if number)
        return Observation(text, skill=skill, held=held, admissible_skills=self.offered)

    def next(self, wanted, count=1, withheld=()):
        skills = self.belief.skills.parse_all(
            tuple(text for text in self.offered if text not in withheld)
        )
        found = self.belief.recipes.next_step(wanted, count, skills)
        return found and found[0]

    def work(self, wanted, count=1):
        """Do what comes next until nothing does; what was done."""
        done = []
        while (skill := self.next(wanted, count)) is not None:
            assert skill.text in self.offered
            assert len(done) < 500
            done.append(skill.text)
            if skill.text in self.recipes:
                name, number, used = self.recipes[skill.text]
                self.held[name] += number
                self.held.subtract(used)
            else:
                _, number, name = skill.text.split(' ', 2)
                self.held[name] += int(number)
            self.belief.update(self.seen('Done.', skill.text))
        return done


def recipe(name, number, used):
    """A recipe by its text."""
    parts = ', '.join(f'{each} {part}' for part, each in used.items())
    return f'saw {number} {name} from {parts}', (name, number, used)


LADDER = dict(
    [
        recipe('larch plank', 4, {'trunk': 1}),
        recipe('rope', 1, {'hemp': 3}),
        recipe('peg', 4, {'larch plank': 2}),
        recipe('ladder', 1, {'larch plank': 2, 'peg': 8, 'rope': 1}),
    ]
)


def test_what_a_thing_is_made_of_is_got_and_made_before_it():
    mill = Mill(LADDER, [('trunk', 1), ('hemp', 1), ('hemp', 3)])
    done = mill.work('ladder')
    assert mill.held['ladder'] == 1
    assert done[:2] == ['get 1 trunk', 'saw 4 larch plank from 1 trunk']
    assert done[-3:] == [
        'get 3 hemp',
        'saw 1 rope from 3 hemp',
        'saw 1 ladder from 2 larch plank, 8 peg, 1 rope',
    ]
    # What is reserved for the ladder is not sawn into pegs.
    assert Counter(done)['get 1 trunk'] == 2


def test_it_is_told_what_needs_the_next_step():
    mill = Mill(LADDER, [('trunk', 1), ('hemp', 3)])
    skills = mill.belief.skills.parse_all(mill.offered)
    assert mill.belief.recipes.next_step('rope', 1, skills)[1] == 'rope'
    assert mill.belief.recipes.next_step('ladder', 1, skills)[1] == 'larch plank'
    ready = Mill(LADDER, [('trunk', 1)], held={'hemp': 1})
    ready.belief.recipes.note(ready.belief.skills.parse('get 3 hemp'))
    ready.held['hemp'] = 3
    ready.belief.update(ready.seen())
    skills = ready.belief.skills.parse_all(ready.offered)
    assert ready.belief.recipes.next_step('rope', 1, skills)[1] == ''


def test_what_is_held_is_used_and_as_many_are_made_as_are_wanted():
    mill = Mill(LADDER, [('hemp', 1)], held={'rope': 1})
    assert mill.work('rope') == []
    assert mill.work('rope', 2) == ['get 1 hemp'] * 3 + ['saw 1 rope from 3 hemp']
    assert mill.held['rope'] == 2


def test_a_sort_that_may_not_be_used_is_passed_over_for_another():
    recipes = dict(
        [recipe('larch plank', 4, {'larch trunk': 1}), recipe('oak plank', 4, {'oak trunk': 1})]
    )
    gettable = [('larch trunk', 1), ('oak trunk', 1)]
    told = dict([recipe('peg', 4, {'plank': 2})])
    # Only pegs of oak can be sawn, whatever the recipe says.
    mill = Mill({**recipes, **told, **dict([recipe('peg', 4, {'oak plank': 2})])}, gettable)
    mill.recipes.pop('saw 4 peg from 2 plank')
    assert mill.work('peg')[-1] == 'saw 4 peg from 2 oak plank'


def test_the_easier_of_two_recipes_is_taken_and_the_other_where_that_is_not_offered():
    recipes = dict([recipe('rope', 1, {'hemp': 3}), recipe('rope', 1, {'twine': 1})])
    mill = Mill(recipes, [('hemp', 3), ('twine', 1)])
    assert mill.next('rope').text == 'get 1 twine'
    assert mill.next('rope', withheld=('get 1 twine',)) is None
    assert Mill(recipes, [('hemp', 3)]).next('rope').text == 'get 3 hemp'


#: More recipes in a row than are followed.
LONG = '\n'.join(
    ('saw 1 trunk from 1 item0', *(f'saw 1 item{at} from 1 item{at + 1}' for at in range(1500)))
)


@pytest.mark.parametrize(
    'lines',
    [
        'saw 1 trunk from 4 plank\nsaw 4 plank from 1 trunk',
        'saw 1 trunk from 1 trunk',
        'saw 1 trunk from ,',
        'saw , from 1 plank',
        'saw 1  from 1 plank',
        'saw 99999999999 trunk from 99999999999 plank',
        '\n'.join(f'saw 1 item{at} from 1 item{at + 1}' for at in range(1500))
        + '\nsaw 1 trunk from 1 item0',
    ],
)
def test_recipes_that_lead_nowhere_end_without_a_step(lines):
    mill = Mill({}, [('hemp', 1)])
    mill.belief.update(Observation(lines, admissible_skills=('get 1 hemp',)))
    assert mill.next('trunk') is None


def test_names_with_and_in_them_are_one_name():
    mill = Mill(dict([recipe('flint and steel', 1, {'flint': 1, 'iron': 1})]), [('flint', 1)])
    assert mill.belief.recipes.tell_of('flint and steel')
    text = 'saw 2 tinder from 1 flint and steel and 2 hemp'
    mill.belief.update(Observation(text, admissible_skills=('get 2 hemp',)))
    assert mill.belief.recipes.tell_of('tinder')
    made = mill.belief.skills.parse(text)
    mill.belief.recipes.note(made)
    assert mill.belief.recipes.stock_of('tinder') == 2


@st.composite
def books(draw):
    """Recipes without a circle: each thing is made of such as come before it."""
    count = draw(st.integers(2, 7))
    base = draw(st.integers(1, count - 1))
    lines = []
    for at in range(base, count):
        for _ in range(draw(st.integers(1, 2))):
            parts = st.dictionaries(
                st.integers(0, at - 1).map(lambda one: f'thing{one}'),
                st.integers(1, 3),
                min_size=1,
            )
            used = draw(parts)
            lines.append(recipe(f'thing{at}', draw(st.integers(1, 3)), used))
    return dict(lines), [(f'thing{at}', draw(st.integers(1, 3))) for at in range(base)], count - 1


@given(books(), st.integers(1, 3))
@hypothesis_settings(deadline=None, max_examples=60)
def test_every_thing_that_can_be_made_is_made(book, count):
    recipes, gettable, last = book
    mill = Mill(recipes, gettable)
    mill.work(f'thing{last}', count)
    assert mill.held[f'thing{last}'] >= count


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
    assert episode.run.usage.requests == 0
