"""Names of presets become settings; what cannot be read is told in a sentence."""

from __future__ import annotations

from dataclasses import fields

import pytest
from hypothesis import given, strategies

from reactree_core.errors import ConfigurationError
from reactree_core.ports import Strategy
from reactree_core.record.run_settings import Ask
from reactree_planner.runs.presets import settings_of_preset
from reactree_planner.runs.settings import Decides, Guards, OnInadmissible, PlannerSettings
from reactree_tools.bench.study import make_study, StudyFile

GUARDS = [field.name for field in fields(Guards)]


def test_default_is_the_default_and_published_has_no_guard() -> None:
    assert settings_of_preset('default', '') == PlannerSettings()
    assert settings_of_preset('published', '') == PlannerSettings(
        guards=Guards.none(), repairs=0, decides=Decides.MODEL, ask=Ask.NEVER, preset='published'
    )


@given(strategies.sets(strategies.sampled_from(GUARDS), max_size=4))
def test_guards_are_switched_off_by_name(names) -> None:
    parts = ['default', *(f'no-{name.replace("_", "-")}' for name in names)]
    guards = settings_of_preset(','.join(parts), '').guards
    assert {name for name in GUARDS if not getattr(guards, name)} == names


def test_all_guards_are_switched_off_by_one_word() -> None:
    settings = settings_of_preset('default,no-guards,thoughts=3', '')
    assert settings.guards == Guards.none()
    assert (settings.thoughts, settings.repairs) == (3, PlannerSettings().repairs)


def test_a_guard_alone_is_a_preset_too() -> None:
    assert not settings_of_preset('no-true-ends', '').guards.true_ends


def test_settings_have_the_types_of_their_defaults() -> None:
    settings = settings_of_preset(
        'default,plans.samples=25, plans.temperature=0.5,plans.on_inadmissible=skip,'
        'plans.undo=false,selection=likelihood,trials=2',
        'zero_shot',
    )
    assert settings.plans.samples == 25
    assert settings.plans.temperature == 0.5
    assert settings.plans.on_inadmissible is OnInadmissible.SKIP
    assert settings.plans.undo is False
    assert settings.selection is Strategy.LIKELIHOOD
    assert settings.trials == 2


@pytest.mark.parametrize(
    ('preset', 'told'),
    [
        ('', 'begin with default, published'),
        ('neutral', 'there is no preset "neutral"'),
        ('default,direct_steps=false', 'there is no setting "direct_steps"'),
        ('default,decides=nobody', 'one of facts, model'),
        ('defaultt', 'there is no preset "defaultt"'),
        ('default,published', 'there is no preset "published"'),
        ('no-such-guard', 'Guards: admissible-only'),
        ('default,plans.sample=3', 'plans.samples'),
        ('default,guards=3', 'there is no setting "guards"'),
        ('default,working_memory=false', 'there is no setting'),
        ('default,plans.samples=many', 'plans.samples is a whole number'),
        ('default,plans.samples=-1', '0 or more'),
        ('default,plans.temperature=nan', '0 or more'),
        ('default,plans.undo=maybe', 'true or false'),
        ('default,plans.on_inadmissible=fly', 'one of stop, skip'),
    ],
)
def test_what_is_no_preset_is_told_before_anything_is_loaded(preset, told, capsys) -> None:
    with pytest.raises(ValueError, match=told):
        settings_of_preset(preset, '')
    study = {'tasks': ['household:1'], 'models': ['never loaded'], 'presets': [preset]}
    with pytest.raises(ConfigurationError, match=told):
        make_study(StudyFile.model_validate(study))
