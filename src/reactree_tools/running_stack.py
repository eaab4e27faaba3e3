"""A stack from its start to its end: ready, watched, and ended whatever happens."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Protocol

from rich.text import Text

from reactree_core.errors import ConfigurationError, ReactreeError
from reactree_planner.llm.models import DEFAULT_MODEL
from reactree_tools.exit_codes import ExitCode
from reactree_tools.model_check import fetched_later
from reactree_tools.node_table import RESPAWN_DELAY
from reactree_tools.output import Output
from reactree_tools.plain_text import printable, seconds, visible
from reactree_tools.processes.domains import current_domain
from reactree_tools.processes.interrupts import Interrupts
from reactree_tools.processes.node_process import log_level, NodeProcess
from reactree_tools.processes.nodes import make_stack, StackOptions
from reactree_tools.processes.parameter_files import check_parameter_file
from reactree_tools.processes.stack import make_log_folder, Stack, StackLock

#: Levels of the nodes' logs that are repeated on the terminal.
_LOUD = {'WARN': 'yellow', 'ERROR': 'red', 'FATAL': 'red'}
#: Nodes that a planner does without.
_SPARED = ('memory', 'perception', 'recorder')
#: How often a node that dies is started again, within so many seconds.
MOST_RESPAWNS, RESPAWN_WINDOW = 3, 600.0
#: Seconds in which a planner notices the loss of its bridge (a lease of 1 s) and ends its run.
LAST_WORDS_SECONDS = 2.5


def check_parameters(paths: Sequence[Path]) -> None:
    """Check parameter files before a node ignores a misspelt name silently.

    :raises ConfigurationError: a file is broken, or has a name or a value that no node takes.
    """
    if not paths:
        return
    from reactree_tools.ros.parameter_tables import objections

    for path in paths:
        found = list(objections(check_parameter_file(path)))
        if found:
            sentences = ' '.join(found)
            raise ConfigurationError(f'The parameter file {path} cannot be used. {sentences}')


class Respawns:
    """Starts nodes again that have died, a few times.

    :param delay: seconds between the end of a node and its next start.
    """

    def __init__(self, output: Output, delay: float = RESPAWN_DELAY) -> None:
        self._output = output
        self._delay = delay
        #: Node that has died -> when it is to be started.
        self._due: dict[str, float] = {}
        #: Node -> when it was found dead, each time.
        self._deaths: dict[str, list[float]] = {}
        #: Started again, and not ready yet.
        self._starting: list[NodeProcess] = []

    def care(self, stack: Stack) -> list[NodeProcess]:
        """Start what is due. :return: nodes that have ended and are not started again.

        :raises ConfigurationError: a program cannot be started.
        """
        for process in [one for one in self._starting if one.is_announced()]:
            self._starting.remove(process)
            _say_ready(process, self._output, 'ready again')
        return [process for process in stack.ended() if not self._takes(process)]

    def _takes(self, process: NodeProcess) -> bool:
        """Whether a node that has ended is started again, now or soon."""
        now = time.monotonic()
        due = self._due.get(process.name)
        if due is None:
            deaths = self._deaths.setdefault(process.name, [])
            deaths[:] = [at for at in deaths if now - at < RESPAWN_WINDOW]
            # What it has refused once it would refuse again.
            if process.returncode == EXIT_CONFIGURATION or len(deaths) >= MOST_RESPAWNS:
                return False
            deaths.append(now)
            self._due[process.name] = now + self._delay
            self._output.warn(
                f'The {process.name} {process.describe_end()} and is restarted '
                f'({len(deaths)} of {MOST_RESPAWNS} times in {RESPAWN_WINDOW / 60:.0f} min); '
                f'its log is {process.log}.'
            )
        elif now >= due:
            del self._due[process.name]
            process.start()
            if process not in self._starting:
                self._starting.append(process)
        return True


class RunningStack:
    """Starts the nodes on entering and ends them on leaving.

    :param patience: longest wait for readiness, seconds.
    :raises ConfigurationError: something that was asked for cannot be used.
    """

    def __init__(
        self, options: StackOptions, output: Output, interrupts: Interrupts, patience: float
    ) -> None:
        self._options = options
        self._output = output
        self._interrupts = interrupts
        self._patience = patience
        self._missed: set[str] = set()
        self._missed_since: float | None = None
        self._respawns = Respawns(output) if options.respawn else None
        self._held = ExitStack()
        domain = current_domain()
        check_parameters(options.params)
        self._lock = StackLock(domain, options.namespace)
        self.folder = make_log_folder()
        self._stack = make_stack(options, self.folder)
        line = Text('namespace ', style='dim')
        line.append(options.namespace, style='not dim')
        line.append(f' {output.glyphs.separator} domain ')
        line.append(str(domain), style='not dim')
        output.console.print(line, soft_wrap=True)
        output.console.print(Text(f'logs in {self.folder}', style='dim'), soft_wrap=True)

    def __enter__(self) -> RunningStack:
        with ExitStack() as held:
            held.enter_context(self._lock)
            self._stack.start()
            self._held = held.pop_all()
        return self

    def __exit__(self, *reason: object) -> None:
        for sentence in self._stack.stop(self._interrupts.again):
            self._output.warn(sentence)
        self._held.close()

    def wait_until_ready(self) -> bool:
        """Wait for all nodes; False when the user asked to stop.

        :raises NodeDied: a node ended. :raises ConfigurationError: it takes too long.
        """
        from reactree_tools.ros.session import GraphReadiness, Session

        options = self._options
        store = options.given.get('memory_store') or ''
        details = {'memory': 'forgets at the end' if store == 'none' else store}
        model = options.given.get('model') or ('' if options.params else DEFAULT_MODEL)
        details['planner'] = fetched_later(model)
        with Session(options.namespace) as session:
            return wait_until_ready(
                self._stack,
                GraphReadiness(session, [process.name for process in self._stack]),
                self._output,
                self._interrupts,
                self._patience,
                details,
                announced=options.log_level in (None, 'debug', 'info'),
            )

    def _needed_and_dead(self) -> NodeProcess | None:
        """A node that has died and is missed; a planner goes on without memory and recorder.

        When the bridge has died, a run under way gets the time to end with that result.
        """
        respawns = self._respawns
        ended = respawns.care(self._stack) if respawns is not None else self._stack.ended()
        for process in ended:
            # A team goes on without one of its robots.
            if process.name in _SPARED or '/' in process.name:
                self._say_it_is_gone(process)
                continue
            self._missed_since = self._missed_since or time.monotonic()
            patience = 0.0 if process.name == 'planner' else LAST_WORDS_SECONDS
            if time.monotonic() - self._missed_since >= patience:
                return process
        return None

    def _say_it_is_gone(self, process: NodeProcess) -> None:
        if process.name not in self._missed:
            self._missed.add(process.name)
            sentence = show_death(self._output, process)
            self._output.warn(f'{sentence} Planning continues without it.')

    def trouble(self) -> str:
        """A sentence when a node has died that the others need, else ''."""
        dead = self._needed_and_dead()
        return show_death(self._output, dead) if dead is not None else ''

    def watch(self, period: float) -> None:
        """Repeat the nodes' warnings until the user asks to stop.

        :param period: seconds between two looks.
        :raises NodeDied: a node ended.
        """
        while not self._interrupts.wait(period):
            self.repeat_warnings()
            dead = self._needed_and_dead()
            if dead is not None:
                raise death_of(self._output, dead)

    def repeat_warnings(self) -> bool:
        """Show the warnings and errors that the nodes have written since the last call.

        :returns: whether there were errors.
        """
        failed = False
        for process in self._stack:
            for line in process.new_lines():
                level, message = log_level(line)
                if level in _LOUD:
                    text = Text(f'{process.name:<8} ', style='dim')
                    text.append(f'{level.lower()}: ', style=f'not dim {_LOUD[level]}')
                    text.append(visible(message), style='not dim')
                    self._output.console.print(text, soft_wrap=True)
                    failed = failed or _LOUD[level] == 'red'
        return failed


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
    :param announced: whether the nodes log that they are ready; it distinguishes ours from
        others of the same name.
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
                    parts = [readiness.describe(process.name), details.get(process.name, '')]
                    text = visible(', '.join(part for part in parts if part))
                    _say_ready(process, output, 'ready', text)
            if status is not None:
                status.update(Text(f'waiting for {", ".join(waiting)}', style='dim'))
            if waiting and time.monotonic() > deadline:
                text = visible(readiness.describe(waiting[0]))
                raise ConfigurationError(
                    f'The {waiting[0]} is not ready after {seconds(patience)}. '
                    f'{f"It says: {text} " if text else ""}'
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


def _say_ready(process: NodeProcess, output: Output, word: str, text: str = '') -> None:
    line = Text(f'{output.glyphs.success} ', style='bold green')
    line.append(f'{process.name:<8}', style='not bold default')
    line.append(f' {word}', style='not bold green')
    line.append(f' in {seconds(time.monotonic() - process.started)}', style='not bold dim')
    line.append(f'  {text}'.rstrip(), style='not bold default')
    output.console.print(line, soft_wrap=True)
