"""Each family of rules taken away in turn: the tests that are to keep it fail then."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from reactree_core.permission import matching, rules, selector, temporal
from reactree_core.permission.account import Account
from reactree_core.permission.formulas import TRUE
from reactree_core.permission.guard import SkillGuard
from reactree_core.permission.kept_ledger import KeptLedger
from reactree_core.permission.matching import FactPattern
from reactree_core.permission.permission import FREE, Permission
from reactree_core.permission.rules import Rule
from reactree_core.permission.selector import Selector
from reactree_core.permission.spending import Ledger
from reactree_core.permission.totals import Total
from reactree_planner.reading import goal, reader
from unit.permission import test_kept_ledger as of_hours
from unit.permission import test_permission as of_rules
from unit.permission import test_totals as of_totals
from unit.planner import test_time_rules as of_time


def answers(value: object) -> Callable[..., object]:
    """Says the same, whatever it is asked."""
    return lambda *_, **__: value


#: What is taken away, what stands in its place, and a test of it.
FAMILIES = {
    'deny': (
        Permission, '_said', answers(FREE), of_rules.test_the_first_rule_that_decides_decides,
    ),
    'ask by default': (
        Permission, '_default', answers(FREE),
        of_rules.test_without_rules_a_robot_asks_before_it_moves_and_a_world_does_not,
    ),
    'at most': (
        rules, 'AtMost', answers(TRUE),
        of_rules.test_at_most_counts_what_may_have_had_an_effect,
    ),
    'never': (
        rules, 'AtMost', answers(TRUE), of_rules.test_no_rule_allows_what_must_never_be,
    ),
    'total': (
        Total, 'objection', answers(''),
        of_totals.test_a_plant_gets_exactly_what_it_may_and_no_more,
    ),
    'total of an hour': (
        Ledger, 'add', answers(None),
        of_totals.test_an_hour_later_a_plant_may_have_the_same_again,
    ),
    'only after': (
        rules, 'unless', answers(TRUE),
        of_rules.test_only_after_speaks_of_the_same_thing_and_wants_success,
    ),
    'only after, of one thing': (
        Rule, 'shared', frozenset(),
        of_rules.test_only_after_speaks_of_the_same_thing_and_wants_success,
    ),
    'only after a fact': (
        FactPattern, 'matches', answers(True), of_rules.test_only_after_a_fact,
    ),
    'then': (
        rules, 'eventually', answers(TRUE),
        of_rules.test_what_is_begun_must_be_ended_before_the_run_is,
    ),
    'then, from the next skill on': (
        rules, 'Next', lambda formula: formula,
        of_rules.test_a_fact_that_must_follow_counts_only_once_the_skill_was_sent,
    ),
    'looking ahead': (
        temporal, 'can_be_kept', answers(True),
        of_rules.test_what_could_never_be_ended_is_not_begun,
    ),
    'an end to what cannot be kept': (
        temporal, 'can_be_kept', answers(True),
        of_rules.test_a_rule_that_bad_luck_has_made_impossible_ends_the_run,
    ),
    'kinds': (
        Selector, '_is_of_kind', answers(True), of_rules.test_the_first_rule_that_decides_decides,
    ),
    'things': (
        Selector, '_names_thing', answers(True),
        partial(of_rules.test_things_are_names_or_classes, 'crate 1', 'lift crate 12', False),
    ),
    'places': (
        Selector, '_is_there', answers(True),
        of_rules.test_a_place_is_where_it_is_done_or_where_it_leads,
    ),
    'things and places that may be meant': (
        selector, 'may_name', answers(False),
        partial(
            of_rules.test_a_thing_that_may_be_meant_is_denied_and_not_allowed, 'box', 'lift box_1'
        ),
    ),
    'both readings of a skill': (
        matching, '_are_within', answers(True),
        partial(
            of_rules.test_what_can_be_read_in_two_ways_is_allowed_only_in_both,
            {'skills': 'check <thing>'}, 'check door 1 and open door 2', False,
        ),
    ),
    'slots of several skills': (
        Selector, 'slots', frozenset(), of_rules.test_each_of_several_skills_shares_its_slots,
    ),
    'hours and days': (
        Selector, '_is_time', answers(True),
        partial(
            of_rules.test_hours_pass_midnight_and_days_are_days,
            of_rules.datetime(2026, 3, 4, 6, 0), False,
        ),
    ),
    'spellings': (
        matching, 'plain', lambda text: text,
        partial(of_rules.test_other_spellings_of_a_skill_are_that_skill, 'LIFT  crate 1'),
    ),
    'names that are no patterns': (
        matching, '_as_names', lambda binding: binding,
        of_rules.test_a_name_with_signs_of_patterns_fulfils_nothing_for_others,
    ),
    'limit of skills': (
        Account, 'limit_reached', answers(''), of_rules.test_a_run_has_so_many_skills,
    ),
    'limit of distance': (
        Account, '_spent_by', answers(of_rules.Amounts(skills=1)),
        of_rules.test_a_way_too_long_is_not_begun,
    ),
    'limits of time, tokens and money': (
        Account, 'limit_reached', answers(''),
        of_rules.test_time_tokens_and_money_end_a_run,
    ),
    'at most in an hour': (
        Ledger, 'counted', answers({}), of_rules.test_an_hour_is_counted_over_runs_and_passes,
    ),
    'the skill server': (
        SkillGuard, 'refusal', answers(None),
        of_rules.test_a_guard_lets_through_what_a_person_has_approved_but_not_what_is_denied,
    ),
    'skills that wait, of a task': (
        goal, '_rules', answers(()),
        of_time.test_a_skill_waits_until_what_comes_before_has_succeeded,
    ),
    'skills that are counted, of a task': (
        goal, '_rules', answers(()),
        of_time.test_skills_that_are_counted_are_those_that_were_sent,
    ),
    'what must follow, of a task': (
        goal, '_rules', answers(()),
        of_time.test_what_must_follow_is_pending_until_it_is_done,
    ),
}  # fmt: skip
#: The same of tests that need the clocks of a machine.
OF_HOURS = {
    'the hour after a restart': (
        '_read', answers(None), of_hours.test_a_rule_of_an_hour_holds_after_a_restart,
    ),
    'a broken file': (
        '_read', answers(None),
        lambda clocks: of_hours.test_a_broken_file_keeps_the_node_from_starting(clocks, b'{'),
    ),
    'what cannot be kept': (
        '_check', answers(None), of_hours.test_what_cannot_be_kept_is_refused_until_it_can_be,
    ),
}  # fmt: skip
#: How a test fails: by whatever it raises.
FAILS = (Exception, pytest.fail.Exception)


@pytest.mark.parametrize('family', FAMILIES)
def test_without_a_rule_its_test_fails(family, monkeypatch):
    owner, name, other, test = FAMILIES[family]
    test()
    monkeypatch.setattr(owner, name, other)
    rules._is_possible.cache_clear()
    matching._pattern.cache_clear()
    # What was read with the rule is not taken again, and what is read without it is not kept.
    monkeypatch.setattr(reader, '_READ', {})
    try:
        with pytest.raises(FAILS):
            test()
    finally:
        # What was worked out without the rule.
        rules._is_possible.cache_clear()
        matching._pattern.cache_clear()


@pytest.mark.parametrize('family', OF_HOURS)
def test_without_a_rule_of_the_hour_its_test_fails(family, monkeypatch, tmp_path):
    name, other, test = OF_HOURS[family]
    for folder in ('with', 'without'):
        (tmp_path / folder).mkdir()
    test(of_hours.Clocks(tmp_path / 'with'))
    monkeypatch.setattr(KeptLedger, name, other)
    with pytest.raises(FAILS):
        test(of_hours.Clocks(tmp_path / 'without'))
