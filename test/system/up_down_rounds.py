"""Rounds of bridge, memory, planner and a plain rclpy client brought up, used once and ended.

Run by hand: `scripts/with_ros python test/system/up_down_rounds.py FOLDER ROUNDS SEED`; prints a
table of what came of it. Every tenth round starts the programs that a user starts; in the others
the processes are forked from one that has imported everything, so that a round takes a second or
two. In every eighth round there is no client, and the nodes are ended while they start. A node
that does not end writes the stacks of its threads into its log; logs of rounds that did not hold
are kept.
"""

from __future__ import annotations

import faulthandler
import importlib
import json
import os
import random
import select
import shutil
import signal
import sys
import threading
import time
import uuid
from collections import Counter
from pathlib import Path

from reactree_tools.processes.nodes import find_executable

#: Seconds in which each node has to end after its SIGINT.
END = 5.0
#: Seconds in which the planner has to answer a goal.
ANSWER = 5.0
#: Seconds for a start or a run, however busy the machine is.
PATIENCE = 60.0
#: Seconds until the SIGINT: it may come at any moment of what follows a run, or of a start.
_SPREAD = 0.3
_COLD = 10
_UNUSED = 8
_TASK = 'go to kitchen 1, then go to bathroom 1, then go to bedroom 1'
_MODULES = {
    'bridge': 'sim_bridge.ros.node',
    'memory': 'memory_server.ros.node',
    'planner': 'reactree_planner.ros.node',
}


