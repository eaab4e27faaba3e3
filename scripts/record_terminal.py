"""Records a command's terminal as a picture that moves: one SVG, without script or font files.

    .venv/bin/python scripts/record_terminal.py docs/images/demo.svg reactree demo

Lines appear when they were written; waits longer than a second are shortened. What the command
erased again (a progress line) is left out. Where nothing moves, the first lines are shown.
"""

from __future__ import annotations

import argparse
import fcntl
import io
import os
import pty
import re
import select
import shlex
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

from rich.console import Console
from rich.text import Text

WIDTH, SHOWN = 100, 30
#: Seconds of the shortest and the longest wait between two lines.
SHORTEST, LONGEST = 0.12, 1.0
#: Seconds without output after which the command counts as hanging.
SILENCE = 300.0
_STEP = re.compile(r'\x1b\[(\d*)([A-Za-z])|\x1b\[\?\d+[hl]|\r|\n|[^\x1b\r\n]+|\x1b\[[\d;]+m')
_LINE = re.compile(r'<text (?:(?!</text>).)*-line-(\d+)\)(?:(?!</text>).)*</text>', re.DOTALL)
_FRAME = """\
<svg viewBox="0 0 {width} HEIGHT" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{ font: {char_height}px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas,
  monospace; line-height: {line_height}px; }}
.{unique_id}-title {{ font: bold 16px sans-serif; }}
{styles}
MOVES
</style>
<defs><clipPath id="{unique_id}-shown"><rect x="0" y="0" width="{terminal_width}"
  height="SHOWN" /></clipPath>{lines}</defs>
<rect fill="#292929" x="1" y="1" width="{width}" height="HEIGHT" rx="8"/>
<g transform="translate(9, 12)" clip-path="url(#{unique_id}-shown)">
<g class="scrolled">{backgrounds}<g class="{unique_id}-matrix">{matrix}</g></g>
</g>
</svg>
"""


def record(command: list[str]) -> list[tuple[float, str]]:
    """Run a command in a terminal of its own: its lines, with the seconds at which they were done.

    :raises SystemExit: it failed, or was silent for too long.
    """
    mine, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack('HHHH', SHOWN, WIDTH, 0, 0))
    environment = os.environ | {'COLUMNS': str(WIDTH), 'TERM': 'xterm-256color'}
    running = subprocess.Popen(command, stdin=its, stdout=its, stderr=its, env=environment)
    os.close(its)
    began, rows, row = time.monotonic(), [''], 0
    written = [0.0]
    try:
        while True:
            if not select.select([mine], [], [], SILENCE)[0]:
                raise SystemExit(f'{command[0]} is silent for {SILENCE:.0f} s')
            try:
                text = os.read(mine, 65536).decode('utf-8', 'replace')
            except OSError:
                break
            for step in _STEP.finditer(text):
                row = _take(rows, written, row, step, time.monotonic() - began)
    finally:
        running.terminate()
        if running.wait() != 0:
            print(f'{command[0]} ended with {running.returncode}', file=sys.stderr)
    lines = (line.rstrip().replace(str(Path.home()), '~') for line in rows)
    return [(0.0, f'\x1b[1m$ {shlex.join(command)}\x1b[0m'), *zip(written, lines, strict=True)]


def _take(rows: list[str], written: list[float], row: int, step: re.Match[str], now: float) -> int:
    """One thing that a terminal does; the row in which it is afterwards."""
    what = step[0]
    if what == '\n':
        row += 1
        if row == len(rows):
            rows.append('')
            written.append(now)
    elif step[2] == 'A':
        row = max(0, row - int(step[1] or 1))
    elif step[2] == 'K':
        rows[row] = ''
    elif what != '\r' and (step[2] in {None, 'm'}) and not what.startswith('\x1b[?'):
        rows[row] += what
        written[row] = now
    return row


def picture(lines: list[tuple[float, str]]) -> str:
    """An SVG of these lines: they appear in turn, and scroll away where there are too many."""
    while lines and not Text.from_ansi(lines[-1][1]).plain.strip():
        lines.pop()
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True)
    for _, line in lines:
        console.print(Text.from_ansi(line), no_wrap=True, crop=True)
    times, at, before = [], 0.5, lines[0][0]
    for when, _ in lines:
        at += min(max(when - before, SHORTEST), LONGEST)
        before = max(before, when)
        times.append(at)
    high = 24.4
    moves = [
        '@media (prefers-reduced-motion: no-preference) {',
        '@keyframes shown { to { visibility: visible } }',
        '.line { visibility: hidden; animation: shown 0s linear forwards }',
        *(f'.l{number} {{ animation-delay: {at:.2f}s }}' for number, at in enumerate(times)),
    ]
    over = len(lines) - SHOWN
    if over > 0:
        whole = times[-1]
        keys = ''.join(
            f'{100 * times[SHOWN + number] / whole:.2f}% '
            f'{{ transform: translateY(-{(number + 1) * high:.1f}px) }}'
            for number in range(over)
        )
        moves += [
            f'@keyframes scrolls {{ {keys} }}',
            f'.scrolled {{ animation: scrolls {whole:.2f}s step-end forwards }}',
        ]
    moves.append('}')
    shown = min(len(lines), SHOWN) * high
    frame = _FRAME.replace('SHOWN', f'{shown:.0f}').replace('HEIGHT', f'{shown + 24:.0f}')
    frame = frame.replace('MOVES', '\n'.join(moves).replace('{', '{{').replace('}', '}}'))
    made = console.export_svg(code_format=frame, unique_id='terminal')
    return _LINE.sub(lambda text: f'<g class="line l{text[1]}">{text[0]}</g>', made)


def main() -> None:
    """Record a command."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('picture', type=Path, help='SVG file to write')
    parser.add_argument('command', nargs=argparse.REMAINDER, help='what is run')
    arguments = parser.parse_args()
    arguments.picture.write_text(picture(record(arguments.command)), encoding='utf-8')


if __name__ == '__main__':
    main()
