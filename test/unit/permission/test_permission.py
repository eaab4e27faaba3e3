"""What rules say of skills, and of whole runs."""

from datetime import datetime
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reactree_core.foreign_text import cleaned
from reactree_core.observation import ObjectFact, Observation, Outcome
from reactree_core.permission import formulas
from reactree_core.permission.guard import SkillGuard
from reactree_core.permission.hour import Hour
from reactree_core.permission.matching import plain
from reactree_core.permission.permission import Permission
from reactree_core.permission.rules import Rules, Verdict
from reactree_core.permission.rules_file import LimitsEntry, RuleEntry
from reactree_core.permission.spending import Amounts, Ledger, Limits, Price
from reactree_core.permission.temporal import TemporalRules
from reactree_core.skill_types import SkillKind, SkillType
from reactree_core.usage import LlmUsage
from support.done_skills import does

TYPES = (
    SkillType('drive to <place>', kind=SkillKind.MOVE),
    SkillType('lift <crate>', kind=SkillKind.TAKE),
    SkillType('load <crate> onto <truck>', kind=SkillKind.PUT),
    SkillType('open <gate>', kind=SkillKind.OPEN),
    SkillType('close <gate>', kind=SkillKind.CLOSE),
    SkillType('scan <crate>'),
    SkillType('say <text>'),
    SkillType('look around', kind=SkillKind.LOOK),
)
NOON = datetime(2026, 3, 4, 12)  # a Wednesday


def permission(*entries, simulated=True, limits=None, when=NOON, ledger=None, otherwise=None):
    rules = tuple(
        RuleEntry(name=f'rule {n}', **entry).rule for n, entry in enumerate(entries, start=1)
    )
    ledger = ledger or Ledger()
    return Permission(
        Rules(rules, otherwise, limits or Limits(), 'permission.yaml'),
        simulated,
        TYPES,
        ledger=ledger,
        hour=lambda: Hour(when, ledger.spent(), ledger.counted()),
    )


def said(permission, skill):
    return permission.ruling(skill).verdict


# Single skills -----------------------------------------------------------------------------------


def test_without_rules_a_robot_asks_before_it_moves_and_a_world_does_not():
    robot, world = permission(simulated=False), permission()
    assert said(robot, 'lift crate 1') is Verdict.ASK
    assert said(robot, 'look around') is Verdict.ALLOW
    # Neither a skill whose kind is not told nor one that nobody has declared is known to be still.
    assert said(robot, 'scan crate 1') is Verdict.ASK
    assert said(robot, 'weld crate 1') is Verdict.ASK
    assert said(world, 'lift crate 1') is Verdict.ALLOW


def test_the_first_rule_that_decides_decides():
    rules = permission(
        {'skills': 'lift crate 1', 'decide': 'allow'},
        {'kinds': 'take', 'decide': 'deny'},
        {'skills': '*', 'decide': 'ask'},
    )
    assert said(rules, 'lift crate 1') is Verdict.ALLOW
    assert said(rules, 'lift crate 2') is Verdict.DENY
    assert said(rules, 'open gate 1') is Verdict.ASK
    assert (
        rules.objection('lift crate 2')
    ) == 'Rule "rule 2" forbids it (must not: take); "lift crate 2" was not done.'
    assert rules.permitted(('lift crate 1', 'lift crate 2')) == ('lift crate 1',)


@pytest.mark.parametrize(
    'written',
    [
        'LIFT crate 1',
        'lift  crate 1',
        'lift\u200b crate 1',
        ' lift crate 1 ',
        'ｌｉｆｔ crate 1',
        'li\u2065ft crate 1',
        'li\u034fft \U000e0100crate 1',
        'lift' + '\u200b' * 1000 + ' crate 1',
    ],
)
def test_other_spellings_of_a_skill_are_that_skill(written):
    assert said(permission({'skills': 'lift crate *', 'decide': 'deny'}), written) is Verdict.DENY


