"""Rules of permission at work in runs: what is not offered, not sent, and ends a run."""

from __future__ import annotations

from dataclasses import replace

import pytest

from reactree_core.errors import (
    BridgeLostError,
    CanceledError,
    NotPermittedError,
    SkillResultError,
)
from reactree_core.observation import Observation, Outcome
from reactree_core.permission.permission import FREE, Permission
from reactree_core.permission.rules import Rules, Verdict
from reactree_core.permission.rules_file import RuleEntry
from reactree_core.permission.spending import Amounts, Limits
from reactree_core.record.events import Decision, DecisionKind
from reactree_core.record.journal_lines import decode_event, encode_event
from reactree_core.record.outcome import ErrorCode, outcome_of_error
from reactree_planner.runs.run import check_kept
from reactree_planner.runs.settings import Decides, Guards, PlannerSettings
from support.policies import prefer

ASKED = PlannerSettings(decides=Decides.MODEL)


def rules(*entries, **more):
    made = tuple(RuleEntry(name=f'rule {n}', **one).rule for n, one in enumerate(entries, 1))
    return Rules(made, **more)


def test_what_a_rule_denies_is_offered_to_no_node_and_told_to_all(plan):
    denied = rules({'skills': 'open *', 'decide': 'deny'})
    policy = prefer('go to kitchen 1', 'go to fridge 1', 'open fridge 1', 'failure')
    _, run, home, events, offered = plan('find the apple', policy, ASKED, permission=denied)
    assert not any('open fridge 1' in option for options in offered for option in options)
    assert 'open fridge 1' not in home.executed
    assert run.tree.must_not == ('open *',)
    (told,) = [e for e in events if isinstance(e, Decision) and e.kind is DecisionKind.FORBID]
    assert told.subgoals == ('open *',)


def test_a_rule_of_time_opens_once_its_condition_is_met(plan):
    first = rules({'skills': 'open *', 'only_after': 'go to fridge *'})
    policy = prefer('open fridge 1', 'go to fridge 1', 'go to kitchen 1', 'done', 'failure')
    _, _, home, _, _ = plan('find the apple', policy, ASKED, permission=first)
    # The place is no less worth going to because it may not be opened yet.
    assert home.executed[:3] == ['go to kitchen 1', 'go to fridge 1', 'open fridge 1']


def test_a_model_that_insists_is_refused_with_the_rule(plan):
    denied = rules({'skills': 'open fridge 1', 'at_most': 0})
    policy = prefer('failure')
    _, run, home, events, _ = plan('find the apple', policy, ASKED, permission=denied)
    # As a planner would that offers what it must not.
    run.tree.finished = False
    answer = run.acting.act(1, 'open fridge 1')
    assert answer.outcome is Outcome.SAFETY_REJECTED
    assert 'Rule "rule 1" forbids it' in answer.text
    assert events[-1] == answer
    assert 'open fridge 1' not in home.executed


def test_a_skill_that_needs_a_person_is_not_done_where_nobody_is(plan):
    asking = rules(otherwise=Verdict.ASK)
    policy = prefer('go to kitchen 1', 'failure')
    _, _, home, events, _ = plan('find the apple', policy, ASKED, gate=None, permission=asking)
    refused = [e.text for e in events if isinstance(e, Observation) and not e.succeeded]
    assert refused and 'Nobody is there to ask' in refused[0]
    assert not home.executed


def test_a_limit_ends_the_run_with_a_sentence(plan):
    limited = rules(limits=Limits(Amounts(skills=2)), source='permission.yaml')
    policy = prefer('go to kitchen 1', 'go to fridge 1', 'open fridge 1')
    with pytest.raises(NotPermittedError, match='limit of a run is 2 skills') as error:
        plan('find the apple', policy, ASKED, permission=limited)
    assert outcome_of_error(error.value).code is ErrorCode.NOT_PERMITTED
    assert len(plan.runs[-1].ports.skills.executed) == 2


@pytest.mark.parametrize(
    'error', [CanceledError('stopped'), BridgeLostError('lost'), SkillResultError('rubbish')]
)
def test_a_skill_that_was_canceled_or_broke_counts_for_rules_and_limits(plan, monkeypatch, error):
    def breaks(*_):
        raise error

    _, run, home, _, _ = plan('find the apple', prefer('failure'), ASKED, permission=rules())
    seldom = {'skills': 'go to *', 'at_most': 1, 'per': 'hour'}
    run.world.rules = Permission(
        rules({'skills': 'go to *', 'at_most': 1}, seldom, limits=Limits(Amounts(skills=1))), True
    )
    monkeypatch.setattr(home, 'execute', breaks)
    run.tree.finished = False
    with pytest.raises(type(error)):
        run.acting.act(1, 'go to kitchen 1')
    assert run.world.rules.account.spent.skills == 1
    assert run.world.rules.hour().counted == {'rule 2': 1}
    assert 'more than once' in run.world.rules.objection('go to kitchen 1')


