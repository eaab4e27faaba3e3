"""The action of a skill server: which goals it takes, what it answers, and what is never done."""

from __future__ import annotations

import uuid
from types import SimpleNamespace

import pytest
from action_msgs.msg import GoalStatus
from builtin_interfaces.msg import Duration
from rclpy.action import GoalResponse
from rclpy.task import Future
from unique_identifier_msgs.msg import UUID

from reactree_core.observation import ObjectFact, Observation, Outcome
from reactree_core.skill_types import SkillType
from reactree_ros.action import ExecuteSkill
from skill_server.ros import skill_action
from skill_server.ros.skill_action import SkillAction
from skill_server.ros.status import BridgeState, StatusBoard

RUN = uuid.UUID(int=7)
TYPES = (SkillType('open <place>'), SkillType('pour <number> ml', ('number: 0..300 ml',)))


class Handle:
    """A goal as its server sees it."""

    def __init__(self, goal):
        self.request, self.ended = goal, None
        self.is_cancel_requested = False
        self.is_active = True
        self.status = GoalStatus.STATUS_ACCEPTED

    def _end(self, how):
        assert self.ended is None
        self.ended = how

    def succeed(self):
        self._end('succeeded')

    def canceled(self):
        self._end('canceled')

    def abort(self):
        self._end('aborted')

    def publish_feedback(self, feedback):
        pass


class Stage:
    """A skill server whose doer waits until the tests say what came of a skill."""

    last = Observation('before')
    types = TYPES

    def __init__(self, node, monkeypatch, play):
        self.node, self.play = node, play
        self.done, self.outcomes = [], []
        self.refused = self.breaks = None
        self.recorded = []
        self.begun = []
        self.server = None
        monkeypatch.setattr(skill_action, 'ActionServer', self._serve)
        monkeypatch.setattr(skill_action, 'begin', self.begun.append)
        self.board = StatusBoard(node, None)
        self.settings = SimpleNamespace(skill_time_limit=30.0)
        self.action = SkillAction(node, None, self, self.board, self.settings, self)
        self.action.serve()

    def _serve(self, node, kind, name, *callbacks, **options):
        self.server = SimpleNamespace(
            **dict(zip(('execute', 'consider', 'cancel', 'may_cancel', 'accept'), callbacks,
                       strict=True))
        )  # fmt: skip

    # The doer

    async def perform(self, run, skill):
        self.done.append(skill)
        self.run = run
        if self.breaks is not None:
            raise self.breaks
        self.answer = Future()
        await run.wait_for(self.answer)
        if run.stopped is not None:
            return Observation(f'It {run.ending}.', run.stopped, skill)
        return self.answer.result()

    def unchanged(self, skill, outcome, text):
        return Observation(text, outcome, skill)

    # The guard

    def refusal(self, run_id, skill, approved, last, types):
        self.asked = run_id, skill, approved, last, types
        return self.refused

    def record(self, run_id, observation, seconds):
        self.recorded.append((run_id, observation, seconds))

    # Goals

    def accept(self, skill='open fridge 1', sequence=1, run=RUN, limit=0, **options):
        goal = ExecuteSkill.Goal(
            skill=skill, sequence=sequence, node_id=4, time_limit=Duration(sec=limit), **options
        )
        if run is not None:
            goal.run_id = UUID(uuid=list(run.bytes))
        handle = Handle(goal)
        self.server.accept(handle)
        return handle

    def execute(self, handle):
        return self.play(self.server.execute(handle))

    def do(self, answer=None, **options):
        """A goal from its begin to its end; what came of it."""
        handle = self.accept(**options)
        executing = self.execute(handle)
        if not executing.over:
            self.answer.set_result(answer or Observation('It is open.', skill='open fridge 1'))
            executing.go_on()
        assert executing.over
        return handle.ended, executing.answer.observation

    def consider(self, skill='open fridge 1'):
        return self.server.consider(ExecuteSkill.Goal(skill=skill)) is GoalResponse.ACCEPT


@pytest.fixture
def stage(node, monkeypatch, play):
    return Stage(node, monkeypatch, play)


def outcome(message):
    return Outcome(message.outcome)


def test_a_skill_is_done_and_answered(stage):
    assert stage.consider()
    ended, observation = stage.do()
    assert ended == 'succeeded' and observation.text == 'It is open.'
    assert (observation.skill, observation.sequence, observation.node_id) == (
        'open fridge 1',
        1,
        4,
    )
    assert bytes(observation.run_id.uuid) == RUN.bytes
    assert stage.done == ['open fridge 1'] and stage.run.over
    assert stage.board.state is BridgeState.READY and not stage.node.timers[1:]
    run_id, recorded, seconds = stage.recorded[0]
    assert run_id == RUN.hex and recorded.text == 'It is open.' and 0.0 <= seconds < 60.0


