"""What a run remembers of where things were seen (ReAcTree section 4.2)."""

from __future__ import annotations

from hypothesis import given, HealthCheck, settings
from hypothesis import strategies as st

from reactree_core.observation import ObjectFact, Observation
from reactree_core.working_memory import WorkingMemory


def saw(*facts, looked_at=(), room='kitchen 1', place=None):
    """An observation with these facts, made at the first place it looks at."""
    if place is None:
        place = looked_at[0] if looked_at else room
    return Observation('', room=room, place=place, looked_at=tuple(looked_at), facts=facts)


def apple(number=1, receptacle='', room='kitchen 1', state='', seen_at=0.0):
    return ObjectFact('apple', number, room, receptacle, state, seen_at)


def remembering(*observations):
    memory = WorkingMemory()
    for observation in observations:
        memory.update(observation)
    return memory


def test_nothing_is_known_at_the_start():
    memory = WorkingMemory()
    assert memory.facts() == ()
    assert memory.classes == ()
    assert memory.looked_at() == ()
    assert memory.recall('apple') == 'You have not seen apple before.'


def test_a_thing_in_a_place_is_recalled_as_published():
    memory = remembering(saw(apple(1, 'fridge 1')))
    assert memory.recall('apple') == 'You saw apple 1 near fridge 1 in kitchen 1.'


def test_a_thing_seen_from_afar_is_recalled_by_its_room():
    assert remembering(saw(apple())).recall('apple') == 'You saw apple 1 in kitchen 1.'


def test_a_held_thing_is_recalled_as_held():
    memory = remembering(saw(apple(1, 'fridge 1')), saw(apple(1, 'agent 1')))
    assert memory.recall('apple') == 'You are holding apple 1.'


def test_by_closeness_a_thing_is_where_the_robot_stood_and_nothing_is_forgotten():
    memory = WorkingMemory(by_closeness=True)
    memory.update(saw(apple(1, 'bowl 1'), apple(2, 'shelf 1'), place='table 1'))
    told = 'You saw apple 1 near table 1 in kitchen 1. You saw apple 2 near table 1 in kitchen 1.'
    assert memory.recall('apple') == told
    # It is not there any more, and yet it is what was seen.
    memory.update(saw(looked_at=['table 1']))
    assert memory.recall('apple') == told and memory.has_looked_at('table 1')
    memory.update(saw(apple(1, 'agent 1'), place='table 1'))
    memory.update(saw(apple(2), place=''))
    assert memory.recall('apple') == 'You are holding apple 1. You saw apple 2 in kitchen 1.'


def test_several_things_are_recalled_in_the_order_first_seen():
    memory = remembering(saw(apple(2, 'table 1')), saw(apple(1)))
    assert memory.recall('apple') == (
        'You saw apple 2 near table 1 in kitchen 1. You saw apple 1 in kitchen 1.'
    )


def test_the_newest_fact_replaces_the_older_one():
    memory = remembering(
        saw(apple(1, 'fridge 1', seen_at=1.0)),
        saw(apple(1, 'table 1', 'livingroom 1', seen_at=2.0), room='livingroom 1'),
    )
    (fact,) = memory.facts('apple')
    assert (fact.receptacle, fact.room, fact.seen_at) == ('table 1', 'livingroom 1', 2.0)


def test_a_look_from_afar_in_the_same_room_keeps_the_finer_place():
    memory = remembering(
        saw(apple(1, 'table 1', seen_at=1.0)), saw(apple(1, state='sliced', seen_at=2.0))
    )
    fact = memory.fact('apple 1')
    assert (fact.receptacle, fact.state, fact.seen_at) == ('table 1', 'sliced', 2.0)


def test_a_look_from_afar_in_another_room_drops_the_finer_place():
    memory = remembering(saw(apple(1, 'table 1')), saw(apple(1, room='bedroom 1')))
    assert memory.fact('apple 1').receptacle == ''


def test_a_thing_that_was_held_is_not_taken_for_held_when_seen_lying():
    memory = remembering(saw(apple(1, 'agent 1')), saw(apple(1)))
    assert memory.recall('apple') == 'You saw apple 1 in kitchen 1.'


def test_what_is_gone_from_a_place_just_looked_at_is_forgotten():
    memory = remembering(
        saw(apple(1, 'fridge 1'), apple(2, 'fridge 1'), apple(3, 'table 1')),
        saw(apple(2, 'fridge 1'), looked_at=['fridge 1']),
    )
    assert [fact.instance for fact in memory.facts('apple')] == [2, 3]


def test_what_does_not_show_of_a_place_from_elsewhere_is_not_forgotten():
    memory = remembering(
        saw(apple(1, 'table 1')), saw(looked_at=['fridge 1', 'table 1'], place='fridge 1')
    )
    assert memory.fact('apple 1').receptacle == 'table 1'
    assert memory.looked_at() == ('fridge 1', 'table 1')


def test_places_looked_at_are_kept_in_the_order_first_seen_and_by_room():
    memory = remembering(
        saw(looked_at=['fridge 1']),
        saw(looked_at=['bed 1'], room='bedroom 1'),
        saw(looked_at=['stove 1', 'fridge 1']),
    )
    assert memory.looked_at() == ('fridge 1', 'bed 1', 'stove 1')
    assert memory.looked_at('bedroom 1') == ('bed 1',)


def test_classes_of_which_nothing_is_left_are_not_listed():
    memory = remembering(saw(apple(1, 'fridge 1')), saw(looked_at=['fridge 1']))
    assert memory.classes == ()


def test_a_fact_is_found_by_its_name():
    memory = remembering(saw(ObjectFact('kitchen table', 2, 'kitchen 1')))
    assert memory.fact('kitchen table 2').instance == 2
    for name in ('kitchen table 1', 'kitchen table', '2', '', 'table 2'):
        assert memory.fact(name) is None


#: The machine may be busy: how long an example takes says nothing.
patient = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
PLACES = st.sampled_from(['', 'fridge 1', 'table 1', 'agent 1'])
FACTS = st.builds(
    ObjectFact,
    st.sampled_from(['apple', 'kitchen table']),
    st.integers(1, 3),
    st.sampled_from(['kitchen 1', 'bedroom 1']),
    PLACES,
)
OBSERVATIONS = st.builds(
    lambda facts, looked_at, room: saw(*facts, looked_at=looked_at, room=room),
    st.lists(FACTS, max_size=4, unique_by=lambda fact: fact.name),
    st.lists(PLACES.filter(lambda place: place not in ('', 'agent 1')), max_size=2),
    st.sampled_from(['kitchen 1', 'bedroom 1']),
)


@given(st.lists(OBSERVATIONS, max_size=8))
@patient
def test_the_newest_observation_always_holds(observations):
    memory = remembering(*observations)
    facts = memory.facts()
    assert len({fact.name for fact in facts}) == len(facts)
    for fact in facts:
        assert memory.fact(fact.name) == fact
        assert fact.name in memory.recall(fact.object_class)
    if observations:
        newest = observations[-1]
        for fact in newest.facts:
            assert memory.fact(fact.name).room == fact.room
        if newest.place in newest.looked_at:
            place = newest.place
            there = {fact.name for fact in facts if fact.receptacle == place}
            assert there <= {fact.name for fact in newest.facts}


@given(st.lists(OBSERVATIONS, max_size=6))
@patient
def test_telling_the_newest_observation_again_changes_nothing(observations):
    memory = remembering(*observations)
    before = memory.facts(), memory.looked_at()
    if observations:
        memory.update(observations[-1])
    assert (memory.facts(), memory.looked_at()) == before
