"""The planner's client of a bridge that is slow to hear or to take, over real DDS."""

from __future__ import annotations

import threading
import time

import pytest
from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.context import Context
from rclpy.node import Node
from rclpy.task import Future

from reactree_core.cancellation import CancelToken
from reactree_core.errors import (
    BridgeLostError,
    CanceledError,
    RobotStoppedError,
    SkillError,
    SkillRunsError,
)
from reactree_core.observation import Outcome
from reactree_core.ros import qos
from reactree_core.ros.actions import ActionServer as SettledActionServer
from reactree_core.ros.spinning import NodesInThread
from reactree_planner.ros.bridge_services import SkillDeadlines
from reactree_planner.ros.skill_client import RosSkillServer
from reactree_planner.ros.team_client import RosTeam
from reactree_ros.action import ExecuteSkill
from reactree_ros.msg import BridgeStatus
from reactree_ros.srv import GetWorldState, ListSkills
from support.bridge_client import spinning
from support.waiting import wait_for

PATIENCE = 30.0


@pytest.fixture
def nodes():
    context = Context()
    context.init(args=[])
    bridge = Node('bridge', context=context, start_parameter_services=False)
    planner = Node('planner', context=context, start_parameter_services=False)
    thread = NodesInThread(context, bridge, planner)
    thread.start()
    yield bridge, planner
    thread.end(PATIENCE)
    context.try_shutdown()


@pytest.fixture
def apart():
    """The same as two participants: one does not keep its writers alive for its own readers."""
    with (
        spinning(lambda context: Node('bridge', context=context)) as bridge,
        spinning(lambda context: Node('planner', context=context)) as planner,
    ):
        yield bridge, planner


@pytest.mark.parametrize(
    ('kind', 'name', 'ask'),
    [
        (ListSkills, 'list_skills', RosSkillServer.look),
        (GetWorldState, 'get_world_state', RosSkillServer.world_state),
    ],
)
def test_a_look_whose_answer_was_lost_is_asked_for_again(nodes, kind, name, ask):
    bridge, planner = nodes
    requests, ended = [], threading.Event()
    silence = Future(executor=bridge.executor)

    async def answer(request, response):
        requests.append(request)
        if len(requests) == 1:
            await silence
            ended.set()
        return response

    bridge.create_service(kind, f'~/{name}', answer, callback_group=ReentrantCallbackGroup())
    server = RosSkillServer(planner, lambda: SkillDeadlines(service=10.0))
    client = server._list if kind is ListSkills else server._state
    wait_for(client.service_is_ready, 'the bridge')
    try:
        assert ask(server, CancelToken()) is not None
        assert len(requests) == 2
    finally:
        silence.set_result(None)
        bridge.executor.wake()
        assert ended.wait(PATIENCE)


def publish_status(bridge, state=BridgeStatus.STATE_READY, message=''):
    publisher = bridge.create_publisher(BridgeStatus, 'bridge_status', qos.status())
    publisher.publish(BridgeStatus(state=state, message=message))
    return publisher


def test_a_server_that_is_not_ready_in_time_says_what_it_waits_for(apart):
    bridge, planner = apart
    serve_skills(bridge, threading.Event())
    bridge.create_service(ListSkills, '~/list_skills', lambda request, response: response)
    publish_status(bridge, BridgeStatus.STATE_STARTING, 'Waits for the action /drive.')
    server = RosSkillServer(planner, lambda: SkillDeadlines(find=1.0))
    with pytest.raises(SkillError, match='was not ready within 1 s: Waits for the action /drive'):
        server.find(CancelToken())


def test_the_services_of_a_bridge_that_is_heard_are_waited_for(apart):
    bridge, planner = apart
    publish_status(bridge)
    bridge.create_service(ListSkills, '~/list_skills', lambda request, response: response)
    server = RosSkillServer(planner, lambda: SkillDeadlines(find=0.2))
    wait_for(lambda: server.status, 'the bridge')
    looks, missing, began = [], server._missing, time.monotonic()

    def serve_once_time_is_over():
        if not looks and time.monotonic() > began + 0.6:
            looks.append(missing())
            serve_skills(bridge, threading.Event())
        return missing()

    server._missing = serve_once_time_is_over
    server.find(CancelToken())
    assert looks == ['bridge_status is heard, bridge/execute_skill is not offered']


def test_a_stop_is_heard_before_the_services_are_met(apart):
    bridge, planner = apart
    publish_status(bridge, BridgeStatus.STATE_STOPPED, 'Pressed.')
    server = RosSkillServer(planner, lambda: SkillDeadlines(find=PATIENCE))
    began = time.monotonic()
    with pytest.raises(RobotStoppedError, match='Pressed'):
        server.find(CancelToken())
    assert time.monotonic() < began + PATIENCE


