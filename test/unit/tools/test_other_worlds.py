"""The tools with a world that is no home: no scenes, no graph, no conditions, only a score."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace

import pytest

from memory_server.episodic.episodic_memory import EpisodicMemory
from memory_server.store.sqlite_store import SqliteStore
from reactree_core.cancellation import CancelToken
from reactree_core.embedding.encoders import HashingEmbedder
from reactree_core.errors import ConfigurationError, ModelOutputError
from reactree_core.record.run_settings import Limits
from reactree_core.record.snapshot import EMPTY_TREE
from reactree_core.usage import NO_USAGE
from reactree_core.world import TaskWorld
from reactree_planner.llm.policy import PolicyModel
from reactree_planner.runs.settings import PlannerSettings
from reactree_tools.bench.episodes import EpisodeRunner, run_id_of
from reactree_tools.bench.running import run_study
from reactree_tools.bench.study import make_study, StudyFile
from reactree_tools.bench.training_tasks import training_tasks
from reactree_tools.bench.workers import ThisProcess
from reactree_tools.bootstrap.bootstrapping import begun, keep_in, next_round
from reactree_tools.command_line import main
from reactree_tools.commands.demo import first_task, names_a_task
from reactree_tools.episode import InProcessMemory, plan_episode
from reactree_tools.exit_codes import ExitCode
from reactree_tools.glyphs import ASCII
from reactree_tools.views.summary import RunSummary, summary_lines, verdict
from sim_bridge.worlds import registry
from sim_bridge.worlds.alfworld.generator import game_file
from sim_bridge.worlds.registry import make_world
from support.workbench import WorkbenchWorld


@pytest.fixture(autouse=True)
def benches(monkeypatch):
    """Two worlds more."""
    monkeypatch.setitem(registry.WORLDS, 'workbench', 'support.workbench:WorkbenchWorld')
    expert = 'support.workbench:ExpertWorkbenchWorld'
    monkeypatch.setitem(registry.WORLDS, 'expert_workbench', expert)


def carpenter(text, options):
    """Makes the best that is offered, and gets logs where nothing can be made."""
    if text.startswith('A robot was told'):
        raise ModelOutputError('It makes things, and interprets nothing.')
    if options is None:
        return ' I make parts first.'
    names = [option.strip() for option in options]
    sticks = text.rpartition('You have ')[2].partition('.')[0]
    order = ['make ladder', 'make table', 'make stick', 'make plank', 'get log', 'Act:', 'failure']
    if 'table' in text.rpartition('Your task is to: ')[2].partition('\n')[0] and 'stick' in sticks:
        order.remove('make stick')
    return next(names.index(name) for name in order if name in names)


def test_a_study_asks_the_world_for_its_tasks_and_keeps_its_score(tmp_path):
    told = {
        'tasks': ['workbench:3@7'],
        'models': ['m'],
        'memories': ['working'],
        'limits': {'decisions': 30},
    }
    study = make_study(StudyFile.model_validate(told))
    runner = EpisodeRunner(study.models, study.limits, load=lambda *_: PolicyModel(carpenter))
    rows = [runner.run(cell, 'm').row for cell in study.cells()]
    assert [(row.cell.world, row.cell.scene, row.cell.task) for row in rows] == [
        ('workbench', '', 'make_ladder:7'),
        ('workbench', '', 'make_table:8'),
        ('workbench', '', 'make_ladder:9'),
    ]
    assert [(row.success, row.score, row.total) for row in rows] == [(True, 1.0, 0)] * 3
    assert rows[0].judged == 'a score of 1.00'


def test_a_memory_is_bootstrapped_from_tasks_of_another_world(tmp_path):
    tasks = training_tasks(['make_ladder:1-2', 'generated:3'], world='workbench')
    assert [(task.scene, task.task, task.world) for task in tasks] == [
        ('', 'make_ladder:1', 'workbench'),
        ('', 'make_ladder:2', 'workbench'),
        ('', 'generated:3', 'workbench'),
    ]
    told = {
        'tasks': ['workbench:make_ladder:1-2', 'workbench:generated:3'],
        'models': ['m'],
        'limits': {'decisions': 30, 'steps': 30},
    }
    study = make_study(StudyFile.model_validate(told))
    runner = EpisodeRunner(
        study.models, study.limits, keeps=True, load=lambda *_: PolicyModel(carpenter)
    )
    kept = []
    with closing(SqliteStore(tmp_path / 'm.sqlite')) as store:
        part = next_round(study, tmp_path, store, 1)
        with begun(part, store), closing(ThisProcess(runner, CancelToken())) as workers:
            run_study(part.study, part.folder, part.cells, workers, bool, bool, keep=kept.append)
        keep = keep_in(EpisodicMemory(store, HashingEmbedder()))
        for result in kept:
            keep(result)
        assert [(one.row.success, one.row.score) for one in kept] == [(True, 1.0)] * 3
        assert store.count() == sum(len(one.experiences) for one in kept) > 0
    ids = {run_id_of(cell) for cell in study.cells()}
    assert len(ids | {run_id_of(replace(cell, world='household')) for cell in study.cells()}) == 6


def test_what_a_world_has_not_got_is_said(tmp_path, capsys):
    with pytest.raises(ConfigurationError, match='one of make_ladder, make_table'):
        training_tasks(['put_fridge:1'], world='workbench')
    file = tmp_path / 'tasks.yaml'
    file.write_text('[]')
    with pytest.raises(ConfigurationError, match='reads no task files'):
        training_tasks([str(file)], world='workbench')
    store = tmp_path / 'm.sqlite'
    words = f'memory bootstrap --world workbench --tasks make_table:1 --store {store}'
    assert main([*words.split(), '--model', 'teacher', '--plain']) == ExitCode.UNUSABLE
    assert 'only with planner reactree or oracle' in capsys.readouterr().err
    assert main(['scene', 'generated:1', '--world', 'workbench', '--plain']) == ExitCode.UNUSABLE
    assert 'the world workbench has no scene graph' in capsys.readouterr().err


def test_a_task_of_another_world_is_printed_with_its_expert_or_without(capsys):
    assert main(['task', 'make_ladder:4', '--world', 'workbench', '--plain']) == ExitCode.OK
    text = capsys.readouterr().out
    assert 'make_ladder:4, family make_ladder' in text and 'a score of 0.00' in text
    assert 'expert' not in text
    assert (
        main(['task', 'make_ladder:4', '--world', 'expert_workbench', '--skills', '--plain']) == 0
    )
    text = capsys.readouterr().out
    assert '7 skills, shortest known plan' in text and '7  make ladder' in text


def test_a_demo_begins_with_a_task_of_its_world():
    assert first_task('workbench') == ('', 'make_ladder:1')
    assert first_task('household')[0].startswith('generated:')
    for world in registry.WORLDS:
        # These need what is not installed everywhere, or another process.
        apart = ('virtualhome_unity', 'scienceworld', 'expert_workbench', 'household_member')
        if world not in apart:
            assert names_a_task(first_task(world)[1]), world


def test_tasks_of_any_family_and_of_a_folder_of_games_are_learned_from(tmp_path):
    named = training_tasks(['depth_2:1-3'], world='textcraft')
    assert [task.task for task in named] == ['depth_2:1', 'depth_2:2', 'depth_2:3']
    grammar = '{"task": [{"rhs": "Your task is to: UNKNOWN GOAL."}]}'
    for number in (1, 2):
        (folder := tmp_path / f'game-{number}').mkdir()
        game = game_file('put', number, '', grammar)
        (folder / 'game.tw-pddl').write_text(game, encoding='utf-8')
    found = training_tasks([str(tmp_path)], world='alfworld')
    assert [(task.task, task.seed) for task in found] == [(str(tmp_path), 0), (str(tmp_path), 1)]


def test_a_world_that_judges_nothing_is_believed_the_planner():
    class Silent(WorkbenchWorld):
        def progress(self):
            return None

    world = Silent()
    with pytest.raises(ConfigurationError, match='no task is loaded'):
        planned(world, carpenter)
    world.reset('', 'make_ladder:1', 1)
    # That the goal is met nobody says, so an episode that is over has failed.
    assert not planned(world, carpenter).goal_met

    def early(text, options):
        names = [option.strip() for option in options or ()]
        return names.index('done') if 'done' in names else carpenter(text, options)

    # "make a ladder" is a skill of the world, and is not done before it was executed.
    world.reset('', 'make_ladder:1', 1)
    assert not planned(world, early).goal_met
    world.reset('', 'make_ladder:1', 1)
    world.take_for('see to the loft')
    episode = planned(world, early)
    assert episode.progress is None and episode.goal_met and episode.worth_keeping


def planned(world, policy):
    model, memory = PolicyModel(policy), InProcessMemory()
    return plan_episode(world, model, memory, PlannerSettings(), Limits(30, 30))


@pytest.mark.parametrize(
    ('score', 'words', 'goal'),
    [
        (1.0, 'Solved: the score is full.', 'goal    a score of 1.00'),
        (0.5, 'Not solved: the planner said done', 'goal    a score of 0.50'),
    ],
)
def test_the_last_words_of_a_run_tell_its_score(score, words, goal):
    summary = RunSummary(
        'ab' * 16, 'NONE', 0, '', True, True, score == 1.0, 0, 0, 5, 4, 1.0, NO_USAGE, EMPTY_TREE,
        score=score,
    )  # fmt: skip
    assert words in verdict(summary, ASCII).plain
    assert goal in '\n'.join(line.plain for line in summary_lines(summary, ASCII, 80))
    assert summary.exit_code is (ExitCode.OK if score == 1.0 else ExitCode.FAILED)


def test_every_world_of_the_package_says_what_it_can():
    assert isinstance(make_world('household'), TaskWorld)
    with pytest.raises(ConfigurationError, match='cannot be put back'):
        make_world('virtualhome_unity').snapshot()
