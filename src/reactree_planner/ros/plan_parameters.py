"""Parameters of the planners that write plans of steps, and what they become."""

from __future__ import annotations

from dataclasses import fields
from types import SimpleNamespace

from reactree_core.ros.parameters import ParameterSpec
from reactree_planner.runs.settings import OnInadmissible
from reactree_planner.runs.settings import PlanSettings

_S = ParameterSpec
_D = PlanSettings()

PLAN_PARAMETERS: tuple[ParameterSpec, ...] = (
    _S('plans.steps', _D.steps, 'Most steps of a plan.', '', 1, 200),
    _S('plans.tokens', _D.tokens, 'Longest plan.', 'tokens', 1, 4096),
    _S('plans.step_tokens', _D.step_tokens, 'Longest step written alone.', 'tokens', 1, 256),
    _S(
        'plans.samples',
        _D.samples,
        'Plans sampled for an action tree (published: 25 or 50).',
        '',
        1,
        200,
    ),
    _S('plans.temperature', _D.temperature, 'Temperature of sampled plans.', '', 0.0, 2.0),
    _S(
        'plans.top_p',
        _D.top_p,
        'Plans are sampled from the likeliest tokens that together have this probability.',
        '',
        0.01,
        1.0,
    ),
    _S('plans.votes', _D.votes, 'Votes at a fork of the action tree.', '', 1, 100),
    _S('plans.vote_temperature', _D.vote_temperature, 'Temperature of votes.', '', 0.0, 2.0),
    _S(
        'plans.corrections',
        _D.corrections,
        'Failed steps that a run goes on after.',
        '',
        0,
        1000,
    ),
    _S(
        'plans.undo',
        _D.undo,
        'Take back what led to a failed step, before another way is tried.',
    ),
    _S(
        'plans.on_inadmissible',
        _D.on_inadmissible.value,
        'At a step that cannot be done, where a planner corrects nothing.',
        choices=tuple(choice.value for choice in OnInadmissible),
    ),
    _S(
        'plans.least_similarity',
        _D.least_similarity,
        'A written step less like every known skill is none (cosine).',
        '',
        -1.0,
        1.0,
    ),
)


def plan_settings_of(values: SimpleNamespace) -> PlanSettings:
    """Settings of such planners from parameter values."""
    given = {field.name: getattr(values, f'plans_{field.name}') for field in fields(PlanSettings)}
    given['on_inadmissible'] = OnInadmissible(given['on_inadmissible'])
    return PlanSettings(**given)
