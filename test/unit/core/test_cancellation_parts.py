"""A token of a part of the work: it ends with the whole, or alone."""

from __future__ import annotations

import threading
import time

import pytest

from reactree_core.cancellation import CancelToken
from reactree_core.errors import CanceledError


def test_a_part_ends_with_the_whole():
    whole = CancelToken()
    part = CancelToken(whole=whole)
    assert not part.canceled and part.whole is whole and whole.whole is whole
    whole.cancel()
    assert part.canceled and part.stopped and not part.ends_alone
    with pytest.raises(CanceledError):
        part.check()


def test_a_part_ends_alone_and_the_whole_goes_on():
    whole = CancelToken()
    part, other = CancelToken(whole=whole), CancelToken(whole=whole)
    part.cancel()
    assert part.ends_alone and not whole.canceled and not other.canceled
    whole.check()
    whole.cancel()
    assert not part.ends_alone


def test_the_time_of_the_whole_is_that_of_its_parts():
    whole = CancelToken(time.monotonic() - 1.0)
    part = CancelToken(whole=whole)
    assert part.expired and part.stopped and part.remaining(5.0) == 0.0
    with whole.paused():
        assert not part.expired and part.remaining(5.0) == 5.0


def test_whoever_waits_on_a_part_hears_the_whole():
    whole = CancelToken()
    part = CancelToken(whole=whole)
    assert not part.wait(0.01)
    timer = threading.Timer(0.05, whole.cancel)
    timer.start()
    began = time.monotonic()
    assert part.wait(30.0)
    assert time.monotonic() - began < 5.0
    timer.join()
