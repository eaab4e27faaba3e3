"""Where to look next: the model's order, the way there, and what memory tells."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reactree_core.observation import ObjectFact
from reactree_core.observation import Observation
from reactree_core.working_memory import AGENT
from reactree_core.working_memory import told_facts
from reactree_core.working_memory import WorkingMemory
from reactree_planner.agents.belief_state import BeliefState
from reactree_planner.agents.likely import next_looks
from reactree_planner.agents.situation import NodeSituation
from support.small_warehouse import SmallWarehouse

PLACES = {
    'shelf 1': 'aisle 1',
    'bin 1': 'aisle 1',
    'bin 2': 'aisle 1',
    'drum 1': 'aisle 2',
    'bin 3': 'aisle 2',
}


class Order:
    """Expects things in the order of a list, and counts how often it is asked."""

    def __init__(self, *names):
        self._names = names
        self.asked = []

    def order(self, thing, names, within=''):
        self.asked.append((thing, within))
        known = self._names
        return sorted(
            dict.fromkeys(names), key=lambda n: known.index(n) if n in known else len(known)
        )


@pytest.fixture
def node():
    """Makes a node in aisle 1 of a warehouse, which looks for a crate."""

    def make(*skills, goal='grip a crate', pending=()):
        home = SmallWarehouse(PLACES, {'crate 1': 'bin 3'})
        belief = BeliefState(home.vocabulary)
        situation = NodeSituation(goal, (), belief, pending=pending, is_direct=True)
        belief.update(belief.with_sightings(home.look(None)))
        for skill in skills:
            before = belief.observation
            seen = home.execute(0, 1, skill, None)
            seen = Observation(**{**_fields(seen), 'skill': skill})
            belief.update(belief.with_sightings(seen))
            situation.record(skill, before)
        return situation

    return make


def _fields(observation):
    return {name: getattr(observation, name) for name in observation.__slots__}


def look(situation, *order):
    looks = next_looks(situation, Order(*order), situation.reading.single.thing, movable=True)
    return looks[0] if looks else ''


def test_the_likeliest_region_comes_first_wherever_the_robot_is(node):
    assert look(node(), 'aisle 2', 'aisle 1', 'bin') == 'aisle 2'


def test_where_the_robot_is_the_likeliest_sort_of_place_comes_first(node):
    assert look(node(), 'aisle 1', 'aisle 2', 'shelf', 'bin') == 'shelf 1'
    assert look(node('drive to shelf 1'), 'aisle 1', 'aisle 2', 'shelf', 'bin') != 'shelf 1'


def test_what_stands_open_before_the_robot_is_nearer_than_what_is_far(node):
    """Two bins are alike, but one of them is here."""
    there = node('drive to shelf 1', 'drive to aisle 2', 'drive to drum 1', 'drive to bin 3')
    assert look(there, 'aisle 2', 'aisle 1', 'bin') == 'bin 3'


def test_what_a_later_goal_wants_is_looked_for_on_the_way(node):
    class Differs(Order):
        def order(self, thing, names, within=''):
            liked = 'shelf' if thing == 'pallet' else 'none'
            return sorted(super().order(thing, names, within), key=lambda name: name != liked)

    asked = Differs('aisle 1', 'aisle 2')
    situation = node('drive to aisle 2', 'drive to aisle 1', pending=('grip a pallet',))
    looks = next_looks(situation, asked, situation.reading.single.thing, movable=True)
    assert looks[0] == 'shelf 1'
    assert {thing for thing, _ in asked.asked} == {'crate', 'pallet'}


def test_a_place_that_the_goal_names_confines_the_search(node):
    situation = node(goal='grip a crate in bin 2')
    assert look(situation, 'aisle 2', 'aisle 1') == 'bin 2'


FACTS = st.builds(
    ObjectFact,
    st.just('crate'),
    st.integers(1, 9),
    st.sampled_from(('', 'aisle 1', 'aisle 2', 'upper hall 3')),
    st.sampled_from(('', 'bin 1', 'long shelf 12', AGENT)),
)


@given(st.lists(FACTS, max_size=6))
def test_what_a_memory_recalls_is_read_back(facts):
    memory = WorkingMemory()
    memory.update(Observation('', facts=tuple(facts)))
    rooms = ('aisle 1', 'aisle 2', 'upper hall 3')
    told = {fact.name: fact for fact in told_facts(memory.recall('crate'), rooms)}
    known = {fact.name: fact for fact in memory.facts() if fact.receptacle != AGENT}
    assert told == known


@given(st.text(max_size=200))
def test_any_text_is_read_without_harm(text):
    for fact in told_facts(text, ('aisle 1',)):
        assert fact.room in ('', 'aisle 1')
