"""Pixels as a PNG file, with nothing but the standard library."""

from __future__ import annotations

import struct
import zlib

from reactree_core.chat import PictureFile

_SIGNATURE = b'\x89PNG\r\n\x1a\n'
#: Bytes of a pixel -> PNG's colour type: grey, or red, green and blue.
_COLOURS = {1: 0, 3: 2}


def png_file(width: int, height: int, data: bytes, blue_first: bool = False) -> PictureFile:
    """A picture of one byte (grey) or three (colours) a pixel, row by row from the top left.

    :param width: pixels. :param height: pixels.
    :param blue_first: whether colours stand in the order blue, green, red.
    :raises ValueError: it has another number of bytes.
    """
    depth, rest = divmod(len(data), max(1, width * height))
    if rest or depth not in _COLOURS or min(width, height) < 1:
        raise ValueError(f'{len(data)} bytes are no picture of {width} x {height} pixels')
    if blue_first and depth == 3:
        swapped = bytearray(data)
        swapped[0::3], swapped[2::3] = data[2::3], data[0::3]
        data = bytes(swapped)
    line = width * depth
    # A byte before each line says that it is as it is.
    lines = b''.join(b'\0' + data[begin : begin + line] for begin in range(0, len(data), line))
    header = struct.pack('>IIBBBBB', width, height, 8, _COLOURS[depth], 0, 0, 0)
    chunks = ((b'IHDR', header), (b'IDAT', zlib.compress(lines, 6)), (b'IEND', b''))
    return PictureFile(_SIGNATURE + b''.join(_chunk(name, body) for name, body in chunks))


def _chunk(name: bytes, body: bytes) -> bytes:
    return struct.pack('>I', len(body)) + name + body + struct.pack('>I', zlib.crc32(name + body))
