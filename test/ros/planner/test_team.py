"""One planner with two robots in one home, over ROS: they work at the same time."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
import uuid
from contextlib import ExitStack
from functools import partial

import pytest
from rclpy.context import Context
from rclpy.node import Node
from rclpy.parameter import Parameter
from std_srvs.srv import SetBool
from unique_identifier_msgs.msg import UUID

from reactree_core.ros import qos
from reactree_core.ros.actions import ActionClient
from reactree_core.ros.spinning import NodesInThread
from reactree_planner.ros.node import PlannerNode
from reactree_ros.action import PlanTask
from reactree_ros.msg import BridgeStatus, Decision, Observation
from reactree_ros.srv import CorrectTask
from sim_bridge.team_home import HomeServer
from sim_bridge.worlds.household.team import TeamHome
from support.waiting import result_of

PATIENCE = 40.0
ROBOTS = ('robot_1', 'robot_2')


class TeamStack:
    """A home, a bridge process for each robot, the planner, and a client that keeps its events."""

    def __init__(self, stack, folder, duration=0.0, **planner):
        self._stack = stack
        self._namespace = f'/t{uuid.uuid4().hex[:8]}'
        self._journal = folder / 'runs'
        self.home = TeamHome(ROBOTS)
        server = HomeServer(folder / 'home', self.home)
        serving = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        serving.start()
        stack.callback(server.server_close)
        stack.callback(server.shutdown)
        self.bridges = {who: self._bridge(who, folder / 'home', duration) for who in ROBOTS}
        self.start_planner(**planner)
        self.events = []
        self.arrived = threading.Condition()
        self.client = self._run(lambda **options: Node('client', **options))
        for kind, topic in ((Decision, 'decisions'), (Observation, 'observations')):
            self.client.create_subscription(kind, f'planner/{topic}', self._keep, qos.events())
        self.action = ActionClient(self.client, PlanTask, 'planner/plan_task')
        assert self.action.wait_for_server(PATIENCE)

    def _bridge(self, who, home, duration):
        values = {
            'world': f'household_member,home={home},robot={who}',
            'scene': 'generated:9',
            'task': 'generated:9',
            'seed': 9,
            'skill_duration': duration,
        }
        given = [word for name, value in values.items() for word in ('-p', f'{name}:={value}')]
        words = [sys.executable, '-m', 'sim_bridge.ros.node', '--ros-args', *given]
        process = subprocess.Popen([*words, '-r', f'__ns:={self._namespace}/{who}'])
        self._stack.callback(process.wait, PATIENCE)
        self._stack.callback(process.kill)
        return process

    def start_planner(self, **values):
        self.planner = self._run(
            PlannerNode,
            team=list(ROBOTS),
            model='none',
            memory=False,
            journal_directory=str(self._journal),
            **values,
        )

    def _run(self, make, **values):
        context = Context()
        context.init()
        self._stack.callback(context.try_shutdown)
        node = make(
            context=context,
            namespace=self._namespace,
            parameter_overrides=[Parameter(name, value=value) for name, value in values.items()],
        )
        thread = NodesInThread(context, node, threads=4)
        thread.start()
        self._stack.callback(thread.end, PATIENCE)
        return node

    def _keep(self, message):
        with self.arrived:
            self.events.append(message)
            self.arrived.notify_all()

    def wait(self, condition):
        with self.arrived:
            assert self.arrived.wait_for(condition, PATIENCE)

    def send(self, task=''):
        future = self.action.send_goal_async(
            PlanTask.Goal(task=task), goal_uuid=UUID(uuid=list(uuid.uuid4().bytes))
        )
        return result_of(future)


@pytest.fixture
def make_team(tmp_path):
    with ExitStack() as stack:
        yield lambda **options: TeamStack(stack, tmp_path, **options)


def test_two_robots_do_one_task_at_the_same_time(make_team):
    team = make_team(duration=0.15)
    handle = team.send()
    assert handle.accepted
    result = result_of(handle.get_result_async()).result
    assert result.success, result.error_msg
    progress = team.home.home.progress()
    assert progress is not None and progress.success
    acts = [one for one in team.events if isinstance(one, Decision) and one.kind == one.KIND_ACT]
    assert {one.who for one in acts} == set(ROBOTS)
    answers = [one for one in team.events if isinstance(one, Observation) and one.skill]
    assert {one.who for one in answers} == set(ROBOTS)
    assert _most_under_way(team.events) == 2


def _most_under_way(events):
    """Skills at once, by their stamps: two topics may arrive in another order."""
    most = under_way = 0
    for one in sorted(events, key=lambda one: (one.header.stamp.sec, one.header.stamp.nanosec)):
        if isinstance(one, Decision):
            under_way += one.kind == one.KIND_ACT
        else:
            under_way -= bool(one.skill)
        most = max(most, under_way)
    return most


def test_a_robot_that_goes_leaves_its_work_to_the_other(make_team):
    team = make_team(duration=0.3)
    handle = team.send()
    team.wait(lambda: sum(isinstance(one, Observation) for one in team.events) >= 4)
    team.bridges['robot_2'].kill()
    result = result_of(handle.get_result_async()).result
    lost = [
        one
        for one in team.events
        if isinstance(one, Observation) and one.outcome == one.OUTCOME_BRIDGE_LOST
    ]
    assert [one.who for one in lost] == ['robot_2']
    if not lost[0].held:
        assert result.success, result.error_msg
    assert any('robot_2 is lost' in notice for notice in result.notices)


def test_a_cancel_stops_both(make_team):
    team = make_team(duration=0.5)
    handle = team.send()
    team.wait(lambda: _most_under_way(team.events) == 2)
    handle.cancel_goal_async()
    result = result_of(handle.get_result_async()).result
    assert not result.success
    executed = [one for one in team.events if isinstance(one, Observation) and one.skill]
    assert len(executed) < 6


def test_a_robot_whose_bridge_is_started_again_is_used_again(make_team, tmp_path):
    team = make_team(duration=0.8)
    handle = team.send()
    team.wait(lambda: sum(isinstance(one, Observation) for one in team.events) >= 4)
    team.bridges['robot_2'].kill()

    def lost(one):
        return isinstance(one, Observation) and one.outcome == one.OUTCOME_BRIDGE_LOST

    team.wait(lambda: any(map(lost, team.events)))
    at = len(team.events)
    team.bridges['robot_2'] = team._bridge('robot_2', tmp_path / 'home', 0.8)
    result = result_of(handle.get_result_async()).result
    assert result.success, result.error_msg
    progress = team.home.home.progress()
    assert progress is not None and progress.success
    assert any('robot_2 is there again' in notice for notice in result.notices)
    # It is asked what it sees; whether anything is left for it to do is another matter.
    after = [one for one in team.events[at:] if isinstance(one, Observation)]
    assert any(one.who == 'robot_2' and one.outcome == one.OUTCOME_SUCCEEDED for one in after)


def test_what_people_say_to_a_team_is_taken_while_robots_are_at_work(make_team):
    team = make_team(duration=0.4)
    handle = team.send('Bring an apple to the kitchen table.')
    team.wait(lambda: _most_under_way(team.events) == 2)
    correct = team.client.create_client(CorrectTask, 'planner/correct_task')
    assert correct.wait_for_service(PATIENCE)
    answer = result_of(correct.call_async(CorrectTask.Request(text='and a plate too')))
    assert answer.accepted, answer.message
    result = result_of(handle.get_result_async()).result
    assert result.success, result.error_msg
    assert set(result.verified) == {'apple in kitchen table', 'plate in kitchen table'}
    answers = [one for one in team.events if isinstance(one, Observation) and one.skill]
    assert len({one.sequence for one in answers}) == len(answers)


def _press(team, who, pressed=True):
    client = team.client.create_client(SetBool, f'{who}/bridge/emergency_stop')
    assert client.wait_for_service(PATIENCE)
    assert result_of(client.call_async(SetBool.Request(data=pressed))).success
    team.client.destroy_client(client)


def _acts_of(team, who):
    with team.arrived:
        events = list(team.events)
    return [one for one in events if isinstance(one, Decision) and one.skill and one.who == who]


def test_a_robot_that_is_stopped_leaves_its_work_to_the_other_also_once_released(make_team):
    team = make_team(duration=0.3, permission='allow')
    handle = team.send()
    team.wait(lambda: any(isinstance(one, Observation) and one.skill for one in team.events))
    _press(team, 'robot_2')
    stopped = len(_acts_of(team, 'robot_2'))
    _press(team, 'robot_2', False)
    result = result_of(handle.get_result_async()).result
    assert result.success, result.error_msg
    # One skill may have been decided on when the stop came, and was not sent.
    assert len(_acts_of(team, 'robot_2')) <= stopped + 1
    told = [one for one in result.notices if one.startswith('robot_2 is stopped: ')]
    assert len(told) == 1 and 'emergency stop was pressed' in told[0]
    assert not any('is there again' in one for one in result.notices)


def test_a_run_ends_once_every_robot_of_its_team_is_stopped(make_team):
    team = make_team(duration=30.0)
    handle = team.send()
    team.wait(lambda: all(_acts_of(team, who) for who in ROBOTS))
    for who in ROBOTS:
        _press(team, who)
    result = result_of(handle.get_result_async()).result
    assert result.error_code == PlanTask.Result.CANCELED
    assert result.error_msg.startswith('Stopped by the emergency stop: ')


def test_wait_cancels_the_skills_of_a_team_at_once(make_team):
    team = make_team(duration=30.0)
    states = {}

    def keep(who, message):
        with team.arrived:
            states[who] = message.state
            team.arrived.notify_all()

    for who in ROBOTS:
        team.client.create_subscription(
            BridgeStatus, f'{who}/bridge_status', partial(keep, who), qos.status()
        )
    team.send()
    busy, ready = BridgeStatus.STATE_BUSY, BridgeStatus.STATE_READY
    team.wait(lambda: [states.get(who) for who in ROBOTS] == [busy, busy])
    say = team.client.create_client(CorrectTask, 'planner/correct_task')
    assert say.wait_for_service(PATIENCE)
    assert result_of(say.call_async(CorrectTask.Request(text='wait'))).accepted
    began = time.monotonic()
    team.wait(lambda: [states.get(who) for who in ROBOTS] == [ready, ready])
    assert time.monotonic() - began < 10.0, 'skills of 30 s were canceled'
    assert result_of(say.call_async(CorrectTask.Request(text='stop'))).accepted
