"""Skills per second of the household in process, and as `virtualhome_unity` over HTTP.

The same random admissible and inadmissible skills in both; the server is a process of its own, as
it would be. Every observation of the one is compared with that of the other.

Run: python -m benchmarks.virtualhome_http [--skills N] [--scene generated:SEED]
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path
from random import Random

from sim_bridge.worlds.household import HouseholdWorld
from sim_bridge.worlds.virtualhome_unity import VirtualHomeUnityWorld


def measure(url: str, scene: str, count: int, server: int) -> dict[str, float]:
    """Skills per second of both, and the number of different observations, which is 0.

    :param server: id of the server's process. :param count: skills, 1 or more.
    """
    local, remote = HouseholdWorld(), VirtualHomeUnityWorld(url=url, patience=30.0)
    random = Random(0)
    observation = local.reset(scene, '', 0)
    different = int(remote.reset(scene, '', 0) != observation)
    times = [0.0, 0.0]
    cpu, spent = 0.0, _cpu_of(server)
    for _ in range(count):
        skills = observation.admissible_skills
        handling = [skill for skill in skills if not skill.startswith('go to')]
        skill = random.choice(handling if handling and random.random() < 0.5 else skills)
        cpu -= time.process_time()
        start = time.perf_counter()
        observation = local.step(skill)
        middle = time.perf_counter()
        answer = remote.step(skill)
        times[1] += time.perf_counter() - middle
        cpu += time.process_time()
        times[0] += middle - start
        different += answer != observation
    remote.close()
    return {
        'nodes': len(local.graph()['nodes']),
        'local': count / times[0],
        'http': count / times[1],
        'cpu': count / max(cpu + _cpu_of(server) - spent, 1e-9),
        'different': different,
    }


def _cpu_of(process: int) -> float:
    """Seconds of CPU time that a process has had (Linux)."""
    fields = Path(f'/proc/{process}/stat').read_text().rpartition(')')[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')


def main() -> None:
    """Print what was measured."""
    parser = argparse.ArgumentParser(description='Skills per second over HTTP.')
    parser.add_argument('--skills', type=int, default=500, help='how many')
    parser.add_argument('--scene', default='generated:7', help='as of the household world')
    arguments = parser.parse_args()
    command = [sys.executable, '-m', 'reactree_tools', 'virtualhome-server', '--port', '0']
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        url = server.stdout.readline().split()[-1]
        found = measure(url, arguments.scene, arguments.skills, server.pid)
    finally:
        server.terminate()
        server.wait(10)
    print(f'scene                   {arguments.scene}, {found["nodes"]:.0f} nodes')
    print(f'different observations  {found["different"]:.0f} of {arguments.skills}')
    print(f'in process              {found["local"]:,.0f} skills/s')
    print(f'over HTTP               {found["http"]:,.0f} skills/s')
    print(f'  of both CPU times     {found["cpu"]:,.0f} skills/s')


if __name__ == '__main__':
    main()
