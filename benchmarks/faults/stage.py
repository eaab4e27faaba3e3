"""Where a row is played: nodes as processes in a namespace of their own, and a client."""

from __future__ import annotations

import os
import resource
import select
import signal
import socket
import threading
import time
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.faults import checks, hauler, rover
from benchmarks.faults.client import NotHeld, PATIENCE, PlannerClient, require, Run, TOUR
from benchmarks.faults.nursery import Birth, Nursery, read_log
from reactree_core.errors import ReactreeError
from reactree_ros.msg import BridgeStatus, Decision

SCENE = 'generated:9001'
#: Seconds of a skill: long enough to be met in the middle.
SKILL = 0.2
#: Seconds until planning goes on without a memory that is silent.
MEMORY_TIMEOUT = 1.0


@dataclass(frozen=True)
class Setup:
    """What a row is played with.

    :param nodes: what is started first.
    :param programs: node -> its program, where that is not the one of its name.
    :param parameters: of nodes, beside the usual ones; {port} stands for the stage's port, and
        {folder} for its folder.
    :param places: node -> its namespace below that of the stage, where it has one.
    :param patches: node -> what of patches.py changes it; {folder} stands for the stage's folder.
    """

    nodes: tuple[str, ...] = ('bridge', 'memory', 'planner')
    parameters: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    patches: Mapping[str, Sequence[str]] = field(default_factory=dict)
    programs: Mapping[str, str] = field(default_factory=dict)
    places: Mapping[str, str] = field(default_factory=dict)


@dataclass
class Node:
    """A process. :param end: becomes readable when it ends."""

    pid: int
    log: Path
    end: int


def slack() -> float:
    """Factor by which a machine with more to do than it can may be late."""
    return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


