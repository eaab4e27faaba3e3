"""`reactree` as processes, each with its own folders and domain, and headless Chromium."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import yaml
from playwright.sync_api import sync_playwright

from reactree_tools.processes.domains import free_domain
from reactree_tools.processes.nodes import find_executable
from support.needs import BROWSERS

#: Seconds after which whatever is waited for counts as lost, however busy the machine is.
PATIENCE = 180.0

#: One run: a thought, a sequence, and in its second part a fallback whose first way fails.
SCRIPT = [
    {'select': 'Think:'},
    {'generate': ' I look into the kitchen first, then into the fridge.'},
    {'select': 'Expand:'},
    {'select': 'sequence'},
    {'generate': ' go to the kitchen, look into the fridge'},
    {'select': 'Act:'},
    {'select': 'go to kitchen 1'},
    {'select': 'Act:'},
    {'select': 'done'},
    {'select': 'Expand:'},
    {'select': 'fallback'},
    {'generate': ' take the fridge, open the fridge'},
    {'select': 'Act:'},
    {'select': 'open fridge 1'},
    {'select': 'Act:'},
    {'select': 'failure'},
    {'select': 'Act:'},
    {'select': 'go to fridge 1'},
    {'select': 'Act:'},
    {'select': 'open fridge 1'},
    {'select': 'Act:'},
    {'select': 'done'},
]


class Program:
    """A program, its output in a file."""

    def __init__(self, command: list[str], environment: dict[str, str], output: Path) -> None:
        self.output = output
        with output.open('wb') as file:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
                env=environment,
                start_new_session=True,
            )

    @property
    def text(self) -> str:
        """Everything printed so far."""
        return self.output.read_text(encoding='utf-8', errors='replace')

    @property
    def running(self) -> bool:
        return self._process.poll() is None

    @property
    def pid(self) -> int:
        return self._process.pid

    def wait_for(self, words: str, seconds: float = PATIENCE) -> str:
        """The text, once the words are in it."""
        wait_until(lambda: words in self.text or not self.running, seconds, words)
        assert words in self.text, self.text
        return self.text

    def interrupt(self) -> None:
        """What Ctrl-C does to the program in the foreground."""
        self._process.send_signal(signal.SIGINT)

    def end(self, seconds: float = PATIENCE) -> int:
        """Its exit status, waiting for it."""
        try:
            return self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise AssertionError(f'does not end; it printed:\n{self.text}') from None

    def children(self) -> dict[str, int]:
        """Node name -> process id of the nodes it has started."""
        pid = self._process.pid
        found = Path(f'/proc/{pid}/task/{pid}/children').read_text(encoding='utf-8').split()
        nodes = {}
        for child in map(int, found):
            words = Path(f'/proc/{child}/cmdline').read_bytes().decode('utf-8', 'replace')
            match = re.search(r'(bridge|memory|planner)_node', words)
            if match:
                nodes[match.group(1)] = child
        return nodes

    @staticmethod
    def alive(nodes: dict[str, int]) -> list[str]:
        """Those of the nodes that run; a zombie does not."""
        found = []
        for name, pid in nodes.items():
            status = Path(f'/proc/{pid}/stat')
            try:
                if ') Z ' not in status.read_text(encoding='utf-8'):
                    found.append(name)
            except OSError:
                continue
        return found

    def kill(self) -> None:
        """End it for good, with the nodes that it may have left."""
        if self.running:
            self.interrupt()
            try:
                self._process.wait(20.0)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait(5.0)


def wait_until(condition: Callable[[], bool], seconds: float, what: str) -> None:
    """Wait for something, with a deadline."""
    deadline = time.monotonic() + seconds
    pause = threading.Event()
    while not condition():
        assert time.monotonic() < deadline, f'not within {seconds} s: {what}'
        pause.wait(0.05)


Start = Callable[..., Program]


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """A domain and folders of its own."""
    return {
        **os.environ,
        'ROS_DOMAIN_ID': str(free_domain()),
        'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST',
        'FASTDDS_BUILTIN_TRANSPORTS': 'UDPv4',
        'ROS_LOG_DIR': str(tmp_path / 'log'),
        'XDG_STATE_HOME': str(tmp_path / 'state'),
        'XDG_DATA_HOME': str(tmp_path / 'data'),
    }


@pytest.fixture
def start(tmp_path: Path, environment: dict[str, str]) -> Iterator[Start]:
    """Starts `reactree`, or a Python file or folder; ends what a test leaves."""
    programs: list[Program] = []

    def begin(*arguments: str) -> Program:
        output = tmp_path / f'output-{len(programs)}.txt'
        is_python = Path(arguments[0]).exists()
        program = sys.executable if is_python else find_executable('reactree')
        programs.append(Program([str(program), *arguments], environment, output))
        return programs[-1]

    yield begin
    for program in reversed(programs):
        program.kill()


@pytest.fixture
def nodes(tmp_path: Path) -> Callable[..., list[str]]:
    """Arguments of nodes with the scripted model."""

    def make(
        runs: int = 1, skill_seconds: float = 0.0, lines: list[dict[str, str]] = SCRIPT
    ) -> list[str]:
        script = tmp_path / 'script.yaml'
        script.write_text(yaml.safe_dump(lines * runs), encoding='utf-8')
        planner = {
            # The script is all that decides.
            'preset': 'default,decides=model,no-guards,repairs=0,expand_tries=1,example_count=1',
            'memory_timeout': 1.0,
            'keep_experiences': False,
        }
        settings = {
            '/**/planner': {'ros__parameters': planner},
            '/**/bridge': {'ros__parameters': {'skill_duration': skill_seconds}},
        }
        params = tmp_path / 'params.yaml'
        params.write_text(yaml.safe_dump(settings), encoding='utf-8')
        options = ['--scene', 'generated:3', '--model', f'scripted:{script}']
        return [*options, '--params', str(params), '--memory', 'none']

    return make


@pytest.fixture(scope='session')
def browser():
    """One browser for all tests."""
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    with sync_playwright() as running:
        # Without its sandbox, since tests may run as root in a container; pages are our own.
        browser = running.chromium.launch(executable_path=path, args=['--no-sandbox'])
        yield browser
        browser.close()


@dataclass
class Opened:
    """A page and what it complained about."""

    page: object
    complaints: list = field(default_factory=list)


@pytest.fixture
def open_page(browser):
    """Opens pages; a test fails when one logged an error or broke its content policy.

    Where the server is to refuse something, `refused` is in the line that the browser logs of it.
    """
    opened = []

    def begin(
        url, width=1280, height=800, scheme='light', wait='[role=treeitem]', refused='no answer'
    ):
        context = browser.new_context(
            viewport={'width': width, 'height': height},
            color_scheme=scheme,
            reduced_motion='reduce',
        )
        page = context.new_page()
        page.set_default_timeout(20_000)
        one = Opened(page)
        opened.append((context, one))
        page.on('pageerror', lambda error: one.complaints.append(str(error)))
        page.on(
            'console',
            lambda line: (
                line.type == 'error'
                and refused not in line.text
                and one.complaints.append(line.text)
            ),
        )
        page.goto(url)
        if wait:
            page.wait_for_selector(wait)
        return page

    yield begin
    for context, one in opened:
        context.close()
        assert not one.complaints, one.complaints