def test_what_is_left_out_of_a_text_that_is_sent_hides_no_skill():
    # The planes of letters, and that of signs without a look.
    planes = (*range(0x80, 0xD800), *range(0xE000, 0x20000), *range(0xE0000, 0xF0000))
    hidden = [c for c in map(chr, planes) if cleaned(f'lif{c}t') == 'lift']
    assert hidden and {plain(f'lif{c}t') for c in hidden} == {'lift'}
    assert plain('lift' + 1500 * ' ' + 'crate') == 'lift crate'


@pytest.mark.parametrize(
    ('entry', 'skill', 'allowed'),
    [
        ({'kinds': 'look'}, 'check door 1', True),
        ({'kinds': 'look'}, 'check door 1 and open door 2', False),
        ({'kinds': ['look', 'open']}, 'check door 1 and open door 2', True),
        ({'kinds': 'look'}, 'look at door 1 then', False),  # also by a type whose kind is not told
        ({'skills': 'check <thing>'}, 'check door 1', True),
        ({'skills': 'check <thing>'}, 'check door 1 and open door 2', False),
        ({'skills': 'check <thing> and open <place>'}, 'check door 1 and open door 2', True),
        ({'skills': 'check door 1 and open door 2'}, 'check door 1 and open door 2', True),
        ({'skills': ['check <thing>', 'check *']}, 'check door 1 and open door 2', True),
        ({'skills': '*'}, 'check door 1 and open door 2', True),
        ({'skills': 'check <what>'}, 'check left side of door 1', True),
    ],
)
def test_what_can_be_read_in_two_ways_is_allowed_only_in_both(entry, skill, allowed):
    types = (
        SkillType('check <thing>', kind=SkillKind.LOOK),
        SkillType('check <thing> and open <place>', kind=SkillKind.OPEN),
        SkillType('look at <thing>', kind=SkillKind.LOOK),
        SkillType('look at <thing> then'),
    )
    for decide, meant in (('allow', allowed), ('deny', True)):
        rules = permission({**entry, 'decide': decide}, otherwise=Verdict.ASK)
        rules.types = types
        assert (said(rules, skill) is Verdict[decide.upper()]) is meant


@pytest.mark.parametrize('slot', ['number', 'count', 'amount', 'counts 2', 'text', 'place'])
def test_a_slot_matches_anything_whatever_its_name(slot):
    rules = permission({'skills': f'pour <{slot}> of acid', 'decide': 'deny'})
    for told in ('5', 'all', '5 ml', '1e9'):
        assert said(rules, f'pour {told} of acid') is Verdict.DENY


@pytest.mark.parametrize(
    ('things', 'skill', 'meant'),
    [
        ('crate', 'lift crate 12', True),
        ('crate 1', 'lift crate 1', True),
        ('crate 1', 'lift crate 12', False),
        ('truck 2', 'load crate 1 onto truck 2', True),
        ('crate', 'lift crates 1', False),
        ('crate', 'lift a', False),
    ],
)
def test_things_are_names_or_classes(things, skill, meant):
    for decide, verdict in (('deny', Verdict.DENY), ('allow', Verdict.ALLOW)):
        rules = permission({'things': things, 'decide': decide}, otherwise=Verdict.ASK)
        assert (said(rules, skill) is verdict) is meant


@pytest.mark.parametrize(
    ('things', 'skill'),
    [
        ('crate', 'lift crate_1'),
        ('crate', 'lift crate-1'),
        ('crate', 'lift crate1'),
        ('crate', 'lift crate #1'),
        ('crate 1', 'lift crate_01'),
        ('wine_crate', 'lift wine crate 1'),
        ('crate', 'lift wine crate 1'),
        ('crate 1', 'weld crate 1'),  # no template
        ('crate', 'say the crate is ready'),
    ],
)
def test_a_thing_that_may_be_meant_is_denied_and_not_allowed(things, skill):
    assert said(permission({'things': things, 'decide': 'deny'}), skill) is Verdict.DENY
    assert said(permission({'things': things, 'decide': 'ask'}), skill) is Verdict.ASK
    assert permission({'things': things, 'at_most': 0}).objection(skill)
    allowed = permission({'things': things, 'decide': 'allow'}, otherwise=Verdict.DENY)
    assert said(allowed, skill) is Verdict.DENY


