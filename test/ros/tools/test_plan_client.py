"""A planner that does not say in time whether it takes a task must not begin it later."""

from __future__ import annotations

import threading
import uuid

import pytest
from rclpy.action import GoalResponse
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.context import Context
from rclpy.node import Node
from rclpy.task import Future

from reactree_core.errors import SkillError
from reactree_core.ros.actions import ActionServer
from reactree_core.ros.spinning import NodesInThread
from reactree_ros.action import PlanTask
from reactree_ros.msg import Decision, Observation
from reactree_tools.ros import plan_client
from reactree_tools.ros.plan_client import PlanClient, PlanRequest
from reactree_tools.ros.session import Session

PATIENCE = 30.0
MAY_BEGIN = 'may still begin it'


class Planner(ActionServer):
    """A planner that tells what it was asked; its node is spun by `go_on`."""

    def __init__(self):
        self.context = Context()
        self.context.init(args=[])
        self._spun = Node('planner', context=self.context, namespace=f'/t{uuid.uuid4().hex[:8]}')
        self.namespace = self._spun.get_namespace()
        self._events = [
            self._spun.create_publisher(kind, f'~/{name}', 10)
            for kind, name in ((Decision, 'decisions'), (Observation, 'observations'))
        ]
        self._thread = None
        self.canceled = threading.Event()
        #: Goals and cancels that were dealt with.
        self.goal, self.cancel = threading.Event(), threading.Event()
        super().__init__(
            self._spun,
            PlanTask,
            '~/plan_task',
            lambda handle: PlanTask.Result(),
            lambda goal: GoalResponse.ACCEPT,
            lambda handle: self.canceled.set(),
            accepted=lambda handle: None,
            callback_group=ReentrantCallbackGroup(),
        )

    async def _execute_goal_request(self, taken):
        await super()._execute_goal_request(taken)
        self.goal.set()

    async def _execute_cancel_request(self, taken):
        await super()._execute_cancel_request(taken)
        self.cancel.set()

    def go_on(self):
        self._thread = NodesInThread(self.context, self._spun, threads=3)
        self._thread.start()

    def end(self):
        if self._thread is not None:
            self._thread.end(PATIENCE)
        self.context.try_shutdown()


@pytest.fixture
def planner(monkeypatch):
    monkeypatch.setattr(plan_client, 'ACCEPT_SECONDS', 0.5)
    monkeypatch.setattr(plan_client, 'ABANDON_SECONDS', 0.5)
    made = Planner()
    yield made
    made.end()


def found(session):
    client = PlanClient(session, PlanRequest(task='do it'))
    client.find(lambda: False)
    return client


def test_a_task_of_a_planner_that_was_held_up_until_nobody_was_there_is_not_begun(planner):
    with Session(planner.namespace) as session:
        client = found(session)
        with pytest.raises(SkillError, match=MAY_BEGIN):
            client.send()
    planner.go_on()
    assert planner.goal.wait(PATIENCE) and planner.cancel.wait(PATIENCE)
    # Whichever came first.
    assert not planner._goal_handles or planner.canceled.wait(PATIENCE)


def test_a_task_whose_answer_was_lost_is_canceled(planner, monkeypatch):
    planner.go_on()
    monkeypatch.setattr(plan_client, 'ABANDON_SECONDS', PATIENCE)
    with Session(planner.namespace) as session:
        client = found(session)
        send = client._client.send_goal_async

        def send_unanswered(*arguments, **options):
            send(*arguments, **options)
            assert planner.goal.wait(PATIENCE)
            return Future()

        monkeypatch.setattr(client._client, 'send_goal_async', send_unanswered)
        with pytest.raises(SkillError, match=', so it was canceled'):
            client.send()
        assert planner.canceled.wait(PATIENCE)


def test_a_task_that_is_taken_late_is_canceled_though_its_cancel_was_not_answered(
    planner, monkeypatch
):
    with Session(planner.namespace) as session:
        client = found(session)
        monkeypatch.setattr(plan_client, 'ClientGoalHandle', lambda *_: Lost())
        with pytest.raises(SkillError, match=MAY_BEGIN):
            client.send()
        planner.go_on()
        assert planner.canceled.wait(PATIENCE)


class Lost:
    """A goal whose cancel does not arrive."""

    def cancel_goal_async(self):
        return Future()
