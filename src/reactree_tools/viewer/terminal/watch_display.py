"""A running planner in the terminal: one live tree, or scrolling lines where nothing can move."""

from __future__ import annotations

import threading
from collections.abc import Callable

from rich.console import Group, RenderableType
from rich.live import Live
from rich.text import Text

from reactree_core.record.events import Event
from reactree_core.record.snapshot import TreeSnapshot
from reactree_tools.output import Output
from reactree_tools.plain_text import visible
from reactree_tools.viewer.frames import FrameMaker
from reactree_tools.views.agent_tree import agent_tree, fitted
from reactree_tools.views.status_line import StatusLine
from reactree_tools.views.statuses import lines_below_task
from reactree_tools.views.transcript import Transcript

#: Lines of the terminal that are not the tree's.
_OTHER_LINES = 6
#: Lines in which the active agent's last words are shown.
_LAST_WORDS = 2


class WatchedRun:
    """One run, fed by another thread than the one that draws it."""

    def __init__(self, output: Output) -> None:
        self._lock = threading.Lock()
        self._maker = FrameMaker()
        self._line = StatusLine(output.glyphs)
        self._events: list[Event] = []
        self._time = 0.0

    def add(self, event: Event) -> None:
        """The next event."""
        with self._lock:
            self._maker.take(event)
            self._line.follow(event)
            self._events.append(event)
            self._time = event.stamp

    def adopt(self, snapshot: TreeSnapshot) -> None:
        """The run is under way, and its earlier events are lost."""
        with self._lock:
            self._maker.adopt(snapshot)

    def new_events(self) -> list[Event]:
        """Events since the last call."""
        with self._lock:
            events, self._events = self._events, []
            return events

    def now(self) -> tuple[TreeSnapshot, Text]:
        """The tree, and what is going on in one line."""
        with self._lock:
            return self._maker.tree.snapshot(), self._line.text(self._maker.tree, self._time)


class WatchDisplay:
    """Shows the newest run. Enter it, and call `tick` every `period` seconds.

    `begin` may be called from any thread.

    :param waiting: the skill that waits for approval; '' for none.
    """

    period = 0.25

    def __init__(self, output: Output, waiting: Callable[[], str] = lambda: '') -> None:
        self._output = output
        self._waiting = waiting
        self._waited = ''
        self._live: Live | None = None
        self._run: WatchedRun | None = None
        self._shown: WatchedRun | None = None
        self._transcript = Transcript(output.glyphs, output.console.width)
        self._drawn = ''
        if output.live:
            self._live = Live(
                Text('waiting for a run', style='dim'),
                console=output.console,
                auto_refresh=False,
                vertical_overflow='crop',
            )

    def __enter__(self) -> WatchDisplay:
        if self._live is not None:
            self._live.start()
            self._live.refresh()
        return self

    def __exit__(self, *reason: object) -> None:
        if self._live is not None:
            self._live.stop()

    def begin(self, run_id: str) -> WatchedRun:
        """A run that is heard of; the display moves on to it."""
        self._run = WatchedRun(self._output)
        return self._run

    def say(self, sentence: str) -> None:
        """Something the user should know while there is no run."""
        if self._live is None:
            self._output.warn(sentence)
        elif self._run is None:
            self._live.update(Text(f'waiting for a run. {sentence}', style='dim'), refresh=True)

    @property
    def ended(self) -> bool:
        """Whether the run that is shown has ended."""
        return self._shown is not None and self._shown.now()[0].finished

    def tick(self) -> None:
        """Draw what is new."""
        run = self._run
        if run is None:
            return
        if run is not self._shown:
            self._shown = run
            self._transcript = Transcript(self._output.glyphs, self._output.console.width)
        waited, self._waited = self._waited, self._waiting()
        if self._live is None:
            self._scroll(run)
            if self._waited and self._waited != waited:
                self._output.console.print(self._request())
        elif run.new_events() or not self._drawn or self._waited != waited:
            self._drawn = 'yes'
            self._live.update(self._picture(run), refresh=True)

    def _request(self) -> Text:
        words = f'waits for approval: {visible(self._waited)} (answer with `reactree approve`)'
        return Text(f'{self._output.glyphs.warning} {words}', style='bold yellow')

    def _scroll(self, run: WatchedRun) -> None:
        console = self._output.console
        for event in run.new_events():
            for line in self._transcript.lines(event):
                console.print(line, no_wrap=True, overflow='ignore', crop=False)

    def _picture(self, run: WatchedRun) -> RenderableType:
        snapshot, line = run.now()
        console = self._output.console
        active = snapshot.active_node_id
        other = _OTHER_LINES + len(lines_below_task(snapshot))
        shown = fitted(snapshot, max(3, console.height - other))
        tree = agent_tree(shown.tree, self._output.glyphs, shown.hidden)
        words = next((node.detail for node in snapshot.nodes if node.node_id == active), '')
        said = Text(visible(words, console.width * _LAST_WORDS - 4), style='italic cyan')
        state = Text('the run has ended', style='bold') if snapshot.finished else line
        state = self._request() if self._waited else state
        state.truncate(max(10, console.width - 1), overflow='ellipsis')
        return Group(tree or Text('waiting for the first agent', style='dim'), '', said, state)
