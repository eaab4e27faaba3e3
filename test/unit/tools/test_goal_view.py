"""What people are shown of a task: its milestones, what was not read, and how it ended."""

from __future__ import annotations

import io
import json
from dataclasses import replace

import pytest

from reactree_core.errors import ConfigurationError
from reactree_core.observation import Vocabulary
from reactree_core.record.goal_record import GoalRecord
from reactree_core.record.snapshot import reduce_events
from reactree_tools.glyphs import ASCII
from reactree_tools.options import TASK_CHARACTERS
from reactree_tools.output import Output
from reactree_tools.task_readings import TaskReadings
from reactree_tools.viewer.frames import FrameMaker
from reactree_tools.viewer.sources import GivenRun
from reactree_tools.viewer.terminal.replay_view import show_record
from reactree_tools.views.goal_view import milestone_texts, milestones, MilestoneState
from reactree_tools.views.statuses import lines_below_task
from reactree_tools.views.transcript import Transcript
from support.goal_run import GERMAN, GOAL, goal_run, WHY
from support.skill_kinds import declared


def shown(events):
    transcript = Transcript(ASCII, 200)
    return [line.plain for event in events for line in transcript.lines(event)]


def test_of_a_milestone_what_is_new_is_told_and_of_one_that_takes_back_all():
    assert milestone_texts(GOAL) == ('crate in truck; pump is on', 'pump is off')
    back = GoalRecord(milestones=('a in b; c is on', 'a in b'))
    assert milestone_texts(back) == ('a in b; c is on', 'a in b')


def test_the_milestones_have_a_state():
    tree = reduce_events(goal_run())
    assert [one.state for one in milestones(tree)] == [MilestoneState.MET, MilestoneState.NEXT]
    begun = reduce_events(goal_run()[:2])
    assert [one.state.value for one in milestones(begun)] == ['next', 'open']
    hint = reduce_events(goal_run(replace(GOAL, acts=False))[:2])
    assert {one.state for one in milestones(hint)} == {MilestoneState.NOT_FOLLOWED}


def test_all_of_the_reading_stands_there_before_anything_moves_and_a_milestone_when_it_is_met():
    lines = shown(goal_run())
    acts = next(place for place, line in enumerate(lines) if 'load crate' in line and '|' in line)
    told = '\n'.join(lines[:acts])
    assert 'means: crate in truck; pump is on; then pump is off' in told
    assert 'taken from: crate from dock' in told
    assert '! not read: "for uncle"' in told
    assert 'milestone 1 of 2 is met: crate in truck; pump is on' in '\n'.join(lines[acts:])


def test_what_was_not_read_is_said_once_also_when_it_comes_late():
    events = goal_run(GERMAN)
    late = [events[0], events[2], events[1], *events[3:]]
    for order in (goal_run(), events, late):
        assert '\n'.join(shown(order)).count('! not ') == 1


def test_a_language_that_is_not_read_gets_its_sentence():
    told = '\n'.join(shown(goal_run(GERMAN)))
    assert 'not understood: it seems to be German, which the grammar does not know' in told


def test_what_stands_below_a_tree_tells_the_next_milestone():
    told = [line.plain for line in lines_below_task(reduce_events(goal_run()))]
    assert 'milestones: 1 of 2 met; next: pump is off' in told
    assert 'not read: "for uncle"' in told


@pytest.mark.parametrize('end', [WHY, 'verified'])
def test_a_record_tells_whether_its_end_is_verified(end):
    written = io.StringIO()
    show_record(GivenRun('a' * 32, goal_run(end=end)), Output(True, written, written))
    assert f'succeeded, {end}' in written.getvalue()


def test_frames_tell_the_same():
    maker = FrameMaker()
    frames = [json.loads(json.dumps(maker.frame(event))) for event in goal_run()]
    run = frames[-1]['run']
    assert run['milestones'] == [['crate in truck; pump is on', 'met'], ['pump is off', 'next']]
    assert run['unread'] == 'not read: "for uncle"' and run['sources'] == ['crate from dock']
    assert run['result'] == f'succeeded, {WHY}'
    late = FrameMaker().adopt(maker.tree.snapshot())
    assert late['run']['milestones'] == run['milestones']


def names(*things):
    return declared(Vocabulary(('put down <object>', 'open <object>'), things, ('raft', 'chest')))


def test_a_task_is_read_with_the_names_of_the_moment():
    known = [names('rope')]
    readings = TaskReadings(lambda: known[-1])
    assert readings.read('Open the raft.')['whole']
    assert not readings.read('Put the kayak on the raft.')['whole']
    known.append(names('rope', 'kayak'))
    told = readings.read('Put the kayak on the raft.')
    assert told['milestones'] == [['kayak in raft']] and told['whole'] and not told['answer']
    assert readings.read('Is the raft open?')['answer'].startswith('This is a question')
    with pytest.raises(ConfigurationError, match='2,001'):
        readings.read('a' * (TASK_CHARACTERS + 1))
