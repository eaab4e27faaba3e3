"""What people and models are told of rules, and which words and facts a rule means."""

from __future__ import annotations

import pytest

from reactree_core.observation import ObjectFact, Observation
from reactree_core.permission.guard import Refusal, SkillGuard
from reactree_core.permission.matching import (
    FactPattern,
    is_name_of,
    may_name,
    Moment,
    plain,
    SkillPattern,
    words_in,
)
from reactree_core.permission.permission import Permission
from reactree_core.permission.rules import Rule, Rules, Verdict
from reactree_core.permission.rules_file import RuleEntry
from reactree_core.skill_types import SkillKind, SkillType

TYPES = (
    SkillType('drive to <place>', kind=SkillKind.MOVE),
    SkillType('lift <crate>', kind=SkillKind.TAKE),
    SkillType('look around', kind=SkillKind.LOOK),
)


@pytest.mark.parametrize(
    ('entry', 'wording'),
    [
        ({'skills': 'lift *', 'decide': 'deny'}, 'lift *'),
        ({'skills': 'lift *', 'decide': 'ask'}, ''),
        ({'skills': 'lift *', 'decide': 'allow'}, ''),
        ({'skills': 'lift *', 'at_most': 0}, 'lift *'),
        ({'skills': 'lift *', 'at_most': 1}, 'lift * more than once'),
        ({'skills': 'lift *', 'at_most': 2}, 'lift * more than twice'),
        ({'skills': 'lift *', 'at_most': 3, 'per': 'hour'}, 'lift * more than 3 times in an hour'),
        ({'skills': 'lift <a>', 'only_after': 'scan <a>'}, 'lift <a> before scan <a>'),
        ({'skills': 'lift *', 'then': 'rest'}, 'end without rest after lift *'),
        ({'skills': 'lift *', 'then': 'rest', 'within': 1},
         'lift * without rest in the next skill'),
        ({'skills': 'lift *', 'then': 'rest', 'within': 2},
         'lift * without rest in the next 2 skills'),
    ],
)  # fmt: skip
def test_a_rule_says_what_must_not_be(entry, wording):
    assert RuleEntry(name='r', **entry).rule.wording == wording


def rule(**told):
    return Rule('r', SkillPattern('lift *'), **told)


def test_a_rule_is_called_after_where_it_stands():
    assert rule().called == 'rule "r"'
    assert rule(of_hazard=True).called == 'hazard "r"'
    assert rule(of_task=True).called == 'the task'


def test_rules_that_speak_of_a_run_are_told_from_those_of_one_skill():
    assert rule(at_most=1).is_temporal
    assert not rule(verdict=Verdict.DENY).is_temporal
    assert not rule(at_most=1, per_hour=True).is_temporal
    assert rule(at_most=1, per_hour=True).needs_clock and not rule(at_most=1).needs_clock


def must_not(*entries):
    rules = tuple(RuleEntry(name=f'r{n}', **one).rule for n, one in enumerate(entries))
    return Permission(Rules(rules), True, TYPES).must_not


def test_what_a_rule_before_it_allows_is_forbidden_only_else():
    deny = {'skills': 'lift *', 'decide': 'deny'}
    allow = {'skills': 'lift crate 1', 'decide': 'allow'}
    count = {'skills': 'drive *', 'at_most': 1}
    assert must_not(deny, allow) == ('lift *',)
    assert must_not(allow, deny) == ('lift *, unless a rule allows it',)
    assert must_not({**allow, 'decide': 'ask'}, deny) == ('lift *, unless a rule allows it',)
    assert must_not(allow, count) == ('drive * more than once',), 'counts hold in any case'
    assert must_not(deny, deny) == ('lift *',)


# Words -------------------------------------------------------------------------------------------


def test_names_are_compared_however_they_are_written():
    assert words_in('Table_knife-01') == ['table', 'knife', '1']
    assert words_in('x000') == ['x', '0']
    assert may_name('the table_knife-1', 'Table knife') and may_name('knife1', 'knife 01')
    assert not may_name('knives', 'knife') and not may_name('table', 'table knife')
    assert not may_name('anything', '-') and not may_name('', 'x')
    assert is_name_of('Crate (1)', 'crate') and is_name_of('crate 1', 'CRATE (1)')
    assert not is_name_of('crate 1', 'crate 2') and not is_name_of('crate', 'crate 1')
    assert plain('  Ｌｉｆｔ\u200b  it ') == 'lift it'
    assert plain('lift\u180b\ufe0f\U000e01ef it') == 'lift it'


