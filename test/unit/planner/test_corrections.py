"""What people say while a run is under way, in the household world, without a model."""

from __future__ import annotations

from dataclasses import replace

import pytest

from reactree_core.errors import CanceledError, LimitReached
from reactree_core.observation import Observation
from reactree_core.permission.hazards import NO_HAZARDS
from reactree_core.permission.monitor import Held
from reactree_core.permission.rules import Rules
from reactree_core.record.events import Decision, DecisionKind
from reactree_core.record.journal_lines import Answer, decode_event, encode_event
from reactree_core.record.run_settings import Limits
from reactree_core.record.snapshot import AgentTree, reduce_events
from reactree_planner.prompting import reactree_prompt as prompt
from reactree_tools.traces import audited
from sim_bridge.in_process_skill_server import InProcessSkillServer
from support.moved_things import moved_to
from support.told_run import Told
from support.watched_warehouse import warehouse

TASK = 'Bring the apple to the kitchen table.'


def test_one_thing_more_is_brought_too():
    told = Told(TASK, {2: ['and a plate too']})
    assert told.go()
    ending = told.run.aims.ending
    assert set(ending.verified) == {'apple in kitchen table', 'plate in kitchen table'}
    assert ending.is_verified
    assert told.corrections() == [
        ('and a plate too', ('apple in kitchen table; plate in kitchen table',))
    ]
    assert told.decisions(DecisionKind.CORRECT)[0].approver == 'the cook'


def test_what_was_done_stays_done():
    task = 'Bring the apple to the kitchen table, then turn on the tv.'
    told = Told(task, {5: ['leave the tv']})
    assert told.go()
    assert told.server.executed[-1] == 'put down apple 1'
    assert 'turn on tv 1' not in told.server.executed
    # It was not the apple's turn again, either.
    assert told.server.executed.count('pick up apple 1') == 1


def test_another_place_is_gone_to():
    told = Told(TASK, {3: ['no, to the sofa']})
    assert told.go()
    assert told.run.aims.ending.verified == ('apple in sofa',)


def test_a_prohibition_holds_before_the_next_skill_and_those_before_stay():
    told = Told(f'{TASK} Never open the fridge.', {2: ['and never touch the wine glass']})
    assert told.go()
    must_not = told.run.tree.must_not
    assert set(must_not) == {'open fridge', 'touch wine glass'}
    before, after = told.decisions(DecisionKind.FORBID)
    assert before.subgoals == ('open fridge',)
    assert set(after.subgoals) == set(must_not)
    assert told.run.world.rules.objection('open fridge 1')
    assert told.run.world.rules.objection('pick up wine glass 1')


def test_what_is_forbidden_now_is_not_done_although_it_was_about_to_be():
    told = Told(TASK, {2: ["don't touch the apple"]})
    assert told.go()
    assert 'pick up apple 1' not in told.server.executed
    assert told.run.aims.ending.missing == ()


def test_the_other_one_is_gone_to():
    told = Told('Bring the apple to a kitchen counter.', {4: ['No, the other one']})
    assert told.go()
    first = told.server.executed[3]
    assert first.startswith('go to kitchen counter')
    other = {'go to kitchen counter 1': '2', 'go to kitchen counter 2': '1'}[first]
    assert told.run.aims.ending.verified == (f'apple in kitchen counter {other}',)


@pytest.mark.parametrize('at', [3, 4])
def test_another_one_of_several_is_brought(at):
    told = Told('Bring a plate to the kitchen table.', {at: ['no, another one']})
    assert told.go()
    first = told.server.executed[1].removeprefix('go to ')
    assert first.startswith('plate ')
    assert told.run.aims.ending.verified == (f'plate in kitchen table but for {first}',)
    (brought,) = (one for one in told.server.executed if one.startswith('put down plate'))
    assert brought != f'put down {first}'


def test_wait_stops_before_the_next_skill_until_go_on():
    told = Told(TASK, {2: ['wait', 'leave the apple', 'and a plate too', 'go on']})
    assert told.go()
    waits = told.decisions(DecisionKind.WAIT)
    assert waits and {one.text for one in waits} == {'somebody says "go on"'}
    # What was said while it waited was taken, and nothing was done before "go on".
    texts = [one.text if isinstance(one, Decision) else one.skill for one in told.events]
    numbers = [one.sequence for one in told.decisions(DecisionKind.ACT)]
    assert not any(waits[0].sequence < one < waits[-1].sequence for one in numbers)
    assert 'go on' in texts


