"""Rounds in which a planner is killed at a random record of its journal, and its run resumed.

Run as a program with a folder, a number of rounds and a seed; writes what came of it as JSON.
Bridge, memory and recorder stay; planners are forked from a process that has imported everything,
so that a round takes a second or two. What was executed is read from the bridge's own log.
"""

from __future__ import annotations

import json
import os
import random
import re
import select
import signal
import subprocess
import sys
import threading
import time
import uuid
from collections import Counter
from pathlib import Path

SCENE, TASK, SEED = 'generated:9001', 'setup_table:9001', 9001
PATIENCE = 90.0
#: Seconds for a goal to be taken, and a home to be reset.
_ANSWER = 20.0
#: Seconds after the awaited record: the kill then falls into any part of what follows it.
_SPREAD = 0.01
_LINE = re.compile(r'run ([0-9a-f]{32}) number (\d+): (.*) \((\w+)\)$')


def fork_planners(journals: str) -> None:
    """Start a planner for every line of the standard input, and write its process id."""
    from rclpy.parameter import Parameter

    from reactree_core.ros.spinning import run_node
    from reactree_planner.ros.node import PlannerNode

    # What a planner imports with its first task, each of these would.
    from reactree_planner.ros.run_worker import RunWorker  # noqa: F401
    from reactree_tools.seed_memory.writing import teacher_for
    from sim_bridge.worlds.registry import make_world

    world = make_world('household')
    world.reset(SCENE, TASK, SEED)
    teacher = teacher_for(world)
    values = {
        'journal_directory': journals,
        'preset': 'default,example_count=2',
        'memory_timeout': 10.0,
    }
    overrides = [Parameter(name, value=value) for name, value in values.items()]
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for _ in sys.stdin:
        child = os.fork()
        if child:
            sys.stdout.write(f'{child}\n')
            sys.stdout.flush()
            continue
        sys.stdin.close()
        os._exit(
            run_node(
                lambda: PlannerNode(lambda *_: teacher, parameter_overrides=overrides),
                threads=4,
                arguments=['--ros-args', '-r', f'__ns:={sys.argv[3]}'],
            )
        )


class Client:
    """A client of one planner. A new one has never heard of the planners killed before."""

    def __init__(self, namespace: str) -> None:
        import rclpy
        from rclpy.context import Context

        from reactree_core.ros.actions import ActionClient
        from reactree_core.ros.spinning import NodesInThread
        from reactree_ros.action import PlanTask
        from reactree_ros.srv import ResetWorld

        self.context = Context()
        self.context.init()
        node = rclpy.create_node('client', namespace=namespace, context=self.context)
        self.thread = NodesInThread(self.context, node)
        self.thread.start()
        self.action = ActionClient(node, PlanTask, 'planner/plan_task')
        self.world = node.create_client(ResetWorld, 'bridge/reset_world')

    def close(self) -> None:
        self.thread.end(PATIENCE)
        self.action.destroy()
        self.context.try_shutdown()

    def reset(self) -> None:
        from reactree_ros.srv import ResetWorld

        assert self.world.wait_for_service(PATIENCE)
        request = ResetWorld.Request(scene=SCENE, task=TASK, seed=SEED)
        try:
            answer = result_of(self.world.call_async(request), _ANSWER)
        except TimeoutError:
            # The middleware drops an answer whose reader it has not met yet; once more, then.
            answer = result_of(self.world.call_async(request))
        assert answer.success, answer.message

    def send(self, run: bytes, resumed: bytes | None = None):
        from unique_identifier_msgs.msg import UUID

        from reactree_ros.action import PlanTask

        goal = PlanTask.Goal()
        if resumed is not None:
            goal.resume_run = UUID(uuid=list(resumed))
        assert self.action.wait_for_server(PATIENCE)
        sent = self.action.send_goal_async(goal, goal_uuid=UUID(uuid=list(run)))
        handle = result_of(sent, _ANSWER)
        assert handle.accepted
        return handle.get_result_async()


