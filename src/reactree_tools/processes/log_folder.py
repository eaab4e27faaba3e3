"""Where the logs of one start go."""

from __future__ import annotations

import os
import time
from pathlib import Path

from reactree_core.errors import ConfigurationError


def ros_log_folder() -> Path:
    """ROS's own rule: ROS_LOG_DIR, else ROS_HOME/log, else ~/.ros/log."""
    if os.environ.get('ROS_LOG_DIR'):
        return Path(os.environ['ROS_LOG_DIR']).expanduser()
    home = os.environ.get('ROS_HOME') or '~/.ros'
    return Path(home).expanduser() / 'log'


def make_log_folder() -> Path:
    """A new folder for one start of the nodes.

    :raises ConfigurationError: it cannot be made.
    """
    name = f'reactree-{time.strftime("%Y-%m-%d-%H-%M-%S")}-{os.getpid()}'
    folder = ros_log_folder() / name
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigurationError(
            f'The log folder {folder} cannot be made: {error.strerror}. '
            'Set ROS_LOG_DIR to a folder that can be written.'
        ) from error
    return folder
