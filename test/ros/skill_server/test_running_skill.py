"""What a running skill waits for, and what ends its waits early."""

from __future__ import annotations

from concurrent.futures import Future
from types import SimpleNamespace

import pytest
from rclpy.task import Future as RosFuture

from reactree_core.observation import Outcome
from skill_server.quick_answers import settled
from skill_server.ros.running_skill import RunningSkill


def skill_of(node, limit=0.0):
    feedback = []
    handle = SimpleNamespace(is_active=True, publish_feedback=feedback.append, feedback=feedback)
    return RunningSkill(node, handle, None, limit)


@pytest.fixture(params=['node', 'steady_node'])
def any_node(request):
    """With simulated and with steady time."""
    return request.getfixturevalue(request.param)


def test_a_pause_lasts_as_long_as_it_is_to_and_tells_its_part(any_node, play):
    run, told = skill_of(any_node), []
    pause = play(run.pause(2.0, 0.5, told.append))
    assert told == [0.0]
    any_node.pass_time(1.875)
    assert not pause.go_on().over
    assert told == pytest.approx([0.0, 0.25, 0.5, 0.75])
    any_node.pass_time(0.125)
    assert pause.go_on().over and pause.answer is None
    assert told[-1] == pytest.approx(1.0) and max(told) <= 1.0


def test_a_pause_of_no_time_is_over_at_once_and_tells_nothing(any_node, play):
    told = []
    pause = play(skill_of(any_node).pause(0.0, 0.5, told.append))
    assert pause.over and pause.answer is None and not told and not any_node.timers


def test_a_pause_counts_from_the_begin_of_the_skill(any_node, play):
    run = skill_of(any_node)
    any_node.pass_time(2.0)
    assert play(run.pause(2.0, 0.5, lambda part: None)).over


def test_a_cancel_ends_a_pause_at_once(any_node, play):
    run = skill_of(any_node)
    pause = play(run.pause(20.0, 0.5, lambda part: None))
    run.cancel()
    assert pause.go_on().over and pause.answer is Outcome.CANCELED
    assert any_node.executor.wakes, 'else it would end with the next timer'
    assert run.cancel_requested and run.ending == 'was canceled'


def test_a_time_limit_ends_a_pause_and_not_before(any_node, play):
    run = skill_of(any_node, limit=3.0)
    any_node.pass_time(1.0)
    pause = play(run.pause(20.0, 0.5, lambda part: None))
    any_node.pass_time(1.875)
    assert not pause.go_on().over
    any_node.pass_time(0.125)
    assert pause.go_on().over and pause.answer is Outcome.TIMED_OUT
    assert run.ending == 'ran out of time' and not run.cancel_requested


def test_a_limit_that_is_over_already_ends_the_first_wait(any_node, play):
    run = skill_of(any_node, limit=1.0)
    any_node.pass_time(5.0)
    answer = play(run.wait_for(RosFuture()))
    any_node.pass_time(0.0625)
    assert answer.go_on().over and answer.answer is False and run.stopped is Outcome.TIMED_OUT


def test_a_limit_is_one_for_all_waits_of_a_skill(any_node, play):
    run = skill_of(any_node, limit=3.0)
    assert not play(run.wait_for(RosFuture(), 2.0)).over
    any_node.pass_time(2.5)
    assert run.stopped is None
    second = play(run.wait_for(RosFuture()))
    any_node.pass_time(0.4375)
    assert not second.go_on().over and run.stopped is None
    any_node.pass_time(0.0625)
    assert second.go_on().over and run.stopped is Outcome.TIMED_OUT


def test_the_first_reason_stays(any_node):
    run = skill_of(any_node)
    run.stop(Outcome.TIMED_OUT)
    run.stop(Outcome.CANCELED)
    assert run.stopped is Outcome.TIMED_OUT
    stopped = skill_of(any_node)
    stopped.stop(Outcome.CANCELED)
    assert stopped.ending == 'was stopped by the end of the bridge'
    stopped.ended_by = 'the emergency stop'
    assert stopped.ending == 'was stopped by the emergency stop'


def test_a_closed_skill_has_no_timers(any_node, play):
    run = skill_of(any_node, limit=9.0)
    assert not run.over
    play(run.pause(3.0, 0.5, lambda part: None))
    assert len(any_node.timers) == 3
    run.close()
    assert run.over and not any_node.timers


def test_feedback_goes_to_an_active_goal_alone(any_node):
    run = skill_of(any_node)
    run.tell('approaching apple 1', 0.5)
    run.handle.is_active = False
    run.tell('too late', 1.0)
    (feedback,) = run.handle.feedback
    assert (feedback.status, feedback.completion) == ('approaching apple 1', 0.5)


@pytest.mark.parametrize('kind', [Future, RosFuture])
def test_an_answer_ends_a_wait(any_node, play, kind):
    run, answer = skill_of(any_node), kind()
    wait = play(run.wait_for(answer))
    assert not wait.over
    answer.set_result('done')
    assert wait.go_on().over and wait.answer is True
    assert play(run.wait_for(answer)).answer is True, 'it is there already'


