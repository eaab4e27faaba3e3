"""The stream of one page: frames of the run it looks at, and what changes around it.

Server-sent events: text over one long answer, which a browser takes up again by itself. A page
has nothing but a position here, so that one that is slow or gone costs nothing.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Any

from anyio import to_thread

from reactree_core.errors import ReactreeError
from reactree_tools.viewer.frames import RunHistory
from reactree_tools.viewer.runs import Runs

#: Seconds between two looks at what is new; so many events come in one message.
PERIOD = 0.1
#: Seconds after which a silent stream says that it is alive.
_SIGN_OF_LIFE = 10.0
#: Seconds between two looks at health and the list of runs.
_STATUS_PERIOD = 0.5
#: Seconds between two looks at a record that somebody else may be writing.
_RECORD_PERIOD = 3.0
#: Streams at once, for one address and for all.
STREAMS_OF_ONE = 32
STREAMS = 64
#: Seconds that a stream lasts at least, before it may have to make room for a new one.
MIN_STREAM_SECONDS = 10.0
#: Asked for instead of a run's id: whichever run is the newest.
NEWEST = 'newest'


class Refused(ReactreeError):
    """Too many watch. :param status: of the answer."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


@dataclass(eq=False)
class StreamSlot:
    """A stream's right to go on. :param over: whether it has to make room for another one."""

    address: str
    since: float
    over: bool = False


class StreamSlots:
    """The open streams. If all slots are taken, the oldest is closed for a new one.

    So what nobody looks at any more cannot shut the viewer; a page takes its stream up again.
    """

    def __init__(self) -> None:
        self._slots: list[StreamSlot] = []

    def enter(self, address: str) -> StreamSlot:
        """Take a slot for a new stream.

        :raises Refused: all are taken, and only just.
        """
        now = time.monotonic()
        own = [slot for slot in self._slots if slot.address == address]
        crowd, status = (own, 429) if len(own) >= STREAMS_OF_ONE else (self._slots, 503)
        if crowd is own or len(crowd) >= STREAMS:
            if now - crowd[0].since < MIN_STREAM_SECONDS:
                raise Refused(
                    f'{len(crowd)} pages watch already, which is the maximum: close one, or try '
                    f'again in {MIN_STREAM_SECONDS:.0f} s.',
                    status,
                )
            crowd[0].over = True
            self._slots.remove(crowd[0])
        self._slots.append(StreamSlot(address, now))
        return self._slots[-1]

    def leave(self, slot: StreamSlot) -> None:
        """Free a slot."""
        if slot in self._slots:
            self._slots.remove(slot)


@dataclass
class Stream:
    """One page's stream.

    :param wanted: a run's id, or NEWEST.
    :param has: what the page has already: '<run id>:<frames>', or ''.
    :param status: what changes around the run, ready for JSON; asked twice a second.
    :param ending: says when the server ends.
    """

    runs: Runs
    wanted: str
    has: str
    status: Callable[[], dict[str, Any]]
    ending: Callable[[], bool]

    async def messages(self) -> AsyncIterator[str]:
        """Until the page goes or the server ends."""
        run_id = ''
        position = 0
        history: RunHistory | None = None
        said = ''
        next_status = next_look = 0.0
        last_words = time.monotonic()
        while not self.ending():
            now = time.monotonic()
            parts: list[str] = []
            if now >= next_status:
                next_status = now + _STATUS_PERIOD
                text = json.dumps(self.status())
                if text != said:
                    said = text
                    parts.append(_message('status', text))
                wanted = self._wanted()
                if wanted and wanted != run_id:
                    run_id, position = wanted, self._position(wanted)
                    history, message = await self._open(run_id, position)
                    parts.append(message)
                elif history is not self.runs.known(run_id) is not None:
                    # A run known from its record turns out to be live: the same frames, and more.
                    history, message = await self._open(run_id, position)
                    parts.append(message)
                elif self._may_grow(history) and now >= next_look:
                    next_look = now + _RECORD_PERIOD
                    found, message = await self._open(run_id, position)
                    if found is not history:
                        history = found
                        parts.append(message)
            if history is not None:
                news, position = _frames(history, position)
                parts += news
            if parts:
                last_words = now
                yield ''.join(parts)
            elif now - last_words > _SIGN_OF_LIFE:
                last_words = now
                yield ': alive\n\n'
            await asyncio.sleep(PERIOD)

    def _wanted(self) -> str:
        return self.runs.newest if self.wanted == NEWEST else self.wanted

    def _may_grow(self, history: RunHistory | None) -> bool:
        """Whether a run of another planner is looked at, that may go on."""
        if history is None or history.finished:
            return False
        return not self.runs.is_live(history.run_id)

    def _position(self, run_id: str) -> int:
        """Frames of a run that the page has."""
        run, _, count = self.has.rpartition(':')
        return int(count) if run == run_id and count.isdecimal() and len(count) < 12 else 0

    async def _open(self, run_id: str, position: int) -> tuple[RunHistory | None, str]:
        """The history of a run, and what to tell the page of it."""
        try:
            # Reading a record takes a while, and others are waiting.
            history = await to_thread.run_sync(self.runs.history, run_id)
        except ReactreeError as error:
            return None, _message('trouble', json.dumps({'message': str(error)}))
        about = {'run': run_id, 'live': self.runs.is_live(run_id), 'position': position}
        return history, _message('run', json.dumps(about))


def _frames(history: RunHistory, position: int) -> tuple[list[str], int]:
    """What a page at some position has not seen, and the position after it."""
    frames, end, anew = history.after(position)
    if end == position and not anew:
        return [], position
    about = f'{{"end":{end},"total":{history.end},"anew":{str(anew).lower()}'
    return [_message('frames', f'{about},"frames":{frames}}}', f'{history.run_id}:{end}')], end


def _message(kind: str, data: str, place: str = '') -> str:
    """One event of the stream. JSON has no line breaks of its own."""
    mark = f'id: {place}\n' if place else ''
    return f'event: {kind}\n{mark}data: {data}\n\n'
