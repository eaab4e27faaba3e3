"""The planner's side of the memory node: what a memory has missed, and one that hangs."""

from __future__ import annotations

import threading
import time
import uuid

import pytest
from rclpy.context import Context
from rclpy.node import Node
from rclpy.parameter import Parameter

from memory_server.ros.node import MemoryNode
from reactree_core.cancellation import CancelToken
from reactree_core.experience import Experience
from reactree_core.experience import Termination
from reactree_core.observation import ObjectFact
from reactree_core.observation import Observation
from reactree_core.ros.spinning import NodesInThread
from reactree_planner.ros.memory_client import RosMemory
from reactree_ros.srv import ClearWorkingMemory
from reactree_ros.srv import RecallObject
from reactree_ros.srv import RetrieveExperiences
from reactree_ros.srv import StoreExperiences
from reactree_ros.srv import UpdateWorkingMemory

PATIENCE = 30.0


@pytest.fixture
def start():
    """Starts nodes of one namespace, each on an executor of its own."""
    namespace = f'/m{uuid.uuid4().hex[:8]}'
    ends = []

    def begin(make, **parameters):
        context = Context()
        context.init()
        ends.append(context.try_shutdown)
        overrides = [Parameter(name, value=value) for name, value in parameters.items()]
        node = make(context=context, namespace=namespace, parameter_overrides=overrides)
        thread = NodesInThread(context, node, threads=4)
        thread.start()
        ends.append(lambda: thread.end(PATIENCE))
        return node

    yield begin
    for end in reversed(ends):
        end()


def client(start, timeout):
    notices = []
    node = start(lambda **options: Node('planner', **options))
    memory = RosMemory(node, lambda: timeout, notices.append)
    memory.begin(uuid.uuid4().hex)
    return memory, notices


def seen(number):
    fact = ObjectFact('juice', number, 'kitchen 1', 'fridge 1')
    return Observation('You open the fridge.', room='kitchen 1', facts=(fact,))


def test_a_memory_that_comes_late_is_told_what_it_has_missed(start):
    memory, notices = client(start, PATIENCE)
    memory.update_working(seen(1))
    memory.update_working(seen(2))
    # It would say that no juice was seen.
    assert memory.recall('juice', CancelToken()) == ''
    assert len(notices) == 1
    start(MemoryNode, store_path=':memory:', encoder='hashing')
    assert memory.wait_until_there(PATIENCE, CancelToken())
    text = memory.recall('juice', CancelToken())
    assert 'juice 1' in text and 'juice 2' in text


def test_a_run_whose_experiences_are_refused_is_told_so_and_goes_on(start):
    memory, notices = client(start, PATIENCE)
    start(MemoryNode, store_path=':memory:', encoder='hashing', seed=False, store_limit_count=1)
    assert memory.wait_until_there(PATIENCE, CancelToken())
    lessons = [Experience(name, 'a goal', 'Act: done', Termination.SUCCESS) for name in 'ab']
    memory.store(lessons, CancelToken())
    assert len(notices) == 1
    assert 'kept nothing of this run' in notices[0] and 'store_limit_count' in notices[0]
    memory.store(lessons[:1], CancelToken())
    assert len(notices) == 1
    assert len(memory.retrieve('a goal', 1000, 5, 0, CancelToken())) == 1


def test_a_new_run_does_not_tell_what_the_last_one_saw(start):
    memory, _ = client(start, PATIENCE)
    memory.update_working(seen(1))
    memory.begin(uuid.uuid4().hex)
    start(MemoryNode, store_path=':memory:', encoder='hashing')
    assert memory.wait_until_there(PATIENCE, CancelToken())
    assert memory.recall('juice', CancelToken()) == 'You have not seen juice before.'


def test_a_memory_that_hangs_is_waited_for_once(start):
    let_go = threading.Event()

    def hang(_, response):
        let_go.wait(PATIENCE)
        return response

    def make(**options):
        node = Node('memory', **options)
        for kind, name in (
            (UpdateWorkingMemory, 'update_working_memory'),
            (RecallObject, 'recall_object'),
            (ClearWorkingMemory, 'clear_working_memory'),
            (RetrieveExperiences, 'retrieve_experiences'),
            (StoreExperiences, 'store_experiences'),
        ):
            node.create_service(kind, f'memory/{name}', hang)
        return node

    start(make)
    memory, notices = client(start, timeout=0.5)
    assert memory.wait_until_there(PATIENCE, CancelToken())
    for number in range(1, 31):
        memory.update_working(seen(number))
    began = time.monotonic()
    assert memory.recall('juice', CancelToken()) == ''
    memory.forget(CancelToken())
    # Not 0.5 s for each of the 30 updates.
    assert time.monotonic() - began < 5.0
    assert len(set(notices)) == 1
    let_go.set()
