"""What a viewer costs, and whether it keeps up: 400 nodes, a decision every 100 ms.

A node that publishes as the planner does (its own publishing code: decisions, observations and
the whole tree after each) sends a made-up run; the real viewer node, a process of its own, shows
it to a page in headless Chromium where playwright and Chromium are installed, else to a reader of
the stream. Told are: CPU time that the planner spends publishing an event, without a viewer and
with one that works, is stopped, was killed; the viewer's CPU and memory; how far the page lags.

    scripts/with_ros python -m benchmarks.viewer_load --minutes 10
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path

import httpx
import rclpy
from rclpy.node import Node

from reactree_core.record.events import Decision, Event
from reactree_core.record.snapshot import AgentTree
from reactree_core.ros.spinning import NodesInThread
from reactree_planner.resume.run_log import RunLog
from reactree_planner.ros.run_topics import RunTopics
from support.made_up_runs import MadeUpRun

NODES = 400
PACE = 0.1
_TICKS = os.sysconf('SC_CLK_TCK')
_PAGE_SIZE = os.sysconf('SC_PAGE_SIZE')


@dataclass
class Growing:
    """What the planner's publisher asks of a run."""

    tree: AgentTree = field(default_factory=AgentTree)
    log: RunLog = field(default_factory=RunLog)
    began: float = field(default_factory=time.monotonic)

    def elapsed(self) -> float:
        """Seconds."""
        return time.monotonic() - self.began


class Planner:
    """Publishes a run at its pace; tells the CPU seconds of every event."""

    def __init__(self, node: Node, run: Iterator[Event]) -> None:
        self._topics = RunTopics(node)
        self._events = run
        self._run = Growing()
        self.published = 0
        self._due = time.monotonic()
        self._topics.begin(uuid.uuid4().hex, None)

    def grow(self) -> None:
        """Publish as fast as it goes until the tree is whole."""
        while len(self._run.tree.snapshot().nodes) < NODES:
            self._publish(next(self._events))
            time.sleep(0.004)
        self._due = time.monotonic()

    def send(self, decisions: int) -> list[float]:
        """So many decisions and what follows them, at the pace; CPU seconds of each event."""
        costs: list[float] = []
        self._due = max(self._due, time.monotonic())
        for event in self._events:
            if isinstance(event, Decision):
                if not decisions:
                    # The next call's first.
                    self._events = chain((event,), self._events)
                    break
                decisions -= 1
                self._due += PACE
                time.sleep(max(0.0, self._due - time.monotonic()))
            costs.append(self._publish(event))
        return costs

    def _publish(self, event: Event) -> float:
        self._run.tree.apply(event)
        # Of this thread alone: what a busy machine does beside it does not count.
        began = time.thread_time()
        self._topics.publish(event, '', self._run)
        self.published += 1
        return time.thread_time() - began


class Process:
    """The viewer's process: what it uses."""

    def __init__(self, namespace: str, folder: Path) -> None:
        with socket.socket() as free:
            free.bind(('127.0.0.1', 0))
            self.port = free.getsockname()[1]
        self.url = f'http://127.0.0.1:{self.port}/'
        given = {'port': self.port, 'journal_directory': f'"{folder}"'}
        parameters = [word for name, value in given.items() for word in ('-p', f'{name}:={value}')]
        command = [sys.executable, '-m', 'reactree_tools.viewer.ros.node', '--ros-args']
        self._process = subprocess.Popen(
            [*command, '-r', f'__ns:={namespace}', *parameters], stderr=subprocess.DEVNULL
        )
        deadline = time.monotonic() + 30.0
        while not self._answers():
            if time.monotonic() > deadline:
                raise SystemExit('the viewer does not start')
            time.sleep(0.1)

    def _answers(self) -> bool:
        try:
            return httpx.get(f'{self.url}api/runs', timeout=2.0).status_code == 200
        except httpx.HTTPError:
            return False

    @property
    def cpu(self) -> float:
        """Seconds of a core so far."""
        words = Path(f'/proc/{self._process.pid}/stat').read_text().rpartition(')')[2].split()
        return (int(words[11]) + int(words[12])) / _TICKS

    @property
    def memory(self) -> float:
        """MiB resident."""
        words = Path(f'/proc/{self._process.pid}/statm').read_text().split()
        return int(words[1]) * _PAGE_SIZE / 2**20

    def tell(self, number: int) -> None:
        """Send a signal."""
        self._process.send_signal(number)

    def end(self) -> None:
        """Kill it, however it is."""
        self._process.kill()
        self._process.wait()


