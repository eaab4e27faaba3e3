"""The published packages `alfworld` and `textworld` as engine; requirements/alfworld.txt."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from reactree_core.errors import ConfigurationError

_MOST_STEPS = 1_000_000


class PublishedEngine:
    """Plays a game file with the packages; answers what they answer.

    :raises ConfigurationError: they are not installed, or refuse the file.
    """

    def __init__(self, file: Path) -> None:
        try:
            import textworld
            import textworld.gym
            from alfworld.agents.environment.alfred_tw_env import AlfredDemangler, AlfredInfos
        except ImportError as error:
            raise ConfigurationError(
                'engine textworld needs the published packages: pip install -r '
                f'requirements/alfworld.txt (missing: {error.name}), or take engine builtin'
            ) from error
        wanted = textworld.EnvInfos(won=True, admissible_commands=True, extras=['gamefile'])
        try:
            name = textworld.gym.register_games(
                [str(file)],
                wanted,
                # Its own limit is 50; a limit is the planner's to keep.
                max_episode_steps=_MOST_STEPS,
                wrappers=[AlfredDemangler(), AlfredInfos],
            )
            self._game = textworld.gym.make(name)
            text, infos = self._game.reset()
        except Exception as error:  # other people's code, which may raise anything
            raise ConfigurationError(f'textworld cannot play {file}: {error}') from error
        self._first_text = str(text).strip()
        self._take(infos)

    def _take(self, infos: dict[str, Any]) -> None:
        self._commands = tuple(sorted(infos['admissible_commands']))
        self._won = bool(infos['won'])

    @property
    def first_text(self) -> str:
        """What is read first."""
        return self._first_text

    @property
    def won(self) -> bool:
        """Whether the goal is reached."""
        return self._won

    def commands(self) -> tuple[str, ...]:
        """All that can be done now, sorted."""
        return self._commands

    def do(self, command: str) -> str:
        """Do a command; its reply."""
        text, _, _, infos = self._game.step(command)
        self._take(infos)
        return str(text).strip()

    def close(self) -> None:
        """Let the game go."""
        self._game.close()
