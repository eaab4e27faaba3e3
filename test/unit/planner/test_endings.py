"""What the facts of a run say of the conditions of its task."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reactree_core.observation import ObjectFact, Observation, Vocabulary
from reactree_core.record.outcome import Ending, WHY
from reactree_core.skill_types import SkillKind, SkillType
from reactree_planner.facts.conditions import conditions_of
from reactree_planner.facts.pursuit import Pursuit
from reactree_planner.facts.reasoner import Reasoner

_SKILLS = (
    SkillType('drive to <place>', ('place',), SkillKind.MOVE),
    SkillType('enter <region>', ('region',), SkillKind.MOVE),
    SkillType('lift <crate>', ('thing',), SkillKind.TAKE, 'drop <crate>'),
    SkillType('load <crate> onto <truck>', ('thing', 'place'), SkillKind.PUT),
    SkillType('switch on <pump>', ('name',), SkillKind.SWITCH_ON, 'switch off <pump>'),
    SkillType('switch off <pump>', ('name',), SkillKind.SWITCH_OFF, 'switch on <pump>'),
    SkillType('scan <crate>', ('thing',), SkillKind.CHANGE, effects=('<crate> is scanned',)),
)
VOCABULARY = Vocabulary(
    tuple(one.template for one in _SKILLS),
    object_classes=('crate', 'drum'),
    place_classes=('truck', 'shelf', 'pump'),
    rooms=('aisle 1', 'dock 1'),
    skill_types=_SKILLS,
)
#: Both regions seen, one crate in each.
SEEN = (
    Observation(
        'dock',
        room='dock 1',
        place='truck 1',
        looked_at=('truck 1', 'pump 1'),
        facts=(
            ObjectFact('truck', 1, 'dock 1'),
            ObjectFact('pump', 1, 'dock 1', state='off'),
            ObjectFact('crate', 1, 'dock 1', 'truck 1'),
        ),
    ),
    Observation(
        'aisle',
        room='aisle 1',
        place='shelf 1',
        looked_at=('shelf 1',),
        facts=(
            ObjectFact('shelf', 1, 'aisle 1'),
            ObjectFact('crate', 2, 'aisle 1', 'shelf 1'),
        ),
    ),
)


class Mind:
    """The belief of a run. :param wanted: conditions that are met together."""

    def __init__(self, vocabulary):
        self.reasoner = Reasoner(vocabulary, ())
        self.belief = self.reasoner.belief
        self.wanted = ()

    def update(self, observation):
        self.reasoner.see(observation)

    def ending(self, conditions):
        together = (*conditions, *(one for one in self.wanted if one not in conditions))
        goal = (together,) if together else ()
        return Pursuit(self.belief, self.reasoner.exploration, goal).ending(self.belief.now)

    def ending_of_each(self, conditions):
        """Of conditions that have nothing to do with each other."""
        if self.wanted:
            return self.ending(conditions)
        ends = [self.ending((one,)) for one in conditions]
        kinds = ('verified', 'missing', 'unknown', 'unread', 'assumed')
        return Ending(*(tuple(t for one in ends for t in getattr(one, kind)) for kind in kinds))


def belief_of(*observations, vocabulary=VOCABULARY):
    belief = Mind(vocabulary)
    for observation in observations:
        belief.update(observation)
    return belief


def bare(texts):
    """Conditions without the reasons why they are not verified."""
    return tuple(text.partition(WHY)[0] for text in texts)


def after(skill, **changes):
    """The robot has done a skill in the aisle."""
    return replace(SEEN[1], skill=skill, facts=(), looked_at=(), **changes)


def found(belief, *texts):
    """v, a, m or u for each condition."""
    ending = belief.ending_of_each(conditions_of(texts))
    return ''.join(
        'v'
        if text in ending.verified
        else 'a'
        if text in bare(ending.assumed)
        else 'm'
        if text in ending.missing
        else 'u'
        for text in texts
    )


def test_counted_things_are_different_things():
    belief = belief_of(*SEEN)
    texts = ('crate in truck', '2 crate in truck', 'crate 2 in truck', 'crate in truck 1')
    assert found(belief, *texts) == 'vmmv'
    belief.update(after('lift crate 2', held=('crate 2',)))
    belief.update(after('load crate 2 onto truck 1'))
    assert found(belief, *texts, '3 crate in truck') == 'vaavm'


def test_what_is_taken_again_is_missing_again():
    belief = belief_of(*SEEN)
    belief.update(after('lift crate 1', held=('crate 1',)))
    assert found(belief, 'crate in truck', 'holding crate', 'holding 2 crate') == 'mvm'


def test_all_wants_every_thing_that_the_run_knows_and_no_region_unseen():
    belief = belief_of(SEEN[0])
    assert found(belief, 'all crate in truck') == 'm', 'the aisle may hold more'
    belief.update(SEEN[1])
    assert found(belief, 'all crate in truck', 'all crate in aisle 1') == 'mm'
    belief.update(after('load crate 2 onto truck 1'))
    assert found(belief, 'all crate in truck') == 'a'
    assert found(belief, 'all drum in truck') == 'u', 'there are none'
    assert found(belief_of(SEEN[0]), 'all drum in truck') == 'm'


def test_states_are_read_from_facts_effects_and_what_may_be_taken_back():
    belief = belief_of(*SEEN)
    texts = ('pump is on', 'pump is off', 'crate 2 is scanned', 'pump is painted')
    assert found(belief, *texts) == 'mvmu'
    belief.update(after('scan crate 2'))
    belief.update(after('switch on pump 1'))
    assert found(belief, *texts[:1], *texts[2:]) == 'aau'
    belief.update(after('switch off pump 1'))
    assert found(belief, 'pump is on') == 'm'
    told = after('', admissible_skills=('switch off pump 2',))
    belief.update(told)
    assert found(belief, 'pump 2 is on', 'pump 1 is on') == 'vm'


def test_a_state_and_a_place_are_wanted_of_the_same_thing():
    belief = belief_of(*SEEN, after('scan crate 2'))
    texts = ('crate in truck', 'crate is scanned')
    assert found(belief, *texts) == 'va'
    belief.wanted = conditions_of(texts)
    # Crate 1 is in the truck, and crate 2 was scanned: no crate is both.
    assert found(belief, *texts) == 'mm'
    # Two in the truck and one scanned are not about the same.
    belief.wanted = conditions_of(('2 crate in truck', 'crate is scanned'))
    assert found(belief, 'crate is scanned') == 'a'


def test_a_state_told_with_a_place_is_wanted_of_the_things_there():
    belief = belief_of(*SEEN, after('scan crate 2'))
    texts = ('crate in truck is scanned', 'crate in shelf is scanned')
    belief.wanted = conditions_of(('crate in truck', 'crate in shelf', *texts))
    # Crate 1 is in the truck, and crate 2, on the shelf, was scanned.
    assert found(belief, *texts) == 'ma'
    belief.update(after('lift crate 1', held=('crate 1',)))
    # Another will be put there; what is on the shelf stays there.
    assert found(belief, *texts) == 'ma'
    belief.update(after('scan crate 1', held=('crate 1',)))
    assert found(belief, *texts) == 'ma', 'it is in the hand, and not in the truck'


#: Skills that undo each other, and one that moves things in its own way.
_MORE = (
    *_SKILLS,
    SkillType('heat <crate>', ('thing',), SkillKind.CHANGE, effects=('<crate> is hot',)),
    SkillType(
        'cool <crate>',
        ('thing',),
        SkillKind.CHANGE,
        effects=('<crate> is cold', 'not <crate> is hot'),
    ),
    SkillType('push <crate> to <place>', ('thing', 'place'), effects=('<crate> in <place>',)),
)
MORE = replace(VOCABULARY, templates=tuple(one.template for one in _MORE), skill_types=_MORE)


def test_what_a_later_skill_denies_holds_no_more():
    belief = belief_of(*SEEN, after('heat crate 2'), vocabulary=MORE)
    texts = ('crate is hot', 'crate is cold')
    assert found(belief, *texts) == 'am'
    belief.update(after('cool crate 2'))
    assert found(belief, *texts) == 'ma'
    belief.update(after('heat crate 2'))
    assert found(belief, *texts) == 'aa', 'heat does not say that it is not cold'


def test_a_fact_that_is_newer_than_a_skill_wins_where_such_states_are_told():
    belief = belief_of(*SEEN, after('heat crate 2'), vocabulary=MORE)

    def seen(state, crate=2, place='shelf 1'):
        fact = ObjectFact('crate', crate, 'aisle 1', place, state=state)
        belief.update(replace(after(''), facts=(fact,), looked_at=()))
        return found(belief, 'crate is hot')

    assert seen('red') == 'a', 'nobody knows whether the server would tell that it is hot'
    assert seen('hot') == 'v'
    assert seen('red') == 'm'
    belief.update(after('cool crate 2'))
    assert seen('hot') == 'v', 'somebody else has heated it'


def test_what_is_brought_elsewhere_by_another_skill_is_at_one_place():
    belief = belief_of(*SEEN, vocabulary=MORE)
    belief.update(after('push crate 2 to truck 1'))
    belief.update(after('push crate 2 to pump 1'))
    assert found(belief, 'crate 2 in truck', 'crate 2 in pump') == 'ma'
    belief.update(after('lift crate 2', held=('crate 2',)))
    belief.update(after('load crate 2 onto truck 1'))
    assert found(belief, 'crate 2 in truck', 'crate 2 in pump') == 'am'
    belief.update(after('push crate 2 to pump 1'))
    assert found(belief, 'crate 2 in truck', 'crate 2 in pump') == 'ma'
    fact = ObjectFact('crate', 3, 'aisle 1', 'shelf 1')
    belief.update(after('push crate 3 to truck 1'))
    belief.update(replace(after(''), facts=(fact,)))
    assert found(belief, 'crate 3 in truck', 'crate 3 in shelf') == 'mv'


def test_where_the_robot_was_brought_last_counts():
    belief = belief_of(Observation(''))
    for place in ('truck 1', 'shelf 1', 'truck 1'):
        belief.update(Observation('', skill=f'drive to {place}'))
    assert found(belief, 'at truck', 'at shelf') == 'am'


def test_where_the_robot_is():
    belief = belief_of(*SEEN)
    assert found(belief, 'at shelf', 'at aisle 1', 'at truck 1') == 'vvm'
    silent = belief_of(Observation('', skill='drive to truck 1'))
    assert found(silent, 'at truck', 'at shelf') == 'am'


def test_a_name_that_the_world_has_never_told_is_unknown():
    assert found(belief_of(*SEEN), 'ingot in truck', 'crate in furnace') == 'uu'


def test_of_a_server_without_facts_what_skills_bring_about_is_missing_until_they_have():
    belief = belief_of(Observation('hello'))
    texts = ('crate in truck', '2 crate in truck', 'pump is on', 'crate is scanned')
    assert found(belief, *texts) == 'mmmm'
    for skill in ('lift crate 1', 'load crate 1 onto truck 1', 'switch on pump 1', 'scan crate 1'):
        belief.update(Observation('well', skill=skill))
    assert found(belief, *texts) == 'amaa'
    assert found(belief, 'holding crate') == 'u', 'it was put somewhere'


def test_of_a_server_that_declares_nothing_everything_is_unknown():
    bare = Vocabulary(('lift <thing>', 'drop <thing>', 'wait'))
    belief = belief_of(
        Observation('hello'), Observation('', skill='lift crate 1'), vocabulary=bare
    )
    assert found(belief, 'crate in truck', 'all crate is clean', 'holding crate') == 'uuu'


def test_where_the_server_tells_only_what_is_near_a_thing_must_be_put():
    """It tells places at places: what it tells of a crate is no more than that."""
    near = replace(SEEN[0], facts=(*SEEN[0].facts, ObjectFact('pump', 1, 'dock 1', 'truck 1')))
    belief = belief_of(SEEN[0], near)
    assert found(belief, 'crate in truck', 'crate in dock 1') == 'mv'
    belief.update(after('load crate 1 onto truck 1'))
    assert found(belief, 'crate in truck') == 'a', 'nothing has shown it there since'
    belief.update(replace(near, skill=''))
    assert found(belief, 'crate in truck') == 'v'


NAMES = st.sampled_from(('crate', 'crate 1', 'crate 2', 'drum', 'truck', 'pump 1', 'ingot'))
CONDITIONS = st.one_of(
    st.builds('{} in {}'.format, NAMES, st.sampled_from(('truck', 'shelf 1', 'aisle 1', 'pit'))),
    st.builds('{} {} in truck'.format, st.sampled_from(('2', '17', 'all')), NAMES),
    st.builds('{} is {}'.format, NAMES, st.sampled_from(('on', 'off', 'scanned', 'old'))),
    st.builds('holding {}'.format, NAMES),
    st.builds('at {}'.format, NAMES),
)
SKILLS = st.sampled_from(
    (
        '',
        'lift crate 1',
        'lift crate 2',
        'load crate 1 onto truck 1',
        'load crate 2 onto shelf 1',
        'switch on pump 1',
        'switch off pump 1',
        'scan drum 1',
        'drive to truck 1',
        'hum',
    )
)


@given(
    st.lists(CONDITIONS, max_size=6, unique=True),
    st.lists(st.tuples(SKILLS, st.sampled_from(((), ('crate 1',), ('crate (2)',)))), max_size=8),
    st.sampled_from(((), SEEN[:1], SEEN)),
)
def test_every_condition_is_verified_missing_or_unknown_and_only_one_of_them(texts, done, seen):
    belief = belief_of(*seen, *(after(skill, held=held) for skill, held in done))
    ending = belief.ending_of_each(conditions_of(tuple(texts)))
    found = (*ending.verified, *ending.assumed, *ending.missing, *ending.unknown)
    assert sorted(bare(found)) == sorted(texts)
    assert bool(ending.lack) == bool(ending.missing)


@pytest.mark.parametrize('count', [1, 40])
def test_what_is_missing_is_one_bounded_sentence(count):
    texts = tuple(f'crate {number} in shelf' for number in range(10, 10 + count))
    lack = belief_of(SEEN[0]).ending(conditions_of(texts)).lack
    assert lack.startswith('Not done yet: crate 10 in shelf') and lack.endswith('.')
    assert len(lack) < 450


def test_what_comes_in_sight_as_a_place_is_opened_is_in_it_also_where_nearness_is_told():
    near = (*SEEN[0].facts[:2], ObjectFact('pump', 1, 'dock 1', 'truck 1'))
    opening = SkillType('open <truck>', ('place',), SkillKind.OPEN)
    vocabulary = replace(
        VOCABULARY,
        templates=(*VOCABULARY.templates, opening.template),
        skill_types=(*_SKILLS, opening),
    )
    belief = belief_of(replace(SEEN[0], facts=near), vocabulary=vocabulary)
    found_there = (*near, ObjectFact('crate', 1, 'dock 1', 'truck 1'))
    belief.update(replace(SEEN[0], skill='open truck 1', facts=found_there))
    assert found(belief, 'crate in truck') == 'v'
    belief.update(replace(SEEN[0], skill='lift crate 1', facts=near, held=('crate 1',)))
    assert found(belief, 'crate in truck') == 'm'


def test_where_a_thing_was_laid_is_told_more_exactly_than_where_the_robot_stands():
    belief = belief_of(*SEEN, after('lift crate 2', held=('crate 2',)))
    laid = (ObjectFact('crate', 2, 'dock 1', 'truck 1'),)
    belief.update(replace(SEEN[1], skill='put it down', facts=laid))
    assert belief.belief.holder('crate 2') == 'truck 1'


def test_what_the_server_says_that_it_assumes_is_met_and_not_verified():
    told = replace(SEEN[0], held=('crate 2',), facts=(*SEEN[0].facts, ObjectFact('drum', 1)))
    texts = ('holding crate', 'crate 1 in truck', 'pump is off', 'at truck')
    assert found(belief_of(told), *texts) == 'vvvv'
    assumed = ('holding crate 2', 'crate 1 in truck 1', 'pump 1 is off', 'at truck 1')
    belief = belief_of(replace(told, assumed=assumed))
    assert found(belief, *texts) == 'aaaa'
    ending = belief.ending_of_each(conditions_of(texts))
    assert ending.holds and not ending.is_verified and not ending.lack


def test_an_empty_place_or_hand_that_is_sensed_overrules_what_was_done():
    belief = belief_of(*SEEN, after('drive to truck 1', place='', room=''), after('lift crate 1'))
    assert found(belief, 'holding crate') == 'a'
    nowhere = replace(after(''), place='', room='', sensed=('at', 'holding'))
    belief.update(nowhere)
    assert found(belief, 'at truck', 'holding crate') == 'mm'


def test_what_is_lost_on_the_way_was_put_nowhere():
    belief = belief_of(*SEEN, after('lift crate 2', held=('crate 2',)))
    belief.update(after('drive to truck 1', place='truck 1', room='dock 1'))
    assert belief.belief.placed == {} and not belief.belief.holder('crate 2')
    assert found(belief, 'crate 2 in truck', 'crate 2 in dock 1') == 'mm'


def test_what_was_put_somewhere_and_is_not_seen_there_is_not_there():
    belief = belief_of(*SEEN, after('lift crate 2', held=('crate 2',)))
    belief.update(after('load crate 2 onto truck 1', place='truck 1', room='dock 1'))
    assert found(belief, 'crate 2 in truck') == 'a'
    belief.update(replace(SEEN[0], skill=''))
    assert found(belief, 'crate 2 in truck') == 'm'
