"""Every command of docs/reproduce.md, with one episode each.

Run: python -m benchmarks.reproduce [--model MODEL] [--decisions N] [--example-tokens N]
         [--only TEXT] [--folder FOLDER]

What needs data of others is played on generated tasks of the same world, as the page says. A study
is run with the last of its planners and memories and the first of its presets, then each of its
reports is made. Printed is what became of each command. With the default model on a processor
fewer tokens of examples than the published ones save most of the time.
"""

from __future__ import annotations

import argparse
import re
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from reactree_planner.llm.models import DEFAULT_MODEL
from reactree_tools.bench.rows import read_rows
from reactree_tools.bench.rows import ROWS
from reactree_tools.commands.bench import presets

PAGE = Path(__file__).parents[1] / 'docs' / 'reproduce.md'
#: A world's or task file's name -> tasks of that world that need no file.
STAND_INS = {
    'wah': 'household:1@1401',
    'household': 'household:1@1401',
    'alfworld': 'alfworld:1@1',
    'programs': 'programs:1@1',
    'procworld': 'procworld:validation[0:1]',
    'textcraft': 'textcraft:1@1',
    'thor': 'thor:1@1',
    'webshop': 'webshop:1@0',
}
_SHOWN = re.compile(
    r'^    (reactree (?:bench|memory) .*)$|`(reactree (?:bench|memory) [^`]+)`', re.M
)
#: Options of which one value is enough; what has to be left out; seconds for one command.
_ONE = {'--planner', '--memory'}
_LEFT_OUT = {'--scenes', '--scene', '--seeds', '--model', '--store'}
_DEADLINE = 1800
#: The fixed example that the page leaves to its reader.
_EXAMPLE = """\
Your task is to: put the book on the desk
Think: First I find the book.
Act: go to desk 1
You arrive at the desk (1). You see book (1).
"""


def commands() -> list[list[str]]:
    """The page's commands in order, each once."""
    text = PAGE.read_text(encoding='utf-8').replace('\\\n', ' ')
    shown = (block or inline for block, inline in _SHOWN.findall(text))
    return [shlex.split(command) for command in dict.fromkeys(shown)]


def shortened(command: list[str], model: str, decisions: int, examples: str) -> list[str]:
    """A command that plays, with one episode."""
    kept: list[str] = []
    tasks_told = False
    words = iter(command)
    for word in words:
        if word in _LEFT_OUT:
            next(words)
        elif word == '--tasks':
            world = next(words).partition(':')[0].partition(',')[0]
            # `reactree memory bootstrap` knows the household alone.
            tasks = STAND_INS[world] if command[1] == 'bench' else 'generated:1401'
            if not tasks_told:
                kept += [word, tasks]
            tasks_told = True
        elif word in _ONE:
            kept += [word, next(words).rpartition(',')[2]]
        elif word == '--preset':
            kept += [word, presets(next(words))[0] + examples]
        else:
            kept.append(word)
    kept += ['--model', model, '--max-decisions', str(decisions), '--plain']
    if 'bootstrap' in command:
        kept += ['--store', 'learned.sqlite']
    return kept


def carry_out(command: list[str], folder: Path) -> str:
    """How a command ended, in words."""
    began = time.monotonic()
    try:
        done = subprocess.run(
            [sys.executable, '-m', 'reactree_tools', *command[1:]],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=_DEADLINE,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f'not ended within {_DEADLINE} s'
    seconds = f'{time.monotonic() - began:.0f} s'
    if not done.returncode:
        return f'done, {seconds}'
    said = (done.stderr or done.stdout).strip().splitlines()
    return f'exit code {done.returncode}, {seconds}: {said[-1] if said else ""}'


def episodes(folder: Path) -> Iterator[str]:
    """What the episodes of a study came to."""
    for row in read_rows(folder / ROWS):
        yield (
            f'{row.cell.planner} {row.cell.preset}: {row.decisions} decisions, {row.ended}, '
            f'{row.met} of {row.total} conditions met'
        )


def main() -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument('--model', default=DEFAULT_MODEL)
    parser.add_argument('--decisions', type=int, default=5, help='most of an episode (default 5)')
    parser.add_argument('--example-tokens', type=int, help='instead of the preset')
    parser.add_argument('--only', default='', help='commands that contain this text')
    parser.add_argument('--folder', type=Path, help='of the studies (default: a temporary one)')
    args = parser.parse_args()
    examples = f',example_tokens={args.example_tokens}' if args.example_tokens else ''
    shown = [command for command in commands() if args.only in ' '.join(command)]
    with tempfile.TemporaryDirectory() as name:
        folder = args.folder or Path(name)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / 'one_task.txt').write_text(_EXAMPLE, encoding='utf-8')
        # Some reports stand on the page before their study.
        for command in sorted(shown, key=lambda command: command[2] == 'report'):
            if command[2] == 'report':
                print(f'{shlex.join(command)}\n    {carry_out(command, folder)}', flush=True)
                continue
            given = shortened(command, args.model, args.decisions, examples)
            print(f'{shlex.join(given)}\n    {carry_out(given, folder)}', flush=True)
            if '--out' in given:
                for line in episodes(folder / given[given.index('--out') + 1]):
                    print(f'    {line}', flush=True)


if __name__ == '__main__':
    main()
