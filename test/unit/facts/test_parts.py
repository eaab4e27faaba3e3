"""The parts of the reasoner, each by itself."""

from __future__ import annotations

from dataclasses import replace
from math import inf

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reactree_core.belief import SourceKind
from reactree_core.observation import ObjectFact, Observation, Outcome, Vocabulary
from reactree_core.skill_types import SkillKind, SkillType
from reactree_planner.facts.belief import Belief
from reactree_planner.facts.conditions import read_condition
from reactree_planner.facts.experience import Experience
from reactree_planner.facts.explore import Exploration
from reactree_planner.facts.goals import holds
from reactree_planner.facts.operators import needs_of, Operator, rows_of
from reactree_planner.facts.problem import Problem
from reactree_planner.facts.reasoner import Reasoner
from reactree_planner.facts.recipes import Recipes, Step
from reactree_planner.facts.retries import Attempts, RETRIES
from reactree_planner.facts.skills import Skills, Sort
from reactree_planner.facts.things import HAND
from unit.facts.made_up import skill

KINDS = SkillKind
TYPES = (
    SkillType('drive to <place>', ('place',), KINDS.MOVE),
    SkillType('grab <object>', ('thing',), KINDS.TAKE),
    SkillType('leave <object> at <place>', ('thing', 'place'), KINDS.PUT),
    SkillType('unfold <place>', ('place',), KINDS.OPEN, 'fold <place>'),
    SkillType('fold <place>', ('place',), KINDS.CLOSE, 'unfold <place>'),
    SkillType('rinse <object>', ('thing',), KINDS.CHANGE, effects=('<object> is wet',)),
)
TOLD = Vocabulary(
    templates=tuple(one.template for one in TYPES),
    object_classes=('crate', 'bin'),
    place_classes=('dock', 'truck', 'shed'),
    rooms=('yard 1', 'hall 1'),
    skill_types=TYPES,
)


def belief(*observations):
    found = Belief(TOLD)
    for one in observations:
        found.update(one)
    return found


def seen(*facts, **fields):
    told = []
    for name, place, *state in facts:
        kind, _, number = name.rpartition(' ')
        told.append(ObjectFact(kind, int(number), 'yard 1', place, ', '.join(state)))
    return Observation('', facts=tuple(told), **{'room': 'yard 1', **fields})


def is_so(known, text, *together, **options):
    conditions = tuple(read_condition(one) for one in together)
    return holds(known, read_condition(text), conditions, **options)


# The goal test -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ('text', 'answer'),
    [
        ('crate in truck', True),
        ('crate 1 in truck', True),
        ('crate 2 in truck', False),
        ('2 crate in truck', False),
        ('crate in dock', True),
        ('crate in yard', True),
        ('3 crate in yard', False),
        ('crate in hall', False),
        ('crate is wet', True),
        ('crate 2 is wet', False),
        ('crate in truck is wet', True),
        ('crate in dock is wet', False),
        ('truck is closed', True),
        ('truck is open', False),
        ('holding crate', False),
        ('all crate in yard', True),
        ('all crate in truck', False),
        ('at dock', True),
        ('at yard', True),
        ('at truck', False),
    ],
)
def test_what_holds(text, answer):
    known = belief(
        seen(
            ('truck 1', '', 'closed'),
            ('crate 1', 'truck 1', 'wet'),
            ('crate 2', 'dock 1'),
            place='dock 1',
        )
    )
    assert is_so(known, text) is answer


def test_states_and_places_of_one_count_are_of_the_same_things():
    known = belief(seen(('crate 1', 'truck 1'), ('crate 2', 'dock 1', 'wet'), place='dock 1'))
    assert is_so(known, 'crate is wet', 'crate in truck') is False
    assert is_so(known, 'crate is wet') is True
    assert is_so(known, '2 crate in yard', 'crate is wet') is True


def test_what_is_to_be_in_one_place_is_in_the_same_one():
    known = belief(seen(('crate 1', 'dock 1'), ('crate 2', 'dock 2'), place='dock 1'))
    assert is_so(known, '2 crate in dock') is False
    assert is_so(known, 'crate in dock') is True


def test_into_which_another_is_brought_that_one_is_meant():
    known = belief(
        seen(('bin 1', 'dock 1'), ('bin 2', 'truck 1'), ('crate 1', 'bin 1'), place='dock 1')
    )
    assert is_so(known, 'bin in truck') is True
    assert is_so(known, 'bin in truck', 'crate in bin') is False


def test_all_is_not_so_while_something_was_not_looked_at():
    known = belief(seen(('crate 1', 'truck 1'), place='dock 1'))
    assert is_so(known, 'all crate in truck', unseen=True) is False
    assert is_so(known, 'all crate in truck', unseen=False) is True
    assert is_so(known, 'all bin in truck', unseen=False) is None


def test_what_nobody_tells_is_not_known():
    known = belief(Observation('', place='dock 1'))
    assert is_so(known, 'crate is striped') is None
    assert is_so(known, 'crate is wet') is False


# The belief ----------------------------------------------------------------------------------


def test_a_place_is_known_with_whence():
    known = belief(
        seen(('crate 1', 'dock 1'), place='dock 1'),
        Observation('', skill='leave crate 1 at truck 1', place='truck 1'),
    )
    told = known.things['crate 1'].holder
    assert (told.value, told.source) == ('truck 1', SourceKind.EFFECT)
    known.update(seen(('crate 1', 'dock 2'), place='dock 2'))
    told = known.things['crate 1'].holder
    assert (told.value, told.source) == ('dock 2', SourceKind.SIGHT)
    assert 'crate 1' not in known.placed


def test_a_sense_beats_an_effect():
    known = belief(
        seen(('crate 1', 'dock 1', 'wet'), ('crate 2', 'dock 1'), place='dock 1'),
        Observation('', skill='rinse crate 2', place='dock 1'),
    )
    assert known.is_so('crate 2', 'wet') is True
    known.update(seen(('crate 2', 'dock 1'), place='dock 1'))
    assert known.is_so('crate 2', 'wet') is False


def test_one_state_ends_the_one_that_it_excludes():
    known = belief(
        seen(('truck 1', '', 'closed'), place='truck 1'),
        Observation('', skill='unfold truck 1', place='truck 1'),
    )
    assert not known.is_shut('truck 1')
    assert known.is_so('truck 1', 'open') is True


