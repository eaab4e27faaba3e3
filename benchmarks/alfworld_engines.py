"""ALFWorld's two engines side by side: whether they answer the same, and how fast each is.

Needs requirements/alfworld.txt, and a folder of games:
scripts/with_ros python -m benchmarks.alfworld_engines GAMES [--steps 200] [--games 0]
With --generated FOLDER, one that has alfred.pddl and alfred.twl2 of ALFWorld, games of our own are
played: so many of each family, written to GAMES.
"""

from __future__ import annotations

import argparse
import time
from itertools import product
from pathlib import Path
from random import Random

from sim_bridge.worlds.alfworld.engine import BuiltinEngine, Engine
from sim_bridge.worlds.alfworld.game import GAME_FILE, read_game
from sim_bridge.worlds.alfworld.generator import FAMILIES, game_file
from sim_bridge.worlds.alfworld.published_engine import PublishedEngine
from sim_bridge.worlds.alfworld.state import Layout
from sim_bridge.worlds.alfworld.tasks import games_of

#: Commands that cannot be done, one in so many.
_WRONG = 12


def compare(file: Path, steps: int, random: Random) -> tuple[int, float, float, str]:
    """Play a game at random on both; how many steps were equal, and each engine's seconds.

    :returns: also what first differed, '' for nothing.
    """
    builtin, published = BuiltinEngine(Layout(read_game(file))), PublishedEngine(file)
    spent = [0.0, 0.0]
    differs = ''
    done = 0
    if builtin.first_text != published.first_text:
        differs = f'first text: {builtin.first_text!r} is not {published.first_text!r}'
    while done < steps and not differs:
        commands = builtin.commands()
        if commands != published.commands():
            found = set(commands) ^ set(published.commands())
            differs = f'commands after {done} steps: {sorted(found)[:5]}'
            break
        command = random.choice(commands)
        if not random.randrange(_WRONG):
            command = random.choice(('open bed 77', 'dance', command + ' again', 'take it'))
        replies = []
        engines: tuple[Engine, Engine] = builtin, published
        for index, engine in enumerate(engines):
            began = time.perf_counter()
            replies.append(engine.do(command).strip())
            engine.commands()
            spent[index] += time.perf_counter() - began
        done += 1
        if replies[0] != replies[1] or builtin.won != published.won:
            differs = f'{command!r}: {replies[0]!r} is not {replies[1]!r}'
        if builtin.won:
            break
    published.close()
    return done, spent[0], spent[1], differs


def write_games(folder: Path, published: Path, of_each: int, seed: int) -> None:
    """Games of our own as the packages read them."""
    domain, grammar = (
        (published / name).read_text(encoding='utf-8') for name in ('alfred.pddl', 'alfred.twl2')
    )
    for family, number in product(FAMILIES, range(seed, seed + of_each)):
        file = folder / f'{family}-{number}' / 'trial' / GAME_FILE
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(game_file(family, number, domain, grammar), encoding='utf-8')


def main() -> None:
    """Compare and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('folder', type=Path)
    parser.add_argument('--steps', type=int, default=200)
    parser.add_argument('--games', type=int, default=0, help='0: all')
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--generated', type=Path, metavar='FOLDER')
    args = parser.parse_args()
    random = Random(args.seed)
    if args.generated:
        write_games(args.folder, args.generated, args.games or 2, args.seed)
        args.games = 0
    steps, ours, theirs, different = 0, 0.0, 0.0, 0
    files = games_of(args.folder)[: args.games or None]
    for file in files:
        done, one, other, differs = compare(file, args.steps, random)
        steps, ours, theirs = steps + done, ours + one, theirs + other
        if differs:
            different += 1
            print(f'{file.parent.parent.name}: {differs}', flush=True)
    print(f'{len(files)} games, {steps} steps: {different} games differ')
    print(
        f'builtin {steps / ours:,.0f} steps/s, textworld {steps / theirs:,.1f} steps/s: ', end=''
    )
    print(f'{theirs / ours:,.0f} times as fast')


if __name__ == '__main__':
    main()