class Stage:
    """Nodes and a client. :param mutations: further patches of the setup's nodes."""

    def __init__(
        self, folder: Path, setup: Setup, mutations: Mapping[str, str] | None = None
    ) -> None:
        self.folder = folder
        self.setup = setup
        self.namespace = f'/f{uuid.uuid4().hex[:8]}'
        self.journals = folder / 'runs'
        self.bags = folder / 'bags'
        self.store = folder / 'store' / 'memory.sqlite'
        #: Where a model server may listen.
        self.port = _free_port()
        #: Runs whose experiences the memory says that it has kept.
        self.acknowledged: list[str] = []
        self._mutations = mutations or {}
        self._pause = threading.Event()
        self._nursery = Nursery()
        self._begun = 0
        self._nodes: dict[str, Node] = {}
        script = folder / 'script.yaml'
        script.write_text('- unused\n', encoding='utf-8')
        (folder / 'robot.yaml').write_text(rover.FILE, encoding='utf-8')
        (folder / 'hauler.yaml').write_text(hauler.FILE, encoding='utf-8')
        #: By program.
        self._parameters: dict[str, dict[str, object]] = {
            'robot bridge': {'robot': folder / 'robot.yaml', 'permission': 'allow'},
            'rover': {},
            'hauler': {},
            'bridge': {'scene': SCENE, 'skill_duration': SKILL},
            'memory': {'store_path': self.store, 'encoder': 'hashing', 'store_rate': 0.0},
            'planner': {
                'model': f'scripted:{script}',
                'preset': 'default,no-first-thought',
                'journal_directory': self.journals,
                'memory_timeout': MEMORY_TIMEOUT,
            },
            'recorder': {'directory': self.bags, 'sync_period': 0.2},
        }
        self._client: PlannerClient | None = None
        try:
            self.start(*setup.nodes)
            if 'planner' in setup.nodes:
                self._client = PlannerClient(self.namespace)
                self._client.find()
        except BaseException:
            self.close()
            raise

    @property
    def client(self) -> PlannerClient:
        """Asks the planner, and keeps what it hears."""
        assert self._client is not None
        return self._client

    # Nodes ---------------------------------------------------------------------------------

    def start(self, *names: str) -> None:
        """Start nodes, and wait until each is ready."""
        begun = {name: self.begin(name) for name in names}
        self._nodes.update(begun)
        for name, node in begun.items():
            self.wait_for_words(node, f'{name.partition("_")[0]} ready')

    def begin(
        self, name: str, namespace: str = '', remaps: Sequence[str] = (), **more: object
    ) -> Node:
        """A process that may or may not come up. :param more: parameters."""
        self._begun += 1
        log = self.folder / f'{name}.{self._begun}.log'
        place = self.setup.places.get(name, '')
        inside = namespace or (f'{self.namespace}/{place}' if place else self.namespace)
        arguments = ['--ros-args', '-r', f'__ns:={inside}']
        for remap in remaps:
            arguments += ['-r', remap]
        program = self.setup.programs.get(name, name)
        parameters = self._parameters[program] | dict(self.setup.parameters.get(name, {})) | more
        for key, value in parameters.items():
            written = str(value).replace('{port}', str(self.port))
            written = written.replace('{folder}', str(self.folder))
            written = written.lower() if isinstance(value, bool) else written
            arguments += ['-p', f'{key}:={written}']
        if name.startswith('bridge'):
            # It tells there what it executes.
            arguments += ['--log-level', f'{inside[1:].replace("/", ".")}.bridge:=debug']
        changed = [
            what.replace('{folder}', str(self.folder)) for what in self.setup.patches.get(name, ())
        ]
        if name in self._mutations:
            changed.append(self._mutations[name])
        pid = self._nursery.start(Birth(program, arguments, str(log), changed))
        return Node(pid, log, os.pidfd_open(pid))

    def wait_for_words(self, node: Node, words: str, patience: float = PATIENCE) -> None:
        """Wait until a node has written something. :raises NotHeld: it has not."""
        deadline = time.monotonic() + patience
        while words not in (said := read_log(node.log)):
            late = time.monotonic() > deadline
            if late or has_ended(node):
                last = (said.splitlines() or ['nothing'])[-1]
                raise NotHeld(f'no "{words}" of {node.log.stem}; it said: {last[:300]}')
            self._pause.wait(0.01)

    def mutation(self, name: str) -> str:
        """The patch of a program that the row itself starts; '' for none."""
        return self._mutations.get(name, '')

    def running(self, name: str) -> Node:
        """A node that was started."""
        return self._nodes[name]

    def signal(self, name: str, number: int) -> float:
        """Send a signal; answers when, in monotonic seconds."""
        os.kill(self._nodes[name].pid, number)
        return time.monotonic()

    def kill(self, name: str) -> float:
        """End a node by SIGKILL; answers when, in monotonic seconds."""
        killed = self.signal(name, signal.SIGKILL)
        await_end(self._nodes[name], PATIENCE)
        return killed

    def end(self, name: str) -> None:
        """End a node as Ctrl-C does."""
        self.interrupt(self._nodes[name])
        await_end(self._nodes[name], PATIENCE)

    def interrupt(self, node: Node) -> None:
        """Have a node end as Ctrl-C does."""
        if not has_ended(node):
            os.kill(node.pid, signal.SIGINT)

    def limit_files(self, name: str, size: int | None) -> None:
        """Let no file of a node get more bytes than these; None for as many as it wants."""
        require(not has_ended(self._nodes[name]), f'the {name} has ended')
        wanted = resource.RLIM_INFINITY if size is None else size
        hard = resource.RLIM_INFINITY
        resource.prlimit(self._nodes[name].pid, resource.RLIMIT_FSIZE, (wanted, hard))

    # Runs ----------------------------------------------------------------------------------

    def pause(self, seconds: float) -> None:
        """Let time pass."""
        self._pause.wait(seconds)

    def send(self, task: str = TOUR, **goal: Any) -> Run:
        """Send a goal that must be accepted."""
        return self.client.send(task, **goal)

    def wait_for_skill(self, run: Run, number: int) -> None:
        """Wait until the planner has decided for so many skills."""
        self.client.wait(
            lambda: len(run.skills) >= number or run.result is not None,
            PATIENCE,
            f'skill {number} of a run',
        )

    def wait_for_end_of_tree(self, run: Run) -> None:
        """Wait until the planner has said that a run's tree is finished."""

        def finished() -> bool:
            return any(
                isinstance(event, Decision)
                and (event.kind, event.node_id) == (Decision.KIND_FINISH, 0)
                for event in run.events
            )

        self.client.wait(finished, PATIENCE, 'the end of the tree')

    def result(self, run: Run, patience: float) -> Any:
        """Result of a run within its time. :param patience: seconds on a quiet machine."""
        return self.client.result(run, patience * slack())

    def wait_until_ready(self) -> None:
        """Wait until the bridge takes skills."""
        self.wait_for_state(BridgeStatus.STATE_READY, 'a bridge that takes skills')

    def wait_for_state(self, state: int, what: str, patience: float = PATIENCE) -> Any:
        """Wait until the bridge is in a state; its status. :raises NotHeld: it was not."""
        client = self.client
        client.wait(lambda: client.status and client.status.state == state, patience, what)
        return client.status

    def call(self, kind: Any, name: str, patience: float = PATIENCE, **fields: Any) -> Any:
        """The answer of a service in the namespace. :raises NotHeld: there is none."""
        client = self.client.node.create_client(kind, name)
        try:
            require(client.wait_for_service(PATIENCE), f'{name} is not there')
            answer = client.call_async(kind.Request(**fields))
            self.client.wait(answer.done, patience, f'an answer of {name}')
            return answer.result()
        finally:
            self.client.node.destroy_client(client)

    def serve(self) -> Run:
        """The next goal, which must be reached. :raises NotHeld: it was not."""
        self.wait_until_ready()
        run = self.send()
        result = self.client.result(run, PATIENCE)
        require(result.success, f'the next goal was not reached: {result.error_msg}')
        return run

    def is_missed(self, run: Run) -> bool:
        """Whether the run says that the memory did not do its part."""
        return any('memory' in notice for notice in run.result.notices)

    # Promises ------------------------------------------------------------------------------

    def check(self) -> None:
        """What must hold of all runs since the last look. :raises NotHeld: it does not."""
        problems: list[str] = []
        # A copy: events of a run may still come.
        for run in [run for run in list(self.client.runs.values()) if run.accepted]:
            problems += checks.broken_promises(self.client, run, self.journals)
            stores = 'memory' in self.setup.nodes and run.result and run.result.success
            if stores and not self.is_missed(run):
                self.acknowledged.append(run.run_id)
        self.client.runs.clear()
        logs = map(read_log, self.folder.glob('bridge*.log'))
        problems += [f'done twice: {what}' for what in checks.executed_twice(logs)]
        try:
            lost = checks.lost_experiences(self.store, self.acknowledged)
            problems += [f'experiences of run {run} are lost' for run in lost]
        except ReactreeError as error:
            problems.append(str(error))
        require(not problems, '; '.join(problems[:3]))

    def close(self) -> None:
        """End everything."""
        if self._client is not None:
            self._client.close()
        for node in self._nodes.values():
            if not has_ended(node):
                os.kill(node.pid, signal.SIGKILL)
        self._nursery.close()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(('127.0.0.1', 0))
        return int(probe.getsockname()[1])


def has_ended(node: Node) -> bool:
    """Whether a process is gone."""
    return bool(select.select([node.end], [], [], 0.0)[0])


def await_end(node: Node, patience: float) -> float:
    """Seconds until a process is gone. :raises NotHeld: it is still there."""
    began = time.monotonic()
    gone = select.select([node.end], [], [], patience)[0]
    require(gone, f'{node.log.stem} has not ended within {patience:g} s')
    return time.monotonic() - began
