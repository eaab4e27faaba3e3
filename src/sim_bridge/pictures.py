"""Pictures that worlds give of themselves, with OpenCV (`requirements/virtualhome.txt`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np

from reactree_core.cancellation import CancelToken
from reactree_core.chat import PictureFile
from reactree_core.errors import ConfigurationError, SkillError
from reactree_core.png import png_file

#: Pixels, of either side.
LARGEST_SIDE = 4096


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture.

    :param width: pixels. :param height: pixels.
    :param data: blue, green, red of each pixel, a byte each, row by row from the top left.
    """

    width: int
    height: int
    data: bytes


@runtime_checkable
class Cameras(Protocol):
    """A world that can be looked at."""

    def picture(self, camera: int, width: int, height: int) -> Picture:
        """What a camera sees now; changes nothing.

        :param camera: index; negative ones count from the last, which are the robot's.
        :param width: pixels. :param height: pixels.
        :raises ReactreeError: there is no such camera or size, or no picture can be had.
        """


#: What the robot sees with, as an index; see `Cameras`.
_OWN_CAMERA = -3


class WorldPictures:
    """What the robot of a world in this process sees (port `Pictures`)."""

    def __init__(self, world: Cameras) -> None:
        self._world = world

    def newest(self, cancel: CancelToken) -> PictureFile:
        """What it sees now.

        :raises ReactreeError: no picture can be had. :raises CanceledError: stopped.
        """
        cancel.check()
        picture = self._world.picture(_OWN_CAMERA, 640, 480)
        return png_file(picture.width, picture.height, picture.data, blue_first=True)


def opencv() -> Any:
    """The library.

    :raises ConfigurationError: it is not installed.
    """
    try:
        import cv2
    except ImportError as error:
        raise ConfigurationError(
            'pictures need OpenCV: pip install -r requirements/virtualhome.txt'
        ) from error
    return cv2


def picture_of(pixels: Any) -> Picture:
    """From an array of height x width x 3 bytes, blue, green, red."""
    height, width, _ = pixels.shape
    return Picture(width, height, pixels.tobytes())


def read_picture(data: bytes) -> Picture:
    """From a PNG or JPEG file.

    :raises SkillError: it is none.
    """
    library = opencv()
    pixels = None
    if data:
        pixels = library.imdecode(np.frombuffer(data, np.uint8), library.IMREAD_COLOR)
    if pixels is None:
        raise SkillError('the simulator sent a picture that is neither PNG nor JPEG')
    return picture_of(pixels)


def write_png(picture: Picture) -> bytes:
    """As a PNG file."""
    pixels = np.frombuffer(picture.data, np.uint8).reshape(picture.height, picture.width, 3)
    done, data = opencv().imencode('.png', pixels)
    if not done:
        raise SkillError('OpenCV could not write the picture as PNG')
    return bytes(data.tobytes())
