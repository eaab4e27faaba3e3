"""The bridge as a process: how it starts and ends, with the household behind it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time

import pytest
from action_msgs.msg import GoalStatus
from rclpy.event_handler import SubscriptionEventCallbacks

from reactree_core.ros import qos
from reactree_ros.msg import BridgeStatus, Observation

#: Seconds within which a signal must have ended the process.
END = 5.0
#: Seconds that a start may take on a busy machine.
START = 30.0


def allowed():
    """Seconds that the end may take: longer on a machine with more to do than it can."""
    return END * max(1.0, os.getloadavg()[0] / os.cpu_count())


@pytest.fixture
def start(namespace):
    """Start the bridge's process with parameters, in the test's namespace."""
    processes = []

    def run(**parameters):
        command = [sys.executable, '-m', 'sim_bridge.ros.node', '--ros-args']
        command += ['-r', f'__ns:=/{namespace}']
        for name, value in parameters.items():
            command += ['-p', f'{name}:={value}']
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        processes.append(process)
        return process

    yield run
    for process in processes:
        if process.poll() is None:
            process.kill()
        process.wait(START)
        process.stdout.close()


def end(process, number):
    """Send a signal: exit code, output, and seconds until the end."""
    began = time.monotonic()
    process.send_signal(number)
    output, _ = process.communicate(timeout=START)
    return process.returncode, output, time.monotonic() - began


def test_it_executes_a_skill_of_the_household(start, client):
    start(scene='generated:1')
    listed = client.find().call('list_skills')
    skill = f'go to {listed.rooms[0]}'
    status, observation = client.execute(skill, 1)
    assert status == GoalStatus.STATUS_SUCCEEDED
    assert observation.text.startswith('You move to the')
    assert observation.admissible_skills
    status, observation = client.execute('fly to moon 1', 2)
    assert status == GoalStatus.STATUS_ABORTED
    assert observation.outcome == Observation.OUTCOME_INVALID_SKILL


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_cleanly(start, client, number):
    process = start()
    client.find()
    code, output, seconds = end(process, number)
    assert code == 0, output
    assert seconds < allowed()
    assert 'bridge ready' in output
    assert 'Traceback' not in output


def test_a_signal_while_a_skill_runs_still_gives_its_client_a_result(start, client):
    process = start(skill_duration=100.0)
    begun = threading.Event()
    handle = client.find().start('go to kitchen 1', 1, feedback=lambda _: begun.set())
    result = handle.get_result_async()
    assert begun.wait(START)
    code, output, seconds = end(process, signal.SIGINT)
    assert (code, 'Traceback' in output) == (0, False), output
    assert seconds < allowed()
    answer = client.wait(result)
    assert answer.status == GoalStatus.STATUS_ABORTED
    assert answer.result.observation.outcome == Observation.OUTCOME_CANCELED
    assert 'end of the bridge' in answer.result.observation.text


@pytest.mark.parametrize(
    ('parameters', 'sentence'),
    [
        ({'scene': 'generated:many'}, "scene 'generated:many' needs a whole number"),
        ({'scene': '/no/such/file.json'}, '/no/such/file.json'),
        ({'task': 'no_such_family:1'}, 'no_such_family'),
        ({'world': 'mars'}, "no world 'mars'"),
        ({'world_options': '\'{"gravity": 3.7}\''}, 'gravity'),
        ({'world_options': "'[]'"}, "parameter 'world_options' must be a JSON object"),
        ({'skill_duration': 3}, "parameter 'skill_duration' must be of type float"),
        ({'failure_probability': 1.5}, "parameter 'failure_probability' must be 0 to 1"),
        ({'scene': '[1'}, 'ROS does not take these arguments'),
    ],
)
def test_what_cannot_be_used_ends_it_with_a_sentence(start, parameters, sentence):
    process = start(**parameters)
    output, _ = process.communicate(timeout=START)
    assert process.returncode == 2
    assert sentence in output
    assert 'Traceback' not in output
    lines = [line for line in output.splitlines() if not line.startswith('[')]
    assert len(lines) == 1


def test_a_killed_bridge_is_missed_within_its_lease(start, client, client_node):
    there, gone = threading.Event(), threading.Event()

    def hear(event):
        if event.alive_count:
            there.set()
        elif there.is_set():
            gone.set()

    client_node.create_subscription(
        BridgeStatus,
        'bridge_status',
        lambda _: None,
        qos.status(),
        event_callbacks=SubscriptionEventCallbacks(liveliness=hear),
    )
    process = start()
    assert there.wait(START)
    client.find()
    process.kill()
    assert gone.wait(allowed())
