"""The action tree: figures 2 and 3 of Tree-Planner, and whatever plans there may be."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reactree_core.observation import Vocabulary
from reactree_planner.planners.action_tree import (
    build_action_tree,
    counts_of,
    critical_samples,
    prune,
    SampledPlan,
)
from reactree_planner.planners.plans.steps import END, Step, StepReader
from reactree_planner.runs.run_belief import RunBelief
from support.skill_kinds import declared


def paths(root):
    """Texts of every way from the root to an end, in the order first sampled."""
    found = []
    stack = [(root, ())]
    while stack:
        node, path = stack.pop()
        if node.step is not None:
            path = (*path, node.step.text)
        if not node.children and path:
            found.append(path)
        stack.extend((child, path) for child in reversed(node.children))
    return found


NAP = declared(
    Vocabulary(
        (
            'walk <room>',
            'walk <object>',
            'lie <object>',
            'sit <object>',
            'close <object>',
            'sleep',
        ),
        (),
        ('bed', 'couch', 'door', 'curtain'),
        ('bedroom 1',),
    )
)
#: Figure 2: three plans for `Take nap`.
FIGURE_2 = (
    '[Walk] <bedroom>\n[Walk] <bed>\n[Lie] <bed>\n[Sleep]',
    '[Walk] <bedroom>\n[Walk] <couch>\n[Sit] <couch>\n[Sleep]',
    '[Walk] <couch>\n[Lie] <couch>\n[Close] <curtain>\n[Sleep]',
)
#: Figure 3: the plans on its left.
FIGURE_3 = (
    '[Walk] <bedroom>\n[Walk] <bed>\n[Lie] <bed>\n[Sleep]',
    '[Walk] <bedroom>\n[Walk] <bed>\n[Sit] <bed>\n[Sleep]',
    '[Walk] <couch>\n[Lie] <couch>\n[Close] <door>\n[Sleep]',
    '[Walk] <couch>\n[Sit] <couch>\n[Lie] <couch>\n[Sleep]',
)
PLANS = st.lists(
    st.lists(st.sampled_from('abc').map(Step), max_size=5).map(lambda plan: (*plan, END)),
    min_size=1,
    max_size=20,
)


def tree_of(plans):
    reader = StepReader(RunBelief(NAP))
    return build_action_tree(SampledPlan(reader.read_plan(plan, 20)) for plan in plans)


def drawn(node):
    """A tree as nested lists; ends are left out, as in the figures."""
    return [
        child.text if child.children[0].step == END else [child.text, *drawn(child)]
        for child in node.children
    ]


def test_figure_2_merges_what_two_of_its_plans_begin_with():
    assert drawn(tree_of(FIGURE_2)) == [
        [
            'walk bedroom',
            ['walk bed', ['lie bed', 'sleep']],
            ['walk couch', ['sit couch', 'sleep']],
        ],
        ['walk couch', ['lie couch', ['close curtain', 'sleep']]],
    ]


def test_figure_3_merges_prefixes_but_not_equal_steps_after_different_ones():
    root = tree_of(FIGURE_3)
    assert drawn(root) == [
        ['walk bedroom', ['walk bed', ['lie bed', 'sleep'], ['sit bed', 'sleep']]],
        [
            'walk couch',
            ['lie couch', ['close door', 'sleep']],
            ['sit couch', ['lie couch', 'sleep']],
        ],
    ]
    size = counts_of(root)
    assert (size.plans, size.forks) == (4, 3)
    assert sum(node.text == 'sleep' for node in root.nodes()) == 4


@given(PLANS)
def test_the_paths_of_a_tree_are_exactly_its_plans(plans):
    root = build_action_tree(map(SampledPlan, plans))
    written = [tuple(step.text for step in plan) for plan in plans]
    assert len(paths(root)) == len(set(written))
    assert set(paths(root)) == set(written)
    assert root.plans == len(plans)
    for node in root.nodes():
        texts = [child.text for child in node.children]
        assert len(texts) == len(set(texts))
        if node.children:
            assert sum(child.plans for child in node.children) == node.plans


@given(PLANS, st.integers(1, 3), st.integers(0, 2))
def test_a_pruned_tree_holds_only_plans_and_fits(plans, most_children, most_forks):
    root = build_action_tree(map(SampledPlan, plans))
    whole = set(paths(root))
    prune(root, most_children, most_forks)
    assert paths(root) and set(paths(root)) <= whole
    for node in root.nodes():
        assert len(node.children) <= most_children
        above = node
        forks = 0
        while above is not None:
            forks += len(above.children) > 1
            above = above.parent
        assert forks <= most_forks


@given(PLANS, st.randoms(use_true_random=False))
def test_failed_steps_are_marked_until_no_way_is_left(plans, dice):
    root = build_action_tree(map(SampledPlan, plans))
    while True:
        node = root
        while node.children and (node is root or dice.random() < 0.7):
            node = dice.choice(node.valid_children)
        back_to = node.mark_failed()
        assert not any(below.valid for below in node.nodes())
        for other in root.nodes():
            if other.children:
                assert other.valid == bool(other.valid_children), other.text
        if back_to is None:
            break
        assert back_to.valid_children
    assert not any(node.valid for node in root.nodes())


@given(st.integers(20, 4000), st.integers(1, 20), st.integers(2, 25), st.integers(5, 500))
def test_at_the_critical_number_of_samples_both_ways_cost_the_same(prompt, step, steps, deciding):
    samples = critical_samples(prompt, step, steps)
    ours = prompt + steps * samples * step + steps * (deciding + samples)
    step_by_step = steps * (prompt + deciding + step)
    assert ours == pytest.approx(step_by_step, rel=1e-9)
