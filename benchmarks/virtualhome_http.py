"""The household in process, as `virtualhome_unity` over HTTP, and its server by itself.

The same random admissible and inadmissible skills in both; the server is a process of its own, as
it would be. Every observation of the one is compared with that of the other. Then the server with
`environment_graph` after every line of a script, for a client that reads the bytes and for one
that parses them; the reference executor on the same lines where PyPI `virtualhome-eval` is
installed (`--no-deps`, with numpy and tqdm); many clients in one moment; and `expand_scene` of
large homes.

`--uvicorn` measures the same service behind uvicorn with h11 as well.

Run: python -m benchmarks.virtualhome_http [--skills N] [--scene SCENE] [--uvicorn]
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import importlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from typing import Any

import uvicorn

from sim_bridge.virtualhome_server import VirtualHomeService
from sim_bridge.virtualhome_server.http_server import _encoded, _SHORT
from sim_bridge.worlds.household import HouseholdWorld
from sim_bridge.worlds.household.programs.execution import perform
from sim_bridge.worlds.household.programs.script import read_step
from sim_bridge.worlds.household.programs.stage import Stage
from sim_bridge.worlds.household.world import load_scene
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


_HEAD = b'POST / HTTP/1.1\r\nHost: localhost\r\nConnection: %b\r\nContent-Length: %d\r\n\r\n'


class _Client:
    """One connection that reads answers as bytes."""

    def __init__(self, port: int) -> None:
        self._peer = socket.create_connection(('127.0.0.1', port), 60.0)
        self._buffer = bytearray(2**16)

    def call(self, action: str, *strings: str) -> bytes:
        """The body of the answer."""
        body = json.dumps({'id': '1', 'action': action, 'stringParams': strings}).encode()
        self._peer.sendall(_HEAD % (b'keep-alive', len(body)) + body)
        got = self._peer.recv_into(self._buffer)
        begin = self._buffer.index(b'\r\n\r\n', 0, got) + 4
        head = bytes(self._buffer[:begin]).lower()
        end = begin + int(head.partition(b'content-length: ')[2].partition(b'\r\n')[0])
        if end > len(self._buffer):
            self._buffer.extend(bytes(end))
        with memoryview(self._buffer) as buffer:
            while got < end:
                got += self._peer.recv_into(buffer[got:end])
            return bytes(buffer[begin:end])

    def close(self) -> None:
        self._peer.close()


def lines_for(graph: Mapping[str, Any], count: int) -> list[str]:
    """Lines that both the server and the executor of programs can do, one after the other."""
    random, lines = Random(0), list[str]()
    home, service = Stage(graph), VirtualHomeService([graph])
    me = next(node['id'] for node in graph['nodes'] if node['class_name'] == 'character')
    service.answer({'action': 'add_character', 'stringParams': [_ENTER % _room(graph, me)]})
    things = [node for node in graph['nodes'] if node['class_name'] != 'character']
    last = things[0]
    for _ in range(60 * count):
        thing = random.choice(things)
        verb = random.choice(['WALK', 'GRAB', 'OPEN', 'CLOSE', 'SWITCHON', 'PUTBACK'])
        ends = [last, thing] if verb == 'PUTBACK' else [thing]
        line = f'[{verb}] ' + ' '.join(f'<{one["class_name"]}> ({one["id"]})' for one in ends)
        if (verb == 'WALK' and random.random() < 0.9) or perform(home, read_step(line)):
            continue
        script = {'action': 'render_script', 'stringParams': ['{}', f'<char0> {line}']}
        if not service.answer(script)['success']:
            # The two are of different opinions: as if nobody had asked.
            home = Stage(graph)
            for done in lines:
                perform(home, read_step(done))
            continue
        lines.append(line)
        last = thing if verb == 'GRAB' else last
        if len(lines) == count:
            break
    return lines


def _room(graph: Mapping[str, Any], thing: int) -> str:
    classes = {node['id']: str(node['class_name']) for node in graph['nodes']}
    return next(
        classes[edge['to_id']]
        for edge in graph['edges']
        if edge['from_id'] == thing and edge['relation_type'] == 'INSIDE'
    )


_ENTER = '{"mode": "fix_room", "initial_room": "%s"}'


def _rate(act: Callable[[str], object], lines: list[str]) -> float:
    """Lines per second."""
    start = time.perf_counter()
    for line in lines:
        act(line)
    return len(lines) / (time.perf_counter() - start)


def measure_lines(port: int, server: int, graph: Mapping[str, Any], count: int) -> None:
    """Print lines per second, alone and with the graph after each."""
    lines = lines_for(graph, count)
    me = next(node['id'] for node in graph['nodes'] if node['class_name'] == 'character')
    enter = _ENTER % _room(graph, me)
    client = _Client(port)
    sent = json.dumps({key: graph[key] for key in ('nodes', 'edges')})

    def begin() -> None:
        client.call('reset')
        client.call('expand_scene', '{}', sent)
        client.call('add_character', enter)

    def step(line: str) -> None:
        assert b'"success": true' in client.call('render_script', '{}', f'<char0> {line}')

    def look(line: str) -> bytes:
        step(line)
        return client.call('environment_graph')

    def parse(line: str) -> None:
        json.loads(json.loads(look(line))['message'])

    begin()
    alone = _rate(step, lines)
    begin()
    spent = _cpu_of(server)
    looked = _rate(look, lines)
    cpu = (_cpu_of(server) - spent) / len(lines)
    begin()
    parsed = _rate(parse, lines)
    text = client.call('environment_graph')
    floor = _rate(lambda _: json.loads(json.loads(text)['message']), lines[:50])
    client.close()
    print(f'lines of a script       {len(lines)}, an answer {len(text):,} bytes')
    print(f'line                    {alone:,.0f} a second')
    print(
        f'line and graph          {looked:,.0f} a second, {1000 * cpu:.2f} ms of the server each'
    )
    print(f'  parsed by the client  {parsed:,.0f} a second; parsing alone {floor:,.0f}')
    reference = measure_reference(graph, lines)
    if reference is None:
        print('reference executor      not installed')
        return
    print(f'reference executor      {reference:,.0f} lines and graphs a second')
    print(
        f'  the server is         {looked / reference:.1f} times as fast, '
        f'parsed {parsed / reference:.1f} times'
    )


def measure_reference(graph: Mapping[str, Any], lines: list[str]) -> float | None:
    """Lines and graphs per second of PyPI `virtualhome-eval`; None where it is not installed."""
    package = 'virtualhome_eval.simulation.evolving_graph.'
    try:
        environment = importlib.import_module(f'{package}environment')
        execution = importlib.import_module(f'{package}execution')
        scripts = importlib.import_module(f'{package}scripts')
    except ImportError:
        return None
    executor = execution.ScriptExecutor(environment.EnvironmentGraph(graph), {})
    state = environment.EnvironmentState(
        environment.EnvironmentGraph(graph), {}, instance_selection=True
    )
    steps = iter(scripts.read_script_from_list_string(lines))

    def step(line: str) -> None:
        nonlocal state
        done, state = executor.execute_one_step(scripts.Script([next(steps)]), state)
        assert done, line
        state.to_dict()

    return _rate(step, lines)


def measure_load(port: int, count: int) -> None:
    """Print what becomes of clients that connect in one moment, each with one call."""
    body = b'{"id": "1", "action": "idle"}'
    ask = _HEAD % (b'close', len(body)) + body
    start, answered, slowest = time.perf_counter(), 0, 0.0
    with contextlib.ExitStack() as stack:
        peers = [
            stack.enter_context(socket.create_connection(('127.0.0.1', port), 60.0))
            for _ in range(count)
        ]
        for peer in peers:
            peer.sendall(ask)
        for peer in peers:
            with contextlib.suppress(OSError):
                answered += b'200 OK' in peer.recv(10000)
            slowest = time.perf_counter() - start
    print(f'clients in one moment   {answered} of {count} answered within {slowest:.2f} s')


def measure_expansion(port: int, graph: Mapping[str, Any], things: int) -> float:
    """Print how long `expand_scene` takes, and how long another client's `idle` meanwhile.

    :return: seconds.
    """
    room = next(node['id'] for node in graph['nodes'] if node.get('category') == 'Rooms')
    ids = range(10**6, 10**6 + things)
    apple = {'class_name': 'apple', 'category': 'Props', 'properties': ['GRABBABLE'], 'states': []}
    sent = json.dumps(
        {
            'nodes': [*graph['nodes'], *({**apple, 'id': one} for one in ids)],
            'edges': [
                *graph['edges'],
                *({'from_id': one, 'relation_type': 'INSIDE', 'to_id': room} for one in ids),
            ],
        }
    )
    client, other = _Client(port), _Client(port)
    client.call('reset')
    longest = 0.0
    with ThreadPoolExecutor(1) as pool:
        start = time.perf_counter()
        expanding = pool.submit(client.call, 'expand_scene', '{}', sent)
        while not expanding.done():
            asked = time.perf_counter()
            other.call('idle')
            longest = max(longest, time.perf_counter() - asked)
        taken = time.perf_counter() - start
    assert b'"success": true' in expanding.result()
    client.call('reset')
    client.close()
    other.close()
    print(
        f'expand_scene            {things} more things: {taken:.2f} s, '
        f'idle meanwhile at most {1000 * longest:.0f} ms'
    )
    return taken


@contextlib.contextmanager
def served_by_uvicorn(graph: Mapping[str, Any]) -> Iterator[tuple[int, int]]:
    """The service behind uvicorn, in a process of its own: its port and process id."""
    listener = socket.create_server(('127.0.0.1', 0), backlog=1024)
    # asyncio sets it only on sockets that name their protocol; connections take it over.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    port = listener.getsockname()[1]
    process = os.fork()
    if process == 0:
        settings = uvicorn.Config(
            _application(graph), log_level='error', access_log=False, lifespan='off'
        )
        uvicorn.Server(settings).run([listener])
        os._exit(0)
    listener.close()
    try:
        yield port, process
    finally:
        os.kill(process, signal.SIGTERM)
        os.waitpid(process, 0)


def _application(graph: Mapping[str, Any]) -> Callable[..., Any]:
    service = VirtualHomeService([graph])

    def work(body: bytes) -> tuple[bytes, ...]:
        request = json.loads(body)
        return _encoded(str(request['id']), service.answer(request))

    async def answer(scope: Any, receive: Any, send: Any) -> None:
        pieces, more = [], True
        while more:
            message = await receive()
            pieces.append(message.get('body', b''))
            more = message.get('more_body', False)
        body = b''.join(pieces)
        if len(body) <= _SHORT:
            said = work(body)
        else:
            said = await asyncio.to_thread(work, body)
        length = str(sum(map(len, said))).encode()
        headers = [(b'content-type', b'application/json'), (b'content-length', length)]
        await send({'type': 'http.response.start', 'status': 200, 'headers': headers})
        await send({'type': 'http.response.body', 'body': b''.join(said)})

    return answer


def main() -> None:
    """Print what was measured."""
    parser = argparse.ArgumentParser(description='Skills per second over HTTP.')
    parser.add_argument('--skills', type=int, default=500, help='how many')
    parser.add_argument('--scene', default='generated:7', help='as of the household world')
    parser.add_argument('--uvicorn', action='store_true', help='the same behind uvicorn too')
    arguments = parser.parse_args()
    command = [sys.executable, '-m', 'reactree_tools', 'virtualhome-server', '--port', '0']
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        url = server.stdout.readline().split()[-1]
        found = measure(url, arguments.scene, arguments.skills, server.pid)
        _print_skills(arguments.scene, arguments.skills, found)
        port, graph = int(url.rpartition(':')[2]), load_scene(arguments.scene)
        measure_lines(port, server.pid, _with_character(graph), arguments.skills)
        for count in (64, 200, 600):
            measure_load(port, count)
        short, long = (measure_expansion(port, graph, things) for things in (1000, 4000))
        print(f'  4 times the things    {long / short:.1f} times the time')
    finally:
        server.terminate()
        server.wait(10)
    if arguments.uvicorn:
        print('behind uvicorn with h11')
        with served_by_uvicorn(graph) as (port, process):
            measure_lines(port, process, _with_character(graph), arguments.skills)
            for count in (64, 200, 600):
                measure_load(port, count)


def _with_character(graph: Mapping[str, Any]) -> Mapping[str, Any]:
    """The home with somebody in it: programs need one."""
    service = VirtualHomeService([graph])
    service.answer({'action': 'add_character'})
    return service.graph()


def _print_skills(scene: str, skills: int, found: Mapping[str, float]) -> None:
    print(f'scene                   {scene}, {found["nodes"]:.0f} nodes')
    print(f'different observations  {found["different"]:.0f} of {skills}')
    print(f'in process              {found["local"]:,.0f} skills/s')
    print(f'over HTTP               {found["http"]:,.0f} skills/s')
    print(f'  of both CPU times     {found["cpu"]:,.0f} skills/s')


if __name__ == '__main__':
    main()
