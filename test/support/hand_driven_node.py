"""A node without a middleware, whose time the tests drive: servers moment by moment."""

from __future__ import annotations

import copy
from types import SimpleNamespace

from rclpy.task import Future
from rclpy.time import Time


class Timer:
    """Calls back every so many seconds of the time that the tests drive."""

    def __init__(self, now, period, callback):
        self.period, self.callback = period, callback
        self.due = now + period


class HandClient:
    """Asks a service that answers when the tests want."""

    def __init__(self, kind, name):
        self.srv_type, self.srv_name = kind, name
        self.ready = True
        self.asked = []
        self.removed = []

    def service_is_ready(self):
        return self.ready

    def call_async(self, request):
        answer = Future()
        self.asked.append((request, answer))
        return answer

    def remove_pending_request(self, answer):
        self.removed.append(answer)


class HandExecutor:
    """Goes on with nothing by itself; counts what would have it do so."""

    def __init__(self):
        self.wakes = 0

    def wake(self):
        self.wakes += 1


class HandDrivenNode:
    """What a skill server uses of a node.

    `published` holds every message of its publishers, `services` and `subscriptions` what hears,
    `topics` the same by topic, and `clients` what asks others.
    """

    def __init__(self, simulated=True, begin=128.0):
        self.simulated = simulated
        self.time = begin
        self.timers = []
        self.published = []
        self.services = {}
        self.subscriptions = []
        self.topics = {}
        self.clients = {}
        self.logged = []
        self.executor = HandExecutor()

    def get_clock(self):
        return SimpleNamespace(
            ros_time_is_active=self.simulated,
            now=lambda: Time(nanoseconds=round(self.time * 1e9)),
        )

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

    def get_fully_qualified_name(self):
        return '/bridge'

    def create_subscription(self, kind, topic, callback, profile, **options):
        self.subscriptions.append(callback)
        self.topics.setdefault(topic, []).append(callback)

    def resolve_service_name(self, name):
        return f'/{name.lstrip("/")}'

    def get_subscriptions_info_by_topic(self, topic, no_mangle=False):
        """No other participant is there."""
        return []

    def tell(self, topic, message):
        """Publish to all that hear a topic."""
        for hear in self.topics[topic]:
            hear(message)

    def create_client(self, kind, name, **options):
        self.clients[name] = HandClient(kind, name)
        return self.clients[name]

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
