"""What must survive a power cut: files and folders forced to the disk."""

from __future__ import annotations

import os
from pathlib import Path


def force_to_disk(path: Path) -> None:
    """Wait until a file's content, or a folder's list of names, is on the disk.

    :raises OSError: it cannot be opened, or the disk refuses.
    """
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
