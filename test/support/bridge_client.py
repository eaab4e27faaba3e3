"""A client of a bridge, and nodes that are spun while a test waits; all with deadlines."""

from __future__ import annotations

import threading
from contextlib import contextmanager

from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState
from rclpy.context import Context
from std_srvs.srv import SetBool

from reactree_core.ros import qos
from reactree_core.ros.actions import ActionClient
from reactree_core.ros.conversions import duration_to_message, run_id_to_message, skill_goal_id
from reactree_core.ros.spinning import NodesInThread
from reactree_ros.action import ExecuteSkill
from reactree_ros.msg import BridgeStatus
from reactree_ros.srv import GetWorldState, ListSkills, ResetWorld, SnapshotWorld

#: Seconds after which whatever is waited for counts as lost.
PATIENCE = 30.0
RUN = '5eed' * 8


class Client:
    """Waits for answers of one bridge, always with a deadline.

    :param snapshots: whether it has the optional service for them.
    """

    def __init__(self, node, bridge='bridge', snapshots=True):
        self.node = node
        self._change_state = f'{bridge}/change_state'
        #: The bridge itself, where a test runs it in this process and says so.
        self.bridge = None
        self.action = ActionClient(node, ExecuteSkill, f'{bridge}/execute_skill')
        kinds = {
            'list_skills': ListSkills,
            'get_world_state': GetWorldState,
            'reset_world': ResetWorld,
            'emergency_stop': SetBool,
        }
        #: What it has told of itself.
        self.told = []
        node.create_subscription(
            BridgeStatus,
            f'{bridge.removesuffix("bridge")}bridge_status',
            self.told.append,
            qos.latched(),
        )
        if snapshots:
            kinds['snapshot_world'] = SnapshotWorld
        self.services = {
            name: node.create_client(kind, f'{bridge}/{name}') for name, kind in kinds.items()
        }

    @property
    def state(self):
        """The newest state of the bridge; None before it has told one."""
        return self.told[-1].state if self.told else None

    def find(self):
        """Wait until everything of the bridge is there."""
        assert self.action.wait_for_server(PATIENCE)
        for service in self.services.values():
            assert service.wait_for_service(PATIENCE)
        # The middleware drops answers to a client that the server has not found yet.
        for _ in range(10):
            done = threading.Event()
            answer = self.services['get_world_state'].call_async(GetWorldState.Request())
            answer.add_done_callback(lambda _, done=done: done.set())
            if done.wait(PATIENCE / 10):
                return self
        raise AssertionError('the bridge does not answer')

    def start(
        self,
        skill,
        sequence=0,
        run=RUN,
        limit=0.0,
        goal_id=None,
        feedback=None,
        approved=False,
        traceparent='',
    ):
        """Goal handle of a skill. :param sequence: 0 for a goal outside a run."""
        goal = ExecuteSkill.Goal(skill=skill, sequence=sequence, node_id=7, approved=approved)
        goal.traceparent = traceparent
        goal.time_limit = duration_to_message(limit)
        if sequence:
            goal.run_id = run_id_to_message(run)
            goal_id = goal_id or skill_goal_id(run, sequence)
        return self.wait(
            self.action.send_goal_async(goal, feedback_callback=feedback, goal_uuid=goal_id)
        )

    def result(self, handle):
        """Status of the goal and observation."""
        assert handle.accepted
        answer = self.wait(handle.get_result_async())
        return answer.status, answer.result.observation

    def execute(self, skill, sequence=0, **options):
        """Status and observation of a skill."""
        return self.result(self.start(skill, sequence, **options))

    def call(self, name, **fields):
        """Answer of a service."""
        service = self.services[name]
        return self.wait(service.call_async(service.srv_type.Request(**fields)))

    def change(self, *transitions):
        """Take the bridge through transitions of its lifecycle."""
        service = self.node.create_client(ChangeState, self._change_state)
        assert service.wait_for_service(PATIENCE)
        for transition in transitions:
            request = ChangeState.Request(transition=Transition(id=transition))
            assert self.wait(service.call_async(request)).success

    @staticmethod
    def wait(future, patience=PATIENCE):
        """Result of a future of the other thread."""
        done = threading.Event()
        future.add_done_callback(lambda _: done.set())
        assert done.wait(patience), 'no answer in time'
        return future.result()


@contextmanager
def spinning(make_node, threads=1):
    """A node in a context of its own, spun by a thread."""
    context = Context()
    context.init(args=[])
    node = make_node(context)
    thread = NodesInThread(context, node, threads=threads)
    thread.start()
    try:
        yield node
    finally:
        thread.end(PATIENCE)
        context.try_shutdown()
