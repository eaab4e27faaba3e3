"""PlanTask with planners that write plans: the same topics, journal and tree as any other."""

from __future__ import annotations

import pytest

from reactree_core.observation import WORLD_RESTORED
from reactree_core.record.journal import read_journal
from reactree_core.record.snapshot import reduce_events
from reactree_planner.llm.policy import PolicyModel

#: Of the home and task that the stack has loaded.
STEPS = ('go to kitchen', 'go to fridge', 'open fridge', 'close fridge')


def written(text, options):
    """The steps as plans or one by one; at a fork the first option."""
    if text.endswith('Answer:'):
        return ' A'
    if text.endswith('():\n'):
        calls = (step.rpartition(' ') for step in STEPS)
        return '\n'.join(f"{verb.replace(' ', '_')}('{name}')" for verb, _, name in calls)
    steps = (*STEPS, 'done')
    own = text.rpartition('Your task is to: ')[2]
    if text.endswith('Act:'):
        return f' {steps[own.count("Act:") - 1]}\n'
    return '\n'.join(steps[sum(line[:1].isdigit() for line in own.splitlines()) - 1 :])


@pytest.mark.parametrize(
    'planner',
    [
        'zero_shot',
        'iterative',
        'local_replan',
        'global_replan',
        'tree_planner',
        'best_first',
        'progprompt',
    ],
)
def test_a_goal_that_names_a_planner_is_carried_out_by_it(planner, make_stack, tmp_path):
    preset = ('preset', 'default,example_count=0,plans.samples=2')
    stack = make_stack(model=PolicyModel(written), planner=(preset,))
    result = stack.plan(planner=planner, task='look into the fridge').result
    assert result.success, result.error_msg
    assert result.tree.planner == planner
    stack.wait(lambda: stack.counted() == result.decisions)
    skills = [message.skill for message in stack.decisions if message.skill]
    assert skills == ['go to kitchen 1', 'go to fridge 1', *(f'{s} 1' for s in STEPS[2:]), 'done']
    (journal,) = (tmp_path / 'runs').glob('*.jsonl')
    tree = reduce_events(read_journal(journal))
    assert (tree.planner, tree.steps) == (planner, len(STEPS))
    assert len(tree.nodes) == len(result.tree.nodes) == 1


def chatted(text, options):
    """The steps, as answers of a conversation."""
    own = text.rpartition('Your task is to: ')[2]
    done = own.count('ACTION: go') + own.count('ACTION: open') + own.count('ACTION: close')
    step = (*STEPS, 'done')[done]
    if options is None:
        return f' THOUGHT: I go on.\nACTION: {step} 1' if step != 'done' else ' ACTION: done'
    names = [option.strip() for option in options]
    return names.index('ACTION:' if 'ACTION:' in names else f'{step} 1'.removesuffix('done 1'))


@pytest.mark.parametrize('planner', ['agentbench', 'alfchat', 'stateflow'])
def test_a_conversation_does_a_goal_and_leaves_its_journal(planner, make_stack, tmp_path):
    preset = ('preset', 'default,example_count=0,free_actions=true,decides=model')
    stack = make_stack(model=PolicyModel(chatted), planner=(preset,))
    result = stack.plan(planner=planner, task='look into the fridge').result
    assert result.success, result.error_msg
    assert result.tree.planner == planner
    stack.wait(lambda: stack.counted() == result.decisions)
    skills = [message.skill for message in stack.decisions if message.skill]
    assert skills == [*(f'{step} 1' for step in STEPS), 'done']
    (journal,) = (tmp_path / 'runs').glob('*.jsonl')
    tree = reduce_events(read_journal(journal))
    assert (tree.planner, tree.steps) == (planner, len(STEPS))


def test_a_simulated_world_is_put_back_over_ros_where_a_plan_goes_back(make_stack):
    # The fridge cannot be opened from afar.
    ways = iter((('go to kitchen', 'open fridge'), STEPS))

    def sampled(text, options):
        if options is not None:
            return 0
        if text.endswith('Answer:'):
            return ' A'
        return '\n'.join(f'{n}. {step}' for n, step in enumerate((*next(ways), 'done'), 1))

    model = PolicyModel(sampled)
    preset = ('preset', 'default,example_count=0,plans.samples=2')
    stack = make_stack(model=model, planner=(preset,))
    result = stack.plan(planner='tree_planner', task='look into the fridge').result
    assert result.success, result.error_msg
    restored = [one for one in stack.observations if one.text.startswith(WORLD_RESTORED)]
    assert [one.place for one in restored] == ['kitchen 1'], 'where the plans part'
    assert [one.skill for one in stack.decisions if one.skill].count('go to kitchen 1') == 1


def test_the_oracle_says_that_a_bridge_over_ros_has_no_expert(make_stack):
    stack = make_stack(model=PolicyModel(written))
    result = stack.plan(planner='oracle', task='look into the fridge').result
    assert not result.success
    assert 'a bridge over ROS, has none: choose another planner' in result.error_msg
    assert not any(decision.skill for decision in stack.decisions)