@pytest.mark.parametrize(
    ('skill', 'seen'),
    [
        ('drive to aisle_3', Observation('x', place='dock 1')),
        ('drive to the aisle 3', Observation('x', place='dock 1')),
        ('lift crate 1', Observation('x', place='aisle_3')),
        ('lift crate 1', Observation('x', place='shelf 1', room='Aisle-3')),
        ('say it in aisle 3', Observation('x', place='dock 1')),
        (
            'lift crate_2',
            Observation('x', place='dock 1', facts=(ObjectFact('crate', 2, 'aisle 3'),)),
        ),
    ],
)
def test_a_place_that_may_be_meant_is_denied_and_not_allowed(skill, seen):
    rules = permission({'places': 'aisle 3', 'decide': 'deny'})
    rules.see(seen)
    assert said(rules, skill) is Verdict.DENY
    allowed = permission({'places': 'aisle 3', 'decide': 'allow'}, otherwise=Verdict.DENY)
    allowed.see(seen)
    assert said(allowed, skill) is Verdict.DENY


def test_a_place_is_where_it_is_done_or_where_it_leads():
    rules = permission({'places': 'aisle 3', 'decide': 'deny'})
    assert said(rules, 'lift crate 1') is Verdict.DENY  # nobody knows where the robot is
    rules.see(Observation('x', place='dock 1'))
    assert said(rules, 'lift crate 1') is Verdict.ALLOW
    assert said(rules, 'drive to aisle 3') is Verdict.DENY
    rules.see(Observation('x', place='aisle 3', facts=(ObjectFact('crate', 2, 'aisle 3'),)))
    assert said(rules, 'lift crate 1') is Verdict.DENY
    assert said(rules, 'drive to dock 1') is Verdict.ALLOW  # away from there
    rules.see(Observation('x', place='dock 1'))
    assert said(rules, 'lift crate 2') is Verdict.DENY  # it stands there


@pytest.mark.parametrize(
    ('when', 'denied'),
    [
        (datetime(2026, 3, 4, 21, 59), False),
        (datetime(2026, 3, 4, 22, 0), True),
        (datetime(2026, 3, 4, 5, 59), True),
        (datetime(2026, 3, 4, 6, 0), False),
        (datetime(2026, 3, 7, 23, 0), False),  # a Saturday
    ],
)
def test_hours_pass_midnight_and_days_are_days(when, denied):
    weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday']
    entry = {'between': ['22:00', '06:00'], 'days': weekdays, 'decide': 'deny'}
    rules = permission(entry, when=when)
    assert (said(rules, 'lift crate 1') is Verdict.DENY) is denied
    assert rules.needs_clock


# Whole runs --------------------------------------------------------------------------------------


def test_at_most_counts_what_may_have_had_an_effect():
    rules = permission({'skills': 'lift *', 'at_most': 2})
    does(rules, 'lift crate 1')
    does(rules, 'lift crate 1', outcome=Outcome.PRECONDITION_FAILED)
    does(rules, 'lift crate 1', outcome=Outcome.TIMED_OUT)
    assert 'lift * more than twice' in rules.objection('lift crate 2')
    assert not rules.objection('open gate 1')
    assert not rules.ended_by


def test_no_rule_allows_what_must_never_be():
    rules = permission({'skills': '*', 'decide': 'allow'}, {'skills': 'open *', 'at_most': 0})
    assert rules.objection('open gate 1')


def test_many_counts_beside_what_is_begun_are_ruled_on_in_few_steps(monkeypatch):
    kinds = ('move', 'take', 'put', 'close', 'switch_on', 'switch_off', 'change', 'make')
    counts = [{'kinds': kind, 'at_most': 100} for kind in kinds]
    rules = permission(*counts, {'kinds': 'open', 'then': 'close *'})
    calls = []
    progress = formulas.progress
    monkeypatch.setattr(formulas, 'progress', lambda *told: calls.append(1) or progress(*told))
    does(rules, 'open gate 1')
    for _ in range(100):
        does(rules, 'lift crate 1')
    assert len(calls) < 100 * 100
    assert rules.objection('lift crate 1') and not rules.objection('close gate 1')


