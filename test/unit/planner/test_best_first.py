"""Best-first search over the action tree: Tree-Planner appendix C.5."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reactree_core.ports import Sample
from reactree_core.record.events import ControlFlow, DecisionKind
from reactree_planner.planners.best_first import scores_of
from reactree_planner.runs.settings import PlannerSettings, PlanSettings, Score

TASK = 'go about'


def sampling(*plans):
    """A model that samples plans: (steps, log-probability of every token)."""
    left = list(plans)

    def policy(text, options):
        steps, score = left.pop(0)
        tokens = []
        for number, step in enumerate((*steps, 'done'), 1):
            words = f' {step}\n' if number == 1 else f'{number}. {step}\n'
            tokens.append((words, score))
        return Sample(''.join(token for token, _ in tokens), tuple(tokens))

    return policy


def first_of(events):
    """What was chosen at the first fork, and why."""
    fork = next(
        event
        for event in events
        if getattr(event, 'kind', 9) is DecisionKind.EXPAND
        and event.control_flow is ControlFlow.FALLBACK
    )
    return fork.text


def settings(score, samples=3, **more):
    return PlannerSettings(plans=PlanSettings(samples=samples, score=score, **more))


def test_by_language_the_likelier_step_is_taken_though_fewer_plans_begin_with_it(plan):
    policy = sampling(
        (('go to kitchen',), math.log(0.1)),
        (('go to kitchen',), math.log(0.2)),
        (('go to table',), math.log(0.6)),
    )
    success, _, home, events, _ = plan(
        TASK, policy, settings(Score.LANGUAGE), planner='best_first'
    )
    assert success
    assert home.executed == ['go to table 1']
    assert first_of(events).startswith('go to table: best by language of')
    assert 'go to kitchen 0.33, go to table 0.67' in first_of(events)


def test_where_no_probabilities_are_told_the_share_of_plans_counts(plan):
    left = [' go to kitchen\n', ' go to table\n', ' go to table\n']
    success, _, home, _, _ = plan(
        TASK,
        lambda text, options: left.pop(0),
        settings(Score.LANGUAGE),
        planner='best_first',
    )
    assert success
    assert home.executed == ['go to table 1']


@pytest.mark.parametrize(
    ('score', 'executed'),
    [
        (Score.LANGUAGE, []),
        (Score.ENVIRONMENT, ['go to table 1']),
        (Score.HYBRID, ['go to table 1']),
    ],
)
def test_by_environment_steps_on_what_is_in_sight_come_first(plan, score, executed):
    # Nobody sees the fridge from the bedroom.
    policy = sampling((('open fridge',), math.log(0.5)), (('go to table',), math.log(0.4)))
    _, _, home, _, _ = plan(
        TASK, policy, settings(score, samples=2, corrections=0), planner='best_first'
    )
    assert home.executed == executed


def test_after_a_failed_step_the_next_best_is_taken(plan):
    policy = sampling((('open fridge',), math.log(0.9)), (('go to table',), math.log(0.1)))
    success, run, home, _, _ = plan(
        TASK, policy, settings(Score.LANGUAGE, samples=2), planner='best_first'
    )
    assert success
    assert home.executed == ['go to table 1']
    assert run.budget.usage.requests == 2, 'only the samples ask the model'


@given(
    st.lists(st.tuples(st.floats(0, 10), st.booleans()), min_size=1, max_size=8),
    st.sampled_from(Score),
    st.floats(0, 1),
)
def test_scores_are_shares_of_one(branches, score, share):
    likelihoods, in_sight = zip(*branches, strict=True)
    scores = scores_of(likelihoods, in_sight, score, share)
    assert sum(scores) == pytest.approx(1.0)
    assert all(0.0 <= one <= 1.0 for one in scores)


def test_the_evaluation_functions_are_those_of_the_appendix():
    likelihoods, in_sight = (0.3, 0.1), (False, True)
    assert scores_of(likelihoods, in_sight, Score.LANGUAGE, 0.5) == pytest.approx((0.75, 0.25))
    seen = math.e / (math.e + 1)
    assert scores_of(likelihoods, in_sight, Score.ENVIRONMENT, 0.5) == pytest.approx(
        (1 - seen, seen)
    )
    assert scores_of(likelihoods, in_sight, Score.HYBRID, 0.5) == pytest.approx(
        ((0.75 + 1 - seen) / 2, (0.25 + seen) / 2)
    )
