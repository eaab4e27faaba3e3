"""What subgoals leave out of a task, orders that cannot be, and lists written from conditions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reactree_core.observation import ObjectFact
from reactree_core.observation import Observation
from reactree_core.observation import Vocabulary
from reactree_core.skill_types import SkillKind
from reactree_core.skill_types import SkillType
from reactree_planner.agents.belief_state import BeliefState
from reactree_planner.agents.subgoal_checks import infeasible
from reactree_planner.agents.subgoal_checks import more_than_lacking
from reactree_planner.agents.subgoal_checks import not_covered
from reactree_planner.agents.subgoal_checks import written_from
from reactree_planner.instructions.conditions import conditions_of
from reactree_planner.tree.events import ControlFlow

_SKILLS = (
    SkillType('drive to <place>', ('place',), SkillKind.MOVE),
    SkillType('grip <part>', ('thing',), SkillKind.TAKE),
    SkillType('drop <part>', ('thing',), SkillKind.PUT),
    SkillType('polish <part>', ('thing',), SkillKind.CHANGE, effects=('<part> is bright',)),
    SkillType('open <place>', ('place',), SkillKind.OPEN, 'close <place>'),
    SkillType('close <place>', ('place',), SkillKind.CLOSE, 'open <place>'),
    SkillType('start <place>', ('place',), SkillKind.SWITCH_ON, 'stop <place>'),
    SkillType('stop <place>', ('place',), SkillKind.SWITCH_OFF, 'start <place>'),
)
VOCABULARY = Vocabulary(
    tuple(one.template for one in _SKILLS),
    ('gear', 'axle', 'bolt'),
    ('kiln', 'rack', 'mill'),
    ('hall 1',),
    _SKILLS,
)
SEQUENCE, PARALLEL = ControlFlow.SEQUENCE, ControlFlow.PARALLEL


def belief_of(*placed):
    belief = BeliefState(VOCABULARY)
    facts = (
        ObjectFact('kiln', 1, 'hall 1', state='closed'),
        ObjectFact('rack', 1, 'hall 1'),
        ObjectFact('mill', 1, 'hall 1', state='off'),
        ObjectFact('gear', 1, 'hall 1', 'rack 1'),
        ObjectFact('gear', 2, 'hall 1', 'kiln 1' if 'gear 2' in placed else ''),
        ObjectFact('axle', 1, 'hall 1'),
    )
    belief.update(Observation('hall', room='hall 1', looked_at=('rack 1', 'mill 1'), facts=facts))
    return belief


@pytest.mark.parametrize(
    ('subgoals', 'wanted', 'told'),
    [
        (('put gear in kiln',), ('gear in kiln',), ''),
        (('put gear in kiln',), ('2 gear in kiln',), 'Nothing brings another gear to kiln.'),
        (('put two gears in the kiln',), ('2 gear in kiln',), ''),
        (('put both gears in kiln',), ('2 gear in kiln',), ''),
        (('put all gears in kiln',), ('all gear in kiln',), ''),
        (('put gear in kiln', 'put another gear in kiln'), ('2 gear in kiln',), ''),
        (('put gear in kiln', 'start mill'), ('axle in kiln',), 'Nothing brings axle to kiln.'),
        (('grip axle', 'put it in kiln'), ('axle in kiln',), ''),
        (
            ('grip axle', 'put axle in kiln'),
            ('2 axle in kiln',),
            'Nothing brings another axle to kiln.',
        ),
        (('polish gear',), ('gear is bright',), ''),
        (('make gear bright',), ('gear is bright',), ''),
        (('grip gear',), ('gear is bright',), 'Nothing makes gear bright.'),
        (('stop mill',), ('mill is on',), 'Nothing makes mill on.'),
        (('grip axle',), ('holding axle',), ''),
        (('grip gear',), ('holding axle',), 'Nothing takes axle.'),
        (('drive to kiln',), ('at kiln',), ''),
        (('grip gear',), ('at kiln',), 'Nothing leads to kiln.'),
        (('grip bolt',), ('gear in rack',), ''),
    ],
)
def test_what_is_left_out_is_said_in_a_sentence(subgoals, wanted, told):
    """The last: what holds already need not be said."""
    assert not_covered(subgoals, conditions_of(wanted), belief_of()) == told


def test_what_is_there_already_need_not_be_brought():
    wanted = conditions_of(('2 gear in kiln',))
    assert not not_covered(('put another gear in kiln',), wanted, belief_of('gear 2'))
    twice = ('put gear in kiln', 'put another gear in kiln')
    assert more_than_lacking(twice, wanted, belief_of('gear 2')) == (
        'Only 1 more is left to do of: gear in kiln.'
    )
    assert not more_than_lacking(twice, wanted, belief_of())


@pytest.mark.parametrize(
    ('subgoals', 'told'),
    [
        (('open kiln', 'put gear in kiln', 'close kiln', 'start kiln'), ''),
        (('put gear in kiln', 'open kiln'), 'The kiln is opened after something is put into it.'),
        (
            ('open kiln', 'close kiln', 'put gear in kiln'),
            'The kiln is closed before everything is put there.',
        ),
        (
            ('start kiln', 'put gear in kiln'),
            'The kiln is switched on before everything is put there.',
        ),
        (('start mill', 'put gear in mill'), ''),
        (
            ('put gear in kiln', 'polish gear', 'start kiln'),
            '"polish gear" comes after the gear is put away.',
        ),
        (('polish gear', 'put gear in kiln', 'start kiln'), ''),
        (('put gear on rack', 'polish gear'), ''),
        (('put gear in kiln', 'polish axle', 'start kiln'), ''),
        (('find something', 'start over'), ''),
    ],
)
def test_an_order_that_cannot_be_is_said_in_a_sentence(subgoals, told):
    assert infeasible(SEQUENCE, subgoals, belief_of()) == told
    assert not infeasible(PARALLEL, subgoals, belief_of())


@pytest.mark.parametrize(
    ('wanted', 'goal', 'flow', 'subgoals'),
    [
        (('gear in kiln', 'axle in rack'), '', PARALLEL, ('put gear in kiln', 'put axle on rack')),
        (
            ('2 gear in rack',),
            'put two gears into the rack',
            PARALLEL,
            ('put another gear in rack',),
        ),
        (
            ('kiln is on', '2 gear in kiln', 'gear is bright'),
            '',
            SEQUENCE,
            ('polish gear', 'put gear in kiln', 'put another gear in kiln', 'start kiln'),
        ),
        (
            ('all gear in kiln',),
            '',
            PARALLEL,
            ('put gear 1 in kiln', 'put gear 2 in kiln', *['put another gear in kiln'] * 3),
        ),
        (('at mill', 'holding axle'), '', SEQUENCE, ('grip axle', 'drive to mill')),
        (
            ('crate in kiln', 'gear in crate'),
            '',
            SEQUENCE,
            ('put gear on crate', 'put crate in kiln'),
        ),
        (
            ('gear 2 in kiln', 'gear is round'),
            '',
            SEQUENCE,
            ('make gear round', 'put gear 2 in kiln'),
        ),
        (('gear in rack',), '', PARALLEL, ()),
    ],
)
def test_subgoals_are_written_from_what_is_lacking(wanted, goal, flow, subgoals):
    assert written_from(conditions_of(wanted), belief_of(), goal, False) == (flow, subgoals)


def test_a_told_order_is_kept():
    wanted = conditions_of(('mill is on', 'gear in kiln'))
    flow, subgoals = written_from(wanted, belief_of(), '', True)
    assert (flow, subgoals) == (SEQUENCE, ('start mill', 'put gear in kiln'))


THINGS = st.sampled_from(('gear', 'axle', 'bolt', 'gear 2'))
PLACES = st.sampled_from(('kiln', 'rack', 'mill'))
CONDITIONS = st.lists(
    st.one_of(
        st.builds('{} in {}'.format, THINGS, PLACES),
        st.builds(
            '{} {} in {}'.format, st.integers(2, 3), st.sampled_from(('axle', 'bolt')), PLACES
        ),
        st.builds('all {} in {}'.format, st.sampled_from(('axle', 'bolt')), PLACES),
        st.builds('{} is {}'.format, THINGS, st.sampled_from(('bright', 'odd'))),
        st.builds('{} is {}'.format, PLACES, st.sampled_from(('on', 'off', 'closed'))),
        st.builds('holding {}'.format, THINGS),
        st.builds('at {}'.format, PLACES),
    ),
    min_size=1,
    max_size=4,
    unique=True,
)


@given(CONDITIONS, st.booleans())
def test_what_is_written_covers_every_condition(texts, ordered):
    belief, wanted = belief_of(), conditions_of(tuple(texts))
    _, subgoals = written_from(wanted, belief, '', ordered)
    assert not not_covered(subgoals, wanted, belief)
    assert len(subgoals) <= 16


@given(CONDITIONS)
def test_what_is_written_can_be_done_in_its_order(texts):
    belief = belief_of()
    flow, subgoals = written_from(conditions_of(tuple(texts)), belief, '', False)
    assert not infeasible(flow, subgoals, belief)


@given(st.lists(st.text(max_size=40), max_size=5), CONDITIONS)
def test_any_words_are_checked_without_an_error(subgoals, texts):
    belief, wanted = belief_of(), conditions_of(tuple(texts))
    for told in (not_covered(subgoals, wanted, belief), infeasible(SEQUENCE, subgoals, belief)):
        assert not told or told.endswith('.')
