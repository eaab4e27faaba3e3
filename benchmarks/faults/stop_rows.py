"""The emergency stop in every state of a run, with every set of nodes that may be dead.

    none, bridge, planner, both dead  x  what the run is at  x  one robot, a team of two

After the stop no command reaches a robot, as the robot itself counts; what the command prints is
so; a run that is older than the stop is over, also for a planner that comes up later, and its
record says so. Motion needs a new task.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

from rclpy.context import Context
from rclpy.node import Node
from std_srvs.srv import SetBool, Trigger

from benchmarks.faults.client import PATIENCE, require, Run
from benchmarks.faults.robot_rows import Drives
from benchmarks.faults.row import Row
from benchmarks.faults.stage import Setup, slack, Stage
from benchmarks.http_faults import WELL
from reactree_core.record.events import Decision, DecisionKind
from reactree_core.record.journal import read_journal
from reactree_core.record.outcome import stop_words
from reactree_core.ros import qos
from reactree_core.ros.spinning import NodesInThread
from reactree_ros.action import PlanTask
from reactree_ros.msg import ApprovalRequest, BridgeStatus
from reactree_ros.msg import Decision as DecisionMessage
from reactree_ros.srv import RecallObject, ResolveApproval, RetrieveExperiences, StoreExperiences
from reactree_tools import exit_codes

Result = PlanTask.Result
#: Seconds in which a run has ended once the command that stops has returned.
ENDED = 1.0
#: Seconds for which nothing may move after the release.
QUIET = 2.0
#: Seconds after which a scheduled task is due.
DUE = 10.0
#: Seconds in which the command that stops has returned.
COMMAND = 15.0
TASK = 'go to yard 1'
NEXT_TASK = 'go to shed 1'
#: The program `reactree`.
_PROGRAM = Path(exit_codes.__file__).with_name('__main__.py')
TEAM = ('robot_1', 'robot_2')


class ThinkingServer(ThreadingHTTPServer):
    """A model server that takes requests and thinks for ever.

    :param port: of it. :param at_once: from the first contact on; else once it is to choose.
    """

    allow_reuse_address = True
    daemon_threads = True

    def __init__(self, port: int, at_once: bool) -> None:
        super().__init__(('127.0.0.1', port), _Thinker)
        self.at_once = at_once
        self.thinks = threading.Event()
        self.ends = threading.Event()
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()

    def close(self) -> None:
        """Break off what it thinks about."""
        self.ends.set()
        self.shutdown()
        self.server_close()


class _Thinker(BaseHTTPRequestHandler):
    server: ThinkingServer

    def do_GET(self) -> None:
        """Answer, or think."""
        if self.path in WELL and not self.server.at_once:
            body = json.dumps(WELL[self.path]).encode()
            self.send_response(200)
            self.send_header('Content-Length', str(len(body)))
            self.end_headers()
            self.wfile.write(body)
            return
        self.server.thinks.set()
        self.server.ends.wait(PATIENCE)

    do_POST = do_GET

    def log_message(self, *arguments: Any) -> None:
        """Say nothing."""


class SlowMemory(Node):  # type: ignore[misc]
    """A memory node that takes questions and answers none before its end.

    :param namespace: of the planner.
    """

    def __init__(self, namespace: str) -> None:
        context = Context()
        context.init(args=[])
        super().__init__('memory', context=context, namespace=namespace)
        self.is_asked = threading.Event()
        self._ends = threading.Event()
        for kind, name in (
            (RetrieveExperiences, 'retrieve_experiences'),
            (StoreExperiences, 'store_experiences'),
            (RecallObject, 'recall_object'),
        ):
            self.create_service(kind, f'~/{name}', self._take)
        self._thread = NodesInThread(context, self)
        self._thread.start()

    def _take(self, request: Any, response: Any) -> Any:
        self.is_asked.set()
        self._ends.wait(PATIENCE)
        return response

    def close(self) -> None:
        """Answer, and be gone."""
        self._ends.set()
        self._thread.end(PATIENCE)
        self.context.try_shutdown()


@dataclass
class Robots:
    """The robots of a stage, as they report themselves, and whoever looks after them.

    :param bases: their namespaces below that of the stage, with a slash.
    """

    stage: Stage
    bases: Sequence[str]
    drives: list[Drives] = field(default_factory=list)
    states: dict[str, int] = field(default_factory=dict)
    #: Requests for approval that wait, and whether they are approved.
    waiting: list[Any] = field(default_factory=list)
    approves: bool = False

    def __post_init__(self) -> None:
        node = self.stage.client.node
        self.drives = [Drives(self.stage, base) for base in self.bases]
        for base in self.bases:
            keep = partial(self._keep_state, base)
            node.create_subscription(BridgeStatus, f'{base}bridge_status', keep, qos.status())
        node.create_subscription(
            ApprovalRequest, 'planner/approvals', self._keep_request, qos.latched()
        )
        self._resolve = node.create_client(ResolveApproval, 'planner/resolve_approval')

    def _keep_state(self, base: str, message: Any) -> None:
        with self.stage.client.arrived:
            self.states[base] = message.state
            self.stage.client.arrived.notify_all()

    def _keep_request(self, message: Any) -> None:
        with self.stage.client.arrived:
            is_open = message.state == ApprovalRequest.STATE_WAITING
            self.waiting = [message] if is_open else []
            self.stage.client.arrived.notify_all()
        if is_open and self.approves:
            self.approve()

    def approve(self) -> None:
        """A person approves, late, whatever waits."""
        self.approves = True
        for one in self.waiting:
            self._resolve.call_async(
                ResolveApproval.Request(
                    run_id=one.run_id, sequence=one.sequence, skill=one.skill, approve=True
                )
            )

    @property
    def nodes(self) -> list[str]:
        """The bridges of the stage."""
        return [one for one in self.stage.setup.nodes if one.startswith('bridge')]

    @property
    def at_work(self) -> int:
        """Drives that go on now."""
        return sum(one.at_work for one in self.drives)

    @property
    def late(self) -> int:
        """Goals that have come after a stop."""
        return sum(one.late for one in self.drives)

    def begin(self) -> None:
        """Put the robots back to where they began, and wait until their bridges take skills."""
        for base in self.bases:
            done = self.stage.call(Trigger, f'{base}hauler/reset').success
            require(done, 'the robot was not put back')
        self.wait(
            lambda: all(one.goals == one.late == 0 for one in self.drives), 'a new beginning'
        )
        self.wait_for(BridgeStatus.STATE_READY, 'bridges that take skills')

    def wait(self, condition: Callable[[], object], what: str, patience: float = PATIENCE) -> None:
        """Wait for what the robots report. :raises NotHeld: it did not come."""
        self.stage.client.wait(condition, patience, what)

    def wait_for(self, state: int, what: str) -> None:
        """Wait until all bridges are in a state."""
        states = self.states
        self.wait(lambda: all(states.get(base) == state for base in self.bases), what)

    def release(self) -> None:
        """A person releases the robots' own stops, and the stops of their bridges."""
        for base in self.bases:
            self.stage.call(SetBool, f'{base}hauler/stop', data=False)
        deadline = time.monotonic() + PATIENCE
        while (done := _command(self.stage, '--release')).returncode:
            require(time.monotonic() < deadline, f'it is not released: {done.stdout[-300:]}')
            self.stage.pause(0.2)


