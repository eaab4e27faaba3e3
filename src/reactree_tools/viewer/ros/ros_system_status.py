"""The nodes around a viewer: how they are, the scene, the memory, and control of the planner."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

from action_msgs.srv import CancelGoal
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.event_handler import QoSLivelinessChangedInfo, SubscriptionEventCallbacks
from rclpy.node import Node
from rclpy.task import Future
from std_srvs.srv import SetBool, Trigger

from reactree_core.errors import ReactreeError, SkillError
from reactree_core.experience import Experience
from reactree_core.observation import Vocabulary
from reactree_core.record.questions import LONGEST_TEXT
from reactree_core.record.utterances import LONGEST_SAID
from reactree_core.ros import qos
from reactree_core.ros.conversions import (
    bounded,
    experience_from_message,
    run_id_from_message,
    run_id_to_message,
    skills_from_response,
)
from reactree_core.ros.deadlines import waits_until
from reactree_core.ros.discovery import is_served
from reactree_ros.msg import ApprovalRequest, BridgeStatus, Question
from reactree_ros.srv import (
    AnswerQuestion,
    CorrectTask,
    GetWorldState,
    ListSkills,
    ResolveApproval,
    RetrieveExperiences,
)
from reactree_tools.exit_codes import ExitCode
from reactree_tools.plain_text import visible
from reactree_tools.stopping.orders import is_stopped_below, Order
from reactree_tools.stopping.ros.robot_stop import carry_out
from reactree_tools.viewer.system_status import Approval, Condition, Health, OpenQuestion

#: Experiences that are shown of one goal.
_EXPERIENCES = 8
_NO_GRAPH = 'The bridge gives no scene graph; a robot may have none.'
#: Stands for every goal of an action server in a request to cancel (action_msgs/srv/CancelGoal).
_ALL_GOALS = '0' * 32
_STATES = {
    BridgeStatus.STATE_STARTING: ('starting', Condition.WARNING),
    BridgeStatus.STATE_READY: ('ready', Condition.GOOD),
    BridgeStatus.STATE_BUSY: ('skill running', Condition.GOOD),
    BridgeStatus.STATE_RESETTING: ('resetting', Condition.WARNING),
    BridgeStatus.STATE_FAULT: ('fault', Condition.BAD),
    BridgeStatus.STATE_STOPPED: ('emergency stop', Condition.BAD),
}
#: Services that are asked in any case, and with control.
_WATCHING = (
    (GetWorldState, 'bridge/get_world_state'),
    (ListSkills, 'bridge/list_skills'),
    (RetrieveExperiences, 'memory/retrieve_experiences'),
)
_CONTROL = (
    (SetBool, 'planner/pause'),
    (Trigger, 'planner/step'),
    (ResolveApproval, 'planner/resolve_approval'),
    (AnswerQuestion, 'planner/answer_question'),
    (CorrectTask, 'planner/correct_task'),
    (CancelGoal, 'planner/plan_task/_action/cancel_goal'),
)


class RosSystemStatus:
    """Implements SystemStatus and Control. Methods may come from any thread but the executor's.

    :param timeout: seconds that a node gets to answer, asked each time.
    :param at_work: id of the run that is under way, or ''.
    :param model: name and seconds of a decision.
    :param answers: whether the planner can be controlled and questions answered here: only then
        are they listened to, since a planner asks where somebody does.
    :param learn: called with what the bridge declares, from the executor, when it is there and
        whenever it has loaded something else.
    :param robot: namespace of planner and bridge, with a slash at its end; '' for the viewer's
        own. The memory is that of the viewer's.
    """

    def __init__(
        self,
        node: Node,
        timeout: Callable[[], float],
        at_work: Callable[[], str],
        model: Callable[[], tuple[str, float]],
        learn: Callable[[Vocabulary], None],
        answers: bool = False,
        robot: str = '',
    ) -> None:
        self._node = node
        self._robot = robot
        self._timeout = timeout
        self._at_work = at_work
        self._model = model
        self._learn = learn
        #: What the bridge had loaded when it was asked for its skills, the answer, and when it is
        #: waited for no more.
        self._loaded = ('', '', '')
        self._skills: Future | None = None
        self._skills_until = 0.0
        self._bridge: BridgeStatus | None = None
        self._bridge_alive = False
        self._paused = False
        self._request: ApprovalRequest | None = None
        self._request_until = 0.0
        self._asked: Question | None = None
        self._asked_until = 0.0
        group = ReentrantCallbackGroup()
        self._clients = {
            name: node.create_client(
                kind,
                name if name.startswith('memory/') else f'{robot}{name}',
                callback_group=group,
            )
            for kind, name in (*_WATCHING, *(_CONTROL if answers else ()))
        }
        node.create_subscription(
            BridgeStatus,
            f'{robot}bridge_status',
            self._on_bridge,
            qos.status(),
            callback_group=group,
            event_callbacks=SubscriptionEventCallbacks(liveliness=self._on_liveliness),
        )
        node.create_subscription(
            ApprovalRequest,
            f'{robot}planner/approvals',
            self._on_approval,
            qos.latched(),
            callback_group=group,
        )
        if answers:
            node.create_subscription(
                Question,
                f'{robot}planner/questions',
                self._on_question,
                qos.latched(),
                callback_group=group,
            )

    def _on_bridge(self, message: BridgeStatus) -> None:
        self._bridge = message
        self._bridge_alive = True
        self._ask_for_skills((message.backend, message.scene, message.task_id))

    def _ask_for_skills(self, loaded: tuple[str, str, str]) -> None:
        """Ask for them once for all that is loaded; again where no answer comes."""
        client = self._clients['bridge/list_skills']
        waits = self._skills is not None and time.monotonic() < self._skills_until
        if waits or (loaded == self._loaded and self._skills is None):
            return
        if not is_served(self._node, client):
            return
        if self._skills is not None:
            client.remove_pending_request(self._skills)
        self._loaded = loaded
        self._skills_until = time.monotonic() + self._timeout()
        self._skills = client.call_async(ListSkills.Request())
        self._skills.add_done_callback(self._on_skills)

    def _on_skills(self, answered: Future) -> None:
        self._skills = None
        try:
            self._learn(skills_from_response(answered.result())[0])
        except ReactreeError as error:
            self._node.get_logger().warning(f'The skills of the bridge cannot be read: {error}')

    def _on_approval(self, message: ApprovalRequest, info: Mapping[str, int]) -> None:
        self._request_until = waits_until(message, info)
        self._request = message

    def _on_question(self, message: Question, info: Mapping[str, int]) -> None:
        self._asked_until = waits_until(message, info)
        self._asked = message

    def _on_liveliness(self, info: QoSLivelinessChangedInfo) -> None:
        self._bridge_alive = info.alive_count > 0

    def _is_there(self, name: str) -> bool:
        return is_served(self._node, self._clients[name])

    def _is_planner_there(self) -> bool:
        """By its topics: without control none of its services is asked."""
        return self._node.count_publishers(f'{self._robot}planner/approvals') > 0

    def _ask(self, name: str, request: Any, who: str) -> Any:
        client = self._clients[name]
        if not is_served(self._node, client):
            raise SkillError(f'No {who} is there. Start one, or look at its log.')
        answered = threading.Event()
        future = client.call_async(request)
        future.add_done_callback(lambda _: answered.set())
        timeout = self._timeout()
        if not answered.wait(timeout):
            client.remove_pending_request(future)
            raise SkillError(f'The {who} did not answer within {timeout:g} s.')
        return future.result()

    # Health -----------------------------------------------------------------------------------

    def health(self) -> tuple[Health, ...]:
        """How planner, bridge, memory and model are."""
        planner = self._is_planner_there()
        return (
            self._planner_health(planner),
            self._bridge_health(),
            self._memory_health(),
            self._model_health(planner),
        )

    def _planner_health(self, there: bool) -> Health:
        if not there:
            return Health('planner', Condition.BAD, 'not there')
        text = 'paused' if self._paused else 'at work' if self._at_work() else 'ready'
        return Health('planner', Condition.WARNING if self._paused else Condition.GOOD, text)

    def _bridge_health(self) -> Health:
        status = self._bridge
        if status is None or not self._bridge_alive:
            gone = 'not there' if status is None else 'gone'
            return Health('bridge', Condition.BAD, gone)
        word, condition = _STATES.get(status.state, ('unknown', Condition.UNKNOWN))
        message = visible(status.message, 200) if condition is not Condition.GOOD else ''
        return Health('bridge', condition, ': '.join(filter(None, (word, message))))

    def _memory_health(self) -> Health:
        if self._is_there('memory/retrieve_experiences'):
            return Health('memory', Condition.GOOD, 'ready')
        return Health('memory', Condition.WARNING, 'not there; runs go on without')

    def _model_health(self, planner: bool) -> Health:
        name, seconds = self._model()
        if not planner:
            return Health('model', Condition.UNKNOWN, 'not known without a planner')
        if not name:
            return Health('model', Condition.GOOD, 'not asked yet')
        return Health('model', Condition.GOOD, f'{seconds:.1f} s a decision')

    @property
    def scene(self) -> str:
        """See SystemStatus."""
        bridge = self._bridge
        return visible(bridge.scene or bridge.backend, 200) if bridge is not None else ''

    def approval(self) -> Approval | None:
        """See SystemStatus."""
        asked = self._request
        if asked is None or asked.state != ApprovalRequest.STATE_WAITING:
            return None
        # A planner that is gone waits for nothing.
        if not self._is_planner_there():
            return None
        ends = bool(asked.deadline.sec or asked.deadline.nanosec)
        # The skill as it is: an answer must name it as it was asked.
        return Approval(
            run_id_from_message(asked.run_id),
            asked.sequence,
            asked.skill,
            asked.node_id,
            visible(asked.goal),
            visible(asked.place),
            visible(asked.room),
            visible(asked.reason),
            visible(asked.task),
            left=_left(self._request_until) if ends else None,
        )

    def question(self) -> OpenQuestion | None:
        """See SystemStatus."""
        asked = self._asked
        if asked is None or asked.state != Question.STATE_OPEN:
            return None
        if not self._is_there('planner/answer_question'):
            return None
        return OpenQuestion(
            run_id_from_message(asked.run_id),
            asked.number,
            visible(asked.text),
            tuple(map(visible, asked.options)),
            visible(asked.default_answer),
            asked.node_id,
            visible(asked.task),
            _left(self._asked_until),
        )

    # The world and the memory -----------------------------------------------------------------

    def vocabulary(self) -> Vocabulary:
        """Skills and names of the bridge."""
        answer = self._ask('bridge/list_skills', ListSkills.Request(), 'bridge')
        return skills_from_response(answer)[0]

    def graph(self) -> tuple[str, dict[str, Any]]:
        """See SystemStatus."""
        if self._bridge_alive and not self._is_there('bridge/get_world_state'):
            raise SkillError(_NO_GRAPH)
        request = GetWorldState.Request(include_graph=True)
        answer = self._ask('bridge/get_world_state', request, 'bridge')
        try:
            graph = json.loads(answer.graph) if answer.graph else None
        except ValueError:
            graph = None
        if not isinstance(graph, dict):
            raise SkillError(_NO_GRAPH)
        return visible(answer.scene, 200), graph

    def experiences(self, goal: str) -> tuple[Experience, ...]:
        """See SystemStatus."""
        request = RetrieveExperiences.Request(goal=goal, limit=_EXPERIENCES)
        answer = self._ask('memory/retrieve_experiences', request, 'memory')
        if answer.error_code:
            raise SkillError(answer.error_msg or 'The memory cannot answer; look at its log.')
        return tuple(experience_from_message(found) for found in answer.experiences)

    # Control ----------------------------------------------------------------------------------

    @property
    def paused(self) -> bool:
        """See Control."""
        return self._paused

    def pause(self, paused: bool) -> str:
        """See Control."""
        answer = self._ask('planner/pause', SetBool.Request(data=paused), 'planner')
        self._paused = paused if answer.success else self._paused
        return str(answer.message)

    @property
    def stopped(self) -> bool:
        """See Control."""
        status = self._bridge
        shown = status is not None and status.state == BridgeStatus.STATE_STOPPED
        return shown or is_stopped_below(self._below)

    def stop(self, stopped: bool) -> str:
        """See Control; every robot below the namespace, whether or not its bridge lives."""
        order = Order(stopped, self._below, how='with the viewer', by='')
        result = carry_out(order)
        said = ' '.join(result.lines)
        if result.exit_code is not ExitCode.OK:
            raise SkillError(said)
        return said

    @property
    def _below(self) -> str:
        """Namespace of the robots, with a leading slash."""
        return f'/{self._node.get_namespace().strip("/")}/{self._robot}'.rstrip('/') or '/'

    def step(self) -> str:
        """See Control."""
        answer = self._ask('planner/step', Trigger.Request(), 'planner')
        if not answer.success:
            raise SkillError(f'The planner did not step: {answer.message}.')
        return str(answer.message)

    def cancel(self, run_id: str) -> str:
        """See Control."""
        if not run_id:
            raise SkillError('There is no run to cancel.')
        code = self._cancel_goal(run_id)
        if code == CancelGoal.Response.ERROR_UNKNOWN_GOAL_ID and run_id == self._at_work():
            # A resumed run: its goal has another id. The planner has one goal at a time, so
            # that all of them are this one.
            code = self._cancel_goal(_ALL_GOALS)
        if code != CancelGoal.Response.ERROR_NONE:
            raise SkillError('The planner did not cancel: the run has ended already.')
        return 'the run ends'

    def answer(self, run_id: str, sequence: int, skill: str, approve: bool, reason: str) -> str:
        """See Control."""
        request = ResolveApproval.Request(
            run_id=run_id_to_message(run_id),
            sequence=sequence,
            skill=bounded(skill),
            approve=approve,
            reason=bounded(reason),
            approver='viewer',
        )
        answer = self._ask('planner/resolve_approval', request, 'planner')
        if not answer.accepted:
            raise SkillError(answer.message or 'The planner did not take the answer.')
        return str(answer.message)

    def answer_question(self, run_id: str, number: int, said: str) -> str:
        """See Control."""
        request = AnswerQuestion.Request(
            run_id=run_id_to_message(run_id),
            number=number,
            answer=bounded(said, LONGEST_TEXT),
            answered_by='viewer',
        )
        answer = self._ask('planner/answer_question', request, 'planner')
        if not answer.accepted:
            raise SkillError(answer.message or 'The planner did not take the answer.')
        return str(answer.message)

    def say(self, run_id: str, text: str) -> str:
        """See Control."""
        request = CorrectTask.Request(
            run_id=run_id_to_message(run_id), text=bounded(text, LONGEST_SAID), said_by='viewer'
        )
        answer = self._ask('planner/correct_task', request, 'planner')
        if not answer.accepted:
            raise SkillError(answer.message or 'The planner did not take it.')
        return str(answer.message)

    def _cancel_goal(self, goal_id: str) -> int:
        request = CancelGoal.Request()
        request.goal_info.goal_id = run_id_to_message(goal_id)
        answer = self._ask('planner/plan_task/_action/cancel_goal', request, 'planner')
        return int(answer.return_code)


def _left(until: float) -> float:
    """Seconds until a time of time.monotonic()."""
    return max(0.0, until - time.monotonic())