class Browser:
    """The page in headless Chromium."""

    def __init__(self, url: str) -> None:
        from playwright.sync_api import sync_playwright

        self._playwright = sync_playwright().start()
        path = shutil.which('chromium') or shutil.which('google-chrome')
        self._browser = self._playwright.chromium.launch(
            executable_path=path, args=['--no-sandbox', '--js-flags=--expose-gc']
        )
        self._page = self._browser.new_page(viewport={'width': 1400, 'height': 850})
        self._page.goto(url)
        self._devtools = self._page.context.new_cdp_session(self._page)
        self._page.evaluate(
            """() => { window.gaps = []; let last = performance.now();
            const beat = (now) => { window.gaps.push(now - last); last = now;
              requestAnimationFrame(beat); }; requestAnimationFrame(beat); }"""
        )

    def seen(self) -> int:
        """Events that the page has."""
        text = self._page.get_attribute('#position', 'aria-valuetext') or ''
        return int(text.split(' of ')[1].split(',')[0]) if ' of ' in text else 0

    def heap(self) -> float:
        """MiB of JavaScript after a collection."""
        self._devtools.send('HeapProfiler.collectGarbage')
        return float(self._page.evaluate('() => performance.memory.usedJSHeapSize')) / 2**20

    def slow_frames(self) -> tuple[float, float]:
        """99th percentile and longest time between two pictures since the last call, ms."""
        gaps = sorted(self._page.evaluate('() => window.gaps.splice(0)'))
        return gaps[int(len(gaps) * 0.99)], gaps[-1]

    def close(self) -> None:
        """End it."""
        self._browser.close()
        self._playwright.stop()


class Reader:
    """Where there is no browser: reads the stream."""

    def __init__(self, url: str) -> None:
        self._seen = 0
        self._url = url
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        with httpx.stream('GET', f'{self._url}api/stream', timeout=None) as response:
            for line in response.iter_lines():
                if line.startswith('data: {"end":'):
                    self._seen = int(line.removeprefix('data: {"end":').partition(',')[0])

    def seen(self) -> int:
        """Events that have come."""
        return self._seen

    def heap(self) -> float:
        """Not known."""
        return float('nan')

    def slow_frames(self) -> tuple[float, float]:
        """Not known."""
        return float('nan'), float('nan')

    def close(self) -> None:
        """Nothing to end."""


def open_page(url: str) -> Browser | Reader:
    """A browser where there is one."""
    try:
        return Browser(url)
    except ImportError:
        print('playwright is not installed: a reader of the stream stands in for the page')
        return Reader(url)


def told(what: str, costs: list[float]) -> None:
    """Print how long publishing took."""
    ordered = sorted(costs)
    middle, late = statistics.median(ordered) * 1e3, ordered[int(len(ordered) * 0.99)] * 1e3
    print(f'  {what:<34} median {middle:.2f} ms, 99 % {late:.2f} ms, {len(costs)} events')


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--minutes', type=float, default=10.0)
    parser.add_argument('--decisions', type=int, default=150, help='of each short measurement')
    arguments = parser.parse_args()
    rclpy.init()
    namespace = f'/b{uuid.uuid4().hex[:8]}'
    node = Node('planner', namespace=namespace)
    spinning = NodesInThread(rclpy.get_default_context(), node)
    spinning.start()
    wanted = int(arguments.minutes * 60 / PACE) + 20 * arguments.decisions + 5000
    planner = Planner(node, iter(MadeUpRun(NODES, decisions=wanted, pace=PACE, ends=False)))
    with tempfile.TemporaryDirectory() as folder:
        planner.grow()
        print(f'{NODES} nodes, {1 / PACE:.0f} decisions/s; CPU of publishing an event:')
        told('without a viewer', planner.send(arguments.decisions))
        viewer = Process(namespace, Path(folder))
        page = open_page(viewer.url)
        try:
            planner.send(30)
            told('with a viewer and a page', planner.send(arguments.decisions))
            watch(planner, viewer, page, arguments.minutes)
            viewer.tell(signal.SIGSTOP)
            told('with a viewer that hangs', planner.send(arguments.decisions))
            viewer.tell(signal.SIGCONT)
        finally:
            page.close()
            viewer.end()
        told('after the viewer was killed', planner.send(arguments.decisions))
    spinning.end()
    rclpy.try_shutdown()


def watch(planner: Planner, viewer: Process, page: Browser | Reader, minutes: float) -> None:
    """The long measurement, with a line every half minute."""
    began, cpu = time.monotonic(), viewer.cpu
    first_seen, first_published = page.seen(), planner.published
    page.slow_frames()
    print('  time   viewer CPU  memory   page lags by  page heap  pictures 99 %, longest')
    for _ in islice(iter(int, 1), max(1, round(minutes * 2))):
        planner.send(int(30 / PACE))
        now = viewer.cpu
        seconds = time.monotonic() - began
        lag = (planner.published - first_published) - (page.seen() - first_seen)
        most, longest = page.slow_frames()
        print(
            f'  {seconds:4.0f} s   {(now - cpu) / seconds:6.1%}   {viewer.memory:6.1f} MiB  '
            f'{lag:4d} events  {page.heap():6.1f} MiB  {most:.0f} ms, {longest:.0f} ms',
            flush=True,
        )
    print(
        f'  viewer CPU over all: {(viewer.cpu - cpu) / (time.monotonic() - began):.1%} of a core'
    )


if __name__ == '__main__':
    main()