@given(st.integers(0, 3), st.integers(0, 3))
def test_what_must_be_ended_is_begun_as_often_as_it_can_be_ended(opens, closes):
    rules = permission(
        {'skills': 'open *', 'at_most': opens},
        {'skills': 'close *', 'at_most': closes},
        {'skills': 'open <gate>', 'then': 'close <gate>'},
    )
    begun = [gate for gate in '12345' if does_if_permitted(rules, f'open gate {gate}')]
    assert len(begun) == min(opens, closes)
    assert all(does_if_permitted(rules, f'close gate {gate}') for gate in begun)


def does_if_permitted(rules, skill):
    if rules.objection(skill):
        return False
    does(rules, skill)
    return True


def test_only_after_speaks_of_the_same_thing_and_wants_success():
    rules = permission(
        {'skills': 'load <crate> onto *', 'only_after': 'scan <crate>'},
    )
    assert rules.objection('load crate 1 onto truck 1')
    does(rules, 'scan crate 1', outcome=Outcome.EXECUTION_FAILED)
    assert rules.objection('load crate 1 onto truck 1')
    does(rules, 'scan crate 1')
    assert not rules.objection('load crate 1 onto truck 1')
    assert rules.objection('load crate 2 onto truck 1')
    assert rules.must_not == ('load <crate> onto * before scan <crate>',)


def test_each_of_several_skills_shares_its_slots():
    rules = permission(
        {'skills': ['load <crate> onto *', 'lift <crate>'], 'only_after': 'scan <crate>'},
        {'skills': ['open <gate>', 'unlock <gate>'], 'then': ['close <gate>', 'bar <gate>']},
    )
    does(rules, 'scan crate 1')
    assert not rules.objection('load crate 1 onto truck 1')
    assert rules.objection('load crate 2 onto truck 1') and rules.objection('lift crate 2')
    does(rules, 'unlock gate 1', 'open gate 2', 'bar gate 2')
    assert rules.pending() == ('close gate 1 or bar gate 1 (rule "rule 2")',)


def test_what_is_offered_again_and_again_is_held_against_the_past_once(monkeypatch):
    rules = permission({'skills': 'load <crate> onto *', 'only_after': 'scan <crate>'})
    offered = [f'load crate {n} onto truck 1' for n in range(20)]
    calls = []
    after_past = TemporalRules._after_past
    monkeypatch.setattr(
        TemporalRules, '_after_past', lambda *told: calls.append(1) or after_past(*told)
    )
    for n in range(20):
        does(rules, f'scan crate {n}')
        assert rules.permitted(offered) == tuple(offered[: n + 1])
        does(rules, offered[n])
    assert len(calls) == 20
    # What was scanned before it was first on offer counts, too.
    does(rules, 'scan crate 30')
    assert not rules.objection('load crate 30 onto truck 1')


def test_a_skill_that_can_be_read_in_two_ways_must_keep_the_rule_in_both():
    rules = permission({'skills': 'load <crate> onto <truck>', 'only_after': 'scan <crate>'})
    does(rules, 'scan crate 1')
    assert rules.objection('load crate 1 onto crate 2 onto truck 1')
    does(rules, 'scan crate 1 onto crate 2')
    assert not rules.objection('load crate 1 onto crate 2 onto truck 1')


def test_a_name_with_signs_of_patterns_fulfils_nothing_for_others():
    rules = permission({'skills': 'load <crate> onto *', 'only_after': 'scan <crate>'})
    does(rules, 'scan crate 1')
    assert rules.objection('load * onto truck 1')
    assert rules.objection('load <crate> onto truck 1')


def test_only_after_a_fact():
    rules = permission({'skills': 'drive to *', 'only_after': [{'fact': 'gate 1 is open'}]})
    assert rules.objection('drive to dock 1')
    rules.see(Observation('x', facts=(ObjectFact('gate', 1, state='open, wet'),)))
    assert not rules.objection('drive to dock 1')
    # What was seen is remembered; once it was so, the rule is content.
    does(rules, 'drive to dock 1', facts=(ObjectFact('gate', 1, state='closed'),))
    assert not rules.objection('drive to dock 2')


