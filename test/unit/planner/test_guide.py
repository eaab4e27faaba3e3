"""Who decides: facts, where a task was read whole, and the model for everything else."""

from __future__ import annotations

import pytest

from reactree_core.observation import Observation
from reactree_core.permission.rules import Rules
from reactree_core.permission.rules_file import RuleEntry
from reactree_core.record.events import ControlFlow, Decision, DecisionKind, NodeStatus
from reactree_planner.runs.settings import Decides, Guards, PlannerSettings
from support.policies import prefer

BRING = 'bring the apple to the table'
WAY = (
    'go to kitchen 1',
    'go to fridge 1',
    'open fridge 1',
    'pick up apple 1',
    'go to bedroom 1',
    'go to table 1',
    'put down apple 1',
)
PLANNERS = ('reactree', 'react', 'adapt', 'agentbench', 'alfchat')
ASKED = PlannerSettings(decides=Decides.MODEL)


def nobody(text, options):
    raise AssertionError(f'the model was asked: {text[-200:]}')


def decisions(events, kind):
    return [event for event in events if isinstance(event, Decision) and event.kind is kind]


@pytest.mark.parametrize('planner', PLANNERS)
def test_a_task_that_is_read_whole_is_done_without_a_model(plan, planner):
    success, run, home, events, _ = plan(BRING, nobody, planner=planner)
    assert success and home.executed == list(WAY)
    assert run.budget.usage.requests == 0
    acts = decisions(events, DecisionKind.ACT)
    assert all(act.text and act.is_unasked for act in acts)
    assert (run.aims.ending.missing, run.aims.ending.unread) == ((), ())


def test_milestones_are_noted_in_their_order(plan):
    task = 'open the fridge. Then put the apple on the table. Then close the fridge.'
    success, run, home, events, _ = plan(task, nobody)
    assert success and home.apple == 'table 1' and not home.open
    noted = decisions(events, DecisionKind.MILESTONE)
    assert [event.subgoals for event in noted] == [
        ('fridge is open',),
        ('fridge is open', 'apple in table'),
        ('apple in table', 'fridge is closed'),
    ]
    # Each as soon as it holds: before what comes next is begun.
    done = [event.skill for event in events if isinstance(event, Observation) and event.skill]
    places = [events.index(event) for event in noted]
    by_then = [
        [e.skill for e in events[:place] if isinstance(e, Observation)][-1] for place in places
    ]
    assert by_then == ['open fridge 1', 'put down apple 1', 'close fridge 1']
    assert done.count('open fridge 1') == 1
    # The first was undone on purpose, and counts as met.
    assert run.aims.ending.missing == ()


def test_a_task_that_is_read_in_part_asks_the_model(plan):
    task = f'{BRING} and sing a merry song'
    _, run, home, events, _ = plan(task, prefer('Act:', 'go to kitchen 1'))
    assert run.budget.usage.requests > 0 and home.executed == ['go to kitchen 1']
    assert not decisions(events, DecisionKind.MILESTONE)
    assert any('song' in phrase for phrase in run.aims.ending.unread)
    assert not run.aims.ending.holds


def test_the_model_may_end_a_task_that_was_read_in_part_and_what_was_not_read_is_told(plan):
    task = f'{BRING} and sing a merry song'
    success, run, home, _, offered = plan(task, prefer('Act:', 'done'))
    assert success and home.executed == []
    assert any('done' in names for names in offered)
    assert run.aims.ending.unread and not run.aims.ending.is_verified
    assert run.aims.ending.missing == ()


def test_done_is_refused_while_a_whole_reading_is_missing(plan):
    """Facts do not lead the parts that the model has written; it may not end the task before."""
    policy = prefer('done', 'failure')
    success, run, _, _, _ = plan(BRING, policy, PlannerSettings(), planner='zero_shot')
    assert not success
    assert run.tree.node(1).status is NodeStatus.FAILURE
    assert run.aims.ending.missing == ('apple in table',)


def test_where_the_model_decides_nothing_is_done_without_it(plan):
    way = prefer('Act:', *WAY, 'done')
    success, _, home, events, offered = plan(BRING, way, ASKED)
    assert success and home.executed == list(WAY)
    acts = decisions(events, DecisionKind.ACT)
    assert not any(act.text or act.is_unasked for act in acts)
    chosen = [names for names in offered if 'failure' in names]
    assert len(chosen) == len(acts)
    # It may say `done` at once; the run is no success for that, but as published it is.
    assert 'done' in chosen[0]
    success, run, home, _, _ = plan(BRING, prefer('Act:', 'done'), ASKED)
    assert not success and home.executed == []
    assert run.tree.node(1).detail == 'Not done yet: apple in table.'
    published = PlannerSettings(decides=Decides.MODEL, guards=Guards.none())
    success, _, home, _, _ = plan(BRING, prefer('Act:', 'done'), published)
    assert success and home.executed == []


