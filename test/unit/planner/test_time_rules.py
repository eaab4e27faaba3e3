"""Rules in time are read from a task's sentence, where it says them for certain, and kept."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reactree_core.errors import NotPermittedError
from reactree_core.observation import ObjectFact, Observation, Outcome, Vocabulary
from reactree_core.permission.permission import Permission
from reactree_core.permission.rules import Rules
from reactree_core.permission.rules_file import RuleEntry
from reactree_core.record.events import Decision, DecisionKind
from reactree_core.skill_types import SkillKind, SkillType
from reactree_planner.reading.names import Names
from reactree_planner.reading.reader import read_alone
from reactree_planner.reading.small_words import word_set
from reactree_planner.runs.presets import settings_of_preset
from reactree_planner.runs.run import check_kept
from reactree_planner.runs.settings import Decides, PlannerSettings
from support.done_skills import does
from support.policies import prefer
from support.readings import rules_of, unkept
from support.skill_kinds import HOME


def vocabulary(types, things, places, regions):
    return Vocabulary(
        tuple(one.template for one in types), things, places, regions, skill_types=types
    )


YARD = vocabulary(
    (
        SkillType('drive to <place>', kind=SkillKind.MOVE),
        SkillType('lift <crate>', kind=SkillKind.TAKE),
        SkillType('load <crate> onto <truck>', kind=SkillKind.PUT),
        SkillType('open <gate>', kind=SkillKind.OPEN),
        SkillType('close <gate>', kind=SkillKind.CLOSE),
        SkillType('scan <crate>', effects=('<crate> is scanned',)),
        SkillType('switch on <scale>', kind=SkillKind.SWITCH_ON),
        SkillType('switch off <scale>', kind=SkillKind.SWITCH_OFF),
        SkillType('dock'),
    ),
    ('crate', 'pallet'),
    ('gate', 'valve', 'truck', 'scale', 'aisle'),
    ('hall 1', 'yard 1'),
)
LABORATORY = vocabulary(
    (
        SkillType('walk to <place>', kind=SkillKind.MOVE),
        SkillType('collect <sample>', kind=SkillKind.TAKE),
        SkillType('heat <sample>', effects=('<sample> is hot',)),
        SkillType('weigh <sample>'),
        SkillType('turn on <burner>', kind=SkillKind.SWITCH_ON),
        SkillType('turn off <burner>', kind=SkillKind.SWITCH_OFF),
        SkillType('open <box>', kind=SkillKind.OPEN),
        SkillType('close <box>', kind=SkillKind.CLOSE),
    ),
    ('sample',),
    ('burner', 'box', 'hood'),
    (),
)
DOMAINS = {'Y': YARD, 'H': HOME, 'L': LABORATORY}
SENTENCES = [
    tuple(line.split(' => '))
    for line in Path(__file__).with_name('time_rules.txt').read_text().splitlines()
    if ' => ' in line
]


def told(task, domain=YARD):
    """The rules in time of a task, as people read them."""
    return [rule.wording for rule in read_alone(task, Names(domain)).rules]


def permission(task, *entries):
    rules = tuple(RuleEntry(name=f'rule {n}', **one).rule for n, one in enumerate(entries, 1))
    return Permission(
        Rules(rules), True, YARD.skills, read_alone(task, Names(YARD)).permission_rules
    )


#: Sentences that say no rule, or none that is kept, and are read as one: in doubt more is kept.
OVER_RESTRICTED = 22


@pytest.mark.parametrize(('task', 'rules'), SENTENCES)
def test_a_sentence_is_kept_at_least_as_a_careful_person_reads_it(task, rules):
    domain = DOMAINS[task[0]]
    goal = read_alone(task[3:], Names(domain))
    # Steps in their order need no rule: "close the valve before you open the gate".
    in_order = len(goal.milestones) > 1
    assert not goal.whole or in_order or not unkept(goal, rules, domain), told(task[3:], domain)


def test_few_sentences_without_a_rule_are_read_as_one():
    over = [task for task, rules in SENTENCES if rules == '-' and told(task[3:], DOMAINS[task[0]])]
    assert len(over) <= OVER_RESTRICTED, '\n'.join(over)


def test_the_sentences_are_of_three_domains_and_many_say_no_rule():
    assert len(SENTENCES) >= 80 and {task[0] for task, _ in SENTENCES} == set(DOMAINS)
    assert sum(rules == '-' for _, rules in SENTENCES) >= 40


#: No word of these is known to any rule.
names = st.text('bcdfgklmnprtvz', min_size=2, max_size=4).map(lambda text: f'{text}ou')
FRAMES = (
    ('Do not {a} the {x} before you have {b}ed the {y}.', '{a} {x} before {b} {y}'),
    ('Never {a} the {x} without first {b}ing the {y}.', '{a} {x} before {b} {y}'),
    ('Only after {b}ing the {y} may you {a} the {x}.', '{a} {x} before {b} {y}'),
    ('Please {a} at most 7 {x}s.', '{a} {x} more than 7 times'),
    ('You must not {a} the {x} more than twice.', '{a} {x} more than twice'),
    ('Whenever you {a} the {x}, {b} the {y}.', 'end without {b} {y} after {a} {x}'),
)


@given(names, names, names, names, st.sampled_from(FRAMES))
def test_words_that_nobody_has_heard_of_are_read_like_any_others(a, b, x, y, frame):
    if len({a, b, x, y}) < 4:
        return
    domain = vocabulary((SkillType(f'{a} <thing>'), SkillType(f'{b} <thing>')), (x, y), (), ())
    words = {'a': a, 'b': b, 'x': x, 'y': y}
    assert rules_of('; '.join(told(frame[0].format(**words), domain)), domain) == {
        frame[1].format(**words)
    }
    # Of things and skills that the server does not have, nothing is kept.
    strange = vocabulary((SkillType('weld <thing>'),), ('beam',), (), ())
    assert not told(frame[0].format(**words), strange)


LITTLE_WORDS = sorted(
    word_set(
        'do not never only after before until unless without whenever you have at most '
        'more than two once twice open close the gate valve it a crate scan scanned , . ? '
        '" be may must always every time again if first no '
    )
)


@given(
    st.lists(
        st.sampled_from(LITTLE_WORDS),
        max_size=16,
    )
)
def test_any_order_of_these_words_can_be_read(words):
    rules = read_alone(' '.join(words), Names(YARD)).permission_rules
    assert all(rule.of_task and rule.wording for rule in rules)
    for rule in rules:
        permission = Permission(Rules(), True, YARD.skills, (rule,))
        permission.permitted(('open gate 1', 'scan crate 1', 'dock'))


@given(st.text(max_size=120))
def test_any_text_can_be_read(text):
    read_alone(text, Names(YARD))


# Kept --------------------------------------------------------------------------------------------


def test_a_skill_waits_until_what_comes_before_has_succeeded():
    rules = permission('Do not open the gate before you have closed the valve.')
    said = rules.objection('open gate 1')
    assert said.startswith('The task forbids it (must not: open gate before close valve')
    does(rules, 'close valve 2', outcome=Outcome.EXECUTION_FAILED)
    assert rules.objection('open gate 1')
    does(rules, 'close valve 2')
    assert not rules.objection('open gate 1')


def test_what_holds_already_need_not_be_done():
    rules = permission('Do not open the gate before you have closed the valve.')
    rules.see(Observation('x', facts=(ObjectFact('valve', 1, state='closed'),)))
    assert not rules.objection('open gate 1')


def test_it_speaks_of_one_thing_and_not_of_another():
    rules = permission('Never load a crate before scanning it.')
    does(rules, 'scan crate 1')
    assert not rules.objection('load crate 1 onto truck 1')
    assert rules.objection('load crate 2 onto truck 1')


def test_skills_that_are_counted_are_those_that_were_sent():
    rules = permission('Take at most two crates.')
    does(rules, 'lift crate 1')
    does(rules, 'lift crate 2', outcome=Outcome.PRECONDITION_FAILED)
    assert rules.permitted(('lift crate 2', 'dock')) == ('lift crate 2', 'dock')
    does(rules, 'lift crate 2', outcome=Outcome.TIMED_OUT)
    assert rules.permitted(('lift crate 3', 'dock')) == ('dock',)
    assert rules.bars('lift crate 3')


def test_what_must_follow_is_pending_until_it_is_done():
    rules = permission('Whenever you open a gate, close it again.')
    assert rules.pending() == ()
    does(rules, 'open gate 1')
    assert rules.pending() == ('close gate 1 or gate 1 is closed (the task)',)
    assert rules.due(('close gate 1', 'close gate 2', 'dock')) == ('close gate 1',)
    does(rules, 'close gate 1')
    assert rules.pending() == ()


def test_that_it_was_closed_before_it_was_opened_does_not_count():
    rules = permission('Whenever you open a gate, close it again.')
    rules.see(Observation('x', facts=(ObjectFact('gate', 1, state='closed'),)))
    does(rules, 'open gate 1', facts=(ObjectFact('gate', 1, state='open'),))
    assert rules.pending()
    # Somebody else has closed it.
    rules.see(Observation('x', facts=(ObjectFact('gate', 1, state='closed'),)))
    assert rules.pending() == ()


def test_sentence_and_file_are_kept_together():
    never = {'skills': 'close *', 'at_most': 0}
    rules = permission('Whenever you open a gate, close it again. Never close gate 1.', never)
    rules.see(Observation('x', facts=(ObjectFact('gate', 1, state='open'),)))
    assert rules.objection('close gate 2')
    # What could never be followed is not begun.
    both = permission('Whenever you drive to the yard, dock. Do not dock more than 0 times.')
    assert 'end without dock after drive to yard' in both.objection('drive to yard 1')
    assert not both.objection('drive to hall 1')


def test_a_rule_that_cannot_be_kept_any_more_ends_the_run():
    rules = permission('Whenever you drive to the yard, dock. Dock at most once.')
    does(rules, 'drive to yard 1')
    assert rules.ended_by == ''
    does(rules, 'dock', outcome=Outcome.TIMED_OUT)
    assert rules.ended_by.startswith('What the task says cannot be kept any more (must not: ')


# What is asked -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ('task', 'conditions'),
    [
        ('Scan crate 1. Whenever you open a gate, close it again.', ['crate 1 is scanned']),
        ('Scan crate 1. Only open the gate after closing the valve.', ['crate 1 is scanned']),
        ('Scan crate 1. Do not open the gate until the valve is closed.', ['crate 1 is scanned']),
        ('Whenever it rains, close the gate.', ['gate is closed']),
    ],
)
def test_what_only_binds_asks_for_nothing(task, conditions):
    goal = read_alone(task, Names(YARD))
    asked = [one.text for milestone in goal.milestones for one in milestone]
    assert sorted(asked) == sorted(conditions)


def test_what_is_opened_only_after_something_was_closed_asks_for_both_in_turn():
    goal = read_alone('Open gate 1 only after closing valve 2.', Names(YARD))
    assert goal.means == 'valve 2 is closed; then gate 1 is open'
    assert told(goal.text) == ['open gate 1 before close valve 2 or valve 2 is closed']


def test_quoted_words_say_no_rule_and_ask_for_nothing():
    goal = read_alone('Read the sign "whenever you open a gate, close it".', Names(YARD))
    assert not goal.milestones
    assert not told('Read the sign "whenever you open a gate, close it".')


# Runs --------------------------------------------------------------------------------------------

OPENING = 'open the fridge, but do not open the fridge before you have picked up the apple'


WAYS = prefer('go to kitchen 1', 'go to fridge 1', 'open fridge 1', 'failure')


def test_a_run_shows_the_rule_and_offers_only_what_keeps_it(plan):
    asked = PlannerSettings(decides=Decides.MODEL)
    _, run, home, events, offered = plan(OPENING, WAYS, asked)
    assert not any('open fridge 1' in option for options in offered for option in options)
    assert 'open fridge 1' not in home.executed
    (told_of,) = [e for e in events if isinstance(e, Decision) and e.kind is DecisionKind.FORBID]
    (rule,) = told_of.subgoals
    assert rules_of(rule, HOME) == rules_of('open fridge before holding apple', HOME)
    assert told_of.text == '' and run.tree.must_not == told_of.subgoals


@pytest.mark.parametrize('preset', ['published', 'default,no-rules-in-time'])
def test_without_it_the_sentence_is_left_to_the_model(plan, preset):
    settings = settings_of_preset(preset, 'reactree')
    assert not settings.guards.rules_in_time
    _, _, home, events, _ = plan(OPENING, WAYS, settings)
    (told_of,) = [e for e in events if isinstance(e, Decision) and e.kind is DecisionKind.FORBID]
    assert not told_of.subgoals and 'do not open the fridge before' in told_of.text
    if preset != 'published':
        assert 'open fridge 1' in home.executed


def test_what_must_follow_is_done_before_the_end(plan):
    success, run, home, _, offered = plan(
        'put the apple on the table. Whenever you open the fridge, close it again', None
    )
    assert success and not offered and home.executed[-1] == 'close fridge 1'
    check_kept(run, True)


def test_a_run_that_ends_without_it_is_no_success(plan):
    task = 'open the fridge. Whenever you open the fridge, close it again'
    ways = prefer('go to kitchen 1', 'go to fridge 1', 'open fridge 1', 'done', 'failure')
    settings = settings_of_preset('default,no-true-ends', 'reactree')
    _, run, home, _, _ = plan(task, ways, settings)
    assert 'open fridge 1' in home.executed and 'close fridge 1' not in home.executed
    with pytest.raises(NotPermittedError, match=r'close fridge 1.*\(the task\)'):
        check_kept(run, True)