def test_what_a_client_does_not_see_of_a_bridge_is_named(apart):
    _, planner = apart
    server = RosSkillServer(planner, lambda: SkillDeadlines(find=0.2))
    with pytest.raises(SkillError, match='no bridge_status was heard'):
        server.find(CancelToken())


@pytest.mark.parametrize('has_state', [True, False])
def test_a_server_is_found_with_the_state_of_its_world_where_it_tells_one(nodes, has_state):
    bridge, planner = nodes
    serve_skills(bridge, threading.Event())
    bridge.create_service(ListSkills, '~/list_skills', lambda request, response: response)
    publish_status(bridge)
    if has_state:
        bridge.create_service(
            GetWorldState, '~/get_world_state', lambda request, response: response
        )
    server = RosSkillServer(planner, SkillDeadlines)
    looks, is_there = [], server._state.service_is_ready
    # Discovered last.
    server._state.service_is_ready = lambda: looks.append(1) or (len(looks) > 3 and is_there())
    server.find(CancelToken())
    assert (server.world_state(CancelToken()) is not None) == has_state


def serve_skills(bridge, stopped, **callbacks):
    """An action server whose skills go on until they are canceled. :param stopped: is set then."""

    def cancel(handle):
        stopped.set()
        return CancelResponse.REJECT

    ActionServer(
        bridge,
        ExecuteSkill,
        '~/execute_skill',
        lambda handle: ExecuteSkill.Result(),
        callback_group=ReentrantCallbackGroup(),
        cancel_callback=cancel,
        **callbacks,
    )


@pytest.mark.parametrize('canceled', [False, True], ids=['time is over', 'run is canceled'])
def test_a_skill_that_is_taken_when_nobody_waits_any_more_is_canceled(nodes, canceled):
    bridge, planner = nodes
    asked, stopped = threading.Event(), threading.Event()
    silence = Future(executor=bridge.executor)

    async def consider(goal):
        asked.set()
        await silence
        return GoalResponse.ACCEPT

    serve_skills(
        bridge, stopped, goal_callback=consider, handle_accepted_callback=lambda handle: None
    )
    server = RosSkillServer(planner, lambda: SkillDeadlines(service=60.0 if canceled else 0.5))
    server.begin('5eed' * 8)
    wait_for(server._execute.server_is_ready, 'the bridge')
    token = CancelToken()
    if canceled:
        threading.Timer(0.2, token.cancel).start()
    with pytest.raises(CanceledError if canceled else SkillError):
        server.execute(1, 1, 'go to kitchen 1', token)
    assert asked.wait(PATIENCE) and not stopped.is_set()
    silence.set_result(None)
    bridge.executor.wake()
    assert stopped.wait(5.0)


def test_a_skill_of_a_bridge_that_goes_silent_is_canceled_in_case_it_comes_back(nodes):
    bridge, planner = nodes
    stopped = threading.Event()
    server = RosSkillServer(planner, SkillDeadlines)
    # Its lease lapses while the skill runs.
    serve_skills(bridge, stopped, handle_accepted_callback=lambda handle: server._lost.set())
    server.begin('5eed' * 8)
    wait_for(server._execute.server_is_ready, 'the bridge')
    with pytest.raises(BridgeLostError):
        server.execute(1, 1, 'go to kitchen 1', CancelToken())
    assert stopped.wait(5.0)


FAULTS = [
    (BridgeStatus.STATE_FAULT, 'The bridge reports a fault: '),
    (BridgeStatus.STATE_STOPPED, ''),
]


@pytest.mark.parametrize(('state', 'begin'), FAULTS, ids=['fault', 'stop'])
def test_a_rejection_is_told_with_what_the_bridge_says_of_itself(nodes, state, begin):
    bridge, planner = nodes
    publisher = bridge.create_publisher(BridgeStatus, 'bridge_status', qos.status())
    asked = []

    def reject(goal):
        asked.append(goal)
        publisher.publish(BridgeStatus(state=state, message='Restart the arm.'))
        return GoalResponse.REJECT

    serve_skills(bridge, threading.Event(), goal_callback=reject)
    server = RosSkillServer(planner, SkillDeadlines)
    server.begin('5eed' * 8)
    wait_for(server._execute.server_is_ready, 'the bridge')
    wait_for(lambda: publisher.get_subscription_count(), 'the planner')
    for _ in range(2):
        # The second is not sent any more.
        with pytest.raises(SkillError, match=f'^{begin}Restart the arm.$'):
            server.execute(1, 1, 'go to kitchen 1', CancelToken())
    assert len(asked) == 1


