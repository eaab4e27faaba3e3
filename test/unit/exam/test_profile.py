"""A profile changes the preset `default`, where the user says nothing else."""

from __future__ import annotations

import json

import pytest

from reactree_core.errors import ConfigurationError
from reactree_core.record.run_settings import Flows, Reading
from reactree_planner.exam.profile import keep_profile, Profile, profiled_preset, read_profile
from reactree_planner.exam.profile_file import profile_file
from reactree_planner.exam.questions import VERSION
from reactree_planner.runs.presets import settings_of_preset
from reactree_planner.runs.settings import Decides, Guards

MODEL = 'http://localhost:8000/v1'
STRONG = {'reading': 'model', 'decides': 'model', 'flows': 'all'}
WEAK = {'reading': 'grammar', 'decides': 'facts', 'flows': 'seq+fb'}


def profile(settings=STRONG, **changes):
    told = {
        'model': MODEL, 'server_model': '', 'name': 'sage', 'version': VERSION,
        'date': '2026-01-02', 'scores': [], 'readings': {}, 'grammar': {}, 'answers': [],
        'advice': [{'setting': s, 'value': v, 'why': 'so'} for s, v in settings.items()],
    }  # fmt: skip
    return Profile.model_validate(told | changes)


def test_it_is_read_as_it_was_kept_by_this_user_alone(state):
    assert read_profile(MODEL) is None
    file = keep_profile(profile())
    assert read_profile(MODEL) == profile()
    assert file.parent == state and file.stat().st_mode & 0o077 == 0
    assert [path.name for path in state.iterdir()] == [file.name]
    keep_profile(profile(WEAK))
    assert read_profile(MODEL) == profile(WEAK)


def test_models_have_profiles_of_their_own(tmp_path):
    file = tmp_path / 'a.gguf'
    file.write_bytes(b'GGUF')
    models = [MODEL, 'http://localhost:8001/v1', 'qwen2.5-coder-1.5b', 'random:1', str(file)]
    files = {profile_file(model, name) for model in models for name in ('', 'large')}
    assert len(files) == 2 * len(models)
    assert profile_file(f'{MODEL}/') == profile_file(MODEL)
    # Of two models the one that decides.
    assert profile_file(f'{MODEL},planner=random:1') == profile_file(MODEL)
    assert all(len(path.name) < 100 and '/' not in path.name for path in files)


def test_default_takes_what_it_says_and_tells_so_in_one_line():
    keep_profile(profile())
    preset, told = profiled_preset('default', MODEL, '', 'sage')
    assert preset == 'default,reading=model,decides=model'
    settings = settings_of_preset(preset, 'reactree')
    assert (settings.reading, settings.decides) == (Reading.MODEL, Decides.MODEL)
    assert 'sage' in told and 'reading=model, decides=model' in told and '2026-01-02' in told
    assert '\n' not in told


@pytest.mark.parametrize(
    ('preset', 'wanted'),
    [
        ('default,decides=facts', 'default,reading=model,decides=facts'),
        ('default, decides = facts,reading=both', None),
        ('thoughts=3', 'default,reading=model,decides=model,thoughts=3'),
        ('no-guards', 'default,reading=model,decides=model,no-guards'),
        ('default,no-true-ends', 'default,reading=model,decides=model,no-true-ends'),
        ('published', None),
        ('published,decides=facts', None),
        ('published-code', None),
    ],
)
def test_what_the_user_says_holds(preset, wanted):
    keep_profile(profile())
    got, told = profiled_preset(preset, MODEL, '', 'sage')
    assert got == (wanted or preset)
    assert bool(told) is (wanted is not None)
    settings = settings_of_preset(got, 'reactree')
    if 'decides' in preset:
        assert settings.decides is Decides.FACTS
    if preset == 'no-guards':
        assert settings.guards == Guards.none()


def test_a_profile_that_changes_nothing_says_nothing():
    keep_profile(profile({'reading': 'grammar', 'decides': 'facts', 'flows': 'all'}))
    assert profiled_preset('default', MODEL, '', 'sage') == ('default', '')
    assert profiled_preset('default', 'none', '', 'none') == ('default', '')


def test_flows_are_taken_too():
    keep_profile(profile(WEAK))
    preset, told = profiled_preset('default', MODEL, '', 'sage')
    assert settings_of_preset(preset, 'reactree').flows is Flows.SEQUENCE_FALLBACK
    assert 'flows=seq+fb' in told


@pytest.mark.parametrize('changes', [{'name': 'dunce'}, {'version': VERSION - 1}])
def test_the_profile_of_another_model_or_exam_is_not_used_and_that_is_told(changes):
    keep_profile(profile(**changes))
    preset, told = profiled_preset('default', MODEL, '', 'sage')
    assert preset == 'default'
    assert 'is not used' in told and 'reactree model exam' in told


def test_of_two_models_the_one_that_decides_is_compared():
    keep_profile(profile())
    preset, _ = profiled_preset('default', f'{MODEL},planner=x.gguf', '', 'sage,planner=x')
    assert preset == 'default,reading=model,decides=model'


WHOLE = json.loads(profile().model_dump_json())


@pytest.mark.parametrize(
    'content',
    [
        '',
        '{',
        '[]',
        '\0\0',
        '{"model": "x"}',
        json.dumps(WHOLE)[:-40],
        json.dumps(WHOLE | {'advice': [{'setting': 'reading', 'value': 'loud', 'why': ''}]}),
        json.dumps(WHOLE | {'advice': [{'setting': 'domain', 'value': '/etc', 'why': ''}]}),
        json.dumps(
            WHOLE | {'advice': [{'setting': 'flows', 'value': 'all,ask=never', 'why': ''}]}
        ),
        json.dumps(WHOLE | {'version': 'one'}),
        '[' * 5000,
    ],
)
def test_a_damaged_profile_is_a_sentence_and_defaults_stay(content):
    file = keep_profile(profile())
    file.write_text(content)
    with pytest.raises(ConfigurationError, match='or delete the file') as raised:
        read_profile(MODEL)
    assert str(file) in str(raised.value)
    preset, told = profiled_preset('default', MODEL, '', 'sage')
    assert preset == 'default'
    assert told.startswith('No profile of the model is used: ') and 'delete the file' in told


def test_a_folder_that_cannot_be_written_is_a_sentence(state):
    state.parent.mkdir(parents=True)
    state.write_text('a file in the place of the folder')
    with pytest.raises(ConfigurationError, match='XDG_STATE_HOME'):
        keep_profile(profile())
