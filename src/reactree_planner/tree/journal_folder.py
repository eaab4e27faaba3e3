"""Where the journals of runs are."""

from __future__ import annotations

import os
from pathlib import Path


def journal_directory(given: str | None = None) -> Path:
    """The folder that was given, or that of the user's state.

    :param given: as in the parameter `journal_directory`; empty for the default.
    """
    if given:
        return Path(given).expanduser()
    state = os.environ.get('XDG_STATE_HOME') or Path('~/.local/state').expanduser()
    return Path(state) / 'reactree' / 'runs'
