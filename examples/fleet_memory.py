#!/usr/bin/env python3
"""Two robots, one memory: what the left one sees, the right one recalls.

scripts/with_ros python examples/fleet_memory.py

The memory node runs here, in the namespace /fleet, and hears the observations of two planners,
which this script plays: it publishes what the left robot sees as its planner would, and asks as
the planner of the right one. docs/memory.md starts the same with real planners.
"""

from __future__ import annotations

import sys
import time

import rclpy
from rclpy.executors import MultiThreadedExecutor
from rclpy.node import Node
from rclpy.parameter import Parameter

from memory_server.ros.node import MemoryNode
from reactree_core.ros import qos
from reactree_ros.msg import ObjectFact, Observation
from reactree_ros.srv import RecallObject

FLOOR = 'ground_floor'
DEADLINE = 20.0


def seen_by_the_left(node: Node) -> Observation:
    """What the left robot's planner publishes after a skill."""
    seen = Observation(sequence=4, skill='open fridge 1', room='kitchen 1')
    seen.run_id.uuid = [1] * 16
    seen.shared_memory, seen.robot = FLOOR, 'left'
    seen.header.stamp = node.get_clock().now().to_msg()
    seen.facts = [ObjectFact(object_class='juice', instance=1, receptacle='fridge 1')]
    seen.facts[0].seen_at = seen.header.stamp
    return seen


def main() -> int:
    """Publish, ask, print the answer."""
    rclpy.init()
    planners = Parameter('planners', value=['/left/planner', '/right/planner'])
    memory = MemoryNode(
        namespace='/fleet',
        parameter_overrides=[planners, Parameter('store_path', value='none')],
    )
    robots = Node('robots')
    left = robots.create_publisher(Observation, '/left/planner/observations', qos.kept_events())
    right = robots.create_client(RecallObject, '/fleet/memory/recall_object')
    executor = MultiThreadedExecutor()
    executor.add_node(memory)
    executor.add_node(robots)
    seen = seen_by_the_left(robots)
    left.publish(seen)
    question = RecallObject.Request(
        run_id=seen.run_id, shared_name=FLOOR, robot='right', object_class='juice', sequence=4
    )
    until = time.monotonic() + DEADLINE
    heard = False
    try:
        while not heard and time.monotonic() < until:
            asked = right.call_async(question)
            executor.spin_until_future_complete(asked, timeout_sec=1.0)
            answer = asked.result()
            # The observation may still be on its way: the answer tells how far memory has heard.
            heard = answer is not None and answer.newest >= question.sequence
        print(answer.text if heard else f'The memory heard nothing within {DEADLINE:g} s.')
    except KeyboardInterrupt:
        return 130
    finally:
        executor.shutdown()
        memory.destroy_node()
        robots.destroy_node()
        rclpy.try_shutdown()
    return 0 if heard else 1


if __name__ == '__main__':
    sys.exit(main())