def test_no_without_more_waits():
    told = Told(TASK, {2: ['No!', 'go on']})
    assert told.go()
    assert told.decisions(DecisionKind.WAIT)


def test_a_run_that_is_held_can_be_canceled():
    told = Told(TASK, {2: ['wait']})
    hear = told._hear

    def hear_and_cancel(event):
        hear(event)
        if isinstance(event, Decision) and event.kind is DecisionKind.WAIT:
            told.cancel.cancel()

    told.run.events._sink = hear_and_cancel
    with pytest.raises(CanceledError):
        told.go()
    assert told.run.tree.waiting_for == 'somebody says "go on"'


def test_what_is_said_at_the_gate_is_taken_before_the_skill():
    """A person who is asked whether a skill may be done says that it is the wrong one."""

    def gate(decision):
        if decision.skill == 'pick up apple 1' and 'now' not in said:
            said.append('now')
            told.mailbox.say('', 'not the apple, the plate')

    said = []
    told = Told(TASK, gate=gate)
    assert told.go()
    assert 'pick up apple 1' not in told.server.executed
    assert told.run.aims.ending.verified == ('plate in kitchen table',)
    numbers = [one.sequence for one in told.events if isinstance(one, Decision)]
    assert numbers == sorted(set(numbers)), 'no number is given twice, and none back'


@pytest.mark.parametrize('planner', ['reactree', 'react', 'adapt', 'plan_and_execute'])
def test_every_planner_takes_it(planner):
    told = Told(TASK, {2: ['no, to the sofa']}, planner=planner, model='random:1')
    told.go()
    assert told.corrections() == [('no, to the sofa', ('apple in sofa',))]
    assert told.run.aims.conditions[0].text == 'apple in sofa'


def test_what_is_not_read_changes_nothing_and_is_told():
    told = Told(TASK, {2: ['mind the frobnicator']})
    assert told.go()
    ((_, follows),) = told.corrections()
    assert follows[0].startswith('not read, so nothing changes')
    assert told.run.aims.ending.verified == ('apple in kitchen table',)


def test_a_prohibition_in_what_is_not_read_is_kept():
    told = Told(TASK, {2: ['mind the frobnicator. Never open the fridge.']})
    assert told.go()
    assert told.run.tree.must_not == ('open fridge',)


def test_the_model_is_told_what_was_said():
    decides = {}
    said = {1: ['mind the frobnicator']}
    told = Told('Do the frobnication.', said, model='random:1', **decides)
    told.run.events.limits = Limits(decisions=6)
    with pytest.raises(LimitReached):
        told.go()
    assert told.run.tree.corrections[0].startswith('"mind the frobnicator"')
    said = prompt.forbidden((), told.run.tree.corrections)
    assert said.startswith('The person has said since: "mind the frobnicator"')
    # The root began anew, with a prompt that has it.
    looks = [one for one in told.events if isinstance(one, Observation) and not one.skill]
    assert len([one for one in looks if one.node_id == 1]) == 2


@pytest.mark.parametrize(
    'said',
    [
        {},
        {2: ['and a plate too']},
        {2: ['wait', 'go on'], 3: ['no, to the sofa', 'and never touch the plate']},
        {1: ['mind the frobnicator']},
    ],
)
@pytest.mark.parametrize('model', ['none', 'random:3'])
def test_a_record_tells_the_same_as_the_live_run(said, model):
    """The reducer's tree of the events is the live one, also from each snapshot in between."""
    told = Told(TASK, said, model=model)
    told.go()
    live = told.run.tree.snapshot()
    assert reduce_events(told.events) == live
    tree = AgentTree()
    for number, event in enumerate(told.events):
        tree.apply(event)
        again = decode_event(encode_event(event))
        assert again == event
        if number == len(told.events) // 2:
            tree = AgentTree.from_snapshot(tree.snapshot())
    assert tree.snapshot() == live


