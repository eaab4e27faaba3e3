"""Planner and executor apart: who is asked for what, by name, in records and in costs."""

from __future__ import annotations

import pytest

from reactree_core.cancellation import CancelToken
from reactree_core.errors import ConfigurationError
from reactree_planner.llm.policy import PolicyModel
from reactree_planner.llm.registry import load_model, ModelOptions
from reactree_planner.llm.two_models import parts_of, planner_of, TwoModels
from reactree_planner.resume.logged_model import LoggedModel
from reactree_planner.resume.run_log import RunLog


def saying(word):
    return PolicyModel(lambda text, options: word, name=word)


def test_sessions_are_of_the_executor_and_plans_of_the_planner():
    both = TwoModels(saying('acts'), saying('plans'))
    assert both.name == 'acts,planner=plans'
    assert both.session(CancelToken(), 'x').generate() == 'acts'
    assert planner_of(both).session(CancelToken(), 'x').generate() == 'plans'
    alone = saying('acts')
    assert planner_of(alone) is alone


def test_a_log_has_the_answers_of_both_in_order():
    kept = []
    model = LoggedModel(TwoModels(saying('acts'), saying('plans')), RunLog(kept.append))
    assert planner_of(model).session(CancelToken(), 'a').generate() == 'plans'
    assert model.session(CancelToken(), 'b').generate() == 'acts'
    again = LoggedModel(TwoModels(saying('no'), saying('no')), RunLog(past=kept))
    assert planner_of(again).session(CancelToken(), 'a').generate() == 'plans'
    assert again.session(CancelToken(), 'b').generate() == 'acts'
    alone = LoggedModel(saying('acts'), RunLog())
    assert planner_of(alone) is alone


def test_two_models_have_one_name(tmp_path):
    for word in ('acts', 'plans'):
        (tmp_path / f'{word}.yaml').write_text(f'- {word}\n', encoding='utf-8')
    spec = f'scripted:{tmp_path}/acts.yaml,planner=scripted:{tmp_path}/plans.yaml'
    assert len(parts_of(spec)) == 2
    model = load_model(spec, ModelOptions())
    assert model.session(CancelToken(), '').generate() == 'acts'
    assert planner_of(model).session(CancelToken(), '').generate() == 'plans'
    with pytest.raises(ConfigurationError, match='gone'):
        load_model(
            f'scripted:{tmp_path}/gone.yaml,planner=scripted:{tmp_path}/plans.yaml', ModelOptions()
        )
