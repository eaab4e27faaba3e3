"""What a person refused is neither offered, planned nor asked again in a run."""

from __future__ import annotations

import pytest

from reactree_core.errors import LimitReached
from reactree_core.observation import Outcome
from reactree_core.permission.permission import Permission
from reactree_core.permission.rules import Rules
from reactree_core.record.run_settings import Limits
from reactree_planner.runs.reasoning import PermissionRules
from reactree_planner.runs.settings import Decides, PlannerSettings

MODEL = PlannerSettings(decides=Decides.MODEL)


def prefer(*wanted):
    """A policy that takes the first of these that is offered, else the first option."""

    def policy(text, options):
        if options is None:
            return 'I go on.'
        names = [option.strip() for option in options]
        return next((names.index(one) for one in wanted if one in names), 0)

    return policy


@pytest.mark.parametrize('decides', Decides)
def test_what_a_person_refused_is_neither_done_nor_asked_again(plan, decides):
    asked = []

    def gate(decision):
        asked.append(decision.skill)
        return f'"{decision.skill}" was refused: no.' if 'fridge' in decision.skill else None

    policy = prefer('open fridge 1', 'go to fridge 1', 'go to kitchen 1', 'failure')
    settings = PlannerSettings(decides=decides)
    # In the end it goes to the kitchen, over and over.
    with pytest.raises(LimitReached):
        plan('find the apple', policy, settings, Limits(decisions=20), gate=gate)
    run = plan.runs[-1]
    assert 'go to kitchen 1' in run.ports.skills.executed
    assert asked.count('go to fridge 1') == 1
    assert 'go to fridge 1' not in run.ports.skills.executed


def test_who_insists_is_refused_without_asking(plan):
    asked = []

    def gate(decision):
        asked.append(decision.skill)
        return f'"{decision.skill}" was refused: no.' if 'fridge' in decision.skill else None

    policy = prefer('go to kitchen 1')
    with pytest.raises(LimitReached):
        plan('find the apple', policy, MODEL, Limits(decisions=5), gate=gate)
    run = plan.runs[-1]
    run.events.limits = Limits()
    for _ in range(2):
        answer = run.acting.act(1, 'go to fridge 1')
        assert answer.outcome is Outcome.SAFETY_REJECTED and 'was refused: no.' in answer.text
    assert asked.count('go to fridge 1') == 1


def test_the_reasoner_plans_nothing_that_was_refused():
    refused = {}
    rules = PermissionRules(Permission(Rules(), simulated=True), refused)
    assert not rules.forbids('open gate 1') and not rules.bars('open gate 1')
    refused['open gate 1'] = 'no'
    assert rules.forbids('open gate 1') and rules.bars('open gate 1')
    assert not rules.forbids('open gate 2')