def test_a_wait_is_no_longer_than_it_may(any_node, play):
    wait = play(skill_of(any_node).wait_for(RosFuture(), 1.0))
    any_node.pass_time(0.875)
    assert not wait.go_on().over
    any_node.pass_time(0.25)
    assert wait.go_on().over and wait.answer is False


def test_a_wait_without_a_limit_of_its_own_looks_at_nothing(any_node, play):
    play(skill_of(any_node).wait_for(RosFuture()))
    assert not any_node.timers


def test_a_stop_ends_a_wait_but_one_that_is_for_the_end_itself(steady_node, play):
    run = skill_of(steady_node)
    wait, last = RosFuture(), RosFuture()
    first = play(run.wait_for(wait))
    run.stop(Outcome.CANCELED)
    assert first.go_on().over and first.answer is False
    second = play(run.wait_for(last, 5.0, after_all=True))
    assert not second.over
    last.set_result(None)
    assert second.go_on().over and second.answer is True


def test_an_end_is_waited_for_by_a_steady_clock(node, play, monkeypatch):
    steady = [50.0]
    monkeypatch.setattr('skill_server.ros.running_skill.time.monotonic', lambda: steady[0])
    wait = play(skill_of(node).wait_for(RosFuture(), 2.0, after_all=True))
    assert all(timer.is_steady for timer in node.timers) and node.timers
    node.pass_time(60.0)
    assert not wait.go_on().over, 'simulated time may run ahead'
    steady[0] += 2.5
    node.pass_time(0.25)
    assert wait.go_on().over and wait.answer is False


def test_a_wait_that_is_hopeless_ends(any_node, play):
    hopeless = [False]
    wait = play(skill_of(any_node).wait_for(RosFuture(), hopeless=lambda: hopeless[0]))
    any_node.pass_time(1.0)
    assert not wait.go_on().over
    hopeless[0] = True
    any_node.pass_time(0.25)
    assert wait.go_on().over and wait.answer is False


def test_a_finish_tells_why_it_ended_without_an_answer(any_node, play):
    run, answer = skill_of(any_node), Future()
    finish = play(run.finish(answer))
    run.cancel()
    assert finish.go_on().over and finish.answer is Outcome.CANCELED
    done = Future()
    done.set_result(None)
    assert play(run.finish(done)).answer is None, 'what is answered counts, canceled or not'


def looking(seen):
    parts = []

    async def look(part):
        parts.append(part)
        return seen[0]

    return look, parts


def test_a_rest_ends_when_something_is_seen(any_node, play):
    seen = [False]
    look, parts = looking(seen)
    run = skill_of(any_node)
    rest = play(run.rest(10.0, 1.0, look))
    assert parts == [0.0] and not rest.over
    any_node.pass_time(1.0)
    assert not rest.go_on().over and parts == pytest.approx([0.0, 0.1])
    seen[0] = True
    run.wake()
    assert rest.go_on().over and rest.answer is True and not any_node.timers


def test_a_rest_in_which_nothing_is_seen_lasts_its_time(any_node, play):
    look, parts = looking([False])
    rest = play(skill_of(any_node).rest(1.0, 5.0, look))
    any_node.pass_time(0.875)
    assert not rest.go_on().over
    any_node.pass_time(0.125)
    assert rest.go_on().over and rest.answer is False and parts[-1] == pytest.approx(1.0)
    assert not any_node.timers


def test_a_stop_ends_a_rest_without_another_look(any_node, play):
    look, parts = looking([False])
    run = skill_of(any_node)
    rest = play(run.rest(10.0, 1.0, look))
    run.cancel()
    assert rest.go_on().over and rest.answer is False and parts == [0.0]
    assert not any_node.timers


def test_a_skill_closed_in_a_rest_gives_no_timer_back_twice(any_node, play):
    look, _ = looking([False])
    run = skill_of(any_node)
    rest = play(run.rest(10.0, 1.0, look))
    run.close()
    run.cancel()
    assert rest.go_on().over and not any_node.timers


def test_a_clock_that_jumps_back_costs_no_second_wait(node, play):
    run = skill_of(node)
    pause = play(run.pause(4.0, 1.0, lambda part: None))
    node.pass_time(2.0)
    pause.go_on()
    node.time -= 50.0
    for timer in node.timers:
        timer.due -= 50.0
    node.pass_time(0.0625)
    pause.go_on()
    run.wake()
    assert not pause.go_on().over
    node.pass_time(1.75)
    run.wake()
    assert not pause.go_on().over
    node.pass_time(0.25)
    run.wake()
    assert pause.go_on().over


def test_steady_and_simulated_time_have_timers_of_their_own(node, steady_node, play):
    for one in (node, steady_node):
        play(skill_of(one, limit=5.0).pause(1.0, 0.5, lambda part: None))
    assert not any(timer.is_steady for timer in node.timers)
    assert all(timer.is_steady for timer in steady_node.timers)


def test_an_answer_is_settled_when_it_is_there_good_or_bad():
    good, bad, none = Future(), Future(), Future()
    good.set_result(1)
    bad.set_exception(ValueError('no'))
    assert settled(good) and settled(bad) and not settled(none, 0.0)
