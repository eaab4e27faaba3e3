"""Numbers in skills, which of them a slot takes, and the classes that it takes."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reactree_core.bounds import number_text, read_bounds, read_number
from reactree_core.skill_checks import faults_of, misfit
from reactree_core.skill_types import SkillType

WATER = SkillType(
    'water <plant> with <ml> ml', ('thing: plant, seedling', 'number: 0..300 step 10 ml')
)
#: Texts that some readers take for numbers; here they are none.
NO_NUMBERS = (
    'nan', 'NaN', 'inf', '-inf', 'infinity', '1e9', '1E3', '0x10', '1,000', '1.000,5', '1_000',
    '1 000', '٣٠٠', '３００', '१०', '²', '½', '.5', '5.', '--5', '', ' ', ' 5', '5 ', '5\n',
    '1' * 16, '0.' + '1' * 10, 'ten', '5%', '<ml>',
)  # fmt: skip


@pytest.mark.parametrize('text', NO_NUMBERS)
def test_what_is_written_otherwise_is_no_number(text):
    assert read_number(text) is None


@pytest.mark.parametrize(
    ('text', 'number'),
    [('0', 0), ('50', 50), ('-2.5', '-2.5'), ('+7', 7), ('007', 7), ('9' * 15, '9' * 15)],
)
def test_a_number_is_read_exactly(text, number):
    assert read_number(text) == Decimal(number)


@pytest.mark.parametrize('text', ['0', '10', '300', '300.0', '+10', '010'])
def test_both_ends_and_every_step_fit(text):
    assert not misfit(f'water plant 1 with {text} ml', [WATER])


@pytest.mark.parametrize('text', ['-50', '-10', '310', '1000000', '300.000000001', '5', '10.5'])
def test_a_number_out_of_bounds_or_off_the_step_is_refused_with_the_bounds(text):
    assert misfit(f'water plant 1 with {text} ml', [WATER]) == (
        f'<ml> takes 0 to 300 ml in steps of 10, not {text}.'
    )


@pytest.mark.parametrize('text', [one for one in NO_NUMBERS if one.strip() == one and one])
def test_what_is_no_number_is_refused_with_a_sentence(text):
    said = misfit(f'water plant 1 with {text} ml', [WATER])
    assert said == f'<ml> takes a number such as 50 or 2.5, not "{text[:80]}".'


@pytest.mark.parametrize('name', ['plant', 'plant 1', 'plant (1)', 'plant T01', 'seedling 3'])
def test_a_name_of_the_class_or_of_its_other_names_fits(name):
    assert not misfit(f'water {name} with 10 ml', [WATER])


@pytest.mark.parametrize('name', ['vent', 'vent 1', 'plant pot 1', 'potted plant', 'plants 1'])
def test_a_name_of_another_class_is_refused_with_a_sentence(name):
    said = misfit(f'water {name} with 10 ml', [WATER])
    assert said == f'<plant> takes a plant or seedling, and "{name}" is none.'


def test_what_declares_nothing_refuses_nothing():
    plain = SkillType('water <plant> with <ml> ml', ('thing', 'number'))
    for text in ('water vent with -50 ml', 'water vent with much ml', 'sing', ''):
        assert not misfit(text, [plain])


def test_a_text_that_fits_another_skill_is_not_refused():
    told = SkillType('water <plant> with <text>', ('thing', 'text'))
    assert misfit('water vent with 5 ml', [WATER])
    assert not misfit('water vent with 5 ml', [WATER, told])


@pytest.mark.parametrize(
    'told',
    ['number: 0-300', 'number:', 'number: 0..1e9', 'number: 5..3', 'number: 0..305 step 10',
     'number: 0..10 step 0', 'number: nan..inf', 'text: note', 'thing:'],
)  # fmt: skip
def test_what_is_declared_and_cannot_be_read_lets_nothing_through(told):
    skill = SkillType('give <it>', (told,))
    assert any(told in fault for fault in faults_of(skill))
    assert 'cannot be read' in misfit('give 5', [skill])


@given(st.integers(-40, 40), st.integers(0, 60), st.sampled_from(['1', '5', '0.5', '0.25', '2.5']))
def test_signs_lead_to_every_number_that_fits_and_to_no_other(least, steps, step):
    most = least + steps * Decimal(step)
    bounds = read_bounds(f'{least}..{number_text(most)} step {step} l')
    found, begun = set(), ['']
    while begun:
        written = begun.pop()
        number, signs = read_number(written), bounds.signs_behind(written)
        fits = number is not None and bounds.takes(number)
        assert fits or signs, 'no beginning leads nowhere'
        found |= {number_text(number)} if fits else set()
        begun += [written + sign for sign in signs]
    assert found == set(bounds.values(1000))


@pytest.mark.parametrize('told', ['0..1000000', '0.001..0.005', '-1..1', '-0.5..-0.25'])
def test_without_a_step_every_beginning_leads_to_a_number(told):
    bounds = read_bounds(told)
    assert not bounds.values(10**9)
    written = ''
    while bounds.signs_behind(written):
        written += bounds.signs_behind(written)[0]
    assert bounds.takes(read_number(written))
