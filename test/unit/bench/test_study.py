"""A study file, and the episodes that follow from it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reactree_core.errors import ConfigurationError
from reactree_tools.bench.study import read_model, read_study
from reactree_tools.bench.task_sources import part_of, tasks_of
from reactree_tools.commands.bench import presets


def study(tmp_path, text, **changes):
    path = tmp_path / 'study.yaml'
    path.write_text(text)
    return read_study(path, changes)


WHOLE = """
tasks: [household:2@7]
planners: [reactree, react]
presets: [default, 'default,repairs=0']
models:
  - teacher
  - {label: big, servers: ['http://a/v1', 'http://b/v1'], requests: 3, price: {prompt: 1.5}}
memories: [none, both]
stores: [{path: learned.sqlite, sizes: [10, 0]}]
seeds: 2
"""


def test_every_task_meets_everything_and_a_store_only_where_it_is_read(tmp_path):
    cells = list(study(tmp_path, WHOLE.replace('  - teacher\n', '')).cells())
    assert len(cells) == len(set(cells)) == 2 * 2 * 2 * 2 * 1 * (1 + 2)
    assert {(cell.memory, cell.store, cell.store_size) for cell in cells} == {
        ('none', '', 0),
        ('both', 'learned.sqlite', 10),
        ('both', 'learned.sqlite', 0),
    }
    first = cells[: len(cells) // 2]
    assert {cell.task for cell in first} == {'setup_table:7'}


def test_a_study_is_written_as_it_can_be_read_again(tmp_path):
    whole = study(tmp_path, WHOLE.replace('  - teacher\n', ''))
    assert list(study(tmp_path, whole.text()).cells()) == list(whole.cells())
    assert whole.models['big'].places == ('http://a/v1', 'http://b/v1')
    assert whole.models['big'].options.request_timeout == 120.0


def test_the_command_line_stands_in_place_of_the_file(tmp_path):
    changed = study(tmp_path, WHOLE, models=['teacher'], planners=['reactree'], seeds=1)
    assert {cell.planner for cell in changed.cells()} == {'reactree'}
    assert list(changed.models) == ['teacher']


def test_a_limit_of_the_command_line_leaves_the_other_limits_of_the_file(tmp_path):
    text = 'tasks: [household:1]\nlimits: {decisions: 60, depth: 7}\n'
    limits = study(tmp_path, text, limits={'seconds': 9.0, 'depth': 8}).limits
    assert (limits.decisions, limits.depth, limits.seconds) == (60, 8, 9.0)


@pytest.mark.parametrize(
    ('change', 'said'),
    [
        ('planers: [react]', 'there is no "planers"'),
        ('planners: [rectree]', 'there is no planner "rectree"'),
        ('presets: [publish]', 'publish'),
        ('memories: [all]', 'there is no memory "all"; there are: none, working'),
        ('models: [m, m]', 'two models are called "m"'),
        ('models: [{label: x}]', 'a model has a name, or a list of servers'),
        ('models: [teacher]\nplanners: [react]', 'only with planner reactree'),
        ('models: [teacher]\npresets: [published]', 'the model teacher needs the preset'),
        ('tasks: [household]', "there are no tasks 'household': write WORLD:COUNT"),
        ('tasks: ["wah:/nowhere.json"]', 'name no scenes'),
        ('seeds: 0', '"seeds'),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(tmp_path, change, said):
    base = {'tasks': 'tasks: [household:1]', 'models': 'models: [m]'}
    lines = [line for name, line in base.items() if not change.startswith(name)]
    with pytest.raises(ConfigurationError, match=said.replace('[', r'\[')):
        study(tmp_path, '\n'.join([*lines, change]))


def test_tasks_are_named_by_world_count_family_and_part():
    assert [one.task for one in tasks_of('household:3@1401')] == [
        'setup_table:1401',
        'put_fridge:1402',
        'put_dishwasher:1403',
    ]
    assert [one.seed for one in tasks_of('household:put_fridge:5-9[1:3]')] == [6, 7]
    assert [one.seed for one in tasks_of('household:put_fridge:5-9[4,0]')] == [9, 5]
    assert {one.world for one in tasks_of('faulty,world=textcraft,fail=0.2:2')} == {
        'faulty,world=textcraft,fail=0.2'
    }


def test_scenes_are_taken_in_turn_by_their_numbers(tmp_path):
    for number in (2, 10, 1):
        (tmp_path / f'home_{number}.json').write_text('{}')
    found = tasks_of('household:put_fridge:1-4', scenes=str(tmp_path / 'home_*.json'))
    # A folder of homes whose names could be sorted as texts would come as 1, 10, 2.
    names = [one.scene.rpartition('/')[2] for one in found]
    assert names == ['home_1.json', 'home_2.json', 'home_10.json', 'home_1.json']


def test_overrides_belong_to_the_preset_before_them():
    assert presets('default,repairs=0,published,published-code,no-x') == [
        'default,repairs=0',
        'published',
        'published-code,no-x',
    ]


@given(
    st.sampled_from(['household:8@3', 'household:8@3[1:6]', 'household:put_fridge:3-9[0,4,2]']),
    st.sets(st.integers(3, 11)),
)
def test_a_part_of_tasks_names_those_that_are_wanted(text, seeds):
    part = part_of(text, '', '', lambda task: task.seed in seeds)
    wanted = [task for task in tasks_of(text) if task.seed in seeds]
    assert set(tasks_of(part) if part else ()) == set(wanted)
    assert part != '' or not wanted


@pytest.mark.parametrize(
    ('text', 'name', 'threads'),
    [
        ('big', 'big', 0),
        ('big,threads=2', 'big', 2),
        ('big,planner=bigger', 'big,planner=bigger', 0),
        ('big,planner=bigger,threads=3', 'big,planner=bigger', 3),
        ('/models/a,b.gguf', '/models/a,b.gguf', 0),
    ],
)
def test_a_model_of_the_command_line_may_have_options(text, name, threads):
    (model,) = read_study(
        None, {'tasks': ['household:1'], 'models': [read_model(text)]}
    ).models.values()
    assert (model.name, model.threads) == (name, threads)


@pytest.mark.parametrize('text', ['big,thread=2', 'big,threads=many'])
def test_a_wrong_option_of_a_model_is_said(text):
    with pytest.raises(ConfigurationError, match='thread'):
        read_study(None, {'tasks': ['household:1'], 'models': [read_model(text)]})


def test_a_model_that_is_not_here_is_said_before_anything_runs(tmp_path):
    (model,) = study(tmp_path, 'tasks: [household:1]\nmodels: [no-such-model]').models.values()
    with pytest.raises(ConfigurationError, match="no model named 'no-such-model'"):
        model.check_files()
