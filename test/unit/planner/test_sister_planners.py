"""ReAct, Plan-and-Execute, Try Again and Reflexion, in a home of two rooms."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, HealthCheck, settings, strategies

from reactree_core.cancellation import CancelToken
from reactree_core.errors import CanceledError, LimitReached, PromptTooLongError, SkillError
from reactree_core.experience import Experience, Termination
from reactree_core.observation import Observation, Progress
from reactree_core.record.events import DecisionKind
from reactree_core.record.run_settings import Limits
from reactree_core.record.snapshot import reduce_events
from reactree_planner.planners.registry import general_planners
from reactree_planner.runs.settings import Decides, Decoding, Guards, PlannerSettings

TASK = 'bring the apple to the table'
WAY = ('go to kitchen 1', 'go to fridge 1', 'open fridge 1', 'pick up apple 1')
BACK = ('go to bedroom 1', 'go to table 1', 'put down apple 1')
ADMISSIBLE = replace(Guards.none(), admissible_only=True)
FREE = PlannerSettings(guards=ADMISSIBLE, thoughts=0)


def acts_of(text):
    """What was done since the goal was given."""
    own = text.rsplit('Your task is to: ', 1)[1]
    return [line.removeprefix('Act: ') for line in own.splitlines() if line.startswith('Act: ')]


def follow(skills):
    """A policy that does these skills in order."""

    def policy(text, options):
        if options is None:
            return ' I go on.'
        names = [option.strip() for option in options]
        return names.index('Act:') if 'Act:' in names else names.index(skills[len(acts_of(text))])

    return policy


def texts_asked(policy):
    """The policy, and a list that collects what it was shown."""
    shown = []

    def asked(text, options):
        shown.append(text)
        return policy(text, options)

    return asked, shown


@pytest.fixture
def robot(make_home):
    """A home that nobody can put back."""

    class Robot(make_home):
        def reset(self, cancel):
            raise SkillError('The skill server cannot be reset: put things back by hand.')

    return Robot()


# ReAct ---------------------------------------------------------------------------------------


def test_react_does_the_whole_task_in_one_node_and_one_growing_context(plan, outline):
    policy, shown = texts_asked(follow((*WAY, *BACK, 'done')))
    success, run, home, events, _ = plan(TASK, policy, FREE, planner='react')
    assert success
    assert home.apple == 'table 1'
    assert outline(run.tree.snapshot()) == [f'{TASK}: success']
    assert reduce_events(events) == run.tree.snapshot()
    assert all(later.startswith(earlier) for earlier, later in pairwise(shown))


def test_skills_that_are_written_freely_may_be_none_and_cost_a_decision(plan):
    lines = iter(('fly to the moon', '', *WAY, *BACK, 'done'))

    def policy(text, options):
        return f' {next(lines)}' if options is None else options.index('Act:')

    settings = replace(FREE, decoding=Decoding.FREE)
    success, run, home, events, _ = plan(TASK, policy, settings, planner='react')
    assert success and home.apple == 'table 1'
    written = [event.skill for event in events if getattr(event, 'kind', None) is DecisionKind.ACT]
    assert written == ['fly to the moon', '?', *WAY, *BACK, 'done']
    assert run.tree.decisions == len(written)


@pytest.mark.parametrize('remembers', [True, False])
def test_working_memory_is_a_parameter(plan, remembers):
    settings = PlannerSettings(decides=Decides.MODEL, working_memory=remembers)
    _, _, _, _, offered = plan(TASK, follow((*WAY, *BACK, 'done')), settings, planner='react')
    recalls = [name for names in offered for name in names if name.startswith('recall')]
    assert bool(recalls) is remembers


def test_when_its_context_is_full_the_oldest_observations_give_way_and_the_run_says_so(plan):
    asked, shown = texts_asked(lambda text, options: 0)
    settings = PlannerSettings(guards=ADMISSIBLE, thoughts=0, thought_tokens=9, expand_tokens=9)
    with pytest.raises(LimitReached):
        plan('walk', asked, settings, Limits(steps=80), context_tokens=600, planner='react')
    assert all(len(text.split()) <= 600 for text in shown)
    assert 'Earlier steps are left out' in shown[-1]
    (notice,) = plan.runs[-1].notices
    assert 'exceeded the context' in notice and 'context_tokens' in notice


def test_what_must_stay_may_need_more_than_a_cut_prompt_should(plan):
    asked, shown = texts_asked(lambda text, options: 0)
    settings = PlannerSettings(guards=ADMISSIBLE, thoughts=0, thought_tokens=9, expand_tokens=9)
    # The fewest tokens with which every step of the walk still fits.
    for context in range(200, 600, 5):
        shown.clear()
        try:
            plan(
                'walk', asked, settings, Limits(steps=30), context_tokens=context, planner='react'
            )
        except LimitReached:
            break
        except PromptTooLongError:
            continue
    cut = [len(text.split()) for text in shown if 'Earlier steps are left out' in text]
    budget = context - 9 - 128
    assert 0.9 * budget < min(cut) and max(cut) <= context


def test_its_examples_are_whole_tasks_that_it_has_done_itself(plan, make_memory, monkeypatch):
    def kept(planner, termination):
        text = f'Your task is to: bring the pear\nAs {planner} {termination.name}.\nAct: done'
        goal = 'bring the pear to the table'
        return Experience(planner, goal, text, termination, planner=planner)

    asked_for = []

    def retrieve(self, query, cancel):
        planner = query.planner
        asked_for.append(planner)
        found = [kept('react', Termination.SUCCESS), kept('reactree', Termination.EXPAND)]
        return tuple(one for one in found if planner in ('', one.planner))

    monkeypatch.setattr(make_memory, 'retrieve', retrieve)
    policy, shown = texts_asked(follow((*WAY, *BACK, 'done')))
    plan(TASK, policy, PlannerSettings(guards=ADMISSIBLE, thoughts=0), planner='react')
    assert asked_for == ['react']
    assert 'As react SUCCESS.' in shown[0]


@pytest.mark.parametrize('planner', ['react', 'reactree'])
def test_without_a_working_memory_nothing_speaks_of_recall(
    plan, make_memory, monkeypatch, planner
):
    def retrieve(self, query, cancel):
        text = f'Your task is to: {TASK}\nA room.\nAct: {{}}\nAct: done'
        return tuple(
            Experience(act, TASK, text.format(act), Termination.SUCCESS, planner=planner)
            for act in ('recall location of apple', 'pick up apple 1')
        )

    monkeypatch.setattr(make_memory, 'retrieve', retrieve)
    for remembers in (True, False):
        policy, shown = texts_asked(follow((*WAY, *BACK, 'done')))
        settings = PlannerSettings(guards=ADMISSIBLE, thoughts=0, working_memory=remembers)
        plan(TASK, policy, settings, planner=planner)
        assert any('recall' in text for text in shown) == remembers
        assert 'Act: pick up apple 1\nAct: done' in shown[0]


def test_its_run_is_kept_as_one_experience(plan):
    _, run, _, _, _ = plan(TASK, follow((*WAY, *BACK, 'done')), FREE, planner='react')
    (kept,) = run.experiences('r', 'bring')
    assert (kept.goal, kept.planner, kept.termination) == (TASK, 'react', Termination.SUCCESS)
    assert acts_of(kept.trajectory) == [*WAY, *BACK, 'done']


# Plan-and-Execute ----------------------------------------------------------------------------

DETAILED = (
    (
        'find and pick up apple in bedroom 1',
        'find and pick up apple in kitchen 1',
        'find and pick up apple in the hall',
        'go to bedroom 1',
        'put down apple on table',
    ),
    '(Step 1 OR Step 2 OR Step 3) AND Step 4 AND Step 5',
)
STEPS = {
    DETAILED[0][0]: ('failure',),
    DETAILED[0][1]: (*WAY, 'done'),
    DETAILED[0][3]: ('go to bedroom 1', 'done'),
    DETAILED[0][4]: ('go to table 1', 'put down apple 1', 'done'),
}


def execute(text, names):
    if 'Act:' in names:
        return 'Act:'
    goal = text.rsplit('Your task is to: ', 1)[1].splitlines()[0]
    return STEPS[goal][len(acts_of(text))]


def test_figure_8_a_detailed_plan_with_nested_logic_becomes_two_levels(
    plan, planning_policy, outline
):
    policy = planning_policy({TASK: DETAILED}, execute)
    success, run, home, events, _ = plan(TASK, policy, FREE, planner='plan_and_execute')
    assert success
    assert home.apple == 'table 1'
    steps = DETAILED[0]
    assert outline(run.tree.snapshot()) == [
        f'{TASK}: success',
        '  SEQUENCE: success',
        f'    {steps[0]}, or {steps[1]}, or {steps[2]}: success',
        '      FALLBACK: success',
        f'        {steps[0]}: failure',
        f'        {steps[1]}: success',
        f'        {steps[2]}: idle',
        f'    {steps[3]}: success',
        f'    {steps[4]}: success',
    ]
    assert reduce_events(events) == run.tree.snapshot()


def test_a_plan_is_made_once_and_a_step_that_fails_stays_failed(plan, planning_policy):
    steps = ('find and pick up apple in bedroom 1', 'put down apple on table')
    policy = planning_policy({TASK: (steps, 'Step 1 AND Step 2')}, execute)
    success, _, home, events, _ = plan(TASK, policy, FREE, planner='plan_and_execute')
    assert not success
    assert home.executed == []
    assert sum(getattr(event, 'kind', 0) is DecisionKind.EXPAND for event in events) == 1


# Try Again -----------------------------------------------------------------------------------


def by_trial(*trials):
    """A policy that does other skills in every trial."""
    trial = -1

    def policy(text, options):
        nonlocal trial
        if options is None:
            return ' I should have looked in the fridge.'
        trial += not acts_of(text)
        return follow(trials[trial])(text, options)

    return policy


GIVE_UP = ('go to table 1', 'failure')


def test_try_again_begins_anew_in_a_world_put_back_and_knows_nothing_of_before(plan, outline):
    policy, shown = texts_asked(by_trial((*WAY, 'failure'), (*WAY, *BACK, 'done')))
    success, run, home, events, _ = plan(TASK, policy, FREE, planner='try_again')
    assert success
    assert home.resets == 1
    assert home.executed == [*WAY, *WAY, *BACK]
    assert outline(run.tree.snapshot()) == [
        f'{TASK}: success',
        '  FALLBACK: success',
        f'    {TASK} (trial 1 of 3): failure',
        f'    {TASK} (trial 2 of 3): success',
        f'    {TASK} (trial 3 of 3): idle',
    ]
    first_of_each = [text for text in shown if not acts_of(text)]
    assert len(first_of_each) == 2 and first_of_each[0] == first_of_each[1]
    (told,) = (event for event in events if 'put back' in getattr(event, 'text', ''))
    assert isinstance(told, Observation) and told.node_id == 4
    assert reduce_events(events) == run.tree.snapshot()


def test_on_a_robot_try_again_goes_on_where_it_is_and_says_so_once(plan, robot):
    policy = by_trial(GIVE_UP, GIVE_UP, (*WAY, *BACK, 'done'))
    success, run, _, _, _ = plan(TASK, policy, FREE, planner='try_again', home=robot)
    assert success
    assert run.notices == (
        'Every trial goes on where the last one ended. The skill server cannot be reset: put '
        'things back by hand.',
    )


def test_without_leave_nothing_is_put_back(plan):
    settings = PlannerSettings(guards=ADMISSIBLE, thoughts=0, reset_world=False, trials=2)
    policy = by_trial(GIVE_UP, (*WAY, *BACK, 'done'))
    success, _, home, _, _ = plan(TASK, policy, settings, planner='try_again')
    assert success and home.resets == 0


def test_when_no_trial_succeeds_the_best_counts(plan, make_home):
    class Judged(make_home):
        def progress(self, cancel):
            return Progress((self.held == ('apple 1',)) + 2 * (self.apple == 'table 1'), 2)

    policy = by_trial((*WAY, 'failure'), GIVE_UP, GIVE_UP)
    success, run, _, _, _ = plan(TASK, policy, FREE, planner='try_again', home=Judged())
    assert not success
    assert run.best == Progress(1, 2)
    assert any('number 1, ended with 1 of 2 conditions met' in notice for notice in run.notices)


# Reflexion -----------------------------------------------------------------------------------


def test_reflexion_writes_down_what_went_wrong_and_the_next_trial_reads_it(plan, outline):
    policy, shown = texts_asked(by_trial(GIVE_UP, (*WAY, *BACK, 'done')))
    success, run, home, events, _ = plan(TASK, policy, FREE, planner='reflexion')
    assert success
    assert home.resets == 2
    assert outline(run.tree.snapshot())[2:4] == [
        f'    {TASK} (trial 1 of 3): failure',
        f'    {TASK} (trial 2 of 3): success',
    ]
    (reflection,) = (event for event in events if getattr(event, 'kind', 9) is DecisionKind.THINK)
    assert (reflection.node_id, reflection.text) == (
        3,
        'Reflection: I should have looked in the fridge.',
    )
    asked = next(text for text in shown if text.endswith('Reflection:'))
    assert 'Act: go to table 1\nYou go to table 1.\nAct: failure\nReflection:' in asked
    lesson = (
        'What earlier trials of this task have taught:\n- I should have looked in the fridge.\n'
    )
    assert [lesson in text for text in shown if text.endswith('Act:')].index(True) == 2


def test_reflexion_refuses_a_robot_before_it_moves(plan, robot):
    with pytest.raises(SkillError) as caught:
        plan(TASK, follow((*WAY, *BACK, 'done')), FREE, planner='reflexion', home=robot)
    assert robot.executed == []
    assert 'put things back by hand' in str(caught.value)
    assert 'try_again or adapt' in str(caught.value)


def test_the_last_trial_is_not_reflected_on(plan):
    settings = PlannerSettings(guards=ADMISSIBLE, thoughts=0, trials=2)
    success, _, _, events, _ = plan(
        TASK, by_trial(GIVE_UP, GIVE_UP), settings, planner='reflexion'
    )
    assert not success
    assert sum(getattr(event, 'kind', 9) is DecisionKind.THINK for event in events) == 1


# All of them ---------------------------------------------------------------------------------


@pytest.mark.parametrize('planner', general_planners())
def test_whatever_the_model_likes_each_planner_keeps_the_limits(plan, planner):
    limits = Limits(decisions=25, steps=25, depth=9)

    def policy(text, options):
        return ' find apple in kitchen 1' if options is None else len(text) % len(options)

    try:
        plan(TASK, policy, PlannerSettings(), limits, planner=planner)
    except LimitReached as error:
        assert error.limit in ('decisions', 'steps')
    run = plan.runs[-1]
    assert run.tree.decisions <= 25
    assert run.tree.planner == planner


PLAN_LINES = (*WAY, *BACK, 'pick up pear', 'put down apple on table 1', 'fly', '', 'done')


@pytest.mark.parametrize('planner', general_planners())
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    seed=strategies.integers(0, 2**32),
    decisions=strategies.integers(1, 40),
    steps=strategies.integers(1, 40),
    depth=strategies.integers(1, 9),
)
def test_no_planner_takes_a_decision_or_a_step_too_many(
    plan, planner, seed, decisions, steps, depth
):
    dice = random.Random(seed)

    def policy(text, options):
        if options is not None:
            return dice.randrange(len(options))
        lines = dice.choices(PLAN_LINES, k=dice.randrange(1, 6))
        return dice.choice(('\n', ', ')).join(lines)

    limits = Limits(decisions=decisions, steps=steps, depth=depth)
    try:
        plan(TASK, policy, PlannerSettings(), limits, planner=planner)
    except LimitReached as error:
        assert error.limit in ('decisions', 'steps', 'depth')
    tree = plan.runs[-1].tree
    assert tree.decisions <= decisions
    assert tree.steps <= steps
    assert max(node.depth for node in tree.snapshot().nodes) <= depth


# The expert's plan is carried out without a model that could cancel.
@pytest.mark.parametrize('planner', [name for name in general_planners() if name != 'oracle'])
def test_a_cancel_ends_each_planner_at_once(plan, planner):
    cancel = CancelToken()
    asked = []

    def policy(text, options):
        asked.append(text)
        cancel.cancel()
        return 0 if options else ' I stop.'

    with pytest.raises(CanceledError):
        plan(f'{TASK}, and tell', policy, PlannerSettings(), cancel=cancel, planner=planner)
    assert len(asked) == 1