def test_a_thing_that_is_not_where_it_was_is_gone():
    known = belief(
        seen(('crate 1', 'dock 1'), place='truck 1'),
        seen(place='dock 1', looked_at=('dock 1',)),
    )
    assert not known.is_located('crate 1')
    assert known.vanished == {'crate 1'}
    assert is_so(known, 'crate in dock') is False


def test_what_is_looked_at_from_afar_proves_nothing_gone():
    known = belief(
        seen(('crate 1', 'dock 1'), place='truck 1'),
        seen(place='truck 1', looked_at=('dock 1',)),
    )
    assert known.holder('crate 1') == 'dock 1'


def test_places_told_at_places_tell_only_what_is_near():
    known = belief(
        seen(('dock 1', ''), ('truck 1', ''), place='yard 1'),
        seen(('truck 1', 'dock 1'), ('crate 1', 'dock 1'), place='dock 1'),
    )
    assert known.tells_nearness
    assert known.holder('crate 1') == ''
    assert is_so(known, 'crate in dock') is False
    known.update(Observation('', skill='leave crate 1 at dock 1', place='dock 1', room='yard 1'))
    assert is_so(known, 'crate in dock') is True


def test_nearness_is_known_although_the_robot_stands_at_a_thing():
    known = belief(
        seen(('dock 1', ''), ('truck 1', ''), place='yard 1'),
        seen(('truck 1', 'dock 1'), ('crate 1', 'dock 1'), place='crate 2'),
    )
    assert known.tells_nearness
    assert is_so(known, 'crate in dock') is False


def test_things_without_numbers_are_counted():
    known = belief(Observation('', place='dock 1'))
    for _ in range(2):
        known.update(Observation('', skill='grab crate', place='dock 1', held=('crate',)))
        known.update(Observation('', skill='leave crate at truck 1', place='dock 1'))
    assert is_so(known, '2 crate in truck') is True
    assert is_so(known, '3 crate in truck') is False
    known.update(Observation('', skill='grab crate', place='truck 1', held=('crate',)))
    assert is_so(known, '2 crate in truck') is False


def test_hands_are_learned_from_what_can_still_be_taken():
    known = belief(
        Observation('', place='dock 1', admissible_skills=('grab crate 1', 'grab crate 2'))
    )
    assert known.most_held == 2
    known.update(
        Observation(
            '',
            skill='grab crate 1',
            place='dock 1',
            held=('crate 1',),
            admissible_skills=('leave crate 1 at dock 1',),
        )
    )
    assert known.most_held == 1
    known.update(
        Observation(
            '',
            place='dock 1',
            held=('crate 1', 'bin 1'),
            admissible_skills=('grab crate 2',),
        )
    )
    known.capacity = None
    assert known.most_held == 3


def test_the_value_of_a_variable():
    known = belief(seen(('crate 1', 'dock 1'), ('bin 1', ''), place='dock 1', held=('bin 2',)))
    assert known.value(('at',)) == 'dock 1'
    assert known.value(('room',)) == 'yard 1'
    assert known.value(('in', 'crate 1')) == 'dock 1'
    assert known.value(('in', 'bin 2')) == HAND
    assert known.value(('in', 'bin 1')) == '~yard 1'
    assert known.value(('is', 'bin 1', 'wet')) is False
    with pytest.raises(ValueError, match='no such variable'):
        known.value(('weight', 'bin 1'))


def test_what_comes_in_sight_as_a_place_is_opened_is_in_it_and_no_place_is():
    known = belief(
        seen(('dock 1', ''), ('truck 1', '', 'closed'), ('crate 1', ''), place='yard 1'),
        seen(('dock 1', 'truck 1'), ('crate 1', 'truck 1'), place='truck 1'),
        seen(
            ('crate 1', 'truck 1'),
            ('crate 2', 'truck 1'),
            ('shed 1', 'truck 1'),
            place='truck 1',
            skill='unfold truck 1',
        ),
    )
    told = [known.holder(name) for name in ('crate 1', 'crate 2', 'shed 1')]
    assert told == ['', 'truck 1', '']


# Problems ------------------------------------------------------------------------------------


def problem_of(*axioms, **values):
    """A problem of consequences alone. :param values: in what each thing is."""
    operators = [
        Operator(None, tuple((fact,) for fact in needs), (to,), 0.0) for needs, to in axioms
    ]
    return Problem(operators, lambda variable: values.get(variable[-1], ''), (), 2)


def test_what_lies_in_each_other_is_near_nothing():
    problem = problem_of(
        ((('in', 'a', 'b'), ('near', 'b')), ('near', 'a')),
        ((('in', 'b', 'a'), ('near', 'a')), ('near', 'b')),
        ((('at', 'dock 1'),), ('near', 'b')),
        a='b',
        b='a',
    )
    assert not problem.has((('near', 'a'),))
    assert problem.costs([('near', 'a')]) == {('near', 'a'): inf}
    there = problem_of(
        ((('in', 'a', 'b'), ('near', 'b')), ('near', 'a')),
        ((('in', 'b', 'dock 1'),), ('near', 'b')),
        a='b',
        b='dock 1',
    )
    assert there.has((('near', 'a'),))
    assert there.costs([('near', 'a')]) == {('near', 'a'): 0.0}


# Attempts ------------------------------------------------------------------------------------


def attempt(text, outcome):
    return Skills(TOLD).parse(text), Observation('', outcome, text)


@pytest.mark.parametrize('retries', [0, 1, RETRIES, 5])
def test_what_fails_is_tried_again_as_often_as_the_policy_says(retries):
    attempts = Attempts(retries)
    tries = 0
    while not attempts.has_given_up('grab crate 1'):
        attempts.note(*attempt('grab crate 1', Outcome.EXECUTION_FAILED))
        tries += 1
    assert tries == 1 + retries
    assert attempts.failures('grab crate 1') == tries


@pytest.mark.parametrize('tries', [1, 2, 6])
def test_a_skill_that_states_its_tries_has_them_whatever_the_policy_says(tries):
    attempts = Attempts()
    skill, failed = attempt('grab crate 1', Outcome.TIMED_OUT)
    stubborn = replace(skill, type=replace(skill.type, tries=tries))
    for _ in range(tries - 1):
        attempts.note(stubborn, failed)
        assert not attempts.has_given_up('grab crate 1')
    attempts.note(stubborn, failed)
    assert attempts.has_given_up('grab crate 1')