class Rounds:
    """What every round has, and what came of those so far."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder = folder
        self.chance = random.Random(seed)
        self.played = 0
        self.held = 0
        self.failed: Counter[str] = Counter()
        self.longest: dict[str, float] = {}
        script = folder / 'script.yaml'
        script.write_text('- unused\n')
        self._parameters = {
            'bridge': {'scene': 'generated:9001'},
            'memory': {'store_path': 'none', 'encoder': 'hashing'},
            'planner': {
                'model': f'scripted:{script}',
                'preset': 'default,no-first-thought',
                'journal_directory': str(folder / 'runs'),
            },
        }
        self._mains = {
            name: importlib.import_module(module).main for name, module in _MODULES.items()
        }
        self._mains['client'] = client

    def start(self, name: str, namespace: str, log: Path, cold: bool, *words: str) -> int:
        """A process, by its id."""
        arguments = [name, *words, '--ros-args', '-r', f'__ns:={namespace}']
        for key, value in self._parameters.get(name, {}).items():
            arguments += ['-p', f'{key}:={value}']
        sys.stdout.flush()
        child = os.fork()
        if child:
            return child
        try:
            output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
            for number in (1, 2):
                os.dup2(output, number)
            if cold and name in _MODULES:
                os.execv(find_executable(f'{name}_node'), arguments)
            faulthandler.register(signal.SIGUSR1, all_threads=True)
            sys.argv = arguments
            # The tracing library of ROS does not survive an exit after a fork.
            os._exit(_code_of(self._mains[name]))
        finally:
            os._exit(99)


def tell(line: str) -> None:
    sys.stdout.write(f'{line}\n')
    sys.stdout.flush()


def _code_of(program) -> int:
    try:
        return program() or 0
    except SystemExit as ending:
        return ending.code or 0


def client() -> None:
    """A program of somebody else: asks once, as tutorials do, and says how long it took."""
    import rclpy
    from rclpy.action import ActionClient

    from reactree_ros.action import PlanTask

    rclpy.init(args=sys.argv)
    node = rclpy.create_node('client')
    action = ActionClient(node, PlanTask, 'planner/plan_task')
    threaded = sys.argv[1] == 'thread'
    if threaded:
        threading.Thread(target=rclpy.spin, args=(node,), daemon=True).start()

    def arrives(future, seconds):
        if threaded:
            done = threading.Event()
            future.add_done_callback(lambda _: done.set())
            return done.wait(seconds)
        rclpy.spin_until_future_complete(node, future, timeout_sec=seconds)
        return future.done()

    def ask():
        if not action.wait_for_server(PATIENCE):
            return {'problem': 'no planner found'}
        began = time.monotonic()
        sent = action.send_goal_async(PlanTask.Goal(task=_TASK))
        if not arrives(sent, ANSWER):
            return {'problem': 'no goal response'}
        if not sent.result().accepted:
            return {'problem': 'goal rejected'}
        response = time.monotonic() - began
        result = sent.result().get_result_async()
        if not arrives(result, PATIENCE):
            return {'problem': 'no result'}
        if not result.result().result.success:
            return {'problem': f'run: {result.result().result.error_msg}'}
        return {'response': response, 'result': time.monotonic() - began}

    tell(json.dumps(ask()))
    os._exit(0)  # how such a client ends is not what is tried here


def await_end(processes: dict[str, int], seconds: float) -> dict[str, tuple[int, float]]:
    """Exit code and seconds until the end, of those that ended in time."""
    began = time.monotonic()
    ended = {}
    watched = {os.pidfd_open(process): name for name, process in processes.items()}
    while watched and (left := began + seconds - time.monotonic()) > 0:
        for file in select.select(list(watched), [], [], left)[0]:
            name = watched.pop(file)
            os.close(file)
            _, status = os.waitpid(processes[name], 0)
            ended[name] = (os.waitstatus_to_exitcode(status), time.monotonic() - began)
    for file in watched:
        os.close(file)
    return ended


def play_round(rounds: Rounds) -> list[str]:
    """What failed in one round."""
    chance, number = rounds.chance, rounds.played
    cold = number % _COLD == _COLD - 1
    namespace = f'/u{uuid.uuid4().hex[:8]}'
    folder = rounds.folder / f'round_{number:04d}'
    folder.mkdir()
    logs = {name: folder / f'{name}.log' for name in (*_MODULES, 'client')}
    for log in logs.values():
        log.touch()
    pause = threading.Event()
    failed, took = [], {}
    began = time.monotonic()
    nodes = {name: rounds.start(name, namespace, logs[name], cold) for name in _MODULES}

    def until(done) -> bool:
        while not done() and time.monotonic() - began < PATIENCE:
            pause.wait(0.01)
        return done()

    if number % _UNUSED == _UNUSED - 1:
        # A program that is still importing knows no better than Python's own traceback.
        begun = all if cold else any
        until(lambda: begun(logs[name].read_text() for name in nodes))
        pause.wait(chance.random() * _SPREAD)
    else:
        arguments = ('client', namespace, logs['client'], cold, chance.choice(('thread', 'alone')))
        early = chance.random() < 0.5
        asking = {'client': rounds.start(*arguments)} if early else {}
        if not until(lambda: all(f'{name} ready' in logs[name].read_text() for name in nodes)):
            failed.append('not ready')
        took['ready'] = time.monotonic() - began
        await_end(asking or {'client': rounds.start(*arguments)}, 2 * PATIENCE + ANSWER)
        told = json.loads((logs['client'].read_text().splitlines() or ['{}'])[-1])
        if 'result' not in told:
            failed.append(f'client: {told.get("problem", "no end")}')
        took |= {key: told[key] for key in ('response', 'result') if key in told}
        pause.wait(chance.random() * _SPREAD)
    for process in nodes.values():
        os.kill(process, signal.SIGINT)
    # A machine with more to do than it can is late.
    slack = max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))
    ended = await_end(nodes, END * slack)
    for name, process in nodes.items():
        if name in ended:
            code, took[f'end of {name}'] = ended[name]
            if code:
                failed.append(f'{name}: exit code {code}')
        else:
            failed.append(f'{name}: does not end')
            os.kill(process, signal.SIGUSR1)
            pause.wait(0.5)
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)
        if 'Traceback' in logs[name].read_text():
            failed.append(f'{name}: traceback')
    for key, seconds in took.items():
        rounds.longest[key] = max(rounds.longest.get(key, 0.0), seconds)
    if not failed:
        shutil.rmtree(folder)
    return failed


def main() -> int:
    # A shell ignores it for what it starts in the background, and so would all nodes.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    rounds = Rounds(Path(sys.argv[1]), int(sys.argv[3]))
    while rounds.played < int(sys.argv[2]):
        failed = play_round(rounds)
        if failed:
            tell(f'round {rounds.played}: {"; ".join(failed)}')
        rounds.played += 1
        rounds.held += not failed
        rounds.failed.update(failed)
    tell(f'{rounds.played:6d}  rounds\n{rounds.held:6d}  held')
    for what, times in rounds.failed.most_common():
        tell(f'{times:6d}  {what}')
    for what, seconds in rounds.longest.items():
        tell(f'{seconds:6.2f}  longest seconds: {what}')
    return 0 if rounds.held == rounds.played else 1


if __name__ == '__main__':
    sys.exit(main())
