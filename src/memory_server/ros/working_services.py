"""Working memory over ROS: observations in, `recall` and `clear`, and a snapshot to watch."""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from collections.abc import Iterable, Sequence

from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.clock import Clock, ClockType
from rclpy.event_handler import SubscriptionEventCallbacks
from rclpy.node import Node
from rclpy.subscription import Subscription
from std_msgs.msg import String
from unique_identifier_msgs.msg import UUID

from memory_server.working.run_memories import RunMemories, shared
from reactree_core.errors import SkillError
from reactree_core.observation import ObjectFact
from reactree_core.ros.conversions import facts_to_messages, observation_from_message
from reactree_core.ros.fields import bounded, bounded_name, bounded_names, run_id_from_message
from reactree_core.ros.qos import kept_events, latched, overridable
from reactree_ros.msg import Observation as ObservationMessage
from reactree_ros.srv import ClearWorkingMemory, RecallObject

#: Shortest time between two messages on `~/working_memory`, s.
_SNAPSHOT_PERIOD = 0.5
#: Runs of which the newest observation is kept.
_RUNS_HEARD = 64


class WorkingServices:
    """Subscribes to planners' observations; serves recall and clearing of working memories.

    What the run used last knows is published on `~/working_memory`.
    """

    def __init__(self, node: Node) -> None:
        self._node = node
        #: Nothing is known and nothing kept while the memory is not open.
        self._memories = RunMemories()
        self._heard: list[Subscription] = []
        self._changed = threading.Event()
        #: Run -> number of the newest observation heard.
        self._newest: OrderedDict[str, int] = OrderedDict()
        # One at a time, so that updates are taken in the order in which they were sent.
        self._group = group = MutuallyExclusiveCallbackGroup()
        node.create_service(RecallObject, '~/recall_object', self._recall, callback_group=group)
        node.create_service(
            ClearWorkingMemory, '~/clear_working_memory', self._clear, callback_group=group
        )
        self._snapshots = node.create_publisher(
            String, '~/working_memory', latched(), qos_overriding_options=overridable()
        )
        # A steady clock: with simulation time a paused world would hold the news back.
        node.create_timer(
            _SNAPSHOT_PERIOD,
            self._publish,
            callback_group=MutuallyExclusiveCallbackGroup(),
            clock=Clock(clock_type=ClockType.STEADY_TIME),
        )

    def open(self, memories: RunMemories, planners: Sequence[str]) -> None:
        """Keep in these what planners observe from now on, and what they still tell from before.

        :param planners: names of the planner nodes whose `~/observations` are heard.
        """
        self._memories = memories
        for planner in planners:
            self._heard.append(
                self._node.create_subscription(
                    ObservationMessage,
                    f'{planner}/observations',
                    self._hear,
                    # Observations from before this node started are received too.
                    kept_events(),
                    callback_group=self._group,
                    # Events that end with it would take a spinning executor with them.
                    event_callbacks=SubscriptionEventCallbacks(use_default_callbacks=False),
                    qos_overriding_options=overridable(),
                )
            )
        self._changed.set()

    def close(self) -> None:
        """Hear nothing more, and let go of what is kept."""
        while self._heard:
            self._node.destroy_subscription(self._heard.pop())
        self._memories = RunMemories()
        self._newest.clear()
        self._changed.set()

    def _hear(self, message: ObservationMessage) -> None:
        """Take over what a planner's robot has seen."""
        run_id = run_id_from_message(message.run_id)
        # Also when it cannot be read: a recall must not wait for it.
        self._newest[run_id] = message.sequence
        self._newest.move_to_end(run_id)
        while len(self._newest) > _RUNS_HEARD:
            self._newest.popitem(last=False)
        memory = _memory_of(message.run_id, message.shared_memory)
        try:
            observation = observation_from_message(message)
        except SkillError as error:
            self._node.get_logger().error(str(error), throttle_duration_sec=10.0)
            return
        if observation.follows_reset:
            self._memories.clear(memory)
        else:
            self._memories.update(memory, observation, bounded_name(message.robot))
        self._changed.set()

    def _recall(
        self, request: RecallObject.Request, response: RecallObject.Response
    ) -> RecallObject.Response:
        found = self._memories.recall(
            _memory_of(request.run_id, request.shared_name),
            bounded_name(request.object_class),
            bounded_name(request.robot),
        )
        response.text = bounded(found.text)
        response.newest = self._newest.get(run_id_from_message(request.run_id), 0)
        response.facts = facts_to_messages(found.facts)
        response.looked_at = bounded_names(found.looked_at)
        return response

    def _clear(
        self, request: ClearWorkingMemory.Request, response: ClearWorkingMemory.Response
    ) -> ClearWorkingMemory.Response:
        response.cleared = self._memories.clear(
            _memory_of(request.run_id, request.shared_name) or None
        )
        self._changed.set()
        return response

    def _publish(self) -> None:
        if self._changed.is_set():
            self._changed.clear()  # before reading: a change in between is published next time
            self._snapshots.publish(String(data=snapshot_text(self._memories)))


def _memory_of(run_id: UUID, shared_name: str) -> str:
    """Id of the memory that is meant: a run's own, or one that robots share."""
    if shared_name:
        return shared(bounded_name(shared_name))
    return run_id_from_message(run_id)


def snapshot_text(memories: RunMemories) -> str:
    """What the run used last knows, as JSON in ASCII.

    Keys: `run_id` ('' outside a run, 'shared:NAME' for a memory of several robots), `runs` (all
    that are kept), `objects` (class -> list of instance, room, receptacle, state, seen_at,
    seen_by), `looked_at` (places).
    """
    run_ids = memories.run_ids
    newest = memories.snapshot(run_ids[-1] if run_ids else '')
    return json.dumps(
        {
            'run_id': newest.run_id,
            'runs': list(run_ids),
            'objects': _by_class(newest.facts),
            'looked_at': list(newest.looked_at),
        }
    )


def _by_class(facts: Iterable[ObjectFact]) -> dict[str, list[dict[str, object]]]:
    objects: dict[str, list[dict[str, object]]] = {}
    for fact in facts:
        objects.setdefault(fact.object_class, []).append(
            {
                'instance': fact.instance,
                'room': fact.room,
                'receptacle': fact.receptacle,
                'state': fact.state,
                'seen_at': fact.seen_at,
                'seen_by': fact.seen_by,
            }
        )
    return objects