@pytest.mark.parametrize(
    ('fact', 'holds'),
    [
        ('holding crate', True),
        ('holding crate 2', False),
        ('at dock 1', True),
        ('not at dock 2', True),
        ('crate 1 in dock 1', True),
        ('crate 7 in dock 1', False),
        ('gate 1 is closed', True),
        ('not gate 1 is open', True),
        ('not gate 2 is open', False),  # nothing is known of it
    ],
)
def test_facts_are_read_as_effects_are_told(fact, holds):
    rules = permission({'skills': 'open *', 'only_after': {'fact': fact}})
    rules.see(
        Observation(
            'x',
            place='dock 1',
            held=('crate 1',),
            facts=(
                ObjectFact('crate', 1, receptacle='dock 1'),
                ObjectFact('gate', 1, state='closed'),
            ),
        )
    )
    assert (not rules.objection('open gate 1')) is holds


def test_what_is_begun_must_be_ended_before_the_run_is():
    rules = permission({'skills': 'open <gate>', 'then': 'close <gate>'})
    assert rules.pending() == ()
    does(rules, 'open gate 1', 'open gate 2', 'close gate 1')
    assert rules.pending() == ('close gate 2 (rule "rule 1")',)
    does(rules, 'close gate 2', outcome=Outcome.EXECUTION_FAILED)
    assert rules.pending()
    does(rules, 'close gate 2')
    assert rules.pending() == () and not rules.ended_by


def test_a_fact_that_must_follow_counts_only_once_the_skill_was_sent():
    rules = permission({'skills': 'open <gate>', 'then': {'fact': '<gate> is closed'}})
    closed, opened = (ObjectFact('gate', 1, state=word) for word in ('closed', 'open'))
    rules.see(Observation('x', facts=(closed,)))
    does(rules, 'open gate 1', facts=(opened,))
    assert rules.pending() == ('gate 1 is closed (rule "rule 1")',)
    does(rules, 'look around', facts=(closed,))
    assert rules.pending() == ()


def test_what_could_never_be_ended_is_not_begun():
    rules = permission(
        {'skills': 'open <gate>', 'then': 'close <gate>'}, {'skills': 'close *', 'at_most': 1}
    )
    does(rules, 'open gate 1')
    # One more could be closed, but then the first stays open.
    assert 'end without close' in rules.objection('open gate 2')
    does(rules, 'close gate 1')
    assert rules.objection('open gate 2')


def test_a_rule_that_bad_luck_has_made_impossible_ends_the_run():
    rules = permission(
        {'skills': 'open gate 1', 'then': 'close gate 1'}, {'skills': 'close *', 'at_most': 1}
    )
    does(rules, 'open gate 1')
    does(rules, 'close gate 1', outcome=Outcome.EXECUTION_FAILED)
    assert 'Rule "rule 1" cannot be kept any more' in rules.ended_by


SKILLS = ('open gate 1', 'close gate 1', 'scan crate 1', 'load crate 1 onto truck 1')


@given(
    st.lists(st.tuples(st.sampled_from(SKILLS), st.booleans()), max_size=8),
    st.integers(0, 3),
)
@settings(max_examples=200)
def test_a_run_that_asks_first_breaks_no_rule(tried, times):
    rules = permission(
        {'skills': 'open <gate>', 'then': 'close <gate>'},
        {'skills': 'load <crate> onto *', 'only_after': 'scan <crate>'},
        {'skills': 'close *', 'at_most': times},
    )
    done = []
    for skill, works in tried:
        if rules.begin(skill).verdict is not Verdict.DENY:
            outcome = Outcome.SUCCEEDED if works else Outcome.EXECUTION_FAILED
            rules.record(skill, Observation('x', outcome, skill))
            done.append((skill, works))
    closed = [n for n, (skill, _) in enumerate(done) if skill == 'close gate 1']
    assert len(closed) <= times
    for n, (skill, _) in enumerate(done):
        if skill.startswith('load'):
            assert ('scan crate 1', True) in done[:n]
    opened = [n for n, (skill, _) in enumerate(done) if skill == 'open gate 1']
    needs = bool(opened) and ('close gate 1', True) not in done[opened[-1] :]
    assert bool(rules.pending()) is needs
    # It must end early exactly when closing is asked for and all closings are used.
    assert bool(rules.ended_by) is (needs and len(closed) == times)


