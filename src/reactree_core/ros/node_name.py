"""A node's full name belongs to one process: whoever comes second notices, and does not serve.

ROS lets any number of nodes have one name; their clients are then answered by any of them, or all.
"""

from __future__ import annotations

import hashlib
import math
import os
import socket
import struct
import sys
import threading
import time
import uuid
from contextlib import suppress
from dataclasses import dataclass, replace

from rclpy.node import Node
from std_msgs.msg import String

from reactree_core.errors import ConfigurationError
from reactree_core.ros import qos

#: Seconds in which a node hears of others before it serves. Discovery takes less, or seconds where
#: its first message is lost: the node then yields later.
DISCOVERY_WAIT = 0.2
#: Seconds for those that are on the graph and have not been heard, as killed ones are for a while.
LATE_DISCOVERY_WAIT = 5.0
#: Seconds after a node has begun to serve in which it still yields to another.
YIELDING = 5.0
_PERIOD = 0.01
_LONGEST_HOLDER = 120


@dataclass(frozen=True, slots=True, order=True)
class Claim:
    """What a node says of itself; of two, the smaller one keeps the name.

    :param rank: 2 while it listens for others, 1 when it serves, 0 when it has for YIELDING.
    :param since: when it was made, seconds since 1970. :param key: distinguishes it from others.
    :param holder: for people.
    """

    rank: int
    since: float
    key: str
    holder: str

    def __str__(self) -> str:
        return f'{self.rank} {self.since!r} {self.key} {self.holder}'

    @classmethod
    def read(cls, text: str) -> Claim:
        """:raises ValueError: it is none."""
        number, since, key, holder = text.split(' ', 3)
        if number not in ('0', '1', '2') or not math.isfinite(float(since)):
            raise ValueError(text)
        known = holder.isprintable() and len(holder) <= _LONGEST_HOLDER
        return cls(int(number), float(since), key, holder if known else 'elsewhere')


class Address:
    """A name that one process of this machine can have; the system frees it however that ends.

    A socket's, which nobody sends to: like discovery it ends where the network does, as at the
    border of a container.

    :param domain: ROS domain. :param name: a node's full name.
    :raises ConfigurationError: another process has it.
    """

    def __init__(self, domain: int, name: str) -> None:
        self._socket: socket.socket | None = None
        if not sys.platform.startswith('linux'):
            return
        digest = hashlib.sha256(f'{domain} {name}'.encode()).hexdigest()
        address = f'\0reactree {digest}'
        self._socket = socket.socket(socket.AF_UNIX)
        try:
            self._socket.bind(address)
            # Nobody takes what comes; whoever asks for the holder is one in the queue, for good.
            self._socket.listen(socket.SOMAXCONN)
        except OSError:
            self._socket.close()
            raise ConfigurationError(duplicate_name_message(name, _holder_of(address))) from None

    def close(self) -> None:
        """Let others have it."""
        if self._socket is not None:
            self._socket.close()


def _holder_of(address: str) -> str:
    """Who listens there, for people."""
    with suppress(OSError), socket.socket(socket.AF_UNIX) as asking:
        asking.settimeout(0.1)
        asking.connect(address)
        peer = asking.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize('3i'))
        return f'process {struct.unpack("3i", peer)[0]} on this machine'
    return 'on this machine'


def duplicate_name_message(name: str, holder: str) -> str:
    """The sentence for whoever came second."""
    return (
        f'{name} runs already ({holder}): stop it, or use another namespace or ROS_DOMAIN_ID for '
        'this one.'
    )


class NodeName:
    """Makes a node the only one of its name: by a socket address here, by a topic elsewhere.

    The latched topic is `~/_name` (std_msgs/String). A dead node publishes nothing, so what is
    left of one on the graph is no hindrance. Two that start at once hear each other, and agree on
    who goes on.

    :param node: in its construction, before it loads or serves anything.
    :raises ConfigurationError: another node of the name is there, or is to have it.
    """

    def __init__(self, node: Node) -> None:
        self._node = node
        self._name = node.get_fully_qualified_name()
        self._address = Address(node.context.get_domain_id(), self._name)
        self._made = time.monotonic()
        self._held_at = 0.0
        self._heard: set[str] = set()
        holder = f'process {os.getpid()} on {socket.gethostname()}'
        self._claim = Claim(2, time.time(), uuid.uuid4().hex, holder)
        #: Why the node must end; '' while it may serve.
        self.trouble = ''
        self._lock = threading.Lock()
        self._publisher = node.create_publisher(String, '~/_name', qos.latched())
        hearing = qos.latched()
        hearing.depth = 100  # claims of all that are there
        self._subscription = node.create_subscription(String, '~/_name', self._take, hearing)
        self._publisher.publish(String(data=str(self._claim)))
        try:
            self._hold()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Give the name back; called with the node's end."""
        self._address.close()

    def _hold(self) -> None:
        while not self.trouble:
            self._listen()
            waited = time.monotonic() - self._made
            if waited > (LATE_DISCOVERY_WAIT if self._is_missed() else DISCOVERY_WAIT):
                break
            time.sleep(_PERIOD)
        if not self.trouble and self._strangers():
            self._refuse('a node that is not of this package')
        if self.trouble:
            raise ConfigurationError(self.trouble)
        with self._lock:
            self._rise(1)
            self._held_at = time.monotonic()
        self._listen()
        if self.trouble:
            raise ConfigurationError(self.trouble)

    def _listen(self) -> None:
        """Take what has come; nobody spins the node yet."""
        handle = self._subscription.handle
        with handle:
            while (taken := handle.take_message(String, False)) is not None:
                self._take(taken[0])

    def _take(self, message: String) -> None:
        try:
            other = Claim.read(message.data)
        except ValueError:
            return
        with self._lock:
            if other.key == self._claim.key:
                return
            self._heard.add(other.key)
            late = self._held_at and time.monotonic() - self._held_at > YIELDING
            if late and self._claim.rank:
                self._rise(0)  # whatever the clocks say, the newer one yields
            if late and not other.rank:
                self._node.get_logger().error(duplicate_name_message(self._name, other.holder))
            elif other < self._claim:
                self._refuse(other.holder)

    def _rise(self, rank: int) -> None:
        self._claim = replace(self._claim, rank=rank)
        self._publisher.publish(String(data=str(self._claim)))

    def _refuse(self, holder: str) -> None:
        self.trouble = duplicate_name_message(self._name, holder)

    def _publishers(self) -> int:
        return self._node.count_publishers(self._publisher.topic_name)

    def _strangers(self) -> int:
        """Nodes of the name that make no claim."""
        own = self._node.get_name(), self._node.get_namespace()
        names = self._node.get_node_names_and_namespaces()
        return names.count(own) - self._publishers()

    def _is_missed(self) -> bool:
        """Whether others are on the graph that have not been heard."""
        return self._publishers() > 1 + len(self._heard) or self._strangers() > 0