class Rounds:
    """Bridge, memory, the process that forks planners, and a client of whichever planner runs."""

    def __init__(self, folder: Path) -> None:
        self.journals = folder / 'runs'
        self.bags = folder / 'bags'
        self.log = folder / 'bridge.log'
        self.namespace = f'/r{uuid.uuid4().hex[:8]}'
        self.processes = [
            self._node('sim_bridge.ros.node', 'bridge', f'scene:={SCENE}', f'task:={TASK}'),
            self._node('memory_server.ros.node', 'memory', 'store_path:=none', 'encoder:=hashing'),
            self._node(
                'reactree_tools.recording.ros.node',
                'recorder',
                f'directory:={self.bags}',
                'sync_period:=0.2',
            ),
        ]
        self.forker = subprocess.Popen(
            # As this program was started, with whatever that has changed.
            [sys.executable, *sys.orig_argv[1:-3], 'fork', str(self.journals), self.namespace],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=(folder / 'planner.log').open('w'),
            text=True,
        )
        self.planner = 0
        self.client: Client | None = None

    def _node(self, module: str, name: str, *parameters: str) -> subprocess.Popen[str]:
        command = [sys.executable, '-m', module, '--ros-args', '-r', f'__ns:={self.namespace}']
        logger = f'{self.namespace[1:]}.{name}:=debug'
        for parameter in parameters:
            command += ['-p', parameter]
        log = self.log.with_name(f'{name}.log').open('w')
        return subprocess.Popen([*command, '--log-level', logger], stderr=log, stdout=log)

    def close(self) -> None:
        self.kill_planner()
        self.forker.stdin.close()
        self.forker.wait(PATIENCE)
        for process in self.processes:
            process.send_signal(signal.SIGINT)
        for process in self.processes:
            process.wait(PATIENCE)

    def start_planner(self) -> None:
        self.forker.stdin.write('start\n')
        self.forker.stdin.flush()
        self.planner = int(self.forker.stdout.readline())
        self.client = Client(self.namespace)

    def kill_planner(self) -> None:
        if self.planner:
            gone = os.pidfd_open(self.planner)
            os.kill(self.planner, signal.SIGKILL)
            # Until then its name is taken, and the next planner would not begin.
            select.select([gone], [], [], PATIENCE)
            os.close(gone)
            self.planner = 0
            self.client.close()

    def journal(self, run: bytes) -> Path:
        return self.journals / f'{run.hex()}.jsonl'

    def records(self, run: bytes) -> int:
        try:
            return self.journal(run).read_bytes().count(b'\n')
        except OSError:
            return 0

    def recorded(self, run: bytes) -> bool:
        """Whether the run's bag holds what its journal does, resumption and all, and its chain."""
        from reactree_core.record.chain import Verdict, verify, verify_events
        from reactree_core.record.journal import read_journal
        from reactree_tools.recording.ros.run_reading import runs_of

        bag = self.bags / run.hex()
        wait_until((bag / 'ended').exists, f'the bag {bag}')
        (recorded,) = runs_of(bag)
        closing = verify(self.journal(run)).closing
        found = verify_events(recorded.events, closing, recorded.twice)
        is_whole = found.verdict is Verdict.WHOLE and bool(closing)
        return is_whole and recorded.events == tuple(read_journal(self.journal(run)))

    def executed(self, run: bytes) -> list[tuple[int, str]]:
        """Numbers and skills of a run, as the bridge wrote them down while it did them."""
        found = map(_LINE.search, self.log.read_text(encoding='utf-8').splitlines())
        return [(int(row[2]), row[3]) for row in found if row and row[1] == run.hex()]


def result_of(future, patience: float = PATIENCE):
    done = threading.Event()
    future.add_done_callback(lambda _: done.set())
    if not done.wait(patience):
        raise TimeoutError('no answer in time')
    return future.result()


def wait_until(condition, what: str) -> None:
    deadline = time.monotonic() + PATIENCE
    pause = threading.Event()
    while not condition():
        assert time.monotonic() < deadline, f'not in time: {what}'
        pause.wait(0.0005)


