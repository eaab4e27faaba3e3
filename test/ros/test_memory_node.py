"""The memory node over real DDS."""

import itertools
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
import uuid
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
import rclpy
from diagnostic_msgs.msg import (
    DiagnosticArray,
    DiagnosticStatus,
)
from rclpy.context import Context
from rclpy.parameter import Parameter
from rclpy.parameter_client import AsyncParameterClient
from std_msgs.msg import String

from memory_server.ros import node as memory_node
from memory_server.ros.node import MemoryNode
from reactree_core.experience import (
    Experience,
    Termination,
)
from reactree_core.observation import (
    ObjectFact,
    Observation,
    WORLD_RESET,
)
from reactree_core.ros.conversions import (
    experience_to_message,
    observation_to_message,
)
from reactree_core.ros.fields import run_id_to_message
from reactree_core.ros.qos import (
    kept_events,
    latched,
)
from reactree_core.ros.spinning import NodesInThread
from reactree_ros import srv
from reactree_ros.msg import Observation as ObservationMessage
from reactree_tools.command_line import main
from support.embeddings_server import (
    dripping,
    dripping_headers,
    EmbeddingsServer,
    good,
    silent,
)

pytestmark = pytest.mark.ros

PATIENCE = 20.0
EXAMPLES = Path(__file__).parents[1] / 'unit' / 'memory' / 'examples'
RUN, OTHER_RUN = '1' * 32, '2' * 32
SERVICES = {
    'retrieve_experiences': srv.RetrieveExperiences,
    'store_experiences': srv.StoreExperiences,
    'recall_object': srv.RecallObject,
    'clear_working_memory': srv.ClearWorkingMemory,
}


