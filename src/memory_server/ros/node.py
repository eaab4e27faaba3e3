"""The memory node: experiences of all runs, and what each run has seen."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

from memory_server.episodic.episodic_memory import EpisodicMemory
from memory_server.episodic.reopened_memory import ReopenedMemory
from memory_server.ros.episodic_services import EPISODIC_THREADS, EpisodicServices
from memory_server.ros.memory_opener import MemoryOpener
from memory_server.ros.parameters import PARAMETERS
from memory_server.ros.statistics import Statistics
from memory_server.ros.working_services import WorkingServices
from memory_server.store.registry import working_file
from memory_server.working.run_memories import RunMemories
from memory_server.working.working_file import WorkingFile
from reactree_core.errors import MemoryStoreError
from reactree_core.ros.diagnostics import Health
from reactree_core.ros.managed_node import ManagedNode
from reactree_core.ros.parameter_specs import read_all
from reactree_core.ros.spinning import run_node

# Two are left for working memory, snapshots and diagnostics, whatever the others wait for.
_THREADS = EPISODIC_THREADS + 2

#: Shortest time between two tries to open a store or reach an encoder that was not there, s.
RETRY_PERIOD = 10.0


class MemoryNode(ManagedNode):
    """Serves episodic and working memory (ReAcTree section 4.2).

    Services:
        ~/retrieve_experiences (reactree_ros/srv/RetrieveExperiences)
        ~/store_experiences (reactree_ros/srv/StoreExperiences)
        ~/recall_object (reactree_ros/srv/RecallObject)
        ~/clear_working_memory (reactree_ros/srv/ClearWorkingMemory)

    Subscriptions:
        PLANNER/observations (reactree_ros/msg/Observation) of each of the parameter planners

    Publishers:
        ~/working_memory (std_msgs/msg/String): JSON of what the run used last knows; latched
        /diagnostics (diagnostic_msgs/msg/DiagnosticArray)

    Parameters: see parameters.py.

    Errors of the first two services: ERROR_INVALID_REQUEST when the request itself cannot be
    answered, ERROR_STORE when the store is damaged, full, read-only, of a newer release or of
    another encoder, an encoder's server is silent, or more comes than the parameters
    store_limit_count and store_rate let in; error_msg says what to do. A store that
    cannot be opened does not stop the node: working memory goes on without it, and a request is
    the occasion to try again, unless the store is damaged or of a newer release.

    :param options: as of rclpy.node.Node, e.g. `context`.
    :raises ConfigurationError: a parameter, the encoder or a seed file cannot be used.
    """

    #: ROS destroys nodes too that could not be made.
    _memory: ReopenedMemory | None = None
    _runs: RunMemories | None = None

    def __init__(self, **options: Any) -> None:
        super().__init__('memory', PARAMETERS, **options)
        self._warnings: list[str] = []
        self._statistics = Statistics()
        self._experiences: EpisodicServices | None = None
        self._working: WorkingServices | None = None
        self.begin()

    def configure(self) -> None:
        """Open the stores and load the encoder.

        :raises ConfigurationError: a parameter, the encoder or a seed file cannot be used.
        """
        values = read_all(self, PARAMETERS)
        self._warnings.clear()
        self._runs = self._open_working_memory(values)
        self._memory = self._open_memory(values)
        # Whoever finds the services finds everything loaded.
        if self._experiences is None or self._working is None:
            self._experiences = EpisodicServices(self, self._enter, self._statistics)
            self._working = WorkingServices(self)
        self._working.open(self._runs, values.planners)

    def cleanup(self) -> None:
        """Let go of the stores."""
        if self._working is not None:
            self._working.close()
        if self._memory is not None:
            self._memory.close()
        if self._runs is not None:
            self._runs.close()
        self._memory = self._runs = None

    def destroy_node(self) -> None:
        """Let go of the stores first, since the middleware may not come back."""
        if self._memory is not None:
            self._memory.close()
        if self._runs is not None:
            self._runs.close()
        super().destroy_node()

    def _enter(self) -> EpisodicMemory:
        memory = self._memory
        if memory is None or not self.is_active:
            raise MemoryStoreError(self.refusal)
        return memory.enter()

    def _open_working_memory(self, values: SimpleNamespace) -> RunMemories:
        path = working_file(values.working_memory_path, values.store_path)
        if path is not None:
            try:
                return RunMemories(file=WorkingFile(path), on_fault=self._warn)
            except MemoryStoreError as error:
                self._warn(f'working memory will not outlive this process: {error}')
        return RunMemories()

    def _open_memory(self, values: SimpleNamespace) -> ReopenedMemory:
        opener = MemoryOpener(values, self.get_logger().info, self._warn)
        memory = ReopenedMemory(opener, RETRY_PERIOD)
        if memory.fault:
            self.get_logger().error(memory.fault)
        return memory

    def _warn(self, text: str) -> None:
        self._warnings.append(text)
        self.get_logger().warning(text)

    def health(self) -> Health:
        """Stores, counts, and what could be better."""
        memory = self._memory.memory if self._memory is not None else None
        values = self._statistics.values()
        if self._runs is not None:
            values |= {'runs remembered': str(len(self._runs.run_ids))}
        if memory is not None:
            values |= {'experiences': str(len(memory)), 'store': memory.location}
            if memory.approximate is not None and memory.approximate.report is not None:
                values['recall of approximate search'] = f'{memory.approximate.report.recall:.3f}'
        fault = self._memory.fault if self._memory is not None else ''
        troubles = self._experiences.troubles if self._experiences is not None else ()
        return Health(fault, '; '.join((*self._warnings, *troubles)), values)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the node; see `run_node` for the exit codes."""
    return run_node(MemoryNode, _THREADS, arguments)


if __name__ == '__main__':
    sys.exit(main())
