"""The evaluation: which memories a run has, and result files old and new."""

from __future__ import annotations

import json
from dataclasses import asdict

import pytest

from memory_server.embedding.encoders import HashingEmbedder
from memory_server.episodic.episodic_memory import EpisodicMemory
from memory_server.seed.loader import shipped_experiences
from memory_server.store.sqlite_store import SqliteStore
from reactree_core.cancellation import CancelToken
from reactree_core.observation import Observation
from reactree_planner.llm.scripted import PolicyModel
from reactree_planner.runs.questions import Question
from reactree_planner.tree.events import Decision
from reactree_planner.tree.events import DecisionKind
from reactree_planner.tree.run_settings import Limits
from reactree_tools.bench.goal_questions import GoalQuestioner
from reactree_tools.episode import InProcessMemory
from reactree_tools.evaluation import __main__ as command
from reactree_tools.evaluation.episodes import EpisodeResult
from reactree_tools.evaluation.episodes import MEMORIES
from reactree_tools.evaluation.episodes import run_episode
from reactree_tools.evaluation.results import append_result
from reactree_tools.evaluation.results import read_results
from reactree_tools.evaluation.results import table
from reactree_tools.seed_memory.writing import teacher_for
from sim_bridge.worlds.registry import make_world

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
    preset = 'default,direct_steps=false'
    result = run_episode(
        SCENE, TASK, SEED, preset, memory, teacher, examples, Limits(60, 60), events.append
    )
    working, episodic = MEMORIES[memory]
    assert result.memory == memory
    goals = [session.text.count('Your task is to: ') for session in teacher.sessions]
    # Questions beside the task have no examples.
    goals = [count for count in goals if count]
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
        'default',
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
        'preset': 'default',
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
        file.write('{"preset": "de')
    append_result(path, result(memory='none', success=False, met=0))
    assert read_results(path) == [result(), result(memory='none', success=False, met=0)]
    assert read_results(tmp_path / 'missing.jsonl') == []


def test_results_from_before_planners_were_recorded_are_those_of_reactree(tmp_path):
    path = tmp_path / 'results.jsonl'
    line = asdict(result())
    for name in ('planner', 'seed', 'prompt_tokens', 'requests', 'reason', 'notices', 'unasked'):
        del line[name]
    path.write_text(json.dumps(line) + '\n')
    (read,) = read_results(path)
    assert (read.planner, read.reason, read.notices) == ('reactree', '', ())


def test_the_table_averages_each_planner_and_memory_by_itself():
    results = [
        result(
            requests=7,
            prompt_tokens=90,
            task='put_fridge:9001',
            unasked=2,
            expert_steps=4,
        ),
        result(planner='react', memory='none', success=False, met=1, reason='It gave up.'),
        result(planner='react', memory='none', task='setup_table:9001', steps=15),
    ]
    rows = table(results).splitlines()
    assert rows[0].startswith(
        '| world | planner | preset | memory | model | seeds | GSR | SSR | false |'
    )
    means = '10 | 8 | 5 | 7 | 90 | 1 | 3 | 5 | 0.50 | 9 | 4 |'
    assert (
        f'| household | reactree | default | both | m | 9001 | 1 of 1 | 1.00 | 0 | {means}' in rows
    )
    means = '10 | 10 | 10 | 0 | 0 | 1 | 3 | 5 | 0.50 | 0 |  |'
    row = f'| household | react | default | none | m | 9000-9001 | 1 of 2 | 0.75 | 1 | {means}'
    assert row in rows
    task = 'put_fridge:9000 | no | 1 of 2 conditions met | success | 10 | 10 | 5 |  | 5'
    assert f'| household | react | default | none | m | {task} |' in rows
    assert rows[-1] == '* react, put_fridge:9000: It gave up.'
    tables = [row.count('|') for row in rows if row.startswith('|')]
    assert set(tables[:4]) == {21} and set(tables[4:]) == {15}


