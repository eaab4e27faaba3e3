"""Every command of docs/reproduce.md as it stands, with one task and small limits.

Run: python -m benchmarks.reproduce [--model MODEL] [--decisions N] [--only TEXT] [--folder FOLDER]
         [--data FOLDER]

Planners, presets, memories, scenes, stores and seeds are the page's. What is changed is told
beside each command: MODEL, the first task alone ([0:1]), and the limits. Data of others that
--data does not have is made up under the same names. Reports and replays follow their studies.
Printed is what became of each command; the exit code is 1 where one failed.
"""

from __future__ import annotations

import argparse
import re
import shlex
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from benchmarks.reproduce_data import fill, RECIPES
from reactree_planner.llm.without_model import needs_no_model
from reactree_tools.bench.rows import read_rows, ROWS

PAGE = Path(__file__).parents[1] / 'docs' / 'reproduce.md'
_SHOWN = re.compile(
    r'^    ((?:reactree|python -m benchmarks\.)[ \w].*)$'
    r'|`(reactree (?:bench|memory|replay|viewer) [^`]+)`',
    re.M,
)
_RUN = ('reactree', 'bench', 'run')
_BOOTSTRAP = ('reactree', 'memory', 'bootstrap')
#: Commands after the studies that they read.
_LATER = ('report', 'replay')
_DEADLINE = 1800
#: Words of the page that its reader replaces.
_MODELS = re.compile(r'\b(?:MODEL|SMALL|VISION)\b')


def commands() -> list[list[str]]:
    """The page's commands in order, each once."""
    text = PAGE.read_text(encoding='utf-8').replace('\\\n', ' ')
    shown = ((block or inline).partition('  # ')[0] for block, inline in _SHOWN.findall(text))
    found = [shlex.split(command) for command in dict.fromkeys(shown)]
    return [command for command in found if f'benchmarks.{Path(__file__).stem}' not in command]


def as_run(command: list[str], model: str, decisions: int) -> list[str]:
    """A command of the page with one task, a model and a limit; nothing else differs."""
    plays = tuple(command[:3]) in (_RUN, _BOOTSTRAP)
    if not plays:
        return [*command, '--plain'] if command[:2] == ['reactree', 'replay'] else command
    kept, words = [], iter(command)
    for word in words:
        if word in ('--max-decisions', '--max-steps'):
            next(words)
        elif word == '--model':
            kept += [word, _MODELS.sub(model, next(words))]
        elif word == '--tasks' and command[1] == 'bench':
            kept += [word, f'{next(words)}[0:1]']
        elif word == '--scenes' and (scene := next(words)):
            kept += [word, RECIPES if scene == 'minecraft' else scene]
        else:
            kept.append(word)
    return [*kept, '--max-decisions', str(decisions), '--plain']


def lacking(command: list[str], model: str) -> str:
    """What a command needs that is not there; '' where it can be run. :param model: its name."""
    text = ' '.join(command)
    if ('thor:' in text or '=thor' in text) and find_spec('ai2thor') is None:
        return "AI2-THOR's client (docs/thor.md)"
    if 'VISION' in command and needs_no_model(model):
        return 'a model that takes pictures'
    if command[:2] == ['reactree', 'replay'] and find_spec('reactree_ros') is None:
        return 'ROS 2 (scripts/with_ros)'
    if command[:2] == ['reactree', 'viewer']:
        return 'a reader: it serves pages until it is stopped'
    return ''


def carry_out(command: list[str], folder: Path) -> tuple[bool, str]:
    """Whether a command ended well, and how, in words."""
    began = time.monotonic()
    start = ['-m', 'reactree_tools'] if command[0] == 'reactree' else []
    try:
        done = subprocess.run(
            [sys.executable, *start, *command[1:]],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=_DEADLINE,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return False, f'not ended within {_DEADLINE} s'
    seconds = f'{time.monotonic() - began:.0f} s'
    if not done.returncode:
        return True, f'done, {seconds}'
    said = (done.stderr or done.stdout).strip().splitlines()
    return False, f'exit code {done.returncode}, {seconds}: {said[-1] if said else ""}'


def episodes(study: Path) -> Iterator[str]:
    """What the episodes of a study came to."""
    for row in read_rows(study / ROWS):
        yield (
            f'{row.cell.planner} {row.cell.preset} {row.cell.memory}: {row.decisions} decisions, '
            f'{row.ended}, {row.met} of {row.total} conditions met'
        )


def _with_run(command: list[str], folder: Path) -> list[str]:
    """A replay with one of its study's runs in place of ID."""
    found = []
    for word in command:
        if word.endswith('ID.jsonl'):
            runs = sorted((folder / word).parent.glob('*.jsonl'))
            word = str(runs[0].relative_to(folder)) if runs else word
        found.append(word)
    return found


def _order(command: list[str]) -> int:
    """Some reports stand on the page before their study."""
    if command[0] != 'reactree':
        return 3
    return 2 if {*command[1:3]} & {*_LATER} else 0 if command[1] == 'memory' else 1


def main() -> int:
    """Entry point."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument('--model', default='random', help='default: by chance')
    parser.add_argument(
        '--decisions', type=int, default=10, help='most of an episode (default 10)'
    )
    parser.add_argument('--only', default='', help='commands that contain this text')
    parser.add_argument('--folder', type=Path, help='of the studies (default: a temporary one)')
    parser.add_argument('--data', type=Path, help='folder with data of the page, by its names')
    args = parser.parse_args()
    shown = [command for command in commands() if args.only in ' '.join(command)]
    ends: Counter[str] = Counter()
    #: Studies that were not run.
    left_out: set[str] = set()
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        folder = args.folder or Path(name)
        folder.mkdir(parents=True, exist_ok=True)
        made_up = fill(folder, args.data)
        print(f'Made up: {", ".join(made_up) or "nothing"}. Recipes: {RECIPES}.', flush=True)
        for command in sorted(shown, key=_order):
            given = as_run(_with_run(command, folder), args.model, args.decisions)
            print(shlex.join(given), flush=True)
            lack = lacking(command, args.model)
            if command[1:3] == ['bench', 'report'] and command[3] in left_out:
                lack = 'its study'
            if lack:
                ends['left out'] += 1
                left_out |= (
                    {*command[command.index('--out') + 1 :][:1]} if '--out' in command else set()
                )
                print(f'    left out, it needs {lack}', flush=True)
                continue
            is_done, words = carry_out(given, folder)
            ends['done' if is_done else 'failed'] += 1
            print(f'    {words}', flush=True)
            if tuple(command[:3]) == _RUN:
                for line in episodes(folder / given[given.index('--out') + 1]):
                    print(f'    {line}', flush=True)
    told = ', '.join(f'{count} {end}' for end, count in ends.items())
    print(f'{len(shown)} commands: {told}; {time.monotonic() - began:.0f} s')
    return 1 if ends['failed'] else 0


if __name__ == '__main__':
    sys.exit(main())
