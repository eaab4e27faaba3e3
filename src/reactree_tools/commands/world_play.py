"""`reactree world play`: a person plays a simulated world, as a planner would."""

from __future__ import annotations

import argparse
import contextlib
import difflib
import json
import sys
from collections.abc import Callable
from typing import Any, TYPE_CHECKING

from reactree_tools import options
from reactree_tools.commands.parsers import add_command, Subparsers
from reactree_tools.exit_codes import ExitCode

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reactree_core.observation import Observation
    from reactree_core.world import World
    from reactree_tools.output import Output

_EXAMPLES = """\
  reactree world play textcraft
  reactree world play alfworld --task clean:3
  reactree world play household --scene generated:7 --task setup_table:7
  reactree world play webshop --task test:12 --browser
"""
#: What one can type beside skills.
_ORDERS = {
    ':skills': 'what can be done now (also an empty line)',
    ':look': 'what is to be seen',
    ':goal': 'the task and which conditions hold',
    ':undo': 'take the last skill back',
    ':expert': 'let the expert of the world finish the task',
    ':help': 'this list',
    ':quit': 'end (also Ctrl-D)',
}
#: Skills shown at once.
_MOST_SHOWN = 60


def add_parser(actions: Subparsers) -> None:
    """Declare the action of `reactree world`."""
    parser = add_command(
        actions, 'play', 'play a simulated world yourself, with completion', run, _EXAMPLES
    )
    parser.add_argument(
        'world', metavar='WORLD', help='household, textcraft, webshop, ..., or module:class'
    )
    parser.add_argument(
        '--scene', default='', metavar='SCENE', help="scene (default: the world's own)"
    )
    parser.add_argument(
        '--task', metavar='TASK', help='task (default: generated:SEED, if the world has tasks)'
    )
    parser.add_argument('--seed', type=options.seed, default=1, metavar='N', help='default 1')
    parser.add_argument(
        '--options', default='{}', metavar='JSON', help='options of the world, e.g. {"x": 1}'
    )
    parser.add_argument(
        '--browser', action='store_true', help='play in the browser (webshop only)'
    )
    parser.add_argument(
        '--port', type=options.port, metavar='N', help='port of --browser (default: any free port)'
    )
    options.add_plain(parser)


def run(args: argparse.Namespace) -> int:
    """Load the world and play."""
    from reactree_core.errors import ConfigurationError
    from reactree_core.world import TaskWorld
    from reactree_tools.output import Output
    from sim_bridge.worlds.registry import given_back, make_world

    try:
        chosen = json.loads(args.options)
    except ValueError as error:
        raise ConfigurationError(f'--options is not JSON: {error}') from None
    if not isinstance(chosen, dict):
        raise ConfigurationError('--options must be a JSON object, e.g. {"failure_rate": 0.1}')
    world = make_world(args.world, **chosen)
    scene, task = args.scene, args.task
    if task is None and isinstance(world, TaskWorld):
        task = f'generated:{args.seed}'
        scene = scene or world.scene_of(args.seed)
    if args.port is not None and not args.browser:
        raise ConfigurationError('--port needs --browser')
    if args.browser:
        return _serve(args, chosen, scene, task or '')
    with given_back(world):
        first = world.reset(scene, task or '', args.seed)
        game = Game(world, Output(args.plain))
        with _completion(game.words):
            game.play(first, _ask)
    return ExitCode.OK


def _serve(args: argparse.Namespace, chosen: dict[str, Any], scene: str, task: str) -> int:
    """Serve the pages of a shop until Ctrl-C."""
    from reactree_core.errors import ConfigurationError
    from reactree_tools.output import Output
    from reactree_tools.processes.interrupts import Interrupts
    from sim_bridge.worlds.webshop import WebShopWorld
    from sim_bridge.worlds.webshop.site import ShopServer, ShopSite

    if args.world != 'webshop':
        raise ConfigurationError(
            f'the world {args.world} has no web pages: play it without --browser, or play webshop'
        )
    site = ShopSite(lambda: WebShopWorld(**chosen), scene, task, args.seed)
    output = Output(args.plain)
    with Interrupts() as interrupts, ShopServer(site, args.port or 0) as server:
        output.console.print(f'Open {server.url}', highlight=False)
        output.console.print('Ctrl-C closes the shop.', style='dim', highlight=False)
        interrupts.requested.wait()
    return ExitCode.OK


def _ask() -> str:
    return input('> ') if sys.stdin.isatty() else input()


