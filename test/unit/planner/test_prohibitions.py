"""What a task forbids is found in its sentence, and kept whatever the model says."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, strategies

from reactree_core.observation import ObjectFact, Observation, Vocabulary
from reactree_core.permission.permission import Permission
from reactree_core.permission.rules import Rules
from reactree_planner.reading.names import Names
from reactree_planner.reading.reader import read_alone
from support.readings import weaker
from support.skill_kinds import declared, HOME

WAREHOUSE = declared(
    Vocabulary(
        ('drive to <place>', 'load <crate>', 'unload <crate>', 'scan <crate>'),
        ('crate',),
        ('truck', 'shelf'),
        ('hall 1',),
    )
)


def permission(task, vocabulary):
    """Permission in a simulated world with the prohibitions of a task, and no file."""
    rules = read_alone(task, Names(vocabulary)).permission_rules
    return Permission(Rules(), True, vocabulary.skills, rules)


INSTRUCTIONS = [
    line.split(' => ')
    for line in Path(__file__).with_name('instructions.txt').read_text().splitlines()
    if ' => ' in line
]


#: Most of the instructions that forbid nothing and are read as forbidding: in doubt more is kept.
OVER_FORBIDDEN = 80


@pytest.mark.parametrize(('task', 'forbidden'), INSTRUCTIONS)
def test_an_instruction_forbids_at_least_what_a_careful_person_reads_in_it(task, forbidden):
    vocabulary = WAREHOUSE if task.startswith('W: ') else HOME
    goal = read_alone(task.removeprefix('W: '), Names(vocabulary))
    # What was not read and may forbid stops the run; what waits for something is a rule.
    stops = bool(goal.left_to_model or goal.rules or goal.questions)
    assert stops or not weaker(goal, forbidden, vocabulary), goal.never


def test_few_instructions_that_forbid_nothing_are_read_as_forbidding():
    over = [
        task
        for task, forbidden in INSTRUCTIONS
        if forbidden == '-' and not task.startswith('W: ') and read_alone(task, Names(HOME)).never
    ]
    assert len(over) <= OVER_FORBIDDEN, '\n'.join(over)


NEGATIONS = (
    'Do not {verb} the {thing}.',
    'go to the hall, but never {verb} the {thing}',
    'You must not {verb} the {thing}!',
    "don't {verb} any {thing}",
    'Please don’t {verb} {thing} 1.',
    'Whatever happens, do not {verb} the {thing}',
)
REQUESTS = (
    'Please {verb} the {thing}.',
    "Don't forget to {verb} the {thing}",
    'Could you {verb} the {thing} and the lamp?',
    '{verb} the {thing}',
)
#: No word of these is known to any rule.
names = strategies.text('bcdfgklmnprtvz', min_size=2, max_size=4).map(lambda text: f'{text}ou')


@given(names, names, names, strategies.sampled_from(NEGATIONS))
def test_a_verb_that_nobody_has_heard_of_is_forbidden_like_any_other(verb, thing, other, phrase):
    vocabulary = declared(Vocabulary((f'{verb} <object>', 'go to <object>'), (thing,), (), ()))
    rules = permission(phrase.format(verb=verb, thing=thing), vocabulary)
    assert rules.objection(f'{verb} {thing} 1', Observation(''))
    assert not rules.objection('go to hall 1', Observation(''))
    if other != thing:
        assert not rules.objection(f'{verb} {other} 1', Observation(''))


@given(names, names, strategies.sampled_from(REQUESTS))
def test_what_is_asked_is_not_forbidden(verb, thing, phrase):
    vocabulary = declared(Vocabulary((f'{verb} <object>',), (thing,), (), ()))
    assert not read_alone(phrase.format(verb=verb, thing=thing), Names(vocabulary)).never


@given(strategies.text(max_size=120))
def test_any_text_can_be_read(text):
    read_alone(text, Names(HOME))


def test_a_number_forbids_that_one_alone():
    rules = permission('Never load crate 3', WAREHOUSE)
    now = Observation('')
    assert rules.objection('load crate 3', now)
    assert not rules.objection('load crate 31', now)
    assert not rules.objection('load crate 1', now)
    assert not rules.objection('scan crate 3', now)


def test_a_thing_that_the_server_has_no_name_for_is_forbidden_by_its_words():
    rules = permission('Do not pick up the old vase.', HOME)
    assert rules.objection('pick up old vase 2', Observation(''))


def test_what_is_forbidden_at_a_place_is_allowed_elsewhere():
    rules = permission('Do not put the apple in the fridge.', HOME)
    assert rules.objection('put down apple 1', Observation('', place='fridge 1'))
    assert not rules.objection('put down apple 1', Observation('', place='kitchen table 1'))
    rules = permission("Don't take the plate from the kitchen table.", HOME)
    there = ObjectFact('plate', 1, 'kitchen 1', 'kitchen table 1')
    elsewhere = ObjectFact('plate', 2, 'kitchen 1', 'sink 1')
    now = Observation('', place='plate 1', facts=(there, elsewhere))
    assert rules.objection('pick up plate 1', now)
    assert not rules.objection('pick up plate 2', now)
    # Where it lies cannot be told.
    assert rules.objection('pick up plate 3', now)


def test_a_skill_that_names_its_place_is_judged_by_that():
    vocabulary = declared(Vocabulary(('load <crate> onto <truck>',), ('crate',), ('truck',), ()))
    rules = permission('Never load anything onto truck 2.', vocabulary)
    assert rules.objection('load crate 1 onto truck 2', Observation(''))
    assert not rules.objection('load crate 1 onto truck 1', Observation(''))


def test_a_prohibition_up_to_an_event_that_nobody_senses_holds_to_the_end():
    rules = permission('Do not open the fridge until I come back.', HOME)
    assert rules.objection('open fridge 1', Observation(''))


def test_an_objection_says_what_the_task_forbids():
    rules = permission('Do not turn on the stove.', HOME)
    said = rules.objection('turn on stove 1', Observation(''))
    assert 'must not: switch on stove' in said
    assert rules.permitted(('turn on stove 1', 'go to stove 1'), Observation('')) == (
        'go to stove 1',
    )
