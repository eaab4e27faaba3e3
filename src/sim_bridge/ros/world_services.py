"""The services of the bridge."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from rclpy.callback_groups import CallbackGroup
from rclpy.node import Node

from reactree_core.errors import ReactreeError
from reactree_core.observation import Observation, Outcome, Progress, Vocabulary
from reactree_core.ros.conversions import (
    observation_to_message,
    progress_to_response,
    skills_to_response,
    stamped,
)
from reactree_core.ros.fields import bounded
from reactree_core.world import GraphWorld, OutlineWorld, World
from reactree_ros.srv import GetWorldState, ListSkills, ResetWorld, SnapshotWorld
from sim_bridge.ros.served_world import ServedWorld
from skill_server.ros.status import BridgeState, StatusBoard


class WorldServices:
    """Services `~/list_skills`, `~/get_world_state`, `~/reset_world` and `~/snapshot_world`."""

    def __init__(
        self, node: Node, group: CallbackGroup, world: ServedWorld, status: StatusBoard
    ) -> None:
        self._node = node
        self._world = world
        self._status = status
        for kind, name, callback in (
            (ListSkills, '~/list_skills', self._list_skills),
            (GetWorldState, '~/get_world_state', self._get_world_state),
            (ResetWorld, '~/reset_world', self._reset_world),
            (SnapshotWorld, '~/snapshot_world', self._snapshot_world),
        ):
            node.create_service(kind, name, callback, callback_group=group)

    def _stamped(self, observation: Observation) -> Observation:
        return stamped(observation, self._node.get_clock())

    async def _list_skills(
        self, request: ListSkills.Request, response: ListSkills.Response
    ) -> ListSkills.Response:
        try:
            vocabulary, admissible, candidates, look = await self._world.answer(
                self._world.ask(_skills)
            )
            seen = self._stamped(look)
            return skills_to_response(vocabulary, admissible, candidates, seen, response)
        except ReactreeError as error:
            self._node.get_logger().error(f'list_skills: {error}', throttle_duration_sec=1.0)
            failed = Observation(str(error), Outcome.EXECUTION_FAILED)
            response.observation = observation_to_message(self._stamped(failed))
            return response

    async def _get_world_state(
        self, request: GetWorldState.Request, response: GetWorldState.Response
    ) -> GetWorldState.Response:
        question = _progress_and_graph if request.include_graph else _progress
        try:
            progress, graph = await self._world.answer(self._world.ask(question))
            progress_to_response(progress, response)
            # ASCII, so that any message can carry it.
            response.graph = json.dumps(graph, separators=(',', ':')) if graph else ''
        except ReactreeError as error:
            self._node.get_logger().error(f'get_world_state: {error}', throttle_duration_sec=1.0)
        loaded = self._world.loaded
        response.scene = bounded(loaded.scene)
        response.task_id = bounded(loaded.task_id)
        response.instruction = bounded(loaded.instruction)
        response.skills_executed = self._world.executed
        return response

    async def _reset_world(
        self, request: ResetWorld.Request, response: ResetWorld.Response
    ) -> ResetWorld.Response:
        what = self._world.loaded.scene if request.again else bounded(request.scene, 200)
        work = self._status.claim(BridgeState.RESETTING, f'loading {what}', mends=True)
        if work is not None:
            response.success, response.message = await self._reset(request)
            self._status.give_back(work, mended=response.success)
        else:
            response.message = (
                f'The world cannot be reset now ({self._status.sentence}): wait until the bridge'
                ' is READY, or cancel the skill.'
            )
        loaded = self._world.loaded
        response.scene = bounded(loaded.scene)
        response.task_id = bounded(loaded.task_id)
        response.instruction = bounded(loaded.instruction)
        response.observation = observation_to_message(self._stamped(self._world.last))
        return response

    async def _reset(self, request: ResetWorld.Request) -> tuple[bool, str]:
        try:
            await self._world.answer(
                self._world.restart()
                if request.again
                else self._world.reset(request.scene, request.task, request.seed)
            )
        except ReactreeError as error:
            self._node.get_logger().warning(f'reset_world: {error}')
            return False, bounded(str(error))
        loaded = self._world.loaded
        self._status.load(loaded.backend, loaded.scene, loaded.task_id)
        task = f'task {loaded.task_id}' if loaded.task_id else 'no task'
        sentence = bounded(f'Loaded {loaded.scene} with {task}.')
        self._node.get_logger().info(sentence)
        return True, sentence

    async def _snapshot_world(
        self, request: SnapshotWorld.Request, response: SnapshotWorld.Response
    ) -> SnapshotWorld.Response:
        what = f'restoring snapshot {bounded(request.restore, 40)}' if request.restore else ''
        # A snapshot of a skill that is half done would be one of no moment at all.
        work = self._status.claim(BridgeState.RESETTING, what or 'taking a snapshot')
        if work is not None:
            try:
                if request.restore:
                    await self._world.answer(self._world.restore(request.restore))
                    response.snapshot = request.restore
                    response.message = f'The world is as it was at snapshot {request.restore}.'
                else:
                    response.snapshot = await self._world.answer(self._world.snapshot())
                    response.message = f'Snapshot {response.snapshot} is taken.'
                response.success = True
            except ReactreeError as error:
                response.message = bounded(str(error))
            loaded = self._world.loaded
            self._status.load(loaded.backend, loaded.scene, loaded.task_id)
            self._status.give_back(work)
        else:
            response.message = (
                f'The bridge is at work ({self._status.sentence}): ask again when it is READY.'
            )
        response.observation = observation_to_message(self._stamped(self._world.last))
        return response


def _skills(world: World) -> tuple[Vocabulary, tuple[str, ...], tuple[str, ...], Observation]:
    look = world.observe()
    return world.vocabulary(), world.admissible_skills(), world.candidate_skills(), look


def _progress(world: World) -> tuple[Progress | None, dict[str, Any]]:
    return world.progress(), {}


def _progress_and_graph(world: World) -> tuple[Progress | None, dict[str, Any]]:
    if isinstance(world, GraphWorld):
        return world.progress(), world.graph()
    if isinstance(world, OutlineWorld):
        return world.progress(), {'outline': asdict(world.outline())}
    return world.progress(), {}
