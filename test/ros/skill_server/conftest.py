"""A node without a middleware, whose time the tests drive: what a skill server does, moment by
moment.
"""

from __future__ import annotations

import copy
from types import SimpleNamespace

import pytest

from skill_server.ros import running_skill


class Timer:
    """Calls back every so many seconds of the time that the tests drive."""

    def __init__(self, now, period, callback):
        self.period, self.callback = period, callback
        self.due = now + period


class HandDrivenNode:
    """What a skill server uses of a node.

    `published` holds every message of its publishers, `services` and `subscriptions` what hears.
    """

    def __init__(self, simulated=True, begin=128.0):
        self.simulated = simulated
        self.time = begin
        self.timers = []
        self.published = []
        self.services = {}
        self.subscriptions = []
        self.logged = []
        self.executor = SimpleNamespace(wakes=0)
        self.executor.wake = self._wake

    def _wake(self):
        self.executor.wakes += 1

    def get_clock(self):
        def now():
            nanoseconds = round(self.time * 1e9)
            return SimpleNamespace(nanoseconds=nanoseconds, to_msg=lambda: None)

        return SimpleNamespace(ros_time_is_active=self.simulated, now=now)

    def get_logger(self):
        def note(text):
            self.logged.append(text)

        return SimpleNamespace(debug=note, info=note, warning=note, error=note)

    def create_timer(self, seconds, callback, group=None, clock=None):
        timer = Timer(self.time, seconds, callback)
        timer.is_steady = clock is not None
        self.timers.append(timer)
        return timer

    def destroy_timer(self, timer):
        self.timers.remove(timer)

    def create_publisher(self, kind, topic, profile, **options):
        return SimpleNamespace(publish=lambda message: self.published.append(_copied(message)))

    def create_service(self, kind, name, callback, **options):
        self.services[name] = callback

    def create_subscription(self, kind, topic, callback, profile, **options):
        self.subscriptions.append(callback)

    def pass_time(self, seconds, step=0.0625):
        """Let time pass, and call what is due, in steps that floats add exactly."""
        end = self.time + seconds
        while self.time < end - 1e-9:
            self.time = min(end, self.time + step)
            for timer in list(self.timers):
                if timer in self.timers and timer.due <= self.time + 1e-9:
                    timer.due += timer.period
                    timer.callback()


def _copied(message):
    return SimpleNamespace(
        **{
            name: copy.copy(getattr(message, name))
            for name in message.get_fields_and_field_types()
            if name != 'header'
        }
    )


class Coroutine:
    """One that is gone on with by hand, as an executor does."""

    def __init__(self, coroutine):
        self._coroutine = coroutine
        self.over = False
        self.answer = None
        self.go_on()

    def go_on(self):
        """Run it until it waits, or is over."""
        if self.over:
            return self
        try:
            self._coroutine.send(None)
        except StopIteration as ended:
            self.over, self.answer = True, ended.value
        return self


@pytest.fixture
def node():
    """A node with simulated time."""
    return HandDrivenNode()


@pytest.fixture
def steady_node(monkeypatch):
    """A node whose skills go by the machine's steady time, which is the node's here."""
    node = HandDrivenNode(simulated=False)
    monkeypatch.setattr(running_skill.time, 'monotonic', lambda: node.time)
    return node


@pytest.fixture
def play():
    """Begins a coroutine that is gone on with by hand."""
    return Coroutine
