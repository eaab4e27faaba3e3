"""Numbers as states, and conditions on them."""

from __future__ import annotations

from decimal import Decimal

import pytest

from reactree_core.measures import (
    Change,
    fact_text,
    measures_of,
    read_change,
    read_comparison,
    read_fact,
    read_measure,
)
from reactree_core.skill_checks import faults_of
from reactree_core.skill_types import Effect, longest_wait, read_effect, Relation, SkillType


def test_numbers_stand_among_states():
    told = measures_of('open, moisture 23.5 %, dry')
    assert list(told) == ['moisture']
    assert told['moisture'].number == Decimal('23.5')
    assert told['moisture'].text == 'moisture 23.5 %'
    assert read_measure('closed') is None


@pytest.mark.parametrize(
    ('written', 'text'),
    [
        ('< 20 %', '< 20 %'),
        ('is below 20 %', '< 20 %'),
        ('at least 3 m', '>= 3 m'),
        ('moisture more than 40', 'moisture > 40'),
        ('between 10 and 20 %', 'between 10 and 20 %'),
        ('between 10 % and 20 %', 'between 10 and 20 %'),
    ],
)
def test_a_condition_is_read_as_people_write_it(written, text):
    assert read_comparison(written).text == text
    assert read_comparison(text) == read_comparison(written)


@pytest.mark.parametrize(
    'written', ['open', 'not above', 'between 20 and 10 %', 'between 10 % and 20 m', '< much', '']
)
def test_what_is_no_condition_is_a_word(written):
    assert read_comparison(written) is None


@pytest.mark.parametrize(
    ('condition', 'number', 'holds'),
    [
        ('< 20 %', '19.9 %', True),
        ('< 20 %', '20 %', False),
        ('<= 20 %', '20 %', True),
        ('between 10 and 20 %', '10 %', True),
        ('between 10 and 20 %', '20.1 %', False),
        ('> 0.5 m', '60 cm', True),
        ('> 40', '41 %', True),
        ('< 20 %', '3 m', None),
    ],
)
def test_a_condition_holds_of_a_number_in_a_unit_of_its_sort(condition, number, holds):
    assert read_comparison(condition).holds(read_measure(number)) is holds


def test_what_no_number_tells_is_not_known():
    assert read_comparison('< 20 %').holds(None) is None


def test_a_margin_lies_outwards():
    assert read_comparison('< 20 %').widened(Decimal(2)).text == '< 22 %'
    assert read_comparison('between 10 and 20').widened().text == 'between 9.5 and 21'


@pytest.mark.parametrize(
    ('text', 'subject', 'state'),
    [
        ('battery < 20 %', 'battery', '< 20 %'),
        ('battery is below 20 %', 'battery', '< 20 %'),
        ('moisture of plant 3 > 40 %', 'plant 3', 'moisture > 40 %'),
        ('plant 3 moisture > 40 %', 'plant 3', 'moisture > 40 %'),
        ('<plant> moisture between 1 and 3 %', '<plant>', 'moisture between 1 and 3 %'),
    ],
)
def test_a_fact_names_its_thing(text, subject, state):
    found = read_fact(text)
    assert (found[0], found[1].text) == (subject, state)
    again = read_fact(fact_text(subject, state))
    assert again == found


def test_an_effect_on_a_number_is_a_fact_as_others():
    fact = read_effect('not battery < 20 %')
    assert fact == Effect(Relation.IS, 'battery', '< 20 %', holds=False)
    assert fact.text == 'not battery < 20 %'


def test_a_change_says_how_much():
    told = read_change('raises moisture of <plant> by about <ml>/10 %')
    assert told == Change('<plant>', 'moisture', '<ml>', Decimal('0.1'))
    assert told.of(Decimal(150)) == 15
    assert read_change('lowers tank by <ml>').of(Decimal(3)) == -3
    assert read_change('sets battery to <percent> %').sets
    assert read_change('<plant> is wet') is None


def test_changes_and_waits_are_effects_that_are_no_facts():
    skill = SkillType(
        'water <plant> with <ml> ml for <s> s',
        ('thing', 'number', 'number'),
        effects=('raises moisture of <plant> by <ml>/10', 'takes <s> s', 'takes 2 min'),
    )
    assert faults_of(skill) == ()
    assert skill.facts == ()
    assert skill.changes[0].slot == '<ml>'
    assert longest_wait('water plant 1 with 50 ml for 30 s', [skill]) == 150
    strange = SkillType('water <plant>', effects=('raises moisture of <plant> by <ml>',))
    assert any('<ml>' in fault for fault in faults_of(strange))
