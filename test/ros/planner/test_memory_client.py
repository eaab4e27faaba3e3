"""The planner's side of the memory node: what a memory has missed, and one that hangs."""

from __future__ import annotations

import threading
import time
import uuid

import pytest
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.context import Context
from rclpy.node import Node
from rclpy.parameter import Parameter

from memory_server.ros.node import MemoryNode
from reactree_core.cancellation import CancelToken
from reactree_core.experience import Experience, ExperienceQuery, Termination
from reactree_core.observation import ObjectFact, Observation
from reactree_core.ros import qos
from reactree_core.ros.conversions import observation_to_message
from reactree_core.ros.spinning import NodesInThread
from reactree_planner.ros.memory_client import RosMemory
from reactree_ros.msg import Observation as ObservationMessage
from reactree_ros.srv import RecallObject, RetrieveExperiences, StoreExperiences

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


def client(start, timeout, shared_name=''):
    notices = []
    node = start(lambda **options: Node('planner', **options))
    memory = RosMemory(node, lambda: timeout, notices.append)
    memory.begin(uuid.uuid4().hex, shared_name=shared_name)
    memory.node = node
    return memory, notices


def test_a_shared_memory_is_asked_until_it_knows_what_the_run_has_seen(start):
    memory, notices = client(start, PATIENCE, 'floor')
    publisher = memory.node.create_publisher(
        ObservationMessage, 'planner/observations', qos.kept_events()
    )
    start(MemoryNode, store_path=':memory:', encoder='hashing')
    assert memory.wait_until_there(PATIENCE, CancelToken())
    fact = ObjectFact('juice', 2, 'kitchen 1', 'fridge 1')
    seen = Observation('You open the fridge.', room='kitchen 1', facts=(fact,), sequence=4)
    message = observation_to_message(seen, memory.run_id)
    message.shared_memory, message.robot = memory.shared_memory, memory.robot
    timer = threading.Timer(0.2, publisher.publish, [message])
    timer.start()
    assert 'juice 2' in memory.recall('juice', 4, CancelToken())
    timer.join()
    assert not notices


def test_a_memory_that_does_not_hear_the_run_is_not_believed(start):
    memory, notices = client(start, 0.3, 'floor')
    start(MemoryNode, store_path=':memory:', encoder='hashing', planners=['somebody'])
    assert memory.wait_until_there(PATIENCE, CancelToken())
    assert memory.recall('juice', 4, CancelToken()) == ''
    assert 'parameter planners' in notices[0]


def test_a_run_that_shares_nothing_asks_nobody(start):
    memory, notices = client(start, PATIENCE)
    assert memory.recall('juice', 1, CancelToken()) == ''
    assert not notices


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
    assert len(memory.retrieve(ExperienceQuery('a goal', 5, 1000), CancelToken())) == 1


def serving(answer, **answers):
    """Makes a memory node whose services answer so. :param answers: of some, by their names."""

    def make(**options):
        node = Node('memory', **options)
        for kind, name in (
            (RecallObject, 'recall_object'),
            (RetrieveExperiences, 'retrieve_experiences'),
            (StoreExperiences, 'store_experiences'),
        ):
            group = ReentrantCallbackGroup()
            told = answers.get(name, answer)
            node.create_service(kind, f'memory/{name}', told, callback_group=group)
        return node

    return make


LESSON = Experience('a', 'a goal', 'Act: done', Termination.SUCCESS)


def test_a_request_whose_answer_is_lost_is_sent_again(start):
    let_go = threading.Event()
    asked = []

    def lose_the_first(request, response):
        asked.append(request)
        if len(asked) == 1:
            let_go.wait(PATIENCE)
        return response

    start(serving(lose_the_first))
    memory, notices = client(start, 4.0)
    assert memory.wait_until_there(PATIENCE, CancelToken())
    memory.store([LESSON], CancelToken())
    assert len(asked) == 2 and asked[0] == asked[1]
    assert not notices
    let_go.set()


def test_experiences_are_stored_though_the_memory_was_silent_before(start):
    let_go = threading.Event()
    stored = []

    def hang(_, response):
        let_go.wait(PATIENCE)
        return response

    def store(request, response):
        stored.extend(request.experiences)
        return response

    start(serving(hang, store_experiences=store))
    memory, notices = client(start, 0.5)
    assert memory.wait_until_there(PATIENCE, CancelToken())
    assert memory.retrieve(ExperienceQuery('a goal', 5, 1000), CancelToken()) == ()
    assert len(notices) == 1
    memory.store([LESSON], CancelToken())
    assert [one.experience_id for one in stored] == ['a']
    assert len(notices) == 1
    let_go.set()


def test_a_memory_that_does_not_answer_may_have_kept_nothing(start):
    memory, notices = client(start, 0.5)
    memory.store([LESSON], CancelToken())
    assert 'may have kept nothing of this run' in notices[0]


def test_a_memory_that_hangs_is_waited_for_once(start):
    let_go = threading.Event()

    def hang(_, response):
        let_go.wait(PATIENCE)
        return response

    start(serving(hang))
    memory, notices = client(start, 0.5, 'floor')
    assert memory.wait_until_there(PATIENCE, CancelToken())
    began = time.monotonic()
    for number in range(1, 31):
        assert memory.recall('juice', number, CancelToken()) == ''
    # Not 0.5 s for each of the 30 questions.
    assert time.monotonic() - began < 5.0
    assert len(set(notices)) == 1
    let_go.set()