@given(st.lists(st.sampled_from(SKILLS), max_size=6))
def test_what_is_offered_is_what_is_not_denied(done):
    rules = permission(
        {'skills': 'open gate 1', 'at_most': 1},
        {'skills': 'load *', 'only_after': 'scan *'},
    )
    for skill in done:
        if rules.begin(skill).verdict is not Verdict.DENY:
            rules.record(skill, Observation('x', skill=skill))
    assert rules.permitted(SKILLS) == tuple(one for one in SKILLS if not rules.objection(one))


# Limits ------------------------------------------------------------------------------------------


def limits(**per_run):
    entry = LimitsEntry.model_validate({'per_run': per_run})
    return Limits(entry.per_run.amounts, places={'dock 1': (0.0, 0.0), 'aisle 3': (3.0, 4.0)})


def test_a_run_has_so_many_skills():
    rules = permission(limits=limits(skills=2))
    does(rules, 'open gate 1', 'close gate 1')
    assert 'The limit of a run is 2 skills (permission.yaml)' in rules.objection('open gate 1')
    # It may still be said that all is done; who tries one more skill ends the run.
    assert not rules.ended_by
    assert rules.ruling('open gate 1').ends
    assert rules.permitted(('open gate 1',)) == ('open gate 1',)


def test_a_way_too_long_is_not_begun():
    rules = permission(limits=limits(distance=7.0))
    rules.see(Observation('x', place='dock 1'))
    does(rules, 'drive to aisle 3', place='aisle 3')
    assert rules.account.spent.distance == 5.0
    assert 'a distance of 7' in rules.objection('drive to dock 1')
    assert rules.permitted(('drive to dock 1', 'lift crate 1')) == ('lift crate 1',)
    assert not rules.objection('lift crate 1') and not rules.ended_by


def test_a_way_that_is_measured_counts_where_it_is_longer_than_that_between_places():
    rules = permission(limits=limits(distance=20.0))
    rules.see(Observation('x', place='dock 1'))
    detour = Observation('x', skill='drive to aisle 3', place='aisle 3', distance=12.5)
    rules.record('drive to aisle 3', detour, seconds=1.0)
    assert rules.account.spent.distance == 12.5
    # A server that measures nothing, or little, does not make the way shorter.
    back = Observation('x', skill='drive to dock 1', place='dock 1', distance=0.5)
    rules.record('drive to dock 1', back, seconds=1.0)
    assert rules.account.spent.distance == 17.5
    assert 'a distance of 20' in rules.objection('drive to aisle 3')


def test_time_tokens_and_money_end_a_run():
    rules = permission(limits=limits(seconds=10.0))
    rules.record('open gate 1', Observation('x', skill='open gate 1'), seconds=10.0)
    assert '10 s of skills' in rules.objection('close gate 1')
    rules = permission(limits=limits(tokens=100))
    rules.account.spend(Amounts(tokens=100))
    assert '100 tokens' in rules.ended_by
    usage = LlmUsage(prompt_tokens=3000, cached_tokens=2000, completion_tokens=500)
    assert Price(1.0, 0.5, 4.0).of(usage) == pytest.approx(0.004)


def test_an_hour_is_counted_over_runs_and_passes():
    now = [0.0]
    ledger = Ledger(lambda: now[0])
    entry = {'skills': 'open *', 'at_most': 1, 'per': 'hour'}
    does(permission(entry, ledger=ledger), 'open gate 1')
    later = permission(entry, ledger=ledger)
    assert 'more than once in an hour' in later.objection('open gate 2')
    now[0] = 3601.0
    assert not later.objection('open gate 2')
    assert ledger.spent() == Amounts()


# In a skill server -------------------------------------------------------------------------------


def guard(*entries, simulated=True):
    rules = tuple(RuleEntry(name=f'rule {n}', **one).rule for n, one in enumerate(entries, 1))
    return SkillGuard(simulated, Rules(rules))