@contextlib.contextmanager
def _completion(words: Callable[[], Sequence[str]]) -> Iterator[None]:
    """Tab completes whole lines, where the terminal can."""
    try:
        import readline
    except ImportError:
        yield
        return
    before = readline.get_completer(), readline.get_completer_delims()

    def complete(text: str, state: int) -> str | None:
        found = [word for word in words() if word.startswith(text)]
        return found[state] if state < len(found) else None

    readline.set_completer(complete)
    readline.set_completer_delims('')
    readline.parse_and_bind('tab: complete')
    try:
        yield
    finally:
        readline.set_completer(before[0])
        readline.set_completer_delims(before[1])


class Game:
    """One game of one person.

    :param world: loaded.
    """

    def __init__(self, world: World, output: Output) -> None:
        self._world = world
        self._output = output
        self._done = 0
        self._before: list[object] = []

    def words(self) -> tuple[str, ...]:
        """All that can be typed now; a skill that is offered as a template up to its slot."""
        templates = self._world.vocabulary().templates
        skills = (
            skill.partition('<')[0] if skill in templates else skill
            for skill in self._world.admissible_skills()
        )
        return (*skills, *_ORDERS)

    def play(self, first: Observation, ask: Callable[[], str]) -> None:
        """Ask for skills until the task is done or the person has enough.

        :param ask: answers a line, or raises EOFError.
        """
        task = self._world.task()
        if task is not None:
            self._say(f'Task: {task.instruction}', 'bold')
        self._say(first.text)
        self._say(
            'Type a skill (Tab completes), an empty line for what can be done, :help.', 'dim'
        )
        while True:
            try:
                line = ask().strip()
            except EOFError:
                break
            if line == ':quit':
                break
            if line.startswith(':') or not line:
                self._order(line or ':skills')
            else:
                self._do(line)
            if self._is_done:
                break
        self._goal()

    @property
    def _is_done(self) -> bool:
        progress = self._world.progress()
        return self._world.observe().over or (progress is not None and progress.success)

    def _say(self, text: str, style: str = '') -> None:
        from reactree_tools.plain_text import printable

        for line in text.splitlines() or ['']:
            shown = printable(line)
            self._output.console.print(shown, style=style or None, markup=False, highlight=False)

    def _do(self, skill: str) -> None:
        from reactree_core.observation import Outcome
        from reactree_core.world import SnapshotWorld

        if isinstance(self._world, SnapshotWorld):
            from reactree_core.errors import ConfigurationError

            with contextlib.suppress(ConfigurationError):
                self._before.append(self._world.snapshot())
        seen = self._world.step(skill)
        self._done += seen.outcome is not Outcome.INVALID_SKILL
        self._say(seen.text, '' if seen.succeeded else 'red')
        if seen.outcome is Outcome.INVALID_SKILL:
            near = difflib.get_close_matches(skill, self._world.admissible_skills(), 3, 0.5)
            if near:
                self._say(f'Did you mean: {", ".join(near)}?', 'dim')

    def _order(self, order: str) -> None:
        match order:
            case ':skills':
                self._skills()
            case ':look':
                self._say(self._world.observe().text)
            case ':goal':
                self._goal()
            case ':undo':
                self._undo()
            case ':expert':
                self._expert()
            case _:
                for name, about in _ORDERS.items():
                    self._say(f'{name:<9} {about}', 'dim')

    def _skills(self) -> None:
        skills = self._world.admissible_skills()
        for skill in skills[:_MOST_SHOWN]:
            self._say(f'  {skill}')
        more = len(skills) - _MOST_SHOWN
        if more > 0:
            self._say(f'  and {more} more: type their beginning and press Tab twice', 'dim')
        if not skills:
            self._say('Nothing can be done any more.', 'dim')

    def _goal(self) -> None:
        progress = self._world.progress()
        if progress is None:
            self._say('No task with goal conditions is loaded.', 'dim')
            return
        sign = self._output.glyphs.success if progress.success else self._output.glyphs.failure
        skills = f'{self._done} skill{"" if self._done == 1 else "s"}'
        self._say(f'{sign} {progress} after {skills}', 'green' if progress.success else 'red')
        for line in progress.conditions:
            self._say(f'  {line}', 'dim')

    def _undo(self) -> None:
        from reactree_core.world import SnapshotWorld

        if not self._before or not isinstance(self._world, SnapshotWorld):
            self._say('There is nothing to take back, or this world cannot.', 'red')
            return
        self._say(self._world.restore(self._before.pop()).text)

    def _expert(self) -> None:
        from reactree_core.errors import ReactreeError
        from reactree_core.world import ExpertWorld

        if not isinstance(self._world, ExpertWorld):
            self._say('This world has no expert.', 'red')
            return
        try:
            for skill in self._world.expert():
                self._say(f'  {skill}')
                self._done += 1
        except ReactreeError as error:
            self._say(str(error), 'red')
