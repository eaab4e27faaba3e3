"""A link between two hosts that loses packets and delays them, on one Linux machine.

Two network namespaces are joined by TUN devices; a thread carries the packets between them. It
stands in for `tc netem`, whose kernel module not every machine has. Needs root (or CAP_NET_ADMIN),
/dev/net/tun and `ip` of iproute2.
"""

from __future__ import annotations

import fcntl
import heapq
import os
import random
import selectors
import shutil
import struct
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, ExitStack, suppress

_TUN = '/dev/net/tun'
#: ioctl TUNSETIFF; a device of IP packets, without a header of its own.
_TUNSETIFF, _IFF_TUN, _IFF_NO_PI = 0x400454CA, 0x0001, 0x1000
#: Packets that a side may have on their way, as a queue of a network card.
_QUEUE = 10_000


def why_no_link() -> str:
    """Why this machine cannot make such a link; '' where it can."""
    if not os.access(_TUN, os.W_OK):
        return f'{_TUN} cannot be opened (run as root, on Linux)'
    if not shutil.which('ip'):
        return '`ip` is not there: apt install iproute2'
    made = subprocess.run(['ip', 'netns', 'add', f'rt{os.getpid()}x'], capture_output=True)
    if made.returncode:
        return f'no network namespace can be made: {made.stderr.decode().strip()}'
    subprocess.run(['ip', 'netns', 'del', f'rt{os.getpid()}x'], check=True)
    return ''


class BadLink:
    """Two hosts and the link between them.

    :param loss: share of packets that is lost each way, 0 to 1.
    :param delay: of each packet each way, s.
    :param seed: draws the lost packets.
    """

    def __init__(self, loss: float, delay: float, seed: int) -> None:
        self._loss = loss
        self._delay = delay
        self._chance = random.Random(seed)
        self._names = tuple(f'rt{os.getpid()}{side}' for side in 'ab')
        self._ends: list[int] = []
        self._closing = threading.Event()
        #: Packets that were carried, and lost.
        self.carried = self.lost = 0

    @contextmanager
    def open(self) -> Iterator[BadLink]:
        """Have it carry packets while the context lasts."""
        with ExitStack() as stack:
            for number, name in enumerate(self._names):
                _ip('netns', 'add', name)
                stack.callback(_ip, 'netns', 'del', name)
                self._ends.append(_device(name))
                stack.callback(os.close, self._ends[-1])
                _ip('link', 'set', name, 'netns', name)
                for words in (
                    ('link', 'set', 'lo', 'up'),
                    ('addr', 'add', f'10.77.0.{number + 1}/24', 'dev', name),
                    ('link', 'set', name, 'multicast', 'on', 'up'),
                    ('route', 'add', '224.0.0.0/4', 'dev', name),
                ):
                    _ip('-n', name, *words)
            carrier = threading.Thread(target=self._carry, daemon=True)
            carrier.start()
            stack.callback(carrier.join, 5.0)
            stack.callback(self._closing.set)
            yield self

    def on(self, side: int) -> list[str]:
        """Words that run a command on a host. :param side: 0 or 1."""
        return ['ip', 'netns', 'exec', self._names[side]]

    def _carry(self) -> None:
        """Carry packets until the link is closed."""
        waiting: list[tuple[float, int, int, bytes]] = []
        number = 0
        with selectors.DefaultSelector() as selector:
            for end, other in zip(self._ends, reversed(self._ends), strict=True):
                selector.register(end, selectors.EVENT_READ, other)
            while not self._closing.is_set():
                due = waiting[0][0] - time.monotonic() if waiting else 0.2
                for key, _ in selector.select(max(0.0, min(due, 0.2))):
                    with suppress(BlockingIOError):
                        while True:
                            packet = os.read(key.fd, 65536)
                            if self._chance.random() < self._loss or len(waiting) >= _QUEUE:
                                self.lost += 1
                                continue
                            number += 1
                            at = time.monotonic() + self._delay
                            heapq.heappush(waiting, (at, number, key.data, packet))
                while waiting and waiting[0][0] <= time.monotonic():
                    _, _, end, packet = heapq.heappop(waiting)
                    self.carried += 1
                    # A device that is full drops it, as a card does.
                    with suppress(OSError):
                        os.write(end, packet)


def _device(name: str) -> int:
    """Make a TUN device; its descriptor, which does not block."""
    end = os.open(_TUN, os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(end, _TUNSETIFF, struct.pack('16sH', name.encode(), _IFF_TUN | _IFF_NO_PI))
    return end


def _ip(*words: str) -> None:
    subprocess.run(['ip', *words], check=True, capture_output=True)
