"""Why a run did what it did, in sentences from its record; no model is asked."""

from __future__ import annotations

import pytest

from reactree_core.errors import ConfigurationError
from reactree_core.permission.rules import Rules
from reactree_core.permission.rules_file import RuleEntry
from reactree_core.record.events import Decision, DecisionKind, NodeStatus
from reactree_planner.runs.settings import Decides, PlannerSettings
from reactree_tools.recording.reasons import RunReasons
from support.policies import prefer

BY_FACTS = PlannerSettings()
FAILING, NO_RULES = prefer('failure'), Rules()
ASKED = PlannerSettings(decides=Decides.MODEL)


@pytest.fixture
def reasons(plan, make_home):
    """Plans a task, and answers questions about it."""

    def reasons(task, policy=FAILING, settings=BY_FACTS, rules=NO_RULES):
        _, _, _, events, _ = plan(task, policy, settings, permission=rules)
        return RunReasons(events, make_home.vocabulary, rules)

    return reasons


def rule(**told):
    return Rules((RuleEntry(name='mine', **told).rule,))


def test_a_skill_that_facts_chose_is_told_with_its_plan_and_what_came_of_it(reasons):
    run = reasons('put the apple on the table')
    said = run.answer('Why pick up apple 1?')
    assert said[0].startswith('Skill ') and 'was done by agent 1, whose goal was "put' in said[0]
    assert said[1].startswith('Facts chose it without asking the model: ')
    way = '"pick up apple 1", "go to bedroom 1", "go to table 1", "put down apple 1"'
    assert said[2] == f'By what was known then it begins the way to "apple in table": {way}.'
    assert said[3:5] == ('It was allowed by default.', '"put down apple 1" takes it back.')
    assert said[5] == 'It worked: You pick up apple 1.'
    # Before the apple was seen there was no way yet.
    said = run.answer('why skill 6')
    assert '"open fridge 1"' in said[0] and said[1].endswith('to look for apple')


def test_a_skill_that_the_model_chose_is_told_as_such(reasons):
    policy = prefer('go to kitchen 1', 'done')
    said = reasons('put the apple on the table', policy, ASKED).answer('why go to kitchen 1')
    assert said[1] == 'The model chose it; the skill server offered 3 others.'


def test_why_not_names_the_rule_the_lack_or_the_cost(reasons):
    run = reasons('put the apple on the table')
    said = run.answer('why not put down apple 1')
    assert 'first before skill 8, where "go to bedroom 1" was chosen.' in said[0]
    assert said[1].startswith('It costs more: towards "apple in table" about 5.0 in all, what was')
    said = run.answer("why didn't it go to bedroom 1?")
    assert said[1].endswith('known then; "go to kitchen 1" was done to look for apple.')
    said = run.answer('why not pick up pear 1')
    assert said[0] == 'It was never applicable: the skill server did not offer it.'
    said = run.answer('why not open table 1')
    assert 'did not offer it' in said[0]


def test_why_not_names_what_forbids_it(reasons):
    run = reasons('put the apple on the table', rules=rule(skills='open *', decide='deny'))
    (said,) = run.answer('why not open fridge 1?')
    assert said.startswith('It was forbidden: Rule "mine" forbids it (must not: open *)')
    # One that was not done is asked about as if "not" had been said.
    assert run.answer('why open fridge 1')[0] == '"open fridge 1" was not done in this run.'


def test_why_it_ended_is_told_with_what_was_lacking(reasons):
    run = reasons('put the apple on the table', rules=rule(skills='open *', decide='deny'))
    assert run.answer('why did it end')[0].startswith('No end is recorded')
    end = Decision(99, 0, DecisionKind.FINISH, 'It gave up.', status=NodeStatus.FAILURE)
    said = RunReasons([*run.events, end], run.vocabulary).answer('Why did it fail?')
    assert said[0] == 'The run ended with failure: It gave up.'
    assert said[-1] == 'By what was known then it lacked: apple in table.'
    done = reasons('put the apple on the table')
    end = Decision(99, 0, DecisionKind.FINISH, status=NodeStatus.SUCCESS)
    said = RunReasons([*done.events, end], done.vocabulary).answer('why did it stop')
    assert said[-1] == 'All that was read of the task held then.'


def test_a_question_without_a_skill_says_how_to_ask(reasons):
    with pytest.raises(ConfigurationError, match='names no skill of this run'):
        reasons('put the apple on the table').answer('why?')