def test_a_success_makes_up_for_the_failures_of_its_own_skill_alone():
    attempts = Attempts()
    for text in ('drive to dock 1', 'grab crate 1'):
        for _ in range(1 + RETRIES):
            attempts.note(*attempt(text, Outcome.TIMED_OUT))
    attempts.note(*attempt('drive to truck 1', Outcome.SUCCEEDED))
    assert attempts.has_given_up('drive to dock 1')
    assert attempts.has_given_up('grab crate 1')
    attempts.note(*attempt('grab crate 1', Outcome.SUCCEEDED))
    assert attempts.failures('grab crate 1') == 0 and not attempts.has_given_up('grab crate 1')


def test_what_was_said_as_a_skill_failed_is_kept_until_it_succeeds():
    attempts = Attempts()
    skill, failed = attempt('grab crate 1', Outcome.EXECUTION_FAILED)
    attempts.note(skill, replace(failed, text='It is too heavy.'))
    assert attempts.said('grab crate 1') == 'It is too heavy.'
    attempts.note(*attempt('grab crate 1', Outcome.SUCCEEDED))
    assert attempts.said('grab crate 1') == ''


def test_a_precondition_that_did_not_hold_is_no_failure():
    attempts = Attempts()
    attempts.note(*attempt('grab crate 1', Outcome.PRECONDITION_FAILED))
    assert attempts.failures('grab crate 1') == 0


def test_costs_are_learned_from_durations():
    attempts = Attempts()
    assert attempts.cost('grab <object>') == 1.0
    attempts.note(*attempt('grab crate 1', Outcome.SUCCEEDED), 1.0)
    attempts.note(*attempt('drive to dock 1', Outcome.SUCCEEDED), 3.0)
    assert attempts.cost('grab <object>') == 0.5
    assert attempts.cost('drive to <place>') == 1.5
    assert attempts.cost('unfold <place>') == 1.0


# Needs ---------------------------------------------------------------------------------------


def test_declared_needs_stand_in_place_of_the_table():
    known = belief(seen(('truck 1', '', 'closed'), place='dock 1'))
    hoist = skill(
        'hoist <object> onto <place>',
        SkillKind.PUT,
        needs=('hands free', 'at <place>', '<object> in <place>', 'not winch is hot', 'at yard 1'),
        slot_types=('thing', 'place'),
    )
    filled = known.skills.filled(hoist, ('crate 1', 'truck 1'))
    ((row, texts),) = rows_of(filled)
    assert row == -1
    assert list(needs_of(known, filled, texts)) == [
        (('free',),),
        (('near', 'truck 1'),),
        (('within', 'crate 1', 'truck 1'),),
        (('is', 'winch', 'hot', False),),
        (('room', 'yard 1'),),
    ]


def test_the_table_speaks_in_the_states_of_the_server():
    known = belief(seen(place='dock 1'))
    rows = rows_of(known.skills.parse('unfold truck 1'))
    assert [row for row, _ in rows] == [0, 1]
    assert list(needs_of(known, known.skills.parse('unfold truck 1'), rows[1][1])) == [
        (('near', 'truck 1'),),
        (('is', 'truck 1', 'open', False),),
    ]


@given(st.text(max_size=30))
def test_no_need_of_a_server_breaks_the_reading(text):
    known = Belief(TOLD)
    lift = skill('lift <object>', SkillKind.OTHER, needs=(text or 'x',), slot_types=('thing',))
    filled = known.skills.filled(lift, ('crate 1',))
    for _, texts in rows_of(filled):
        list(needs_of(known, filled, texts))


# Names ---------------------------------------------------------------------------------------


def test_what_names_stand_for():
    skills = Skills(TOLD)
    told = [skills.sort(name) for name in ('crate 7', 'crate A-7', 'dock 2', 'yard 1', 'kite 1')]
    assert told == [Sort.THING, Sort.THING, Sort.PLACE, Sort.REGION, None]
    assert skills.class_of('crate A-7') == 'crate'
    skills.learn(('leave kite 1 at dock 1', 'drive to pier 3'))
    assert (skills.sort('kite 1'), skills.sort('pier 3')) == (Sort.THING, Sort.PLACE)


def test_a_skill_is_taken_apart():
    skills = Skills(TOLD)
    one = skills.parse('leave crate (2) at dock 1')
    assert (one.target, one.destination, one.kind) == ('crate 2', 'dock 1', SkillKind.PUT)
    assert skills.parse('sing') is None
    assert skills.excludes('open', 'closed')
    assert not skills.excludes('open', 'wet')
    # What facts write is spelled as the server does.
    assert skills.filled(one.type, ('crate 2', 'dock 1')).text == one.text
    assert skills.filled(one.type, ('crate 3', 'dock 1')).text == 'leave crate 3 at dock 1'


# Recipes -------------------------------------------------------------------------------------

SAW = Vocabulary(
    templates=('saw <items> from <items>', 'fetch <number> <item>'),
    skill_types=(
        SkillType('saw <items> from <items>', kind=SkillKind.MAKE),
        SkillType('fetch <number> <item>', ('number', 'name'), effects=('holding <item>',)),
    ),
    other_classes=('board', 'trunk', 'larch board', 'chest', 'nail'),
)
BOOK = 'saw 4 larch board from 1 trunk\nsaw 1 chest from 6 board, 2 nail'


def made(count, stock=0):
    """The skills of the way to chests, played as the world would."""
    skills = Skills(SAW)
    recipes = Recipes(skills)
    recipes.learn(BOOK, ('fetch 1 trunk', 'fetch 2 nail'))
    held = recipes.stock
    held['larch board'] += stock
    done = []
    while held['chest'] < count:
        offered = ['fetch 1 trunk', 'fetch 2 nail']
        if held['trunk']:
            offered.append('saw 4 larch board from 1 trunk')
        if held['larch board'] >= 6 and held['nail'] >= 2:
            offered.append('saw 1 chest from 6 larch board, 2 nail')
        way = recipes.way_to('chest', count, [skills.parse(text) for text in offered])
        assert way[0].skill.text in offered
        done.append(way[0].skill.text)
        recipes.note(way[0].skill)
    return done


def test_what_is_made_of_sorts_is_made_in_numbers():
    done = made(1)
    assert sorted(done) == [
        'fetch 1 trunk',
        'fetch 1 trunk',
        'fetch 2 nail',
        'saw 1 chest from 6 larch board, 2 nail',
        'saw 4 larch board from 1 trunk',
        'saw 4 larch board from 1 trunk',
    ]
    assert done[-1].startswith('saw 1 chest')