def told(path: Path) -> list[tuple]:
    """What a run decided and where that led it, without times and resumptions."""
    from reactree_core.record.events import Decision
    from reactree_core.record.journal import read_journal
    from reactree_planner.resume.run_log import is_resumption

    rows = []
    for event in read_journal(path):
        if is_resumption(event):
            continue
        if isinstance(event, Decision):
            what = (event.kind.name, event.text, event.subgoals, event.status.name)
        else:
            what = (event.place, event.held, event.admissible_skills)
        rows.append((event.sequence, event.node_id, event.skill, *what))
    return rows


def main() -> None:
    folder, count, seed = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    chance = random.Random(seed)
    rounds = Rounds(folder)
    counts = ('rounds', 'resumed', 'in_doubt', 'ended_before', 'killed_again')
    report = {**dict.fromkeys(counts, 0), 'longest': 0.0, 'wrong': []}
    try:
        rounds.start_planner()
        rounds.client.reset()
        run = uuid.uuid4().bytes
        result = result_of(rounds.client.send(run)).result
        assert result.success and result.goal_met, result.error_msg
        wanted = told(rounds.journal(run))
        skills = rounds.executed(run)
        length = rounds.records(run)
        report |= {'records': length, 'skills': len(skills)}
        while report['rounds'] < count:
            report['rounds'] += 1
            play_round(rounds, chance, length, wanted, skills, report)
    finally:
        rounds.close()
    sys.stdout.write(json.dumps(report))


def play_round(rounds, chance, length, wanted, skills, report) -> None:
    rounds.client.reset()
    run = uuid.uuid4().bytes
    answer = rounds.client.send(run)
    moment = chance.randrange(1, length + 1)
    spread = chance.random() * _SPREAD
    wait_until(lambda: rounds.records(run) >= moment, 'the record at which to kill')
    threading.Event().wait(spread)
    report['ended_before'] += answer.done()
    rounds.kill_planner()
    kept = rounds.journal(run).read_text(encoding='utf-8').splitlines()
    last = json.loads(kept[-1]) if kept[-1].endswith('}') else {}
    in_doubt = last.get('event') == 'decision' and last.get('kind') == 1
    report['in_doubt'] += in_doubt
    rounds.start_planner()
    began = time.monotonic()
    try:
        answer = rounds.client.send(uuid.uuid4().bytes, resumed=run)
    except TimeoutError:
        # The middleware drops an answer whose reader it has not met yet; once more, then.
        report['killed_again'] += 1
        rounds.kill_planner()
        rounds.start_planner()
        answer = rounds.client.send(uuid.uuid4().bytes, resumed=run)
    result = result_of(answer).result
    report['longest'] = max(report['longest'], time.monotonic() - began)
    done = rounds.executed(run)
    # A look in place of a skill's own answer may tell less, and so lead elsewhere.
    same = (
        sum(1 for number, _ in skills if number <= last['sequence']) if in_doubt else len(skills)
    )
    rows = told(rounds.journal(run))
    told_before = sum('"event"' in line for line in kept)
    as_told = told_before - 1 if in_doubt else None
    problems = [
        result.error_msg,
        '' if result.success and result.goal_met else 'the goal was not met',
        '' if max(Counter(done).values()) == 1 else f'executed twice: {done}',
        '' if done[:same] == skills[:same] else f'other skills were executed: {done}',
        '' if len(done) <= len(skills) + (2 if in_doubt else 0) else f'a long way: {done}',
        '' if rounds.recorded(run) else 'the bag tells something else than the journal',
        '' if rows[:as_told] == wanted[:as_told] else 'the journal tells something else',
    ]
    report['resumed'] += 1
    report['wrong'] += [f'killed at {moment}: {problem}' for problem in problems if problem]


if __name__ == '__main__':
    if sys.argv[1] == 'fork':
        fork_planners(sys.argv[2])
    else:
        main()
