"""The three nodes as processes, and what happens when one of them is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
import uuid

import pytest
import rclpy

from reactree_core.ros import qos
from reactree_core.ros.actions import ActionClient
from reactree_core.ros.spinning import NodesInThread
from reactree_ros.action import PlanTask
from reactree_ros.msg import Decision

PATIENCE = 60.0
MODULES = {
    'bridge': 'sim_bridge.ros.node',
    'memory': 'memory_server.ros.node',
    'planner': 'reactree_planner.ros.node',
}
#: Every skill is asked for by the goal itself, so no model is needed to choose it.
TOUR = 'go to kitchen 1, then go to bathroom 1, then go to bedroom 1'
Result = PlanTask.Result


def slack():
    """Factor by which a machine with more to do than it can may be late."""
    return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


class Nodes:
    """Processes in a namespace of their own, and a client of the planner."""

    def __init__(self, folder):
        self._folder = folder
        self.namespace = f'/f{uuid.uuid4().hex[:8]}'
        self.processes = {}
        self._readers = []
        script = folder / 'script.yaml'
        script.write_text('- unused\n')
        self._parameters = {
            'bridge': {'scene': 'generated:9001', 'skill_duration': 1.0},
            'memory': {'store_path': 'none', 'encoder': 'hashing'},
            'planner': {
                'model': f'scripted:{script}',
                'preset': 'default,no-first-thought',
                'journal_directory': str(folder / 'runs'),
                'memory_timeout': 1.0,
            },
        }
        rclpy.init()
        self._node = rclpy.create_node('client', namespace=self.namespace)
        self._thread = NodesInThread(self._node.context, self._node)
        self._thread.start()
        self.decisions = []
        self._arrived = threading.Condition()
        self._node.create_subscription(Decision, 'planner/decisions', self._keep, qos.events())
        self.action = ActionClient(self._node, PlanTask, 'planner/plan_task')

    def _keep(self, message):
        with self._arrived:
            self.decisions.append(message)
            self._arrived.notify_all()

    def wait_for_skill(self, skill):
        with self._arrived:
            assert self._arrived.wait_for(
                lambda: any(message.skill == skill for message in self.decisions), PATIENCE
            )

    def start(self, name):
        process = self.processes[name] = self.begin(name)
        ready = threading.Event()
        reader = threading.Thread(target=self._read, args=(process, name, ready))
        reader.start()
        self._readers.append(reader)
        assert ready.wait(PATIENCE), f'{name} did not become ready'

    def begin(self, name):
        command = [sys.executable, '-m', MODULES[name], '--ros-args', '-r']
        command += [f'__ns:={self.namespace}']
        for key, value in self._parameters[name].items():
            command += ['-p', f'{key}:={value}']
        return subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )

    @staticmethod
    def _read(process, name, ready):
        for line in process.stderr:
            if f'{name} ready' in line:
                ready.set()

    def kill(self, name):
        self.processes[name].kill()
        self.processes[name].wait(PATIENCE)

    def send(self, **goal):
        assert self.action.wait_for_server(PATIENCE)
        handle = self.result_of(self.action.send_goal_async(PlanTask.Goal(**goal)))
        assert handle.accepted
        return handle

    @staticmethod
    def result_of(future, patience=PATIENCE):
        done = threading.Event()
        future.add_done_callback(lambda _: done.set())
        assert done.wait(patience), 'no answer in time'
        return future.result()

    def plan(self, **goal):
        return self.result_of(self.send(**goal).get_result_async()).result

    def close(self):
        for process in self.processes.values():
            if process.poll() is None:
                process.kill()
            process.wait(PATIENCE)
        for reader in self._readers:
            reader.join(PATIENCE)
        self._thread.end(PATIENCE)
        # It keeps the participant. Left to the garbage collector, both go while the next test
        # spins, and Fast DDS may wait for ever for a discovery that waits for it.
        self.action.destroy()
        rclpy.try_shutdown()


@pytest.fixture
def nodes(tmp_path):
    nodes = Nodes(tmp_path)
    yield nodes
    nodes.close()


def start_all(nodes):
    for name in MODULES:
        nodes.start(name)


@pytest.mark.timeout(300)
def test_a_killed_bridge_ends_the_run_in_time_and_the_next_goal_is_served(nodes):
    start_all(nodes)
    handle = nodes.send(task=TOUR)
    nodes.wait_for_skill('go to bathroom 1')
    nodes.processes['bridge'].send_signal(signal.SIGKILL)
    began = time.monotonic()
    result = nodes.result_of(handle.get_result_async()).result
    assert time.monotonic() - began < 2.0 * slack()
    assert result.error_code == Result.BRIDGE_LOST
    assert 'unknown' in result.error_msg
    assert result.tree.finished
    nodes.start('bridge')
    again = nodes.plan(task=TOUR)
    assert again.success, again.error_msg


@pytest.mark.timeout(300)
def test_a_second_node_of_each_name_says_so_and_the_first_serves_on(nodes):
    start_all(nodes)
    for name, process in nodes.processes.items():
        _, said = nodes.begin(name).communicate(timeout=PATIENCE)
        told = f'{nodes.namespace}/{name} runs already (process {process.pid} on this machine)'
        assert told in said.splitlines()[-1] and f'{name} ready' not in said
    assert nodes.plan(task=TOUR).success
    for name in MODULES:
        nodes.kill(name)
        nodes.start(name)  # the dead one is still on the graph


@pytest.mark.timeout(300)
def test_planning_goes_on_without_a_killed_memory_and_says_so(nodes):
    start_all(nodes)
    handle = nodes.send(task=TOUR)
    nodes.wait_for_skill('go to kitchen 1')
    nodes.kill('memory')
    assert nodes.result_of(handle.get_result_async()).result.success
    after = nodes.plan(task=TOUR)
    assert after.success, after.error_msg
    assert any('memory' in notice for notice in after.notices), list(after.notices)


@pytest.mark.timeout(300)
def test_without_a_bridge_the_goal_ends_with_what_to_start(nodes):
    nodes._parameters['planner']['bridge_timeout'] = 1.0
    nodes.start('planner')
    result = nodes.plan(task=TOUR)
    assert result.error_code == Result.BRIDGE_UNAVAILABLE
    assert 'reactree up' in result.error_msg


@pytest.mark.timeout(300)
def test_an_interrupt_during_a_run_ends_every_node_cleanly_within_five_seconds(nodes):
    start_all(nodes)
    nodes.send(task=TOUR)
    nodes.wait_for_skill('go to kitchen 1')
    for name in ('planner', 'bridge', 'memory'):
        began = time.monotonic()
        nodes.processes[name].send_signal(signal.SIGINT)
        assert nodes.processes[name].wait(PATIENCE) == 0, name
        assert time.monotonic() - began < 5.0 * slack(), name
