"""One episode of a study: its memories, what is counted, and why goals were not met."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memory_server.episodic.episodic_memory import EpisodicMemory
from memory_server.seed.loader import shipped_experiences
from memory_server.store.sqlite_store import SqliteStore
from reactree_core.cancellation import CancelToken
from reactree_core.embedding.encoders import HashingEmbedder
from reactree_core.experience import ExperienceQuery
from reactree_core.observation import Observation
from reactree_core.record.events import Decision, DecisionKind
from reactree_core.record.questions import Question
from reactree_core.record.run_settings import Limits
from reactree_planner.llm.policy import PolicyModel
from reactree_tools.bench import episodes
from reactree_tools.bench.episodes import (
    EpisodeRunner,
    first_runs,
    lesson_of,
    run_id_of,
    task_mark,
)
from reactree_tools.bench.goal_questions import GoalQuestioner
from reactree_tools.bench.report.measures import executed
from reactree_tools.bench.rows import Cell
from reactree_tools.bench.study import MEMORIES, ModelEntry
from reactree_tools.seed_memory.writing import teacher_for
from support.study_models import load

CELL = Cell('household', 'generated', 'put_fridge:9000', 'generated:9000', 9000, model='m')


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
def spies(monkeypatch):
    """Teachers of the episodes that follow; the shipped examples are found by hashed words."""
    found = []

    def spy(world):
        found.append(SpyModel(teacher_for(world)))
        return found[-1]

    def examples():
        memory = EpisodicMemory(SqliteStore(None), HashingEmbedder())
        memory.store(shipped_experiences())
        return memory

    monkeypatch.setattr(episodes, 'teacher_for', spy)
    monkeypatch.setattr(episodes, 'shipped_memory', examples)
    return found


def carry_out(cell=CELL, model='teacher', most=600, load=load, price=None, **changes):
    """The row of an episode, and its events."""
    events = []
    entry = ModelEntry.model_validate({'name': model, 'price': price})
    runner = EpisodeRunner({'m': entry}, Limits(most, most), load=load)
    found = runner.run(replace(cell, **changes), model, watch=events.append)
    return found.row, events


@pytest.mark.parametrize('memory', MEMORIES)
def test_a_run_has_the_memories_of_its_name_and_no_other(memory, spies):
    _, events = carry_out(preset='default,decides=model', memory=memory, most=60)
    working, episodic = MEMORIES[memory]
    goals = [session.text.count('Your task is to: ') for session in spies[0].sessions]
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


@pytest.mark.usefixtures('spies')
def test_the_run_with_both_memories_meets_the_goal_and_all_of_it_is_counted():
    # The model decides, so that there is a tree.
    row, events = carry_out(preset='default,decides=model')
    assert (row.success, row.ended, row.subgoal_rate, row.reason) == (True, 'success', 1.0, '')
    decisions = [event for event in events if isinstance(event, Decision)]
    counted = (DecisionKind.THINK, DecisionKind.ACT, DecisionKind.EXPAND)
    assert row.decisions == sum(event.kind in counted for event in decisions)
    assert row.unasked == sum(event.is_unasked for event in decisions)
    done = [event for event in events if isinstance(event, Observation) and event.skill]
    assert row.failed_steps == sum(not event.succeeded for event in done)
    assert row.expert_steps and row.nodes > 1 and row.depth > 1
    assert row.run == run_id_of(replace(CELL, preset='default,decides=model'))
    led, _ = carry_out()
    assert led.success and led.asked == 0 and led.unasked == led.decisions


def test_an_episode_has_an_id_that_begins_with_its_task():
    cells = [
        CELL,
        replace(CELL, store='m.sqlite'),
        replace(CELL, planner='react'),
        replace(CELL, scene='generated:1'),
        replace(CELL, tasks='put_fridge', seed=1),
    ]
    ids = {run_id_of(cell) for cell in cells}
    assert len(ids) == len(cells) and all(len(one) == 32 for one in ids)
    assert {one[:16] for one in ids} == {task_mark(CELL)}
    others = [replace(CELL, task='put_fridge:1'), replace(CELL, world_seed=1)]
    assert task_mark(CELL) not in map(task_mark, others)
    # What helped an episode, and who named its task, makes no other lesson of it.
    assert len(set(map(lesson_of, cells))) == 4


def test_what_costs_money_is_told_by_the_price_of_its_model():
    asked = {'model': 'guesses', 'memory': 'none', 'preset': 'default,decides=model'}
    row, _ = carry_out(**asked, most=20, price={'completion': 2.0})
    assert row.cost == pytest.approx(row.completion_tokens * 2e-6)
    assert row.cost > 0
    assert carry_out(**asked, most=5)[0].cost is None


def test_the_best_moment_counts_beside_the_end(monkeypatch):
    first = carry_out(memory='none')[0]
    assert first.best_met == first.met == first.total
    seen = iter([0, 2, 1])

    class Now:
        def __init__(self, met):
            self.met = met

    counts = episodes._Counts(lambda: Now(next(seen)), None)
    for _ in range(3):
        counts.see(Observation('text', skill='go to crate 1'))
    assert counts.best == 2


def gives_up(text, options):
    names = [option.strip() for option in options]
    return names.index('Act:' if 'Act:' in names else 'failure')


def test_every_failure_has_its_reason():
    row, _ = carry_out(memory='none', most=4)
    before, _, unmet = row.reason.partition('Conditions: ')
    assert 'reached its limit of decisions (4)' in before and 'fridge: 0 of' in unmet
    hopeless = {'model': 'none', 'load': lambda *_: PolicyModel(gives_up), 'memory': 'none'}
    row, _ = carry_out(preset='published', **hopeless)
    before, _, unmet = row.reason.partition('Conditions: ')
    assert before.startswith('gave up at "') and '(failure)' in before
    assert 'fridge: 0 of' in unmet and not row.false_success


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


def test_the_goal_answers_where_a_preset_lets_runs_ask():
    asked = {
        ask: carry_out(preset=f'default,ask={ask}', memory='none', most=4)[0].questions
        for ask in ('always', 'never')
    }
    assert asked == {'always': 1, 'never': 0}


def test_a_part_of_a_store_is_its_oldest_runs_without_the_shipped_ones(tmp_path):
    path = tmp_path / 'learned.sqlite'
    memory = EpisodicMemory(SqliteStore(path), HashingEmbedder())
    shipped = shipped_experiences()
    memory.store(shipped)
    learned = [
        replace(shipped[number], experience_id=f'{run}-{number}', run_id=run)
        for run in ('b', 'a', 'c')
        for number in range(2)
    ]
    memory.store(learned)
    memory.close()
    assert len(first_runs(str(path))) == len(shipped) + 6
    assert len(first_runs(str(path), 2)) == 4
    assert first_runs(str(path), 2)._encoder.name == HashingEmbedder().name
    kept = first_runs(str(path), 2).retrieve(
        ExperienceQuery('put it away', limit=16, token_budget=10**6)
    )
    assert {one.run_id for one in kept} == {'a', 'b'}


def test_what_a_planner_raises_is_told_with_where_it_was():
    def broken(text, options):
        raise ZeroDivisionError('by hand')

    entry = ModelEntry.model_validate({'name': 'x'})
    runner = EpisodeRunner({'m': entry}, Limits(9, 9), load=lambda *_: PolicyModel(broken))
    found = runner.run(replace(CELL, memory='none', preset='published'), 'x')
    assert found.reason.startswith('ZeroDivisionError at ') and 'by hand' in found.reason


def writes(*plan):
    """A model that writes this plan, whole or step by step; votes for A."""

    def policy(text, options):
        if options:
            return options[0]
        if text.endswith('Answer:'):
            return ' A'
        written = text.rpartition('Your task is to: ')[2]
        if text.endswith('Act:'):
            return f' {plan[min(written.count("Act:"), len(plan)) - 1]}\n'
        numbers = [line for line in written.splitlines() if line[:1].isdigit()]
        return '\n'.join(plan[len(numbers) - 1 :])

    return lambda *_, **__: PolicyModel(policy)


@pytest.mark.parametrize(
    ('planner', 'preset', 'ended', 'corrections'),
    [
        ('zero_shot', 'published,plans.step_samples=1', 'failure', 0),
        ('iterative', 'published', 'failure', 0),
        ('tree_planner', 'published,plans.corrections=0,plans.samples=2', 'failure', 0),
        ('local_replan', 'published', 'success', 1),
    ],
)
def test_a_step_that_fits_no_skill_is_a_failed_step_though_no_robot_was_asked(
    planner, preset, ended, corrections
):
    # No cupcake is in sight, so that nothing can be sent.
    load = writes('go to kitchen', 'pick up cupcake', 'done')
    row, _ = carry_out(
        model='x', load=load, planner=planner, preset=preset, memory='none', most=60
    )
    assert (row.ended, row.steps, row.failed_steps) == (ended, 1, 1)
    assert row.corrections == corrections
    assert not executed(row)


def test_a_run_that_gives_up_at_a_failed_step_has_corrected_nothing():
    load = writes('go to kitchen', 'pick up cupcake', 'pick up cupcake', 'done')
    row, _ = carry_out(
        model='x',
        load=load,
        planner='local_replan',
        preset='published,plans.corrections=1',
        memory='none',
        most=60,
    )
    assert (row.ended, row.failed_steps, row.corrections) == ('failure', 2, 1)
