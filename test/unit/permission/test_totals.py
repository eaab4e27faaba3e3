"""Rules that add up the numbers in skills: "at most 300 ml a plant an hour"."""

from __future__ import annotations

import json
from datetime import datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reactree_core.bounds import number_text
from reactree_core.errors import ConfigurationError
from reactree_core.observation import Observation, Outcome
from reactree_core.permission.guard import SkillGuard
from reactree_core.permission.hour import Hour, hour_of, hour_record, read_hour
from reactree_core.permission.kept_ledger import KeptLedger, ledger_of
from reactree_core.permission.permission import Permission
from reactree_core.permission.rules import Rules, Verdict
from reactree_core.permission.rules_file import read_rules, RuleEntry
from reactree_core.permission.spending import Ledger
from reactree_core.skill_types import SkillType

WATER = 'water <plant> with <ml> ml'
TYPES = (
    SkillType(WATER, ('thing: plant', 'number: 10..500 step 10 ml')),
    SkillType('say <text>', ('text',)),
)


def rule(per='run', each='<plant>', most=300, skills=WATER, **more):
    total = {'of': '<ml>', 'at_most': most, **({'for_each': each} if each else {})}
    return RuleEntry(name='not too wet', skills=skills, total=total, per=per, **more).rule


def permission(*rules, ledger=None, types=TYPES):
    return Permission(Rules(rules), True, types, ledger=ledger)


def water(permission, plant, ml, outcome=Outcome.SUCCEEDED):
    """Does it where it may be; whether it was done."""
    skill = f'water {plant} with {ml} ml'
    if permission.begin(skill).verdict is Verdict.DENY:
        return False
    permission.record(skill, Observation('x', outcome, skill))
    return True


def test_a_plant_gets_exactly_what_it_may_and_no_more():
    rules = permission(rule())
    assert water(rules, 'plant 1', 100) and water(rules, 'plant 1', 200)
    assert not water(rules, 'plant 1', 10)
    assert water(rules, 'plant 2', 300), 'each has its own'
    assert rules.ruling('say 10 ml').verdict is Verdict.ALLOW
    assert not water(permission(rule()), 'plant 1', 310)


def test_a_refusal_says_what_is_left_and_lasts():
    rules = permission(rule())
    water(rules, 'plant 1', 250)
    ruling = rules.ruling('water plant 1 with 60 ml')
    assert ruling.reason == (
        'Rule "not too wet" forbids it (must not: water <plant> with more than 300 ml in all for '
        'each <plant>; 50 of 300 are left for plant 1); "water plant 1 with 60 ml" was not done.'
    )
    assert ruling.lasts and not ruling.ends
    assert rules.must_not == ('water <plant> with more than 300 ml in all for each <plant>',)


@pytest.mark.parametrize(
    'name', ['Plant 1', 'plant (1)', 'plant  1', 'plant\u200b 1', 'ＰＬＡＮＴ 1']
)
def test_a_name_in_another_spelling_is_the_same_thing(name):
    rules = permission(rule())
    water(rules, 'plant 1', 300)
    assert not water(rules, name, 10)


def test_all_together_where_no_slot_tells_them_apart():
    rules = permission(rule(each=''))
    assert water(rules, 'plant 1', 200) and water(rules, 'plant 2', 100)
    assert not water(rules, 'plant 3', 10)


def test_each_skill_alone():
    rules = permission(rule(per='skill', each=''))
    assert all(water(rules, 'plant 1', 300) for _ in range(5))
    assert not water(rules, 'plant 1', 310)
    assert rules.must_not == ('water <plant> with more than 300 ml',)


@pytest.mark.parametrize(
    ('outcome', 'counts'),
    [
        (Outcome.SUCCEEDED, True), (Outcome.EXECUTION_FAILED, True), (Outcome.CANCELED, True),
        (Outcome.TIMED_OUT, True), (Outcome.BRIDGE_LOST, True),
        (Outcome.PRECONDITION_FAILED, False), (Outcome.INVALID_SKILL, False),
        (Outcome.SAFETY_REJECTED, False),
    ],
)  # fmt: skip
def test_what_may_have_flowed_counts(outcome, counts):
    rules = permission(rule())
    water(rules, 'plant 1', 300, outcome)
    assert water(rules, 'plant 1', 10) is not counts


def test_fractions_add_up_exactly():
    rules = permission(rule(most=0.3))
    assert all(water(rules, 'plant 1', '0.1') for _ in range(3)), '0.1 + 0.1 + 0.1 is 0.3'
    assert not water(rules, 'plant 1', '0.000000001')


@given(st.lists(st.integers(1, 10_000), max_size=12))
def test_what_was_done_is_never_more_than_the_limit(thousandths):
    rules = permission(rule(most=9.999))
    done = [
        Decimal(one) / 1000
        for one in thousandths
        if water(rules, 'plant 1', number_text(Decimal(one) / 1000))
    ]
    assert sum(done) <= Decimal('9.999')


@pytest.mark.parametrize(
    'number', ['1e2', 'nan', 'inf', '٣٠', 'some', '1,0', '0x1', '1' * 16, '<text>', '10 ml with']
)
def test_what_is_no_number_is_too_much(number):
    ruling = permission(rule()).ruling(f'water plant 1 with {number} ml')
    assert ruling.verdict is Verdict.DENY
    assert 'how much it is cannot be told' in ruling.reason


