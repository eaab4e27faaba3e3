"""What a robot's file says of cameras, for those who start nodes."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from perception import MISSING
from reactree_core.errors import ConfigurationError

#: The topic on which the planner hears pictures for a model that sees.
PLANNERS_PICTURES = 'bridge/camera/image_raw'


def first_camera(robot: str | None) -> str:
    """Topic of the first camera of a robot's file; '' where it has none.

    :param robot: path of the file; None or '' for no robot.
    :raises ConfigurationError: the file has mistakes, or OpenCV is not installed.
    """
    if not robot:
        return ''
    # Models of all that a file may say, which takes as long as ROS.
    from robot_bridge.loading import read_robot_file

    entry = read_robot_file(Path(robot).expanduser()).perception
    if entry is None:
        return ''
    if importlib.util.find_spec('cv2') is None:
        raise ConfigurationError(f'{MISSING[:1].upper()}{MISSING[1:]}.')
    return next(iter(entry.cameras.values())).image
