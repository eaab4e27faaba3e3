"""What people write about permission, and what they are told of mistakes in it."""

from datetime import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reactree_core.errors import ConfigurationError
from reactree_core.permission.rules import Verdict
from reactree_core.permission.rules_file import read_rules
from reactree_core.skill_types import SkillKind

WHOLE = """
rules:
  - name: no truck at night
    skills: load <crate> onto <truck>
    things: truck 2
    places: [dock 1, aisle]
    between: ['22:00', '06:00']
    days: [saturday, sunday]
    decide: deny
  - name: two lifts
    kinds: [take]
    at_most: 2
    per: hour
  - name: scan first
    skills: ship <crate>
    only_after: [scan <crate>, fact: '<crate> is scanned']
  - name: close the gate
    skills: open *
    then: close *
otherwise: ask
limits:
  per_run: {skills: 20, distance: 100.0, seconds: 600.0, tokens: 5000, cost: 0.5}
  per_hour: {skills: 100}
places: {dock 1: [0.0, 0.0], aisle 3: [3.0, 4.0]}
price: {prompt: 1.0, completion: 2.0}
"""


def rules_of(text, tmp_path):
    path = tmp_path / 'permission.yaml'
    path.write_text(text, encoding='utf-8')
    return read_rules(str(path))


def test_a_whole_file_is_read(tmp_path):
    rules = rules_of(WHOLE, tmp_path)
    night, two, scan, close = rules.rules
    assert night.verdict is Verdict.DENY and night.skill.between == (time(22), time(6))
    assert night.skill.days == {5, 6} and night.skill.places == ('dock 1', 'aisle')
    assert two.at_most == 2 and two.per_hour and two.skill.kinds == {SkillKind.TAKE}
    assert scan.shared == {'crate'} and len(scan.only_after) == 2
    assert close.then and not close.shared
    assert rules.otherwise is Verdict.ASK
    assert rules.limits.per_run.tokens == 5000 and rules.limits.price.completion == 2.0


@pytest.mark.parametrize(
    ('text', 'line', 'said'),
    [
        ('rules:\n  - name: x\n    skill: lift *\n    decide: deny', 3, 'there is no'),
        (
            'rules:\n  - name: x\n    skills: lift *\n    decide: maybe',
            4,
            "'allow', 'ask' or 'deny'",
        ),
        ('rules:\n  - {name: x, skills: lift *}', 2, 'must say one of decide'),
        ('rules:\n  - {name: x, skills: a, at_most: 1, decide: deny}', 2, 'must say one of'),
        ('rules:\n  - {name: x, at_most: 1}', 2, 'which skills'),
        ('rules:\n  - {name: x, skills: a *, at_most: 101}', 2, '100 or less'),
        ('rules:\n  - {name: x, kinds: fly, decide: ask}', 2, 'there is no kind "fly"'),
        ('rules:\n  - {name: x, days: [mon], decide: ask}', 2, 'there is no day "mon"'),
        ("rules:\n  - {name: x, between: ['25:00', '1:00'], decide: ask}", 2, 'no time of day'),
        ('rules:\n  - {name: x, between: [22:00, 23:00], decide: ask}', 2, 'quotation marks'),
        ('rules:\n  - {name: x, skills: a, only_after: {fact: hm}}', 2, 'holding <x>'),
        ('rules:\n  - {name: x, skills: a <b> <b>, decide: ask}', 2, 'appears twice'),
        ('rules:\n  - {name: x, skills: a * * * * *, decide: ask}', 2, 'more than 4'),
        ('rules:\n  - {name: x, skills: a, decide: ask, per: hour}', 2, 'goes with at_most'),
        (
            'rules:\n  - {name: x, skills: load <crate>, only_after: scan <box>}',
            2,
            '<box> of "scan <box>" must stand in "load <crate>", too, or be *',
        ),
        (
            'rules:\n  - {name: x, skills: [a <b>, c], then: {fact: <b> is d}}',
            2,
            '<b> of "<b> is d" must stand in "c", too',
        ),
        ('rules:\n  - {name: x, kinds: open, then: close <b>}', 2, 'must stand in its skills'),
        ('limits: {per_run: {skills: -1}}', 1, '0 or more'),
        ('limits: {per_run: {cost: 1.0}}', 1, 'needs a price'),
        ('limits: {per_run: {distance: 1.0}}', 1, 'needs places'),
        ('places: {a: [1.0, 2.0], b: [1.0, 2.0, 3.0]}', 1, 'two coordinates'),
        ('places:\n  a: [0.0, 0.0]\n  b: [.nan, 0.0]', 3, 'must be a finite number'),
        ('places: {a: [0.0, .inf]}', 1, 'must be a finite number'),
        (
            "rules:\n  - {name: x, between: ['22:00', '22:00'], decide: deny}",
            2,
            'rule "x": "between" has two equal times',
        ),
        ('- a\n- b', 0, 'see docs/permission.md'),
        ('', 0, 'see docs/permission.md'),
        ('rules: [', 1, 'is not YAML'),
    ],
)
def test_a_mistake_is_told_with_file_and_line(text, line, said, tmp_path):
    with pytest.raises(ConfigurationError) as error:
        rules_of(text, tmp_path)
    sentence = str(error.value)
    assert 'permission.yaml' in sentence and said in sentence
    assert not line or f'line {line}' in sentence


def test_two_rules_have_two_names(tmp_path):
    one = '  - {name: x, skills: a, decide: ask}\n'
    with pytest.raises(ConfigurationError, match='two rules are called "x"'):
        rules_of(f'rules:\n{one}{one}', tmp_path)


def test_a_word_stands_for_a_file():
    assert read_rules('ask').otherwise is Verdict.ASK
    assert read_rules('').otherwise is None
    with pytest.raises(ConfigurationError, match='cannot be read'):
        read_rules('/nowhere/permission.yaml')


@given(st.text(max_size=200))
def test_no_file_breaks_the_reader(tmp_path_factory, text):
    try:
        rules_of(text.encode('utf-8', 'replace').decode(), tmp_path_factory.mktemp('rules'))
    except ConfigurationError as error:
        assert 'permission.yaml' in str(error)
