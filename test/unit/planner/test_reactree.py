"""The ReAcTree planner: decisions, guards, limits, in a home of two rooms."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from reactree_core.cancellation import CancelToken
from reactree_core.errors import CanceledError, ConfigurationError, LimitReached
from reactree_core.observation import KNOWN_BEFORE, Observation
from reactree_core.permission.spending import read_price
from reactree_core.record.events import ControlFlow, DecisionKind
from reactree_core.record.run_settings import Frame, Limits
from reactree_core.record.snapshot import reduce_events
from reactree_planner.runs.settings import Decides, Guards, PlannerSettings
from support.policies import prefer

PUBLISHED = PlannerSettings(guards=Guards.none())
#: Nothing is done because it follows from facts.
ASKED = PlannerSettings(decides=Decides.MODEL)


def goal_of(text):
    return text.rsplit('Your task is to: ', 1)[1].splitlines()[0]


TO_FIND = ('pick up apple 1', 'open fridge 1', 'go to fridge 1', 'go to kitchen 1')
#: What is put down stays there: none of these follows another.
TO_PUT_DOWN = ('go to bedroom 1', 'go to table 1', 'put down apple 1')


def bring_apple(text, options):
    """Expand once, then walk, open, pick up, put down: what a good model would do."""
    goal = goal_of(text)
    if options is None:
        if text.endswith('- subgoals:'):
            return ' find and pick up apple, put down apple on table'
        return 'I plan.'
    names = [option.strip() for option in options]
    if 'Expand:' in names and goal == 'bring the apple to the table':
        return names.index('Expand:')
    wanted = ['sequence', *(TO_PUT_DOWN if goal.startswith('put') else TO_FIND), 'done']
    done = text.rsplit('Your task is to: ', 1)[1].splitlines()
    return next(
        (names.index(one) for one in wanted if one in names and f'Act: {one}' not in done), 0
    )


def test_a_sentence_becomes_a_sequence_of_two_nodes_and_their_skills(plan):
    success, run, home, events, _ = plan('bring the apple to the table', bring_apple, ASKED)
    assert success
    assert home.apple == 'table 1'
    assert home.executed == [
        'go to kitchen 1',
        'go to fridge 1',
        'open fridge 1',
        'pick up apple 1',
        'go to bedroom 1',
        'go to table 1',
        'put down apple 1',
    ]
    assert [node.goal for node in run.tree.snapshot().nodes] == [
        'bring the apple to the table',
        '',
        'find and pick up apple',
        'put down apple on table',
    ]
    assert reduce_events(events) == run.tree.snapshot()


def test_every_node_starts_with_a_fresh_context_that_tells_why_it_exists(plan):
    texts = []

    def policy(text, options):
        texts.append(text)
        return bring_apple(text, options)

    plan('bring the apple to the table', policy, ASKED)
    second = next(text for text in texts if goal_of(text) == 'put down apple on table')
    assert 'The larger task is: bring the apple to the table' in second
    assert 'one after another: find and pick up apple; put down apple on table' in second
    assert 'open fridge' not in second


def test_only_offered_options_come_out_whatever_the_model_likes(plan):
    for seed in range(15):
        dice = random.Random(seed)

        def policy(text, options, dice=dice):
            if options is None:
                return dice.choice(
                    ['find apple, put it down', 'rm -rf /', '', 'find pear in kitchen 1', '\u0000']
                )
            return dice.randrange(len(options))

        guards = Guards() if seed % 2 else Guards.none()
        limits = Limits(decisions=60, steps=60, depth=7)
        try:
            _, run, _, events, _ = plan(
                'bring the apple', policy, PlannerSettings(guards=guards), limits
            )
        except LimitReached as error:
            assert error.limit in ('decisions', 'steps', 'depth')
            continue
        assert run.tree.decisions <= 60
        for event in events:
            if isinstance(event, Observation):
                continue
            if event.kind is DecisionKind.EXPAND:
                assert 1 <= len(event.subgoals) <= 16 and all(event.subgoals)
                assert event.control_flow is not ControlFlow.NONE


def test_in_the_published_setting_failure_is_always_offered(plan):
    success, _, home, _, _ = plan('find the pear', prefer('Act:', 'failure'), PUBLISHED)
    assert not success and home.executed == []


def test_recall_answers_from_what_was_seen_and_tells_what_is_left(plan):
    policy = prefer(
        'recall location of apple', 'go to kitchen 1', 'go to fridge 1', 'open fridge 1', 'done'
    )
    texts = []

    def remember(text, options):
        texts.append(text)
        return policy(text, options)

    plan('find and pick up the apple', remember, ASKED)
    assert 'You have not seen apple before.' in texts[-1]
    assert 'You have not looked at kitchen 1 yet.' in texts[-1]


def test_thoughts_are_never_two_in_a_row_and_every_node_begins_with_one(plan):
    policy = prefer('Think:', 'go to kitchen 1', 'go to fridge 1', 'open fridge 1', 'done')
    _, _, _, events, _ = plan('find and pick up the apple', policy, ASKED)
    kinds = [
        event.kind
        for event in events
        if not isinstance(event, Observation) and event.kind is not DecisionKind.GROUND
    ]
    assert kinds[1] is DecisionKind.THINK
    assert (DecisionKind.THINK, DecisionKind.THINK) not in list(pairwise(kinds))


def test_unusable_subgoals_are_asked_for_again_and_then_given_up(plan):
    asked = []

    def policy(text, options):
        if options is None and text.endswith('- subgoals:'):
            asked.append(text)
            return goal_of(text)
        return prefer(
            'Expand:', 'go to kitchen 1', 'go to fridge 1', 'open fridge 1', 'done', 'failure'
        )(text, options)

    plan('bring the apple and tell', policy)
    assert len(asked) == PlannerSettings().expand_tries


@pytest.mark.parametrize('frame', [Frame.OWN, Frame.PUBLISHED])
def test_a_node_is_told_what_others_did_to_things_of_its_goal(plan, frame):
    told = {}

    def policy(text, options):
        told.setdefault(goal_of(text), text)
        return bring_apple(text, options)

    settings = PlannerSettings(decides=Decides.MODEL, frame=frame)
    plan('bring the apple to the table', policy, settings)
    line = f' {KNOWN_BEFORE} others have done: pick up apple 1.\n'
    assert (line in told['put down apple on table']) is (frame is Frame.OWN)
    assert KNOWN_BEFORE not in told['find and pick up apple']


def test_an_empty_expansion_does_not_take_the_right_to_expand_away(plan):
    written = iter(['', '', 'find the apple, put it on the table'])

    def policy(text, options):
        if options is None and text.endswith('- subgoals:'):
            return next(written, '')
        wanted = ('Expand:', 'go to kitchen 1', 'done')
        return prefer(*wanted)(text, options)

    _, _, _, events, _ = plan(
        'bring the apple and tell', policy, PlannerSettings(expand_tries=2, guards=Guards.none())
    )
    kinds = [one.kind for one in events if not isinstance(one, Observation)]
    assert DecisionKind.EXPAND in kinds
    assert kinds.index(DecisionKind.ACT) < kinds.index(DecisionKind.EXPAND)


@pytest.mark.parametrize(
    ('limits', 'limit'),
    [
        (Limits(decisions=3), 'decisions'),
        (Limits(steps=1), 'steps'),
        (Limits(tokens=5), 'tokens'),
        (Limits(seconds=1e-6), 'time'),
        (Limits(cost=0.001), 'cost'),
    ],
)
def test_each_limit_ends_the_run_with_a_sentence_that_names_it(plan, limits, limit):
    price = read_price('2 0.2 10')
    with pytest.raises(LimitReached) as caught:
        plan('bring the apple to the table', bring_apple, ASKED, limits=limits, price=price)
    assert caught.value.limit == limit
    assert 'max_' in str(caught.value)


def test_what_the_model_cost_is_the_cost_of_its_decisions(plan):
    price = read_price('2/0.2/10')
    _, run, _, events, _ = plan('bring the apple to the table', bring_apple, ASKED, price=price)
    usage = run.budget.usage
    evaluated = usage.prompt_tokens - usage.cached_tokens
    cost = evaluated * 2e-6 + usage.cached_tokens * 0.2e-6 + usage.completion_tokens * 10e-6
    assert usage.cost == pytest.approx(cost) and cost > 0
    told = sum(one.usage.cost for one in events if not isinstance(one, Observation))
    assert told == pytest.approx(cost, rel=0.2)


@pytest.mark.parametrize('text', ['2', '2 x 3', '2 0.2 -1', '1 2 3 4', '1 nan 2', 'inf 1 1'])
def test_a_price_is_three_numbers(text):
    with pytest.raises(ConfigurationError, match='a million tokens'):
        read_price(text)


def test_expand_is_not_offered_where_its_children_would_be_too_deep(plan):
    _, run, _, _, offered = plan(
        'find and pick up the apple',
        prefer('Expand:', 'go to kitchen 1', 'go to fridge 1', 'open fridge 1', 'done'),
        ASKED,
        limits=Limits(depth=2),
    )
    assert not any('Expand:' in options for options in offered)
    assert len(run.tree.snapshot().nodes) == 1


def test_a_cancel_ends_the_run_at_the_next_decision(plan):
    cancel = CancelToken()

    def policy(text, options):
        cancel.cancel()
        return 0 if options else 'I stop.'

    with pytest.raises(CanceledError):
        plan('bring the apple', policy, ASKED, cancel=cancel)


def test_a_refused_skill_is_told_to_the_node_and_not_executed(plan):
    policy = prefer('go to kitchen 1', 'go to fridge 1', 'open fridge 1', 'done')
    refused = []

    def gate(decision):
        if decision.skill == 'open fridge 1' and not refused:
            refused.append(decision)
            return '"open fridge 1" was refused: not now.'
        return None

    _, _, home, events, _ = plan('find the apple', policy, ASKED, gate=gate)
    answers = [event.text for event in events if isinstance(event, Observation)]
    assert '"open fridge 1" was refused: not now.' in answers
    assert 'open fridge 1' not in home.executed


def test_a_goal_that_holds_already_is_done_without_a_skill(plan):
    policy = prefer('go to kitchen 1', 'go to fridge 1')
    success, _, home, _, _ = plan('open the fridge', policy)
    assert success
    assert home.executed == ['go to kitchen 1', 'go to fridge 1', 'open fridge 1']
    home.executed.clear()
    success, _, _, events, _ = plan('open the fridge', policy, home=home)
    assert success
    assert home.executed == []
    assert [event.skill for event in events if getattr(event, 'skill', '')] == ['done']


def test_a_node_that_outgrows_the_model_goes_on_with_its_last_steps(plan):
    prompts = []
    rooms = ['go to kitchen 1', 'go to bedroom 1']

    def policy(text, options):
        prompts.append(text)
        if options is None:
            return 'I walk.'
        names = [option.strip() for option in options]
        return names.index(rooms[len(prompts) % 2]) if rooms[0] in names else 0

    settings = PlannerSettings(
        guards=Guards.none(), thoughts=0, thought_tokens=20, expand_tokens=20
    )
    with pytest.raises(LimitReached):
        plan('walk', policy, settings, Limits(steps=60, depth=1), context_tokens=600)
    assert any('Earlier steps are left out' in text for text in prompts)
    assert all(len(text.split()) <= 600 for text in prompts)
    assert 'Your task is to: walk' in prompts[-1]


def test_all_that_can_be_done_is_offered_with_done_and_failure(plan):
    _, _, home, _, offered = plan('find the pear', prefer('Act:', 'go to kitchen 1'), ASKED)
    assert home.executed == ['go to kitchen 1']
    asked = [set(names) for names in offered if 'failure' in names]
    ends = {'recall location of pear', 'done', 'failure'}
    rooms = {'go to bedroom 1', 'go to kitchen 1'}
    assert asked[0] == rooms | {'go to table 1', 'go to pear 1'} | ends
    assert asked[1] == rooms | {'go to fridge 1'} | ends


def test_a_model_that_decides_may_do_again_what_it_did(plan):
    walk = ('go to kitchen 1', 'go to bedroom 1')

    def policy(text, options):
        if options is None:
            return 'I walk.'
        names = [option.strip() for option in options]
        done = text.count('Act: go to')
        return names.index(walk[done % 2] if done < 6 else 'done') if 'done' in names else 0

    success, _, home, _, _ = plan('look around', policy, ASKED)
    assert success and home.executed == [*walk] * 3
