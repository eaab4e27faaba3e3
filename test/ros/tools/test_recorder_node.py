"""The recorder node where the disk is full: it says so and goes on."""

from __future__ import annotations

import time
from contextlib import ExitStack

import pytest
from rclpy.context import Context
from rclpy.node import Node
from rclpy.parameter import Parameter

from reactree_core.record.events import Decision, DecisionKind, NodeStatus
from reactree_core.ros import qos
from reactree_core.ros.spinning import NodesInThread
from reactree_planner.ros.run_messages import decision_to_message
from reactree_ros.msg import Decision as DecisionMessage
from reactree_tools.recording.bag_writing import is_being_written
from reactree_tools.recording.bags import find_bag
from reactree_tools.recording.ros.node import RecorderNode
from reactree_tools.recording.ros.run_reading import runs_of
from support.disk_space import room_for
from support.waiting import wait_for

PATIENCE = 20.0
FIRST, SECOND = 'a' * 32, 'b' * 32


@pytest.fixture
def publish(tmp_path):
    """Starts a recorder for the folder; gives what publishes a run's decision."""
    with ExitStack() as stack:
        context = Context()
        context.init()
        stack.callback(context.try_shutdown)
        folder = [Parameter('directory', value=str(tmp_path)), Parameter('sync_period', value=0.1)]
        recorder = RecorderNode(context=context, parameter_overrides=folder)
        planner = Node('planner', context=context)
        publisher = planner.create_publisher(
            DecisionMessage, 'planner/decisions', qos.kept_events()
        )
        nodes = NodesInThread(context, recorder, planner)
        nodes.start()
        stack.callback(nodes.end, PATIENCE)

        def publish(run_id, *decisions):
            for decision in decisions:
                publisher.publish(decision_to_message(decision, run_id, time.time()))

        publish.end = stack.close
        yield publish


def run(text):
    """The least that a run can be."""
    return (
        Decision(1, 0, DecisionKind.START, text),
        Decision(2, 0, DecisionKind.FINISH, status=NodeStatus.SUCCESS),
    )


def test_a_recorder_outlives_a_full_disk_and_is_stopped_on_one(publish, tmp_path):
    start, end = run('tidy up')
    publish(FIRST, start)
    part = tmp_path / f'{FIRST}.recording' / 'part.mcap'
    wait_for(lambda: part.is_file() and part.stat().st_size > 1000, 'the start is recorded')
    with room_for(0):
        publish(FIRST, end)
        # Its patience is over, and the bag cannot be made: the recorder lets go of the file.
        wait_for(lambda: not is_being_written(part), 'the recorder has given up')
    publish(SECOND, *run('lay the table'))
    wait_for((tmp_path / SECOND / 'ended').exists, 'the next run is recorded')
    assert len(runs_of(tmp_path / SECOND)[0].events) == 2
    publish('c' * 32, start)
    part = tmp_path / f'{"c" * 32}.recording' / 'part.mcap'
    wait_for(lambda: part.is_file() and part.stat().st_size > 1000, 'a third is under way')
    with room_for(0):
        publish.end()
    assert len(runs_of(find_bag('c' * 32, tmp_path))[0].events) == 1
