"""A recorded run in the terminal: played, stepped and scrubbed, or printed as a whole."""

from __future__ import annotations

import time

from rich.console import Console
from rich.console import Group
from rich.live import Live
from rich.text import Text

from reactree_planner.tree.events import NodeStatus
from reactree_planner.tree.snapshot import TreeSnapshot
from reactree_tools.glyphs import Glyphs
from reactree_tools.output import Output
from reactree_tools.plain_text import count
from reactree_tools.plain_text import seconds
from reactree_tools.recording.playing import Player
from reactree_tools.views.agent_tree import agent_tree
from reactree_tools.views.keys import Keys
from reactree_tools.views.transcript import clock
from reactree_tools.views.transcript import Transcript

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
    tree = agent_tree(snapshot.nodes, output.glyphs, must_not=snapshot.must_not)
    if tree is not None:
        output.console.print()
        output.print_lines(tree)
    output.console.print()
    output.console.print(Text(_figures(player, snapshot), style='dim'), soft_wrap=True)


def _figures(player: Player, snapshot: TreeSnapshot) -> str:
    parts = [
        count(snapshot.decisions, 'decision'),
        count(snapshot.steps, 'step'),
        seconds(player.events[-1].stamp),
    ]
    if not snapshot.finished:
        parts.append('no end recorded')
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
    tree = agent_tree(snapshot.nodes, glyphs, must_not=snapshot.must_not)
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
