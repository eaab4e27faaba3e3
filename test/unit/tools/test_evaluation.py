"""The evaluation: which memories a run has, and result files old and new."""

from __future__ import annotations

import json
from dataclasses import asdict

import pytest

from memory_server.embedding.hashing import HashingEmbedder
from memory_server.episodic.episodic_memory import EpisodicMemory
from memory_server.seed.loader import shipped_experiences
from memory_server.store.sqlite_store import SqliteStore
from reactree_core.cancellation import CancelToken
from reactree_core.observation import Observation
from reactree_planner.tree.events import DecisionKind
from reactree_planner.tree.limits import Limits
from reactree_tools.episodes.memories import InProcessMemory
from reactree_tools.evaluation.episodes import EpisodeResult
from reactree_tools.evaluation.episodes import MEMORIES
from reactree_tools.evaluation.episodes import run_episode
from reactree_tools.evaluation.results import append_result
from reactree_tools.evaluation.results import read_results
from reactree_tools.evaluation.results import table
from reactree_tools.seed_memory.writing import teacher_for
from sim_bridge.worlds import make_world

SCENE, TASK, SEED = 'generated:9000', 'put_fridge:9000', 9000


@pytest.fixture(scope='module')
def examples():
    memory = EpisodicMemory(SqliteStore(None), HashingEmbedder())
    memory.store(shipped_experiences())
    return memory


class SpyModel:
    """The teacher, remembering the prompts it was shown."""

    def __init__(self, teacher):
        self._teacher = teacher
        self.name = teacher.name
        self.context_tokens = teacher.context_tokens
        self.count_tokens = teacher.count_tokens
        self.sessions = []

    def session(self, cancel, shared_prefix=''):
        self.sessions.append(self._teacher.session(cancel, shared_prefix))
        return self.sessions[-1]


@pytest.fixture
def teacher():
    world = make_world('household')
    world.reset(SCENE, TASK, SEED)
    return SpyModel(teacher_for(world))


@pytest.mark.parametrize('memory', MEMORIES)
def test_a_run_has_the_memories_of_its_name_and_no_other(memory, teacher, examples):
    events = []
    result = run_episode(
        SCENE, TASK, SEED, 'full', memory, teacher, examples, Limits(60, 60), events.append
    )
    working, episodic = MEMORIES[memory]
    assert result.memory == memory
    goals = [session.text.count('Your task is to: ') for session in teacher.sessions]
    assert goals
    assert all((count > 1) is episodic for count in goals)
    recalled = [
        event.text
        for event in events
        if isinstance(event, Observation) and event.skill.startswith('recall')
    ]
    assert bool(recalled) is working


def test_the_run_with_both_memories_meets_the_goal(teacher, examples):
    kinds = []
    result = run_episode(
        SCENE,
        TASK,
        SEED,
        'full',
        'both',
        teacher,
        examples,
        Limits(600, 600),
        lambda event: kinds.append(getattr(event, 'kind', None)),
    )
    assert (result.success, result.ended, result.subgoal_rate) == (True, 'success', 1.0)
    assert result.decisions == sum(
        kind in (DecisionKind.THINK, DecisionKind.ACT, DecisionKind.EXPAND) for kind in kinds
    )


def test_without_an_episodic_memory_there_are_no_examples():
    assert InProcessMemory().retrieve('eat', 0, 0, 0, CancelToken()) == ()


def result(**fields):
    values = {
        'variant': 'full',
        'model': 'm',
        'scene': SCENE,
        'task': TASK,
        'instruction': 'Do it.',
        'success': True,
        'met': 2,
        'total': 2,
        'ended': 'success',
        'decisions': 10,
        'steps': 5,
        'nodes': 3,
        'seconds': 5.0,
        'evaluated_tokens': 1,
        'cached_tokens': 2,
        'completion_tokens': 3,
    }
    return EpisodeResult(**(values | fields))


def test_results_from_before_memories_were_recorded_had_both(tmp_path):
    path = tmp_path / 'results.jsonl'
    line = asdict(result())
    del line['memory']
    path.write_text(json.dumps(line) + '\n')
    assert read_results(path) == [result(memory='both')]


def test_a_torn_line_costs_itself_alone(tmp_path):
    path = tmp_path / 'results.jsonl'
    append_result(path, result())
    with path.open('a') as file:
        file.write('{"variant": "fu')
    append_result(path, result(memory='none', success=False, met=0))
    assert read_results(path) == [result(), result(memory='none', success=False, met=0)]
    assert read_results(tmp_path / 'missing.jsonl') == []


def test_the_table_averages_each_memory_by_itself():
    rows = table(
        [result(), result(memory='none', success=False, met=1), result(memory='none')]
    ).splitlines()
    assert rows[0].startswith('| variant | memory | model | task |')
    assert '| full | both | m | all 1 | 1 of 1 | SSR 1.00 | | 10 | 5 | 0.50 |' in rows
    assert '| full | none | m | all 2 | 1 of 2 | SSR 0.75 | | 20 | 10 | 0.50 |' in rows
    assert {row.count('|') for row in rows} == {11}
