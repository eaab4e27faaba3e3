"""The recorder node: every run of a planner into a bag of its own."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray
from rclpy.clock import Clock, ClockType
from rclpy.qos import DurabilityPolicy, QoSProfile
from rclpy.serialization import deserialize_message
from std_msgs.msg import String

from reactree_core.durability import make_private_folder
from reactree_core.errors import ConfigurationError, RecordingError
from reactree_core.ros import qos
from reactree_core.ros.conversions import run_id_from_message
from reactree_core.ros.parameter_specs import declare_all, read_all, SettledNode
from reactree_core.ros.spinning import announce_ready, run_node
from reactree_ros.msg import ApprovalRequest, BridgeStatus, Decision, Observation, TreeSnapshot
from reactree_tools.recording.bag_names import bag_directory
from reactree_tools.recording.mcap_reading import RawMessage, Topic
from reactree_tools.recording.ros.definitions import definition_of, digest_of
from reactree_tools.recording.ros.parameters import PARAMETERS
from reactree_tools.recording.run_bags import Mark, RunBags


@dataclass(frozen=True, slots=True)
class Recorded:
    """One topic to record.

    :param mark: what a message reports of its run; None: it belongs to none.
    :param stands: whether a message of no run holds until the next, for later runs too.
    """

    name: str
    kind: Any
    profile: QoSProfile
    mark: Callable[[Any], Mark] | None = None
    stands: bool = False


def _decision_mark(message: Decision) -> Mark:
    ends = message.kind == Decision.KIND_FINISH and message.node_id == 0
    key: tuple[int, ...] = (message.sequence, 0)
    for settings in message.settings:
        if settings.resumed:
            # Under the number of the event before, and perhaps more than once.
            key = (message.sequence, 2, round(settings.elapsed * 1e9))
    return Mark(run_id_from_message(message.run_id), key, message.sequence, ends)


def _observation_mark(message: Observation) -> Mark:
    return Mark(run_id_from_message(message.run_id), (message.sequence, 1), message.sequence)


def _tree_mark(message: TreeSnapshot) -> Mark:
    return Mark(run_id_from_message(message.run_id), None, message.sequence)


#: What `ros2 bag record` must be given for the same bag.
TOPICS = (
    Recorded('planner/decisions', Decision, qos.kept_events(), _decision_mark),
    Recorded('planner/observations', Observation, qos.kept_events(), _observation_mark),
    Recorded('planner/tree', TreeSnapshot, qos.latched(), _tree_mark),
    Recorded('planner/approvals', ApprovalRequest, qos.latched()),
    Recorded('bridge_status', BridgeStatus, qos.latched(), stands=True),
    Recorded('memory/working_memory', String, qos.latched(), stands=True),
    Recorded('/diagnostics', DiagnosticArray, QoSProfile(depth=10)),
)


class RecorderNode(SettledNode):
    """Node `recorder`: a rosbag2 folder per run, named by the run's id.

    Subscribes `planner/decisions`, `planner/observations`, `planner/tree`, `planner/approvals`,
    `bridge_status`, `memory/working_memory` and `/diagnostics`.
    Parameters: table PARAMETERS of reactree_tools.recording.ros.parameters.

    A planner keeps its newest events for who comes late, so a run's first messages are recorded
    even when the run began before the recorder.

    :param options: of rclpy's Node.
    :raises ConfigurationError: the folder cannot be written.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__('recorder', **options)
        declare_all(self, PARAMETERS)
        # `stop` comes from another thread than messages do.
        self._lock = threading.Lock()
        self._stopped = False
        values = read_all(self, PARAMETERS)
        directory = bag_directory(values.directory)
        try:
            make_private_folder(directory)
            self._bags = RunBags(directory, self._tell)
        except (OSError, RecordingError) as error:
            raise ConfigurationError(
                f'Bags cannot be written to {directory} ({error}): set `directory` to a folder '
                'that can be written.'
            ) from error
        for recorded in TOPICS:
            self._subscribe(recorded)
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self.create_timer(values.sync_period, self._tick, clock=steady)
        self.get_logger().info(f'bags go to {directory}')
        announce_ready(self)

    def _subscribe(self, recorded: Recorded) -> None:
        kind = f'{recorded.kind.__module__.partition(".")[0]}/msg/{recorded.kind.__name__}'
        latched = recorded.profile.durability is DurabilityPolicy.TRANSIENT_LOCAL
        topic = Topic(
            self.resolve_topic_name(recorded.name),
            kind,
            definition_of(kind),
            digest_of(kind),
            recorded.profile.depth,
            latched,
        )
        self.create_subscription(
            recorded.kind,
            recorded.name,
            partial(self._take, topic, recorded),
            recorded.profile,
            raw=True,
        )

    def _take(self, topic: Topic, recorded: Recorded, data: bytes) -> None:
        message = RawMessage(topic, self.get_clock().now().nanoseconds, data)
        if recorded.mark is None:
            self._record(lambda bags: bags.surroundings(message, recorded.stands))
        else:
            mark = recorded.mark(deserialize_message(data, recorded.kind))
            self._record(lambda bags: bags.take(message, mark, time.monotonic()))

    def _tick(self) -> None:
        self._record(lambda bags: bags.tick(time.monotonic()))

    def _record(self, step: Callable[[RunBags], None], last: bool = False) -> None:
        with self._lock:
            if self._stopped:
                return
            self._stopped = last
            try:
                step(self._bags)
            except RecordingError as error:
                self.get_logger().error(str(error), throttle_duration_sec=5.0)

    def _tell(self, bag: Any) -> None:
        self.get_logger().info(f'recorded {bag}')

    def stop(self) -> None:
        """Finish the bag under way; called at shutdown."""
        self._record(lambda bags: bags.close(), last=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Entry point of `recorder_node`; see `run_node` for the exit codes."""
    return run_node(RecorderNode, arguments=arguments)


if __name__ == '__main__':
    sys.exit(main())