def test_a_pattern_means_what_its_slots_and_stars_leave_open():
    pattern = SkillPattern('load <crate> onto *')
    assert pattern.slots == {'crate'} and not pattern.is_one_skill
    assert [one['crate'] for one in pattern.readings('load crate 1 onto truck 2')] == ['crate 1']
    assert pattern.fits('Load crate 1 onto truck 2') and not pattern.fits('load crate 1')
    assert pattern.bound((('crate', 'crate 1'),)).fits('load crate 1 onto truck 2')
    assert not pattern.bound((('crate', 'crate 1'),)).fits('load crate 2 onto truck 2')
    assert not SkillPattern('lift <x>').bound((('x', '*'),)).fits('lift crate 1')
    assert SkillPattern('lift crate 1').is_one_skill
    assert SkillPattern('lift *').includes(SkillPattern('lift <crate>'))
    assert not SkillPattern('lift crate 1').includes(SkillPattern('lift *'))


def test_a_skill_moves_something_unless_all_that_it_may_be_is_still():
    assert Moment('lift crate 1', types=TYPES).moves
    assert Moment('sing', types=TYPES).moves, 'nobody knows what it is'
    assert not Moment('look around', types=TYPES).moves
    assert not Moment('', types=TYPES).moves
    both = (*TYPES, SkillType('look <where>', kind=SkillKind.OTHER))
    assert Moment('look around', types=both).moves


# Facts -------------------------------------------------------------------------------------------

NOW = Observation('', place='dock 1', room='yard 1', held=('crate 1',))
FACTS = {
    fact.name: fact
    for fact in (
        ObjectFact('gate', 1, 'yard 1', '', 'closed, rusty'),
        ObjectFact('gate', 2),
        ObjectFact('crate', 2, '', 'truck 1'),
        ObjectFact('battery', 0, '', '', '40 %'),
    )
}


@pytest.mark.parametrize(
    ('fact', 'known'),
    [
        ('gate 1 is closed', True),
        ('gate 1 is open', False),
        ('not gate 1 is open', True),
        ('not gate 1 is closed', False),
        ('gate 2 is closed', None),
        ('not gate 2 is closed', None),
        ('gate 3 is closed', None),
        ('gate is rusty', True),
        ('crate 2 in truck 1', True),
        ('crate 2 in truck', True),
        ('crate 2 in dock', False),
        ('crate 3 in dock', None),
        ('gate 1 in yard', True),
        ('gate 1 in dock', False),
        ('gate 2 in dock', None),
        ('holding crate', True),
        ('holding crate 2', False),
        ('not holding crate 2', True),
        ('not holding crate', False),
        ('at dock', True),
        ('at yard 1', True),
        ('at truck', False),
        ('not at truck', True),
        ('not at dock 1', False),
        ('battery < 50 %', True),
        ('battery > 50 %', False),
        ('moisture of gate 1 > 50 %', None),
        ('nonsense', False),
    ],
)
def test_a_fact_is_known_or_not_or_nobody_tells(fact, known):
    moment = Moment('', NOW, FACTS)
    pattern = FactPattern(fact)
    assert pattern.known(moment) is known
    assert (pattern.matches(moment) is True) is (known is True)


def test_where_the_robot_is_may_not_be_known():
    nowhere = Moment('', Observation(''), {})
    assert FactPattern('at dock').known(nowhere) is None
    assert FactPattern('not at dock').known(nowhere) is None
    assert FactPattern('not at dock').matches(nowhere) is False
    assert FactPattern('holding crate').known(nowhere) is False


# The skill server's own --------------------------------------------------------------------------


def test_a_guard_tells_what_it_has_refused():
    guard = SkillGuard(True, Rules((RuleEntry(name='no', skills='lift *', decide='deny').rule,),
                                   source='rules.yaml'))  # fmt: skip
    assert guard.values == {'rules': 'rules.yaml', 'skills refused': '0', 'last refusal': ''}
    for _ in range(2):
        refusal = guard.refusal('a', 'lift crate 1', True, NOW, TYPES)
        assert isinstance(refusal, Refusal) and refusal.rule == 'no'
    assert guard.values['skills refused'] == '2'
    assert guard.values['last refusal'] == 'lift crate 1 (rule "no")'


def test_a_guard_without_rules_lets_nothing_through():
    guard = SkillGuard(True)
    assert guard.values['rules'] == 'none'
    assert 'no rules are loaded' in guard.refusal('a', 'look around', True, NOW, TYPES).reason
    guard.keep(Rules())
    assert guard.refusal('a', 'look around', False, NOW, TYPES) is None


def test_a_guard_remembers_so_many_runs_and_forgets_the_oldest():
    guard = SkillGuard(True, Rules((RuleEntry(name='one', skills='lift *', at_most=1).rule,)))

    def lifted(run):
        if guard.refusal(run, 'lift crate 1', False, NOW, TYPES) is not None:
            return False
        guard.record(run, Observation('', skill='lift crate 1'), 1.0)
        return True

    runs = [f'{number}' for number in range(64)]
    assert all(map(lifted, runs))
    assert not any(map(lifted, runs)), 'each is known'
    assert lifted('new') and lifted(runs[0]), 'the oldest was forgotten'
    assert not lifted(runs[-1])
    guard.record('none', Observation('', skill='lift crate 1'), 1.0)
