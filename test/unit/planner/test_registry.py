"""Planners by name: ours, those of other distributions, and those that cannot be loaded."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from reactree_core.errors import ConfigurationError
from reactree_core.record.run_settings import Limits
from reactree_planner.planners.registry import GROUP, make_planner, planner_names, PLANNERS
from reactree_planner.runs.settings import PlannerSettings
from reactree_tools.bench.study import make_study, StudyFile
from reactree_tools.episode import InProcessMemory, plan_episode
from reactree_tools.seed_memory.writing import flat_teacher_for
from sim_bridge.worlds.registry import make_world
from support.distributions import installed
from support.page import install_package_of


@pytest.fixture(scope='session')
def tour_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the page's own command has installed its distribution."""
    return install_package_of('add_a_planner.md', tmp_path_factory.mktemp('tour'))


@pytest.fixture
def tour(tour_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page's planner is installed."""
    monkeypatch.syspath_prepend(str(tour_folder))


@pytest.mark.timeout(180)
@pytest.mark.usefixtures('tour')
def test_a_planner_written_and_installed_as_the_page_says_runs_like_ours() -> None:
    assert 'tour' in planner_names()
    told = {'tasks': ['household:1'], 'models': ['m'], 'planners': ['tour']}
    assert len(list(make_study(StudyFile.model_validate(told)).cells())) == 1
    world = make_world('household')
    world.reset('generated:9000', 'setup_table:9000', 9000)
    settings = PlannerSettings(example_count=0)
    model = flat_teacher_for(world)
    episode = plan_episode(world, model, InProcessMemory(), settings, Limits(), 'tour')
    assert (episode.ended, episode.progress.success) == ('success', True)
    tree = episode.run.tree.snapshot()
    assert (tree.planner, tree.finished) == ('tour', False)
    goals = [node.goal for node in tree.nodes]
    assert goals == [episode.run.task, '', 'see every room', episode.run.task]
    assert tree.nodes[2].steps == len(world.vocabulary().rooms)
    (kept,) = episode.experiences('run')
    assert (kept.planner, kept.goal) == ('tour', episode.run.task)


def test_without_it_the_name_is_unknown_and_the_sentence_lists_the_others() -> None:
    with pytest.raises(ConfigurationError, match=r'no planner "tour".*reactree, '):
        make_planner('tour')


@pytest.mark.parametrize(
    ('entry', 'source', 'sentence'),
    [
        ('far = broken_one:Far', '', 'cannot be loaded.*ModuleNotFoundError: No module named'),
        ('far = broken_one:Far', 'x = 1', 'AttributeError.*Mend or uninstall broken-one'),
        ('far = broken_one:Far', '1 / 0', 'ZeroDivisionError: division by zero'),
        ('far = broken_one:Far', 'class Far:\n    name = "near"', r"lacks name = 'far', run\."),
        ('far = broken_one:Far', 'def Far(model): pass', 'TypeError'),
    ],
)
def test_a_planner_that_cannot_be_loaded_is_told_in_a_sentence_and_spares_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, entry: str, source: str, sentence: str
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, 'broken_one', raising=False)
    installed(tmp_path, 'broken-one', GROUP, entry, source)
    assert 'far' in planner_names()
    with pytest.raises(ConfigurationError, match=sentence) as caught:
        make_planner('far')
    assert 'broken-one' in str(caught.value)
    assert make_planner('react').name == 'react'


def test_two_packages_with_one_name_are_told_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    for number in ('one', 'two'):
        installed(tmp_path, f'planner-{number}', GROUP, f'far = planner_{number}:Far')
    with pytest.raises(ConfigurationError, match=r'planner-one, planner-two.*all but one'):
        make_planner('far')


def test_nobody_takes_the_place_of_our_own_planners(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    installed(tmp_path, 'usurper', GROUP, 'reactree = usurper:Planner')
    assert make_planner('reactree').name == 'reactree'


@pytest.mark.parametrize('name', PLANNERS)
def test_each_of_our_planners_is_there_under_its_name(name: str) -> None:
    assert make_planner(name).name == name
