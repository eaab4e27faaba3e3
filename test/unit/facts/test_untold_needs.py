"""What a server does not tell: what a skill needs, where a thing has gone, how it is spelled."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from reactree_core.observation import Outcome
from reactree_core.skill_types import SkillKind
from reactree_planner.facts.conditions import conditions_of
from reactree_planner.facts.reasoner import Reasoner
from reactree_planner.facts.skills import Sort
from reactree_planner.facts.unreachable import Cause
from unit.facts.made_up import GO, MadeUp, play, PUT, skill, TAKE

SCAN = skill(
    'scan <crate>', SkillKind.CHANGE, ('<crate> is scanned',), ('at <crate>',), ('thing',)
)
LOAD = 'load <crate> onto <truck>'
PLACES = {'dock 1': '', 'dock 2': '', 'truck 1': ''}


@dataclass
class Silent(MadeUp):
    """Tells nothing of what loading needs: both at hand, and the crate scanned.

    The truck stands at dock 2.
    """

    def look(self, done='', outcome=Outcome.SUCCEEDED, text=''):
        seen = super().look(done, outcome, text)
        facts = (
            replace(one, receptacle='dock 2') if one.name == 'truck 1' else one
            for one in seen.facts
        )
        return replace(seen, facts=tuple(facts))

    def vocabulary(self):
        told = super().vocabulary()
        bare = skill(LOAD, SkillKind.PUT, ('<crate> in <truck>',), (), ('thing', 'place'))
        types = tuple(bare if one.template == LOAD else one for one in told.skills)
        return replace(told, skill_types=types)


def depot(**changes):
    load = skill(
        LOAD,
        SkillKind.PUT,
        ('<crate> in <truck>',),
        ('at <crate>', '<crate> is scanned'),
        ('thing', 'place'),
    )
    told = {
        'types': (GO, SCAN, load),
        'places': PLACES,
        'things': {'crate 1': 'dock 2'},
        'at': 'dock 1',
    }
    return Silent(**{**told, **changes})


def goal(text):
    return (conditions_of((text,)),)


def test_what_cannot_be_held_is_handled_where_it_is():
    world = depot(states={'crate 1': {'scanned'}})
    assert play(world, Reasoner(world.vocabulary(), goal('crate 1 in truck 1'))).is_done
    assert world.done == ['drive to dock 2', 'load crate 1 onto truck 1']


def test_what_is_not_on_offer_for_no_known_reason_is_no_certain_end():
    world = depot()
    reasoner = Reasoner(world.vocabulary(), goal('crate 1 in truck 1'))
    step = play(world, reasoner)
    assert world.done == ['drive to dock 2']
    assert step.unreachable.cause is Cause.NOT_OFFERED and not step.unreachable.is_certain
    assert step.unreachable.text == (
        '"load crate 1 onto truck 1" cannot be done, and it is not known why'
    )
    # Somebody else knows why: from there on it goes on.
    reasoner.see(world.step('scan crate 1'))
    assert play(world, reasoner).is_done
    assert world.done[-1] == 'load crate 1 onto truck 1'


def test_where_one_is_not_on_offer_another_of_its_class_may_be():
    world = depot(things={'crate 1': 'dock 2', 'crate 2': 'dock 2'})
    world.states['crate 2'] = {'scanned'}
    assert play(world, Reasoner(world.vocabulary(), goal('crate in truck 1'))).is_done
    assert world.done == ['drive to dock 2', 'load crate 2 onto truck 1']


def test_a_name_is_found_in_any_case():
    world = depot(things={'Crate A-7': 'dock 2'}, states={'Crate A-7': {'scanned'}})
    assert play(world, Reasoner(world.vocabulary(), goal('crate a-7 in truck 1'))).is_done
    assert world.things['Crate A-7'] == 'truck 1'


class Wandering(MadeUp):
    """Somebody carries the crate to another place as it is to be taken."""

    def step(self, text):
        if text == 'grab crate 1' and self.things['crate 1'] == 'dock 1':
            self.things['crate 1'] = 'dock 2'
            self.done.append(text)
            return self.look(text, Outcome.EXECUTION_FAILED, 'It is not there any more.')
        return super().step(text)


def test_what_has_gone_and_is_seen_again_is_fetched_from_there():
    world = Wandering((GO, TAKE, PUT), PLACES, {'crate 1': 'dock 1'}, at='truck 1', seen=False)
    assert play(world, Reasoner(world.vocabulary(), goal('crate 1 in truck 1'))).is_done
    assert world.things == {'crate 1': 'truck 1'}
    assert world.done.count('grab crate 1') == 2


@pytest.mark.parametrize('is_told', [True, False])
def test_a_server_that_names_no_classes_is_understood_by_its_offers(is_told):
    places = {'dock 1': '', 'truck 1': '', 'shed 1': ''}
    world = MadeUp((GO, TAKE, PUT), places, {'crate 1': 'shed 1', 'drum 1': 'dock 1'}, at='dock 1')
    told = world.vocabulary()
    bare = told if is_told else replace(told, object_classes=(), place_classes=())
    reasoner = Reasoner(bare, (conditions_of(('crate in truck', 'drum in shed')),))
    assert play(world, reasoner).is_done
    assert world.things == {'crate 1': 'truck 1', 'drum 1': 'shed 1'} and len(world.done) == 6
    sorts = [reasoner.belief.sort(name) for name in ('crate 1', 'drum 1', 'truck 1', 'shed 1')]
    assert sorts == [Sort.THING, Sort.THING, Sort.PLACE, Sort.PLACE]
