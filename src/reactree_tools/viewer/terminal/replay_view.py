"""A recorded run in the terminal: played, stepped and scrubbed, or printed as a whole."""

from __future__ import annotations

import bisect
import time
from collections.abc import Sequence

from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from reactree_core.record.events import Decision, Event, NodeStatus
from reactree_core.record.snapshot import AgentTree, reduce_events, TreeSnapshot
from reactree_tools.glyphs import Glyphs
from reactree_tools.output import Output
from reactree_tools.plain_text import count, seconds
from reactree_tools.viewer.frames import FrameMaker
from reactree_tools.viewer.sources import RunSource
from reactree_tools.views.agent_tree import agent_tree
from reactree_tools.views.keys import Keys
from reactree_tools.views.statuses import result_words, status_glyph, status_style
from reactree_tools.views.transcript import clock, Transcript

#: Seconds between two pictures.
_PERIOD = 0.08
#: Events of a page.
_PAGE = 10
#: Lines below the tree for what was said last.
_SAID_LINES = 9
_HELP = 'space stop/go  arrows step, pace  page 10 steps  0-9 tenths  q quit'


def print_run(player: Player, output: Output, full: bool) -> None:
    """Print every event, the tree and how the run ended."""
    player.jump(player.total)
    transcript = Transcript(output.glyphs, output.console.width, full)
    for event in player.events:
        for line in transcript.lines(event):
            output.console.print(line, no_wrap=True, overflow='ignore', crop=False)
    snapshot = player.tree
    tree = agent_tree(snapshot, output.glyphs)
    if tree is not None:
        output.console.print()
        output.print_lines(tree)
    output.console.print()
    output.console.print(Text(_figures(player, snapshot), style='dim'), soft_wrap=True)


def _figures(player: Player, snapshot: TreeSnapshot) -> str:
    last = player.events[-1]
    parts = [
        count(snapshot.decisions, 'decision'),
        count(snapshot.steps, 'step'),
        seconds(player.events[-1].stamp),
    ]
    if not snapshot.finished:
        parts.append('no end recorded')
    elif isinstance(last, Decision) and last.text:
        parts.insert(0, result_words(last.status, last.text))
    return ', '.join(parts)


