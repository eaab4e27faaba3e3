"""Services of the planner by which people look at its run, hold it, and answer it."""

from __future__ import annotations

from typing import Any

from rclpy.callback_groups import CallbackGroup
from rclpy.node import Node
from std_srvs.srv import SetBool, Trigger

from reactree_core.ros.conversions import bounded, run_id_from_message
from reactree_planner.reading.halting import Halt, halt_in
from reactree_planner.ros.run_topics import RunTopics
from reactree_planner.runs.approval_gate import Gate
from reactree_planner.runs.mailbox import Mailbox
from reactree_planner.runs.open_questions import OpenQuestions
from reactree_ros.srv import AnswerQuestion, CorrectTask, GetTree, ResolveApproval


class ControlServices:
    """`~/get_tree`, `~/resolve_approval`, `~/answer_question`, `~/correct_task`, `~/pause` and
    `~/step`.

    :param group: reentrant, so that they answer while a run waits.
    """

    def __init__(
        self,
        node: Node,
        group: CallbackGroup,
        gate: Gate,
        questions: OpenQuestions,
        topics: RunTopics,
        mailbox: Mailbox,
    ) -> None:
        self._gate = gate
        self._questions = questions
        self._topics = topics
        self._mailbox = mailbox
        for kind, name, callback in (
            (GetTree, '~/get_tree', self._get_tree),
            (ResolveApproval, '~/resolve_approval', self._resolve_approval),
            (AnswerQuestion, '~/answer_question', self._answer_question),
            (CorrectTask, '~/correct_task', self._correct_task),
            (SetBool, '~/pause', self._pause),
            (Trigger, '~/step', self._step),
        ):
            node.create_service(kind, name, callback, callback_group=group)

    def _get_tree(self, request: GetTree.Request, response: GetTree.Response) -> Any:
        wanted = run_id_from_message(request.run_id)
        have = run_id_from_message(self._topics.tree.run_id)
        response.found = bool(self._topics.tree.nodes) and (
            not wanted.strip('0') or wanted == have
        )
        if response.found:
            response.tree = self._topics.tree
        return response

    def _resolve_approval(
        self, request: ResolveApproval.Request, response: ResolveApproval.Response
    ) -> Any:
        response.accepted, response.message = self._gate.resolve(
            run_id_from_message(request.run_id),
            request.sequence,
            request.skill,
            request.approve,
            bounded(request.reason, 500),
            bounded(request.approver, 100),
        )
        if not request.approve and halt_in(request.reason) is Halt.STOP:
            run_id = run_id_from_message(request.run_id)
            self._mailbox.say(run_id, request.reason, request.approver)
        return response

    def _answer_question(
        self, request: AnswerQuestion.Request, response: AnswerQuestion.Response
    ) -> Any:
        run_id, said, by = (
            run_id_from_message(request.run_id),
            request.answer,
            request.answered_by,
        )
        if halt_in(said) is Halt.STOP and not self._questions.offers(said):
            # Whatever is asked: who says "stop" wants the robot to stop.
            accepted, message = self._mailbox.say(run_id, said, by)
        else:
            accepted, message = self._questions.answer(run_id, request.number, said, by)
        response.accepted, response.message = accepted, bounded(message)
        return response

    def _correct_task(self, request: CorrectTask.Request, response: CorrectTask.Response) -> Any:
        accepted, message = self._mailbox.say(
            run_id_from_message(request.run_id), request.text, request.said_by
        )
        response.accepted, response.message = accepted, bounded(message)
        return response

    def _pause(self, request: SetBool.Request, response: SetBool.Response) -> Any:
        self._gate.pause(request.data)
        response.success = True
        response.message = 'skills wait' if request.data else 'skills run'
        return response

    def _step(self, request: Trigger.Request, response: Trigger.Response) -> Any:
        response.success = self._gate.step()
        response.message = (
            'one skill may run' if response.success else 'not paused: call ~/pause with true first'
        )
        return response