def test_what_is_held_is_used():
    assert len(made(1, stock=6)) == 2
    assert len(made(1, stock=2)) == 4


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 4), st.integers(0, 30))
def test_so_many_are_made(count, stock):
    done = made(count, stock)
    trunks = -(-max(0, 6 * count - stock) // 4)
    assert done.count('fetch 1 trunk') == trunks
    assert len(done) == 2 * trunks + 2 * count


def test_a_thing_that_nothing_makes_has_to_be_found():
    recipes = Recipes(Skills(SAW))
    recipes.learn(BOOK, ())
    assert recipes.way_to('kite', 1, ()) == (Step(None, 'kite'),)
    assert recipes.way_to('chest', 1, ())[0] == Step(None, 'trunk')
    assert recipes.tell_of('chest')
    assert not recipes.tell_of('trunk')


# Exploration ---------------------------------------------------------------------------------


def frontiers(known, *wanted, allowed=lambda text: True, related=()):
    exploration = Exploration(known, allowed)
    exploration.related = frozenset(related)
    exploration.update(known.observation)
    return [one.name for one in exploration.frontiers(wanted)]


def yard(*places, **fields):
    return seen(
        *places,
        admissible_skills=tuple(f'drive to {place[0]}' for place in places),
        **fields,
    )


def test_places_that_were_not_looked_at_are_left():
    known = belief(
        yard(('dock 1', ''), ('shed 1', ''), ('truck 1', '', 'closed'), looked_at=('dock 1',))
    )
    assert set(frontiers(known, 'crate')) == {'shed 1', 'truck 1'}


def test_what_may_not_be_gone_to_or_opened_hides_nothing():
    known = belief(yard(('shed 1', ''), ('truck 1', '', 'closed'), ('dock 1', '')))
    barred = {'drive to shed 1', 'unfold truck 1'}
    assert frontiers(known, 'crate', allowed=lambda text: text not in barred) == ['dock 1']


def test_no_place_is_looked_for_in_a_shut_one():
    known = belief(yard(('truck 1', '', 'closed'), ('dock 1', '')))
    assert frontiers(known, 'shed')[0] == 'dock 1'


def test_what_is_wanted_together_lies_together():
    facts = (
        ObjectFact('shed', 1, 'yard 1'),
        ObjectFact('shed', 2, 'hall 1'),
        ObjectFact('crate', 1, 'hall 1', 'dock 1'),
    )
    moves = ('drive to shed 1', 'drive to shed 2')
    known = belief(Observation('', room='yard 1', facts=facts, admissible_skills=moves))
    known.visited |= {'hall 1'}
    assert frontiers(known, 'bin', related=('crate',))[0] == 'shed 2'
    assert frontiers(known, 'bin')[0] == 'shed 1'


def test_where_everything_in_sight_is_listed_only_shut_places_hide_things():
    known = belief(
        seen(
            ('dock 1', ''),
            ('truck 1', '', 'closed'),
            admissible_skills=('drive to dock 1', 'drive to truck 1', 'drive to crate 3'),
            place='yard 1',
        )
    )
    assert 'crate 3' in known.moves
    assert [name for name in frontiers(known, 'bin') if name != 'hall 1'] == ['truck 1']


@settings(max_examples=40, deadline=None)
@given(
    wanted=st.integers(1, 5),
    cups=st.tuples(st.integers(1, 3), st.integers(1, 3), st.integers(0, 2)),
    trays=st.tuples(st.integers(1, 3), st.integers(1, 3), st.integers(0, 2)),
    held=st.dictionaries(st.sampled_from(['clay', 'cup', 'tray']), st.integers(0, 4)),
)
def test_the_fewest_are_got_and_made_of_whatever_recipes(wanted, cups, trays, held):
    """Cups are made of clay, and trays of cups and clay, in any numbers."""
    skills = Skills(
        Vocabulary(
            templates=('bake <items> from <items>', 'dig <number> <item>'),
            skill_types=(
                SkillType('bake <items> from <items>', kind=SkillKind.MAKE),
                SkillType('dig <number> <item>', ('number', 'name'), effects=('holding <item>',)),
            ),
            other_classes=('clay', 'cup', 'tray', 'sand'),
        )
    )
    recipes = Recipes(skills)
    sand = ', 1 sand' if trays[2] else ''
    of_cup = f'bake {cups[0]} cup from {cups[1]} clay'
    of_tray = f'bake {trays[0]} tray from {trays[1]} cup{sand}'
    recipes.learn(f'{of_tray}\n{of_cup}', ('dig 1 clay', 'dig 1 sand'))
    stock = recipes.stock
    stock.update(held)
    # Reckoned from the end: how often each is made, and how much is dug.
    of_trays = -(-max(0, wanted - stock['tray']) // trays[0])
    of_cups = -(-max(0, of_trays * trays[1] - stock['cup']) // cups[0])
    clay = max(0, of_cups * cups[1] - stock['clay'])
    done = []
    while stock['tray'] < wanted:
        offered = ['dig 1 clay', 'dig 1 sand']
        if stock['clay'] >= cups[1]:
            offered.append(of_cup)
        if stock['cup'] >= trays[1] and (stock['sand'] or not sand):
            offered.append(of_tray)
        step = recipes.way_to('tray', wanted, [skills.parse(text) for text in offered])[0]
        assert step.skill.text in offered
        done.append(step.skill.text)
        recipes.note(step.skill)
    assert done.count(of_tray) == of_trays
    assert done.count(of_cup) == of_cups
    assert done.count('dig 1 clay') == clay
    assert done.count('dig 1 sand') == (of_trays if sand else 0)
    assert recipes.way_to('tray', wanted, ()) == ()


def test_what_is_got_in_numbers_is_got_in_the_largest_that_fit():
    skills = Skills(SAW)
    recipes = Recipes(skills)
    recipes.learn(BOOK, ('fetch 1 nail', 'fetch 3 nail'))
    offered = [skills.parse(text) for text in ('fetch 1 nail', 'fetch 3 nail')]
    got = [step.skill.text for step in recipes.way_to('nail', 7, offered)]
    assert got == ['fetch 3 nail', 'fetch 3 nail', 'fetch 1 nail']
    only = [skills.parse('fetch 3 nail')]
    assert len(recipes.way_to('nail', 2, only)) == 1


def test_where_one_sort_does_not_fit_another_is_made():
    skills = Skills(SAW)
    recipes = Recipes(skills)
    recipes.learn(f'{BOOK}\nsaw 4 oak board from 1 log', ('fetch 1 log', 'fetch 2 nail'))
    recipes.stock.update({'larch board': 6, 'nail': 2})
    offered = [skills.parse('fetch 1 log'), skills.parse('fetch 2 nail')]
    # All of it is there, and it is not offered: larch is not what is meant.
    assert recipes.way_to('chest', 1, offered)[0].skill.text == 'fetch 1 log'
    fits = [*offered, skills.parse('saw 1 chest from 6 larch board, 2 nail')]
    assert recipes.way_to('chest', 1, fits)[0].skill.text.startswith('saw 1 chest')


def test_stock_is_what_the_world_says_is_held():
    recipes = Recipes(Skills(SAW))
    recipes.stock.update({'nail': 5, 'board': 2})
    recipes.correct(('nail', 'trunk 1', 'trunk 2'))
    assert +recipes.stock == {'nail': 5, 'trunk': 2}
    plain = Recipes(Skills(TOLD))
    plain.note(Skills(TOLD).parse('grab crate 1'))
    plain.learn('saw 1 chest from 6 board', ())
    assert not plain.stock and not plain.tell_of('chest'), 'nothing is made here'


# What is known of things, once more --------------------------------------------------------------


def test_only_what_is_new_changes_anything():
    same = seen(('crate 1', 'dock 1', 'wet'), ('bin 1', 'truck 1'), place='dock 1')
    known = belief(same)
    first = known.changed
    known.update(same)
    assert known.changed == first
    known.update(seen(('crate 1', 'dock 1'), ('bin 1', 'truck 1'), place='dock 1'))
    assert known.changed > first and known.is_so('crate 1', 'wet') is False
    second = known.changed
    known.update(seen(('crate 1', 'dock 1'), ('bin 1', 'truck 2'), place='dock 1'))
    assert known.changed > second


def test_what_is_told_of_in_another_region_is_no_more_where_it_was():
    known = belief(seen(('crate 1', 'dock 1'), place='dock 1'))
    known.update(Observation('', facts=(ObjectFact('crate', 1, 'hall 1'),), room='hall 1'))
    assert (known.holder('crate 1'), known.room_of('crate 1')) == ('', 'hall 1')
    assert known.things['crate 1'].beside == ''
    same = belief(seen(('crate 1', 'dock 1'), place='dock 1'), seen(('crate 1', '')))
    assert same.holder('crate 1') == 'dock 1'


def test_where_things_began_is_known_whatever_is_done_with_them():
    known = belief(seen(('crate 1', 'dock 1'), ('bin 1', ''), place='dock 1'))
    known.update(seen(place='dock 1', held=('crate 1',), skill='grab crate 1'))
    known.update(seen(('crate 1', 'truck 1'), place='truck 1', held=()))
    assert (
        known.began_in('crate 1', 'dock') is True and known.began_in('crate 1', 'truck') is False
    )
    assert known.began_in('crate 1', 'yard') is True and known.began_in('crate 1', 'hall') is False
    assert known.began_in('bin 1', 'dock') is None and known.began_in('bin 2', 'dock') is None
    assert known.began_at('crate 1') == 'dock 1' and known.began_at('bin') == ''


def test_what_is_lost_is_nowhere():
    known = belief(seen(('crate 1', 'dock 1'), place='dock 1', held=('bin 1',)))
    known.lose('crate 1')
    known.lose('bin 1')
    known.lose('kite 9')
    assert (known.held, known.holder('crate 1'), known.vanished) == ((), '', {'crate 1', 'bin 1'})
    assert not known.is_located('crate 1')


def test_names_are_found_by_class_kind_and_spelling():
    known = belief(seen(('crate 1', 'dock 1'), ('bin 1', 'crate 1'), place='dock 1'))
    assert known.of_class('CRATE') == ['crate 1'] == known.of_class('Crate 1')
    assert known.of_class('kite') == [] and set(known.of_class('everything')) <= {
        'crate 1',
        'bin 1',
    }
    assert known.number_of_kinds('crate') == 1 and known.number_of_kinds('ate') == 1
    assert known.holders('bin 1') == ('crate 1', 'dock 1') and known.holders('x') == ()


def test_where_something_could_be_laid_down_is_known():
    put, none = ('leave crate 1 at dock 1',), ('drive to dock 1',)
    known = belief(
        Observation('', place='dock 1', held=('crate 1',), admissible_skills=put),
        Observation('', place='shed 1', held=('crate 1',), admissible_skills=none),
    )
    assert (known.takes_things, known.takes_nothing) == ({'dock 1'}, {'shed 1'})
    known.update(Observation('', place='shed 1', held=('crate 1',), admissible_skills=put))
    assert known.takes_nothing == set()
    known.update(Observation('', place='truck 1', admissible_skills=none))
    assert 'truck 1' not in known.takes_nothing, 'with empty hands nothing is shown'


def test_a_need_with_or_is_met_by_any_of_its_ways():
    known = belief(seen(('crate 1', 'dock 1'), place='dock 1'))
    lift = skill('lift <object>', SkillKind.OTHER, needs=('holding <object> or at <object>',),
                 slot_types=('thing',))  # fmt: skip
    filled = known.skills.filled(lift, ('crate 1',))
    ((_, texts),) = rows_of(filled)
    assert list(needs_of(known, filled, texts)) == [
        (('in', 'crate 1', HAND), ('near', 'crate 1')),
    ]


def test_a_row_of_the_table_that_was_not_offered_looks_longer():
    known = belief(seen(('dock 1', ''), place='dock 1'))
    taught = Experience(known)
    drive = known.skills.parse('drive to dock 1')
    row = [Operator(drive, (), (), row=number) for number in (0, 1)]
    t = drive.type.template
    assert taught.extra_cost(t, -1, 'x') == taught.extra_cost(t, 0, 'x') == 0.0
    assert (
        taught.extra_cost(t, 0, 'x') < taught.extra_cost(t, 1, 'x') < taught.extra_cost(t, 2, 'x')
    )
    for times in range(1, 6):
        taught.doubt(row[0])
        assert taught.extra_cost(t, 0, 'x') == 4.0 * min(3, times)
    assert taught.extra_cost('u', 0, 'x') == 0.0
    taught.prove(row[0])
    assert taught.extra_cost(t, 0, 'x') == 0.0 and taught.extra_cost(t, 1, 'x') == 1.0
    taught.miss(row[1])
    text = row[1].text
    assert taught.extra_cost(t, 0, text) == 4.0 and taught.extra_cost(t, 0, 'y') == 0.0


def test_a_skill_is_chosen_once_in_a_situation():
    known = belief(seen(('dock 1', ''), place='dock 1'))
    taught, text = Experience(known), 'drive to shed 1'
    taught.choose(text, ())
    assert not taught.is_chosen(text, ()), 'nothing was seen since'
    known.update(known.observation)
    assert taught.is_chosen(text, ()) and not taught.is_chosen('drive to dock 2', ())
    known.update(seen(('dock 1', ''), ('shed 2', ''), place='dock 1'))
    assert not taught.is_chosen(text, ()), 'more is known'
    taught.choose(text, ())
    taught.take_back(text, ())
    known.update(known.observation)
    assert not taught.is_chosen(text, ()), 'it was not done'


def test_what_is_seen_nearby_and_cannot_be_taken_is_out_of_reach():
    def nearby(*more):
        facts = ObjectFact('crate', 1, '', ''), ObjectFact('bin', 1, '', 'dock 1')
        moves = ('drive to crate 1', 'drive to dock 1')
        return Observation('', facts=facts, place='crate 1', admissible_skills=(*moves, *more))

    def given_up():
        return [text for text in ('grab crate 1', 'grab bin 1') if taught.has_given_up(text, 0)]

    known = belief(nearby())
    taught = Experience(known)
    taught.see()
    assert given_up() == ['grab crate 1'], 'what is certainly in a place may do from elsewhere'
    known.update(nearby('grab crate 1'))
    taught.see()
    assert not given_up(), 'it is on offer after all'
    known.update(nearby())
    taught.see()
    assert given_up() and taught.hope_again() and not given_up()
    assert not taught.hope_again(), 'once in a run'


def test_of_two_readings_of_a_skill_the_one_that_knows_its_names_counts():
    types = (
        SkillType('set <thing> down', ('thing',), SkillKind.PUT),
        SkillType('set <number> <words>', ('number', 'text'), SkillKind.OTHER),
        SkillType('set <place> <way>', ('place', 'name'), SkillKind.OTHER),
    )
    told = Vocabulary(object_classes=('crate',), place_classes=('dial',), skill_types=types)
    skills = Skills(told)
    assert skills.parse('set crate 1 down').type is types[0]
    assert skills.parse('set dial 1 down').type is types[2]
    assert skills.parse('set <thing> down').type is types[0]
    assert (
        skills.parse('set <thing> down').has_gap and not skills.parse('set crate 1 down').has_gap
    )
    assert skills.parse('set <thing> down').leaves_open(skills.parse('set crate 1 down'))
    assert not skills.parse('set crate 2 down').leaves_open(skills.parse('set crate 1 down'))


def test_a_slot_takes_its_class_and_the_kinds_of_it():
    types = (
        SkillType('cut <object> with <knife>', ('thing', 'thing'), SkillKind.CHANGE),
        SkillType('take <item>', ('name',), SkillKind.TAKE),
        SkillType('wave at <item>', ('name',), SkillKind.OTHER),
        SkillType('wait <time>', ('number',), SkillKind.OTHER),
    )
    told = Vocabulary(object_classes=('knife', 'bread knife', 'pie'), place_classes=('desk',),
                      rooms=('hall 1',), skill_types=types)  # fmt: skip
    skills = Skills(told)

    def fitting(number, index):
        names = ('knife 1', 'bread knife 1', 'pie 1', 'desk 1', 'hall 1')
        return [name for name in names if skills.fits(types[number], index, name)]

    assert fitting(0, 0) == ['knife 1', 'bread knife 1', 'pie 1']
    assert fitting(0, 1) == ['knife 1', 'bread knife 1']
    assert fitting(1, 0) == ['knife 1', 'bread knife 1', 'pie 1'], 'what is carried is a thing'
    assert fitting(3, 0) == []


def test_lines_that_are_known_or_no_recipes_hide_none_behind_them():
    recipes = Recipes(Skills(SAW))
    first, *_ = BOOK.splitlines()
    recipes.learn(first, ())
    recipes.learn(f'Recipes:\n{first}\n\n{BOOK}\nsaw 2 nail from 1 spoon', ('saw it', first))
    assert recipes.tell_of('chest') and recipes.tell_of('nail')


def test_costs_are_means_of_all_that_was_told():
    attempts = Attempts()
    for seconds in (1.0, 3.0):
        attempts.note(*attempt('grab crate 1', Outcome.SUCCEEDED), seconds)
    attempts.note(*attempt('drive to dock 1', Outcome.SUCCEEDED), 5.0)
    # 2 s in the mean, where all take 3 s.
    assert attempts.cost('grab <object>') == pytest.approx(2 / 3)
    assert attempts.cost('drive to <place>') == pytest.approx(5 / 3)


def test_what_was_opened_was_looked_into():
    known = belief(seen(('truck 1', '', 'closed'), ('truck 2', '', 'closed'), place='dock 1'))
    known.update(seen(('truck 1', '', 'open'), place='truck 1', skill='unfold truck 1'))
    assert known.looked == {'truck 1'}
    failed = seen(place='truck 2', skill='unfold truck 2', outcome=Outcome.EXECUTION_FAILED)
    known.update(failed)
    assert known.looked == {'truck 1'}


def test_a_state_that_follows_from_a_number_is_known_as_long_as_that_is():
    told = Vocabulary(
        object_classes=('fern',),
        other_words=(('dry', 'moisture < 30 %'),),
        states=('dry', 'ripe'),
        numbers=('moisture',),
        skill_types=TYPES,
    )
    known = Belief(told)

    def fern(state):
        known.update(Observation('', facts=(ObjectFact('fern', 1, '', '', state),)))
        return known.is_so('fern 1', 'dry')

    assert fern('dry, moisture 10 %') is True
    assert fern('moisture 50 %') is False
    assert fern('ripe') is None
    assert known.is_so('fern 1', 'moisture < 30 %') is None
    assert holds(known, read_condition('moisture of fern > 3 %')) is False, 'it could be told'
    assert holds(known, read_condition('weight of fern > 3 %')) is None


def test_what_was_put_somewhere_is_there_until_it_is_taken_again():
    known = belief(seen(('crate 1', 'dock 1'), place='dock 1'))
    known.update(seen(place='truck 1', skill='leave crate 1 at truck 1'))
    assert known.placed == {'crate 1': 'truck 1'} and known.holder('crate 1') == 'truck 1'
    known.update(seen(place='truck 1', held=('crate 1',), skill='grab crate 1'))
    assert known.placed == {} and known.holder('crate 1') == ''
    silent = belief(Observation('', place='dock 1'))
    silent.update(Observation('', skill='grab crate 1', place='dock 1'))
    assert silent.held == ('crate 1',)
    silent.update(Observation('', skill='leave crate 1 at dock 1', place='dock 1'))
    assert silent.held == () and silent.placed == {'crate 1': 'dock 1'}


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_a_way_is_found_by_whatever_recipes_and_gets_or_makes_what_it_needs(data):
    """Things are made of things before them in a row, by several recipes; some can be dug."""
    names = ('ash', 'brick', 'cord', 'disc', 'easel')
    number = st.integers(1, 3)
    book, dug = [], set(data.draw(st.sets(st.sampled_from(names[:3]), min_size=1)))
    for place, name in enumerate(names[1:], 1):
        for _ in range(data.draw(st.integers(0, 2))):
            parts = data.draw(st.sets(st.sampled_from(names[:place]), min_size=1, max_size=2))
            told = ', '.join(f'{data.draw(number)} {part}' for part in sorted(parts))
            book.append(f'bake {data.draw(number)} {name} from {told}')
    skills = Skills(
        Vocabulary(
            skill_types=(
                SkillType('bake <items> from <items>', kind=SkillKind.MAKE),
                SkillType('dig <number> <item>', ('number', 'name'), effects=('holding <item>',)),
            ),
            other_classes=names,
        )
    )
    recipes = Recipes(skills)
    digs = [f'dig {n} {name}' for name in sorted(dug) for n in (1, 2)]
    recipes.learn('\n'.join(book), digs)
    can, wanted = set(dug), data.draw(st.sampled_from(names))
    for _ in names:
        can |= {line.split()[2] for line in book if set(line.split(' from ')[1].replace(
            ',', '').split()[1::2]) <= can}  # fmt: skip
    count = data.draw(number)
    for _ in range(200):
        if recipes.stock[wanted] >= count:
            break
        ready = [line for line in book if enough(recipes.stock, line)]
        way = recipes.way_to(wanted, count, [skills.parse(text) for text in (*digs, *ready)])
        if wanted not in can:
            assert all(step.skill is None or step.skill.text in (*digs, *ready) for step in way)
            assert not way or any(step.skill is None for step in way)
            return
        assert way[0].skill.text in (*digs, *ready), 'it can be done now'
        for part in way[0].skill.text.split(' from ')[1:]:
            for amount in part.split(', '):
                recipes.stock[amount.split()[1]] -= int(amount.split()[0])
        made = way[0].skill.text.split()
        recipes.stock[made[2]] += int(made[1])
        assert min(recipes.stock.values()) >= 0
    assert recipes.stock[wanted] >= count
    assert recipes.way_to(wanted, count, ()) == ()


def enough(stock, line):
    """Whether all is there that a recipe takes."""
    parts = (part.split() for part in line.split(' from ')[1].split(', '))
    return all(stock[name] >= int(number) for number, name in parts)


GRAB = SkillType('grab <object>', ('thing',), KINDS.TAKE)
LEAVE = SkillType('leave <object> at <place>', ('thing', 'place'), KINDS.PUT)
RINSE = SkillType('rinse <object>', ('thing',), KINDS.CHANGE, effects=('<object> is wet',))
BAKE = SkillType('start <oven>', ('place',), KINDS.OTHER, effects=('everything in <oven> is hot',))
CRATE = ObjectFact('crate', 1, '', 'dock 1', 'striped')


@pytest.mark.parametrize(
    ('text', 'types', 'facts', 'answer'),
    [
        ('holding crate', (GRAB,), (), False),
        ('holding crate', (LEAVE, RINSE), (CRATE,), None),
        ('crate in truck', (LEAVE,), (), False),
        ('crate in truck', (GRAB, RINSE), (), None),
        ('crate in truck', (GRAB, RINSE), (CRATE,), False),
        ('crate is wet', (RINSE,), (), False),
        ('crate is wet', (GRAB, LEAVE), (CRATE,), None),
        ('crate is hot', (BAKE,), (CRATE,), False),
        ('2 crate is striped', (GRAB,), (CRATE,), False),
        ('2 crate is striped', (GRAB,), (), None),
        ('crate is ripe', (GRAB,), (), None),
        ('weight of crate > 3 kg', (GRAB,), (CRATE,), None),
        ('at dock', (GRAB,), (), None),
        ('done grab crate 1', (GRAB,), (), False),
    ],
)
def test_what_is_not_so_is_known_where_the_run_would_know_of_it(text, types, facts, answer):
    known = Belief(Vocabulary(object_classes=('crate',), place_classes=('dock', 'truck'),
                              skill_types=types))  # fmt: skip
    known.update(Observation('', facts=facts))
    assert is_so(known, text) is answer
    told = Belief(Vocabulary(object_classes=('crate',), skill_types=(LEAVE,)))
    told.update(Observation('', held=('bin 1',)))
    assert is_so(told, 'holding crate') is False, 'what it holds is told'


def test_what_can_be_gone_to_or_taken_is_in_sight_although_no_fact_tells_of_it():
    moves = ('drive to crate 7', 'drive to dock 1')
    known = belief(Observation('', room='yard 1', admissible_skills=moves))
    assert known.room_of('crate 7') == 'yard 1' and known.is_located('crate 7')
    assert not known.holder('crate 7')
    taken = Observation('', place='dock 1', room='yard 1', admissible_skills=('grab bin 3',))
    known = belief(taken)
    assert (known.room_of('bin 3'), known.whereabouts('bin 3')) == ('yard 1', 'dock 1')
    assert known.is_located('bin 3') and known.holder('bin 3') == ''
    told = seen(('bin 3', 'truck 1'), place='dock 1', admissible_skills=('grab bin 3',))
    known = belief(told)
    assert known.holder('bin 3') == 'truck 1', 'what was told is not only at hand'
    assert known.things['bin 3'].reached == ('dock 1', 'truck 1')
    known = belief(seen(('bin 3', 'dock 1'), place='dock 1', admissible_skills=('grab bin 3',)))
    assert known.things['bin 3'].reached == ('', '')


def test_where_one_of_its_class_would_fit_a_tool_is_looked_for_by_its_name():
    cut = skill('cut <object> with <knife>', KINDS.CHANGE, ('<object> is cut',),
                ('holding <knife>', 'at <object>'), ('thing', 'thing'))  # fmt: skip
    told = Vocabulary(object_classes=('crate', 'knife'), place_classes=('dock', 'shed'),
                      skill_types=(*TYPES[:3], cut))  # fmt: skip
    reasoner = Reasoner(told, ((read_condition('crate is cut'),),))
    facts = (ObjectFact('crate', 1, '', 'dock 1'), ObjectFact('dock', 1), ObjectFact('shed', 1))
    moves = ('drive to dock 1', 'drive to shed 1')
    reasoner.see(Observation('', facts=facts, place='dock 1', looked_at=('dock 1',),
                             admissible_skills=moves))  # fmt: skip
    step = reasoner.next()
    assert (step.skill, step.look_for) == ('drive to shed 1', ('knife',))
    reasoner.see(
        Observation('', facts=(*facts, ObjectFact('knife', 1, '', 'shed 1')), place='shed 1',
                    skill='drive to shed 1', looked_at=('shed 1',),
                    admissible_skills=(*moves, 'grab knife 1'))
    )  # fmt: skip
    assert reasoner.next().skill == 'grab knife 1'


def test_what_the_run_itself_put_somewhere_is_there_although_places_are_only_near():
    known = belief(
        seen(('dock 1', ''), ('truck 1', ''), ('bin 1', 'dock 1'), place='yard 1'),
        Observation('', skill='leave crate 1 at dock 1', place='dock 1', room='yard 1'),
    )
    assert known.holder('bin 1') == 'dock 1' and not known.tells_nearness
    known.update(seen(('truck 1', 'dock 1'), place='dock 1'))
    assert known.tells_nearness
    assert (known.holder('crate 1'), known.holder('bin 1')) == ('dock 1', '')
    assert known.whereabouts('bin 1') == 'dock 1'


def test_two_places_that_are_told_at_each_other_are_near_each_other():
    known = belief(seen(('dock 1', 'truck 1'), place='truck 1'))
    assert not known.tells_nearness and known.holder('dock 1') == 'truck 1'
    known.update(seen(('truck 1', 'dock 1'), place='dock 1'))
    assert known.tells_nearness and known.holder('dock 1') == known.holder('truck 1') == ''


@pytest.mark.parametrize(('wanted', 'comes'), [('> 40 %', 'soak'), ('< 20 %', 'drain'),
                                               ('> 60 %', '')])  # fmt: skip
def test_what_brings_a_number_beyond_a_limit_is_done_for_all_that_follows(wanted, comes):
    soak = skill('soak <plant>', KINDS.OTHER, ('moisture of <plant> > 50 %',), (), ('thing',))
    drain = skill('drain <plant>', KINDS.OTHER, ('moisture of <plant> < 10 %',), (), ('thing',))
    told = Vocabulary(object_classes=('plant',), skill_types=(soak, drain), numbers=('moisture',))
    reasoner = Reasoner(told, ((read_condition(f'moisture of plant 1 {wanted}'),),))
    facts = (ObjectFact('plant', 1, '', '', 'moisture 30 %'),)
    offers = ('soak plant 1', 'drain plant 1')
    reasoner.see(Observation('', facts=facts, admissible_skills=offers))
    assert reasoner.next().skill == (f'{comes} plant 1' if comes else '')
    # What is not measured now is brought there all the same, once that was done.
    reasoner = Reasoner(told, ((read_condition(f'moisture of plant 1 {wanted}'),),))
    reasoner.see(Observation('', facts=(ObjectFact('plant', 1),), admissible_skills=offers))
    assert reasoner.next().skill == (f'{comes} plant 1' if comes else '')


def test_of_what_another_robot_can_do_only_what_may_once_be_done_here_is_known():
    def heard(known, *offered):
        told = Observation('', who='blue', room='hall 1', admissible_skills=offered)
        with known.hearing(told, Skills(TOLD)) as one:
            return one.admissible_skills

    known = belief(seen(('dock 1', ''), ('crate 1', 'dock 1'), place='dock 1'))
    offers = ('drive to dock 1', 'grab crate 1', 'fly away', 'drive to kite 3')
    assert heard(known, *offers) == offers[:2], 'of strange names and skills nothing is known'
    # It knows no region of that name: it never comes there.
    elsewhere = belief(seen(('dock 1', ''), place='dock 1'))
    elsewhere.things['dock 1'].room = 'attic 9'
    assert heard(elsewhere, 'drive to dock 1') == ()
    plain = Belief(Vocabulary(place_classes=('dock',), skill_types=TYPES))
    plain.update(Observation('', facts=(ObjectFact('dock', 1, 'attic 9'),)))
    assert heard(plain, 'drive to dock 1') == ('drive to dock 1',), 'it was told of no regions'


def test_a_place_to_which_nothing_leads_is_reached_from_what_it_stands_beside():
    light = SkillType('light <lamp>', ('place',), KINDS.SWITCH_ON)
    told = Vocabulary(object_classes=('crate',), place_classes=('dock', 'shed', 'lamp'),
                      skill_types=(TYPES[0], light))  # fmt: skip
    reasoner = Reasoner(told, ((read_condition('lamp is on'),),))
    places = (ObjectFact('dock', 1), ObjectFact('shed', 1), ObjectFact('lamp', 1))
    moves = ('drive to dock 1', 'drive to shed 1')
    reasoner.see(Observation('', facts=places, admissible_skills=moves))
    beside = (ObjectFact('lamp', 1, '', 'dock 1'), ObjectFact('shed', 1, '', 'dock 1'))
    reasoner.see(Observation('', facts=beside, place='dock 1', skill='drive to dock 1',
                             admissible_skills=(*moves, 'light lamp 1')))  # fmt: skip
    assert reasoner.next().skill == 'light lamp 1'
    reasoner.see(Observation('', facts=places, place='shed 1', skill='drive to shed 1',
                             admissible_skills=moves))  # fmt: skip
    assert reasoner.next().skill == 'drive to dock 1'


def test_a_need_to_hold_a_class_is_to_hold_any_of_it():
    known = belief(seen(('crate 1', 'dock 1'), ('bin 1', 'dock 1'), ('bin 2', 'dock 1')))
    lift = skill('lift <object>', needs=('left hand free', 'holding bin', 'holding bin 2'))
    filled = known.skills.filled(lift, ('crate 1',))
    assert list(needs_of(known, filled, lift.needs)) == [
        (('free',),),
        (('in', 'bin 1', HAND), ('in', 'bin 2', HAND)),
        (('in', 'bin 2', HAND),),
    ]


def test_a_thing_is_found_by_the_class_that_is_declared_and_by_its_whole_name():
    known = belief(seen(('crate box 3', 'dock 1'), ('crate 1', 'dock 1'), place='dock 1'))
    assert known.of_class('crate box') == known.of_class('Crate Box 3') == ['crate box 3']
    assert known.of_class('crate') == ['crate box 3', 'crate 1']
    assert is_so(known, 'crate box in dock') and is_so(known, '2 crate in dock')
