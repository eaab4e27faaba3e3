"""A planner whose clock is simulated, and a person whose clock is not."""

from __future__ import annotations

import threading
import time
from types import SimpleNamespace

import pytest
from rclpy.clock import Clock
from rclpy.duration import Duration
from rclpy.time import Time
from rosgraph_msgs.msg import Clock as ClockMessage

from reactree_core.ros.deadlines import waits_until
from reactree_ros.msg import ApprovalRequest
from reactree_tools.ros.approvals import Approvals
from reactree_tools.ros.session import Session
from support.waiting import wait_for


def test_a_skill_is_approved_though_the_simulated_clock_is_decades_behind(make_stack):
    stack = make_stack(
        planner=(('use_sim_time', True), ('require_approval', True)),
        bridge=(('use_sim_time', True),),
    )
    with Session(stack.client.get_namespace()) as session:
        handle = stack.send(task='set the kitchen table')
        # Late, as `reactree approve` is.
        approvals = Approvals(session)
        approvals.find()
        wait_for(lambda: approvals.waiting is not None, 'a skill that waits')
        waiting = approvals.waiting
        assert 0 < approvals.seconds_left < 300
        assert 'approved' in approvals.answer(waiting, approve=True)
        wait_for(lambda: approvals.waiting not in (None, waiting), 'the next skill')
        stack.result_of(handle.cancel_goal_async())
        wait_for(lambda: approvals.waiting is None, 'the end of the wait')
        assert approvals.newest.state == ApprovalRequest.STATE_WITHDRAWN


@pytest.fixture
def told_time():
    """Publishes a simulated clock as fast as the real one; `begin` with the node that does."""
    ending, began = threading.Event(), time.monotonic()
    told = SimpleNamespace(offset=10_000.0, thread=None)

    def begin(node):
        publisher = node.create_publisher(ClockMessage, '/clock', 10)

        def tick():
            while not ending.wait(0.02):
                now = Time(seconds=told.offset + time.monotonic() - began)
                publisher.publish(ClockMessage(clock=now.to_msg()))

        told.thread = threading.Thread(target=tick)
        told.thread.start()

    told.begin = begin
    yield told
    ending.set()
    told.thread.join()


def test_a_clock_that_jumps_back_keeps_no_skill_waiting(make_stack, told_time):
    simulated = ('use_sim_time', True)
    stack = make_stack(planner=(simulated,), bridge=(simulated, ('skill_duration', 1.0)))
    told_time.begin(stack.client)
    handle = stack.send(task='set the kitchen table')
    stack.wait(lambda: stack.counted() > 0)
    seen = len(stack.observations)
    told_time.offset -= 3600.0
    stack.wait(lambda: len(stack.observations) > seen + 1, 15.0)
    stack.result_of(handle.cancel_goal_async())
    stack.result_of(handle.get_result_async())


@pytest.mark.parametrize(('kept', 'left'), [(0.0, 40.5), (12.0, 28.5), (-5.0, 40.5), (None, 40.5)])
def test_what_is_left_is_counted_from_when_it_was_sent(monkeypatch, kept, left):
    now = Clock().now()
    monkeypatch.setattr(
        'reactree_core.ros.deadlines.time',
        SimpleNamespace(monotonic=lambda: 1000.0, time_ns=lambda: now.nanoseconds),
    )
    request = ApprovalRequest()
    request.header.stamp = Time(seconds=7.75).to_msg()
    request.deadline = Time(seconds=48.25).to_msg()
    # A middleware may tell nothing; another machine's clock may be ahead.
    sent = 0 if kept is None else (now - Duration(seconds=kept)).nanoseconds
    assert waits_until(request, {'source_timestamp': sent}) == pytest.approx(1000.0 + left)
