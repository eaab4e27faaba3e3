"""Milestones reached in their order are events: what a later one undoes is not done again."""

from __future__ import annotations

import pytest

from reactree_core.measures import read_comparison
from reactree_core.observation import ObjectFact, Observation, Vocabulary
from reactree_core.skill_types import class_and_number, SkillType
from reactree_planner.facts.reasoner import Reasoner
from reactree_planner.reading.names import Names
from reactree_planner.reading.reader import read_alone


def played(types, task, after, now, *, sensed=True, words=()):
    """What is done for a task, without kinds and inverses.

    :param after: skills with the state that each leaves its thing in. :param now: states of
        things. :param sensed: whether states are reported. :param words: states that are declared.
    """
    vocabulary = Vocabulary(
        templates=tuple(one.template for one in types),
        object_classes=('pump',),
        place_classes=('counter',),
        skill_types=tuple(types),
        other_classes=('lid',),
        states=words,
    )
    goal = read_alone(task, Names(vocabulary))
    assert goal.whole
    reasoner, done, now = Reasoner(vocabulary, goal.milestones), [], dict(now)

    def look(skill=''):
        facts = (
            ObjectFact(*class_and_number(name), '', 'counter 1', state)
            for name, state in now.items()
        )
        return Observation(
            '',
            skill=skill,
            place='counter 1',
            admissible_skills=tuple(after),
            facts=tuple(facts) if sensed else (),
        )

    seen = look()
    while len(done) < 10:
        reasoner.see(seen)
        step = reasoner.next()
        if not step.skill:
            return done, step.is_done
        done.append(step.skill)
        name, state = after[step.skill]
        now[name] = state
        seen = look(step.skill)
    return done, False


@pytest.mark.parametrize('words', [(), ('a', 'b')])
@pytest.mark.parametrize('sensed', [True, False])
@pytest.mark.parametrize(
    ('do', 'undo', 'states'),
    [('open', 'close', ('open', 'closed')), ('start', 'stop', ('on', 'off')),
     ('flurb', 'deflurb', ('flurbed', 'plain'))],
)  # fmt: skip
def test_a_lid_is_opened_and_closed_once_each(do, undo, states, sensed, words):
    one, other = states
    types = [
        SkillType(f'{do} the lid', effects=(f'lid is {one}',)),
        SkillType(f'{undo} the lid', effects=(f'lid is {other}',)),
    ]
    after = {f'{do} the lid': ('lid', one), f'{undo} the lid': ('lid', other)}
    told = states if words else ()
    done = played(
        types, f'{do} the lid, then {undo} the lid', after, {'lid': other}, sensed=sensed,
        words=told,
    )  # fmt: skip
    assert done == ([f'{do} the lid', f'{undo} the lid'], True)
    back = played(
        types,
        f'{do} the lid, then {undo} the lid, then {do} the lid',
        after,
        {'lid': other},
        sensed=sensed,
        words=told,
    )
    assert back == ([f'{do} the lid', f'{undo} the lid', f'{do} the lid'], True)


@pytest.mark.parametrize(('start', 'first'), [('down', ['flurb pump 1']), ('up', [])])
def test_a_thing_of_a_class_is_brought_into_two_states_once_each(start, first):
    types = [
        SkillType('flurb <pump>', effects=('<pump> is up',)),
        SkillType('deflurb <pump>', effects=('<pump> is down',)),
    ]
    after = {
        f'{verb} pump {number}': (f'pump {number}', state)
        for verb, state in (('flurb', 'up'), ('deflurb', 'down'))
        for number in (1, 2)
    }
    now = {'pump 1': start, 'pump 2': start}
    done = played(types, 'flurb pump 1, then deflurb pump 1', after, now)
    assert done == ([*first, 'deflurb pump 1'], True)


def test_a_later_state_of_another_thing_leaves_what_was_brought_about():
    types = [
        SkillType('flurb <pump>', effects=('<pump> is up',)),
        SkillType('deflurb <pump>', effects=('<pump> is down',)),
    ]
    after = {
        f'{verb} pump {number}': (f'pump {number}', state)
        for verb, state in (('flurb', 'up'), ('deflurb', 'down'))
        for number in (1, 2)
    }
    # The first of the pumps falls down by itself as the second one is brought down.
    after['deflurb pump 2'] = ('pump 1', 'down')
    now = {'pump 1': 'down', 'pump 2': 'up'}
    done, _ = played(types, 'flurb pump 1, then deflurb pump 2', after, now)
    assert done[:2] == ['flurb pump 1', 'deflurb pump 2'] and done.count('flurb pump 1') > 1


@pytest.mark.parametrize(
    ('one', 'other', 'excludes'),
    [
        ('> 80 %', '< 20 %', True),
        ('> 20 %', '< 80 %', False),
        ('> 20 %', '<= 20 %', True),
        ('>= 20 %', '<= 20 %', False),
        ('between 10 and 20 %', '> 20 %', True),
        ('between 10 and 20 %', '> 15 %', False),
        ('> 2 m', '< 150 cm', True),
        ('moisture > 80 %', 'heat < 20 %', False),
    ],
)
def test_conditions_on_a_number_exclude_each_other_where_no_number_meets_both(
    one, other, excludes
):
    first, second = read_comparison(one), read_comparison(other)
    assert first.excludes(second) is second.excludes(first) is excludes
