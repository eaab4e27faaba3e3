"""Runs of tasks that forbid something, with a model that wants just that."""

from __future__ import annotations

from contextlib import suppress

import pytest

from reactree_core.errors import LimitReached, ModelOutputError
from reactree_core.foreign_text import bounded, bounded_name
from reactree_core.observation import Outcome
from reactree_core.record.events import Decision, DecisionKind, NodeKind
from reactree_core.record.run_settings import Limits
from reactree_core.record.snapshot import reduce_events
from reactree_planner.planners.registry import general_planners
from reactree_planner.runs.settings import Decides, Guards, PlannerSettings
from reactree_tools.viewer.prompts import prompt_of

PUBLISHED = PlannerSettings(guards=Guards.none())
LIMITS = Limits(decisions=40)


@pytest.fixture
def attempt(plan, make_home):
    """Plan a task to its end, or to its limits: (success, run, home, events)."""

    def attempt(task, policy, **options):
        home = make_home()
        success = False
        with suppress(LimitReached, ModelOutputError):
            success = plan(task, policy, home=home, limits=LIMITS, **options)[0]
        run = plan.runs[-1]
        return success, run, home, run.events._sink.__self__

    return attempt


def disobedient():
    """Goes to the fridge and opens it, and writes plans to do so."""
    way = ['open fridge 1', 'go to fridge 1', 'go to kitchen 1']

    def policy(text, options):
        if options is None:
            return ' go to kitchen 1, go to fridge 1, open fridge 1\n'
        names = [option.strip() for option in options]
        if way and way[-1] in names:
            return names.index(way.pop() if len(way) > 1 else way[0])
        return next((names.index(one) for one in ('sequence', 'done') if one in names), 0)

    return policy


@pytest.mark.parametrize('planner', general_planners())
@pytest.mark.parametrize('settings', [PlannerSettings(), PUBLISHED], ids=['default', 'published'])
@pytest.mark.parametrize(
    'task',
    [
        'Go to the fridge in the kitchen, but do not open the fridge.',
        'Check the kitchen. Never open the fridge!',
        'bring the apple to the table without opening the fridge',
    ],
)
def test_no_planner_does_what_its_task_forbids(attempt, planner, settings, task):
    _, run, home, events = attempt(task, disobedient(), planner=planner, settings=settings)
    assert 'open fridge 1' not in home.executed
    assert run.tree.must_not == ('open fridge',)
    assert reduce_events(events).must_not == ('open fridge',)


@pytest.mark.parametrize('settings', [PlannerSettings(), PUBLISHED], ids=['default', 'published'])
def test_without_the_words_the_same_model_opens_it(attempt, settings):
    _, _, home, _ = attempt('Look into the fridge.', disobedient(), settings=settings)
    assert 'open fridge 1' in home.executed


def test_a_forbidden_skill_is_refused_at_the_last_gate(attempt):
    _, run, home, _ = attempt('Do not open the fridge.', disobedient())
    observation = run.acting.act(1, 'open fridge 1')
    assert observation.outcome is Outcome.SAFETY_REJECTED
    assert 'must not: open fridge' in observation.text
    assert 'open fridge 1' not in home.executed


@pytest.mark.parametrize(
    'skill',
    [
        'Open Fridge 1',
        ' open fridge 1 ',
        'open\u00a0fridge  1',
        'open fri\u00addge 1',
        'open \u034ffridge 1',
        '\uff4f\uff50\uff45\uff4e fridge 1',
        'open' + ' ' * 1200 + 'fridge 1',
    ],
)
def test_a_forbidden_skill_is_refused_however_it_is_written(attempt, skill):
    _, run, home, events = attempt('Do not open the fridge.', disobedient())
    assert run.acting.act(1, skill).outcome is Outcome.SAFETY_REJECTED
    # A decision tells it as a text, an observation as a name.
    assert [one.skill for one in events[-2:]] == [bounded(skill), bounded_name(skill)]
    assert not any('open' in sent.lower() for sent in home.executed)


def test_every_node_is_told_what_the_task_forbids(attempt):
    prompts = []

    def policy(text, options):
        prompts.append(text)
        if options is None and text.endswith('- subgoals:'):
            return ' find and pick up apple, put down apple on table'
        if options is None:
            return 'I plan.'
        names = [option.strip() for option in options]
        return names.index('Expand:') if 'Expand:' in names else 0

    task = 'bring the apple to the table without opening the fridge'
    settings = PlannerSettings(decides=Decides.MODEL)
    _, run, _, events = attempt(task, policy, settings=settings)
    nodes = {text.rsplit('Your task is to: ', 1)[1].splitlines()[0] for text in prompts}
    assert len(nodes) > 1
    assert all('You must not: open fridge.\n' in text for text in prompts)
    # The viewer writes a prompt again as the model read it.
    for node in run.tree.snapshot().nodes:
        if node.kind is NodeKind.AGENT and node.decisions:
            shown = prompt_of(run.tree, events, node.node_id, ())
            assert any(shown.startswith(text) for text in prompts)


def test_what_is_left_to_the_model_is_told(attempt):
    _, _, _, events = attempt('Do not open the fridge until the table is set.', disobedient())
    told = [
        event
        for event in events
        if isinstance(event, Decision) and event.kind is DecisionKind.FORBID
    ]
    # The part that was understood is kept, without its end.
    assert [event.subgoals for event in told] == [('open fridge',)]


def test_a_search_does_not_wait_for_a_place_that_may_not_be_opened(attempt):
    def searches(text, options):
        if options is None:
            return 'I look.'
        names = [option.strip() for option in options]
        return names.index('failure') if 'failure' in names else 0

    success, run, home, _ = attempt('pick up the apple, but never open the fridge', searches)
    assert not success
    assert run.tree.snapshot().decisions < 20
    assert 'open fridge 1' not in home.executed
