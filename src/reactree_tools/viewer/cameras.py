"""What a robot's cameras show, and what is seen in their pictures, for the page."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import Any

from reactree_tools.plain_text import visible

#: Cameras and things that are kept, and the largest picture in bytes.
_MOST_CAMERAS, _MOST_THINGS, _LARGEST = 8, 100, 4_000_000
#: Longest name in characters.
_LONGEST = 80
#: How a JPEG file begins: nothing else is shown.
_JPEG = b'\xff\xd8\xff'


@dataclass(frozen=True, slots=True)
class SeenThing:
    """One thing. :param by: 'marker', 'detector' or 'model'. :param seen_at: as `time.time`.

    :param at: position in m, in the frame that is given; None where none is known.
    """

    name: str
    by: str
    camera: str = ''
    at: tuple[float, float, float] | None = None
    place: str = ''
    state: str = ''
    seen_at: float = 0.0


class Cameras:
    """The newest picture of each camera, and the newest things; from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        #: Camera -> number, file and when it came.
        self._pictures: dict[str, tuple[int, bytes, float]] = {}
        self._count = 0
        self._things: tuple[SeenThing, ...] = ()
        self._frame = ''
        self._gone: tuple[str, ...] = ()
        self._told_at = 0.0

    def show(self, camera: str, file: bytes) -> None:
        """Take a picture, with what is seen drawn over. What is no JPEG is left out."""
        camera = visible(camera, _LONGEST)
        if not file.startswith(_JPEG) or len(file) > _LARGEST:
            return
        with self._lock:
            if camera in self._pictures or len(self._pictures) < _MOST_CAMERAS:
                self._count += 1
                self._pictures[camera] = (self._count, file, time.monotonic())

    def tell(self, things: tuple[SeenThing, ...], frame: str, gone: tuple[str, ...]) -> None:
        """Take what is seen. :param frame: of positions. :param gone: names of what has left."""
        with self._lock:
            self._things, self._frame = things[:_MOST_THINGS], visible(frame, _LONGEST)
            self._gone = tuple(visible(name, _LONGEST) for name in gone[:_MOST_THINGS])
            self._told_at = time.monotonic()

    def picture(self, camera: str) -> bytes | None:
        """Its newest file; None for a camera that has shown none."""
        with self._lock:
            found = self._pictures.get(camera)
        return found[1] if found is not None else None

    def page(self) -> dict[str, Any]:
        """All of it as JSON, but for the files. Ages are in s."""
        now, wall = time.monotonic(), time.time()
        with self._lock:
            return {
                'cameras': [
                    {'name': name, 'number': number, 'age': now - at}
                    for name, (number, _, at) in self._pictures.items()
                ],
                'frame': self._frame,
                'age': now - self._told_at if self._told_at else None,
                'gone': list(self._gone),
                'things': [
                    {
                        'name': visible(one.name, _LONGEST),
                        'by': one.by,
                        'camera': visible(one.camera, _LONGEST),
                        'at': list(one.at) if one.at is not None else None,
                        'place': visible(one.place, _LONGEST),
                        'state': visible(one.state, _LONGEST),
                        'age': max(0.0, wall - one.seen_at) if one.seen_at else None,
                    }
                    for one in self._things
                ],
            }