def test_a_run_is_no_success_while_something_is_left_open(plan):
    closing = rules({'skills': 'open <place>', 'then': 'close <place>'})
    policy = prefer('go to kitchen 1', 'go to fridge 1', 'open fridge 1', 'done')
    unmindful = replace(ASKED, guards=Guards(true_ends=False))
    _, run, home, _, _ = plan('open the fridge', policy, unmindful, permission=closing)
    assert 'open fridge 1' in home.executed and 'close fridge 1' not in home.executed
    assert run.aims.ending.missing == ('close fridge 1 (rule "rule 1")',)
    with pytest.raises(NotPermittedError, match=r'close fridge 1 \(rule "rule 1"\)'):
        check_kept(run, True)
    check_kept(run, False)
    assert 'close fridge 1' in run.notices[0]


def test_what_a_rule_wants_before_the_end_is_done_then(plan):
    """The robot goes back for it, and no model is asked."""
    closing = rules({'skills': 'open <place>', 'then': 'close <place>'})
    success, run, home, events, offered = plan(
        'bring the apple to the table', None, permission=closing
    )
    assert success and not offered
    assert home.apple == 'table 1'
    assert home.executed[-4:] == [
        'put down apple 1', 'go to kitchen 1', 'go to fridge 1', 'close fridge 1'
    ]  # fmt: skip
    reasons = {e.skill: e.text for e in events if isinstance(e, Decision)}
    assert reasons['close fridge 1'] == 'a rule wants it before the end'
    check_kept(run, True)


@pytest.mark.parametrize('decides', Decides)
def test_a_model_may_not_end_before_what_a_rule_wants(plan, decides):
    closing = rules({'skills': 'open <place>', 'then': 'close <place>'})
    way = ('go to kitchen 1', 'go to fridge 1', 'open fridge 1')
    policy = prefer('Act:', *way, 'done', 'close fridge 1')
    settings = PlannerSettings(decides=decides)
    success, run, home, _, offered = plan('find it', policy, settings, permission=closing)
    ends = [names for names in offered if 'failure' in names]
    assert ['done' in names for names in ends] == [True, True, True, False, True]
    assert success and home.executed == [*way, 'close fridge 1']
    check_kept(run, True)


def test_it_is_the_rules_and_nothing_else_that_keep_it_closed(plan, monkeypatch):
    """The engine off: what the tests above deny is done, so that they would fail."""
    monkeypatch.setattr(Permission, '_ruling', lambda *_: FREE)
    denied = rules({'skills': 'open *', 'decide': 'deny'})
    _, _, home, _, _ = plan('open the fridge', prefer('done'), permission=denied)
    assert 'open fridge 1' in home.executed


def acts(events):
    return {one.skill: one for one in events if isinstance(one, Decision) and one.skill}


def test_every_skill_that_is_sent_tells_who_allowed_it_and_what_takes_it_back(plan):
    kept = rules(
        {'skills': 'go to *', 'decide': 'allow'},
        {'skills': 'pick up *', 'decide': 'ask'},
        {'skills': 'close *', 'decide': 'deny'},
    )

    def gate(decision):
        run = plan.runs[-1]
        run.acting.approver = 'ana' if run.acting.asking else None

    policy = prefer('go to kitchen 1', 'go to fridge 1', 'open fridge 1', 'pick up apple 1')
    _, run, _, events, _ = plan('find the apple', policy, ASKED, gate=gate, permission=kept)
    told = acts(events)
    assert told['go to kitchen 1'].allowed_by == 'rule "rule 1"'
    opened, taken = told['open fridge 1'], told['pick up apple 1']
    assert (opened.allowed_by, opened.approver) == ('default', '')
    assert (opened.undone_by, taken.undone_by) == ('close fridge 1', 'put down apple 1')
    assert (taken.allowed_by, taken.approver) == ('person (rule "rule 2")', 'ana')
    assert told['failure'].allowed_by == ''
    run.tree.finished = False
    run.acting.act(1, 'close fridge 1')
    refused = acts(events)['close fridge 1']
    assert (refused.allowed_by, refused.approver) == ('', '')


def test_a_person_whom_nobody_named_is_told_as_a_person(plan):
    def gate(decision):
        plan.runs[-1].acting.approver = ''

    policy = prefer('go to kitchen 1', 'failure')
    _, _, _, events, _ = plan('find the apple', policy, ASKED, gate=gate)
    told = acts(events)['go to kitchen 1']
    assert (told.allowed_by, told.approver) == ('person (require_approval)', '')
    assert decode_event(encode_event(told)) == told