def test_what_cannot_be_reached_ends_early_and_says_why(plan):
    success, run, home, events, _ = plan('put the apple on the table', nobody, permission=SHUT)
    assert not success
    assert run.tree.decisions < 15
    (ended,) = decisions(events, DecisionKind.FINISH)
    assert ended.status is NodeStatus.FAILURE and ended.text
    assert ended.text == run.tree.node(1).detail
    assert 'open fridge 1' not in home.executed
    success, run, home, events, _ = plan('open the fridge', nobody, permission=SHUT)
    assert not success and not home.executed
    assert 'open fridge' in run.tree.node(1).detail and 'forbidden' in run.tree.node(1).detail


SHUT = Rules((RuleEntry(name='shut', skills='open *', decide='deny').rule,))


def test_a_forbidden_skill_is_never_taken(plan):
    for task in (BRING, 'open the fridge', f'{BRING} without opening the fridge'):
        permission = SHUT if 'without' not in task else Rules()
        success, _, home, events, _ = plan(task, nobody, permission=permission)
        assert not success and 'open fridge 1' not in home.executed
        assert not [e for e in events if getattr(e, 'skill', '') == 'open fridge 1']


def test_a_subgoal_of_the_model_that_reads_whole_is_led_by_facts(plan):
    written = []

    def policy(text, options):
        if options is None:
            if text.endswith('- subgoals:'):
                written.append(text)
                return ' open the fridge, put the apple on the table'
            return 'I plan.'
        names = [option.strip() for option in options]
        return names.index('Expand:') if 'Expand:' in names else names.index('sequence')

    task = 'make my friend Tom happy'
    success, _, home, events, offered = plan(task, policy)
    assert success and home.executed == list(WAY) and len(written) == 1
    (expansion,) = decisions(events, DecisionKind.EXPAND)
    assert expansion.subgoals == ('open the fridge', 'put the apple on the table')
    assert expansion.control_flow is ControlFlow.SEQUENCE
    # It was asked to expand, for the flow and for the subgoals; for no skill.
    assert not any('failure' in names for names in offered)
    assert all(act.is_unasked for act in decisions(events, DecisionKind.ACT))


def test_a_subgoal_that_cannot_be_done_is_refused_with_the_reason(plan):
    told = []

    def policy(text, options):
        if options is None:
            if '- subgoals:' not in text:
                return 'I plan.'
            told.append(text)
            return ' find it' if 'cannot be done' in text else ' open the fridge, find it'
        names = [option.strip() for option in options]
        wanted = [one for one in ('Expand:', 'sequence', 'failure') if one in names]
        return names.index(wanted[0]) if wanted else 0

    _, _, _, events, _ = plan('make my friend Tom happy', policy, permission=SHUT)
    expansion = decisions(events, DecisionKind.EXPAND)[0]
    assert expansion.subgoals == ('find it',)
    assert 'This cannot be done: open the fridge (' in told[1] and 'forbidden' in told[1]


def test_a_goal_that_holds_already_is_done_without_a_skill(plan, small_home):
    small_home.open = True
    small_home.place = small_home.room = 'kitchen 1'
    success, _, home, _, _ = plan('open the fridge', nobody, home=small_home)
    assert success and home.executed == []


def test_what_is_held_is_brought_to_a_closed_place_by_opening_it(plan, small_home):
    small_home.held, small_home.apple = ('apple 1',), 'agent 1'
    success, _, home, _, _ = plan('put the apple in the fridge', nobody, home=small_home)
    assert success and 'open fridge 1' in home.executed
    assert home.apple == 'fridge 1'


def test_a_skill_that_people_refuse_is_not_asked_for_again(plan):
    asked = []

    def gate(decision):
        if decision.skill == 'open fridge 1':
            asked.append(decision)
            return '"open fridge 1" was refused: not now.'
        return None

    success, run, home, _, _ = plan(BRING, nobody, gate=gate)
    assert not success and len(asked) == 1
    assert 'open fridge 1' not in home.executed
    assert run.aims.ending.missing == ('apple in table',)


def test_without_a_reading_the_model_decides(plan):
    settings = PlannerSettings(guards=Guards(ground_words=False))
    way = prefer('Act:', *WAY, 'done')
    success, run, _, events, _ = plan(BRING, way, settings)
    assert success and run.budget.usage.requests > 0
    assert not any(act.is_unasked for act in decisions(events, DecisionKind.ACT))