def test_what_was_known_at_the_end_is_kept_and_a_false_success_is_told(tmp_path):
    path = tmp_path / 'results.jsonl'
    known = result(verified=('crate 1 in aisle 2',), missing=('gate is shut',), unknown=('x',))
    append_result(path, known)
    assert read_results(path) == [known]
    assert not known.false_success
    assert result(success=False).false_success
    assert not result(success=False, ended='failure').false_success


def gives_up(text, options):
    names = [option.strip() for option in options]
    return names.index('Act:' if 'Act:' in names else 'failure')


def test_a_person_who_knows_the_goal_answers_what_it_names_and_nothing_else():
    person = GoalQuestioner(('on red crate shelf: 0 of 2', 'inside small barrel truck: 0 of 1'))

    def said(*options, default=''):
        return person.ask(Question('Which?', options, default), CancelToken())

    assert said('blue crate', 'red crate') == 'red crate'
    assert said('small barrel 2', 'large barrel 1') == 'small barrel 2'
    assert said('crate', 'red crate') == 'red crate', 'the longest name'
    assert said('red crate', 'small barrel', default='red crate') is None, 'both are wanted'
    assert said('ore', 'sand') is None and said() is None and said('yes', 'no') is None
    assert person.asked == 7


def test_the_goal_answers_where_a_preset_lets_runs_ask(teacher, examples):
    asked = {
        ask: run_episode(
            SCENE, TASK, SEED, f'default,ask={ask}', 'none', teacher, examples, Limits(4, 4)
        ).questions
        for ask in ('always', 'never')
    }
    assert asked == {'always': 1, 'never': 0}


def test_every_failure_has_its_reason(teacher, examples):
    def reason(preset, model, limits):
        found = run_episode(SCENE, TASK, SEED, preset, 'both', model, examples, limits)
        assert not found.success
        assert (found.seed, found.planner) == (SEED, 'reactree')
        return found.reason.partition('Conditions: ')

    before, _, unmet = reason('default', teacher, Limits(4, 4))
    assert 'reached its limit of decisions (4)' in before and 'fridge: 0 of' in unmet
    before, _, unmet = reason('published', PolicyModel(gives_up), Limits())
    assert before.startswith('gave up at "') and '(failure)' in before
    assert 'fridge: 0 of' in unmet


def test_one_command_compares_planners_and_goes_on_where_it_stopped(
    tmp_path, monkeypatch, capsys, examples
):
    planned = []

    def run(scene, task, seed, preset, memory, model, examples, limits, watch, planner, world):
        planned.append((task, planner))
        if len(planned) == 3:
            raise KeyboardInterrupt
        return result(task=task, planner=planner, memory=memory, model=model.name)

    monkeypatch.setattr(command, 'run_episode', run)
    monkeypatch.setattr(command, 'shipped_memory', lambda: examples)
    output = tmp_path / 'results.jsonl'
    script = tmp_path / 'script.yaml'
    script.write_text('- never asked\n')
    words = f'x --tasks 2 --first-seed 9000 --model scripted:{script} --output {output}'.split()
    monkeypatch.setattr('sys.argv', [*words, '--planner', 'react', '--planner', 'adapt'])
    with pytest.raises(KeyboardInterrupt):
        command.main()
    planned.clear()
    command.main()
    assert planned == [('put_fridge:9001', 'react'), ('put_fridge:9001', 'adapt')]


def test_what_was_not_asked_of_the_model_is_counted_and_the_expert_beside_it(teacher, examples):
    events = []
    result = run_episode(
        SCENE, TASK, SEED, 'default', 'both', teacher, examples, Limits(60, 60), events.append
    )
    assert result.unasked == sum(isinstance(one, Decision) and one.is_unasked for one in events)
    assert 0 < result.asked < result.unasked
    assert result.asked + result.unasked == result.decisions
    assert result.expert_steps
