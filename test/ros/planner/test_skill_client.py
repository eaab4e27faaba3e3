"""The planner's client of a bridge that is slow to hear or to take, over real DDS."""

from __future__ import annotations

import threading

import pytest
from rclpy.action import ActionServer
from rclpy.action import CancelResponse
from rclpy.action import GoalResponse
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.context import Context
from rclpy.node import Node
from rclpy.task import Future

from reactree_core.cancellation import CancelToken
from reactree_core.errors import BridgeLostError
from reactree_core.errors import CanceledError
from reactree_core.errors import SkillError
from reactree_core.ros import qos
from reactree_core.ros.spinning import NodesInThread
from reactree_planner.ros.skill_client import RosSkillServer
from reactree_planner.ros.skill_client import SkillDeadlines
from reactree_ros.action import ExecuteSkill
from reactree_ros.msg import BridgeStatus
from reactree_ros.srv import GetWorldState
from reactree_ros.srv import ListSkills
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


@pytest.mark.parametrize('has_state', [True, False])
def test_a_server_is_found_with_the_state_of_its_world_where_it_tells_one(nodes, has_state):
    bridge, planner = nodes
    serve_skills(bridge, threading.Event())
    bridge.create_service(ListSkills, '~/list_skills', lambda request, response: response)
    bridge.create_publisher(BridgeStatus, 'bridge_status', qos.status()).publish(BridgeStatus())
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
