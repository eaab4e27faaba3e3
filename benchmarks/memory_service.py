"""Round trip of a retrieval through the memory node: real processes, seed memory, new goals.

A first round asks one goal again and again (its embedding is cached), a second a new goal each
time, which the encoder reads in the call.

Run: scripts/with_ros python -m benchmarks.memory_service [--calls N]
"""

from __future__ import annotations

import argparse
import os
import signal
import statistics
import subprocess
import sys
import time

from reactree_tools.processes.domains import free_domain

_PATIENCE = 60.0
_WARM_UP = 10


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--calls', type=int, default=300)
    calls = parser.parse_args().calls
    os.environ |= {
        'ROS_DOMAIN_ID': str(free_domain()),
        'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST',
    }
    command = [sys.executable, '-m', 'memory_server.ros.node', '--ros-args']
    server = subprocess.Popen(
        [*command, '-p', 'store_path:=none'], stderr=subprocess.PIPE, text=True
    )
    assert server.stderr is not None
    try:
        for line in server.stderr:
            if 'experiences in' in line:
                print(line.split(': ', 1)[-1].strip())
            if 'memory ready' in line:
                break
        else:
            raise SystemExit('the memory node did not start')
        _measure(calls)
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(_PATIENCE)
        server.stderr.close()


def _measure(calls: int) -> None:
    from reactree_ros.srv import RetrieveExperiences
    from reactree_tools.ros.session import Session

    with Session('/') as session:
        client = session.node.create_client(RetrieveExperiences, 'memory/retrieve_experiences')
        if not client.wait_for_service(_PATIENCE):
            raise SystemExit('the memory node was not found')
        print(f'{os.cpu_count()} cores, {calls} calls\n\n| goal | median | p95 |\n|---|---|---|')
        for kind in ('the same', 'a new one'):
            times = []
            for number in range(calls + _WARM_UP):
                goal = f'find and pick up the plate {number if kind != "the same" else ""}'.strip()
                request = RetrieveExperiences.Request(goal=goal, token_budget=1000)
                began = time.perf_counter()
                answer = session.wait(client.call_async(request), _PATIENCE)
                times.append(time.perf_counter() - began)
                if answer.error_code or not answer.experiences:
                    raise SystemExit(f'no experiences: {answer.error_msg}')
            times = sorted(times[_WARM_UP:])
            p95 = times[int(0.95 * len(times))]
            print(f'| {kind} | {statistics.median(times) * 1e3:.1f} ms | {p95 * 1e3:.1f} ms |')


if __name__ == '__main__':
    main()