def test_it_is_busy_while_a_skill_runs_and_takes_no_other(stage):
    handle = stage.accept()
    executing = stage.execute(handle)
    assert stage.board.state is BridgeState.BUSY
    assert stage.board.sentence == 'BUSY: open fridge 1'
    assert not stage.consider('open shelf 1') and stage.action.rejected == 1
    assert any('BUSY: open fridge 1' in one for one in stage.node.logged)
    stage.answer.set_result(Observation('done'))
    executing.go_on()
    assert stage.consider('open shelf 1') and stage.action.rejected == 1


def test_a_second_goal_that_was_accepted_at_once_is_not_done(stage):
    first = stage.accept()
    executing = stage.execute(first)
    second = stage.accept('open shelf 1', sequence=2)
    refused = stage.execute(second)
    assert refused.over and second.ended == 'aborted' and len(stage.done) == 1
    assert outcome(refused.answer.observation) is Outcome.PRECONDITION_FAILED
    assert 'another skill is running' in refused.answer.observation.text
    assert not stage.server.may_cancel(SimpleNamespace(status=GoalStatus.STATUS_EXECUTING))
    assert not executing.over and stage.board.is_busy


def test_no_skill_is_done_twice(stage):
    _, first = stage.do()
    ended, again = stage.do()
    assert stage.done == ['open fridge 1'] and ended == 'succeeded'
    assert again.text == first.text and len(stage.recorded) == 1
    stage.do(sequence=2)
    assert len(stage.done) == 2


def test_a_failed_skill_is_answered_from_memory_too(stage):
    failed = Observation('It is locked.', Outcome.EXECUTION_FAILED)
    assert stage.do(failed)[0] == 'aborted'
    ended, again = stage.do()
    assert ended == 'aborted' and again.text == 'It is locked.' and len(stage.done) == 1


def test_a_number_stands_for_one_skill(stage):
    stage.do()
    ended, told = stage.do(skill='open shelf 1')
    assert ended == 'aborted' and outcome(told) is Outcome.INVALID_SKILL
    assert 'take a new number' in told.text and len(stage.done) == 1


def test_outside_a_run_skills_are_done_again(stage):
    stage.do(run=None)
    stage.do(run=None)
    assert len(stage.done) == 2


@pytest.mark.parametrize(
    ('skill', 'said'),
    [
        ('  ', 'is empty'),
        ('open ' + 'x' * 4000, 'bytes'),
        ('pour 301 ml', '0 to 300 ml'),
        ('pour much ml', 'a number'),
    ],
)
def test_what_is_no_skill_is_refused_before_anything_is_asked(stage, skill, said):
    ended, told = stage.do(skill=skill)
    assert ended == 'aborted' and outcome(told) is Outcome.INVALID_SKILL
    assert said in told.text and not stage.done and not stage.recorded
    assert stage.board.state is BridgeState.READY


def test_what_a_rule_forbids_is_not_done(stage):
    stage.refused = SimpleNamespace(reason='Rule 3: no fridge.')
    ended, told = stage.do(approved=True)
    assert ended == 'aborted' and outcome(told) is Outcome.SAFETY_REJECTED
    assert told.text == 'Rule 3: no fridge.' and not stage.done and not stage.recorded
    assert stage.asked == (RUN.hex, 'open fridge 1', True, stage.last, TYPES)
    assert 'refused: Rule 3: no fridge.' in stage.node.logged


def test_a_skill_that_breaks_counts_as_done(stage):
    stage.breaks = ValueError('a wheel came off')
    ended, told = stage.do()
    assert ended == 'aborted' and outcome(told) is Outcome.EXECUTION_FAILED
    assert 'a wheel came off' in told.text and 'not known' in told.text
    assert len(stage.recorded) == 1 and stage.board.state is BridgeState.READY
    stage.breaks = None
    stage.do()
    assert len(stage.done) == 1, 'it may have moved something'


def test_a_cancel_ends_the_skill(stage):
    handle = stage.accept()
    executing = stage.execute(handle)
    handle.status = GoalStatus.STATUS_EXECUTING
    assert stage.server.may_cancel(handle)
    stage.server.cancel(handle)
    executing.go_on()
    assert executing.over and handle.ended == 'canceled'
    assert executing.answer.observation.text == 'It was canceled.'
    assert not stage.server.may_cancel(handle)


def test_a_cancel_of_another_goal_ends_nothing(stage):
    handle = stage.accept()
    executing = stage.execute(handle)
    other = Handle(handle.request)
    other.status = GoalStatus.STATUS_EXECUTING
    assert not stage.server.may_cancel(other)
    stage.server.cancel(other)
    assert not executing.go_on().over and stage.run.stopped is None


def test_a_goal_that_has_not_begun_may_be_canceled(stage):
    assert stage.server.may_cancel(Handle(None))
    goal = ExecuteSkill.Goal(skill='open fridge 1', sequence=1)
    handle = Handle(goal)
    handle.is_cancel_requested = True
    stage.server.accept(handle)
    executing = stage.execute(handle)
    assert executing.over and handle.ended == 'canceled'


