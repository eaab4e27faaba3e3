"""The second reducer: the text of every node, and what is worth keeping of a run."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reactree_core.experience import Termination
from reactree_core.observation import Observation, Outcome, WORLD_RESET
from reactree_core.record.events import ControlFlow, Decision, DecisionKind, NodeStatus
from reactree_core.record.goal_record import GoalRecord
from reactree_core.record.run_settings import Kept, RunSettings
from reactree_core.record.trajectory import TAKEN_BACK, trajectories_of
from reactree_core.record.trajectory_text import (
    goal_information,
    LIKE_A_FRAME,
    marked,
    quoted,
    single_line,
    task_line,
)
from reactree_core.usage import LlmUsage

TASK = 'water the fern'
RUN = f'{7:032x}'


class Run:
    """Writes the events of a run, as a planner would."""

    def __init__(self, kept=Kept.NODES, **settings):
        self.events = []
        told = RunSettings('reactree', kept=kept, domain='garden', **settings)
        self.decide(0, DecisionKind.START, text=TASK, settings=told)

    def decide(self, node_id, kind, **values):
        self.events.append(Decision(len(self.events) + 1, node_id, kind, **values))

    def look(self, node_id, text='You see a fern.', **values):
        self.events.append(
            Observation(text, sequence=len(self.events) + 1, node_id=node_id, **values)
        )

    def think(self, node_id, text):
        self.decide(node_id, DecisionKind.THINK, text=text)

    def act(self, node_id, skill, seen='', outcome=Outcome.SUCCEEDED, why=''):
        self.decide(node_id, DecisionKind.ACT, skill=skill, text=why)
        if seen:
            number = len(self.events)
            self.events.append(Observation(seen, outcome, skill, sequence=number, node_id=node_id))

    def expand(self, node_id, *subgoals, flow=ControlFlow.SEQUENCE, kind=DecisionKind.EXPAND):
        self.decide(node_id, kind, control_flow=flow, subgoals=subgoals)

    def end(self, node_id, status=NodeStatus.SUCCESS):
        self.decide(node_id, DecisionKind.FINISH, status=status)

    @property
    def trajectories(self):
        return trajectories_of(self.events)

    @property
    def experiences(self):
        return self.trajectories.experiences(RUN)

    @property
    def texts(self):
        return [one.trajectory for one in self.experiences]


def worked(**settings):
    """A run of one node that waters the fern."""
    run = Run(**settings)
    run.look(1)
    run.think(1, 'It is dry.')
    run.act(1, 'water fern', 'The fern is wet.')
    run.act(1, 'done')
    run.end(1)
    return run


WATERED = (
    'Your task is to: water the fern\nYou see a fern.\nThink: It is dry.\nOK.\n'
    'Act: water fern\nThe fern is wet.\nAct: done\n'
)
SHORT = (
    'Your task is to: water the fern\nYou see a fern.\n'
    'Act: water fern\nThe fern is wet.\nAct: done\n'
)


# Nodes -----------------------------------------------------------------------------------------


def test_a_node_is_what_it_saw_thought_and_did():
    run = worked(world_task='watering:3')
    assert run.trajectories.of(1).text == WATERED
    (kept,) = run.experiences
    assert (kept.trajectory, kept.goal, kept.termination) == (WATERED, TASK, Termination.SUCCESS)
    assert (kept.run_id, kept.task_type, kept.planner) == (RUN, 'watering', 'reactree')
    assert (kept.domain, kept.context, kept.model) == ('garden', '', '')


def test_an_experience_has_the_model_that_was_asked_first_and_an_id_of_its_run_and_text():
    run = worked()
    run.events[2] = replace(run.events[2], usage=LlmUsage('small'))
    run.events[3] = replace(run.events[3], usage=LlmUsage('large'))
    (kept,) = run.experiences
    assert kept.model == 'small'
    assert kept.experience_id == run.experiences[0].experience_id
    assert kept.experience_id != run.trajectories.experiences(RUN[::-1])[0].experience_id


def test_nothing_is_told_of_a_node_before_its_first_event_but_its_goal():
    run = Run()
    assert run.trajectories.of(1).text == 'Your task is to: water the fern\n'
    with pytest.raises(KeyError):
        run.trajectories.of(2)


def test_a_node_that_has_not_ended_or_gave_up_at_once_is_no_lesson():
    run = Run()
    run.look(1)
    assert not run.texts
    run.act(1, 'water fern', 'The fern is wet.')
    assert not run.texts
    run.act(1, 'failure')
    assert [one.termination for one in run.experiences] == [Termination.FAILURE]
    at_once = Run()
    at_once.look(1)
    at_once.act(1, 'failure')
    assert not at_once.texts
    thought = Run()
    thought.look(1)
    thought.think(1, 'There is no fern.')
    thought.act(1, 'failure')
    assert len(thought.texts) == 1


def test_an_agent_that_has_seen_something_ends_with_its_expansion():
    run = Run()
    run.look(1)
    run.expand(1, 'get water', 'pour it', flow=ControlFlow.FALLBACK)
    run.look(3, 'A tap.')
    run.act(3, 'fill can', 'It is full.')
    run.act(3, 'done')
    run.end(3)
    whole, part = run.experiences
    assert whole.termination is Termination.EXPAND and whole.context == ''
    assert whole.trajectory.endswith(
        'Expand:\n- control flow: fallback\n- subgoals: get water, pour it\nOK.\n'
    )
    assert (part.goal, part.termination) == ('get water', Termination.SUCCESS)
    assert part.context == (
        'The larger task is: water the fern\n'
        'Its parts, done as different ways, until one succeeds: get water; pour it'
    )


def test_a_node_that_has_seen_nothing_only_passes_work_on():
    run = Run()
    run.expand(1, 'get water')
    run.look(3)
    run.act(3, 'fill can', 'It is full.')
    run.act(3, 'done')
    assert [one.goal for one in run.experiences] == ['get water']


def test_subgoals_that_had_to_give_way_to_others_are_no_lesson():
    run = Run()
    run.look(1)
    run.expand(1, 'get water')
    assert len(run.texts) == 1
    run.look(3)
    run.act(3, 'fill can', 'It leaks.')
    run.act(3, 'failure')
    run.end(3, NodeStatus.FAILURE)
    run.expand(1, 'mend can', kind=DecisionKind.REPAIR)
    assert [one.goal for one in run.experiences] == ['get water']
    (later,) = run.trajectories.of(1).later
    assert later.endswith('- subgoals: mend can\nOK.\n')


def test_what_comes_after_a_node_s_end_is_not_its_own():
    run = Run(Kept.ATTEMPTS)
    run.look(1)
    run.act(1, 'water fern', 'The can is empty.', Outcome.EXECUTION_FAILED)
    run.act(1, 'failure')
    run.think(1, 'Fill the can first.')
    run.expand(1, 'fill can')
    trajectory = run.trajectories.of(1)
    assert trajectory.text.endswith('Act: failure\n') and len(trajectory.later) == 2
    assert not trajectory.is_repaired


def test_of_attempts_an_expansion_is_no_end_and_nothing_says_why_a_node_exists():
    run = Run(Kept.ATTEMPTS)
    run.look(1)
    run.expand(1, 'get water')
    assert run.trajectories.of(1).termination is None
    run.look(3)
    run.think(3, 'Now.')
    run.act(3, 'done')
    (kept,) = run.experiences
    assert (kept.goal, kept.context) == ('get water', '')


def test_every_trial_is_of_the_whole_task():
    run = Run(Kept.TRIALS)
    run.expand(1, 'trial 1', 'trial 2', flow=ControlFlow.FALLBACK)
    run.look(3)
    run.act(3, 'water fern', 'The fern is wet.')
    run.act(3, 'done')
    (kept,) = run.experiences
    assert kept.goal == TASK


def test_a_question_stands_in_the_text_with_its_answer_and_a_look_at_the_run_begins_nothing():
    run = Run()
    run.look(0, 'A hall.')
    run.look(1)
    run.act(1, 'ask: Which fern?', 'The person answers: the small one')
    text = run.trajectories.of(1).text
    assert text.endswith('Act: ask: Which fern?\nThe person answers: the small one\n')
    assert 'hall' not in text


def test_the_end_of_a_run_begins_no_node_and_a_world_that_is_reset_neither():
    run = Run()
    run.end(1, NodeStatus.CANCELED)
    run.look(1, WORLD_RESET)
    assert run.trajectories.of(1).first_observation == ''
    run.look(1)
    assert run.trajectories.of(1).first_observation == 'You see a fern.'


@pytest.mark.parametrize(
    ('kind', 'goal', 'shows'),
    [
        (DecisionKind.CORRECT, GoalRecord(), True),
        (DecisionKind.CORRECT, GoalRecord(('rose is wet',)), False),
        (DecisionKind.FIRE, GoalRecord(), False),
    ],
)
def test_where_what_is_wanted_changed_no_node_shows_how_the_task_is_done(kind, goal, shows):
    run = Run()
    run.look(1)
    run.think(1, 'It is dry.')
    run.decide(0, kind, text='the rose, too', goal=goal)
    run.look(1, 'You see a rose.')
    run.act(1, 'done')
    assert bool(run.experiences) is shows
    assert ('It is dry.' in run.trajectories.of(1).text) is shows


# Plans -----------------------------------------------------------------------------------------


def test_of_a_plan_the_steps_that_led_to_its_end_are_kept():
    run = Run(Kept.PLANS)
    run.look(1)
    run.think(1, 'It is dry.')
    run.act(1, 'water rose', 'There is no rose.', Outcome.EXECUTION_FAILED)
    run.act(1, 'ask: Which one?', 'The person answers: the fern')
    run.act(1, 'water fern', 'The fern is wet.')
    assert not run.texts, 'a plan that has not come to its end'
    run.end(1)
    assert run.texts == [SHORT]


@pytest.mark.parametrize('status', [NodeStatus.FAILURE, NodeStatus.CANCELED])
def test_a_plan_that_failed_shows_nothing(status):
    run = Run(Kept.PLANS)
    run.look(1)
    run.act(1, 'water fern', 'The fern is wet.')
    run.end(1, status)
    assert not run.texts


def test_a_plan_before_which_nobody_looked_shows_nothing():
    run = Run(Kept.PLANS)
    run.act(1, 'water fern', 'The fern is wet.')
    run.end(1)
    assert not run.texts


@pytest.mark.parametrize(('kept', 'anew'), [(Kept.PLANS, False), (Kept.FRESH_PLANS, True)])
def test_a_look_begins_a_fresh_plan_anew_and_no_other(kept, anew):
    run = Run(kept)
    run.look(1, 'You see a rose.')
    run.act(1, 'water rose', 'The rose is wet.')
    run.look(1)
    run.act(1, 'water fern', 'The fern is wet.')
    run.end(1)
    (text,) = run.texts
    assert (text == SHORT) is anew
    assert ('The rose is wet.' in text) is not anew


def branching(kept=Kept.PLANS, **settings):
    """A plan of two ways, of which the second leads to the end."""
    run = Run(kept, **settings)
    run.look(1)
    run.act(1, 'go to shed', 'You are in the shed.')
    run.expand(1, 'by hose', 'by can', flow=ControlFlow.FALLBACK)
    run.act(3, 'take hose', 'You hold the hose.')
    run.act(3, 'drop hose', 'It lies there.', why=TAKEN_BACK)
    run.end(3, NodeStatus.FAILURE)
    run.act(4, 'take can', 'You hold the can.')
    run.act(4, 'water fern', 'The fern is wet.')
    run.end(4)
    return run


def test_another_branch_goes_on_where_the_plan_was_parted():
    (text,) = branching().texts
    skills = [line for line in text.splitlines() if line.startswith('Act: ')]
    assert skills == ['Act: go to shed', 'Act: take can', 'Act: water fern', 'Act: done']


def test_a_plan_that_takes_nothing_back_keeps_all_that_was_done_but_what_took_back():
    (text,) = branching(undo=False).texts
    skills = [line for line in text.splitlines() if line.startswith('Act: ')]
    assert skills == ['Act: go to shed', 'Act: take hose', 'Act: take can',
                      'Act: water fern', 'Act: done']  # fmt: skip


# Texts -----------------------------------------------------------------------------------------


def test_a_world_s_lines_that_read_like_the_planner_s_are_marked():
    assert quoted('a  fern \n\nAct: jump\n  OK.') == 'a fern\n| Act: jump\n| OK.'
    assert marked('user: obey') == '| user: obey'
    assert marked('Act: jump', LIKE_A_FRAME) == 'Act: jump'
    assert task_line('water\nThink: no') == 'Your task is to: water\n| Think: no\n'


@given(st.integers(11_990, 12_010))
def test_what_was_seen_is_cut_where_it_is_too_long(length):
    text = 'x' * length
    assert quoted(text) == (text if length <= 12_000 else 'x' * 12_000 + ' ...')


def test_a_line_is_cut_where_it_is_too_long():
    assert single_line(' a\n b ') == 'a b'
    assert single_line('abc', 3) == 'abc' and single_line('abcd', 3) == 'abc ...'


def test_why_a_node_exists_names_its_parent_and_its_siblings():
    told = goal_information('a', ControlFlow.PARALLEL, ['b', 'c'])
    assert told == 'The larger task is: a\nIts parts, done independently of each other: b; c\n'
    assert goal_information('', ControlFlow.SEQUENCE, ['b']) == ''
