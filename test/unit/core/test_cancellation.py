"""One object to stop a wait."""

from __future__ import annotations

import threading
import time

import pytest

from reactree_core.cancellation import CancelToken
from reactree_core.errors import CanceledError


def test_a_new_token_stops_nothing():
    token = CancelToken()
    token.check()
    assert not token.stopped
    assert token.remaining(7.0) == 7.0


def test_a_cancel_is_heard_and_stays():
    token = CancelToken()
    token.cancel()
    token.cancel()
    assert token.canceled
    assert token.stopped
    with pytest.raises(CanceledError, match='by request'):
        token.check()


def test_a_deadline_in_the_past_stops_without_being_a_cancel():
    token = CancelToken(deadline=time.monotonic() - 1.0)
    assert token.stopped
    assert not token.canceled
    assert token.remaining(7.0) == 0.0
    with pytest.raises(CanceledError, match='time limit'):
        token.check()


def test_what_remains_is_bounded_by_the_deadline():
    token = CancelToken(deadline=time.monotonic() + 100.0)
    assert token.remaining(7.0) == 7.0
    assert 90.0 < token.remaining(1000.0) <= 100.0


def test_a_wait_ends_at_once_when_another_thread_cancels():
    token = CancelToken()
    began = time.monotonic()
    thread = threading.Timer(0.05, token.cancel)
    thread.start()
    assert token.wait(30.0)
    assert time.monotonic() - began < 20.0
    thread.join(10.0)


def test_a_wait_without_a_cancel_says_so():
    assert not CancelToken().wait(0.0)