def test_the_emergency_stop_ends_a_skill_that_is_not_canceled(stage):
    handle = stage.accept()
    executing = stage.execute(handle)
    stage.action.end_running('the emergency stop')
    executing.go_on()
    assert executing.over and handle.ended == 'aborted'
    assert executing.answer.observation.text == 'It was stopped by the emergency stop.'
    assert outcome(executing.answer.observation) is Outcome.CANCELED


def test_nothing_to_end_is_no_error(stage):
    stage.action.end_running('the emergency stop')
    stage.server.cancel(Handle(None))
    stage.do()


def test_a_goal_while_stopped_is_told_why_and_not_done(stage):
    stage.board.press('Stopped by hand.')
    assert stage.consider() and stage.action.rejected == 0
    ended, told = stage.do()
    assert ended == 'aborted' and outcome(told) is Outcome.SAFETY_REJECTED
    assert told.text == 'Stopped by hand.' and not stage.done
    stage.board.release()
    assert stage.do()[0] == 'succeeded'


@pytest.mark.parametrize(
    ('press', 'said'), [(True, 'the emergency stop'), (False, 'the end of the bridge')]
)
def test_a_stop_between_claim_and_begin_ends_the_skill(stage, monkeypatch, press, said):
    claim = stage.board.claim

    def late(*arguments, **named):
        work = claim(*arguments, **named)
        if press:
            stage.board.press('Stopped.')
        else:
            stage.board.fail('A fault.')
        return work

    monkeypatch.setattr(stage.board, 'claim', late)
    handle = stage.accept()
    executing = stage.execute(handle)
    assert executing.over and handle.ended == 'aborted'
    assert executing.answer.observation.text == f'It was stopped by {said}.'


def test_every_accepted_goal_begins(stage):
    first, second = stage.accept(), stage.accept(sequence=2)
    assert stage.begun == [first, second]


@pytest.mark.parametrize(('limit', 'seconds'), [(0, 30.0), (5, 5.0)])
def test_a_goal_brings_its_time_limit_else_the_servers_holds(stage, limit, seconds):
    executing = stage.execute(stage.accept(limit=limit))
    stage.node.pass_time(seconds - 0.25)
    assert not executing.go_on().over
    stage.node.pass_time(0.5)
    assert executing.go_on().over
    assert executing.answer.observation.text == 'It ran out of time.'
    assert outcome(executing.answer.observation) is Outcome.TIMED_OUT


def test_a_server_that_closes_ends_its_skill_and_takes_no_goal(stage):
    handle = stage.accept()
    executing = stage.execute(handle)
    stage.action.stop(0.0)
    assert not stage.consider() and stage.action.rejected == 1
    assert any('shutting down' in one for one in stage.node.logged)
    executing.go_on()
    assert executing.over and handle.ended == 'aborted'
    assert executing.answer.observation.text == 'It was stopped by the end of the bridge.'


def test_closing_waits_for_the_end_of_the_skill(stage):
    assert stage.action._idle.is_set()
    stage.accept()
    assert not stage.action._idle.is_set()
    executing = stage.execute(stage.begun[0])
    stage.answer.set_result(Observation('done'))
    executing.go_on()
    assert stage.action._idle.is_set()


def test_a_goal_accepted_while_closing_is_ended(stage):
    stage.action.stop(0.0)
    handle = stage.accept()
    executing = stage.execute(handle)
    assert executing.over and handle.ended == 'aborted'


def test_what_fits_no_message_is_said_to_be_so(stage):
    ended, told = stage.do(Observation('It is open.', facts=(ObjectFact('fridge', -1),)))
    assert 'what cannot be' in told.text
    assert any('"open fridge 1": ' in one for one in stage.node.logged)
    assert ended == 'aborted' and outcome(told) is Outcome.EXECUTION_FAILED


class Telemetry:
    """Keeps the spans of skills."""

    def __init__(self):
        self.spans = []

    def begin(self, name, attributes, parent, kind):
        span = SimpleNamespace(name=name, attributes=dict(attributes), parent=parent, kind=kind)
        span.set_attribute = span.attributes.__setitem__
        return span

    def end(self, span, error=''):
        self.spans.append((span, error))


def test_a_skill_has_a_span_below_that_of_its_goal(stage):
    stage.action.telemetry = Telemetry()
    stage.do(traceparent='00-1-2-01')
    stage.do(Observation('no', Outcome.EXECUTION_FAILED), sequence=2)
    (good, none), (_, bad) = stage.action.telemetry.spans
    assert (none, bad) == ('', 'execution_failed')
    assert (good.name, good.parent, good.kind) == ('execute_skill', '00-1-2-01', 'server')
    assert good.attributes == {
        'reactree.run.id': RUN.hex,
        'reactree.sequence': 1,
        'reactree.outcome': 'succeeded',
    }