def refused(guard, skill, run='a', approved=False):
    return guard.refusal(run, skill, approved, Observation('x'), TYPES)


def test_a_guard_counts_each_run_alone():
    watch = guard({'skills': 'open *', 'at_most': 1})
    assert refused(watch, 'open gate 1') is None
    watch.record('a', Observation('x', skill='open gate 1'), 1.0)
    assert refused(watch, 'open gate 1').rule == 'rule 1'
    assert refused(watch, 'open gate 1', run='b') is None
    assert watch.refused == 1


def test_a_guard_lets_through_what_a_person_has_approved_but_not_what_is_denied():
    watch = guard({'kinds': 'open', 'decide': 'deny'}, simulated=False)
    assert 'Nobody has approved "lift crate 1"' in refused(watch, 'lift crate 1').reason
    assert refused(watch, 'lift crate 1', approved=True) is None
    assert refused(watch, 'open gate 1', approved=True).rule == 'rule 1'


def test_a_guard_whose_rules_break_lets_nothing_through(monkeypatch):
    watch = guard()
    monkeypatch.setattr(Permission, 'begin', lambda *_: 1 / 0)
    assert 'ZeroDivisionError' in refused(watch, 'look around').reason


def test_positions_are_those_that_skills_can_make():
    rules = permission(
        {'skills': 'open gate 1', 'then': 'close gate 1'}, {'skills': 'close *', 'at_most': 0}
    )
    assert rules.objection('open gate 1')
    assert [bool(rules.objection(s)) for s, _ in product(SKILLS[1:], [0])] == [True, False, False]


# Rules that come later, and what would be said --------------------------------------------------

SCAN_FIRST = {'skills': 'lift <crate>', 'only_after': 'scan <crate>'}


def later(*entries):
    return [RuleEntry(name=f'later {n}', **entry).rule for n, entry in enumerate(entries)]


def test_a_rule_that_is_added_holds_from_then_on_beside_the_others():
    rules = permission({'skills': 'open gate 1', 'at_most': 1})
    does(rules, 'lift crate 1')
    rules.add(later({'skills': 'lift *', 'at_most': 1}, SCAN_FIRST))
    assert not rules.forbids_nothing
    assert rules.objection('lift crate 1') and rules.objection('lift crate 2')
    does(rules, 'scan crate 2')
    assert rules.objection('lift crate 1') and not rules.objection('lift crate 2')
    does(rules, 'lift crate 2')
    assert rules.objection('lift crate 2'), 'once since it holds'
    does(rules, 'open gate 1')
    assert rules.objection('open gate 1'), 'what held before goes on to hold'
    free = permission()
    assert free.forbids_nothing
    free.add(())
    assert free.forbids_nothing
    free.add(later({'skills': 'lift *', 'decide': 'deny'}))
    assert not free.forbids_nothing and free.objection('lift crate 1')


def test_what_would_be_said_once_a_skill_is_done_is_not_said_yet():
    rules = permission(SCAN_FIRST, {'skills': 'open *', 'at_most': 1})
    scanned = rules.foreseen('scan crate 1')
    assert not scanned.objection('lift crate 1') and scanned.objection('lift crate 2')
    assert rules.objection('lift crate 1'), 'nothing was done'
    both = scanned.foreseen('scan crate 2')
    assert not both.objection('lift crate 1') and not both.objection('lift crate 2')
    assert scanned.objection('lift crate 2')
    assert rules.foreseen('open gate 1').objection('open gate 2')
    assert not scanned.objection('open gate 1')
    assert rules.foreseen('drive to dock 1') is rules, 'no rule waits for that'


def test_skills_for_which_others_wait_are_told():
    rules = permission(SCAN_FIRST, {'skills': 'say *', 'at_most': 1})
    skills = ('scan crate 1', 'lift crate 1', 'say hello', 'drive to dock 1')
    assert rules.waited_for(skills) == ('scan crate 1',)
    assert permission().waited_for(skills) == ()
    of_facts = permission({'skills': 'open *', 'only_after': {'fact': 'holding crate 1'}})
    assert of_facts.waited_for(skills) == ()