class ReplayView:
    """Plays a run until the user quits."""

    def __init__(self, player: Player, output: Output, full: bool = False) -> None:
        self._player = player
        self._console = output.console
        self._glyphs = output.glyphs
        transcript = Transcript(output.glyphs, output.console.width, full)
        #: The transcript, and how much of it every event has come to.
        self._said: list[Text] = []
        self._said_after: list[int] = []
        position = player.position
        player.jump(player.total)
        for event in player.events:
            self._said += transcript.lines(event)
            self._said_after.append(len(self._said))
        player.jump(position)

    def run(self) -> None:
        """Play, and obey the keys."""
        last = time.monotonic()
        with (
            Keys() as keys,
            Live(self.picture(), console=self._console, screen=True, auto_refresh=False) as live,
        ):
            while True:
                pressed = keys.wait(_PERIOD)
                now = time.monotonic()
                changed = self._player.tick(now - last)
                last = now
                if any(key in ('q', 'escape') for key in pressed):
                    return
                for key in pressed:
                    self.obey(key)
                if changed or pressed:
                    live.update(self.picture(), refresh=True)

    def obey(self, key: str) -> None:
        """Do what a key stands for; others do nothing."""
        player = self._player
        if key == 'space':
            player.toggle()
        elif key in ('right', 'n'):
            player.step(1)
        elif key in ('left', 'b'):
            player.step(-1)
        elif key == 'page down':
            player.step(_PAGE)
        elif key == 'page up':
            player.step(-_PAGE)
        elif key in ('home', 'g'):
            player.jump(1)
        elif key in ('end', 'G'):
            player.jump(player.total)
        elif key in ('up', '+', 'down', '-'):
            player.change_speed(faster=key in ('up', '+'))
        elif key.isdecimal() and len(key) == 1:
            player.jump(1 + int(key) * (player.total - 1) // 10)

    def picture(self) -> Group:
        """What the screen shows now."""
        snapshot = self._player.tree
        said = self._said[: self._said_after[self._player.position - 1]][-_SAID_LINES:]
        room = max(3, self._console.size.height - _SAID_LINES - 4)
        lines = [self._bar(), Text(_HELP, style='dim'), Text('')]
        lines += tree_window(snapshot, self._glyphs, self._console, room)
        lines += [Text('')] * (room + 3 - len(lines))
        lines += said
        for line in lines:
            line.no_wrap = True
            line.overflow = 'ellipsis'
        return Group(*lines)

    def _bar(self) -> Text:
        player = self._player
        bar = Text('> ' if player.playing and not player.at_end else '= ', style='bold')
        bar.append(clock(player.events[-1].stamp), style='bold')
        done = round(20 * player.position / player.total)
        bar.append(f'  [{"#" * done}{"." * (20 - done)}] ', style='cyan')
        bar.append(f'{player.position} of {player.total}  x{player.speed:g}')
        return bar


def tree_window(snapshot: TreeSnapshot, glyphs: Glyphs, console: Console, room: int) -> list[Text]:
    """The lines of the tree that fit, around the agent at work."""
    tree = agent_tree(snapshot, glyphs)
    if tree is None:
        return []
    with console.capture() as capture:
        console.print(tree)
    lines = [Text.from_ansi(line) for line in capture.get().splitlines()]
    if len(lines) <= room:
        return lines
    running = [
        number
        for number, line in enumerate(lines)
        if f' {glyphs.running} ' in f' {line.plain} ' or glyphs.running in line.plain
    ]
    active = running[-1] if running and _at_work(snapshot) else len(lines) - 1
    first = min(max(0, active - room // 2), len(lines) - room)
    return lines[first : first + room]


def _at_work(snapshot: TreeSnapshot) -> bool:
    return any(node.status is NodeStatus.RUNNING for node in snapshot.nodes)


def show_record(source: RunSource, output: Output, transcript: bool = False) -> None:
    """Print the newest run of a source.

    :param transcript: also every thought, act and observation, before the tree.
    """
    entry = source.entries()[0]
    lines = Transcript(output.glyphs, output.console.width, full=True)
    maker = FrameMaker()
    for event in source.events(entry.run_id):
        maker.take(event)
        if transcript:
            for line in lines.lines(event):
                output.console.print(line, no_wrap=True, overflow='ignore', crop=False)
    if transcript:
        output.console.print()
    snapshot = maker.tree.snapshot()
    tree = agent_tree(snapshot, output.glyphs)
    if tree is not None:
        output.print_lines(tree)
    output.console.print()
    word = Text(f'{status_glyph(entry.status, output.glyphs)} ', status_style(entry.status))
    word.append(result_words(entry.status, entry.reason))
    figures = _record_figures(
        maker.tree, maker.usage.evaluated_tokens + maker.usage.completion_tokens
    )
    separator = f' {output.glyphs.separator} '
    parts = [*figures, seconds(entry.duration), f'run {entry.run_id}']
    word.append(separator + separator.join(parts), style='bright_black')
    output.console.print(word, soft_wrap=True)


def _record_figures(tree: AgentTree, tokens: int) -> list[str]:
    figures = [count(tree.decisions, 'decision'), count(tree.steps, 'step')]
    return figures + ([count(tokens, 'token')] if tokens else [])


#: Times the pace of the run.
SPEEDS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0)
#: Longest pause between two events, in seconds of the replay.
LONGEST_PAUSE = 3.0


class Player:
    """Plays events by their stamps; a long wait of the run is cut to LONGEST_PAUSE.

    :param events: in order, 1 or more. :param speed: one of SPEEDS, or any other to begin with.
    """

    def __init__(self, events: Sequence[Event], speed: float = 1.0) -> None:
        self._events = tuple(events)
        self._times = [0.0]
        for before, after in zip(self._events, self._events[1:], strict=False):
            pause = min(max(0.0, after.stamp - before.stamp), LONGEST_PAUSE)
            self._times.append(self._times[-1] + pause)
        self.speed = speed
        self.playing = True
        #: Events that have happened, 1 to all.
        self.position = 1
        self._time = 0.0

    @property
    def total(self) -> int:
        """Events of the run."""
        return len(self._events)

    @property
    def at_end(self) -> bool:
        """Whether everything has happened."""
        return self.position == self.total

    @property
    def events(self) -> tuple[Event, ...]:
        """What has happened."""
        return self._events[: self.position]

    @property
    def tree(self) -> TreeSnapshot:
        """The tree now, by the reducer that everything else uses."""
        return reduce_events(self.events)

    def tick(self, seconds: float) -> bool:
        """Let time pass; whether something happened."""
        if not self.playing or self.at_end:
            return False
        self._time += seconds * self.speed
        before = self.position
        self.position = max(before, bisect.bisect_right(self._times, self._time))
        return self.position != before

    def jump(self, position: int) -> None:
        """Go to where so many events have happened; what is beyond the ends is the end."""
        self.position = min(max(1, position), self.total)
        self._time = self._times[self.position - 1]

    def step(self, count: int) -> None:
        """Some events forth, or back, and stay there."""
        self.playing = False
        self.jump(self.position + count)

    def toggle(self) -> None:
        """Stop, or go on; at the end, from the beginning."""
        if self.at_end:
            self.jump(1)
            self.playing = True
        else:
            self.playing = not self.playing

    def change_speed(self, faster: bool) -> None:
        """The next speed up or down."""
        if faster:
            self.speed = next((one for one in SPEEDS if one > self.speed), self.speed)
        else:
            slower = [one for one in SPEEDS if one < self.speed]
            self.speed = slower[-1] if slower else self.speed
