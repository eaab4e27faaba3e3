"""The memory node: experiences of all runs, and what each run has seen."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from rclpy.node import Node

from memory_server.embedding.choice import choose_embedder
from memory_server.embedding.choice import EncoderOptions
from memory_server.embedding.embedder import CachedEmbedder
from memory_server.episodic.episodic_memory import EpisodicMemory
from memory_server.ros.diagnostics import Health
from memory_server.ros.diagnostics import start_diagnostics
from memory_server.ros.episodic_services import EpisodicServices
from memory_server.ros.parameters import PARAMETERS
from memory_server.ros.statistics import Statistics
from memory_server.ros.working_services import WorkingServices
from memory_server.seed.loader import read_folder
from memory_server.seed.loader import SEED_RUN
from memory_server.seed.loader import shipped_experiences
from memory_server.store.choice import open_store
from memory_server.store.choice import working_file
from memory_server.working.run_memories import RunMemories
from memory_server.working.working_file import WorkingFile
from reactree_core.errors import MemoryStoreError
from reactree_core.experience import Experience
from reactree_core.ros.parameters import declare_all
from reactree_core.ros.parameters import read_all
from reactree_core.ros.spinning import announce_ready
from reactree_core.ros.spinning import run_node

_THREADS = 4


class MemoryNode(Node):
    """Serves episodic and working memory (ReAcTree section 4.2).

    Services:
        ~/retrieve_experiences (reactree_ros/srv/RetrieveExperiences)
        ~/store_experiences (reactree_ros/srv/StoreExperiences)
        ~/update_working_memory (reactree_ros/srv/UpdateWorkingMemory)
        ~/recall_object (reactree_ros/srv/RecallObject)
        ~/clear_working_memory (reactree_ros/srv/ClearWorkingMemory)

    Publishers:
        ~/working_memory (std_msgs/msg/String): JSON of what the run used last knows; latched
        /diagnostics (diagnostic_msgs/msg/DiagnosticArray)

    Parameters: see parameters.py.

    Errors of the first two services: ERROR_INVALID_REQUEST when the request itself cannot be
    answered, ERROR_STORE when the store is damaged, full, read-only, of a newer release or of
    another encoder, or an encoder's server is silent; error_msg says what to do. A store that
    cannot be opened does not stop the node: working memory goes on without it.

    :param options: as of rclpy.node.Node, e.g. `context`.
    :raises ConfigurationError: a parameter, the encoder or a seed file cannot be used.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__('memory', **options)
        # ROS destroys the node also when what follows fails.
        self._episodic: EpisodicMemory | None = None
        self._runs: RunMemories | None = None
        declare_all(self, PARAMETERS)
        values = read_all(self, PARAMETERS)
        self._fault = ''
        self._warnings: list[str] = []
        self._statistics = Statistics()
        self._runs = self._open_working_memory(values)
        self._episodic = self._open_memory(values)
        # Whoever finds the services finds everything loaded.
        EpisodicServices(self, self._episodic, self._fault, self._statistics)
        WorkingServices(self, self._runs, values.snapshot_period)
        start_diagnostics(self, values.diagnostics_period, self._health)
        announce_ready(self)

    def destroy_node(self) -> None:
        """Let go of the store too."""
        super().destroy_node()
        if self._episodic is not None:
            self._episodic.close()
        if self._runs is not None:
            self._runs.close()

    def _load_encoder(self, values: SimpleNamespace) -> CachedEmbedder:
        options = EncoderOptions(
            values.encoder_model,
            values.encoder_server,
            values.encoder_key_variable,
            values.encoder_timeout,
        )
        embedder, remark = choose_embedder(
            values.encoder, values.encoder_weights, values.encoder_threads, options
        )
        if remark:
            self._warn(remark)
        embedder.embed(['the first text takes longer'])
        return CachedEmbedder(embedder)

    def _open_working_memory(self, values: SimpleNamespace) -> RunMemories:
        path = working_file(values.working_memory_path, values.store_path)
        if path is not None:
            try:
                return RunMemories(
                    values.runs_kept, values.facts_kept, WorkingFile(path), self._warn
                )
            except MemoryStoreError as error:
                self._warn(f'working memory will not outlive this process: {error}')
        return RunMemories(values.runs_kept, values.facts_kept)

    def _open_memory(self, values: SimpleNamespace) -> EpisodicMemory | None:
        seeds: tuple[Experience, ...] = ()
        if values.seed:
            folder = values.seed_folder
            seeds = read_folder(Path(folder).expanduser()) if folder else shipped_experiences()
        try:
            embedder = self._load_encoder(values)
            memory = EpisodicMemory(
                open_store(values.store_path, values.store_limit_mb),
                embedder,
                values.reembed,
                values.longest_trajectory,
                values.similarity,
                values.approximate_above,
            )
        except MemoryStoreError as error:
            self._fault = str(error)
            self.get_logger().error(self._fault)
            return None
        if memory.read_only:
            self._warn(f'{memory.location} may not be written: no experience will be stored')
        try:
            # Examples of an older release, or that are not wanted any more, go.
            memory.replace_run(SEED_RUN, [replace(item, run_id=SEED_RUN) for item in seeds])
        except MemoryStoreError as error:
            self._warn(f'the example experiences in the store are not those asked for: {error}')
        self.get_logger().info(
            f'{len(memory)} experiences in {memory.location}, encoder {embedder.name}'
        )
        return memory

    def _warn(self, text: str) -> None:
        self._warnings.append(text)
        self.get_logger().warning(text)

    def _health(self) -> Health:
        memory = self._episodic
        values = self._statistics.values()
        if self._runs is not None:
            values |= {'runs remembered': str(len(self._runs.run_ids))}
        if memory is not None:
            values |= {'experiences': str(len(memory)), 'store': memory.location}
            if memory.approximate is not None and memory.approximate.report is not None:
                values['recall of approximate search'] = f'{memory.approximate.report.recall:.3f}'
        return Health(self._fault, '; '.join(self._warnings), values)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the node; see `run_node` for the exit codes."""
    return run_node(MemoryNode, _THREADS, arguments)


if __name__ == '__main__':
    sys.exit(main())
