"""Starts a stack and waits until it can be used: a line for each node as it becomes ready."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import ExitStack
from typing import Protocol

from rich.text import Text

from reactree_core.errors import ConfigurationError
from reactree_core.errors import ReactreeError
from reactree_tools.exit_codes import ExitCode
from reactree_tools.output import Output
from reactree_tools.plain_text import printable
from reactree_tools.plain_text import seconds
from reactree_tools.plain_text import visible
from reactree_tools.processes.interrupts import Interrupts
from reactree_tools.processes.node_process import NodeProcess
from reactree_tools.processes.stack import Stack

#: Seconds between two looks at the nodes.
PERIOD = 0.05
#: Exit status of a node that cannot use what it was given (reactree_core.ros.spinning).
EXIT_CONFIGURATION = 2
#: Lines of a log that are shown when its node died.
LAST_LINES = 12


class Readiness(Protocol):
    """Tells which nodes can be used (`ros.readiness` asks the graph)."""

    def ready(self, name: str) -> bool:
        """Whether it answers."""

    def fault(self) -> str:
        """Why the bridge cannot work, or ''."""

    def describe(self, name: str) -> str:
        """What it has told about itself."""

    def twins(self, name: str) -> int:
        """Nodes of this name on the graph."""


class NodeDied(ReactreeError):
    """A node ended by itself; its last words were shown.

    :param exit_code: for the command line: UNUSABLE when the node refused what it was given.
    """

    def __init__(self, message: str, exit_code: ExitCode = ExitCode.FAILED) -> None:
        super().__init__(message)
        self.exit_code = exit_code


def death_of(output: Output, process: NodeProcess) -> NodeDied:
    """What to raise for a node that has ended; shows the end of its log."""
    refused = process.returncode == EXIT_CONFIGURATION
    code = ExitCode.UNUSABLE if refused else ExitCode.FAILED
    return NodeDied(show_death(output, process), code)


def show_death(output: Output, process: NodeProcess) -> str:
    """Say what happened to a node in one sentence, and print the end of its log above it.

    A node that refuses what it was given says why in its last line; that is sentence enough.
    """
    lines = process.last_lines(LAST_LINES)
    if process.returncode == EXIT_CONFIGURATION and lines:
        return f'The {process.name} cannot start: {visible(lines[-1])}'
    if lines:
        output.error_console.print(
            Text(f'Last lines of {process.log}:', style='bold'), soft_wrap=True
        )
    for line in lines:
        output.error_console.print(Text(f'  {printable(line)}', style='dim'), soft_wrap=True)
    return f'The {process.name} {process.describe_end()}; its log is {process.log}.'


def wait_until_ready(
    stack: Stack,
    readiness: Readiness,
    output: Output,
    interrupts: Interrupts,
    patience: float,
    details: Mapping[str, str],
    announced: bool = True,
) -> bool:
    """Wait for all nodes, with one line for each.

    :param patience: longest wait, seconds.
    :param details: node name -> what to say about it, besides what it tells itself.
    :param announced: whether the nodes log that they are ready; it tells ours from others of the
        same name.
    :returns: False when the user asked to stop.
    :raises NodeDied: a node ended. :raises ConfigurationError: a fault, a twin, or no answer.
    """
    waiting = [process.name for process in stack]
    deadline = time.monotonic() + patience
    with ExitStack() as moving:
        status = moving.enter_context(output.console.status('')) if output.live else None
        while waiting:
            if interrupts.wait(PERIOD):
                return False
            for dead in stack.ended():
                # The moving line must be gone before anything else is printed for good.
                moving.close()
                raise death_of(output, dead)
            fault = readiness.fault()
            if fault:
                raise ConfigurationError(f'The bridge cannot work: {fault}')
            for process in [stack[name] for name in waiting]:
                if readiness.ready(process.name) and (process.is_announced() or not announced):
                    waiting.remove(process.name)
                    _say_ready(process, readiness, output, details)
            if status is not None:
                status.update(Text(f'waiting for {", ".join(waiting)}', style='dim'))
            if waiting and time.monotonic() > deadline:
                raise ConfigurationError(
                    f'The {waiting[0]} is not ready after {seconds(patience)}. '
                    f'Its log is {stack[waiting[0]].log}.'
                )
        _check_twins(stack, readiness)
    return True


def _check_twins(stack: Stack, readiness: Readiness) -> None:
    """Two nodes of one name answer each other's questions; better not to begin."""
    for process in stack:
        if readiness.twins(process.name) > 1:
            raise ConfigurationError(
                f'Another {process.name} runs in this namespace and ROS domain. End it, or use '
                'another --namespace or ROS_DOMAIN_ID.'
            )


def _say_ready(
    process: NodeProcess, readiness: Readiness, output: Output, details: Mapping[str, str]
) -> None:
    parts = [readiness.describe(process.name), details.get(process.name, '')]
    told = visible(', '.join(part for part in parts if part))
    line = Text(f'{output.glyphs.success} ', style='bold green')
    line.append(f'{process.name:<8}', style='not bold default')
    line.append(' ready', style='not bold green')
    line.append(f' in {seconds(time.monotonic() - process.started)}', style='not bold dim')
    line.append(f'  {told}'.rstrip(), style='not bold default')
    output.console.print(line, soft_wrap=True)