def _command(stage: Stage, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run `reactree stop` for the namespace of the stage, as a person does."""
    mutation = '' if arguments else stage.mutation('stop')
    program = ['-m', 'benchmarks.faults.mutated', mutation] if mutation else []
    return subprocess.run(
        [
            sys.executable, *program, str(_PROGRAM), 'stop', *arguments,
            '--namespace', stage.namespace, '--plain',
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=PATIENCE,
        check=False,
    )  # fmt: skip


# What a run is at ------------------------------------------------------------------------------


def _decided(run: Run, kind: int) -> bool:
    return any(isinstance(one, DecisionMessage) and one.kind == kind for one in run.events)


def acting(stage: Stage, robots: Robots, open_until: ExitStack) -> Run:
    """A robot drives."""
    run = stage.send(TASK)
    robots.wait(lambda: robots.at_work, 'a drive')
    return run


def approving(stage: Stage, robots: Robots, open_until: ExitStack) -> Run:
    """A person is asked whether a skill may be done."""
    run = stage.send(TASK)
    robots.wait(lambda: robots.waiting, 'a request for approval')
    return run


def scheduled(stage: Stage, robots: Robots, open_until: ExitStack) -> Run:
    """The run waits for the clock."""
    run = stage.send(f'in {DUE:g} seconds {TASK}')
    robots.wait(lambda: _decided(run, DecisionMessage.KIND_WAIT), 'a wait')
    return run


def resuming(stage: Stage, robots: Robots, open_until: ExitStack) -> Run:
    """A planner that was killed has come up, and goes on with its run: a robot still drives."""
    run = acting(stage, robots, open_until)
    stage.kill('planner')
    stage.start('planner')
    stage.wait_for_words(stage.running('planner'), 'continues the interrupted run')
    return run


def generating(stage: Stage, robots: Robots, open_until: ExitStack) -> Run:
    """The model thinks; for a team, which asks none, its server does at the first contact."""
    is_team = len(robots.bases) > 1
    server = ThinkingServer(stage.port, at_once=is_team)
    open_until.callback(server.close)
    run = stage.send(TASK)
    robots.wait(server.thinks.is_set, 'a request to the model')
    return run


def remembering(stage: Stage, robots: Robots, open_until: ExitStack) -> Run:
    """Memory is looked up, which takes long; behind it a model would be asked."""
    server = ThinkingServer(stage.port, at_once=False)
    open_until.callback(server.close)
    memory = SlowMemory(stage.namespace)
    open_until.callback(memory.close)
    run = stage.send(TASK)
    robots.wait(memory.is_asked.is_set, 'a question to the memory')
    return run


# One run -----------------------------------------------------------------------------------


def stops(
    reach: Callable[[Stage, Robots, ExitStack], Run],
    dead: Sequence[str],
    stage: Stage,
    chance: Random,
) -> float:
    """Bring a run into a state, kill nodes, stop, release, start what was killed, and look."""
    places = dict.fromkeys(stage.setup.places.values())
    robots = _robots(stage, tuple(f'{one}/' for one in places) or ('',))
    robots.approves = False
    robots.begin()
    with ExitStack() as open_until:
        run = reach(stage, robots, open_until)
        began = time.monotonic()
        stage.pause(chance.random())
        killed = [*(robots.nodes if 'bridge' in dead else ())]
        killed += ['planner'] if 'planner' in dead else []
        for name in killed:
            stage.kill(name)
        if 'bridge' in dead:
            robots.states.clear()
        stage.pause(chance.random())
        pressed = time.monotonic()
        done = _command(stage)
        seconds = time.monotonic() - pressed
        _check_command(stage, robots, done)
        is_alive = 'planner' not in dead and reach is not resuming
        if is_alive:
            _check_result(stage, run, lost='bridge' in dead)
        first_released = bool(killed) and chance.random() < 0.5
        if first_released:
            robots.release()
        for name in killed:
            stage.start(name)
        if not first_released:
            if killed:
                robots.wait_for(BridgeStatus.STATE_STOPPED, 'bridges that are stopped')
            robots.release()
        robots.wait_for(BridgeStatus.STATE_READY, 'bridges that are released')
        robots.approve()
        if not is_alive:
            _check_record(stage, run)
        due = began + DUE if reach is scheduled else 0.0
        stage.pause(max(0.0, due - time.monotonic()) + QUIET)
        require(not robots.late, f'{robots.late} commands reached a robot after the stop')
        require(not robots.at_work, 'a robot moves after the release')
    robots.approves = False
    _drive_again(stage, robots)
    require(seconds < COMMAND * slack(), f'the command took {seconds:.1f} s')
    return seconds


def _robots(stage: Stage, bases: Sequence[str]) -> Robots:
    """Those of a stage; subscribed once."""
    known = getattr(stage, 'robots', None)
    if known is None:
        known = Robots(stage, bases)
        stage.robots = known  # type: ignore[attr-defined]
    return known


def _check_command(stage: Stage, robots: Robots, done: Any) -> None:
    """What was printed is so. :raises NotHeld: it is not."""
    moving = robots.at_work
    require(done.returncode == 0, f'exit status {done.returncode}: {done.stdout[-400:]}')
    require(not moving, f'{moving} robots move, and it says: {done.stdout[-400:]}')
    for base in robots.bases:
        place = f'{stage.namespace}/{base}'.rstrip('/')
        require(place in done.stdout, f'{place} is not named: {done.stdout[-400:]}')
    require('NOT KNOWN' not in done.stdout, done.stdout[-400:])


def _check_result(stage: Stage, run: Run, lost: bool) -> None:
    """The run has ended, and says why. :param lost: it may have lost its bridge before."""
    result = stage.result(run, ENDED)
    require(not result.success, 'the run is a success')
    if not (lost and result.error_code == Result.BRIDGE_LOST):
        said = f'the run ended with {result.error_code}: {result.error_msg}'
        require(result.error_code == Result.CANCELED and stop_words(result.error_msg), said)


def _check_record(stage: Stage, run: Run) -> None:
    """The record of a run whose planner was killed has an end, which says why."""

    def ends() -> Iterator[Decision]:
        for event in read_journal(stage.journals / f'{run.run_id}.jsonl'):
            if isinstance(event, Decision) and event.kind is DecisionKind.FINISH:
                if event.node_id == 0:
                    yield event

    deadline = time.monotonic() + PATIENCE
    while (last := next(ends(), None)) is None and time.monotonic() < deadline:
        stage.pause(0.05)
    require(last is not None, 'the record has no end')
    assert last is not None
    # A drive that was over before the planner was killed has ended the run well.
    require(stop_words(last.text), f'the record ends with: {last.text}')
    # Its client has lost its planner, and waits for nothing.
    stage.client.runs.pop(run.run_id, None)


def _drive_again(stage: Stage, robots: Robots) -> None:
    """A new task moves a robot, as it must."""
    if 'model' not in stage.setup.parameters['planner']:
        stage.client.find()
        run = stage.send(NEXT_TASK)
        if stage.setup.parameters['planner']['permission'] == 'ask':
            robots.wait(lambda: robots.waiting, 'a request for approval')
            robots.approve()
        robots.wait(lambda: robots.at_work, 'a drive for a new task')
        run.handle.cancel_goal_async()
        robots.wait(lambda: not robots.at_work, 'the end of that drive')
        stage.result(run, PATIENCE)


# The rows ------------------------------------------------------------------------------------

_STATES: dict[str, tuple[str, Callable[[Stage, Robots, ExitStack], Run]]] = {
    'acting': ('a robot drives', acting),
    'approving': ('a person is asked to approve a skill', approving),
    'scheduled': ('the run waits for the clock', scheduled),
    'resuming': ('a planner that was killed resumes the run', resuming),
    'generating': ('the model is asked and thinks', generating),
    'remembering': ('memory is looked up and does not answer', remembering),
}
#: States that only some sets of dead nodes and numbers of robots make a difference to.
_ONLY: dict[str, tuple[tuple[str, bool], ...]] = {
    'remembering': (('none', False), ('planner', False))
}
_DEAD: dict[str, tuple[str, ...]] = {
    'none': (), 'bridge': ('bridge',), 'planner': ('planner',), 'both': ('bridge', 'planner')
}  # fmt: skip
_MUTATIONS = {
    'stops_unheeded': ('planner', 'the planner heeds neither stop nor cancel'),
    'stops_forgotten': ('planner', 'a restarted planner does not ask whether it was stopped'),
    'stops_only_said': ('stop', 'the command does nothing and says that all have stopped'),
}


def _mutation(state: str, dead: Sequence[str]) -> str:
    """What breaks the part on which a row depends most."""
    if 'planner' in dead:
        return 'stops_forgotten'
    # Of a run that ends as its bridge is lost, nothing is left but the robot that drives, and the
    # bridge that comes up stopped.
    return 'stops_only_said' if 'bridge' in dead and state in _ENDING else 'stops_unheeded'


_ENDING = ('acting', 'resuming', 'scheduled')


def _setup(state: str, is_team: bool) -> Setup:
    places = TEAM if is_team else ('',)
    planner: dict[str, object] = {
        'memory': False,
        'permission': 'ask' if state == 'approving' else 'allow',
        'resume_within': 600.0,
    }
    if state == 'remembering':
        planner |= {'memory': True, 'memory_timeout': 60.0}
    if state in ('generating', 'remembering'):
        planner |= {'model': 'http://127.0.0.1:{port}', 'request_timeout': 60.0}
        planner['preset'] = 'default,decides=model'
    if is_team:
        planner['team'] = f'[{", ".join(TEAM)}]'
    names = {
        kind: [f'{kind}_{number}' for number in range(1, 3)] if is_team else [kind]
        for kind in ('hauler', 'bridge')
    }
    bridge = {'robot': '{folder}/hauler.yaml', 'stop_timeout': 1.0}
    return Setup(
        nodes=(*names['hauler'], *names['bridge'], 'planner'),
        programs={
            **dict.fromkeys(names['hauler'], 'hauler'),
            **dict.fromkeys(names['bridge'], 'robot bridge'),
        },
        parameters={'planner': planner, **dict.fromkeys(names['bridge'], bridge)},
        places={
            name: place
            for those in names.values()
            for name, place in zip(those, places, strict=True)
            if place
        },
    )


def _rows() -> Iterator[Row]:
    for state, dead, is_team in product(_STATES, _DEAD, (False, True)):
        if is_team and state == 'generating' and 'planner' in _DEAD[dead]:
            continue  # a team asks no model: such a run has not begun, and there is none to resume
        if (dead, is_team) not in _ONLY.get(state, ((dead, is_team),)):
            continue
        what, reach = _STATES[state]
        who = 'two robots' if is_team else 'a robot'
        gone = {'none': 'no node is', 'both': 'bridge and planner are'}.get(dead, f'the {dead} is')
        mutation = _mutation(state, _DEAD[dead])
        mutated, fails_when = _MUTATIONS[mutation]
        yield Row(
            f'stop-{state}-{dead}-{"team" if is_team else "one"}',
            f'`reactree stop` for {who} while {what}; {gone} dead. Then release and restart.',
            'The command says that each has stopped, which is so; no command reaches a robot '
            'until there is a new task, and the record of the run says that a stop ended it.',
            'command to answer',
            20,
            mutation,
            mutated,
            fails_when,
            partial(stops, reach, _DEAD[dead]),
            _setup(state, is_team),
            serves=False,
        )


ROWS = tuple(_rows())
