"""Pictures as cameras publish them, as arrays; what is torn, black or too large is refused.

    picture = colours_of(message)       # height x width x 3, uint8, blue first, as OpenCV has it

Works on anything with the fields of sensor_msgs/Image, so that it is tested without ROS.
"""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from perception.errors import PictureError
from reactree_core.chat import PictureFile

Pixels = NDArray[np.uint8]
Depths = NDArray[np.float32]

#: Pixels of a picture at most; 8K has 33 million.
_MOST_PIXELS = 40_000_000
#: Encoding -> channels, and how OpenCV makes blue, green and red of them.
_COLOURS: dict[str, tuple[int, int | None]] = {
    'mono8': (1, cv2.COLOR_GRAY2BGR),
    '8UC1': (1, cv2.COLOR_GRAY2BGR),
    'bgr8': (3, None),
    '8UC3': (3, None),
    'rgb8': (3, cv2.COLOR_RGB2BGR),
    'bgra8': (4, cv2.COLOR_BGRA2BGR),
    'rgba8': (4, cv2.COLOR_RGBA2BGR),
}
#: Encoding of a depth picture -> kind of its numbers, and their metres.
_DEPTHS = {'16UC1': (np.uint16, 1e-3), 'mono16': (np.uint16, 1e-3), '32FC1': (np.float32, 1.0)}
#: Standard deviation of the brightness below which nothing can be seen, of 255.
_FLAT = 2.0


def colours_of(message: Any) -> Pixels:
    """A picture's pixels, blue first. :raises PictureError: it is torn, or of another encoding."""
    if message.encoding not in _COLOURS:
        raise PictureError(
            f'the encoding {str(message.encoding)[:30]!r} is not read: publish '
            f'{", ".join(name for name in _COLOURS if "UC" not in name)}'
        )
    channels, conversion = _COLOURS[message.encoding]
    raw = _rows(message, np.dtype(np.uint8), channels)
    pixels = raw.reshape(message.height, message.width, channels)
    if conversion is None:
        return pixels
    return np.asarray(cv2.cvtColor(pixels, conversion), np.uint8)


def depths_of(message: Any) -> Depths:
    """Metres by pixel; NaN where nothing was measured. :raises PictureError: as `colours_of`."""
    if message.encoding not in _DEPTHS:
        raise PictureError(
            f'the depth encoding {str(message.encoding)[:30]!r} is not read: publish 16UC1 in mm '
            'or 32FC1 in m'
        )
    kind, metres = _DEPTHS[message.encoding]
    number = np.dtype(kind)
    number = number.newbyteorder('>') if message.is_bigendian else number.newbyteorder('<')
    rows = _rows(message, number, 1)
    depths = rows.astype(np.float32) * np.float32(metres)
    depths[~np.isfinite(depths) | (depths <= 0)] = np.nan
    return depths


def _rows(message: Any, kind: np.dtype[Any], channels: int) -> NDArray[Any]:
    """Its numbers, line by line, without what fills the lines up."""
    width, height = int(message.width), int(message.height)
    if not 0 < width * height <= _MOST_PIXELS:
        raise PictureError(f'a picture of {width} x {height} pixels is not read')
    line = width * channels * kind.itemsize
    step = int(message.step) or line
    if step < line or len(message.data) != step * height:
        raise PictureError(
            f'it is torn: {width} x {height} pixels of {message.encoding} in lines of {step} '
            f'bytes are {max(step, line) * height} bytes, and {len(message.data)} came'
        )
    data = np.frombuffer(message.data, np.uint8).reshape(height, step)[:, :line]
    return np.ascontiguousarray(data).view(kind)


def grey_of(pixels: Pixels) -> Pixels:
    """Its brightness. :raises PictureError: all of it is alike: black, or a covered lens."""
    grey = np.asarray(cv2.cvtColor(pixels, cv2.COLOR_BGR2GRAY), np.uint8)
    # A part of the pixels says that as well.
    some = grey[:: max(1, grey.shape[0] // 120), :: max(1, grey.shape[1] // 160)]
    if float(some.std()) < _FLAT:
        raise PictureError(
            f'it is all of one brightness ({float(some.mean()):.0f} of 255): look at the light '
            'and the lens'
        )
    return grey


def jpeg_of(pixels: Pixels, longest: int) -> PictureFile:
    """As a small file, for models and people. :param longest: pixels of its longer side."""
    height, width = pixels.shape[:2]
    scale = longest / max(height, width)
    if scale < 1.0:
        size = max(1, round(width * scale)), max(1, round(height * scale))
        pixels = np.asarray(cv2.resize(pixels, size, interpolation=cv2.INTER_AREA), np.uint8)
    done, data = cv2.imencode('.jpg', pixels, [cv2.IMWRITE_JPEG_QUALITY, 85])
    if not done:
        raise PictureError('it cannot be written as JPEG')
    return PictureFile(data.tobytes(), 'image/jpeg')