@pytest.mark.parametrize(
    'said', [{2: ['wait', 'go on', 'and a plate too']}, {3: ['to the sofa instead']}]
)
def test_a_run_is_resumed_behind_any_of_its_records(said):
    whole = Told(TASK, said)
    assert whole.go()
    for length in range(1, len(whole.records) - 1, 3):
        past = tuple(whole.records[:length])
        again = Told(TASK, past=past)
        _catch_up(again, past)
        for text in _not_taken(said, past):
            again.mailbox.say('', text)
        assert again.go(), f'behind record {length}'
        ending = set(again.run.aims.ending.verified)
        assert ending == set(whole.run.aims.ending.verified), f'behind record {length}'


def _catch_up(told, past):
    """Have the world do what was done before the planner ended."""
    for one in past:
        if isinstance(one, Observation) and one.skill and one.skill != 'done':
            told.world.step(one.skill)
            told.server.executed.append(one.skill)


def _not_taken(said, past):
    taken = [one.content['text'] for one in past if isinstance(one, Answer) and one.kind == 'said']
    return [text for texts in said.values() for text in texts if text not in taken]


# What people do to the world meanwhile ------------------------------------------------------


def test_a_thing_that_somebody_takes_away_is_missed_and_another_way_is_found():
    """The apple is taken into another room as the robot reaches for it."""
    told = _with_people(TASK, {2: ('apple', 'sofa')})
    assert told.go()
    failed = [one for one in told.events if isinstance(one, Observation) and not one.succeeded]
    assert [one.skill for one in failed] == ['pick up apple 1']
    assert told.run.aims.ending.verified == ('apple in kitchen table',)


def test_a_thing_that_somebody_takes_back_out_is_brought_again():
    """It is missed as the robot comes back to where it had put it."""
    task = 'Bring the plate to the kitchen table, then bring the apple to the kitchen table.'
    whole = Told(task)
    assert whole.go()
    first = next(n for n, one in enumerate(whole.server.executed, 1) if one.startswith('put down'))
    told = _with_people(task, {first: ('plate', 'sofa')})
    told.go()
    assert told.run.aims.ending.is_verified
    assert told.server.executed.count('put down plate 1') == 2


def test_a_thing_that_somebody_puts_in_place_is_not_fetched():
    """A camera tells it."""
    told = Told('Bring a crate to the rack.', serve=warehouse(crate_1='gate'))
    execute = told.server.execute

    def executed(*arguments):
        told.server.things['crate 2'] = 'rack'
        return execute(*arguments)

    told.server.execute = executed
    assert told.go()
    assert told.server.executed == ['drive to gate']
    assert told.run.aims.ending.verified == ('crate in rack',)


def test_an_audit_checks_what_was_forbidden_meanwhile_from_there_on():
    told = Told(TASK, {3: ['never pick up the apple']})
    told.go()
    assert told.server.executed[2] == 'pick up apple 1'
    run = audited('run', told.records, told.world.vocabulary())
    (found,) = run.findings(Rules(), NO_HAZARDS)
    assert (found.wording, found.held) == ('take apple', Held.YES)
    early = replace(run, said=((run.said[0][0], 0),))
    assert early.findings(Rules(), NO_HAZARDS)[0].held is not Held.YES


class _People(InProcessSkillServer):
    """People move a thing once the robot has done so many skills."""

    def __init__(self, world, moves):
        super().__init__(world)
        self._moves = dict(moves)

    def execute(self, sequence, node_id, skill, cancel):
        done = super().execute(sequence, node_id, skill, cancel)
        moved = self._moves.pop(len(self.executed), None)
        if moved is None:
            return done
        self.world.reset_to(moved_to(self.world.graph(), *moved))
        return done


def _with_people(task, moves):
    return Told(task, serve=lambda world: _People(world, moves))


@pytest.mark.parametrize('at', [1, 2, 3])
def test_what_the_task_depends_on_it_depends_on_after_a_correction_too(at):
    task = 'If the fridge is open, bring an apple to the kitchen table.'
    told = Told(task, {at: ['and a plate too']})
    assert told.go()
    assert told.corrections()[0][1] == (
        'if fridge is open: apple in kitchen table; plate in kitchen table',
    )
    # It is closed.
    assert told.run.aims.ending.verified == ('not so: fridge is open',)
    assert not any(one.startswith('pick up') for one in told.server.executed)
