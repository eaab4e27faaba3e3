"""Games by name: drawn ones, and those of files; and the tasks that they set."""

from __future__ import annotations

from pathlib import Path

from reactree_core.errors import ConfigurationError
from reactree_core.observation import WorldTask
from reactree_core.written_files import path_of
from sim_bridge.worlds.alfworld.game import Game, GAME_FILE, read_game
from sim_bridge.worlds.alfworld.generator import FAMILIES, generated_game
from sim_bridge.worlds.task_names import family_and_seed


def named_game(text: str, seed: int) -> tuple[Game, Path | None]:
    """A game by its text, as `AlfworldWorld.reset` takes it, and its file, where it has one.

    :raises ConfigurationError: there is none.
    """
    drawn = family_and_seed(text, FAMILIES, seed)
    if drawn:
        return generated_game(*drawn), None
    file = _game_file_of(text, seed)
    return read_game(file), file


def task_of(game: Game) -> WorldTask:
    """The task that a game sets, with its family by the conditions of its goal."""
    predicates = {one.atom[0] for goal in game.goals for one in goal.conditions}
    several = sum(len(goal.conditions) for goal in game.goals if len(game.goals) == 1)
    family = next(
        (
            name
            for name, predicate in (
                ('look', 'isToggled'),
                ('clean', 'isClean'),
                ('heat', 'isHot'),
                ('cool', 'isCool'),
            )
            if predicate in predicates
        ),
        'put_two' if several > 1 else 'put',
    )
    return WorldTask(game.name, family, game.task)


def games_of(path: Path) -> list[Path]:
    """The game files of a folder, of those below it, or the one itself; sorted."""
    if path.is_file():
        return [path]
    return sorted(path.rglob(GAME_FILE)) if path.is_dir() else []


def _game_file_of(text: str, seed: int) -> Path:
    """The game that a text names.

    :param text: path, with '#<part of a name>' for one of several.
    :param seed: chooses among them.
    :raises ConfigurationError: there is none.
    """
    path, _, part = text.partition('#')
    place = path_of(path)
    games = games_of(place) if place is not None else []
    found = [file for file in games if part in str(file.parent)]
    if not found:
        raise ConfigurationError(
            f'there is no game {text!r}: write generated:<seed>, one of {", ".join(FAMILIES)} '
            f'with :<seed>, or the path of a {GAME_FILE} or of a folder of games'
        )
    return found[seed % len(found)]
