"""Which skills bring a condition about, and how many things are enough."""

from __future__ import annotations

import pytest

from reactree_core.observation import Observation
from reactree_core.skill_types import Relation, SkillKind
from reactree_planner.facts.conditions import Condition, conditions_of
from reactree_planner.facts.reasoner import Reasoner
from reactree_planner.facts.unreachable import makers_of
from unit.facts.made_up import GO, MadeUp, play, PUT, skill, TAKE

SAW = skill('saw <plank> from <trunk>', SkillKind.MAKE, slot_types=('thing', 'thing'))
SOAK = skill('soak <plant>', SkillKind.OTHER, ('moisture of <plant> > 50 %',), (), ('thing',))
DRAIN = skill('drain <plant>', SkillKind.OTHER, ('moisture of <plant> < 10 %',), (), ('thing',))
WILT = skill('wilt <plant>', SkillKind.CHANGE, ('<plant> is dry',), (), ('thing',))
LOAD = skill('load <plank> on <cart>', SkillKind.OTHER, ('<plank> in <cart>',), ())


def makers(*told):
    """Verbs of what brings a condition about."""
    types = (GO, TAKE, SAW, SOAK, DRAIN, WILT, LOAD)
    world = MadeUp(types, {'yard 1': '', 'cart 1': ''}, {'plank 1': 'yard 1', 'plant 1': 'yard 1'})
    mind = Reasoner(world.vocabulary(), ())
    mind.see(Observation(''))
    return [one.verb for one in makers_of(mind.belief, Condition(*told))]


@pytest.mark.parametrize(
    ('condition', 'verbs'),
    [
        ((Relation.HOLDING, 'plank'), ['grab', 'saw']),
        ((Relation.IN, 'plank', 'cart'), ['load']),
        ((Relation.IS, 'plant', 'dry'), ['wilt']),
        ((Relation.IS, 'plant', 'moisture > 40 %'), ['soak']),
        ((Relation.IS, 'plant', 'moisture < 20 %'), ['drain']),
        ((Relation.IS, 'plant', 'moisture > 60 %'), []),
        ((Relation.DONE, 'wilt plant 1'), ['wilt']),
        ((Relation.AT, '', 'cart'), ['drive to']),
    ],
)
def test_what_brings_it_about(condition, verbs):
    assert makers(*condition) == verbs


@pytest.mark.parametrize(('count', 'held'), [(1, 1), (2, 2), (3, 3)])
def test_so_many_are_held_and_no_fewer(count, held):
    things = {f'bowl {n}': 'bench 1' for n in range(1, 5)}
    world = MadeUp((GO, TAKE, PUT), {'bench 1': '', 'shelf 1': ''}, things, hands=4, at='bench 1')
    condition = Condition(Relation.HOLDING, 'bowl', count=count)
    assert play(world, Reasoner(world.vocabulary(), [(condition,)])).is_done
    assert len(world.held) == held


@pytest.mark.parametrize('there', [0, 1, 2])
def test_what_lies_there_already_counts(there):
    things = {f'bowl {n}': 'shelf 1' if n <= there else 'bench 1' for n in range(1, 5)}
    world = MadeUp((GO, TAKE, PUT), {'bench 1': '', 'shelf 1': ''}, things, at='bench 1')
    assert play(world, Reasoner(world.vocabulary(), [conditions_of(['2 bowl in shelf'])])).is_done
    assert sum(place == 'shelf 1' for place in world.things.values()) == 2
    assert sum(text.startswith('grab') for text in world.done) == 2 - there
