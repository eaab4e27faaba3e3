"""PlanTask with planners that write plans: the same topics, journal and tree as any other."""

from __future__ import annotations

import pytest

from reactree_planner.llm.scripted import PolicyModel
from reactree_planner.tree.journal import read_journal
from reactree_planner.tree.snapshot import reduce_events

#: Of the home and task that the stack has loaded.
STEPS = ('go to kitchen', 'go to fridge', 'open fridge', 'close fridge')


def written(text, options):
    """The steps as plans or one by one; at a fork the first option."""
    if text.endswith('Answer:'):
        return ' A'
    steps = (*STEPS, 'done')
    own = text.rpartition('Your task is to: ')[2]
    if text.endswith('Act:'):
        return f' {steps[own.count("Act:") - 1]}\n'
    return '\n'.join(steps[sum(line[:1].isdigit() for line in own.splitlines()) - 1 :])


@pytest.mark.parametrize(
    'planner', ['zero_shot', 'iterative', 'local_replan', 'global_replan', 'tree_planner']
)
def test_a_goal_that_names_a_planner_is_carried_out_by_it(planner, make_stack, tmp_path):
    variant = ('variant', 'full,example_count=0,plans.samples=2')
    stack = make_stack(model=PolicyModel(written), planner=(variant,))
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