def test_of_a_negative_number_the_amount_counts():
    rules = permission(rule())
    assert water(rules, 'plant 1', -200)
    assert not water(rules, 'plant 1', 200), 'there is no way back'


def test_a_number_that_is_left_open_is_offered_while_some_of_them_may_be():
    rules = permission(rule())
    offered = ('water plant 1 with <ml> ml', 'water plant 2 with <ml> ml')
    assert rules.permitted(offered) == offered
    water(rules, 'plant 1', 290)
    assert rules.permitted(offered) == offered
    water(rules, 'plant 1', 10)
    assert rules.permitted(offered) == offered[1:]
    # Without bounds too.
    rules = permission(rule(), types=(SkillType(WATER, ('thing', 'number')),))
    water(rules, 'plant 1', 300)
    assert rules.permitted(offered) == offered[1:]


def test_a_name_with_words_of_the_template_is_read_by_its_number():
    rules = permission(rule())
    assert water(rules, 'plant with leaves 1', 300)
    assert not water(rules, 'plant with leaves 1', 10)


# In an hour ------------------------------------------------------------------------------------


class Clock:
    """A clock that a test sets."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


def test_an_hour_later_a_plant_may_have_the_same_again():
    clock = Clock()
    ledger = Ledger(clock)
    for run in range(3):
        clock.now = run * 3600.0
        rules = permission(rule('hour'), ledger=ledger)
        assert water(rules, 'plant 1', 300)
        clock.now += 3599.9
        assert not water(permission(rule('hour'), ledger=ledger), 'plant 1', 10)


def test_sums_of_an_hour_hold_after_a_restart_and_are_exact(tmp_path):
    path, wall = tmp_path / 'last_hour.json', Clock()
    wall.now = 1e9

    def guard():
        made = SkillGuard(True)
        made.keep(Rules((rule('hour', most=0.3),)), KeptLedger(path, wall, wall))
        return made

    for _ in range(3):
        first, skill = guard(), 'water plant 1 with 0.1 ml'
        assert first.refusal('a', skill, False, Observation('x'), TYPES) is None
        first.record('a', Observation('done', skill=skill), 1.0)
    refusal = guard().refusal('b', 'water plant 1 with 0.1 ml', False, Observation('x'), TYPES)
    assert refusal is not None and 'in an hour' in refusal.reason
    wall.now += 3611
    assert guard().refusal('c', skill, False, Observation('x'), TYPES) is None


def test_a_sum_that_cannot_be_kept_or_read_stops_everything(tmp_path):
    path = tmp_path / 'last_hour.json'
    ledger = KeptLedger(path)
    ledger.add('not too wet', {'plant 1': Decimal(10)})
    told = json.loads(path.read_text())
    assert told['summed'][0]['amount'] == '10'
    for amount in ('-5', 'NaN', 'much'):
        told['summed'][0]['amount'] = amount
        path.write_text(json.dumps(told))
        with pytest.raises(ConfigurationError, match='cannot be read'):
            KeptLedger(path)


def test_a_file_from_before_there_were_sums_is_read(tmp_path):
    path = tmp_path / 'last_hour.json'
    path.write_text('{"format": 1, "spent": [], "counted": {}}')
    assert KeptLedger(path).summed() == {}


def test_an_hourly_total_has_a_ledger_that_is_kept(tmp_path):
    assert ledger_of(Rules((rule('hour'),)), '/bridge', tmp_path).is_kept
    assert not ledger_of(Rules((rule(),)), '/bridge', tmp_path).is_kept


def test_what_the_clock_told_comes_back_from_the_log():
    ledger = Ledger()
    ledger.add('not too wet', {'plant 1': Decimal('0.30')})
    hour = hour_of(ledger)
    assert read_hour(json.loads(json.dumps(hour_record(hour)))) == hour
    old = {'when': datetime.min.isoformat(), 'spent': [0, 0.0, 0.0, 0, 0.0], 'counted': {}}
    assert read_hour(old) == Hour(datetime.min)


# Files -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ('text', 'said'),
    [
        ('skills: water *, total: {of: <ml>, at_most: 3}', 'must stand in "water *"'),
        ('kinds: change, total: {of: <ml>, at_most: 3}', 'must stand in its skills'),
        ('skills: pour <ml>, total: {of: <ml>, for_each: <plant>, at_most: 3}', '<plant> of its'),
        ('skills: pour <ml>, total: {of: ml, at_most: 3}', '"ml" is no slot'),
        ('skills: pour <ml>, total: {of: <ml>, at_most: -3}', 'must be 0 or more'),
        ('skills: pour <ml>, total: {of: <ml>, at_most: .nan}', 'rules.1.total.at_most'),
        ('skills: pour <ml>, total: {of: <ml>, at_most: .inf}', 'rules.1.total.at_most'),
        ('skills: pour <ml>, total: {of: <ml>}', '"rules.1.total.at_most" is missing'),
        ('skills: pour <ml>, total: {of: <ml>, at_most: 3}, at_most: 1', 'must say one of'),
        ('skills: pour <ml>, at_most: 1, per: skill', 'per: skill goes with total'),
    ],
)  # fmt: skip
def test_a_mistake_gets_a_sentence(tmp_path, text, said):
    path = tmp_path / 'permission.yaml'
    path.write_text(f'rules:\n  - {{name: wet, {text}}}\n')
    with pytest.raises(ConfigurationError) as raised:
        read_rules(str(path))
    assert said in str(raised.value)
