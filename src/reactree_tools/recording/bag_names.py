"""Names that make a folder a bag, for those who look for bags without reading them."""

from __future__ import annotations

from pathlib import Path

import platformdirs

METADATA = 'metadata.yaml'
#: Ends the name of the folder of a bag that is being written, or was when its recorder was killed.
UNFINISHED = '.recording'


def bag_directory(given: str | None = None) -> Path:
    """The folder that was given, or that of the user's state."""
    if given:
        return Path(given).expanduser()
    return platformdirs.user_state_path('reactree') / 'bags'


def is_bag_folder(folder: Path) -> bool:
    """Whether a folder is a bag, finished or not."""
    return (folder / METADATA).is_file() or folder.name.endswith(UNFINISHED)