@pytest.fixture(scope='module', autouse=True)
def surroundings(tmp_path_factory):
    patch = pytest.MonkeyPatch()
    if 'ROS_DOMAIN_ID' not in os.environ:
        patch.setenv('ROS_DOMAIN_ID', str(1 + os.getpid() % 100))
    patch.setenv('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
    patch.setenv('FASTDDS_BUILTIN_TRANSPORTS', 'UDPv4')
    patch.setenv('ROS_LOG_DIR', str(tmp_path_factory.mktemp('log')))
    yield
    patch.undo()


_numbers = itertools.count()


def arguments(namespace, **parameters):
    words = ['--ros-args', '-r', f'__ns:={namespace}']
    for name, value in parameters.items():
        words += ['-p', f'{name}:={json.dumps(value, default=str)}']
    return words


class Client:
    """Calls the services of a memory node and hears its topics."""

    def __init__(self, node):
        self.node = node
        self.clients = {
            name: node.create_client(kind, f'memory/{name}') for name, kind in SERVICES.items()
        }
        self.observations = node.create_publisher(
            ObservationMessage, 'planner/observations', kept_events()
        )
        self.seen = itertools.count(1)

    def call(self, name, **fields):
        client = self.clients[name]
        assert client.wait_for_service(PATIENCE), f'no service {name}'
        done = threading.Event()
        future = client.call_async(SERVICES[name].Request(**fields))
        future.add_done_callback(lambda _: done.set())
        assert done.wait(PATIENCE), f'no answer of {name}'
        return future.result()

    def set(self, node, **parameters):
        client = AsyncParameterClient(self.node, f'{self.node.get_namespace()}/{node}')
        assert client.wait_for_services(PATIENCE)
        done = threading.Event()
        changes = [Parameter(name, value=value) for name, value in parameters.items()]
        future = client.set_parameters(changes)
        future.add_done_callback(lambda _: done.set())
        assert done.wait(PATIENCE), 'no answer of the parameters'
        assert all(result.successful for result in future.result().results)

    def store(self, *experiences):
        messages = [experience_to_message(item) for item in experiences]
        return self.call('store_experiences', experiences=messages)

    def retrieve(self, goal, budget=1000, **fields):
        return self.call('retrieve_experiences', goal=goal, token_budget=budget, **fields)

    def see(self, run_id, *facts, place='', text='', shared_name='', robot=''):
        """Publish as a planner does; what memory knows of the first fact's class after that."""
        looked_at = (place,) if place else ()
        observation = Observation(
            text, facts=facts, place=place, looked_at=looked_at, room='kitchen 1'
        )
        number = self.tell(observation, run_id, shared_memory=shared_name, robot=robot)
        name = facts[0].object_class if facts else 'nothing'
        return self.recall(run_id, name, number, shared_name=shared_name, robot=robot)

    def tell(self, observation, run_id, **fields):
        number = next(self.seen)
        message = observation_to_message(replace(observation, sequence=number), run_id)
        for name, value in fields.items():
            setattr(message, name, value)
        self.observations.publish(message)
        return number

    def recall(self, run_id, name, sequence=0, **owner):
        """The answer, once it knows the observation of this number."""
        until = time.monotonic() + PATIENCE
        while True:
            answer = self.call(
                'recall_object',
                run_id=run_id_to_message(run_id),
                object_class=name,
                sequence=sequence,
                **owner,
            )
            if answer.newest >= sequence:
                return answer
            assert time.monotonic() < until, 'the memory does not hear what was seen'

    def is_about_mine(self, message):
        return message.status[0].name.startswith(self.node.get_namespace() + '/')

    def hear(self, kind, topic, qos, wanted):
        """The first message on a topic that is wanted."""
        found = []
        arrived = threading.Event()

        def listen(message):
            if not found and wanted(message):
                found.append(message)
                arrived.set()

        subscription = self.node.create_subscription(kind, topic, listen, qos)
        assert arrived.wait(PATIENCE), f'nothing wanted came on {topic}'
        self.node.destroy_subscription(subscription)
        return found[0]


@contextmanager
def spinning(context, *nodes):
    thread = NodesInThread(context, *nodes, threads=4)
    thread.start()
    try:
        yield
    finally:
        thread.end(PATIENCE)


@contextmanager
def client_in(namespace):
    context = Context()
    rclpy.init(context=context)
    node = rclpy.create_node('memory_test', namespace=namespace, context=context)
    with spinning(context, node):
        yield Client(node)
    rclpy.try_shutdown(context=context)


@contextmanager
def running(**parameters):
    """A node in a namespace of its own, and a client for it."""
    context = Context()
    rclpy.init(args=arguments(f'/inside_{next(_numbers)}', **parameters), context=context)
    memory = MemoryNode(context=context)
    node = rclpy.create_node('memory_test', context=context)
    with spinning(context, memory, node):
        yield Client(node)
    rclpy.try_shutdown(context=context)


@pytest.fixture(scope='module')
def client(surroundings):
    with running(store_path='none', seed_folder=EXAMPLES) as found:
        yield found


def experience(name, goal, **fields):
    values = {'trajectory': f'Your task is to: {goal}', 'termination': Termination.SUCCESS}
    return Experience(name, goal, **(values | fields))


def fact(name, number=1, receptacle='fridge 1'):
    return ObjectFact(name, number, 'kitchen 1', receptacle, 'cold', 12.5)


def test_the_nearest_example_comes_back_whole(client):
    answer = client.retrieve('look for a drink and take it', budget=10_000)
    assert (answer.error_code, answer.error_msg) == (0, '')
    first = answer.experiences[0]
    assert first.goal == 'find and pick up the juice'
    assert first.termination == first.TERMINATION_SUCCESS
    assert first.trajectory.endswith('Act: done')
    assert first.run_id == 'seed'
    assert 0.2 < first.similarity < 1.0


def test_budget_limit_and_filters_are_those_of_the_request(client):
    assert len(client.retrieve('find the juice', 10_000).experiences) >= 3
    assert len(client.retrieve('find the juice', 10_000, limit=1).experiences) == 1
    assert len(client.retrieve('find the juice', 1).experiences) == 0
    snacks = client.retrieve('find the juice', 10_000, task_type='prepare_snack').experiences
    assert [item.task_type for item in snacks] == ['prepare_snack']
    assert not client.retrieve('find the juice', 10_000, planner='unknown').experiences
    assert client.retrieve('find the juice', 0).experiences  # 0: the parameter's 1000


def test_a_domain_is_given_its_own_experiences_and_those_of_no_domain(client):
    goals = {'w': ('scan crate 1', 'warehouse'), 'n': ('scan crate 2', '')}
    answer = client.store(*(experience(key, goal, domain=of) for key, (goal, of) in goals.items()))
    assert (answer.error_code, answer.stored) == (0, 2)

    def found(domain):
        near = client.retrieve('scan crate 1', 10_000, domain=domain).experiences
        return [(item.experience_id, item.domain) for item in near if 'scan' in item.goal]

    assert found('warehouse') == [('w', 'warehouse'), ('n', '')]
    assert found('household') == [('n', '')]
    assert {key for key, _ in found('')} == {'w', 'n'}


def test_what_nobody_confirmed_is_stored_and_given_to_nobody(client):
    assert client.store(experience('u', 'weld the seam', unconfirmed=True)).stored == 1
    for unit in ('subgoal', 'task'):
        found = client.retrieve('weld the seam', 10_000, unit=unit).experiences
        assert found and 'u' not in [item.experience_id for item in found]


def test_storing_is_idempotent(client):
    items = [experience('s1', 'switch on the lamp'), experience('s2', 'wash the plate')]
    answer = client.store(*items)
    assert (answer.error_code, answer.stored, answer.known) == (0, 2, 0)
    answer = client.store(*items, experience('s3', 'wash the cup'))
    assert (answer.error_code, answer.stored, answer.known) == (0, 1, 2)
    found = client.retrieve('switch on the lamp', limit=1).experiences
    assert found[0].experience_id == 's1'
    assert found[0].similarity == pytest.approx(1.0, abs=1e-4)


def test_the_way_of_retrieving_is_a_parameter_at_any_time():
    items = [
        experience('a', 'bring a pudding', termination=Termination.EXPAND, run_id=RUN),
        experience('b', 'find the pudding', run_id=RUN),
        experience('c', 'search the kitchen', termination=Termination.FAILURE, run_id=RUN),
        experience('d', 'bring a pudding again', run_id=OTHER_RUN),
    ]
    options = {'store_path': 'none', 'encoder': 'hashing', 'seed': False}
    for parameters, expected in (
        ({}, 'adbc'),
        ({'retrieval_unit': 'task'}, 'abcd'),
        ({'success_only': True}, 'adb'),
        ({'duplicate_similarity': 0.01, 'success_only': True}, 'ad'),
        ({'similarity': 'goal_and_observation', 'reranker': 'words'}, 'adbc'),
    ):
        with running(**options, **parameters) as client:
            client.store(*items)
            answer = client.retrieve('bring a pudding', 10_000)
            found = ''.join(item.experience_id for item in answer.experiences)
            assert (answer.error_msg, found) == ('', expected), parameters


@pytest.fixture
def embeddings_server():
    server = EmbeddingsServer()
    yield server
    server.close()


@pytest.mark.parametrize('answer', [silent, dripping, dripping_headers])
def test_a_silent_embeddings_server_does_not_stop_the_node(embeddings_server, answer, monkeypatch):
    monkeypatch.setattr(memory_node, 'RETRY_PERIOD', 0.1)
    embeddings_server.otherwise = answer
    options = {'encoder_server': embeddings_server.address, 'encoder_model': 'small'}
    options |= {'encoder': 'server', 'encoder_timeout': 0.5}
    with running(store_path='none', seed=False, **options) as client:
        found = client.retrieve('find the juice')
        assert found.error_code == srv.RetrieveExperiences.Response.ERROR_STORE
        assert 'gave no answer within 0.5 s' in found.error_msg
        assert len(client.see(RUN, fact('juice')).facts) == 1
        embeddings_server.otherwise = good
        until = time.monotonic() + PATIENCE
        while client.store(experience('a', 'find the juice')).error_code:
            assert time.monotonic() < until
        assert client.retrieve('find the juice').experiences[0].experience_id == 'a'
        client.hear(
            DiagnosticArray,
            '/diagnostics',
            10,
            lambda message: (
                client.is_about_mine(message) and message.status[0].level == DiagnosticStatus.OK
            ),
        )


def test_retrievals_that_wait_leave_threads_to_working_memory(embeddings_server):
    options = {'encoder_server': embeddings_server.address, 'encoder_model': 'small'}
    options |= {'encoder': 'server', 'encoder_timeout': PATIENCE, 'store_path': 'none'}
    with memory_process(seed_folder=EXAMPLES, **options) as process:
        until_ready(process)
        with client_in('/outside') as client:
            client.recall(RUN, 'juice')
            embeddings_server.otherwise = silent
            embeddings_server.asked.clear()
            assert client.clients['retrieve_experiences'].wait_for_service(PATIENCE)
            waiting = [
                client.clients['retrieve_experiences'].call_async(
                    srv.RetrieveExperiences.Request(goal=f'find cup {number}', token_budget=1000)
                )
                for number in range(6)
            ]
            assert embeddings_server.asked.wait(PATIENCE)
            for _ in range(20):
                assert len(client.see(RUN, fact('juice')).facts) == 1
            assert not any(future.done() for future in waiting)
            embeddings_server.silence.set()


def test_a_peer_that_stores_without_end_is_refused_and_others_are_served(tmp_path):
    options = {'encoder': 'hashing', 'seed': False}
    refused = srv.StoreExperiences.Response.ERROR_STORE
    with running(store_path=tmp_path / 'm.sqlite', store_rate=0.01, **options) as client:
        # Nothing but a restart empties a bucket that gains one in 100 s.
        assert client.store(experience('first', 'find the cup')).stored == 1
        for number in range(200):
            answer = client.store(experience(f'more {number}', 'find the cup'))
            assert (answer.error_code, answer.stored) == (refused, 0)
        assert re.search(r'0.01 a second.* try again in \d+ s.*store_rate', answer.error_msg)
        many = [experience(f'many {number}', 'find the cup') for number in range(200)]
        assert 'send fewer' in client.store(*many).error_msg
        # A run that tells again what is known costs nothing.
        again = client.store(experience('first', 'find the cup'))
        assert (again.error_code, again.known) == (0, 1)
        assert len(client.retrieve('find the cup').experiences) == 1
        assert len(client.see(RUN, fact('juice')).facts) == 1


def test_parameters_let_more_in_while_the_node_runs(tmp_path):
    options = {'encoder': 'hashing', 'seed': False, 'store_limit_count': 2, 'store_rate': 0.02}
    items = [experience(str(number), 'find the cup') for number in range(6)]
    with running(store_path=tmp_path / 'm.sqlite', **options) as client:
        assert client.store(*items[:2]).stored == 2
        answer = client.store(items[2])
        assert answer.error_code == srv.StoreExperiences.Response.ERROR_STORE
        assert re.search('holds 2 .* may hold 2: .*`reactree memory delete`', answer.error_msg)
        client.set('memory', store_limit_count=5)
        assert 'store_rate' in client.store(items[2]).error_msg
        client.set('memory', store_rate=0.0)
        assert client.store(*items[2:5]).stored == 3


def test_what_was_deleted_makes_room_at_once_and_an_import_goes_past_the_limits(tmp_path):
    path = tmp_path / 'm.sqlite'
    options = {'encoder': 'hashing', 'seed': False, 'store_limit_count': 2, 'store_rate': 0.03}
    lessons = tmp_path / 'lessons.jsonl'
    lessons.write_text(
        ''.join(
            json.dumps({'goal': f'goal {n}', 'trajectory': f'Your task is to: goal {n}\nAct: done',
                        'termination': 'success'}) + '\n'
            for n in range(300)
        )
    )  # fmt: skip
    with running(store_path=path, **options) as client:
        assert client.store(experience('a', 'a cup'), experience('b', 'a cup')).stored == 2
        assert 'store_limit_count' in client.store(experience('c', 'a cup')).error_msg
        assert main(['memory', 'delete', 'a', '--store', str(path)]) == 0
        assert client.store(experience('c', 'a cup')).stored == 1
        assert main(['memory', 'import', str(lessons), '--store', str(path)]) == 0
        assert len(client.retrieve('goal 7', limit=300, budget=10**6).experiences) == 300
        assert 'holds 302' in client.store(experience('d', 'a cup')).error_msg


def test_diagnostics_warn_while_nothing_can_be_stored(tmp_path):
    options = {'encoder': 'hashing', 'seed': False}
    with running(store_path=tmp_path / 'm.sqlite', store_limit_mb=1, **options) as client:

        def status_of(level):
            def is_wanted(message):
                return client.is_about_mine(message) and message.status[0].level == level

            return client.hear(DiagnosticArray, '/diagnostics', 10, is_wanted).status[0]

        large = experience('large', 'carry all plates', trajectory='x' * 60_000)
        many = [replace(large, experience_id=str(number)) for number in range(40)]
        assert client.store(*many).error_code == srv.StoreExperiences.Response.ERROR_STORE
        assert client.retrieve('carry all plates').error_code == 0
        assert 'store_limit_mb' in status_of(DiagnosticStatus.WARN).message
        assert client.store(experience('small', 'carry a plate')).stored == 1
        assert status_of(DiagnosticStatus.OK).message == 'in order'


@pytest.mark.parametrize(
    'item',
    [
        experience('', 'a goal'),
        experience('b1', '  '),
        experience('b2', 'a goal', trajectory=''),
    ],
)
def test_a_bad_experience_is_refused_with_a_reason(client, item):
    answer = client.store(experience('good', 'a good goal'), item)
    assert answer.error_code == srv.StoreExperiences.Response.ERROR_INVALID_REQUEST
    assert 'is empty' in answer.error_msg
    assert answer.stored == 0


def test_what_no_message_may_carry_is_refused_not_cut(client):
    long, wrong = (experience_to_message(experience('b', 'a goal')) for _ in range(2))
    long.experience_id = 'x' * 600
    wrong.termination = 9
    for message, says in ((long, 'experience_id'), (wrong, 'termination 9')):
        answer = client.call('store_experiences', experiences=[message])
        assert answer.error_code == srv.StoreExperiences.Response.ERROR_INVALID_REQUEST
        assert says in answer.error_msg


def test_an_empty_goal_is_an_invalid_request(client):
    answer = client.retrieve('')
    assert answer.error_code == srv.RetrieveExperiences.Response.ERROR_INVALID_REQUEST
    assert 'goal' in answer.error_msg


def test_a_run_recalls_what_it_saw_and_no_other_run(client):
    seen = client.see(RUN, fact('juice'), fact('juice', 2), place='fridge 1')
    assert len(seen.facts) == 2
    answer = client.recall(RUN, 'juice')
    assert answer.text == (
        'You saw juice 1 near fridge 1 in kitchen 1. You saw juice 2 near fridge 1 in kitchen 1.'
    )
    assert [item.instance for item in answer.facts] == [1, 2]
    assert (answer.facts[0].state, answer.facts[0].seen_at.nanosec) == ('cold', 500_000_000)
    assert answer.looked_at == ['fridge 1']
    assert client.recall(OTHER_RUN, 'juice').text == 'You have not seen juice before.'
    client.see(RUN, fact('juice', 2, 'agent 1'), place='fridge 1')
    assert client.recall(RUN, 'juice').text == 'You are holding juice 2.'


def test_robots_share_a_memory_under_its_name(client):
    juice = ObjectFact('juice', 1, 'kitchen 1', 'fridge 1')
    assert len(client.see(RUN, juice, shared_name='fleet', robot='left').facts) == 1
    told = client.recall(OTHER_RUN, 'juice', shared_name='fleet', robot='right')
    assert told.text == 'left saw juice 1 near fridge 1 in kitchen 1.'
    assert told.facts[0].seen_by == 'left'
    own = client.recall(RUN, 'juice', shared_name='fleet', robot='left')
    assert own.text == 'You saw juice 1 near fridge 1 in kitchen 1.'
    assert client.recall(OTHER_RUN, 'juice').text == 'You have not seen juice before.'
    assert client.call('clear_working_memory', shared_name='fleet').cleared == 1


def test_observations_are_taken_in_the_order_sent(client):
    for number in range(1, 201):
        seen = Observation('', facts=(fact('cup', 1, f'shelf {number}'),))
        newest = client.tell(seen, RUN)
    answer = client.recall(RUN, 'cup', newest)
    assert answer.text == 'You saw cup 1 near shelf 200 in kitchen 1.'


def test_a_world_that_was_put_back_is_forgotten(client):
    client.see(RUN, fact('lamp'))
    assert client.see(RUN, text=WORLD_RESET).newest
    assert client.recall(RUN, 'lamp').text == 'You have not seen lamp before.'


def test_a_memory_that_comes_late_hears_what_was_seen(surroundings):
    namespace = f'/late_{uuid.uuid4().hex[:8]}'
    with client_in(namespace) as client:
        number = client.tell(Observation('', facts=(fact('juice'),)), RUN)
        context = Context()
        rclpy.init(args=arguments(namespace, store_path='none', seed=False), context=context)
        with spinning(context, MemoryNode(context=context)):
            assert len(client.recall(RUN, 'juice', number).facts) == 1
        rclpy.try_shutdown(context=context)


def test_one_memory_hears_the_planners_it_is_told(surroundings):
    namespace = f'/fleet_{uuid.uuid4().hex[:8]}'
    robot = f'{namespace}/left'
    with running(store_path='none', seed=False, planners=[f'{robot}/planner']) as client:
        publisher = client.node.create_publisher(
            ObservationMessage, f'{robot}/planner/observations', kept_events()
        )
        message = observation_to_message(Observation('', facts=(fact('juice'),), sequence=7), RUN)
        message.shared_memory, message.robot = 'floor', 'left'
        publisher.publish(message)
        told = client.recall(RUN, 'juice', 7, shared_name='floor', robot='right')
        assert told.text.startswith('left saw juice 1')


def test_one_run_or_all_can_be_cleared(client):
    for run_id in (RUN, OTHER_RUN, ''):
        client.see(run_id, fact('apple'))
    assert client.call('clear_working_memory', run_id=run_id_to_message(RUN)).cleared == 1
    assert client.recall(RUN, 'apple').text == 'You have not seen apple before.'
    assert client.call('clear_working_memory').cleared == 2


def test_an_undefined_outcome_changes_nothing(client):
    client.call('clear_working_memory')
    client.tell(Observation('', facts=(fact('pear'),)), RUN, outcome=99)
    client.see(RUN, fact('apple'))
    assert client.recall(RUN, 'pear').text == 'You have not seen pear before.'


def test_the_snapshot_is_latched(client):
    client.call('clear_working_memory')
    client.see(RUN, fact('apple', 3), place='fridge 1')

    def is_new(message):
        # A snapshot from before this test may still be on its way.
        return '"instance": 3' in message.data or '"instance":3' in message.data

    first = client.hear(String, 'memory/working_memory', latched(), is_new)
    again = client.hear(String, 'memory/working_memory', latched(), is_new)
    assert first == again
    assert json.loads(first.data) == {
        'run_id': RUN,
        'runs': [RUN],
        'objects': {
            'apple': [
                {
                    'instance': 3,
                    'room': 'kitchen 1',
                    'receptacle': 'fridge 1',
                    'state': 'cold',
                    'seen_at': 12.5,
                    'seen_by': '',
                }
            ]
        },
        'looked_at': ['fridge 1'],
    }


def test_diagnostics_tell_size_and_latency(client):
    client.retrieve('find the juice')
    message = client.hear(DiagnosticArray, '/diagnostics', 10, client.is_about_mine)
    (status,) = message.status
    values = {item.key: item.value for item in status.values}
    assert status.name == f'{client.node.get_namespace()}/memory: memory'
    assert status.level == DiagnosticStatus.OK
    assert int(values['experiences']) >= 3
    assert int(values['retrievals']) >= int(values['hits']) >= 1
    assert float(values['mean latency of the last 100 retrievals [ms]']) > 0


def test_working_memory_answers_while_many_experiences_are_stored(client):
    many = [
        experience_to_message(experience(f'm{number}', f'carry {number} plates', tokens=10_000))
        for number in range(200)
    ]
    future = client.clients['store_experiences'].call_async(
        srv.StoreExperiences.Request(experiences=many)
    )
    done = threading.Event()
    future.add_done_callback(lambda _: done.set())
    calls = 0
    while not done.is_set():
        client.recall(RUN, 'apple')
        calls += 1
    assert calls > 10
    assert future.result().stored == 200


@pytest.mark.parametrize('content', [b'x' * 4096, b'SQLite format 3\x00' + bytes(200)])
def test_a_damaged_store_leaves_working_memory_alive(tmp_path, content):
    path = tmp_path / 'memory.sqlite'
    path.write_bytes(content)
    with running(store_path=path, encoder='hashing') as client:
        for answer in (client.retrieve('find'), client.store(experience('a', 'goal'))):
            assert answer.error_code == type(answer).ERROR_STORE
            assert str(path) in answer.error_msg
        client.see(RUN, fact('apple'))
        assert client.recall(RUN, 'apple').facts
        (status,) = client.hear(DiagnosticArray, '/diagnostics', 10, client.is_about_mine).status
        assert status.level == DiagnosticStatus.ERROR
        assert str(path) in status.message
    assert path.read_bytes() == content


# In a process of its own ---------------------------------------------------------------------


@contextmanager
def memory_process(namespace='/outside', **parameters):
    process = subprocess.Popen(
        [sys.executable, '-m', 'memory_server.ros.node', *arguments(namespace, **parameters)],
        env=os.environ | {'PYTHONPATH': os.pathsep.join(filter(None, sys.path))},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    guard = threading.Timer(PATIENCE * 2, process.kill)
    guard.start()
    try:
        yield process
    finally:
        guard.cancel()
        process.kill()
        process.wait(PATIENCE)
        process.stdout.close()


def until_ready(process):
    lines = []
    for line in process.stdout:
        lines.append(line)
        if 'memory ready' in line:
            return ''.join(lines)
    raise AssertionError('the node ended: ' + ''.join(lines))


def test_kill_9_loses_no_acknowledged_experience(tmp_path, capsys):
    path = tmp_path / 'memory.sqlite'
    options = {'store_path': path, 'seed_folder': EXAMPLES}
    acknowledged = []
    for round_number in range(2):
        begin = time.perf_counter()
        with memory_process(**options) as process:
            log = until_ready(process)
            seconds = time.perf_counter() - begin
            with capsys.disabled():
                print(f'\nmemory ready after {seconds:.2f} s')  # noqa: T201
            assert f'{3 + len(acknowledged)} experiences in {path}' in log
            # A new client: to an older one the killed node would still seem to be there.
            with client_in('/outside') as client:
                for number in range(5):
                    name = f'{round_number}-{number}'
                    answer = client.store(experience(name, f'bring cup {name}'))
                    assert (answer.error_code, answer.stored) == (0, 1)
                    acknowledged.append(name)
                process.send_signal(signal.SIGKILL)
                process.wait(PATIENCE)
    with memory_process(**options) as process:
        until_ready(process)
        with client_in('/outside') as client:
            found = client.retrieve('bring a cup', 100_000).experiences
        assert set(acknowledged) < {item.experience_id for item in found}
        assert len(found) == 3 + len(acknowledged)
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 0
    assert {entry.name for entry in tmp_path.iterdir()} == {'memory.sqlite', 'working.sqlite'}


def test_a_killed_node_knows_again_what_its_runs_saw(tmp_path):
    options = {'store_path': tmp_path / 'memory.sqlite', 'encoder': 'hashing', 'seed': False}
    juice = ObjectFact('juice', 1, 'kitchen 1', 'fridge 1')
    for attempt in range(2):
        with memory_process(**options) as process:
            until_ready(process)
            with client_in('/outside') as client:
                if not attempt:
                    assert len(client.see(RUN, juice, place='fridge 1').facts) == 1
                    process.send_signal(signal.SIGKILL)
                    process.wait(PATIENCE)
                    continue
                told = client.recall(RUN, 'juice')
                assert told.text == 'You saw juice 1 near fridge 1 in kitchen 1.'
                assert told.looked_at == ['fridge 1']


def test_examples_that_are_not_wanted_any_more_leave_the_store(tmp_path):
    options = {'store_path': tmp_path / 'memory.sqlite', 'encoder': 'hashing'}
    with running(seed_folder=EXAMPLES, **options) as client:
        client.store(experience('mine', 'find the juice'))
        assert len(client.retrieve('find the juice', 10_000).experiences) == 4
    with running(seed=False, **options) as client:
        found = client.retrieve('find the juice', 10_000).experiences
        assert [item.experience_id for item in found] == ['mine']


def test_a_bad_seed_file_stops_the_start_with_its_line(tmp_path):
    (tmp_path / 'bad.txt').write_text('=== experience\ntermination: never\n')
    with memory_process(store_path='none', seed_folder=tmp_path, encoder='hashing') as process:
        output = process.stdout.read()
        assert process.wait(PATIENCE) == 2
    assert re.search(r"bad\.txt:2: termination is 'never'", output)