@pytest.mark.parametrize('ends', [True, False], ids=['ends later', 'goes on'])
def test_after_a_skill_that_took_too_long_the_planner_looks_and_ends_where_it_goes_on(apart, ends):
    bridge, planner = apart
    group = ReentrantCallbackGroup()
    over, looked, canceled = threading.Event(), threading.Event(), threading.Event()

    def hear_cancel(handle):
        # It hears of its cancel, and goes on for a while all the same.
        canceled.set()
        if ends:
            threading.Timer(1.0, over.set).start()
        return False

    def accept(handle):
        def drive():
            over.wait(PATIENCE)
            handle.execute()

        threading.Thread(target=drive).start()

    def look(request, response):
        looked.set()
        assert over.is_set()
        response.observation.text = 'You are at the dock.'
        response.observation.place = 'dock'
        return response

    SettledActionServer(
        bridge,
        ExecuteSkill,
        '~/execute_skill',
        lambda handle: handle.abort() or ExecuteSkill.Result(),
        lambda goal: GoalResponse.ACCEPT,
        lambda handle: None,
        may_cancel=hear_cancel,
        accepted=accept,
        callback_group=group,
    )
    bridge.create_service(ListSkills, '~/list_skills', look, callback_group=group)
    publish_status(bridge)
    server = RosSkillServer(planner, lambda: SkillDeadlines(skill=0.2, service=3.0))
    server.begin('5eed' * 8)
    wait_for(lambda: server._execute.server_is_ready() and server.status, 'the bridge')
    wait_for(server._list.service_is_ready, 'the bridge')
    try:
        if ends:
            seen = server.execute(1, 1, 'go to the dock', CancelToken())
            assert (seen.outcome, seen.place) == (Outcome.TIMED_OUT, 'dock')
            assert seen.text.startswith('go to the dock took longer than 0.2 s and was stopped.')
            assert seen.text.endswith('What is seen now: You are at the dock.')
            server.settle(CancelToken())
        else:
            with pytest.raises(SkillRunsError, match='was told to end and has not: the robot may'):
                server.execute(1, 1, 'go to the dock', CancelToken())
            assert not looked.is_set()
        assert canceled.is_set()
    finally:
        over.set()


@pytest.mark.parametrize(
    ('state', 'said'),
    [
        (BridgeStatus.STATE_BUSY, 'The skill server is still at work on a skill'),
        (BridgeStatus.STATE_FAULT, 'The action /drive has not ended'),
        (BridgeStatus.STATE_STOPPED, 'The action /drive has not ended'),
    ],
)
def test_a_run_ends_without_success_while_the_bridge_says_that_something_may_run(
    apart, state, said
):
    bridge, planner = apart
    status = publish_status(bridge, state, 'The action /drive has not ended')
    server = RosSkillServer(planner, lambda: SkillDeadlines(service=0.3))
    wait_for(lambda: server.status is not None, 'the status')
    with pytest.raises(SkillRunsError, match=f'{said}: the robot may still move'):
        server.settle(CancelToken())
    status.publish(BridgeStatus(state=BridgeStatus.STATE_READY))
    wait_for(lambda: server.status.state == BridgeStatus.STATE_READY, 'the status')
    server.settle(CancelToken())


class Liveliness:
    """An event of a subscription with a lease."""

    def __init__(self, alive, alive_change, not_alive_change):
        self.alive_count = alive
        self.alive_count_change = alive_change
        self.not_alive_count_change = not_alive_change


def test_a_bridge_that_is_gone_for_a_moment_loses_its_skill(nodes):
    bridge, planner = nodes
    stopped = threading.Event()
    server = RosSkillServer(planner, SkillDeadlines)

    def lose(handle):
        # It is killed, and another one is there before anybody has looked.
        server._on_liveliness(Liveliness(0, -1, 1))
        server._on_liveliness(Liveliness(1, 1, 0))

    serve_skills(bridge, stopped, handle_accepted_callback=lose)
    server.begin('5eed' * 8)
    wait_for(server._execute.server_is_ready, 'the bridge')
    with pytest.raises(BridgeLostError):
        server.execute(1, 1, 'go to kitchen 1', CancelToken())
    assert not server.lost and stopped.wait(5.0)


def test_what_was_on_its_way_when_a_bridge_went_silent_does_not_bring_it_back(nodes):
    server = RosSkillServer(nodes[1], SkillDeadlines)
    server._on_liveliness(Liveliness(0, -1, 1))
    server._on_status(BridgeStatus())
    assert server.lost
    server._on_status(BridgeStatus())
    assert not server.lost


def test_a_team_moves_something_real_as_long_as_one_of_its_robots_may(nodes):
    _, planner = nodes
    team = RosTeam(planner, SkillDeadlines, ('made_up', 'real'))
    made_up, real = team.robots.values()
    made_up._on_status(BridgeStatus(simulated=True))
    assert not team.simulated, 'one of them was not heard of'
    real._on_status(BridgeStatus(simulated=False))
    real._lost.set()
    assert not team.simulated, 'it may come back'
    real._on_status(BridgeStatus(simulated=True))
    assert team.simulated
