"""Settings and limits of a run: what they let through, and what a record says of them."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reactree_core.errors import LimitReached
from reactree_core.record.run_settings import (
    Ask,
    ask_of,
    GO_ON,
    Kept,
    kept_of,
    Limits,
    ParallelPolicy,
    policy_of,
    read_ask,
    RunSettings,
    settings_of_lines,
)

#: What is checked -> its limit.
CHECKED = {
    Limits.check_decision: ('decisions', 'max_decisions'),
    Limits.check_step: ('steps', 'max_steps'),
    Limits.check_tokens: ('tokens', 'max_tokens'),
    Limits.check_time: ('seconds', 'max_time'),
    Limits.check_cost: ('cost', 'max_cost'),
}


@pytest.mark.parametrize('check', CHECKED, ids=lambda check: check.__name__)
@given(limit=st.integers(1, 1000), used=st.integers(0, 2000))
def test_a_limit_ends_a_run_once_all_of_it_is_used(check, limit, used):
    name, parameter = CHECKED[check]
    limits = Limits(**{name: limit})
    if used < limit:
        check(limits, used)
    else:
        with pytest.raises(LimitReached, match=parameter):
            check(limits, used)
    check(Limits(**{name: 0}), used)


def test_a_sentence_says_which_limit_was_reached():
    for check, (name, _) in CHECKED.items():
        with pytest.raises(LimitReached) as raised:
            check(Limits(**{name: 7}), 7)
        assert raised.value.limit == {'seconds': 'time'}.get(name, name)
        assert '7' in str(raised.value)


def test_a_tree_may_be_as_deep_as_its_limit_and_no_deeper():
    limits = Limits(depth=3)
    assert [depth for depth in range(1, 6) if limits.allows_depth(depth)] == [1, 2, 3]
    limits.check_depth(3)
    with pytest.raises(LimitReached, match='depth 4, past its limit'):
        limits.check_depth(4)
    Limits(depth=0).check_depth(1000)


@pytest.mark.parametrize('wrong', [-1, -0.001, math.inf, math.nan])
@pytest.mark.parametrize('name', ['decisions', 'depth', 'seconds', 'cost'])
def test_a_limit_is_a_finite_number_from_0(name, wrong):
    with pytest.raises(ValueError, match='limits below 0'):
        Limits(**{name: wrong})


def test_when_people_are_asked_is_a_word():
    assert read_ask('') == (None, False)
    assert [read_ask(one.value) for one in Ask] == [(one, False) for one in Ask]
    assert read_ask(GO_ON) == (None, True)
    for text in ('0.1', '-0.1', 'nan', 'sometimes'):
        with pytest.raises(ValueError):
            read_ask(text)


@given(st.integers(0, 9), st.integers(0, 9))
def test_a_parallel_node_holds_as_its_policy_says(good, bad):
    children = good + bad
    assert ParallelPolicy.ALL.holds(good, children) is (bad == 0)
    assert ParallelPolicy.ANY.holds(good, children) is (good > 0)
    assert ParallelPolicy.MAJORITY.holds(good, children) is (good > bad)


def test_settings_of_the_oldest_records_are_read_and_what_they_did_not_tell_is_unlimited():
    assert settings_of_lines(()) == RunSettings(limits=Limits(0, 0, 0))
    lines = (
        'planner=try_again', 'parallel_policy=any', 'undo=0', 'domain=garden', 'recall=0',
        'scene=a=b', 'world_task=t:1', 'skills_before=3', 'max_decisions=4', 'max_steps=5',
        'max_depth=6', 'max_tokens=7', 'max_time=8.5', 'resumed=1', 'elapsed=9.5', 'a line',
    )  # fmt: skip
    assert settings_of_lines(lines) == RunSettings(
        'try_again', ParallelPolicy.ANY, Kept.TRIALS, False, 'garden', False, 'a=b', 't:1', 3,
        Limits(4, 5, 6, 7, 8.5), True, 9.5,
    )  # fmt: skip
    assert not settings_of_lines(('resumed=0',)).resumed
    for line in ('max_steps=-1', 'max_steps=many', 'max_time=inf'):
        with pytest.raises(ValueError):
            settings_of_lines((line,))


def test_of_a_name_that_is_not_known_the_careful_value_is_taken():
    assert policy_of('none') is ParallelPolicy.MAJORITY and ask_of('none') is Ask.NEVER
    assert (policy_of('all'), ask_of('always')) == (ParallelPolicy.ALL, Ask.ALWAYS)
    assert kept_of('plans', 'reactree') is Kept.PLANS
    assert kept_of('', 'global_replan') is Kept.FRESH_PLANS
    assert kept_of('none', 'none') is Kept.NODES
